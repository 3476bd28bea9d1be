// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows on the screen: only those that can be seen have elements.
import { Gaps } from "./gaps.js";
import { h, iconButton, replace } from "../ui/dom.js";
import { rounded } from "./numbers.js";
import { Overlay } from "../draw/overlay.js";
import { Rows } from "../rows/rows.js";
import { Ruler, ticksOf } from "../draw/ruler.js";
import { extent, sampleSeries } from "./sampling.js";
import { Scales } from "../draw/scales.js";
import { lineColour, theme } from "../draw/colours.js";
import { depthCount } from "./track.js";
import { formatLength, formatSecondsShort } from "./time.js";
import { GUTTER } from "../draw/valueplot.js";

/** Names of curves that lie over each other, in their colours. */
function curveNames(curves) {
  return curves.map(({ value }) => {
    const chip = h("span", { class: "chip", "aria-hidden": "true" });

    chip.style.background = lineColour(value);
    return h("span", { class: "curve-name" }, chip, value.name, " ");
  });
}

/** A row on the screen. */
class RowView {
  constructor(tracks, row) {
    this.tracks = tracks;
    this.row = row;
    this.value = h("span", { class: "at-cursor" });
    this.plotArea = h("div", { class: "row-plot" });
    this.element = h(
      "div",
      {
        class: `row row-${row.kind}${row.size.isFlat ? " flat" : ""}`,
        role: "treeitem",
        id: `row-${row.key}`,
        tabindex: "-1",
        "aria-level": row.depth + 1,
        "data-key": row.key,
      },
      this.#label(),
      this.plotArea,
    );
    this.element.style.setProperty("--depth", row.depth);
    this.markFinding();
    this.series = row.drawnSeries;
    this.plots = row.makePlots(this.plotArea);
  }

  /** Mark a row that waits, or that others wait for. */
  markFinding() {
    const { view, model } = this.tracks;
    const trace = /^t(\d+)$/.exec(this.row.key);
    const role = trace ? view.finding?.roleOf(model, Number(trace[1])) : null;

    if (role) this.element.dataset.wait = role;
    else delete this.element.dataset.wait;
  }

  #label() {
    const { row, tracks } = this;
    const { view, model } = tracks;
    const name = h(
      "span",
      { class: "row-name", title: row.label },
      row.curves ? curveNames(row.curves) : row.label,
    );

