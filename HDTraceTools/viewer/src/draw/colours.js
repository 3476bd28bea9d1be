// SPDX-License-Identifier: LGPL-2.1-or-later
// Colours. A state has its own by its name alone, in every view, project and
// picture (statecolour.table, which hdtrace plot reads, too); where names share
// one, hatching may tell them apart. Colour is never all that says what something
// is: states have their name on them where there is room, and in the legend and
// the tables.

const LINE_COLOURS = {
  light: ["#c8501e", "#0b68a8", "#00806a", "#9a4a86", "#7a6a00", "#3b3fa6", "#1d7a1d", "#8c3b3b"],
  dark: ["#ff9a5c", "#6db8f2", "#4fd0b3", "#e59ad3", "#d8c860", "#a3a7ff", "#83d983", "#ee9a9a"],
};

/** Classes of MPI functions, from the table that libhdMPI is made from. */
const CLASS_TITLES = {
  p2p: "Point to point",
  wait: "Completion",
  coll: "Collective",
  rma: "One-sided",
  io: "Files",
  env: "Environment",
  comm: "Communicators",
  group: "Groups",
  type: "Datatypes",
};

/* global MPI_CLASSES */
const classOf = new Map();

for (const [name, functions] of Object.entries(MPI_CLASSES))
  for (const one of functions) classOf.set(one.toLowerCase(), name);

/** The category of a state, by its name. */
export function categoryOf(name) {
  const found = classOf.get(name.toLowerCase());

  if (found) return CLASS_TITLES[found];
  // As programs of 2009 called them.
  if (/^(I?File)[A-Z_]/.test(name)) return CLASS_TITLES.io;
  return "Program";
}

/** Red, green and blue of "#rrggbb", up to 255. */
function channels(colour) {
  return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
}

/** Relative luminance of "#rrggbb". */
function luminance(colour) {
  const [r, g, b] = channels(colour).map((channel) => {
    const c = channel / 255;

    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });

  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/* global STATE_COLOURS */
const namedColours = new Map(Object.entries(STATE_COLOURS.names));

/** FNV-1a of 32 bits, as in statecolour.c. */
function hashOf(name) {
  let hash = 2166136261;

  for (const byte of new TextEncoder().encode(name))
    hash = Math.imul(hash ^ byte, 16777619);
  return hash >>> 0;
}

/** The colour of a state, and the number of its hatching, by its name. */
function stateColour(name) {
  const named = namedColours.get(name);
  const { others } = STATE_COLOURS;
  const hash = hashOf(name);

  return named
    ? { fill: named, pattern: 0 }
    : {
        fill: others[hash % others.length],
        pattern: Math.floor(hash / others.length) % 4,
      };
}

/** A colour as pixels: {fill, rgb, pixel, ink}; pixel is the colour as image data
 *  has it. */
function lookOf(fill) {
  const rgb = channels(fill);

  return {
    fill,
    rgb,
    pixel: (255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0],
    ink: luminance(fill) > 0.24 ? "#10151b" : "#ffffff",
  };
}

/** How a state looks: {name, fill, rgb, pixel, ink, pattern, category}. */
class StateColours {
  #looks = new Map();

  of(name) {
    let look = this.#looks.get(name);

    if (!look) {
      const { fill, pattern } = stateColour(name);

      look = { name, ...lookOf(fill), pattern, category: categoryOf(name) };
      this.#looks.set(name, look);
    }
    return look;
  }

  get all() {
    return [...this.#looks.values()];
  }
}

export const stateColours = new StateColours();

const lineNumbers = new Map();

/** Number of the colour of a value, the same at all nodes. */
export function lineNumber(name) {
  if (!lineNumbers.has(name)) lineNumbers.set(name, lineNumbers.size);
  return lineNumbers.get(name);
}

/** Colour of a line. */
export function lineColour(value) {
  const colours = LINE_COLOURS[theme.isDark ? "dark" : "light"];

  return colours[lineNumber(value.name) % colours.length];
}

/** Colours of the page, for canvases. */
export const theme = {
  isDark: false,
  /** Counts how often it was read. */
  number: 0,
  read() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();

    this.isDark = get("--is-dark") === "1";
    this.text = get("--text");
    this.muted = get("--muted");
    this.line = get("--line");
    this.grid = get("--grid");
    this.panel = get("--panel");
    this.background = get("--background");
    this.accent = get("--accent");
    this.mark = get("--mark");
    this.path = get("--path");
    this.waiting = get("--waiting");
    this.gap = get("--gap");
    this.error = get("--error");
    this.font = get("--canvas-font");
    this.patterns = new Map();
    this.number++;
  },
  patterns: new Map(),
};

/** How the part of a state looks that is waiting. */
export function waitLook() {
  if (theme.waitLook?.fill !== theme.waiting)
    theme.waitLook = { name: "Waiting", ...lookOf(theme.waiting), pattern: CROSSES };
  return theme.waitLook;
}

/** A hatching that no state has. */
const CROSSES = 4;

/** A hatching: 1 and 2 are diagonals, 3 dots, 4 both diagonals, 0 none. */
export function hatching(context, number, colour) {
  const ratio = window.devicePixelRatio || 1;
  const key = `${number}${colour}${ratio}`;
  let pattern = theme.patterns.get(key);

  if (!pattern) {
    const size = Math.round(8 * ratio);
    const tile = document.createElement("canvas");

    tile.width = size;
    tile.height = size;
    const c = tile.getContext("2d");

    c.strokeStyle = colour;
    c.fillStyle = colour;
    c.lineWidth = (number === CROSSES ? 1 : 1.5) * ratio;
    c.beginPath();
    if (number === 1 || number === CROSSES)
      for (const x of [-size, 0, size]) {
        c.moveTo(x, size);
        c.lineTo(x + size, 0);
      }
    if (number === 2 || number === CROSSES)
      for (const x of [-size, 0, size]) {
        c.moveTo(x, 0);
        c.lineTo(x + size, size);
      }
    c.stroke();
    if (number === 3) {
      c.arc(size / 2, size / 2, 1.4 * ratio, 0, 7);
      c.fill();
    }
    pattern = context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().scale(1 / ratio));
    theme.patterns.set(key, pattern);
  }
  return pattern;
}

/** Fill a rectangle as a state looks. */
export function fillState(context, look, x, y, width, height) {
  context.fillStyle = look.fill;
  context.fillRect(x, y, width, height);
  if (look.pattern && width > 2) {
    context.fillStyle = hatching(
      context,
      look.pattern,
      look.ink === "#ffffff" ? "rgba(255,255,255,.45)" : "rgba(0,0,0,.35)",
    );
    context.fillRect(x, y, width, height);
  }
}

/** Hatch what is not loaded: [x0, x1]. */
export function drawUnread(context, [x0, x1], height) {
  context.fillStyle = hatching(context, 1, theme.gap);
  context.fillRect(x0, 0, x1 - x0, height);
}
