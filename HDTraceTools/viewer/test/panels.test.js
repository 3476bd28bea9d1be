// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { stateProfile } from "../src/data/energy/energy.js";
import { balanceOf, evenness, iterationsOf } from "../src/data/states/balance.js";
import { callTree } from "../src/data/states/calls.js";
import { binsOf, quantileOf, rankOf } from "../src/data/states/durations.js";
import { Profile } from "../src/data/states/states.js";
import { groupCells, matrixOf } from "../src/data/relations/matrix.js";
import { needsServedMatrix, servedMatrix } from "../src/data/relations/servedmatrix.js";

const call = (depth, parent, name, ns, joules = 0) => ({
  depth,
  parent,
  name,
  count: 1,
  ns,
  joules,
  known: ns,
});

const outline = (nodes) =>
  nodes.map(({ name, ns, ownNs, children }) => [name, ns, ownNs, outline(children)]);

test("a call tree has what lies in what, the longest first", () => {
  const { roots, shared } = callTree([
    call(0, "", "Solve", 100, 50),
    call(0, "", "Write", 300),
    call(1, "Solve", "Send", 30, 10),
    call(1, "Solve", "Solve", 20),
    call(2, "Send", "Wait", 5),
  ]);

  assert.deepEqual(outline(roots), [
    ["Write", 300, 300, []],
    [
      "Solve",
      100,
      50,
      [
        ["Send", 30, 25, [["Wait", 5, 5, []]]],
        ["Solve", 20, 20, []],
      ],
    ],
  ]);
  assert.deepEqual(shared, []);
  assert.equal(roots[1].ownJoules, 40);
});

test("what has several possible callers is told apart from the tree", () => {
  const { roots, shared } = callTree([
    call(0, "", "A", 100),
    call(0, "", "B", 90),
    call(1, "A", "Send", 30),
    call(1, "B", "Send", 20),
    call(2, "Send", "Wait", 9),
    call(3, "Wait", "Poll", 2),
  ]);

  assert.deepEqual(
    roots.map(({ children }) => outline(children)),
    [[["Send", 30, 30, []]], [["Send", 20, 20, []]]],
  );
  assert.deepEqual(outline(shared), [["Wait", 9, 7, [["Poll", 2, 2, []]]]]);
  assert.deepEqual(shared[0].callers, ["Send"]);
});

test("quantiles and ranks of lengths", () => {
  const sorted = Float64Array.from([1, 2, 2, 3, 10]);

  assert.equal(quantileOf(sorted, 0.5), 2);
  assert.equal(quantileOf(sorted, 1), 10);
  assert.ok(Number.isNaN(quantileOf([], 0.5)));
  assert.equal(rankOf(sorted, 2), 0.4);
  assert.equal(rankOf(sorted, 10), 0.9);
  assert.equal(rankOf(sorted, 0), 0);
});

test("bins hold every length", () => {
  const sorted = Float64Array.from([0, 1, 1, 9.99, 10, 1000, 1e9]);
  const bins = binsOf(sorted);

  assert.equal(bins.reduce((sum, { count }) => sum + count, 0), sorted.length);
  for (const length of sorted) {
    const bin = bins.find(({ from, to }) => from <= length && (length < to || to === 0));

    assert.ok(bin, `${length}`);
  }
  assert.deepEqual([bins[0].from, bins[0].to, bins[0].count], [0, 0, 1]);
  assert.deepEqual(binsOf([]), []);
});

test("evenness is the mean by the largest", () => {
  assert.deepEqual(evenness([1, 3, 2]), { mean: 2, most: 3, ratio: 2 / 3 });
  assert.ok(Number.isNaN(evenness([]).ratio) && Number.isNaN(evenness([0]).ratio));
});

function messagesOf(list, number = 0) {
  const column = (key) => list.map((message) => message[key]);
  const data = {
    base: 1000n,
    sent: column(0),
    from: column(1),
    to: column(2),
    sizes: column(3),
    times: column(4),
  };
  const chunk = { start: 1000n, end: 2000n };
  const track = {
    isComplete: true,
    levels: [{ number, chunks: [chunk] }],
    refresh: async () => {},
    load: async () => data,
  };

  return { list: [{ track, at: { traces: 10 } }] };
}

test("a message is of the interval in which it was sent", async () => {
  const messages = messagesOf([
    [0, 0, 1, 8, 5],
    [50, 0, 1, -1, 7],
    [100, 0, 1, 16, 3],
    [100, 1, 0, 2, 1],
    [101, 1, 0, 4, 1],
  ]);
  const { cells, isExact } = await matrixOf(messages, 1000n, 1100n);

  assert.ok(isExact);
  assert.deepEqual(
    cells.map((cell) => ({ ...cell })),
    [
      { from: 10, to: 11, count: 2, bytes: 16, unsized: 1, ns: 10 },
      { from: 11, to: 10, count: 1, bytes: 2, unsized: 0, ns: 1 },
    ],
  );
  const [all] = groupCells(cells, () => 0);

  assert.deepEqual([all.count, all.bytes, all.ns], [3, 18, 11]);
  assert.equal((await matrixOf(messagesOf([], 1), 0n, 1n)).isExact, false);
  assert.equal(await matrixOf(messages, 0n, 9999n, () => false), null);
});

