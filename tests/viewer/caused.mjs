// SPDX-License-Identifier: LGPL-2.1-or-later
// What pages show of who waited for whom:
//
//     node caused.mjs PAGE LATE OTHER INTER MESSAGES
//
// The page is that of LATE, which with OTHER is made by caused.sh; INTER is a project
// of messages over intercommunicators, which are those in the file MESSAGES: sender,
// receiver, tag, bytes, start and end in ns.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
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
import { Picture } from "./pixels.mjs";

const [, , address, late, other, inter, messages] = process.argv;
const browser = await launch();
const isOwn = (url) => url.split("#")[0] === address;

/** Show projects, served, and do something with them. */
async function serve(projects, use) {
  const server = spawn(
    process.env.HDTRACE,
    ["view", "--no-browser", ...projects],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const url = await new Promise((resolve, reject) => {
    server.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
    server.once("exit", (status) => reject(new Error(`ended with ${status}`)));
  });

  try {
    const viewer = await Viewer.open(browser, url, {
      viewport: { width: 1280, height: 1500 },
    });

    await use(viewer);
    await viewer.close();
  } finally {
    server.kill("SIGTERM");
  }
}

/** So many parts of paths are on the screen. */
const partsOf = ({ page }) =>
  page.$eval(".app", (app) => Number(app.dataset.path));

/** Where rows begin on the canvas over them, by their keys; and where its plots
 *  do, in pixels. */
function placesOf({ page }) {
  return page.evaluate(() => {
    const box = document.querySelector(".tracks").getBoundingClientRect();
    const tops = {};

    for (const row of document.querySelectorAll(".row"))
      tops[row.dataset.key] = row.getBoundingClientRect().top - box.top;
    const plot = document.querySelector(".row-plot").getBoundingClientRect();

    return { tops, left: plot.left - box.left + 56, box: [box.x, box.y] };
  });
}

/** The colour of the path, as pixels have it. */
function pathColour({ page }) {
  return page.evaluate(() => {
    const text = getComputedStyle(document.documentElement)
      .getPropertyValue("--path")
      .trim();

    return `${[1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)).join()},255`;
  });
}

const viewer = await Viewer.open(browser, address);
const { page } = viewer;

/** Whether the path is drawn at a time, in a row, or so far below its line. */
async function isDrawn(time, key, below = 0) {
  const picture = await Picture.of(viewer, ".tracks > canvas.over");
  const { tops, left } = await placesOf(viewer);
  const [start, span] = viewer.stretch();
  const x = left + ((time - start) / span) * (picture.width - left);

  return picture.at(x, tops[key] + 2 + below) === (await pathColour(viewer));
}

await ok("the path is drawn on request", async () => {
  assertSame(await partsOf(viewer), 0, "parts at first");
  await viewer.press("c");
  assertSame(await partsOf(viewer), 2, "parts");
  assertSame(viewer.parameters.get("path"), "yes", "in the address");
});

await ok("only states on the path are highlighted", async () => {
  // By hand: rank 0 until it sends at 4 s, then rank 1.
  for (const [time, key, wanted] of [
    [0.5, "t0", true],
    [2, "t0", true],
    [3.9, "t0", true],
    [4.3, "t0", false],
    [6, "t0", false],
    [0.5, "t1", false],
    [3.9, "t1", false],
    [4.2, "t1", true],
    [7.8, "t1", true],
  ])
    assertSame(await isDrawn(time, key), wanted, `${key} at ${time} s`);
  assert(await isDrawn(4, "t0", 12), "it does not lead from row to row");
});

await ok("an arrow leads to the path where its rows are off the screen", async () => {
  const low = await Viewer.open(browser, `${address}#path=yes&view=5,7`, {
    viewport: { width: 1280, height: 620 },
  });
  const arrow = low.page.locator(".path-arrow");
  const isShown = (key) =>
    low.page.evaluate((name) => {
      const box = document.querySelector(".scroll").getBoundingClientRect();
      const row = document.querySelector(`.row[data-key="${name}"]`)?.getBoundingClientRect();

      return Boolean(row && row.top < box.bottom && row.bottom > box.top);
    }, key);
  const scroll = (top) =>
    low.page.$eval(".scroll", (element, to) => element.scrollTo(0, to), top);

  await scroll(0);
  await low.settle();
  assert(!(await isShown("t1")), "the row is on the screen");
  assertSame(await arrow.getAttribute("data-direction"), "down", "direction");
  assertSame(await arrow.textContent(), "▼ Critical path below: beta_1", "text");
  await assertAccessible(low, "the arrow");
  await arrow.press("Enter");
  // The page hears of the scrolling with the next frame only.
  await arrow.waitFor({ state: "hidden" });
  await low.settle();
  assert(await isShown("t1"), "it does not lead to the row");
  await low.close();
});

await ok("rows show their time on the path", async () => {
  const labels = await page.$$eval(".row-states", (rows) =>
    rows.map((row) => row.getAttribute("aria-label")),
  );

  for (const label of labels)
    assert(
      label.endsWith("on the critical path for 4.000 s in view"),
      `a row says ${label}`,
    );
  assertSame(labels.length, 2, "rows");
});

await ok("the table of the path agrees with report and with values by hand", async () => {
  const { critical_path: told } = JSON.parse(
    hdtrace("report", "-q", "--format=json", late),
  );

  await viewer.panel("path");
  const found = await page.$eval("#panel-path", (panel) => ({
    length: Number(panel.querySelector("[data-length]").dataset.length),
    joules: [...panel.querySelectorAll("[data-joules]")].map((e) =>
      Number(e.dataset.joules),
    ),
    tables: [...panel.querySelectorAll("table")].map((table) =>
      [...table.querySelectorAll("tbody tr")].map((row) => [
        row.firstChild.textContent,
        Number(row.querySelector("[data-seconds]")?.dataset.seconds),
      ]),
    ),
  }));

  assertSame(found.length, 8, "length");
  assertSame(found.joules, [4 * 100 + 4 * 200, 3 * 200], "joules");
  assertSame(
    found.tables.slice(0, 2),
    [
      [
        ["0", 4],
        ["1", 4],
      ],
      [
        ["Prepare", 4],
        ["Solve", 3],
        ["Recv", 1],
      ],
    ],
    "ranks and states",
  );
  assertSame(
    found.tables[0],
    told.by_rank.map(({ rank, time_s }) => [String(rank), Number(time_s)]),
    "ranks",
  );
  assertSame(
    found.tables[1],
    told.by_state.map(({ name, time_s }) => [name, Number(time_s)]),
    "states",
  );
  await page.locator("#panel-path button.link").nth(1).click();
  await viewer.settle();
  assertSame(viewer.times("mark"), ["4", "8"], "the second part");
  await viewer.press("Escape");
});

/** The rows that are marked, by their keys. */
const marked = () =>
  page.$$eval(".row[data-wait]", (rows) =>
    Object.fromEntries(rows.map(({ dataset }) => [dataset.key, dataset.wait])),
  );

await ok("findings are the first panel and mark what they are about", async () => {
  const { findings } = JSON.parse(hdtrace("report", "-q", "--format=json", late));

  assertSame(
    await page.$eval("[role=tab]", (tab) => tab.id),
    "tab-findings",
    "the first tab",
  );
  await viewer.panel("findings");
  assertSame(
    await page.$$eval("#panel-findings tbody tr", (rows) =>
      rows.map((row) => [
        row.querySelector("[data-finding]").textContent.split(" ")[0],
        Number(row.querySelector("[data-seconds]").dataset.seconds),
      ]),
    ),
    findings.map(({ kind, time_s }) => [kind, time_s]),
    "findings",
  );
  assertSame(await marked(), {}, "rows before the click");
  // The first finding has a card, too.
  const row = page
    .locator("#panel-findings")
    .getByRole("button", { name: "late-sender", exact: true });

  await row.click();
  await viewer.settle();
  // By hand: rank 1 waits from 1 s until rank 0 sends at 4 s.
  assertSame(viewer.times("mark"), ["1", "4"], "the wait");
  assertSame(await marked(), { t0: "causing", t1: "waiting" }, "rows");
  await assertAccessible(viewer);
  const number = findings.findIndex(({ kind }) => kind === "late-sender");
  const told = findings[number];

  assertSame(viewer.parameters.get("select"), `f${number},1,4`, "link");
  await viewer.panel("details");
  for (const [key, value] of [
    ["time", told.time_s],
    ["count", told.count],
    ["saved", told.saved_s],
    ["energy", told.energy_j],
  ])
    assertSame(
      await page.getAttribute(`[data-panel=details] [data-key="${key}"]`, "data-value"),
      String(Number(value)),
      key,
    );
  const details = await page.$$eval("[data-panel=details] dt", (list) =>
    Object.fromEntries(list.map((e) => [e.title, e.nextElementSibling.textContent])),
  );

  assertSame(
    [details["Ranks that wait"], details["They wait for ranks"], details.Advice],
    [told.waiting.join(", "), told.causing.join(", "), told.advice],
    "details",
  );
  await assertAccessible(viewer, "details of a finding");
  // The number of a link may be that of another finding in a newer report.
  await viewer.open(`${address}#select=f${number},1,5&panel=details`);
  assertSame(
    await viewer.text("[data-panel=details]"),
    "The selected finding is not in this report.",
    "a finding with other times",
  );
  await viewer.open(`${address}#select=f${number},1,4&mark=1,4&panel=findings`);
  await row.click();
  await viewer.settle();
  await viewer.panel("details");
  // Rows in the order of waiting: that of rank 1, then that of rank 0, which causes it.
  const order = () =>
    page.$$eval(".row-states", (rows) => rows.map(({ dataset }) => dataset.key));

  assertSame(await order(), ["t0", "t1"], "rows");
  await page.click("text=Sort rows by it");
  await viewer.settle();
  assertSame(await order(), ["t1", "t0"], "sorted rows");
  assertSame(viewer.parameters.get("sort"), String(number), "link of sorted rows");
  await page.click("text=Restore the order of rows");
  await viewer.settle();
  assertSame(await order(), ["t0", "t1"], "restored rows");
  await viewer.panel("findings");
  await row.click();
  await viewer.settle();
  assertSame(await marked(), {}, "rows after another click");
  assertSame(viewer.parameters.get("select"), null, "link after another click");
  await viewer.press("Escape");
  await viewer.open(address);
  await viewer.press("c");
  await viewer.panel("path");
});

await ok("a link, the button and the table switch the path", async () => {
  const second = await Viewer.open(browser, viewer.url);
  const button = second.page.getByRole("button", { name: "Critical path (c)" });
  const box = second.page.locator("#panel-path input[type=checkbox]");
  const state = async () => [
    await partsOf(second),
    await button.getAttribute("aria-pressed"),
    await box.isChecked(),
  ];

  assertSame(await state(), [2, "true", true], "of the link");
  await button.focus();
  await second.page.keyboard.press("Enter");
  await second.settle();
  assertSame(await state(), [0, "false", false], "after the button");
  await box.focus();
  await second.page.keyboard.press("Space");
  await second.settle();
  assertSame(await state(), [2, "true", true], "after the box");
  await second.close();
});

await ok("the path is accessible in light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await assertAccessible(viewer, `${colorScheme}, the critical path`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  assertQuiet(viewer, isOwn);
});

