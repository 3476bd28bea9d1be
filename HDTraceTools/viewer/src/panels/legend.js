// SPDX-License-Identifier: LGPL-2.1-or-later
// The legend: states and events by category. Each can be switched off.
import { stateColours, waitLook } from "../draw/colours.js";
import { formatLength } from "../data/time.js";
import { h, replace, shown } from "../ui/dom.js";
import { chipOf, chipOfLook } from "./profile.js";

export class LegendPanel {
  title = "Legend";
  id = "legend";
  /** Whether it says what names the tracks have that were read. */
  isOfNames = true;

  constructor(app) {
    this.app = app;
    this.element = h("div", { class: "legend" });
  }

  /** What a name looks like: states have a colour, events are marks. */
  #looksLike(name) {
    const { report } = this.app.model;

    return !report || report.states.some((state) => state.name === name)
      ? chipOf(name)
      : h("span", { class: "chip", "aria-label": "event" }, "▾");
  }

  /** How often a state was there, and for how long in all, in the whole run. */
  #sums(name) {
    const { model } = this.app;
    const state = model.isJoined
      ? null
      : model.report?.states.find((one) => one.name === name);

    return state
      ? h(
          "span",
          { class: "muted" },
          shown(state.count, "", `${state.count} times, `),
          shown(
            Number(state.own_seconds),
            "s",
            formatLength(Number(state.own_seconds) * 1e9),
          ),
        )
      : null;
  }

  /** The part of states that is waiting: of all traces together. */
  #waits() {
    const { model, view } = this.app;

    if (!(model.waiting > 0)) return null;
    return h(
      "div",
      { class: "legend-waits" },
      this.#checkbox(
        [
          chipOfLook(waitLook()),
          h("span", { class: "clip" }, "Waiting part of a state"),
          h(
            "span",
            { class: "muted" },
            shown(model.waiting, "s", formatLength(model.waiting * 1e9), {
              "data-key": "waiting",
            }),
          ),
        ],
        view.showsWaits,
        (isOn) => {
          view.showsWaits = isOn;
          view.changed("looks");
        },
      ),
      model.traces.every(({ states }) => states.waits.isKnown)
        ? null
        : h(
            "p",
            { class: "muted", "data-key": "waits-unknown" },
            "Rows do not show all waits: the page is reduced, or not all were read.",
          ),
    );
  }

  update() {
    const { model, view } = this.app;
    const categories = new Map();

    for (const { track } of model.traces)
      for (const name of track.names) stateColours.of(name);

    for (const look of stateColours.all) {
      const list = categories.get(look.category) ?? [];

      list.push(look);
      categories.set(look.category, list);
    }
    replace(
      this.element,
      categories.size
        ? null
        : h("p", { class: "empty" }, "No states and no events."),
      this.#waits(),
      [...categories].map(([category, looks]) =>
        h(
          "fieldset",
          {},
          h(
            "legend",
            {},
            this.#checkbox(
              category,
              looks.every((look) => !view.hiddenStates.has(look.name)),
              (isOn) => this.#set(looks, isOn),
            ),
          ),
          looks.map((look) =>
            this.#checkbox(
              [
                this.#looksLike(look.name),
                h("span", { class: "clip", title: look.name }, look.name),
                this.#sums(look.name),
              ],
              !view.hiddenStates.has(look.name),
              (isOn) => this.#set([look], isOn),
            ),
          ),
        ),
      ),
    );
  }

  #checkbox(content, isOn, take) {
    const input = h("input", {
      type: "checkbox",
      onchange: () => take(input.checked),
    });

    input.checked = isOn;
    return h("label", { class: "legend-item" }, input, content);
  }

  #set(looks, isOn) {
    const { view } = this.app;

    for (const { name } of looks) {
      if (isOn) view.hiddenStates.delete(name);
      else view.hiddenStates.add(name);
    }
    view.changed("looks");
  }
}
