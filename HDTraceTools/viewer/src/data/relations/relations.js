// SPDX-License-Identifier: LGPL-2.1-or-later
// Relations of a file: all, and on coarser levels those that lasted longest, with how
// many began when (relationpyramid.h).
import { Slices } from "../codec/slices.js";
import { maxTime, minTime } from "../time.js";
import { chunksBetween } from "../codec/track.js";

const RELATIONS = 0;
/** Of the finest level texts, of the others densities. */
const MORE = 1;
const EXACT = 0;
const decoder = new TextDecoder();

/** More than that of a row are not drawn one by one. */
export const DRAWN_MAX = 6000;
/** More relations than that of one request nobody needs at a time. */
export const REQUEST_MAX = 20000;

function decodeRelations(chunk, columns) {
  const gaps = columns.numbers();
  const starts = new Float64Array(gaps.length);
  let at = 0;

  for (let i = 0; i < gaps.length; i++) {
    at += gaps[i];
    starts[i] = at;
  }
  return {
    base: chunk.start,
    starts,
    lengths: columns.numbers(),
    lanes: columns.numbers(),
    names: columns.numbers(),
    flags: columns.numbers(),
    numbers: columns.numbers(),
    roots: columns.numbers(),
    parents: columns.numbers(),
    parentLanes: columns.numbers(),
    parentBefore: columns.numbers(),
    parentLengths: columns.numbers(),
    before: columns.numbers(),
    after: columns.numbers(),
  };
}

function decodeDensity(chunk, columns) {
  const [first, width] = columns.numbers();

  return { start: chunk.start + BigInt(first), width, counts: columns.numbers() };
}

/** Decoder of the tracks of relations. */
export function relationDecoder(track, level, chunk, part, columns) {
  if (part === RELATIONS) return decodeRelations(chunk, columns);
  return level.number === EXACT
    ? columns.texts()
    : decodeDensity(chunk, columns);
}

/** [name, value] pairs of a text. */
function pairsOf(bytes) {
  return decoder
    .decode(bytes)
    .split("\x1e")
    .slice(0, -1)
    .map((pair) => pair.split("\x1f"));
}

/** About how many of a density began in a stretch of time. */
function begunIn({ start, width, counts }, from, to) {
  const first = Number(from - start) / width;
  const last = Number(to - start) / width;
  let sum = 0;

  for (let i = 0; i < counts.length; i++)
    sum += counts[i] * Math.max(0, Math.min(i + 1, last) - Math.max(i, first));
  return sum;
}

export class Relations {
  /** @param at Where the files of relations of its project begin among all. */
  constructor(track, number, at) {
    this.track = track;
    this.key = track.id;
    this.number = number;
    this.at = at;
  }

  /** How many are there at a time. */
  get depth() {
    return Math.max(1, this.track.depth);
  }

  get isExact() {
    return this.track.finest?.number === EXACT;
  }

  /** Whether there are such that are not in the page. */
  get isReduced() {
    return this.track.levels.length > 0 && !this.isExact;
  }

  /** About so many of a level are in a view. */
  #countIn(level, from, to) {
    let count = 0;

