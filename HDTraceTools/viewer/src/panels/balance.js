// SPDX-License-Identifier: LGPL-2.1-or-later
// Load balance of the interval: by rank, and by iteration of a state.
import { categoryOf } from "../draw/colours.js";
import { balanceOf, evenness, iterationsOf } from "../data/states/balance.js";
import { percent } from "../data/numbers.js";
import { formatLength } from "../data/time.js";
import { h, replace, shown, shownTime, table } from "../ui/dom.js";
import { limitsOf } from "./profile.js";

const LIST_MAX = 200;

const time = (ns, properties) => shown(ns / 1e9, "s", formatLength(ns), properties);
const isCall = (name) => categoryOf(name) !== "Program";

function ratio(value, properties) {
  return shown(value, "", Number.isNaN(value) ? "–" : percent(value), properties);
}

export class BalancePanel {
  title = "Balance";
  id = "balance";
  isOfNames = true;

  constructor(app) {
    this.app = app;
    this.choice = h("select", {
      "aria-label": "State of an iteration",
      onchange: () => this.update(),
    });
    this.ranks = h("section", { "aria-label": "By rank" });
    this.rounds = h("div");
    this.element = h(
      "div",
      { class: "split" },
      this.ranks,
      h(
        "section",
        { "aria-label": "By iteration" },
        h(
          "div",
          { class: "controls" },
          h("h3", {}, "By iteration"),
          h("label", {}, "which is ", this.choice),
        ),
        this.rounds,
      ),
    );
    this.turn = 0;
  }

  #fillChoice() {
    const { model } = this.app;
    const before = this.choice.value;
    const names = [...new Set(model.traces.flatMap(({ track }) => track.names))];

    replace(
      this.choice,
      h("option", { value: "" }, "(choose a state)"),
      names
        .sort()
        .map((name) =>
          h("option", { value: name, selected: name === before }, name.slice(0, 80)),
        ),
    );
    return this.choice.value;
  }

  async update() {
    const turn = ++this.turn;
    const { model, view } = this.app;
    const { from, to } = view.interval;
    const isWanted = () => turn === this.turn;
    const name = this.#fillChoice();

    this.element.setAttribute("aria-busy", "true");
    const ranks = await balanceOf(model, { from, to, isCall, isWanted });

    if (!ranks || !isWanted()) return;
    this.#showRanks(ranks);
    const found = name
      ? await iterationsOf(model, name, { from, to, isWanted })
      : { list: [], isExact: true };

    if (!found || !isWanted()) return;
    this.#showIterations(found, Boolean(name));
    this.element.removeAttribute("aria-busy");
  }

  #showRanks({ rows, isExact, isRead }) {
    const { model, view } = this.app;
    const program = rows.map(({ active, calls }) => active - calls);
    const all = evenness(program);
    const hasEnergy = rows.some(({ known }) => known);
    const number = (title, value) => ({ title, class: "number", value });
    const list = rows
      .map((row, i) => ({ ...row, program: program[i] }))
      .sort((a, b) => b.program - a.program);

    for (const row of list) row.properties = { "data-trace": row.trace };
    const limits = limitsOf({ isRead, isExact });

    replace(
      this.ranks,
      h("h3", {}, "By rank"),
      limits && h("p", { class: "note" }, limits),
      h(
        "p",
        { class: "headline" },
        "Balance (mean by maximum): ",
        ratio(all.ratio, { "data-key": "ratio" }),
        all.most > 0
          ? [
              "; all wait for the slowest for ",
              time(all.most - all.mean, { "data-key": "loss" }),
              " on average",
            ]
          : "",
      ),
      rows.length
        ? table(
            "Time of each trace outside of calls and in calls",
            [
              {
                title: "Trace",
                value: ({ trace }) => model.nameOf(model.traces[trace].node),
              },
              number("Program", ({ program: ns }) => time(ns)),
              number("Calls", ({ calls }) => time(calls)),
              number("Share", ({ program: ns, active }) => ratio(ns / active)),
              ...(hasEnergy
                ? [
                    number("Energy of states", ({ joules, known }) =>
                      shown(
                        known?.isAny ? joules : NaN,
                        "J",
                        known ? known.total(joules) : "unknown",
                        { title: known?.note },
                      ),
                    ),
                  ]
                : []),
            ],
            list,
            {},
            LIST_MAX,
          )
        : h("p", { class: "empty" }, "No traces in the interval."),
      list.length > LIST_MAX
        ? h("p", { class: "note" }, `${list.length - LIST_MAX} more.`)
        : null,
      view.interval.isAll ? h("p", { class: "note" }, "Mark an iteration to see only it.") : null,
    );
  }

  #showIterations({ list, isExact }, isChosen) {
    const { app } = this;
    const { model, view } = app;
    const worst = [...list].sort((a, b) => b.most - b.mean - (a.most - a.mean));
    const number = (title, value) => ({ title, class: "number", value });

    for (const row of worst) row.properties = { "data-iteration": row.number };
    replace(
      this.rounds,
      isExact
        ? null
        : h("p", { class: "note" }, "The page is reduced or still read: short states are missing."),
      worst.length
        ? table(
            "Iterations, those that waste most first",
            [
              {
                title: "Iteration",
                value: ({ number: i, start, end }) =>
                  h(
                    "button",
                    {
                      type: "button",
                      class: "link",
                      title: "Mark it",
                      onclick: () => view.setMark(start, end),
                    },
                    String(i),
                  ),
              },
              number("Start", ({ start }) => shownTime(start, model),
              ),
              number("Ranks", ({ traces }) => shown(traces, "", String(traces))),
              number("Mean", ({ mean }) => time(mean)),
              number("Longest", ({ most }) => time(most)),
              number("Balance", ({ ratio: share }) => ratio(share)),
              {
                title: "Slowest",
                value: ({ slowest }) => model.nameOf(model.traces[slowest].node),
              },
            ],
            worst,
            {},
            LIST_MAX,
          )
        : h(
            "p",
            { class: "empty" },
            isChosen ? "No such state in the interval." : "",
          ),
    );
  }
}
