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

let count = 0;

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
