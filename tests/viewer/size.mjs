// SPDX-License-Identifier: LGPL-2.1-or-later
// How fast a large project is in the browser:
//
//     node size.mjs PAGE PROJECT
//
// How long the page takes to be drawn, the frames a second of zooming it as
// Chromium's own tracing counts them, and how long hdtrace view takes from its
// start to a first picture. The exit status is 1 if a limit is passed. If PAGE
// is "-" only the last of these is measured, three times; SIZE_VIEW_MS is its
// limit.
import { spawn } from "node:child_process";
import { launch, PATIENCE_MS } from "./browser.mjs";

const OPEN_MS = 3000;
const FRAMES = 30;
const VIEW_MS = Number(process.env.SIZE_VIEW_MS ?? 1000);
const ZOOM_MS = 6000;

const [, , file, project] = process.argv;
const browser = await launch();
let hasFailed = false;

function say(what, number, unit, isGood, limit) {
  hasFailed ||= !isGood;
  console.log(
    `${what}: ${number.toFixed(unit === "ms" ? 0 : 1)} ${unit}` +
      ` (${limit}${isGood ? "" : ", passed"})`,
  );
}

/** A page that notes when it has drawn something, and when all of it. */
async function newPage() {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });

  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(() => {
    globalThis.times = {};
    const note = () => {
      const data = document.querySelector(".app")?.dataset;

      if (Number(data?.drawn) > 0) globalThis.times.first ??= performance.now();
      if (data?.ready === "true") globalThis.times.all ??= performance.now();
      else requestAnimationFrame(note);
    };

    note();
  });
  return page;
}

/** The frames that reached the screen, from the trace that Chromium wrote. */
function countFrames(trace, from, to) {
  const { traceEvents } = JSON.parse(trace);
  const marks = traceEvents.filter(({ name }) =>
    ["zoom starts", "zoom ends"].includes(name),
  );
  const [start, end] = [from, to].map((name) =>
    Math.min(...marks.filter((m) => m.name === name).map(({ ts }) => ts)),
  );
  const frames = traceEvents.filter(
    ({ name, ts }) => name === "DrawFrame" && ts >= start && ts <= end,
  );

  // What the main thread of the page worked, whatever else the machine does.
  const mark = marks.find(({ name }) => name === from);
  const worked = traceEvents
    .filter(
      ({ name, tid, pid, ts }) =>
        name === "RunTask" &&
        tid === mark.tid &&
        pid === mark.pid &&
        ts >= start &&
        ts <= end,
    )
    .reduce((sum, { tdur }) => sum + (tdur ?? 0), 0);

  return {
    count: frames.length,
    seconds: (end - start) / 1e6,
    worked: worked / 1e6,
  };
}

/** Turn the wheel with every frame, in and out again: as fast as it can be
 *  drawn, and not as fast as a test can send events. */
async function zoom(page) {
  await page.evaluate(
    (length) =>
      new Promise((resolve) => {
        const [clientX, clientY] = [900, 500];
        const target = document.elementFromPoint(clientX, clientY);
        const start = performance.now();
        const turn = () => {
          const time = performance.now() - start;
          const deltaY = Math.floor(time / 1500) % 2 === 0 ? -60 : 60;

          if (time > length) {
            performance.mark("zoom ends");
            resolve();
            return;
          }
          target.dispatchEvent(
            new WheelEvent("wheel", {
              deltaY,
              clientX,
              clientY,
              bubbles: true,
              cancelable: true,
            }),
          );
          requestAnimationFrame(turn);
        };

        performance.mark("zoom starts");
        turn();
      }),
    ZOOM_MS,
  );
}

async function measurePage() {
  const page = await newPage();

  await page.goto(file);
  await page.waitForFunction(() => globalThis.times?.all);
  const opened = await page.evaluate(() => globalThis.times.all);

  say("the page is drawn after", opened, "ms", opened <= OPEN_MS,
    `at most ${OPEN_MS}`);
  await browser.startTracing(page, {
    categories: [
      "blink.user_timing",
      "devtools.timeline",
      "disabled-by-default-devtools.timeline",
      "disabled-by-default-devtools.timeline.frame",
    ],
  });
  await zoom(page);
  const trace = await browser.stopTracing();
  const { count, seconds, worked } = countFrames(
    trace.toString(),
    "zoom starts",
    "zoom ends",
  );
  const rate = count / seconds;

  console.log(
    `a frame: ${((worked / count) * 1000).toFixed(1)} ms of the main thread`,
  );
  say("zooming", rate, "frames/s", rate >= FRAMES, `at least ${FRAMES}`);
  await page.close();
}

async function measureView() {
  const page = await newPage();
  const start = Date.now();
  const view = spawn(process.env.HDTRACE, ["view", "--no-browser", project], {
    stdio: ["ignore", "pipe", "inherit"],
  });

  try {
    const url = await new Promise((resolve) => {
      view.stdout.once("data", (bytes) => resolve(String(bytes).trim()));
    });

    await page.goto(url);
    await page.waitForFunction(() => globalThis.times?.first);
    const first = await page.evaluate(
      () => performance.timeOrigin + globalThis.times.first,
    );

    say("hdtrace view: a first picture after", first - start, "ms",
      first - start <= VIEW_MS, `at most ${VIEW_MS}`);
  } finally {
    view.kill("SIGTERM");
    await page.close();
  }
}

if (file !== "-") await measurePage();
for (let i = 0; i < (file === "-" ? 3 : 1); i++) await measureView();
await browser.close();
process.exit(hasFailed ? 1 : 0);
