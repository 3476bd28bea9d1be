// SPDX-License-Identifier: LGPL-2.1-or-later
// The power of all nodes together, in steps of the whole run: its mean and its
// largest, of all entries of all nodes (overview.h).
import { PixelColumns } from "./sampling.js";

const SHARES = 65534;

/** Decoder of its track. */
export function totalDecoder(track, level, chunk, part, columns) {
  const [max] = columns.next();
  const decode = () =>
    Float64Array.from(columns.numbers(), (share) =>
      share > 0 ? ((share - 1) / SHARES) * max : NaN,
    );

  return { max, maxima: decode(), means: decode() };
}

export class Total {
  constructor(track) {
    this.track = track;
  }

  #chunk() {
    return this.track.levels[0]?.chunks[0] ?? null;
  }

  /** Whether there is power at all, as far as that is known. */
  get isThere() {
    return this.#chunk() !== null;
  }

  /** What is loaded; undefined if it is not yet. */
  peek() {
    return this.track.peek(this.track.levels[0], this.#chunk(), 0);
  }

  /** As sampleSeries(), with the largest power of all; null if it is not loaded. */
  sample(view, width) {
    const data = this.peek();
    const level = this.track.levels[0];
    const { start } = this.#chunk();
    const columns = new PixelColumns(width);
    const scale = width / view.span;

    if (!data) return null;
    for (let i = 0; i < data.means.length; i++) {
      const x = (Number(start - view.start) + i * level.width) * scale;

      columns.add(
        x,
        x + level.width * scale,
        NaN,
        data.maxima[i],
        data.means[i],
        1,
      );
    }
    return { columns, max: data.max, isWanted: true };
  }
}
