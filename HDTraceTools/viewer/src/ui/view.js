// SPDX-License-Identifier: LGPL-2.1-or-later
// What the reader looks at: the stretch of time, the marked interval, the rows
// that are shown. All of it is in the fragment of the URL, so that a link shows
// the same picture.
import { parseSelection, selectionText } from "../data/selected.js";
import { formatSecondsShort, maxTime, minTime, parseSeconds } from "../data/time.js";
import { parseWindow } from "../data/series/windows.js";

/** Nothing is shown wider than this for 1 ns. */
const SPAN_MIN = 20;

export class View {
  constructor(model) {
    this.model = model;
    this.listeners = new Set();
    this.start = model.start;
    this.span = 1;
    this.cursor = null;
    this.mark = null;
    /** The request that is followed through all rows, or null. */
    this.request = null;
    this.named = [];
    this.hidden = new Set();
    this.folded = new Set();
    this.hiddenStates = new Set();
    /** Whether waits are drawn in their own colour. */
    this.showsWaits = true;
    this.definitions = [];
    this.bars = new Set();
    this.ranges = new Map();
    this.isCommonScale = true;
    this.isFromZero = false;
    this.isFitted = false;
    this.hasArrows = true;
    /** Whether the critical path is drawn. */
    this.hasPath = false;
    /** Whether ranks that behave alike have one row, and the nodes of those leaders
     *  whose ranks have rows nevertheless. */
    this.isAlike = false;
    this.openAlike = new Set();
    /** Whether power and utilization of a node stay while its ranks scroll. */
    this.isPinned = true;
    /** Whether there are rows of stacked power. */
    this.isStacked = false;
    /** The number of the finding that rows are sorted by; null: none. */
    this.sortedBy = null;
    /** Whose rows are marked. */
    this.finding = null;
    /** What is selected, as selected.js has it; or null. */
    this.selection = null;
    /** The query of the panel "find". */
    this.find = "";
    /** How high rows are: "compact", "medium" or "large". */
    this.rowSize = "large";
    /** Length of windows that entries are merged over, in ns; 0n: they are not. */
    this.window = this.defaultWindow;
    this.panel = "interval";
    this.search = "";
    /** Whether numbers are about the visible time where nothing is marked. */
    this.isOfView = false;
    /** Whether the view moves with the end of a run that grows, if it is there. */
    this.isFollowing = true;
    this.history = [];
    this.defaults = { hidden: new Set(), folded: new Set(), rowSize: "large" };
    this.whole(false);
  }

  onChange(listener) {
    this.listeners.add(listener);
  }

  /** Something changed: "time", "cursor", "mark", "rows", "looks", "panel". */
  changed(what) {
    for (const listener of this.listeners) listener(what);
  }

  get end() {
    return this.start + BigInt(Math.ceil(this.span));
  }

  get wholeSpan() {
    return Math.max(1, Number(this.model.end - this.model.start));
  }

  /* ---- Time ------------------------------------------------------------ */

  /** Show a stretch of time, as far as it is of the project. */
  show(start, span, hasHistory = true) {
    const before = [this.start, this.span];

    span = Math.max(Math.round(span), SPAN_MIN);
    // As long as nobody knows how long the project is, it may be that long.
    if (this.model.hasRange) [start, span] = this.#limit(start, span);
    if (start === this.start && span === this.span) return;
    if (hasHistory) this.#remember(before);
    this.start = start;
    this.span = span;
    this.changed("time");
  }

  #limit(start, span) {
    const limited = Math.min(span, this.longest);
    const margin = BigInt(Math.ceil(limited * 0.02)) + 1n;
    const last = this.model.end + margin - BigInt(Math.ceil(limited));

