// SPDX-License-Identifier: LGPL-2.1-or-later
// Selecting a state or event: by a click, from a list, by keys. Its details are in a
// panel, its place is framed in the rows, and a link has it.
import { announce } from "./dom.js";
import { BANDS_MAX } from "../rows/lane.js";

export class Selection {
  constructor(app) {
    this.app = app;
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

  /** A click: select what is there, beside all nothing. */
  click(row, event) {
    const { tracks, view } = this.app;
    const time = view.timeAt(tracks.shareAt(event.clientX));
    const state = this.stateAt(row, time, tracks.heightIn(row, event.clientY));

    if (!state) {
      if (view.selection) view.setSelection(null);
      return;
    }
    view.setSelection({
      trace: row.states.number,
      start: state.start,
      end: state.end,
    });
    this.app.showPanel("details");
    announce(`${state.name} selected.`);
  }

  /** Select a state of a trace, and show it if it is not in view. */
  select(trace, start, ns) {
    const { app } = this;
    const end = start + BigInt(ns);

    app.view.setSelection({ trace, start, end });
    if (app.view.panel !== "find" && app.view.panel !== "durations")
      app.showPanel("details");
    if (end < app.view.start || start > app.view.end || app.view.span > 200 * Math.max(1, ns))
      this.show({ start, end });
    this.#scrollTo(trace);
  }

  /** Show a state with time around it. */
  show({ start, end }) {
    const ns = end - start > 0n ? end - start : 1000n;

    this.app.view.showInterval(start - 2n * ns, end + 2n * ns);
  }

  #scrollTo(trace) {
    const row = this.app.tracks.rows.rowOfTrace(trace);

    if (row) this.scrollToRow(row);
  }

  /** Scroll so that a row is in view, and give it the focus of the rows. */
  scrollToRow(row) {
    const { tracks } = this.app;

    tracks.reveal(row);
    tracks.focusKey = row.key;
  }

  /** Select the innermost state at the cursor, in the row with the focus. */
  selectAtCursor() {
    const { tracks, view } = this.app;
    const row = tracks.focusedRow;
    const state =
      row?.kind === "states" && view.cursor !== null
        ? row.states.at(view.cursor, 0)?.at(-1)
        : null;

    if (!state) {
      announce("No state at the cursor.");
      return;
    }
    view.setSelection({
      trace: row.states.number,
      start: state.start,
      end: state.end,
    });
    this.app.showPanel("details");
  }
}
