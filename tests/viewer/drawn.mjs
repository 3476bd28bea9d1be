// SPDX-License-Identifier: LGPL-2.1-or-later
// What a page draws, by its pixels:
//
//     node drawn.mjs ADDRESS PROJECT MPI-TABLE
//
// The project is "drawn" (drawn-project.sh), with its phases; what it holds is
// what hdtrace dump says.
import { readFileSync } from "node:fs";
import {
  assert,
  assertQuiet,
  assertSame,
  done,
  hdtrace,
  launch,
  ok,
  Viewer,
} from "./browser.mjs";
import { bandRows, canvasOf, legendOf, Picture } from "./pixels.mjs";

const [, , address, project, mpiTable] = process.argv;
const { groups, traces } = JSON.parse(
  hdtrace("dump", "-q", "--format=json", "--time=relative", project),
);
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;

const OVER = ".tracks > canvas.over";
const OVERVIEW = ".overview canvas";
/** The powers of alpha and beta, and the value that is estimated. */
const [ALPHA, BETA, ESTIMATED] = ["s0.0", "s2.0", "s1.1"];
const powers = [
  [ALPHA, groups[0].entries],
  [BETA, groups[2].entries],
];

const middle = ({ start, end }) => (start + end) / 2;
const isNear = (a, b, tolerance = 1) => Math.abs(a - b) <= tolerance;
const statesOf = (number) =>
  traces[number].records.filter((record) => record.kind === "state");
const isClear = (colour) => colour.endsWith(",0");
const draw = (key) => Picture.of(viewer, canvasOf(key));
const url = (fragment) => `${address}#${new URLSearchParams(fragment)}`;

const legend = () => legendOf(viewer);
const legendBox = (name) =>
  page.locator("#panel-legend label", {
    has: page.locator(`text="${name}"`),
  });

/* ---- States and events ---------------------------------------------------- */

await ok("states have the colours of the legend", async () => {
  await viewer.open(url({ waits: "no" }));
  const known = await legend();

  for (const number of [0, 1]) {
    const picture = await draw(`t${number}`);

    for (const state of statesOf(number))
      assertSame(
        picture.stateColour(state),
        known.get(state.name)?.colour,
        `${state.name} at ${state.start} s`,
      );
    assertSame(picture.alphaAt(picture.x(0.25), bandRows(0)[0]), 0, "nothing");
  }
  await viewer.open(address);
});

await ok("all names have distinct colours and patterns", async () => {
  const names = new Set([0, 1, 2].flatMap((i) => statesOf(i).map((s) => s.name)));
  const known = await legend();
  const pictures = new Set([...names].map((name) => known.get(name)?.picture));

  assertSame(names.size, 18, "names");
  assertSame(pictures.size, names.size, "pictures");
});

