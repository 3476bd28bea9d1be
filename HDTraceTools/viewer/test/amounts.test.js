// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { Amounts, GROWTH } from "../src/data/series/amounts.js";

function of(list, options) {
  const amounts = new Amounts(options);

  for (const entry of list) amounts.add(...entry);
  return amounts;
}

/** What merge() takes, of amounts. */
function itemOf(amounts, rest = 0) {
  const { total, ...results } = amounts.result;
  const { count, missing, bare, weight } = amounts;

  return { ...results, count, missing, bare, weight, sum: total, rest };
}

test("a delta has a total, a rate and a range", () => {
  const { total, rate, min, max, rateMin, rateMax } = of([
    [10, 1e9],
    [60, 3e9],
  ]).result;

  assert.deepEqual([total, rate, min, max], [70, 17.5, 10, 60]);
  assert.deepEqual([rateMin, rateMax], [10, 20]);
});

test("rates are in their unit: Wh by h are W", () => {
  assert.equal(of([[1, 2e9]], { factor: 3600 }).result.rate, 1800);
});

test("a counter's growth that is not known takes part in nothing", () => {
  const counter = of(
    [
      [NaN, 1e9, GROWTH.unknown],
      [NaN, 1e9, GROWTH.missing],
      [5, 1e9, GROWTH.known],
      [3, 1e9, GROWTH.reset],
    ],
    { isCounter: true },
  );

  assert.deepEqual(
    [counter.entries, counter.count, counter.missing, counter.weight],
    [3, 2, 1, 2e9],
  );
  assert.deepEqual([counter.result.total, counter.result.resets], [8, 1]);
});

test("totals of integers are exact, whatever their size", () => {
  const large = 2n ** 63n - 1n;

  assert.equal(
    of([[large, 1], [large, 1], [3, 1]], { isInteger: true }).result.total,
    2n ** 64n + 1n,
  );
  // Growth of counters comes in doubles, and what these do not hold.
  const counter = new Amounts({ isInteger: true, isCounter: true });

  counter.merge(itemOf(of([[2 ** 60, 1e9]]), 5));
  counter.add(2, 1e9);
  assert.equal(counter.result.total, 2n ** 60n + 7n);
});

test("parts count with their share, at the rate of all", () => {
  const amounts = new Amounts({ isInteger: true });

  amounts.addPart(10, 1e9, 4e9);
  assert.deepEqual(
    [amounts.result.total, amounts.result.rate, amounts.result.max],
    [2.5, 2.5, 10],
  );
});

test("of several parts the last one has the reset", () => {
  for (const [hasEnd, resets] of [
    [false, 0],
    [true, 1],
  ]) {
    const counter = new Amounts({ isCounter: true });

    counter.addPart(4, 1e9, 2e9, GROWTH.reset, hasEnd);
    assert.equal(counter.result.resets, resets);
  }
});

test("an amount in no time has no rate, but counts", () => {
  const { total, rate, rateMin } = of([[5, 0]]).result;

  assert.equal(total, 5);
  assert.ok(Number.isNaN(rate) && Number.isNaN(rateMin));
});

test("nothing has no results", () => {
  const { resets, ...others } = new Amounts().result;

  assert.equal(resets, 0);
  assert.ok(Object.values(others).every(Number.isNaN));
});

test("merging gives what adding gives", () => {
  const list = Array.from({ length: 1000 }, (_, i) => [
    i % 50 ? (i * 37) % 101 : NaN,
    1e6 + (i % 7) * 1e5,
    i % 50 ? (i % 90 ? GROWTH.known : GROWTH.reset) : GROWTH.unknown,
  ]);
  const all = of(list);
  const merged = new Amounts();

  for (let i = 0; i < list.length; i += 16)
    merged.merge(itemOf(of(list.slice(i, i + 16))));
  assert.deepEqual(merged.result, all.result);
  assert.deepEqual(
    [merged.count, merged.bare, merged.weight],
    [all.count, all.bare, all.weight],
  );
});

test("what was reduced is guessed, and says how wrong it may be", () => {
  const item = itemOf(of([[0, 1e9], [100, 1e9]]));
  const amounts = new Amounts();

  // Of two seconds with 0 and 100, the first or the second: 0 to 100.
  amounts.guess(item, 1e9, 2e9);
  const { total, rate } = amounts.result;
  const { error } = amounts;

  assert.deepEqual([total, rate], [50, 50]);
  assert.ok(total - error.total <= 0 && total + error.total >= 100);
  assert.ok(rate - error.rate <= 0 && rate + error.rate >= 100);
  assert.equal(of([[1, 1]]).error, null);
});
