// SPDX-License-Identifier: LGPL-2.1-or-later
// Power and utilization of a node stay at the top while its ranks scroll: copies of the
// rows that have gone, for those who see them.
import { h } from "../ui/dom.js";
import { RowView } from "./rowview.js";

/** So much of the height they take at most. */
const SHARE = 0.4;

export class Pinned {
  constructor(tracks) {
    this.tracks = tracks;
    this.element = h("div", { class: "pinned", "aria-hidden": "true", hidden: true });
    /** RowViews by lane, in the order of the lanes. */
    this.views = new Map();
    this.height = 0;
  }

  /** Lanes that have scrolled off, of the node of the first row and those around it. */
  #lanes({ scrollTop, height }) {
    const { rows, view, model, isPrinting } = this.tracks;
    const first = view.isPinned && !isPrinting ? rows.at(scrollTop) : undefined;
    const lanes = [];
    let used = 0;

    for (let node = first?.node; node; node = model.nodes[node.parent])
      for (const lane of rows.pinnable.get(node) ?? []) {
        if (lane.top >= scrollTop || used + lane.height > height * SHARE) continue;
        used += lane.height;
        lanes.push(lane);
      }
    return lanes.sort((a, b) => a.top - b.top);
  }

  /** Put the rows at the top that belong there. */
  update(place) {
    const lanes = this.#lanes(place);
    let top = 0;

    for (const [lane, rowView] of this.views) {
      if (lanes.includes(lane)) continue;
      rowView.destroy();
      this.views.delete(lane);
    }
    for (const lane of lanes) {
      if (!this.views.has(lane)) this.views.set(lane, this.#make(lane));
      const rowView = this.views.get(lane);

      rowView.place(lane);
      rowView.element.style.transform = `translateY(${top}px)`;
      rowView.top = null;
      top += lane.height;
    }
    this.height = top;
    this.element.hidden = !top;
    this.element.style.height = `${top}px`;
    return [...this.views.values()];
  }

  /** What it shows is there once for those who do not see it. */
  #make(lane) {
    const rowView = new RowView(this.tracks, lane);

    for (const name of ["id", "role", "tabindex", "aria-level"])
      rowView.element.removeAttribute(name);
    rowView.element.classList.replace("row", "pinned-row");
    for (const button of rowView.element.querySelectorAll("button")) button.remove();
    this.element.append(rowView.element);
    return rowView;
  }

  /** The lane at a height below the top, and how far it is below that of the lane;
   *  undefined: none. */
  at(y) {
    let top = 0;

    if (y < 0 || y >= this.height) return undefined;
    for (const lane of [...this.views.keys()].sort((a, b) => a.top - b.top)) {
      if (y < top + lane.height) return { lane, y: y - top };
      top += lane.height;
    }
    return undefined;
  }

  /** Rows look otherwise, or are others. */
  clear() {
    for (const rowView of this.views.values()) rowView.destroy();
    this.views.clear();
  }
}
