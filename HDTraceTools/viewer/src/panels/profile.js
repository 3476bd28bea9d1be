// SPDX-License-Identifier: LGPL-2.1-or-later
// What the time and the energy of the interval went to: by state, and by phase.
import { fillState, stateColours } from "../draw/colours.js";
import { h, prepareCanvas, replace, shown, shownTime, table } from "../ui/dom.js";
import { stateProfile, totalEnergy } from "../data/energy/energy.js";
import { Known } from "../data/energy/known.js";
import { percent } from "../data/numbers.js";
import { hasServedProfile, servedProfile } from "../data/states/servedprofile.js";
import { phasesOf } from "../draw/ruler.js";
import { formatLength } from "../data/time.js";

/** So many states are listed. */
const LIST_MAX = 200;
/** So many rows are added up one by one. */
const ROWS_MAX = 250;

/** A bar in a cell. */
function bar(share, label) {
  const meter = h("span", { class: "bar", "aria-hidden": "true" });

  meter.style.setProperty("--share", `${Math.min(1, Math.max(0, share)) * 100}%`);
  return [meter, label];
}

/** A bar of an energy, as far as it is known of so many ns. */
function energyBar({ joules, known, error }, duration, most) {
  const coverage = new Known(known, duration);

  return bar(
    coverage.isAny ? joules / most : 0,
    shown(coverage.isAny ? joules : NaN, "J", coverage.total(joules, { error }), {
      "data-key": "energy",
      title: coverage.note,
    }),
  );
}

/** A mean power, as far as it is known. */
function meanPower(known, watts, options) {
  return shown(known.hasMean ? watts : NaN, "W", known.mean(watts, options));
}

/** What stands above numbers of traces that are not read to their end, or of data that the
 *  interval cuts. */
export function limitsOf({ isRead, isExact }) {
  return (
    (isRead ? "" : "Traces are still read: states are missing. ") +
    (isExact ? "" : "The interval cuts reduced data: times are estimates. ")
  );
}

function chipOf(name) {
  return chipOfLook(stateColours.of(name));
}

/** The same of a look. */
function chipOfLook(look) {
  const canvas = h("canvas", { class: "chip", "aria-hidden": "true" });

  fillState(prepareCanvas(canvas, 14, 14, 3), look, 0, 0, 14, 14);
  return canvas;
}

export { chipOf, chipOfLook };

export class ProfilePanel {
  title = "Profile";
  id = "profile";

  constructor(app) {
    this.app = app;
    this.scope = h("select", {
      "aria-label": "Trace of the states",
      onchange: () => this.update(),
    });
    this.note = h("p", { class: "note" });
    this.states = h("div");
    this.phases = h("div");
    this.element = h(
      "div",
      { class: "split" },
      h(
        "section",
        { "aria-label": "States" },
        h(
          "div",
          { class: "controls" },
          h("h3", {}, "States"),
          h("label", {}, "of ", this.scope),
        ),
        this.note,
        this.states,
      ),
      h("section", { "aria-label": "Phases" }, this.phases),
    );
    this.turn = 0;
    this.#fillScope();
  }

  #fillScope() {
    const { model } = this.app;

