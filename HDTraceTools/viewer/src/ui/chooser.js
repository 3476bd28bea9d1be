// SPDX-License-Identifier: LGPL-2.1-or-later
// The dialog that says which rows are shown: by value, by node, and states.
import { h, replace } from "./dom.js";

/** A checkbox of several keys: on, off, or some. */
function box(label, keys, view, update) {
  const hidden = keys.filter((key) => view.isHidden(key)).length;
  const input = h("input", { type: "checkbox" });

  input.checked = hidden === 0;
  input.indeterminate = hidden > 0 && hidden < keys.length;
  input.addEventListener("change", () => {
    view.setHidden(keys, !input.checked);
    update();
  });
  return h("label", { class: "choice" }, input, h("span", { class: "clip", title: label }, label));
}

export class Chooser {
  constructor(app) {
    this.app = app;
    this.filter = h("input", {
      type: "search",
      placeholder: "Find",
      "aria-label": "Find values and nodes",
      oninput: () => this.#fill(),
    });
    this.content = h("div", { class: "chooser" });
    this.element = h(
      "dialog",
      { class: "dialog", "aria-labelledby": "chooser-title" },
      h(
        "header",
        {},
        h("h2", { id: "chooser-title" }, "Visible rows"),
        this.filter,
        h(
          "button",
          { type: "button", onclick: () => this.#showDefaults() },
          "Defaults",
        ),
        h(
          "button",
          { type: "button", class: "primary", onclick: () => this.element.close() },
          "Done",
        ),
      ),
      this.content,
    );
  }

  open() {
    this.#fill();
    this.element.showModal();
  }

  #fill() {
    const { model, view } = this.app;
    const text = this.filter.value.trim().toLowerCase();
    const matches = (label) => !text || label.toLowerCase().includes(text);
    const update = () => this.#fill();
    const scroll = this.content.scrollTop;

    replace(
      this.content,
      h(
        "section",
        {},
        h("h3", {}, "Values of all nodes"),
        this.#values(model, view, matches, update),
      ),
      h(
        "section",
        {},
        h("h3", {}, "States, events and nodes"),
        model.traces.length
          ? box(
              "States of all traces",
              model.traces.map((trace) => trace.states.key),
              view,
              update,
            )
          : null,
        this.#nodes(model.root, model, view, matches, update),
      ),
    );
    this.content.scrollTop = scroll;
  }

  #values(model, view, matches, update) {
    const groupings = new Map();

    for (const series of model.groups.flatMap((group) => group.series)) {
      if (series.isText || !matches(series.value.name)) continue;
      const grouping = series.value.grouping || series.group.name;
      const names = groupings.get(grouping) ?? new Map();
      const label =
        series.value.name + (series.level.unit ? ` (${series.level.unit})` : "");

      names.set(label, [...(names.get(label) ?? []), series.key]);
      groupings.set(grouping, names);
    }
    return [...groupings].map(([grouping, names]) =>
      h(
        "fieldset",
        {},
        h("legend", {}, box(grouping, [...names.values()].flat(), view, update)),
        [...names].map(([label, keys]) => box(label, keys, view, update)),
      ),
    );
  }

  /** Keys of everything at a node and below. */
  #keysOf(node) {
    return [
      ...(node.states ? [node.states.key] : []),
      ...(node.relations ? [node.relations.key] : []),
      ...node.series.filter((s) => !s.isText).map((series) => series.key),
      ...node.children.flatMap((child) => this.#keysOf(child)),
    ];
  }

  #nodes(node, model, view, matches, update) {
    return node.children
      .filter((child) => this.#hasMatch(child, matches))
      .map((child) => {
        const keys = this.#keysOf(child);
        const type = model.levelOf(child);

        return h(
          "div",
          { class: "choice-node" },
          keys.length
            ? box(`${child.label}${type ? ` (${type})` : ""}`, keys, view, update)
            : h("span", { class: "choice" }, child.label),
          this.#nodes(child, model, view, matches, update),
        );
      });
  }

  #hasMatch(node, matches) {
    return (
      matches(node.label) ||
      node.children.some((child) => this.#hasMatch(child, matches))
    );
  }

  #showDefaults() {
    const { view } = this.app;

    view.hidden = new Set(view.defaults.hidden);
    view.changed("rows");
    this.element.close();
  }
}
