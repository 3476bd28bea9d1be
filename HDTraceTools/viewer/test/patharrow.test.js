// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { pathOffScreen } from "../src/ui/patharrow.js";

const screen = { start: 100n, end: 200n, top: 50, height: 100 };
const part = (start, end, top) => ({ start, end, top, height: 10 });
const direction = (...parts) => pathOffScreen(parts, screen)?.direction ?? null;

test("a part on the screen needs no arrow, nor does a path without parts", () => {
  assert.equal(direction(), null);
  assert.equal(direction(part(150n, 160n, 60)), null);
  assert.equal(direction(part(150n, 160n, 0), part(160n, 170n, 149)), null);
  // What only touches the edge is not seen.
  assert.equal(direction(part(150n, 160n, 40)), "up");
  assert.equal(direction(part(150n, 160n, 150)), "down");
});

test("the arrow leads to the nearest row", () => {
  const near = part(150n, 160n, 155);
  const found = pathOffScreen([part(110n, 120n, 0), near, part(160n, 170n, 900)], screen);

  assert.deepEqual(found, { direction: "down", part: near });
  assert.equal(direction(part(110n, 120n, 34), near), "down");
  assert.equal(direction(part(110n, 120n, 39), near), "up");
});

test("times are looked at where no row has the visible ones", () => {
  assert.equal(direction(part(0n, 90n, 60), part(250n, 300n, 60)), "left");
  assert.equal(direction(part(0n, 10n, 60), part(250n, 300n, 60)), "right");
  assert.equal(direction(part(0n, 99n, 60), part(150n, 160n, 5000)), "down");
});
