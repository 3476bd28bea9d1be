// SPDX-License-Identifier: LGPL-2.1-or-later
// What hdtrace view serves, in the browser:
//
//     node served.mjs ADDRESS PROJECT PROCESS
//
// The process is that of hdtrace view; it is ended.
import { appendFileSync, readFileSync } from "node:fs";
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
  PATIENCE_MS,
  Viewer,
} from "./browser.mjs";

const [, , address, project, server] = process.argv;
const isOwn = (url) => url.startsWith(address);
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;

await ok("numbers of the run agree with hdtrace stat", async () => {
  compareWithStat(await viewer.interval(), project, []);
});

await ok("numbers of an interval agree", async () => {
  await viewer.mark("0.3", "1.75");
  compareWithStat(await viewer.interval(), project, [
    "--from=0.3",
    "--to=1.75",
  ]);
});

await ok("the server makes the table of states, as hdtrace report does", async () => {
  await viewer.panel("profile");
  const rows = await page.$$eval("#panel-profile tr[data-state]", (list) =>
    list.map((row) => [
      row.dataset.state,
      ...[...row.querySelectorAll("[data-value]")]
        .slice(0, 3)
        .map((cell) => Number(cell.dataset.value)),
    ]),
  );
  const { states } = JSON.parse(
    hdtrace("report", "-q", "--format=json", "--from=0.3", "--to=1.75", project),
  );

  assert(rows.length > 0, "no states are shown");
  assertSame(
    rows.sort(),
    states.map((row) => [row.name, row.count, row.own_s, row.total_s]).sort(),
  );
  assert(
    viewer.requests.some((url) => url.includes("/states?from=")),
    "the server was not asked",
  );
  await viewer.panel("interval");
});

