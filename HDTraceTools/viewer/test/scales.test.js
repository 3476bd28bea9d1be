// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { rangeAround, Scales } from "../src/draw/scales.js";
import { binWidth } from "../src/data/series/histogram.js";
import { PixelColumns } from "../src/data/series/sampling.js";

test("ranges begin at zero if that takes little", () => {
  assert.equal(rangeAround(10, 100, false)[0], 0);
  assert.ok(rangeAround(124, 223, false)[0] > 110);
  assert.equal(rangeAround(124, 223, true)[0], 0);
  assert.ok(rangeAround(-5, 5, false)[0] < -5);
  assert.equal(rangeAround(-100, -10, false)[1], 0);
});

test("ranges have a length, whatever the values", () => {
  for (const [min, max] of [
    [0, 0],
    [5, 5],
    [-5, -5],
    [NaN, NaN],
    [Infinity, -Infinity],
    [1e300, 1e300],
  ]) {
    const [low, high] = rangeAround(min, max, false);

    assert.ok(low < high, `${min} ${max}: ${low} ${high}`);
  }
});

const make = (name, grouping, unit, extent) => ({
  key: name,
  extent,
  value: { name, grouping },
  level: { unit },
});

test("values of a grouping have one scale, all others their own", () => {
  const view = {
    isCommonScale: true,
    isFromZero: false,
    isFitted: false,
    ranges: new Map(),
  };
  const scales = new Scales(view);
  const a = make("A", "G", "W", { min: 0, max: 10 });
  const b = make("B", "G", "W", { min: 0, max: 100 });
  const c = make("C", "", "W", { min: 0, max: 5 });
  const d = make("D", "G", "V", { min: 0, max: 7 });

  scales.update([a, b, c, d], new Map());
  assert.deepEqual(scales.rangeOf(a), scales.rangeOf(b));
  assert.ok(scales.rangeOf(a)[1] > 100);
  assert.ok(scales.rangeOf(c)[1] < 6);
  assert.ok(scales.rangeOf(d)[1] < 8);
  view.isCommonScale = false;
  scales.update([a, b, c, d], new Map());
  assert.ok(scales.rangeOf(a)[1] < 11);
  view.ranges.set("G", [3, 4]);
  assert.deepEqual(scales.rangeOf(b), [3, 4]);
});

test("shares are of a whole", () => {
  const scales = new Scales({ isCommonScale: true, ranges: new Map() });
  const share = make("CPU", "CPU", "%", { min: 90, max: 100 });

  scales.update([share], new Map());
  assert.equal(scales.rangeOf(share)[0], 0);
});

test("bins have round widths", () => {
  assert.equal(binWidth(100, 40, false), 2.5);
  assert.equal(binWidth(33, 40, false), 1);
  assert.equal(binWidth(3, 40, true), 1);
  assert.equal(binWidth(0, 40, true), 1);
  assert.equal(binWidth(0, 40, false), 0);
});

test("columns of pixels hold minimum, maximum and the mean by time", () => {
  const columns = new PixelColumns(4);

  columns.add(0, 0.5, 1, 1, 1, 1);
  columns.add(0.5, 1, 3, 3, 3, 1);
  columns.add(1, 3, 7, 9, 8, 1);
  assert.deepEqual([columns.min[0], columns.max[0], columns.mean[0]], [1, 3, 2]);
  assert.deepEqual([columns.min[2], columns.max[2], columns.mean[2]], [7, 9, 8]);
  assert.ok(Number.isNaN(columns.mean[3]));
  columns.add(-5, 100, 0, 0, 0, 1);
  assert.equal(columns.mean[3], 0);
});

const makeScales = () =>
  new Scales({
    isCommonScale: true,
    isFromZero: false,
    isFitted: false,
    ranges: new Map(),
  });

test("bars begin at zero, however little the values differ", () => {
  const scales = makeScales();
  const power = make("P", "Power", "W", { min: 158, max: 160 });

  scales.update([power], new Map());
  assert.ok(scales.rangeOf(power)[0] > 150);
  scales.update([power], new Map(), new Set([power]));
  assert.equal(scales.rangeOf(power)[0], 0);
});

test("values of a process have another scale than those of its node", () => {
  const scales = makeScales();
  const at = (level, name, max) => ({
    ...make(name, "MEM", "B", { min: max * 0.9, max }),
    group: { node: { level } },
  });
  const node = at(1, "MEM_USED", 64e9);
  const resident = at(2, "MEM_RESIDENT", 50e6);
  const folded = { ...at(1, "MEM_RESIDENT", 50e6), list: [resident] };

  scales.update([node, resident, folded], new Map());
  assert.ok(scales.rangeOf(resident)[1] < 60e6);
  assert.ok(scales.rangeOf(resident)[0] > 40e6);
  assert.ok(scales.rangeOf(node)[1] > 60e9);
  assert.deepEqual(scales.rangeOf(folded), scales.rangeOf(resident));
});
