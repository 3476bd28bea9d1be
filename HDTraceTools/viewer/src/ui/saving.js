// SPDX-License-Identifier: LGPL-2.1-or-later
// Saving the visible panel: as a picture of the size that it has on paper, and its
// tables as CSV.
import { fileName, tableCsv } from "../data/csv.js";
import { withResolution } from "../data/png.js";
import { pictureOf, pixelsOf, pngOf } from "../draw/picture.js";
import { announce, contentOf, h, save, setPixelRatio } from "./dom.js";
import { intervalText } from "../rows/tracks.js";

/** Widths on paper, in mm, and pixels in an inch of PNG. */
const WIDTH_MM = 180;
const WIDTH_MIN = 40;
const WIDTH_MAX = 1000;
const PER_INCH = 300;

/** What stands in a cell. */
function cellOf(content) {
  // Names have all their blanks.
  if (typeof content === "string") return { text: content, numbers: [] };
  const element = h("span", {}, content);
  const numbers = [...element.querySelectorAll("[data-value]")];

  return {
    text: element.textContent.replace(/\s+/g, " ").trim(),
    numbers: numbers.map(({ dataset }) => ({
      value: dataset.value,
      unit: dataset.unit ?? "",
    })),
  };
}

/** The tables of an element: {title, count, csv()}. */
function tablesOf(element) {
  const lists = [...element.querySelectorAll("dl")].map((list) => ({
    title: "Properties",
    count: list.querySelectorAll("dt").length,
    csv: () =>
      tableCsv(
        ["Property", "Value"],
        [...list.querySelectorAll("dt")].map((name) => [
          { text: name.title || name.textContent, numbers: [] },
          cellOf([...name.nextElementSibling.cloneNode(true).childNodes]),
        ]),
      ),
  }));
  const tables = [...element.querySelectorAll("table")].flatMap((one) => {
    const content = contentOf(one);

    return content?.rows.length
      ? {
          title: content.caption,
          count: content.rows.length,
          csv: () =>
            tableCsv(
              content.columns.map(({ title }) => title),
              content.rows.map((row) =>
                content.columns.map((column) => cellOf((column.csv ?? column.value)(row))),
              ),
            ),
        }
      : [];
  });

  return [...tables, ...lists.filter(({ count }) => count)];
}

export class Saving {
  constructor(app) {
    this.app = app;
  }

  get #panel() {
    return this.app.panels.find(({ id }) => id === this.app.view.panel);
  }

  #name(...parts) {
    const { name } = this.app.model.meta.project;

    return [name, ...parts].map(fileName).join("-");
  }

  /** The panel as a picture, laid out for that width on paper. */
  async picture(mm) {
    const { app } = this;
    const panel = this.#panel;
    const { from, to, isAll } = app.view.interval;
    const title = [
      app.model.meta.project.name,
      panel.title,
      intervalText(app.model, isAll ? from + 1n : from, to),
    ].join(" · ");
    const heading = h("p", { class: "picture-title" }, title);
    const { classList } = document.documentElement;
    const { element } = panel;
    const lay = (isPicture) => {
      for (const name of ["printing", "picture"]) classList.toggle(name, isPicture);
      element.style.width = isPicture ? `${pixelsOf(mm)}px` : "";
      setPixelRatio(isPicture ? PER_INCH / 96 : null);
      app.tracks.restyle();
      panel.restyle?.();
    };

    // Nothing is painted before all is as it was. uPlot draws in a microtask, which
    // is earlier.
    element.prepend(heading);
    try {
      lay(true);
      await null;
      return pictureOf(element, mm, title);
    } finally {
      heading.remove();
      lay(false);
    }
  }

  async #saveSvg(mm) {
    const { text } = await this.picture(mm);

    save(`${this.#name(this.#panel.id)}.svg`, "image/svg+xml", text);
  }

  async #savePng(mm) {
    const { bytes, perInch } = await pngOf(await this.picture(mm), PER_INCH);

    save(
      `${this.#name(this.#panel.id)}.png`,
      "image/png",
      withResolution(bytes, perInch),
    );
  }

  /** Ask what is to be saved. */
  open() {
    const panel = this.#panel;
    const tables = tablesOf(panel.element);
    const width = h("input", {
      type: "number",
      min: WIDTH_MIN,
      max: WIDTH_MAX,
      value: WIDTH_MM,
      size: "5",
    });
    const note = h("p", { class: "error", role: "alert" });
    const button = (text, onclick) => h("button", { type: "button", onclick }, text);
    const picture = (text, make) =>
      button(text, async () => {
        note.textContent = "";
        if (!width.reportValidity() || !width.value) return;
        try {
          await make(Number(width.value));
          announce("Saved.");
        } catch (error) {
          note.textContent = `The picture cannot be made: ${error.message}`;
        }
      });
    const dialog = h(
      "dialog",
      { class: "dialog small", "aria-labelledby": "saving-title" },
      h(
        "header",
        {},
        h("h2", { id: "saving-title" }, `Save the panel ${panel.title}`),
        h(
          "button",
          { type: "button", class: "primary", onclick: () => dialog.close() },
          "Done",
        ),
      ),
      h(
        "div",
        { class: "controls" },
        h("label", {}, "Width on paper ", width, " mm"),
        picture("SVG", (mm) => this.#saveSvg(mm)),
        picture(`PNG, ${PER_INCH} dpi`, (mm) => this.#savePng(mm)),
      ),
      note,
      tables.length ? h("h3", {}, "Tables") : null,
      tables.map(({ title, count, csv }, i) =>
        h(
          "p",
          {},
          button("CSV", () => {
            const which = tables.length > 1 ? [String(i + 1)] : [];

            save(`${this.#name(panel.id, ...which)}.csv`, "text/csv", csv());
            announce("Saved.");
          }),
          ` ${title}, ${count === 1 ? "1 row" : `${count} rows`}`,
        ),
      ),
    );

    dialog.addEventListener("close", () => dialog.remove());
    this.app.element.append(dialog);
    dialog.showModal();
  }
}
