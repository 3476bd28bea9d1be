// SPDX-License-Identifier: LGPL-2.1-or-later
// What the pointer does in the rows: it shows, selects and marks.
import { Pointer } from "./pointer.js";

export class Gestures {
  constructor(app) {
    this.app = app;
    this.pointer = new Pointer(app.tracks, app.view, {
      hover: (event) => this.hover(event),
      leave: () => this.leave(),
      click: (event) => this.click(event),
      doubleClick: (event) => this.doubleClick(event),
    });
  }

  hover(event) {
    const { tracks, view, selection, tooltip } = this.app;
    const share = tracks.shareAt(event.clientX);
    const time = view.timeAt(Math.min(1, Math.max(0, share)));
    const row = tracks.rowAt(event.clientY);
    const box = tracks.element.getBoundingClientRect();
    const isInRows = tracks.element.contains(event.target);
    const isOnState =
      row?.kind === "states" &&
      selection.stateAt(row, time, tracks.heightIn(row, event.clientY));
    // Arrows do not cover the states that they cross.
    const message = isInRows && !isOnState
      ? tracks.overlay.messageAt(
          event.clientX - box.left,
          event.clientY - box.top,
        )
      : null;

    tracks.overlay.hovered = message;
    view.setCursor(time);
    if (isInRows) tooltip.show(event, row, time, message);
    else tooltip.hide();
  }

  leave() {
    this.app.tooltip.hide();
    this.app.tracks.overlay.hovered = null;
  }

  click(event) {
    const { app } = this;
    const row = app.tracks.rowAt(event.clientY);

    if (!app.tracks.element.contains(event.target)) {
      this.#clickRuler(event);
      return;
    }
    if (row) app.tracks.focusKey = row.key;
    if (row?.kind === "relations") this.#clickRelation(row, event);
    if (row?.kind === "states") app.selection.click(row, event);
    if (event.pointerType === "touch") this.hover(event);
    app.invalidate("time");
  }

  /** A click on a relation follows its request, beside all none. */
  #clickRelation(row, event) {
    const { view, tracks } = this.app;
    const item = row.itemAt(
      view.timeAt(tracks.shareAt(event.clientX)),
      tracks.heightIn(row, event.clientY),
      (view.span / tracks.plotWidth) * 4,
      view,
    );

    this.app.follow(item);
  }

  #clickRuler(event) {
    const { tracks, view } = this.app;
    const box = tracks.rulerCanvas.getBoundingClientRect();
    const phase = tracks.ruler.phaseAt(
      event.clientX - box.left,
      event.clientY - box.top,
      tracks.plotWidth,
    );

    if (phase) view.setMark(phase.from, phase.to);
  }

  /** A double click marks the state. */
  doubleClick(event) {
    const { tracks, view, cursor } = this.app;
    const row = tracks.rowAt(event.clientY);
    const time = view.timeAt(tracks.shareAt(event.clientX));

    if (row?.kind === "states") cursor.markStateAt(row, time);
  }
}
