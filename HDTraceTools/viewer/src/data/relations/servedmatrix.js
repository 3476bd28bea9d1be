// SPDX-License-Identifier: LGPL-2.1-or-later
// The messages of an interval by sender and receiver, as the server counts them in the
// files, before the page has the messages themselves.
import { labelOf } from "../states/search.js";
import { Cell } from "./matrix.js";

/** So long it takes until it is asked again, in ms: at first, and at most. */
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 400;

/** Whether the server must be asked: it has not matched the messages yet. */
export function needsServedMatrix(model) {
  return (
    model.source.isServed &&
    !model.isJoined &&
    !model.meta.relations.length &&
    !model.messages.tracks[0].isComplete
  );
}

/** The number of the first trace of each rank. */
function tracesOfRanks(model) {
  const traces = new Map();

  for (const { node, number } of model.traces) {
    const rank = Number(labelOf(model, node, ["rank", "process"]) ?? NaN);

    if (!traces.has(rank)) traces.set(rank, number);
  }
  return traces;
}

/** What is sent, as cells: how long it was under way is not known. */
export function cellsOfPairs(model, pairs) {
  const traces = tracesOfRanks(model);
  const cells = [];
  let isExact = true;

  for (const { rank, peer, direction, count, unknown, sum_bytes: bytes } of pairs) {
    const [from, to] = [traces.get(rank), traces.get(peer)];

    if (direction !== "sent") continue;
    isExact &&= from !== undefined && to !== undefined;
    if (from === undefined || to === undefined) continue;
    const cell = new Cell(from, to);

    cell.add({ count, bytes: bytes ?? 0, unsized: unknown, ns: NaN });
    cells.push(cell);
  }
  return { cells, isExact };
}

/**
 * Ask until the counts are complete.
 *
 * @param interval {from, to, isAll}
 * @param isWanted Asked now and then; false: it is not wanted any more.
 * @param onPart   Is given how much has been read so far, from 0 to 1.
 *
 * @return {cells, isExact, isServed, hasFailed}; null if it is not wanted any more.
 */
export async function servedMatrix(model, interval, isWanted, onPart) {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, 2 * pause)) {
    const { pairs, done, total, isComplete, hasFailed } =
      await model.source.pairs(interval);

    if (!isWanted()) return null;
    if (isComplete || hasFailed)
      return { ...cellsOfPairs(model, pairs ?? []), isServed: true, hasFailed };
    onPart(total ? done / total : 0);
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!isWanted()) return null;
  }
}
