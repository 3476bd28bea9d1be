// SPDX-License-Identifier: LGPL-2.1-or-later
// How fast many rows of several projects are in Chromium:
//
//     node rows.mjs ROWS OPEN-MS MEDIAN-MS LAST-MS PROJECT...
//
// There must be that many rows; the limits are those of the time until the first
// ones are drawn, and of what a frame takes in the middle and at the 99th
// percentile while one scrolls and zooms with each frame. A limit of 0 is none.
import { spawn } from "node:child_process";
import { assert, done, launch, ok, PATIENCE_MS } from "./browser.mjs";
import { assertAccessible, assertSame } from "./browser.mjs";

const [rows, openMs, medianMs, lastMs] = process.argv.slice(2, 6).map(Number);
const projects = process.argv.slice(6);
const view = spawn(process.env.HDTRACE, ["view", "--no-browser", ...projects], {
  stdio: ["ignore", "pipe", "inherit"],
});
const url = await new Promise((resolve) => {
  view.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
});
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });

page.setDefaultTimeout(PATIENCE_MS);

await ok("a page with many rows opens", async () => {
  await page.goto(url);
  const drawn = await page.waitForFunction(
    () =>
      Number(document.querySelector(".app")?.dataset.drawn) > 0
        ? performance.now()
        : null,
    null,
    { polling: "raf" },
  );
  const ms = await drawn.jsonValue();

  console.log(`# rows are drawn after ${Math.round(ms)} ms`);
  assert(!openMs || ms <= openMs, `after ${ms} ms, not ${openMs}`);
});

await ok("all rows are shown with few elements", async () => {
  await page.waitForFunction(
    () => document.querySelector(".progress").hidden === true,
  );
  await page.locator(".row").first().focus();
  await page.keyboard.press("u");
  await page.waitForFunction(
    (count) =>
      Number(document.querySelector(".app").dataset.rows) >= count,
    rows,
  );
  const found = await page.$$eval(".row", (list) => list.length);

  assert(found > 3 && found < 160, `${found} elements`);
});

/** Wait until everything is drawn, of files that were read to their end. */
function settle() {
  return page.waitForFunction(() => {
    const { settled, final } = document.querySelector(".app").dataset;

    return settled === "true" && final === "true";
  });
}

await ok("scrolling draws only new rows", async () => {
  await settle();
  // Canvases that are drawn again are cleared before.
  await page.evaluate(() => {
    const { prototype } = CanvasRenderingContext2D;
    const { clearRect } = prototype;

    globalThis.cleared = new Set();
    prototype.clearRect = function (...area) {
      const row = this.canvas.closest(".row-states");

      if (row) globalThis.cleared.add(row.dataset.key);
      return clearRect.apply(this, area);
    };
  });
  const change = async (how) => {
    const before = await page.$$eval(".row-states", (list) =>
      list.map((row) => row.dataset.key),
    );

    await page.evaluate(() => globalThis.cleared.clear());
    await how();
    // With the next frame it is drawn.
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(resolve));
        }),
    );
    await settle();
    const after = await page.$$eval(".row-states", (list) =>
      list.map((row) => row.dataset.key),
    );
    const cleared = await page.evaluate(() => [...globalThis.cleared]);

    return {
      stayed: after.filter((key) => before.includes(key)),
      came: after.filter((key) => !before.includes(key)),
      again: cleared.filter((key) => before.includes(key)),
    };
  };
  const scrollTo = (top) =>
    page.$eval(".scroll", (scroll, y) => (scroll.scrollTop = y), top);
  const scrolled = await change(() => scrollTo(150));

  assert(scrolled.stayed.length > 3, `${scrolled.stayed.length} stayed`);
  assert(scrolled.came.length > 0, "no other rows came");
  assert(!scrolled.again.length, `drawn again: ${scrolled.again.join()}`);
  const zoomed = await change(() => page.keyboard.press("+"));

  assert(
    zoomed.stayed.length > 3 &&
      zoomed.stayed.every((key) => zoomed.again.includes(key)),
    `of ${zoomed.stayed.length} rows ${zoomed.again.length} were drawn again`,
  );
  await page.keyboard.press("0");
  await scrollTo(0);
  await settle();
});

/** Scroll and zoom with each frame; what frames took, in ms. */
function measure() {
  return page.evaluate(async () => {
    const scroll = document.querySelector(".scroll");
    const [clientX, clientY] = [900, 500];
    const times = [];
    const begun = performance.now();
    let last = null;

    for (;;) {
      const now = await new Promise(requestAnimationFrame);

      if (last !== null) times.push(now - last);
      last = now;
      if (now - begun > 6000) break;
      if (Math.floor((now - begun) / 1000) % 2)
        document.elementFromPoint(clientX, clientY).dispatchEvent(
          new WheelEvent("wheel", {
            deltaY: Math.floor((now - begun) / 500) % 2 ? 50 : -50,
            clientX,
            clientY,
            bubbles: true,
            cancelable: true,
          }),
        );
      else scroll.scrollTop += 40;
    }
    return times.sort((a, b) => a - b);
  });
}

