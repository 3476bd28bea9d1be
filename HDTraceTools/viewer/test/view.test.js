// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { View } from "../src/ui/view.js";

const ORIGIN = 1247419294305196001n;

function makeView() {
  const view = new View({
    origin: ORIGIN,
    start: ORIGIN,
    end: ORIGIN + 100_000_000_000n,
    hasRange: true,
  });

  view.defaults = { hidden: new Set(["s0.1"]), folded: new Set([4]) };
  view.fromFragment("");
  return view;
}

test("a fragment restores everything", () => {
  const view = makeView();

  view.show(ORIGIN + 12_345_678_901n, 2_000_000_007);
  view.setMark(ORIGIN + 3n, ORIGIN + 1_000_000_004n);
  view.setHidden(["t0", "s1.2"], true);
  view.setHidden(["s0.1"], false);
  view.folded = new Set([7]);
  view.bars.add("s0.0");
  view.named.push({ from: ORIGIN, to: ORIGIN + 5n, name: "a, b & </script>" });
  view.definitions.push({ name: "All", unit: "W", text: "sum(P)", number: 0 });
  view.ranges.set("Power, etc.", [122, 220.5]);
  view.hiddenStates.add("Wait=&#");
  view.isCommonScale = false;
  view.isFromZero = true;
  view.isFitted = true;
  view.hasArrows = false;
  view.window = 500_000_000n;
  view.panel = "profile";
  view.search = "node 1";
  const text = view.toFragment();
  const other = makeView();

  other.fromFragment(text);
  for (const key of [
    "start",
    "span",
    "mark",
    "hidden",
    "folded",
    "bars",
    "named",
    "definitions",
    "ranges",
    "hiddenStates",
    "isCommonScale",
    "isFromZero",
    "isFitted",
    "hasArrows",
    "window",
    "panel",
    "search",
  ])
    assert.deepEqual(other[key], view[key], key);
  assert.equal(other.toFragment(), text);
});

test("nonsense in a fragment is left out", () => {
  const view = makeView();

  for (const text of [
    "view=x,y",
    "view=1",
    "view=1,-5",
    "view=1,0",
    "view=1,1",
    "view=&mark=&select=&find=&panel=",
    "mark=5,1",
    "mark=,",
    "range=[1",
    'range=["a",5,1]',
    'range=["a",null,1]',
    "define=x",
    "define=[]",
    "name=1",
    "fold=x",
    "hide=,,,",
    "%",
    "a=%zz",
    "panel=nothing",
  ]) {
    view.fromFragment(text);
    assert.equal(view.mark, null, text);
    assert.equal(view.ranges.size, 0, text);
    assert.ok(view.span > 0, text);
  }
});

test("a link has the start and the end of what is shown", () => {
  const view = makeView();

  view.fromFragment("view=12.5,20&mark=13,14.25");
  assert.equal(view.start, ORIGIN + 12_500_000_000n);
  assert.equal(view.end, ORIGIN + 20_000_000_000n);
  assert.deepEqual(view.mark, {
    from: ORIGIN + 13_000_000_000n,
    to: ORIGIN + 14_250_000_000n,
  });
  const params = new URLSearchParams(view.toFragment());

  assert.equal(params.get("view"), "12.5,20");
  assert.equal(params.get("mark"), "13,14.25");
});

test("windows begin as the page says, unless a link says something else", () => {
  const model = { ...makeView().model, meta: { window: "0.5" } };
  const view = new View(model);

  assert.equal(view.window, 500_000_000n);
  view.fromFragment("");
  assert.equal(view.window, 500_000_000n);
  assert.ok(!view.toFragment().includes("window"));
  view.setWindow(0n);
  const text = view.toFragment();

  view.fromFragment("window=2");
  assert.equal(view.window, 2_000_000_000n);
  view.fromFragment(text);
  assert.equal(view.window, 0n);
  view.fromFragment("window=-1");
  assert.equal(view.window, 0n);
});

test("the view stays in the project and above some nanoseconds", () => {
  const view = makeView();

  view.show(ORIGIN - 10n ** 15n, 1e9);
  assert.ok(view.start >= ORIGIN - 30_000_000n);
  view.show(ORIGIN + 10n ** 15n, 1e9);
  assert.ok(view.end <= ORIGIN + 100_040_000_000n);
  view.show(ORIGIN, 0);
  assert.equal(view.span, 20);
  view.show(ORIGIN, 1e30);
  assert.ok(view.span < 1.1e11);
});

test("zooming keeps the place under the pointer, exactly", () => {
  const view = makeView();

  view.show(ORIGIN, 1000, false);
  const before = view.timeAt(0.25);

  view.zoom(0.5, 0.25);
  assert.equal(view.timeAt(0.25), before);
  assert.equal(view.span, 500);
});

test("one gesture is one step back", () => {
  const view = makeView();
  const { start, span } = view;

  for (let i = 0; i < 10; i++) view.zoom(0.9);
  assert.ok(view.span < span);
  view.back();
  assert.equal(view.start, start);
  assert.equal(view.span, span);
  assert.equal(view.back(), false);
});

test("the mark has its ends in order", () => {
  const view = makeView();

  view.setMark(ORIGIN + 5n, ORIGIN);
  assert.deepEqual(view.mark, { from: ORIGIN, to: ORIGIN + 5n });
  view.setMark(ORIGIN, ORIGIN);
  assert.equal(view.mark, null);
  assert.ok(view.interval.isAll);
});
