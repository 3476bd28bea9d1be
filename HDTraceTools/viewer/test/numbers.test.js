// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import {
  levelText,
  bounded,
  exact,
  exactFloat,
  fileSize,
  isVisible,
  percent,
  quantity,
  rangeText,
  rounded,
  short,
} from "../src/data/numbers.js";

test("rounded numbers look as in hdtrace stat", () => {
  assert.equal(rounded(141.933123), "141.9");
  assert.equal(rounded(54789.04), "54789");
  assert.equal(rounded(0.6518401), "0.6518");
  assert.equal(rounded(0.00012), "0.0001200");
  assert.equal(rounded(0.00001234567), "1.235e-05");
  assert.equal(rounded(1.5e12), "1.500e+12");
  assert.equal(rounded(144739117), "144739117");
  assert.equal(rounded(0), "0");
  assert.equal(rounded(-2.5), "-2.500");
  assert.equal(rounded(2n ** 63n), "9223372036854775808");
  assert.equal(rounded(Infinity), "Inf");
  assert.equal(rounded(NaN), "–");
  assert.equal(rounded(null), "–");
});

test("an error bound has two digits, which limit the number", () => {
  assert.equal(bounded(54.789, 5.21), "54.8 ± 5.3");
  assert.equal(bounded(54.789, 0.0123), "54.79 ± 0.02");
  assert.equal(bounded(99.486, 3.16446e-8), "99.49");
  assert.equal(bounded(200, 0.4), "200.0 ± 0.4");
  assert.equal(bounded(0.5, 12), "0.5 ± 12.0");
  assert.equal(bounded(7, null), "7");
  assert.ok(isVisible(0.01, 54.789));
  assert.ok(!isVisible(0.009, 54.789));
});

test("exact numbers have all digits", () => {
  assert.equal(exact(2n ** 64n - 1n), "18446744073709551615");
  assert.equal(exact(-(2n ** 63n)), "-9223372036854775808");
  assert.equal(exact(0.1), "0.1");
  assert.equal(exact(NaN), "no value");
  assert.equal(exactFloat(Math.fround(0.1)), "0.1");
  assert.equal(exactFloat(Math.fround(233.781)), "233.781");
  assert.equal(exactFloat(Math.fround(1e30)), "1e+30");
});

test("quantities have a prefix that fits", () => {
  assert.equal(quantity(114899, "J"), "114.9 kJ");
  assert.equal(quantity(0.0042, "W"), "4.2 mW");
  assert.equal(quantity(0, "W"), "0 W");
  assert.equal(quantity(1234567, "Blocks"), "1 234 567 Blocks");
  assert.equal(quantity(NaN, "W"), "–");
  assert.equal(fileSize(50e6), "50 MB");
  assert.equal(short(123082104), "123.1M");
  assert.equal(short(0), "0");
  assert.equal(percent(0.321), "32 %");
  assert.equal(percent(0.012), "1.2 %");
});

test("values under the pointer have four digits and a prefix", () => {
  const bytes = { unit: "B", base: "B", scale: 1 };

  assert.equal(levelText(16348385280n, bytes), "16.35 GB");
  assert.equal(levelText(1234567.891, { unit: "kB", base: "B", scale: 1e3 }), "1.235 GB");
  assert.equal(levelText(158.123456, { unit: "W", base: "W", scale: 1 }), "158.1 W");
  assert.equal(levelText(1234567890123n, { unit: "packets" }), "1.235T packets");
  assert.equal(levelText(99.98765, { unit: "%", base: "%", scale: 1 }), "99.99 %");
  assert.equal(levelText(12, { unit: "" }), "12");
  assert.equal(levelText(NaN, bytes), "–");
});

test("a mean has its extremes, and an equal unit once", () => {
  const power = { unit: "W", base: "W" };

  assert.equal(rangeText({ mean: 150, min: 100, max: 200 }, power), "150 (100 – 200) W");
  assert.equal(
    rangeText({ mean: 1100, min: 200, max: 2000 }, power),
    "1.1 kW (200 W – 2 kW)",
  );
  assert.equal(rangeText({ mean: 2, min: 1, max: 3 }, { unit: "" }), "2 (1 – 3)");
});
