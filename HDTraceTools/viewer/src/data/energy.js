// SPDX-License-Identifier: LGPL-2.1-or-later
// What states took: as hdtrace report charges it, the energy of a node is shared
// by the ranks and threads below it, and each share goes to the innermost state
// that the trace is in.
import { itemsBetween, sweep } from "./expression.js";

/** So many items are looked at for all that shares a power. */
const ITEMS_MAX = 200000;

/** The power of a node as items [start, end, watts]. */
async function powerItems(model, power, from, to) {
  const group = model.groups[power.group];
  const lists = [];
  let isExact = true;

  for (const column of power.values) {
    const series = group.series[column];
    const { items, isExact: exact } = await itemsBetween(
      series,
      from,
      to,
      ITEMS_MAX,
    );
    const { scale, isPower } = series.value;

    isExact = isExact && exact;
    lists.push(
      items.map(([start, end, value]) => [
        start,
        end,
        value * scale * (isPower ? 1 : 1e9 / (end - start)),
      ]),
    );
  }
  const watts = [];

  sweep(lists, Number(to - from), (values, length, start) => {
    let sum = 0;

    for (const value of values) sum += value;
    if (!Number.isNaN(sum)) watts.push([start, start + length, sum]);
  });
  return { watts, isExact };
}

/**
 * Charge the energy in ]from, to] to states.
 *
 * @param traces Numbers of the traces that are asked for; null is all.
 *
 * @return {states: Map of name to {joules, measured, nodeJoules}, isExact}
 */
export async function stateEnergy(model, from, to, traces = null) {
  const states = new Map();
  let isExact = true;

  for (const power of model.meta.powers) {
    const wanted = power.traces.filter(([t]) => !traces || traces.has(t));

    if (!wanted.length) continue;
    const { watts, isExact: exact } = await powerItems(model, power, from, to);

    isExact = isExact && exact;
    for (const [trace, share] of wanted) {
      const found = await model.traces[trace].states.pieces(
        from,
        to,
        ITEMS_MAX / wanted.length,
      );

      isExact = isExact && found.isExact;
      charge(states, found.pieces, watts, share);
    }
  }
  return { states, isExact };
}

/** Multiply pieces with the power in them. */
function charge(states, pieces, watts, part) {
  pieces.sort((a, b) => a[0] - b[0]);
  let first = 0;

  for (const [start, end, name, share] of pieces) {
    let entry = states.get(name);

    while (first < watts.length && watts[first][1] <= start) first++;
    if (!entry) {
      entry = { joules: 0, measured: 0, nodeJoules: 0 };
      states.set(name, entry);
    }
    for (let i = first; i < watts.length && watts[i][0] < end; i++) {
      const length =
        (Math.min(end, watts[i][1]) - Math.max(start, watts[i][0])) * share;
      const joules = (watts[i][2] * length) / 1e9;

      entry.measured += length;
      entry.nodeJoules += joules;
      entry.joules += joules * part;
    }
  }
}

/** Energy of all nodes in ]from, to], in J: {joules, error, isExact, watts}; null
 *  if nothing tells it. */
export async function totalEnergy(model, from, to) {
  let joules = 0;
  let error = 0;
  let isExact = true;
  let seconds = 0;
  let isSimulated = false;
  let isKnown = false;

  for (const power of model.meta.powers) {
    if (!power.inTotal) continue;
    const group = model.groups[power.group];

    for (const column of power.values) {
      const series = group.series[column];
      const moments = await series.moments(from, to);
      const { integral, sum } = moments.result;
      const own = series.value.isPower ? integral : Number(sum);

      if (moments.count === 0) continue;
      isKnown = true;
      joules += own * series.value.scale;
      seconds = Math.max(seconds, moments.weight / 1e9);
      isSimulated = isSimulated || series.value.simulated;
      if (moments.error) {
        isExact = false;
        error +=
          (series.value.isPower ? moments.error.integral : moments.error.sum) *
          series.value.scale;
      }
    }
  }
  if (!isKnown) return null;
  return { joules, error, isExact, isSimulated, seconds, watts: joules / seconds };
}
