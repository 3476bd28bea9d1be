// SPDX-License-Identifier: LGPL-2.1-or-later
// What nodes and states took. As hdtrace report charges it (attribution.h), the
// energy of a node is divided at each instant among the ranks and threads below it
// that are active, and each share goes to the states that the trace is in: all of
// it to each, and as its own to the innermost one.
import { Known, leastKnown } from "./known.js";
import { NodePower, TracePower, seriesOfPower } from "./power.js";
import { Profile } from "../states/states.js";

/** Whether there are relations at or below a node. */
function hasRelations(node) {
  return (
    node.relations !== null ||
    node.children.some((child) => hasRelations(child))
  );
}

/** What each trace is charged with, by its number: TracePower. */
export function chargesOf(model) {
  const charges = new Map();

  for (const power of model.meta.powers) {
    const node = new NodePower(model, power);
    const isShared = hasRelations(model.groups[power.group].node);

    for (const [trace, threads] of power.traces)
      charges.set(trace, new TracePower(node, power.ranks, threads, isShared));
  }
  return charges;
}

/** The power of a node, or of the nearest one around it; null: nothing tells it. */
export function powerAround(model, node) {
  for (let at = node; at; at = at.parent >= 0 ? model.nodes[at.parent] : null) {
    const own = model.meta.powers.filter(({ group }) => model.groups[group].node === at);
    const power = own.find(({ inTotal }) => inTotal) ?? own[0];

    if (power) return new NodePower(model, power);
  }
  return null;
}

/**
 * What time and energy in ]from, to] went to.
 *
 * @param traces Numbers of the traces that are asked for; null is all.
 * @param goesOn Asked now and then; false: it is not wanted any more.
 * @param hasCalls Whether states are told apart by what they lie in.
 *
 * @return A Profile, whose hasEnergy says whether anything is charged with
 *         power, and isRead whether all of these traces were read; null if it is not
 *         wanted any more.
 */
export async function stateProfile(
  model,
  from,
  to,
  traces = null,
  goesOn = () => true,
  hasCalls = false,
) {
  const charges = chargesOf(model);
  const profile = new Profile(hasCalls);

  profile.hasEnergy = false;
  for (const { number, states } of model.traces) {
    if (traces && !traces.has(number)) continue;
    const charge = charges.get(number) ?? null;

    profile.add(await states.profile(from, to, charge, hasCalls));
    profile.isRead &&= states.track.isComplete;
    profile.hasEnergy = profile.hasEnergy || charge !== null;
    if (!goesOn()) return null;
  }
  return profile;
}

/** Energy of all nodes in ]from, to], in J: {joules, error, isExact, known, watts};
 *  null if nothing tells it. The power is that of each node while it is known.
 *
 *  @param part One of several projects; null is all. */
export async function totalEnergy(model, from, to, part = null) {
  const nodes = [];
  let joules = 0;
  let error = 0;
  let watts = 0;
  let isSimulated = false;

  for (const power of model.meta.powers) {
    if (!power.inTotal || (part && power.part !== part)) continue;
    const node = new NodePower(model, power);

    await node.refresh();
    const amount = await node.amount(from, to);

    nodes.push(new Known(amount.known, model.lengthOf(from, to, power.part)));
    if (amount.known === 0) continue;
    joules += amount.joules;
    error += amount.error;
    watts += (amount.joules / amount.known) * 1e9;
    isSimulated =
      isSimulated ||
      seriesOfPower(model, power).some(({ value }) => value.simulated);
  }
  if (!nodes.length) return null;
  return {
    joules,
    error,
    isExact: error === 0,
    isSimulated,
    known: leastKnown(nodes),
    watts,
  };
}