    replace(
      this.scope,
      h("option", { value: "all" }, "all traces"),
      h("option", { value: "rows" }, "each visible row"),
      model.traces.map((trace) =>
        h(
          "option",
          { value: trace.number },
          model.nameOf(trace.node).slice(0, 80),
        ),
      ),
    );
  }

  async update() {
    const turn = ++this.turn;
    const { model, view } = this.app;
    const { from, to } = view.interval;

    if (this.scope.value === "rows") {
      await this.#updateRows(turn, from, to);
      return;
    }
    const chosen =
      this.scope.value === "all" ? null : new Set([Number(this.scope.value)]);

    this.element.setAttribute("aria-busy", "true");
    const goesOn = () => turn === this.turn;
    const profile =
      !chosen && hasServedProfile(model)
        ? await servedProfile(model, from, to, goesOn, (part) =>
            this.#showStates(part),
          )
        : await stateProfile(model, from, to, chosen, goesOn);

    if (!profile) return;
    this.#showStates(profile);
    await this.#showPhases(turn);
    if (turn === this.turn) this.element.removeAttribute("aria-busy");
  }

  /** The states of each row, which the search and the chooser select. */
  async #updateRows(turn, from, to) {
    const { model, tracks } = this.app;
    const rows = tracks.rows.list.filter(({ kind }) => kind === "states");
    const entries = [];
    const limits = { isRead: true, isExact: true };

    this.element.setAttribute("aria-busy", "true");
    for (const { states } of rows.slice(0, ROWS_MAX)) {
      const profile = await stateProfile(model, from, to, new Set([states.number]), () => turn === this.turn);

      if (!profile) return;
      limits.isRead &&= profile.isRead;
      limits.isExact &&= profile.isExact;
      for (const entry of profile.names.values())
        if (entry.total > 0 || entry.count > 0)
          entries.push({ ...entry, node: model.traces[states.number].node });
    }
    this.#showRows(entries, Number(to - from), limits, rows.length);
    await this.#showPhases(turn);
    if (turn === this.turn) this.element.removeAttribute("aria-busy");
  }

  #showRows(entries, length, limits, count) {
    const { model, view } = this.app;
    const number = (title, value) => ({ title, class: "number", value });
    const time = (ns) => shown(ns / 1e9, "s", formatLength(ns));
    const whole = view.interval.isAll ? model.lengthOf(model.start - 1n, model.end) : length;

    for (const entry of entries)
      entry.properties = { "data-state": entry.name, "data-node": entry.node.path };
    replace(
      this.note,
      limitsOf(limits),
      count > ROWS_MAX
        ? `The first ${ROWS_MAX} of ${count} rows. Hide rows or search to see the others. `
        : "",
    );
    replace(
      this.states,
      entries.length
        ? table(
            "States of each row in the interval",
            [
              { title: "Row", value: ({ node }) => model.nameOf(node) },
              {
                title: "State",
                csv: ({ name }) => name,
                value: ({ name }) => [
                  chipOf(name),
                  h("span", { class: "clip", title: name }, name),
                ],
              },
              number("Count", (entry) => shown(entry.count, "", String(entry.count))),
              number("Own time", ({ own }) => time(own)),
              number("Total time", ({ total }) => time(total)),
              number("Share of the interval", ({ total }) =>
                shown(total / whole, "", percent(total / whole)),
              ),
            ],
            entries,
            {},
            ROWS_MAX * 4,
          )
        : h("p", { class: "empty" }, "No states in the interval."),
    );
  }

  #showStates(profile) {
    const list = [...profile.names.values()]
      .filter((entry) => entry.total > 0 || entry.count > 0)
      .sort((a, b) => b.own - a.own);
    const own = list.reduce((sum, entry) => sum + Math.max(0, entry.own), 0);
    const { hasEnergy } = profile;
    const most = (kind) => Math.max(...list.map((entry) => entry[kind].joules), 0);
    const [mostOwn, mostTotal] = [most("ownEnergy"), most("totalEnergy")];

    replace(
      this.note,
      profile.part < 1
        ? `${percent(profile.part)} of the traces have been read. `
        : "",
      profile.hasFailed ? "Some files could not be read. " : "",
      limitsOf(profile),
      hasEnergy
        ? "The energy of a node is divided among its traces. The total energy of a state includes nested states; the own energy is charged to the innermost state. "
        : "",
      list.some((entry) => entry.totalEnergy.error > 0)
        ? "The interval cuts reduced power or states, or power that relations share: energies are estimates with an error bound. "
        : "",
    );
    replace(
      this.states,
      list.length
        ? table(
            "States in the interval",
            [
              {
                title: "State",
                value: (entry) => [
                  chipOf(entry.name),
                  h("span", { class: "clip", title: entry.name }, entry.name),
                ],
              },
              {
                title: "Category",
                value: (entry) => stateColours.of(entry.name).category,
              },
              {
                title: "Count",
                class: "number",
                value: (entry) =>
                  shown(entry.count, "", String(entry.count)),
              },
              {
                title: "Own time",
                class: "number bars",
                value: (entry) =>
                  bar(
                    entry.own / own,
                    shown(entry.own / 1e9, "s", [
                      `${profile.isExact ? "" : "≈ "}${formatLength(entry.own)} `,
                      h("small", {}, percent(entry.own / own)),
                    ]),
                  ),
              },
              {
                title: "Total time",
                class: "number",
                value: (entry) =>
                  shown(entry.total / 1e9, "s", [
                    formatLength(entry.total),
                    entry.error ? ` ± ${formatLength(entry.error, 2)}` : "",
                  ]),
              },
              ...(hasEnergy
                ? [
                    {
                      title: "Energy",
                      class: "number bars",
                      value: ({ own, ownEnergy }) =>
                        energyBar(ownEnergy, own, mostOwn),
                    },
                    {
                      title: "Total energy",
                      class: "number bars",
                      value: ({ total, totalEnergy }) =>
                        energyBar(totalEnergy, total, mostTotal),
                    },
                    {
                      title: "Power of the node",
                      class: "number",
                      value: ({ own, ownEnergy }) =>
                        meanPower(
                          new Known(ownEnergy.known, own),
                          (ownEnergy.node / ownEnergy.known) * 1e9,
                          ownEnergy,
                        ),
                    },
                  ]
                : []),
            ],
            list.map((entry) => ({
              ...entry,
              properties: { "data-state": entry.name },
            })),
            {},
            LIST_MAX,
          )
        : h("p", { class: "empty" }, "No states in the interval."),
    );
  }

  async #showPhases(turn) {
    const { model, view } = this.app;
    const rows = [];

    for (const phase of phasesOf(model, view)) {
      const energy = await totalEnergy(model, phase.from, phase.to);

      if (turn !== this.turn) return;
      rows.push({ ...phase, energy });
    }
    const most = Math.max(...rows.map((row) => row.energy?.joules ?? 0), 0);

    replace(
      this.phases,
      h("div", { class: "controls" }, h("h3", {}, "Phases")),
      rows.length
        ? table(
            "Phases",
            [
              {
                title: "Phase",
                value: (row) =>
                  h(
                    "button",
                    {
                      type: "button",
                      class: "link clip",
                      title: "Mark the phase and zoom to it",
                      onclick: () => {
                        view.setMark(row.from, row.to);
                        view.showInterval(row.from, row.to);
                      },
                    },
                    row.name || "(no name)",
                  ),
              },
              {
                title: "From",
                class: "number",
                value: (row) => shownTime(row.from, model),
              },
              {
                title: "Length",
                class: "number",
                value: (row) =>
                  shown(
                    Number(row.to - row.from) / 1e9,
                    "s",
                    formatLength(Number(row.to - row.from)),
                  ),
              },
              {
                title: "Energy",
                class: "number bars",
                value: (row) =>
                  row.energy
                    ? energyBar(
                        { ...row.energy, known: row.energy.known.known },
                        row.energy.known.duration,
                        most,
                      )
                    : shown(NaN, "J", "unknown", { "data-key": "energy" }),
              },
              {
                title: "Power",
                class: "number",
                value: (row) =>
                  row.energy
                    ? meanPower(row.energy.known, row.energy.watts, row.energy)
                    : shown(NaN, "W", "unknown"),
              },
              {
                title: "",
                value: (row) =>
                  row.isNamed
                    ? h(
                        "button",
                        {
                          type: "button",
                          class: "link",
                          onclick: () => this.app.removeNamed(row),
                        },
                        "remove",
                      )
                    : "",
              },
            ],
            rows,
          )
        : h(
            "p",
            { class: "empty" },
            "None: mark an interval and name it, or write the report with --phases.",
          ),
    );
  }
}
