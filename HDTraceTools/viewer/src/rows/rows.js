// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows: for each node a heading, below it its power, the nodes in it, and then its
// other values; so the power of a node stands above its ranks.
// A row is a lane or a group of them (lane.js); only those on the screen have
// elements, and what is asked of all rows takes no longer the more there are.
import { comparisonOf } from "../data/series/comparison.js";
import { stacksOf } from "../data/series/stacks.js";
import { ranksOf } from "../data/states/behaviour.js";
import {
  GroupLane,
  OverlayLane,
  RelationLane,
  SIZES,
  StackLane,
  StateLane,
  ValueLane,
} from "./lane.js";

/** Values that are shown at first: power, and of each grouping the first. */
export function isShownAtFirst(series, isLarge) {
  const { value, group } = series;

  if (series.isText) return false;
  if (value.isPower) return true;
  if (isLarge) return value.name === "CPU_TOTAL";
  if (!value.grouping) return !/^(?:V|A)$/.test(value.base);
  if (/^(?:V|A)$/.test(value.base)) return false;
  const sum = group.values.find(
    (other) =>
      other.grouping === value.grouping &&
      /^(?:CPU_TOTAL|MEM_USED|NET_IN|NET_OUT|HDD_READ|HDD_WRITE)$/.test(other.name),
  );

  if (sum)
    return /^(?:CPU_TOTAL|MEM_USED|NET_IN|NET_OUT|HDD_WRITE)$/.test(value.name);
  return (
    group.values.find((other) => other.grouping === value.grouping) === value
  );
}

/** How high the rows of so many traces are at first: on a screen of 1280 by 900
 *  pixels 24 ranks and the power of their nodes have room. */
function rowSizeOf(traces) {
  if (traces <= 4) return "large";
  return traces <= 12 ? "medium" : "compact";
}

/** Keys that are hidden, and nodes that are folded, when nothing is said. */
export function defaultRows(model) {
  const hidden = new Set();
  const folded = new Set();
  const isLarge = model.groups.length > 24;

  for (const group of model.groups)
    for (const series of group.series)
      if (!isShownAtFirst(series, isLarge)) hidden.add(series.key);
  if (
    model.traces.length + model.groups.length + model.relations.length >
    160
  )
    for (const top of model.isJoined ? model.root.children : [model.root])
      for (const node of top.children.slice(2))
        if (node.children.length) folded.add(node.number);
  return { hidden, folded, rowSize: rowSizeOf(model.traces.length) };
}

/** Nodes in a line, each the only child of the one before and without anything
 *  of its own, are one. */
function chainOf(node) {
  const chain = [node];
  let last = node;

  while (
    last.children.length === 1 &&
    !last.states &&
    !last.relations &&
    !last.series.length &&
    !last.defined?.length
  ) {
    last = last.children[0];
    chain.push(last);
  }
  return chain;
}

function chainLabel(model, chain) {
  return chain
    .map((node) => {
      const type = model.levelOf(node);

      // Host names say what they are.
      return /^\d*$/.test(node.label) && type
        ? `${type} ${node.label}`
        : node.label;
    })
    .join(" › ");
}

/** Whether a value is about a node as a whole: its power, or its utilization. */
function isOfNode({ value }) {
  return value.isPower || value.name === "CPU_TOTAL";
}

/** Numbers of ranks as ranges: "1-5, 7"; all else one by one. */
function rangesOf(ranks) {
  const list = [];

  for (const { label } of ranks) {
    const last = list.at(-1);

    if (last && /^\d+$/.test(label) && Number(label) === last.to + 1) last.to++;
    else list.push({ text: label, from: Number(label), to: Number(label) });
  }
  return list
    .map(({ text, from, to }) => (to > from ? `${from}–${to}` : text))
    .join(", ");
}

export class Rows {
  constructor(model, view) {
    this.model = model;
    this.view = view;
    this.list = [];
    this.height = 0;
    /** Counts lists. */
    this.number = 0;
    this.setAlike(null);
  }

  /** Ranks that behave alike, in lists with the leader first; null: all have rows. */
  setAlike(groups) {
    /** By nodes of leaders and of the others, the list that they are in. */
    this.leading = new Map();
    this.led = new Map();
    for (const group of groups ?? [])
      for (const [i, { node }] of group.entries())
        if (group.length > 1) (i ? this.led : this.leading).set(node, group);
  }

  /** Whether the row of a leader stands for that of a node. */
  #isLed(node) {
    const group = this.led.get(node);

