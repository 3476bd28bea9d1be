// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { nodeOfSelection, parseSelection, selectionText } from "../src/data/selected.js";

/** Two times of a text "1,2", as the view reads them. */
function times(text) {
  const match = /^(\d+),(\d+)$/.exec(text);

  return match && [BigInt(match[1]), BigInt(match[2])];
}

const EACH = {
  "t3,1,5": { kind: "state", trace: 3, start: 1n, end: 5n },
  "m0.12,1,1": { kind: "message", from: 0, to: 12, start: 1n, end: 1n },
  "r2.170,1,5": { kind: "relation", file: 2, number: 170, start: 1n, end: 5n },
  "s10.0,1,5": { kind: "entry", group: 10, column: 0, start: 1n, end: 5n },
  "f4,1,5": { kind: "finding", number: 4, start: 1n, end: 5n },
};

test("each kind of selection is written and read", () => {
  for (const [text, selection] of Object.entries(EACH)) {
    assert.equal(selectionText(selection, String), text);
    assert.deepEqual(parseSelection(text, times), selection);
  }
});

test("nonsense selects nothing", () => {
  for (const text of [
    null, "", "t", "t3", "t3,", "t3,1", "t3,5,1", "t,1,5", "t3.1,1,5", "m0,1,5",
    "m0.1.2,1,5", "m0.,1,5", "x3,1,5", "t-1,1,5", "t3,a,b", "s1e3.0,1,5",
  ])
    assert.equal(parseSelection(text, times), null, String(text));
});

test("a selection is of a node, if that exists", () => {
  const model = {
    traces: [{ node: "trace" }],
    relations: [{ node: "file" }],
    groups: [{ node: "group" }],
  };
  const nodeOf = (selection) => nodeOfSelection(model, selection);

  assert.equal(nodeOf({ kind: "state", trace: 0 }), "trace");
  assert.equal(nodeOf({ kind: "message", from: 0, to: 7 }), "trace");
  assert.equal(nodeOf({ kind: "relation", file: 0 }), "file");
  assert.equal(nodeOf({ kind: "entry", group: 0 }), "group");
  assert.equal(nodeOf({ kind: "state", trace: 9 }), undefined);
  assert.equal(nodeOf({ kind: "finding", number: 0 }), undefined);
  assert.equal(nodeOf(null), undefined);
});
