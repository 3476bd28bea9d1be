// SPDX-License-Identifier: LGPL-2.1-or-later
// The layers of one node: what is pending in each, one on the other, and what the
// report says of nodes that are slow.
import uPlot from "uplot";
import { lineColour, theme } from "../draw/colours.js";
import { h, replace, shown, table } from "../ui/dom.js";
import { layersOf, pendingIn, stack } from "../data/series/layers.js";
import { percent, rounded, short } from "../data/numbers.js";
import { formatSecondsShort } from "../data/time.js";

const PARTS = 200;

/** Verdicts of the report: of all projects, if there are several. */
const verdictsOf = (report) =>
  (report?.reports ?? [report]).flatMap((one) => one?.layers?.verdicts ?? []);

/** The most that any of several moments has; NaN: none has any. */
const maxOf = (...all) =>
  all
    .filter((moments) => moments?.count)
    .map(({ result }) => Number(result.max))
    .reduce((a, b) => (b <= a ? a : b), NaN);

/** The report of a part: its own, if there are several. */
const reportOf = ({ report, parts }, part) =>
  report?.reports ? report.reports[parts.indexOf(part)] : report;

export class LayersPanel {
  title = "Layers";
  id = "layers";

  constructor(app) {
    this.app = app;
    this.choice = h("select", {
      "aria-label": "Node of the layers",
      onchange: () => this.update(),
    });
    this.verdicts = h("div");
    this.chart = h("div", { class: "chart", "aria-hidden": "true" });
    this.numbers = h("div", {
      class: "table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": "Layers as a table",
    });
    this.element = h(
      "div",
      {},
      h("div", { class: "controls" }, h("label", {}, "Node ", this.choice)),
      this.verdicts,
      h("div", { class: "split" }, this.chart, this.numbers),
    );
    this.plot = null;
    this.drawn = null;
    this.turn = 0;
  }

  /** Draw what is shown in other colours. */
  restyle() {
    if (this.drawn) this.#draw(...this.drawn);
  }

  #fillChoice() {
    const { model } = this.app;
    const nodes = layersOf(
      model.groups,
      (group) => reportOf(model, group.node.part)?.layers?.order,
    );
    const before = this.choice.value;

    replace(
      this.choice,
      nodes.map(({ node }, i) =>
        h(
          "option",
          { value: String(i), selected: String(i) === before },
          model.nameOf(node).slice(0, 60),
        ),
      ),
    );
    return nodes[Number(this.choice.value)] ?? nodes[0];
  }

  #showVerdicts() {
    const verdicts = verdictsOf(this.app.model.report);

    replace(
      this.verdicts,
      verdicts.map(({ verdict, evidence }) =>
        h(
          "p",
          { class: "note", title: evidence },
          h("strong", {}, verdict.slice(0, 120)),
          `: ${evidence}`,
        ),
      ),
    );
  }

  async update() {
    const turn = ++this.turn;
    const { from, to } = this.app.view.interval;
    const node = this.#fillChoice();
    const isWanted = () => turn === this.turn;
    const lists = [];
    const rows = [];

    this.#showVerdicts();
    if (!node || to <= from) return;
    for (const layer of node.layers) {
      const moments = await layer.pending.moments(from, to);
      const most = await layer.most?.moments(from, to);
      const bytes = await layer.bytes?.moments(from, to);
      const pending = await pendingIn(layer, from, to, PARTS, isWanted);

      if (!isWanted() || !pending) return;
      lists.push(pending.list);
      rows.push({
        name: layer.name,
        mean: moments.result.mean,
        // Of what was throttled the entries are means.
        max: maxOf(moments, most),
        idle: pending.idle,
        mark: pending.mark,
        bytes: bytes?.count ? Number(bytes.result.total) : NaN,
      });
    }
    this.drawn = [node, lists, from, to];
    this.#draw(...this.drawn);
    this.#list(rows);
  }

  #list(rows) {
    const number = (title, of, unit = "") => ({
      title,
      class: "number",
      value: (row) => {
        const value = of(row);

        return Number.isNaN(value) || value === undefined
          ? shown(NaN, unit, "–")
          : shown(value, unit, rounded(value));
      },
    });

    replace(
      this.numbers,
      table(
        "Operations pending in each layer",
        [
          {
            title: "Layer",
            csv: ({ name }) => name,
            value: ({ name }) => [this.#chip(name), name.slice(0, 60)],
          },
          number("Mean", ({ mean }) => mean),
          number("Max", ({ max }) => Number(max)),
          {
            title: "Idle",
            class: "number",
            value: ({ idle, mark }) =>
              Number.isNaN(idle)
                ? shown(NaN, "", "–")
                : shown(idle, "", `${mark}${percent(idle)}`),
          },
          number("Bytes", ({ bytes }) => bytes, "B"),
        ],
        rows,
      ),
    );
  }

  #chip(name) {
    const chip = h("span", { class: "chip", "aria-hidden": "true" });

    chip.style.background = lineColour({ name });
    return chip;
  }

  #draw({ layers }, lists, from, to) {
    const { model } = this.app;
    const start = Number(from - model.origin) / 1e9;
    const step = Number(to - from) / 1e9 / PARTS;
    const axis = {
      stroke: theme.muted,
      font: `11px ${theme.font}`,
      grid: { stroke: theme.grid, width: 1 },
      ticks: { stroke: theme.line, width: 1 },
    };

    this.plot?.destroy();
    this.plot = new uPlot(
      {
        width: Math.max(200, this.chart.clientWidth || 480),
        height: 190,
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: { time: false },
          y: { range: (plot, min, max) => [0, max * 1.05 || 1] },
        },
        axes: [
          {
            ...axis,
            values: (plot, splits) =>
              splits.map((value) =>
                formatSecondsShort(BigInt(Math.round(value * 1e9))),
              ),
          },
          {
            ...axis,
            size: 48,
            values: (plot, splits) => splits.map((value) => short(value)),
          },
        ],
        series: [
          {},
          // The highest is drawn first: what lies below covers it.
          ...layers.map(({ name }) => ({
            stroke: lineColour({ name }),
            fill: lineColour({ name }),
            width: 1,
            points: { show: false },
            paths: uPlot.paths.stepped({ align: 1 }),
          })),
        ],
      },
      [
        Array.from({ length: PARTS }, (_, i) => start + i * step),
        ...stack(lists),
      ],
      replace(this.chart),
    );
  }
}
