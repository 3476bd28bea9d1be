// SPDX-License-Identifier: LGPL-2.1-or-later
// A track: levels of detail, which are lists of chunks, whose parts are loaded
// when they are needed and forgotten when they have not been for long.
import { Columns } from "./codec.js";

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
  }

  /** Load the description, again if the track was not complete. */
  describe() {
    if (this.isComplete) return Promise.resolve();
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
    this.error = null;
    this.loads++;
  }

  /** The same before numbers are made; if that fails, of what is there. */
  refresh() {
    return this.describe().catch(() => {});
  }

  async #describe() {
    const bytes = await this.source.describe(this.remote);

    if (!bytes) {
      this.isComplete = true;
      this.isDescribed = true;
      return;
    }
    const columns = new Columns(bytes);
    const [count, isComplete, isCut, readTo, depth] = columns.bigs();

    this.names = columns.text().split("\0").slice(0, -1);
    this.levels = [];
    for (let i = 0; i < Number(count); i++)
      this.levels.push(readLevel(columns, this.shift));
    this.isComplete = isComplete === 1n;
    this.isCut = isCut === 1n;
    this.readTo = readTo;
    if (this.depth !== Number(depth)) depths++;
    this.depth = Number(depth);
    this.isDescribed = true;
    loaded(this);
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
    return `${this.id}/${level.number}/${chunk.number}/${part}`;
  }

  /** What is loaded of a part; if it is not, ask for it. */
  peek(level, chunk, part) {
    const data = cache.get(this.#key(level, chunk, part));

    if (data === undefined) this.load(level, chunk, part).catch(() => {});
    return data;
  }

  /** Load a part. */
  load(level, chunk, part) {
    const key = this.#key(level, chunk, part);
    const data = cache.get(key);

    if (data !== undefined) return Promise.resolve(data);
    let pending = this.pending.get(key);

    if (!pending) {
      pending = this.#load(key, level, chunk, part).finally(() =>
        this.pending.delete(key),
      );
      this.pending.set(key, pending);
    }
    return pending;
  }

  async #load(key, level, chunk, part) {
    try {
      const bytes = await this.source.read(this.remote, chunk, part);
      const columns = new Columns(bytes);
      const data = this.decode(this, level, chunk, part, columns);

      cache.put(key, data, bytes.length * 2);
      loaded(this);
      return data;
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}

/** The chunks of a level that overlap with a stretch of time; those in the
 *  order of time can be found faster, but not all are. */
export function chunksBetween(level, from, to) {
  return level.chunks.filter((chunk) => chunk.end >= from && chunk.start <= to);
}