    for (const chunk of chunksBetween(level, from, to)) {
      const length = Number(chunk.end - chunk.start) || 1;
      const part = Number(minTime(to, chunk.end) - maxTime(from, chunk.start));

      count += chunk.count * Math.min(1, Math.max(part, 1) / length);
    }
    return count;
  }

  /**
   * Relations of a view: about DRAWN_MAX at most.
   *
   * @return {level, lists, densities, all}: chunks of relations, and about how many
   *         there are; null if they are not loaded.
   */
  peek(from, to) {
    const { levels } = this.track;
    let index = 0;

    if (!levels.length)
      return this.track.isComplete
        ? { level: null, lists: [], densities: [], all: 0 }
        : null;
    while (
      index < levels.length - 1 &&
      this.#countIn(levels[index], from, to) > DRAWN_MAX
    )
      index++;
    const level = levels[index];
    const lists = [];
    const densities = [];
    let isLoaded = true;

    for (const chunk of chunksBetween(level, from, to)) {
      const list = this.track.peek(level, chunk, RELATIONS);
      const more =
        level.number === EXACT || this.track.peek(level, chunk, MORE);

      if (list) lists.push({ chunk, level, ...list });
      if (more !== true && more) densities.push(more);
      isLoaded = isLoaded && Boolean(list && more);
    }
    if (!isLoaded) return null;
    // A page that is reduced has no level of all.
    const begun = densities.reduce((sum, one) => sum + begunIn(one, from, to), 0);
    const there = this.#countIn(levels[0], from, to);

    return {
      level,
      lists,
      densities,
      all: Math.round(this.isExact ? there : Math.max(there, begun)),
    };
  }

  /** What there is to say of one of a chunk. */
  describe(list, i) {
    const start = list.base + BigInt(list.starts[i]);
    const parent = list.parents[i];

    return {
      relations: this,
      chunk: list.chunk,
      level: list.level,
      index: i,
      name: this.track.names[list.names[i]],
      start,
      end: start + BigInt(list.lengths[i]),
      lane: list.lanes[i],
      isUnended: (list.flags[i] & 1) > 0,
      hasFailed: (list.flags[i] & 2) > 0,
      isElsewhere: (list.flags[i] & 4) > 0,
      number: list.numbers[i],
      root: list.roots[i],
      /** Where the one is that caused it: file among all, lane, times. */
      parent:
        parent < 0
          ? null
          : {
              file: parent + this.at,
              lane: list.parentLanes[i],
              start: start - BigInt(list.parentBefore[i]),
              length: list.parentLengths[i],
            },
      /** From when until when its request was worked on. */
      from: start - BigInt(list.before[i]),
      to: start + BigInt(list.after[i]),
    };
  }

  /** The one in a lane at a time, or next to it within a tolerance (ns); null if
   *  there is none. */
  itemAt(time, lane, tolerance, view) {
    const found = this.peek(view.start, view.end);
    let best = null;
    let nearest = tolerance;

    for (const list of found?.lists ?? []) {
      const offset = Number(time - list.base);

      for (let i = 0; i < list.starts.length; i++) {
        if (list.starts[i] - tolerance > offset) break;
        if (list.lanes[i] !== lane) continue;
        const distance = Math.max(
          0,
          list.starts[i] - offset,
          offset - list.starts[i] - list.lengths[i],
        );

        if (distance > nearest || (best && distance === nearest)) continue;
        nearest = distance;
        best = [list, i];
      }
    }
    return best ? this.describe(...best) : null;
  }

  /** The one at a time that began last, of those that are loaded; null: none. */
  lastAt(time, view) {
    let best = null;

    for (const list of this.peek(view.start, view.end)?.lists ?? []) {
      const offset = Number(time - list.base);

      for (let i = 0; i < list.starts.length && list.starts[i] <= offset; i++) {
        if (list.starts[i] + list.lengths[i] < offset) continue;
        const item = this.describe(list, i);

        if (!best || item.start >= best.start) best = item;
      }
    }
    return best;
  }

  /** What it did, as [name, value] pairs; null if that is not there. */
  async details(item) {
    if (item.level.number !== EXACT) {
      if (!this.isExact) return null;
      item = await this.#exactly(item);
      if (!item) return null;
    }
    const { starts, bytes } = await this.track.load(item.level, item.chunk, MORE);

    return pairsOf(bytes.subarray(starts[item.index], starts[item.index + 1]));
  }

  /** The same one on the finest level. */
  async #exactly({ number, start }) {
    let found = null;

    await this.begun(start, start, (list, i) => {
      if (list.numbers[i] === number) found = this.describe(list, i);
    });
    return found;
  }

  /**
   * Those of the finest level that is there which begin in a stretch of time.
   *
   * @param take Takes each: the list that it is in, and its number there.
   */
  async begun(from, to, take) {
    const level = this.track.finest;
    const chunks = level?.chunks ?? [];
    const slices = new Slices();

    for (const [k, chunk] of chunks.entries()) {
      // They are in the order of their start.
      if (chunk.start > to) break;
      if (chunks[k + 1]?.start < from) continue;
      const list = {
        chunk,
        level,
        ...(await this.track.load(level, chunk, RELATIONS)),
      };
      const first = Number(from - list.base);
      const last = Number(to - list.base);

      for (let i = 0; i < list.starts.length && list.starts[i] <= last; i++)
        if (list.starts[i] >= first) take(list, i);
      await slices.rest();
    }
  }

  /**
   * Those whose name, token, cause or attribute has a text, in lower case.
   *
   * @param take Takes each; returns false when that is enough.
   */
  async find(text, take, isWanted) {
    const level = this.track.finest;
    const slices = new Slices();
    const hasName = this.track.names.map((name) =>
      name.toLowerCase().includes(text),
    );

    for (const chunk of level?.chunks ?? []) {
      const [data, texts] = await Promise.all([
        this.track.load(level, chunk, RELATIONS),
        level.number === EXACT ? this.track.load(level, chunk, MORE) : null,
      ]);
      const list = { chunk, level, ...data };

      for (let i = 0; i < list.starts.length; i++) {
        if ((await slices.rest()) && !isWanted()) return;
        if (hasName[list.names[i]] || (texts && hasText(texts, i, text)))
          take(this.describe(list, i));
      }
    }
  }
}

