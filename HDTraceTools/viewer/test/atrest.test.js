// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { AtRest } from "../src/data/series/atrest.js";
import { PixelColumns } from "../src/data/series/sampling.js";

const WIDTH = 4;

/** Samples that tell of which view they are. */
function* make(view, width) {
  const columns = new PixelColumns(width);

  yield;
  columns.add(0, width, view.span, view.span, view.span, 1);
  return { columns, steps: null, isWanted: true, level: null };
}

function rest() {
  return new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
}

/** Until it is made, on a busy machine, too. */
async function settle(series, view) {
  do await rest();
  while (!series.sample(view, WIDTH).isWanted);
}

test("what was made for another view than was wanted is made again", async () => {
  const view = { start: 0n, span: 100, window: 0n };
  const series = new AtRest(1000, make);

  assert.equal(series.sample(view, WIDTH).isWanted, true);
  view.span = 200;
  assert.equal(series.sample(view, WIDTH).isWanted, false);
  // The view goes on before the sample is made, which is then of this one.
  view.span = 300;
  await settle(series, view);
  assert.equal(series.sample(view, WIDTH).columns.mean[0], 300);
  // And back to what was wanted first.
  view.span = 200;
  assert.equal(series.sample(view, WIDTH).isWanted, false);
  await settle(series, view);
  assert.equal(series.sample(view, WIDTH).columns.mean[0], 200);
});

test("only what is loaded of its own tracks makes it anew", async () => {
  const view = { start: 0n, span: 100, window: 0n };
  const track = { loads: 0 };
  let count = 0;
  const series = new AtRest(
    1000,
    function* (...args) {
      count++;
      return yield* make(...args);
    },
    [track],
  );

  series.sample(view, WIDTH);
  assert.equal(series.sample(view, WIDTH).isWanted, true);
  assert.equal(count, 1);
  track.loads++;
  assert.equal(series.sample(view, WIDTH).isWanted, false);
  await settle(series, view);
  assert.equal(count, 2);
});

test("what takes long leaves time, and ends when the view moves on", async () => {
  const view = { start: 0n, span: 100, window: 0n };
  const made = [];
  let isSlow = false;
  let duringIt = 0;
  const series = new AtRest(1000, function* (...args) {
    const { span } = view;

    for (let i = 0; isSlow && i < 20; i++) {
      const until = performance.now() + 3;

      while (performance.now() < until);
      // It is interrupted once, in the middle, as by the reader.
      if (span === 200 && i === 10) setTimeout(() => (view.span = 300), 0);
      yield;
    }
    made.push(span);
    return yield* make(...args);
  });

  series.sample(view, WIDTH);
  isSlow = true;
  view.span = 200;
  series.sample(view, WIDTH);
  const ticking = setInterval(() => duringIt++, 1);

  while (view.span !== 300) await rest();
  await settle(series, view);
  clearInterval(ticking);
  assert.deepEqual(made, [100, 300]);
  assert.equal(series.sample(view, WIDTH).columns.mean[0], 300);
  assert.ok(duringIt > 3, `${duringIt} times`);
  // What was given up is made when it is wanted again.
  view.span = 200;
  isSlow = false;
  series.sample(view, WIDTH);
  await settle(series, view);
  assert.equal(series.sample(view, WIDTH).columns.mean[0], 200);
});
