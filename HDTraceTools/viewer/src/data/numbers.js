// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers as people read them, with four significant digits, as hdtrace stat
// prints them: outRounded() of output.c.

const DIGITS = 4;

/** The exponent of a number after rounding: 99.996 is 100.0. */
function exponentOf(value) {
  return Number(value.toExponential(DIGITS - 1).split("e")[1]);
}

/** Write a number for people: digits before the point are never cut, and there
 *  is no exponent if the number is short. */
export function rounded(value) {
  if (typeof value === "bigint") return value.toString();
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  const exponent = exponentOf(value);

  if (exponent >= 12 || exponent < -4)
    return value.toExponential(DIGITS - 1).replace(/e([+-])(\d)$/, "e$10$2");
  if (Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(Math.max(0, DIGITS - 1 - exponent));
}

/** Write a number with the bound of its error, which has two significant digits;
 *  the number has no more decimals than these. A bound below the last digit of
 *  the number is left out: quantityBounded() of quantity.c. */
export function bounded(value, error) {
  const number = Number(value);
  const size = Math.abs(number);

  if (!(error > 0) || !Number.isFinite(error) || !Number.isFinite(number))
    return rounded(value);
  const most = DIGITS - 1 - exponentOf(number);
  const decimals = Math.max(
    0,
    most - DIGITS + 1,
    Math.min(most, 1 - Math.floor(Math.log10(error))),
  );
  const step = 10 ** -decimals;

  if (error < step || size >= 1e12 || (size > 0 && size < 1e-4))
    return rounded(value);
  const bound = Math.ceil(error / step - 1e-6) * step;

  return `${number.toFixed(decimals)} ± ${bound.toFixed(decimals)}`;
}

/** Whether the bound of an error is above the last digit of a number. */
export function isVisible(error, value) {
  return error > 0 && error >= 10 ** (exponentOf(Number(value)) - DIGITS + 1);
}

/** Write a number with as few digits as read back to the same value. */
export function exact(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "no value";
    if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  }
  return String(value);
}

/** As exact(), of a 32 bit float. */
export function exactFloat(value) {
  if (!Number.isFinite(value)) return exact(value);
  for (let digits = 1; digits <= 9; digits++) {
    const text = value.toPrecision(digits);

    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

/** The kind of a value as people read it: "delta?" if it is guessed. */
export function kindText({ type, kind, kindGuessed }) {
  if (type === "STRING") return "";
  return kindGuessed ? `${kind}?` : kind;
}

/** Group digits by thin spaces. */
export function grouped(text) {
  return text.replace(/^(-?)(\d{5,})/, (all, sign, digits) => {
    return sign + digits.replace(/\B(?=(\d{3})+(?!\d))/g, " ");
  });
}

const PREFIXES = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** Whether a unit takes prefixes of the SI. */
function isPrefixed(base) {
  return /^(W|J|B|B\/s|Hz|V|A|s|Wh|W\/s)$/.test(base);
}

/** The prefix of the SI that suits a number of that base unit. */
export function prefixFor(value, base) {
  const abs = Math.abs(value);

  if (!base || abs === 0 || !Number.isFinite(abs)) return [1, ""];
  if (!isPrefixed(base)) return [1, ""];
  return PREFIXES.find(([scale]) => abs >= scale * 0.9995) ?? [1e-9, "n"];
}

/** A number and its unit, which may be empty, as text. */
function withUnit([text, unit]) {
  return unit ? `${text} ${unit}` : text;
}

/** The text of a quantity with few digits, and its unit with a prefix. */
function quantityParts(value, base, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value))
    return ["–", ""];
  const [scale, prefix] = prefixFor(value, base);
  const scaled = value / scale;
  const decimals = Math.min(
    9,
    Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(scaled) || 1))),
  );

  return [grouped(trimZeros(scaled.toFixed(decimals))), prefix + (base || "")];
}

/** A quantity with few digits, for cards and axes: "114.9 kJ". */
export function quantity(value, base, digits) {
  return withUnit(quantityParts(value, base, digits));
}

/** The text of a value with four significant digits, and its unit. */
function levelParts(value, { unit, base, scale = 1 }) {
  const number = Number(value);

  if (isPrefixed(base)) return quantityParts(number * scale, base);
  // A count has a prefix itself: "1.235G packets".
  const [size, prefix] =
    Math.abs(number) >= 10 ** (DIGITS + 1) ? prefixFor(number, "B") : [1, ""];

  return [
    prefix ? quantity(number / size, "") + prefix : rounded(number),
    unit ?? "",
  ];
}

/** A value with its unit and four significant digits: "16.35 GB", "1.235G". */
export function levelText(value, level) {
  return withUnit(levelParts(value, level));
}

/** A mean with its extremes; an equal unit is there once: "150 (100 – 200) W". */
export function rangeText({ mean, min, max }, level) {
  const parts = [mean, min, max].map((value) => levelParts(value, level));
  const [, unit] = parts[0];
  const isEqual = parts.every((part) => part[1] === unit);
  const texts = parts.map((part) => (isEqual ? part[0] : withUnit(part)));

  return withUnit([`${texts[0]} (${texts[1]} – ${texts[2]})`, isEqual ? unit : ""]);
}

/** A short number for an axis. */
export function short(value, digits = 4) {
  if (value === 0) return "0";
  const abs = Math.abs(value);

  if (abs >= 1e15 || abs < 1e-6) return value.toExponential(1);
  for (const [scale, prefix] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ])
    if (abs >= scale * 10 || (abs >= scale && value % scale === 0))
      return trimZeros((value / scale).toPrecision(digits)) + prefix;
  return trimZeros(value.toPrecision(digits));
}

function trimZeros(text) {
  return text.includes(".") && !text.includes("e")
    ? text.replace(/\.?0+$/, "")
    : text;
}

/** A number of bytes of a file. */
export function fileSize(bytes) {
  return quantity(bytes, "B", 3);
}

/** A share in per cent. */
export function percent(share) {
  if (!Number.isFinite(share)) return "–";
  return `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;
}
