// SPDX-License-Identifier: LGPL-2.1-or-later
// Panels about states and messages, the selected state, and the size of rows:
//
//     node panels.mjs ADDRESS PROJECT
//
// The project is "drawn" (drawn-project.sh); numbers that are written here are by hand
// from it.
import { readFileSync } from "node:fs";
import {
  assert,
  assertAccessible,
  assertQuiet,
  assertSame,
  done,
  launch,
  ok,
  panelsOf,
  Viewer,
} from "./browser.mjs";

const [, , address] = process.argv;
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;
const url = (fragment) => `${address}#${new URLSearchParams(fragment)}`;

/** The numbers of a row of a panel, as numbers. */
function numbers(selector) {
  return page.$$eval(`${selector} [data-value]`, (list) =>
    list.map((element) => Number(element.dataset.value)),
  );
}

const valueOf = async (panel, key) =>
  Number(
    await page.getAttribute(`[data-panel=${panel}] [data-key="${key}"]`, "data-value"),
  );

await ok("each panel has its name, and each number a value and a unit", async () => {
  const wanted = [
    "interval", "profile", "flame", "durations", "balance", "matrix", "find",
    "details", "findings", "legend",
  ];
  const ids = await panelsOf(viewer);

  for (const id of wanted) assert(ids.includes(id), `no panel ${id}`);
  for (const id of ids) {
    await viewer.panel(id);
    const found = await page.$eval(`[data-panel="${id}"]`, (panel) => ({
      isShown: !panel.hidden,
      values: [...panel.querySelectorAll("[data-value]")].map(({ dataset }) => [
        dataset.value,
        dataset.unit,
      ]),
    }));

    assert(found.isShown, `${id} is hidden`);
    for (const [value, unit] of found.values)
      assert(
        unit !== undefined && (value === "unknown" || !Number.isNaN(Number(value))),
        `${id}: ${value} ${unit}`,
      );
  }
});

await ok("the call tree has total and own times", async () => {
  await viewer.open(url({ panel: "flame" }));
  const rows = await page.$$eval("[data-panel=flame] tr[data-state]", (list) =>
    list.map((row) => [
      `${row.dataset.depth} ${row.dataset.state}`,
      ...[...row.querySelectorAll("[data-value]")].map((e) => Number(e.dataset.value)),
    ]),
  );
  const of = (name) => {
    const [, count, total, , own] = rows.find(([key]) => key === name);

    return [count, total, own].map((value) => Math.round(value * 1e6) / 1e6);
  };

  assertSame(of("0 Solve"), [1, 4.5, 2.5], "Solve");
  assertSame(of("1 Compute"), [1, 1, 0.5], "Compute");
  assertSame(of("2 Kernel"), [1, 0.5, 0.5], "Kernel");
  assertSame(of("1 Send"), [2, 0.5, 0.5], "Send");
  await viewer.mark("1", "2");
  await viewer.panel("flame");
  const [, part] = await numbers('[data-panel=flame] tr[data-state="Solve"]');

  assertSame(part, 1, "Solve in a second");
  await assertAccessible(viewer, "the call tree");
});

await ok("states of an interval are listed by row", async () => {
  await viewer.open(url({ panel: "profile", mark: "1,2" }));
  await page.selectOption("[data-panel=profile] select", "rows");
  await viewer.settle();
  const found = await page.$$eval("[data-panel=profile] tr[data-node]", (rows) =>
    rows.map((row) => [
      row.dataset.node,
      row.dataset.state,
      ...[...row.querySelectorAll("[data-value]")].map(({ dataset }) => Number(dataset.value)),
    ]),
  );
  const of = (node, state) =>
    found.find((row) => row[0] === node && row[1] === state)?.slice(3).map((n) => Math.round(n * 1e6) / 1e6);

  // By hand: own time, total time, share of a second.
  assertSame(of("alpha_0", "Solve"), [0.25, 1, 1], "Solve");
  assertSame(of("alpha_0", "Kernel"), [0.25, 0.25, 0.25], "Kernel");
  assertSame(of("beta_1", "Recv"), [0.75, 0.75, 0.75], "Recv");
  assertSame(of("beta_2", "Tick"), [0.25, 0.25, 0.25], "Tick");
  assertSame(of("beta_1", "Barrier"), undefined, "a state of another row");
  // The same numbers of the visible time.
  await viewer.open(url({ panel: "profile", view: "1,2", of: "view" }));
  await page.selectOption("[data-panel=profile] select", "rows");
  await viewer.settle();
  assertSame(
    await page.$$eval("[data-panel=profile] tr[data-node]", (rows) =>
      rows.map((row) => [
        row.dataset.node,
        row.dataset.state,
        ...[...row.querySelectorAll("[data-value]")].map(({ dataset }) => Number(dataset.value)),
      ]),
    ),
    found,
    "visible time",
  );
});

