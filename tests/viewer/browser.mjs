// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of pages in headless browsers: TAP, the browser, and what one does
// with the viewer.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(
  path.join(process.env.VIEWER_PACKAGES, "package.json"),
);

const { chromium, firefox } = require("playwright-core");
export const axeSource = readFileSync(require.resolve("axe-core"), "utf8");

/** Machines may be slow and busy. */
export const PATIENCE_MS = 240000;

/** Points of a script that went before. */
let count = Number(process.env.TAP_BEGUN ?? 0);

/** A test point: it passes unless the function throws. */
export async function ok(name, test) {
  count++;
  try {
    await test();
    console.log(`ok ${count} - ${name}`);
  } catch (error) {
    console.log(`not ok ${count} - ${name}`);
    console.log(String(error.stack ?? error).replace(/^/gm, "# "));
  }
}

/** A test point that cannot run here. */
export function skip(name, reason) {
  count++;
  console.log(`ok ${count} - ${name} # SKIP ${reason}`);
}

export function done() {
  console.log(`1..${count}`);
}

export function assert(isTrue, text) {
  if (!isTrue) throw new Error(text);
}

export function assertSame(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];

  assert(a === b, `${what}: ${a}, not ${b}`);
}

/** Start Chromium. Root has no sandbox; what it shows here is our own. */
export function launch() {
  const isRoot = process.getuid() === 0;

  return chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [...(isRoot ? ["--no-sandbox"] : []), "--disable-dev-shm-usage"],
    timeout: PATIENCE_MS,
  });
}

/** Start Firefox, as it comes, by WebDriver BiDi. */
export function launchFirefox() {
  return firefox.launch({
    executablePath: process.env.FIREFOX,
    channel: "moz-firefox",
    timeout: PATIENCE_MS,
  });
}

/** A page of the viewer, and all that it did that it should not do. */
export class Viewer {
  /** @param options As of newContext() of Playwright. */
  static async open(browser, url, options = {}) {
    const self = new Viewer();

    self.context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    self.page = await self.context.newPage();
    self.page.setDefaultTimeout(PATIENCE_MS);
    self.requests = [];
    self.faults = [];
    self.page.on("request", (request) => self.requests.push(request.url()));
    self.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type()))
        self.faults.push(message.text());
    });
    self.page.on("pageerror", (error) => self.faults.push(error.message));
    self.page.on("dialog", (dialog) => {
      self.faults.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    await self.go(url);
    return self;
  }

  async go(url) {
    await this.page.goto(url);
    await this.settle();
  }

  /** Load the page anew: a fragment alone would not. */
  async open(url) {
    await this.page.goto("about:blank");
    await this.go(url);
  }

  close() {
    return this.context.close();
  }

  /** Wait until everything is drawn and computed, and the address follows. What
   *  that is the page is asked: Playwright may hear of it later. */
  async settle() {
    const settled = await this.page.waitForFunction(
      () => {
        const app = document.querySelector(".app");
        const isSettled =
          app?.dataset.ready === "true" &&
          app.dataset.settled === "true" &&
          !document.querySelector("[aria-busy], .progress:not([hidden])");

        return isSettled ? location.href : null;
      },
      null,
      { timeout: PATIENCE_MS, polling: 50 },
    );

    this.url = await settled.jsonValue();
  }

  /** The middle of an element, or a point of it, in shares. */
  async point(selector, x = 0.5, y = 0.5) {
    const box = await this.page.locator(selector).first().boundingBox();

    return [box.x + box.width * x, box.y + box.height * y];
  }

  async drag(from, to, steps = 8) {
    const { mouse } = this.page;

    await mouse.move(...from);
    await mouse.down();
    await mouse.move(...to, { steps });
    await mouse.up();
    await this.settle();
  }

  /** Keys, for the time lines. */
  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
    await this.settle();
  }

  async panel(id) {
    await this.page.click(`#tab-${id}`);
    await this.settle();
  }

  /** What the fragment says. */
  get parameters() {
    return new URLSearchParams(new URL(this.url).hash.slice(1));
  }

  /** Times of a parameter, as texts in seconds. */
  times(name) {
    return this.parameters.get(name)?.split(",") ?? null;
  }

  /** What is shown: its start and its length, in seconds. */
  stretch() {
    const [start, end] = this.times("view").map(Number);

    // Times have nine decimals.
    return [start, Math.round((end - start) * 1e9) / 1e9];
  }

  async mark(from, to) {
    await this.panel("interval");
    await this.page.fill('#panel-interval input[aria-label^="From"]', from);
    await this.page.fill('#panel-interval input[aria-label^="To"]', to);
    await this.page.keyboard.press("Enter");
    await this.settle();
  }

  /** The numbers in the table of the interval: node, value, and columns; "none"
   *  where a value has no such number. */
  interval() {
    return this.page.$$eval("#panel-interval tr[data-key]", (rows) =>
      rows.map((row) => {
        const cells = [...row.children];
        const heads = [...row.closest("table").querySelectorAll("thead th")];
        const number = (title) =>
          cells[heads.findIndex((head) => head.textContent === title)]
            ?.querySelector("[data-value]")?.dataset.value ?? "none";

        return {
          node: cells[0].textContent,
          value: cells[1].firstChild?.textContent ?? "",
          mean: number("Mean"),
          min: number("Min"),
          max: number("Max"),
          stddev: number("Std. dev."),
          integral: number("Integral"),
          total: number("Total"),
          rate: number("Rate"),
          rate_min: number("Lowest"),
          rate_max: number("Highest"),
          resets: number("Resets"),
          count: number("Entries"),
          nan: number("No value"),
        };
      }),
    );
  }

  /** The keys of the rows that are on the screen. */
  rows() {
    return this.page.$$eval(".row", (rows) =>
      rows.map((row) => row.dataset.key).sort(),
    );
  }

  text(selector) {
    return this.page.$eval(selector, (element) => element.textContent);
  }
}

