// SPDX-License-Identifier: LGPL-2.1-or-later
// Entries of a value one by one: the one at a time, the next, and how it is among all.
// In a page that is reduced they are the finest items that there are.
import { Slices } from "../codec/slices.js";
import { upperBound } from "./series.js";

function loadPair({ track, column }, level, chunk) {
  return Promise.all([
    track.load(level, chunk, 0),
    track.load(level, chunk, column + 1),
  ]);
}

/** An entry as Series.at() tells it, with its chunk and its index there. Index -1 is
 *  the last one of the chunk before, and the index behind the last one the first one of
 *  the next. null: there is none. */
export async function entryOf(series, number, index) {
  const { finest } = series.track;
  let chunk = finest?.chunks[number];

  if (chunk && index < 0) {
    chunk = finest.chunks[number - 1];
    index = (chunk?.count ?? 0) - 1;
  } else if (chunk && index >= chunk.count) {
    chunk = finest.chunks[number + 1];
    index = 0;
  }
  if (!chunk) return null;
  const [times, values] = await loadPair(series, finest, chunk);

  return {
    ...series.describe(finest, times, values, index),
    chunk: chunk.number,
    index,
  };
}

/** The one that a time lies in: an interval holds its end, not its start. */
export async function entryAt(series, time) {
  for (const chunk of series.track.finest?.chunks ?? []) {
    if (!(chunk.start < time && time <= chunk.end)) continue;
    const times = await series.track.load(series.track.finest, chunk, 0);
    const offset = Number(time - times.base);
    // The first whose end is not before.
    const i = upperBound(times.ends, offset - 1);

    if (i < times.ends.length && times.starts[i] < offset)
      return entryOf(series, chunk.number, i);
  }
  return null;
}

/**
 * How a value is among those of all entries that have one; of amounts, rates are
 * compared.
 *
 * @param isWanted Asked now and then; false: it is not wanted any more.
 *
 * @return {count, rank}: the share of those that are lower, of equal ones half. null: it
 *         is not wanted any more.
 */
export async function rankAmong(series, value, isWanted = () => true) {
  const { finest } = series.track;
  const slices = new Slices();
  let [low, equal, count] = [0, 0, 0];

  for (const chunk of finest?.chunks ?? []) {
    const { mean } = series.levelsOf(finest, ...(await loadPair(series, finest, chunk)));

    for (const other of mean) {
      if (Number.isNaN(other)) continue;
      count++;
      if (other < value) low++;
      else if (other === value) equal++;
    }
    if ((await slices.rest()) && !isWanted()) return null;
  }
  return { count, rank: (low + equal / 2) / count };
}
