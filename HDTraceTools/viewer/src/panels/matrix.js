// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages between ranks or hosts, as a picture and a table: how many, how many bytes,
// how long they were under way.
import { theme } from "../draw/colours.js";
import { groupCells, matrixOf } from "../data/relations/matrix.js";
import { needsServedMatrix, servedMatrix } from "../data/relations/servedmatrix.js";
import { h, prepareCanvas, replace, shown, table } from "../ui/dom.js";
import { levelText, percent } from "../data/numbers.js";
import { formatLength } from "../data/time.js";

/** So many pairs are listed, those with most first; so wide is the picture at most. */
const LIST_MAX = 100;
const SIZE_MAX = 420;
/** Above so many ranks, hosts are shown first. */
const RANKS_MAX = 256;

const BYTES = { unit: "B", base: "B", scale: 1 };
const MEASURES = {
  count: { title: "Messages", of: ({ count }) => count },
  bytes: { title: "Bytes", of: ({ bytes }) => bytes },
  time: { title: "Time", of: ({ ns }) => ns },
};

/** A time as text, as far as it is known. */
function timeText(ns) {
  return Number.isNaN(ns) ? "unknown" : formatLength(ns);
}

function timeCell(ns, key = null) {
  return shown(ns / 1e9, "s", timeText(ns), { "data-key": key });
}

/** The size of messages as text, as far as it is known. */
function bytesText({ bytes, count, unsized }) {
  if (unsized === count && count > 0) return "unknown";
  return `${unsized ? "≥ " : ""}${levelText(bytes, BYTES)}`;
}

function bytesCell(cell) {
  const { bytes, count, unsized } = cell;

  return shown(unsized === count && count > 0 ? NaN : bytes, "B", bytesText(cell), {
    title: unsized ? `The size of ${unsized} messages is unknown` : null,
  });
}

export class MatrixPanel {
  title = "Messages";
  id = "matrix";

