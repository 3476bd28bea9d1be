// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { distance, findAlike, groupAlike, sharesOf } from "../src/data/states/behaviour.js";

const shares = (object) => new Map(Object.entries(object));

test("the distance of distributions is that of Jensen and Shannon", () => {
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a}, not ${b}`);

  near(distance(shares({ a: 1 }), shares({ a: 1 })), 0);
  near(distance(shares({ a: 1 }), shares({ b: 1 })), 1);
  // With m = 3/4, 1/4: (log2(2/3) / 2 + log2(2) / 2) / 2 + log2(4/3) / 2.
  near(distance(shares({ a: 0.5, b: 0.5 }), shares({ a: 1 })), 0.557923);
  near(distance(shares({ a: 1 }), shares({ a: 0.5, b: 0.5 })), 0.557923);
  near(distance(shares({ a: 0.36, b: 0.48, c: 0.16 }), shares({ a: 1 / 3, b: 1 / 3, c: 1 / 3 })), 0.180008);
});

test("shares are of the time in all states", () => {
  assert.deepEqual(
    [...sharesOf(new Map([["Send", 1], ["", 3], ["Recv", 0]]))],
    [["Send", 0.25], ["", 0.75]],
  );
  assert.deepEqual([...sharesOf(new Map())], []);
});

/** Ranks of hosts by their numbers: {number: [host, share of waiting]}. */
function makeRanks(list) {
  return Object.entries(list).map(([label, [host, waiting]]) => ({
    label,
    host,
    node: { number: 100 - Number(label) },
    shares: shares({ Solve: 1 - waiting, Recv: waiting }),
  }));
}

const labelsOf = (groups) =>
  groups.map((group) => group.map(({ label }) => Number(label)));

test("ranks of a host that behave alike are together, the lowest leads", () => {
  const ranks = makeRanks({
    0: ["a", 0.1],
    1: ["a", 0.101],
    2: ["a", 0.9],
    9: ["a", 0.1],
    10: ["a", 0.102],
    11: ["b", 0.1],
    12: ["b", 0.1],
  });
  const wanted = [[0, 1, 9, 10], [2], [11, 12]];

  // In any order.
  for (let i = 0; i < ranks.length; i++) {
    ranks.push(ranks.shift());
    assert.deepEqual(labelsOf(groupAlike(ranks)).sort((x, y) => x[0] - y[0]), wanted);
    assert.deepEqual(
      labelsOf(groupAlike([...ranks].reverse())).sort((x, y) => x[0] - y[0]),
      wanted,
    );
  }
});

test("a rank is like its leader, not like one that is like it", () => {
  // Neighbours are alike, the ends are not.
  const ranks = makeRanks({ 3: ["a", 0.4], 4: ["a", 0.44], 5: ["a", 0.48], 6: ["a", 0.52] });

  assert.ok(distance(ranks[0].shares, ranks[1].shares) <= 0.05);
  assert.ok(distance(ranks[0].shares, ranks[2].shares) > 0.05);
  assert.deepEqual(labelsOf(groupAlike(ranks)), [[3, 4], [5, 6]]);
});

test("time outside of states counts", async () => {
  const nodes = [
    { number: 0, level: 0, parent: -1, label: "run" },
    { number: 1, level: 1, parent: 0, label: "a" },
    { number: 2, level: 2, parent: 1, label: "0" },
    { number: 3, level: 2, parent: 1, label: "1" },
    { number: 4, level: 2, parent: 1, label: "2" },
  ];
  const trace = (node, own) => ({
    node: nodes[node],
    track: { isComplete: node !== 4, range: { start: 0n, end: 100n } },
    states: {
      profile: async () => ({ names: new Map([["Recv", { name: "Recv", own }]]) }),
    },
  });
  const model = {
    nodes,
    levelsOf: () => ["Host", "Rank"],
    traces: [trace(4, 50), trace(3, 10), trace(2, 10)],
  };
  const found = await findAlike(model, { from: -1n, to: 100n });

  assert.deepEqual(labelsOf(found.groups), [[0, 1], [2]]);
  assert.equal(found.isComplete, false);
  assert.deepEqual([...found.groups[0][0].shares], [["Recv", 0.1], ["", 0.9]]);
  assert.equal(await findAlike(model, { from: -1n, to: 100n }, () => false), null);
});
