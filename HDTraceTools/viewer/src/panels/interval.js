// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the marked interval, or of the whole run: for each visible value
// the numbers of its kind, as hdtrace stat prints them.
import { toCsv } from "../data/csv.js";
import { h, iconButton, replace, save, shown, table } from "../ui/dom.js";
import { totalEnergy } from "../data/energy/energy.js";
import { bounded, exact, kindText, quantity, rounded } from "../data/numbers.js";
import { hasIntegral, resultsOf } from "../data/series/results.js";
import { Slices } from "../data/codec/slices.js";
import { formatSecondsShort, parseSeconds } from "../data/time.js";
import { intervalText } from "../rows/tracks.js";

/** More rows nobody reads. */
const ROWS_MAX = 250;

/** The unit of a result; "" of those that count. */
function unitOf({ series: { value } }, key) {
  if (key === "integral") return value.integral;
  if (/^rate/.test(key)) return value.rate?.unit ?? "";
  return key === "resets" ? "" : value.unit;
}

/** A result, if it has a meaning. */
function resultCell(row, key) {
  const value = row.results[key];

  if (value === undefined) return "";
  if (Number.isNaN(value))
    return shown(NaN, unitOf(row, key), "unknown", {
      title: row.results.known.note,
    });
  return cell(value, unitOf(row, key), row.error?.[key]);
}

/** A total, marked if not all is known. */
function totalCell(row, key) {
  const { known, [key]: value } = row.results;
  const isKnown = value !== undefined && !Number.isNaN(value);

  return [
    isKnown ? h("span", { class: "mark", title: known.note }, known.mark) : null,
    resultCell(row, key),
  ];
}

/** The integral, of values that have one. */
function integralCell(row) {
  return hasIntegral(row.series.value) ? totalCell(row, "integral") : "";
}

/** A unit, beside a result that has a meaning. */
function unitCell(row, key, unit) {
  return row.results[key] === undefined ? "" : (unit ?? "");
}

function kindCell({ series }) {
  return h(
    "span",
    {
      title: series.value.kindGuessed
        ? "Guessed: the file does not state it"
        : null,
    },
    kindText(series.value),
  );
}

/** A number with the bound of its error. */
function cell(value, unit, error) {
  const isRough = error !== undefined && error !== null && error > 0;

  return shown(value, unit, isRough ? bounded(value, error) : rounded(value), {
    title: isRough
      ? `${exact(value)} ± ${quantity(error, "", 2)}: the interval cuts reduced data`
      : exact(value),
  });
}

/** The project that a value is of; null: of several. */
function partOf(model, series) {
  return model.isJoined ? (series.group.node.part ?? null) : null;
}

const number = "number";

/** Columns of results, each if any row has it: of units, beside these. */
const RESULTS = [
  { title: "Mean", key: "mean" },
  { title: "Min", key: "min" },
  { title: "Max", key: "max" },
  {
    title: "Std. dev.",
    key: "deviation",
    value: (row) => [
      row.error && row.results.deviation !== undefined ? "≈ " : "",
      resultCell(row, "deviation"),
    ],
  },
  { title: "Integral", key: "integral", value: integralCell },
  {
    key: "integral",
    unit: (value) => (hasIntegral(value) ? value.integral : ""),
  },
  { title: "Total", key: "total", value: (row) => totalCell(row, "total") },
  { title: "Rate", key: "rate" },
  { title: "Lowest", key: "rateMin" },
  { title: "Highest", key: "rateMax" },
  { key: "rate", unit: ({ rate }) => rate?.unit },
  { title: "Resets", key: "resets" },
];

function columnOf({ title = "", key, unit, value }) {
  if (unit)
    return { title, value: (row) => unitCell(row, key, unit(row.series.value)) };
  return {
    title,
    class: number,
    value: value ?? ((row) => resultCell(row, key)),
  };
}

/** The columns of hdtrace stat. */
const CSV_COLUMNS = [
  "node,group,value,type,unit,phase,start,end,phases,count,nan,seconds",
  "mean,min,max,stddev,sum,integral,integral_unit,simulated,duration_s,known_s",
  "kind,kind_guessed,total,total_unit,rate,rate_unit,rate_min,rate_max,resets",
].flatMap((line) => line.split(","));

