// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the states and events of a trace in a row: a band for each depth. What
// is narrower than a pixel is drawn as shares of a column.
import { drawUnread, fillState, stateColours, theme, waitLook } from "./colours.js";
import { prepareCanvas } from "../ui/dom.js";
import { BANDS_MAX, SIZES } from "../rows/lane.js";
import { upperBound } from "../data/series/series.js";
import { Shares } from "./shares.js";
import { firstReaching } from "../data/states/states.js";
import { RowWaits } from "../data/states/rowwaits.js";
import { GUTTER } from "./valueplot.js";

const EVENTS = 65535;
/** States of so many pixels are drawn one by one. Of those that are narrower several
 *  meet in a pixel, of which each has its share: painted over one another, the last
 *  one would have too much of it. */
const WIDE = 4;
/** Bands of so many pixels have room for a name. */
const LABEL_MIN = 12;

export class StatePlot {
  constructor(canvas, states) {
    this.canvas = canvas;
    this.states = states;
  }

  /**
   * Draw it.
   *
   * @param options {view, width, height, hiddenStates, hasWaits, ticks, size}: one
   *        of SIZES.
   *
   * @return Whether states are as fine as they can be.
   */
  draw(options) {
    const { view, width, height } = options;
    const context = prepareCanvas(this.canvas, width + GUTTER, height);
    const nsPerPixel = view.span / width;
    const found = this.states.peek(view.start, view.end, nsPerPixel);

    /** Whether waits are as fine as they can be. */
    this.hasFineWaits = true;
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, width, height);
    context.clip();
    context.translate(GUTTER, 0);
    this.#drawGrid(context, options);
    const unread = found
      ? this.states.track.unread(view, width)
      : this.states.levels.length || !this.states.track.isComplete
        ? [0, width]
        : null;