await ok("frames are drawn in time", async () => {
  const times = await measure();
  const at = (share) => times[Math.floor((times.length - 1) * share)];

  console.log(
    `# ${times.length} frames: ${at(0.5).toFixed(1)} ms in the middle, ` +
      `${at(0.99).toFixed(1)} ms at the 99th percentile, ` +
      `${at(1).toFixed(1)} ms at most`,
  );
  assert(times.length > 20, `${times.length} frames`);
  assert(!medianMs || at(0.5) <= medianMs, `median ${at(0.5)} ms`);
  assert(!lastMs || at(0.99) <= lastMs, `99th percentile ${at(0.99)} ms`);
});

await ok("keys go to the last row and back", async () => {
  const count = await page.$eval(".app", (app) => Number(app.dataset.rows));

  await page.locator(".row").first().focus();
  await page.keyboard.press("End");
  const last = await page.evaluate(() => document.activeElement.dataset.key);

  await page.keyboard.press("Home");
  const first = await page.evaluate(() => document.activeElement.dataset.key);

  assert(first && last && first !== last, `${first} and ${last} of ${count}`);
  await assertAccessible({ page }, "many rows");
});

await ok("ranks that behave alike have one row, which opens", async () => {
  const state = () =>
    page.$eval(".app", ({ dataset }) => Number(dataset.rows));
  const before = await state();

  await page.keyboard.press("g");
  await page.waitForSelector('.row-states[aria-expanded="false"]');
  await page.waitForFunction(
    () => document.querySelector(".app").dataset.settled === "true",
  );
  const grouped = await state();

  assert(grouped < before, `${grouped} rows of ${before}`);
  const leader = page.locator(".row-states[aria-expanded]").first();
  const label = await leader.locator(".row-name").getAttribute("title");
  const count = label
    .match(/\(alike: (.*)\)/)[1]
    .split(", ")
    .map((text) => text.split("–").map(Number))
    .reduce((sum, [from, to = from]) => sum + to - from + 1, 0);

  await assertAccessible({ page }, "grouped rows");
  await leader.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector('.row-states[aria-expanded="true"]');
  await page.waitForFunction(
    (rows) => Number(document.querySelector(".app").dataset.rows) === rows,
    grouped + count,
  );
  await page.keyboard.press("g");
  await page.waitForFunction(
    (rows) => Number(document.querySelector(".app").dataset.rows) === rows,
    before,
  );
});

await ok("the power of a node stays while its ranks scroll", async () => {
  const pinned = () =>
    page.$$eval(".pinned:not([hidden]) .row-name", (list) =>
      list.map((name) => name.textContent),
    );

  await page.$eval(".scroll", (scroll) => (scroll.scrollTop = 0));
  await settle();
  // The first value below a node is its power.
  const [top, label] = await page.$eval(".row-node + .row-value", (row) => [
    row.getBoundingClientRect().bottom -
      document.querySelector(".scroll").getBoundingClientRect().top,
    row.querySelector(".row-name").textContent,
  ]);

  assertSame(label, "P", "the first value");
  assert(!(await pinned()).length, "pinned before scrolling");
  await page.$eval(".scroll", (scroll, y) => (scroll.scrollTop = y), top + 10);
  await page.waitForSelector(".pinned:not([hidden])");
  await settle();
  assert((await pinned()).includes(label), `${await pinned()}, not ${label}`);
  await assertAccessible({ page }, "pinned rows");
  await page.keyboard.press("t");
  await page.waitForSelector(".pinned", { state: "hidden" });
  await page.keyboard.press("t");
  await page.$eval(".scroll", (scroll) => (scroll.scrollTop = 0));
  await page.waitForSelector(".pinned", { state: "hidden" });
});

await ok("folded nodes show the share of each state", async () => {
  await page.keyboard.press("f");
  await page.waitForFunction(
    () => document.querySelector(".row-node .shares") !== null,
  );
  await page.waitForFunction(
    () => document.querySelector(".app").dataset.settled === "true",
  );
  // All of them load by themselves.
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".row-node")].every(
      (row) => row.dataset.load === "done",
    ),
  );
  const drawn = await page.$eval(".row-node .shares", (canvas) => {
    const { data } = canvas
      .getContext("2d")
      .getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;

    for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
    return count / (canvas.width * canvas.height);
  });

  assert(drawn > 0.3, `${drawn} of the pixels`);
  await assertAccessible({ page }, "folded rows");
});

view.kill("SIGTERM");
await browser.close();
done();
