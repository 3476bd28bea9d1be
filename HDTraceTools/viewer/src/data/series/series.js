// SPDX-License-Identifier: LGPL-2.1-or-later
// A value of a group over time: entries, and on coarser zooms the sums of some of
// them (grouppyramid.h).
import { Amounts } from "./amounts.js";
import { Moments } from "./moments.js";
import { chunksBetween } from "../codec/track.js";

export function isIntegerType(type) {
  return type === "INT32" || type === "INT64" || type === "UINT64";
}

/** Times of a chunk; offsets are ns from its start. */
function decodeTimes(level, chunk, columns) {
  const gaps = columns.numbers();
  const lengths = columns.numbers();
  const count = gaps.length;
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  let at = 0;

  for (let i = 0; i < count; i++) {
    starts[i] = at + gaps[i];
    at = starts[i] + lengths[i];
    ends[i] = at;
  }
  if (level.number === 0)
    return { base: chunk.start, starts, ends, covered: lengths, entries: null };
  const covered = columns.numbers();
  const entries = columns.numbers();
  const firsts = new Float64Array(count + 1);

  firsts[0] = chunk.first;
  for (let i = 0; i < count; i++) firsts[i + 1] = firsts[i] + entries[i];
  return { base: chunk.start, starts, ends, covered, entries, firsts };
}

/** Strings: the text of each entry. */
function decodeStrings(columns) {
  const lengths = columns.numbers();
  const bytes = columns.next();
  const decoder = new TextDecoder();
  let at = 0;

  return Array.from(lengths, (length) => {
    at += length;
    return decoder.decode(bytes.subarray(at - length, at));
  });
}

function decodeGauge(columns) {
  const integral = columns.next();
  const squares = columns.next();
  const min = columns.next();
  const max = columns.next();

  return { integral, squares, min, max };
}

function decodeDelta(type, columns) {
  const rateMin = columns.next();
  const rateMax = columns.next();
  const min = columns.next();
  const max = columns.next();
  let sum = columns.next();

  if (isIntegerType(type)) {
    const high = columns.bigs();

    sum = Array.from(sum, (low, i) => (high[i] << 64n) + BigInt(low));
  }
  return { rateMin, rateMax, min, max, sum };
}

function decodeCounter(type, columns) {
  const rateMin = columns.next();
  const rateMax = columns.next();
  const bare = columns.numbers();
  const resets = columns.numbers();
  const sum = columns.next();
  const rest = isIntegerType(type) ? columns.next() : null;

  return { rateMin, rateMax, bare, resets, sum, rest };
}

/** Sums of a chunk: of each item those of its entries. */
function decodeSums({ kind, type }, columns) {
  const missing = columns.numbers();
  const lost = columns.numbers();

  if (kind === "gauge") return { missing, lost, ...decodeGauge(columns) };
  return {
    missing,
    lost,
    ...(kind === "delta"
      ? decodeDelta(type, columns)
      : decodeCounter(type, columns)),
  };
}

/** Entries of a chunk. */
function decodeEntries({ kind, type }, columns) {
  if (type === "STRING") return { values: decodeStrings(columns) };
  const values = columns.next();

  return kind === "counter"
    ? { values, growths: columns.numbers() }
    : { values };
}

/** Decoder of the tracks of a group. */
export function seriesDecoder(group) {
  return (track, level, chunk, part, columns) => {
    if (part === 0) return decodeTimes(level, chunk, columns);
    const value = group.values[part - 1];

    if (level.number === 0) return decodeEntries(value, columns);
    return value.type === "STRING" ? null : decodeSums(value, columns);
  };
}

