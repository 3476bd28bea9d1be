// SPDX-License-Identifier: LGPL-2.1-or-later
// Relations: finding them by name, token or attribute, and the request that is
// followed as a tree.
import { announce, h, replace, table } from "../ui/dom.js";
import { formatLength, formatSecondsShort } from "../data/time.js";
import { chipOf } from "./profile.js";

/** So many are listed. */
const LIST_MAX = 100;

/** An element so many steps to the right. */
function indented(depth, element) {
  element.style.marginLeft = `${Math.min(depth, 20)}em`;
  return element;
}

export class RelationsPanel {
  title = "Relations";
  id = "relations";

  constructor(app) {
    this.app = app;
    this.input = h("input", {
      type: "search",
      size: "32",
      "aria-label": "Name, token or attribute of relations",
      placeholder: "Name, token or attribute",
      spellcheck: "false",
    });
    this.found = h("div", { "aria-live": "polite" });
    this.followed = h("div", {});
    this.element = h(
      "div",
      { class: "split" },
      h(
        "section",
        { "aria-label": "Find relations" },
        h(
          "form",
          {
            class: "controls",
            onsubmit: (event) => {
              event.preventDefault();
              this.search();
            },
          },
          this.input,
          h("button", { type: "submit" }, "Find"),
        ),
        this.found,
      ),
      h("section", { "aria-label": "Request" }, this.followed),
    );
    this.turn = 0;
  }

  /* ---- Finding --------------------------------------------------------- */

  async search() {
    const turn = ++this.turn;
    const text = this.input.value.trim().toLowerCase();
    const list = [];
    let count = 0;

    if (!text) {
      replace(this.found);
      return;
    }
    replace(this.found, h("p", { class: "note" }, "Searching…"));
    for (const { relations } of this.app.model.relations) {
      await relations.track.refresh();
      await relations.find(
        text,
        (item) => {
          count++;
          if (list.length < LIST_MAX) list.push(item);
        },
        () => turn === this.turn,
      );
      if (turn !== this.turn) return;
    }
    replace(
      this.found,
      count
        ? [
            h(
              "p",
              { class: "note" },
              `${count} found${count > list.length ? `, the first ${list.length}` : ""}`,
            ),
            table(
              "Relations that were found",
              this.#columns(),
              list.map((item) => ({ item, depth: 0 })),
            ),
          ]
        : h("p", { class: "empty" }, `No relation has “${text}”.`),
    );
    this.found.dataset.count = String(count);
    announce(`${count} found.`);
  }

  #columns() {
    const { app } = this;
    const { model } = app;

    return [
      {
        title: "Relation",
        value: ({ item, depth }) =>
          indented(
            depth,
            h(
              "button",
              {
                type: "button",
                class: "link",
                title: "Follow its request",
                onclick: () => app.follow(item, true),
              },
              chipOf(item.name),
              item.name.slice(0, 80),
              item.isUnended ? " (does not end)" : "",
              item.hasFailed ? " (failed)" : "",
              item.isElsewhere ? " (cause not found)" : "",
            ),
          ),
      },
      {
        title: "Node",
        value: ({ item }) =>
          model.nameOf(model.relations[item.relations.number].node),
      },
      {
        title: "Start",
        class: "number",
        value: ({ item }) =>
          `${formatSecondsShort(item.start - model.origin)} s`,
      },
      {
        title: "Length",
        class: "number",
        value: ({ item }) => formatLength(Number(item.end - item.start)),
      },
    ];
  }

  /* ---- The request ----------------------------------------------------- */

  update() {
    const { model, view } = this.app;
    const { request } = view;

    if (!model.relations.length) {
      replace(this.followed, h("p", { class: "empty" }, "There are no relations."));
      return;
    }
    if (!request?.list) {
      replace(
        this.followed,
        h(
          "p",
          { class: "empty" },
          request
            ? "Loading…"
            : "Click a relation to follow the request that it belongs to.",
        ),
      );
      return;
    }
    const { tree } = request;

    replace(
      this.followed,
      h(
        "div",
        { class: "controls" },
        h(
          "button",
          { type: "button", onclick: () => view.showInterval(request.from, request.to) },
          "Show all of it",
        ),
        h(
          "button",
          { type: "button", onclick: () => this.app.follow(null) },
          "Follow no request",
        ),
      ),
      h(
        "p",
        { class: "note" },
        `${request.list.length}${request.isCut ? " and more" : ""} relations, each before what it caused`,
      ),
      table(
        "Relations of the request",
        this.#columns(),
        tree.slice(0, LIST_MAX),
      ),
      tree.length > LIST_MAX
        ? h("p", { class: "note" }, `And ${tree.length - LIST_MAX} more.`)
        : null,
      request.isReduced
        ? h("p", { class: "note" }, "The page is reduced: some may be missing.")
        : null,
    );
  }
}
