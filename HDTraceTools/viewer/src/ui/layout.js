// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements of the page, and where they stand.
import { h, icon } from "./dom.js";
import { Notes } from "./notes.js";
import { makeHeader, makeToolbar } from "./tools.js";

/** Make the elements of an application; app.element has all of them. */
export function buildLayout(app) {
  const { project } = app.model.meta;
  const { view } = app;

  document.title = `${project.name} – HDTrace`;
  app.search = h("input", {
    type: "search",
    placeholder: "Search rows",
    "aria-label": "Search rows: nodes, values, groups",
    spellcheck: "false",
    oninput: () => view.setSearch(app.search.value),
  });
  app.hiddenNote = h("span", { class: "muted" });
  app.position = h("output", { class: "position", "aria-live": "off" });
  app.messageNote = h("p", { class: "message-note", hidden: true });
  app.notes = new Notes(app);
  app.helpDialog = h("dialog", { class: "dialog", "aria-labelledby": "help-title" });
  app.element = h(
    "div",
    { class: "app" },
    makeHeader(app, project),
    app.notes.elements,
    app.summary.element,
    h(
      "main",
      { class: "main" },
      makeToolbar(app),
      h(
        "div",
        { class: "time-head" },
        h(
          "div",
          { class: "corner" },
          app.search,
          h(
            "button",
            {
              type: "button",
              class: "rows-button",
              onclick: () => app.chooser.open(),
            },
            icon("rows"),
            "Rows…",
          ),
          app.hiddenNote,
        ),
        h(
          "div",
          { class: "time-strip" },
          app.overview.element,
          app.tracks.rulerCanvas,
        ),
      ),
      h(
        "section",
        { class: "timeline", "aria-label": "Time lines" },
        app.tracks.element,
        app.messageNote,
        app.paper.note,
      ),
      app.panelArea.splitter,
      app.panelArea.element,
    ),
    app.tooltip.element,
    app.chooser.element,
    app.helpDialog,
  );
}
