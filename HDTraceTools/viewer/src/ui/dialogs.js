// SPDX-License-Identifier: LGPL-2.1-or-later
// Dialogs: a text, the scales, the help.
import { scaleName } from "../draw/scales.js";
import { h, replace } from "./dom.js";
import { keyTable } from "./keys.js";

/** Ask for a text. */
export function ask(app, question, take) {
  const input = h("input", { type: "text", required: true, size: "30" });
  const dialog = h(
    "dialog",
    { class: "dialog small", "aria-label": question },
    h(
      "form",
      {
        method: "dialog",
        onsubmit: () => take(input.value),
      },
      h("label", {}, `${question} `, input),
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "submit", class: "primary" }, "OK"),
        h(
          "button",
          { type: "button", onclick: () => dialog.close() },
          "Cancel",
        ),
      ),
    ),
  );

  dialog.addEventListener("close", () => dialog.remove());
  app.element.append(dialog);
  dialog.showModal();
  input.focus();
}

function rangeInputs(app, name) {
  const { view } = app;
  const range = view.ranges.get(name) ?? ["", ""];
  const inputs = range.map((value, i) =>
    h("input", {
      type: "text",
      inputmode: "decimal",
      size: "10",
      value,
      "aria-label": `${i ? "Maximum" : "Minimum"} of ${name}`,
      onchange: () => {
        const [min, max] = inputs.map((input) => Number(input.value));

        if (inputs.every((input) => input.value.trim()) && min < max)
          view.ranges.set(name, [min, max]);
        else view.ranges.delete(name);
        view.changed("looks");
      },
    }),
  );

  return h(
    "tr",
    {},
    h("th", { scope: "row", class: "clip" }, name),
    h("td", {}, inputs[0], " to ", inputs[1]),
  );
}

/** Show how values are scaled. */
export function showScales(app) {
  const { view } = app;
  const names = new Map();

  for (const { series } of app.tracks.rows.list)
    if (series) names.set(scaleName(series), series);
  const toggle = (label, isOn, take) => {
    const input = h("input", {
      type: "checkbox",
      onchange: () => {
        take(input.checked);
        app.tracks.scales.known.clear();
        view.changed("looks");
      },
    });

    input.checked = isOn;
    return h("p", {}, h("label", {}, input, " ", label));
  };
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": "scales-title" },
    h(
      "header",
      {},
      h("h2", { id: "scales-title" }, "Scales"),
      h(
        "button",
        { type: "button", class: "primary", onclick: () => dialog.close() },
        "Done",
      ),
    ),
    toggle(
      "Values of a grouping share a scale",
      view.isCommonScale,
      (isOn) => (view.isCommonScale = isOn),
    ),
    toggle(
      "All scales start at zero",
      view.isFromZero,
      (isOn) => (view.isFromZero = isOn),
    ),
    toggle(
      "Scales fit the visible time, not the whole run",
      view.isFitted,
      (isOn) => (view.isFitted = isOn),
    ),
    h(
      "table",
      {},
      h("caption", {}, "Fixed ranges (empty: automatic)"),
      h(
        "tbody",
        {},
        [...names.keys()].map((name) => rangeInputs(app, name)),
      ),
    ),
  );

  dialog.addEventListener("close", () => dialog.remove());
  app.element.append(dialog);
  dialog.showModal();
}

/** Show the keys. */
export function showHelp(app) {
  replace(
    app.helpDialog,
    h(
      "header",
      {},
      h("h2", { id: "help-title" }, "Help"),
      h(
        "button",
        {
          type: "button",
          class: "primary",
          onclick: () => app.helpDialog.close(),
        },
        "Close",
      ),
    ),
    h(
      "p",
      {},
      "The wheel zooms at the pointer; over the names, or with Shift, it scrolls. Dragging scrolls. Dragging on the ruler, or with Shift, marks an interval, and the tables below show its numbers. A double click marks a state. A click on a relation follows its request through all rows.",
    ),
    h(
      "table",
      { class: "keys" },
      h("caption", {}, "Keys"),
      h(
        "tbody",
        {},
        keyTable(app).map(([keys, text]) =>
          h(
            "tr",
            {},
            h(
              "th",
              { scope: "row" },
              keys.split(/\s+/).map((key) => h("kbd", {}, key)),
            ),
            h("td", {}, text),
          ),
        ),
      ),
    ),
    h(
      "p",
      {},
      "An interval excludes its start and includes its end. Means are time-weighted. The address of this page follows the view: copy it to share the view.",
    ),
  );
  app.helpDialog.showModal();
}