/** These of a row; what has no meaning is empty. */
function cellsOf({ series, moments, length, results }, start, to) {
  const { group, value } = series;
  const isAmount = results.total !== undefined;
  const exactly = (key) => {
    const result = results[key];

    return result === undefined || Number.isNaN(result) ? "" : exact(result);
  };

  return {
    node: group.node.path,
    group: group.name,
    value: value.name,
    type: value.type,
    unit: value.unit,
    phase: "",
    start: formatSecondsShort(start),
    end: formatSecondsShort(to),
    phases: 1,
    count: moments.entries,
    nan: moments.missing,
    seconds: moments.weight / 1e9,
    mean: exactly("mean"),
    min: exactly("min"),
    max: exactly("max"),
    stddev: exactly("deviation"),
    sum: exactly("sum"),
    integral: exactly("integral"),
    integral_unit: isAmount ? "" : value.integral,
    simulated: value.simulated ? 1 : 0,
    duration_s: length / 1e9,
    known_s: moments.weight / 1e9,
    kind: value.kind,
    kind_guessed: value.kindGuessed ? 1 : 0,
    total: exactly("total"),
    total_unit: isAmount ? value.unit : "",
    rate: exactly("rate"),
    rate_unit: isAmount ? value.rate.unit : "",
    rate_min: exactly("rateMin"),
    rate_max: exactly("rateMax"),
    resets: exactly("resets"),
  };
}

export class IntervalPanel {
  title = "Interval";
  id = "interval";

  constructor(app) {
    this.app = app;
    this.from = this.#input("From");
    this.to = this.#input("To");
    this.headline = h("p", { class: "headline", role: "status" });
    this.result = h("div", {
      class: "table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": "Numbers of the interval",
    });
    this.element = h("div", {}, this.#controls(), this.headline, this.result);
    this.turn = 0;
    this.rows = [];
  }

  #input(label) {
    const input = h("input", {
      type: "text",
      inputmode: "decimal",
      size: "14",
      "aria-label": `${label}, in seconds from the start`,
      spellcheck: "false",
    });

    input.addEventListener("change", () => this.#apply());
    return input;
  }

  #controls() {
    const { view } = this.app;

    return h(
      "form",
      {
        class: "controls",
        onsubmit: (event) => {
          event.preventDefault();
          this.#apply();
        },
      },
      h("label", {}, "From ", this.from, " s"),
      h("label", {}, "to ", this.to, " s"),
      h("button", { type: "submit", class: "sr-submit" }, "Mark"),
      h(
        "button",
        {
          type: "button",
          onclick: () => view.setMark(view.start, view.end),
        },
        "Mark the view",
      ),
      h(
        "button",
        {
          type: "button",
          onclick: () =>
            view.mark && view.showInterval(view.mark.from, view.mark.to),
        },
        "Zoom to it",
      ),
      h(
        "button",
        { type: "button", onclick: () => this.app.nameMark() },
        "Name it…",
      ),
      h(
        "button",
        { type: "button", onclick: () => view.setMark(null, null) },
        "Whole run",
      ),
      iconButton("download", "Save the numbers as CSV", () => this.#save()),
    );
  }

  #apply() {
    const { view, model } = this.app;
    const from = parseSeconds(this.from.value);
    const to = parseSeconds(this.to.value);

    for (const [input, value] of [
      [this.from, from],
      [this.to, to],
    ])
      input.toggleAttribute("aria-invalid", value === null);
    if (from === null || to === null || from >= to) return;
    view.setMark(from + model.origin, to + model.origin);
  }

