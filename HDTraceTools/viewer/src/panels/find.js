// SPDX-License-Identifier: LGPL-2.1-or-later
// Finding states and events by a query: how many, a list, the next and the previous.
import { Query, QueryError } from "../data/states/query.js";
import { search } from "../data/states/search.js";
import { formatLength } from "../data/time.js";
import { announce, h, replace, shown, shownTime, table } from "../ui/dom.js";
import { chipOf } from "./profile.js";

/** So many are listed. */
const LIST_MAX = 200;

export class FindPanel {
  title = "Find";
  id = "find";

  constructor(app) {
    this.app = app;
    this.input = h("input", {
      type: "search",
      size: "44",
      "aria-label": "Query",
      placeholder: "name=MPI_Recv @size>1M duration>10ms rank=3..7",
      spellcheck: "false",
      title:
        "name node rank thread duration from to wait @ATTRIBUTE, with = != < <= > >= ~; * is any text, | separates values",
    });
    this.error = h("p", { class: "error", role: "alert" });
    this.summary = h("p", { class: "headline", role: "status" });
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
            this.app.view.setFind(this.input.value.trim());
          },
        },
        h("label", {}, "Query ", this.input),
        h("button", { type: "submit" }, "Find"),
        h(
          "button",
          { type: "button", title: "Previous (E)", onclick: () => this.step(-1) },
          "Previous",
        ),
        h(
          "button",
          { type: "button", title: "Next (e)", onclick: () => this.step(1) },
          "Next",
        ),
      ),
      this.error,
      this.summary,
      this.list,
    );
    this.turn = 0;
    this.hits = [];
    this.at = -1;
  }

  async update() {
    const { view, model } = this.app;
    const { find } = view;
    const read = model.tracks.filter(({ isComplete }) => isComplete).length;
    // A list stays until more was read, or times count from another start.
    const key = `${find}\0${read}\0${model.reportCount}`;

    if (key === this.key) return;
    this.key = key;
    const turn = ++this.turn;

    if (document.activeElement !== this.input) this.input.value = find;
    this.hits = [];
    this.at = -1;
    replace(this.error);
    replace(this.summary);
    replace(this.list);
    this.element.removeAttribute("aria-busy");
    if (!find) return;
    try {
      const query = new Query(find, model.origin);
      this.hasWaits = query.asks("wait");
      this.element.setAttribute("aria-busy", "true");
      await this.#search(query, turn);
    } catch (error) {
      if (!(error instanceof QueryError)) {
        // It is looked for again with the next change.
        if (turn === this.turn) this.key = null;
        throw error;
      }
      replace(this.error, `Column ${error.column}: ${error.message}`);
    }
  }

  async #search(query, turn) {
    const found = await search(this.app.model, query, {
      isWanted: () => turn === this.turn,
      onHit: (item) => {
        this.hits.push(item);
        if (this.hits.length % 1000 === 0)
          replace(this.summary, `${this.hits.length} so far`);
      },
    });

    if (!found) return;
    this.hits.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
    this.#show(found);
    this.element.removeAttribute("aria-busy");
  }

  #show({ isExact }) {
    const { hits } = this;

    replace(
      this.summary,
      shown(hits.length, "", String(hits.length), { "data-key": "count" }),
      " found",
      hits.length > LIST_MAX ? `, the first ${LIST_MAX}` : "",
      isExact
        ? ""
        : "; the page is reduced or still read: items may be missing",
    );
    announce(`${hits.length} found.`);
    this.#showList();
  }

  #showList() {
    const { app } = this;
    const { model } = app;

    const rows = this.hits.map((item, i) => ({
      item,
      i,
      properties: { "data-hit": i, "aria-current": i === this.at ? "true" : null },
    }));

    replace(
      this.list,
      rows.length
        ? table(
            "Found states and events",
            [
              {
                title: "State or event",
                csv: ({ item }) => item.name,
                value: ({ item, i }) =>
                  h(
                    "button",
                    {
                      type: "button",
                      class: "link",
                      title: "Select it and show it",
                      onclick: () => this.#goTo(i),
                    },
                    item.isEvent ? "▾ " : chipOf(item.name),
                    item.name.slice(0, 80),
                  ),
              },
              {
                title: "Trace",
                value: ({ item }) => model.nameOf(model.traces[item.trace].node),
              },
              {
                title: "Start",
                class: "number",
                value: ({ item }) => shownTime(item.start, model),
              },
              ...(this.hasWaits
                ? [
                    {
                      title: "Waited (sum)",
                      class: "number",
                      value: ({ item }) =>
                        shown(
                          Number(item.waited ?? 0n) / 1e9,
                          "s",
                          formatLength(Number(item.waited ?? 0n)),
                          { title: item.waits?.join(", ") },
                        ),
                    },
                  ]
                : []),
              {
                title: "Length",
                class: "number",
                value: ({ item }) =>
                  item.isEvent
                    ? ""
                    : shown(
                        Number(item.end - item.start) / 1e9,
                        "s",
                        formatLength(Number(item.end - item.start)),
                      ),
              },
            ],
            rows,
            {},
            LIST_MAX,
          )
        : h("p", { class: "empty" }, "Nothing matches."),
    );
  }

  /** Go to the next hit, or the one before: from the selected state, or the cursor. */
  step(direction) {
    const { hits, at } = this;

    if (!hits.length) {
      announce("Nothing was found.");
      return;
    }
    this.#goTo(
      at < 0
        ? direction > 0
          ? 0
          : hits.length - 1
        : (at + direction + hits.length) % hits.length,
    );
  }

  #goTo(i) {
    const item = this.hits[i];

    this.at = i;
    this.#showList();
    this.app.selection.select(
      item.trace,
      item.start,
      Number(item.end - item.start),
    );
    announce(`${i + 1} of ${this.hits.length}: ${item.name}`);
  }
}
