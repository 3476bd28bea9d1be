// SPDX-License-Identifier: LGPL-2.1-or-later
// States and events of a trace, and on coarser levels how much time was spent
// in which state (statelevels.h).
import { chunksBetween } from "../data/track.js";
import { upperBound } from "../data/series.js";

const DETAILS = 0;
const EXACT = 1;
const EVENTS = 65535;

function decodeStates(chunk, columns) {
  const gaps = columns.numbers();
  const lengths = columns.numbers();
  const starts = new Float64Array(gaps.length);
  const reach = new Float64Array(gaps.length);
  let at = 0;
  let furthest = 0;

  for (let i = 0; i < gaps.length; i++) {
    at += gaps[i];
    starts[i] = at;
    furthest = Math.max(furthest, at + lengths[i]);
    reach[i] = furthest;
  }
  return {
    base: chunk.start,
    starts,
    lengths,
    reach,
    names: columns.numbers(),
    depths: columns.numbers(),
    parents: columns.numbers(),
    isEvent: columns.numbers(),
  };
}

/** Index of the first state that may not end before an offset. */
export function firstReaching(states, offset) {
  return upperBound(states.reach, Math.ceil(offset) - 1);
}

/** Sums; offsets of their steps are ns from the start of the chunk. */
function decodeSums(level, chunk, columns) {
  const steps = columns.numbers();
  const width = BigInt(level.width);

  return {
    base: chunk.start,
    starts: Float64Array.from(steps, (step) =>
      Number(BigInt(step) * width - chunk.start),
    ),
    depths: columns.numbers(),
    parents: columns.numbers(),
    names: columns.numbers(),
    times: columns.numbers(),
    counts: columns.numbers(),
  };
}

function decodeDetails(columns) {
  const lengths = columns.numbers();
  const bytes = columns.next();
  const starts = new Float64Array(lengths.length + 1);

  for (let i = 0; i < lengths.length; i++)
    starts[i + 1] = starts[i] + lengths[i];
  return { starts, bytes };
}

/** Decoder of the tracks of traces. */
export function stateDecoder(track, level, chunk, part, columns) {
  if (level.number === DETAILS) return decodeDetails(columns);
  return part === 0
    ? decodeStates(chunk, columns)
    : decodeSums(level, chunk, columns);
}

/** What time was spent on, by name. */
export class Profile {
  constructor() {
    this.names = new Map();
    this.isExact = true;
  }

  at(name) {
    let entry = this.names.get(name);

    if (!entry) {
      entry = { name, count: 0, total: 0, own: 0, error: 0 };
      this.names.set(name, entry);
    }
    return entry;
  }

  add(other) {
    for (const entry of other.names.values()) {
      const own = this.at(entry.name);

      own.count += entry.count;
      own.total += entry.total;
      own.own += entry.own;
      own.error += entry.error;
    }
    this.isExact = this.isExact && other.isExact;
  }
}

export class States {
  constructor(track) {
    this.track = track;
    this.key = track.id;
  }

  /** Levels that have states, the finest first. */
  get levels() {
    return this.track.levels.filter((level) => level.number >= EXACT);
  }

  get isExact() {
    return this.levels[0]?.number === EXACT;
  }

  /** Whether attributes of states are there. */
  get hasDetails() {
    return this.track.levels[0]?.number === DETAILS;
  }

  /** How many states lie in one another. */
  get depth() {
    return Math.max(1, this.track.depth);
  }

  /** The level for a view: the coarsest whose steps are below a pixel. */
  #levelFor(nsPerPixel) {
    const { levels } = this;
    let best = 0;

