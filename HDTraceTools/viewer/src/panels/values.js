// SPDX-License-Identifier: LGPL-2.1-or-later
// Values that the reader defines by an expression over others.
import { h, replace, table } from "../ui/dom.js";
import { AGGREGATES, FUNCTIONS } from "../data/series/parser.js";

export class ValuesPanel {
  title = "Own values";
  id = "values";

  constructor(app) {
    this.app = app;
    this.name = h("input", { type: "text", size: "14", required: true, spellcheck: "false" });
    this.text = h("input", {
      type: "text",
      size: "36",
      required: true,
      spellcheck: "false",
      placeholder: "sum(P)",
      "aria-describedby": "expression-error",
    });
    this.unit = h("input", { type: "text", size: "6", spellcheck: "false" });
    this.error = h("p", { class: "error", role: "alert", id: "expression-error" });
    this.list = h("div");
    this.element = h(
      "div",
      { class: "split" },
      h(
        "section",
        { "aria-label": "Define a value" },
        h(
          "form",
          {
            class: "controls",
            onsubmit: (event) => {
              event.preventDefault();
              this.#add();
            },
          },
          h("label", {}, "Name ", this.name),
          h("label", {}, "= ", h("span", { class: "sr" }, "Expression"), this.text),
          h("label", {}, "Unit ", this.unit),
          h("button", { type: "submit" }, "Add"),
        ),
        this.error,
        this.list,
      ),
      this.#help(),
    );
  }

  #help() {
    return h(
      "section",
      { class: "help", "aria-label": "Syntax of expressions" },
      h("p", {}, "Examples: ", ...this.#examples()),
      h(
        "p",
        {},
        "A name is a value of the node, or of a node above it; ",
        h("code", {}, "group.name"),
        " and ",
        h("code", {}, "name@node"),
        " select a group and a node. Quote names with special characters: ",
        h("code", {}, '"NET IN"@"node 1"'),
        ". Functions over all nodes with the value: ",
        AGGREGATES.join(", "),
        ". Functions of numbers: ",
        Object.keys(FUNCTIONS).join(", "),
        " and + − * / ^.",
      ),
      h(
        "p",
        {},
        "If a value is missing, the result is missing. Functions over nodes skip nodes without a value. Counters and deltas are used as rates.",
      ),
    );
  }

  #examples() {
    const { model } = this.app;
    const names = new Set(
      model.groups.flatMap((g) => g.values.map((value) => value.name)),
    );
    const wanted = [
      ["P", "sum(P)", "All nodes"],
      ["CPU_TOTAL", "P / CPU_TOTAL", "W per %"],
      ["P", "P - min(P)", "Above idle"],
    ].filter(
      ([name, text]) =>
        names.has(name) && (!text.includes("CPU_TOTAL") || names.has("P")),
    );
    const list = wanted.length
      ? wanted
      : [...names].slice(0, 1).map((name) => [name, `mean("${name}")`, "Mean"]);

    return list.map(([, text, name]) => [
      h(
        "button",
        {
          type: "button",
          class: "link",
          onclick: () => {
            this.name.value = name;
            this.text.value = text;
            this.text.focus();
          },
        },
        h("code", {}, text),
      ),
      " ",
    ]);
  }

  #add() {
    const error = this.app.definitions.add({
      name: this.name.value.trim(),
      text: this.text.value.trim(),
      unit: this.unit.value.trim(),
    });

    replace(this.error, error ?? "");
    this.text.toggleAttribute("aria-invalid", Boolean(error));
    if (error) return;
    this.name.value = "";
    this.text.value = "";
    this.unit.value = "";
  }

  update() {
    const { view, definitions } = this.app;

    replace(
      this.list,
      view.definitions.length
        ? table(
            "Defined values",
            [
              { title: "Name", value: (row) => row.name },
              { title: "Expression", value: (row) => h("code", {}, row.text) },
              { title: "Unit", value: (row) => row.unit || "–" },
              {
                title: "",
                value: (row) =>
                  definitions.failed.get(row.number) ??
                  h(
                    "button",
                    {
                      type: "button",
                      class: "link",
                      onclick: () => this.app.definitions.remove(row),
                    },
                    "remove",
                  ),
              },
            ],
            view.definitions,
          )
        : null,
    );
  }
}
