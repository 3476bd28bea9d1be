// SPDX-License-Identifier: LGPL-2.1-or-later
// Values that the user defines by an expression over others. A value is a step
// function of time, and so is what is made of some: where one of them has no
// value, neither has the result, but that aggregates leave out such nodes.
// Counters and deltas stand for their rates.
import { AtRest } from "./atrest.js";
import { Moments } from "./moments.js";
import { PixelColumns, sampleSeries } from "./sampling.js";
import { ExpressionError, FUNCTIONS, parse, valuesOf } from "./parser.js";
import { inSlices, Slices } from "../codec/slices.js";

/** More items than this are not looked at for moments. */
const ITEMS_MAX = 400000;

/** Find a value at a node, or above it. */
function lookUp(model, node, { group, name, node: path }) {
  if (path !== null) {
    const other = model.nodes.find((n) => n.path === path);

    return other ? findAt(other, group, name) : null;
  }
  for (let at = node; at; at = at.parent >= 0 ? model.nodes[at.parent] : null) {
    const found = findAt(at, group, name);

    if (found) return found;
  }
  return null;
}

function findAt(node, group, name) {
  return (
    node.series.find(
      (series) =>
        series.value.name === name &&
        !series.isText &&
        (group === null || series.group.name === group),
    ) ?? null
  );
}

const COMBINE = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  // Nothing is drawn where nothing can be said.
  "/": (a, b) => (b === 0 ? NaN : a / b),
  "^": (a, b) => a ** b,
};

function aggregate(name, values) {
  let count = 0;
  let result = name === "min" ? Infinity : name === "max" ? -Infinity : 0;

  for (const value of values) {
    if (Number.isNaN(value)) continue;
    count++;
    if (name === "min") result = Math.min(result, value);
    else if (name === "max") result = Math.max(result, value);
    else result += value;
  }
  if (name === "count") return count;
  if (count === 0) return NaN;
  return name === "mean" ? result / count : result;
}

/** An expression at a node: which series it takes, and what it makes of their
 *  values. */
class Bound {
  constructor(model, tree, node) {
    this.operands = [];
    this.evaluate = this.#bind(model, tree, node);
  }

  #operand(series) {
    let index = this.operands.indexOf(series);

    if (index < 0) index = this.operands.push(series) - 1;
    return (values) => values[index];
  }

  #aggregate(name, list) {
    return (values) =>
      aggregate(
        name,
        list.map((item) => item(values)),
      );
  }

  #bind(model, tree, node) {
    switch (tree.kind) {
      case "number":
        return () => tree.value;
      case "series":
        return this.#operand(tree.series);
      case "value": {
        const series = lookUp(model, node, tree);

        if (!series)
          throw new ExpressionError(`unknown value: ${tree.name}`, tree.at);
        return this.#operand(series);
      }
      case "negative": {
        const of = this.#bind(model, tree.of, node);

        return (values) => -of(values);
      }
      case "binary": {
        const left = this.#bind(model, tree.left, node);
        const right = this.#bind(model, tree.right, node);
        const combine = COMBINE[tree.sign];

        return (values) => combine(left(values), right(values));
      }
      case "call": {
        const list = tree.list.map((item) => this.#bind(model, item, node));
        const [call] = FUNCTIONS[tree.name];

        return (values) => call(...list.map((item) => item(values)));
      }
      case "aggregate":
        return this.#aggregate(
          tree.name,
          nodesOf(model, tree.of).map((at) => this.#bind(model, tree.of, at)),
        );
      case "sum":
        return this.#aggregate(
          "sum",
          tree.list.map((item) => this.#bind(model, item, node)),
        );
    }
    throw new Error(tree.kind);
  }
}

/** The nodes that an expression makes sense at: which have all that it names,
 *  one of them itself. */
function nodesOf(model, tree) {
  const values = valuesOf(tree);
  const missing = values.find(
    (value) => !model.nodes.some((node) => lookUp(model, node, value)),
  );

  if (missing)
    throw new ExpressionError(`unknown value: ${missing.name}`, missing.at);
  const nodes = model.nodes.filter(
    (node) =>
      values.some(
        (value) =>
          value.node === null && findAt(node, value.group, value.name),
      ) && values.every((value) => lookUp(model, node, value)),
  );

  return nodes.length ? nodes : [model.root];
}

