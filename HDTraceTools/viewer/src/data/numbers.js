// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers as people read them. Those with six digits look as those of hdtrace
// stat: outRounded() of output.c.

/** Write a number for people: six digits or more, no exponent if short. */
export function rounded(value) {
  if (typeof value === "bigint") return value.toString();
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  const size = Math.abs(value);

  if (size >= 1e12 || (size !== 0 && size < 1e-4))
    return value.toExponential(5).replace(/e([+-])(\d)$/, "e$10$2");
  if (Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(
    size < 1 ? 6 : Math.max(0, 5 - Math.floor(Math.log10(size))),
  );
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

/** The prefix of the SI that suits a number of that base unit. */
export function prefixFor(value, base) {
  const abs = Math.abs(value);

  if (!base || abs === 0 || !Number.isFinite(abs)) return [1, ""];
  if (!/^(W|J|B|B\/s|Hz|V|A|s|Wh|W\/s)$/.test(base)) return [1, ""];
  return PREFIXES.find(([scale]) => abs >= scale * 0.9995) ?? [1e-9, "n"];
}

/** A quantity with few digits, for cards and axes: "114.9 kJ". */
export function quantity(value, base, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const [scale, prefix] = prefixFor(value, base);
  const scaled = value / scale;
  const decimals = Math.min(
    9,
    Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(scaled) || 1))),
  );
  const text = grouped(trimZeros(scaled.toFixed(decimals)));
  const unit = prefix + (base || "");

  return unit ? `${text} ${unit}` : text;
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
