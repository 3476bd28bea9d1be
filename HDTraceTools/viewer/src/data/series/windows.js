// SPDX-License-Identifier: LGPL-2.1-or-later
// Windows: what is drawn of a value is merged over equally long parts of the run,
// as hdtrace stat --window does; with the same borders, from the start of the run.
import { maxTime, minTime, parseSeconds } from "../time.js";

/** What is less than this, in pixels, is rounding. */
const NEAR = 1e-6;

/** A length as text, in ns; 0 if it is none. */
export function parseWindow(text) {
  const ns = parseSeconds(text ?? "");

  return ns !== null && ns > 0n ? ns : 0n;
}

export class Windows {
  /** Those in a view; null if there are none, or they are narrower than pixels. */
  static of(view, width) {
    const nsPerPixel = view.span / width;

    if (!view.window || Number(view.window) < nsPerPixel) return null;
    const { model } = view;
    const from = maxTime(view.start, model.start);
    const to = minTime(view.start + BigInt(Math.ceil(view.span)), model.end);

    return from < to ? new Windows(view, nsPerPixel, from, to) : null;
  }

  constructor({ window, start, model }, nsPerPixel, from, to) {
    const number = (time) => (time - model.start) / window;
    const first = number(from);

    /** All of the first and the last window, so that these are true. */
    this.start = model.start + first * window;
    this.isFirst = first === 0n;
    this.end = minTime(
      model.start + (number(to - 1n) + 1n) * window,
      model.end,
    );
    this.length = Number(window) / nsPerPixel;
    /** How wide they are together, and how far right of the view they begin. */
    this.width = Number(this.end - this.start) / nsPerPixel;
    this.shift = Number(this.start - start) / nsPerPixel;
    const count = Number(number(to - 1n) - first) + 1;

    this.min = new Float64Array(count).fill(Infinity);
    this.max = new Float64Array(count).fill(-Infinity);
    this.sum = new Float64Array(count);
    this.known = new Float64Array(count);
  }

  /** The window that a moment is in, as it holds its end; the first one of the run
   *  holds its start, too. -1: none of these. */
  #at(x) {
    const i = Math.ceil((x - NEAR) / this.length) - 1;

    return i < 0 && this.isFirst ? 0 : Math.max(i, -1);
  }

  /** Add an amount that came in no time: a rate times pixels. */
  addAmount(x, amount) {
    const i = this.#at(x);

    if (i >= 0 && i < this.sum.length && !Number.isNaN(amount))
      this.sum[i] += amount;
  }

  /** Add an item, as PixelColumns.add(); x is from where the windows begin. */
  add(x0, x1, min, max, mean, weight) {
    if (Number.isNaN(mean)) return;
    const { length } = this;
    const isMoment = x1 - x0 < NEAR;
    let i = isMoment
      ? this.#at(x1)
      : Math.max(Math.floor((x0 + NEAR) / length), 0);

    if (i < 0) return;
    for (; i < this.sum.length; i++) {
      const part = Math.min(x1, (i + 1) * length) - Math.max(x0, i * length);

      if (part < NEAR && !isMoment) break;
      this.min[i] = Math.min(this.min[i], min);
      this.max[i] = Math.max(this.max[i], max);
      this.sum[i] += mean * Math.max(part, 0) * weight;
      this.known[i] += Math.max(part, 0) * weight;
      if (isMoment) break;
    }
  }

  /** Hand on those of which enough is known for a mean, as items of the view. */
  each(take) {
    for (let i = 0; i < this.sum.length; i++) {
      const x0 = i * this.length;
      const x1 = Math.min(x0 + this.length, this.width);
      const known = this.known[i];

      if (!(known > 0 && 2 * known >= (x1 - x0) * (1 - 1e-9))) continue;
      const mean = this.sum[i] / known;

      // What came in no time has no rate of its own, but is in the mean.
      take(
        x0 + this.shift,
        x1 + this.shift,
        Math.min(this.min[i], mean),
        Math.max(this.max[i], mean),
        mean,
        known / (x1 - x0),
      );
    }
  }
}