await ok("names are grouped by the classes of functions.table", async () => {
  const table = readFileSync(mpiTable, "utf8");
  const classes = new Map(
    [...table.matchAll(/^(\w+)\+? (\w+)\(/gm)].map(([, kind, name]) => [name, kind]),
  );
  const titles = new Map();

  for (const { name, category } of (await legend()).values()) {
    // FileWrite is how programs of 2009 called File_write.
    const kind = classes.get(name) ?? (name === "FileWrite" ? "io" : "none");
    const title = titles.get(kind) ?? category;

    titles.set(kind, title);
    assertSame(category, title, name);
  }
  assertSame(new Set(titles.values()).size, titles.size, "categories");
  assertSame(titles.get("none"), "Program", "of the program itself");
  assertSame(titles.get("p2p"), "Point to point", "of Send");
  assertSame(titles.size, 10, "classes");
});

await ok("states narrower than a pixel have their share of the height", async () => {
  const picture = await draw("t2");
  const [top, bottom] = bandRows(0);
  const ticks = statesOf(2);
  const share =
    ticks.reduce((sum, { start, end }) => sum + end - start, 0) /
    (ticks.at(-1).end - ticks[0].start);
  const x = picture.x(1.5);
  const opaque = Array.from({ length: bottom - top + 2 }, (_, i) =>
    picture.alphaAt(x, top - 1 + i),
  ).reduce((sum, alpha) => sum + alpha / 255, 0);

  assert(ticks.length === 5000 && share > 0.2 && share < 0.3, `share ${share}`);
  assert(isNear(opaque, share * (bottom - top + 2), 0.5), `${opaque} pixels`);
  assert(picture.alphaAt(x, bottom) > 0, "it does not stand on the ground");
});

await ok("a hidden name is not drawn, and the link contains it", async () => {
  const before = await draw("t0");
  const sent = statesOf(0).filter(({ name }) => name === "Send");
  const others = statesOf(0).filter(({ name }) => name !== "Send");

  await legend();
  await legendBox("Send").click();
  await viewer.settle();
  const off = async () => {
    const picture = await draw("t0");

    for (const state of sent)
      assertSame(
        picture.alphaAt(picture.x(middle(state)), bandRows(1)[1]),
        0,
        "Send",
      );
    for (const state of others)
      assertSame(picture.stateColour(state), before.stateColour(state), state.name);
  };

  await off();
  assertSame(viewer.parameters.getAll("off"), ["Send"], "off");
  await viewer.open(viewer.url);
  await off();
  assert(!(await legend()).get("Send").isOn, "the legend does not say it");
  await legendBox("Send").click();
  await viewer.settle();
  assert((await draw("t0")).data.equals(before.data), "it is not as before");
});

await ok("a category is hidden by a click or a key", async () => {
  await legend();
  const box = legendBox("Point to point").locator("input");

  await box.focus();
  await viewer.press("Space");
  assertSame(viewer.parameters.getAll("off").sort(), ["Recv", "Send"], "off");
  const recv = statesOf(1).filter(({ name }) => name === "Recv");
  const picture = await draw("t1");

  for (const state of recv)
    assertSame(picture.alphaAt(picture.x(middle(state)), bandRows(0)[1]), 0, "Recv");
  await viewer.press("Space");
  assertSame(viewer.parameters.getAll("off"), [], "off, where the focus was");
});

await ok("events are marks at their times", async () => {
  const events = traces[0].records.filter(({ kind }) => kind === "event");
  const picture = await draw("t0");
  const text = await page.evaluate(() => {
    const channels = getComputedStyle(document.body).color.match(/\d+/g);

    return [...channels, 255].join();
  });
  const marks = [];

  for (let x = 56; x < picture.width; x++)
    if (picture.at(x, 1) === text && picture.at(x - 1, 1) !== text) marks.push(x);
  assertSame(marks.length, events.length, "marks");
  events.forEach(({ start, name }, i) => {
    const x = picture.x(start);

    assert(isNear(marks[i] + 1, x, 3), `${name} at ${marks[i]}, not ${x}`);
    // A line leads down from it.
    assert(picture.alphaAt(Math.round(x) - 0.5, picture.height - 2) > 40, name);
    assertSame(picture.alphaAt(x + 8, 1), 0, `beside ${name}`);
  });
  const { picture: chip } = (await legend()).get("done");

  assertSame(chip, null, "the colour of an event in the legend");
  await legendBox("done").click();
  await viewer.settle();
  const less = await draw("t0");

  assertSame(less.alphaAt(less.x(events[1].start), 1), 0, "done");
  assertSame(less.at(less.x(events[0].start), 1), text, "checkpoint");
  await legendBox("done").click();
  await viewer.settle();
});

/* ---- Values --------------------------------------------------------------- */

/** Where the values of both powers are drawn: [value, y]. */
async function heights() {
  const list = [];

  for (const [key, entries] of powers) {
    const picture = await draw(key);

    for (const entry of entries)
      list.push([entry.values[0], picture.line(middle(entry)).y]);
  }
  return list;
}

/** Height of a pixel that fits all: all are on one scale, which begins so high. */
function scaleOf(list) {
  const [low, high] = [list[0], list.reduce((a, b) => (b[0] > a[0] ? b : a))];
  const perPixel = (high[0] - low[0]) / (low[1] - high[1]);

  for (const [value, y] of list)
    assert(
      isNear(low[1] - (value - low[0]) / perPixel, y),
      `${value} at ${y} pixels, of ${JSON.stringify(list)}`,
    );
  return perPixel;
}

await ok("values of a grouping are lines on a common scale", async () => {
  scaleOf(await heights());
});

await ok("w merges entries over windows, and the link contains it", async () => {
  const list = await heights();
  const before = await draw(ALPHA);
  const perPixel = scaleOf(list);
  const [[value, y]] = list;
  const lines = async () => {
    // By hand: means of what is known of 0 to 4 and of 4 to 6.
    for (const [key, time, mean] of [
      [ALPHA, 0.5, 150],
      [ALPHA, 3.5, 150],
      [ALPHA, 4.5, 350],
      [ALPHA, 5.5, 350],
      [BETA, 1, 100],
      [BETA, 3, 100],
      [BETA, 5, 100],
    ]) {
      const found = (await draw(key)).line(time).y;
      const wanted = y - (mean - value) / perPixel;

      assert(isNear(found, wanted), `${key} at ${time}: ${found}, not ${wanted}`);
    }
  };

  // An input would keep the key.
  await page.locator(`.row[data-key="${ALPHA}"]`).focus();
  await viewer.press("w");
  await page.keyboard.type("4");
  await viewer.press("Enter");
  assertSame(viewer.parameters.get("window"), "4", "window");
  await lines();
  // What is no length changes nothing.
  await page.keyboard.type("x");
  await viewer.press("Enter");
  assertSame(await page.inputValue(".window input"), "4", "the input");
  assertSame(viewer.parameters.get("window"), "4", "window");
  await viewer.open(viewer.url);
  await lines();
  assertSame(await page.inputValue(".window input"), "4", "the input");
  await page.fill(".window input", "");
  await viewer.press("Enter");
  assertSame(viewer.parameters.get("window"), null, "window");
  assert((await draw(ALPHA)).data.equals(before.data), "it is not as before");
  await page.locator(`.row[data-key="${ALPHA}"]`).focus();
});

await ok("estimates are dashed, and measurements are solid", async () => {
  for (const [key, isDashed] of [
    [ESTIMATED, true],
    [ALPHA, false],
  ]) {
    const picture = await draw(key);
    const { y, strength } = picture.line(0.5);
    let gaps = 0;

    for (let x = picture.x(0.2); x < picture.x(0.8); x++)
      if (picture.strength(x, y) < strength / 4) gaps++;
    assert(isDashed ? gaps > 10 : gaps === 0, `${key}: ${gaps} pixels are free`);
  }
});

await ok("a curve can be drawn as bars and as a line", async () => {
  const before = await draw(ALPHA);
  const { entries } = groups[0];
  const inside = (picture, entry) => {
    const { y, strength } = picture.line(middle(entry));

    return { y, fill: picture.strength(picture.x(middle(entry)), y + 4) / strength };
  };

  // What was clicked at has the keys.
  await page.mouse.click(
    ...(await viewer.point(`.row[data-key="${ALPHA}"] .row-plot`, 0.3)),
  );
  await viewer.press("b");
  const bars = await draw(ALPHA);

  for (const entry of entries) {
    const [line, bar] = [inside(before, entry), inside(bars, entry)];

    assertSame(bar.y, line.y, "height");
    assert(line.fill < 0.25 && bar.fill > 0.4, `${line.fill} and ${bar.fill}`);
  }
  assertSame(viewer.parameters.get("bars"), ALPHA, "bars");
  await viewer.open(viewer.url);
  assert((await draw(ALPHA)).data.equals(bars.data), "the link shows others");
  await page.locator(`.row[data-key="${ALPHA}"]`).focus();
  await viewer.press("b");
  assertSame(viewer.parameters.get("bars"), null, "bars");
  assert((await draw(ALPHA)).data.equals(before.data), "not as before");
});

await ok("only gaps are hatched", async () => {
  const picture = await draw(ALPHA);
  const gap = groups[0].entries.find((entry) => entry.gap);
  const before = groups[0].entries[groups[0].entries.indexOf(gap) - 1];
  const drawn = (from, to) =>
    picture
      .colours(picture.x(from) + 2, 8, picture.x(to) - 2, 14)
      .filter((colour) => !isClear(colour)).length;

  assert(drawn(before.end, gap.start) > 1, "the gap is not hatched");
  assertSame(drawn(0.2, 0.4), 0, "colours elsewhere");
});

/* ---- Scales ---------------------------------------------------------------- */

async function scales(change) {
  await page.click('button[title="Scales…"]');
  await change(page.locator("dialog[open]"));
  await page.click("dialog[open] button.primary");
  await viewer.settle();
}

const toggle = (text) => (dialog) => dialog.locator(`label:has-text("${text}")`).click();

await ok("rows can have their own scale or a common scale", async () => {
  const common = await heights();

  await scales(toggle("share a scale"));
  assertSame(viewer.parameters.get("scale"), "own", "scale");
  const own = await heights();
  const top = ([first, ...rest], wanted) =>
    [first, ...rest].find(([value]) => value === wanted)[1];

  // The largest of each node is at the same height now.
  assert(isNear(top(own.slice(0, 4), 400), top(own.slice(4), 150)), `${own}`);
  assert(
    top(common.slice(4), 150) - top(common.slice(0, 4), 400) > 10,
    `${common}`,
  );
  scaleOf(own.slice(0, 4));
  scaleOf(own.slice(4));
  await viewer.open(viewer.url);
  assertSame(await heights(), own, "what the link shows");
  await scales(toggle("share a scale"));
  assertSame(await heights(), common, "again");
});

await ok("scales can begin at zero", async () => {
  const rise = async () => {
    const picture = await draw(ESTIMATED);

    return picture.line(1.5).y - picture.line(4.5).y;
  };

  assert((await rise()) > 15, `60 and 61 are ${await rise()} pixels apart`);
  await scales(toggle("start at zero"));
  assert((await rise()) <= 1, `60 and 61 are ${await rise()} pixels apart`);
  assertSame(viewer.parameters.get("zero"), "yes", "zero");
  await scales(toggle("start at zero"));
});

await ok("scales fit the visible range", async () => {
  await viewer.open(url({ view: "0.1,0.9" }));
  const height = async () => (await draw(ALPHA)).line(0.5).y;
  const whole = await height();

  await scales(toggle("fit the visible time"));
  assert((await height()) < whole - 10, `${await height()} and ${whole}`);
  assertSame(viewer.parameters.get("fit"), "view", "fit");
});

await ok("a typed range applies to a grouping", async () => {
  await viewer.open(address);
  await scales(async (dialog) => {
    await dialog.locator('[aria-label="Minimum of Power"]').fill("0");
    await dialog.locator('[aria-label="Maximum of Power"]').fill("800");
    await page.keyboard.press("Tab");
  });
  const list = await heights();
  const { height } = await draw(ALPHA);

  // 5 pixels are free above, and 4 below.
  for (const [value, y] of list)
    assert(
      isNear(y, height - 4 - (value / 800) * (height - 9)),
      `${value} at ${y} of ${height} pixels`,
    );
  assertSame(
    JSON.parse(viewer.parameters.get("range")),
    ["Power", 0, 800],
    "range",
  );
  await viewer.open(viewer.url);
  assertSame(await heights(), list, "what the link shows");
});

await ok("an axis has at least two numbers", async () => {
  for (const [min, max] of [
    [0, 440],
    [120, 214],
    [0, 99],
    [59.9, 61.1],
  ]) {
    await viewer.go(url({ range: JSON.stringify(["Power", min, max]) }));
    const picture = await draw(ALPHA);
    // Its ticks are beside the plot.
    const ticks = picture
      .column(53)
      .filter((colour, y, all) => !isClear(colour) && isClear(all[y - 1] ?? colour));

    assert(ticks.length >= 2, `${ticks.length} for ${min} to ${max}`);
  }
});

/* ---- Over the rows --------------------------------------------------------- */

/** Middle of a row's first band, in pixels of the overlay. */
async function bandAt(key) {
  const [row, over] = await Promise.all(
    [`.row[data-key="${key}"]`, OVER].map((s) => page.locator(s).boundingBox()),
  );

  return row.y - over.y + (bandRows(0)[0] + bandRows(0)[1]) / 2;
}

/** Colours along a line of the overlay that are to be seen. */
function along(picture, [x0, y0], [x1, y1], label) {
  const list = [];

  for (let i = 0.1; i < 0.85; i += 0.01)
    list.push(picture.at(label + picture.x2(x0 + (x1 - x0) * i), y0 + (y1 - y0) * i));
  return list.filter((colour) => !isClear(colour));
}

await ok("messages are arrows from sender to receiver", async () => {
  await viewer.open(address);
  const [states, over] = [await draw("t0"), await Picture.of(viewer, OVER)];
  const label = over.width - states.width;
  const [from, to] = [await bandAt("t0"), await bandAt("t1")];
  const sent = statesOf(0).filter(({ name }) => name === "Send");
  const received = statesOf(1).filter(({ name }) => name === "Recv");

  over.x2 = (time) => states.x(time);
  const lines = sent.map((send, i) =>
    along(over, [send.start, from], [received[i].end, to], label).map((colour) =>
      colour.split(",").map(Number),
    ),
  );
  const isRed = ([r, g, b]) => r > 2 * g && r > 2 * b;

  // The second one is received before it is sent: red, and dashed.
  assert(lines[0].length > 65, `${lines[0].length} of 75 points`);
  assert(!lines[0].some(isRed), "the first is red");
  assert(lines[1].length > 25 && lines[1].length < 65, `${lines[1].length} of 75`);
  assert(lines[1].filter(isRed).length > 20, "the second is not red");
  assertSame(
    await page.$eval(".app", (app) => app.dataset.arrows),
    String(sent.length),
    "arrows",
  );
  await viewer.press("a");
  const none = await Picture.of(viewer, OVER);

  none.x2 = over.x2;
  assertSame(along(none, [1.5, from], [2, to], label).length, 0, "after a");
  assertSame(viewer.parameters.get("arrows"), "no", "arrows");
});

await ok("the marked range and borders of phases are drawn", async () => {
  await viewer.open(url({ mark: "2.6,3.4", arrows: "no" }));
  const [states, over] = [await draw("t0"), await Picture.of(viewer, OVER)];
  const at = (time) => over.width - states.width + states.x(time);
  const alpha = (time) => over.alphaAt(at(time), over.height - 3);

  assert(alpha(3) > 20 && alpha(3) < 60, `inside: ${alpha(3)}`);
  assertSame([alpha(2.5), alpha(3.5)], [0, 0], "outside");
  for (const border of [0, 2, 5, 6]) {
    let count = 0;

    for (let y = 0; y < over.height; y++)
      if (over.alphaAt(Math.round(at(border)), y) > 100) count++;
    assert(
      count > over.height * 0.3 && count < over.height * 0.6,
      `${count} of ${over.height} pixels at ${border} s`,
    );
  }
});

/* ---- The strip at the top --------------------------------------------------- */

/** Relative luminance of a colour, on white. */
function luminance(colour) {
  const [alpha, ...channels] = colour.split(",").map(Number).reverse();
  const [b, g, r] = channels.map((channel) => {
    const c = 1 + ((channel - 255) / 255) * (alpha / 255);

    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });

  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The title of the strip can be read. */
function assertLegible(picture) {
  const list = picture.colours(6, 4, 140, 15).map(luminance);
  const contrast = (list[0] + 0.05) / (Math.min(...list) + 0.05);

  assert(contrast > 4.5, `the title has a contrast of ${contrast}`);
}

await ok("the strip shows the power of all nodes and the visible range", async () => {
  await viewer.open(address);
  const sumAt = (time) =>
    powers.reduce((sum, [, entries]) => {
      const entry = entries.find(({ start, end }) => start < time && time <= end);

      return sum + (entry?.values[0] ?? 0);
    }, 0);
  const times = [0.5, 1.5, 3, 4.5, 5.5];
  const largest = Math.max(...times.map(sumAt));
  const heightsOf = (picture) =>
    times.map((time) => {
      const x = ((time + 0.06) / 6.12) * picture.width;

      let y = picture.height - 3;

      // From the ground, since its title is at the top.
      while (y > 2 && picture.alphaAt(x, y) > 60) y--;
      return picture.height - y - 1;
    });
  const whole = await Picture.of(viewer, OVERVIEW);

  assertSame(
    Number(await page.getAttribute(".overview", "data-max")),
    largest,
    "the largest power",
  );
  heightsOf(whole).forEach((found, i) => {
    const wanted = (sumAt(times[i]) / largest) * (whole.height - 6);

    assert(isNear(found, wanted), `${times[i]} s: ${found}, not ${wanted}`);
  });
  await viewer.go(url({ view: "3,5" }));
  const part = await Picture.of(viewer, OVERVIEW);
  const ground = (time) => {
    const x = ((time + 0.06) / 6.12) * part.width;

    return [part, whole].map((picture) => picture.at(x, picture.height - 4));
  };
  const [inside, outside] = [ground(4.5), ground(0.5)];

  assertSame(inside[0], inside[1], "in view");
  assert(outside[0] !== outside[1], "what is out of view looks the same");
  for (const picture of [whole, part]) assertLegible(picture);
});

/* ---- Colours ----------------------------------------------------------------- */

const lineColour = async (key) => (await draw(key)).line(0.5).colour;

await ok("a value keeps its colour", async () => {
  await viewer.open(address);
  const colour = await lineColour(ESTIMATED);

  assert(colour !== (await lineColour("s1.0")), "two values have one colour");
  await viewer.open(url({ hide: `${ALPHA},${BETA},s1.0` }));
  assertSame(await lineColour(ESTIMATED), colour, "colour");
});

await ok("the button switches canvases between light and dark", async () => {
  await viewer.open(url({ panel: "histogram" }));
  const brightness = (colour) =>
    colour.split(",").slice(0, 3).map(Number).reduce((a, b) => a + b) / 3;
  const ink = async () => {
    const chart = await Picture.of(viewer, "#panel-histogram canvas");
    // Ticks are what is opaque beside the axis.
    const [colour] = chart
      .colours(10, 5, 46, chart.height - 20)
      .filter((c) => c.endsWith(",255"));

    return [await lineColour(ALPHA), colour];
  };
  const light = await ink();

  await page.click('button[title="Dark or light"]');
  await viewer.settle();
  const dark = await ink();

  assert(
    brightness(dark[0]) > brightness(light[0]) + 20,
    `line: ${light[0]} became ${dark[0]}`,
  );
  assert(dark[1] !== light[1], `ticks of the histogram: ${dark[1]}`);
  await viewer.open(url({ panel: "histogram" }));
  assertSame(await ink(), dark, "after it was loaded again");
  await page.click('button[title="Dark or light"]');
  await viewer.settle();
  assertSame(await ink(), light, "light again");
});

await ok("the page sends no request and logs no error", async () => {
  assertQuiet(viewer, (asked) =>
    [address, "about:blank"].includes(asked.split("#")[0]),
  );
});

await browser.close();
done();
