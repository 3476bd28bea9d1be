// SPDX-License-Identifier: LGPL-2.1-or-later
// A page in the browser: what it shows, and what one can do with it.
//
//     node shown.mjs ADDRESS PROJECT REDUCED SIMULATED
//
// The address is that of a page; the project is one of make-project, with phases.
// REDUCED is the address of a page that does not hold all, SIMULATED that of one
// with a value P that was simulated.
import {
  assert,
  assertAccessible,
  assertQuiet,
  assertSame,
  compareWithStat,
  done,
  hdtrace,
  launch,
  ok,
  panelsOf,
  Viewer,
} from "./browser.mjs";

const [, , address, project, reduced, simulated] = process.argv;
const isOwn = (url) => url.split("#")[0] === address;
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;

const intervalOptions = () => {
  const [from, to] = viewer.times("mark");

  return [`--from=${from}`, `--to=${to}`];
};

await ok("numbers of the run agree with hdtrace stat", async () => {
  compareWithStat(await viewer.interval(), project, []);
});

await ok("a typed interval is marked", async () => {
  await viewer.mark("0.3", "1.75");
  assertSame(viewer.times("mark"), ["0.3", "1.75"], "mark");
  compareWithStat(await viewer.interval(), project, [
    "--from=0.3",
    "--to=1.75",
  ]);
});

await ok("the view zooms to the marked interval", async () => {
  await page.keyboard.press("Escape");
  await viewer.mark("0.3", "1.75");
  await page.click("text=Zoom to it");
  await viewer.settle();
  const [start, span] = viewer.stretch();

  assert(
    start < 0.3 && start > 0.2 && start + span > 1.75 && start + span < 1.9,
    `shows ${span} s from ${start} s`,
  );
});

await ok("an interval can be drawn on the ruler", async () => {
  await viewer.drag(
    await viewer.point("canvas.ruler", 0.2, 0.3),
    await viewer.point("canvas.ruler", 0.7, 0.3),
  );
  const [from, to] = viewer.times("mark").map(Number);

  assert(from > 0.3 && to < 1.75 && to - from > 0.5, `marked ${from} to ${to}`);
  compareWithStat(await viewer.interval(), project, intervalOptions());
});

await ok("times in states agree with hdtrace stat --regions", async () => {
  await viewer.panel("profile");
  const shown = await page.$$eval("#panel-profile tr[data-state]", (rows) =>
    rows.map((row) => [
      row.dataset.state,
      ...[...row.querySelectorAll("[data-value]")].map((e) =>
        Number(e.dataset.value),
      ),
    ]),
  );
  const { regions } = JSON.parse(
    hdtrace("stat", "-q", "--format=json", "--regions=*", "--value=P",
      ...intervalOptions(), project),
  );

  assert(shown.length > 2, "no states are shown");
  for (const [name, , , total] of shown) {
    const theirs = regions
      .filter((row) => row.region === name && row.node !== null)
      .reduce((sum, row) => sum + row.duration_s, 0);

    assert(
      Math.abs(total - theirs) < 1e-6,
      `${name}: ${total} s, not ${theirs}`,
    );
  }
});

await ok("a histogram of the marked range is shown", async () => {
  await viewer.panel("histogram");
  const rows = await page.$$eval("#panel-histogram tbody tr", (r) => r.length);

  assert(rows > 3, `${rows} rows`);
  assert(await page.$("#panel-histogram canvas"), "no picture");
});

await ok("the wheel zooms at the pointer", async () => {
  const before = viewer.stretch();
  const point = await viewer.point(".row-states .row-plot", 0.5, 0.5);

  await page.mouse.move(...point);
  await page.mouse.wheel(0, -300);
  await viewer.settle();
  const after = viewer.stretch();

  assert(after[1] < before[1] * 0.9, `${after[1]} s wide`);
  const middle = (view) => view[0] + view[1] / 2;

  assert(
    Math.abs(middle(after) - middle(before)) < before[1] * 0.1,
    "what is at the pointer moved",
  );
});

