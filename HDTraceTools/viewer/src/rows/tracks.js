// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows on the screen: only those that can be seen have elements.
import { Gaps } from "../data/series/gaps.js";
import { h, replace } from "../ui/dom.js";
import { Pinned } from "./pinned.js";
import { PathArrow } from "../ui/patharrow.js";
import { Overlay } from "../draw/overlay.js";
import { Rows } from "./rows.js";
import { Ruler, ticksOf } from "../draw/ruler.js";
import { Scales } from "../draw/scales.js";
import { theme } from "../draw/colours.js";
import { depthCount } from "../data/codec/track.js";
import { formatLength, formatSecondsShort } from "../data/time.js";
import { GUTTER } from "../draw/valueplot.js";
import { RowView } from "./rowview.js";

export class Tracks {
  constructor(model, view) {
    this.model = model;
    this.view = view;
    this.rows = new Rows(model, view);
    this.scales = new Scales(view);
    this.gaps = new Gaps(model);
    this.views = new Map();
    this.look = 0;
    /** Counts times when all rows were drawn. */
    this.drawings = 0;
    this.rulerCanvas = h("canvas", { class: "ruler", "aria-hidden": "true" });
    this.ruler = new Ruler(this.rulerCanvas, model, view);
    this.overlayCanvas = h("canvas", { class: "over", "aria-hidden": "true" });
    this.overlay = new Overlay(this.overlayCanvas, model, view, this.rows);
    this.content = h("div", {
      class: "rows",
      role: "tree",
      "aria-label": "Nodes and their rows",
    });
    this.empty = h("p", { class: "empty", hidden: true });
    this.scroll = h("div", { class: "scroll" }, this.content, this.empty);
    this.pathArrow = new PathArrow(model, view, this.rows, (row) => this.reveal(row));
    this.pinned = new Pinned(this);
    this.element = h(
      "div",
      { class: "tracks" },
      this.scroll,
      this.pinned.element,
      this.overlayCanvas,
      this.pathArrow.element,
    );
    this.focusKey = null;
    this.content.addEventListener("keydown", (event) => this.#key(event));
    this.content.addEventListener("focusin", (event) => {
      const key = event.target.closest(".row")?.dataset.key;

      if (key) this.#setFocusable(key);
    });
    this.scroll.addEventListener("scroll", () => this.view.changed("scroll"));
  }

  /** Width of the labels. */
  get labelWidth() {
    return (
      parseFloat(getComputedStyle(this.element).getPropertyValue("--label")) ||
      240
    );
  }

  /** Width of a plot without its axis. */
  get plotWidth() {
    return Math.max(
      60,
      Math.floor(this.scroll.clientWidth - this.labelWidth - GUTTER - 2),
    );
  }

  /** Share of the width at a place on the screen; null outside of the plots. */
  shareAt(clientX) {
    const left =
      this.element.getBoundingClientRect().left + this.labelWidth + GUTTER;

    return (clientX - left) / this.plotWidth;
  }

  /** Where in a row a place on the screen is. */
  heightIn(row, clientY) {
    const top = this.scroll.getBoundingClientRect().top;
    const pinned = this.pinned.at(clientY - top);

    if (pinned && pinned.lane === row) return pinned.y;
    return clientY - top + this.scroll.scrollTop - (row?.top ?? 0);
  }

  rowAt(clientY) {
    const top = this.scroll.getBoundingClientRect().top;
    const pinned = this.pinned.at(clientY - top);

    return pinned?.lane ?? this.rows.at(clientY - top + this.scroll.scrollTop);
  }

  hide(row) {
    const index = this.rows.list.indexOf(row);

    this.view.setHidden([row.key], true);
    this.focusKey = this.rows.list[Math.min(index, this.rows.list.length - 1)]?.key;
  }

  /** Scroll so that a row is on the screen. */
  reveal({ top, height }) {
    const { scroll } = this;

    if (top < scroll.scrollTop || top + height > scroll.scrollTop + scroll.clientHeight)
      scroll.scrollTop = top - scroll.clientHeight / 3;
  }

  /** The list of rows changed. */
  updateRows() {
    this.pinned.clear();
    this.rows.update();
    this.content.style.height = `${this.rows.height}px`;
    this.empty.hidden = this.rows.list.length > 0;
    replace(
      this.empty,
      this.view.search
        ? `No row matches “${this.view.search}”.`
        : "All rows are hidden.",
    );
    for (const [key, rowView] of this.views) {
      const row = this.rows.find(key);

      // Headings change when they are folded.
      if (
        row &&
        row.isFolded === rowView.row.isFolded &&
        row.label === rowView.row.label &&
        row.size === rowView.row.size
      )
        continue;
      rowView.destroy();
      this.views.delete(key);
    }
  }

  /** On paper all rows are there, with new canvases, which need no clearing: see
   *  prepareCanvas(). */
  setPrinting(isPrinting) {
    this.isPrinting = isPrinting;
    this.relabel();
  }

  /** What is known of the files changed: rows say it anew. */
  relabel() {
    this.pinned.clear();
    for (const rowView of this.views.values()) rowView.destroy();
    this.views.clear();
  }

  /** The look of everything changed. */
  restyle() {
    theme.read();
    this.look++;
  }

  /** The tracks of the rows on the screen. */
  get shownTracks() {
    return this.#visible().flatMap((row) => row.tracks);
  }

  #visible() {
    const { scrollTop, clientHeight } = this.scroll;
    const all = this.isPrinting;

    return all
      ? this.rows.list
      : this.rows.between(scrollTop - 120, scrollTop + clientHeight + 120);
  }

