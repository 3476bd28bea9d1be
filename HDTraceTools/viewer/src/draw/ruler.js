// SPDX-License-Identifier: LGPL-2.1-or-later
// The ruler above the rows: seconds from the start, phases, and the mark.
import { prepareCanvas } from "../ui/dom.js";
import { theme } from "./colours.js";
import { shorten } from "./stateplot.js";
import { formatLength, parseSeconds, tickLabel, tickStep } from "../data/time.js";
import { GUTTER } from "./valueplot.js";

export const RULER_HEIGHT = 30;
const PHASE_HEIGHT = 20;

/** Phases of the report, and intervals that the reader named. */
export function phasesOf(model, view) {
  const phases = (model.report?.phases ?? []).flatMap((phase) =>
    phase.start === null || phase.phases > 1
      ? []
      : [
          {
            name: phase.name,
            from: parseSeconds(phase.start),
            to: parseSeconds(phase.end),
            isNamed: false,
          },
        ],
  );

  return [...phases, ...view.named.map((item) => ({ ...item, isNamed: true }))];
}

/** Ticks in view: {x, label}, counted from the start of the project. */
export function ticksOf(view, width) {
  const step = tickStep(view.span, width / 110);
  const origin = view.model.origin;
  const first = view.start - origin;
  const big = BigInt(step);
  let at = (first / big) * big;
  const list = [];

  while (at < first) at += big;
  for (; at <= first + BigInt(Math.ceil(view.span)) && list.length < 400; at += big)
    list.push({
      x: (Number(at - first) / view.span) * width,
      label: tickLabel(at, step),
    });
  return list;
}

export class Ruler {
  constructor(canvas, model, view) {
    this.canvas = canvas;
    this.model = model;
    this.view = view;
  }

  get phases() {
    return phasesOf(this.model, this.view);
  }

  get height() {
    return RULER_HEIGHT + (this.phases.length ? PHASE_HEIGHT : 0);
  }

  /** The phase at a point of the canvas. */
  phaseAt(x, y, width) {
    if (y < RULER_HEIGHT) return null;
    const time = this.view.timeAt((x - GUTTER) / width);

    return (
      this.phases.findLast((phase) => phase.from <= time && time <= phase.to) ??
      null
    );
  }

  draw(width) {
    const { view } = this;
    const context = prepareCanvas(this.canvas, width + GUTTER, this.height);

    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    context.save();
    context.translate(GUTTER, 0);
    context.save();
    // What stands in the corner is never written over.
    context.beginPath();
    context.rect(-14, 0, width + 14, RULER_HEIGHT);
    context.clip();
    for (const { x, label } of ticksOf(view, width)) {
      context.fillStyle = theme.muted;
      context.fillRect(Math.round(x), RULER_HEIGHT - 7, 1, 7);
      if (x + context.measureText(label).width / 2 > width) continue;
      context.fillStyle = theme.text;
      context.textAlign = "center";
      context.fillText(label, x, RULER_HEIGHT / 2 - 3);
    }
    context.restore();
    this.#drawPhases(context, width);
    context.restore();
    context.fillStyle = theme.muted;
    context.fillText("s", GUTTER - 22, RULER_HEIGHT / 2 - 3);
  }

  #drawPhases(context, width) {
    const y = RULER_HEIGHT;

    this.phases.forEach((phase, i) => {
      const x0 = Math.max(this.view.shareOf(phase.from) * width, -2);
      const x1 = Math.min(this.view.shareOf(phase.to) * width, width + 2);

      if (x1 < 0 || x0 > width) return;
      context.fillStyle = phase.isNamed
        ? theme.mark
        : i % 2
          ? theme.grid
          : theme.line;
      context.globalAlpha = phase.isNamed ? 0.35 : 1;
      context.fillRect(x0, y, Math.max(x1 - x0 - 1, 1), PHASE_HEIGHT - 3);
      context.globalAlpha = 1;
      const left = Math.max(x0, 0) + 5;
      const text = shorten(context, phase.name, Math.min(x1, width) - left - 4);

      context.fillStyle = theme.text;
      context.fillText(text, left, y + PHASE_HEIGHT / 2 - 1);
    });
  }
}

/** The length of the view, for people. */
export function spanText(view) {
  return formatLength(view.span);
}