    return [maxTime(minTime(start, last), this.model.start - margin), limited];
  }

  /** No more than that is ever shown. */
  get longest() {
    return this.wholeSpan * 1.04 + 2;
  }

  /** A gesture is one step of the history. */
  #remember(entry) {
    const now = performance.now();

    if (!(now - this.remembered < 700)) this.history.push(entry);
    this.remembered = now;
    if (this.history.length > 200) this.history.shift();
  }

  /** Go back to what was shown before. */
  back() {
    const entry = this.history.pop();

    if (entry) this.show(entry[0], entry[1], false);
    this.remembered = -1e9;
    return Boolean(entry);
  }

  /** Whether all of the run is shown, as at first. */
  get isWhole() {
    return this.wholeView === `${this.start} ${this.span}`;
  }

  whole(hasHistory = true) {
    this.#showWhole(hasHistory);
    this.wholeView = `${this.start} ${this.span}`;
  }

  #showWhole(hasHistory) {
    this.show(
      this.model.start - BigInt(Math.round(this.wholeSpan * 0.01)),
      this.wholeSpan * 1.02,
      hasHistory,
    );
  }

  /** Whether the end of the run is in the view. */
  get hasEnd() {
    return this.end >= this.model.end;
  }

  /** The run is longer now: what had its end has it again. */
  follow(isWhole, hadEnd) {
    if (!this.isFollowing) return;
    if (isWhole) this.whole(false);
    else if (hadEnd && !this.hasEnd)
      this.show(
        this.model.end - BigInt(Math.round(this.span * 0.99)),
        this.span,
        false,
      );
  }

  /** Let the view move with the end, or stay. */
  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    if (isFollowing) this.follow(this.isWhole, true);
    this.changed("looks");
  }

  /** Zoom by a factor; what is at that share of the width stays there. */
  zoom(factor, share = 0.5) {
    const span = Math.min(
      Math.max(this.span * factor, SPAN_MIN),
      this.longest,
    );

    this.show(
      this.start + BigInt(Math.round((this.span - span) * share)),
      span,
    );
  }

  /** Move by a share of what is shown. */
  pan(share) {
    this.show(this.start + BigInt(Math.round(this.span * share)), this.span);
  }

  /** Show an interval with a margin. */
  showInterval(from, to) {
    const span = Math.max(Number(to - from), 1);

    this.show(from - BigInt(Math.round(span * 0.04)), span * 1.08);
  }

  /** The time at a share of the width. */
  timeAt(share) {
    return this.start + BigInt(Math.round(this.span * share));
  }

  /** Where a time is, as share of the width. */
  shareOf(time) {
    return Number(time - this.start) / this.span;
  }

  setCursor(time) {
    if (time === this.cursor) return;
    this.cursor = time;
    this.changed("cursor");
  }

  /* ---- The marked interval --------------------------------------------- */

  setMark(from, to) {
    if (from === null || to === null || from === to) this.mark = null;
    else this.mark = { from: minTime(from, to), to: maxTime(from, to) };
    this.changed("mark");
  }

  /** Mark the rows of a finding; null: none. */
  setFinding(finding) {
    this.finding = finding;
    this.changed("looks");
  }

  /** Select something; null: nothing. */
  setSelection(selection) {
    this.selection = selection;
    this.changed("select");
  }

  setFind(text) {
    this.find = text;
    this.changed("find");
  }

  /** The next size of rows. */
  resizeRows() {
    const sizes = ["compact", "medium", "large"];

    this.rowSize = sizes[(sizes.indexOf(this.rowSize) + 1) % sizes.length];
    this.changed("rows");
  }

  /** Follow a request; null: none. */
  setRequest(request) {
    this.request = request;
    this.changed("looks");
    request?.load(this.model).then(
      () => {
        if (this.request === request) this.changed("looks");
      },
      (error) => console.warn(error),
    );
  }

  /** What numbers are about: the marked interval, else all, or the visible time. */
  get interval() {
    const all = { from: this.model.start - 1n, to: this.model.end, isAll: true };

    return this.mark ?? (this.isOfView ? this.#visible(all) : all);
  }

  /** What is visible of the run. */
  #visible(all) {
    const from = maxTime(this.start, all.from);
    const to = minTime(this.end, all.to);

    return from < to && (from > all.from || to < all.to)
      ? { from, to, isVisible: true }
      : all;
  }

  /** Whether numbers change with what is visible. */
  get followsTime() {
    return this.isOfView && !this.mark;
  }

  setOfView(isOfView) {
    this.isOfView = isOfView;
    this.changed("mark");
  }

  /* ---- Windows --------------------------------------------------------- */

  /** What --window says. */
  get defaultWindow() {
    return parseWindow(this.model.meta?.window);
  }

  setWindow(ns) {
    this.window = ns;
    this.changed("looks");
  }

  /* ---- Rows ------------------------------------------------------------ */

  isHidden(key) {
    return this.hidden.has(key);
  }

  setHidden(keys, isHidden) {
    for (const key of keys) {
      if (isHidden) this.hidden.add(key);
      else this.hidden.delete(key);
    }
    this.changed("rows");
  }

  setFolded(node, isFolded) {
    if (isFolded) this.folded.add(node.number);
    else this.folded.delete(node.number);
    this.changed("rows");
  }

  /** Fold all nodes that something is in, but for what stands for a project, or
   *  none. */
  setAllFolded(isFolded) {
    this.folded = new Set(
      isFolded
        ? this.model.nodes
            .filter((node) => node.children.length && node.level > 0)
            .map((node) => node.number)
        : [],
    );
    this.changed("rows");
  }

  setAlike(isAlike) {
    this.isAlike = isAlike;
    this.changed("rows");
  }

  /** Show all ranks that a row stands for, or that row only. */
  toggleAlike({ node }) {
    if (!this.openAlike.delete(node.number)) this.openAlike.add(node.number);
    this.changed("rows");
  }

  /** Sort rows by a finding, a number; null: as they are in the project. */
  setSortedBy(number) {
    this.sortedBy = number;
    this.changed("rows");
  }

  setSearch(text) {
    this.search = text;
    this.changed("rows");
  }

  /* ---- The fragment ---------------------------------------------------- */

  #relative(time) {
    return formatSecondsShort(time - this.model.origin);
  }

  /** Differences of a set from its default: what is missing and what is new. */
  static #differences(set, defaults) {
    return {
      more: [...set].filter((key) => !defaults.has(key)),
      less: [...defaults].filter((key) => !set.has(key)),
    };
  }

  toFragment() {
    const params = new URLSearchParams();
    const hidden = View.#differences(this.hidden, this.defaults.hidden);
    const folded = View.#differences(this.folded, this.defaults.folded);
    const put = (name, list) => {
      if (list.length) params.set(name, list.join(","));
    };

    params.set(
      "view",
      `${this.#relative(this.start)},${this.#relative(this.start + BigInt(Math.round(this.span)))}`,
    );
    if (!this.isFollowing) params.set("follow", "no");
    else if (this.model.isGrowing && this.isWhole) params.set("whole", "yes");
    if (this.mark)
      params.set(
        "mark",
        `${this.#relative(this.mark.from)},${this.#relative(this.mark.to)}`,
      );
    if (this.selection)
      params.set(
        "select",
        selectionText(this.selection, (time) => this.#relative(time)),
      );
    if (this.find) params.set("find", this.find);
    if (this.rowSize !== this.defaults.rowSize) params.set("rows", this.rowSize);
    if (this.request)
      params.set(
        "request",
        [
          this.#relative(this.request.from),
          this.#relative(this.request.to),
          this.model.parts.indexOf(this.request.part),
          this.request.root,
        ].join(","),
      );
    put("hide", hidden.more);
    put("show", hidden.less);
    put("fold", folded.more);
    put("unfold", folded.less);
    put("bars", [...this.bars]);
    if (this.isAlike) params.set("alike", ["yes", ...this.openAlike].join(","));
    if (!this.isPinned) params.set("pin", "no");
    if (this.isStacked) params.set("stack", "yes");
    if (this.sortedBy !== null) params.set("sort", this.sortedBy);
    for (const { from, to, name } of this.named)
      params.append(
        "name",
        `${this.#relative(from)},${this.#relative(to)},${name}`,
      );
    for (const { name, unit, text } of this.definitions)
      params.append("define", JSON.stringify([name, unit, text]));
    for (const [grouping, [min, max]] of this.ranges)
      params.append("range", JSON.stringify([grouping, min, max]));
    for (const name of this.hiddenStates) params.append("off", name);
    if (!this.showsWaits) params.set("waits", "no");
    if (!this.isCommonScale) params.set("scale", "own");
    if (this.isFromZero) params.set("zero", "yes");
    if (this.isFitted) params.set("fit", "view");
    if (!this.hasArrows) params.set("arrows", "no");
    if (this.hasPath) params.set("path", "yes");
    if (this.window !== this.defaultWindow)
      params.set("window", formatSecondsShort(this.window));
    if (this.panel !== "interval") params.set("panel", this.panel);
    if (this.isOfView) params.set("of", "view");
    if (this.search) params.set("search", this.search);
    return params.toString();
  }

  /** Take what a link says; nonsense is left out. */
  fromFragment(text) {
    const params = new URLSearchParams(text);
    const times = (name) => this.#times(params.get(name));
    const view = times("view");
    const mark = times("mark");

    this.hidden = new Set(this.defaults.hidden);
    this.folded = new Set(this.defaults.folded);
    for (const key of list(params.get("hide"))) this.hidden.add(key);
    for (const key of list(params.get("show"))) this.hidden.delete(key);
    for (const key of list(params.get("fold"))) this.folded.add(Number(key));
    for (const key of list(params.get("unfold")))
      this.folded.delete(Number(key));
    this.bars = new Set(list(params.get("bars")));
    const [isAlike, ...open] = list(params.get("alike"));

    this.isAlike = isAlike === "yes";
    this.openAlike = new Set(open.map(Number));
    this.isPinned = params.get("pin") !== "no";
    this.isStacked = params.get("stack") === "yes";
    this.sortedBy = /^\d+$/.test(params.get("sort") ?? "")
      ? Number(params.get("sort"))
      : null;
    this.named = params.getAll("name").flatMap((item) => {
      const found = this.#times(item);

      return found
        ? [{ from: found[0], to: found[1], name: found[2] ?? "" }]
        : [];
    });
    this.definitions = params
      .getAll("define")
      .map((item) => parseList(item, 3))
      .filter(Boolean)
      .map(([name, unit, expression], i) => ({
        name: String(name),
        unit: String(unit),
        text: String(expression),
        number: i,
      }));
    this.ranges = new Map(
      params
        .getAll("range")
        .map((item) => parseList(item, 3))
        .filter(
          (item) => item && Number.isFinite(item[1]) && item[1] < item[2],
        )
        .map(([grouping, min, max]) => [String(grouping), [min, max]]),
    );
    this.hiddenStates = new Set(params.getAll("off"));
    this.showsWaits = params.get("waits") !== "no";
    this.isCommonScale = params.get("scale") !== "own";
    this.isFromZero = params.get("zero") === "yes";
    this.isFitted = params.get("fit") === "view";
    this.hasArrows = params.get("arrows") !== "no";
    this.isFollowing = params.get("follow") !== "no";
    this.hasPath = params.get("path") === "yes";
    this.window = params.has("window")
      ? parseWindow(params.get("window"))
      : this.defaultWindow;
    this.panel = params.get("panel") || "interval";
    this.isOfView = params.get("of") === "view";
    this.find = params.get("find") ?? "";
    this.selection = parseSelection(params.get("select"), (times) =>
      this.#times(times),
    );
    this.rowSize = /^(?:compact|medium|large)$/.test(params.get("rows") ?? "")
      ? params.get("rows")
      : this.defaults.rowSize;
    this.search = params.get("search") ?? "";
    this.mark =
      mark && mark[0] < mark[1] ? { from: mark[0], to: mark[1] } : null;
    const request = times("request");
    const [part, root] = request ? request[2].split(",").map(Number) : [];

    this.request = null;
    if (request && part >= 0 && root >= 0)
      this.setRequest(
        this.model.requestOf(part, root, request[0], request[1]),
      );
    if (view && params.get("whole") !== "yes") {
      const [start, end] = view;

      if (start < end) this.show(start, Number(end - start), false);
    } else {
      this.whole(false);
    }
  }

  /** "1.5,2.5,any, text": two times and a text. */
  #times(text) {
    const [a, b, ...rest] = (text ?? "").split(",");
    const from = parseSeconds(a ?? "");
    const to = parseSeconds(b ?? "");

    if (from === null || to === null) return null;
    return [from + this.model.origin, to + this.model.origin, rest.join(",")];
  }
}

function list(text) {
  return text ? text.split(",") : [];
}

function parseList(text, length) {
  try {
    const value = JSON.parse(text);

    return Array.isArray(value) && value.length === length ? value : null;
  } catch {
    return null;
  }
}
