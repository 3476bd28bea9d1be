// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { receiverWait } from "../src/data/relations/messages.js";
import { coveredBy, waitFinder, Waits, waitsOfStates } from "../src/data/relations/waits.js";

const span = (start, end, name) => ({ start: BigInt(start), end: BigInt(end), name });

test("a wait is of the innermost state that has all of it", () => {
  const inner = span(10, 20, "Recv");
  const other = span(20, 30, "Send");
  const outer = span(0, 40, "Solve");
  const found = waitsOfStates(
    [inner, other, outer],
    [
      span(0, 5, "outside of Recv"),
      span(10, 15, "late-sender"),
      span(15, 25, "over a border"),
      span(20, 30, "late-receiver"),
      span(35, 50, "longer than all"),
    ],
  );
  const names = (state) => (found.get(state) ?? []).map(({ name }) => name).sort();

  assert.deepEqual(names(inner), ["late-sender"]);
  assert.deepEqual(names(other), ["late-receiver"]);
  assert.deepEqual(names(outer), ["outside of Recv", "over a border"]);
});

test("of states that end together the inner one has the wait", () => {
  const inner = span(5, 20, "Wait");
  const outer = span(0, 20, "Waitall");

  assert.deepEqual(
    [...waitsOfStates([inner, outer], [span(6, 20, "late-sender")]).keys()],
    [inner],
  );
});

test("what others cover counts once, and inside only", () => {
  assert.equal(coveredBy([], 0n, 10n), 0);
  assert.equal(coveredBy([span(-5, 2), span(1, 4), span(8, 20)], 0n, 10n), 6);
  assert.equal(coveredBy([span(2, 8), span(3, 4)], 0n, 10n), 6);
  assert.equal(coveredBy([span(20, 30)], 0n, 10n), 0);
});

test("only a call that ends with a message waited for it", () => {
  const message = { sent: 15n, received: 20n };

  assert.equal(receiverWait(message, span(10, 20, "Recv")), 5);
  assert.equal(receiverWait(message, span(18, 20, "Wait")), -3);
  assert.equal(receiverWait(message, span(0, 40, "Solve")), null);
  assert.equal(receiverWait(message, null), null);
  assert.equal(receiverWait({ sent: 15n, received: 12n }, span(10, 12, "Recv")), null);
});

/** Waits of two projects: of each a chunk. */
function makeWaits(number = 0) {
  const data = {
    base: 1000n,
    starts: [0, 10, 50],
    lengths: [5, 100, 5],
    traces: [0, 1, 0],
    causes: [2, 0, 1],
    kinds: [0, 1, 0],
    flags: [1, 2, 0],
  };
  const level = { number, chunks: [{ start: 1000n, end: 1110n }] };
  const track = {
    names: ["late-sender", "barrier"],
    finest: level,
    isComplete: true,
    level: (wanted) => (wanted === number ? level : undefined),
    refresh: async () => {},
    load: async () => data,
  };

  return new Waits([
    { track, at: { traces: 0 } },
    { track, at: { traces: 10 } },
  ]);
}

test("waits in a stretch of time have traces among all", async () => {
  const waits = makeWaits();
  const list = [];

  assert.equal(await waits.each(1020n, 1049n, (wait) => list.push(wait)), true);
  assert.deepEqual(
    list.map(({ trace, cause, start, end, kinds, isUnsure }) => [
      trace, cause, start, end, kinds.join(), isUnsure,
    ]),
    [
      [1, null, 1010n, 1110n, "barrier", true],
      [11, null, 1010n, 1110n, "barrier", true],
    ],
  );
  list.length = 0;
  await waits.each(0n, 1001n, (wait) => list.push(wait));
  assert.deepEqual(
    list.map(({ cause, kinds }) => [cause, kinds.join()]),
    [
      [1, "late-sender,late-sender-wrong-order"],
      [11, "late-sender,late-sender-wrong-order"],
    ],
  );
  assert.equal(waits.isExact, true);
});

test("waits of a trace are found without those of others", async () => {
  const waits = makeWaits();
  const textOf = async (trace) =>
    (await waits.of(trace)).map(({ start, kind }) => `${start} ${kind}`);

  assert.deepEqual(await textOf(0), ["1000 late-sender", "1050 late-sender"]);
  assert.deepEqual(await textOf(11), ["1010 barrier"]);
  assert.deepEqual(await textOf(7), []);
});

test("a search that is not wanted any more ends within the waits", async () => {
  const waits = makeWaits();
  const { track } = waits.list[0];

  const { load } = track;

  track.load = async () => {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
    return load();
  };
  assert.equal(await waits.of(0, () => false), null);
});

test("stretches that contain a wait are told from those that do not", () => {
  const waits = [span(0, 30), span(5, 8), span(20, 40)];
  const has = waitFinder(waits);

  for (let start = -1; start < 22; start++)
    for (let end = start; end < 42; end++)
      assert.equal(
        has(BigInt(start), BigInt(end)),
        waits.some((wait) => wait.start >= start && wait.end <= end),
        `${start} to ${end}`,
      );
  assert.equal(waitFinder([])(0n, 10n), false);
});

test("waits that could not all be written are not exact", () => {
  const waits = makeWaits();

  waits.list[0].track.isCut = true;
  assert.equal(waits.isExact, false);
});

test("a page that has no room for waits says so", async () => {
  const waits = makeWaits(1);
  const list = [];

  await waits.each(0n, 2000n, (wait) => list.push(wait));
  assert.deepEqual([list.length, waits.isExact], [0, false]);
});