  #ensureViews(visible) {
    const keys = new Set(visible.map((row) => row.key));

    for (const [key, rowView] of this.views) {
      if (keys.has(key) || rowView.element.contains(document.activeElement))
        continue;
      rowView.destroy();
      this.views.delete(key);
    }
    let before = null;

    for (const row of visible) {
      let rowView = this.views.get(row.key);

      if (!rowView) {
        rowView = new RowView(this, row);
        this.views.set(row.key, rowView);
      }
      rowView.place(row);
      rowView.markFinding();
      // The order in the document is that on the screen.
      const expected = before ? before.nextSibling : this.content.firstChild;

      if (expected !== rowView.element)
        this.content.insertBefore(rowView.element, expected);
      before = rowView.element;
    }
    this.#setFocusable(this.focusKey ?? visible[0]?.key);
  }

  #setFocusable(key) {
    if (!this.rows.find(key))
      key = this.rows.list[0]?.key;
    this.focusKey = key;
    for (const [other, { element }] of this.views) {
      const wanted = other === key ? 0 : -1;

      if (element.tabIndex !== wanted) element.tabIndex = wanted;
    }
  }

  /**
   * Draw everything.
   *
   * @param isSame Whether the same is looked at as before, only that it scrolled or
   *        that something was loaded: rows that have all that they show stay as
   *        they are.
   *
   * @return Whether all was loaded.
   */
  draw(isSame = false) {
    // Asked for at once, before anything changes: then it need not be laid out.
    const place = this.#place();
    const { width } = place;
    const visible = this.#visible();

    // Nested states may have turned up.
    if (this.placedAt !== depthCount()) {
      this.placedAt = depthCount();
      this.rows.place();
      this.content.style.height = `${this.rows.height}px`;
    }
    this.#ensureViews(visible);
    if (!isSame || this.isPrinting) this.drawings++;
    const ticks = ticksOf(this.view, width).map(({ x }) => x);
    const views = [
      ...visible.map((row) => this.views.get(row.key)),
      ...this.pinned.update(place),
    ];
    const others = new Set(views.filter((rowView) => !rowView.stays(width)));

    for (const rowView of others) rowView.sample(width);
    this.#updateScales(views);
    for (const rowView of views) {
      if (others.has(rowView) || rowView.hasOtherScale)
        rowView.draw({ width, ticks });
      rowView.showCursor();
    }
    this.ruler.draw(width);
    const hasMessages = this.drawOverlay(place);

    /** Whether nothing can be loaded any more that they show. */
    this.isFinal = views.every((rowView) => rowView.isFinal);
    this.drawnCount = views.filter((rowView) => rowView.hasPicture).length;
    return hasMessages && views.every((rowView) => rowView.isFine);
  }

  #updateScales(views) {
    const inView = new Map(views.flatMap((rowView) => rowView.extents));

    const bars = this.rows.list
      .filter((row) => row.drawnSeries && this.hasBars(row, row.drawnSeries))
      .map((row) => row.drawnSeries);

    this.scales.update(this.#drawnSeries(), inView, new Set(bars));
  }

  /** Whether a series is drawn as bars, which begin at zero. */
  hasBars(row, series) {
    return row.kind === "node" || row.kind === "stack" || this.view.bars.has(series.key);
  }

  /** Series of all rows: whose range is known counts, on the screen or not. */
  #drawnSeries() {
    if (this.drawnList !== this.rows.number) {
      this.drawnList = this.rows.number;
      this.drawn = this.rows.list
        .flatMap((row) => [row.drawnSeries, ...(row.others ?? [])])
        .filter(Boolean);
    }
    return this.drawn;
  }

  /** Where the plots are, and what part of them is seen. */
  #place() {
    const { clientHeight: height, scrollTop } = this.scroll;

    return { left: this.labelWidth, width: this.plotWidth, height, scrollTop };
  }

  /** Show or hide stacks of power. */
  toggleStacked() {
    this.view.isStacked = !this.view.isStacked;
    this.view.changed("rows");
  }

  /** Show or hide the rows at the top. */
  togglePinned() {
    this.view.isPinned = !this.view.isPinned;
    this.view.changed("looks");
  }

  /** Returns whether all was loaded. */
  drawOverlay(place = this.#place()) {
    if (this.isPrinting)
      return [...this.views.values()]
        .map((rowView) => rowView.drawOver(place))
        .every(Boolean);
    this.pathArrow.update(place.scrollTop, place.height);
    return this.overlay.draw({ ...place, covered: this.pinned.height });
  }

  /** Say in words what the rows show: of use when they have come to rest. */
  describe() {
    for (const rowView of this.views.values()) rowView.describe();
  }

  /** Only the cursor moved. */
  drawCursor() {
    for (const rowView of [...this.views.values(), ...this.pinned.views.values()])
      rowView.showCursor();
    this.drawOverlay();
  }

  /* ---- Keys ------------------------------------------------------------ */

  #focus(key) {
    const row = this.rows.find(key);

    if (!row) return;
    const { scroll } = this;

    if (row.top < scroll.scrollTop) scroll.scrollTop = row.top;
    else if (row.top + row.height > scroll.scrollTop + scroll.clientHeight)
      scroll.scrollTop = row.top + row.height - scroll.clientHeight;
    this.focusKey = key;
    this.draw();
    this.views.get(key)?.element.focus({ preventScroll: true });
  }

  #key(event) {
    const { list } = this.rows;
    const index = list.findIndex((row) => row.key === this.focusKey);
    const row = list[index];

    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case "ArrowDown":
        this.#focus(list[Math.min(index + 1, list.length - 1)].key);
        break;
      case "ArrowUp":
        this.#focus(list[Math.max(index - 1, 0)].key);
        break;
      case "Home":
        this.#focus(list[0].key);
        break;
      case "End":
        this.#focus(list.at(-1).key);
        break;
      case "Enter":
        if (row.kind === "node") this.view.setFolded(row.node, !row.isFolded);
        else if (row.alike) this.view.toggleAlike(row.alike[0]);
        else return;
        this.#focus(row.key);
        break;
      case "Delete":
      case "h":
        if (row.kind === "node") return;
        this.hide(row);
        this.#focus(this.focusKey);
        break;
      case "b":
        if (row.kind !== "value") return;
        this.toggleBars(row);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  toggleBars(row) {
    const { bars } = this.view;

    if (!bars.delete(row.key)) bars.add(row.key);
    this.view.changed("looks");
  }

  get focusedRow() {
    return this.rows.find(this.focusKey) ?? null;
  }
}

/** Text of an interval: "1.5 s to 2 s (500 ms)". */
export function intervalText(model, from, to) {
  return (
    `${formatSecondsShort(from - model.origin)} s to ` +
    `${formatSecondsShort(to - model.origin)} s ` +
    `(${formatLength(Number(to - from))})`
  );
}

