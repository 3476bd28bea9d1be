// SPDX-License-Identifier: LGPL-2.1-or-later
// Totals of the run, at the top: how long it was, what it drew, and which
// phase or state drew most.
import { chipOf } from "./profile.js";
import { h, replace } from "../ui/dom.js";
import { differenceOf, Known, knownOfNodes } from "../data/energy/known.js";
import { isVisible, percent, quantity } from "../data/numbers.js";
import { seriesOfPower } from "../data/energy/power.js";
import { formatDate, formatLength, parseSeconds } from "../data/time.js";

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

/** The groups that the energy of all nodes is that of. */
function countedGroups(report) {
  return report.groups.filter((group) => group.in_total);
}

/** How much of the run's energy is known, and its mean power. */
function knownOfRun(report) {
  return knownOfNodes(
    countedGroups(report).map((group) => group.energy),
    Number(report.runtime ?? 0),
  );
}

/** The same of a phase. */
function knownOfPhase(phase, report) {
  const counted = new Set(countedGroups(report).map((group) => group.node));

  return knownOfNodes(
    phase.nodes
      .filter(({ node }) => counted.has(node))
      .map(({ energy }) => energy),
    Number(phase.seconds),
  );
}

/** How much of a state's own energy is known. */
function knownOfState(state) {
  return new Known(
    Number(state.known_s ?? state.measured_seconds),
    Number(state.own_seconds),
  );
}

/** ", 12 % of all", where that can be said. */
function partOfAll(joules, known, report) {
  const isWhole = known.isWhole && knownOfRun(report).known.isWhole;

  return isWhole ? `, ${percent(joules / report.energy.joules)} of all` : "";
}

/** Which values make up the power of each node, and which are left out, as lines. */
function choicesOf(model) {
  return model.meta.powers.map((power) => {
    const names = seriesOfPower(model, power).map(({ value }) => value.name);
    const leftOut = (power.leftOut ?? []).map(({ name, reason }) => `${name} (${reason})`);

    return `From ${names.join(" + ")}${leftOut.length ? `; left out: ${leftOut.join(", ")}` : ""}`;
  });
}

function energyCard(model, report) {
  const { energy } = report;
  const { known, watts } = knownOfRun(report);

  if (!energy && !model.meta.powers.length)
    return card("Energy", "not recorded", "No value of the project has energy or power.");
  if (!known.isAny)
    return card("Energy", "unknown", "All values of power and energy are NaN.");
  return card(
    "Energy",
    [known.total(energy.joules), simulated(energy)],
    [
      isVisible(energy.error, energy.joules) ? `± ${quantity(energy.error, "J", 2)}, ` : "",
      known.hasMean ? `${known.mean(watts)} on average` : known.note,
      h("br"),
      known.hasMean && known.note ? known.note : "of all nodes",
    ],
    {
      "data-joules": energy.joules,
      title: [known.note, ...choicesOf(model)].filter(Boolean).join("\n"),
    },
  );
}

/** The phase, or else the state, that drew most power. */
function powerCard(report) {
  const phase = most(report.phases, (item) => {
    const { known, watts } = knownOfPhase(item, report);

    return known.hasMean ? watts : null;
  });

  if (phase) {
    const { known, watts } = knownOfPhase(phase, report);

    return card(
      "Most power: phase",
      [h("b", { class: "clip" }, phase.name || "(no name)"), simulated(phase.energy)],
      [
        `${known.mean(watts)} on average, energy `,
        h("strong", {}, known.total(phase.energy.joules)),
        h("br"),
        `in ${formatLength(Number(parseSeconds(phase.seconds)))}`,
        partOfAll(phase.energy.joules, known, report),
      ],
      {
        "data-phase": phase.name,
        "data-joules": phase.energy.joules,
        title: known.note,
      },
    );
  }
  const runtime = report.runtime ? Number(report.runtime) : 0;
  // A state of an instant says nothing about power.
  const state = most(report.states, (item) =>
    knownOfState(item).hasMean && Number(item.measured_seconds) > runtime * 0.01
      ? stateWatts(item)
      : null,
  );

  if (!state) return null;
  return card(
    "Most power: state",
    [chipOf(state.name), h("b", { class: "clip", title: state.name }, state.name)],
    [
      `${quantity(stateWatts(state), "W")} of its node, energy `,
      h("strong", {}, knownOfState(state).total(state.joules)),
      h("br"),
      `in ${formatLength(Number(parseSeconds(state.own_seconds)))} of all traces`,
    ],
    {
      "data-state": state.name,
      "data-joules": state.joules,
      title: knownOfState(state).note,
    },
  );
}

