// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import {
  exact,
  exactFloat,
  fileSize,
  percent,
  quantity,
  rounded,
  short,
} from "../src/data/numbers.js";

test("rounded numbers look as those of hdtrace stat", () => {
  assert.equal(rounded(141.933123), "141.933");
  assert.equal(rounded(54789.04), "54789.0");
  assert.equal(rounded(0.6518401), "0.651840");
  assert.equal(rounded(0.00012), "0.000120");
  assert.equal(rounded(0.00001234567), "1.23457e-05");
  assert.equal(rounded(1.5e12), "1.50000e+12");
  assert.equal(rounded(144739117), "144739117");
  assert.equal(rounded(0), "0");
  assert.equal(rounded(-2.5), "-2.50000");
  assert.equal(rounded(2n ** 63n), "9223372036854775808");
  assert.equal(rounded(Infinity), "Inf");
  assert.equal(rounded(NaN), "–");
  assert.equal(rounded(null), "–");
});

test("exact numbers lose nothing", () => {
  assert.equal(exact(2n ** 64n - 1n), "18446744073709551615");
  assert.equal(exact(-(2n ** 63n)), "-9223372036854775808");
  assert.equal(exact(0.1), "0.1");
  assert.equal(exact(NaN), "no value");
  assert.equal(exactFloat(Math.fround(0.1)), "0.1");
  assert.equal(exactFloat(Math.fround(233.781)), "233.781");
  assert.equal(exactFloat(Math.fround(1e30)), "1e+30");
});

test("quantities have the prefix that suits them", () => {
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
