// SPDX-License-Identifier: LGPL-2.1-or-later
// The critical path over the rows: a line along the top of the trace that it is in,
// and down or up to the next one where it goes on there.
import { theme } from "./colours.js";

/** Its width, and that of what sets it off from the states below it. */
const WIDTH = 3;
const EDGE = 1.5;

/** Where it runs in a row. */
function heightIn(row) {
  return row.top + 1 + WIDTH / 2;
}

/**
 * What is to be drawn of a path, in pixels: {x0, x1, y} of its parts, and lines
 * from {x, y0} to {x, y1}.
 *
 * @param place {width, height, scrollTop, x}: x tells where a time is.
 */
function shapesOf(path, view, rows, { width, height, scrollTop, x }) {
  const parts = [];
  const jumps = [];
  const isSeen = (y0, y1) => Math.max(y0, y1) >= 0 && Math.min(y0, y1) <= height;

  for (const { part, next } of path.between(view.start, view.end)) {
    const row = rows.rowOfTrace(part.trace);

    if (!row) continue;
    const y = heightIn(row) - scrollTop;
    const x0 = Math.max(x(part.start), -WIDTH);
    // What is shorter than a pixel is on it, too.
    const x1 = Math.max(Math.min(x(part.end), width + WIDTH), x0 + 1);
    const other = next && rows.rowOfTrace(next.trace);

    if (isSeen(y, y)) parts.push({ x0, x1, y });
    if (!other || other === row || x1 > width) continue;
    const y1 = heightIn(other) - scrollTop;

    if (isSeen(y, y1)) jumps.push({ x: x(part.end), y0: y, y1 });
  }
  return { parts, jumps };
}

function trace(context, { parts, jumps }) {
  context.beginPath();
  for (const { x0, x1, y } of parts) {
    context.moveTo(x0, y);
    context.lineTo(x1, y);
  }
  for (const { x, y0, y1 } of jumps) {
    context.moveTo(x, y0);
    context.lineTo(x, y1);
  }
  context.stroke();
}

/** Draw a path; returns how many of its parts are on the screen. */
export function drawPath(context, path, view, rows, place) {
  const shapes = shapesOf(path, view, rows, place);

  context.lineCap = "butt";
  context.strokeStyle = theme.panel;
  context.lineWidth = WIDTH + 2 * EDGE;
  trace(context, shapes);
  context.strokeStyle = theme.path;
  context.lineWidth = WIDTH;
  trace(context, shapes);
  context.lineWidth = 1;
  return shapes.parts.length;
}
