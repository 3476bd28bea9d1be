// SPDX-License-Identifier: LGPL-2.1-or-later
// Notes on a time and a node, which the server keeps beside the project: a list, to add,
// to remove, and to go to.
import { lineOfNote, parseNotes } from "../data/notes.js";
import { formatLength } from "../data/time.js";
import { announce, h, replace, shown, shownTime, table } from "../ui/dom.js";

/** So many are listed. */
const LIST_MAX = 400;

export class NotesPanel {
  title = "Notes";
  id = "notes";

  constructor(app) {
    this.app = app;
    this.text = h("input", {
      type: "text",
      size: "44",
      required: true,
      maxlength: "4000",
      spellcheck: "true",
    });
    this.place = h("select", { "aria-label": "Place of the note" });
    this.error = h("p", { class: "error", role: "alert" });
    this.list = h("div");
    this.element = h(
      "div",
      {},
      h(
        "form",
        {
          class: "controls",
          onsubmit: (event) => {
            event.preventDefault();
            this.#add();
          },
        },
        h("label", {}, "Note ", this.text),
        h("label", {}, "on ", this.place),
        h("button", { type: "submit" }, "Add"),
      ),
      this.error,
      this.list,
    );
  }

  /** What a note can be about: {title, from, to, node}. */
  #places() {
    const { model, view, tracks } = this.app;
    const { selection, mark, cursor } = view;
    const row = tracks.focusedRow;
    const node = row?.node?.path ?? "";
    const where = node ? ` of ${node.slice(0, 60)}` : "";
    const places = [];

    if (selection && model.traces[selection.trace])
      places.push({
        title: "the selected state",
        from: selection.start,
        to: selection.end,
        node: model.traces[selection.trace].node.path,
      });
    if (mark)
      places.push({ title: "the marked interval", from: mark.from, to: mark.to, node: "" });
    if (mark && node)
      places.push({ title: `the marked interval${where}`, from: mark.from, to: mark.to, node });
    if (cursor !== null)
      places.push({ title: `the cursor${where}`, from: cursor, to: cursor, node });
    places.push({ title: "the visible time", from: view.start, to: view.end, node: "" });
    return places;
  }

  async update() {
    const before = this.place.selectedIndex > 0 ? this.places[this.place.selectedIndex].title : null;

    this.places = this.#places();
    replace(
      this.place,
      this.places.map(({ title }, i) =>
        h("option", { value: i, selected: title === before }, title),
      ),
    );
    // Other pages and editors change them, too.
    await this.#load();
  }

  async #load() {
    const { source } = this.app.model;

    try {
      const content = await source.notes();

      if (content !== this.content) this.#show(parseNotes(content));
      this.content = content;
    } catch (error) {
      replace(this.error, `The notes cannot be read: ${error.message}`);
    }
  }

  async #change(what, line) {
    this.element.setAttribute("aria-busy", "true");
    replace(this.error);
    try {
      const problem = await this.app.model.source.changeNote(what, line);

      if (problem) replace(this.error, problem);
      await this.#load();
      return !problem;
    } catch (error) {
      replace(this.error, `hdtrace view cannot be reached: ${error.message}`);
      return false;
    } finally {
      this.element.removeAttribute("aria-busy");
    }
  }

  async #add() {
    const place = this.places[this.place.selectedIndex];
    const line = lineOfNote({ ...place, text: this.text.value });

    if (!line) {
      replace(this.error, "The note has no text, or is too long.");
      return;
    }
    if (!(await this.#change("add", line))) return;
    this.text.value = "";
    announce("Note added.");
  }

  /** Show the time of a note, mark it, and scroll to its node. */
  #goTo({ from, to, node }) {
    const { view, tracks, selection } = this.app;
    const row = node && tracks.rows.list.find((one) => one.node?.path === node);

    if (to > from) {
      view.setMark(from, to);
      view.showInterval(from, to);
    } else {
      const span = Math.min(view.span, view.wholeSpan / 10);

      view.show(from - BigInt(Math.round(span / 2)), span);
      view.setCursor(from);
    }
    if (row) selection.scrollToRow(row);
  }

  #show(notes) {
    const { model } = this.app;

    replace(
      this.list,
      notes.length
        ? table(
            "Notes",
            [
              {
                title: "Note",
                csv: ({ text }) => text,
                value: (note) =>
                  h(
                    "button",
                    {
                      type: "button",
                      class: "link clip",
                      title: note.text.slice(0, 1000),
                      onclick: () => this.#goTo(note),
                    },
                    note.text.slice(0, 200),
                  ),
              },
              {
                title: "Start",
                class: "number",
                value: ({ from }) => shownTime(from, model),
              },
              {
                title: "Length",
                class: "number",
                value: ({ from, to }) =>
                  to > from
                    ? shown(Number(to - from) / 1e9, "s", formatLength(Number(to - from)))
                    : "",
              },
              { title: "Node", value: ({ node }) => node },
              {
                title: "",
                value: (note) =>
                  h(
                    "button",
                    {
                      type: "button",
                      class: "link",
                      "aria-label": `Remove the note ${note.text.slice(0, 60)}`,
                      onclick: () => this.#change("remove", note.line),
                    },
                    "remove",
                  ),
              },
            ],
            notes.map((note, i) => ({ ...note, properties: { "data-note": i } })),
            {},
            LIST_MAX,
          )
        : h("p", { class: "empty" }, "No notes. They are kept in a file beside the project."),
      notes.length > LIST_MAX
        ? h("p", { class: "note" }, `${notes.length - LIST_MAX} more.`)
        : null,
    );
  }
}
