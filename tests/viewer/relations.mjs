// SPDX-License-Identifier: LGPL-2.1-or-later
// What pages show of relations:
//
//     node relations.mjs FOLDER PROJECT OTHER
//
// OTHER has 3 requests. In the folder are the pages few.html, of PROJECT, many.html, and reduced.html, of
// the requests that relations.sh makes: of 6 and of 20,000, every 20 ms; and of 6 with
// damaged files damaged.html.
import { spawn } from "node:child_process";
import {
  assert,
  assertAccessible,
  assertQuiet,
  assertSame,
  done,
  hdtrace,
  launch,
  ok,
  Viewer,
} from "./browser.mjs";
import { canvasOf, Picture } from "./pixels.mjs";

const [, , folder, few, other] = process.argv;
const LANE = 14;
const browser = await launch();
const viewer = await Viewer.open(browser, `${folder}/few.html`);

/** What the page says of itself. */
const said = ({ page }, key) => page.$eval(".app", (app, k) => app.dataset[k], key);
const note = ({ page }) => page.$eval(".message-note", (e) => (e.hidden ? "" : e.textContent));

/** Where a time is in a lane of a row, on the screen. */
async function placeOf({ page, ...v }, key, time, lane, view) {
  const box = await page.locator(canvasOf(key)).first().boundingBox();
  const [start, span] = view;

  return [
    box.x + 56 + ((time - start) / span) * (box.width - 56),
    box.y + 4 + (lane + 0.5) * LANE,
  ];
}

async function click(v, key, time, lane) {
  const view = v.stretch();

  await v.page.mouse.click(...(await placeOf(v, key, time, lane, view)));
  await v.settle();
}

/** The colours that a lane has around a time, and between the dots of hatchings. */
async function coloursOf(v, key, time, lane) {
  const picture = await Picture.of(v, canvasOf(key));
  const found = new Set();

  for (let x = -4; x <= 4; x++)
    for (let y = 1; y < LANE - 2; y++)
      found.add(picture.at(picture.x(time) + x, 4 + lane * LANE + y));
  return [...found].sort();
}

/** Whether there is anything. */
const isThereAt = async (...where) =>
  (await coloursOf(viewer, ...where)).some((colour) => !colour.endsWith(",0"));

