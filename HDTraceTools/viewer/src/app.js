// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts everything together: header, summary, rows, panels; redraws what changed.
import { Alike } from "./ui/alike.js";
import { carryFocus, carryView } from "./ui/carry.js";
import { Chooser } from "./ui/chooser.js";
import { lineNumber } from "./draw/colours.js";
import { announce } from "./ui/dom.js";
import { define } from "./data/series/expression.js";
import { seriesOfPower } from "./data/energy/power.js";
import { listenToKeys } from "./ui/keys.js";
import { Overview, overviewSeries } from "./draw/overview.js";
import { makePanels } from "./panels/allpanels.js";
import { Cursor } from "./ui/cursor.js";
import { Definitions } from "./ui/definitions.js";
import { ask, showHelp } from "./ui/dialogs.js";
import { Gestures } from "./ui/gestures.js";
import { buildLayout } from "./ui/layout.js";
import { PanelArea } from "./ui/panelarea.js";
import { loadTheme, switchTheme } from "./ui/themes.js";
import { Paper } from "./draw/paper.js";
import { formatSecondsShort } from "./data/time.js";
import { defaultRows } from "./rows/rows.js";
import { spanText } from "./draw/ruler.js";
import { Saving } from "./ui/saving.js";
import { Selection } from "./ui/selection.js";
import { Summary } from "./panels/summary.js";
import { Tooltip } from "./ui/tooltip.js";
import { setOnLoad } from "./data/codec/track.js";
import { DataGone } from "./data/codec/source.js";
import { Tracks } from "./rows/tracks.js";
import { View } from "./ui/view.js";

/** Numbers are computed when the mark has rested for so long, in ms, and what the
 *  rows show is said in words when they have. */
const REST_MS = 120;
/** The same before numbers of the visible time are asked of a server. */
const SERVED_REST_MS = 400;
const FRAGMENT_MS = 300;

/** Changes after which the same is looked at as before. */
const SAME = new Set(["cursor", "data", "find", "found", "scroll", "select"]);

export class App {
  constructor(model) {
    this.model = model;
    this.ending = new AbortController();
    this.view = new View(model);
    this.view.defaults = defaultRows(model);
    this.view.rowSize = this.view.defaults.rowSize;
    this.dirty = new Set();
    this.#nameValues();
    this.tracks = new Tracks(model, this.view);
    this.definitions = new Definitions(this);
    this.selection = new Selection(this);
    this.cursor = new Cursor(this);
    this.alike = new Alike(this);
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
    this.panels = makePanels(this);
    this.panelArea = new PanelArea(this, this.panels);
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
    buildLayout(this);
    document.getElementById("app").replaceChildren(this.element);
    this.#followSizes();
    this.gestures = new Gestures(this);
    listenToKeys(this);
  }

  focusWindow() {
    this.windowInput.focus();
    this.windowInput.select();
  }

  #followSizes() {
    this.followSize(this.tracks.scroll, () => this.invalidate("time"));
    this.followSize(this.overview.element, () => this.invalidate("time"));
    const media = matchMedia("(prefers-color-scheme: dark)");

    this.listen(media, "change", () => this.#restyle());
    this.listen(window, "hashchange", () => this.#readFragment());
  }

  /** Listen to what outlives the application. */
  listen(target, name, listener) {
    target.addEventListener(name, listener, { signal: this.ending.signal });
  }

  /** Do something when the size of an element changes. */
  followSize(element, changed) {
    const observer = new ResizeObserver(changed);

    observer.observe(element);
    this.ending.signal.addEventListener("abort", () => observer.disconnect());
  }

  /** Another application takes its place: nothing is asked for any more. */
  end() {
    this.ending.abort();
    this.tracks.relabel();
    for (const { source } of this.model.parts) source.end();
    cancelAnimationFrame(this.frame);
    for (const timer of [this.fragmentTimer, this.restTimer, this.panelTimer])
      clearTimeout(timer);
  }

  /* ---- Start ----------------------------------------------------------- */

  /** @param before The application whose place it takes; null: none. */
  start(before = null) {
    loadTheme();
    this.tracks.restyle();
    if (before) this.#carryOver(before);
    else this.#readFragment();
    this.summary.update();
    this.notes.showReduced();
    this.notes.showDamage();
    this.dirty.add("rows");
    // At once, so that what is on the screen is what is loaded first.
    this.#draw();
  }

  /** Show what another application shows, whose project had fewer rows. */
  #carryOver(before) {
    carryView(before.model, before.view, this.model, this.view);
    this.search.value = this.view.search;
    this.definitions.apply();
    this.#changed("rows");
    this.#changed("looks");
    this.#showPanel();
    carryFocus(before, this);
  }

