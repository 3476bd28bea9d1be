// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the power of all nodes in a page is that of all entries:
//
//     node total.mjs HDTRACE PAGE PROJECT
//
// Its maximum, and that and the mean of each step, by what hdtrace dump says of
// the value P of every node.
import { execFileSync } from "node:child_process";
import { parseSeconds } from "../../HDTraceTools/viewer/src/data/time.js";
import { openPage } from "./page.mjs";

const [, , hdtrace, page, project] = process.argv;
const text = execFileSync(
  hdtrace,
  ["dump", "-q", "--format=json", "--only=stats", "--value=P", project],
  { encoding: "utf8", maxBuffer: 1 << 28 },
);
// Times have more digits than numbers do.
const { groups } = JSON.parse(
  text.replace(/("(?:start|end)": )(-?[\d.]+)/g, '$1"$2"'),
);
const { model } = await openPage(page);
const { track } = model.total;
const level = track.levels[0];
const [chunk] = level.chunks;
const data = await track.load(level, chunk, 0);
const base = chunk.start;
let failures = 0;

function fail(what) {
  failures++;
  if (failures <= 20) console.log(what);
}

/** Entries of each node, as times from the base and values. */
const nodes = groups.map(({ entries }) =>
  entries.map(({ start, end, values }) => ({
    start: Number(parseSeconds(start) - base),
    end: Number(parseSeconds(end) - base),
    value: typeof values[0] === "number" ? values[0] : NaN,
  })),
);
const borders = Float64Array.from([
  ...new Set(nodes.flat().flatMap(({ start, end }) => [start, end])),
  ...data.means.map((_, i) => i * level.width),
  data.means.length * level.width,
]).sort();
const at = nodes.map(() => 0);
const bins = Array.from(data.means, () => ({ max: NaN, joules: 0, known: 0 }));
let max = -Infinity;

for (let i = 1; i < borders.length; i++) {
  const [start, end] = [borders[i - 1], borders[i]];
  const values = nodes
    .map((entries, n) => {
      while (at[n] < entries.length && entries[at[n]].end <= start) at[n]++;
      const entry = entries[at[n]];

      return entry && entry.start <= start ? entry.value : NaN;
    })
    .filter((value) => !Number.isNaN(value));
  const bin = bins[Math.floor(start / level.width)];

  if (end <= start || !values.length || !bin) continue;
  const sum = values.reduce((a, b) => a + b, 0);

  max = Math.max(max, sum);
  if (!(sum <= bin.max)) bin.max = sum;
  bin.joules += sum * (end - start);
  bin.known += end - start;
}
const mean = Math.max(...bins.map(({ joules, known }) => joules / known || 0));

if (Math.abs(data.max - max) > 1e-9 * max)
  fail(`the maximum is ${data.max}, not ${max}`);
if (!(mean < max * 0.999)) fail("the means of steps have the maximum, too");
bins.forEach((bin, i) => {
  const wanted = [bin.max, bin.joules / bin.known];

  [data.maxima[i], data.means[i]].forEach((found, k) => {
    const isSame =
      Math.abs(found - wanted[k]) <= max / 65534 ||
      (Number.isNaN(found) && Number.isNaN(wanted[k]));

    if (!isSame) fail(`step ${i}: ${found}, not ${wanted[k]}`);
  });
});
console.log(
  `${bins.length} steps, at most ${max} W, means at most ${mean} W, ${failures} wrong`,
);
process.exit(failures || !bins.length ? 1 : 0);