await ok("durations have quantiles and the longest states", async () => {
  await viewer.open(url({ panel: "durations" }));
  await page.selectOption("[data-panel=durations] select", "Tick");
  await viewer.settle();
  assertSame(await valueOf("durations", "count"), 5000, "count");
  for (const key of ["min", "q0.5", "max"])
    assertSame(await valueOf("durations", key), 0.00005, key);
  await page.selectOption("[data-panel=durations] select", "Recv");
  await viewer.settle();
  assertSame(
    [await valueOf("durations", "min"), await valueOf("durations", "max")],
    [0.5, 0.75],
    "Recv",
  );
  await page.click('[data-panel=durations] table[class] button, [data-panel=durations] tbody button');
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), "t1,1.25,2", "the longest is selected");
  await assertAccessible(viewer, "durations");
});

await ok("the balance has time outside of calls", async () => {
  await viewer.open(url({ panel: "balance" }));
  const [program, calls] = await numbers('[data-panel=balance] tr[data-trace="0"]');

  // From 0.5 to 5.75 s, less two sends, a barrier, and a write.
  assertSame([program, calls], [3.75, 1.5], "rank 0");
  const hasHint = async () =>
    (await viewer.text("[data-panel=balance]")).includes("Mark an iteration");

  assertSame(await hasHint(), true, "hint for the whole run");
  await viewer.open(url({ panel: "balance", view: "1,2", of: "view" }));
  assertSame(await hasHint(), false, "hint for the visible time");
  await viewer.open(url({ panel: "balance" }));
  await page.selectOption('[data-panel=balance] select', "Send");
  await viewer.settle();
  assertSame(
    await page.$$eval("[data-panel=balance] tr[data-iteration]", (rows) =>
      rows.map((row) => row.dataset.iteration).sort(),
    ),
    ["1", "2"],
    "iterations",
  );
  await assertAccessible(viewer, "balance");
});

await ok("the matrix adds up messages of pairs", async () => {
  await viewer.open(url({ panel: "matrix" }));
  assertSame(await valueOf("matrix", "count"), 2, "messages");
  const [count, bytes] = await numbers('[data-panel=matrix] tr[data-key="alpha_0 beta_1"]');

  assertSame([count, bytes], [2, 24], "alpha_0 to beta_1");
  await page.selectOption('[data-panel=matrix] select[aria-label="Between"]', "host");
  assertSame(
    (await numbers('[data-panel=matrix] tr[data-key="alpha beta"]')).slice(0, 2),
    [2, 24],
    "alpha to beta",
  );
  await viewer.open(url({ panel: "matrix", mark: "3,4" }));
  assertSame(await valueOf("matrix", "count"), 1, "messages sent in a second");
  await assertAccessible(viewer, "the matrix");
});