await ok("the path is on the headings of folded nodes", async () => {
  await viewer.press("f");
  assertSame(await partsOf(viewer), 2, "parts");
  assert(await isDrawn(2, "n1"), "not on the first host");
  assert(await isDrawn(6, "n3"), "not on the second one");
  assert(!(await isDrawn(6, "n1")), "on the first host all the time");
  const labels = await page.$$eval(".row-node", (rows) =>
    rows.map((row) => row.getAttribute("aria-label")),
  );

  assert(
    labels.every((label) => /on the critical path for 4\.000 s/.test(label)),
    labels.join("; "),
  );
});

await ok("several projects have their own paths on one clock", async () => {
  await serve([late, other], async (both) => {
    await both.panel("path");
    await both.press("c");
    assertSame(await partsOf(both), 4, "parts");
    const found = await both.page.$$eval("#panel-path [data-path]", (list) =>
      list.map((section) => [
        section.dataset.path,
        ...[...section.querySelectorAll("[data-joules]")].map((e) =>
          Number(e.dataset.joules),
        ),
      ]),
    );

    assertSame(
      found,
      [
        ["late", 1200, 600],
        ["other", 4 * 50 + 4 * 60, 180],
      ],
      "joules",
    );
    const starts = await both.page.$$eval("#panel-path button.link", (list) =>
      list.map((button) => button.textContent),
    );

    assertSame(starts, ["0 s", "4 s", "0 s", "4 s"], "starts of parts");
    await assertAccessible(both, "two critical paths");
  });
});

