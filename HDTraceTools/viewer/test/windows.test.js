// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { sampleSeries } from "../src/data/series/sampling.js";
import { Series } from "../src/data/series/series.js";
import { parseWindow, Windows } from "../src/data/series/windows.js";

const START = 1247419294305196001n;
const S = 1_000_000_000n;

function makeView(from, span, window, length = 12n) {
  return {
    model: { start: START, end: START + length * S },
    start: START + BigInt(Math.round(from * 1e9)),
    span: span * 1e9,
    window,
  };
}

/** A series of entries [from, to, value] in s; or of one item for each pair of
 *  them. */
function makeSeries(entries, isReduced, rate = null) {
  const number = isReduced ? 1 : 0;
  const groups = [];

  for (let i = 0; i < entries.length; i += isReduced ? 2 : 1)
    groups.push(entries.slice(i, i + (isReduced ? 2 : 1)));
  const sum = (list, of) => list.reduce((all, item) => all + of(item), 0);
  const length = ([from, to]) => (to - from) * 1e9;
  const times = {
    base: START,
    starts: groups.map((list) => list[0][0] * 1e9),
    ends: groups.map((list) => list.at(-1)[1] * 1e9),
    covered: groups.map((list) => sum(list, length)),
  };
  const values = isReduced
    ? {
        lost: groups.map(() => 0),
        min: groups.map((list) => Math.min(...list.map((e) => e[2]))),
        max: groups.map((list) => Math.max(...list.map((e) => e[2]))),
        integral: groups.map((list) => sum(list, (e) => e[2] * length(e))),
      }
    : { values: entries.map((entry) => entry[2]) };

  if (rate && isReduced) {
    const rates = groups.map((list) =>
      list.filter((e) => e[1] > e[0]).map((e) => e[2] / (e[1] - e[0])),
    );

    Object.assign(values, {
      rateMin: rates.map((list) => (list.length ? Math.min(...list) : NaN)),
      rateMax: rates.map((list) => (list.length ? Math.max(...list) : NaN)),
      sum: groups.map((list) => sum(list, (e) => e[2])),
    });
  }
  const chunk = {
    number: 0,
    start: START,
    end: START + BigInt(Math.round(entries.at(-1)[1] * 1e9)),
    count: groups.length,
    first: 0,
  };
  const level = { number, chunks: [chunk], items: groups.length };
  const track = {
    id: "s0",
    levels: [level],
    peek: (_level, _chunk, part) => (part === 0 ? times : values),
  };
  const group = {
    values: [
      { name: "P", type: "DOUBLE", unit: "W", kind: rate ? "delta" : "gauge", rate },
    ],
  };

  return new Series(track, group, 0);
}

/** What is drawn, in s from the start: [from, to, mean, min, max]. */
function drawn(series, view, width) {
  const pixels = view.span / 1e9 / width;
  const shift = Number(view.start - START) / 1e9;
  // There is a -0, too.
  const round = (x) => Math.round(x * 1e6) / 1e6 + 0;

  return sampleSeries(series, view, width).steps.map(([x0, x1, ...numbers]) =>
    [x0 * pixels + shift, x1 * pixels + shift, ...numbers].map(round),
  );
}

const ENTRIES = [
  [0, 2, 100],
  [2, 4, 200],
  // Nothing until 5.
  [5, 8, NaN],
  [8, 8, 300],
  [8, 10, 400],
  [10, 12, 50],
];

test("entries become windows, by time", () => {
  assert.deepEqual(drawn(makeSeries(ENTRIES), makeView(0, 12, 3n * S), 1000), [
    [0, 3, 400 / 3, 100, 200].map((x) => Math.round(x * 1e6) / 1e6),
    // Of 3 to 6 less than half is known, of 6 to 9 as well.
    [9, 12, 166.666667, 50, 400],
  ]);
  assert.deepEqual(drawn(makeSeries(ENTRIES), makeView(0, 12, 2n * S), 1000), [
    [0, 2, 100, 100, 100],
    [2, 4, 200, 200, 200],
    [8, 10, 400, 400, 400],
    [10, 12, 50, 50, 50],
  ]);
});