await ok("a query is typed, its hits are visited, and the link has it", async () => {
  await viewer.open(address);
  await page.focus(".row");
  await page.keyboard.press("q");
  await page.keyboard.type("@size>8");
  await page.keyboard.press("Enter");
  await page.waitForSelector('[data-panel=find] [data-key="count"]');
  await viewer.settle();
  assertSame(await valueOf("find", "count"), 3, "hits");
  assertSame(viewer.parameters.get("find"), "@size>8", "link");
  assertSame(viewer.parameters.get("panel"), "find", "panel");
  await page.focus(".row");
  await viewer.press("e");
  assertSame(viewer.parameters.get("select"), "t1,2.5,3", "first hit");
  await viewer.press("e", "e");
  assertSame(viewer.parameters.get("select"), "t0,5,5.5", "last hit");
  await viewer.press("E");
  assertSame(viewer.parameters.get("select"), "t0,3.5,3.75", "the one before");
  const [start, end] = viewer.times("view").map(Number);

  assert(start <= 3.5 && end >= 3.75, `${start} to ${end} s are shown`);
  await viewer.open(url({ panel: "find", find: "name=Send|Recv duration>=500ms" }));
  assertSame(await valueOf("find", "count"), 2, "receives");
  // By hand: rank 1 receives from 1.25 s on what rank 0 sends at 1.5 s; and from 2.5 s to 3 s
  // what is sent later.
  await viewer.open(url({ panel: "find", find: "wait=late-sender wait>=250ms" }));
  assertSame(await valueOf("find", "count"), 2, "waits");
  assertSame(
    (await numbers('[data-panel=find] tr[data-hit="0"]')).map((n) => Math.round(n * 1e9) / 1e9),
    [1.25, 0.25, 0.75],
    "start, time waited, and length",
  );
  await viewer.open(url({ panel: "find", find: "nam=x" }));
  assert(
    (await viewer.text("[data-panel=find] .error")).startsWith("Column 1: unknown key"),
    "no error",
  );
  await assertAccessible(viewer, "find");
});

await ok("a click selects the state under the pointer, not an arrow", async () => {
  await viewer.open(url({ view: "0,2" }));
  // The third band of the first rank is Kernel from 0.75 to 1.25 s.
  const row = '.row[data-key="t0"] canvas';
  const box = await page.locator(row).boundingBox();
  const x = box.x + 56 + ((box.width - 56) * 1) / 2;

  await page.mouse.click(x, box.y + 4 + 2.5 * 17);
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), "t0,0.75,1.25", "link");
  assertSame(viewer.parameters.get("panel"), "details", "panel");
  assertSame(await valueOf("details", "length"), 0.5, "length");
  assertSame(await valueOf("details", "count"), 1, "of the name");
  const details = await viewer.text("[data-panel=details]");

  assert(details.includes("rows") && details.includes("127"), details);
  await assertAccessible(viewer, "details");
  // A link restores it, and Escape removes it.
  await viewer.open(viewer.url);
  assertSame(await valueOf("details", "length"), 0.5, "from the link");
  await page.focus(".row");
  await viewer.press("Escape");
  assertSame(viewer.parameters.get("select"), null, "after Escape");
});

await ok("previous and next states of a name are selected", async () => {
  await viewer.open(url({ select: "t0,1.5,1.75", panel: "details" }));
  await page.click("text=Next of the name");
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), "t0,3.5,3.75", "next");
  await page.click("text=Previous of the name");
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), "t0,1.5,1.75", "previous");
});

/** A place in a row at a time: of a stretch that is shown, so far below its top. */
async function placeAt(key, time, below) {
  const box = await page.locator(`.row[data-key="${key}"] .row-plot`).boundingBox();
  const [start, span] = viewer.stretch();

  return [box.x + 56 + ((time - start) / span) * (box.width - 56), box.y + below];
}

await ok("a click selects a message, and a state that the arrow crosses", async () => {
  await viewer.open(url({ view: "0,3" }));
  const from = await placeAt("t0", 1.5, 4 + 17 / 2);
  const to = await placeAt("t1", 2, 4 + 17 / 2);

  await page.mouse.click((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), "m0.1,1.5,2", "link");
  // By hand: rank 1 waits from 1.25 s on. Rank 0 has all power of its host, 200 W, rank
  // 1 half of 50 W, and all of it when rank 2 has ended, at 1.99985 s. The other message
  // arrives before it is sent.
  for (const [key, value] of [
    ["length", 0.5],
    ["size", 8],
    ["count", 2],
    ["quantile", 0.75],
    ["receiver-waited", 0.25],
    ["sender-energy", 100],
    ["receiver-energy", 12.50375],
  ])
    assertSame(Math.round((await valueOf("details", key)) * 1e9) / 1e9, value, key);
  await assertAccessible(viewer, "details of a message");
  await page.click("text=Next of the name");
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), "m0.1,3,3.5", "next");
  assert(
    (await viewer.text("[data-panel=details]")).includes("before it was sent"),
    "no note",
  );
  assertSame(
    await page.$("[data-panel=details] [data-key$=waited]"),
    null,
    "a wait for a message that was received before it was sent",
  );
  // The arrow begins in the row of the call, which is what a click there selects.
  await page.click("text=Previous of the name");
  await viewer.settle();
  await page.click("[data-panel=details] dd button:text-is('Recv')");
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), "t1,1.25,2", "the receiving call");
  assertSame(await valueOf("details", "waited"), 0.25, "for how long it waited");
  const cause = await page.textContent("[data-panel=details] dd li");

  assert(cause.startsWith("late-sender, 250.0 ms, alpha_0"), cause);
  await viewer.open(url({ select: "t0,0.5,1.5", panel: "details" }));
  assertSame(await valueOf("details", "awaited"), 0.25, "who waited for Compute");
  await viewer.open(url({ view: "0,3" }));
  await page.mouse.click(...(await placeAt("t0", 1.52, 4 + 1.5 * 17)));
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), "t0,1.5,1.75", "the sending call");
  const sent = await viewer.text("[data-panel=details] dd li");

  assert(sent.startsWith("to beta_1, 8 B, 500.0 ms"), sent);
});

