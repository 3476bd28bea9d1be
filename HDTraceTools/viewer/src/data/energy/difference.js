// SPDX-License-Identifier: LGPL-2.1-or-later
// What two runs took in an interval, and by how much the second differs from the
// first: the whole of it, by function, by rank and by node. Energies follow the rule
// of known.js, as in hdtrace compare: lower bounds have no difference.
import { chargesOf, totalEnergy } from "./energy.js";
import { differenceOf, Known } from "./known.js";
import { NodePower } from "./power.js";
import { Profile } from "../states/states.js";

/** Something that both runs may have: a time in s and an energy of each. */
class Row {
  constructor(key, name) {
    this.key = key;
    this.name = name;
    /** {time, joules, known} of each run; null: the run does not have it. */
    this.runs = [null, null];
  }

  /** The second less the first, in s; NaN: one of them does not have it. */
  get time() {
    const [a, b] = this.runs;

    return a && b && a.time !== null && b.time !== null ? b.time - a.time : NaN;
  }

  /** {joules, note}; NaN: it is not known. */
  energy(names) {
    const [a, b] = this.runs;

    if (!a?.known || !b?.known) return { joules: NaN, note: "" };
    return differenceOf(
      { name: names[0], ...a },
      { name: names[1], ...b },
    );
  }
}

/** Rows by their name, in the order in which they came. */
class Rows {
  #rows = new Map();

  constructor(kind) {
    this.kind = kind;
  }

  set(name, run, cost) {
    let row = this.#rows.get(name);

    if (!row) {
      row = new Row(`${this.kind} ${name}`, name);
      this.#rows.set(name, row);
    }
    row.runs[run] = cost;
  }

  get list() {
    return [...this.#rows.values()];
  }
}

/** Time and energy of a profile: of all of its states together. */
function sumOf(profile, hasEnergy) {
  let [own, joules, known] = [0, 0, 0];

  for (const entry of profile.names.values()) {
    own += entry.own;
    joules += entry.ownEnergy.joules;
    known += entry.ownEnergy.known;
  }
  return {
    time: own / 1e9,
    joules,
    known: hasEnergy ? new Known(known, own) : null,
  };
}

/** What a node is called in its project. */
const nameIn = (model, node) => model.pathOf(node).slice(1).join(" › ");

/** @return {isExact, isRead}: as those of a Profile. */
async function addStates(model, part, run, interval, { functions, ranks }) {
  const charges = chargesOf(model);
  const all = new Profile();
  let hasEnergy = false;
  let isRead = true;

  for (const { number, node, states } of model.traces) {
    if (node.part !== part) continue;
    const charge = charges.get(number) ?? null;
    const profile = await states.profile(interval.from, interval.to, charge);

    if (!interval.isWanted()) return {};
    isRead &&= states.track.isComplete;
    hasEnergy ||= charge !== null;
    ranks.set(nameIn(model, node), run, sumOf(profile, charge !== null));
    all.add(profile);
  }
  for (const { name, own, ownEnergy } of all.names.values())
    functions.set(name, run, {
      time: own / 1e9,
      joules: ownEnergy.joules,
      known: hasEnergy ? new Known(ownEnergy.known, own) : null,
    });
  return { isExact: all.isExact, isRead };
}

async function addNodes(model, part, run, { from, to, isWanted }, nodes) {
  for (const power of model.meta.powers) {
    if (!power.inTotal || power.part !== part) continue;
    const node = new NodePower(model, power);

    await node.refresh();
    const { joules, known } = await node.amount(from, to);

    if (!isWanted()) return;
    nodes.set(nameIn(model, model.groups[power.group].node), run, {
      time: null,
      joules,
      known: new Known(known, model.lengthOf(from, to, part)),
    });
  }
}

/**
 * Compare the first two projects in ]from, to].
 *
 * @param interval {from, to, isWanted}: isWanted() is asked now and then.
 *
 * @return {names, whole, functions, ranks, nodes, isExact, isRead}; null if it is not
 *         wanted any more.
 */
export async function differencesOf(model, interval) {
  const parts = model.parts.slice(0, 2);
  const whole = new Rows("whole");
  const tables = {
    functions: new Rows("function"),
    ranks: new Rows("rank"),
    nodes: new Rows("node"),
  };
  let [isExact, isRead] = [true, true];

  for (const [run, part] of parts.entries()) {
    const { from, to } = interval;
    const energy = await totalEnergy(model, from, to, part);

    whole.set("All", run, {
      time: model.lengthOf(from, to, part) / 1e9,
      joules: energy?.joules ?? 0,
      known: energy?.known ?? null,
    });
    const states = await addStates(model, part, run, interval, tables);

    isExact &&= states.isExact;
    isRead &&= states.isRead;
    await addNodes(model, part, run, interval, tables.nodes);
    if (!interval.isWanted()) return null;
  }
  return {
    names: parts.map(({ name }) => name),
    whole: whole.list[0],
    functions: tables.functions.list,
    ranks: tables.ranks.list,
    nodes: tables.nodes.list,
    isExact,
    isRead,
  };
}
