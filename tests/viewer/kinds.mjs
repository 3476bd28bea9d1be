// SPDX-License-Identifier: LGPL-2.1-or-later
// Counters, deltas and gauges: what is drawn of them, and which numbers there are:
//
//     node kinds.mjs ADDRESS
//
// The project is that of kinds.sh; all numbers are by hand from it.
import { readFileSync } from "node:fs";
import { assert, assertQuiet, assertSame, done, launch, ok, Viewer } from "./browser.mjs";
import { canvasOf, Picture } from "./pixels.mjs";

const [, , address] = process.argv;
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;
const [COUNTER, DELTA, GAUGE] = ["s0.0", "s0.1", "s0.2"];

/** What there is from second to second: of C in B/s, of E in W; it grew by 50,
 *  200, 30 (from 0), 10 and 5 B; 10 J in 1 s, 20 in 1 s, 60 in 2 s, ... */
const RATES = {
  [COUNTER]: [[1.4, 50], [3, 100], [4.4, 30], [5.4, 10], [9.4, 5]],
  [DELTA]: [[0.4, 10], [1.4, 20], [3, 30], [4.4, 50], [5.4, 10], [8.4, 30]],
};

await ok("rates of all kinds are drawn as consistent lines", async () => {
  for (const [key, rates] of Object.entries(RATES)) {
    const picture = await Picture.of(viewer, canvasOf(key));
    const list = rates.map(([time, rate]) => [rate, picture.line(time).y]);
    const sorted = [...list].sort((a, b) => a[0] - b[0]);
    const [low, high] = [sorted[0], sorted.at(-1)];
    const perPixel = (high[0] - low[0]) / (low[1] - high[1]);

    assert(low[1] - high[1] > 10, `${key}: all at ${low[1]}`);
    for (const [rate, y] of list)
      assert(
        Math.abs(low[1] - (rate - low[0]) / perPixel - y) <= 1,
        `${key}: ${rate} at ${y} pixels, of ${JSON.stringify(list)}`,
      );
  }
});

await ok("unknown growth is not drawn", async () => {
  const picture = await Picture.of(viewer, canvasOf(COUNTER));
  const known = picture.line(3).strength;

  // Before the first reading there is none, and behind the gap.
  for (const time of [0.4, 8.4])
    assert(picture.line(time).strength < known / 4, `at ${time} s`);
});

await ok("axes have the units of rates", async () => {
  const unitOf = (key) => viewer.text(`.row[data-key="${key}"] .row-unit`);

  assertSame(
    [await unitOf(COUNTER), await unitOf(DELTA), await unitOf(GAUGE)],
    ["B/s", "W", "W"],
    "units",
  );
});

await ok("the tooltip shows rate and growth", async () => {
  const [x] = await viewer.point(`${canvasOf(COUNTER)}`, 0);
  const picture = await Picture.of(viewer, canvasOf(COUNTER));
  const [, y] = await viewer.point(canvasOf(COUNTER), 0, 0.5);

  await page.mouse.move(x + picture.x(3), y);
  await page.waitForSelector(".tooltip:not([hidden])");
  const lines = await page.$$eval(".tooltip tr", (rows) =>
    rows.slice(0, 2).map((row) => [...row.children].map((c) => c.textContent)),
  );

  assertSame(lines, [["Rate", "100 B/s"], ["Growth", "200 B"]], "tooltip");
  assertSame(
    await viewer.text(`.row[data-key="${COUNTER}"] .at-cursor`),
    "100 B/s",
    "beside the row",
  );
  await page.mouse.move(2, 2);
});

/** The rows of the table, as texts by title: units stand behind their number. */
async function shown() {
  await viewer.panel("interval");
  return page.$$eval("#panel-interval tr[data-key]", (rows) =>
    rows.map((row) => {
      const heads = [...row.closest("table").querySelectorAll("thead th")];
      const cells = {};
      let last = "";

      heads.forEach((head, i) => {
        const text = row.children[i].textContent;

        last = head.textContent || `${last} unit`;
        if (text) cells[last] = text;
      });
      delete cells.Node;
      return cells;
    }),
  );
}

