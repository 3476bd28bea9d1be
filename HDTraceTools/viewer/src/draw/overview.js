// SPDX-License-Identifier: LGPL-2.1-or-later
// The strip above the ruler: the whole run, and what part of it is shown.
import { theme } from "./colours.js";
import { h, prepareCanvas } from "../ui/dom.js";
import { quantity } from "../data/numbers.js";
import { sampleSeries } from "../data/series/sampling.js";
import { formatSecondsShort } from "../data/time.js";
import { loadCount } from "../data/codec/track.js";

const HEIGHT = 46;

/** The power of all nodes as a series, or the first value that there is. */
export function overviewSeries(model, makeSum) {
  const powers = model.meta.powers.filter((power) => power.inTotal);

  if (powers.length) return makeSum(powers);
  const group = model.groups.find((g) => g.series.some((s) => !s.isText));

  return group?.series.find((series) => !series.isText) ?? null;
}

export class Overview {
  constructor(model, view, series) {
    this.model = model;
    this.view = view;
    this.series = series;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.picture = document.createElement("canvas");
    this.isFine = false;
    this.from = this.#handle("Start of the view");
    this.to = this.#handle("End of the view");
    this.element = h(
      "div",
      {
        class: "overview",
        role: "group",
        "aria-label": "The whole run, with the visible part",
      },
      this.canvas,
      this.from,
      this.to,
    );
    this.#listen();
  }