  #readFragment() {
    const text = location.hash.slice(1);

    if (text === this.lastFragment) return;
    this.view.fromFragment(text);
    this.search.value = this.view.search;
    this.definitions.apply();
    this.#changed("rows");
    this.#changed("mark");
    this.#changed("looks");
    this.#showPanel();
  }

  #writeFragment() {
    clearTimeout(this.fragmentTimer);
    if (this.ending.signal.aborted) return;
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
    if (this.frame || this.ending.signal.aborted) return;
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
    this.element.dataset.end = String(this.model.end);
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
    if (what === "rows")
      this.alikeButton.setAttribute("aria-pressed", String(this.view.isAlike));
    if (what !== "cursor" && what !== "scroll") this.#writeFragment();
    if (what === "mark" || what === "looks") this.panelArea.showOfView();
    if (["mark", "rows", "looks", "data", "select", "find"].includes(what))
      this.#updatePanel();
    else if (what === "time" && this.view.followsTime)
      this.#updatePanel(this.model.source.isServed ? SERVED_REST_MS : REST_MS);
  }

  /** What is shown was read to its end; and whether all that it can change is the
   *  pictures, and the names that are known. */
  noteComplete(isKnown) {
    const panel = this.panels.find(({ id }) => id === this.view.panel);

    if (!isKnown || panel?.isOfNames) this.view.changed("data");
  }

  /** What grows was read again: numbers are made anew, as often as panels can. */
  noteGrown() {
    this.isOutdated = Boolean(this.panelTimer);
    if (this.isOutdated) this.invalidate("data");
    else this.view.changed("data");
  }

  showLooks() {
    const { hasArrows, hasPath, isFollowing, window } = this.view;

    this.followButton.setAttribute("aria-pressed", String(isFollowing));

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
    if (this.ending.signal.aborted) return;
    const timer = setTimeout(async () => {
      // Rows are needed to know what is shown.
      if (this.dirty.has("rows")) this.#draw();
      const panel = this.panels.find((p) => p.id === this.view.panel);

      try {
        await Promise.all([panel?.update(), this.alike.update()]);
      } catch (error) {
        // Another edition has other data: it is asked for next.
        if (!(error instanceof DataGone)) console.error(error);
      }
      if (this.panelTimer !== timer) return;
      this.panelTimer = null;
      if (this.isOutdated) this.noteGrown();
      this.#noteSettled();
    }, rest);

    this.panelTimer = timer;
    this.#noteSettled();
  }

  /* ---- Pointer --------------------------------------------------------- */

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

  /** Let the view move with the end of a run that grows, or stay. */
  toggleFollowing() {
    const { view, model } = this;

    if (!model.isGrowing) return;
    view.setFollowing(!view.isFollowing);
    announce(
      view.isFollowing
        ? "The view follows the end of the run."
        : "Paused: the view stays.",
    );
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

  /** Let numbers be about the visible time, or the whole run. */
  toggleOfView() {
    const { view } = this;

    view.setOfView(!view.isOfView);
    announce(
      !view.isOfView
        ? "Numbers cover the whole run."
        : view.mark
          ? "Numbers cover the marked interval."
          : "Numbers cover the visible time.",
    );
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
