// SPDX-License-Identifier: LGPL-2.1-or-later
// A row on the screen: its element, its label, and what is drawn in it.
import { h, iconButton } from "../ui/dom.js";
import { rounded } from "../data/numbers.js";
import { Overlay } from "../draw/overlay.js";
import { extent, sampleSeries } from "../data/series/sampling.js";
import { lineColour } from "../draw/colours.js";
import { formatLength } from "../data/time.js";

/** Names of curves that lie over each other, in their colours. */
function curveNames(curves) {
  return curves.map(({ value }) => {
    const chip = h("span", { class: "chip", "aria-hidden": "true" });

    chip.style.background = lineColour(value);
    return h("span", { class: "curve-name" }, chip, value.name, " ");
  });
}

/** A row on the screen. */
export class RowView {
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
      { class: "row-name", title: row.title ?? row.label },
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
        row.alike
          ? h("span", {
              class: "fold",
              "aria-hidden": "true",
              onclick: () => view.toggleAlike(row.alike[0]),
            })
          : null,
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
    else if (row.alike)
      this.element.setAttribute(
        "aria-expanded",
        String(this.tracks.view.openAlike.has(row.alike[0].node.number)),
      );
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
      this.drawnOf === this.#described &&
      this.drawnWidth === width &&
      this.drawnHeight === this.row.height
    );
  }

  /** How often its tracks were described. */
  get #described() {
    return this.row.tracks.reduce((sum, track) => sum + track.descriptions, 0);
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
      ? this.row.states.levels.length > 0 && this.hasFineStates
      : Boolean(this.sampled);
  }

  draw(options) {
    const { value, states, relations, shares } = this.plots;
    this.hasFineStates = !states || this.#drawStates(states, options);
    const parts = [
      this.hasFineStates && (!states || states.hasFineWaits),
      !relations || this.#drawStates(relations, options),
      !value || this.#drawValue(value, options),
      !shares || this.#drawShares(shares, options),
    ];

    this.isFine = parts.every(Boolean);
    this.isFinal =
      this.isFine && this.row.tracks.every((track) => track.isComplete);
    this.element.dataset.load = this.load;
    this.drawnIn = this.tracks.drawings;
    this.drawnOf = this.#described;
    this.drawnWidth = options.width;
    this.drawnHeight = this.row.height;
  }

  #drawStates(plot, options) {
    const { model, view } = this.tracks;

    return plot.draw({
      ...options,
      view,
      height: this.row.height,
      size: this.row.size,
      hiddenStates: view.hiddenStates,
      hasWaits: view.showsWaits && model.waiting > 0,
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
    const { model, view } = this.tracks;

    return plot.draw({
      width: options.width,
      view,
      hiddenStates: view.hiddenStates,
      isWaitsKnown: model.waiting > 0,
      showsWaits: view.showsWaits,
      onFound: () => view.changed("found"),
      isGrowing: model.isGrowing,
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
    const { row, tracks } = this;
    const isLess = row.kind === "stack" && tracks.gaps.at(row.drawnSeries, time);

    return `${isLess ? "≥ " : ""}${row.textAt(time)}`;
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
