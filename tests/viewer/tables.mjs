// SPDX-License-Identifier: LGPL-2.1-or-later
// The tables and dialogs of a page, and what a link to it says:
//
//     node tables.mjs ADDRESS PROJECT
//
// The project is "drawn" (drawn-project.sh), with its phases; what its numbers are
// is what hdtrace dump, stat and report say.
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

const [, , address, project] = process.argv;
const { project: described, groups, traces } = JSON.parse(
  hdtrace("dump", "-q", "--format=json", "--time=relative", project),
);
const report = JSON.parse(
  hdtrace("report", "-q", "--format=json", "--phases=drawn.borders", project),
);
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;
const url = (fragment) => `${address}#${new URLSearchParams(fragment)}`;

/** What hdtrace stat says of an interval: a column of a value. */
function stat(value, column, from, to) {
  const { rows } = JSON.parse(
    hdtrace("stat", "-q", "--format=json", `--from=${from}`, `--to=${to}`,
      `--value=${value}`, project),
  );

  return rows.map((row) => row[column]);
}

const sum = (list) => list.reduce((a, b) => a + b, 0);

await ok("a named interval is a phase with energy", async () => {
  await viewer.open(address);
  await viewer.mark("0.5", "4.5");
  await page.click("text=Name it…");
  await page.fill("dialog[open] input", "mine, too");
  await page.keyboard.press("Enter");
  await viewer.settle();
  assertSame(viewer.parameters.getAll("name"), ["0.5,4.5,mine, too"], "name");
  const rows = () =>
    page.$$eval('#panel-profile [aria-label="Phases"] tbody tr', (list) =>
      list.map((row) => [
        row.children[0].textContent,
        Number(row.querySelector("[data-key=energy]").dataset.value),
      ]),
    );
  const wanted = [
    ...report.phases.map(({ name, energy }) => [name, energy.energy_j]),
    ["mine, too", sum(stat("P", "integral", 0.5, 4.5))],
  ];

  assertSame(await rows(), wanted, "phases");
  await page.click('#panel-profile button:text-is("solve")');
  await viewer.settle();
  assertSame(viewer.times("mark"), ["2", "5"], "what was clicked at");
  await page.click('#panel-profile button:text-is("remove")');
  await viewer.settle();
  assertSame(await rows(), wanted.slice(0, 3), "after it was removed");
});

/** Texts of the cells of a row of a table, by the titles of its columns. */
const cells = (selector, titles) =>
  page.$eval(
    selector,
    (row, list) => {
      const heads = [...row.closest("table").querySelectorAll("thead th")];

      return list.map(
        (title) =>
          row.children[heads.findIndex((head) => head.textContent === title)]
            .textContent,
      );
    },
    titles,
  );

// By hand, from drawn-project.sh: alpha draws 100, 200, 300 and 400 W for 1 s each,
// with a gap from 2 to 4 s; beta 50, 150 and 100 W for 2 s each.
await ok("energies show their known time", async () => {
  const headline = () => page.textContent("#panel-interval .headline");
  const alpha = '#panel-interval tr[data-key="s0.0"]';
  const state = (name) =>
    cells(`#panel-profile tr[data-state="${name}"]`, ["Energy", "Total energy"]);

  await viewer.open(url({ panel: "interval" }));
  assert(
    (await headline()).endsWith(
      "≥ 1.6 kJ in all nodes, 350 W on average; the power of a node is known for 66.6 % of the time",
    ),
    `whole run: ${await headline()}`,
  );
  const card = await page.textContent(".card[data-joules]");

  assert(card.startsWith("Energy≥ 1.6 kJ350 W on average"), `card: ${card}`);
  await viewer.mark("2", "5");
  assert(
    (await headline()).endsWith(
      "≥ 700 J in all nodes; the power of a node is known for 33.3 % of the time",
    ),
    `a third: ${await headline()}`,
  );
  assertSame(
    await cells(alpha, ["Mean", "Integral"]),
    ["unknown", "≥ 300"],
    "a value of which a third is known",
  );
  await viewer.mark("3", "5");
  assertSame(
    await cells(alpha, ["Mean", "Integral"]),
    ["300", "≥ 300"],
    "a value of which half is known",
  );
  await viewer.mark("2", "4");
  assertSame(
    await cells(alpha, ["Mean", "Integral"]),
    ["unknown", "unknown"],
    "a value of which nothing is known",
  );
  await viewer.open(url({ panel: "profile", mark: "2,5" }));
  await page.selectOption("#panel-profile select", { label: "alpha_0" });
  await viewer.settle();
  assertSame(await state("Solve"), ["≥ 150 J", "≥ 300 J"], "Solve");
  assertSame(await state("Barrier"), ["150 J", "150 J"], "Barrier");
  assertSame(await state("Send"), ["unknown", "unknown"], "Send");
});