await ok("groups nest, and fold to mean, minimum, maximum and shares", async () => {
  await serve([late, other], async (both) => {
    const { page: shown } = both;
    const textOf = (key) => shown.textContent(`.row[data-key="${key}"] .at-cursor`);
    const labelOf = (key) => shown.getAttribute(`.row[data-key="${key}"]`, "aria-label");
    const [project, first, second] = ["n1", "n2", "n4"];

    await both.press("f");
    await shown.mouse.move(
      ...(await both.point(`.row[data-key="${first}"] .row-plot`, 0.6)),
    );
    await shown
      .locator(`.row[data-key="${first}"] .at-cursor`, { hasText: /^100 W$/ })
      .waitFor();
    assertSame(await textOf(second), "200 W", "the second host");
    // All of a project is one row then, of both of its hosts.
    await shown.click(`.row[data-key="${project}"] .fold`);
    await both.settle();
    assertSame(
      await shown.$(`.row[data-key="${first}"]`),
      null,
      "a host in what is folded",
    );
    assertSame(await textOf(project), "150 (100 – 200) W", "the project");
    assert(await shown.$(`.row[data-key="${project}"] canvas.shares`), "no shares");
    const label = await labelOf(project);

    assert(/states: .*Prepare.*%/.test(label), label);
    await shown.click(`.row[data-key="${project}"] .fold`);
    await both.settle();
    assertSame(await textOf(second), "200 W", "the second host again");
  });
});

