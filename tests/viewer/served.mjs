// SPDX-License-Identifier: LGPL-2.1-or-later
// What hdtrace view serves, in the browser:
//
//     node served.mjs ADDRESS PROJECT PROCESS
//
// The process is that of hdtrace view; it is ended.
import {
  assert,
  assertQuiet,
  assertSame,
  compareWithStat,
  done,
  hdtrace,
  launch,
  ok,
  Viewer,
} from "./browser.mjs";

const [, , address, project, server] = process.argv;
const isOwn = (url) => url.startsWith(address);
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;

await ok("numbers of the run agree with hdtrace stat", async () => {
  compareWithStat(await viewer.interval(), project, []);
});

await ok("numbers of an interval agree", async () => {
  await viewer.mark("0.3", "1.75");
  compareWithStat(await viewer.interval(), project, [
    "--from=0.3",
    "--to=1.75",
  ]);
});

await ok("the server makes the table of states, as hdtrace report does", async () => {
  await viewer.panel("profile");
  const rows = await page.$$eval("#panel-profile tr[data-state]", (list) =>
    list.map((row) => [
      row.dataset.state,
      ...[...row.querySelectorAll("[data-value]")]
        .slice(0, 3)
        .map((cell) => Number(cell.dataset.value)),
    ]),
  );
  const { states } = JSON.parse(
    hdtrace("report", "-q", "--format=json", "--from=0.3", "--to=1.75", project),
  );

  assert(rows.length > 0, "no states are shown");
  assertSame(
    rows.sort(),
    states.map((row) => [row.name, row.count, row.own_s, row.total_s]).sort(),
  );
  assert(
    viewer.requests.some((url) => url.includes("/states?from=")),
    "the server was not asked",
  );
  await viewer.panel("interval");
});

await ok("the report appears after loading", async () => {
  const report = JSON.parse(
    hdtrace("report", "-q", "--format=json", "--phases=borders", project),
  );
  const joules = await page.$eval("[data-phase]", (e) => e.dataset.joules);

  assertSame(
    Number(joules),
    report.phases[report.most_power].energy.energy_j,
    "joules",
  );
});

await ok("entries are loaded for the visible range", async () => {
  await page.click("text=Zoom to it");
  await viewer.press("+", "+", "+", "+", "+", "+", "+", "+");
  assert(
    viewer.requests.some((url) => url.includes("/entries?")),
    "nothing was read",
  );
});

await ok("a link restores the view exactly", async () => {
  const second = await Viewer.open(browser, viewer.url);
  const look = async (of) => ({
    url: of.url,
    rows: await of.rows(),
    numbers: await of.interval(),
  });

  assertSame(await look(second), await look(viewer), "what is shown");
  assertQuiet(second, isOwn);
  await second.close();
});

await ok("the page asks only its server and logs no error", async () => {
  assertQuiet(viewer, isOwn);
});

await ok("pages of other origins get no data", async () => {
  const other = await browser.newPage();

  await other.goto("about:blank");
  const found = await other.evaluate(async (url) => {
    const ask = async (options) => {
      try {
        return await (await fetch(url, options)).text();
      } catch {
        return "";
      }
    };

    return [await ask({}), await ask({ mode: "no-cors" })];
  }, `${address}progress`);

  assertSame(found, ["", ""], "answers");
  await other.close();
});

await ok("loaded data stays when the server ends", async () => {
  process.kill(Number(server), "SIGTERM");
  await viewer.press("0");
  assertSame(await viewer.text("h1"), "run", "heading");
  assert((await viewer.interval()).length > 0, "no numbers");
});

await browser.close();
done();