await ok("dragging moves the view", async () => {
  const before = viewer.stretch();

  await viewer.drag(
    await viewer.point(".row-value .row-plot", 0.6),
    await viewer.point(".row-value .row-plot", 0.3),
  );
  const after = viewer.stretch();

  assert(
    after[0] > before[0] + before[1] * 0.15 && after[1] === before[1],
    `${before} became ${after}`,
  );
});

await ok("keys zoom, move, go back and show all", async () => {
  await page.click(".position", { force: true }).catch(() => {});
  const [before] = [viewer.stretch()];

  await viewer.press("+");
  assert(viewer.stretch()[1] < before[1], "+ does not zoom");
  await viewer.press("-");
  await viewer.press("ArrowLeft");
  assert(viewer.stretch()[0] < before[0], "ArrowLeft: no move");
  await viewer.press("0");
  const all = viewer.stretch();

  assert(all[1] > before[1] && all[0] <= 0, "0 does not show all");
  await viewer.press("m");
  assert(viewer.times("mark"), "m marks nothing");
  await viewer.press("Escape");
  assert(!viewer.times("mark"), "Escape leaves the mark");
});

await ok("dragging the overview moves the view", async () => {
  await viewer.press("+", "+", "+");
  const before = viewer.stretch();

  await page.mouse.click(...(await viewer.point(".overview", 0.9)));
  await viewer.settle();
  const after = viewer.stretch();

  assert(after[0] > before[0], `${before} became ${after}`);
  await viewer.press("0");
});

await ok("values at the cursor are shown", async () => {
  await page.mouse.move(...(await viewer.point(".row-states .row-plot", 0.5, 0.3)));
  await page.waitForFunction(
    () => document.querySelector(".row-value .at-cursor")?.textContent,
  );
  const text = await viewer.text(".row-value .at-cursor");

  assert(/^-?[\d.,]+( \S+)?$/.test(text), `"${text}"`);
  await page.waitForSelector(".tooltip:not([hidden])");
});

await ok("messages are drawn as arrows", async () => {
  await viewer.go(address);
  await viewer.press("0");
  const arrows = () =>
    page.$eval(".app", (app) => Number(app.dataset.arrows));

  assert((await arrows()) > 0, "none is drawn");
  await viewer.press("a");
  assertSame(await arrows(), 0, "after a");
  await viewer.press("a");
});

await ok("rows are searched, hidden and shown", async () => {
  const all = (await viewer.rows()).length;

  await page.fill('input[aria-label^="Search rows"]', "CPU_TOTAL");
  await viewer.settle();
  const found = await page.$$eval(".row-value .row-name", (names) =>
    names.map((name) => name.textContent),
  );

  assert(found.length && found.every((name) => name === "CPU_TOTAL"), found);
  await page.fill('input[aria-label^="Search rows"]', "");
  await viewer.settle();
  assertSame((await viewer.rows()).length, all, "rows");
  await page.click("button.rows-button");
  const box = page.locator("dialog[open] input[type=checkbox]").first();

  await box.click();
  await page.click("dialog[open] button.primary");
  await viewer.settle();
  assert(
    viewer.parameters.get("hide") || viewer.parameters.get("show"),
    "nothing is hidden",
  );
});

await ok("an expression defines a new value", async () => {
  await viewer.go(address);
  await viewer.panel("values");
  await page.fill("#panel-values input >> nth=0", "Both");
  await page.fill("#panel-values input >> nth=1", "sum(P) * 1000");
  await page.fill("#panel-values input >> nth=2", "mW");
  await page.click("#panel-values button[type=submit]");
  await viewer.settle();
  assertSame(
    JSON.parse(viewer.parameters.get("define")),
    ["Both", "mW", "sum(P) * 1000"],
    "define",
  );
  await page.fill('input[aria-label^="Search rows"]', "Both");
  await viewer.panel("interval");
  const [row] = await viewer.interval();
  const { rows } = JSON.parse(
    hdtrace("stat", "-q", "--format=json", "--value=P", project),
  );
  const sum = rows.reduce((all, { mean }) => all + mean * 1000, 0);

  // Means over different times, and power where one node has none.
  assert(Math.abs(Number(row.mean) - sum) < sum * 0.2, `${row.mean}, ${sum}`);
  await page.fill('input[aria-label^="Search rows"]', "");
});