/** A value at a node that is made of others; it is used as a Series. */
class DefinedSeries {
  isText = false;
  isDefined = true;

  constructor(model, definition, node, tree, number) {
    this.bound = new Bound(model, tree, node);
    this.node = node;
    this.key = `x${definition.number}.${number}`;
    this.definition = definition;
    this.group = { node, name: "defined here", track: null };
    this.value = {
      name: definition.name,
      unit: definition.unit || inferUnit(tree, this.bound.operands),
      grouping: `= ${definition.text}`,
      type: "DOUBLE",
      kind: "gauge",
      kindGuessed: false,
      base: definition.unit || inferUnit(tree, this.bound.operands),
      scale: 1,
      simulated: this.bound.operands.some((s) => s.value.simulated),
    };
    const same = this.bound.operands.find(
      (s) => s.level.unit === this.value.unit,
    );

    this.value.isPower = same?.value.isPower ?? false;
    this.value.integral =
      same?.level.integral ?? (this.value.unit ? `${this.value.unit} s` : "s");
    if (same) {
      this.value.base = same.level.base;
      this.value.scale = same.level.scale;
    }
    this.level = this.value;
    this.title = this.value.name;
    this.rest = new AtRest(
      this.bound.operands.length,
      (...view) => this.#sample(...view),
      this.tracks,
    );
  }

  get isExact() {
    return this.bound.operands.every((series) => series.isExact);
  }

  get tracks() {
    return this.bound.operands.map((series) => series.track);
  }

  /** As sampleSeries(). */
  sample(view, width) {
    return this.rest.sample(view, width);
  }

  *#sample(view, width) {
    const samples = [];

    for (const series of this.bound.operands) {
      samples.push(sampleSeries(series, view, width));
      yield;
    }

    // Those that are still being read have no value until they are there.
    if (!samples.some(Boolean)) return null;
    const columns = new PixelColumns(width);
    const values = new Float64Array(samples.length);

    for (let x = 0; x < width; x++) {
      let weight = 0;

      for (let i = 0; i < samples.length; i++) {
        values[i] = samples[i]?.columns.mean[x] ?? NaN;
        weight = Math.max(weight, samples[i]?.columns.weight[x] ?? 0);
      }
      const value = this.bound.evaluate(values);

      if (weight > 0 && !Number.isNaN(value))
        columns.add(x, x + 1, value, value, value, 1);
      if (x % 16 === 0) yield;
    }
    return {
      columns,
      steps: null,
      isWanted: samples.every((sample) => sample?.isWanted),
      level: samples.find(Boolean).level,
    };
  }

  at(time) {
    const found = this.bound.operands.map((series) => series.at(time));

    if (found.some((entry) => entry === undefined)) return undefined;
    const value = this.bound.evaluate(
      found.map((entry) =>
        entry ? Number(entry.value ?? entry.mean) : NaN,
      ),
    );

    return Number.isNaN(value) || found.every((entry) => !entry)
      ? null
      : { value, isDefined: true };
  }

  async moments(from, to) {
    const moments = new Moments();
    const lists = [];
    const slices = new Slices();
    let isExact = true;

    for (const series of this.bound.operands) {
      await slices.rest();
      const list = await itemsBetween(
        series,
        from,
        to,
        ITEMS_MAX / this.bound.operands.length,
      );

      lists.push(list.items);
      isExact = isExact && list.isExact;
    }
    const steps = sweep(lists, Number(to - from), (values, length) => {
      const value = this.bound.evaluate(values);

      if (!Number.isNaN(value)) moments.add(value, length);
    });

    await inSlices(steps);
    moments.isRough = !isExact;
    return moments;
  }
}

