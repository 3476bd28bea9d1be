// SPDX-License-Identifier: LGPL-2.1-or-later
// Layers of nodes: the panel has what hdtrace diagnose says.
//
//     node layers.mjs ADDRESS FOUND
import { readFileSync } from "node:fs";
import {
  assert,
  assertAccessible,
  assertQuiet,
  assertSame,
  done,
  launch,
  ok,
  Viewer,
} from "./browser.mjs";

const [, , address, found] = process.argv;
const wanted = JSON.parse(readFileSync(found, "utf8"));
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;

/** The rows of the table: [layer, mean, max, idle share]. */
const listed = () =>
  page.$$eval("#panel-layers tbody tr", (rows) =>
    rows.map((row) => [
      row.querySelector("th").textContent,
      ...[...row.querySelectorAll("[data-value]")]
        .slice(0, 3)
        .map((cell) => Number(cell.dataset.value)),
    ]),
  );

/** Choose a node by what it is called, and wait for its table. */
async function choose(node) {
  const options = await page.$$eval("#panel-layers option", (list) =>
    list.map((option) => [option.value, option.textContent]),
  );
  const [value] = options.find(([, name]) => name.includes(node));

  await page.selectOption("#panel-layers select", value);
  await page.waitForFunction(
    (layer) =>
      document.querySelector("#panel-layers tbody th")?.textContent === layer,
    "REQ",
  );
}

await ok("the panel names the slow server", async () => {
  await page.click("#tab-layers");
  await page.waitForSelector("#panel-layers tbody tr");
  const text = await viewer.text("#panel-layers");

  assertSame(wanted.verdicts.length, 1, "verdicts");
  assert(text.includes(wanted.verdicts[0].verdict), text);
  assert(text.includes(wanted.verdicts[0].evidence), text);
});

await ok("layers of a server are in order, with pending operations", async () => {
  // Of t entries are means.
  for (const server of ["s1", "s2", "t"]) {
    await choose(`${server}_brick`);
    const layers = wanted.layers.filter(
      ({ node }) => node === `${server}_brick`,
    );
    // The page shows the whole run, of which the beginning and the end are idle.
    const fits = (rows) =>
      rows.length === layers.length &&
      rows.every(
        ([name, , max], i) => name === layers[i].layer && max === layers[i].max,
      );

    const deadline = Date.now() + 60000;
    let rows = await listed();

    while (!fits(rows) && Date.now() < deadline) {
      await page.evaluate(() => new Promise(requestAnimationFrame));
      rows = await listed();
    }
    assert(fits(rows), JSON.stringify([rows, layers]));
    const share = rows[1][1] / rows[0][1];

    assert(
      Math.abs(share - layers[1].mean / layers[0].mean) < 1e-6,
      `${share} of ${JSON.stringify(layers)}`,
    );
    const busy = (1 - rows[1][3]) / (1 - rows[0][3]);
    const wantedBusy = (1 - layers[1].idle_share) / (1 - layers[0].idle_share);

    assert(
      Math.abs(busy - wantedBusy) < 1e-6,
      `${busy} of ${JSON.stringify([rows, layers])}`,
    );
  }
  const text = await viewer.text("#panel-layers tbody");

  assert(text.includes("≤ "), text);
});

await ok("layers are drawn in their colours", async () => {
  const colours = await page.$$eval("#panel-layers .chip", (chips) =>
    chips.map((chip) => getComputedStyle(chip).backgroundColor),
  );
  const counts = await page.$eval(
    "#panel-layers canvas",
    (canvas, wantedColours) => {
      const { data } = canvas
        .getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height);
      const counted = wantedColours.map(() => 0);

      for (let i = 0; i < data.length; i += 4) {
        const at = wantedColours.indexOf(
          `rgb(${data[i]}, ${data[i + 1]}, ${data[i + 2]})`,
        );

        if (at >= 0) counted[at]++;
      }
      return counted;
    },
    colours,
  );

  assertSame(new Set(colours).size, 2, "colours");
  for (const count of counts) assert(count > 20, JSON.stringify([colours, counts]));
});

await ok("the panel is accessible", () => assertAccessible(viewer, "layers"));
await ok("the page logs no error", () =>
  assertQuiet(viewer, (url) => url.startsWith(address)));
await browser.close();
done();