    if (unread) drawUnread(context, unread, height);
    if (found) this.#drawFound(context, found, options, nsPerPixel);
    context.restore();
    return Boolean(found?.isWanted);
  }

  #drawGrid(context, { ticks, height }) {
    context.fillStyle = theme.grid;
    for (const x of ticks) context.fillRect(Math.round(x), 0, 1, height);
  }

  #drawFound(context, found, options, nsPerPixel) {
    const { view, width, height, size = SIZES.large } = options;
    const picture = {
      context,
      width,
      size,
      topOf: (band) => size.top + (size.isFlat ? 0 : band * size.band),
      nsPerPixel,
      start: view.start,
      looks: this.#looks(options.hiddenStates),
      shares: new Shares(width, height, BANDS_MAX),
      marks: [],
      labels: [],
      waits: [],
    };

    for (const states of found.states) this.#addStates(picture, states);
    for (const sums of found.sums) this.#addSums(picture, sums, found.level);
    if (options.hasWaits) this.#addWaits(picture, found.level, options.view);
    picture.shares.draw(context, [...picture.looks, waitLook()], (band) => [
      picture.topOf(band),
      size.band - 1,
    ]);
    this.#drawLabels(picture);
    this.#drawMarks(context, picture.marks, options);
  }

  /** How states look, by their number; null: they are hidden. */
  #looks(hiddenStates) {
    return this.states.track.names.map((name) =>
      hiddenStates.has(name) ? null : stateColours.of(name),
    );
  }

  #addStates(picture, states) {
    const { width, nsPerPixel, looks } = picture;
    const { starts, lengths, names, depths, isEvent } = states;
    const shift = Number(states.base - picture.start);

    for (let i = firstReaching(states, -shift); i < starts.length; i++) {
      const x0 = (starts[i] + shift) / nsPerPixel;

      if (x0 > width) break;
      const x1 = (starts[i] + lengths[i] + shift) / nsPerPixel;
      const look = looks[names[i]];

      if (x1 < 0 || !look) continue;
      const band = Math.min(depths[i], BANDS_MAX - 1);

      if (isEvent[i]) picture.marks.push(x0);
      else if (x1 - x0 >= WIDE) this.#drawState(picture, look, band, x0, x1);
      else picture.shares.add(band, x0, x1, names[i], 1);
    }
  }

  #drawState({ context, width, labels, size, topOf }, look, band, x0, x1) {
    const left = Math.max(x0, -2);
    const right = Math.min(x1, width + 2);
    const y = topOf(band);

    // A line between states that touch.
    fillState(context, look, left, y, right - left - 0.75, size.band - 1);
    if (right - left > 26 && size.band >= LABEL_MIN) labels.push([look, left, right, y]);
  }

  /** Paint the part of states that is waiting. In columns that several states
   *  share, this part has its own share, which that of its state loses. */
  #addWaits(picture, { width: step }, view) {
    const { waits } = this.states;
    const { looks, nsPerPixel, shares } = picture;
    const found = waits.peek(view.start, view.end, nsPerPixel);
    const numbers = waits.stateNumbers();

    this.hasFineWaits =
      found?.isWanted ?? (waits.track.isComplete && !waits.levels.length);
    if (!found) return;
    RowWaits.each(found, view, nsPerPixel, (start, length, share, list, i) => {
      const number = numbers[list.names[i]];
      const isSeen = number < 0 || looks[number];

      // Where nested states are drawn, the outermost one is not all.
      if (list.isNested[i] || !isSeen) return;
      const band = Math.min(list.depths[i], BANDS_MAX - 1);
      const x0 = start / nsPerPixel;
      const x1 = (start + length) / nsPerPixel;

      if (share === 1 && x1 - x0 >= WIDE) {
        this.#drawWait(picture, band, x0, x1);
      } else if (step <= nsPerPixel) {
        shares.add(band, x0, x1, looks.length, share);
        if (number >= 0) shares.add(band, x0, x1, number, -share);
      }
    });
  }

  #drawWait({ context, width, waits, size, topOf }, band, x0, x1) {
    const left = Math.max(x0, -2);
    const right = Math.min(x1, width + 2);
    const box = [left, topOf(band), right - left - 0.75, size.band - 1];

    fillState(context, waitLook(), ...box);
    waits.push(box);
  }

  #drawLabels({ context, labels, waits, size: { band } }) {
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    for (const [look, left, right, y] of labels) {
      const from = Math.max(left, 0) + 4;
      const room = right - from - 4;
      const text = shorten(context, look.name, room);

      if (!text) continue;
      context.fillStyle = look.ink;
      context.fillText(text, from, y + band / 2);
      for (const box of waits)
        if (box[1] === y && box[0] < right && box[0] + box[2] > from)
          this.#drawOnWait(context, text, from, y + band / 2, box);
    }
  }

  /** The part of a name that lies on a wait can be read, too. */
  #drawOnWait(context, text, x, y, box) {
    const look = waitLook();

    context.save();
    context.beginPath();
    context.rect(...box);
    context.clip();
    fillState(context, look, ...box);
    context.fillStyle = look.ink;
    context.fillText(text, x, y);
    context.restore();
  }

  #addSums(picture, sums, level) {
    const { width, nsPerPixel, looks, shares } = picture;
    const { starts, names, depths, times } = sums;
    const shift = Number(sums.base - picture.start);
    const pixels = level.width / nsPerPixel;

    for (
      let i = upperBound(starts, -shift - level.width);
      i < starts.length;
      i++
    ) {
      const x0 = (starts[i] + shift) / nsPerPixel;

      if (x0 > width) break;
      if (!looks[names[i]]) continue;
      if (depths[i] === EVENTS) picture.marks.push(x0 + pixels / 2);
      else
        shares.add(
          Math.min(depths[i], BANDS_MAX - 1),
          x0,
          x0 + pixels,
          names[i],
          times[i] / level.width,
        );
    }
  }

  /** Events are small triangles, hanging from the top. */
  #drawMarks(context, marks, { height, width }) {
    const places = [...new Set(marks.map(Math.round))].sort((a, b) => a - b);
    // Lines that are too many would hide everything.
    const hasLines = places.length < width / 12;
    let last = -10;

    context.fillStyle = theme.text;
    context.beginPath();
    for (const x of places) {
      if (x - last < 5) continue;
      last = x;
      if (hasLines) {
        context.globalAlpha = 0.35;
        context.fillRect(x - 0.5, 0, 1, height);
        context.globalAlpha = 1;
      }
      context.moveTo(x - 3, 0);
      context.lineTo(x + 3, 0);
      context.lineTo(x, 4);
    }
    context.fill();
  }
}

const widths = new Map();

/** A text, cut to a width with an ellipsis; "" if nothing of it fits. */
export function shorten(context, text, room) {
  const short = text.length > 200 ? text.slice(0, 200) : text;
  let width = widths.get(short);

  if (width === undefined) {
    width = context.measureText(short).width;
    if (widths.size > 2000) widths.clear();
    widths.set(short, width);
  }
  if (width <= room && short === text) return short;
  const count = Math.floor((room / width) * short.length) - 1;

  return count >= 2 ? `${short.slice(0, count)}…` : "";
}
