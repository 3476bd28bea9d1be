// SPDX-License-Identifier: LGPL-2.1-or-later
// hdtrace view of a project that is being written. Run it in an empty folder.
import { unlinkSync } from "node:fs";
import {
  assert,
  assertAccessible,
  assertSame,
  done,
  hdtrace,
  launch,
  ok,
  PATIENCE_MS,
  Viewer,
} from "./browser.mjs";
import { Server, Writer } from "./writing.mjs";

const browser = await launch();

/** Open a page, and wait until something is drawn. */
async function open(address, fragment = "") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();

  page.faults = [];
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.faults.push(message.text());
  });
  page.on("pageerror", (error) => page.faults.push(error.stack));
  await page.goto(address + fragment);
  await page.waitForFunction(() => document.querySelector(".row") !== null);
  return page;
}

/** Wait until a row of states has so many states of a name, as the panel counts. */
function waitForStates(page, name, count) {
  return page.waitForFunction(
    ([state, wanted]) =>
      Number(
        document
          .querySelector(`#panel-profile tr[data-state="${state}"] [data-value]`)
          ?.getAttribute("data-value"),
      ) === wanted,
    [name, count],
  );
}

const waitForText = (page, selector, text) =>
  page.waitForFunction(
    ([where, part]) => document.querySelector(where)?.textContent.includes(part),
    [selector, text],
  );

/** A handle of the row would keep it, and all of its page. */
const waitForRow = (page, key) =>
  page.waitForFunction((row) => document.querySelector(`.row[data-key="${row}"]`) !== null, key);

/** Times of the first and the last state that a page knows, in s since the start. */
async function stretch(page) {
  await rest(page);
  return page.evaluate(() =>
    new URLSearchParams(location.hash.slice(1)).get("view").split(",").map(Number),
  );
}

/** Wait until the address has what is shown. */
const rest = (page) =>
  page.waitForFunction(() => document.querySelector(".app").dataset.settled === "true");

const PROFILE = "#panel=profile";
const writer = new Writer("run");

await writer.write("rank", "rank", "steps 4", "power 100");
const server = await Server.start("run");
const page = await open(server.address, PROFILE);

await ok("a project without .proj is shown while it is written", async () => {
  await waitForRow(page, "t1");
  await waitForStates(page, "compute", 8);
  await waitForText(page, ".live", "Live: the data ends");
  assert(Number(await page.getAttribute(".live", "data-lag")) >= 0, "no lag");
});

await ok("states appear when they are written, and the view follows", async () => {
  const [, before] = await stretch(page);

  await writer.write("steps 3");
  await waitForStates(page, "compute", 14);
  await page.waitForFunction(
    (end) =>
      Number(new URLSearchParams(location.hash.slice(1)).get("view").split(",")[1]) > end,
    before,
  );
});

await ok("rows appear", async () => {
  await writer.write("rank", "steps 1");
  await waitForRow(page, "t2");
  await waitForStates(page, "compute", 17);
});

await ok("a second page and a reload show the same", async () => {
  const other = await open(server.address, PROFILE);

  await waitForStates(other, "compute", 17);
  await page.reload();
  await waitForStates(page, "compute", 17);
  await writer.write("steps 1");
  await Promise.all([page, other].map((one) => waitForStates(one, "compute", 20)));
  assertSame(other.faults, [], "faults");
  await other.context().close();
});

await ok("folded rows have what is new", async () => {
  await page.focus(".row");
  await page.keyboard.press("f");
  const shares = page.locator(".row-node", { has: page.locator(".shares") }).first();

  await shares.waitFor();
  await writer.write("name folded", "steps 50");
  const key = await shares.getAttribute("data-key");

  try {
    await page.waitForFunction(
      (row) =>
        document
          .querySelector(`.row[data-key="${row}"]`)
          ?.getAttribute("aria-label")
          ?.includes("folded"),
      key,
    );
  } finally {
    await page.keyboard.press("u");
  }
  await waitForRow(page, "t2");
});

await ok("states in a state that has not ended are shown", async () => {
  await writer.write("nest outer", "name inner", "steps 2");
  await waitForStates(page, "inner", 6);
});

