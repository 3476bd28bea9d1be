// SPDX-License-Identifier: LGPL-2.1-or-later
// A track: levels of detail, which are lists of chunks, whose parts are loaded
// when they are needed and forgotten when they have not been for long.
import { Columns } from "./codec.js";
import { DataGone } from "./source.js";

/** So many decoded bytes are kept. */
const CACHE_BYTES = 192 << 20;

/** Decoded parts of all tracks, the least recently used first. */
class Cache {
  #parts = new Map();
  #bytes = 0;

  get(key) {
    const entry = this.#parts.get(key);

    if (!entry) return undefined;
    this.#parts.delete(key);
    this.#parts.set(key, entry);
    return entry.data;
  }

  forget(key) {
    const entry = this.#parts.get(key);

    if (!entry) return;
    this.#parts.delete(key);
    this.#bytes -= entry.bytes;
  }

  put(key, data, bytes) {
    this.#parts.set(key, { data, bytes });
    this.#bytes += bytes;
    for (const [old, entry] of this.#parts) {
      if (this.#bytes <= CACHE_BYTES || old === key) break;
      this.#parts.delete(old);
      this.#bytes -= entry.bytes;
    }
  }
}

let cache = new Cache();

/** Forget all that was loaded. */
export function forgetAll() {
  cache = new Cache();
}

/** Called when something has been loaded. */
let onLoad = () => {};
let count = 0;

/** How often something was loaded. */
export function loadCount() {
  return count;
}

let depths = 0;

/** How often tracks turned out to be deeper nested than was known. */
export function depthCount() {
  return depths;
}

function loaded(track) {
  count++;
  track.loads++;
  onLoad();
}

/** Something that takes long was found: to be drawn. */
export function noteFound() {
  onLoad();
}

export function setOnLoad(callback) {
  onLoad = callback;
}

/** Of levels as trackDescribe() writes them. */
function readLevel(columns, shift) {
  const [number, width, partCount] = columns.numbers();
  const starts = columns.bigs();
  const ends = columns.bigs();
  const firsts = columns.numbers();
  const counts = columns.numbers();
  const places = columns.numbers();
  const allSizes = columns.numbers();
  const level = { number, width, partCount, chunks: [], items: 0 };

  for (let i = 0; i < starts.length; i++) {
    const sizes = allSizes.subarray(i * partCount, (i + 1) * partCount);
    const offsets = new Float64Array(partCount);

    for (let k = 1; k < partCount; k++)
      offsets[k] = offsets[k - 1] + sizes[k - 1];
    level.chunks.push({
      number: i,
      start: starts[i] + shift,
      end: ends[i] + shift,
      first: firsts[i],
      count: counts[i],
      at: places[i],
      sizes,
      offsets,
    });
    level.items += counts[i];
  }
  return level;
}

/** Equal in two descriptions of a track if a chunk holds the same. */
function keyOf(level, chunk) {
  chunk.key ??= [
    level.number,
    level.width,
    level.partCount,
    chunk.number,
    chunk.start,
    chunk.first,
    chunk.count,
    chunk.at,
  ].join("/");
  return chunk.key;
}

/** Whether names are those of before, and maybe more. */
function isExtended(names, before) {
  return before.every((name, i) => names[i] === name);
}

/** Whether an item is used that was loaded, or was not there when others were. */
function isUsed(used, level, chunk) {
  const { parts, first, last, count } = used.get(level.number) ?? {};

  if (!parts) return false;
  return chunk.number < count
    ? first <= chunk.number && chunk.number <= last
    : last === count - 1;
}

export class Track {
  /** @param id Its name in the page.
   *  @param decode Makes what is kept of a part: (track, level, chunk, part,
   *         Columns), as [data, bytes].
   *  @param options {remote, shift}: its name at the source, if that is another
   *         one, and what is added to its times, in ns. */
  constructor(source, id, decode, { remote = id, shift = 0n } = {}) {
    this.source = source;
    this.id = id;
    this.remote = remote;
    /** What the number means depends on the rows that there are. */
    this.cached = `${id}@${source.layout ?? ""}`;
    this.shift = shift;
    this.decode = decode;
    this.levels = [];
    this.names = [];
    this.isComplete = false;
    this.isCut = false;
    this.readTo = null;
    this.depth = 0;
    /** How often something of it was loaded. */
    this.loads = 0;
    this.isDescribed = false;
    this.pending = new Map();
    this.describing = null;
    this.error = null;
    /** Whether the server has another edition of it. */
    this.isStale = false;
    /** How often it was described. */
    this.descriptions = 0;
    /** What was looked at since: number of a level to {parts, first, last, count}. */
    this.used = new Map();
  }

  /** Whether it is to be described again. */
  get isWanted() {
    return !this.isComplete || this.isStale;
  }