test("an iteration lasts from its earliest start to its latest end", async () => {
  const trace = (number, starts, lengths) => {
    const level = { chunks: [{ start: 0n, end: 1000n }] };
    const track = {
      names: ["Step"],
      isComplete: true,
      load: async () => ({
        base: 0n,
        starts,
        lengths,
        names: starts.map(() => 0),
        isEvent: starts.map(() => 0),
      }),
    };

    return { number, track, states: { track, levels: [level], isExact: true } };
  };
  const model = { traces: [trace(0, [10, 40], [20, 25]), trace(1, [15, 50], [22, 20])] };
  const of = async (from, to) => {
    const { list } = await iterationsOf(model, "Step", { from, to, isWanted: () => true });

    return list.map(({ start, end, most, traces, slowest }) =>
      [start, end, most, traces, slowest].map(Number),
    );
  };
  const all = [
    [10, 37, 22, 2, 1],
    [40, 70, 25, 2, 0],
  ];

  assert.deepEqual(await of(-1n, 1000n), all);
  // Where an iteration is marked, all of its states are seen.
  assert.deepEqual(await of(10n, 37n), [all[0]]);
  assert.deepEqual(await of(40n, 70n), [all[1]]);
});

test("numbers of traces say whether these were read", async () => {
  const modelOf = (...read) => ({
    meta: { powers: [] },
    traces: read.map((isComplete, number) => {
      const track = { isComplete, range: { start: 0n, end: 100n } };
      const profile = async () => {
        const found = new Profile();

        found.at("A").own = 30;
        return found;
      };

      return { number, track, states: { track, profile } };
    }),
  });
  const isCall = () => true;
  const isWanted = () => true;

  for (const read of [[true, true], [false, true], [true, false]]) {
    const model = modelOf(...read);
    const isRead = read.every(Boolean);
    const balance = await balanceOf(model, { from: 0n, to: 50n, isCall, isWanted });

    assert.equal((await stateProfile(model, 0n, 50n)).isRead, isRead);
    assert.deepEqual([balance.isExact, balance.isRead], [true, isRead]);
    assert.deepEqual(
      balance.rows.map(({ active, calls }) => [active, calls]),
      [
        [50, 30],
        [50, 30],
      ],
    );
  }
  assert.equal((await stateProfile(modelOf(false, true), 0n, 50n, new Set([1]))).isRead, true);
});

test("the server counts messages while traces are read", async () => {
  const node = (label, parent) => ({ label, parent, level: parent < 0 ? 0 : 1 });
  const asked = [];
  const answers = [
    { pairs: [], done: 1, total: 4, isComplete: false },
    {
      isComplete: true,
      done: 4,
      total: 4,
      pairs: [
        { rank: 7, peer: 3, direction: "sent", count: 5, unknown: 2, sum_bytes: 30 },
        { rank: 3, peer: 7, direction: "received", count: 5, unknown: 2, sum_bytes: 30 },
        { rank: 3, peer: 7, direction: "sent", count: 1, unknown: 1, sum_bytes: null },
        { rank: 3, peer: null, direction: "sent", count: 9, unknown: 0, sum_bytes: 9 },
      ],
    },
  ];
  const nodes = [node("run", -1), node("3", 0), node("7", 0)];
  const model = {
    nodes,
    root: nodes[0],
    isJoined: false,
    meta: { relations: [] },
    levelsOf: () => ["Rank"],
    traces: [1, 2].map((at) => ({ node: nodes[at], number: at - 1 })),
    messages: { tracks: [{ isComplete: false }] },
    source: {
      isServed: true,
      pairs: async (interval) => {
        asked.push(interval);
        return answers.shift();
      },
    },
  };
  const parts = [];
  const found = await servedMatrix(
    model,
    { from: 1n, to: 2n },
    () => true,
    (part) => parts.push(part),
  );

  assert.ok(needsServedMatrix(model));
  assert.deepEqual(parts, [0.25]);
  assert.deepEqual(asked, [{ from: 1n, to: 2n }, { from: 1n, to: 2n }]);
  assert.deepEqual(
    found.cells.map(({ from, to, count, bytes, unsized, ns }) => [from, to, count, bytes, unsized, ns]),
    [
      [1, 0, 5, 30, 2, NaN],
      [0, 1, 1, 0, 1, NaN],
    ],
  );
  assert.equal(found.isExact, false);
  model.messages.tracks[0].isComplete = true;
  assert.ok(!needsServedMatrix(model));
});
