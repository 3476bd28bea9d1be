// SPDX-License-Identifier: LGPL-2.1-or-later
// A summary of many traces in a folded row: of each column of pixels, which share
// of their time all of them together were in which state. It is of the outermost
// states, exact as the steps of the levels are that fit the pixels.
//
// Thousands of traces cannot be gone through in a frame: that is done beside, some
// milliseconds at a time, when the reader has come to rest; until then what was
// found before is shown, moved and stretched to where it belongs.
import { stateColours } from "./colours.js";
import { Shares } from "./shares.js";
import { prepareCanvas } from "../ui/dom.js";
import { GUTTER } from "./valueplot.js";
import { firstReaching } from "../rows/states.js";
import { upperBound } from "../data/series.js";
import { chunksBetween } from "../data/track.js";

/** So long the main thread is taken at a time, in ms. */
const SLICE_MS = 4;
/** So long the reader rests before it is begun, in ms. */
const REST_MS = 90;
const HEIGHT = 12;

/** Time in the outermost states, by their name, in columns of pixels. */
class ShareSums {
  constructor(view, width) {
    this.start = view.start;
    this.span = view.span;
    this.width = width;
    this.nsPerPixel = view.span / width;
    /** By name: time in each column, in columns. */
    this.names = new Map();
  }

  #of(name) {
    let list = this.names.get(name);

    if (!list) {
      list = new Float64Array(this.width);
      this.names.set(name, list);
    }
    return list;
  }

  #add(name, x0, x1, share) {
    const list = this.#of(name);
    const first = Math.max(0, Math.floor(x0));
    const last = Math.min(this.width, Math.ceil(x1));

    for (let x = first; x < last; x++)
      list[x] += (Math.min(x1, x + 1) - Math.max(x0, x)) * share;
  }

  /** Add a trace, of which all is loaded: levels as States.peek() has them. */
  addTrace(names, found) {
    const { nsPerPixel, width } = this;

    for (const states of found.states) {
      const shift = Number(states.base - this.start);

      for (let i = firstReaching(states, -shift); i < states.starts.length; i++) {
        const x0 = (states.starts[i] + shift) / nsPerPixel;

        if (x0 > width) break;
        if (states.depths[i] === 0 && !states.isEvent[i])
          this.#add(
            names[states.names[i]],
            x0,
            x0 + states.lengths[i] / nsPerPixel,
            1,
          );
      }
    }
    for (const sums of found.sums) {
      const shift = Number(sums.base - this.start);
      const pixels = found.level.width / nsPerPixel;

      for (
        let i = upperBound(sums.starts, -shift - found.level.width);
        i < sums.starts.length;
        i++
      ) {
        const x0 = (sums.starts[i] + shift) / nsPerPixel;

        if (x0 > width) break;
        if (sums.depths[i] === 0)
          this.#add(
            names[sums.names[i]],
            x0,
            x0 + pixels,
            sums.times[i] / found.level.width,
          );
      }
    }
  }

  /** Draw it as of so many traces. */
  paint(canvas, count) {
    const context = prepareCanvas(canvas, this.width, HEIGHT);
    const shares = new Shares(this.width, HEIGHT, 1);
    const looks = [...this.names.keys()].map((name) => stateColours.of(name));

    [...this.names.values()].forEach((list, number) => {
      for (let x = 0; x < this.width; x++)
        if (list[x] > 0) shares.add(0, x, x + 1, number, list[x] / count);
    });
    shares.draw(context, looks, () => [0, HEIGHT]);
  }
}

export class SharePlot {
  constructor(canvas, traces) {
    this.canvas = canvas;
    this.traces = traces;
    this.picture = document.createElement("canvas");
    this.turn = 0;
  }

  /** What it would show; it is the same as long as this is. */
  #keyOf({ view, width, hiddenStates }) {
    const described = this.traces.filter(({ track }) => track.isComplete).length;

    return [
      view.start,
      view.span,
      width,
      window.devicePixelRatio,
      [...hiddenStates].sort().join("\0"),
      described,
    ].join();
  }

  /**
   * Draw what is known, and find what is not.
   *
   * @param options {view, width, hiddenStates, onFound}
   *
   * @return Whether it is all.
   */
  draw(options) {
    const { view, width } = options;
    const context = prepareCanvas(this.canvas, width + GUTTER, HEIGHT + 1);
    const key = this.#keyOf(options);

    if (key !== this.wanted) {
      this.wanted = key;
      this.turn++;
      clearTimeout(this.timer);
      this.timer = setTimeout(
        () => this.#find(options, key, this.turn),
        this.shown ? REST_MS : 0,
      );
    }
    if (this.shown) {
      const { start, span } = this.shown;
      const x = (Number(start - view.start) / view.span) * width;

      context.save();
      context.beginPath();
      context.rect(GUTTER, 0, width, HEIGHT);
      context.clip();
      context.imageSmoothingEnabled = false;
      context.drawImage(
        this.picture,
        GUTTER + x,
        0,
        (span / view.span) * width,
        HEIGHT,
      );
      context.restore();
    }
    return this.shownKey === key;
  }

  async #find({ view, width, hiddenStates, onFound }, key, turn) {
    const sums = new ShareSums(view, width);
    const [from, to] = [sums.start, sums.start + BigInt(Math.ceil(sums.span))];
    let begun = performance.now();

    for (const { states } of this.traces) {
      const found = await load(states, from, to, sums.nsPerPixel);

      if (turn !== this.turn) return;
      if (found) sums.addTrace(states.track.names, found);
      if (performance.now() - begun < SLICE_MS) continue;
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      if (turn !== this.turn) return;
      begun = performance.now();
    }
    for (const name of hiddenStates) sums.names.delete(name);
    sums.paint(this.picture, this.traces.length);
    this.found = sums;
    this.shown = sums;
    this.shownKey = key;
    onFound();
  }

  /** In words, of all that is shown: "Compute 62 %, Send 20 %". */
  get text() {
    if (!this.found) return "";
    const { names, width } = this.found;
    const all = width * this.traces.length;

    return [...names]
      .map(([name, list]) => [name, list.reduce((a, b) => a + b, 0) / all])
      .sort((a, b) => b[1] - a[1])
      .slice(0, 5)
      .map(([name, share]) => `${name} ${Math.round(share * 100)} %`)
      .join(", ");
  }

  destroy() {
    this.turn++;
    clearTimeout(this.timer);
  }
}

/** All that a trace has in a view, at the level that fits it; null if nothing is
 *  there, or it cannot be had. */
async function load(states, from, to, nsPerPixel) {
  const level = states.levelFor(nsPerPixel);

  if (!level) return null;
  try {
    const chunks = chunksBetween(level, from, to);
    const parts = level.partCount > 1 ? [0, 1] : [0];

    await Promise.all(
      chunks.flatMap((chunk) =>
        parts.map(
          (part) =>
            states.track.peek(level, chunk, part) ??
            states.track.load(level, chunk, part),
        ),
      ),
    );
  } catch {
    return null;
  }
  return states.peek(from, to, nsPerPixel);
}
