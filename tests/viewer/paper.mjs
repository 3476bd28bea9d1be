// SPDX-License-Identifier: LGPL-2.1-or-later
// What comes of a page on paper:
//
//     node paper.mjs ADDRESS PROJECT
//
// The project is "drawn" (drawn-project.sh). The window is too low for all rows,
// and dark; $PDFTOPPM, if it is not empty, makes pixels of PDF.
import { execFileSync } from "node:child_process";
import {
  assert,
  assertSame,
  done,
  hdtrace,
  launch,
  ok,
  skip,
  Viewer,
} from "./browser.mjs";
import { canvasOf, legendOf, Picture } from "./pixels.mjs";

const [, , address, project] = process.argv;
const { traces } = JSON.parse(
  hdtrace("dump", "-q", "--format=json", "--time=relative", project),
);
const statesOf = (number) =>
  traces[number].records.filter((record) => record.kind === "state");
const browser = await launch();
/** A screen that is large enough, and light. */
const screen = await Viewer.open(browser, address);
const paper = await Viewer.open(browser, address, {
  viewport: { width: 1280, height: 440 },
  colorScheme: "dark",
});

const background = () =>
  paper.page.evaluate(() => getComputedStyle(document.body).backgroundColor);

/** Press a key or a button, and wait until the page wants to be printed. */
async function print(press) {
  await paper.page.evaluate(() => {
    globalThis.isPrinted = false;
    window.print = () => {
      dispatchEvent(new Event("beforeprint"));
      globalThis.isPrinted = true;
    };
  });
  await press();
  await paper.page.waitForFunction(() => globalThis.isPrinted);
}

async function endPrint() {
  await paper.page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await paper.settle();
}

await ok("the button prints all rows in light colours", async () => {
  const before = [await paper.rows(), await background()];
  const all = await screen.rows();

  assert(before[0].length < all.length, "all rows fit on the screen");
  await print(() => paper.page.click('button[title="Print (Ctrl+P)"]'));
  assertSame(await background(), "rgb(255, 255, 255)", "background");
  assertSame(await paper.rows(), all, "rows");
  for (const key of ["t0", "t1"]) {
    const [mine, theirs] = await Promise.all(
      [paper, screen].map((viewer) => Picture.of(viewer, canvasOf(key))),
    );

    for (const state of statesOf(Number(key.slice(1))))
      assertSame(mine.stateColour(state), theirs.stateColour(state), state.name);
  }
  const [mine, theirs] = await Promise.all(
    [paper, screen].map(async (viewer) =>
      (await Picture.of(viewer, canvasOf("s2.0"))).line(0.5),
    ),
  );
  const rgb = ({ colour }) => colour.split(",").slice(0, 3).map(Number);

  assertSame(mine.y, theirs.y, "height of a line");
  assert(
    rgb(mine).every((channel, i) => Math.abs(channel - rgb(theirs)[i]) < 4),
    `its colour: ${mine.colour}, not ${theirs.colour}`,
  );
  await endPrint();
  assertSame([await paper.rows(), await background()], before, "after it");
});

await ok("Ctrl+P prints all rows in light colours", async () => {
  await print(() => paper.page.keyboard.press("Control+p"));
  assertSame(await paper.rows(), await screen.rows(), "rows");
  await endPrint();
});

/** All words are on the paper, with one among them. */
function assertInside(pdf, word) {
  const text = execFileSync("pdftotext", ["-bbox", "-", "-"], {
    input: pdf,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
  let width = 0;
  let count = 0;

  for (const line of text.split("\n")) {
    const page = /<page width="([\d.]+)"/.exec(line);
    const [, x, end, content] =
      /<word xMin="([-\d.]+)" .*xMax="([-\d.]+)".*>(.*)<\/word>/.exec(line) ?? [];

    if (page) width = Number(page[1]);
    if (!content) continue;
    assert(
      Number(x) >= 0 && Number(end) <= width,
      `${content} is at ${x} to ${end} of ${width} points`,
    );
    if (content.includes(word)) count++;
  }
  assert(count > 0, `${word} is not on the paper`);
}

/** How many pixels of the first page have each colour, as "r,g,b,255". */
function countColours(pdf) {
  const ppm = execFileSync(process.env.PDFTOPPM, ["-r", "96", "-l", "1", "-"], {
    input: pdf,
    maxBuffer: 1 << 30,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const [header] = /^P6\n\d+ \d+\n255\n/.exec(ppm.toString("latin1", 0, 40));
  const counts = new Map();

  for (let i = header.length; i < ppm.length; i += 3) {
    const colour = `${ppm.subarray(i, i + 3).join()},255`;

    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return counts;
}

/** The last state of each trace, which ends where the run does, is as far right
 *  as anything. */
if (process.env.PDFTOPPM)
  await ok("all rows fit on A4 and Letter", async () => {
    const known = await legendOf(screen);
    const last = ["FileWrite", "Sort"];
    // What is a little wider than the paper browsers print smaller; this is not.
    const wide = await Viewer.open(browser, address, {
      viewport: { width: 2800, height: 1600 },
    });

    for (const [panel, word] of [["interval", "value"], ["profile", "Energy"]])
      for (const format of ["A4", "Letter"]) {
        await wide.panel(panel);
        const pdf = await wide.page.pdf({ format, landscape: true });
        const counts = countColours(pdf);

        for (const name of last)
          assert(
            counts.get(known.get(name).colour) > 60,
            `${name} is not on ${format}: ${counts.get(known.get(name).colour)} pixels`,
          );
        assertInside(pdf, word);
      }
    await wide.close();
  });
else
  skip(
    "all rows fit on A4 and Letter",
    "pdftoppm is missing (Debian: poppler-utils)",
  );

if (process.env.PDFTOPPM)
  await ok("states are printed, also states below arrows", async () => {
    const counts = countColours(await paper.page.pdf());
    const known = await legendOf(screen);
    const states = [...statesOf(0), ...statesOf(1)];

    for (const name of new Set(states.map((state) => state.name)))
      assert(counts.get(known.get(name).colour) > 60, `${name} is missing`);
    assertSame(
      Math.max(...counts.values()),
      counts.get("255,255,255,255"),
      "white",
    );
  });
else
  skip(
    "states are printed, also states below arrows",
    "pdftoppm is missing (Debian: poppler-utils)",
  );

await browser.close();
done();