/** The rows of a table of the panel: texts of cells. */
const tableOf = ({ page }, section) =>
  page.$$eval(`#panel-relations section[aria-label="${section}"] tbody tr`, (rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  );

async function find(v, text) {
  await v.panel("relations");
  await v.page.fill("#panel-relations input", text);
  await v.page.evaluate(() => {
    delete document.querySelector("#panel-relations [aria-live]").dataset.count;
  });
  await v.page.keyboard.press("Enter");
  await v.page.waitForFunction(() =>
    document.querySelector("#panel-relations [data-count], #panel-relations .split .empty") &&
    !document.querySelector("#panel-relations [aria-live]").textContent.includes("Searching"),
  );
  await v.settle();
  return tableOf(v, "Find relations");
}

await ok("each relation file has a row", async () => {
  assertSame(await viewer.rows(), ["n3", "r0", "r1", "r2"], "rows");
  // Writes last 2.5 s, and there is one each second: three at a time. Requests and
  // what they write come in pairs.
  const heights = await viewer.page.$$eval(".row-relations", (rows) =>
    rows.map((row) => row.getBoundingClientRect().height),
  );

  assertSame(heights, [3, 2, 2].map((lanes) => 4 + lanes * LANE + 3 + 14), "heights");
});

await ok("the slowest relations are listed as trees", async () => {
  await viewer.panel("relations");
  const trees = await viewer.page.$$eval(
    '#panel-relations section[aria-label="Slowest"] details',
    (all) =>
      all.map((tree) => [
        tree.querySelector("summary").textContent,
        [...tree.querySelectorAll("tbody tr")].map((row) => row.children[0].textContent),
      ]),
  );

  assertSame(trees.length, 10, "trees");
  assertSame(trees[0][0], "write of CLIENT: 2.500 s", "the first");
  assertSame(
    trees[0][1],
    ["write", "request", "pwrite", "request", "pwrite"],
    "what it caused",
  );
});

await ok("overlapping relations are stacked", async () => {
  // By hand: writes from 0, 1 and 2 s, the next one from 3 s takes the first lane.
  for (const [time, lane, isThere] of [
    [0.5, 0, true],
    [0.5, 1, false],
    [1.5, 1, true],
    [1.5, 2, false],
    [2.3, 2, true],
    [2.8, 0, false],
    [3.2, 0, true],
  ])
    assertSame(await isThereAt("r0", time, lane), isThere, `${time} s, lane ${lane}`);
});

await ok("arrows connect a relation with all its effects", async () => {
  assertSame(await said(viewer, "causes"), "24", "arrows");
  await viewer.press("a");
  assertSame(await said(viewer, "causes"), "0", "arrows when they are off");
  await viewer.press("a");
});

await ok("a click highlights one request", async () => {
  // Of the request: a write and one part of it; of others the same.
  const own = [["r0", 1.2, 1], ["r1", 1.4, 0]];
  const others = [["r0", 0.1, 0], ["r1", 0.4, 0], ["r2", 0.6, 0]];
  const colours = async (places) => {
    const list = [];

    for (const place of places) list.push(await coloursOf(viewer, ...place));
    return list;
  };
  const before = await colours(own);

  assert(
    new Set((await colours(others)).map(String)).size === 3,
    "names have the same colours",
  );
  await click(viewer, "r0", 1.6, 1);
  assertSame(await said(viewer, "request"), "5", "relations");
  assertSame(await said(viewer, "causes"), "4", "arrows");
  assertSame(await colours(own), before, "colours of what is followed");
  const grey = await colours(others);

  // One and the same, without hatching.
  for (const list of grey) assertSame(list, grey[0], "grey");
  assertSame(grey[0].length, 1, "colours of others");
});

await ok("the tree agrees with hdtrace relations", async () => {
  await viewer.panel("relations");
  const { relations } = JSON.parse(
    hdtrace("relations", "-q", "--format=json", "--tree=A:1.1:0:1", few),
  );

  assertSame(
    (await tableOf(viewer, "Request")).map(([name, node]) => [
      name.replace(" (failed)", ""),
      node,
    ]),
    relations.map(({ name, node }) => [name, node]),
    "tree",
  );
  // The second one writes from 1.25 + 0.25 s on, and its second part fails.
  assertSame(
    (await tableOf(viewer, "Request")).map((cells) => [cells[0], ...cells.slice(2)]),
    [
      ["write", "1 s", "2.500 s"],
      ["request", "1.25 s", "1.000 s"],
      ["pwrite", "1.5 s", "500.0 ms"],
      ["request", "1.5 s", "1.000 s"],
      ["pwrite (failed)", "1.75 s", "500.0 ms"],
    ],
    "times",
  );
});

await ok("details of a relation agree with hdtrace relations", async () => {
  const { relations } = JSON.parse(
    hdtrace("relations", "-q", "--format=json", "--tree=A:1.1:0:1", few),
  );
  const valueOf = async (key) =>
    Number(
      await viewer.page.getAttribute(`[data-panel=details] [data-key="${key}"]`, "data-value"),
    );

  await viewer.panel("details");
  for (const told of [relations[0], relations[1], relations[2]]) {
    const title = await viewer.text("[data-panel=details] h3");

    assertSame(title, told.name, "name");
    assertSame(
      [await valueOf("length"), await valueOf("self")],
      [Number(told.total_s), Number(told.self_s)],
      `total and self time of ${told.name}`,
    );
    if (told === relations[2]) break;
    // The first that it caused.
    await viewer.page.click("[data-panel=details] li button");
    await viewer.settle();
  }
  assert(viewer.parameters.get("select").startsWith("r2."), viewer.url);
  await viewer.page.click("[data-panel=details] dd button:text-is('request')");
  await viewer.settle();
  assert(viewer.parameters.get("select").startsWith("r1."), viewer.url);
  // Of 12 requests, each of a second.
  assertSame([await valueOf("count"), await valueOf("quantile")], [12, 0.5], "among all");
  await assertAccessible(viewer, "details of a relation");
});

await ok("the URL contains the highlighted request", async () => {
  const { url } = viewer;

  await viewer.press("Escape");
  assertSame(await said(viewer, "request"), "", "after Escape");
  assertSame(await said(viewer, "causes"), "24", "arrows after Escape");
  assertSame(viewer.parameters.get("request"), null, "in the address");
  await viewer.open(url);
  await viewer.page.waitForFunction(
    () => document.querySelector(".app").dataset.request === "5",
  );
  await viewer.settle();
  assertSame(await said(viewer, "causes"), "4", "arrows of the link");
});

await ok("a click on empty space follows no relation", async () => {
  await click(viewer, "r0", 0.1, 2);
  assertSame(await said(viewer, "request"), "", "relations");
});

await ok("search finds relations by name, token and attribute", async () => {
  assertSame((await find(viewer, "PWRITE")).length, 12, "by name");
  assertSame((await find(viewer, "B:1.1:1:11")).length, 1, "by token");
  // Of the cause as well: two requests name it.
  assertSame((await find(viewer, "A:1.1:0:4")).length, 3, "by the token of a cause");
  assertSame((await find(viewer, "file=f5")).length, 1, "by attribute");
  assertSame((await find(viewer, "EIO")).length, 1, "by its value");
  assertSame(await find(viewer, "nobody"), [], "none");
});

await ok("a search result is followed", async () => {
  await find(viewer, "EIO");
  await viewer.page.click('#panel-relations section[aria-label="Find relations"] tbody button');
  await viewer.settle();
  assertSame(await said(viewer, "request"), "5", "relations");
  await assertAccessible(viewer, "relations");
  await viewer.press("Escape");
});

await ok("the tooltip describes a relation", async () => {
  const view = viewer.stretch();

  await viewer.page.mouse.move(...(await placeOf(viewer, "r2", 1.9, 1, view)));
  await viewer.page.waitForFunction(() =>
    document.querySelector(".tooltip:not([hidden])")?.textContent.includes("offset"),
  );
  const text = await viewer.text(".tooltip");

  for (const part of ["pwrite", "B:1.1:1:3", "B:1.1:0:3", "EIO"])
    assert(text.includes(part), `it does not say ${part}: ${text}`);
});

await ok("the page of few relations logs no error", () =>
  assertQuiet(viewer, (url) => url.startsWith(folder)));
await viewer.close();

/* ---- Many ------------------------------------------------------------------ */

const many = await Viewer.open(browser, `${folder}/many.html`);

await ok("a page of 100,000 relations shows their number without arrows", async () => {
  assertSame(await said(many, "causes"), "0", "arrows");
  assert((await note(many)).includes("zoom in"), `it says ${await note(many)}`);
  const label = await many.page.$eval('.row[data-key="r1"]', (row) =>
    row.getAttribute("aria-label"),
  );
  const about = Number(/longest of about (\d+) relations/.exec(label)?.[1]);

  assertSame(about, 40000, `relations that the row says (${label})`);
  // The density stands below the lanes; it is the same everywhere.
  const picture = await Picture.of(many, canvasOf("r1"));

  for (const time of [5, 200, 395])
    assert(picture.alphaAt(picture.x(time), picture.height - 4) > 0, `nothing at ${time} s`);
});

await ok("a page shows some of 100,000 relations with arrows", async () => {
  await many.open(`${folder}/many.html#view=200,200.4`);
  const count = Number(await said(many, "causes"));

  // 20 requests began in that time, or soon before it, of 4 that something caused.
  assert(count >= 70 && count <= 100, `${count} arrows`);
});

await ok("search finds one of 100,000 relations", async () => {
  await many.open(`${folder}/many.html`);
  assertSame((await find(many, "file=f12345")).length, 1, "by attribute");
  await many.page.click('#panel-relations section[aria-label="Find relations"] tbody button');
  await many.settle();
  const [start, span] = many.stretch();

  // It lasts from 246.9 s on, for 50 ms.
  assert(start < 246.9 && start + span > 246.95 && span < 0.1, `${start} s, ${span} s wide`);
  assertSame(await said(many, "request"), "5", "relations");
  assertSame(await said(many, "causes"), "4", "arrows");
  await many.press("0");
  assertSame(await said(many, "causes"), "4", "arrows in the whole run");
});

await ok("the page of many relations logs no error", () =>
  assertQuiet(many, (url) => url.startsWith(folder)));

await ok("a reduced page says so and has the longest relations", async () => {
  await many.open(`${folder}/reduced.html`);
  const banner = await many.text(".banner");

  assert(banner.includes("relations of 3 of 3 files"), `it says ${banner}`);
  const badges = await many.page.$$eval(".row-relations .badge", (list) =>
    list.map((badge) => badge.textContent),
  );

  assertSame(badges, ["reduced", "reduced", "reduced"], "badges");
  const label = await many.page.$eval('.row[data-key="r1"]', (row) =>
    row.getAttribute("aria-label"),
  );
  const [, drawn, all] = /the (\d+) longest of about (\d+) relations/
    .exec(label)
    .map(Number);

  assert(drawn < 20000 && Math.abs(all - 40000) < 40, `the row says ${label}`);
  assert((await find(many, "write")).length > 0, "nothing is found");
  const found = () => many.text("#panel-relations [aria-live]");

  assert((await found()).includes("relations may be missing"), `found: ${await found()}`);
  // What is in the attributes was left out.
  assertSame(await find(many, "file=f12345"), [], "by attribute");
  assert((await found()).includes("relations may be missing"), `not found: ${await found()}`);
});

await ok("arrows show the longest relations", async () => {
  await many.open(`${folder}/reduced.html#view=200,200.4`);
  assert(Number(await said(many, "causes")) < 70, "all arrows are there");
  assert((await note(many)).includes("longest relations only"), `it says ${await note(many)}`);
});

await ok("rows of truncated files say so", async () => {
  await many.open(`${folder}/damaged.html`);
  assertSame(
    await many.page.$$eval(".row-relations", (rows) =>
      rows.map((row) => row.querySelector(".badge.damage")?.textContent ?? ""),
    ),
    ["", "cut", "cut"],
    "badges",
  );
  const banner = many.page.locator(".banner", { hasText: "Damaged" });

  assert((await banner.textContent()).includes("2 files"), "no banner");
});
await many.close();

/** Show projects, served, and do something with them. */
async function serve(projects, use) {
  const server = spawn(process.env.HDTRACE, ["view", "--no-browser", ...projects], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((resolve, reject) => {
    server.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
    server.once("exit", (status) => reject(new Error(`ended with ${status}`)));
  });

  try {
    const served = await Viewer.open(browser, url, {
      viewport: { width: 1280, height: 1300 },
    });

    await use(served);
    await served.close();
  } finally {
    server.kill("SIGTERM");
  }
}

/** Wait until the page says so of itself. */
async function waitFor(v, key, wanted) {
  await v.page.waitForFunction(
    ([k, text]) => document.querySelector(".app").dataset[k] === text,
    [key, wanted],
  );
  await v.settle();
}

await ok("a served page equals the file after loading", () =>
  serve([few], async (served) => {
    await waitFor(served, "causes", "24");
    await click(served, "r0", 1.6, 1);
    await waitFor(served, "request", "5");
    // The link may be opened before anything was read.
    await served.open(served.url);
    await waitFor(served, "request", "5");
  }));

await ok("two projects have their own relations", () =>
  serve([few, other], async (served) => {
    await waitFor(served, "causes", "36");
    await click(served, "r3", 1.6, 1);
    await waitFor(served, "request", "5");
    assertSame(await said(served, "causes"), "4", "arrows");
    assertSame(served.parameters.get("request").split(",")[2], "1", "project");
    assertSame(
      (await tableOf(served, "Request")).length === 0 ||
        (await tableOf(served, "Request")).every(([, node]) => node.startsWith("other:")),
      true,
      "nodes",
    );
  }));

await browser.close();
done();
