// SPDX-License-Identifier: LGPL-2.1-or-later
// The project, how it was recorded, and who made this page.
import { kindText } from "../data/numbers.js";
import { h, replace, table } from "../ui/dom.js";

export class AboutPanel {
  title = "About";
  id = "about";

  constructor(app) {
    this.app = app;
    this.element = h("div", { class: "split" });
  }

  update() {
    const { meta } = this.app.model;
    const { project } = meta;

    replace(
      this.element,
      h(
        "section",
        { "aria-label": "The project" },
        h("h3", {}, "Project"),
        h(
          "dl",
          {},
          ...[
            ["Name", project.name],
            ["Description", project.description || "–"],
            ["File", project.file],
            ["Levels", project.levels.join(" › ") || "–"],
            ["Nodes", String(meta.nodes.length - 1)],
            ["Groups", String(meta.groups.length)],
            ["Traces", String(meta.traces.length)],
            ["Messages", String(this.app.model.messages.count)],
          ].flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]),
        ),
        h("h3", {}, "Values"),
        this.#values(meta),
      ),
      h(
        "section",
        { "aria-label": "This page" },
        h("h3", {}, "This page"),
        h(
          "p",
          {},
          `Written by ${meta.generator}. ${this.app.model.source.isServed ? "It connects only to the hdtrace view that serves it" : "It contains all its data and opens no connections"}.`,
        ),
        h("h3", {}, "Licences of the included software"),
        h(
          "pre",
          { tabindex: "0" },
          document.getElementById("licences").textContent.trim(),
        ),
      ),
    );
  }

  #values(meta) {
    const seen = new Map();

    for (const group of meta.groups)
      for (const value of group.values) {
        const key = JSON.stringify([group.name, value]);

        seen.set(key, { group, value, count: (seen.get(key)?.count ?? 0) + 1 });
      }
    return table(
      "Values",
      [
        { title: "Group", value: ({ group }) => group.name },
        { title: "Value", value: ({ value }) => value.name },
        { title: "Unit", value: ({ value }) => value.unit || "–" },
        { title: "Kind", value: ({ value }) => kindText(value) },
        { title: "Type", value: ({ value }) => value.type },
        { title: "Grouping", value: ({ value }) => value.grouping || "–" },
        {
          title: "Stated",
          value: ({ value }) =>
            h(
              "span",
              { class: "wrap" },
              value.attributes.map(([name, text]) => `${name}: ${text}`).join("; ") ||
                "–",
            ),
        },
        { title: "Nodes", class: "number", value: ({ count }) => String(count) },
      ],
      [...seen.values()],
      {},
      400,
    );
  }
}
