// SPDX-License-Identifier: LGPL-2.1-or-later
// The selected state: its attributes, how long it took among all of its name, its
// energy, and the previous and next one of the same name.
import { durationsOf, quantileOf, rankOf } from "../data/states/durations.js";
import { chargesOf } from "../data/energy/energy.js";
import { Known } from "../data/energy/known.js";
import { percent } from "../data/numbers.js";
import { formatLength } from "../data/time.js";
import { announce, h, replace, shown, shownTime } from "../ui/dom.js";
import { chipOf } from "./profile.js";

export class DetailsPanel {
  title = "Details";
  id = "details";

  constructor(app) {
    this.app = app;
    this.element = h("div", {});
    this.turn = 0;
    /** Lengths of all states of a name: they take time to be found. */
    this.lengths = { key: null, sorted: [] };
  }

  async update() {
    const turn = ++this.turn;
    const { model, view } = this.app;
    const { selection } = view;
    const isWanted = () => turn === this.turn;

    this.element.removeAttribute("aria-busy");
    if (!selection) {
      replace(
        this.element,
        h("p", { class: "empty" }, "Click a state or an event to see its details."),
      );
      return;
    }
    const trace = model.traces[selection.trace];
    const state = await this.#find(trace, selection);

    if (!isWanted()) return;
    if (!state) {
      replace(
        this.element,
        h(
          "p",
          { class: "empty" },
          trace
            ? "The selected state is not loaded."
            : "The selected trace does not exist.",
        ),
      );
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    const details = await trace.states.details(state);
    const energy = await this.#energy(trace, state);
    const among = state.isEvent ? null : await this.#among(state, isWanted);

    if (!isWanted()) return;
    this.#show(trace, state, { details, energy, among });
    this.element.removeAttribute("aria-busy");
  }

  /** The state or event that is selected; null if it is not there. */
  async #find(trace, { start, end }) {
    if (!trace) return null;
    const { states } = trace;
    const [level] = states.levels;

    await states.track.refresh();
    for (const chunk of level?.chunks ?? []) {
      if (chunk.start > start || chunk.end < start) continue;
      await states.track.load(level, chunk, 0);
    }
    return (
      states
        .at(start, 0)
        ?.findLast((item) => item.start === start && item.end === end) ?? null
    );
  }

  /** What the trace is charged with while it is in the state. */
  async #energy(trace, { start, end }) {
    const charge = chargesOf(this.app.model).get(trace.number);

    if (!charge || end <= start) return null;
    await charge.refresh();
    return charge.amount(start, end);
  }

  /** How the length is among those of all states of the name. */
  async #among(state, isWanted) {
    const { model } = this.app;
    const read = model.traces.filter(({ track }) => track.isComplete).length;
    const key = `${state.name}\0${read}\0${model.reportCount}`;

    if (this.lengths.key !== key) {
      const found = await durationsOf(model.traces, state.name, {
        from: model.start - 1n,
        to: model.end,
        isWanted,
      });

      if (!found) return null;
      this.lengths = { key, sorted: found.lengths, isExact: found.isExact };
    }
    const { sorted, isExact } = this.lengths;

    return {
      count: sorted.length,
      rank: rankOf(sorted, Number(state.end - state.start)),
      median: quantileOf(sorted, 0.5),
      isExact,
    };
  }

  #show(trace, state, { details, energy, among }) {
    const { app } = this;
    const { model } = app;
    const ns = Number(state.end - state.start);
    const seconds = (time) => shownTime(time, model);
    const rows = [
      ["Trace", model.nameOf(trace.node)],
      state.isEvent ? ["Event at", seconds(state.start)] : ["Start", seconds(state.start)],
      ...(state.isEvent
        ? []
        : [
            ["End", seconds(state.end)],
            ["Length", shown(ns / 1e9, "s", formatLength(ns), { "data-key": "length" })],
          ]),
      ...(among
        ? [
            [
              "Among all of the name",
              [
                "longer than ",
                shown(among.rank, "", percent(among.rank), { "data-key": "quantile" }),
                " of ",
                shown(among.count, "", String(among.count), { "data-key": "count" }),
                ", median ",
                shown(among.median / 1e9, "s", formatLength(among.median)),
                among.isExact
                  ? ""
                  : "; the page is reduced or still read: states are missing",
              ],
            ],
          ]
        : []),
      ...(energy ? [["Energy", this.#joules(energy, ns)]] : []),
      ...(details ?? []).map(([name, value]) => [name || "text", value]),
    ];

    replace(
      this.element,
      h(
        "div",
        { class: "controls" },
        h(
          "h3",
          { class: "clip", title: state.name },
          state.isEvent ? "▾ " : chipOf(state.name),
          state.name.slice(0, 200),
        ),
        this.#button("Previous of the name", () => this.step(-1, state)),
        this.#button("Next of the name", () => this.step(1, state)),
        this.#button("Show it", () => app.selection.show(state)),
        state.isEvent
          ? null
          : this.#button("Mark it", () => app.view.setMark(state.start, state.end)),
        state.isEvent
          ? null
          : this.#button("Durations", () => app.showDurations(state.name)),
        this.#button("Copy as text", () => this.#copy(state, rows)),
      ),
      h(
        "dl",
        { class: "details" },
        rows.map(([name, value]) => [
          h("dt", { class: "clip", title: name }, name.slice(0, 100)),
          h("dd", {}, value),
        ]),
      ),
    );
  }

  #joules(energy, ns) {
    const known = new Known(energy.known, ns);

    return [
      shown(known.isAny ? energy.joules : NaN, "J", known.total(energy.joules, energy), {
        "data-key": "energy",
        title: known.note,
      }),
      known.note ? `; ${known.note}` : "",
    ];
  }

  #button(text, onclick) {
    return h("button", { type: "button", onclick }, text);
  }

  /** The rows as text, as they stand there. */
  async #copy(state, rows) {
    const text = [
      state.name,
      ...rows.map(
        ([name, value]) =>
          `${name}\t${typeof value === "string" ? value : h("span", {}, value).textContent}`,
      ),
      location.href,
    ].join("\n");

    try {
      await navigator.clipboard.writeText(`${text}\n`);
      announce("Copied.");
    } catch {
      announce("The browser does not allow copying.");
    }
  }

  /** Select the next state of the name of the trace, or the one before. */
  async step(direction, state) {
    const { app } = this;
    const { states, number } = app.model.traces[app.view.selection.trace];
    let at = state.start;

    for (;;) {
      const other = await states.next(at, direction);

      if (!other) {
        announce(`No other ${state.name}.`);
        return;
      }
      if (other.name === state.name) {
        app.selection.select(number, other.start, Number(other.end - other.start));
        return;
      }
      at = other.start;
    }
  }
}
