// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts everything together: header, summary, rows, panels; redraws what changed.
import { Chooser } from "./ui/chooser.js";
import { lineNumber, theme } from "./draw/colours.js";
import { announce, h, icon, iconButton, replace } from "./ui/dom.js";
import { layersOf } from "./data/layers.js";
import { damaged } from "./data/damage.js";
import { define } from "./data/expression.js";
import { ExpressionError } from "./data/parser.js";
import { seriesOfPower } from "./data/power.js";
import { keyTable, listenToKeys } from "./ui/keys.js";
import { Overview, overviewSeries } from "./draw/overview.js";
import { AboutPanel } from "./panels/about.js";
import { DifferencePanel } from "./panels/difference.js";
import { CriticalPathPanel } from "./panels/criticalpath.js";
import { FindingsPanel } from "./panels/findings.js";
import { HistogramPanel } from "./panels/histogram.js";
import { IntervalPanel } from "./panels/interval.js";
import { LayersPanel } from "./panels/layers.js";
import { LegendPanel } from "./panels/legend.js";
import { ProblemsPanel } from "./panels/problems.js";
import { ProfilePanel } from "./panels/profile.js";
import { RelationsPanel } from "./panels/relations.js";
import { ValuesPanel } from "./panels/values.js";
import { Paper } from "./draw/paper.js";
import { Pointer } from "./ui/pointer.js";
import { fileSize } from "./data/numbers.js";
import { formatSecondsShort } from "./data/time.js";
import { parseWindow } from "./data/windows.js";
import { defaultRows } from "./rows/rows.js";
import { scaleName } from "./draw/scales.js";
import { spanText } from "./draw/ruler.js";
import { Summary } from "./data/summary.js";
import { Tooltip } from "./ui/tooltip.js";
import { setOnLoad } from "./data/track.js";
import { intervalText, Tracks } from "./data/tracks.js";
import { View } from "./ui/view.js";

/** Numbers are computed when the mark has rested for so long, in ms, and what the
 *  rows show is said in words when they have. */
const REST_MS = 120;
const FRAGMENT_MS = 300;

/** Changes after which the same is looked at as before. */
const SAME = new Set(["cursor", "data", "found", "scroll"]);

