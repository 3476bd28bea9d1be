// SPDX-License-Identifier: LGPL-2.1-or-later
// A page in Firefox: that it works there, too; what it does is tested in Chromium.
//
//     node firefox.mjs ADDRESS PROJECT
//
// The project is "drawn" (drawn-project.sh).
import {
  assert,
  assertQuiet,
  assertSame,
  assertTouched,
  compareWithStat,
  done,
  hdtrace,
  launchFirefox,
  ok,
  panelsOf,
  Viewer,
} from "./browser.mjs";
import { canvasOf, legendOf, Picture } from "./pixels.mjs";

const [, , address, project] = process.argv;
const { groups, traces } = JSON.parse(
  hdtrace("dump", "-q", "--format=json", "--time=relative", project),
);
const browser = await launchFirefox();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;

await ok("numbers of the run agree with hdtrace stat", async () => {
  compareWithStat(await viewer.interval(), project, []);
});

await ok("numbers of an interval agree, also when zoomed", async () => {
  await viewer.mark("0.3", "4.75");
  assertSame(viewer.times("mark"), ["0.3", "4.75"], "mark");
  compareWithStat(await viewer.interval(), project, ["--from=0.3", "--to=4.75"]);
  await page.click("text=Zoom to it");
  await viewer.settle();
  const [start, span] = viewer.stretch();

  assert(
    start < 0.3 && start > 0 && start + span > 4.75 && start + span < 5.05,
    `shows ${span} s from ${start} s`,
  );
});

await ok("drag, wheel and keys change the view", async () => {
  await viewer.drag(
    await viewer.point("canvas.ruler", 0.3, 0.3),
    await viewer.point("canvas.ruler", 0.6, 0.3),
  );
  const [from, to] = viewer.times("mark");

  assert(to - from > 1 && to - from < 2, `marked ${from} to ${to}`);
  compareWithStat(await viewer.interval(), project, [
    `--from=${from}`,
    `--to=${to}`,
  ]);
  const span = () => viewer.stretch()[1];
  const before = span();

  await page.mouse.move(...(await viewer.point(".row-states .row-plot")));
  await page.mouse.wheel(0, -300);
  await viewer.settle();
  assert(span() < before * 0.9, `${span()} s wide`);
  await viewer.press("0");
  assertSame(span(), 6.12, "width of all");
});

await ok("states and values are drawn at their times", async () => {
  const known = await legendOf(viewer);
  const [states, values] = [
    await Picture.of(viewer, canvasOf("t0")),
    await Picture.of(viewer, canvasOf("s0.0")),
  ];

  for (const state of traces[0].records)
    if (state.kind === "state")
      assertSame(
        states.stateColour(state),
        known.get(state.name).colour,
        state.name,
      );
  const heights = groups[0].entries.map(
    ({ start, end }) => values.line((start + end) / 2).y,
  );

  // 100, 200, 300 and 400 W.
  for (let i = 1; i < heights.length; i++)
    assert(heights[i] < heights[i - 1] - 4, `heights ${heights}`);
});

await ok("fingers pinch and drag", async () => {
  const screen = await Viewer.open(browser, address, {
    viewport: { width: 1280, height: 640 },
  });

  await assertTouched(screen, "t0");
  await screen.close();
});

await ok("all tables have rows", async () => {
  for (const panel of await panelsOf(viewer)) {
    await viewer.panel(panel);
    assert((await viewer.text(`#panel-${panel}`)).length > 10, panel);
  }
  assertSame(
    await page.evaluate(() => document.documentElement.scrollHeight),
    page.viewportSize().height,
    "length of the page",
  );
});

await ok("the page sends no request and logs no error", async () => {
  assertSame(
    await page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    ),
    [],
    "resources",
  );
  assertQuiet(viewer, (url) => url.split("#")[0] === address);
});

// Last, since Firefox complains.
await ok("the page is blocked from the network", async () => {
  const directives = await page.evaluate(async () => {
    const list = [];

    document.addEventListener("securitypolicyviolation", (event) =>
      list.push(event.effectiveDirective),
    );
    await fetch("http://127.0.0.1:9/").catch(() => {});
    await new Promise((resolve) => {
      const image = new Image();

      image.onerror = resolve;
      image.src = "http://127.0.0.1:9/picture";
    });
    return list;
  });

  assertSame(directives, ["connect-src", "img-src"], "what was forbidden");
});

await browser.close();
done();