await ok("an invalid expression is reported", async () => {
  await viewer.panel("values");
  await page.fill("#panel-values input >> nth=0", "Bad");
  await page.fill("#panel-values input >> nth=1", "sum(");
  await page.click("#panel-values button[type=submit]");
  await page.waitForFunction(
    () => document.querySelector("#expression-error").textContent,
  );
});

await ok("phases are listed with the highest power", async () => {
  await viewer.go(address);
  const card = (selector, key) =>
    page.$eval(selector, (element, name) => element.dataset[name], key);
  const report = JSON.parse(
    hdtrace("report", "-q", "--format=json", "--phases=borders", project),
  );
  const most = report.phases[report.most_power];

  assertSame(await card("[data-phase]", "phase"), most.name, "phase");
  assertSame(
    Number(await card("[data-phase]", "joules")),
    most.energy.energy_j,
    "joules",
  );
});

await ok("a link restores the view", async () => {
  await viewer.go(address);
  await viewer.mark("0.5", "1.5");
  await viewer.press("Tab");
  await page.click("text=Zoom to it");
  await page.locator(".row-value .hide-row").first().click({ force: true });
  await viewer.settle();
  await viewer.panel("histogram");
  const link = viewer.url;
  const look = async (of) => ({
    url: of.url,
    rows: await of.rows(),
    mark: await of.text("#panel-histogram .note"),
    picture: await of.page.$eval(".row-states canvas", (c) => c.toDataURL()),
  });
  const second = await Viewer.open(browser, link);
  const [a, b] = [await look(viewer), await look(second)];

  assert(viewer.parameters.get("hide"), "nothing is hidden");
  assertSame(b, a, "what is shown");
  assertQuiet(second, isOwn);
  await second.close();
});

await ok("the page has a dark and a light mode", async () => {
  const brightness = () =>
    page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.body)
        .backgroundColor.match(/\d+/g)
        .map(Number);

      return (r + g + b) / 3;
    });

  await viewer.go(address);
  await page.emulateMedia({ colorScheme: "light" });
  assert((await brightness()) > 200, "light is dark");
  await page.emulateMedia({ colorScheme: "dark" });
  assert((await brightness()) < 60, "dark is light");
});

await ok("all tables are accessible in light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, media: "screen" });
    const tabs = await panelsOf(viewer);

    for (const tab of colorScheme === "light" ? tabs : tabs.slice(0, 2)) {
      await viewer.panel(tab);
      await assertAccessible(viewer, `${colorScheme}, ${tab}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await assertAccessible(viewer, "help");
  await page.keyboard.press("Escape");
  await page.click("button.rows-button");
  await page.waitForSelector("dialog[open] .chooser");
  await assertAccessible(viewer, "what is shown");
  await page.keyboard.press("Escape");
});

await ok("keys move between rows, which are labelled", async () => {
  await page.locator("[role=treeitem]").first().focus();
  const label = () =>
    page.evaluate(() => {
      const { activeElement } = document;

      return [activeElement.id, activeElement.getAttribute("aria-label")];
    });
  const [first] = await label();

  await page.keyboard.press("ArrowDown");
  const [second, text] = await label();

  assert(second && second !== first, "the focus stays");
  assert(text && text.length > 5, `it says ${text}`);
});

await ok("reduced data is marked", async () => {
  assertSame(await page.$$eval(".badge", (list) => list.length), 0, "badges");
  const other = await Viewer.open(browser, reduced);

  assert(
    (await other.text(".banner")).startsWith("Reduced: "),
    "there is no banner",
  );
  assert(
    (await other.text(".row .badge")) === "reduced",
    "rows do not say it",
  );
  await other.close();
});

await ok("simulated data is marked", async () => {
  const other = await Viewer.open(browser, simulated);

  for (const place of [".row-value", ".summary", "#panel-interval"])
    assertSame(await other.text(`${place} .badge`), "simulated", place);
  await other.close();
});

await ok("the page sends no request and logs no error", async () => {
  assertQuiet(viewer, isOwn);
});

await browser.close();
done();
