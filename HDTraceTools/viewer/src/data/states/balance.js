// SPDX-License-Identifier: LGPL-2.1-or-later
// How evenly work is distributed: by rank the time outside of calls and in them, and
// by iteration, which is a state that all ranks are in again and again, how long each
// rank took.
import { chargesOf } from "../energy/energy.js";
import { Known } from "../energy/known.js";
import { Slices } from "../codec/slices.js";
import { maxTime, minTime } from "../time.js";
import { chunksBetween } from "../codec/track.js";

/**
 * Time and energy of each trace in ]from, to].
 *
 * @param isCall Whether a name is a call of a library, less work of the program.
 *
 * @return {rows, isExact, isRead}: rows are {trace, active, calls, joules, known}, in ns
 *         and J: "active" is the time between its first and last record; "known" a
 *         Known, or null if it is not charged with energy. isExact and isRead are as
 *         those of a Profile. null: it is not wanted any more.
 */
export async function balanceOf(model, { from, to, isCall, isWanted }) {
  const charges = chargesOf(model);
  const rows = [];
  let [isExact, isRead] = [true, true];

  for (const { number, states, track } of model.traces) {
    const charge = charges.get(number) ?? null;
    const profile = await states.profile(from, to, charge);
    const { range } = track;

    if (!isWanted()) return null;
    isExact &&= profile.isExact;
    isRead &&= track.isComplete;
    if (!range) continue;
    const active = Number(minTime(range.end, to) - maxTime(range.start, from));
    let [calls, joules, known, time] = [0, 0, 0, 0];

    for (const { name, own, ownEnergy } of profile.names.values()) {
      if (isCall(name)) calls += own;
      time += own;
      joules += ownEnergy.joules;
      known += ownEnergy.known;
    }
    if (active > 0)
      rows.push({
        trace: number,
        active,
        calls,
        joules,
        known: charge && new Known(known, time),
      });
  }
  return { rows, isExact, isRead };
}

/** Mean, largest, and their ratio: 1 is an even distribution; NaN of nothing. */
export function evenness(values) {
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const mean = values.reduce((a, b) => a + b, 0) / values.length;

  return {
    mean: values.length ? mean : NaN,
    most: values.length ? most : NaN,
    ratio: most > 0 ? mean / most : NaN,
  };
}

/** The states of a name of a trace that start in [from, to[, in their order:
 *  [{start, ns}]. */
async function statesOf({ states }, name, { from, to, isWanted }) {
  const level = states.levels[0];
  const number = states.track.names.indexOf(name);
  const list = [];

  if (!level || number < 0) return list;
  for (const chunk of chunksBetween(level, from, to)) {
    const data = await states.track.load(level, chunk, 0);

    if (!isWanted()) return list;
    for (let i = 0; i < data.starts.length; i++) {
      if (data.names[i] !== number || data.isEvent[i]) continue;
      const start = data.base + BigInt(data.starts[i]);

      if (start >= from && start < to)
        list.push({ start, ns: data.lengths[i] });
    }
  }
  return list.sort((a, b) => (a.start < b.start ? -1 : 1));
}

const endOf = ({ start, ns }) => start + BigInt(ns);

/**
 * Iterations: the first state of a name of each trace is in the first one, and so on.
 *
 * @return {list, isExact}: [{number, start, end, traces, mean, most, ratio, slowest}],
 *         of which start is the earliest, end the latest, and slowest a trace. null:
 *         it is not wanted any more.
 */
export async function iterationsOf(model, name, interval) {
  const iterations = [];
  const slices = new Slices();
  let isExact = true;

  for (const trace of model.traces) {
    isExact &&= trace.states.isExact && trace.track.isComplete;
    const list = await statesOf(trace, name, interval);

    await slices.rest();
    if (!interval.isWanted()) return null;
    for (const [i, state] of list.entries())
      (iterations[i] ??= []).push({ ...state, trace: trace.number });
  }
  return {
    isExact,
    list: iterations.map((states, i) => ({
      number: i + 1,
      start: states.reduce((a, { start }) => minTime(a, start), states[0].start),
      end: states.reduce((a, one) => maxTime(a, endOf(one)), endOf(states[0])),
      traces: states.length,
      ...evenness(states.map(({ ns }) => ns)),
      slowest: states.reduce((a, b) => (b.ns > a.ns ? b : a)).trace,
    })),
  };
}