/** Index of the first number that is larger. */
export function upperBound(array, value) {
  let low = 0;
  let high = array.length;

  while (low < high) {
    const middle = (low + high) >> 1;

    if (array[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** An item of sums, for Moments and Amounts. */
export function itemOf(times, sums, i) {
  const bare = sums.bare?.[i] ?? 0;

  return {
    count: times.entries[i] - sums.missing[i],
    missing: sums.missing[i] - bare,
    bare,
    resets: sums.resets?.[i] ?? 0,
    weight: times.covered[i] - sums.lost[i],
    integral: sums.integral?.[i],
    squares: sums.squares?.[i],
    min: sums.min?.[i] ?? NaN,
    max: sums.max?.[i] ?? NaN,
    rateMin: sums.rateMin?.[i],
    rateMax: sums.rateMax?.[i],
    sum: sums.sum?.[i],
    rest: sums.rest?.[i] ?? 0,
  };
}

export class Series {
  constructor(track, group, column) {
    this.track = track;
    this.group = group;
    this.column = column;
    this.value = group.values[column];
    this.isInteger = isIntegerType(this.value.type);
    this.isText = this.value.type === "STRING";
    /** Whether entries are amounts, of which rates are shown. */
    this.isAmount = this.value.rate !== null;
    /** What is drawn: its unit, base, scale, and the unit of its integral. */
    this.level = this.value.rate ?? this.value;
    this.key = `${track.id}.${column}`;
    /** What it is called among those of its node; see titles.js. */
    this.title = this.value.name;
  }

  /** Whether all entries are there. */
  get isExact() {
    return this.track.finest?.number === 0;
  }

  /** Smallest and largest value of all; undefined if they are not loaded. */
  get extent() {
    const level = this.track.levels.at(-1);

    if (this.known && this.knownOf === this.track.descriptions)
      return this.known;
    if (!level || level.number === 0 || level.items > 256) return undefined;
    let min = Infinity;
    let max = -Infinity;

    for (const chunk of level.chunks) {
      const sums = this.track.peek(level, chunk, this.column + 1);

      if (!sums) return undefined;
      const [lows, highs] = this.isAmount
        ? [sums.rateMin, sums.rateMax]
        : [sums.min, sums.max];

      for (let i = 0; i < chunk.count; i++) {
        if (Number.isNaN(Number(lows[i]))) continue;
        min = Math.min(min, Number(lows[i]));
        max = Math.max(max, Number(highs[i]));
      }
    }
    this.known = min <= max ? { min, max } : undefined;
    // Of a track that is being read there may be more.
    this.knownOf = this.track.isComplete ? this.track.descriptions : -1;
    return this.known;
  }

  /**
   * What a chunk is drawn as: of gauges the values, of amounts their rates.
   *
   * @return {min, max, mean}, each of all items; of an item without any they
   *         mean nothing.
   */
  levelsOf(level, times, values) {
    values.levels ??= this.#makeLevels(level, times, values);
    return values.levels;
  }

  #makeLevels(level, times, values) {
    if (level.number === 0) {
      const list = this.isAmount
        ? this.#rates(values.values, times.covered)
        : numbersOf(values.values);

      return { min: list, max: list, mean: list };
    }
    const weights = times.covered.map((covered, i) => covered - values.lost[i]);

    if (this.isAmount)
      return {
        min: values.rateMin,
        max: values.rateMax,
        mean: this.#rates(values.sum, weights),
      };
    return {
      min: values.min,
      max: values.max,
      mean: weights.map((weight, i) => values.integral[i] / weight),
    };
  }

  /** Rates of amounts in so many ns; those in no time have none. */
  #rates(amounts, lengths) {
    const { factor } = this.value.rate;

    return lengths.map((length, i) =>
      length > 0 ? (Number(amounts[i]) * factor) / (length / 1e9) : NaN,
    );
  }

  /* ---- Drawing --------------------------------------------------------- */

  /** The level for a view: the coarsest with an item for each pixel. */
  #levelFor(from, to, pixels) {
    const { levels } = this.track;

    for (let i = levels.length - 1; i > 0; i--) {
      let items = 0;

      for (const chunk of levels[i].chunks) {
        if (chunk.end < from || chunk.start > to) continue;
        items += chunk.count * overlap(chunk, from, to);
      }
      if (items >= pixels) return i;
    }
    return 0;
  }

  /**
   * Loaded chunks of a level in a view; asks for those that are not.
   *
   * @return [[times, values]...], or null if some are missing.
   */
  #loaded(level, from, to) {
    const list = [];
    let isComplete = true;

    for (const chunk of chunksBetween(level, from, to)) {
      const times = this.track.peek(level, chunk, 0);
      const values = this.track.peek(level, chunk, this.column + 1);

      if (times && values) list.push([times, values]);
      else isComplete = false;
    }
    return isComplete ? list : null;
  }

  /**
   * What there is to draw.
   *
   * @return {level, isWanted, chunks}; null if nothing is loaded yet.
   */
  peek(from, to, pixels) {
    const { levels } = this.track;
    const wanted = this.#levelFor(from, to, pixels);

    for (let i = wanted; i < levels.length; i++) {
      const chunks = this.#loaded(levels[i], from, to);

      if (chunks)
        return { level: levels[i], isWanted: i === wanted, chunks };
    }
    return null;
  }

  /* ---- At a time ------------------------------------------------------- */

  /**
   * The entry or item at a time.
   *
   * @return {start, end, value}, of amounts with the amount beside its rate, or
   *         {start, end, min, max, mean, entries}; null if there is none,
   *         undefined if it is not loaded yet.
   */
  at(time) {
    const { levels } = this.track;

    // An interval holds its end, not its start.
    for (const level of levels) {
      let isMissing = false;

      for (const chunk of level.chunks) {
        if (!(chunk.start < time && time <= chunk.end)) continue;
        const times = this.track.peek(level, chunk, 0);
        const values = this.track.peek(level, chunk, this.column + 1);

        if (!times || !values) {
          isMissing = true;
          continue;
        }
        const offset = Number(time - times.base);
        // The first whose end is not before.
        const i = upperBound(times.ends, offset - 1);

        if (i < times.ends.length && times.starts[i] < offset)
          return this.describe(level, times, values, i);
      }
      // The finest level says it, else one above does for now.
      if (!isMissing) return level === levels[0] ? null : undefined;
    }
    return undefined;
  }

  /** What there is to say of an item of a chunk: as at(). */
  describe(level, times, values, i) {
    const start = times.base + BigInt(times.starts[i]);
    const end = times.base + BigInt(times.ends[i]);

    const { min, max, mean } = this.levelsOf(level, times, values);

    if (level.number === 0)
      return this.isAmount
        ? { start, end, value: mean[i], amount: values.values[i] }
        : { start, end, value: values.values[i] };
    return {
      start,
      end,
      entries: times.entries[i],
      min: min[i],
      max: max[i],
      mean: times.covered[i] > values.lost[i] ? mean[i] : NaN,
    };
  }

  /* ---- Moments --------------------------------------------------------- */

  /** Sums of no entries: Moments of gauges, Amounts of all else. */
  newMoments() {
    if (!this.isAmount) return new Moments();
    return new Amounts({
      isInteger: this.isInteger,
      isCounter: this.value.kind === "counter",
      factor: this.value.rate.factor,
    });
  }

  /** The sums of the entries in ]from, to]; as exact as there is data for. */
  async moments(from, to) {
    await this.track.refresh();
    const moments = this.newMoments();
    const { levels } = this.track;

    if (levels.length && !this.isText)
      await this.#add(moments, levels.length - 1, 0, Infinity, from, to);
    return moments;
  }

  async #add(moments, index, first, last, from, to) {
    const level = this.track.levels[index];
    const jobs = [];

    for (const chunk of level.chunks) {
      const behind =
        level.chunks[chunk.number + 1]?.first ?? Infinity;

      if (chunk.end <= from || chunk.start > to) continue;
      if (behind <= first || chunk.first >= last) continue;
      const [times, values] = await Promise.all([
        this.track.load(level, chunk, 0),
        this.track.load(level, chunk, this.column + 1),
      ]);

      jobs.push(
        ...this.#addChunk(moments, level, chunk, times, values, {
          first,
          last,
          from,
          to,
        }),
      );
    }
    for (const [start, end] of jobs)
      await this.#add(moments, index - 1, start, end, from, to);
  }

  /** Add what lies inside; returns the ranges of entries to look at closer. */
  #addChunk(moments, level, chunk, times, values, range) {
    const from = offsetOf(range.from, times.base);
    const to = offsetOf(range.to, times.base);
    const { starts, ends } = times;
    const closer = [];
    const isFinest = level === this.track.levels[0];

    for (let i = upperBound(ends, from); i < ends.length; i++) {
      if (starts[i] > to) break;
      const number = level.number === 0 ? chunk.first + i : times.firsts[i];

      if (number < range.first) continue;
      if (number >= range.last) break;
      if (level.number === 0) {
        addEntry(moments, values, i, starts[i], ends[i], { from, to });
      } else if (starts[i] > from && ends[i] <= to) {
        moments.merge(itemOf(times, values, i));
      } else if (!isFinest) {
        closer.push([times.firsts[i], times.firsts[i + 1]]);
      } else {
        addReduced(moments, itemOf(times, values, i), starts[i], ends[i], {
          from,
          to,
        });
      }
    }
    return closer;
  }
}

