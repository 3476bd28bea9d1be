// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { differenceOf, Known, knownOf, knownOfNodes, leastKnown } from "../src/data/energy/known.js";

/** Of 2 s in ns, at 100 W: known part, energy, mean power, note. */
const ROWS = [
  [2e9, "200 J", "100 W", ""],
  [1.99e9, "199 J", "100 W", ""],
  [1.988e9, "≥ 198.8 J", "100 W", "power is known for 99.4 % of the time"],
  [1.9899e9, "≥ 199 J", "100 W", "power is known for 99.4 % of the time"],
  [1e9, "≥ 100 J", "100 W", "power is known for 50 % of the time"],
  [0.98e9, "≥ 98 J", "unknown", "power is known for 49 % of the time"],
  [1, "≥ 100 nJ", "unknown", "power is known for 0 % of the time"],
  [0, "unknown", "unknown", "power is unknown here"],
];

for (const [ns, total, mean, note] of ROWS)
  test(`known for ${ns / 2e7} %`, () => {
    const known = new Known(ns, 2e9);
    const joules = (ns / 1e9) * 100;

    assert.equal(known.total(joules), total);
    assert.equal(known.mean((joules / ns) * 1e9), mean);
    assert.equal(known.note, note);
  });

test("a partly known estimate has both marks", () => {
  assert.equal(
    new Known(1, 2).total(10, { error: 0.5 }),
    "≥ ≈ 10 J ± 500 mJ",
  );
  assert.equal(new Known(2, 2).mean(5, { error: 0.5 }), "≈ 5 W");
});

test("no duration has no known time", () => {
  assert.equal(new Known(0, 0).total(0), "unknown");
  assert.equal(new Known(0, 0).mean(NaN), "unknown");
});

test("the shortest known time of several nodes counts", () => {
  const list = [new Known(2, 2), new Known(0.5, 2), new Known(1, 2)];

  assert.equal(leastKnown(list).share, 0.25);
});

test("an unknown node leaves a lower bound", () => {
  const known = leastKnown([new Known(2, 2), new Known(0, 2)]);

  assert.equal(known.total(10), "≥ 10 J");
  assert.equal(known.mean(5), "unknown");
  assert.equal(
    known.note,
    "the power of a node is known for 0 % of the time",
  );
  assert.equal(leastKnown([new Known(0, 2), new Known(0, 2)]).total(0), "unknown");
});

test("reports say how long energy is known", () => {
  assert.equal(knownOf(null, 4).total(0), "unknown");
  assert.equal(knownOf({ seconds: 1 }, 4).share, 0.25);
  assert.equal(knownOf({ seconds: 4, known_s: "2.0" }, 4).share, 0.5);
});

test("the power of nodes is that of each while it is known", () => {
  const { known, watts } = knownOfNodes(
    [{ joules: 100, seconds: 1 }, { joules: 100, seconds: 2 }, null],
    2,
  );

  assert.equal(watts, 150);
  assert.equal(known.share, 0);
  assert.equal(knownOfNodes([], 2).known.total(0), "unknown");
});

test("lower bounds have no difference", () => {
  const run = (name, joules, known) => ({ name, joules, known: new Known(known, 1000) });

  assert.deepEqual(differenceOf(run("a", 100, 1000), run("b", 160, 996)), {
    joules: 60,
    note: "",
  });
  const { joules, note } = differenceOf(run("a", 162.29, 600), run("b", 100, 1000));

  assert.ok(Number.isNaN(joules));
  assert.equal(note, "a: power is known for 60 % of the time");
  assert.match(
    differenceOf(run("a", 0, 0), run("b", 5, 500)).note,
    /^a: power is unknown here; b: power is known for 50 %/,
  );
});