await ok("panning asks the server for numbers of the visible time when it rests", async () => {
  const other = await Viewer.open(
    browser,
    `${address}#${new URLSearchParams({ panel: "profile", of: "view", view: "0.3,0.6" })}`,
  );
  const before = other.requests.length;

  // As keys do, 200 ms apart.
  await other.page.evaluate(async () => {
    for (let i = 0; i < 15; i++) {
      const key = i % 2 ? "ArrowLeft" : "ArrowRight";

      document
        .querySelector(".row")
        .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
  await other.press("ArrowRight");
  const asked = other.requests.slice(before).filter((one) => one.includes("/states?from="));

  assert(asked.length > 0 && asked.length <= 5, `${asked.length} requests`);
  await other.close();
});

await ok("messages are counted by the server before they are loaded", async () => {
  const other = await browser.newPage();

  other.setDefaultTimeout(PATIENCE_MS);
  await other.route(/track\?id=m0(?:&|$)/, () => {});
  await other.goto(`${address}#${new URLSearchParams({ panel: "matrix" })}`);
  await other.waitForSelector("[data-panel=matrix] tr[data-key]");
  const valueOf = (selector) =>
    other.getAttribute(`[data-panel=matrix] ${selector}`, "data-value");
  const { rows } = JSON.parse(
    hdtrace("stat", "-q", "--volume", "--format=json", project),
  );
  const sent = rows.filter(
    ({ by, direction, peer }) => by === "peer" && direction === "sent" && peer !== null,
  );

  assert(sent.length > 0, "no messages are sent");
  assertSame(
    Number(await valueOf('[data-key="count"]')),
    sent.reduce((sum, { count }) => sum + count, 0),
    "messages",
  );
  assertSame(await valueOf("td:last-child [data-value]"), "unknown", "time");
  await other.close();
});

await ok("the report appears after loading", async () => {
  const report = JSON.parse(
    hdtrace("report", "-q", "--format=json", "--phases=borders", project),
  );
  const joules = await page.$eval("[data-phase]", (e) => e.dataset.joules);

  assertSame(
    Number(joules),
    report.phases[report.most_power].energy.energy_j,
    "joules",
  );
});

await ok("entries are loaded for the visible range", async () => {
  await page.click("text=Zoom to it");
  await viewer.press("+", "+", "+", "+", "+", "+", "+", "+");
  assert(
    viewer.requests.some((url) => url.includes("/entries?")),
    "nothing was read",
  );
});

await ok("a link restores the view exactly", async () => {
  const second = await Viewer.open(browser, viewer.url);
  const look = async (of) => ({
    url: of.url,
    rows: await of.rows(),
    numbers: await of.interval(),
  });

  assertSame(await look(second), await look(viewer), "what is shown");
  assertQuiet(second, isOwn);
  await second.close();
});

await ok("notes are kept beside the project, and shown as text", async () => {
  const text = "<img src=x onerror=pwned()> \u202ewait";
  const file = `${project}.notes`;
  const rows = () =>
    page.$$eval("[data-panel=notes] tr[data-note]", (list) =>
      list.map((row) => [
        row.querySelector("button").textContent,
        ...[...row.querySelectorAll("[data-value]")].map(({ dataset }) => Number(dataset.value)),
      ]),
    );

  await viewer.mark("0.3", "1.75");
  await viewer.panel("notes");
  await page.fill("[data-panel=notes] input", text);
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-panel=notes] tr[data-note]");
  const found = /^@(\d+\.\d+)\.\.(\d+\.\d+)\t\t(.*)\n$/.exec(readFileSync(file, "utf8"));

  assertSame(found[3], text, "text");
  assertSame((Number(found[2]) - Number(found[1])).toFixed(3), "1.450", "length");
  assertSame(await rows(), [[text, 0.3, 1.45]], "notes");
  // What others write is there with the next look.
  appendFileSync(file, `@${found[1]}\tnode1\tof an editor\n`);
  await viewer.panel("interval");
  await viewer.press("Escape", "0");
  await viewer.panel("notes");
  await page.click('[data-panel=notes] [data-note] >> text="of an editor"');
  await viewer.settle();
  const [start, span] = viewer.stretch();

  assert(start <= 0.3 && start + span >= 0.3 && span < 6, `${start} s, ${span} s`);
  assert((await viewer.text(".position")).startsWith("0.300000000 s"), "cursor");
  await page.click(`[data-panel=notes] [data-note="0"] >> text="${text}"`);
  await viewer.settle();
  assertSame(viewer.times("mark"), ["0.3", "1.75"], "mark");
  await assertAccessible(viewer, "notes");
  await page.click('[data-panel=notes] [data-note="0"] >> text="remove"');
  await page.waitForSelector("[data-panel=notes] tr[data-note='1']", { state: "detached" });
  assertSame(await rows(), [["of an editor", 0.3]], "after one is removed");
  assertSame(readFileSync(file, "utf8"), `@${found[1]}\tnode1\tof an editor\n`, "file");
  assertSame(await page.evaluate(() => globalThis.pwned ?? null), null, "pwned");
  // What is visible when a note is added, not when the panel was opened.
  await viewer.press("Escape", "0");
  await viewer.press("+", "+");
  const [visible] = viewer.stretch();

  await page.selectOption("[data-panel=notes] select", { label: "the visible time" });
  await page.fill("[data-panel=notes] input", "of the view");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-panel=notes] tr[data-note='1']");
  const starts = (await rows()).filter(([note]) => note === "of the view");

  assertSame(starts.length, 1, "notes of the view");
  assert(Math.abs(starts[0][1] - visible) < 1e-6, `${starts[0][1]}, not ${visible}`);
});

await ok("rows that are not loaded are hatched until they are", async () => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 1600 },
  });
  const held = [];
  let isHeld = true;
  const other = await context.newPage();
  // How much of the upper and of the lower half of a canvas is opaque.
  const cover = (selector) =>
    other.$eval(selector, (canvas) => {
      const { width, height } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
      const halves = [0, 0];
      const some = [0, 0];

      for (let y = 0; y < 12; y++)
        for (let x = 60; x < width - 4; x++) {
          const alpha = data[(y * width + x) * 4 + 3];

          halves[y < 6 ? 0 : 1] += alpha === 255;
          some[y < 6 ? 0 : 1] += alpha > 0;
        }
      return [...halves, ...some].map((count) => count / (6 * (width - 64)));
    });

  other.setDefaultTimeout(PATIENCE_MS);
  // The second rank of the first node is not described until it is let go.
  await other.route(/track\?id=t1(?:&|$)/, (route) =>
    isHeld ? held.push(route) : route.continue(),
  );
  await other.goto(address);
  await other.waitForSelector('.row[data-key="t0"][data-load="done"]');
  await other.waitForSelector('.row[data-key="t1"][data-load="loading"]');
  const [, , hatched] = await cover('.row[data-key="t1"] canvas');

  assert(hatched > 0.1, `${hatched} of the row is hatched`);
  await other.focus(".row");
  await other.keyboard.press("f");
  const partial = other.locator('.row-node[data-load="partial"]', {
    has: other.locator(".shares"),
  });

  await partial.first().waitFor();
  const key = await partial.first().getAttribute("data-key");
  const shares = `.row[data-key="${key}"] .shares`;

  await other.waitForFunction(
    (name) =>
      document
        .querySelector(`.row[data-key="${name}"]`)
        .getAttribute("aria-label")
        ?.includes("1 of 2 traces are loaded"),
    key,
  );
  const [top, bottom, hatch] = await cover(shares);

  assert(top < 0.6 && hatch > 0.1, `the upper half: ${top}, hatched ${hatch}`);
  assert(bottom > 0.5, `the lower half: ${bottom}`);
  isHeld = false;
  for (const route of held) await route.continue();
  await other.waitForSelector(`.row[data-key="${key}"][data-load="done"]`);
  assert((await cover(shares))[0] > top + 0.2, "the upper half stays as it was");
  await context.close();
});

await ok("the page asks only its server and logs no error", async () => {
  assertQuiet(viewer, isOwn);
});

await ok("pages of other origins get no data", async () => {
  const other = await browser.newPage();

  await other.goto("about:blank");
  const found = await other.evaluate(async (url) => {
    const ask = async (options) => {
      try {
        return await (await fetch(url, options)).text();
      } catch {
        return "";
      }
    };

    return [await ask({}), await ask({ mode: "no-cors" })];
  }, `${address}progress`);

  assertSame(found, ["", ""], "answers");
  await other.close();
});

await ok("loaded data stays when the server ends", async () => {
  process.kill(Number(server), "SIGTERM");
  await viewer.press("0");
  assertSame(await viewer.text("h1"), "run", "heading");
  assert((await viewer.interval()).length > 0, "no numbers");
});

await browser.close();
done();
