// SPDX-License-Identifier: LGPL-2.1-or-later
// What is selected: its attributes, how long it took among all of its name, its energy,
// what it waited for, and the previous and next one of the same name.
import { announce, h, replace } from "../ui/dom.js";
import { EntryDetails } from "./details/entry.js";
import { FindingDetails } from "./details/finding.js";
import { MessageDetails } from "./details/message.js";
import { RelationDetails } from "./details/relation.js";
import { StateDetails } from "./details/state.js";

/**
 * By the kind of what is selected. Each has find(), which says whether it is there, and
 * after that: name; title, an element before it; interval {start, end}; buttons, as
 * [text, action]; rows(isWanted), as [name, text or elements], null if it is not wanted
 * any more; step(direction), the selection beside it, if there is one. Before, there is
 * only missing: what to say if it is not there.
 */
const KINDS = {
  state: StateDetails,
  message: MessageDetails,
  relation: RelationDetails,
  entry: EntryDetails,
  finding: FindingDetails,
};

export class DetailsPanel {
  title = "Details";
  id = "details";

  constructor(app) {
    this.app = app;
    this.element = h("div", {});
    this.turn = 0;
  }

  async update() {
    const turn = ++this.turn;
    const { selection } = this.app.view;
    const isWanted = () => turn === this.turn;

    this.element.removeAttribute("aria-busy");
    if (!selection) {
      this.#say("Click a state, event, MPI message, relation or entry to see its details.");
      return;
    }
    const subject = new KINDS[selection.kind](this.app, selection);
    const isThere = await subject.find();

    if (!isWanted()) return;
    if (!isThere) {
      this.#say(subject.missing);
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    const rows = await subject.rows(isWanted);

    if (!rows || !isWanted()) return;
    this.#show(subject, rows);
    this.element.removeAttribute("aria-busy");
  }

  #say(text) {
    replace(this.element, h("p", { class: "empty" }, text));
  }

  #show(subject, rows) {
    const { selection, view } = this.app;
    const { start, end } = subject.interval;

    replace(
      this.element,
      h(
        "div",
        { class: "controls" },
        h(
          "h3",
          { class: "clip", title: subject.name },
          subject.title,
          subject.name.slice(0, 200),
        ),
        this.#button("Previous of the name", () => this.#step(subject, -1)),
        this.#button("Next of the name", () => this.#step(subject, 1)),
        this.#button("Show it", () => selection.show(subject.interval)),
        end > start ? this.#button("Mark it", () => view.setMark(start, end)) : null,
        subject.buttons.map(([text, action]) => this.#button(text, action)),
        this.#button("Copy as text", () => this.#copy(this.#text)),
        this.#button("Copy the link", () => this.#copy(location.href)),
      ),
      h(
        "dl",
        { class: "details" },
        rows.map(([name, value]) => [
          h("dt", { class: "clip", title: name }, name.slice(0, 100)),
          h("dd", {}, value),
        ]),
      ),
    );
  }

  #button(text, onclick) {
    return h("button", { type: "button", onclick }, text);
  }

  /** What is shown as text. */
  get #text() {
    const textOf = (element) => {
      const items = [...element.querySelectorAll("li")];

      return items.length
        ? items.map((item) => item.textContent).join("; ")
        : element.textContent;
    };
    const rows = [...this.element.querySelectorAll("dt")].map(
      (term) => `${term.title}\t${textOf(term.nextElementSibling)}`,
    );

    return `${[this.element.querySelector("h3").title, ...rows, location.href].join("\n")}\n`;
  }

  async #copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      announce("Copied.");
    } catch {
      announce("The browser does not allow copying.");
    }
  }

  /** Select the next one of the name, or the one before. */
  async #step(subject, direction) {
    const found = await subject.step(direction);

    if (found) this.app.selection.goTo(found);
    else announce(`No other ${subject.name}.`);
  }
}
