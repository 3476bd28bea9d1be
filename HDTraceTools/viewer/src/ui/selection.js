// SPDX-License-Identifier: LGPL-2.1-or-later
// Selecting a state, event, message, relation, entry or finding: by a click, from a
// list, by keys. Its details are in a panel, its place is framed in the rows, and a link
// has it.
import { announce } from "./dom.js";
import { entryAt } from "../data/series/entries.js";
import { Series } from "../data/series/series.js";
import { BANDS_MAX } from "../rows/lane.js";

/** Panels with lists of what can be selected: they stay. */
const LISTS = new Set(["find", "durations", "findings"]);

const ofState = (states, { start, end }) => ({
  kind: "state",
  trace: states.number,
  start,
  end,
});

export const ofMessage = ({ from, to, sent, received }) => ({
  kind: "message",
  from,
  to,
  start: sent < received ? sent : received,
  end: sent < received ? received : sent,
});

export const ofRelation = ({ relations, number, start, end }) => ({
  kind: "relation",
  file: relations.number,
  number,
  start,
  end,
});

export const ofEntry = ({ group, column }, { start, end }) => ({
  kind: "entry",
  group: group.number,
  column,
  start,
  end,
});

export const ofFinding = (model, finding) => ({
  kind: "finding",
  number: model.findings.indexOf(finding),
  start: finding.start,
  end: finding.end,
});

export class Selection {
  constructor(app) {
    this.app = app;
    /** Counts choices, so that one that had to be loaded does not replace a later one. */
    this.turn = 0;
    app.view.onChange((what) => {
      if (what === "select") this.turn++;
    });
  }

  /** The state of a row under a point: in its band, or the innermost of a flat row;
   *  an event near it. null: there is none, or it is not loaded that fine. */
  stateAt(row, time, y) {
    const { tracks, view } = this.app;
    const tolerance = (view.span / tracks.plotWidth) * 4;
    const found = row.states.at(time, tolerance);
    const { top, band, isFlat } = row.size;

    if (!found) return null;
    const event = found.find((item) => item.isEvent);

    if (event && y < top + 5) return event;
    const states = found.filter((item) => !item.isEvent);
    const depth = Math.floor((y - top) / band);

    if (isFlat) return states.at(-1) ?? event ?? null;
    if (y < top || depth > BANDS_MAX) return event ?? null;
    return states.findLast((item) => item.depth === depth) ?? event ?? null;
  }

  /**
   * What is under a point of the rows: {state}, {relation} or {message}; arrows do not
   * cover the states and relations that they cross. {}: none of them.
   */
  itemAt(row, event) {
    const { tracks, view } = this.app;
    const time = view.timeAt(tracks.shareAt(event.clientX));
    const y = tracks.heightIn(row, event.clientY);
    const box = tracks.element.getBoundingClientRect();
    const state = row?.kind === "states" ? this.stateAt(row, time, y) : null;
    const relation =
      row?.kind === "relations"
        ? row.itemAt(time, y, (view.span / tracks.plotWidth) * 4, view)
        : null;

    if (state) return { state };
    if (relation) return { relation };
    const message = tracks.overlay.messageAt(
      event.clientX - box.left,
      event.clientY - box.top,
    );

    return message ? { message } : {};
  }

  /** A click: select what is there, beside all nothing. */
  async click(row, event) {
    const { tracks, view } = this.app;
    const { state, relation, message } = this.itemAt(row, event);

    if (row?.kind === "relations") this.app.follow(relation ?? null);
    if (state) this.#choose(ofState(row.states, state), state.name);
    else if (relation) this.#choose(ofRelation(relation), relation.name);
    else if (message) this.#choose(ofMessage(message), "Message");
    else if (row?.series instanceof Series)
      await this.#chooseEntry(row.series, view.timeAt(tracks.shareAt(event.clientX)));
    else if (row && view.selection) view.setSelection(null);
  }

  /** Select something and show its details. */
  #choose(selection, name) {
    const { app } = this;

    app.view.setSelection(selection);
    // The request of a relation may be looked at.
    if (selection.kind !== "relation" || app.view.panel !== "relations")
      app.showPanel("details");
    announce(`${name} selected.`);
  }

  async #chooseEntry(series, time) {
    const turn = ++this.turn;

    await series.track.refresh();
    const entry = await entryAt(series, time);

    if (turn !== this.turn) return;
    if (entry) this.#choose(ofEntry(series, entry), series.title);
    else if (this.app.view.selection) this.app.view.setSelection(null);
  }

  /** Select a state of a trace, and show it if it is not in view. */
  select(trace, start, ns) {
    this.goTo({ kind: "state", trace, start, end: start + BigInt(ns) });
  }

  /** Select something, and show it if it is not in view. */
  goTo(selection) {
    const { app } = this;
    const { start, end } = selection;
    const ns = Math.max(1, Number(end - start));

    app.view.setSelection(selection);
    if (!LISTS.has(app.view.panel)) app.showPanel("details");
    if (end < app.view.start || start > app.view.end || app.view.span > 200 * ns)
      this.show({ start, end });
    const row = this.rowOf(selection);

    if (row) this.scrollToRow(row);
  }

  /** Show a state with time around it. */
  show({ start, end }) {
    const ns = end - start > 0n ? end - start : 1000n;

    this.app.view.showInterval(start - 2n * ns, end + 2n * ns);
  }

  /** The row in which something is; undefined or null: none. */
  rowOf({ kind, trace, from, file, group, column }) {
    const { rows } = this.app.tracks;

    if (kind === "state") return rows.rowOfTrace(trace);
    if (kind === "message") return rows.rowOfTrace(from);
    if (kind === "relation") return rows.rowOfRelations(file);
    return kind === "entry" ? rows.find(`s${group}.${column}`) : null;
  }

  /** Scroll so that a row is in view, and give it the focus of the rows. */
  scrollToRow(row) {
    const { tracks } = this.app;

    tracks.reveal(row);
    tracks.focusKey = row.key;
  }

  /** Select what the row with the focus has at the cursor: the innermost state, the
   *  relation that began last, or the entry. */
  async selectAtCursor() {
    const { tracks, view } = this.app;
    const row = tracks.focusedRow;
    const time = view.cursor;
    const relation =
      row?.kind === "relations" && time !== null ? row.relations.lastAt(time, view) : null;
    const state =
      row?.kind === "states" && time !== null ? row.states.at(time, 0)?.at(-1) : null;

    if (state) {
      this.#choose(ofState(row.states, state), state.name);
    } else if (relation) {
      this.app.follow(relation);
      this.#choose(ofRelation(relation), relation.name);
    } else if (row?.series instanceof Series && time !== null) {
      await this.#chooseEntry(row.series, time);
    } else {
      announce("Nothing at the cursor.");
    }
  }
}
