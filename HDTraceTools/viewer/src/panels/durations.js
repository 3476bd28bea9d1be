// SPDX-License-Identifier: LGPL-2.1-or-later
// The durations of a state: their histogram, quantiles, and the longest ones, which a
// click shows.
import uPlot from "uplot";
import { stateColours, theme } from "../draw/colours.js";
import { binsOf, durationsOf, quantileOf } from "../data/states/durations.js";
import { h, replace, shown, shownTime, table } from "../ui/dom.js";
import { percent, short } from "../data/numbers.js";
import { formatLength } from "../data/time.js";

const QUANTILES = [
  ["Median", 0.5],
  ["90 %", 0.9],
  ["99 %", 0.99],
];

const length = (ns, properties) =>
  shown(ns / 1e9, "s", Number.isNaN(ns) ? "–" : formatLength(ns), properties);

export class DurationsPanel {
  title = "Durations";
  id = "durations";
  isOfNames = true;

  constructor(app) {
    this.app = app;
    this.choice = h("select", {
      "aria-label": "State",
      onchange: () => this.update(),
    });
    this.summary = h("p", { class: "headline" });
    this.note = h("p", { class: "note" });
    this.chart = h("div", { class: "chart", "aria-hidden": "true" });
    this.bins = h("div", {
      class: "table-scroll",
      tabindex: "0",
      role: "region",
      "aria-label": "The histogram as a table",
    });
    this.longest = h("div");
    this.element = h(
      "div",
      {},
      h("div", { class: "controls" }, h("label", {}, "State ", this.choice)),
      this.summary,
      this.note,
      h(
        "div",
        { class: "split" },
        h("div", {}, this.chart, this.bins),
        this.longest,
      ),
    );
    this.turn = 0;
  }

  restyle() {
    if (this.drawn) this.#draw(...this.drawn);
  }

  /** Show the durations of a state. */
  choose(name) {
    this.wanted = name;
    this.app.showPanel(this.id);
  }

  #fillChoice() {
    const { model } = this.app;
    const times = new Map(
      (model.report?.states ?? []).map(({ name, own_seconds }) => [
        name,
        Number(own_seconds),
      ]),
    );
    const names = [...new Set(model.traces.flatMap(({ track }) => track.names))];
    const before = this.wanted ?? this.choice.value;

    // The report tells states from events.
    names.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
    replace(
      this.choice,
      names
        .filter((name) => !times.size || times.has(name))
        .map((name) =>
          h("option", { value: name, selected: name === before }, name.slice(0, 80)),
        ),
    );
    this.wanted = null;
    return this.choice.value;
  }

  async update() {
    const turn = ++this.turn;
    const { model, view } = this.app;
    const { from, to } = view.interval;
    const name = this.#fillChoice();

    this.element.removeAttribute("aria-busy");
    if (!name) {
      replace(this.summary, "No states.");
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    const found = await durationsOf(model.traces, name, {
      from,
      to,
      isWanted: () => turn === this.turn,
      onPart: (share) => replace(this.note, `Reading: ${percent(share)}`),
    });

    if (!found || turn !== this.turn) return;
    this.#show(name, found);
    this.element.removeAttribute("aria-busy");
  }

  #show(name, { lengths, longest, isExact }) {
    const bins = binsOf(lengths);

    replace(
      this.summary,
      shown(lengths.length, "", String(lengths.length), { "data-key": "count" }),
      ` states${lengths.length ? ": " : ""}`,
      lengths.length
        ? [
            length(lengths[0], { "data-key": "min" }),
            " to ",
            length(lengths.at(-1), { "data-key": "max" }),
            QUANTILES.map(([title, share]) => [
              ` · ${title} `,
              length(quantileOf(lengths, share), { "data-key": `q${share}` }),
            ]),
          ]
        : "",
    );
    replace(
      this.note,
      isExact
        ? ""
        : "The page is reduced or still read: short states are missing.",
    );
    this.drawn = [name, bins];
    this.#draw(name, bins);
    replace(
      this.bins,
      table(
        "States of each length",
        [
          {
            title: "Length",
            value: ({ from, to }) => `${formatLength(from)} to ${formatLength(to)}`,
          },
          {
            title: "States",
            class: "number",
            value: ({ count }) => shown(count, "", String(count)),
          },
        ],
        bins,
      ),
    );
    this.#list(name, longest);
  }

  #draw(name, bins) {
    this.plot?.destroy();
    this.plot = null;
    if (!bins.length) {
      replace(this.chart);
      return;
    }
    const colour = stateColours.of(name).fill;
    const axis = {
      stroke: theme.muted,
      font: `11px ${theme.font}`,
      grid: { stroke: theme.grid, width: 1 },
      ticks: { stroke: theme.line, width: 1 },
    };
    const edges = bins.map(({ bin }) => (bin === -Infinity ? bins[1]?.bin - 1 || 0 : bin));

    this.plot = new uPlot(
      {
        width: Math.max(200, this.chart.clientWidth || 480),
        height: 190,
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: { time: false, range: () => [edges[0], edges.at(-1) + 1] },
          y: { range: (plot, min, max) => [0, max * 1.05 || 1] },
        },
        axes: [
          {
            ...axis,
            values: (plot, splits) =>
              splits.map((at) => formatLength(10 ** (at / 5), 2)),
          },
          {
            ...axis,
            size: 48,
            values: (plot, splits) => splits.map((value) => short(value)),
          },
        ],
        series: [
          {},
          {
            stroke: colour,
            fill: colour,
            width: 1,
            points: { show: false },
            paths: uPlot.paths.bars({ size: [1, Infinity], align: 1 }),
          },
        ],
      },
      [edges, bins.map(({ count }) => count)],
      replace(this.chart),
    );
  }

  #list(name, longest) {
    const { app } = this;
    const { model } = app;

    replace(
      this.longest,
      h("h3", {}, "Longest"),
      table(
        `Longest states ${name.slice(0, 80)}`,
        [
          {
            title: "Trace",
            value: (item) =>
              h(
                "button",
                {
                  type: "button",
                  class: "link",
                  title: "Select the state and show it",
                  onclick: () => app.selection.select(item.trace, item.start, item.length),
                },
                model.nameOf(model.traces[item.trace].node),
              ),
          },
          {
            title: "Start",
            class: "number",
            value: ({ start }) => shownTime(start, model),
          },
          {
            title: "Length",
            class: "number",
            value: (item) => length(item.length),
          },
        ],
        longest,
      ),
    );
  }
}