  constructor(app) {
    const { model } = app;

    this.app = app;
    this.by = this.#select("Between", { rank: "ranks", host: "hosts" });
    if (model.traces.length > RANKS_MAX) this.by.value = "host";
    this.measure = this.#select("Colour", {
      count: "number",
      bytes: "bytes",
      time: "time",
    });
    this.total = h("p", { class: "headline" });
    this.note = h("p", { class: "note" });
    this.canvas = h("canvas", {
      class: "matrix",
      role: "img",
      onpointermove: (event) => this.#hover(event),
    });
    this.place = h("p", { class: "note", "aria-live": "off" });
    this.numbers = h("div");
    this.element = h(
      "div",
      {},
      h(
        "div",
        { class: "controls" },
        h("label", {}, "Between ", this.by),
        h("label", {}, "Colour ", this.measure),
      ),
      this.total,
      this.note,
      h("div", { class: "split" }, h("div", {}, this.canvas, this.place), this.numbers),
    );
    this.turn = 0;
    this.cells = [];
  }

  #select(label, options) {
    return h(
      "select",
      { "aria-label": label, onchange: () => this.#show() },
      Object.entries(options).map(([value, text]) => h("option", { value }, text)),
    );
  }

  restyle() {
    this.#draw();
  }

  async update() {
    const turn = ++this.turn;
    const { model, view } = this.app;
    const { from, to } = view.interval;
    const isWanted = () => turn === this.turn;

    this.element.setAttribute("aria-busy", "true");
    const found = needsServedMatrix(model)
      ? await servedMatrix(model, view.interval, isWanted, (part) =>
          replace(this.note, `${percent(part)} of the traces have been read.`),
        )
      : await matrixOf(model.messages, from, to, isWanted);

    if (!found || turn !== this.turn) return;
    this.found = found;
    this.#show();
    this.element.removeAttribute("aria-busy");
  }

  /** The number of the place of each trace, and what it is called. */
  #places() {
    const { model } = this.app;
    const places = [];
    const numbers = new Map();
    const of = model.traces.map(({ node }) => {
      let at = node;

      while (this.by.value === "host" && at.level > 1) at = model.nodes[at.parent];
      if (!numbers.has(at)) {
        numbers.set(at, places.length);
        places.push(model.nameOf(at));
      }
      return numbers.get(at);
    });

    return { places, of };
  }

  #show() {
    if (!this.found) return;
    const { places, of } = this.#places();
    const cells = groupCells(this.found.cells, (trace) => of[trace]);
    const all = { count: 0, bytes: 0, unsized: 0, ns: 0 };

    this.places = places;
    this.cells = cells;
    for (const cell of cells)
      for (const key of Object.keys(all)) all[key] += cell[key];
    replace(
      this.total,
      shown(all.count, "", String(all.count), { "data-key": "count" }),
      " messages, ",
      bytesCell(all),
      ", under way for ",
      timeCell(all.ns, "time"),
    );
    replace(
      this.note,
      this.found.hasFailed ? "Some files could not be read. " : "",
      this.found.isServed
        ? "Traces are still read: messages are counted where they are sent, and their time follows. "
        : "",
      this.found.isExact || this.found.isServed
        ? ""
        : "The page has the longest messages only: these are not all. ",
      cells.some(({ ns }) => ns < 0)
        ? "Clocks differ: some messages seem to arrive before they were sent."
        : "",
    );
    this.#draw();
    this.#list();
  }

  #draw() {
    const { cells, places, canvas } = this;

    if (!places) return;
    const { of, title } = MEASURES[this.measure.value];
    const size = Math.max(1, Math.min(18, Math.floor(SIZE_MAX / places.length)));
    const width = Math.max(1, Math.min(SIZE_MAX, size * places.length));
    const scale = width / places.length;
    const context = prepareCanvas(canvas, width, width);
    const most = cells.reduce((max, cell) => Math.max(max, of(cell)), 0);

    this.scale = scale;
    canvas.hidden = !cells.length;
    canvas.setAttribute(
      "aria-label",
      `${title} from each (rows) to each (columns); the table has the numbers`,
    );
    context.fillStyle = theme.grid;
    context.fillRect(0, 0, width, width);
    context.fillStyle = theme.accent;
    for (const cell of cells) {
      if (!(of(cell) > 0)) continue;
      context.globalAlpha = 0.15 + 0.85 * Math.sqrt(of(cell) / most);
      context.fillRect(
        cell.to * scale,
        cell.from * scale,
        Math.max(1, scale - (scale > 4 ? 1 : 0)),
        Math.max(1, scale - (scale > 4 ? 1 : 0)),
      );
    }
    context.globalAlpha = 1;
  }

  #hover(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = (offset) => Math.floor(offset / this.scale);
    const [from, to] = [at(event.clientY - box.top), at(event.clientX - box.left)];
    const cell = this.cells.find((one) => one.from === from && one.to === to);

    replace(
      this.place,
      this.places[from] === undefined || this.places[to] === undefined
        ? ""
        : `${this.places[from]} to ${this.places[to]}: ${
            cell
              ? `${cell.count} messages, size: ${bytesText(cell)}, time: ${timeText(cell.ns)}`
              : "none"
          }`,
    );
  }

  #list() {
    const { of } = MEASURES[this.measure.value];
    const list = [...this.cells]
      .sort((a, b) => of(b) - of(a) || a.from - b.from || a.to - b.to);

    for (const cell of list)
      cell.properties = { "data-key": `${this.places[cell.from]} ${this.places[cell.to]}` };
    replace(
      this.numbers,
      list.length
        ? table(
            "Messages of pairs",
            [
              { title: "From", value: ({ from }) => this.places[from] },
              { title: "To", value: ({ to }) => this.places[to] },
              {
                title: "Messages",
                class: "number",
                value: ({ count }) => shown(count, "", String(count)),
              },
              { title: "Size", class: "number", value: bytesCell },
              {
                title: "Time",
                class: "number",
                value: ({ ns }) => timeCell(ns),
              },
            ],
            list,
            {},
            LIST_MAX,
          )
        : h("p", { class: "empty" }, "No messages in the interval."),
      list.length > LIST_MAX
        ? h("p", { class: "note" }, `${list.length - LIST_MAX} more pairs.`)
        : null,
    );
  }
}