    if (row.kind === "node") {
      const hasMore = row.node.children.length || row.node.series.length;

      return h(
        "div",
        { class: "row-label" },
        h(
          "span",
          {
            class: hasMore ? "fold" : "fold none",
            "aria-hidden": "true",
            onclick: () => view.setFolded(row.node, !row.isFolded),
          },
        ),
        name,
        " ",
        h("span", { class: "row-type" }, model.levelOf(row.node)),
        " ",
        this.value,
      );
    }
    return h(
      "div",
      { class: "row-label" },
      h(
        "div",
        { class: "row-head" },
        name,
        " ",
        row.series?.level.unit
          ? h(
              "span",
              {
                class: "row-unit",
                title: row.series.isAmount
                  ? `Rate of a ${row.series.value.kind}`
                  : null,
              },
              row.series.level.unit,
            )
          : null,
        " ",
        row.series?.value.simulated
          ? h(
              "span",
              {
                class: "badge",
                title: "Simulated or estimated, not measured",
              },
              "simulated",
            )
          : null,
        " ",
        this.#damageBadge(),
        " ",
        this.#reducedBadge(),
        " ",
        iconButton("close", `Hide ${row.label}`, () => tracks.hide(row), {
          tabindex: "-1",
          class: "icon-button hide-row",
        }),
      ),
      this.value,
    );
  }

  /** What the row shows is not all, or wrong. */
  #damageBadge() {
    const { item } = this.row;
    const damage = item ? this.tracks.model.damageOf(item) : null;

    return damage
      ? h("span", { class: "badge damage", title: damage.text }, damage.kind)
      : null;
  }

  #reducedBadge() {
    const track = this.row.series?.track ?? this.row.states?.track;
    const isReduced = this.row.relations
      ? this.row.relations.track.finest?.number > 0
      : this.row.states
      ? this.row.states.levels.length && !this.row.states.isExact
      : track?.finest?.number > 0;

    return isReduced
      ? h(
          "span",
          { class: "badge", title: "Lower resolution than the recorded data" },
          "reduced",
        )
      : null;
  }

  place(row) {
    const isThere =
      this.row === row && this.top === row.top && this.height === row.height;

    if (isThere) return;
    this.row = row;
    this.top = row.top;
    this.height = row.height;
    this.element.style.transform = `translateY(${row.top}px)`;
    this.element.style.height = `${row.height}px`;
    if (row.kind === "node")
      this.element.setAttribute("aria-expanded", String(!row.isFolded));
  }

  sample(width) {
    const { view } = this.tracks;

    this.sampled = this.series ? sampleSeries(this.series, view, width) : null;
    this.otherSamples = (this.row.others ?? []).map((series) =>
      sampleSeries(series, view, width),
    );
    /** What was sampled of each series: its smallest and largest value. */
    this.extents = [this.sampled, ...this.otherSamples].flatMap((sample, i) =>
      sample ? [[i ? this.row.others[i - 1] : this.series, extent(sample)]] : [],
    );
  }

  /** Whether what was drawn is all that there is, and is still where it belongs,
   *  unless the scale became another one. */
  stays(width) {
    return (
      this.isFinal &&
      this.drawnIn === this.tracks.drawings &&
      this.drawnWidth === width &&
      this.drawnHeight === this.row.height
    );
  }

  get hasOtherScale() {
    if (!this.plots.value) return false;
    const [min, max] = this.tracks.scales.rangeOf(this.series);

    return min !== this.range[0] || max !== this.range[1];
  }

  /** Whether anything was drawn, as finely as it is wanted or not. */
  get hasPicture() {
    if (this.row.kind === "relations")
      return this.row.relations.track.levels.length > 0 && this.isFine;
    return this.row.kind === "states"
      ? this.row.states.levels.length > 0 && this.isFine
      : Boolean(this.sampled);
  }

  draw(options) {
    const { value, states, relations, shares } = this.plots;
    const parts = [
      !relations || this.#drawStates(relations, options),
      !states || this.#drawStates(states, options),
      !value || this.#drawValue(value, options),
      !shares || this.#drawShares(shares, options),
    ];

    this.isFine = parts.every(Boolean);
    this.isFinal =
      this.isFine && this.row.tracks.every((track) => track.isComplete);
    this.element.dataset.load = this.load;
    this.drawnIn = this.tracks.drawings;
    this.drawnWidth = options.width;
    this.drawnHeight = this.row.height;
  }

  #drawStates(plot, options) {
    const { view } = this.tracks;

    return plot.draw({
      ...options,
      view,
      height: this.row.height,
      size: this.row.size,
      hiddenStates: view.hiddenStates,
    });
  }

  #drawValue(plot, options) {
    const { row, series, tracks } = this;
    const { view } = tracks;

    this.range = tracks.scales.rangeOf(series);
    const look = {
      width: options.width,
      height: (row.valueHeight ?? row.height) - 1,
      range: this.range,
      ticks: options.ticks,
      gaps: [
        ...tracks.gaps.pixels(series, view, options.width),
        ...this.#unread(options.width),
      ],
      isBars: tracks.hasBars(row, series),
      look: tracks.look,
      isPrinting: tracks.isPrinting,
    };

    plot.draw(this.sampled, look);
    this.plots.others?.forEach((other, i) =>
      other.draw(this.otherSamples[i], { ...look, gaps: [] }),
    );
    return [this.sampled, ...this.otherSamples].every(
      (sample) => sample?.isWanted,
    );
  }

  /** What is not loaded of the value, as [[x0, x1]...] in pixels. */
  #unread(width) {
    const { row, sampled } = this;
    const { view } = this.tracks;

    if (sampled?.isPartial) return [[0, width]];
    if (!sampled)
      return row.valueTracks.some(
        ({ isComplete, levels }) => !isComplete || levels.length,
      )
        ? [[0, width]]
        : [];
    return row.valueTracks
      .map((track) => track.unread(view, width))
      .filter(Boolean)
      .slice(0, 1);
  }

  /** "loading" if nothing of the row is there yet, "partial", or "done". */
  get load() {
    if (this.isFinal) return "done";
    const { shares } = this.plots;

    return this.hasPicture || (shares && shares.load !== "loading")
      ? "partial"
      : "loading";
  }

  #drawShares(plot, options) {
    const { view } = this.tracks;

    return plot.draw({
      width: options.width,
      view,
      hiddenStates: view.hiddenStates,
      onFound: () => view.changed("found"),
    });
  }

  /** On paper a row has its part of what lies over the rows, since these may be
   *  on several pages. */
  drawOver(options) {
    const { model, view, rows } = this.tracks;
    const { top, height } = this.row;

    this.over?.remove();
    this.over = h("canvas", { class: "over", "aria-hidden": "true" });
    this.element.append(this.over);
    return new Overlay(this.over, model, view, rows).draw({
      ...options,
      height,
      scrollTop: top,
    });
  }

  /** Say what there is at the cursor. */
  showCursor() {
    const { cursor } = this.tracks.view;
    const text = cursor === null ? "" : this.textAt(cursor);

    if (this.value.textContent === text) return;
    this.value.textContent = text;
    this.#name();
  }

  /** The name for those who do not see it: what stands there, and more. */
  #name() {
    const shown = [
      ...this.element.querySelectorAll(
        ".row-name, .row-type, .row-unit, .badge, .at-cursor",
      ),
    ].map((element) => element.textContent);

    this.element.setAttribute(
      "aria-label",
      [...shown, this.description].filter(Boolean).join(" "),
    );
  }

  textAt(time) {
    return this.row.textAt(time);
  }

  /** For those who do not see the picture. */
  describe() {
    const { row, tracks, series } = this;
    const { view, model } = tracks;
    const parts = [];

    if (row.kind === "states") {
      const list = row.states.at(view.cursor ?? view.timeAt(0.5), 0) ?? [];

      parts.push("states");
      if (list.length) parts.push(`now ${list.map((s) => s.name).join(", ")}`);
    }
    if (row.kind === "relations")
      parts.push("relations", this.plots.relations.text);
    if (series && row.kind !== "node") {
      const range = this.sampled ? extent(this.sampled) : null;

      parts.push(`of ${model.nameOf(row.node)}`);
      if (range)
        parts.push(
          `between ${rounded(range.min)} and ${rounded(range.max)} ${series.level.unit} in view`,
        );
    }
    if (view.hasPath) parts.push(...this.#onPath());
    if (this.plots.shares?.text) parts.push(`states: ${this.plots.shares.text}`);
    this.description = parts.join(", ");
    this.#name();
  }

  /** For how long the row is on the critical path, as far as it is in view. */
  #onPath() {
    const { row, tracks } = this;
    const { view, model } = tracks;
    const traces = row.states
      ? [row.states.number]
      : (row.traces ?? []).map(({ number }) => number);
    const time = model.paths.reduce(
      (sum, path) => sum + path.timeIn(new Set(traces), view.start, view.end),
      0,
    );

    return time > 0
      ? [`on the critical path for ${formatLength(time)} in view`]
      : [];
  }

  destroy() {
    for (const plot of Object.values(this.plots).flat()) plot.destroy?.();
    this.element.remove();
  }
}

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
    this.element = h("div", { class: "tracks" }, this.scroll, this.overlayCanvas);
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

    return clientY - top + this.scroll.scrollTop - (row?.top ?? 0);
  }

  rowAt(clientY) {
    const top = this.scroll.getBoundingClientRect().top;

    return this.rows.at(clientY - top + this.scroll.scrollTop);
  }

  hide(row) {
    const index = this.rows.list.indexOf(row);

    this.view.setHidden([row.key], true);
    this.focusKey = this.rows.list[Math.min(index, this.rows.list.length - 1)]?.key;
  }

  /** The list of rows changed. */
  updateRows() {
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
    const views = visible.map((row) => this.views.get(row.key));
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
    return row.kind === "node" || this.view.bars.has(series.key);
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

  /** Returns whether all was loaded. */
  drawOverlay(place = this.#place()) {
    if (this.isPrinting)
      return [...this.views.values()]
        .map((rowView) => rowView.drawOver(place))
        .every(Boolean);
    return this.overlay.draw(place);
  }

  /** Say in words what the rows show: of use when they have come to rest. */
  describe() {
    for (const rowView of this.views.values()) rowView.describe();
  }

  /** Only the cursor moved. */
  drawCursor() {
    for (const rowView of this.views.values()) rowView.showCursor();
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
        if (row.kind !== "node") return;
        this.view.setFolded(row.node, !row.isFolded);
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

