// SPDX-License-Identifier: LGPL-2.1-or-later
// The distribution of a value over the time of the interval.
import uPlot from "uplot";
import { lineColour, theme } from "../draw/colours.js";
import { h, replace, shown, table } from "../ui/dom.js";
import { histogram } from "../data/series/histogram.js";
import { percent, rounded, short } from "../data/numbers.js";
import { formatLength } from "../data/time.js";

const BINS = 40;

export class HistogramPanel {
  title = "Histogram";
  id = "histogram";

  constructor(app) {
    this.app = app;
    this.choice = h("select", {
      "aria-label": "Value",
      onchange: () => this.update(),
    });
    this.note = h("p", { class: "note" });
    this.chart = h("div", { class: "chart", "aria-hidden": "true" });
    this.numbers = h("div", {
      class: "table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": "The histogram as a table",
    });
    this.element = h(
      "div",
      {},
      h("div", { class: "controls" }, h("label", {}, "Value ", this.choice)),
      this.note,
      h("div", { class: "split" }, this.chart, this.numbers),
    );
    this.plot = null;
    this.shown = null;
    this.turn = 0;
  }

  /** Draw what is shown in other colours. */
  restyle() {
    if (this.shown) this.#draw(...this.shown);
  }

  #fillChoice() {
    const { model, tracks } = this.app;
    const series = tracks.rows.list
      .filter((row) => row.kind === "value")
      .map((row) => row.series);
    const focused = tracks.focusedRow?.series?.key;
    const before = this.choice.value || focused;

    replace(
      this.choice,
      series.map((one) =>
        h(
          "option",
          { value: one.key, selected: one.key === before },
          `${one.title.slice(0, 60)} – ${model.nameOf(one.group.node).slice(0, 60)}`,
        ),
      ),
    );
    return series.find((one) => one.key === this.choice.value);
  }

  async update() {
    const turn = ++this.turn;
    const { view } = this.app;
    const { from, to } = view.interval;
    const series = this.#fillChoice();

    if (!series) {
      this.#showNone("No values are shown.");
      return;
    }
    const result = await histogram(series, from, to, BINS);

    if (turn !== this.turn) return;
    if (!result) {
      this.#showNone("No values in the interval.");
      return;
    }
    const { quantiles } = result;
    const { unit } = series.level;

    replace(
      this.note,
      `Median ${rounded(quantiles[0.5])} ${unit}; ` +
        `quartiles ${rounded(quantiles[0.25])} and ${rounded(quantiles[0.75])}; ` +
        `5 % below ${rounded(quantiles[0.05])}, 5 % above ${rounded(quantiles[0.95])}.` +
        (result.isExact ? "" : " Computed from means of reduced data."),
    );
    this.shown = [series, result];
    this.#draw(series, result);
    this.#list(series, result);
  }

  #showNone(why) {
    replace(this.note, why);
    replace(this.chart);
    replace(this.numbers);
    this.plot = null;
    this.shown = null;
  }

  #draw(series, { bins, total }) {
    const colour = lineColour(series.value);
    const width = Math.max(200, this.chart.clientWidth || 480);

    this.plot?.destroy();
    this.plot = new uPlot(
      {
        width,
        height: 190,
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: {
            time: false,
            range: () => [bins[0].from, bins.at(-1).to],
          },
          y: { range: (plot, min, max) => [0, max * 1.05 || 1] },
        },
        axes: [
          {
            stroke: theme.muted,
            font: `11px ${theme.font}`,
            values: (plot, splits) => splits.map((value) => short(value)),
            grid: { stroke: theme.grid, width: 1 },
            ticks: { stroke: theme.line, width: 1 },
          },
          {
            stroke: theme.muted,
            font: `11px ${theme.font}`,
            size: 48,
            values: (plot, splits) => splits.map((value) => `${short(value)} %`),
            grid: { stroke: theme.grid, width: 1 },
            ticks: { stroke: theme.line, width: 1 },
          },
        ],
        series: [
          {},
          {
            stroke: colour,
            fill: `${colour}88`,
            width: 1,
            points: { show: false },
            paths: uPlot.paths.bars({ size: [1, Infinity], align: 1 }),
          },
        ],
      },
      [
        bins.map((bin) => bin.from),
        bins.map((bin) => (bin.time / total) * 100),
      ],
      replace(this.chart),
    );
  }

  #list(series, { bins, total }) {
    replace(
      this.numbers,
      table(
        `Time of ${series.title} in each range`,
        [
          {
            title: `${series.title.slice(0, 40)} (${series.level.unit || "–"})`,
            value: (bin) => `${rounded(bin.from)} to ${rounded(bin.to)}`,
          },
          {
            title: "Time",
            class: "number",
            value: (bin) =>
              shown(bin.time / 1e9, "s", formatLength(bin.time)),
          },
          {
            title: "Share",
            class: "number",
            value: (bin) =>
              shown(bin.time / total, "", percent(bin.time / total)),
          },
        ],
        bins.filter((bin) => bin.time > 0),
      ),
    );
  }
}
