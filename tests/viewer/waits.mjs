// SPDX-License-Identifier: LGPL-2.1-or-later
// What pages show of waits in the rows:
//
//     node waits.mjs PAGE REDUCED PROJECT
//
// The pages are those of PROJECT, which is made by waits.sh: all of it, and as little as
// possible.
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
import { bandRows, canvasOf, legendOf, Picture } from "./pixels.mjs";

const [, , address, reduced, project] = process.argv;
const told = JSON.parse(hdtrace("report", "-q", "--format=json", project));
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;

/** The colour of waits, as pixels have it. */
function waitColour(of) {
  return of.page.evaluate(() => {
    const text = getComputedStyle(document.documentElement)
      .getPropertyValue("--waiting")
      .trim();

    return `${[1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)).join()},255`;
  });
}

/** Which part of a rectangle has a colour: between two times, and two rows of pixels. */
function partOf(picture, colour, [from, to], [top, bottom]) {
  let count = 0;
  let all = 0;

  for (let x = Math.ceil(picture.x(from)) + 1; x < picture.x(to) - 1; x++)
    for (let y = top; y < bottom; y++) {
      all++;
      count += picture.at(x, y) === colour;
    }
  assert(all > 0, "an empty rectangle");
  return count / all;
}

const draw = (key, of = viewer) => Picture.of(of, canvasOf(key));
const isNear = (a, b, tolerance) => Math.abs(a - b) <= tolerance;
const show = (view, more = "") => viewer.open(`${address}#view=${view}${more}`);

/** The part of the row of a trace that waits, in the band of a depth. */
async function waitingPart(key, times, depth, of = viewer) {
  const part = partOf(
    await draw(key, of),
    await waitColour(of),
    times,
    bandRows(depth),
  );

  return part;
}

/** Where waits are wide, some pixels of the colour are below the hatching. */
const HATCHED = 0.35;

await ok("the waiting part of a call has its own colour, and no other part", async () => {
  await show("0,4");
  const known = await legendOf(viewer);
  const picture = await draw("t0");
  const colour = await waitColour(viewer);
  const rows = bandRows(0);
  const part = (times) => partOf(picture, colour, times, rows);

  assert(part([1.02, 2.98]) > HATCHED, `waits: ${part([1.02, 2.98])}`);
  assertSame(part([0, 0.98]), 0, "while it computes");
  assertSame(part([3.02, 4]), 0, "when all are there");
  assertSame(
    picture.stateColour({ start: 3.1, end: 3.4, depth: 0 }),
    known.get("Barrier").colour,
    "the rest of the call",
  );
  assertSame(await waitingPart("t1", [0, 4], 0), 0, "the last rank");
});

await ok("short waits have their share of columns", async () => {
  await show("4,8");
  const part = await waitingPart("t0", [4, 8], 1);

  // By hand: 100 of 200 us. A row of pixels is 1/14 of the band.
  assert(isNear(part, 0.5, 0.08), `half of the time, not ${part}`);
  assertSame(await waitingPart("t0", [4, 8], 0), 0, "of the state around");
  assertSame(await waitingPart("t1", [4, 8], 1), 0, "of the last rank");
});

await ok("waits are the same at all zooms", async () => {
  for (const [from, to] of [
    [0, 8],
    [4, 6],
    [5, 5.5],
    [6, 6.1],
    [6, 6.02],
  ]) {
    await show(`${from},${to}`);
    const part = await waitingPart("t0", [Math.max(from, 4), to], 1);
    // Waits that are wider than pixels are hatched.
    const least = to - from < 0.1 ? 0.5 * HATCHED : 0.42;

    assert(part >= least && part <= 0.58, `from ${from} s to ${to} s: ${part}`);
  }
  // A single step: 50 us to 150 us.
  await show("6,6.0002");
  const part = (times) => waitingPart("t0", times, 1);

  assert((await part([6.000051, 6.000149])) > HATCHED, "the wait");
  assertSame(await part([6, 6.00005]), 0, "before the call");
  assertSame(await part([6.000151, 6.0002]), 0, "after the wait");
});

await ok("folded rows have the waits of all their traces", async () => {
  await show("0,8");
  await viewer.press("f");
  const colour = await waitColour(viewer);
  const row = '.row[data-key="n1"]';
  const picture = await Picture.of(viewer, `${row} canvas.shares`);
  const part = (times) => partOf(picture, colour, times, [0, 12]);

  // One of two ranks, in a call, and half of the time in calls of a loop.
  assert(isNear(part([1.05, 2.95]), 0.5, 0.05), `${part([1.05, 2.95])} of the call`);
  assert(isNear(part([4, 8]), 0.25, 0.05), `${part([4, 8])} of the loop`);
  assertSame(part([0, 0.95]), 0, "before the call");
  assertSame(part([3.1, 3.95]), 0, "after the wait");
  const label = await page.getAttribute(row, "aria-label");

  // 4 s of two times 8 s.
  assert(/waiting 25 %/.test(label), label);
  await viewer.press("f");
});