/**
 * Move fingers over a page: a list of steps, each the places [x, y] of all fingers
 * that touch it then, in pixels of the page; a place that is null is lifted.
 * Browsers get what a touch screen would send them: Chromium by its own protocol,
 * Firefox by WebDriver BiDi, for which Playwright has no words of its own.
 */
export async function touch(viewer, steps) {
  await (viewer.page.context().browser().browserType().name() === "firefox"
    ? touchFirefox(viewer.page, steps)
    : touchChromium(viewer.page, steps));
  await viewer.settle();
}

async function touchChromium(page, steps) {
  const session = await page.context().newCDPSession(page);
  const pointsOf = (step) =>
    step.flatMap((place, id) =>
      place ? [{ x: place[0], y: place[1], id }] : [],
    );
  const send = (type, touchPoints) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints });
  let before = [];

  for (const step of [...steps, []]) {
    const points = pointsOf(step);
    const lifted = before.filter(({ id }) => !step[id]);

    // An end names those that are lifted; nothing else is told of them.
    if (lifted.length) await send("touchEnd", lifted);
    else if (points.length > before.length) await send("touchStart", points);
    else await send("touchMove", points);
    before = points;
  }
  await session.detach();
}

async function touchFirefox(page, steps) {
  const { _session: session } = page._connection.toImpl(page).delegate;
  const fingers = Math.max(...steps.map((step) => step.length));
  const actions = Array.from({ length: fingers }, (_, id) => {
    const list = [];
    let before = null;

    for (const step of [...steps, []]) {
      const place = step[id] ?? null;

      if (place)
        list.push({
          type: "pointerMove",
          x: Math.round(place[0]),
          y: Math.round(place[1]),
          duration: 0,
        });
      else list.push({ type: "pause", duration: 0 });
      if (Boolean(place) === Boolean(before))
        list.push({ type: "pause", duration: 0 });
      else
        list.push(
          place ? { type: "pointerDown", button: 0 } : { type: "pointerUp", button: 0 },
        );
      before = place;
    }
    return {
      type: "pointer",
      id: `finger${id}`,
      parameters: { pointerType: "touch" },
      actions: list,
    };
  });

  await session.send("input.performActions", {
    context: session.sessionId,
    actions,
  });
}

