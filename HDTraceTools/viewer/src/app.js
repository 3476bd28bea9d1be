// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts everything together: header, summary, rows, panels; redraws what changed.
import { Chooser } from "./ui/chooser.js";
import { lineNumber } from "./draw/colours.js";
import { announce, h, icon } from "./ui/dom.js";
import { layersOf } from "./data/series/layers.js";
import { define } from "./data/series/expression.js";
import { ExpressionError } from "./data/series/parser.js";
import { seriesOfPower } from "./data/energy/power.js";
import { listenToKeys } from "./ui/keys.js";
import { Overview, overviewSeries } from "./draw/overview.js";
import { AboutPanel } from "./panels/about.js";
import { DifferencePanel } from "./panels/difference.js";
import { BalancePanel } from "./panels/balance.js";
import { DetailsPanel } from "./panels/details.js";
import { DurationsPanel } from "./panels/durations.js";
import { FindPanel } from "./panels/find.js";
import { FlamePanel } from "./panels/flame.js";
import { MatrixPanel } from "./panels/matrix.js";
import { CriticalPathPanel } from "./panels/criticalpath.js";
import { FindingsPanel } from "./panels/findings.js";
import { HistogramPanel } from "./panels/histogram.js";
import { IntervalPanel } from "./panels/interval.js";
import { LayersPanel } from "./panels/layers.js";
import { LegendPanel } from "./panels/legend.js";
import { NotesPanel } from "./panels/notes.js";
import { ProblemsPanel } from "./panels/problems.js";
import { ProfilePanel } from "./panels/profile.js";
import { RelationsPanel } from "./panels/relations.js";
import { ValuesPanel } from "./panels/values.js";
import { Cursor } from "./ui/cursor.js";
import { ask, showHelp } from "./ui/dialogs.js";
import { Notes } from "./ui/notes.js";
import { PanelArea } from "./ui/panelarea.js";
import { loadTheme, switchTheme } from "./ui/themes.js";
import { makeHeader, makeToolbar } from "./ui/tools.js";
import { Paper } from "./draw/paper.js";
import { Pointer } from "./ui/pointer.js";
import { formatSecondsShort } from "./data/time.js";
import { defaultRows } from "./rows/rows.js";
import { spanText } from "./draw/ruler.js";
import { Saving } from "./ui/saving.js";
import { Selection } from "./ui/selection.js";
import { Summary } from "./panels/summary.js";
import { Tooltip } from "./ui/tooltip.js";
import { setOnLoad } from "./data/codec/track.js";
import { Tracks } from "./rows/tracks.js";
import { View } from "./ui/view.js";

/** Numbers are computed when the mark has rested for so long, in ms, and what the
 *  rows show is said in words when they have. */
const REST_MS = 120;
const FRAGMENT_MS = 300;

/** Changes after which the same is looked at as before. */
const SAME = new Set(["cursor", "data", "find", "found", "scroll", "select"]);

export class App {
  constructor(model) {
    this.model = model;
    this.view = new View(model);
    this.view.defaults = defaultRows(model);
    this.view.rowSize = this.view.defaults.rowSize;
    this.failedDefinitions = new Map();
    this.dirty = new Set();
    this.#nameValues();
    this.tracks = new Tracks(model, this.view);
    this.selection = new Selection(this);
    this.cursor = new Cursor(this);
    this.tooltip = new Tooltip(model, this.view, this.tracks);
    this.summary = new Summary(this);
    this.paper = new Paper(this);
    this.saving = new Saving(this);
    this.chooser = new Chooser(this);
    this.overview = new Overview(
      model,
      this.view,
      overviewSeries(model, (powers) => this.#sumOf(powers)),
    );
    this.panels = [
      new FindingsPanel(this),
      new IntervalPanel(this),
      ...(model.parts.length === 2 ? [new DifferencePanel(this)] : []),
      new ProfilePanel(this),
      ...(model.traces.length ? this.#panelsOfStates() : []),
      new HistogramPanel(this),
      new CriticalPathPanel(this),
      ...(model.relations.length ? [new RelationsPanel(this)] : []),
      ...(layersOf(model.groups).length ? [new LayersPanel(this)] : []),
      new LegendPanel(this),
      new ValuesPanel(this),
      ...(model.source.isServed && !model.isJoined ? [new NotesPanel(this)] : []),
      new ProblemsPanel(this),
      new AboutPanel(this),
    ];
    this.panelArea = new PanelArea(this, this.panels);
    this.#build();
    this.view.onChange((what) => this.#changed(what));
    setOnLoad(() => this.invalidate("data"));
  }

  #panelsOfStates() {
    return [
      new FlamePanel(this),
      new DurationsPanel(this),
      new BalancePanel(this),
      new MatrixPanel(this),
      new FindPanel(this),
      new DetailsPanel(this),
    ];
  }

  /** Values have their colours before any is drawn, so that these do not depend on
   *  what is; those that are shown at first have the first ones. */
  #nameValues() {
    const { hidden } = this.view.defaults;
    const all = this.model.groups.flatMap((group) => group.series);

    for (const isHidden of [false, true])
      for (const { key, value } of all)
        if (hidden.has(key) === isHidden) lineNumber(value.name);
  }

  /** The power of all nodes as a defined value. */
  #sumOf(powers) {
    const { model } = this;
    const list = powers.flatMap((power) => seriesOfPower(model, power));

    return define.fromSeries(model, "Power of all nodes", list);
  }

