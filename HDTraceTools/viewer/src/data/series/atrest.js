// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of what is made of many values: they cannot be made anew with each frame.
// While the reader moves, the last one is shown, moved and stretched to where it
// belongs; a new one is made when the view has rested.
import { PixelColumns } from "./sampling.js";
import { atOnce, inSlices } from "../codec/slices.js";
import { noteFound } from "../codec/track.js";

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
  /** @param count Of values.
   *  @param make As sampleSeries(), of a view and a width, but a generator that
   *         yields where it can be interrupted.
   *  @param tracks What they are read from. */
  constructor(count, make, tracks = []) {
    this.count = count;
    this.make = make;
    this.tracks = tracks;
    this.last = null;
  }

  sample(view, width) {
    const wanted = this.#key(view, width);

    if (this.last?.key === wanted) return this.last.sample;
    if (this.count <= AT_ONCE || !this.last?.sample)
      return this.#keep(view, width, wanted, atOnce(this.make(view, width)));
    if (this.wanted !== wanted) {
      this.wanted = wanted;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.#find(view, width), REST_MS);
    }
    return stretched(this.last, view, width);
  }

  /** What a sample is of; other things that are loaded do not change it. */
  #key({ start, span, window }, width) {
    const loads = this.tracks.reduce((sum, track) => sum + track.loads, 0);

    return [start, span, width, window, loads].join();
  }

  /** Make one of the view as it is now; if that moves on, it is made later. */
  async #find(view, width) {
    const key = this.#key(view, width);

    this.wanted = key;
    const sample = await inSlices(
      this.make(view, width),
      () => this.#key(view, width) === key,
    );

    if (sample !== undefined) {
      this.#keep(view, width, key, sample);
      noteFound();
    } else if (this.wanted === key) {
      this.wanted = null;
    }
  }

  #keep({ start, span }, width, key, sample) {
    this.last = { key, sample, start, span, width };
    // The same may be wanted again after something else was.
    this.wanted = null;
    return sample;
  }
}
