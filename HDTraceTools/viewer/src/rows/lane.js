// SPDX-License-Identifier: LGPL-2.1-or-later
// What a row is: a lane of something over time, or a group of them. All that the
// rows, the pointer and the tables need to know of it is asked here, so that a new
// kind of row is a class here and a plot.
//
// A lane has a kind ("states", "relations", "value", "node"), a key that links name it by, the
// project, the node and its path in the topology, the group that it is in (a
// GroupLane, or null at the top), what can be asked about it ("attributes" of its
// states, "joules" they took, "numbers" of its values), and a place.
import {
  laneAt,
  RelationPlot,
  relationsHeight,
} from "../draw/relationplot.js";
import { SharePlot } from "../draw/shareplot.js";
import { StatePlot } from "../draw/stateplot.js";
import { ValuePlot } from "../draw/valueplot.js";
import { levelText, rangeText } from "../data/numbers.js";
import { summarySeries } from "../data/series/summaryseries.js";
import { h } from "../ui/dom.js";

export const HEIGHTS = { node: 28, share: 13 };

/** Sizes of rows: a band for each level of nested states below "top", with "room" for
 *  all else; in a flat row nested states are drawn over those around them. */
export const SIZES = {
  large: { band: 17, top: 4, room: 9, value: 46, isFlat: false },
  medium: { band: 9, top: 2, room: 4, value: 34, isFlat: false },
  compact: { band: 7, top: 0, room: 1, value: 28, isFlat: true },
};

/** So many levels of nested states have a band of their own. */
export const BANDS_MAX = 8;

class Lane {
  isFolded = false;
  states = null;
  series = null;
  top = 0;
  height = 0;
  /** Ranks that behave alike, of which it is the first; or null. */
  alike = null;
  /** A longer label, or null. */
  title = null;

  /** @param group The GroupLane around it, or null.
   *  @param size One of SIZES. */
  constructor(model, { key, node, label, depth, group, size = SIZES.large }) {
    Object.assign(this, { model, key, node, label, depth, group, size });
  }

  get project() {
    return this.model.projectOf(this.node);
  }

  /** Labels of the nodes from the top to its own. */
  get path() {
    return this.model.pathOf(this.node);
  }

  /** What has to be loaded for it. */
  get tracks() {
    return [];
  }

  /** The value that is drawn, with a scale; or null. */
  get drawnSeries() {
    return null;
  }

  /** What has to be loaded for that. */
  get valueTracks() {
    return this.tracks;
  }

  /** The group, trace or relations that it is read from: one file. */
  get item() {
    return null;
  }

  asks = new Set();
}

/** Tracks of the states of a trace, and of its waits, if it may have some. */
function tracksOf(model, states) {
  return model.waiting > 0 ? [states.track, states.waits.track] : [states.track];
}

/** States and events of a trace. */
export class StateLane extends Lane {
  kind = "states";

  constructor(model, place, states) {
    super(model, place);
    this.states = states;
    this.asks = new Set(["attributes", "joules"]);
  }

  get tracks() {
    return tracksOf(this.model, this.states);
  }

  get item() {
    return this.states;
  }

  get wantedHeight() {
    const { band, room, isFlat } = this.size;
    const bands = isFlat ? 1 : Math.min(this.states.depth, BANDS_MAX);

    return room + band * bands;
  }

  makePlots(area) {
    const canvas = h("canvas", { "aria-hidden": "true" });

    area.append(canvas);
    return { states: new StatePlot(canvas, this.states) };
  }

  textAt(time) {
    return (this.states.at(time, 0) ?? [])
      .filter((state) => !state.isEvent)
      .map((state) => state.name)
      .join(" › ");
  }
}

/** Relations of a file, those that overlap above each other. */
export class RelationLane extends Lane {
  kind = "relations";

  constructor(model, place, relations) {
    super(model, place);
    this.relations = relations;
  }

  get tracks() {
    return [this.relations.track];
  }

  get item() {
    return this.relations;
  }

  get wantedHeight() {
    return relationsHeight(this.relations.depth);
  }

  makePlots(area) {
    const canvas = h("canvas", { "aria-hidden": "true" });

    area.append(canvas);
    return { relations: new RelationPlot(canvas, this.relations) };
  }

