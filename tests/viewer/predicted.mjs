// SPDX-License-Identifier: LGPL-2.1-or-later
// What hdtrace view shows of a prediction and of its run:
//
//     node predicted.mjs PREDICTED MEASURED
//
// They are those of predicted.sh: two PEs with three tasks of 0.2 s each.
import { spawn } from "node:child_process";
import { assert, assertSame, done, hdtrace, launch, ok, Viewer } from "./browser.mjs";
import { canvasOf, legendOf, Picture } from "./pixels.mjs";

const [, , predicted, measured] = process.argv;
const browser = await launch();
const server = spawn(
  process.env.HDTRACE,
  ["view", "--no-browser", predicted, measured],
  { stdio: ["ignore", "pipe", "inherit"] },
);
const url = await new Promise((resolve, reject) => {
  server.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
  server.once("exit", (status) => reject(new Error(`ended with ${status}`)));
});
// Rows that are not seen are not there.
const viewer = await Viewer.open(browser, url, {
  viewport: { width: 1280, height: 1800 },
});

await ok("the prediction is above the run, with node and PEs", async () => {
  const labels = await viewer.page.$$eval(".row-name", (list) =>
    list.map((label) => label.textContent.trim().replace(/\s+/g, " ")),
  );
  const [first, second] = [predicted, measured].map((name) =>
    labels.indexOf(`${name} › n0`),
  );

  assert(first > 0 && second > first, `rows ${labels}`);
  for (const rows of [labels.slice(first, second), labels.slice(second)])
    for (const pe of ["Rank 0 › Thread 0", "Rank 1 › Thread 0"])
      assert(rows.includes(pe), `no ${pe} in ${rows}`);
  assert(labels[0] === `Power of ${predicted} Power of ${measured}`, labels[0]);
});

await ok("tasks have equal colours and times in both projects", async () => {
  const colour = (await legendOf(viewer)).get("WAIT").colour;
  const [start, span] = viewer.stretch();
  const keys = await viewer.page.$$eval(".row[data-key^=t]", (list) =>
    list.map((row) => row.dataset.key),
  );
  const found = [];

  for (const key of keys) {
    const picture = await Picture.of(viewer, canvasOf(key));
    let last = null;

    for (let x = 56; x < picture.width; x++)
      if (picture.at(x, 6) === colour)
        last = start + ((x - 56) / (picture.width - 56)) * span;
    if (last !== null) found.push(last);
  }
  // Two PEs of each; on a busy machine the run takes longer.
  assertSame(found.length, 4, `PEs with tasks in ${keys}`);
  found.slice(0, 2).forEach((end) => assert(Math.abs(end - 0.6) < 0.02, `${found}`));
  found.slice(2).forEach((end) => assert(end > 0.58 && end < 6, `${found}`));
});

await ok("power and its difference are drawn", async () => {
  const rows = await viewer.interval();

  for (const project of [predicted, measured]) {
    const mine = rows.find(
      ({ node, value }) => node === `${project}:n0` && value === "P",
    );
    const theirs = JSON.parse(
      hdtrace("stat", "-q", "--format=json", "--value=P", project),
    ).rows[0];

    assertSame(Number(mine.mean), theirs.mean, `mean power of ${project}`);
  }
  assert(
    rows.some(({ value }) => value === `${measured} − ${predicted}`),
    `no difference in ${rows.map(({ value }) => value)}`,
  );
  assertSame(viewer.faults, [], "console");
});

await viewer.close();
server.kill("SIGTERM");
await browser.close();
done();
