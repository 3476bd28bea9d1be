// SPDX-License-Identifier: LGPL-2.1-or-later
// Times are nanoseconds since 1970, as BigInt, so that none is rounded. Lengths
// are numbers of nanoseconds: exact up to 104 days.

export const NS_PER_S = 1_000_000_000n;

/** Parse seconds as text, "12.5", "-3", "1247419294.305196000"; NaN of a BigInt
 *  is null. */
export function parseSeconds(text) {
  const match = /^([+-]?)(\d+)(?:\.(\d{0,9})\d*)?$/.exec(String(text).trim());

  if (!match) return null;
  const ns =
    BigInt(match[2]) * NS_PER_S + BigInt((match[3] ?? "").padEnd(9, "0"));

  return match[1] === "-" ? -ns : ns;
}

/** Write a time as seconds with nine decimals, or fewer if they are 0. */
export function formatSeconds(ns, decimals = 9) {
  const sign = ns < 0n ? "-" : "";
  const abs = ns < 0n ? -ns : ns;
  const rest = String(abs % NS_PER_S).padStart(9, "0").slice(0, decimals);

  return sign + abs / NS_PER_S + (decimals ? "." + rest : "");
}

/** As formatSeconds(), without zeros at the end. */
export function formatSecondsShort(ns) {
  return formatSeconds(ns).replace(/\.?0+$/, "");
}

/** Number of ns from one time to another; clamped to what is exact. */
export function between(from, to) {
  const ns = to - from;

  return Number(ns);
}

const STEPS = [
  [1, "ns", 1],
  [1e3, "µs", 1e3],
  [1e6, "ms", 1e6],
  [1e9, "s", 1e9],
];

/** Write a length for people: "60.08 s", "1.5 ms". */
export function formatLength(ns, digits = 4) {
  const abs = Math.abs(ns);
  let step = STEPS[0];

  for (const other of STEPS) if (abs >= other[0]) step = other;
  if (abs >= 3600e9) {
    const s = Math.round(ns / 1e9);

    return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  }
  const value = ns / step[2];
  const decimals =
    step[2] === 1
      ? 0
      : Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value) || 1)));

  return `${value.toFixed(Math.min(decimals, 9))} ${step[1]}`;
}

/** Where ticks of a ruler stand: a step of 1, 2 or 5 times a power of ten. */
export function tickStep(span, count) {
  const raw = Math.max(span / Math.max(count, 1), 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((f) => f * power >= raw * 0.999) ?? 10;

  return Math.max(1, Math.round(factor * power));
}

/** Label of a tick, in seconds from the start, as exact as the step asks. */
export function tickLabel(ns, step) {
  const decimals = Math.max(0, 9 - Math.floor(Math.log10(step)));
  const places = Math.min(9, decimals);

  return formatSeconds(ns, places);
}

/** Date and time of day in UTC. */
export function formatDate(ns, decimals = 3) {
  const ms = Number(ns / 1_000_000n);
  const date = new Date(ms);

  if (Number.isNaN(date.getTime())) return `${formatSeconds(ns)} s`;
  const text = date.toISOString();
  const fraction = String(((ns % NS_PER_S) + NS_PER_S) % NS_PER_S)
    .padStart(9, "0")
    .slice(0, decimals);

  return (
    text.slice(0, 10) +
    " " +
    text.slice(11, 19) +
    (decimals ? "." + fraction : "") +
    " UTC"
  );
}

export function maxTime(a, b) {
  return a > b ? a : b;
}

export function minTime(a, b) {
  return a < b ? a : b;
}