await ok("states of a single trace are listed", async () => {
  await viewer.open(url({ panel: "profile" }));
  await page.selectOption("#panel-profile select", { label: "alpha_0" });
  await viewer.settle();
  const shown = await page.$$eval("#panel-profile tr[data-state]", (rows) =>
    rows.map((row) => [
      row.dataset.state,
      ...[...row.querySelectorAll("[data-value]")]
        .slice(0, 3)
        .map((e) => Number(e.dataset.value)),
    ]),
  );
  const states = traces[0].records.filter(({ kind }) => kind === "state");
  const length = ({ start, end }) => end - start;
  const totals = new Map();

  for (const state of states) {
    const inside = states.filter(
      (other) =>
        other.depth === state.depth + 1 &&
        other.start >= state.start &&
        other.end <= state.end,
    );
    const [count, own, total] = totals.get(state.name) ?? [0, 0, 0];

    totals.set(state.name, [
      count + 1,
      own + length(state) - sum(inside.map(length)),
      total + length(state),
    ]);
  }
  assertSame(new Map(shown.map(([name]) => [name])).size, totals.size, "states");
  for (const [name, ...numbers] of shown)
    assertSame(numbers, totals.get(name), name);
});

await ok("the histogram shows the time at each value", async () => {
  await viewer.open(url({ panel: "histogram", mark: "0.5,4.25" }));
  await page.selectOption("#panel-histogram select", { label: "P – alpha" });
  await viewer.settle();
  const shown = await page.$$eval("#panel-histogram tbody tr", (rows) =>
    rows.map((row) => [
      ...row.children[0].textContent.split(" to ").map(Number),
      Number(row.querySelector("[data-value]").dataset.value),
      row.children[2].textContent,
    ]),
  );
  const pieces = groups[0].entries
    .map(({ start, end, values }) => [
      values[0],
      Math.min(end, 4.25) - Math.max(start, 0.5),
    ])
    .filter(([, seconds]) => seconds > 0);
  const all = sum(pieces.map(([, seconds]) => seconds));

  assertSame(shown.length, pieces.length, "ranges");
  pieces.forEach(([value, seconds], i) => {
    const [from, to, ns, share] = shown[i];

    assert(from <= value && value < to, `${value} in ${from} to ${to}`);
    assert(Math.abs(ns - seconds) < 1e-9, `time of ${value}: ${ns} s`);
    assertSame(Number.parseInt(share, 10), Math.round((seconds / all) * 100), "share");
  });
  // 0.5 s of 100, 1 s of 200, 0.25 s of 300.
  const note = await viewer.text("#panel-histogram .note");

  assert(note.startsWith("Median 200 W; quartiles 100"), note);
});

await ok("values of expressions are exact", async () => {
  await viewer.open(
    url({ define: JSON.stringify(["Sum", "W", "sum(P)"]), mark: "0.5,4.5" }),
  );
  const own = async (name) => {
    await viewer.panel("interval");
    return (await viewer.interval()).find((row) => row.value === name);
  };

  assertSame(
    Number((await own("Sum")).integral),
    sum(stat("P", "integral", 0.5, 4.5)),
    "integral",
  );
  // Of single nodes, where one has both.
  await viewer.panel("values");
  const inputs = page.locator("#panel-values form input");

  await inputs.nth(0).fill("Each");
  await inputs.nth(1).fill("P / CPU_TOTAL");
  await page.click("#panel-values button[type=submit]");
  await viewer.settle();
  await viewer.mark("0", "3");
  const each = await own("Each");

  // 100 / 25 and 200 / 25 for a second each; then there is no power.
  assertSame([each.node, each.min, each.max, each.mean], ["alpha", "4", "8", "6"], "");
  await viewer.panel("values");
  await page.click('#panel-values tr:has-text("Each") button');
  await viewer.settle();
  assertSame(await own("Each"), undefined, "after it was removed");
});

await ok("saved numbers agree with hdtrace stat", async () => {
  for (const [fragment, options] of [
    [{}, []],
    [{ mark: "0.5,4.5" }, ["--from=0.5", "--to=4.5"]],
  ]) {
    await viewer.open(url(fragment));
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click('button[title="Save the numbers as CSV"]'),
    ]);
    const parse = (text) => {
      const [head, ...lines] = text.trim().split("\n").map((l) => l.split(","));

      return lines.map((cells) =>
        Object.fromEntries(head.map((name, i) => [name, cells[i]])),
      );
    };
    const mine = parse(readFileSync(await download.path(), "utf8"));
    const theirs = parse(
      hdtrace("stat", "-q", "--format=csv", ...options, project),
    );
    // What is the same may be written differently; times have too many digits
    // for a number.
    const plain = (text, key) =>
      key === "start" || key === "end"
        ? text.replace(/(\.\d*?)0*$/, "$1").replace(/\.$/, "")
        : text === "" || Number.isNaN(Number(text))
          ? text
          : Number(text);

    assertSame(mine.length, theirs.length, "rows");
    for (const row of mine) {
      const other = theirs.find(
        ({ node, value }) => node === row.node && value === row.value,
      );

      for (const key of Object.keys(row))
        assertSame(
          plain(row[key], key),
          plain(other[key], key),
          `${key} of ${row.node} ${row.value}`,
        );
    }
  }
});

