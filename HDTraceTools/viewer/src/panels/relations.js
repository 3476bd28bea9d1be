// SPDX-License-Identifier: LGPL-2.1-or-later
// Relations: finding them by name, token or attribute, the request that is
// followed as a tree, and those of the report that took longest.
import { announce, h, replace, shown, shownTime, table } from "../ui/dom.js";
import { Known } from "../data/energy/known.js";
import { formatLength } from "../data/time.js";
import { chipOf } from "./profile.js";

/** So many are listed. */
const LIST_MAX = 100;
const REDUCED = "The page is reduced; relations may be missing.";

/** An element so many steps to the right. */
function indented(depth, element) {
  element.style.marginLeft = `${Math.min(depth, 20)}em`;
  return element;
}

/** Seconds of JSON. */
const lengthOf = (seconds) => formatLength(Number(seconds) * 1e9);

/** The same, as a number of a table. */
const shownLength = (seconds) => shown(Number(seconds), "s", lengthOf(seconds));

/** What a relation of the report cost, in J. */
function energyOf({ energy_j, known_s, duration_s }) {
  const coverage = new Known(Number(known_s), Number(duration_s));

  return energy_j === null
    ? shown(NaN, "J", "–")
    : shown(Number(energy_j), "J", coverage.total(Number(energy_j)));
}

/** What stands behind the name of a relation. */
function marksOf({ isUnended, hasFailed, isElsewhere }) {
  return [
    isUnended ? " (no end)" : "",
    hasFailed ? " (failed)" : "",
    isElsewhere ? " (cause not found)" : "",
  ].join("");
}

/** A relation of the report that was slow, with what caused it and what it
 *  caused. */
function slowTree({ token, relations, left_out }, isOpen) {
  const slow = relations.find((one) => one.token === token);
  const number = (title, value) => ({ title, class: "number", value });

  return h(
    "details",
    { open: isOpen },
    h(
      "summary",
      {},
      `${slow.name?.slice(0, 80) ?? "–"} of ${slow.layer}: ${lengthOf(slow.total_s)}`,
    ),
    table(
      `Tree of ${token}`,
      [
        {
          title: "Relation",
          value: ({ name, depth, end_s, error, token: own }) =>
            indented(
              depth,
              h(
                own === token ? "strong" : "span",
                { title: own },
                name?.slice(0, 80) ?? "–",
                end_s === null ? " (no end)" : "",
                error === null ? "" : ` (failed: ${error.slice(0, 80)})`,
              ),
            ),
        },
        { title: "Node", value: ({ node }) => node },
        number("Total", ({ total_s }) => shownLength(total_s)),
        number("Self", ({ self_s }) => shownLength(self_s)),
        number("Waited", ({ wait_s }) => shownLength(wait_s)),
        number("Energy", energyOf),
      ],
      relations,
    ),
    left_out ? h("p", { class: "note" }, `${left_out} more.`) : null,
  );
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
    this.slowest = h("section", { "aria-label": "Slowest" });
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
      this.slowest,
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
    const files = this.app.model.relations.map(({ relations }) => relations);

    replace(
      this.found,
      files.every(({ track }) => track.isComplete)
        ? null
        : h("p", { class: "note" }, "Still reading: search again later."),
      files.some(({ isReduced }) => isReduced)
        ? h("p", { class: "note" }, REDUCED)
        : null,
      count
        ? [
            h(
              "p",
              { class: "note" },
              `${count} found${count > list.length ? `, the first ${list.length}` : ""}`,
            ),
            table(
              "Found relations",
              this.#columns(),
              list.map((item) => ({ item, depth: 0 })),
            ),
          ]
        : h("p", { class: "empty" }, `No relation contains “${text}”.`),
    );
    this.found.dataset.count = String(count);
    announce(`${count} found.`);
  }

  #columns() {
    const { app } = this;
    const { model } = app;

    return [
      { title: "Depth", csv: ({ depth }) => depth },
      {
        title: "Relation",
        csv: ({ item }) => `${item.name}${marksOf(item)}`,
        value: ({ item, depth }) =>
          indented(
            depth,
            h(
              "button",
              {
                type: "button",
                class: "link",
                title: "Follow the request",
                onclick: () => app.follow(item, true),
              },
              chipOf(item.name),
              item.name.slice(0, 80),
              marksOf(item),
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
        value: ({ item }) => shownTime(item.start, model),
      },
      {
        title: "Length",
        class: "number",
        value: ({ item }) =>
          shownLength(Number(item.end - item.start) / 1e9),
      },
    ];
  }

  /* ---- The request ----------------------------------------------------- */

  /** Show the slowest, once the report is there. */
  #updateSlowest() {
    const { report } = this.app.model;
    const trees = (report?.reports ?? [report]).flatMap(
      (one) => one?.relations?.slowest ?? [],
    );

    if (this.shown === report) return;
    this.shown = report;
    replace(
      this.slowest,
      trees.length ? h("h3", {}, "Slowest") : null,
      trees.map((tree, i) => slowTree(tree, i === 0)),
    );
  }

  update() {
    const { model, view } = this.app;
    const { request } = view;

    this.#updateSlowest();

    if (!model.relations.length) {
      replace(this.followed, h("p", { class: "empty" }, "No relations."));
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
            : "Click a relation to follow its request.",
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
          "Show the whole request",
        ),
        h(
          "button",
          { type: "button", onclick: () => this.app.follow(null) },
          "Stop following",
        ),
      ),
      h(
        "p",
        { class: "note" },
        `${request.list.length}${request.isCut ? " and more" : ""} relations, causes before effects`,
      ),
      table(
        "Relations of the request",
        this.#columns(),
        tree,
        {},
        LIST_MAX,
      ),
      tree.length > LIST_MAX
        ? h("p", { class: "note" }, `${tree.length - LIST_MAX} more.`)
        : null,
      request.isReduced
        ? h("p", { class: "note" }, REDUCED)
        : null,
    );
  }
}