await ok("a click selects an entry of a value", async () => {
  await viewer.open(address);
  const power = await page.$eval(
    '.row-value[aria-label*="of alpha"][aria-label^="P "]',
    (row) => row.dataset.key,
  );

  await page.mouse.click(...(await placeAt(power, 1.9, 20)));
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), `${power},1,2`, "link");
  // Of 100, 200, 300 and 400 W.
  for (const [key, value] of [
    ["value", 200],
    ["length", 1],
    ["quantile", 0.375],
    ["count", 4],
    ["energy", 200],
  ])
    assertSame(await valueOf("details", key), value, key);
  const states = await page.$$eval("[data-panel=details] li [data-state]", (list) =>
    list.map(({ dataset }) => [dataset.state, Number(dataset.value)]).sort(),
  );

  assertSame(
    states,
    ["Compute", "Kernel", "Send", "Solve"].map((name) => [name, 0.25]),
    "states meanwhile",
  );
  await assertAccessible(viewer, "details of an entry");
  // The group was stopped after it.
  await page.click("text=Next of the name");
  await viewer.settle();
  assertSame(viewer.parameters.get("select"), `${power},4,5`, "next");
  assertSame(await valueOf("details", "value"), 300, "its value");
  await viewer.open(viewer.url);
  assertSame(await valueOf("details", "value"), 300, "from the link");
});

await ok("entries are selected by keys, and details are copied", async () => {
  await viewer.open(address);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const key = await page.$eval(
    '.row-value[aria-label*="of beta"][aria-label^="P "]',
    (row) => row.dataset.key,
  );

  await page.focus(`.row[data-key="${key}"]`);

  await viewer.press(".", "o");
  const [id, start, end] = viewer.parameters.get("select").split(",");

  assertSame(id, key, "the row with the focus");
  await page.click("text=Copy as text");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".sr")].some((e) => e.textContent === "Copied."),
  );
  const text = await page.evaluate(() => navigator.clipboard.readText());

  assert(text.includes(`\nStart\t${start} s\nEnd\t${end} s\n`), text);
  assert(text.includes(`select=${id}`), text);
  assertSame(await valueOf("details", "length"), end - start, "after copying");
});

await ok("numbers are of the visible time on request", async () => {
  await viewer.open(url({ panel: "matrix", view: "1.25,3.25" }));
  assertSame(await valueOf("matrix", "count"), 2, "of the run");
  assertSame(await valueOf("matrix", "time"), 0, "half a second, and minus as much");
  await page.focus(".row");
  await viewer.press("v");
  assertSame(await valueOf("matrix", "count"), 1, "visible messages");
  assertSame(await valueOf("matrix", "time"), 0.5, "their time");
  assertSame(viewer.parameters.get("of"), "view", "link");
  await viewer.open(viewer.url);
  await page.focus(".row");
  assertSame(await valueOf("matrix", "time"), 0.5, "from the link");
  await viewer.press("0");
  assertSame(await valueOf("matrix", "count"), 2, "after showing the run");
  await viewer.mark("1", "2");
  await viewer.panel("matrix");
  assertSame(await valueOf("matrix", "count"), 1, "of the marked interval");
});

