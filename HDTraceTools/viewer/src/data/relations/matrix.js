// SPDX-License-Identifier: LGPL-2.1-or-later
// The messages of an interval by sender and receiver: how many, how many bytes, how
// long they were under way. A message is of the interval in which it was sent.
import { Slices } from "../codec/slices.js";
import { chunksBetween } from "../codec/track.js";

/** Messages between two places: of those whose size is not known, how many. */
export class Cell {
  constructor(from, to) {
    Object.assign(this, { from, to, count: 0, bytes: 0, unsized: 0, ns: 0 });
  }

  add({ count, bytes, unsized, ns }) {
    this.count += count;
    this.bytes += bytes;
    this.unsized += unsized;
    this.ns += ns;
  }
}

/** Of two numbers one; traces are fewer than 2^26. */
const pair = (from, to) => from * 2 ** 26 + to;

/**
 * Add up messages.
 *
 * @param messages Of the model.
 * @param isWanted Asked now and then; false: no result is needed any more.
 *
 * @return {cells, isExact}: a Cell for each pair of traces, by numbers among all;
 *         isExact is false if the page has some of the messages only. null: it is
 *         not wanted any more.
 */
export async function matrixOf(messages, from, to, isWanted = () => true) {
  const cells = new Map();
  const slices = new Slices();
  let isExact = true;

  for (const { track, at } of messages.list) {
    await track.refresh();
    const level = track.levels[0];

    if (!level) continue;
    isExact &&= level.number === 0 && track.isComplete;
    for (const chunk of chunksBetween(level, from, to)) {
      const data = await track.load(level, chunk, 0);

      await slices.rest();
      if (!isWanted()) return null;
      addChunk(cells, data, at.traces, Number(from - data.base), Number(to - data.base));
    }
  }
  return { cells: [...cells.values()], isExact };
}

/** Add those of a chunk that were sent in ]start, end]. */
function addChunk(cells, data, first, start, end) {
  const { sent, times, from, to, sizes } = data;

  for (let i = 0; i < sent.length && sent[i] <= end; i++) {
    if (sent[i] <= start) continue;
    const key = pair(from[i] + first, to[i] + first);
    let cell = cells.get(key);

    if (!cell) {
      cell = new Cell(from[i] + first, to[i] + first);
      cells.set(key, cell);
    }
    const size = Number(sizes[i]);

    cell.count++;
    cell.ns += times[i];
    if (size >= 0) cell.bytes += size;
    else cell.unsized++;
  }
}

/** The same between groups of traces, as nodes: groupOf() gives each its number. */
export function groupCells(cells, groupOf) {
  const groups = new Map();

  for (const cell of cells) {
    const [from, to] = [groupOf(cell.from), groupOf(cell.to)];
    const key = pair(from, to);

    if (!groups.has(key)) groups.set(key, new Cell(from, to));
    groups.get(key).add(cell);
  }
  return [...groups.values()];
}