await ok("the legend has the time of the report, and switches waits off", async () => {
  await show("0,4");
  await viewer.panel("legend");
  const waiting = page.locator('#panel-legend [data-key="waiting"]');

  assertSame(
    Number(await waiting.getAttribute("data-value")),
    told.account.waiting_s,
    "waiting",
  );
  // By hand: 2 s, and 20,000 times 100 us.
  assert(isNear(told.account.waiting_s, 4, 1e-6), `${told.account.waiting_s} s`);
  await page.getByLabel("Waiting part of a state").uncheck();
  await viewer.settle();
  assertSame(viewer.parameters.get("waits"), "no", "the link");
  assertSame(await waitingPart("t0", [1, 3], 0), 0, "switched off");
  const known = await legendOf(viewer);

  assertSame(
    (await draw("t0")).stateColour({ start: 1, end: 3.5, depth: 0 }),
    known.get("Barrier").colour,
    "all of the call",
  );
  await viewer.open(viewer.url);
  assertSame(await waitingPart("t0", [1, 3], 0), 0, "from the link");
  await viewer.panel("legend");
  await page.getByLabel("Waiting part of a state").check();
  await viewer.settle();
  assert((await waitingPart("t0", [1.02, 2.98], 0)) > HATCHED, "on again");
});

await ok("the details of a state have the same waits", async () => {
  await show("0,4", "&select=t0,1,3.5&panel=details");
  const cell = page.locator('#panel-details [data-key="waited"]');
  const all = told.findings
    .filter(({ kind }) => kind === "wait-at-barrier")
    .reduce((sum, { time_s: time }) => sum + time, 0);

  assertSame(Number(await cell.getAttribute("data-value")), 2, "waited");
  assert(isNear(all, 4, 1e-6), `${all} s in findings`);
});

await ok("waits are not drawn where a page does not have them", async () => {
  const small = await Viewer.open(browser, `${reduced}#view=6,6.002`);

  assertSame(await waitingPart("t0", [6, 6.002], 1, small), 0, "of a step");
  await small.open(`${reduced}#view=0,8`);
  assertSame(await waitingPart("t1", [0, 8], 0, small), 0, "of the last rank");
  await small.panel("legend");
  assertSame(
    await small.page.locator('#panel-legend [data-key="waits-unknown"]').count(),
    1,
    "the legend says so",
  );
  await viewer.panel("legend");
  assertSame(
    await page.locator('#panel-legend [data-key="waits-unknown"]').count(),
    0,
    "the legend of all waits",
  );
  await small.press("f");
  // By hand: 4 s of two times 8 s.
  const label = await small.page.getAttribute('.row[data-key="n1"]', "aria-label");

  assert(/waiting 25 %/.test(label), label);
  await small.close();
});

await ok("a served page gets waits with the report", async () => {
  const server = spawn(process.env.HDTRACE, ["view", "--no-browser", project], {
    stdio: ["ignore", "pipe", "inherit"],
  });

  try {
    const url = await new Promise((resolve, reject) => {
      server.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
      server.once("exit", (status) => reject(new Error(`ended with ${status}`)));
    });
    const served = await Viewer.open(browser, `${url}#view=0,4`);

    await served.panel("legend");
    await served.page.waitForSelector('#panel-legend [data-key="waiting"]');
    await served.settle();
    assert((await waitingPart("t0", [1.02, 2.98], 0, served)) > HATCHED, "no wait");
    assertSame(await waitingPart("t1", [0, 4], 0, served), 0, "the last rank");
    await served.close();
  } finally {
    server.kill("SIGTERM");
  }
});

await ok("waits are accessible in light and dark", async () => {
  await show("0,4", "&panel=legend");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await viewer.settle();
    await assertAccessible(viewer, colorScheme);
    assert((await waitingPart("t0", [1.02, 2.98], 0)) > HATCHED, colorScheme);
    const ratio = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const luminance = (name) => {
        const text = style.getPropertyValue(name).trim();
        const [r, g, b] = [1, 3, 5].map((i) => {
          const c = parseInt(text.slice(i, i + 2), 16) / 255;

          return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });

        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const [a, b] = [luminance("--waiting"), luminance("--panel")];

      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    });

    assert(ratio >= 3, `${colorScheme}: contrast ${ratio}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  assertQuiet(viewer, (url) => url.split("#")[0] === address);
});

await browser.close();
done();
