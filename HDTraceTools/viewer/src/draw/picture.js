// SPDX-License-Identifier: LGPL-2.1-or-later
// An element of the page as a picture: SVG, the texts of which stay texts, or PNG.
// What is drawn on a canvas becomes an image in it.
import { svg } from "../ui/dom.js";

/** Pixels of CSS in an inch, and millimetres. */
const PIXELS_PER_INCH = 96;
const MM_PER_INCH = 25.4;
/** Browsers refuse larger canvases. */
const SIDE_MAX = 16000;
const AREA_MAX = 1.2e8;

/** Millimetres as pixels of CSS. */
export const pixelsOf = (mm) => (mm / MM_PER_INCH) * PIXELS_PER_INCH;

/** A text without the characters that XML cannot have. */
export function xmlText(text) {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, "\ufffd");
}

/** A number with few digits. */
const n = (value) => String(Math.round(value * 100) / 100);

class Drawing {
  constructor(element) {
    const box = element.getBoundingClientRect();

    this.left = box.left;
    this.top = box.top;
    this.width = box.width;
    this.height = box.height;
    this.root = svg("g");
    this.measure = document.createElement("canvas").getContext("2d");
    this.ascents = new Map();
  }

  #note(right, bottom) {
    this.width = Math.max(this.width, right);
    this.height = Math.max(this.height, bottom);
  }

  /** Draw an element and all in it; what its ancestors cut off is not. */
  draw(element, clip = null) {
    const style = getComputedStyle(element);

    if (style.display === "none" || element.classList.contains("sr")) return;
    const box = element.getBoundingClientRect();

    if (style.visibility !== "hidden") {
      this.#drawBox(box, style);
      if (element.localName === "canvas") this.#drawCanvas(element, box);
      if (element.localName === "select") this.#drawChoice(element, box, style);
      if (element.localName === "input") this.#drawInput(element, box, style);
    }
    if (["canvas", "select", "svg", "input"].includes(element.localName)) return;
    const isCut = style.overflowX !== "visible" && style.display !== "inline";
    const inner = isCut ? Math.min(clip ?? Infinity, box.right) : clip;
    // What is folded away has a place, too.
    const isFolded = element.localName === "details" && !element.open;

    for (const child of element.childNodes) {
      if (isFolded && child.localName !== "summary") continue;
      if (child.nodeType === Node.ELEMENT_NODE) this.draw(child, inner);
      if (child.nodeType === Node.TEXT_NODE && style.visibility !== "hidden")
        this.#drawText(child, style, inner);
    }
  }

  #drawBox(box, style) {
    const x = box.left - this.left;
    const y = box.top - this.top;
    const fill = style.backgroundColor;

    if (!(box.width > 0 && box.height > 0)) return;
    // rgb(255, 128, 0) ends with a 0, too.
    if (fill !== "transparent" && !/^rgba\(.*, 0\)$/.test(fill))
      this.root.append(
        svg("rect", {
          x: n(x),
          y: n(y),
          width: n(box.width),
          height: n(box.height),
          rx: n(Number.parseFloat(style.borderTopLeftRadius) || 0),
          fill,
          opacity: style.opacity === "1" ? null : style.opacity,
        }),
      );
    for (const [side, from, to] of [
      ["Top", [x, y], [x + box.width, y]],
      ["Bottom", [x, y + box.height], [x + box.width, y + box.height]],
      ["Left", [x, y], [x, y + box.height]],
      ["Right", [x + box.width, y], [x + box.width, y + box.height]],
    ]) {
      const wide = Number.parseFloat(style[`border${side}Width`]);

      if (!(wide > 0) || style[`border${side}Style`] === "none") continue;
      this.root.append(
        svg("path", {
          d: `M${from.map(n)}L${to.map(n)}`,
          stroke: style[`border${side}Color`],
          "stroke-width": n(wide),
        }),
      );
    }
  }

  #drawCanvas(canvas, box) {
    if (!canvas.width || !canvas.height || !box.width) return;
    this.#note(box.right - this.left, box.bottom - this.top);
    this.root.append(
      svg("image", {
        x: n(box.left - this.left),
        y: n(box.top - this.top),
        width: n(box.width),
        height: n(box.height),
        preserveAspectRatio: "none",
        href: canvas.toDataURL("image/png"),
      }),
    );
  }

  /** What is chosen, or typed. */
  #drawChoice(select, box, style) {
    this.#drawField(select.selectedOptions[0]?.text ?? "", box, style);
  }

  #drawInput(input, box, style) {
    if (["text", "search", "number"].includes(input.type))
      this.#drawField(input.value, box, style);
  }

  #drawField(text, box, style) {
    const size = Number.parseFloat(style.fontSize);

    if (!text) return;
    this.#append(text, style, {
      left: box.left + 6,
      baseline: (box.top + box.bottom) / 2 + size * 0.35,
    });
  }

  #fontOf({ fontStyle, fontWeight, fontSize, fontFamily }) {
    return `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  }

  /** Spaces at the ends of lines are not drawn: leave out those that have no room. */
  #shownSpaces(text, style, width) {
    this.measure.font = this.#fontOf(style);
    const off = (one) => Math.abs(this.measure.measureText(one).width - width);

    return [text.trim(), text.trimStart(), text.trimEnd(), text].reduce((best, one) =>
      off(one) < off(best) ? one : best,
    );
  }

  /** How much of the height of a line is above its base. */
  #ascentOf(style) {
    const font = this.#fontOf(style);
    let share = this.ascents.get(font);

    if (share === undefined) {
      this.measure.font = font;
      const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } =
        this.measure.measureText("x");

      share = up / (up + down) || 0.8;
      this.ascents.set(font, share);
    }
    return share;
  }

  /** The lines of a text: [from, to, box], of its characters. */
  *#lines(node, range) {
    const { length } = node.data;

    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);

    if (!boxes.length) return;
    if (boxes.every((box) => Math.abs(box.top - boxes[0].top) < 2)) {
      yield [0, length, range.getBoundingClientRect()];
      return;
    }
    for (let start = 0; start < length; ) {
      const end = this.#lineEnd(node, range, start);
      const box = this.#boxOf(node, range, start, end);

      if (box.width > 0) yield [start, end, box];
      start = end;
    }
  }

  /** Where the line that begins at a character ends. */
  #lineEnd(node, range, start) {
    const { length } = node.data;
    const first = this.#boxOf(node, range, start, start + 1);
    // What has no box of its own, as a space between lines, ends a line.
    const isIn = (end) =>
      this.#boxOf(node, range, start, end).bottom < first.bottom + 2;
    let low = start + 1;
    let step = 32;

    if (!first.width) return low;
    while (low + step < length && isIn(low + step)) {
      low += step;
      step *= 2;
    }
    let high = Math.min(length, low + step);

    while (low < high) {
      const middle = (low + high + 1) >> 1;

      if (isIn(middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #boxOf(node, range, from, to) {
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect();
  }

  /** The characters of a line that end before a place. */
  #fitting(node, range, from, to, right) {
    let [low, high] = [from, to];

    while (low < high) {
      const middle = (low + high + 1) >> 1;

      if (this.#boxOf(node, range, from, middle).right <= right) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #drawText(node, style, clip) {
    if (!node.data.trim()) return;
    const range = document.createRange();
    const isPre = style.whiteSpace.startsWith("pre");

    for (const [from, to, box] of this.#lines(node, range)) {
      let text = node.data.slice(from, to);
      let { width } = box;

      if (clip !== null && box.left >= clip) continue;
      if (clip !== null && box.right > clip + 0.5) {
        const size = Number.parseFloat(style.fontSize);
        const last = this.#fitting(node, range, from, to, clip - size);

        text = `${node.data.slice(from, last)}…`;
        width = 0;
      }
      if (!isPre) text = this.#shownSpaces(text.replace(/[ \t\r\n]+/g, " "), style, width);
      if (!text.trim()) continue;
      this.#append(text, style, {
        left: box.left,
        baseline: box.top + box.height * this.#ascentOf(style),
        width,
        bottom: box.bottom,
      });
    }
  }

  #append(text, style, { left, baseline, width = 0, bottom = 0 }) {
    const x = left - this.left;

    this.#note(x + width, bottom ? bottom - this.top : 0);
    this.root.append(
      svg(
        "text",
        {
          x: n(x),
          y: n(baseline - this.top),
          "font-family": style.fontFamily,
          "font-size": style.fontSize,
          "font-weight": style.fontWeight,
          "font-style": style.fontStyle === "normal" ? null : style.fontStyle,
          fill: style.color,
          // As wide as here, whatever fonts a reader has.
          textLength: width > 0 && text.length > 1 ? n(width) : null,
          lengthAdjust: width > 0 && text.length > 1 ? "spacingAndGlyphs" : null,
          "xml:space": "preserve",
        },
        xmlText(text),
      ),
    );
  }
}

/**
 * An element as SVG.
 *
 * @param mm    Its width on paper: the element must be laid out in so much, which
 *              only what has no room there exceeds; then all is smaller.
 * @param title Stands in it for those who cannot see it.
 *
 * @return {text, mm: [width, height]}
 */
export function pictureOf(element, mm, title) {
  const drawing = new Drawing(element);

  drawing.draw(element);
  const { width, height } = drawing;
  const size = [mm, (mm * height) / width];
  const picture = svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width: `${n(size[0])}mm`,
      height: `${n(size[1])}mm`,
      viewBox: `0 0 ${n(width)} ${n(height)}`,
      role: "img",
    },
    svg("title", {}, xmlText(title)),
    svg("rect", { width: "100%", height: "100%", fill: "#ffffff" }),
    drawing.root,
  );
  const text = new XMLSerializer().serializeToString(picture);

  return { text: `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`, mm: size };
}

/**
 * A picture as PNG, as its bytes.
 *
 * @param perInch So many pixels are an inch of paper; fewer, if it were too large.
 *
 * @return {bytes, perInch}
 */
export async function pngOf({ text, mm }, perInch) {
  const [width, height] = mm.map((length) => length / MM_PER_INCH);
  const most = Math.min(
    perInch,
    SIDE_MAX / Math.max(width, height),
    Math.sqrt(AREA_MAX / (width * height)),
  );
  const image = new Image();
  const canvas = document.createElement("canvas");

  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.width = Math.max(1, Math.round(width * most));
  canvas.height = Math.max(1, Math.round(height * most));
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));

  if (!blob) throw new Error("the picture is too large for the browser");
  return { bytes: new Uint8Array(await blob.arrayBuffer()), perInch: most };
}
