// SPDX-License-Identifier: LGPL-2.1-or-later
// Tables as CSV, as hdtrace writes it: numbers with all digits, units in the titles.

/** Rows as CSV, as hdtrace writes it. */
export function toCsv(rows) {
  const quote = (text) =>
    /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;

  return rows.map((row) => row.map((c) => quote(String(c))).join(",") + "\n").join("");
}

/** A text that no spreadsheet takes for a formula, as with --csv-safe: isFormula() of
 *  output.c. A page has no such option, and browsers hand what they save to them. */
function safe(text) {
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);

  return /^[=+\-@\t\r\n]/.test(text) && !isNumber ? `'${text}` : text;
}

/** Texts that say more than a number: that it is a bound or an estimate. */
const QUALIFIED = /[≥≤≈±]/;

/** The columns of CSV of a column of cells, the numbers of which have that place. */
function numberColumns(title, cells, place) {
  const numbers = cells.map((cell) => cell.numbers[place]);
  const units = new Set(numbers.flatMap((one) => (one ? [one.unit] : [])));
  const name = place ? `${title} ${place + 1}` : title;
  const [unit] = units;
  const values = numbers.map((one) =>
    one && one.value !== "unknown" ? one.value : "",
  );

  if (units.size > 1)
    return [
      { title: name, values },
      { title: `${name} unit`, values: numbers.map((one) => one?.unit ?? "") },
    ];
  return [{ title: unit ? `${name} (${unit})` : name, values }];
}

/** The columns of CSV that a column of a table becomes. */
function columnsOf(title, cells) {
  const count = cells.reduce((most, { numbers }) => Math.max(most, numbers.length), 0);
  const texts = cells.map(({ text }) => safe(text));
  const columns = [];

  if (!count) return [{ title, values: texts }];
  for (let place = 0; place < count; place++)
    columns.push(...numberColumns(title, cells, place));
  // A number that is a bound, or a text in its place, is there as it is shown, too.
  if (cells.some(({ text, numbers }) => QUALIFIED.test(text) || (text && !numbers.length)))
    columns.push({ title: `${title} as shown`, values: texts });
  return columns;
}

/**
 * A table as CSV.
 *
 * @param titles Of its columns; those without have no data and are left out.
 * @param rows   Of each row its cells, each {text, numbers: [{value, unit}]}, where
 *               values are texts with all digits, or "unknown", which is left empty.
 */
export function tableCsv(titles, rows) {
  const columns = titles.flatMap((title, i) =>
    title ? columnsOf(title, rows.map((cells) => cells[i])) : [],
  );

  return toCsv([
    columns.map(({ title }) => safe(title)),
    ...rows.map((_, i) => columns.map(({ values }) => values[i])),
  ]);
}

/** A text as the name of a file, or a part of one. */
export function fileName(text) {
  return text.replace(/[\s/\\:*?"<>|\u0000-\u001f\u007f]+/g, "-").slice(0, 80);
}
