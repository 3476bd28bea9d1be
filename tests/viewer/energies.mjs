// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the energies of states in a page are those of hdtrace stat --regions:
//
//     node energies.mjs HDTRACE PAGE PROJECT [INTERVALS]
//
// For the whole run and for intervals by chance: within 0.1 %, and of a page that
// was reduced as close as it says. Now and then of all traces, else of one. The
// own energies are compared by what must be true of them: those of all states
// are the energy of the outermost ones, and a state that has no others in it has
// only its own. And no interval loads more than the levels at its two ends.
// HDTRACE_TEST_SEED repeats the intervals.
import { execFileSync } from "node:child_process";
import { stateProfile } from "../../HDTraceTools/viewer/src/data/energy/energy.js";
import { formatSeconds } from "../../HDTraceTools/viewer/src/data/time.js";
import { openPage } from "./page.mjs";

const [, , hdtrace, page, project, count = "100"] = process.argv;
const seed = Number(process.env.HDTRACE_TEST_SEED ?? Date.now() % 1e9);
/** What make-project writes: the outermost states, and those with none in them. */
const OUTERMOST = ["Load", "Solve", "Write"];
const INNERMOST = ["Kernel", "Send", "Recv", "Wait", "Waitall", "Allreduce"];
const CLOSE = 1e-3;
/** Parts that one end of an interval may need of a trace, or of its power. */
const PARTS_MAX = 64;
let state = seed;
let failures = 0;
let compared = 0;
let estimated = 0;
let farthest = 0;

/** Chance from 0 to 1 (mulberry32). */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);

  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

function fail(text) {
  failures++;
  if (failures <= 20) console.log(text);
}

function readRegions(options) {
  const text = execFileSync(
    hdtrace,
    ["stat", "-q", "--format=json", "--regions=*", ...options, project],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );

  return JSON.parse(text).regions;
}

/** Compare numbers: within 0.1 %, and how far off mine says that it can be. */
function compare(mine, theirs, error, where) {
  const off = Math.abs(mine - theirs);

  compared++;
  if (error > 0) estimated++;
  else if (theirs > 0) farthest = Math.max(farthest, off / theirs);
  if (!(off <= CLOSE * Math.abs(theirs) + error + 1e-9))
    fail(`${where}: ${mine} ± ${error}, not ${theirs}`);
}

function compareOwn(profile, where) {
  const entries = [...profile.names.values()];
  const sum = (list, kind) =>
    list.reduce((joules, entry) => joules + entry[kind].joules, 0);
  const error = sum(
    entries.map((e) => ({ e: { joules: e.ownEnergy.error + e.totalEnergy.error } })),
    "e",
  );

  compare(
    sum(entries, "ownEnergy"),
    sum(
      entries.filter((entry) => OUTERMOST.includes(entry.name)),
      "totalEnergy",
    ),
    error,
    `${where}: own energy of all`,
  );
  for (const { name, ownEnergy, totalEnergy } of entries)
    if (INNERMOST.includes(name))
      compare(
        ownEnergy.joules,
        totalEnergy.joules,
        ownEnergy.error,
        `${where}: own energy of ${name}`,
      );
}

async function compareEnergies(model, from, to, trace, options) {
  const path = trace ? trace.node.path : null;
  const rows = readRegions([
    ...options,
    ...(trace ? [`--node=${path}`] : []),
  ]).filter((row) => row.node === path && row.value === "P");
  const where = `${options.join(" ")} ${path ?? "all traces"}`;
  const before = model.source.parts;
  const profile = await stateProfile(
    model,
    from,
    to,
    trace && new Set([trace.number]),
  );
  const parts = model.source.parts - before;
  const traces = trace ? 1 : model.traces.length;

  if (!rows.length) fail(`${where}: hdtrace stat says nothing`);
  if (parts > PARTS_MAX * 2 * (traces + 1))
    fail(`${where}: ${parts} parts were loaded`);
  for (const row of rows) {
    const mine = profile.names.get(row.region);
    const name = `${where} ${row.region}`;

    if (!mine) {
      fail(`${name}: not in the page`);
      continue;
    }
    const { joules, known, error } = mine.totalEnergy;

    compare(joules, row.energy, error, `${name}: energy`);
    if (profile.isExact)
      compare(known / 1e9, row.known_s, 0, `${name}: known time`);
  }
  compareOwn(profile, where);
}

/** An interval by chance: as long as the run, or much shorter. */
function makeInterval(model) {
  const span = Number(model.end - model.start);
  const length = span * 10 ** (-4 * random());
  const start = (span - length) * random();

  return [
    model.start + BigInt(Math.round(start)),
    model.start + BigInt(Math.round(start + length)),
  ];
}

/** Count what is read. */
function countParts(source) {
  const read = source.read.bind(source);

  source.parts = 0;
  source.read = (...args) => {
    source.parts++;
    return read(...args);
  };
}

const { model } = await openPage(page);

countParts(model.source);
await compareEnergies(model, model.start - 1n, model.end, null, []);
for (let i = 1; i <= Number(count); i++) {
  const [from, to] = makeInterval(model);
  const isAll = i % 10 === 0;
  const trace = model.traces[Math.floor(random() * model.traces.length)];

  await compareEnergies(model, from, to, isAll ? null : trace, [
    `--from=${formatSeconds(from - model.origin)}`,
    `--to=${formatSeconds(to - model.origin)}`,
  ]);
}
console.log(
  `seed ${seed}: ${compared} compared, ${estimated} of them estimates, others at most ${farthest.toExponential(1)} off; ${model.source.parts} parts read, ${failures} wrong`,
);
process.exit(failures || !compared ? 1 : 0);