/** The unit, where it is plain: that of what is added up. */
function inferUnit(tree, operands) {
  const units = new Set(operands.map((series) => series.level.unit));
  const isPlain = (part) => {
    switch (part.kind) {
      case "value":
        return true;
      case "negative":
        return isPlain(part.of);
      case "aggregate":
        return part.name !== "count" && isPlain(part.of);
      case "call":
        return (
          ["min", "max", "abs"].includes(part.name) && part.list.every(isPlain)
        );
      case "binary":
        return (
          ("+-".includes(part.sign) &&
            isPlain(part.left) &&
            isPlain(part.right)) ||
          ("*/".includes(part.sign) &&
            isPlain(part.left) &&
            part.right.kind === "number") ||
          (part.sign === "*" &&
            part.left.kind === "number" &&
            isPlain(part.right))
        );
      default:
        return false;
    }
  };

  return units.size === 1 && isPlain(tree) ? [...units][0] : "";
}

/** Items of a series in ]from, to], as [start, end, value] with offsets from
 *  "from"; of the finest level that has no more than so many. */
export async function itemsBetween(series, from, to, limit) {
  await series.track.refresh();
  const { levels } = series.track;
  const items = [];
  let index = 0;

  const count = (level) =>
    level.chunks.reduce(
      (sum, chunk) =>
        chunk.end <= from || chunk.start >= to ? sum : sum + chunk.count,
      0,
    );

  while (index < levels.length - 1 && count(levels[index]) > limit) index++;
  const level = levels[index];
  const span = Number(to - from);

  for (const chunk of level?.chunks ?? []) {
    if (chunk.end <= from || chunk.start >= to) continue;
    const times = await series.track.load(level, chunk, 0);
    const values = await series.track.load(level, chunk, series.column + 1);
    const shift = Number(times.base - from);
    const { mean } = series.levelsOf(level, times, values);

    for (let i = 0; i < times.starts.length; i++) {
      const start = Math.max(0, times.starts[i] + shift);
      const end = Math.min(span, times.ends[i] + shift);
      const weight = times.covered[i] - (values.lost?.[i] ?? 0);

      if (end > start && weight > 0) items.push([start, end, mean[i]]);
    }
  }
  return { items, isExact: !level || level.number === 0 };
}

/** Hand on the values of all lists between any two borders: a generator, as there
 *  may be many. */
export function* sweep(lists, span, take) {
  const borders = [0, span];

  for (const list of lists)
    for (const [start, end] of list) borders.push(start, end);
  const sorted = Float64Array.from(borders).sort();
  const at = lists.map(() => 0);
  const values = new Float64Array(lists.length);

  for (let i = 1; i < sorted.length; i++) {
    const start = sorted[i - 1];
    const end = sorted[i];

    if (end <= start) continue;
    let hasAny = lists.length === 0;

    for (let k = 0; k < lists.length; k++) {
      const list = lists[k];

      while (at[k] < list.length && list[at[k]][1] <= start) at[k]++;
      const item = list[at[k]];
      const isInside = item && item[0] <= start;

      values[k] = isInside ? item[2] : NaN;
      hasAny = hasAny || isInside;
    }
    if (hasAny) take(values, end - start, start);
    if (i % 64 === 0) yield;
  }
}

/** Define a value: a series for each node that it makes sense at. Throws
 *  ExpressionError. */
export function define(model, definition) {
  const tree = parse(definition.text);
  const isPerNode = valuesOf(tree).some((value) => value.node === null);
  const nodes = isPerNode ? nodesOf(model, tree) : [model.root];

  return nodes.map(
    (node, i) => new DefinedSeries(model, definition, node, tree, i),
  );
}

/** An expression of the sum of series, in their base unit. */
function sumOf(list) {
  return {
    kind: "sum",
    list: list.map((series) => ({
      kind: "binary",
      sign: "*",
      left: { kind: "number", value: series.level.scale },
      right: { kind: "series", series },
    })),
  };
}

/** A value of the whole that is not the reader's own. */
function ownSeries(model, name, base, tree, number) {
  return new DefinedSeries(
    model,
    { name, unit: base, text: name, number: -1 },
    model.root,
    tree,
    number,
  );
}

/** The sum of series as a value of the whole project, in their base unit. */
define.fromSeries = (model, name, list, number = 0) =>
  ownSeries(model, name, list[0].level.base, sumOf(list), number);

/** The same of the difference of two sums. */
define.difference = (model, name, more, less, number) =>
  ownSeries(
    model,
    name,
    more[0].level.base,
    { kind: "binary", sign: "-", left: sumOf(more), right: sumOf(less) },
    number,
  );