function stateCard(report) {
  const state = most(report.states, (item) => item.joules);

  if (!state) return null;
  return card(
    "Most energy: state",
    [chipOf(state.name), h("b", { class: "clip", title: state.name }, state.name)],
    [
      h("strong", {}, knownOfState(state).total(state.joules)),
      partOfAll(state.joules, knownOfState(state), report),
      h("br"),
      `in ${formatLength(Number(parseSeconds(state.own_seconds)))} of all traces`,
    ],
    {
      "data-state": state.name,
      "data-joules": state.joules,
      title: knownOfState(state).note,
    },
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
    if (model.isJoined) {
      replace(this.element, this.#cardsOfAll(report));
      return;
    }
    const cards = [
      runtimeCard(model, report),
      energyCard(model, report),
      powerCard(report),
      stateCard(report) ?? timeCard(report),
      this.#finding(),
      this.#problems(report),
    ];

    replace(this.element, cards.filter(Boolean));
  }

  /** Of each project how long it was and what it took, and the difference of two. */
  #cardsOfAll({ reports }) {
    const cards = reports.map((report) => {
      const { known, watts } = knownOfRun(report);
      const ns = report.runtime ? Number(parseSeconds(report.runtime)) : 0;
      const joules = report.energy && known.isAny ? report.energy.joules : null;

      return card(
        report.name,
        [
          formatLength(ns, 5),
          joules === null ? "" : [" · ", known.total(joules)],
        ],
        joules !== null && known.hasMean ? `${known.mean(watts)} on average` : "",
        { "data-project": report.name, "data-joules": joules },
      );
    });
    if (reports.length === 2) cards.push(this.#differenceCard(reports));
    return cards;
  }

  /** By how much the second differs from the first; hdtrace compare has the same
   *  rule for energies. */
  #differenceCard([a, b]) {
    const energyOf = (report) => ({
      name: report.name,
      joules: report.energy?.joules ?? NaN,
      known: knownOfRun(report).known,
    });
    const { joules, note } = differenceOf(energyOf(a), energyOf(b));
    const isKnown = !Number.isNaN(joules);
    const length = ({ runtime }) => parseSeconds(runtime ?? "0") ?? 0n;
    const longer = Number(length(b) - length(a));

    return card(
      "Difference",
      isKnown ? quantity(joules, "J") : "unknown",
      [
        isKnown ? `${b.name} minus ${a.name}` : note,
        h("br"),
        `${formatLength(Math.abs(longer))} ${longer < 0 ? "shorter" : "longer"}`,
      ],
      { "data-difference": isKnown ? joules : "unknown", title: note },
    );
  }

  /** The most important finding: a click shows it. */
  #finding() {
    const [finding] = this.app.model.findings;

    if (!finding) return null;
    const { kind, advice, time_s: seconds } = finding.told;

    return card(
      "First finding",
      h(
        "button",
        {
          type: "button",
          class: "link clip",
          title: advice,
          onclick: () => this.app.showPanel("findings"),
        },
        kind,
      ),
      [formatLength(Number(seconds) * 1e9), h("br"), h("span", { class: "clip" }, advice)],
      { "data-finding-kind": kind },
    );
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
      "Problems",
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