  /** The relation at a time and a height of the row, within a tolerance (ns). */
  itemAt(time, y, tolerance, view) {
    const { relations } = this;

    return relations.itemAt(time, laneAt(relations.depth, y), tolerance, view);
  }

  textAt() {
    return "";
  }
}

/** A value of a group, or one that the reader defined. */
export class ValueLane extends Lane {
  kind = "value";

  constructor(model, place, series) {
    super(model, place);
    this.series = series;
    this.asks = new Set(["numbers"]);
  }

  get wantedHeight() {
    return this.size.value;
  }

  get tracks() {
    return this.series.tracks ?? [this.series.track];
  }

  get drawnSeries() {
    return this.series;
  }

  get item() {
    return this.series.isDefined ? null : this.series.group;
  }

  makePlots(area) {
    return { value: new ValuePlot(area, this.series) };
  }

  textAt(time) {
    return seriesText(this.series, time);
  }
}

/** Values over each other, on one scale: of several projects. */
export class OverlayLane extends Lane {
  kind = "overlay";
  wantedHeight = 2 * SIZES.large.value;

  constructor(model, place, curves) {
    super(model, place);
    this.curves = curves;
    this.asks = new Set(["numbers"]);
  }

  get tracks() {
    return this.curves.flatMap((series) => series.tracks);
  }

  get drawnSeries() {
    return this.curves[0];
  }

  get others() {
    return this.curves.slice(1);
  }

  makePlots(area) {
    const [value, ...others] = this.curves.map((series) => {
      const place = h("div", { class: "overlaid" });

      area.append(place);
      return new ValuePlot(place, series);
    });

    return { value, others };
  }

  textAt(time) {
    return this.curves.map((series) => seriesText(series, time)).join(" · ");
  }
}

/** The power of parts over each other, from zero to their sum. */
export class StackLane extends OverlayLane {
  kind = "stack";

  constructor(model, place, { parts, curves }) {
    super(model, place, curves);
    this.parts = parts;
  }

  textAt(time) {
    return seriesText(this.curves[0], time);
  }
}

/** A node, with all that is in it: when it is folded, a summary of that, its main
 *  value and how many of its ranks are in which state. */
export class GroupLane extends Lane {
  kind = "node";

  constructor(model, place, isFolded) {
    super(model, place);
    this.isFolded = isFolded;
    if (!isFolded) return;
    this.summary = summarySeries(model, place.node);
    this.traces = model.tracesBelow(place.node);
  }

  /** Its main value: mean, min and max of what is below. */
  get drawnSeries() {
    return this.isFolded ? this.summary : null;
  }

  get tracks() {
    if (!this.isFolded) return [];
    return [
      ...this.valueTracks,
      ...this.traces.flatMap(({ states }) => tracksOf(this.model, states)),
    ];
  }

  get valueTracks() {
    const { summary } = this;

    return summary ? (summary.tracks ?? [summary.track]) : [];
  }

  get valueHeight() {
    return HEIGHTS.node;
  }

  get wantedHeight() {
    return HEIGHTS.node + (this.isFolded && this.traces.length ? HEIGHTS.share : 0);
  }

  makePlots(area) {
    const plots = {};

    if (this.drawnSeries) {
      // What is drawn comes later, and above the shares.
      const place = h("div", {});

      area.append(place);
      plots.value = new ValuePlot(place, this.drawnSeries);
    }
    if (this.isFolded && this.traces.length) {
      const canvas = h("canvas", { "aria-hidden": "true", class: "shares" });

      area.append(canvas);
      plots.shares = new SharePlot(canvas, this.traces);
    }
    return plots;
  }

  textAt(time) {
    const series = this.drawnSeries;

    return series ? seriesText(series, time) : "";
  }
}

/** What a series says at a time. */
function seriesText(series, time) {
  const found = series.at(time);

  if (found === undefined) return "…";
  if (found === null) return "–";
  return valueText(series, found);
}

/** What was found at a time as text, with its unit. */
export function valueText(series, found) {
  return found.value === undefined
    ? rangeText(found, series.level)
    : levelText(found.value, series.level);
}
