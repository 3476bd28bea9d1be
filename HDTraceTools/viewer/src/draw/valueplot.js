// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws a value in a row, with uPlot: where entries are narrower than pixels, the
// band from minimum to maximum and the mean; else the entries as steps.
import uPlot from "uplot";
import { hatching, lineColour, theme } from "./colours.js";
import { short } from "../data/numbers.js";

/** Room for the numbers of an axis. */
export const GUTTER = 56;

function withAlpha(colour, alpha) {
  return (
    colour +
    Math.round(alpha * 255)
      .toString(16)
      .padStart(2, "0")
  );
}

/** Columns as what uPlot takes: [x, max, min, mean], with null for gaps. */
function fromColumns({ columns }) {
  const { width, min, max, mean } = columns;
  const x = new Float64Array(width);
  const rows = [[], [], []];

  for (let i = 0; i < width; i++) {
    const isEmpty = Number.isNaN(mean[i]);

    x[i] = i + 0.5;
    rows[0].push(isEmpty ? null : max[i]);
    rows[1].push(isEmpty ? null : min[i]);
    rows[2].push(isEmpty ? null : mean[i]);
  }
  return [x, ...rows];
}

/** Entries, or windows, as steps. */
function fromSteps({ steps }, width) {
  const x = [];
  const rows = [[], [], []];
  let last = null;

  for (const [x0, x1, value, min, max] of steps) {
    const isEmpty = Number.isNaN(value);

    if (last !== null && x0 > last + 1e-6) {
      x.push((last + x0) / 2);
      for (const row of rows) row.push(null);
    }
    // Far outside, coordinates are no use to a canvas.
    x.push(Math.max(x0, -width), Math.min(x1, 2 * width));
    [max, min, value].forEach((number, i) => {
      const drawn = isEmpty ? null : number;

      rows[i].push(drawn, drawn);
    });
    last = x1;
  }
  return [x, ...rows];
}

export class ValuePlot {
  constructor(element, series) {
    this.element = element;
    this.series = series;
    this.plot = null;
    this.width = 0;
    this.range = [0, 1];
    this.gaps = [];
    this.ticks = [];
    this.isBars = false;
    this.colour = lineColour(series.value);
  }

  #options(width, height) {
    const { series } = this;
    const isDashed = series.value.simulated;
    const colour = this.colour;
    const line = { points: { show: false }, pxAlign: 0 };

    return {
      width: width + GUTTER,
      height,
      pxAlign: false,
      padding: [5, 0, 4, 0],
      cursor: { show: false },
      legend: { show: false },
      select: { show: false },
      scales: {
        x: { time: false, range: () => [0, this.width] },
        y: { range: () => this.range },
      },
      axes: [
        {
          size: 0,
          splits: () => this.ticks,
          values: () => [],
          ticks: { show: false },
          grid: { stroke: theme.grid, width: 1 },
        },
        {
          size: GUTTER,
          gap: 4,
          space: 15,
          stroke: theme.muted,
          font: `11px ${theme.font}`,
          values: (plot, splits) => splits.map((value) => short(value)),
          ticks: { stroke: theme.line, width: 1, size: 4 },
          grid: { stroke: theme.grid, width: 1 },
        },
      ],
      // What is over a stack hides what is below it.
      bands: series.isStacked
        ? []
        : [{ series: [1, 2], fill: withAlpha(colour, 0.28) }],
      series: [
        {},
        { ...line, stroke: withAlpha(colour, 0.0), width: 0 },
        { ...line, stroke: withAlpha(colour, 0.0), width: 0 },
        {
          ...line,
          stroke: colour,
          width: 1.25,
          dash: isDashed ? [6, 3] : undefined,
          // An area begins at zero, or is none.
          fill: () =>
            withAlpha(
              colour,
              series.isStacked
                ? 1
                : this.range[0] <= 0
                  ? this.isBars
                    ? 0.5
                    : 0.1
                  : 0,
            ),
          fillTo: () => Math.max(0, this.range[0]),
        },
      ],
      hooks: { drawClear: [() => this.#drawGaps()] },
    };
  }

  /** Hatch the time in which the group was stopped. */
  #drawGaps() {
    const { ctx, bbox } = this.plot;
    const ratio = window.devicePixelRatio || 1;

    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, 0, bbox.width, this.plot.height * ratio);
    ctx.clip();
    for (const [x0, x1] of this.gaps) {
      const left = bbox.left + x0 * ratio;
      const width = Math.max((x1 - x0) * ratio, ratio);

      ctx.fillStyle = hatching(ctx, 1, theme.gap);
      ctx.fillRect(left, bbox.top, width, bbox.height);
    }
    ctx.restore();
  }

  /**
   * Draw it.
   *
   * @param options {width, height, range, ticks, gaps, isBars, isPrinting}; what
   *        is printed is drawn once.
   */
  draw(sample, options) {
    const { width, height } = options;
    const colour = lineColour(this.series.value);

    Object.assign(this, {
      range: options.range,
      ticks: options.ticks,
      gaps: options.gaps,
      isBars: options.isBars,
    });
    if (this.plot && (this.look !== options.look || this.colour !== colour))
      this.destroy();
    this.colour = colour;
    this.look = options.look;
    if (!this.plot) {
      this.width = width;
      this.plot = new uPlot(
        this.#options(width, height),
        [[], [], [], []],
        this.element,
      );
      this.plot.root.setAttribute("aria-hidden", "true");
      // As in prepareCanvas().
      if (options.isPrinting) this.plot.ctx.clearRect = () => {};
    } else if (this.width !== width || this.height !== height) {
      this.width = width;
      this.plot.setSize({ width: width + GUTTER, height });
    }
    this.height = height;
    this.plot.setData(
      !sample
        ? [[], [], [], []]
        : sample.steps
          ? fromSteps(sample, width)
          : fromColumns(sample),
      false,
    );
    this.plot.redraw(true, true);
  }

  destroy() {
    this.plot?.destroy();
    this.plot = null;
  }
}
