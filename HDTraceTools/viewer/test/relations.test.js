// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { Relations, Request } from "../src/data/relations/relations.js";

const SOURCE = {};

/** A chunk's columns of relations with these starts, all of one request. */
function listOf(base, starts) {
  const all = (value) => starts.map(() => value);

  return {
    base,
    starts: starts.map((start) => start - Number(base)),
    lengths: all(1),
    lanes: all(0),
    names: all(0),
    flags: all(0),
    numbers: starts,
    roots: all(7),
    parents: all(-1),
    before: all(0),
    after: all(0),
  };
}

/** A track of chunks, of which the first has one that lasts to the end. */
function trackOf(chunks) {
  const level = {
    number: 0,
    chunks: chunks.map((starts, number) => ({
      number,
      start: BigInt(starts[0]),
      end: number ? BigInt(starts.at(-1) + 1) : 1000n,
      count: starts.length,
    })),
  };

  return {
    id: "r0",
    source: SOURCE,
    names: ["read"],
    levels: [level],
    finest: level,
    isComplete: true,
    loaded: [],
    error: null,
    async refresh() {},
    async load(_, chunk) {
      if (this.error) throw this.error;
      this.loaded.push(chunk.number);
      return listOf(chunk.start, chunks[chunk.number]);
    },
  };
}

const CHUNKS = [[0, 10], [10, 20], [20, 30], [40, 50]];

for (const [from, to, wanted, loaded] of [
  [0n, 1000n, [0, 10, 10, 20, 20, 30, 40, 50], [0, 1, 2, 3]],
  [10n, 10n, [10, 10], [0, 1]],
  [20n, 30n, [20, 20, 30], [1, 2]],
  [31n, 39n, [], [2]],
  [45n, 49n, [], [3]],
  [51n, 60n, [], [3]],
])
  test(`those that begin from ${from} to ${to}`, async () => {
    const track = trackOf(CHUNKS);
    const found = [];

    await new Relations(track, 0, 0).begun(from, to, (list, i) =>
      found.push(list.numbers[i]),
    );
    assert.deepEqual(found, wanted);
    assert.deepEqual(track.loaded, loaded);
  });

test("a request that could not be loaded is loaded later", async () => {
  const track = trackOf(CHUNKS);
  const relations = new Relations(track, 0, 0);
  const request = new Request({ source: SOURCE }, 7, 20n, 30n);
  const model = { relations: [{ track, relations }] };

  track.error = new Error("gone");
  await assert.rejects(request.load(model), /gone/);
  assert.equal(request.list, null);
  track.error = null;
  await request.load(model);
  assert.deepEqual(
    request.list.map(({ number }) => number),
    [20, 20, 30],
  );
});