await ok("each kind has its own columns", async () => {
  assertSame(
    await shown(),
    [
      {
        Value: "C",
        Kind: "counter",
        Unit: "B",
        Total: "≥ 295",
        Rate: "49.17",
        Lowest: "5",
        Highest: "100",
        "Highest unit": "B/s",
        Resets: "1",
        Entries: "7",
        "No value": "0",
      },
      {
        Value: "E",
        Kind: "delta?",
        Unit: "J",
        Min: "10",
        Max: "60",
        Total: "≥ 190",
        Rate: "23.75",
        "Highest unit": "W",
        Entries: "7",
        "No value": "0",
      },
      {
        Value: "G",
        Kind: "gauge",
        Unit: "W",
        Mean: "162.5",
        Min: "100",
        Max: "300",
        "Std. dev.": "85.70",
        Integral: "≥ 1300",
        "Integral unit": "J",
        Entries: "7",
        "No value": "0",
      },
    ],
    "whole run",
  );
});

await ok("entries on borders count in proportion", async () => {
  await viewer.mark("3", "4.5");
  const [counter, delta] = await shown();

  // Half of 200 B in two seconds, half of 30 in one, which began again at 5 s.
  assertSame(
    [counter.Total, counter.Rate, counter.Resets],
    ["115", "76.67", "0"],
    "counter",
  );
  assertSame([delta.Total, delta.Rate], ["55", "36.67"], "delta");
});

await ok("gaps are shown as unknown", async () => {
  await viewer.mark("8", "9.75");
  const [counter, delta] = await shown();

  // Behind the gap only 3/4 of 5 B are known, for 0.75 s.
  assertSame(
    [counter.Total, counter.Rate, counter.Highest],
    ["≥ 3.750", "unknown", "5"],
    "counter",
  );
  assertSame([delta.Total, delta.Rate], ["37.50", "21.43"], "delta");
  await viewer.mark("6", "8");
  for (const row of (await shown()).slice(0, 2))
    assertSame([row.Total, row.Rate], ["unknown", "unknown"], row.Value);
  // Beyond the end of the run nothing is missing.
  await viewer.mark("9", "40");
  const [, , gauge] = await shown();

  assertSame([gauge.Mean, gauge.Integral], ["100", "100"], "gauge");
});

await ok("empty columns are omitted", async () => {
  const search = 'input[aria-label^="Search rows"]';
  const titles = async (name) => {
    await page.fill(search, name);
    await viewer.settle();
    return page.$$eval("#panel-interval thead th", (heads) =>
      heads.map((head) => head.textContent).filter(Boolean),
    );
  };

  assertSame(
    (await titles("C")).slice(3, -2),
    ["Unit", "Total", "Rate", "Lowest", "Highest", "Resets"],
    "of a counter",
  );
  assertSame(
    (await titles("G")).slice(3, -2),
    ["Unit", "Mean", "Min", "Max", "Std. dev.", "Integral"],
    "of a gauge",
  );
  await page.fill(search, "");
  await viewer.settle();
});

await ok("saved cells without a meaning are empty", async () => {
  await page.click('button:text-is("Whole run")');
  await viewer.settle();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.click('button[title="Save the numbers as CSV"]'),
  ]);
  const [head, ...lines] = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const pick = (line, ...names) => names.map((name) => line[head.indexOf(name)]);

  assertSame(
    pick(lines[0], "kind", "mean", "min", "sum", "integral_unit", "total", "resets"),
    ["counter", "", "", "", "", "295", "1"],
    "counter",
  );
  assertSame(
    pick(lines[1], "kind", "kind_guessed", "mean", "sum", "rate", "rate_unit", "rate_max"),
    ["delta", "1", "", "190", "23.75", "W", ""],
    "delta",
  );
  assertSame(
    pick(lines[2], "kind", "mean", "sum", "total_unit", "resets", "duration_s", "known_s"),
    ["gauge", "162.5", "", "", "", "10", "8"],
    "gauge",
  );
});

await ok("expressions and histograms use rates", async () => {
  const define = JSON.stringify(["Both", "", "2 * C"]);

  await viewer.open(
    `${address}#${new URLSearchParams({ define, panel: "interval" })}`,
  );
  const [own] = await shown();

  assertSame([own.Value, own.Unit, own.Max, own.Integral], ["Both", "B/s", "200", "≥ 590"], "own");
  await viewer.panel("histogram");
  await page.selectOption("#panel-histogram select", DELTA);
  await viewer.settle();
  const note = await viewer.text("#panel-histogram .note");

  assert(note.startsWith("Median 20 W"), note);
});

await ok("the page sends no request and logs no error", async () => {
  assertQuiet(viewer, (asked) =>
    ["about:blank", address].includes(asked.split("#")[0]),
  );
});

await browser.close();
done();
