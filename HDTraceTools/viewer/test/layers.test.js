// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { byOrder, idleOf, layersOf, partsOf, stack } from "../src/data/series/layers.js";
import { atOnce } from "../src/data/codec/slices.js";

const group = (node, name, ...values) => ({
  node,
  name,
  series: values.map(([value, kind]) => ({ value: { name: value, kind } })),
});
const gauge = (node, name) =>
  group(node, name, ["Pending", "gauge"], ["Bytes", "delta"]);

test("layers are groups with a gauge Pending, by node and in order", () => {
  const nodes = layersOf([
    gauge("a", "TROVE"),
    group("a", "Energy", ["P", "gauge"]),
    gauge("b", "REQ"),
    gauge("a", "REQ"),
    group("b", "X", ["Pending", "delta"]),
    gauge("a", "Own"),
    gauge("a", "Another"),
  ]);

  assert.deepEqual(
    nodes.map(({ node, layers }) => [node, layers.map(({ name }) => name)]),
    [
      ["a", ["REQ", "TROVE", "Another", "Own"]],
      ["b", ["REQ"]],
    ],
  );
  assert.equal(nodes[0].layers[0].bytes.value.name, "Bytes");
});

test("each project has its own order", () => {
  const groups = [gauge("a", "X"), gauge("a", "Y"), gauge("b", "X"), gauge("b", "Y")];
  const nodes = layersOf(groups, ({ node }) =>
    node === "a" ? ["Y", "X"] : ["X", "Y"],
  );

  assert.deepEqual(
    nodes.map(({ layers }) => layers.map(({ name }) => name)),
    [
      ["Y", "X"],
      ["X", "Y"],
    ],
  );
});

test("what was idle is measured in time, and not in entries or parts", () => {
  const items = [
    [0, 1, 3],
    [1, 2, 0],
    [2, 3, 1],
    [5, 10, 0],
  ];

  assert.deepEqual(atOnce(idleOf(items)), { idle: 6 / 8, isMost: false });
  assert.deepEqual(atOnce(idleOf([])), { idle: NaN, isMost: false });
});

test("what was throttled was idle for at most that", () => {
  // 2 on average and 4 at most: for half of the time at least. Then always 1 or 2.
  const items = [
    [0, 2, 2],
    [2, 4, 1.5],
    [4, 8, 0],
  ];
  const least = [
    [0, 2, 0],
    [2, 4, 1],
    [4, 8, 0],
  ];
  const most = [
    [0, 2, 4],
    [2, 4, 2],
    [4, 8, 0],
  ];

  assert.deepEqual(atOnce(idleOf(items, least, most)), {
    idle: 5 / 8,
    isMost: true,
  });
  assert.deepEqual(atOnce(idleOf(items.slice(1), least, most)), {
    idle: 1 - 2 / 6,
    isMost: false,
  });
});

test("a report says the order", () => {
  const names = [{ name: "A" }, { name: "C" }, { name: "B" }];

  names.sort(byOrder(["C", "B"]));
  assert.deepEqual(
    names.map(({ name }) => name),
    ["C", "B", "A"],
  );
});

test("items lie in parts as far as they reach", () => {
  // 2 from 0 to 5, nothing known to 7, 4 to 8, 0 to 10.
  const items = [
    [0, 5, 2],
    [7, 8, 4],
    [8, 10, 0],
  ];

  assert.deepEqual(
    [...atOnce(partsOf(items, 10, 5))],
    [2, 2, 2, 4, 0],
  );
  assert.deepEqual([...atOnce(partsOf(items, 10, 2))], [2, 4 / 3]);
  assert.deepEqual([...atOnce(partsOf([[5, 10, 1]], 10, 2))], [NaN, 1]);
});

test("the last layer is at the bottom", () => {
  assert.deepEqual(
    stack([
      [1, 2, NaN],
      [3, NaN, NaN],
      [10, 20, NaN],
    ]),
    [
      [14, 22, null],
      [13, 20, null],
      [10, 20, null],
    ],
  );
});
