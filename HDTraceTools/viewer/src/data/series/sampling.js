// SPDX-License-Identifier: LGPL-2.1-or-later
// What a value looks like in a view: its mean, minimum and maximum in each pixel,
// or its entries or windows, where these are wider than pixels.
import { Windows } from "./windows.js";

/** Values in each column of pixels; NaN where there is none. */
export class PixelColumns {
  constructor(width) {
    this.width = width;
    this.min = new Float64Array(width).fill(NaN);
    this.max = new Float64Array(width).fill(NaN);
    this.mean = new Float64Array(width).fill(NaN);
    this.weight = new Float64Array(width);
  }

  /** Add an item from x0 to x1, in pixels; weight is its share of that. */
  add(x0, x1, min, max, mean, weight) {
    if (Number.isNaN(mean)) return;
    const first = Math.max(0, Math.floor(x0));
    const last = Math.min(this.width - 1, Math.ceil(x1) - 1);

    for (let x = first; x <= last || x === first; x++) {
      if (x >= this.width) break;
      const part =
        Math.max(Math.min(x1, x + 1) - Math.max(x0, x), 1e-9) * weight;
      const before = this.weight[x];

      if (before === 0) {
        this.min[x] = min;
        this.max[x] = max;
        this.mean[x] = mean;
      } else {
        if (min < this.min[x]) this.min[x] = min;
        if (max > this.max[x]) this.max[x] = max;
        this.mean[x] += ((mean - this.mean[x]) * part) / (before + part);
      }
      this.weight[x] = before + part;
      if (x === last) break;
    }
  }
}

/** Hand on the items of loaded chunks in a view: (x0, x1, min, max, mean, share
 *  of the time that has a value); and to takeAmount, which may be missing, amounts
 *  that came in no time: (x, rate times pixels). */
function eachItem(series, found, from, nsPerPixel, width, take, takeAmount) {
  const isExact = found.level.number === 0;
  const amountOf =
    takeAmount && series.isAmount
      ? (values, i) =>
          (Number((isExact ? values.values : values.sum)[i]) *
            series.value.rate.factor *
            1e9) /
          nsPerPixel
      : null;

  for (const [times, values] of found.chunks) {
    const shift = Number(times.base - from);
    const { starts, ends, covered } = times;
    const { min, max, mean } = series.levelsOf(found.level, times, values);

    for (let i = 0; i < starts.length; i++) {
      const x1 = (ends[i] + shift) / nsPerPixel;

      if (x1 < 0) continue;
      const x0 = (starts[i] + shift) / nsPerPixel;

      if (x0 > width) break;
      if (amountOf && covered[i] - (values.lost?.[i] ?? 0) === 0)
        takeAmount(x1, amountOf(values, i));
      if (isExact) {
        take(x0, x1, mean[i], mean[i], mean[i], 1);
        continue;
      }
      const weight = covered[i] - values.lost[i];

      if (weight > 0)
        take(
          x0,
          x1,
          Number(min[i]),
          Number(max[i]),
          mean[i],
          weight / (ends[i] - starts[i]),
        );
    }
  }
}

/** So many pixels must an entry have to be drawn as such. */
const STEP_PIXELS = 2;

/**
 * Sample a series.
 *
 * @return {columns, steps, isWanted, level}; steps are [x0, x1, value, min, max]
 *         or null. Null if nothing is loaded.
 */
export function sampleSeries(series, view, width) {
  if (series.sample) return series.sample(view, width);
  const nsPerPixel = view.span / width;
  const windows = Windows.of(view, width);
  const { start, end } = windows ?? {
    start: view.start,
    end: view.start + BigInt(Math.ceil(view.span)),
  };
  const found = series.peek(start, end, width);

  if (!found) return null;
  const columns = new PixelColumns(width);
  const steps = windows || found.level.number === 0 ? [] : null;
  let count = 0;
  const take = (x0, x1, min, max, mean, weight) => {
    columns.add(x0, x1, min, max, mean, weight);
    count++;
    if (steps && count * STEP_PIXELS <= width)
      steps.push([x0, x1, mean, min, max]);
  };

  eachItem(
    series,
    found,
    start,
    nsPerPixel,
    windows ? windows.width : width,
    windows ? (...item) => windows.add(...item) : take,
    windows ? (...amount) => windows.addAmount(...amount) : null,
  );
  windows?.each(take);
  return {
    columns,
    steps: steps && count * STEP_PIXELS <= width ? steps : null,
    isWanted: found.isWanted,
    level: found.level,
  };
}

/** The smallest and largest value in what was sampled. */
export function extent(sample) {
  let min = Infinity;
  let max = -Infinity;

  for (let x = 0; x < sample.columns.width; x++) {
    if (sample.columns.min[x] < min) min = sample.columns.min[x];
    if (sample.columns.max[x] > max) max = sample.columns.max[x];
  }
  return min <= max ? { min, max } : null;
}