await ok("values and nodes can be selected and reset", async () => {
  await viewer.open(address);
  const all = await viewer.rows();
  const boxes = (text) => page.locator("dialog[open] label", { hasText: text });
  const hidden = async () => {
    const rows = await viewer.rows();

    return all.filter((key) => !rows.includes(key) && !key.startsWith("n"));
  };

  await page.click("button.rows-button");
  await boxes("beta (Host)").click();
  await viewer.settle();
  assertSame(await hidden(), ["s2.0", "t1", "t2"], "beta");
  await boxes("P (W)").locator("input").focus();
  await viewer.press("Space");
  assertSame(await hidden(), ["t1", "t2"], "P is shown again, at all nodes");
  await viewer.press("Space");
  assertSame(await hidden(), ["s0.0", "s2.0", "t1", "t2"], "by the same key");
  await boxes("States of all traces").click();
  await viewer.settle();
  assertSame(await hidden(), ["s0.0", "s2.0"], "states are shown again");
  await page.fill("dialog[open] input[type=search]", "alp");
  assertSame(await boxes("beta").count(), 0, "beta when alpha is looked for");
  await page.click("dialog[open] >> text=Defaults");
  await viewer.settle();
  assertSame(await viewer.rows(), all, "as at first");
});

await ok("a click on a problem shows its place", async () => {
  await viewer.open(url({ panel: "problems" }));
  const gap = report.groups.flatMap((group) => group.gaps.list)[0];

  await page.click("#panel-problems tbody button");
  await viewer.settle();
  const [from, to] = viewer.times("mark").map(Number);

  assertSame(
    [from, to],
    [Number(gap.start_s) - 1e9, Number(gap.end_s) - 1e9],
    "the gap is marked",
  );
  const [start, span] = viewer.stretch();

  assert(start < from && start + span > to, `${start}, ${span}`);
});

await ok("keys change tabs and the height of tables", async () => {
  await viewer.open(address);
  await page.focus("#tab-findings");
  await viewer.press("ArrowLeft");
  assertSame(viewer.parameters.get("panel"), "about", "panel");
  const about = await viewer.text("#panel-about dl");

  assert(about.includes(described.description), about);
  assert(about.includes("Traces3") && about.includes("Messages2"), about);
  // Texts for those who do not see it must not make the page longer, either.
  assertSame(
    await page.evaluate(() => document.documentElement.scrollHeight),
    page.viewportSize().height,
    "length of the page",
  );
  const height = () => page.$eval(".panels", (e) => e.clientHeight);
  const before = await height();

  await page.focus("[role=separator]");
  await viewer.press("ArrowUp");
  assertSame((await height()) - before, 24, "higher");
  await viewer.press("ArrowDown", "ArrowDown");
  assertSame((await height()) - before, -24, "lower");
});

await ok("a link restores the view to the pixel", async () => {
  const fragment = {
    view: "0.25,4.75",
    mark: "1,2.5",
    bars: "s0.0",
    hide: "t2",
    off: "Send",
    fold: "3",
    name: "0.5,1.5,first part",
    define: JSON.stringify(["Sum", "W", "sum(P)"]),
    range: JSON.stringify(["CPU", 0, 50]),
    scale: "own",
    zero: "yes",
    fit: "view",
    arrows: "no",
    panel: "profile",
  };
  const look = async (of) => {
    await of.page.mouse.move(2, 2);
    await of.settle();
    return (await of.page.screenshot()).toString("base64");
  };

  await viewer.open(url(fragment));
  const first = await look(viewer);

  for (const [name, value] of Object.entries(fragment))
    assertSame(viewer.parameters.get(name), value, name);
  const second = await Viewer.open(browser, viewer.url);

  assert((await look(second)) === first, "the pictures differ");
  await second.close();
  // Each of them makes a difference.
  for (const name of Object.keys(fragment)) {
    const { [name]: left, ...others } = fragment;

    await viewer.open(url(others));
    assert((await look(viewer)) !== first, `${name}=${left} changes nothing`);
  }
});

await ok("the page sends no request and logs no error", async () => {
  assertQuiet(viewer, (asked) =>
    ["about:blank", address].includes(asked.split("#")[0]),
  );
});

await browser.close();
done();
