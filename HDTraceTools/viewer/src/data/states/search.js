// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds states and events by a query (query.js).
import { Slices } from "../codec/slices.js";
import { waitsOfStates } from "../relations/waits.js";

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

/** Waits by the traces that wait; null: it is not wanted any more. */
async function waitsByTrace(model, isWanted) {
  const all = new Map();
  const isDone = await model.waits.each(
    model.start,
    model.end,
    (wait) => {
      const list = all.get(wait.trace);

      if (list) list.push(wait);
      else all.set(wait.trace, [wait]);
    },
    isWanted,
  );

  return isDone ? all : null;
}

/** The key of an item of a chunk. */
const keyOf = (chunk, i) => `${chunk.number}/${i}`;

/** Waits of the states of a trace, by their keys. */
async function waitsByState(states, level, waits, slices) {
  const list = [];

  if (!waits) return new Map();
  for (const chunk of level.chunks) {
    const data = await states.track.load(level, chunk, 0);

    await slices.rest();
    for (let i = 0; i < data.starts.length; i++) {
      if (data.isEvent[i]) continue;
      const start = data.base + BigInt(data.starts[i]);

      list.push({
        key: keyOf(chunk, i),
        depth: data.depths[i],
        start,
        end: start + BigInt(data.lengths[i]),
      });
    }
  }
  list.sort((a, b) =>
    a.end === b.end ? b.depth - a.depth : a.end < b.end ? -1 : 1,
  );
  return new Map(
    [...waitsOfStates(list, waits)].map(([{ key }, own]) => [key, own]),
  );
}

/** States and events of a trace that match. @param waits Of the trace, if any. */
async function* statesOf(model, trace, query, { slices, waits }) {
  const { states } = trace;
  const place = placeOf(model, trace.node);
  const hasAttributes = query.asks("@");
  const [level] = states.levels;

  if (!query.matchesPlace(place) || !level) return;
  const own = await waitsByState(states, level, waits, slices);
  const isNamed = states.track.names.map((name) => query.matchesName(name));

  if (!isNamed.some(Boolean)) return;
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

      if (waits && !item.isEvent) {
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
  const waits = hasWaits ? await waitsByTrace(model, isWanted) : new Map();
  let isExact = !hasWaits || model.waits.isExact;

  if (!waits) return null;
  for (const trace of model.traces) {
    await trace.track.refresh();
    const { states } = trace;

    isExact &&=
      states.isExact &&
      states.track.isComplete &&
      (states.hasDetails || !query.asks("@"));
    const more = { slices, waits: waits.get(trace.number) };

    for await (const item of statesOf(model, trace, query, more)) {
      if (!isWanted()) return null;
      onHit(item);
    }
    if (!isWanted()) return null;
  }
  return { isExact };
}