test("what has no length is in the window that it ends", () => {
  const entries = [
    [0, 4, 1],
    [4, 4, 9],
    [4, 8, 2],
  ];

  assert.deepEqual(drawn(makeSeries(entries), makeView(0, 8, 4n * S, 8n), 500), [
    [0, 4, 1, 1, 9],
    [4, 8, 2, 2, 2],
  ]);
});

test("windows are whole, whatever part of them is in view", () => {
  const all = drawn(makeSeries(ENTRIES), makeView(0, 12, 4n * S), 800);
  const part = drawn(makeSeries(ENTRIES), makeView(2.5, 7, 4n * S), 800);

  assert.deepEqual(part, all);
  assert.deepEqual(all[0], [0, 4, 150, 100, 200]);
  // One that is longer than the run, and than the view.
  assert.deepEqual(
    drawn(makeSeries(ENTRIES), makeView(3, 1, 100n * S), 800),
    [[0, 12, 187.5, 50, 400]],
  );
});

test("the last window is what is left of the run", () => {
  assert.deepEqual(
    drawn(makeSeries(ENTRIES), makeView(0, 12, 5n * S), 800).at(-1),
    [10, 12, 50, 50, 50],
  );
});

test("sums of entries become windows, too", () => {
  const entries = [
    [0, 1, 100],
    [1, 2, 200],
    [2, 3, 300],
    [3, 4, 500],
    [4, 5, 10],
    [5, 6, 20],
  ];

  assert.deepEqual(
    drawn(makeSeries(entries, true), makeView(0, 6, 4n * S, 6n), 600),
    [
      [0, 4, 275, 100, 500],
      [4, 6, 15, 10, 20],
    ],
  );
});

test("amounts in no time are in the rate of their window", () => {
  const rate = { unit: "B/s", factor: 1 };
  const entries = [
    [0, 2, 100],
    [2, 2, 60],
    [2, 4, 100],
    // At the end of the first window, and alone in the second one's first half.
    [4, 4, 40],
    [4, 8, 80],
    [8, 8, 8],
  ];

  assert.deepEqual(
    drawn(makeSeries(entries, false, rate), makeView(0, 8, 4n * S, 8n), 500),
    [
      [0, 4, 75, 50, 75],
      [4, 8, 22, 20, 22],
    ],
  );
  assert.deepEqual(
    drawn(makeSeries(entries, false, rate), makeView(5, 2, 4n * S, 8n), 500),
    [[4, 8, 22, 20, 22]],
  );
  // Of sums, too: those that are of no time as a whole, and others.
  const more = [
    [0, 1, 10],
    [1, 2, 10],
    [2, 2, 4],
    [2, 2, 6],
    [2, 3, 10],
    [3, 4, 10],
  ];

  assert.deepEqual(
    drawn(makeSeries(more, true, rate), makeView(0, 4, 4n * S, 4n), 500),
    [[0, 4, 12.5, 10, 12.5]],
  );
});

test("windows narrower than pixels, and none, leave all as it is", () => {
  const view = makeView(0, 12, 0n);
  const plain = sampleSeries(makeSeries(ENTRIES), view, 100);

  assert.equal(Windows.of(view, 100), null);
  view.window = S / 10n;
  assert.equal(Windows.of(view, 100), null);
  assert.deepEqual(sampleSeries(makeSeries(ENTRIES), view, 100), plain);
  view.window = S;
  assert.notEqual(Windows.of(view, 100), null);
  // Beside the run there are none.
  assert.equal(Windows.of(makeView(20, 5, S), 100), null);
});

test("windows of a few pixels are columns with a range", () => {
  const { steps, columns } = sampleSeries(
    makeSeries(ENTRIES),
    makeView(0, 12, 3n * S),
    6,
  );

  assert.equal(steps.length, 2);
  assert.deepEqual([...columns.min.slice(0, 2)], [100, 100]);
  assert.deepEqual([...columns.max.slice(0, 2)], [200, 200]);
});

test("lengths", () => {
  assert.equal(parseWindow("0.5"), 500_000_000n);
  assert.equal(parseWindow("0.000000001"), 1n);
  for (const text of ["0", "-1", "", "x", "1e3", null, undefined])
    assert.equal(parseWindow(text), 0n, String(text));
});
