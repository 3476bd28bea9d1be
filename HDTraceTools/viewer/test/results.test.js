// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { Amounts } from "../src/data/series/amounts.js";
import { Moments } from "../src/data/series/moments.js";
import { hasIntegral, resultsOf } from "../src/data/series/results.js";

const series = (kind) => ({ value: { kind, name: "X" } });

function filled(moments) {
  moments.add(4, 1e9);
  moments.add(8, 1e9);
  return moments;
}

/** Results that are there, and known. */
const namesOf = ({ known, ...results }) =>
  Object.keys(results).filter((key) => !Number.isNaN(results[key]));

test("each kind has what means something", () => {
  const all = (kind, moments) =>
    namesOf(resultsOf(series(kind), filled(moments), 2e9)).join(" ");

  assert.equal(all("gauge", new Moments()), "mean min max deviation integral");
  assert.equal(all("delta", new Amounts()), "min max sum total rate");
  assert.equal(
    all("counter", new Amounts({ isCounter: true })),
    "total rate rateMin rateMax resets",
  );
});

test("half of the time must be known for a mean or a rate", () => {
  const gauge = (length) =>
    resultsOf(series("gauge"), filled(new Moments()), length);
  const delta = (length) =>
    resultsOf(series("delta"), filled(new Amounts()), length);

  assert.deepEqual([gauge(4e9).mean, gauge(4e9).deviation], [6, 2]);
  assert.equal(delta(4e9).rate, 6);
  for (const results of [gauge(4e9 + 1), delta(4e9 + 1)])
    for (const key of ["mean", "deviation", "rate"])
      assert.ok(results[key] === undefined || Number.isNaN(results[key]), key);
  // Totals are what they are at least.
  assert.equal(gauge(4e9 + 1).integral, 12);
  assert.equal(delta(4e9 + 1).total, 12);
  assert.equal(delta(4e9 + 1).known.mark, "≥ ");
});

test("of nothing nothing is known", () => {
  assert.deepEqual(namesOf(resultsOf(series("gauge"), new Moments(), 1e9)), []);
  assert.deepEqual(namesOf(resultsOf(series("delta"), new Amounts(), 1e9)), []);
  assert.deepEqual(namesOf(resultsOf(series("counter"), new Amounts(), 1e9)), [
    "resets",
  ]);
});

test("power and rates have an integral, percentages and bytes have none", () => {
  const of = (unit, integral) => hasIntegral({ unit, integral });

  assert.ok(of("W", "J") && of("mW", "mJ") && of("B/s", "B") && of("", "s"));
  assert.ok(!of("%", "% s") && !of("B", "B s") && !of("C", "C s"));
});
