// SPDX-License-Identifier: LGPL-2.1-or-later
// Keys and the pointer, on the time lines of a page, and what is said of what is
// at the pointer:
//
//     node handled.mjs ADDRESS PROJECT
//
// The project is "drawn" (drawn-project.sh), with its phases.
import {
  assert,
  assertQuiet,
  assertSame,
  assertTouched,
  done,
  hdtrace,
  launch,
  ok,
  Viewer,
} from "./browser.mjs";
import { canvasOf, Picture } from "./pixels.mjs";

const [, , address, project] = process.argv;
const { groups, traces } = JSON.parse(
  hdtrace("dump", "-q", "--format=json", "--time=relative", project),
);
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;
const url = (fragment) => `${address}#${new URLSearchParams(fragment)}`;
const plotOf = (key) => `.row[data-key="${key}"] .row-plot`;
const starts = [...new Set(traces[0].records.map(({ start }) => start))].sort(
  (a, b) => a - b,
);

/** The point of a row, or of the ruler, at a time. */
async function pointAt(selector, time, y = 0.5) {
  const [start, span] = viewer.stretch();
  const canvas = await page.locator(canvasOf("t0")).boundingBox();
  const [, top] = await viewer.point(selector, 0, y);

  return [canvas.x + 56 + ((time - start) / span) * (canvas.width - 56), top];
}

/** The time of the cursor, in seconds. */
async function cursor() {
  return Number.parseFloat(await viewer.text(".position"));
}

const isNear = (a, b, tolerance = 1e-9) => Math.abs(a - b) <= tolerance;

await ok("n and p select states and events, and the cursor follows", async () => {
  await page.mouse.move(...(await pointAt(plotOf("t0"), 0.2)));
  for (const start of starts) {
    await viewer.press("n");
    assertSame(await cursor(), start, "after n");
  }
  for (const start of starts.slice(0, -1).reverse()) {
    await viewer.press("p");
    assertSame(await cursor(), start, "after p");
  }
});

await ok("keys move the cursor by pixels", async () => {
  const before = await cursor();
  const { width } = await page.locator(canvasOf("t0")).boundingBox();
  const pixel = viewer.stretch()[1] / (width - 56);

  await viewer.press(".");
  assert(isNear(await cursor(), before + pixel, 1e-6), "after .");
  await viewer.press(">", ",");
  assert(isNear(await cursor(), before + 20 * pixel, 1e-6), "after > and ,");
});

await ok("[ and ] mark, s marks the state, i zooms to it", async () => {
  const to = async (time) => {
    await page.mouse.move(...(await pointAt(plotOf("t0"), time, 0.8)));
    await viewer.settle();
    return cursor();
  };

  await viewer.press("Escape");
  const from = await to(0.8);

  await viewer.press("[");
  const end = await to(3.1);

  await viewer.press("]");
  assertSame(viewer.times("mark").map(Number), [from, end], "mark");
  await page.locator('.row[data-key="t0"]').focus();
  await to(0.9);
  await viewer.press("s");
  assertSame(viewer.times("mark"), ["0.75", "1.25"], "the innermost state");
  await viewer.press("i");
  const [start, span] = viewer.stretch();

  assert(start > 0.7 && start < 0.75 && start + span < 1.3, `${start}, ${span}`);
});

await ok("arrows move, z goes back, 0 shows all", async () => {
  const views = [viewer.times("view")];
  // What follows at once belongs to a step of the history.
  const step = async (...keys) => {
    await page.evaluate(() => {
      const now = performance.now.bind(performance);

      performance.now = () => now() + 1000;
    });
    await viewer.press(...keys);
    views.push(viewer.times("view"));
  };
  const [start, end] = views[0].map(Number);
  const span = end - start;

  await step("ArrowRight");
  assert(isNear(Number(views[1][0]), start + span / 10, 1e-6), "by a tenth");
  await step("Shift+ArrowRight");
  assert(isNear(Number(views[2][0]), start + span * 1.1, 1e-6), "by its width");
  await step("+", "+", "ArrowLeft");
  await viewer.press("z");
  assertSame(viewer.times("view"), views[2], "back by all that came at once");
  await viewer.press("z");
  assertSame(viewer.times("view"), views[1], "back");
  await viewer.press("z");
  assertSame(viewer.times("view"), views[0], "back again");
  await viewer.press("0");
  assertSame(viewer.stretch(), [-0.06, 6.12], "all");
});