    return Boolean(group) && !this.search && !this.view.openAlike.has(group[0].node.number);
  }

  /** Nodes in the order of the finding that rows are sorted by: most waiting first. */
  #ordered(nodes) {
    if (!this.places) return nodes;
    const placeOf = (node) => this.places.get(node) ?? Infinity;

    return [...nodes].sort((a, b) => {
      const [x, y] = [placeOf(a), placeOf(b)];

      return x === y ? 0 : x - y;
    });
  }

  /** The place of each node in that order, and of those around it the first in it. */
  #findPlaces() {
    const { model, view } = this;
    const finding = model.findings[view.sortedBy];

    this.places = finding ? new Map() : null;
    if (!finding) return;
    const order = [...finding.told.waiting, ...finding.told.causing];

    for (const { node, label } of ranksOf(model)) {
      const place = order.indexOf(Number(label));

      if (place < 0 || (node.part && node.part !== finding.part)) continue;
      for (let at = node; at; at = at.parent >= 0 ? model.nodes[at.parent] : null)
        this.places.set(at, Math.min(place, this.places.get(at) ?? Infinity));
    }
  }

  /** Make the list anew. */
  update() {
    const { view, model } = this;

    this.number++;
    this.list = [];
    this.byKey = new Map();
    this.search = view.search.trim().toLowerCase();
    this.size = SIZES[view.rowSize] ?? SIZES.large;
    // Labels say for whom a row stands, and who is alone.
    if (this.leading.size && this.size.isFlat) this.size = SIZES.medium;
    this.#findPlaces();
    this.#addComparison();
    this.#addContent(model.root, 0, false, null);
    for (const node of this.#ordered(model.root.children)) this.#addNode(node, 0, false, null);
    this.#dropEmpty();
    this.ofStates = new Map();
    this.ofRelations = new Map();
    this.ofNodes = new Map();
    /** By node, rows that stay at the top while its ranks scroll. */
    this.pinnable = new Map();
    for (const row of this.list) {
      if (row.kind === "value" && isOfNode(row.series) && row.node.children.length)
        this.pinnable.set(row.node, [...(this.pinnable.get(row.node) ?? []), row]);
      this.byKey.set(row.key, row);
      if (row.states) this.ofStates.set(row.states, row);
      if (row.relations) this.ofRelations.set(row.relations, row);
      if (row.kind === "node") this.ofNodes.set(row.node, row);
    }
    this.place();
  }

  /** Leave out headings that nothing follows, but for nodes without anything. */
  #dropEmpty() {
    const kept = [];

    for (const row of this.list.reverse()) {
      const { node } = row;
      const hasNothing = !node.children.length && !node.series.length;

      if (
        row.kind !== "node" ||
        row.isFolded ||
        kept.at(-1)?.depth > row.depth ||
        (hasNothing && !this.search)
      )
        kept.push(row);
    }
    this.list = kept.reverse();
  }

  /** Say where each row stands. */
  place() {
    let top = 0;

    for (const row of this.list) {
      row.top = top;
      row.height = row.wantedHeight;
      top += row.height;
    }
    this.height = top;
  }

  #matches(text, isInside) {
    return isInside || !this.search || text.toLowerCase().includes(this.search);
  }

  #addNode(first, depth, isInside, group) {
    const chain = chainOf(first);
    const node = chain.at(-1);
    const leading = chain.map((one) => this.leading.get(one)).find(Boolean);
    const label =
      chainLabel(this.model, chain) + (leading ? ` +${leading.length - 1}` : "");
    const title = leading
      ? `${chainLabel(this.model, chain)} (alike: ${rangesOf(leading.slice(1))})`
      : null;

    if (chain.some((one) => this.#isLed(one))) return;
    const isFound =
      isInside ||
      (this.search !== "" &&
        chain.some((n) => n.label.toLowerCase().includes(this.search)));
    // A node that has nothing but states is their row.
    const isOnlyStates =
      node.states &&
      !node.relations &&
      !node.children.length &&
      !node.series.length;
    const isOnlyRelations =
      node.relations &&
      !node.states &&
      !node.children.length &&
      !node.series.length;

    if (isOnlyStates) {
      this.#addStates(node, depth, label, isFound, group, {
        alike: leading ?? null,
        title,
      });
      return;
    }
    if (isOnlyRelations) {
      this.#addRelations(node, depth, label, isFound, group);
      return;
    }
    const isFolded = this.view.folded.has(node.number) && !this.search;

    const lane = this.#group(node, depth, label, group, isFolded);

    Object.assign(lane, { alike: leading ?? null, title });
    this.list.push(lane);
    if (isFolded) return;
    this.#addContent(node, depth + 1, isFound, lane);
  }

  #group(node, depth, label, group, isFolded) {
    const key = `n${node.number}`;

    return new GroupLane(
      this.model,
      { key, node, depth, label, group, size: this.size },
      isFolded,
    );
  }

  #addContent(node, depth, isFound, group) {
    const values = [...(node.defined ?? []), ...node.series];
    // Power and utilization of a node stand above its ranks, those of a rank below its
    // states.
    const isAbove = (series) => node.children.length > 0 && isOfNode(series);
    const addValues = (list) => {
      for (const series of list)
        this.#addValue(node, series, depth, isFound, group);
    };

    addValues(values.filter((series) => isAbove(series)));
    this.#addStack(node, depth, isFound, group);
    if (node.states) this.#addStates(node, depth, "States", isFound, group);
    if (node.relations)
      this.#addRelations(node, depth, "Relations", isFound, group);
    if (node !== this.model.root)
      for (const child of this.#ordered(node.children))
        this.#addNode(child, depth, isFound, group);
    addValues(values.filter((series) => !isAbove(series)));
  }

  #addStates(node, depth, label, isFound, group, more = {}) {
    const { key } = node.states;

    if (this.view.isHidden(key)) return;
    if (!this.#matches(`${label} states`, isFound)) return;
    const place = { key, node, depth, label, group, size: this.size };

    this.list.push(
      Object.assign(new StateLane(this.model, place, node.states), more),
    );
  }

  #addRelations(node, depth, label, isFound, group) {
    const { key } = node.relations;

    if (this.view.isHidden(key)) return;
    if (!this.#matches(`${label} relations`, isFound)) return;
    this.list.push(
      new RelationLane(
        this.model,
        { key, node, depth, label, group, size: this.size },
        node.relations,
      ),
    );
  }

  #addValue(node, series, depth, isFound, group) {
    const { key } = series;

    if (this.view.isHidden(key) || series.isText) return;
    if (
      !this.#matches(`${series.title} ${series.group.name}`, isFound)
    )
      return;
    this.list.push(
      new ValueLane(
        this.model,
        { key, node, depth, label: series.title, group, size: this.size },
        series,
      ),
    );
  }

  /** The power of a node as a stack, or that of all nodes at the top. */
  #addStack(node, depth, isFound, group) {
    if (!this.view.isStacked) return;
    this.stacks ??= stacksOf(this.model);
    const stack = this.stacks.get(node);
    const key = `stack${node.number}`;

    if (!stack || this.view.isHidden(key) || !this.#matches("Stacked power", isFound))
      return;
    this.list.push(
      new StackLane(
        this.model,
        { key, node, depth, label: "Stacked power", group, size: this.size },
        stack,
      ),
    );
  }

  /** Power of all projects over each other, and by how much two differ. */
  #addComparison() {
    const { model } = this;

    this.comparison ??= model.isJoined ? comparisonOf(model) : null;
    if (!this.comparison) return;
    const { curves, difference } = this.comparison;
    const node = model.root;
    const label = curves.map(({ value }) => value.name).join(", ");
    const place = { key: "power", node, depth: 0, label, group: null };

    if (!this.view.isHidden("power") && this.#matches(label, false))
      this.list.push(new OverlayLane(model, place, curves));
    if (difference) this.#addValue(node, difference, 0, false, null);
  }

  /** Index of the first row that ends below a height. */
  #indexAt(y) {
    const { list } = this;
    let low = 0;
    let high = list.length;

    while (low < high) {
      const middle = (low + high) >> 1;

      if (list[middle].top + list[middle].height > y) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The row with a key; undefined if it is not shown. */
  find(key) {
    return this.byKey?.get(key);
  }

  /** The rows in a stretch of the height. */
  between(top, bottom) {
    const first = this.#indexAt(top);
    let last = first;

    while (last < this.list.length && this.list[last].top < bottom) last++;
    return this.list.slice(first, last);
  }

  /** The row at a height. */
  at(y) {
    const row = this.list[this.#indexAt(y)];

    return row && row.top <= y ? row : undefined;
  }

  /** Where the states of a trace stand, or the heading they are folded into. */
  rowOfTrace(number) {
    const { states } = this.model.traces[number] ?? {};

    if (!states) return null;
    return (
      this.ofStates.get(states) ??
      this.#rowOfLeader(states.node) ??
      this.#headingOf(states.node)
    );
  }

  /** The same of a file of relations. */
  rowOfRelations(number) {
    const { relations, node } = this.model.relations[number] ?? {};

    if (!relations) return null;
    return this.ofRelations.get(relations) ?? this.#headingOf(node);
  }

  /** The row that stands for that of a node. */
  #rowOfLeader(first) {
    for (let node = first; node; node = this.model.nodes[node.parent]) {
      const leader = this.led.get(node)?.[0];
      const states = leader?.traces[0]?.states;

      if (leader) return this.ofStates.get(states) ?? this.#headingOf(states.node);
    }
    return undefined;
  }

  /** The heading of a node, or that of the nearest one around it. */
  #headingOf(first) {
    for (
      let node = first;
      node;
      node = node.parent >= 0 ? this.model.nodes[node.parent] : null
    ) {
      const row = this.ofNodes.get(node);

      if (row) return row;
    }
    return null;
  }
}
