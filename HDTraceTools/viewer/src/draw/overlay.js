// SPDX-License-Identifier: LGPL-2.1-or-later
// What lies over the rows: the mark, borders of phases, messages, the cursor.
import { theme } from "./colours.js";
import { prepareCanvas } from "../ui/dom.js";
import { drawPath } from "./pathline.js";
import { phasesOf } from "./ruler.js";
import { causesOf } from "./causearrows.js";
import { GUTTER } from "./valueplot.js";

/** More messages than that nobody can follow. */
const ARROWS_MAX = 1200;

/** Where a message leaves or arrives: the middle of the states' first band. */
function heightOf(row) {
  return row.kind === "states"
    ? row.top + row.size.top + row.size.band / 2
    : row.top + row.height / 2;
}

export class Overlay {
  constructor(canvas, model, view, rows) {
    this.canvas = canvas;
    this.model = model;
    this.view = view;
    this.rows = rows;
    this.arrows = [];
    this.messageText = "";
  }

  /**
   * Draw it.
   *
   * @param options {left, width, height, scrollTop}: the plots, in pixels.
   *
   * @return Whether all was loaded.
   */
  draw(options) {
    const { width, height } = options;
    const context = prepareCanvas(
      this.canvas,
      options.left + GUTTER + width,
      height,
    );

    this.options = options;
    context.save();
    context.translate(options.left + GUTTER, 0);
    context.beginPath();
    context.rect(0, 0, width, height);
    context.clip();
    this.#drawPhases(context, options);
    this.#drawMark(context, options);
    // What is about rows is not drawn over those that stay at the top.
    context.save();
    context.beginPath();
    context.rect(0, options.covered ?? 0, width, height);
    context.clip();
    const hasMessages = this.#drawMessages(context, options);
    const isComplete = this.#drawCauses(context, options) && hasMessages;

    this.#drawPaths(context, options);
    this.#drawSelection(context, options);
    context.restore();
    this.#drawCursor(context, options);
    context.restore();
    return isComplete;
  }