await ok("rows are folded and hidden by keys", async () => {
  await viewer.open(address);
  const all = await viewer.rows();

  await page.locator(".row-node").first().focus();
  await viewer.press("Enter");
  const folded = await viewer.rows();

  assertSame(
    all.filter((key) => !folded.includes(key)),
    ["s0.0", "s1.0", "s1.1", "t0"],
    "rows of alpha",
  );
  // The heading has its power now.
  const heading = await Picture.of(viewer, ".row-node canvas");

  assert(heading.line(5.5).y < heading.line(0.5).y, "no power in the heading");
  await viewer.open(viewer.url);
  assertSame(await viewer.rows(), folded, "rows of the link");
  await page.locator(".row-node").first().focus();
  await viewer.press("Enter");
  assertSame(await viewer.rows(), all, "unfolded");
  await page.locator('.row[data-key="s1.0"]').focus();
  await viewer.press("h");
  assertSame(
    await viewer.rows(),
    all.filter((key) => key !== "s1.0"),
    "after h",
  );
  assertSame(viewer.parameters.get("hide"), "s1.0", "hide");
});

await ok("/ searches, and ? lists all keys", async () => {
  await viewer.open(address);
  await viewer.press("/");
  await page.keyboard.type("beta");
  await viewer.settle();
  assertSame(await viewer.rows(), ["n3", "s2.0", "t1", "t2"], "rows");
  assertSame(viewer.parameters.get("search"), "beta", "search");
  await page.fill('input[aria-label^="Search rows"]', "no such thing");
  await viewer.settle();
  assert(
    (await viewer.text(".scroll .empty")).includes("no such thing"),
    "nothing is said",
  );
  await page.fill('input[aria-label^="Search rows"]', "");
  await page.keyboard.press("Tab");
  await viewer.press("?");
  const keys = await page.$$eval("dialog[open] kbd", (list) =>
    list.map((key) => key.textContent),
  );

  for (const key of ["+", "0", "z", "n", "[", "m", "s", "i", "h", "b", "a", "Ctrl+P"])
    assert(keys.includes(key), `nothing on ${key}`);
  await page.keyboard.press("Escape");
});

/* ---- The pointer ------------------------------------------------------------- */

await ok("a double click marks a state, and Shift-drag marks a range", async () => {
  await viewer.open(address);
  await page.mouse.dblclick(...(await pointAt(plotOf("t0"), 1.1, 0.8)));
  await viewer.settle();
  assertSame(viewer.times("mark"), ["0.75", "1.25"], "mark");
  await page.keyboard.down("Shift");
  await viewer.drag(
    await pointAt(plotOf("s0.0"), 2.5),
    await pointAt(plotOf("s0.0"), 4.5),
  );
  await page.keyboard.up("Shift");
  const [from, to] = viewer.times("mark").map(Number);

  assert(isNear(from, 2.5, 0.02) && isNear(to, 4.5, 0.02), `${from} to ${to}`);
  // An end of it can be taken.
  await viewer.drag(
    await pointAt("canvas.ruler", from, 0.2),
    await pointAt("canvas.ruler", 1.5, 0.2),
  );
  const moved = viewer.times("mark").map(Number);

  assert(isNear(moved[0], 1.5, 0.02) && moved[1] === to, `became ${moved}`);
});

await ok("a click on a phase marks it", async () => {
  await page.mouse.click(...(await pointAt("canvas.ruler", 3.5, 0.8)));
  await viewer.settle();
  assertSame(viewer.times("mark"), ["2", "5"], "mark");
});

await ok("windows of small height have time lines", async () => {
  for (const height of [400, 500]) {
    const low = await Viewer.open(browser, address, {
      viewport: { width: 1280, height },
    });
    const heights = await low.page.evaluate(() => [
      document.querySelector(".scroll").clientHeight,
      document.documentElement.scrollHeight,
      document.querySelector(".panels").getBoundingClientRect().bottom,
    ]);

    assert(heights[0] >= 160, `${heights[0]} of ${height} pixels`);
    assertSame(heights[1], Math.round(heights[2]), "what can be scrolled to");
    await low.close();
  }
});

await ok("the wheel scrolls over names or with Shift", async () => {
  const low = await Viewer.open(browser, address, {
    viewport: { width: 1280, height: 640 },
  });
  const top = () => low.page.$eval(".scroll", (element) => element.scrollTop);
  const view = low.times("view");

  await low.page.mouse.move(...(await low.point(".row-label")));
  await low.page.mouse.wheel(0, 40);
  await low.page.waitForFunction(
    () => document.querySelector(".scroll").scrollTop === 40,
  );
  await low.page.mouse.move(...(await low.point(".row-states .row-plot")));
  await low.page.keyboard.down("Shift");
  await low.page.mouse.wheel(0, -30);
  await low.page.keyboard.up("Shift");
  await low.settle();
  assertSame(await top(), 10, "from the top");
  assertSame(low.times("view"), view, "view");
  await low.close();
});

