// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { Model } from "../src/data/model.js";
import { giveTitles } from "../src/data/series/titles.js";

function titlesOf(...groups) {
  const list = groups.flatMap(([name, attributes, ...values]) => {
    const group = { name, attributes };

    return values.map((value) => ({
      group,
      value: { name: value },
      title: value,
    }));
  });

  giveTitles(list);
  return list.map(({ title }) => title);
}

test("values of one probe are called as they are", () => {
  assert.deepEqual(
    titlesOf(["Probe-assign", [["probe", "assign"]], "Instances", "Body"]),
    ["Instances", "Body"],
  );
});

test("of several probes the probe stands before", () => {
  assert.deepEqual(
    titlesOf(
      ["Probe-read-assign", [["probe", "read/assign"]], "Body", "Dispatch"],
      ["Probe-refine", [["probe", "refine"]], "Body"],
    ),
    ["read/assign: Body", "Dispatch", "refine: Body"],
  );
});

test("a transfer has two ends", () => {
  assert.deepEqual(
    titlesOf(
      ["Probe-a-b", [["probe", "a"], ["probeTo", "b"]], "Bytes"],
      ["Probe-a-c", [["probe", "a"], ["probeTo", "c"]], "Bytes"],
    ),
    ["a → b: Bytes", "a → c: Bytes"],
  );
});

test("probes of one name have the names of their groups", () => {
  assert.deepEqual(
    titlesOf(
      ["Probe-x", [["probe", "x"]], "Body"],
      ["Probe-x-2", [["probe", "x"]], "Body"],
      ["Probe-y", [["probe", "y"]], "Body"],
    ),
    ["Probe-x: Body", "Probe-x-2: Body", "y: Body"],
  );
});

test("other groups have their names", () => {
  assert.deepEqual(
    titlesOf(["Energy", [], "P"], ["Energy2", undefined, "P", "U"]),
    ["Energy: P", "Energy2: P", "U"],
  );
});

test("a project gives them, node by node", () => {
  const value = {
    name: "Body",
    unit: "s",
    base: "s",
    type: "DOUBLE",
    kind: "delta",
    grouping: "",
    rate: { unit: "s/s", base: "s/s", scale: 1, factor: 1 },
    attributes: [],
  };
  const group = (probe, node) => ({
    node,
    name: `Probe-${probe}`,
    attributes: [["probe", probe]],
    values: [value],
  });
  const model = new Model(
    {
      project: { name: "p", levels: ["Host"] },
      nodes: [
        { label: "p", path: "", parent: -1, level: 0 },
        { label: "n0", path: "n0", parent: 0, level: 1 },
        { label: "n1", path: "n1", parent: 0, level: 1 },
      ],
      groups: [group("assign", 1), group("refine", 1), group("assign", 2)],
      traces: [],
      relations: [],
      powers: [],
      communicators: [],
      start: null,
      report: null,
    },
    {},
  );

  assert.deepEqual(
    model.groups.map(({ series: [{ title }] }) => title),
    ["assign: Body", "refine: Body", "Body"],
  );
});