  /** Load the description, again if the track was not complete. */
  describe() {
    if (!this.isWanted) return Promise.resolve();
    this.describing ??= this.#describe().finally(() => {
      this.describing = null;
    });
    return this.describing;
  }

  /** Begin anew: it is read by another server. */
  reset() {
    this.levels = [];
    this.isComplete = false;
    this.isCut = false;
    this.isDescribed = false;
    this.isStale = false;
    this.used.clear();
    this.error = null;
    this.loads++;
  }

  /** The same before numbers are made; if that fails, of what is there. */
  refresh() {
    return this.describe().catch(() => {});
  }

  async #describe() {
    // What changes from here on is for the next time.
    this.isStale = false;
    try {
      await this.#take(await this.source.describe(this.remote));
    } catch (error) {
      this.isStale = true;
      throw error;
    }
  }

  /** Take a description; what is drawn stays until the same of it is loaded. */
  async #take(bytes) {
    if (!bytes) {
      this.isComplete = true;
      this.isDescribed = true;
      return;
    }
    const columns = new Columns(bytes);
    const [count, isComplete, isCut, readTo, depth] = columns.bigs();
    const names = columns.text().split("\0").slice(0, -1);
    const levels = [];

    for (let i = 0; i < Number(count); i++)
      levels.push(readLevel(columns, this.shift));
    if (!isExtended(names, this.names)) this.#forget(this.levels, new Set());
    this.names = names;
    if (this.isDescribed && this.used.size) await this.#loadUsed(levels);
    this.#forget(
      this.levels,
      new Set(
        levels.flatMap((level) =>
          level.chunks.map((chunk) => keyOf(level, chunk)),
        ),
      ),
    );
    this.levels = levels;
    this.used.clear();
    this.isComplete = isComplete === 1n;
    this.isCut = isCut === 1n;
    this.readTo = readTo;
    if (this.depth !== Number(depth)) depths++;
    this.depth = Number(depth);
    this.isDescribed = true;
    this.descriptions++;
    loaded(this);
  }

  /** Load of other levels what is used of those that there are. */
  #loadUsed(levels) {
    const wanted = levels.flatMap((level) =>
      level.chunks
        .filter((chunk) => isUsed(this.used, level, chunk))
        .flatMap((chunk) =>
          [...this.used.get(level.number).parts]
            .filter((part) => part < level.partCount)
            .map((part) => this.load(level, chunk, part, false)),
        ),
    );

    return Promise.all(wanted);
  }

  /** Forget what was loaded of levels, but of chunks with these keys. */
  #forget(levels, kept) {
    for (const level of levels)
      for (const chunk of level.chunks) {
        if (kept.has(keyOf(level, chunk))) continue;
        for (let part = 0; part < level.partCount; part++)
          cache.forget(this.#key(level, chunk, part));
      }
  }

  /** Note what is looked at. */
  #note(level, chunk, part) {
    let used = this.used.get(level.number);

    if (!used) {
      used = { parts: new Set(), first: Infinity, last: -1, count: 0 };
      this.used.set(level.number, used);
    }
    used.parts.add(part);
    used.first = Math.min(used.first, chunk.number);
    used.last = Math.max(used.last, chunk.number);
    used.count = level.chunks.length;
  }

  /** The finest level that there is. */
  get finest() {
    return this.levels[0];
  }

  level(number) {
    return this.levels.find((level) => level.number === number);
  }

  /** Where the first chunk starts, and the last one ends; null: nowhere. */
  get range() {
    if (this.rangeOf === this.levels) return this.rangeKnown;
    this.rangeOf = this.levels;
    this.rangeKnown = this.#findRange();
    return this.rangeKnown;
  }

  #findRange() {
    // Of a track that is not complete the finest level is the longest one.
    const { chunks } = this.levels.find((level) => level.chunks.length) ?? {};

    if (!chunks) return null;
    let { start, end } = chunks[0];

    for (const chunk of chunks) {
      if (chunk.start < start) start = chunk.start;
      if (chunk.end > end) end = chunk.end;
    }
    return { start, end };
  }

  /** The part of a view that was not read, as [x0, x1] in pixels; null if all of
   *  it was. Files are read in the order of time. */
  unread({ start, span }, width) {
    if (this.isComplete) return null;
    const { range } = this;

    if (!range) return [0, width];
    const x = Math.max(0, (Number(range.end - start) / span) * width);

    return x < width ? [x, width] : null;
  }

  #key(level, chunk, part) {
    return `${this.cached}/${keyOf(level, chunk)}/${part}`;
  }

  /** What is loaded of a part; if it is not, ask for it. */
  peek(level, chunk, part) {
    const data = cache.get(this.#key(level, chunk, part));

    this.#note(level, chunk, part);
    if (data === undefined) this.load(level, chunk, part).catch(() => {});
    return data;
  }

  /** Load a part. @param isShown Whether it is of the levels that are shown. */
  load(level, chunk, part, isShown = true) {
    const key = this.#key(level, chunk, part);
    const data = cache.get(key);

    if (data !== undefined) return Promise.resolve(data);
    let pending = this.pending.get(key);

    if (!pending) {
      pending = this.#load(key, level, chunk, part, isShown).finally(() =>
        this.pending.delete(key),
      );
      this.pending.set(key, pending);
    }
    return pending;
  }

  async #load(key, level, chunk, part, isShown) {
    try {
      const bytes = await this.source.read(this.remote, chunk, part);
      const columns = new Columns(bytes);
      const data = this.decode(this, level, chunk, part, columns);

      cache.put(key, data, bytes.length * 2);
      if (isShown) loaded(this);
      return data;
    } catch (error) {
      this.error = error;
      // There is another edition, which has it.
      if (error instanceof DataGone) this.isStale = true;
      throw error;
    }
  }
}

/** The chunks of a level that overlap with a stretch of time; those in the
 *  order of time can be found faster, but not all are. */
export function chunksBetween(level, from, to) {
  return level.chunks.filter((chunk) => chunk.end >= from && chunk.start <= to);
}
