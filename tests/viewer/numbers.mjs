// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the numbers of a page are those of hdtrace stat:
//
//     node numbers.mjs HDTRACE PAGE PROJECT [INTERVALS]
//
// For the whole run and for intervals by chance, borders of entries among them:
// every number that hdtrace stat prints of every value, and no other, how much is
// known, and times of states. Of a page that was reduced, that the numbers are as
// close as it says. HDTRACE_TEST_SEED repeats the intervals.
import { execFileSync } from "node:child_process";
import { resultsOf } from "../../HDTraceTools/viewer/src/data/series/results.js";
import { formatSeconds } from "../../HDTraceTools/viewer/src/data/time.js";
import { openPage } from "./page.mjs";

const [, , hdtrace, page, project, count = "12"] = process.argv;
const seed = Number(process.env.HDTRACE_TEST_SEED ?? Date.now() % 1e9);
let state = seed;
let failures = 0;
let compared = 0;
let reduced = 0;
const kinds = new Set();

/** Chance from 0 to 1 (mulberry32). */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);

  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

function run(...args) {
  try {
    return execFileSync(hdtrace, args, {
      encoding: "utf8",
      maxBuffer: 1 << 30,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    // 1 means that the data has problems.
    if (error.status === 1) return error.stdout;
    throw error;
  }
}

/** JSON whose long integers are BigInt, since numbers would round them. */
function parseExact(text) {
  const marked = text.replace(
    /("(?:min|max|sum|total)": )(-?\d{16,})(?=[,} ])/g,
    '$1"#$2"',
  );

  return JSON.parse(marked, (key, value) =>
    typeof value === "string" && /^#-?\d+$/.test(value)
      ? BigInt(value.slice(1))
      : value,
  );
}

function fail(text) {
  failures++;
  if (failures <= 20) console.log(text);
}

/** Whether a result is there: what has no meaning, or is not known, is none. */
const isThere = (mine) => mine !== undefined && !Number.isNaN(mine);

/** Whether numbers are the same but for rounding. */
function isSame(mine, theirs, scale) {
  if (theirs === null || !isThere(mine)) return theirs === null && !isThere(mine);
  if (mine === theirs) return true;
  if (typeof theirs === "bigint" && typeof mine === "bigint") return false;
  const a = Number(mine);
  const b = Number(theirs);

  if (Number.isNaN(a) || Number.isNaN(b)) return false;
  if (!Number.isFinite(b)) return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(scale, Math.abs(b), 1e-300);
}

/** Whether a reduced number is as close as it says; it may be there, or not, if it
 *  is in doubt whether enough is known. */
function isClose(mine, theirs, error, isInDoubt) {
  if (theirs === null || !isThere(mine))
    return isInDoubt || (theirs === null && !isThere(mine));
  const slack =
    1e-9 * Math.max(Math.abs(Number(theirs)), Math.abs(Number(mine)), 1e-300);

  return Math.abs(Number(mine) - Number(theirs)) <= error + slack;
}

/** The columns of hdtrace stat, and what they are called here. */
const COLUMNS = [
  ["mean", "mean"],
  ["min", "min"],
  ["max", "max"],
  ["stddev", "deviation"],
  ["sum", "sum"],
  ["integral", "integral"],
  ["total", "total"],
  ["rate", "rate"],
  ["rate_min", "rateMin"],
  ["rate_max", "rateMax"],
  ["resets", "resets"],
];

/** Numbers that say by how much they can be off. */
const WITH_ERRORS = new Set(
  ["mean", "min", "max", "integral", "total", "rate", "rate_min", "rate_max"],
);

/** What stands beside the numbers. */
function compareTexts({ value }, row, where) {
  const isAmount = row.kind !== "gauge";
  const texts = [
    [row.kind, value.kind],
    [row.kind_guessed, value.kindGuessed],
    [row.integral_unit, isAmount ? null : value.integral],
    [row.total_unit, isAmount ? value.unit : null],
    [row.rate_unit, value.rate?.unit ?? null],
  ];

  kinds.add(row.kind);
  for (const [theirs, mine] of texts)
    if ((theirs ?? null) !== mine) fail(`${where}: ${mine}, not ${theirs}`);
}

/** Compare numbers of a page that was reduced. */
function compareReduced(results, error, row, length, where) {
  const off = Math.abs(results.known.share - 0.5);
  const isInDoubt = off <= error.weight / length + 1e-9;

  for (const [theirs, mine] of COLUMNS)
    if (
      WITH_ERRORS.has(theirs) &&
      !isClose(results[mine], row[theirs], error[mine], isInDoubt)
    )
      fail(
        `${where} ${theirs}: ${results[mine]} ± ${error[mine]}, not ${row[theirs]}`,
      );
}

async function compareRow(model, series, row, from, to, where) {
  const moments = await series.moments(from, to);
  const length = model.lengthOf(from, to);
  const results = resultsOf(series, moments, length);
  const scale = Math.max(
    Math.abs(Number(results.min ?? 0)),
    Math.abs(Number(results.max ?? 0)),
  );

  compared++;
  compareTexts(series, row, where);
  if (!isSame(length / 1e9, row.duration_s, 0))
    fail(`${where}: in ${length / 1e9} s, not ${row.duration_s}`);
  if (moments.error) {
    reduced++;
    compareReduced(results, moments.error, row, length, where);
    return;
  }
  for (const [theirs, mine] of COLUMNS)
    if (!isSame(results[mine], row[theirs], theirs === "stddev" ? scale : 0))
      fail(`${where} ${theirs}: ${results[mine]}, not ${row[theirs]}`);
  if (!isSame(moments.weight / 1e9, row.known_s, 0))
    fail(`${where}: known for ${moments.weight / 1e9} s, not ${row.known_s}`);
  if (moments.entries !== row.count || moments.missing !== row.nan)
    fail(
      `${where}: ${moments.entries} entries and ${moments.missing} without a value, not ${row.count} and ${row.nan}`,
    );
}

async function compareValues(model, from, to, options) {
  const rows = parseExact(
    run("stat", "-q", "--format=json", ...options, project),
  ).rows;
  const found = new Map(
    rows.map((row) => [JSON.stringify([row.node, row.group, row.value]), row]),
  );

  for (const group of model.groups)
    for (const series of group.series) {
      const key = [group.node.path, group.name, series.value.name];
      const row = found.get(JSON.stringify(key));

      if (series.isText || !row) continue;
      await compareRow(model, series, row, from, to, `${options.join(" ")} ${key}`);
    }
}

/** What hdtrace stat says of states; it fails if there are none. */
function readRegions(options) {
  try {
    return JSON.parse(
      run("stat", "-q", "--format=json", "--regions=*", ...options, project),
    ).regions;
  } catch (error) {
    if (error.status === 2) return [];
    throw error;
  }
}

/** Times of states, by those of hdtrace stat --regions for each trace. */
async function compareStates(model, from, to, options) {
  // It speaks of the energy of states: without power it says nothing.
  if (!model.groups.some((group) => group.values.some((v) => v.isPower))) return;
  const rows = readRegions(options);
  const measure = rows[0] && [rows[0].group, rows[0].value];

  for (const trace of model.traces) {
    const profile = await trace.states.profile(from, to);
    const theirs = rows.filter(
      (row) =>
        row.node === trace.node.path &&
        row.group === measure[0] &&
        row.value === measure[1],
    );

    for (const row of theirs) {
      const mine = profile.names.get(row.region);
      const where = `${options.join(" ")} ${row.node} ${row.region}`;

      compared++;
      if (!mine) fail(`${where}: not in the page`);
      else compareState(mine, row, profile.isExact, where);
    }
  }
}

/** A state inside of one of the same name is counted in a page, but its time is
 *  not. */
function compareState(mine, row, isExact, where) {
  const time = mine.total / 1e9;
  const error = mine.error / 1e9 + 1e-8;

  if (!isExact) reduced++;
  if (Math.abs(time - row.duration_s) > error)
    fail(`${where}: ${time} s ± ${error}, not ${row.duration_s}`);
  if (isExact && mine.count < row.count)
    fail(`${where}: ${mine.count} times, not ${row.count}`);
}

/** An interval by chance; some begin or end with an entry. */
async function makeInterval(model) {
  const span = model.end - model.start;
  const pick = async () => {
    const group = model.groups[Math.floor(random() * model.groups.length)];
    const level = group?.track.finest;

    if (!level?.chunks.length || random() < 0.5)
      return model.start + (span * BigInt(Math.floor(random() * 1e6))) / 1000000n;
    const chunk = level.chunks[Math.floor(random() * level.chunks.length)];
    const times = await group.track.load(level, chunk, 0);

    return times.base + BigInt(times.ends[Math.floor(random() * times.ends.length)]);
  };
  const [a, b] = [await pick(), await pick()];

  return a < b ? [a, b] : [b, a + 1n];
}

const { model } = await openPage(page);

await compareValues(model, model.start - 1n, model.end, []);
await compareStates(model, model.start - 1n, model.end, []);
for (let i = 0; i < Number(count); i++) {
  const [from, to] = await makeInterval(model);
  const options = [
    `--from=${formatSeconds(from - model.origin)}`,
    `--to=${formatSeconds(to - model.origin)}`,
  ];

  await compareValues(model, from, to, options);
  await compareStates(model, from, to, options);
}
console.log(
  `seed ${seed}: ${compared} compared, ${reduced} of them reduced, ${failures} wrong; ${[...kinds].sort().join(" ")}`,
);
process.exit(failures || !compared ? 1 : 0);