await ok("fingers pinch and drag", async () => {
  const screen = await Viewer.open(browser, address, {
    hasTouch: true,
    viewport: { width: 1280, height: 640 },
  });

  await assertTouched(screen, "t0");
  await screen.close();
});

await ok("the strip changes the view by drag and keys", async () => {
  await viewer.open(address);
  const at = (time) => viewer.point(".overview", (time + 0.06) / 6.12);
  const view = () => {
    const [start, span] = viewer.stretch();

    return [start, start + span];
  };
  const assertView = (wanted) =>
    assert(
      view().every((time, i) => isNear(time, wanted[i], 0.03)),
      `${view()}, not ${wanted}`,
    );

  await viewer.drag(await at(1.5), await at(3.5));
  assertView([1.5, 3.5]);
  await viewer.drag(await at(2.5), await at(3.5));
  assertView([2.5, 4.5]);
  await viewer.drag(await at(4.5), await at(5.5));
  assertView([2.5, 5.5]);
  await viewer.drag(await at(2.5), await at(1));
  assertView([1, 5.5]);
  const [from, to] = await page.$$(".overview [role=slider]");

  await from.focus();
  await viewer.press("ArrowRight");
  assertView([1.225, 5.5]);
  await to.focus();
  await viewer.press("Shift+ArrowLeft");
  assertView([1.225, 4.43]);
  assertSame(
    Number.parseFloat(await to.getAttribute("aria-valuetext")),
    Number(view()[1].toFixed(9)),
    "what it says",
  );
});

/** What is at the pointer: the lines of the table, and all of the text. */
async function tooltip(selector, time, y) {
  await page.mouse.move(10, 10);
  await page.waitForSelector(".tooltip", { state: "hidden" });
  await page.mouse.move(...(await pointAt(selector, time, y)));
  await page.waitForSelector(".tooltip:not([hidden])");
  return page.$eval(".tooltip", (element) => ({
    text: element.textContent,
    lines: Object.fromEntries(
      [...element.querySelectorAll("tr")].map((row) =>
        [...row.children].map((cell) => cell.textContent),
      ),
    ),
  }));
}

await ok("tooltips show values, gaps, states and events", async () => {
  await viewer.open(url({ arrows: "no" }));
  for (const { start, end, values } of groups[0].entries) {
    const { lines } = await tooltip(plotOf("s0.0"), (start + end) / 2);

    assertSame(
      [lines.Value, lines.Interval],
      [`${values[0]} W`, `${start} s to ${end} s`],
      "an entry",
    );
  }
  const gap = await tooltip(plotOf("s0.0"), 3);

  assert(gap.text.includes("stopped for 2.000 s"), gap.text);
  const [kernel] = traces[0].records;
  const state = await tooltip(plotOf("t0"), 1, 0.8);

  assertSame(
    [state.lines.Start, state.lines.End, state.lines.rows, state.lines["Nested in"]],
    [`${kernel.start} s`, `${kernel.end} s`, kernel.attributes.rows, "Solve › Compute"],
    "Kernel",
  );
  const event = await tooltip(plotOf("t0"), 2.25, 0.8);

  assertSame(event.lines["Event at"], "2.25 s", event.text);
  const estimated = await tooltip(plotOf("s1.1"), 1);

  assertSame(estimated.lines.Note, "simulated or estimated", "T");
});

await ok("tooltips show messages", async () => {
  await viewer.open(address);
  const [, from] = await viewer.point(plotOf("t0"), 0.5, 13 / 60);
  const [, to] = await viewer.point(plotOf("t1"));
  const [, at] = await viewer.point(plotOf("s2.0"));
  // Where the arrow is in the row of a value.
  const time = 1.5 + (0.5 * (at - from)) / (to - from);
  const { lines } = await tooltip(plotOf("s2.0"), time);

  assertSame(
    [lines.From, lines.To, lines.Sent, lines.Received, lines.Size, lines.Tag],
    ["alpha_0", "beta_1", "1.5 s", "2 s", "8 B", "7"],
    "message",
  );
  assertSame([lines.Communicator, lines.Note], ["WORLD", undefined], "message");
});

await ok("the page sends no request and logs no error", async () => {
  assertQuiet(viewer, (asked) =>
    ["about:blank", address].includes(asked.split("#")[0]),
  );
});

await browser.close();
done();