  /** Compute and show. */
  async update() {
    const turn = ++this.turn;
    const { view, model, tracks } = this.app;
    const { from, to, isAll, isVisible } = view.interval;
    const series = tracks.rows.list
      .filter((row) => row.kind === "value")
      .map((row) => row.series);

    if (document.activeElement !== this.from)
      this.from.value = formatSecondsShort(from - model.origin + (isAll ? 1n : 0n));
    if (document.activeElement !== this.to)
      this.to.value = formatSecondsShort(to - model.origin);
    this.element.setAttribute("aria-busy", "true");
    const energies = await this.#energies(from, to);

    if (turn !== this.turn) return;
    const whole = model.isJoined ? "All runs: " : "Whole run: ";

    this.#showHeadline(
      energies,
      isAll ? whole : isVisible ? "Visible: " : "Marked: ",
      intervalText(model, isAll ? from + 1n : from, to),
    );
    const rows = [];
    const slices = new Slices();

    for (const one of series.slice(0, ROWS_MAX)) {
      await slices.rest();
      const moments = await one.moments(from, to);
      const length = model.lengthOf(from, to, partOf(model, one));

      if (turn !== this.turn) return;
      rows.push({
        series: one,
        moments,
        length,
        results: resultsOf(one, moments, length),
        error: moments.error,
      });
    }
    this.rows = rows;
    this.#showRows(rows, series.length);
    this.element.removeAttribute("aria-busy");
  }

  /** The energy of each project: [{name, energy}], of those that have power. */
  async #energies(from, to) {
    const { model } = this.app;
    const list = [];

    for (const part of model.parts) {
      const energy = await totalEnergy(
        model,
        from,
        to,
        model.isJoined ? part : null,
      );

      if (energy) list.push({ name: part.name, energy });
    }
    return list;
  }

  #showHeadline(energies, kind, text) {
    const { model } = this.app;

    replace(
      this.headline,
      h("strong", {}, kind),
      text,
      energies.map(({ name, energy }) => [
        " · ",
        this.#energy(energy, model.isJoined ? ` in all nodes of ${name}` : " in all nodes"),
      ]),
    );
  }

  #energy(energy, where) {
    const { known, joules, watts, isSimulated } = energy;

    return [
      h(
        "strong",
        { class: "joules" },
        shown(known.isAny ? joules : NaN, "J", known.total(joules, energy), {
          "data-key": "energy",
        }),
      ),
      where,
      known.hasMean ? `, ${known.mean(watts, energy)} on average` : "",
      known.note ? `; ${known.note}` : "",
      isSimulated ? h("span", { class: "badge" }, "simulated") : null,
    ];
  }

  #showRows(rows, count) {
    const { model } = this.app;
    const columns = [
      { title: "Node", value: ({ series }) => model.nameOf(series.group.node) },
      {
        title: "Value",
        csv: ({ series }) => series.title,
        value: ({ series, moments }) => [
          series.title,
          series.value.simulated ? h("span", { class: "badge" }, "simulated") : null,
          moments.isRough
            ? h("span", { class: "badge", title: "From means of reduced data" }, "≈")
            : null,
        ],
      },
      { title: "Kind", value: kindCell },
      { title: "Unit", value: ({ series }) => series.value.unit },
      ...RESULTS.filter(({ key }) =>
        rows.some(
          ({ results, series: { value } }) =>
            results[key] !== undefined &&
            (key !== "integral" || hasIntegral(value)),
        ),
      ).map(columnOf),
      { title: "Entries", class: number, value: (row) => cell(row.moments.entries, "") },
      {
        title: "No value",
        class: number,
        value: (row) => cell(row.moments.missing, ""),
      },
    ];

    for (const row of rows) row.properties = { "data-key": row.series.key };
    replace(
      this.result,
      rows.length
        ? table("Values in the interval", columns, rows)
        : h("p", { class: "empty" }, "No values are shown."),
      count > rows.length
        ? h(
            "p",
            { class: "note" },
            `The first ${rows.length} of ${count} rows. Hide rows or search to see the others.`,
          )
        : null,
    );
  }

  #save() {
    const { model, view } = this.app;
    const { from, to, isAll } = view.interval;
    const start = isAll ? from + 1n : from;
    const lines = this.rows.map((row) => {
      const cells = cellsOf(row, start, to);

      return CSV_COLUMNS.map((name) => cells[name]);
    });

    save(
      `${model.meta.project.name}-interval.csv`,
      "text/csv",
      toCsv([CSV_COLUMNS, ...lines]),
    );
  }
}