await ok("the power of nodes is stacked", async () => {
  await viewer.open(address);
  await page.focus(".row");
  await viewer.press("k");
  assertSame(viewer.parameters.get("stack"), "yes", "link");
  // At 1.5 s: 200 W of alpha, and above it 50 W of beta.
  await page.mouse.move(...(await placeAt("stack0", 1.5, 40)));
  await viewer.settle();
  assertSame(
    await viewer.text('.row[data-key="stack0"] .at-cursor'),
    "250 W",
    "at the cursor",
  );
  const texts = await page.$$eval(".tooltip .title, .tooltip tr:first-child td", (list) =>
    list.map((one) => one.textContent),
  );

  assertSame(
    texts,
    ["Power of alpha of drawn", "200 W", "Power of beta of drawn", "50 W"],
    "tooltip",
  );
  // The group of alpha was stopped from 2 s to 4 s.
  await page.mouse.move(...(await placeAt("stack0", 3, 40)));
  await viewer.settle();
  assertSame(
    await viewer.text('.row[data-key="stack0"] .at-cursor'),
    "≥ 150 W",
    "where a part is unknown",
  );
  const names = await page.$$eval('.row[data-key="stack0"] .curve-name', (list) =>
    list.map((one) => one.textContent.trim()),
  );

  assertSame(names, ["Power of beta", "Power of alpha"], "names from the top");
  // From zero: what is drawn of the parts at 5.5 s are 400 and 100 W.
  const found = await page.$$eval('.row[data-key="stack0"] canvas', (list) =>
    list.map((canvas) => {
      const context = canvas.getContext("2d");
      const x = Math.round(
        (56 + (5.5 / 6.12) * (canvas.width / devicePixelRatio - 56)) * devicePixelRatio,
      );
      const { data } = context.getImageData(x, 0, 1, canvas.height);

      return data.filter((value, i) => i % 4 === 3 && value === 255).length;
    }),
  );

  assert(
    found.length === 2 && Math.abs(found[1] / found[0] - 0.8) < 0.05,
    `filled pixels: ${found}`,
  );
  await assertAccessible(viewer, "stacked power");
});

await ok("rows are compact, medium or large", async () => {
  await viewer.open(address);
  const height = () =>
    page.$eval('.row[data-key="t1"]', (row) => Math.round(row.getBoundingClientRect().height));

  assertSame(await height(), 26, "large");
  await page.focus(".row");
  await viewer.press("d");
  assertSame([await height(), viewer.parameters.get("rows")], [8, "compact"], "compact");
  // What is drawn of nested states is the innermost one.
  await page.hover('.row[data-key="t0"] .row-plot');
  await assertAccessible(viewer, "compact rows");
  await viewer.press("d");
  assertSame([await height(), viewer.parameters.get("rows")], [13, "medium"], "medium");
  await viewer.open(viewer.url);
  assertSame(await height(), 13, "from the link");
});

/** Press a button of the dialog that saves, and read what is saved. */
async function saved(button) {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.click(`dialog[open] button:text-is("${button}")`),
  ]);

  return {
    name: download.suggestedFilename(),
    bytes: readFileSync(await download.path()),
  };
}

await ok("the title of a saved panel is above all columns", async () => {
  await viewer.open(url({ panel: "profile" }));
  await page.focus(".row");
  await viewer.press("x");
  const places = await page.evaluate(
    (text) =>
      [...new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("text")].map(
        (one) => [one.textContent, Number(one.getAttribute("x")), Number(one.getAttribute("y"))],
      ),
    (await saved("SVG")).bytes.toString(),
  );
  const [, left, top] = places[0];
  const [, x, y] = places.find(([text]) => text === "States");

  assert(Math.abs(x - left) < 1 && y > top, `at ${x}, ${y}; the title is at ${left}, ${top}`);
  await page.keyboard.press("Escape");
});

await ok("a panel is saved as CSV with all digits", async () => {
  await viewer.open(url({ panel: "flame" }));
  await page.focus(".row");
  await viewer.press("x");
  await assertAccessible(viewer, "the dialog");
  const { name, bytes } = await saved("CSV");
  const lines = bytes.toString().trimEnd().split("\n");

  assertSame(name, "drawn-flame.csv", "file");
  assertSame(
    lines[0],
    "Depth,State,Count,Total time (s),Share,Own time (s),Total energy (J),Total energy as shown,Own energy (J),Own energy as shown",
    "titles",
  );
  assertSame(
    lines.find((line) => line.startsWith("0,Solve,")).split(",").slice(0, 4),
    ["0", "Solve", "1", "4.5"],
    "Solve",
  );
  // All numbers are those of the page, bit by bit.
  const rows = await page.$$eval("[data-panel=flame] tr[data-state]", (list) =>
    list.map((row) =>
      [...row.querySelectorAll("[data-value]")].map(({ dataset }) => dataset.value).slice(0, 4),
    ),
  );

  assertSame(
    lines.slice(1).map((line) => line.split(",").slice(2, 6)),
    rows,
    "numbers",
  );
});

