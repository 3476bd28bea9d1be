// SPDX-License-Identifier: LGPL-2.1-or-later
// States and events of a trace, and on coarser levels how much time was spent
// in which state, and what it cost (tracepyramid.h).
import { chunksBetween } from "../codec/track.js";
import { upperBound } from "../series/series.js";

const DETAILS = 0;
const EXACT = 1;
const EVENTS = 65535;
/** Parts of chunks. */
const STATES = 0;
const SUMS = 1;
const ENERGY = 2;

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
  const states = {
    base: chunk.start,
    starts,
    lengths,
    reach,
    names: columns.numbers(),
    depths: columns.numbers(),
    parents: columns.numbers(),
  };
  const flags = columns.numbers();

  states.isEvent = flags.map((flag) => flag & 1);
  states.isNested = flags.map((flag) => flag >> 1);
  return states;
}

/** Index of the first state that may not end before an offset. */
export function firstReaching(states, offset) {
  return upperBound(states.reach, Math.ceil(offset) - 1);
}

/** Sums; offsets of their steps are ns from the start of the chunk. */
function decodeSums(track, level, chunk, columns) {
  const steps = columns.numbers();
  const width = BigInt(level.width);
  // Steps count from 1970, by the project's own clock.
  const start = chunk.start - track.shift;

  return {
    base: chunk.start,
    starts: Float64Array.from(steps, (step) =>
      Number(BigInt(step) * width - start),
    ),
    depths: columns.numbers(),
    parents: columns.numbers(),
    names: columns.numbers(),
    times: columns.numbers(),
    counts: columns.numbers(),
    isNested: columns.numbers(),
  };
}

/** Energies of the states of a chunk, and of its sums. */
function decodeEnergies(columns) {
  const next = () => ({
    watts: columns.next(),
    unknown: columns.numbers(),
    nodes: columns.next(),
  });

  return { states: next(), sums: next() };
}

/** What the trace is charged with in an item of so many ns, and its node's. */
function storedAmount({ watts, unknown, nodes }, i, length) {
  const known = length - unknown[i];

  return {
    joules: (watts[i] * known) / 1e9,
    known,
    error: 0,
    node: (nodes[i] * known) / 1e9,
  };
}

/** Decoder of the tracks of traces. */
export function stateDecoder(track, level, chunk, part, columns) {
  if (level.number === DETAILS) return columns.texts();
  if (part === ENERGY) return decodeEnergies(columns);
  return part === STATES
    ? decodeStates(chunk, columns)
    : decodeSums(track, level, chunk, columns);
}

/** A state's time and energy: its own without states in it, and all of it. */
function newEntry(name) {
  return {
    name,
    count: 0,
    total: 0,
    own: 0,
    error: 0,
    /** Of the node's energy, the share of the trace in J, how long that is
     *  known in ns, and by how much it can be off; and the node's all. */
    ownEnergy: { joules: 0, known: 0, error: 0, node: 0 },
    totalEnergy: { joules: 0, known: 0, error: 0, node: 0 },
  };
}

function addEnergy(to, { joules, known, error, node }, sign = 1) {
  to.joules += sign * joules;
  to.known += sign * known;
  to.node += sign * node;
  to.error += error;
}

/** An energy that is no more than it says, and about another one. */
function limitEnergy(energy, guess) {
  const most = energy.joules + energy.error;
  const low = guess ? Math.max(0, guess.joules - guess.error) : 0;
  const high = guess ? Math.min(most, guess.joules + guess.error) : most;

  energy.joules = Math.min(guess?.joules ?? most / 2, high);
  energy.error = Math.max(high - energy.joules, energy.joules - low, 0);
}

/** What time was spent on, by name. */
export class Profile {
  #calls = null;

  /** @param hasCalls Whether states are told apart by what they lie in, too. */
  constructor(hasCalls = false) {
    this.names = new Map();
    this.isExact = true;
    /** Whether what it is of was read. */
    this.isRead = true;
    if (hasCalls) this.#calls = new Map();
  }