await ok("a zoomed view stays, and the run grows", async () => {
  await page.keyboard.press("0");
  await page.focus(".row");
  for (const key of ["+", "+", "+", "ArrowLeft", "ArrowLeft"]) await page.keyboard.press(key);
  const width = (await stretch(page)).reduce((a, b) => b - a);

  await writer.write("name zoomed", "steps 2");
  await waitForStates(page, "zoomed", 6);
  const [start, end] = await stretch(page);

  assert(Math.abs(end - start - width) < 1e-6, `${end - start} s, not ${width} s`);
  await page.keyboard.press("0");
});

await ok("a link shows its time, while the run grows and after a reload", async () => {
  const fragment = "#panel=profile&view=0.05,0.1";
  const linked = await open(server.address, fragment);

  for (let i = 0; i < 2; i++) {
    await waitForStates(linked, "zoomed", 6);
    assertSame(await stretch(linked), [0.05, 0.1], "view");
    await linked.reload();
  }
  await linked.context().close();
});

await ok("a paused view stays, and one that is resumed follows", async () => {
  await page.keyboard.press("l");
  assertSame(
    await page.getAttribute("[title^='Follow the end']", "aria-pressed"),
    "false",
    "pressed",
  );
  await writer.write("name paused", "steps 2");
  await waitForStates(page, "paused", 6);
  const before = await stretch(page);

  await writer.write("steps 2");
  await waitForStates(page, "paused", 12);
  assertSame(await stretch(page), before, "view");
  const { length } = page.faults;

  await page.reload();
  // What was being loaded is not any more.
  page.faults.length = length;
  await waitForStates(page, "paused", 12);
  assertSame(await stretch(page), before, "view after a reload");
  await page.focus(".row");
  await page.keyboard.press("l");
  await page.waitForFunction(
    (end) =>
      Number(new URLSearchParams(location.hash.slice(1)).get("view").split(",")[1]) > end,
    before[1],
  );
});

await ok("typed text and focus stay when rows appear, and the run grows", async () => {
  const search = page.getByLabel("Search rows: nodes, values, groups");

  await search.fill("alpha");
  await search.evaluate((input) => input.setSelectionRange(2, 2));
  await writer.write("rank", "name typed", "steps 1");
  await waitForRow(page, "t3");
  await waitForStates(page, "typed", 4);
  assertSame(
    await page.evaluate(() => [document.activeElement.value, document.activeElement.selectionStart]),
    ["alpha", 2],
    "input",
  );
  await page.keyboard.type("x");
  assertSame(await search.inputValue(), "alxpha", "text");
  await search.fill("");
});

await ok("relations appear, and are found", async () => {
  await writer.write("relation", "relation");
  await waitForRow(page, "r0");
  await writer.write("relation");
  await page.click("#tab-relations");
  await page.waitForFunction(
    () => document.querySelector("[data-panel=relations]").textContent.includes("request"),
  );
  await page.click("#tab-profile");
});

await ok("silence is said, and what follows it is shown", async () => {
  await waitForText(page, ".live", "no new data for");
  const other = await open(server.address, PROFILE);

  await writer.write("name late", "steps 1");
  await Promise.all([page, other].map((one) => waitForStates(one, "late", 4)));
  await other.context().close();
});

await ok("a killed writer is said", async () => {
  await writer.kill();
  await page.waitForSelector('.live[data-live="killed"]');
  await waitForText(page, ".live", "was killed or crashed");
});

await ok("numbers of what it left are those of hdtrace", async () => {
  hdtrace("merge", "-q", "run");
  await page.waitForFunction(
    () => document.querySelector(".progress")?.hidden && document.querySelector(".summary"),
  );
  const { states } = JSON.parse(hdtrace("report", "-q", "--format=json", "run"));

  for (const { name, count } of states) await waitForStates(page, name, count);
});

await ok("replaced files are said, and shown", async () => {
  const next = new Writer("run", { HDTRACE_OVERWRITE_EXISTING_FILES: "1" });

  await next.write("rank", "name second", "steps 5");
  await waitForText(page, ".files-note", "run_alpha_0.trc: overwritten");
  await waitForStates(page, "second", 5);
  await waitForText(page, ".live", "Live: the data ends");
  await next.close();
  await page.waitForSelector('.live[data-live="killed"], .live[data-live="ended"]');
});

// A page that asks a server that has ended has errors.
await page.context().close();
assertSame(await server.stop(), 0, "exit status");

