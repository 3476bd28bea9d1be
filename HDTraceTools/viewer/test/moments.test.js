// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { Moments } from "../src/data/series/moments.js";

function of(list) {
  const moments = new Moments();

  for (const [value, length] of list) moments.add(value, length);
  return moments;
}

/** What merge() takes, of moments. */
function itemOf(moments) {
  const { mean, deviation, min, max, integral } = moments.result;

  return {
    count: moments.count,
    missing: moments.missing,
    weight: moments.weight,
    integral: integral * 1e9,
    squares: deviation ** 2 * moments.weight,
    min,
    max,
    mean,
  };
}

function near(a, b, message) {
  assert.ok(Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b)), `${message}: ${a} ${b}`);
}

test("means are weighted by time", () => {
  const { mean, deviation, min, max, integral } = of([
    [10, 1e9],
    [20, 3e9],
  ]).result;

  near(mean, 17.5, "mean");
  near(deviation, Math.sqrt(18.75), "deviation");
  assert.equal(min, 10);
  assert.equal(max, 20);
  assert.equal(integral, 70);
});

test("what is missing takes part in nothing", () => {
  const moments = of([
    [NaN, 5e9],
    [4, 1e9],
  ]);

  assert.equal(moments.missing, 1);
  assert.equal(moments.count, 1);
  assert.equal(moments.weight, 1e9);
  assert.equal(moments.result.integral, 4);
});

test("nothing has no results", () => {
  assert.ok(Object.values(new Moments().result).every(Number.isNaN));
});

test("entries without a length count, but have no weight", () => {
  const moments = of([[5, 0]]);

  assert.equal(moments.count, 1);
  assert.equal(moments.result.max, 5);
  assert.ok(Number.isNaN(moments.result.mean));
});

test("extremes of integers are exact, whatever their size", () => {
  assert.equal(of([[2n ** 63n - 1n, 1]]).result.max, 2n ** 63n - 1n);
});

test("parts count with their length", () => {
  const moments = new Moments();

  moments.addPart(10, 1e9);
  assert.equal(moments.count, 1);
  assert.equal(moments.result.integral, 10);
  assert.equal(moments.result.mean, 10);
});

test("merging gives what adding gives", () => {
  const list = Array.from({ length: 1000 }, (_, i) => [
    Math.sin(i) * 100 + 300,
    1e6 + (i % 7) * 1e5,
  ]);
  const all = of(list).result;
  const merged = new Moments();

  for (let i = 0; i < list.length; i += 16)
    merged.merge(itemOf(of(list.slice(i, i + 16))));
  for (const key of Object.keys(all)) near(merged.result[key], all[key], key);
});

test("merging items without a value leaves the rest alone", () => {
  const moments = of([[7, 1e9]]);

  moments.merge({ count: 0, missing: 3, weight: 0, integral: 0, squares: 0, min: 0, max: 0 });
  assert.equal(moments.result.min, 7);
  assert.equal(moments.missing, 3);
});

test("what was reduced is guessed, and says how wrong it may be", () => {
  const truth = of([
    [0, 1e9],
    [100, 1e9],
  ]);
  const item = itemOf(truth);

  // Of two seconds at 0 and 100, the first or the second: 0 to 100.
  const moments = new Moments();

  moments.guess(item, 1e9, 2e9);
  const { integral } = moments.result;
  const { error } = moments;

  assert.equal(integral, 50);
  assert.ok(integral - error.integral <= 0 && integral + error.integral >= 100);
  // If the value is the same all the time there is no doubt.
  const constant = new Moments();

  constant.guess(itemOf(of([[5, 1e9], [5, 1e9]])), 1e9, 2e9);
  assert.equal(constant.error.integral, 0);
  assert.equal(constant.result.integral, 5);
});

test("exact results have no error", () => {
  assert.equal(of([[1, 1]]).error, null);
});
