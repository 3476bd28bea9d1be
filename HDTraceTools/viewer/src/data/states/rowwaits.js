// SPDX-License-Identifier: LGPL-2.1-or-later
// The waits of a trace, and on coarser levels how much time of which states was
// waiting (waitpyramid.h). They are known when the report is.
import { chunksBetween } from "../codec/track.js";
import { upperBound } from "../series/series.js";
import { firstReaching, States } from "./states.js";

export class RowWaits extends States {
  /** @param ofStates The States of the trace. */
  constructor(track, ofStates) {
    super(track);
    this.ofStates = ofStates;
    this.numbers = [];
  }

  /** For each name the number of that state among those of the trace; -1: none. */
  stateNumbers() {
    const { names } = this.track;
    const others = this.ofStates.track.names;

    if (this.numbersOf !== names || this.othersOf !== others) {
      const numbers = new Map(others.map((name, i) => [name, i]));

      this.numbersOf = names;
      this.othersOf = others;
      this.numbers = names.map((name) => numbers.get(name) ?? -1);
    }
    return this.numbers;
  }

  /** Whether it is known where its waits are: false in a reduced page, and if the
   *  trace could not be read again. */
  get isKnown() {
    const { isComplete, isCut } = this.track;

    return isComplete && !isCut && (!this.levels.length || this.isExact);
  }

  /**
   * Hand on waits of a view.
   *
   * @param found Of peek().
   * @param take Gets the start of each in ns from that of the view, its length, how
   *        much of this time is waiting, and the list and the place in it for all
   *        else.
   * @param isCoarse Whether steps that are wider than pixels are taken: they tell
   *        how long was waited in them, but not where.
   */
  static each(found, { start: from, span }, nsPerPixel, take, isCoarse = false) {
    const { level, states, sums } = found;

    for (const list of states) {
      const shift = Number(list.base - from);

      for (let i = firstReaching(list, -shift); i < list.starts.length; i++) {
        if (list.starts[i] + shift > span) break;
        take(list.starts[i] + shift, list.lengths[i], 1, list, i);
      }
    }
    if (level.width > nsPerPixel && !isCoarse) return;
    for (const list of sums) {
      const shift = Number(list.base - from);
      let i = upperBound(list.starts, -shift - level.width);

      for (; i < list.starts.length; i++) {
        if (list.starts[i] + shift > span) break;
        take(
          list.starts[i] + shift,
          level.width,
          list.times[i] / level.width,
          list,
          i,
        );
      }
    }
  }

  /** Time of waiting between two times by kinds, in ns; null: not known. */
  async kindsIn(from, to) {
    await this.track.refresh();
    const { names } = this.track;
    const [level] = this.levels;
    const kinds = new Map();

    if (!this.isKnown) return null;
    if (!level) return kinds;
    for (const chunk of chunksBetween(level, from, to)) {
      const list = await this.track.load(level, chunk, 0);
      const [first, last] = [from, to].map((time) => Number(time - list.base));

      for (let i = 0; i < list.starts.length; i++) {
        const time =
          Math.min(list.starts[i] + list.lengths[i], last) -
          Math.max(list.starts[i], first);

        if (list.isNested[i] || time <= 0) continue;
        const kind = names[list.parents[i] - 1];

        kinds.set(kind, (kinds.get(kind) ?? 0) + time);
      }
    }
    return kinds;
  }
}

/** Kinds and times as text: "200 ms, wait-at-nxn". */
export function waitsText(kinds, format) {
  return [...kinds]
    .sort((a, b) => b[1] - a[1])
    .map(([kind, time]) => `${format(time)}, ${kind}`)
    .join("; ");
}
