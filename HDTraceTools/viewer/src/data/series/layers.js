// SPDX-License-Identifier: LGPL-2.1-or-later
// Layers of nodes: groups with a gauge Pending (doc/diagnose.md).
import { itemsBetween } from "./expression.js";
import { inSlices } from "../codec/slices.js";

/** So many items of a layer are looked at. */
const ITEMS_MAX = 200000;

/** The order of layers that are known, where no report says it. */
const KNOWN = ["CLIENT", "FLOW", "BMI", "REQ", "BREQ", "TROVE", "LOCK", "DISK"];

const named = (group, name, kind) =>
  group.series.find(
    ({ value }) => value.name === name && value.kind === kind,
  );

/** Compare names by an order; what is not in it comes last, by name. */
export function byOrder(order) {
  const place = (name) => {
    const number = order.indexOf(name);

    return number < 0 ? order.length : number;
  };

  return (a, b) =>
    place(a.name) - place(b.name) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/**
 * The layers of each node.
 *
 * @param orderOf Tells for a group the names of layers, the uppermost first;
 *        undefined: those that are known.
 *
 * @return [{node, layers: [{name, pending, least, most, bytes}]}]; all but the name
 *         are series, and all but these two may be undefined.
 */
export function layersOf(groups, orderOf = () => undefined) {
  const nodes = new Map();

  for (const group of groups) {
    const pending = named(group, "Pending", "gauge");

    if (!pending) continue;
    if (!nodes.has(group.node))
      nodes.set(group.node, { order: orderOf(group) ?? KNOWN, layers: [] });
    nodes.get(group.node).layers.push({
      name: group.name,
      pending,
      least: named(group, "PendingMin", "gauge"),
      most: named(group, "PendingMax", "gauge"),
      bytes: named(group, "Bytes", "delta"),
    });
  }
  return [...nodes].map(([node, { order, layers }]) => ({
    node,
    layers: layers.sort(byOrder(order)),
  }));
}

/**
 * Put items into equal parts of a time, each as far as it lies in them.
 *
 * @param items [start, end, value]...; from 0 to length.
 *
 * @return The mean of each part; NaN where nothing is known.
 */
export function* partsOf(items, length, count) {
  const width = length / count;
  const sums = new Float64Array(count);
  const known = new Float64Array(count);

  for (const [start, end, value] of items) {
    const last = Math.min(count - 1, Math.floor(end / width));

    for (let i = Math.floor(start / width); i <= last; i++) {
      const part = Math.min(end, (i + 1) * width) - Math.max(start, i * width);

      if (!(part > 0)) continue;
      sums[i] += value * part;
      known[i] += part;
    }
    yield;
  }
  return sums.map((sum, i) => (known[i] > 0 ? sum / known[i] : NaN));
}

/** What part of an item something was pending in, at least. */
function busyPart(mean, least, most) {
  if (mean === 0) return 0;
  if (!(least <= 0) || !(most > 0)) return 1;
  return Math.min(mean / most, 1);
}

/**
 * In what share of the known time nothing was pending, as hdtrace diagnose has it.
 *
 * @param items [start, end, mean]...
 * @param least, most The same of PendingMin and PendingMax; undefined: the number
 *        is that mean all the time.
 *
 * @return {idle, isMost}: isMost if it is at most that; idle NaN: nothing is known.
 */
export function* idleOf(items, least, most) {
  const byStart = (list) =>
    new Map((list ?? []).map(([start, , value]) => [start, value]));
  const leasts = byStart(least);
  const mosts = byStart(most);
  let known = 0;
  let busy = 0;
  let isMost = false;

  for (const [start, end, mean] of items) {
    const part = busyPart(mean, leasts.get(start), mosts.get(start));

    known += end - start;
    busy += part * (end - start);
    isMost ||= mean !== 0 && leasts.get(start) <= 0 && mosts.get(start) > 0;
    yield;
  }
  return { idle: known > 0 ? 1 - busy / known : NaN, isMost };
}

/**
 * What is pending in a layer.
 *
 * @return {list, idle, mark}: the mean in equal parts of a time; the share of it in
 *         which nothing was pending, and "", or "≤ " or "≥ " if it is at most or at
 *         least that. undefined if it is not wanted any more.
 */
export async function pendingIn(layer, from, to, count, isWanted) {
  const itemsOf = (series) => itemsBetween(series, from, to, ITEMS_MAX);
  const { items, isExact } = await itemsOf(layer.pending);
  // Of entries that were put together the mean says no more than whether all are 0.
  const isThrottled = isExact && layer.least && layer.most;
  const least = isThrottled ? (await itemsOf(layer.least)).items : undefined;
  const most = isThrottled ? (await itemsOf(layer.most)).items : undefined;
  const list = await inSlices(
    partsOf(items, Number(to - from), count),
    isWanted,
  );
  const idle = list && (await inSlices(idleOf(items, least, most), isWanted));

  if (!idle) return undefined;
  return {
    list,
    idle: idle.idle,
    mark: !isExact ? "≥ " : idle.isMost ? "≤ " : "",
  };
}

/** Curves that lie on each other: the last one at the bottom. */
export function stack(lists) {
  const result = [];
  let below = null;

  for (const list of [...lists].reverse()) {
    const above = Array.from(list, (value, i) =>
      Number.isNaN(value) ? (below?.[i] ?? null) : value + (below?.[i] ?? 0),
    );

    result.unshift(above);
    below = above;
  }
  return result;
}