    for (let i = 1; i < levels.length; i++)
      if (levels[i].width <= nsPerPixel) best = i;
    return best;
  }

  /** @return {level, isWanted, states: [...], sums: [...]} or null. */
  peek(from, to, nsPerPixel) {
    const { levels } = this;
    const wanted = this.#levelFor(nsPerPixel);

    for (let i = wanted; i < levels.length; i++) {
      const result = this.#loaded(levels[i], from, to);

      if (result) return { level: levels[i], isWanted: i === wanted, ...result };
    }
    return null;
  }

  #loaded(level, from, to) {
    const states = [];
    const sums = [];
    let isComplete = true;

    for (const chunk of chunksBetween(level, from, to)) {
      const list = this.track.peek(level, chunk, 0);
      const more = level.number > EXACT && this.track.peek(level, chunk, 1);

      if (!list || (level.number > EXACT && !more)) {
        isComplete = false;
        continue;
      }
      states.push({ chunk, ...list });
      if (more) sums.push(more);
    }
    return isComplete ? { states, sums } : null;
  }

  /* ---- At a time ------------------------------------------------------- */

  /**
   * States around a time, the outermost first, and events within a tolerance
   * (ns).
   *
   * @return [{name, start, end, depth, isEvent, chunk, index}] or null if it is
   *         not loaded, or not that fine.
   */
  at(time, tolerance) {
    const level = this.levels[0];

    if (!level) return null;
    const found = this.#loaded(
      level,
      time - BigInt(Math.ceil(tolerance)),
      time + BigInt(Math.ceil(tolerance)),
    );

    if (!found) return null;
    const list = [];

    for (const states of found.states) {
      const offset = Number(time - states.base);
      const last = upperBound(states.starts, offset + tolerance);

      for (let i = firstReaching(states, offset - tolerance); i < last; i++) {
        const distance = Math.abs(states.starts[i] - offset);
        const isHit = states.isEvent[i]
          ? distance <= tolerance
          : states.starts[i] <= offset &&
            offset <= states.starts[i] + states.lengths[i];

        if (isHit) list.push(this.#describe(states, i));
      }
    }
    return list.sort((a, b) => a.depth - b.depth || a.isEvent - b.isEvent);
  }

  #describe(states, i) {
    const start = states.base + BigInt(states.starts[i]);

    return {
      name: this.track.names[states.names[i]],
      start,
      end: start + BigInt(states.lengths[i]),
      depth: states.depths[i],
      isEvent: states.isEvent[i] === 1,
      chunk: states.chunk,
      index: i,
    };
  }

  /** Attributes of a state, as [name, value] pairs; null if there are none. */
  async details(state) {
    const level = this.track.levels[0];

    if (!this.hasDetails || this.levels[0].number !== EXACT) return null;
    const chunk = level.chunks[state.chunk.number];
    const { starts, bytes } = await this.track.load(level, chunk, 0);
    const text = new TextDecoder().decode(
      bytes.subarray(starts[state.index], starts[state.index + 1]),
    );

    return text
      .split("\x1e")
      .slice(0, -1)
      .map((pair) => pair.split("\x1f"));
  }

  /** The next state or event that starts behind a time, or the one before. */
  async next(time, direction) {
    const level = this.levels[0];
    let best = null;

    for (const chunk of level?.chunks ?? []) {
      if (direction > 0 ? chunk.end < time : chunk.start >= time) continue;
      if (best && direction > 0 && chunk.start > best.start) break;
      const data = await this.track.load(level, chunk, 0);
      const states = { chunk, ...data };
      const offset = Number(time - data.base);
      const i =
        direction > 0
          ? upperBound(data.starts, offset)
          : upperBound(data.starts, offset - 1) - 1;

      if (i < 0 || i >= data.starts.length) continue;
      const state = this.#describe(states, i);

      if (
        !best ||
        (direction > 0 ? state.start < best.start : state.start > best.start)
      )
        best = state;
    }
    return best;
  }

  /* ---- Profile --------------------------------------------------------- */

  /** What the time in ]from, to] was spent on. */
  async profile(from, to) {
    await this.track.refresh();
    const profile = new Profile();
    const { levels } = this;

    if (levels.length)
      await this.#profile(profile, levels.length - 1, {
        from,
        to,
        shorter: Infinity,
        isLeftmost: true,
      });
    return profile;
  }

  /** Add states that are shorter than so much, as they are in an interval. */
  async #profile(profile, index, range) {
    const level = this.levels[index];
    const closer = [];

    for (const chunk of chunksBetween(level, range.from, range.to)) {
      const [states, sums] = await Promise.all([
        this.track.load(level, chunk, 0),
        level.number > EXACT ? this.track.load(level, chunk, 1) : null,
      ]);

      this.#addStates(profile, states, range);
      if (sums) this.#addSums(profile, level, sums, range, closer);
    }
    for (const part of mergeRanges(closer)) {
      if (index > 0)
        await this.#profile(profile, index - 1, {
          ...part,
          shorter: level.width,
        });
    }
  }

  #addStates(profile, states, range) {
    const from = Number(range.from - states.base);
    const to = Number(range.to - states.base);
    const { names } = this.track;

    for (let i = 0; i < states.starts.length; i++) {
      const start = states.starts[i];
      const length = states.lengths[i];
      const end = start + length;

      if (start > to) break;
      if (end < from || length >= range.shorter) continue;
      const time = Math.max(0, Math.min(end, to) - Math.max(start, from));
      const isInside = start >= from && (start < to || length === 0);

      if (states.isEvent[i]) continue;
      addTime(
        profile,
        names,
        states.names[i],
        states.parents[i],
        time,
        isInside || (range.isLeftmost && time > 0) ? 1 : 0,
      );
    }
  }

  #addSums(profile, level, sums, range, closer) {
    const from = Number(range.from - sums.base);
    const to = Number(range.to - sums.base);
    const isFinest = level === this.levels[0];
    // Steps may begin before the trace does, and end after it.
    const first = Number(this.track.range.start - sums.base);
    const last = Number(this.track.range.end - sums.base);

    for (let i = 0; i < sums.starts.length; i++) {
      const start = Math.max(sums.starts[i], first);
      const end = Math.min(sums.starts[i] + level.width, last);

      if (end <= from || start >= to || sums.depths[i] === EVENTS) continue;
      if (start >= from && end <= to)
        this.#addSum(profile, sums, i, sums.times[i], sums.counts[i]);
      else if (!isFinest)
        closer.push({
          from: sums.base + BigInt(Math.max(start, from)),
          to: sums.base + BigInt(Math.min(end, to)),
          isLeftmost: start < from && range.isLeftmost,
        });
      else
        this.#guessSum(
          profile,
          sums,
          i,
          Math.min(end, to) - Math.max(start, from),
          end - start,
        );
    }
  }

  #addSum(profile, sums, i, time, count) {
    addTime(
      profile,
      this.track.names,
      sums.names[i],
      sums.parents[i],
      time,
      count,
    );
  }

  /** Of a part of a step nothing is known but the total of all of it. */
  #guessSum(profile, sums, i, part, length) {
    const share = part / length;
    const all = sums.times[i];
    const time = all * share;
    const least = Math.max(0, all - (length - part));
    const most = Math.min(all, part);

    profile.isExact = false;
    this.#addSum(profile, sums, i, time, Math.round(sums.counts[i] * share));
    profile.at(this.track.names[sums.names[i]]).error += Math.max(
      most - time,
      time - least,
    );
  }

  /**
   * Pieces of time in ]from, to] and the innermost state of each, from the
   * finest level that has no more than so many items.
   *
   * @return {pieces: [[start, end, name, share]], isExact}; offsets in ns from
   *         "from"; share is how much of the piece it is.
   */
  async pieces(from, to, limit) {
    await this.track.refresh();
    const { levels } = this;
    let index = 0;

    while (index < levels.length - 1 && countIn(levels[index], from, to) > limit)
      index++;
    const level = levels[index];
    const states = [];
    const sums = [];

    for (const chunk of level ? chunksBetween(level, from, to) : []) {
      states.push(await this.track.load(level, chunk, 0));
      if (level.number > EXACT)
        sums.push(await this.track.load(level, chunk, 1));
    }
    return {
      pieces: [
        ...this.#ownPieces(states, from, to),
        ...this.#sumPieces(level, sums, from, to),
      ],
      isExact: !sums.length,
    };
  }

  /** Time of states without those in them, as long as these are states, too. */
  #ownPieces(chunks, from, to) {
    const pieces = [];
    const stack = [];
    const span = Number(to - from);
    const { names } = this.track;
    let now = 0;

    const until = (time) => {
      const end = Math.min(time, span);

      if (stack.length && end > now)
        pieces.push([now, end, names[stack.at(-1).name], 1]);
      now = Math.max(now, end);
    };
    const leave = (time) => {
      while (stack.length && stack.at(-1).end <= time) {
        until(stack.at(-1).end);
        stack.pop();
      }
    };

    for (const states of chunks) {
      const shift = Number(states.base - from);

      for (let i = 0; i < states.starts.length; i++) {
        if (states.isEvent[i]) continue;
        const start = states.starts[i] + shift;

        if (start >= span) break;
        leave(start);
        until(start);
        stack.push({ name: states.names[i], end: start + states.lengths[i] });
      }
    }
    leave(Infinity);
    return pieces;
  }

  /** Time of states in steps; what is around them loses it. */
  #sumPieces(level, chunks, from, to) {
    const pieces = [];
    const span = Number(to - from);
    const { names } = this.track;

    for (const sums of chunks) {
      const shift = Number(sums.base - from);

      for (let i = 0; i < sums.starts.length; i++) {
        if (sums.depths[i] === EVENTS) continue;
        const start = Math.max(0, sums.starts[i] + shift);
        const end = Math.min(span, sums.starts[i] + shift + level.width);

        if (end <= start) continue;
        const share = sums.times[i] / level.width;

        pieces.push([start, end, names[sums.names[i]], share]);
        if (sums.parents[i])
          pieces.push([start, end, names[sums.parents[i] - 1], -share]);
      }
    }
    return pieces;
  }
}

function countIn(level, from, to) {
  return chunksBetween(level, from, to).reduce((sum, c) => sum + c.count, 0);
}

function addTime(profile, names, name, parent, time, count) {
  const entry = profile.at(names[name]);

  entry.total += time;
  entry.own += time;
  entry.count += count;
  if (parent) profile.at(names[parent - 1]).own -= time;
}

/** Steps have several sums: look at each only once. */
function mergeRanges(list) {
  const ranges = new Map();

  for (const range of list) ranges.set(range.from, range);
  return [...ranges.values()];
}
