// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes a group of counters, deltas and gauges of all types, by chance:
//
//     node kinds-project.mjs FILE ENTRIES SEED
//
// Counters grow, go back, and have no value now and then; there are gaps, and
// entries that last no time. Two kinds are left to be guessed.
import { writeFileSync } from "node:fs";

const [, , file, count, seed] = process.argv;
const NS = 1_000_000_000n;
const VALUES = [
  ["C", "INT64", "B", "counter"],
  ["TOP", "UINT64", "", "counter"],
  ["SHORT", "INT32", "packets", "counter"],
  ["WORK", "DOUBLE", "kJ", "counter"],
  ["EP", "FLOAT", "Wh", null],
  ["D", "INT64", "B", "delta"],
  ["LOSS", "INT32", "", "delta"],
  ["E", "DOUBLE", "J", null],
  ["P", "FLOAT", "W", "gauge"],
  ["N", "UINT64", "B", "gauge"],
];
const SIZES = { INT32: 4, INT64: 8, UINT64: 8, FLOAT: 4, DOUBLE: 8 };
let state = Number(seed);

/** Chance from 0 to 1 (mulberry32). */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);

  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

const below = (limit) => Math.floor(random() * limit);
const isRare = (share) => random() < share;

function header() {
  const text = [
    "<Statistics>",
    '<TopologyNode>\n  <Label value="n" />\n</TopologyNode>',
    '<Group name="K" timestampDatatype="EPOCH" timeAdjustment="-0000000000.000000000">',
    ...VALUES.map(
      ([name, type, unit, kind]) =>
        `  <Value name="${name}" type="${type}" unit="${unit}"${kind ? ` kind="${kind}"` : ""} />`,
    ),
    "</Group>\n</Statistics>\n",
  ].join("\n");

  return Buffer.from(`${String(text.length).padStart(5, "0")}\n${text}`);
}

function stamp(time) {
  const bytes = Buffer.alloc(8);

  bytes.writeUInt32BE(Number(time / NS), 0);
  bytes.writeUInt32BE(Number(time % NS), 4);
  return bytes;
}

/** Readings of counters. */
const readings = { C: 1000n, TOP: 1n << 63n, SHORT: 7, WORK: 500, EP: 0.5 };

function count64(name, limit) {
  readings[name] = isRare(0.001)
    ? BigInt(below(50))
    : readings[name] + BigInt(below(limit));
  return readings[name];
}

function count32(name, growth) {
  readings[name] = isRare(0.001) || readings[name] > 2e9 ? 3 : readings[name] + growth;
  return isRare(0.02) ? NaN : readings[name];
}

function numbersOfEntry() {
  return [
    count64("C", 2 ** 48),
    count64("TOP", 2 ** 30),
    Math.trunc(count32("SHORT", below(1e5)) || readings.SHORT),
    count32("WORK", below(4000) / 4),
    count32("EP", below(64) / 64),
    BigInt(below(2 ** 53)) * 1000n,
    below(2001) - 1000,
    isRare(0.02) ? NaN : below(4000) / 4,
    isRare(0.02) ? NaN : below(800) / 4,
    BigInt(below(2 ** 53)) * 2000n,
  ];
}

function encode(type, value) {
  const bytes = Buffer.alloc(SIZES[type]);

  switch (type) {
    case "INT32":
      bytes.writeInt32BE(value);
      break;
    case "INT64":
      bytes.writeBigInt64BE(value);
      break;
    case "UINT64":
      bytes.writeBigUInt64BE(value);
      break;
    case "FLOAT":
      bytes.writeFloatBE(value);
      break;
    default:
      bytes.writeDoubleBE(value);
  }
  return bytes;
}

let time = 1000000000n * NS;
const parts = [header(), stamp(time)];

for (let i = 0; i < Number(count); i++) {
  if (i && isRare(0.005)) {
    time += BigInt(1 + below(3e9));
    parts.push(Buffer.alloc(8, 0xff), stamp(time));
  }
  if (!isRare(0.01)) time += BigInt(below(1e8));
  parts.push(stamp(time));
  numbersOfEntry().forEach((value, k) => parts.push(encode(VALUES[k][1], value)));
}
writeFileSync(file, Buffer.concat(parts));