/** How much of a chunk lies in a view. */
function overlap(chunk, from, to) {
  const length = Number(chunk.end - chunk.start);

  if (length <= 0) return 1;
  const start = from > chunk.start ? from : chunk.start;
  const end = to < chunk.end ? to : chunk.end;

  return Math.max(0, Number(end - start) / length);
}

/** Offset of a time from a base. */
function offsetOf(time, base) {
  return Number(time - base);
}

/** Values as numbers; those that are none are rounded. */
function numbersOf(values) {
  return values instanceof Float64Array || values instanceof Float32Array
    ? values
    : Float64Array.from(values, Number);
}

/** Add an entry, as summaryAddBlock() of summary.c does. */
function addEntry(moments, { values, growths }, i, start, end, { from, to }) {
  if (end <= from || start > to || (start === to && end > start)) return;
  if (start >= from && end <= to)
    moments.add(values[i], end - start, growths?.[i]);
  else
    moments.addPart(
      values[i],
      Math.min(end, to) - Math.max(start, from),
      end - start,
      growths?.[i],
      end <= to,
    );
}

/** Add an item of which there is nothing finer. */
function addReduced(moments, item, start, end, { from, to }) {
  const part = Math.min(end, to) - Math.max(start, from);

  if (start >= from && end <= to) moments.merge(item);
  else if (part > 0) moments.guess(item, part, end - start);
}
