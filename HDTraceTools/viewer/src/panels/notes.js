// SPDX-License-Identifier: LGPL-2.1-or-later
// Notes on a time and a node, which the server keeps beside the project: a list, to add,
// to remove, and to go to.
import { lineOfNote, parseNotes } from "../data/notes.js";
import { nodeOfSelection } from "../data/selected.js";
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
    this.place = h("select", {
      "aria-label": "Place of the note",
      onfocus: () => this.#fillPlaces(),
    });
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

  /** What a note can be about now: {key, title, from, to, node}. */
  #places() {
    const { model, view, tracks } = this.app;
    const { selection, mark, cursor } = view;
    const row = tracks.focusedRow;
    const node = row?.node?.path ?? "";
    const where = node ? ` of ${node.slice(0, 60)}` : "";
    const places = [];

    if (selection)
      places.push({
        key: "state",
        title: `the selected ${selection.kind}`,
        from: selection.start,
        to: selection.end,
        node: nodeOfSelection(model, selection)?.path ?? "",
      });
    if (mark)
      places.push({
        key: "mark",
        title: "the marked interval",
        from: mark.from,
        to: mark.to,
        node: "",
      });
    if (mark && node)
      places.push({
        key: "markOfNode",
        title: `the marked interval${where}`,
        from: mark.from,
        to: mark.to,
        node,
      });
    if (cursor !== null)
      places.push({
        key: "cursor",
        title: `the cursor${where}`,
        from: cursor,
        to: cursor,
        node,
      });
    places.push({
      key: "view",
      title: "the visible time",
      from: view.start,
      to: view.end,
      node: "",
    });
    return places;
  }

  #fillPlaces() {
    const before = this.place.selectedIndex > 0 ? this.place.value : null;
    const places = this.#places();
    const titles = places.map(({ title }) => title).join("\n");

    if (titles === this.titles) return;
    this.titles = titles;
    replace(
      this.place,
      places.map(({ key, title }) =>
        h("option", { value: key, selected: key === before }, title),
      ),
    );
  }

  async update() {
    this.#fillPlaces();
    // Other pages and editors change them, too.
    await this.#load();
  }

  async #load() {
    const { model } = this.app;

    try {
      const content = await model.source.notes();
      const { origin } = model;

      // Times count from another start once all was read.
      if (content !== this.content || origin !== this.origin)
        this.#show(parseNotes(content));
      this.content = content;
      this.origin = origin;
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
    // The cursor and the view may have moved since the places were listed.
    const place = this.#places().find(({ key }) => key === this.place.value);
    const line = place && lineOfNote({ ...place, text: this.text.value });

    if (!place) {
      this.#fillPlaces();
      replace(this.error, "This place is not there any more.");
      return;
    }
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