/** Whether a value of one has a text, or NAME=VALUE is it. */
function hasText({ starts, bytes }, i, text) {
  const pairs = pairsOf(bytes.subarray(starts[i], starts[i + 1]));

  return pairs.some(
    ([name, value]) =>
      !name.startsWith("state ") &&
      (value.toLowerCase().includes(text) ||
        `${name}=${value}`.toLowerCase().includes(text)),
  );
}

/** Which request is followed, and its relations when they are loaded. */
export class Request {
  /** @param from, to From when until when it was worked on. */
  constructor(part, root, from, to) {
    Object.assign(this, { part, root, from, to });
    /** Described, by start; null: not loaded yet. */
    this.list = null;
    this.isCut = false;
    /** Whether there are such that are not in the page. */
    this.isReduced = false;
  }

  /** Whether it is that of a relation. */
  has(relations, root) {
    return root === this.root && relations.track.source === this.part.source;
  }

  /** Load it; at once if it was before. */
  load(model) {
    this.loading ??= this.#load(model).catch((error) => {
      // What could not be had now may be had later.
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  async #load(model) {
    const list = [];
    const own = model.relations.filter(
      ({ track }) => track.source === this.part.source,
    );

    await Promise.all(own.map(({ track }) => track.refresh()));
    if (!own.every(({ track }) => track.isComplete)) {
      // They are read later than all else: to be loaded again then.
      this.loading = null;
      return;
    }
    for (const { relations } of own) {
      this.isReduced ||= relations.isReduced;
      await relations.begun(this.from, this.to, (from, i) => {
        if (from.roots[i] !== this.root) return;
        if (list.length < REQUEST_MAX) list.push(relations.describe(from, i));
        else this.isCut = true;
      });
    }
    list.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.number - b.number));
    this.list = list;
  }

  /** Its relations as a tree: [{item, depth}], each before those that it caused. */
  get tree() {
    const keyOf = (file, lane, start) => `${file}/${lane}/${start}`;
    const items = new Map();
    const children = new Map();
    const tops = [];
    const result = [];

    for (const item of this.list ?? [])
      items.set(keyOf(item.relations.number, item.lane, item.start), item);
    for (const item of this.list ?? []) {
      const { parent } = item;
      const above =
        parent && items.get(keyOf(parent.file, parent.lane, parent.start));

      if (!above || above === item) tops.push(item);
      else if (children.has(above)) children.get(above).push(item);
      else children.set(above, [item]);
    }
    const stack = tops.reverse().map((item) => ({ item, depth: 0 }));
    while (stack.length) {
      const one = stack.pop();

      result.push(one);
      for (const item of (children.get(one.item) ?? []).reverse())
        stack.push({ item, depth: one.depth + 1 });
    }
    return result;
  }
}