await ok("messages over intercommunicators have the right receiver", async () => {
  const wanted = readFileSync(messages, "utf8").trim().split("\n");

  await serve([inter], async (shown) => {
    const count = await shown.page.$eval(".app", (app) =>
      Number(app.dataset.arrows),
    );

    assertSame(count, wanted.length, "arrows");
    const { tops, left, box } = await placesOf(shown);
    const width = await shown.page.$eval(
      ".tracks > canvas.over",
      (canvas) => canvas.getBoundingClientRect().width,
    );
    // The run starts at the first record.
    const [start, span] = shown.stretch();
    const x = (ns) => left + ((ns / 1e9 - 1 - start) / span) * (width - left);
    const y = (rank) => tops[`t${rank}`] + 4 + 17 / 2;

    for (const line of wanted) {
      const [from, to, tag, size, sent, received] = line.split(" ").map(Number);
      // Where neither another one nor a state is: nearer to its end than to its start.
      const yAt = (part) => y(from) + (y(to) - y(from)) * part;
      const isFree = (part) =>
        Object.values(tops).every((top) => yAt(part) < top + 3 || yAt(part) > top + 22);
      const at = [0.8, 0.76, 0.72, 0.68, 0.64, 0.6, 0.56].find(isFree) ?? 0.8;

      await shown.page.mouse.move(
        box[0] + x(sent) + (x(received) - x(sent)) * at,
        box[1] + yAt(at),
      );
      const title = `From.*\\D${from}To.*\\D${to}Sent.*Size${size} BTag${tag}`;

      await shown.page
        .locator(".tooltip:not([hidden])", { hasText: new RegExp(title) })
        .waitFor({ timeout: 20000 })
        .catch(async () => {
          throw new Error(
            `${line}: ${await shown.text(".tooltip")} at it, not ${title}`,
          );
        });
    }
  });
});

await browser.close();
done();