export class App {
  constructor(model) {
    this.model = model;
    this.view = new View(model);
    this.view.defaults = defaultRows(model);
    this.failedDefinitions = new Map();
    this.dirty = new Set();
    this.#nameValues();
    this.tracks = new Tracks(model, this.view);
    this.tooltip = new Tooltip(model, this.view, this.tracks);
    this.summary = new Summary(this);
    this.paper = new Paper(this);
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
      new HistogramPanel(this),
      new CriticalPathPanel(this),
      ...(model.relations.length ? [new RelationsPanel(this)] : []),
      ...(layersOf(model.groups).length ? [new LayersPanel(this)] : []),
      new LegendPanel(this),
      new ValuesPanel(this),
      new ProblemsPanel(this),
      new AboutPanel(this),
    ];
    this.#build();
    this.view.onChange((what) => this.#changed(what));
    setOnLoad(() => this.invalidate("data"));
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
    this.banner = h("div", { class: "banner", role: "note", hidden: true });
    this.damage = h("div", { class: "banner", role: "note", hidden: true });
    this.serverNote = h("div", { class: "banner server-note", role: "alert", hidden: true });
    this.progress = h("div", { class: "progress", role: "status", hidden: true });
    this.helpDialog = h("dialog", { class: "dialog", "aria-labelledby": "help-title" });
    this.element = h(
      "div",
      { class: "app" },
      this.#header(project),
      this.banner,
      this.damage,
      this.serverNote,
      this.progress,
      this.summary.element,
      h(
        "main",
        { class: "main" },
        this.#toolbar(),
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
        this.#splitter(),
        this.#panelArea(),
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

  #header(project) {
    this.themeButton = iconButton("moon", "Dark or light", () =>
      this.#toggleTheme(),
    );
    return h(
      "header",
      { class: "header" },
      h("span", { class: "logo", "aria-hidden": "true" }),
      h("h1", { class: "clip", title: project.name }, project.name),
      project.description
        ? h(
            "p",
            { class: "description clip", title: project.description },
            project.description,
          )
        : null,
      h("span", { class: "space" }),
      this.themeButton,
      iconButton("print", "Print (Ctrl+P)", () => this.paper.print()),
      iconButton("help", "Help and keys (?)", () => this.showHelp()),
    );
  }

  #toolbar() {
    const { view } = this;

    this.arrowButton = iconButton(
      "arrows",
      "Messages and causes as arrows (a)",
      () => this.toggleArrows(),
      { "aria-pressed": "true" },
    );
    this.pathButton = iconButton(
      "path",
      "Critical path (c)",
      () => this.togglePath(),
      { "aria-pressed": "false" },
    );
    this.scaleButton = iconButton("scale", "Scales…", () => this.#showScales());
    return h(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": "View" },
      iconButton("whole", "Whole run (0)", () => view.whole()),
      iconButton("back", "Previous view (z)", () => view.back()),
      iconButton("left", "Earlier (←)", () => view.pan(-0.25)),
      iconButton("right", "Later (→)", () => view.pan(0.25)),
      iconButton("zoomIn", "Zoom in (+)", () => view.zoom(0.5, this.cursorShare)),
      iconButton("zoomOut", "Zoom out (−)", () => view.zoom(2, this.cursorShare)),
      iconButton("mark", "Mark the visible time (m)", () =>
        view.setMark(view.start, view.end),
      ),
      h("span", { class: "divider" }),
      this.arrowButton,
      this.pathButton,
      this.scaleButton,
      h("span", { class: "divider" }),
      h("label", { class: "window" }, "Window ", this.#windowInput(), " s"),
      h("span", { class: "divider" }),
      this.position,
    );
  }

  /** Over how many seconds curves are means; empty: they have all entries. */
  #windowInput() {
    const { view } = this;

    this.windowInput = h("input", {
      type: "text",
      inputmode: "decimal",
      size: "6",
      placeholder: "none",
      title: "Draw means over windows of this length in seconds (w)",
      onchange: () => {
        const text = this.windowInput.value.trim();
        const ns = parseWindow(text);

        // What is no length stays what it was.
        if (ns || !text || Number(text) === 0) view.setWindow(ns);
        else this.#showLooks();
      },
    });
    return this.windowInput;
  }

  focusWindow() {
    this.windowInput.focus();
    this.windowInput.select();
  }

  #splitter() {
    const splitter = h("div", {
      class: "splitter",
      role: "separator",
      "aria-orientation": "horizontal",
      "aria-label": "Height of the tables",
      "aria-valuemin": "80",
      "aria-valuemax": "900",
      tabindex: "0",
    });
    const set = (height) => {
      const limited = Math.min(Math.max(80, height), window.innerHeight * 0.75);

      this.element.style.setProperty("--panel-height", `${limited}px`);
    };

    splitter.addEventListener("pointerdown", (event) => {
      splitter.setPointerCapture(event.pointerId);
      const bottom = event.clientY + this.panelArea.clientHeight;
      const move = (e) => set(bottom - e.clientY);

      splitter.addEventListener("pointermove", move);
      splitter.addEventListener(
        "pointerup",
        () => splitter.removeEventListener("pointermove", move),
        { once: true },
      );
      event.preventDefault();
    });
    splitter.addEventListener("keydown", (event) => {
      const step = { ArrowUp: 24, ArrowDown: -24 }[event.key];

      if (!step) return;
      event.preventDefault();
      set(this.panelArea.clientHeight + step);
    });
    this.splitter = splitter;
    return splitter;
  }

  #panelArea() {
    this.tabs = h("div", {
      class: "tabs",
      role: "tablist",
      "aria-label": "Numbers",
    });
    this.panelContent = h("div", { class: "panel-content" });
    for (const panel of this.panels) {
      panel.tab = h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${panel.id}`,
          "aria-controls": `panel-${panel.id}`,
          onclick: () => this.showPanel(panel.id),
        },
        panel.title,
      );
      panel.element.id = `panel-${panel.id}`;
      panel.element.dataset.panel = panel.id;
      panel.element.setAttribute("role", "tabpanel");
      panel.element.setAttribute("aria-labelledby", `tab-${panel.id}`);
      panel.element.classList.add("panel");
      panel.element.hidden = true;
      this.tabs.append(panel.tab);
      this.panelContent.append(panel.element);
    }
    this.tabs.addEventListener("keydown", (event) => this.#tabKey(event));
    this.panelArea = h(
      "section",
      { class: "panels", "aria-label": "Tables" },
      this.tabs,
      this.panelContent,
    );
    return this.panelArea;
  }

  #tabKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

    if (!step) return;
    event.preventDefault();
    const index = this.panels.findIndex((p) => p.tab === event.target);
    const next =
      this.panels[(index + step + this.panels.length) % this.panels.length];

    this.showPanel(next.id);
    next.tab.focus();
  }

  #followSizes() {
    new ResizeObserver(() => this.invalidate("time")).observe(
      this.tracks.scroll,
    );
    new ResizeObserver(() => this.invalidate("time")).observe(
      this.overview.element,
    );
    new ResizeObserver(() =>
      this.splitter.setAttribute(
        "aria-valuenow",
        String(this.panelArea.clientHeight),
      ),
    ).observe(this.panelArea);
    const media = matchMedia("(prefers-color-scheme: dark)");

    media.addEventListener("change", () => this.#restyle());
    window.addEventListener("hashchange", () => this.#readFragment());
  }

  /* ---- Start ----------------------------------------------------------- */

  start() {
    this.#loadTheme();
    this.tracks.restyle();
    this.#readFragment();
    this.summary.update();
    this.#showBanner();
    this.#showDamage();
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

  #showBanner() {
    const { groups, traces, details, relations, messages } = this.model.reduced;
    const parts = [];
    const { meta } = this.model;

    if (groups.length)
      parts.push(`${groups.length} of ${this.model.groups.length} groups`);
    if (traces.length)
      parts.push(`states of ${traces.length} of ${this.model.traces.length} traces`);
    if (details.length)
      parts.push(`attributes of states of ${details.length} traces`);
    if (relations.length)
      parts.push(
        `relations of ${relations.length} of ${this.model.relations.length} files`,
      );
    if (messages) parts.push("messages");
    this.banner.hidden = !parts.length;
    if (!parts.length) return;
    replace(
      this.banner,
      h("strong", {}, "Reduced: "),
      `to keep this page below ${fileSize(meta.maxSize)}, `,
      parts.join(", "),
      " have a lower resolution than the recorded data. ",
      h(
        "button",
        { type: "button", class: "link", onclick: () => this.showPanel("problems") },
        "Details",
      ),
    );
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

  /** Say how far everything was read; "" when it was. */
  showProgress(text) {
    this.progress.hidden = !text;
    if (this.progress.textContent !== text) this.progress.textContent = text;
  }

  /** Say that the server has ended, or that it is there again; "" is nothing. */
  showServer(text) {
    replace(
      this.serverNote,
      text,
      " ",
      h(
        "button",
        { type: "button", class: "link", onclick: () => this.showServer("") },
        "Hide this",
      ),
    );
    this.serverNote.hidden = !text;
  }

  /** Which rows are not what was recorded. */
  #showDamage() {
    const list = damaged(this.model);

    this.damage.hidden = !list.length;
    replace(
      this.damage,
      h("strong", {}, "Damaged: "),
      list.length === 1
        ? "a file is truncated or corrupt; its rows are marked. "
        : `${list.length} files are truncated or corrupt; their rows are marked. `,
      h(
        "button",
        { type: "button", class: "link", onclick: () => this.showPanel("problems") },
        "Details",
      ),
    );
  }

  /** The report has come. */
  showReport() {
    this.summary.update();
    this.#showDamage();
    this.tracks.relabel();
    this.view.changed("rows");
  }

  #showPosition() {
    const { view } = this;
    const parts = [`${spanText(view)} wide`];

    if (view.cursor !== null)
      parts.unshift(`${this.#relative(view.cursor)} s`);
    const text = parts.join(" · ");

    if (this.position.textContent !== text) this.position.textContent = text;
  }

  #relative(time) {
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
    if (what === "looks") this.#showLooks();
    if (what !== "cursor" && what !== "scroll") this.#writeFragment();
    if (["mark", "rows", "looks", "data"].includes(what)) this.#updatePanel();
  }

  /** What is shown was read to its end; and whether all that it can change is the
   *  pictures, and the names that are known. */
  noteComplete(isKnown) {
    const panel = this.panels.find(({ id }) => id === this.view.panel);

    if (!isKnown || panel?.isOfNames) this.view.changed("data");
  }

  #showLooks() {
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
    const chosen =
      this.panels.find((panel) => panel.id === this.view.panel) ??
      this.panels[0];

    this.view.panel = chosen.id;
    for (const panel of this.panels) {
      const isChosen = panel === chosen;

      panel.element.hidden = !isChosen;
      panel.tab.setAttribute("aria-selected", String(isChosen));
      panel.tab.tabIndex = isChosen ? 0 : -1;
    }
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
    const message = isInRows
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

    if (row?.kind === "states") this.#markStateAt(row, time);
  }

