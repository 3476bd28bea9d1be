// SPDX-License-Identifier: LGPL-2.1-or-later
// The top of the page, and the buttons above the rows.
import { parseWindow } from "../data/series/windows.js";
import { showScales } from "./dialogs.js";
import { h, iconButton } from "./dom.js";

/** The top of the page. */
export function makeHeader(app, project) {
  app.themeButton = iconButton("moon", "Dark or light", () =>
    app.toggleTheme(),
  );
  return h(
    "header",
    { class: "header" },
    h("span", { class: "logo", "aria-hidden": "true" }),
    h("h1", { class: "clip", title: project.name }, project.name),
    project.description
      ? h(
          "p",
          { class: "description clip", title: project.description },
          project.description,
        )
      : null,
    h("span", { class: "space" }),
    app.themeButton,
    iconButton("print", "Print (Ctrl+P)", () => app.paper.print()),
    iconButton("help", "Help and keys (?)", () => app.showHelp()),
  );
}

/** Over how many seconds curves are means; empty: they have all entries. */
function windowInput(app) {
  const { view } = app;

  app.windowInput = h("input", {
    type: "text",
    inputmode: "decimal",
    size: "6",
    placeholder: "none",
    title: "Draw means over windows of this length in seconds (w)",
    onchange: () => {
      const text = app.windowInput.value.trim();
      const ns = parseWindow(text);

      // What is no length stays what it was.
      if (ns || !text || Number(text) === 0) view.setWindow(ns);
      else app.showLooks();
    },
  });
  return app.windowInput;
}

/** The buttons of the view. */
export function makeToolbar(app) {
  const { view } = app;

  app.arrowButton = iconButton(
    "arrows",
    "Messages and causes as arrows (a)",
    () => app.toggleArrows(),
    { "aria-pressed": "true" },
  );
  app.pathButton = iconButton(
    "path",
    "Critical path (c)",
    () => app.togglePath(),
    { "aria-pressed": "false" },
  );
  app.alikeButton = iconButton(
    "alike",
    "One row for ranks that behave alike (g)",
    () => app.alike.toggle(),
    { "aria-pressed": "false" },
  );
  app.followButton = iconButton(
    "follow",
    "Follow the end of the run (l)",
    () => app.toggleFollowing(),
    { "aria-pressed": "true", hidden: true },
  );
  app.scaleButton = iconButton("scale", "Scales…", () => showScales(app));
  return h(
    "div",
    { class: "toolbar", role: "toolbar", "aria-label": "View" },
    iconButton("whole", "Whole run (0)", () => view.whole()),
    iconButton("back", "Previous view (z)", () => view.back()),
    iconButton("left", "Earlier (←)", () => view.pan(-0.25)),
    iconButton("right", "Later (→)", () => view.pan(0.25)),
    iconButton("zoomIn", "Zoom in (+)", () => view.zoom(0.5, app.cursorShare)),
    iconButton("zoomOut", "Zoom out (−)", () => view.zoom(2, app.cursorShare)),
    iconButton("mark", "Mark the visible time (m)", () =>
      view.setMark(view.start, view.end),
    ),
    app.followButton,
    h("span", { class: "divider" }),
    app.arrowButton,
    app.pathButton,
    app.alikeButton,
    app.scaleButton,
    h("span", { class: "divider" }),
    h("label", { class: "window" }, "Window ", windowInput(app), " s"),
    h("span", { class: "divider" }),
    app.position,
  );
}
