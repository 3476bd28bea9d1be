// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import {
  formatDate,
  formatLength,
  formatSeconds,
  formatSecondsShort,
  parseSeconds,
  tickLabel,
  tickStep,
} from "../src/data/time.js";

test("seconds are parsed exactly", () => {
  assert.equal(parseSeconds("1247419294.305196001"), 1247419294305196001n);
  assert.equal(parseSeconds("12"), 12000000000n);
  assert.equal(parseSeconds("-0.5"), -500000000n);
  assert.equal(parseSeconds(" 1. "), 1000000000n);
  assert.equal(parseSeconds("+3"), 3000000000n);
  assert.equal(parseSeconds("9223372036.854775807"), 9223372036854775807n);
  assert.equal(parseSeconds("1.1234567899"), 1123456789n);
});

test("what is no number of seconds is none", () => {
  for (const text of ["", "x", "1e3", "1 2", "--1", "NaN", "1.2.3", ".5"])
    assert.equal(parseSeconds(text), null, text);
});

test("seconds are written as they are", () => {
  assert.equal(formatSeconds(1247419294305196001n), "1247419294.305196001");
  assert.equal(formatSeconds(-1n), "-0.000000001");
  assert.equal(formatSeconds(1500000000n, 3), "1.500");
  assert.equal(formatSeconds(1500000000n, 0), "1");
  assert.equal(formatSecondsShort(1500000000n), "1.5");
  assert.equal(formatSecondsShort(2000000000n), "2");
  assert.equal(formatSecondsShort(0n), "0");
  for (const ns of [0n, 1n, -1n, 123456789012345678n, -5000000000n])
    assert.equal(parseSeconds(formatSecondsShort(ns)), ns);
});

test("lengths have a unit that suits them", () => {
  assert.equal(formatLength(0), "0 ns");
  assert.equal(formatLength(999), "999 ns");
  assert.equal(formatLength(1500), "1.500 µs");
  assert.equal(formatLength(60.081e9), "60.08 s");
  assert.equal(formatLength(12345e9), "3 h 25 min");
});

test("ticks are at round numbers, with as many digits as they need", () => {
  assert.equal(tickStep(100e9, 10), 10e9);
  assert.equal(tickStep(90, 10), 10);
  assert.equal(tickStep(3, 10), 1);
  assert.equal(tickLabel(1500000000n, 500e6), "1.5");
  assert.equal(tickLabel(3000000000n, 1e9), "3");
  assert.equal(tickLabel(1n, 1), "0.000000001");
  assert.equal(tickLabel(20000000000n, 20e9), "20");
});

test("dates are in UTC", () => {
  assert.equal(
    formatDate(1247419294305196001n, 6),
    "2009-07-12 17:21:34.305196 UTC",
  );
  assert.equal(formatDate(0n, 0), "1970-01-01 00:00:00 UTC");
});
