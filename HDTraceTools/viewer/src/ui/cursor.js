// SPDX-License-Identifier: LGPL-2.1-or-later
// The cursor: moved by keys, from state to state, and what it marks.
import { announce } from "./dom.js";
import { intervalText } from "../rows/tracks.js";

export class Cursor {
  constructor(app) {
    this.app = app;
  }

  /** Where the cursor is in the view, else the middle. */
  get share() {
    const { view } = this.app;
    const share = view.cursor === null ? 0.5 : view.shareOf(view.cursor);

    return share >= 0 && share <= 1 ? share : 0.5;
  }

  move(pixels) {
    const { view, tracks } = this.app;
    const step = BigInt(Math.round((view.span / tracks.plotWidth) * pixels));
    const from = view.cursor ?? view.timeAt(0.5);

    view.setCursor(from + (step || BigInt(Math.sign(pixels))));
    this.#follow();
    announce(`${this.app.relative(view.cursor)} seconds. ${this.#atCursor()}`);
  }

  #follow() {
    const share = this.app.view.shareOf(this.app.view.cursor);

    if (share < 0 || share > 1)
      this.app.view.show(
        this.app.view.cursor - BigInt(Math.round(this.app.view.span / 2)),
        this.app.view.span,
      );
  }

  /** What the row with the focus has at the cursor. */
  #atCursor() {
    const row = this.app.tracks.focusedRow;

    return row
      ? `${row.label}: ${this.app.tracks.views.get(row.key)?.textAt(this.app.view.cursor) ?? ""}`
      : "";
  }

  async nextState(direction) {
    const row =
      this.app.tracks.focusedRow?.kind === "states"
        ? this.app.tracks.focusedRow
        : this.app.tracks.rows.list.find((other) => other.kind === "states");
    const { view } = this.app;

    if (!row) return;
    const state = await row.states.next(
      view.cursor ?? view.timeAt(0.5),
      direction,
    );

    if (!state) return;
    view.setCursor(state.start);
    this.#follow();
    announce(
      `${state.name}, ${intervalText(this.app.model, state.start, state.end)}`,
    );
  }

  markEdge(edge) {
    const { view } = this.app;
    const time = view.cursor ?? view.timeAt(0.5);
    const other = view.mark
      ? edge === "from"
        ? view.mark.to
        : view.mark.from
      : edge === "from"
        ? view.end
        : view.start;

    if (edge === "from" ? time < other : time > other)
      view.setMark(time, other);
    else view.setMark(time, edge === "from" ? view.end : view.start);
  }

  markState() {
    const row = this.app.tracks.focusedRow;

    if (row?.kind === "states" && this.app.view.cursor !== null)
      this.markStateAt(row, this.app.view.cursor);
  }

  /** Mark the innermost state of a row at a time. */
  markStateAt(row, time) {
    const state = row.states
      .at(time, 0)
      ?.findLast((item) => !item.isEvent && item.end > item.start);

    if (!state) return;
    this.app.view.setMark(state.start, state.end);
    announce(
      `Marked ${state.name}, ${intervalText(this.app.model, state.start, state.end)}`,
    );
  }
}
