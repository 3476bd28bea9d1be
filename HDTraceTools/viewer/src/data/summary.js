// SPDX-License-Identifier: LGPL-2.1-or-later
// Totals of the run, at the top: how long it was, what it drew, and which
// phase or state drew most.
import { chipOf } from "../panels/profile.js";
import { h, replace } from "../ui/dom.js";
import { percent, quantity } from "./numbers.js";
import { formatDate, formatLength, parseSeconds } from "./time.js";

function card(title, value, details, properties = {}) {
  return h(
    "div",
    { class: "card", role: "listitem", ...properties },
    h("span", { class: "card-title" }, title),
    h("span", { class: "card-value" }, value),
    h("span", { class: "card-details" }, details),
  );
}

/** "1 group", "2 groups". */
function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

function simulated(energy) {
  return energy?.simulated
    ? h(
        "span",
        { class: "badge", title: "Simulated or estimated, not measured" },
        "simulated",
      )
    : null;
}

/** The best of a list by a number, of those that have one. */
function most(list, number) {
  let best = null;

  for (const item of list) {
    const value = number(item);

    if (value !== null && Number.isFinite(value) && (!best || value > number(best)))
      best = item;
  }
  return best;
}

/** Mean power of the nodes while some trace is in a state. */
function stateWatts(state) {
  return state.watts ?? null;
}

function runtimeCard(model, report) {
  const ns = report.runtime ? Number(parseSeconds(report.runtime)) : 0;

  return card("Runtime", formatLength(ns, 5), [
    report.start ? formatDate(parseSeconds(report.start), 0) : "",
    h("br"),
    `${counted(model.groups.length, "group")}, ${counted(model.traces.length, "trace")}`,
  ]);
}

function energyCard({ energy }) {
  if (!energy)
    return card("Energy", "not recorded", "No value of this project tells it.");
  return card(
    "Energy",
    [quantity(energy.joules, "J", 5), simulated(energy)],
    [
      energy.error !== null ? `± ${quantity(energy.error, "J", 2)}, ` : "",
      `${quantity(energy.watts, "W")} on average`,
      h("br"),
      "of all nodes",
    ],
    { "data-joules": energy.joules },
  );
}

/** The phase, or else the state, that drew most power. */
function powerCard(report) {
  const phase = most(report.phases, (item) => item.energy?.watts ?? null);

  if (phase)
    return card(
      "Most power: phase",
      [h("b", { class: "clip" }, phase.name || "(no name)"), simulated(phase.energy)],
      [
        `${quantity(phase.energy.watts, "W")} on average, took `,
        h("strong", {}, quantity(phase.energy.joules, "J", 5)),
        h("br"),
        `in ${formatLength(Number(parseSeconds(phase.seconds)))}`,
        report.energy
          ? `, ${percent(phase.energy.joules / report.energy.joules)} of all`
          : "",
      ],
      { "data-phase": phase.name, "data-joules": phase.energy.joules },
    );
  const runtime = report.runtime ? Number(report.runtime) : 0;
  // A state of an instant says nothing about power.
  const state = most(report.states, (item) =>
    Number(item.measured_seconds) > runtime * 0.01 ? stateWatts(item) : null,
  );

  if (!state) return null;
  return card(
    "Most power: state",
    [chipOf(state.name), h("b", { class: "clip", title: state.name }, state.name)],
    [
      `${quantity(stateWatts(state), "W")} of its node, took `,
      h("strong", {}, quantity(state.joules, "J", 5)),
      h("br"),
      `in ${formatLength(Number(parseSeconds(state.own_seconds)))} of all traces`,
    ],
    { "data-state": state.name, "data-joules": state.joules },
  );
}

function stateCard(report) {
  const state = most(report.states, (item) => item.joules);

  if (!state) return null;
  return card(
    "Most energy: state",
    [chipOf(state.name), h("b", { class: "clip", title: state.name }, state.name)],
    [
      h("strong", {}, quantity(state.joules, "J", 5)),
      report.energy
        ? `, ${percent(state.joules / report.energy.joules)} of all`
        : "",
      h("br"),
      `in ${formatLength(Number(parseSeconds(state.own_seconds)))} of all traces`,
    ],
    { "data-state": state.name, "data-joules": state.joules },
  );
}

function timeCard(report) {
  const state = most(report.states, (item) => Number(item.own_seconds));

  if (!state) return null;
  return card(
    "Most time: state",
    [chipOf(state.name), h("b", { class: "clip", title: state.name }, state.name)],
    [
      `${formatLength(Number(parseSeconds(state.own_seconds)))} of all traces`,
      h("br"),
      `${state.count.toLocaleString("en")} times`,
    ],
  );
}

export class Summary {
  constructor(app) {
    this.app = app;
    this.element = h("div", {
      class: "summary",
      role: "list",
      "aria-label": "Summary of the run",
    });
  }

  update() {
    const { model } = this.app;
    const { report } = model;

    if (!report) {
      replace(this.element, card("Reading", "…", "The report follows."));
      return;
    }
    const cards = [
      runtimeCard(model, report),
      energyCard(report),
      powerCard(report),
      stateCard(report) ?? timeCard(report),
      this.#problems(report),
    ];

    replace(this.element, cards.filter(Boolean));
  }

  #problems(report) {
    const gaps = report.groups.reduce((sum, g) => sum + g.gaps.count, 0);
    const late = report.groups.reduce((sum, g) => sum + g.late.count, 0);
    const parts = [
      gaps ? counted(gaps, "gap") : "",
      late ? counted(late, "late sample") : "",
      report.message_count ? counted(report.message_count, "message") : "",
    ].filter(Boolean);

    if (!parts.length) return null;
    return card(
      "Worth a look",
      h(
        "button",
        {
          type: "button",
          class: "link",
          onclick: () => this.app.showPanel("problems"),
        },
        parts[0],
      ),
      parts.slice(1).join(", "),
    );
  }
}