await ok("saved tables have plain names, and numbers in place of links", async () => {
  const linesOf = async (panel) => {
    await viewer.open(url({ panel }));
    await page.focus(".row");
    await viewer.press("x");
    return (await saved("CSV")).bytes.toString().trimEnd().split("\n");
  };
  const names = (await linesOf("interval")).map((line) => line.split(",")[1]);

  assert(names.includes("T"), `no simulated value T in ${names}`);
  // Of the group that stopped from 2 s to 4 s.
  const [titles, gap] = await linesOf("problems");

  assertSame(titles, "Group,Node,From (s),Length (s)", "titles");
  assert(gap.endsWith(",2,2"), gap);
  await viewer.open(url({ panel: "flame" }));
  await page.focus(".row");
  await viewer.press("x");
});

await ok("a panel is saved as SVG and PNG at its size on paper", async () => {
  const picture = (await saved("SVG")).bytes.toString();
  const found = await page.evaluate((text) => {
    const { documentElement: root } = new DOMParser().parseFromString(text, "image/svg+xml");
    const texts = [...root.querySelectorAll("text")];

    return {
      name: root.localName,
      width: root.getAttribute("width"),
      texts: texts.map((one) => one.textContent),
      images: root.querySelectorAll("image").length,
      box: root.getAttribute("viewBox").split(" ").map(Number),
      right: Math.max(
        ...texts.map((one) => Number(one.getAttribute("x")) + Number(one.getAttribute("textLength") ?? 0)),
      ),
    };
  }, picture);

  assertSame([found.name, found.width], ["svg", "180mm"], "root");
  assert(found.texts[0].startsWith("drawn · Call tree · "), found.texts[0]);
  for (const text of ["Solve", "Kernel", "Total time", "4.500 s"])
    assert(found.texts.includes(text), `no text ${text}`);
  assert(found.images > 5, `${found.images} images`);
  assert(found.right <= found.box[2] + 0.01, `a text ends at ${found.right}`);
  await page.fill("dialog[open] input[type=number]", "100");
  const { bytes } = await saved("PNG, 300 dpi");
  // Of IHDR; and pHYs, which is behind it: 300 on an inch are 11,811 on a metre.
  const width = bytes.readUInt32BE(16);

  assertSame([width, bytes.toString("latin1", 37, 41)], [1181, "pHYs"], "PNG");
  assertSame(bytes.readUInt32BE(41), 11811, "pixels on a metre");
  await page.keyboard.press("Escape");
  await viewer.settle();
  assertSame(
    await page.evaluate(() => document.documentElement.className),
    "",
    "what is left of it",
  );
});

await ok("a saved panel has its chart", async () => {
  await viewer.open(url({ panel: "histogram" }));
  await page.focus(".row");
  await viewer.press("x");
  const picture = (await saved("SVG")).bytes.toString();
  // Of each image its width, and how many of its pixels something was drawn on.
  const images = await page.evaluate(async (text) => {
    const found = new DOMParser().parseFromString(text, "image/svg+xml");
    const list = [];

    for (const one of found.querySelectorAll("image")) {
      const image = new Image();

      image.src = one.getAttribute("href");
      await image.decode();
      const canvas = document.createElement("canvas");

      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const context = canvas.getContext("2d");

      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);

      list.push([
        Number(one.getAttribute("width")),
        data.filter((value, i) => i % 4 === 3 && value > 0).length,
      ]);
    }
    return list;
  }, picture);

  assert(
    images.some(([width, count]) => width >= 200 && count > 1000),
    `images: ${JSON.stringify(images)}`,
  );
  await page.keyboard.press("Escape");
});

await ok("the page sends no request and logs no error", async () => {
  assertQuiet(viewer, (asked) =>
    ["about:blank", address].includes(asked.split("#")[0]) || /^(blob|data):/.test(asked),
  );
});

await browser.close();
done();
