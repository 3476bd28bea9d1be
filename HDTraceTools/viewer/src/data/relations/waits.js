// SPDX-License-Identifier: LGPL-2.1-or-later
// Waits of all traces: who waited, for whom, how long (causetrack.h).
import { Slices } from "../codec/slices.js";
import { chunksBetween } from "../codec/track.js";

const WRONG_ORDER = 1;
const UNSURE = 2;

/** Decoder of the track of waits. */
export function waitDecoder(track, level, chunk, part, columns) {
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
    traces: columns.numbers(),
    causes: columns.numbers(),
    kinds: columns.numbers(),
    flags: columns.numbers(),
  };
}

function describe({ track, at }, data, i) {
  const start = data.base + BigInt(data.starts[i]);
  const cause = data.causes[i];
  const kind = track.names[data.kinds[i]];

  return {
    trace: data.traces[i] + at.traces,
    /** The trace that it waited for; null: not known. */
    cause: cause ? cause - 1 + at.traces : null,
    start,
    end: start + BigInt(data.lengths[i]),
    kind,
    kinds: data.flags[i] & WRONG_ORDER ? [kind, "late-sender-wrong-order"] : [kind],
    isUnsure: (data.flags[i] & UNSURE) > 0,
  };
}

export class Waits {
  /** @param list Of each project {track, at: {traces}}. */
  constructor(list) {
    this.list = list;
  }

  get tracks() {
    return this.list.map(({ track }) => track);
  }

  /** Whether all waits are there: they come with the report. */
  get isExact() {
    return this.tracks.every(
      ({ finest, isComplete, isCut }) =>
        isComplete && !isCut && (finest?.number ?? 0) === 0,
    );
  }

  /**
   * Waits in a stretch of time, in the order of their start.
   *
   * @param take Takes each.
   * @param isWanted Asked now and then; false: it is not wanted any more.
   *
   * @return Whether it was wanted to the end.
   */
  async each(from, to, take, isWanted = () => true) {
    const slices = new Slices();

    for (const one of this.list) {
      const { track } = one;

      await track.refresh();
      if (!isWanted()) return false;
      const level = track.level(0);

      if (!level) continue;
      for (const chunk of chunksBetween(level, from, to)) {
        const data = await track.load(level, chunk, 0);
        const [start, end] = [Number(from - data.base), Number(to - data.base)];

        for (let i = 0; i < data.starts.length && data.starts[i] <= end; i++)
          if (data.starts[i] + data.lengths[i] >= start) take(describe(one, data, i));
        if ((await slices.rest()) && !isWanted()) return false;
      }
    }
    return isWanted();
  }

  /** Waits of a trace, by start; null: they are not wanted any more. */
  async of(trace, isWanted = () => true) {
    const found = [];
    const slices = new Slices();

    for (const one of this.list) {
      const index = await this.#indexOf(one, isWanted);

      if (!index) return null;
      for (const [chunk, items] of index.get(trace - one.at.traces) ?? []) {
        const data = await one.track.load(one.track.level(0), chunk, 0);

        for (const i of items) found.push(describe(one, data, i));
        if ((await slices.rest()) && !isWanted()) return null;
      }
    }
    return found;
  }

  /** Where the waits of each trace are: [chunk, Uint32Array] by trace, which is much
   *  smaller than the waits. null: they are not wanted any more. */
  async #indexOf(one, isWanted) {
    const { track } = one;
    const slices = new Slices();

    await track.refresh();
    const level = track.level(0);

    if (!level) return new Map();
    if (one.index?.level === level) return one.index.places;
    const places = new Map();

    for (const chunk of level.chunks) {
      const data = await track.load(level, chunk, 0);
      const items = new Map();

      data.traces.forEach((trace, i) => {
        const list = items.get(trace);

        if (list) list.push(i);
        else items.set(trace, [i]);
      });
      for (const [trace, list] of items) {
        const part = [chunk, Uint32Array.from(list)];

        if (places.has(trace)) places.get(trace).push(part);
        else places.set(trace, [part]);
      }
      if ((await slices.rest()) && !isWanted()) return null;
    }
    one.index = { level, places };
    return places;
  }
}

/**
 * Tells whether a stretch of time contains a wait.
 *
 * @param waits By start.
 */
export function waitFinder(waits) {
  const firstEnds = waits.map(({ end }) => end);

  for (let i = waits.length - 2; i >= 0; i--)
    if (firstEnds[i + 1] < firstEnds[i]) firstEnds[i] = firstEnds[i + 1];
  return (start, end) => {
    let low = 0;
    let high = waits.length;

    while (low < high) {
      const middle = (low + high) >> 1;

      if (waits[middle].start < start) low = middle + 1;
      else high = middle;
    }
    return low < waits.length && firstEnds[low] <= end;
  };
}

/**
 * Give states the waits in them: a wait is of the innermost state around it, as in
 * hdtrace dump --where.
 *
 * @param states {start, end}, of a trace in the order of their end; of states that end
 *        together the inner one first.
 * @param waits Of the trace, by start.
 *
 * @return A Map from states to their waits.
 */
export function waitsOfStates(states, waits) {
  const found = new Map();
  const pending = [];
  let next = 0;

  for (const state of states) {
    while (next < waits.length && waits[next].start <= state.end)
      pending.push(waits[next++]);
    for (let i = pending.length - 1; i >= 0 && pending[i].start >= state.start; i--) {
      if (pending[i].end > state.end) continue;
      const [wait] = pending.splice(i, 1);
      const list = found.get(state);

      if (list) list.push(wait);
      else found.set(state, [wait]);
    }
  }
  return found;
}

/** How much of a stretch of time others cover, in ns: the length of their union. */
export function coveredBy(list, start, end) {
  let covered = 0n;
  let until = start;

  for (const one of [...list].sort((a, b) => (a.start < b.start ? -1 : 1))) {
    const from = one.start > until ? one.start : until;
    const to = one.end < end ? one.end : end;

    if (to <= from) continue;
    covered += to - from;
    until = to;
  }
  return Number(covered);
}
