// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the relations of a file in a row: each in its lane, so that those that
// overlap are above each other. Where there are too many to be drawn, the longest
// ones, and below them how many began when.
import { drawUnread, fillState, stateColours, theme } from "./colours.js";
import { prepareCanvas } from "../ui/dom.js";
import { GUTTER } from "./valueplot.js";

const TOP = 4;
/** Height of a lane where there are few, of all lanes, and of what is below. */
const LANE = 14;
const LANES_HEIGHT = 168;
const DENSITY = 14;
/** Of others than those of the request that is followed, whose own are never lower
 *  than that. */
const GREY = 0.22;
const FOLLOWED_MIN = 4;

/** Height of a row of so many lanes. */
export function relationsHeight(lanes) {
  return TOP + Math.min(lanes * LANE, LANES_HEIGHT) + 3 + DENSITY;
}

/** Height of a lane. */
export function laneHeight(lanes) {
  return Math.min(LANE, LANES_HEIGHT / lanes);
}

/** Where the middle of a lane is in its row. */
export function laneMiddle(lanes, lane) {
  return TOP + (lane + 0.5) * laneHeight(lanes);
}

/** The lane at a height of a row. */
export function laneAt(lanes, y) {
  return Math.min(lanes - 1, Math.max(0, Math.floor((y - TOP) / laneHeight(lanes))));
}

export class RelationPlot {
  constructor(canvas, relations) {
    this.canvas = canvas;
    this.relations = relations;
    /** What it says in words. */
    this.text = "";
  }

  /**
   * Draw it.
   *
   * @param options {view, width, height, ticks}
   *
   * @return Whether all was loaded.
   */
  draw(options) {
    const { view, width, height, ticks } = options;
    const context = prepareCanvas(this.canvas, width + GUTTER, height);
    const found = this.relations.peek(view.start, view.end);

    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, width, height);
    context.clip();
    context.translate(GUTTER, 0);
    context.fillStyle = theme.grid;
    for (const x of ticks) context.fillRect(Math.round(x), 0, 1, height);
    this.text = "";
    this.drawn = 0;
    const unread = found ? this.relations.track.unread(view, width) : [0, width];

    if (unread) drawUnread(context, unread, height);
    if (found) this.#drawFound(context, found, options);
    this.#drawRequest(context, options);
    context.restore();
    return Boolean(found);
  }

  #drawFound(context, { lists, densities, all }, { view, width, height }) {
    const looks = this.relations.track.names.map((name) => stateColours.of(name));
    const { request } = view;

    for (const list of lists) {
      const shift = Number(list.base - view.start);

      for (let i = 0; i < list.starts.length; i++) {
        const x0 = ((list.starts[i] + shift) / view.span) * width;

        if (x0 > width) break;
        const x1 =
          ((list.starts[i] + list.lengths[i] + shift) / view.span) * width;

        if (x1 < 0) continue;
        context.globalAlpha =
          request && !request.has(this.relations, list.roots[i]) ? GREY : 1;
        this.#drawBar(
          context,
          context.globalAlpha === 1 ? looks[list.names[i]] : { fill: theme.muted },
          { x0, x1, lane: list.lanes[i], flags: list.flags[i], width },
        );
        this.drawn++;
      }
    }
    context.globalAlpha = 1;
    if (densities.length) this.#drawDensity(context, densities, view, width, height);
    this.text = densities.length
      ? `the ${this.drawn} longest of about ${all} relations`
      : `${this.drawn} relations`;
  }

  #drawBar(context, look, { x0, x1, lane, flags, width, lowest = 0 }) {
    const { depth } = this.relations;
    const high = Math.max(laneHeight(depth), lowest);
    const left = Math.max(x0, -2);
    const right = Math.max(Math.min(x1, width + 2), left + 1);
    const y = laneMiddle(depth, lane) - high / 2;
    const gap = high > 3 ? 1 : 0;
    const wide = right - left;

    fillState(context, look, left, y, wide > 3 ? wide - 0.75 : wide, high - gap);
    if (flags & 2 && high > 4) {
      context.fillStyle = theme.error;
      context.fillRect(left, y + high - gap - 2, wide, 2);
    }
    if (wide > 30 && high >= 11 && look.name) {
      context.save();
      context.beginPath();
      context.rect(left, y, wide - 3, high);
      context.clip();
      context.font = `10px ${theme.font}`;
      context.textBaseline = "middle";
      context.fillStyle = look.ink;
      context.fillText(look.name, Math.max(left, 0) + 3, y + (high - gap) / 2 + 0.5);
      context.restore();
    }
  }

  /** How many began when: the most is as high as there is room. */
  #drawDensity(context, densities, view, width, height) {
    const bars = [];
    let most = 0;

    for (const { start, width: step, counts } of densities)
      for (let i = 0; i < counts.length; i++) {
        const x0 = view.shareOf(start + BigInt(i * step)) * width;
        const x1 = view.shareOf(start + BigInt((i + 1) * step)) * width;

        if (!counts[i] || x1 < 0 || x0 > width) continue;
        bars.push([x0, x1, counts[i] / step]);
        most = Math.max(most, counts[i] / step);
      }
    context.fillStyle = theme.text;
    context.globalAlpha = 0.45;
    for (const [x0, x1, share] of bars) {
      const high = Math.max(1, (share / most) * (DENSITY - 2));

      context.fillRect(x0, height - 2 - high, Math.max(x1 - x0, 0.75), high);
    }
    context.globalAlpha = 1;
  }

  /** The request that is followed has all of its relations, also where others are
   *  left out. */
  #drawRequest(context, { view, width }) {
    for (const item of view.request?.list ?? []) {
      if (item.relations !== this.relations) continue;
      const x0 = view.shareOf(item.start) * width;
      const x1 = view.shareOf(item.end) * width;

      if (x0 > width || x1 < 0) continue;
      this.#drawBar(context, stateColours.of(item.name), {
        x0,
        x1,
        lane: item.lane,
        flags: item.hasFailed ? 2 : 0,
        width,
        lowest: FOLLOWED_MIN,
      });
    }
  }
}
