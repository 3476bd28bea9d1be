// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the critical path is when its rows or its times are off the screen: a button with
// an arrow, which leads there.
import { h } from "./dom.js";

const ARROWS = { up: "▲", down: "▼", left: "◀", right: "▶" };
const WORDS = { up: "above", down: "below", left: "earlier", right: "later" };

/**
 * Where a path is that is not on the screen.
 *
 * @param parts  {start, end, top, height} of each part: its times, and its row.
 * @param screen {start, end, top, height}
 *
 * @return {direction, part}: the nearest part, in rows that are scrolled away if there are
 *         any at the visible time, else in time; null if a part is on the screen, or there is
 *         none.
 */
export function pathOffScreen(parts, screen) {
  const bottom = screen.top + screen.height;
  let best = null;
  const offer = (isNow, distance, direction, part) => {
    if (!best || (isNow && !best.isNow) || (isNow === best.isNow && distance < best.distance))
      best = { isNow, distance, direction, part };
  };

  for (const part of parts) {
    if (part.end < screen.start)
      offer(false, Number(screen.start - part.end), "left", part);
    else if (part.start > screen.end)
      offer(false, Number(part.start - screen.end), "right", part);
    else if (part.top + part.height <= screen.top)
      offer(true, screen.top - part.top - part.height, "up", part);
    else if (part.top >= bottom) offer(true, part.top - bottom, "down", part);
    else return null;
  }
  return best && { direction: best.direction, part: best.part };
}

export class PathArrow {
  /** @param scroll Is called with a row that is to be on the screen. */
  constructor(model, view, rows, scroll) {
    Object.assign(this, { model, view, rows, scroll });
    this.element = h("button", {
      type: "button",
      class: "path-arrow",
      hidden: true,
      onclick: () => this.#lead(),
    });
  }

  /** The parts that have a row. */
  #parts() {
    return this.model.paths.flatMap(({ parts }) =>
      parts.flatMap((part) => {
        const row = this.rows.rowOfTrace(part.trace);

        return row ? { ...part, top: row.top, height: row.height, row } : [];
      }),
    );
  }

  /** The screen shows rows from a place on, so much of them. */
  update(top, height) {
    const { view } = this;
    const found = view.hasPath
      ? pathOffScreen(this.#parts(), { start: view.start, end: view.end, top, height })
      : null;

    this.found = found;
    this.element.hidden = !found;
    if (!found) return;
    const { direction, part } = found;
    const name = this.model.nameOf(this.model.traces[part.trace].node).slice(0, 60);
    const text = `${ARROWS[direction]} Critical path ${WORDS[direction]}: ${name}`;

    this.element.dataset.direction = direction;
    if (this.element.textContent !== text) this.element.textContent = text;
  }

  #lead() {
    const { view } = this;
    const { part } = this.found;

    if (part.end < view.start || part.start > view.end)
      view.show((part.start + part.end) / 2n - BigInt(Math.round(view.span / 2)), view.span);
    this.scroll(part.row);
  }
}
