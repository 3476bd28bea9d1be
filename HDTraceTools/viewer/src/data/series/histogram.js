// SPDX-License-Identifier: LGPL-2.1-or-later
// How long a value was how large.
import { itemsBetween, sweep } from "./expression.js";
import { inSlices } from "../codec/slices.js";

const ITEMS_MAX = 400000;

/** The items of any series, a defined one included. */
async function itemsOf(series, from, to) {
  if (!series.bound) return itemsBetween(series, from, to, ITEMS_MAX);
  const { operands, evaluate } = series.bound;
  const lists = [];
  let isExact = true;

  for (const operand of operands) {
    const list = await itemsBetween(
      operand,
      from,
      to,
      ITEMS_MAX / operands.length,
    );

    lists.push(list.items);
    isExact = isExact && list.isExact;
  }
  const items = [];

  const steps = sweep(lists, Number(to - from), (values, length, start) => {
    const value = evaluate(values);

    if (!Number.isNaN(value)) items.push([start, start + length, value]);
  });

  await inSlices(steps);
  return { items, isExact };
}

/** A width of bins that people like, for about so many. */
export function binWidth(range, count, isInteger) {
  if (!(range > 0)) return isInteger ? 1 : 0;
  const raw = range / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 2.5, 5, 10].find((f) => f * power >= raw * 0.999) ?? 10;
  const width = factor * power;

  return isInteger ? Math.max(1, Math.round(width)) : width;
}

/**
 * Make a histogram of what a series was in ]from, to].
 *
 * @return {bins: [{from, to, time}], total, quantiles, isExact}; times in ns.
 *         Null if there is nothing.
 */
export async function histogram(series, from, to, count) {
  const { items, isExact } = await itemsOf(series, from, to);
  const list = items.filter(([, , value]) => Number.isFinite(value));

  if (!list.length) return null;
  let min = Infinity;
  let max = -Infinity;
  let total = 0;

  for (const [start, end, value] of list) {
    if (value < min) min = value;
    if (value > max) max = value;
    total += end - start;
  }
  const isInteger = series.isInteger && !series.isAmount;
  const width = binWidth(max - min, count, isInteger) || 1;
  const first = Math.floor(min / width);
  const bins = Array.from(
    { length: Math.floor(max / width) - first + 1 },
    (_, i) => ({ from: (first + i) * width, to: (first + i + 1) * width, time: 0 }),
  );

  for (const [start, end, value] of list) {
    const bin = Math.min(
      bins.length - 1,
      Math.max(0, Math.floor(value / width) - first),
    );

    bins[bin].time += end - start;
  }
  return { bins, total, quantiles: quantiles(list, total), isExact, min, max };
}

/** Below which value so much of the time was spent. */
function quantiles(list, total) {
  const sorted = [...list].sort((a, b) => a[2] - b[2]);
  const result = {};
  let sum = 0;
  let i = 0;

  for (const share of [0.05, 0.25, 0.5, 0.75, 0.95]) {
    while (i < sorted.length && sum + sorted[i][1] - sorted[i][0] < share * total)
      sum += sorted[i][1] - sorted[i++][0];
    result[share] = sorted[Math.min(i, sorted.length - 1)][2];
  }
  return result;
}
