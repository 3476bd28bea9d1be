// SPDX-License-Identifier: LGPL-2.1-or-later
// How long the states of a name were: their distribution, their quantiles, and those
// that took longest. A state counts if some of it lies in the interval, with all of
// its length.
import { Slices } from "../codec/slices.js";
import { chunksBetween } from "../codec/track.js";

const LONGEST_MAX = 100;
/** Bins of a decade; each is wider than the last by the same factor. */
const BINS = 5;

/** The longest of many, without keeping all. */
class Longest {
  list = [];
  least = -1;

  add(length, of) {
    if (this.list.length >= LONGEST_MAX && length <= this.least) return;
    this.list.push({ length, ...of() });
    if (this.list.length >= 2 * LONGEST_MAX) this.#cut();
  }

  #cut() {
    this.list.sort((a, b) => b.length - a.length || (a.start < b.start ? -1 : 1));
    this.list.length = Math.min(this.list.length, LONGEST_MAX);
    if (this.list.length === LONGEST_MAX) this.least = this.list.at(-1).length;
  }

  get sorted() {
    this.#cut();
    return this.list;
  }
}

/** Lengths of states, as they are found. */
class Lengths {
  #list = new Float64Array(1024);
  count = 0;

  add(length) {
    if (this.count === this.#list.length) {
      const longer = new Float64Array(2 * this.count);

      longer.set(this.#list);
      this.#list = longer;
    }
    this.#list[this.count++] = length;
  }

  get sorted() {
    return this.#list.slice(0, this.count).sort();
  }
}

/**
 * Find the states of a name in ]from, to].
 *
 * @param traces Of the model.
 * @param isWanted Asked now and then; false: no result is needed any more.
 * @param onPart Called with the share that is done.
 *
 * @return {lengths, longest, isExact}: lengths in ns, the shortest first, and
 *         the longest states as {trace, index, chunk, start, length}; isExact is
 *         false if a page has not all of the states. null: it is not wanted any more.
 */
export async function durationsOf(
  traces,
  name,
  { from, to, isWanted = () => true, onPart = () => {} },
) {
  const lengths = new Lengths();
  const longest = new Longest();
  const slices = new Slices();
  let isExact = true;

  for (const [done, trace] of traces.entries()) {
    const { states } = trace;

    await states.track.refresh();
    const level = states.levels[0];
    const number = states.track.names.indexOf(name);

    if (!isWanted()) return null;
    if (!level) continue;
    isExact &&= states.isExact && states.track.isComplete;
    if (number < 0) continue;
    for (const chunk of chunksBetween(level, from, to)) {
      const data = await states.track.load(level, chunk, 0);

      if (!isWanted()) return null;
      addChunk(data, number, { from, to }, (i) => {
        lengths.add(data.lengths[i]);
        longest.add(data.lengths[i], () => ({
          trace: trace.number,
          chunk,
          index: i,
          start: data.base + BigInt(data.starts[i]),
        }));
      });
      if (await slices.rest()) onPart(done / traces.length);
    }
  }
  return { lengths: lengths.sorted, longest: longest.sorted, isExact };
}

function addChunk(data, number, { from, to }, add) {
  const [start, end] = [Number(from - data.base), Number(to - data.base)];
  const { starts, lengths, names, isEvent } = data;

  for (let i = 0; i < starts.length && starts[i] < end; i++)
    if (
      names[i] === number &&
      !isEvent[i] &&
      (starts[i] + lengths[i] > start || starts[i] >= start)
    )
      add(i);
}

/** The length below which a share of all is; NaN of none. */
export function quantileOf(sorted, share) {
  if (!sorted.length) return NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** The share of lengths that are below one: of equal ones half. */
export function rankOf(sorted, length) {
  let [low, high] = [0, 0];

  for (const other of sorted) {
    if (other < length) low++;
    if (other <= length) high++;
  }
  return sorted.length ? (low + high) / 2 / sorted.length : NaN;
}

/** Bins from the shortest to the longest: [{from, to, count}], in ns; each is wider
 *  than the one before by the same factor. Lengths of 0 have a bin. */
export function binsOf(sorted) {
  const bins = [];
  const at = (length) =>
    length > 0 ? Math.floor(Math.log10(length) * BINS + 1e-9) : -Infinity;
  const edge = (bin) => (bin === -Infinity ? 0 : 10 ** (bin / BINS));

  for (const length of sorted) {
    const bin = at(length);
    const last = bins.at(-1);

    if (last?.bin === bin) last.count++;
    else
      bins.push({
        bin,
        from: edge(bin),
        to: bin === -Infinity ? 0 : edge(bin + 1),
        count: 1,
      });
  }
  return bins;
}
