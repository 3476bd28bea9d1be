// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks of a host that behave alike: those that spend nearly the same shares of their
// time in the same states.
import { labelOf } from "./search.js";

/** Ranks up to this Jensen-Shannon distance behave alike; 1: nothing is common. */
export const ALIKE = 0.05;

/** The share of time of each state, by name: own times by their sum. A state without
 *  a name is what a rank does outside of all. */
export function sharesOf(times) {
  const sum = [...times.values()].reduce((all, time) => all + time, 0);

  return new Map(
    [...times].filter(([, time]) => time > 0).map(([name, time]) => [name, time / sum]),
  );
}

/** The Jensen-Shannon distance of two distributions, to the base 2: from 0 to 1. */
export function distance(a, b) {
  let divergence = 0;

  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [p, q] = [a.get(name) ?? 0, b.get(name) ?? 0];
    const middle = (p + q) / 2;

    if (p > 0) divergence += (p / 2) * Math.log2(p / middle);
    if (q > 0) divergence += (q / 2) * Math.log2(q / middle);
  }
  // Rounding may lead below 0, or above 1.
  return Math.sqrt(Math.min(1, Math.max(0, divergence)));
}

/** Numbers before other labels, by their size. */
function compareLabels(a, b) {
  const [x, y] = [Number(a.label), Number(b.label)];
  const isNumber = (value) => (Number.isNaN(value) ? 1 : 0);

  return (
    isNumber(x) - isNumber(y) ||
    (Number.isNaN(x) ? (a.label < b.label ? -1 : a.label > b.label ? 1 : 0) : x - y) ||
    a.node.number - b.node.number
  );
}

/**
 * Put ranks of each host together. From the lowest to the highest, each belongs to the
 * lowest leader that it is like, or leads itself: so their order in the list does not
 * matter.
 *
 * @param ranks {node, host, label, shares}.
 *
 * @return A list of lists of ranks, the leader first. Alone are those that are like no
 *         other.
 */
export function groupAlike(ranks) {
  const groups = new Map();

  for (const rank of [...ranks].sort(compareLabels)) {
    const list = groups.get(rank.host) ?? [];
    const group = list.find(([leader]) => distance(leader.shares, rank.shares) <= ALIKE);

    if (group) group.push(rank);
    else list.push([rank]);
    groups.set(rank.host, list);
  }
  return [...groups.values()].flat();
}

/** The node of the rank that a trace belongs to: the trace's own without ranks. */
function rankNode(model, node) {
  const level =
    1 + model.levelsOf(node).findIndex((type) => /^(?:rank|process)/i.test(type));
  let at = node;

  while (level > 0 && at.level > level) at = model.nodes[at.parent];
  return at;
}

/** The ranks of the model, with their hosts and traces: {node, host, label, traces}. */
export function ranksOf(model) {
  const ranks = new Map();

  for (const trace of model.traces) {
    const node = rankNode(model, trace.node);
    let host = node;

    while (host.level > 1) host = model.nodes[host.parent];
    if (!ranks.has(node))
      ranks.set(node, {
        node,
        host,
        label: labelOf(model, node, ["rank", "process"]) ?? node.label,
        traces: [],
      });
    ranks.get(node).traces.push(trace);
  }
  return [...ranks.values()];
}

/**
 * Find which ranks behave alike in an interval.
 *
 * @param isWanted Asked now and then; false: it is not wanted any more.
 *
 * @return {groups, isComplete}: those of groupAlike(), and whether all traces were
 *         read; null: it is not wanted any more.
 */
export async function findAlike(model, { from, to }, isWanted = () => true) {
  const ranks = ranksOf(model);
  let isComplete = true;

  for (const rank of ranks) {
    const times = new Map();

    for (const { states, track } of rank.traces) {
      const profile = await states.profile(from, to);
      let inside = 0;

      if (!isWanted()) return null;
      isComplete &&= track.isComplete;
      for (const { name, own } of profile.names.values()) {
        inside += own;
        times.set(name, (times.get(name) ?? 0) + own);
      }
      const outside = lengthIn(track.range, from, to) - inside;

      // Times of reduced data are not exact.
      if (outside > 0) times.set("", (times.get("") ?? 0) + outside);
    }
    rank.shares = sharesOf(times);
  }
  return { groups: groupAlike(ranks), isComplete };
}

/** How much of an interval is in a range; 0 without one. */
function lengthIn(range, from, to) {
  if (!range) return 0;
  const start = range.start > from ? range.start : from;
  const end = range.end < to ? range.end : to;

  return Math.max(0, Number(end - start));
}