await ok("a program that is killed while another one writes is named", async () => {
  const [first, second] = [new Writer("two"), new Writer("two")];

  await first.write("rank", "steps 4");
  await second.write("power 100");
  const both = await Server.start("two");
  const shown = await open(both.address, PROFILE);

  await waitForStates(shown, "compute", 4);
  await first.kill();
  await second.write("power 110");
  await waitForText(shown, ".files-note", "two_alpha_0.trc: its program was killed");
  assertSame(await shown.getAttribute(".live", "data-live"), "written", "state");
  await second.kill();
  await shown.waitForSelector('.live[data-live="killed"]');
  for (const name of ["two_alpha_0.trc", "two_alpha_Energy.stat"]) unlinkSync(name);
  await shown.waitForSelector('.live[data-live="gone"]');
  assertSame(shown.faults, [], "faults");
  await shown.context().close();
  await both.stop();
});

await ok("of statistics alone it is not known whether their program was killed", async () => {
  const values = new Writer("values");

  await values.write("power 100", "power 110");
  const alone = await Server.start("values");
  const shown = await open(alone.address);

  await values.kill();
  await shown.waitForSelector('.live[data-live="stopped"]');
  await shown.context().close();
  await alone.stop();
});

await ok("a page stays as large as it is when rows appear", async () => {
  const many = new Writer("many");

  await many.write("rank", "steps 1");
  const serving = await Server.start("many");
  const shown = await open(serving.address);
  const session = await shown.context().newCDPSession(shown);
  const nodes = async () => {
    await session.send("HeapProfiler.enable");
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Memory.getDOMCounters")).nodes;
  };

  for (let i = 1; i < 12; i++) {
    await many.write("rank", "steps 1");
    await waitForRow(shown, `t${i}`);
  }
  const grown = await nodes();

  await shown.reload();
  await waitForRow(shown, "t11");
  const fresh = await nodes();

  assert(grown < 2 * fresh, `${grown} nodes, ${fresh} after a reload`);
  assertSame(shown.faults, [], "faults");
  await many.kill();
  await shown.context().close();
  await serving.stop();
});

const packed = new Writer("packed", { HDTRACE_COMPRESS: "zstd" });

await packed.write("rank", "steps 20", "power 100");
const third = await Server.start("packed");
const live = async () => (await fetch(`${third.address}live`)).json();

await ok("a compressed project is followed", async () => {
  const compressed = await open(third.address, PROFILE);

  await waitForStates(compressed, "compute", 20);
  for (let i = 1; i <= 30; i++) {
    await packed.write("steps 10", `power ${100 + i}`);
    await waitForStates(compressed, "compute", 20 + 10 * i);
  }
  assertSame((await live()).events, [], "events");
  await packed.close();
  await compressed.waitForSelector('.live[data-live="ended"]');
  assertSame((await live()).events, [], "events after the end");
  await compressed.context().close();
});

await ok("files that were overwritten and are longer are named", async () => {
  const longer = new Writer("packed", {
    HDTRACE_COMPRESS: "",
    HDTRACE_OVERWRITE_EXISTING_FILES: "1",
  });

  await longer.write("rank", "steps 900");
  await longer.close();
  const again = new Writer("packed", {
    HDTRACE_COMPRESS: "",
    HDTRACE_OVERWRITE_EXISTING_FILES: "1",
  });

  await again.write("rank", "steps 3000");
  await again.close();
  const until = performance.now() + PATIENCE_MS;

  for (let isNamed = false; !isNamed; ) {
    const { events } = await live();

    assert(performance.now() < until, "no event");

    isNamed = events.some(({ text }) => /packed_alpha_0.*: (?:overwritten|replaced)$/.test(text));
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
});

await third.stop();

const clean = new Writer("clean");

await clean.write("rank", "steps 4");
const second = await Server.start("clean");
const other = await open(second.address, PROFILE);

await ok("a writer that ends is not called killed, and there is a report", async () => {
  await waitForStates(other, "compute", 4);
  await clean.write("steps 2");
  await waitForStates(other, "compute", 6);
  await clean.close();
  await other.waitForSelector('.live[data-live="ended"]');
  assert(!(await other.textContent(".live")).includes("killed"), "killed");
  await other.waitForFunction(() => document.querySelector(".progress").hidden);
});

await ok("pages have no errors", async () => {
  assertSame([...page.faults, ...other.faults], [], "faults");
});

await second.stop();
await browser.close();
done();
