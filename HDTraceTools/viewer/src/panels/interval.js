// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the marked interval, or of the whole run: of every value that is
// shown its mean, minimum, maximum, deviation, sum and integral, as hdtrace stat
// prints them.
import { h, iconButton, replace, save, table, toCsv } from "../ui/dom.js";
import { totalEnergy } from "../data/energy.js";
import { Known } from "../data/known.js";
import { exact, rounded } from "../data/numbers.js";
import { formatSecondsShort, parseSeconds } from "../data/time.js";
import { intervalText } from "../data/tracks.js";

/** More rows nobody reads. */
const ROWS_MAX = 250;

/** What is known of a row that is power or energy; of others nothing is asked. */
function knownOfRow({ series, moments, length }) {
  const { isPower, base } = series.value;

  return isPower || /^(J|Wh)$/.test(base)
    ? new Known(moments.weight, length)
    : null;
}

/** A mean, if enough is known for one. */
function meanCell(row) {
  const known = knownOfRow(row);

  return known && !known.hasMean
    ? unknownCell(known)
    : cell(row.result.mean, row.error?.mean);
}

/** A total, marked if not all is known. */
function totalCell(row, key) {
  const known = knownOfRow(row);

  if (!known) return cell(row.result[key], row.error?.[key]);
  return known.isAny
    ? [
        h("span", { class: "mark", title: known.note }, known.mark),
        cell(row.result[key], row.error?.[key]),
      ]
    : unknownCell(known);
}

function unknownCell(known) {
  return h("span", { "data-value": "unknown", title: known.note }, "unknown");
}

/** A number with how far off it may be. */
function cell(value, error) {
  const text = rounded(value);
  const isRough = error !== undefined && error !== null && error > 0;

  return h(
    "span",
    {
      "data-value": exact(value),
      title: isRough
        ? `${exact(value)} ± ${exact(error)}: the interval ends in what was reduced`
        : exact(value),
    },
    isRough ? `${text} ± ${rounded(error)}` : text,
  );
}

const number = "number";

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
      iconButton("download", "Save these numbers as CSV", () => this.#save()),
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
    const { from, to, isAll } = view.interval;
    const series = tracks.rows.list
      .filter((row) => row.kind === "value")
      .map((row) => row.series);

    if (document.activeElement !== this.from)
      this.from.value = formatSecondsShort(from - model.origin + (isAll ? 1n : 0n));
    if (document.activeElement !== this.to)
      this.to.value = formatSecondsShort(to - model.origin);
    this.element.setAttribute("aria-busy", "true");
    const energy = await totalEnergy(model, from, to);

    if (turn !== this.turn) return;
    this.#showHeadline(energy, from, to, isAll);
    const rows = [];

    for (const one of series.slice(0, ROWS_MAX)) {
      const moments = await one.moments(from, to);

      if (turn !== this.turn) return;
      rows.push({
        series: one,
        moments,
        length: Number(to - from),
        result: moments.result,
        error: moments.error,
      });
    }
    this.rows = rows;
    this.#showRows(rows, series.length);
    this.element.removeAttribute("aria-busy");
  }

  #showHeadline(energy, from, to, isAll) {
    const { model } = this.app;
    const start = isAll ? from + 1n : from;

    replace(
      this.headline,
      h("strong", {}, isAll ? "Whole run: " : "Marked: "),
      intervalText(model, start, to),
      energy
        ? [
            " · ",
            h(
              "strong",
              {
                class: "joules",
                "data-value": energy.known.isAny
                  ? exact(energy.joules)
                  : "unknown",
              },
              energy.known.total(energy.joules, { ...energy, digits: 6 }),
            ),
            " in all nodes",
            energy.known.hasMean
              ? `, ${energy.known.mean(energy.watts, energy)} on average`
              : "",
            energy.known.note ? `; ${energy.known.note}` : "",
            energy.isSimulated
              ? h("span", { class: "badge" }, "simulated")
              : null,
          ]
        : null,
    );
  }

  #showRows(rows, count) {
    const { model } = this.app;
    const columns = [
      { title: "Node", value: ({ series }) => model.nameOf(series.group.node) },
      {
        title: "Value",
        value: ({ series, moments }) => [
          series.value.name,
          series.value.simulated ? h("span", { class: "badge" }, "simulated") : null,
          moments.isRough
            ? h("span", { class: "badge", title: "From means of reduced data" }, "≈")
            : null,
        ],
      },
      { title: "Unit", value: ({ series }) => series.value.unit },
      { title: "Mean", class: number, value: meanCell },
      { title: "Min", class: number, value: (row) => cell(row.result.min, row.error?.min) },
      { title: "Max", class: number, value: (row) => cell(row.result.max, row.error?.max) },
      {
        title: "Std. dev.",
        class: number,
        value: (row) => [row.error ? "≈ " : "", cell(row.result.deviation)],
      },
      {
        title: "Sum",
        class: number,
        value: (row) =>
          row.series.value.isPower
            ? cell(row.result.sum, row.error?.sum)
            : totalCell(row, "sum"),
      },
      {
        title: "Integral",
        class: number,
        value: (row) => totalCell(row, "integral"),
      },
      { title: "", value: ({ series }) => series.value.integral },
      { title: "Entries", class: number, value: (row) => cell(row.moments.count) },
      {
        title: "No value",
        class: number,
        value: (row) => cell(row.moments.missing),
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
            `The first ${rows.length} of ${count} rows. Hide rows, or search, to see others.`,
          )
        : null,
    );
  }

  #save() {
    const { model, view } = this.app;
    const { from, to, isAll } = view.interval;
    const start = isAll ? from + 1n : from;
    const head = "node,group,value,unit,start,end,count,nan,seconds,mean,min,max,stddev,sum,integral,integral_unit,simulated";
    const lines = this.rows.map(({ series, moments, result }) => [
      series.group.node.path,
      series.group.name,
      series.value.name,
      series.value.unit,
      formatSecondsShort(start),
      formatSecondsShort(to),
      moments.count,
      moments.missing,
      moments.weight / 1e9,
      ...["mean", "min", "max", "deviation", "sum", "integral"].map((key) =>
        Number.isNaN(result[key]) ? "" : exact(result[key]),
      ),
      series.value.integral,
      series.value.simulated ? 1 : 0,
    ]);

    save(
      `${model.meta.project.name}-interval.csv`,
      "text/csv",
      toCsv([head.split(","), ...lines]),
    );
  }
}