  /** What calls.js makes a tree of. */
  get calls() {
    return [...this.#calls.values()];
  }

  /** Note time in a state below another one, or at the top: "". */
  addCall(depth, parent, name, { time, count, amount }) {
    if (!this.#calls) return;
    const key = `${depth}\0${parent}\0${name}`;
    let call = this.#calls.get(key);

    if (!call) {
      call = { depth, parent, name, count: 0, ns: 0, joules: 0, known: 0 };
      this.#calls.set(key, call);
    }
    call.count += count;
    call.ns += time;
    call.joules += amount?.joules ?? 0;
    call.known += amount?.known ?? 0;
  }

  at(name) {
    let entry = this.names.get(name);

    if (!entry) {
      entry = newEntry(name);
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
      addEnergy(own.ownEnergy, entry.ownEnergy);
      addEnergy(own.totalEnergy, entry.totalEnergy);
    }
    if (this.#calls)
      for (const { depth, parent, name, ...call } of other.calls)
        this.addCall(depth, parent, name, {
          time: call.ns,
          count: call.count,
          amount: call,
        });
    this.isExact = this.isExact && other.isExact;
  }

  /** Energies are at most those that it has: others are guesses of what they are;
   *  null: nothing is known of them. */
  limit(guessed) {
    for (const entry of this.names.values()) {
      const other = guessed?.at(entry.name);

      limitEnergy(entry.ownEnergy, other?.ownEnergy);
      limitEnergy(entry.totalEnergy, other?.totalEnergy);
    }
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

  /** The same, as a level; undefined if there is none. */
  levelFor(nsPerPixel) {
    return this.levels[this.#levelFor(nsPerPixel)];
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

  /**
   * What the time in ]from, to] was spent on.
   *
   * Whole items are taken from the coarsest level that has them, finer ones at
   * the ends; with the energy that was added up when they were made, since the
   * power in an item is not the same all the time. What the ends cut is asked of
   * the power itself. If relations get some of that, how much is known of these
   * energies only: of what the ends cut of them it is guessed.
   *
   * @param charge A TracePower: what this trace is charged with; without, there
   *        are no energies.
   * @param hasCalls Whether states are told apart by what they lie in.
   */
  async profile(from, to, charge = null, hasCalls = false) {
    await Promise.all([this.track.refresh(), charge?.refresh()]);
    const profile = new Profile(hasCalls);
    const { levels } = this;
    const range = { from, to, shorter: Infinity, isLeftmost: true, finest: 0 };

    if (!levels.length) return profile;
    await this.#profile(profile, charge, levels.length - 1, range);
    if (!charge?.isShared) return profile;
    const finest = levels.findIndex(({ partCount }) => partCount > ENERGY);
    const guessed = new Profile();

    if (finest >= 0)
      await this.#profile(guessed, charge, levels.length - 1, {
        ...range,
        finest,
      });
    profile.limit(finest >= 0 ? guessed : null);
    return profile;
  }

  /** Add states that are shorter than so much, as they are in an interval. */
  async #profile(profile, charge, index, range) {
    const level = this.levels[index];
    const closer = [];

    for (const chunk of chunksBetween(level, range.from, range.to)) {
      const load = (part) => this.track.load(level, chunk, part);
      const [states, sums, energies] = await Promise.all([
        load(STATES),
        level.number > EXACT ? load(SUMS) : null,
        charge && level.partCount > ENERGY ? load(ENERGY) : null,
      ]);

      await this.#addStates(profile, charge, states, energies?.states, range);
      if (sums)
        await this.#addSums(profile, charge, level, sums, energies?.sums, {
          ...range,
          closer,
        });
    }
    for (const part of mergeRanges(closer)) {
      if (index > range.finest)
        await this.#profile(profile, charge, index - 1, {
          ...part,
          finest: range.finest,
          shorter: level.width,
        });
    }
  }

  async #addStates(profile, charge, states, energies, range) {
    const from = Number(range.from - states.base);
    const to = Number(range.to - states.base);

    for (let i = 0; i < states.starts.length; i++) {
      const length = states.lengths[i];
      const start = Math.max(states.starts[i], from);
      const end = Math.min(states.starts[i] + length, to);

      if (states.starts[i] > to) break;
      if (end < from || length >= range.shorter || states.isEvent[i]) continue;
      const time = Math.max(0, end - start);
      const isInside =
        states.starts[i] >= from && (states.starts[i] < to || length === 0);
      let amount = null;

      if (charge && energies && time === length)
        amount = storedAmount(energies, i, length);
      else if (charge?.isShared && energies)
        amount = await guessAmount(
          charge,
          states.base,
          storedAmount(energies, i, length),
          time / length,
          {
            start: states.starts[i],
            end: states.starts[i] + length,
            from: start,
            to: Math.max(start, end),
          },
        );
      else if (charge)
        amount = await charge.amount(
          states.base + BigInt(start),
          states.base + BigInt(Math.max(start, end)),
        );
      this.#addItem(
        profile,
        states,
        i,
        time,
        isInside || (range.isLeftmost && time > 0) ? 1 : 0,
        amount,
      );
    }
  }

  async #addSums(profile, charge, level, sums, energies, range) {
    const from = Number(range.from - sums.base);
    const to = Number(range.to - sums.base);
    const isFinest = level.number === this.levels[range.finest].number;
    // Steps may begin before the trace does, and end after it.
    const first = Number(this.track.range.start - sums.base);
    const last = Number(this.track.range.end - sums.base);

    for (let i = 0; i < sums.starts.length; i++) {
      const start = Math.max(sums.starts[i], first);
      const end = Math.min(sums.starts[i] + level.width, last);

      if (end <= from || start >= to || sums.depths[i] === EVENTS) continue;
      const amount =
        charge && energies ? storedAmount(energies, i, sums.times[i]) : null;

      if (start >= from && end <= to)
        this.#addItem(
          profile,
          sums,
          i,
          sums.times[i],
          sums.counts[i],
          amount,
        );
      else if (!isFinest)
        range.closer.push({
          from: sums.base + BigInt(Math.max(start, from)),
          to: sums.base + BigInt(Math.min(end, to)),
          isLeftmost: start < from && range.isLeftmost,
        });
      else
        await this.#guessSum(profile, charge, sums, i, amount, {
          start,
          end,
          from: Math.max(start, from),
          to: Math.min(end, to),
        });
    }
  }

  /** Add time in a state, and what it cost, which what is around it loses. */
  #addItem(profile, items, i, time, count, amount) {
    const { names } = this.track;
    const entry = profile.at(names[items.names[i]]);
    const parent = items.parents[i];

    profile.addCall(items.depths[i], parent ? names[parent - 1] : "", entry.name, {
      time,
      count,
      amount,
    });
    entry.own += time;
    entry.count += count;
    if (amount) addEnergy(entry.ownEnergy, amount);
    // Those around it have it already.
    if (!items.isNested[i]) {
      entry.total += time;
      if (amount) addEnergy(entry.totalEnergy, amount);
    }
    if (!parent) return;
    const around = profile.at(names[parent - 1]);

    around.own -= time;
    if (amount) addEnergy(around.ownEnergy, amount, -1);
  }

  /** Of a part of a step nothing is known but the total of all of it, and the
   *  node's power in both. */
  async #guessSum(profile, charge, sums, i, amount, step) {
    const length = step.end - step.start;
    const part = step.to - step.from;
    const all = sums.times[i];
    const { time, error } = guess(all, part, length);

    profile.isExact = false;
    this.#addItem(
      profile,
      sums,
      i,
      time,
      Math.round((sums.counts[i] * part) / length),
      amount &&
        (await guessAmount(charge, sums.base, amount, time / all, step)),
    );
    profile.at(this.track.names[sums.names[i]]).error += error;
  }
}

/** How much of a total is in a part, if it is as likely everywhere, and by how
 *  much that can be off. */
function guess(all, part, length) {
  const time = (all * part) / length;
  const least = Math.max(0, all - (length - part));
  const most = Math.min(all, part);

  return { time, error: Math.max(most - time, time - least) };
}

/** The same for an energy: no more than the trace's in that part, nor less than
 *  what has no room in the rest. */
async function guessAmount(power, base, all, share, step) {
  const at = (offset) => base + BigInt(offset);
  const inside = await power.amount(at(step.from), at(step.to));
  const whole = await power.amount(at(step.start), at(step.end));
  const joules =
    whole.joules > 0 ? (all.joules * inside.joules) / whole.joules : 0;
  const doubt = inside.error + whole.error;
  const least = Math.max(0, all.joules - (whole.joules - inside.joules) - doubt);
  const most = Math.min(all.joules, inside.joules + doubt);

  return {
    joules,
    known: all.known * share,
    error: Math.max(most - joules, joules - least, 0),
    node: all.node * share,
  };
}

/** Steps have several sums: look at each only once. */
function mergeRanges(list) {
  const ranges = new Map();

  for (const range of list) ranges.set(range.from, range);
  return [...ranges.values()];
}