  #x(time, width) {
    return this.view.shareOf(time) * width;
  }

  #drawPhases(context, { width, height }) {
    context.strokeStyle = theme.muted;
    context.lineWidth = 1;
    context.setLineDash([3, 4]);
    context.beginPath();
    for (const phase of phasesOf(this.model, this.view))
      for (const time of [phase.from, phase.to]) {
        const x = Math.round(this.#x(time, width)) + 0.5;

        if (x < 0 || x > width) continue;
        context.moveTo(x, 0);
        context.lineTo(x, height);
      }
    context.stroke();
    context.setLineDash([]);
  }

  #drawMark(context, { width, height }) {
    const { mark } = this.view;

    if (!mark) return;
    const x0 = Math.min(Math.max(this.#x(mark.from, width), -2), width + 2);
    const x1 = Math.min(Math.max(this.#x(mark.to, width), -2), width + 2);

    context.fillStyle = theme.mark;
    context.globalAlpha = 0.13;
    context.fillRect(x0, 0, x1 - x0, height);
    context.globalAlpha = 1;
    context.fillRect(x0 - 0.75, 0, 1.5, height);
    context.fillRect(x1 - 0.75, 0, 1.5, height);
  }

  #drawMessages(context, options) {
    const { view, model } = this;

    this.arrows = [];
    this.messageText = "";
    if (!view.hasArrows) return true;
    const found = model.messages.peek(view.start, view.end, ARROWS_MAX);

    if (!found) return false;
    this.messageText =
      found.list.length < found.all
        ? `${found.list.length} of about ${found.all.toLocaleString("en")} messages: the longest ones`
        : "";
    for (const message of found.list) this.#place(message, options);
    const isMany = this.arrows.length > 150;

    context.strokeStyle = theme.text;
    context.fillStyle = theme.text;
    context.lineWidth = 1;
    context.globalAlpha = isMany ? 0.3 : 0.65;
    this.#drawLines(context, (arrow) => !arrow.isBackward);
    // Such a message was not received before it was sent: clocks differ, or
    // not all messages were recorded.
    context.setLineDash([4, 4]);
    context.strokeStyle = theme.error;
    this.#drawLines(context, (arrow) => arrow.isBackward);
    context.setLineDash([]);
    context.globalAlpha = isMany ? 0.5 : 0.9;
    if (this.arrows.length <= 600)
      for (const arrow of this.arrows) drawHead(context, arrow);
    context.globalAlpha = 1;
    if (this.hovered) this.#drawHovered(context);
    return true;
  }

  /** From relations to those that they caused. */
  #drawCauses(context, options) {
    const { view, model, rows } = this;

    this.causes = [];
    this.causeText = "";
    if (!view.hasArrows) return true;
    const found = causesOf(model, rows, view, options);

    if (!found) return false;
    this.causes = found.arrows;
    this.causeText = found.text;
    context.lineWidth = view.request ? 1.5 : 1;
    context.globalAlpha = view.request ? 0.95 : 0.6;
    for (const arrow of found.arrows) {
      const colour = arrow.isBackward ? theme.error : theme.text;

      context.strokeStyle = colour;
      context.fillStyle = colour;
      context.beginPath();
      context.moveTo(arrow.x0, arrow.y0);
      context.lineTo(arrow.x1, arrow.y1);
      context.stroke();
      drawHead(context, arrow, 0.8);
    }
    context.globalAlpha = 1;
    return true;
  }

  #drawPaths(context, options) {
    const { view, model, rows } = this;
    const x = (time) => this.#x(time, options.width);

    this.pathParts = 0;
    if (!view.hasPath) return;
    for (const path of model.paths)
      this.pathParts += drawPath(context, path, view, rows, { ...options, x });
  }

  /** The row of what is selected; null: none. */
  #rowOf({ kind, trace, file, group, column }) {
    if (kind === "state") return this.rows.rowOfTrace(trace);
    if (kind === "relation") return this.rows.rowOfRelations(file);
    return kind === "entry" ? this.rows.find(`s${group}.${column}`) : null;
  }

  /** A frame around the row of what is selected, from its start to its end; of a
   *  message the arrow. */
  #drawSelection(context, { width, scrollTop }) {
    const { selection } = this.view;
    const row = selection && this.#rowOf(selection);

    if (selection?.kind === "message")
      this.#drawArrow(
        context,
        ({ from, to, sent, received }) =>
          from === selection.from &&
          to === selection.to &&
          (sent < received ? sent : received) === selection.start &&
          (sent < received ? received : sent) === selection.end,
      );
    if (!row) return;
    const x0 = Math.max(this.#x(selection.start, width), -2);
    const x1 = Math.min(this.#x(selection.end, width), width + 2);

    if (x1 < -1 || x0 > width + 1) return;
    context.strokeStyle = theme.accent;
    context.lineWidth = 2;
    context.strokeRect(
      x0 - 1,
      row.top - scrollTop + 1,
      Math.max(x1 - x0, 1) + 2,
      row.height - 3,
    );
  }

  #drawLines(context, isOne) {
    context.beginPath();
    for (const arrow of this.arrows) {
      if (!isOne(arrow)) continue;
      context.moveTo(arrow.x0, arrow.y0);
      context.lineTo(arrow.x1, arrow.y1);
    }
    context.stroke();
  }

  #drawHovered(context) {
    const { sent, received, from, to } = this.hovered;

    this.#drawArrow(
      context,
      (message) =>
        message.sent === sent &&
        message.from === from &&
        message.to === to &&
        message.received === received,
    );
  }

  /** Draw the arrow of a message that stands out. */
  #drawArrow(context, isIt) {
    const arrow = this.arrows.find(({ message }) => isIt(message));

    if (!arrow) return;
    context.strokeStyle = theme.accent;
    context.fillStyle = theme.accent;
    context.lineWidth = 2.5;
    context.beginPath();
    context.moveTo(arrow.x0, arrow.y0);
    context.lineTo(arrow.x1, arrow.y1);
    context.stroke();
    drawHead(context, arrow, 1.6);
  }

  #place(message, { width, height, scrollTop }) {
    const from = this.rows.rowOfTrace(message.from);
    const to = this.rows.rowOfTrace(message.to);

    if (!from || !to) return;
    const arrow = {
      message,
      isBackward: message.received < message.sent,
      x0: this.#x(message.sent, width),
      x1: this.#x(message.received, width),
      y0: heightOf(from) - scrollTop,
      y1: heightOf(to) - scrollTop,
    };

    if (Math.max(arrow.y0, arrow.y1) < 0 || Math.min(arrow.y0, arrow.y1) > height)
      return;
    if (from === to) return;
    this.arrows.push(arrow);
  }

  /** The message near a point, in pixels of the canvas; null if there is none. */
  messageAt(x, y) {
    const at = x - (this.options?.left ?? 0) - GUTTER;
    let best = null;
    let nearest = 5;

    for (const arrow of this.arrows) {
      const distance = distanceTo(arrow, at, y);

      if (distance < nearest) {
        nearest = distance;
        best = arrow.message;
      }
    }
    return best;
  }

  #drawCursor(context, { width, height }) {
    const { cursor } = this.view;

    if (cursor === null) return;
    const x = Math.round(this.#x(cursor, width)) + 0.5;

    if (x < 0 || x > width) return;
    context.strokeStyle = theme.accent;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
  }
}

function drawHead(context, { x0, y0, x1, y1 }, scale = 1) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  const size = 6 * scale;

  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(
    x1 - size * Math.cos(angle - 0.4),
    y1 - size * Math.sin(angle - 0.4),
  );
  context.lineTo(
    x1 - size * Math.cos(angle + 0.4),
    y1 - size * Math.sin(angle + 0.4),
  );
  context.fill();
}

/** Distance of a point from a line. */
function distanceTo({ x0, y0, x1, y1 }, x, y) {
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length = dx * dx + dy * dy;
  const share = length
    ? Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length))
    : 0;

  return Math.hypot(x - x0 - share * dx, y - y0 - share * dy);
}
