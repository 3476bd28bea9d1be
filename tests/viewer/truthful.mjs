// SPDX-License-Identifier: LGPL-2.1-or-later
// What pages say of damage and of their server, and that they agree:
//
//     node truthful.mjs DRAWN ODD PICTURE PROJECT PORT
//
// DRAWN and ODD are the pages of truthful.sh, PICTURE is what hdtrace plot makes of
// the first; the PROJECT is served, at that PORT.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import {
  assert,
  assertAccessible,
  assertSame,
  done,
  launch,
  ok,
  PATIENCE_MS,
  Viewer,
} from "./browser.mjs";
import { bandRows, canvasOf, legendOf, Picture } from "./pixels.mjs";

const [, , drawnUrl, oddUrl, picture, project, port] = process.argv;
const browser = await launch();
const odd = await Viewer.open(browser, oddUrl);
const drawn = await Viewer.open(browser, drawnUrl);

/* ---- Rows ----------------------------------------------------------------- */

/** What stands in the rows: their names, and how they are damaged. */
function labels(viewer) {
  return viewer.page.$$eval(".row", (rows) =>
    rows.map((row) => [
      row.querySelector(".row-name").textContent,
      row.querySelector(".badge.damage")?.textContent ?? "",
    ]),
  );
}

await ok("ranks are ordered as numbers", async () => {
  const ranks = (await labels(odd))
    .map(([name]) => name)
    .filter((name) => name.startsWith("Rank"));

  assertSame(ranks, ["Rank 2", "Rank 9", "Rank 10"], "ranks");
});

await ok("rows of truncated and corrupt files say so", async () => {
  assertSame(
    await labels(odd),
    [
      ["alpha", ""],
      ["P", "cut"],
      ["Rank 2", ""],
      ["Rank 9", "corrupt"],
      ["Rank 10", "cut"],
    ],
    "damage",
  );
  const banner = odd.page.locator(".banner", { hasText: "Damaged" });

  assert((await banner.textContent()).includes("3 files"), "no banner");
  // So do those who do not see it hear.
  assert(
    (await odd.page.getAttribute('.row[data-key="t0"]', "aria-label")).includes("cut"),
    "the name of the row",
  );
  await odd.page.mouse.move(...(await odd.point('.row[data-key="t0"] .row-plot')));
  await odd.page.waitForSelector(".tooltip:not([hidden]) .error");
  assert((await odd.text(".tooltip .error")).includes("is cut"), "the tooltip");
  assert((await labels(drawn)).every(([, damage]) => !damage), "undamaged rows");
  assert(await drawn.page.locator(".banner:visible").count() === 0, "its banner");
  await assertAccessible(odd, "rows with damage");
});

/* ---- States --------------------------------------------------------------- */

await ok("a state has one colour in all projects and pictures", async () => {
  const [ours, others] = [await legendOf(drawn), await legendOf(odd)];
  const svg = readFileSync(picture, "utf8");
  const legend = /<g class="legend">([\s\S]*?)<\/g>/.exec(svg)[1];
  const fills = [...legend.matchAll(/<path [^>]*fill="#(\w{6})"/g)].map(
    ([, hex]) => hex,
  );
  const names = [...legend.matchAll(/<text [^>]*>([^<]*)</g)].map(([, t]) => t);
  const rgb = (hex) =>
    `${[0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16))},255`;
  let both = 0;

  for (const [name, { picture: chip }] of others) {
    if (!ours.has(name)) continue;
    both++;
    assertSame(chip, ours.get(name).picture, name);
  }
  assert(both === 7, `${both} names are in both`);
  assertSame(names.length, fills.length, "entries of the legend");
  assert(names.length > 8, `${names} are in the picture`);
  names.forEach((name, i) => {
    if (!name.startsWith("other"))
      assertSame(rgb(fills[i]), ours.get(name).colour, `${name} in the picture`);
  });
});

await ok("narrow rows show the share of each state", async () => {
  const known = await legendOf(odd);
  const states = await Picture.of(odd, canvasOf("t1"));
  const [top, bottom] = bandRows(0);
  const colourOf = (name) => known.get(name).colour.split(",").map(Number);
  const [solve, load] = [colourOf("Solve"), colourOf("Load")];

  /** The share of Solve in what is drawn: where its colour lies between both. */
  const shareOf = (from, to) => {
    let sum = 0;
    let drawn = 0;
    let count = 0;

    for (let x = Math.ceil(states.x(from)) + 2; x < states.x(to) - 2; x++)
      for (let y = top - 1; y <= bottom; y++) {
        const pixel = states.at(x, y).split(",").map(Number);
        const along = [0, 1, 2].map((i) => solve[i] - load[i]);
        const length = along.reduce((all, d) => all + d * d, 0);
        const at = along.reduce((all, d, i) => all + d * (pixel[i] - load[i]), 0);

        sum += (Math.min(1, Math.max(0, at / length)) * pixel[3]) / 255;
        drawn += pixel[3] / 255;
        count++;
      }
    assert(drawn > 0.98 * count, `${drawn} of ${count} pixels are drawn`);
    return sum / drawn;
  };

  for (const [from, to] of [
    [0, 3],
    [3, 6],
  ]) {
    const share = shareOf(from, to);

    assert(Math.abs(share - 2 / 3) < 0.03, `${from} to ${to} s: ${share}`);
  }
});

await drawn.close();
await odd.close();

/* ---- The server ----------------------------------------------------------- */

/** Start hdtrace view; returns its process and address. */
async function startServer() {
  const server = spawn(
    process.env.HDTRACE,
    ["view", "--no-browser", `--port=${port}`, project],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
    server.once("exit", (status) => reject(new Error(`ended with ${status}`)));
  });

  return { server, address };
}

async function end({ server }) {
  await new Promise((resolve) => {
    server.once("exit", resolve);
    server.kill("SIGTERM");
  });
}

const first = await startServer();
const viewer = await Viewer.open(browser, first.address);
const note = viewer.page.locator(".server-note");
const says = (text) =>
  note.filter({ hasText: text }).waitFor({ timeout: PATIENCE_MS });

await ok("no note appears while the server runs", async () => {
  assert(await note.isHidden(), await note.textContent());
});

await ok("a note appears when the server ends", async () => {
  await end(first);
  await says("has ended");
  await assertAccessible(viewer, "a page without its server");
});

const second = await startServer();

await ok("the URL is the same after a restart on a port", async () => {
  assertSame(second.address, first.address, "address");
});

await ok("a note shows that the server is available again", async () => {
  await says("answers again");
  viewer.requests.length = 0;
  // Entries are read only when they are looked at.
  await viewer.mark("0.3", "0.31");
  await viewer.page.click("text=Zoom to it");
  await viewer.settle();
  assert(
    viewer.requests.some((url) => url.includes("/entries?")),
    "nothing was read",
  );
  assertSame(
    await viewer.page.$$eval(".row-value", (rows) => rows.length > 0),
    true,
    "rows",
  );
  await viewer.page.click(".server-note button");
  assert(await note.isHidden(), "it cannot be hidden");
});

await ok("a suspended server is recognized", async () => {
  second.server.kill("SIGSTOP");
  await says("cannot be reached");
  second.server.kill("SIGCONT");
  await says("answers again");
});

await end(second);
await browser.close();
done();
