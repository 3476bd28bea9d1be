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

  /** Whether a button is held, or a finger is down. */
  get isBusy() {
    return this.pointer.pointers.size > 0;
  }

  hover(event) {
    const { tracks, view, selection, tooltip } = this.app;
    const share = tracks.shareAt(event.clientX);
    const time = view.timeAt(Math.min(1, Math.max(0, share)));
    const row = tracks.rowAt(event.clientY);
    const isInRows = tracks.element.contains(event.target);
    const message = isInRows ? (selection.itemAt(row, event).message ?? null) : null;

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
    app.selection.click(row, event);
    if (event.pointerType === "touch") this.hover(event);
    app.invalidate("time");
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
