// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether what a page draws of counters and deltas are their rates, at any zoom:
//
//     node levels.mjs HDTRACE PAGE PROJECT
//
// Of every item the lowest, the highest and the mean rate, by what hdtrace dump
// says of its entries. The project has one group.
import { execFileSync } from "node:child_process";
import { parseSeconds } from "../../HDTraceTools/viewer/src/data/time.js";
import { openPage } from "./page.mjs";

const [, , hdtrace, page, project] = process.argv;
/** What amounts a second are multiplied with to be in the unit of the rate. */
const FACTORS = { Wh: 3600 };
let failures = 0;
let compared = 0;

function fail(text) {
  failures++;
  if (failures <= 20) console.log(text);
}

function readEntries() {
  const text = execFileSync(
    hdtrace,
    ["dump", "-q", "--format=json", "--only=stats", project],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );

  // Times, and large integers, have more digits than numbers do.
  return JSON.parse(
    text
      .replace(/("(?:start|end)": )(-?[\d.]+)/g, '$1"$2"')
      .replace(/(?<=[[ ])(-?\d{16,})(?=[,\]])/g, '"#$1"'),
    (key, value) =>
      typeof value === "string" && value.startsWith("#")
        ? BigInt(value.slice(1))
        : value,
  ).groups[0].entries;
}

const lengths = [];
const entries = readEntries();

for (const { start, end } of entries)
  lengths.push(Number(parseSeconds(end) - parseSeconds(start)));

/** What each entry amounts to; NaN is not known. */
function amountsOf(column, isCounter) {
  const read = (entry) => {
    const value = entry.values[column];

    return ["number", "bigint"].includes(typeof value) ? value : NaN;
  };
  const grown = (to, from) =>
    typeof to === typeof from ? Number(to - from) : Number(to) - Number(from);

  if (!isCounter) return entries.map((entry) => Number(read(entry)));
  return entries.map((entry, i) => {
    const to = read(entry);
    const growth = i && !entry.gap ? grown(to, read(entries[i - 1])) : NaN;

    return growth < 0 ? Number(to) : growth;
  });
}

function isSame(mine, theirs) {
  if (Number.isNaN(theirs)) return Number.isNaN(mine);
  return Math.abs(mine - theirs) <= 1e-6 * Math.abs(theirs);
}

function compareItem(found, amounts, first, last, factor, where) {
  const rates = [];
  let total = 0;
  let known = 0;

  for (let i = first; i < last; i++) {
    if (Number.isNaN(amounts[i])) continue;
    total += amounts[i];
    known += lengths[i];
    if (lengths[i] > 0) rates.push((amounts[i] * factor) / (lengths[i] / 1e9));
  }
  compared++;
  if (!rates.length && known === 0 && first + 1 < last) return;
  const wanted = {
    min: rates.length ? Math.min(...rates) : NaN,
    max: rates.length ? Math.max(...rates) : NaN,
    mean: known > 0 ? (total * factor) / (known / 1e9) : NaN,
  };

  for (const key of ["min", "max", "mean"])
    if (!isSame(found[key], wanted[key]))
      fail(`${where}: ${key} ${found[key]}, not ${wanted[key]}`);
}

const { model } = await openPage(page);

for (const series of model.groups[0].series) {
  const { name, kind, unit, rate } = series.value;

  if (kind === "gauge") continue;
  const amounts = amountsOf(series.column, kind === "counter");
  const wantedUnit = { J: "W", kJ: "kW", Wh: "W", "": "1/s" }[unit] ?? `${unit}/s`;

  if (rate.unit !== wantedUnit) fail(`${name}: ${rate.unit}, not ${wantedUnit}`);
  for (const level of series.track.levels)
    for (const chunk of level.chunks) {
      const times = await series.track.load(level, chunk, 0);
      const values = await series.track.load(level, chunk, series.column + 1);
      const levels = series.levelsOf(level, times, values);

      for (let i = 0; i < chunk.count; i++) {
        const first = times.firsts?.[i] ?? chunk.first + i;
        const last = times.firsts?.[i + 1] ?? first + 1;

        compareItem(
          { min: levels.min[i], max: levels.max[i], mean: levels.mean[i] },
          amounts,
          first,
          last,
          FACTORS[unit] ?? 1,
          `${name}, zoom ${level.number}, entries ${first} to ${last}`,
        );
      }
    }
}
console.log(`${compared} compared, ${failures} wrong`);
process.exit(failures || !compared ? 1 : 0);
