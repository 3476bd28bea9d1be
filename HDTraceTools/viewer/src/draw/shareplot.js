// SPDX-License-Identifier: LGPL-2.1-or-later
// A summary of many traces in a folded row: of each column of pixels, which share
// of their time all of them together were in which state. It is of the outermost
// states, exact as the steps of the levels are that fit the pixels.
//
// Thousands of traces cannot be gone through in a frame: that is done beside, some
// milliseconds at a time, when the reader has come to rest; until then what was
// found before is shown, moved and stretched to where it belongs. Traces are added
// when they were read to their end; the part of those that are missing is hatched.
import { drawUnread, stateColours, theme, waitLook } from "./colours.js";
import { Shares } from "./shares.js";
import { prepareCanvas } from "../ui/dom.js";
import { GUTTER } from "./valueplot.js";
import { firstReaching } from "../data/states/states.js";
import { RowWaits } from "../data/states/rowwaits.js";
import { upperBound } from "../data/series/series.js";
import { chunksBetween } from "../data/codec/track.js";

/** So long the main thread is taken at a time, in ms. */
const SLICE_MS = 4;
/** So long the reader rests before it is begun, in ms. */
const REST_MS = 90;
/** So often it is shown what was found so far, and so long is waited until what
 *  could not be loaded is asked for again, in ms. */
const SHOW_MS = 250;
const AGAIN_MS = 2000;
/** So long traces that grow are gone through before that is begun anew, in ms. */
const GROWING_MS = 2000;
/** So many traces are loaded at the same time. */
const AT_ONCE = 8;
const HEIGHT = 12;

/** Time in the outermost states, by their name, in columns of pixels. */
class ShareSums {
  constructor(view, width) {
    this.start = view.start;
    this.span = view.span;
    this.width = width;
    this.nsPerPixel = view.span / width;
    /** By name: time in each column, in columns; and the waiting part of it. */
    this.names = new Map();
    this.waits = new Map();
  }

  #of(lists, name) {
    let list = lists.get(name);

    if (!list) {
      list = new Float64Array(this.width);
      lists.set(name, list);
    }
    return list;
  }

  #add(name, x0, x1, share, lists = this.names) {
    const list = this.#of(lists, name);
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

  /** Add its waits, likewise. */
  addWaits(names, found) {
    const { nsPerPixel } = this;

    const take = (start, length, share, list, i) => {
      if (list.depths[i] === 0)
        this.#add(
          names[list.names[i]],
          start / nsPerPixel,
          (start + length) / nsPerPixel,
          share,
          this.waits,
        );
    };

    // States are spread over the steps of their level, too.
    RowWaits.each(found, this, nsPerPixel, take, true);
  }

  /** Draw it as of so many traces, of which some are missing. */
  paint(canvas, count, missing, { hiddenStates, showsWaits }) {
    const context = prepareCanvas(canvas, this.width, HEIGHT);
    const shares = new Shares(this.width, HEIGHT, 1);
    const isSeen = ([name]) => !hiddenStates.has(name);
    const names = [...this.names].filter(isSeen);
    const looks = [...names.map(([name]) => stateColours.of(name)), waitLook()];
    // In a column, a state does not wait for longer than it is.
    const within = ([name, list]) => [
      name,
      list.map((time, x) => Math.min(time, this.names.get(name)?.[x] ?? 0)),
    ];
    const waits = new Map(
      showsWaits ? [...this.waits].filter(isSeen).map(within) : [],
    );
    const add = (list, number, sign) => {
      for (let x = 0; x < this.width; x++)
        if (list[x] > 0) shares.add(0, x, x + 1, number, (sign * list[x]) / count);
    };

    names.forEach(([name, list], number) => {
      add(list, number, 1);
      if (waits.has(name)) add(waits.get(name), number, -1);
    });
    for (const list of waits.values()) add(list, names.length, 1);
    if (missing) {
      // They stand on top: what is known has its height from below.
      drawUnread(context, [0, this.width], Math.max(2, (HEIGHT * missing) / count));
    }
    shares.draw(context, looks, () => [0, HEIGHT]);
  }
}

export class SharePlot {
  constructor(canvas, traces) {
    this.canvas = canvas;
    this.traces = traces;
    this.picture = document.createElement("canvas");
    /** What is found of the view that is wanted: {key, sums, added, isBusy}. */
    this.job = null;
    /** The sums that the picture is of, and what it is a picture of. */
    this.shown = null;
    this.shownKey = "";
  }

  /** "loading", "partial" or "done": how many of the traces are in the picture. */
  get load() {
    if (!this.shownCount) return this.traces.length ? "loading" : "done";
    return this.shownCount < this.traces.length ? "partial" : "done";
  }

