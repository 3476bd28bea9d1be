// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of what is made of many values: they cannot be made anew with each frame.
// While the reader moves, the last one is shown, moved and stretched to where it
// belongs; a new one is made when the view has rested.
import { PixelColumns } from "./sampling.js";
import { loadCount, noteFound } from "./track.js";

/** So many values are sampled with each frame. */
const AT_ONCE = 12;
const REST_MS = 90;

/** A sample as it is in another view. */
function stretched({ sample, start, span, width }, view, newWidth) {
  const columns = new PixelColumns(newWidth);
  const from = sample.columns;
  const scale = view.span / newWidth;
  const first = Number(view.start - start);

  for (let x = 0; x < newWidth; x++) {
    const at = Math.floor(((first + (x + 0.5) * scale) / span) * width);

    if (at < 0 || at >= width) continue;
    columns.min[x] = from.min[at];
    columns.max[x] = from.max[at];
    columns.mean[x] = from.mean[at];
    columns.weight[x] = from.weight[at];
  }
  return { ...sample, columns, steps: null, isWanted: false };
}

export class AtRest {
  /** @param count Of values. @param make As sampleSeries(), of a view and a width. */
  constructor(count, make) {
    this.count = count;
    this.make = make;
    this.last = null;
  }

  sample(view, width) {
    const key = () =>
      [view.start, view.span, width, view.window, loadCount()].join();
    const wanted = key();

    if (this.last?.key === wanted) return this.last.sample;
    if (this.count <= AT_ONCE || !this.last?.sample)
      return this.#make(view, width, wanted);
    if (this.wanted !== wanted) {
      this.wanted = wanted;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.#make(view, width, key());
        noteFound();
      }, REST_MS);
    }
    return stretched(this.last, view, width);
  }

  #make(view, width, key) {
    const { start, span } = view;
    const sample = this.make(view, width);

    this.last = { key, sample, start, span, width };
    // The same may be wanted again after something else was.
    this.wanted = null;
    return sample;
  }
}
