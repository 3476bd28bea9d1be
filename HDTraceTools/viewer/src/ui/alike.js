// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows grouped by behaviour: of ranks of a host that behave alike, the lowest one is
// shown for all.
import { findAlike } from "../data/states/behaviour.js";
import { announce } from "./dom.js";

export class Alike {
  constructor(app) {
    this.app = app;
    this.turn = 0;
    this.key = null;
  }

  toggle() {
    const { view } = this.app;

    view.setAlike(!view.isAlike);
    if (!view.isAlike) announce("Each rank has a row.");
  }

  /** Find them anew if what they depend on changed; null: all ranks have rows. */
  async update() {
    const { model, view, tracks } = this.app;
    const { interval } = view;
    const read = model.traces.filter(({ track }) => track.isComplete).length;
    const key = view.isAlike ? `${interval.from} ${interval.to} ${read}` : null;

    if (key === this.key) return;
    this.key = key;
    const turn = ++this.turn;
    const found = key
      ? await findAlike(model, interval, () => turn === this.turn)
      : { groups: null };

    if (!found || turn !== this.turn) return;
    tracks.rows.setAlike(found.groups);
    view.changed("rows");
    if (!found.groups) return;
    const alone = found.groups.filter(({ length }) => length === 1).length;

    announce(
      `${found.groups.length} groups of ranks that behave alike, ${alone} ranks alone.`,
    );
  }
}