  #markStateAt(row, time) {
    const state = row.states
      .at(time, 0)
      ?.findLast((item) => !item.isEvent && item.end > item.start);

    if (!state) return;
    this.view.setMark(state.start, state.end);
    announce(
      `Marked ${state.name}, ${intervalText(this.model, state.start, state.end)}`,
    );
  }

  /* ---- What keys and buttons do ---------------------------------------- */

  /** Where the cursor is in the view, else the middle. */
  get cursorShare() {
    const { view } = this;
    const share = view.cursor === null ? 0.5 : view.shareOf(view.cursor);

    return share >= 0 && share <= 1 ? share : 0.5;
  }

  moveCursor(pixels) {
    const { view, tracks } = this;
    const step = BigInt(Math.round((view.span / tracks.plotWidth) * pixels));
    const from = view.cursor ?? view.timeAt(0.5);

    view.setCursor(from + (step || BigInt(Math.sign(pixels))));
    this.#followCursor();
    announce(`${this.#relative(view.cursor)} seconds. ${this.#atCursor()}`);
  }

  #followCursor() {
    const share = this.view.shareOf(this.view.cursor);

    if (share < 0 || share > 1)
      this.view.show(
        this.view.cursor - BigInt(Math.round(this.view.span / 2)),
        this.view.span,
      );
  }

  /** What the row with the focus has at the cursor. */
  #atCursor() {
    const row = this.tracks.focusedRow;

    return row
      ? `${row.label}: ${this.tracks.views.get(row.key)?.textAt(this.view.cursor) ?? ""}`
      : "";
  }

  async nextState(direction) {
    const row =
      this.tracks.focusedRow?.kind === "states"
        ? this.tracks.focusedRow
        : this.tracks.rows.list.find((other) => other.kind === "states");
    const { view } = this;

    if (!row) return;
    const state = await row.states.next(
      view.cursor ?? view.timeAt(0.5),
      direction,
    );

    if (!state) return;
    view.setCursor(state.start);
    this.#followCursor();
    announce(
      `${state.name}, ${intervalText(this.model, state.start, state.end)}`,
    );
  }

  markEdge(edge) {
    const { view } = this;
    const time = view.cursor ?? view.timeAt(0.5);
    const other = view.mark
      ? edge === "from"
        ? view.mark.to
        : view.mark.from
      : edge === "from"
        ? view.end
        : view.start;

    if (edge === "from" ? time < other : time > other)
      view.setMark(time, other);
    else view.setMark(time, edge === "from" ? view.end : view.start);
  }

  markState() {
    const row = this.tracks.focusedRow;

    if (row?.kind === "states" && this.view.cursor !== null)
      this.#markStateAt(row, this.view.cursor);
  }

  escape() {
    this.tooltip.hide();
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

  showDefaults() {
    this.view.hidden = new Set(this.view.defaults.hidden);
    this.view.changed("rows");
    this.chooser.element.close();
  }

  /** Keep the mark under a name. */
  nameMark() {
    const { view } = this;

    if (!view.mark) {
      announce("Mark an interval first.");
      return;
    }
    this.#ask("Name of the interval", (name) => {
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

  /** Ask for a text. */
  #ask(question, take) {
    const input = h("input", { type: "text", required: true, size: "30" });
    const dialog = h(
      "dialog",
      { class: "dialog small", "aria-label": question },
      h(
        "form",
        {
          method: "dialog",
          onsubmit: () => take(input.value),
        },
        h("label", {}, `${question} `, input),
        h(
          "div",
          { class: "buttons" },
          h("button", { type: "submit", class: "primary" }, "OK"),
          h(
            "button",
            { type: "button", onclick: () => dialog.close() },
            "Cancel",
          ),
        ),
      ),
    );

    dialog.addEventListener("close", () => dialog.remove());
    this.element.append(dialog);
    dialog.showModal();
    input.focus();
  }

  #showScales() {
    const { view } = this;
    const names = new Map();

    for (const { series } of this.tracks.rows.list)
      if (series) names.set(scaleName(series), series);
    const toggle = (label, isOn, take) => {
      const input = h("input", {
        type: "checkbox",
        onchange: () => {
          take(input.checked);
          this.tracks.scales.known.clear();
          view.changed("looks");
        },
      });

      input.checked = isOn;
      return h("p", {}, h("label", {}, input, " ", label));
    };
    const dialog = h(
      "dialog",
      { class: "dialog", "aria-labelledby": "scales-title" },
      h(
        "header",
        {},
        h("h2", { id: "scales-title" }, "Scales"),
        h(
          "button",
          { type: "button", class: "primary", onclick: () => dialog.close() },
          "Done",
        ),
      ),
      toggle(
        "Values of a grouping share a scale",
        view.isCommonScale,
        (isOn) => (view.isCommonScale = isOn),
      ),
      toggle(
        "All scales start at zero",
        view.isFromZero,
        (isOn) => (view.isFromZero = isOn),
      ),
      toggle(
        "Scales fit the visible time, not the whole run",
        view.isFitted,
        (isOn) => (view.isFitted = isOn),
      ),
      h(
        "table",
        {},
        h("caption", {}, "Fixed ranges (empty: automatic)"),
        h(
          "tbody",
          {},
          [...names.keys()].map((name) => this.#rangeInputs(name)),
        ),
      ),
    );

    dialog.addEventListener("close", () => dialog.remove());
    this.element.append(dialog);
    dialog.showModal();
  }

  #rangeInputs(name) {
    const { view } = this;
    const range = view.ranges.get(name) ?? ["", ""];
    const inputs = range.map((value, i) =>
      h("input", {
        type: "text",
        inputmode: "decimal",
        size: "10",
        value,
        "aria-label": `${i ? "Maximum" : "Minimum"} of ${name}`,
        onchange: () => {
          const [min, max] = inputs.map((input) => Number(input.value));

          if (inputs.every((input) => input.value.trim()) && min < max)
            view.ranges.set(name, [min, max]);
          else view.ranges.delete(name);
          view.changed("looks");
        },
      }),
    );

    return h(
      "tr",
      {},
      h("th", { scope: "row", class: "clip" }, name),
      h("td", {}, inputs[0], " to ", inputs[1]),
    );
  }

  showHelp() {
    replace(
      this.helpDialog,
      h(
        "header",
        {},
        h("h2", { id: "help-title" }, "Help"),
        h(
          "button",
          {
            type: "button",
            class: "primary",
            onclick: () => this.helpDialog.close(),
          },
          "Close",
        ),
      ),
      h(
        "p",
        {},
        "The wheel zooms at the pointer; over the names, or with Shift, it scrolls. Dragging scrolls. Dragging on the ruler, or with Shift, marks an interval, and the tables below show its numbers. A double click marks a state. A click on a relation follows its request through all rows.",
      ),
      h(
        "table",
        { class: "keys" },
        h("caption", {}, "Keys"),
        h(
          "tbody",
          {},
          keyTable(this).map(([keys, text]) =>
            h(
              "tr",
              {},
              h(
                "th",
                { scope: "row" },
                keys.split(/\s+/).map((key) => h("kbd", {}, key)),
              ),
              h("td", {}, text),
            ),
          ),
        ),
      ),
      h(
        "p",
        {},
        "An interval excludes its start and includes its end. Means are time-weighted. The address of this page follows the view: copy it to share the view.",
      ),
    );
    this.helpDialog.showModal();
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

  #loadTheme() {
    try {
      const choice = localStorage.getItem("hdtrace-theme");

      if (choice) document.documentElement.dataset.theme = choice;
    } catch {
      // Pages that are files may have no storage.
    }
  }

  #toggleTheme() {
    const choice = theme.isDark ? "light" : "dark";

    document.documentElement.dataset.theme = choice;
    try {
      localStorage.setItem("hdtrace-theme", choice);
    } catch {
      // As above.
    }
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
