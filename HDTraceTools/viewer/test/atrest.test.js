// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { AtRest } from "../src/data/atrest.js";
import { PixelColumns } from "../src/data/sampling.js";

const WIDTH = 4;

/** Samples that tell of which view they are. */
function make(view, width) {
  const columns = new PixelColumns(width);

  columns.add(0, width, view.span, view.span, view.span, 1);
  return { columns, steps: null, isWanted: true, level: null };
}

function rest() {
  return new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
}

test("what was made for another view than was wanted is made again", async () => {
  const view = { start: 0n, span: 100, window: 0n };
  const series = new AtRest(1000, make);

  assert.equal(series.sample(view, WIDTH).isWanted, true);
  view.span = 200;
  assert.equal(series.sample(view, WIDTH).isWanted, false);
  // The view goes on before the sample is made, which is then of this one.
  view.span = 300;
  await rest();
  assert.equal(series.sample(view, WIDTH).columns.mean[0], 300);
  // And back to what was wanted first.
  view.span = 200;
  assert.equal(series.sample(view, WIDTH).isWanted, false);
  await rest();
  assert.equal(series.sample(view, WIDTH).isWanted, true);
  assert.equal(series.sample(view, WIDTH).columns.mean[0], 200);
});