  /* ---- Building -------------------------------------------------------- */

  #build() {
    const { project } = this.model.meta;
    const { view } = this;

    document.title = `${project.name} – HDTrace`;
    this.search = h("input", {
      type: "search",
      placeholder: "Search rows",
      "aria-label": "Search rows: nodes, values, groups",
      spellcheck: "false",
      oninput: () => view.setSearch(this.search.value),
    });
    this.hiddenNote = h("span", { class: "muted" });
    this.position = h("output", { class: "position", "aria-live": "off" });
    this.messageNote = h("p", { class: "message-note", hidden: true });
    this.notes = new Notes(this);
    this.helpDialog = h("dialog", { class: "dialog", "aria-labelledby": "help-title" });
    this.element = h(
      "div",
      { class: "app" },
      makeHeader(this, project),
      this.notes.elements,
      this.summary.element,
      h(
        "main",
        { class: "main" },
        makeToolbar(this),
        h(
          "div",
          { class: "time-head" },
          h(
            "div",
            { class: "corner" },
            this.search,
            h(
              "button",
              {
                type: "button",
                class: "rows-button",
                onclick: () => this.chooser.open(),
              },
              icon("rows"),
              "Rows…",
            ),
            this.hiddenNote,
          ),
          h(
            "div",
            { class: "time-strip" },
            this.overview.element,
            this.tracks.rulerCanvas,
          ),
        ),
        h(
          "section",
          { class: "timeline", "aria-label": "Time lines" },
          this.tracks.element,
          this.messageNote,
          this.paper.note,
        ),
        this.panelArea.splitter,
        this.panelArea.element,
      ),
      this.tooltip.element,
      this.chooser.element,
      this.helpDialog,
    );
    document.getElementById("app").replaceChildren(this.element);
    this.#followSizes();
    this.pointer = new Pointer(this.tracks, view, {
      hover: (event) => this.#hover(event),
      leave: () => this.#leave(),
      click: (event) => this.#click(event),
      doubleClick: (event) => this.#doubleClick(event),
    });
    listenToKeys(this);
  }

  focusWindow() {
    this.windowInput.focus();
    this.windowInput.select();
  }

  #followSizes() {
    new ResizeObserver(() => this.invalidate("time")).observe(
      this.tracks.scroll,
    );
    new ResizeObserver(() => this.invalidate("time")).observe(
      this.overview.element,
    );
    const media = matchMedia("(prefers-color-scheme: dark)");

    media.addEventListener("change", () => this.#restyle());
    window.addEventListener("hashchange", () => this.#readFragment());
  }

  /* ---- Start ----------------------------------------------------------- */

  start() {
    loadTheme();
    this.tracks.restyle();
    this.#readFragment();
    this.summary.update();
    this.notes.showReduced();
    this.notes.showDamage();
    this.dirty.add("rows");
    // At once, so that what is on the screen is what is loaded first.
    this.#draw();
  }

  #readFragment() {
    const text = location.hash.slice(1);

    if (text === this.lastFragment) return;
    this.view.fromFragment(text);
    this.search.value = this.view.search;
    this.#applyDefinitions();
    this.#changed("rows");
    this.#changed("mark");
    this.#changed("looks");
    this.#showPanel();
  }

  #writeFragment() {
    clearTimeout(this.fragmentTimer);
    this.fragmentTimer = setTimeout(() => {
      const text = this.view.toFragment();

      this.fragmentTimer = null;
      this.#noteSettled();
      if (text === this.lastFragment) return;
      this.lastFragment = text;
      history.replaceState(null, "", `#${text}`);
    }, FRAGMENT_MS);
  }

  /* ---- Drawing --------------------------------------------------------- */

  /** Something must be drawn again: with the next frame. */
  invalidate(what) {
    this.dirty.add(what);
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.#draw();
    });
    this.#noteSettled();
  }

  /** For those who watch, as tests do: whether nothing is left to do. */
  #noteSettled() {
    const isSettled =
      this.isComplete &&
      !this.frame &&
      !this.fragmentTimer &&
      !this.restTimer &&
      !this.panelTimer;

    this.element.dataset.settled = String(Boolean(isSettled));
  }

  #draw() {
    const dirty = this.dirty;

    this.dirty = new Set();
    if (dirty.has("rows")) {
      this.tracks.updateRows();
      this.#showHidden();
    }
    if (dirty.size === 1 && dirty.has("cursor")) {
      this.tracks.drawCursor();
    } else {
      const isSame = [...dirty].every((what) => SAME.has(what));

      this.isComplete = this.tracks.draw(isSame);
      // The whole run does not scroll.
      if (dirty.size > 1 || !dirty.has("scroll")) this.overview.draw();
      this.isComplete = this.overview.isFine && this.isComplete;
      this.#describeAtRest();
    }
    this.#showPosition();
    this.#showMessageNote();
    this.#noteSettled();
    this.element.dataset.ready = String(this.isComplete);
    this.element.dataset.rows = String(this.tracks.rows.list.length);
    this.element.dataset.drawn = String(this.tracks.drawnCount);
    this.element.dataset.final = String(this.tracks.isFinal);
    this.element.dataset.arrows = String(this.tracks.overlay.arrows?.length ?? 0);
    this.element.dataset.causes = String(this.tracks.overlay.causes?.length ?? 0);
    this.element.dataset.request = String(this.view.request?.list?.length ?? "");
    this.element.dataset.path = String(this.tracks.overlay.pathParts ?? 0);
    this.element.dataset.frames = String(
      Number(this.element.dataset.frames ?? 0) + 1,
    );
  }

  #describeAtRest() {
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => {
      this.restTimer = null;
      this.tracks.describe();
      this.#noteSettled();
    }, REST_MS);
  }

  /** The report has come. */
  showReport() {
    this.summary.update();
    this.notes.showDamage();
    this.tracks.relabel();
    this.view.changed("rows");
  }

  #showPosition() {
    const { view } = this;
    const parts = [`${spanText(view)} wide`];

    if (view.cursor !== null)
      parts.unshift(`${this.relative(view.cursor)} s`);
    const text = parts.join(" · ");

    if (this.position.textContent !== text) this.position.textContent = text;
  }

  relative(time) {
    const ns = time - this.model.origin;
    const sign = ns < 0n ? "-" : "";
    const abs = ns < 0n ? -ns : ns;

    return `${sign}${abs / 1000000000n}.${String(abs % 1000000000n).padStart(9, "0")}`;
  }

  #showMessageNote() {
    const { overlay } = this.tracks;
    const messageText = [overlay.messageText, overlay.causeText]
      .filter(Boolean)
      .join(" · ");

    this.messageNote.hidden = !messageText;
    if (this.messageNote.textContent !== messageText)
      this.messageNote.textContent = messageText;
  }

  #showHidden() {
    const count = [...this.view.hidden].length;

    this.hiddenNote.textContent = count ? `${count} hidden` : "";
  }

  #changed(what) {
    this.invalidate(what);
    if (what === "found") return;
    this.tooltipRow = null;
    if (what === "time" || what === "scroll") this.tooltip.hide();
    if (what === "looks") this.showLooks();
    if (what !== "cursor" && what !== "scroll") this.#writeFragment();
    if (["mark", "rows", "looks", "data", "select", "find"].includes(what))
      this.#updatePanel();
  }

  /** What is shown was read to its end; and whether all that it can change is the
   *  pictures, and the names that are known. */
  noteComplete(isKnown) {
    const panel = this.panels.find(({ id }) => id === this.view.panel);

    if (!isKnown || panel?.isOfNames) this.view.changed("data");
  }

  showLooks() {
    const { hasArrows, hasPath, window } = this.view;

    this.arrowButton.setAttribute("aria-pressed", String(hasArrows));
    this.pathButton.setAttribute("aria-pressed", String(hasPath));
    this.windowInput.value = window ? formatSecondsShort(window) : "";
  }

  /* ---- Panels ---------------------------------------------------------- */

  showPanel(id) {
    this.view.panel = id;
    this.#showPanel();
    this.#writeFragment();
  }

  #showPanel() {
    this.view.panel = this.panelArea.show(this.view.panel).id;
    this.#updatePanel(0);
  }

  #updatePanel(rest = REST_MS) {
    clearTimeout(this.panelTimer);
    const timer = setTimeout(async () => {
      // Rows are needed to know what is shown.
      if (this.dirty.has("rows")) this.#draw();
      const panel = this.panels.find((p) => p.id === this.view.panel);

      try {
        await panel?.update();
      } catch (error) {
        console.error(error);
      }
      if (this.panelTimer === timer) this.panelTimer = null;
      this.#noteSettled();
    }, rest);

    this.panelTimer = timer;
    this.#noteSettled();
  }

  /* ---- Pointer --------------------------------------------------------- */

  #hover(event) {
    const share = this.tracks.shareAt(event.clientX);
    const time = this.view.timeAt(Math.min(1, Math.max(0, share)));
    const row = this.tracks.rowAt(event.clientY);
    const box = this.tracks.element.getBoundingClientRect();
    const isInRows = this.tracks.element.contains(event.target);
    const isOnState =
      row?.kind === "states" &&
      this.selection.stateAt(row, time, this.tracks.heightIn(row, event.clientY));
    // Arrows do not cover the states that they cross.
    const message = isInRows && !isOnState
      ? this.tracks.overlay.messageAt(
          event.clientX - box.left,
          event.clientY - box.top,
        )
      : null;

    this.tracks.overlay.hovered = message;
    this.view.setCursor(time);
    if (isInRows) this.tooltip.show(event, row, time, message);
    else this.tooltip.hide();
  }

  #leave() {
    this.tooltip.hide();
    this.tracks.overlay.hovered = null;
  }

  #click(event) {
    const row = this.tracks.rowAt(event.clientY);

    if (!this.tracks.element.contains(event.target)) {
      this.#clickRuler(event);
      return;
    }
    if (row) this.tracks.focusKey = row.key;
    if (row?.kind === "relations") this.#clickRelation(row, event);
    if (row?.kind === "states") this.selection.click(row, event);
    if (event.pointerType === "touch") this.#hover(event);
    this.invalidate("time");
  }

  /** A click on a relation follows its request, beside all none. */
  #clickRelation(row, event) {
    const { view, tracks } = this;
    const item = row.itemAt(
      view.timeAt(tracks.shareAt(event.clientX)),
      tracks.heightIn(row, event.clientY),
      (view.span / tracks.plotWidth) * 4,
      view,
    );

    this.follow(item);
  }

  /** Follow the request of a relation through all rows; null: none. */
  follow(item, isShown = false) {
    const { view, model } = this;
    const { request } = view;

    if (!item) {
      if (request) view.setRequest(null);
      return;
    }
    if (!request?.has(item.relations, item.root)) {
      const part = model.parts.findIndex(
        ({ source }) => source === item.relations.track.source,
      );

      view.setRequest(model.requestOf(part, item.root, item.from, item.to));
      announce(`Following the request of ${item.name}.`);
    } else if (!request.list) {
      // It could not be loaded.
      view.setRequest(request);
    }
    if (isShown && (item.end < view.start || item.start > view.end || view.span > 50 * Math.max(1, Number(item.to - item.from))))
      view.showInterval(item.from, item.to);
  }

  #clickRuler(event) {
    const box = this.tracks.rulerCanvas.getBoundingClientRect();
    const phase = this.tracks.ruler.phaseAt(
      event.clientX - box.left,
      event.clientY - box.top,
      this.tracks.plotWidth,
    );

    if (phase) this.view.setMark(phase.from, phase.to);
  }

  /** A double click marks the state. */
  #doubleClick(event) {
    const row = this.tracks.rowAt(event.clientY);
    const time = this.view.timeAt(this.tracks.shareAt(event.clientX));

    if (row?.kind === "states") this.cursor.markStateAt(row, time);
  }

  /* ---- What keys and buttons do ---------------------------------------- */

  /** Where the cursor is in the view, else the middle. */
  get cursorShare() {
    return this.cursor.share;
  }

  escape() {
    this.tooltip.hide();
    if (this.view.selection) this.view.setSelection(null);
    if (this.view.request) this.view.setRequest(null);
    this.view.setMark(null, null);
  }

  focusSearch() {
    this.search.focus();
    this.search.select();
  }

  toggleArrows() {
    this.view.hasArrows = !this.view.hasArrows;
    this.view.changed("looks");
  }

  /** The next size of the rows. */
  resizeRows() {
    this.view.resizeRows();
    announce(`Rows are ${this.view.rowSize}.`);
  }

  /** Show the query line. */
  openFind() {
    const panel = this.panels.find(({ id }) => id === "find");

    if (!panel) return;
    this.showPanel("find");
    panel.input.focus();
    panel.input.select();
  }

  /** Go to the next state that was found, or the one before. */
  stepFound(direction) {
    this.panels.find(({ id }) => id === "find")?.step(direction);
  }

  /** Show the durations of a state. */
  showDurations(name) {
    this.panels.find(({ id }) => id === "durations")?.choose(name);
  }

  togglePath() {
    const { view, model } = this;

    view.hasPath = !view.hasPath;
    view.changed("looks");
    announce(
      !view.hasPath
        ? "Critical path hidden."
        : model.paths.length
          ? "Critical path shown; rows have their time on the path."
          : "No critical path yet.",
    );
  }

  /** Keep the mark under a name. */
  nameMark() {
    const { view } = this;

    if (!view.mark) {
      announce("Mark an interval first.");
      return;
    }
    ask(this, "Name of the interval", (name) => {
      view.named.push({ ...view.mark, name });
      view.changed("mark");
      this.showPanel("profile");
    });
  }

  removeNamed(phase) {
    this.view.named = this.view.named.filter(
      (item) =>
        item.name !== phase.name ||
        item.from !== phase.from ||
        item.to !== phase.to,
    );
    this.view.changed("mark");
  }

  showHelp() {
    showHelp(this);
  }

  /* ---- Defined values -------------------------------------------------- */

  /** Add a definition; returns what is wrong with it, or null. */
  addDefinition(definition) {
    const { view } = this;
    const number =
      Math.max(-1, ...view.definitions.map((item) => item.number)) + 1;
    const item = { ...definition, number };

    try {
      define(this.model, item);
    } catch (error) {
      if (error instanceof ExpressionError) return error.message;
      throw error;
    }
    view.definitions.push(item);
    this.#applyDefinitions();
    view.changed("rows");
    announce(`${item.name} added.`);
    return null;
  }

  removeDefinition(definition) {
    this.view.definitions = this.view.definitions.filter(
      (item) => item !== definition,
    );
    this.#applyDefinitions();
    this.view.changed("rows");
  }

  #applyDefinitions() {
    this.failedDefinitions.clear();
    for (const node of this.model.nodes) node.defined = [];
    for (const definition of this.view.definitions) {
      try {
        for (const series of define(this.model, definition))
          series.node.defined.push(series);
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        this.failedDefinitions.set(definition.number, error.message);
      }
    }
  }

  /* ---- Themes ---------------------------------------------------------- */

  toggleTheme() {
    switchTheme();
    this.#restyle();
  }

  #restyle() {
    this.tracks.restyle();
    for (const panel of this.panels) panel.restyle?.();
    this.invalidate("time");
  }

  /** Draw everything anew, at once. */
  redraw() {
    this.#restyle();
    this.dirty.add("rows");
    this.#draw();
  }
}