  /**
   * Draw what is known, and find what is not.
   *
   * @param options {view, width, hiddenStates, isWaitsKnown, showsWaits, onFound}
   *
   * @return Whether it is all.
   */
  draw(options) {
    const { view, width, hiddenStates, isWaitsKnown, showsWaits } = options;
    const context = prepareCanvas(this.canvas, width + GUTTER, HEIGHT + 1);
    const key = [view.start, view.span, width, isWaitsKnown].join();
    const look = [
      window.devicePixelRatio,
      theme.gap,
      showsWaits,
      ...[...hiddenStates].sort(),
    ].join("\0");

    this.options = { ...options, look };
    if (key !== this.job?.key) {
      // With each part that is added, the view of a run that grows is another one.
      if (!options.isGrowing || !this.#isBusyForLong(GROWING_MS)) this.#begin(key);
    } else if (!this.job.isBusy) {
      if (this.job.of !== this.#described) this.#begin(key);
      else if (this.#missing.length) this.#find(this.job);
    }
    if (this.shown && this.shownLook !== look) this.#paint(this.shown, this.shownCount);
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, width, HEIGHT);
    context.clip();
    if (this.shown) {
      const { start, span } = this.shown;
      const x = (Number(start - view.start) / view.span) * width;

      context.imageSmoothingEnabled = false;
      context.drawImage(
        this.picture,
        GUTTER + x,
        0,
        (span / view.span) * width,
        HEIGHT,
      );
    } else {
      drawUnread(context, [GUTTER, GUTTER + width], HEIGHT);
    }
    context.restore();
    return (
      this.shownKey === key &&
      this.shownOf === this.#described &&
      this.load === "done"
    );
  }

  /** How often the traces were described. */
  get #described() {
    return this.traces.reduce((sum, { track }) => sum + track.descriptions, 0);
  }

  /** Whether traces are gone through that were not when so many ms are over. */
  #isBusyForLong(ms) {
    return this.job?.isBusy && performance.now() - this.job.begun < ms;
  }

  /** Traces that were read to their end and are not added yet. */
  get #missing() {
    const { added } = this.job;

    const { isWaitsKnown } = this.options;

    return this.traces.filter(
      (trace) =>
        trace.track.isComplete &&
        (!isWaitsKnown || trace.states.waits.track.isComplete) &&
        !added.has(trace),
    );
  }

  #begin(key) {
    const { view, width } = this.options;

    clearTimeout(this.timer);
    this.job = {
      key,
      sums: new ShareSums(view, width),
      added: new Set(),
      of: this.#described,
      begun: performance.now(),
      isBusy: true,
    };
    this.timer = setTimeout(
      (job) => this.#find(job),
      this.shown ? REST_MS : 0,
      this.job,
    );
  }

  /** Add what is missing, some traces at a time. */
  async #find(job) {
    const { sums, added } = job;
    const { isWaitsKnown } = this.options;
    const [from, to] = [sums.start, sums.start + BigInt(Math.ceil(sums.span))];
    let begun = performance.now();
    let shownAt = begun;
    let hasFailed = false;

    job.isBusy = true;
    for (;;) {
      const some = hasFailed ? [] : this.#missing.slice(0, AT_ONCE);

      if (!some.length) break;
      const loadAll = (list) =>
        Promise.all(list.map((one) => load(one, from, to, sums.nsPerPixel)));
      const found = await loadAll(some.map(({ states }) => states));
      const waits = isWaitsKnown
        ? await loadAll(some.map(({ states }) => states.waits))
        : [];

      if (job !== this.job) return;
      some.forEach(({ states }, i) => {
        const isMissing =
          found[i] === undefined || (isWaitsKnown && waits[i] === undefined);

        hasFailed ||= isMissing;
        if (isMissing) return;
        if (found[i]) sums.addTrace(states.track.names, found[i]);
        if (waits[i]) sums.addWaits(states.waits.track.names, waits[i]);
        added.add(some[i]);
      });
      if (performance.now() - begun < SLICE_MS) continue;
      if (performance.now() - shownAt > SHOW_MS) {
        this.#show(job);
        shownAt = performance.now();
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      if (job !== this.job) return;
      begun = performance.now();
    }
    job.isBusy = false;
    this.#show(job);
    // The browser asks the server for all else meanwhile.
    if (hasFailed)
      this.timer = setTimeout(() => job === this.job && this.#find(job), AGAIN_MS);
  }

  #show(job) {
    if (this.shown === job.sums && this.shownCount === job.added.size) return;
    this.#paint(job.sums, job.added.size);
    this.shownKey = job.key;
    this.shownOf = job.of;
    this.options.onFound();
  }

  #paint(sums, count) {
    const { look } = this.options;
    const all = this.traces.length;

    sums.paint(this.picture, all, all - count, this.options);
    this.shown = sums;
    this.shownCount = count;
    this.shownLook = look;
  }

  /** In words, of all that is shown: "Compute 62 %, Send 20 %". */
  get text() {
    if (!this.shown || !this.shownCount) return "";
    const { names, waits, width } = this.shown;
    const all = width * this.shownCount;
    const sharesOf = (lists) =>
      [...lists].map(([name, list]) => [name, list.reduce((a, b) => a + b, 0) / all]);
    const percentOf = (share) => `${Math.round(share * 100)} %`;
    const waiting = sharesOf(waits).reduce((sum, [, share]) => sum + share, 0);
    const states =
      sharesOf(names)
        .sort((a, b) => b[1] - a[1])
        .slice(0, 5)
        .map(([name, share]) => `${name} ${percentOf(share)}`)
        .join(", ") + (waiting > 0 ? `; waiting ${percentOf(waiting)}` : "");

    return this.load === "done"
      ? states
      : `${states}; ${this.shownCount} of ${this.traces.length} traces are loaded`;
  }

  destroy() {
    this.job = null;
    clearTimeout(this.timer);
  }
}

/** All that a trace has in a view, at the level that fits it; null if nothing is
 *  there, undefined if it cannot be had. */
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
    return undefined;
  }
  return states.peek(from, to, nsPerPixel) ?? undefined;
}
