// SPDX-License-Identifier: LGPL-2.1-or-later
// Making elements. Whatever comes from a project gets into the page as text.
import { exact } from "../data/numbers.js";
import { formatSecondsShort } from "../data/time.js";

/**
 * Make an element: h("button", { class: "x", onclick: f }, "Text", child, ...).
 * Properties that begin with "on" are listeners; others are attributes; null
 * and false are left out, true is an empty attribute.
 */
export function h(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** As h(), of SVG. */
export function svg(name, properties = {}, ...children) {
  return fill(
    document.createElementNS("http://www.w3.org/2000/svg", name),
    properties,
    children,
  );
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** What in an element can have the focus. */
function focusable(element) {
  return [...element.querySelectorAll("button, input, select, [tabindex]")];
}

/** Replace what is in an element; the focus stays where it was. */
export function replace(element, ...children) {
  const index = element.contains(document.activeElement)
    ? focusable(element).indexOf(document.activeElement)
    : -1;

  element.replaceChildren();
  append(element, children);
  if (index >= 0) focusable(element)[index]?.focus({ preventScroll: true });
  return element;
}

const ICONS = {
  zoomIn: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM21 21l-5-5M11 8v6M8 11h6",
  zoomOut: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM21 21l-5-5M8 11h6",
  whole: "M3 12h18M3 12l4-4M3 12l4 4M21 12l-4-4M21 12l-4 4",
  back: "M9 14L4 9l5-5M4 9h9a7 7 0 0 1 0 14h-2",
  follow: "M4 12h9M9 8l4 4-4 4M17 5v14M20 5v14",
  mark: "M5 4v16M19 4v16M8 12h8M8 12l3-3M8 12l3 3M16 12l-3-3M16 12l-3 3",
  alike: "M4 5h16M8 12h12M8 19h12M4 5v14",
  visible: "M3 5v14M21 5v14M6 15l3-6 3 5 3-8 3 9",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  help: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 17h.01",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  rows: "M4 6h16M4 12h16M4 18h10",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  print: "M7 9V4h10v5M7 18H5a1 1 0 0 1-1-1v-6h16v6a1 1 0 0 1-1 1h-2M7 15h10v6H7z",
  arrows: "M4 7h13M17 7l-4-4M17 7l-4 4M20 17H7M7 17l4-4M7 17l4 4",
  path: "M3 6h7v12h11M17 14l4 4-4 4",
  bars: "M5 20V10M10 20V4M15 20v-7M20 20V8",
  scale: "M6 4v16M6 4L3 7M6 4l3 3M6 20l-3-3M6 20l3-3M12 6h9M12 12h6M12 18h9",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.6-5.7L12 7M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.6 5.7L12 17",
};

/** A small picture; it says nothing to screen readers. */
export function icon(name) {
  return svg(
    "svg",
    {
      class: "icon",
      viewBox: "0 0 24 24",
      "aria-hidden": "true",
      focusable: "false",
    },
    svg("path", { d: ICONS[name] }),
  );
}

/** A button with a picture, and a name for those who do not see it. */
export function iconButton(name, label, onclick, properties = {}) {
  return h(
    "button",
    { type: "button", class: "icon-button", title: label, onclick, ...properties },
    icon(name),
    h("span", { class: "sr" }, label),
  );
}

let liveRegion = null;

/** Say something to screen readers. */
export function announce(text) {
  if (!liveRegion) {
    liveRegion = h("div", { class: "sr", role: "status", "aria-live": "polite" });
    document.body.append(liveRegion);
  }
  liveRegion.textContent = text;
}

let pixelRatio = null;

/** Draw with so many pixels of a canvas for one of CSS; null: as the screen has. */
export function setPixelRatio(ratio) {
  pixelRatio = ratio;
}

/** Set up a canvas for the screen's resolution, or a finer one; returns its context. */
export function prepareCanvas(canvas, width, height, least = 1) {
  const ratio = Math.max(pixelRatio ?? window.devicePixelRatio ?? 1, least);
  const w = Math.max(1, Math.round(width * ratio));
  const hgt = Math.max(1, Math.round(height * ratio));

  const isNew = canvas.width !== w || canvas.height !== hgt;

  if (isNew) {
    canvas.width = w;
    canvas.height = hgt;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");

  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (isNew) return context;
  if (document.documentElement.classList.contains("printing")) {
    // What is cleared now is missing on paper in all that lies below it, too.
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, width, height);
  } else {
    context.clearRect(0, 0, width, height);
  }
  return context;
}

/**
 * A number with its text: data-value has all digits, or "unknown" where it is not
 * known, data-unit the unit, which is empty for counts and ratios.
 */
export function shown(value, unit, text, properties = {}) {
  const isKnown =
    value !== null && value !== undefined && !Number.isNaN(Number(value));

  return h(
    "span",
    {
      "data-value": isKnown ? exact(value) : "unknown",
      "data-unit": unit ?? "",
      ...properties,
    },
    text,
  );
}

/** A time of a project, from its start. */
export function shownTime(time, model) {
  const since = time - model.origin;

  return shown(Number(since) / 1e9, "s", `${formatSecondsShort(since)} s`);
}

/** Let the reader save a text or bytes as a file. */
export function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));

  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** What tables show, and what they have no room for. */
const contents = new WeakMap();

/** {caption, columns, rows} of a table, with all rows; undefined: it is none of ours. */
export function contentOf(element) {
  return contents.get(element);
}

/** A table: columns are {title, class, value(row), csv(row)}, value a text or element;
 *  in CSV it is what csv() says, and columns without value() are there only. No more
 *  rows than the limit are shown. */
export function table(caption, all, rows, properties = {}, limit = Infinity) {
  const columns = all.filter(({ value }) => value);
  const element = h(
    "table",
    properties,
    h("caption", { class: "sr" }, caption),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        columns.map((column) =>
          h("th", { scope: "col", class: column.class }, column.title),
        ),
      ),
    ),
    h(
      "tbody",
      {},
      rows.slice(0, limit).map((row) =>
        h(
          "tr",
          row.properties ?? {},
          columns.map((column, i) =>
            h(
              i === 0 ? "th" : "td",
              { scope: i === 0 ? "row" : null, class: column.class },
              column.value(row),
            ),
          ),
        ),
      ),
    ),
  );

  contents.set(element, { caption, columns: all, rows });
  return element;
}
