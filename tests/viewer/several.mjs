// SPDX-License-Identifier: LGPL-2.1-or-later
// What hdtrace view shows of two projects:
//
//     node several.mjs FIRST SECOND THIRD
//
// They are those of several.sh: the second one begins three seconds after the
// first, which is in Solve one second after its start, the second after two. Each
// lasts six seconds; of the third the power is known for four.
import { spawn } from "node:child_process";
import {
  assert,
  assertAccessible,
  assertSame,
  done,
  hdtrace,
  launch,
  ok,
  Viewer,
} from "./browser.mjs";
import { canvasOf, legendOf, Picture } from "./pixels.mjs";

const [, , first, second, third] = process.argv;
const browser = await launch();

/** Show the first two with options. */
const show = (...options) => showRuns([first, second], ...options);

async function showRuns(runs, ...options) {
  const server = spawn(
    process.env.HDTRACE,
    ["view", "--no-browser", ...options, ...runs],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const url = await new Promise((resolve, reject) => {
    server.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
    server.once("exit", (status) => reject(new Error(`ended with ${status}`)));
  });
  const viewer = await Viewer.open(browser, url);

  return {
    viewer,
    close: async () => {
      await viewer.close();
      server.kill("SIGTERM");
    },
  };
}

/** When a rank is in Solve, from what is drawn of it. */
async function solveOf(viewer, key, colour) {
  const picture = await Picture.of(viewer, canvasOf(key));
  const [start, span] = viewer.stretch();

  for (let x = 56; x < picture.width; x++)
    if (picture.at(x, 12) === colour)
      return start + ((x - 56) / (picture.width - 56)) * span;
  throw new Error(`${key} is never in Solve`);
}

for (const [options, wanted, span] of [
  [[], [1, 2], 6],
  [["--align=start"], [1, 2], 6],
  [["--align=wall"], [1, 5], 9],
  [["--align=Solve"], [1, 1], 7],
])
  await ok(`states are where ${options[0] ?? "nothing said"} has them`, async () => {
    const { viewer, close } = await show(...options);
    const colour = (await legendOf(viewer)).get("Solve").colour;
    const found = [];

    // Of both the name of the rank, in the one colour.
    for (const key of ["t0", "t1"])
      found.push(await solveOf(viewer, key, colour));
    found.forEach((time, i) =>
      assert(Math.abs(time - wanted[i]) < 0.03, `${found}, not ${wanted}`),
    );
    const width = viewer.stretch()[1];

    assert(Math.abs(width / 1.02 - span) < 0.01, `${width} s are shown`);
    await close();
  });

const { viewer, close } = await show();

await ok("names have the prefix of their project", async () => {
  const labels = await viewer.page.$$eval(".row-name", (list) =>
    list.map((label) => label.textContent.trim().replace(/\s+/g, " ")),
  );

  assertSame(
    labels,
    [
      "Power of first Power of second",
      "second − first",
      "first › alpha",
      "P",
      "Rank 0",
      "second › alpha",
      "P",
      "Rank 0",
    ],
    "rows",
  );
});

await ok("numbers of each project and the difference are shown", async () => {
  const rows = await viewer.interval();
  const of = (project) =>
    JSON.parse(hdtrace("stat", "-q", "--format=json", project)).rows[0];

  for (const project of [first, second]) {
    const mine = rows.find(({ node }) => node === `${project}:alpha`);
    const theirs = of(project);

    assertSame(
      [mine.value, Number(mine.mean), Number(mine.integral)],
      [theirs.value, theirs.mean, theirs.integral],
      project,
    );
  }
  const difference = rows.find(({ value }) => value === "second − first");

  // By hand: 50, 50 and -50 W for two seconds each.
  assertSame(
    [difference.mean, difference.min, difference.max, difference.integral].map(
      (text) => Math.round(Number(text) * 1e6) / 1e6,
    ),
    [16.666667, -50, 50, 100],
    "difference",
  );
  assertSame(
    Number(await viewer.page.getAttribute("[data-difference]", "data-difference")),
    100,
    "J more",
  );
});

await ok("curves are overlaid on one scale", async () => {
  const lines = await viewer.page.$$eval(
    '.row[data-key="power"] .overlaid canvas',
    (list) => list.length,
  );

  assertSame(lines, 2, "curves");
  await viewer.page.mouse.move(...(await viewer.point('.row[data-key="power"] .row-plot')));
  // The page hears of the pointer later than we move it.
  await viewer.page
    .locator('.row[data-key="power"] .at-cursor', { hasText: /^200 W · 250 W$/ })
    .waitFor();
  await assertAccessible(viewer, "two projects");
  assertSame(viewer.faults, [], "console");
});

await ok("an interval counts from the common start", async () => {
  await viewer.mark("0", "4");
  const mine = (await viewer.interval()).find(
    ({ node }) => node === `${second}:alpha`,
  );

  assertSame(Number(mine.integral), 800, "J of the second one until 4 s");
});

await ok("the difference of energies is that of hdtrace compare", async () => {
  const differenceOf = async (of, key) => {
    const element = of.page.locator(`[data-panel=difference] [data-key=${key}]`);

    return [
      await element.getAttribute("data-value"),
      await element.getAttribute("data-unit"),
      await element.textContent(),
    ];
  };
  const compare = (a, b) =>
    JSON.parse(hdtrace("compare", "-q", "--format=json", a, b)).rows.find(
      ({ kind, name }) => kind === "run" && name === "run",
    );

  await viewer.page.click("#panel-interval button:text-is('Whole run')");
  await viewer.panel("difference");
  const [value, unit] = await differenceOf(viewer, "energy");

  assertSame([Number(value), unit], [compare(first, second).energy_difference_j, "J"], "energy");
  const functions = await viewer.page.$$eval(
    '[data-panel=difference] tr[data-key^="function"]',
    (rows) =>
      rows.map((row) => [
        row.dataset.key,
        ...[...row.querySelectorAll("[data-value]")]
          .slice(0, 3)
          .map((e) => Math.round(Number(e.dataset.value) * 1e6) / 1e6),
      ]),
  );

  assertSame(
    functions.sort(),
    [["function Load", 1, 2, 1], ["function Solve", 5, 4, -1]],
    "time by function",
  );
  await assertAccessible(viewer, "the difference");
  const { viewer: other, close: end } = await showRuns([first, third]);

  assertSame(compare(first, third).energy_difference_j, null, "hdtrace compare");
  assertSame(
    await other.page.getAttribute("[data-difference]", "data-difference"),
    "unknown",
    "card",
  );
  assert((await other.text('[data-project="third"]')).includes("≥ 800 J"), "no mark");
  const headline = await other.text("#panel-interval .headline");

  assert(!headline.includes("Whole run") && headline.includes("≥ 800 J"), headline);
  await other.panel("difference");
  assertSame((await differenceOf(other, "energy")).slice(0, 2), ["unknown", "J"], "panel");
  assert(
    (await other.text("[data-panel=difference]")).includes("third: power is known for 66.6 %"),
    "no reason",
  );
  await end();
});

await close();
await browser.close();
done();