  #handle(label) {
    return h("div", {
      class: "handle",
      role: "slider",
      tabindex: "0",
      "aria-label": label,
      "aria-orientation": "horizontal",
    });
  }

  get width() {
    return Math.max(1, this.element.clientWidth);
  }

  /** The tracks that it needs. */
  get tracks() {
    if (!this.series) return [];
    return this.series.tracks ?? [this.series.track];
  }

  /** The whole run as a view. */
  get whole() {
    const span = this.view.wholeSpan;

    return {
      start: this.model.start - BigInt(Math.round(span * 0.01)),
      span: span * 1.02,
    };
  }

  #shareOf(time) {
    const { start, span } = this.whole;

    return Number(time - start) / span;
  }

  #timeAt(x) {
    const { start, span } = this.whole;

    return start + BigInt(Math.round((x / this.width) * span));
  }

  #listen() {
    const { element, view } = this;
    let drag = null;

    element.addEventListener("pointerdown", (event) => {
      // One finger at a time.
      if (event.button !== 0 || !event.isPrimary) return;
      const x = this.#xOf(event);
      const x0 = this.#shareOf(view.start) * this.width;
      const x1 = this.#shareOf(view.end) * this.width;

      element.setPointerCapture(event.pointerId);
      const near = event.pointerType === "touch" ? 22 : 8;

      if (Math.abs(x - x0) < near) drag = { kind: "from" };
      else if (Math.abs(x - x1) < near) drag = { kind: "to" };
      else if (x > x0 && x < x1 && x1 - x0 < this.width * 0.95)
        drag = { kind: "move", x, start: view.start };
      else drag = { kind: "new", x };
      event.preventDefault();
    });
    element.addEventListener("pointermove", (event) => {
      if (drag && event.isPrimary) this.#drag(drag, this.#xOf(event));
    });
    element.addEventListener("pointerup", (event) => {
      const x = this.#xOf(event);

      // A click moves the view there.
      if (drag?.kind === "new" && Math.abs(x - drag.x) < 4)
        view.show(
          this.#timeAt(x) - BigInt(Math.round(view.span / 2)),
          view.span,
        );
      drag = null;
    });
    element.addEventListener("pointercancel", () => {
      drag = null;
    });
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      view.zoom(Math.exp(event.deltaY * 0.002), 0.5);
    });
    this.from.addEventListener("keydown", (event) => this.#key(event, true));
    this.to.addEventListener("keydown", (event) => this.#key(event, false));
  }

  #xOf(event) {
    return event.clientX - this.element.getBoundingClientRect().left;
  }

  #drag(drag, x) {
    const { view } = this;
    const time = this.#timeAt(x);

    switch (drag.kind) {
      case "from":
        if (time < view.end) view.show(time, Number(view.end - time));
        break;
      case "to":
        if (time > view.start) view.show(view.start, Number(time - view.start));
        break;
      case "move":
        view.show(
          drag.start +
            BigInt(Math.round(((x - drag.x) / this.width) * this.whole.span)),
          view.span,
        );
        break;
      default:
        if (Math.abs(x - drag.x) >= 4)
          view.show(
            this.#timeAt(Math.min(x, drag.x)),
            (Math.abs(x - drag.x) / this.width) * this.whole.span,
          );
    }
  }

  #key(event, isStart) {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

    if (!direction) return;
    const { view } = this;
    const step =
      BigInt(Math.round(view.span * (event.shiftKey ? 0.25 : 0.05))) *
      BigInt(direction);

    event.preventDefault();
    event.stopPropagation();
    if (isStart) view.show(view.start + step, view.span - Number(step));
    else view.show(view.start, view.span + Number(step));
  }

  /** The power of all nodes as it is, or while it is being read from the means of
   *  each, whose maximum is none of the data. */
  #sample(width) {
    const { total } = this.model;

    // Of several projects nothing is known beforehand.
    if (!this.model.isJoined && total.isThere) return total.sample(this.whole, width);
    const sample = this.series
      ? sampleSeries(this.series, this.whole, width)
      : null;

    return sample && { ...sample, max: this.series.isDefined ? null : undefined };
  }

  /** The run itself, which is the same however the reader zooms: it is drawn
   *  again when something was loaded, or its size or the theme changed. */
  #drawPicture(width) {
    const { start, span } = this.whole;
    const ratio = window.devicePixelRatio || 1;
    const isFinal =
      this.isFine && this.tracks.every((track) => track.isComplete);
    const described = this.tracks.reduce((sum, track) => sum + track.descriptions, 0);
    const loads = isFinal ? `all ${described}` : loadCount();
    const isThere = !this.model.isJoined && this.model.total.isThere;
    const key = [width, ratio, start, span, theme.number, loads, isThere].join();

    // What is made of many values comes later, though nothing more is loaded.
    if (key === this.pictured && this.isFine) return;
    this.pictured = key;
    const context = prepareCanvas(this.picture, width, HEIGHT);
    const sample = this.#sample(width);

    if (sample) this.#drawSample(context, sample, width);
    this.isFine = !this.series || Boolean(sample?.isWanted);
  }

  /** Returns whether it is as fine as it can be. */
  draw() {
    const { width, view } = this;
    const context = prepareCanvas(this.canvas, width, HEIGHT);

    this.#drawPicture(width);
    context.drawImage(this.picture, 0, 0, width, HEIGHT);
    const x0 = Math.max(0, this.#shareOf(view.start) * width);
    const x1 = Math.min(width, this.#shareOf(view.end) * width);

    context.fillStyle = theme.background;
    context.globalAlpha = 0.62;
    context.fillRect(0, 0, x0, HEIGHT);
    context.fillRect(x1, 0, width - x1, HEIGHT);
    context.globalAlpha = 1;
    this.#drawTitle(context);
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.strokeRect(
      x0 + 0.75,
      0.75,
      Math.max(x1 - x0 - 1.5, 1),
      HEIGHT - 1.5,
    );
    if (view.mark) {
      const m0 = this.#shareOf(view.mark.from) * width;
      const m1 = this.#shareOf(view.mark.to) * width;

      context.fillStyle = theme.mark;
      context.globalAlpha = 0.5;
      context.fillRect(m0, HEIGHT - 6, Math.max(m1 - m0, 2), 6);
      context.globalAlpha = 1;
    }
    this.#place(this.from, x0, view.start);
    this.#place(this.to, x1, view.end);
    return this.isFine;
  }

  #drawSample(context, { columns, max: known }, width) {
    let max = 0;

    for (const value of columns.max) if (value > max) max = value;
    const scale = max > 0 ? (HEIGHT - 6) / max : 0;

    context.fillStyle = theme.accent;
    for (let x = 0; x < width; x++) {
      if (Number.isNaN(columns.mean[x])) continue;
      const mean = Math.max(0, columns.mean[x] * scale);
      const top = Math.max(0, columns.max[x] * scale);

      context.globalAlpha = 0.25;
      context.fillRect(x, HEIGHT - top, 1, top);
      context.globalAlpha = 0.45;
      context.fillRect(x, HEIGHT - mean, 1, mean);
    }
    context.globalAlpha = 1;
    const { title, level } = this.series;
    const most = known === undefined ? max * level.scale : known;

    this.title = `${title}${level.unit && most !== null ? `, up to ${quantity(most, level.base, 3)}` : ""}`;
    this.element.dataset.max = most ?? "";
  }

  /** The title, legible on whatever is there. */
  #drawTitle(context) {
    if (!this.title) return;
    context.font = `11px ${theme.font}`;
    context.fillStyle = theme.background;
    context.globalAlpha = 0.8;
    context.fillRect(2, 2, context.measureText(this.title).width + 8, 15);
    context.globalAlpha = 1;
    context.fillStyle = theme.text;
    context.fillText(this.title, 6, 13);
  }

  #place(handle, x, time) {
    const text = formatSecondsShort(time - this.model.origin);

    handle.style.left = `${x}px`;
    handle.setAttribute("aria-valuemin", "0");
    handle.setAttribute("aria-valuemax", "1000");
    handle.setAttribute(
      "aria-valuenow",
      String(Math.round(Math.min(1, Math.max(0, this.#shareOf(time))) * 1000)),
    );
    handle.setAttribute("aria-valuetext", `${text} s`);
  }
}
