// SPDX-License-Identifier: LGPL-2.1-or-later
// The main value of a node: its own power, else its first value; if it has none,
// the mean, minimum and maximum of those of the nodes below it.
import { AtRest } from "./atrest.js";
import { PixelColumns, sampleSeries } from "./sampling.js";

/** The main one of a node's own values; null if it has none. */
export function mainSeries(node) {
  return (
    node.series.find((series) => series.value.isPower) ??
    node.series.find((series) => !series.isText) ??
    null
  );
}

/** Main values of the nearest nodes below that have one. */
function mainBelow(node) {
  return node.children.flatMap((child) => {
    const main = mainSeries(child);

    return main ? [main] : mainBelow(child);
  });
}

/** Of several nodes; it is used as a Series. */
class SummarySeries {
  isText = false;
  isDefined = true;
  isAmount = false;

  constructor(node, list) {
    const [first] = list;

    this.list = list;
    this.node = node;
    this.key = `n${node.number}.summary`;
    this.group = { node, name: first.group.name, track: null };
    this.value = {
      ...first.value,
      kind: "gauge",
      type: "DOUBLE",
      simulated: list.some((series) => series.value.simulated),
    };
    this.level = first.level;
    this.title = this.value.name;
    this.rest = new AtRest(
      list.length,
      (...view) => this.#sample(...view),
      this.tracks,
    );
  }

  get tracks() {
    return this.list.map((series) => series.track);
  }

  get isExact() {
    return this.list.every((series) => series.isExact);
  }

  /** As sampleSeries(). */
  sample(view, width) {
    return this.rest.sample(view, width);
  }

  *#sample(view, width) {
    const samples = [];

    for (const series of this.list) {
      samples.push(sampleSeries(series, view, width));
      yield;
    }
    const there = samples.filter(Boolean);

    if (!there.length) return null;
    const columns = new PixelColumns(width);

    for (let x = 0; x < width; x++) {
      for (const { columns: of } of there)
        if (of.weight[x] > 0)
          columns.add(x, x + 1, of.min[x], of.max[x], of.mean[x], 1);
      if (x % 16 === 0) yield;
    }
    return {
      columns,
      steps: null,
      isWanted: samples.every((sample) => sample?.isWanted),
      /** Whether it is of some of the values only. */
      isPartial: there.length < samples.length,
      level: there[0].level,
    };
  }

  at(time) {
    const found = this.list.map((series) => series.at(time));
    const values = found
      .filter(Boolean)
      .map((entry) => ({
        mean: Number(entry.value ?? entry.mean),
        min: Number(entry.value ?? entry.min),
        max: Number(entry.value ?? entry.max),
      }))
      .filter(({ mean }) => !Number.isNaN(mean));

    if (found.some((entry) => entry === undefined)) return undefined;
    if (!values.length) return null;
    return {
      mean: values.reduce((sum, { mean }) => sum + mean, 0) / values.length,
      min: Math.min(...values.map(({ min }) => min)),
      max: Math.max(...values.map(({ max }) => max)),
    };
  }
}

/** The series that a folded node shows; null if nothing below has a value. */
export function summarySeries(model, node) {
  const own = mainSeries(node);

  if (own) return own;
  const all = mainBelow(node);
  // Only what has one unit has a mean.
  const list = all.filter(
    ({ value, level }) =>
      value.name === all[0].value.name && level.unit === all[0].level.unit,
  );

  if (!list.length) return null;
  node.summary ??= list.length === 1 ? list[0] : new SummarySeries(node, list);
  return node.summary;
}