/** What fingers do on the rows; the page has a row that is called so. */
export async function assertTouched(viewer, row) {
  const [x, y] = await viewer.point(`.row[data-key="${row}"] .row-plot`);
  const view = () => viewer.stretch();
  const isNear = (a, b, by) => Math.abs(a - b) <= by;
  const width = await viewer.page.$eval(
    `.row[data-key="${row}"] canvas`,
    (canvas) => canvas.getBoundingClientRect().width - 56,
  );
  const at = (dx, dy = 0) => [x + dx, y + dy];

  // Two fingers, from so far apart to twice as far: half of the time is shown,
  // and what was between them still is.
  const [start, span] = view();

  await touch(viewer, [
    [at(-60)],
    [at(-60), at(60)],
    [at(-90), at(90)],
    [at(-120), at(120)],
    // The second one stays, and drags what is shown.
    [null, at(120)],
    [null, at(60)],
    [null, at(0)],
  ]);
  const [left, pinched] = view();

  assert(isNear(pinched, span / 2, span / 50), `${pinched} s, of ${span} s`);
  const middle = await viewer.page.$eval(".tracks", (tracks) => {
    const label = getComputedStyle(tracks).getPropertyValue("--label");

    return tracks.getBoundingClientRect().left + Number.parseFloat(label) + 56;
  });
  const share = (x - middle) / width;
  const kept = start + span * share;

  // Dragged by 120 pixels to the left: later times.
  const wanted = kept - pinched * share + (120 / width) * pinched;

  assert(isNear(left, wanted, span / 50), `from ${left} s, not ${wanted} s`);
  // One finger, along the rows.
  await touch(viewer, [[at(0)], [at(30)], [at(60)]]);
  const [moved, same] = view();

  assert(isNear(same, pinched, 1e-6), `${same} s wide, not ${pinched} s`);
  assert(
    isNear(moved, left - (60 / width) * pinched, span / 100),
    `moved from ${left} s to ${moved} s`,
  );
  // And over them: these scroll.
  const top = () => viewer.page.$eval(".scroll", (e) => e.scrollTop);
  const room = await viewer.page.$eval(
    ".scroll",
    (e) => e.scrollHeight - e.clientHeight,
  );

  assert(room > 20, `rows fit: there is nothing to scroll, but ${room} pixels`);
  await touch(viewer, [[at(0)], [at(0, -10)], [at(0, -20)]]);
  assertSame(await top(), 20, "scrolled by");
  assert(await viewer.page.locator(".tooltip").isHidden(), "a tooltip stays");
  // A mark, on the ruler.
  const ruler = await viewer.point("canvas.ruler", 0.5, 0.3);

  await touch(viewer, [
    [ruler],
    [[ruler[0] + 40, ruler[1]]],
    [[ruler[0] + 80, ruler[1]]],
  ]);
  const mark = viewer.times("mark").map(Number);

  assert(
    isNear(mark[1] - mark[0], (80 / width) * pinched, span / 100),
    `marked ${mark}`,
  );
}

/** Run hdtrace; data that has problems is no failure. */
export function hdtrace(...args) {
  try {
    return execFileSync(process.env.HDTRACE, args, {
      encoding: "utf8",
      maxBuffer: 1 << 30,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    if (error.status === 1) return error.stdout;
    throw error;
  }
}

/** Compare numbers on the screen with those of hdtrace stat. */
export function compareWithStat(shown, project, options) {
  const { rows } = JSON.parse(
    hdtrace("stat", "-q", "--format=json", ...options, project),
  );

  assert(shown.length > 0, "no numbers are shown");
  for (const mine of shown) {
    const theirs = rows.find(
      (row) => row.node === mine.node && row.value === mine.value,
    );

    assert(theirs, `hdtrace stat has no ${mine.node} ${mine.value}`);
    for (const key of Object.keys(mine).slice(2)) {
      // The page has no integral of percentages, bytes, and so on.
      const isLeftOut =
        key === "integral" &&
        mine[key] === "none" &&
        theirs.integral_unit === `${theirs.unit} s`;

      if (isLeftOut) continue;
      const [a, b] = [Number(mine[key]), theirs[key] ?? NaN];
      const isSame =
        Object.is(a, b) ||
        Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(b), Math.abs(theirs.max));

      assert(isSame, `${mine.node} ${mine.value} ${key}: ${a}, not ${b}`);
    }
  }
}

/** The tables at the bottom. */
export function panelsOf(viewer) {
  return viewer.page.$$eval("[role=tab]", (list) =>
    list.map((tab) => tab.id.replace("tab-", "")),
  );
}

/** Nothing but the page itself was asked for, and nothing was complained of. */
export function assertQuiet(viewer, isOwn) {
  const others = viewer.requests.filter((url) => !isOwn(url));

  assertSame(others, [], "requests");
  assertSame(viewer.faults, [], "console");
}

/** No fault that axe-core calls serious or critical. */
export async function assertAccessible(viewer, what) {
  await viewer.page.evaluate(axeSource);
  const faults = await viewer.page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      resultTypes: ["violations"],
    });

    return violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(" ")}`);
  });

  assertSame(faults, [], what);
}
