// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds states and events by a query (query.js).
import { Slices } from "../codec/slices.js";
import { waitFinder, waitsOfStates } from "../relations/waits.js";

/** The label of the node that a node is or lies in, at the first level of a type, or
 *  of the next one if no level has it, as in roles.c; undefined: none. */
export function labelOf(model, node, types) {
  const levels = model.levelsOf(node);
  const level = types
    .map((type) => 1 + levels.findIndex((one) => one.toLowerCase().startsWith(type)))
    .find((number) => number > 0);

  for (let at = node; at; at = at.parent >= 0 ? model.nodes[at.parent] : null)
    if (at.level === level) return at.label;
  return undefined;
}

/** Paths of a node and of those above it, as its project has them. */
function pathsOf(model, node) {
  const paths = [];
  const { prefix = "" } = node.part ?? {};

  for (let at = node; at && at.level > 0; at = model.nodes[at.parent])
    paths.push(at.path.slice(prefix.length));
  return paths;
}

function placeOf(model, node) {
  return {
    nodes: pathsOf(model, node),
    rank: labelOf(model, node, ["rank", "process"]),
    thread: labelOf(model, node, ["thread", "part"]),
  };
}

/** The key of an item of a chunk. */
const keyOf = (chunk, i) => `${chunk.number}/${i}`;

/** Waits of the states of a trace, by their keys; null: it is not wanted any more. */
async function waitsByState(model, { states, number }, level, slices, isWanted) {
  const list = [];
  const waits = await model.waits.of(number, isWanted);

  if (!waits) return null;
  if (!waits.length) return new Map();
  const hasWait = waitFinder(waits);

  for (const chunk of level.chunks) {
    const data = await states.track.load(level, chunk, 0);

    if ((await slices.rest()) && !isWanted()) return null;
    for (let i = 0; i < data.starts.length; i++) {
      if (data.isEvent[i]) continue;
      const start = data.base + BigInt(data.starts[i]);
      const end = start + BigInt(data.lengths[i]);

      if (hasWait(start, end))
        list.push({ key: keyOf(chunk, i), depth: data.depths[i], start, end });
    }
  }
  list.sort((a, b) =>
    a.end === b.end ? b.depth - a.depth : a.end < b.end ? -1 : 1,
  );
  return new Map(
    [...waitsOfStates(list, waits)].map(([{ key }, own]) => [key, own]),
  );
}

/** States and events of a trace that match. */
async function* statesOf(model, trace, query, { slices, isWanted }) {
  const { states } = trace;
  const place = placeOf(model, trace.node);
  const hasAttributes = query.asks("@");
  const hasWaits = query.asks("wait");
  const [level] = states.levels;

  if (!query.matchesPlace(place) || !level) return;
  const isNamed = states.track.names.map((name) => query.matchesName(name));

  if (!isNamed.some(Boolean)) return;
  const own = hasWaits
    ? await waitsByState(model, trace, level, slices, isWanted)
    : new Map();

  if (!own) return;
  for (const chunk of level.chunks) {
    const data = await states.track.load(level, chunk, 0);

    await slices.rest();
    for (let i = 0; i < data.starts.length; i++) {
      if (!isNamed[data.names[i]]) continue;
      const start = data.base + BigInt(data.starts[i]);
      const item = {
        ...place,
        name: states.track.names[data.names[i]],
        start,
        end: start + BigInt(data.lengths[i]),
        isEvent: data.isEvent[i] === 1,
        trace: trace.number,
        chunk,
        index: i,
      };
      const found = own.get(keyOf(chunk, i)) ?? [];

      if (hasWaits && !item.isEvent) {
        item.waits = found.flatMap(({ kinds }) => kinds);
        item.waited = found.reduce((sum, wait) => sum + wait.end - wait.start, 0n);
      }
      if (hasAttributes) {
        const details = new Map((await states.details(item)) ?? []);

        item.attribute = (name) => details.get(name);
      }
      if (query.matches(item)) yield item;
    }
  }
}

/**
 * Find what matches a query.
 *
 * @param options {isWanted, onHit}: isWanted() is asked now and then; onHit() is
 *        called with each hit, in the order of the traces and of time.
 *
 * @return {isExact}: false if the page has not all items. null: it is not wanted
 *         any more.
 */
export async function search(model, query, { isWanted = () => true, onHit }) {
  const slices = new Slices();
  const hasWaits = query.asks("wait");
  let isExact = !hasWaits || model.waits.isExact;

  for (const trace of model.traces) {
    await trace.track.refresh();
    const { states } = trace;

    isExact &&=
      states.isExact &&
      states.track.isComplete &&
      (states.hasDetails || !query.asks("@"));
    for await (const item of statesOf(model, trace, query, { slices, isWanted })) {
      if (!isWanted()) return null;
      onHit(item);
    }
    if (!isWanted()) return null;
  }
  return { isExact };
}
