// SPDX-License-Identifier: LGPL-2.1-or-later
// A project: its nodes, and what each has to show.
import { Messages, messageDecoder } from "./relations/messages.js";
import { pathsOf } from "./relations/criticalpath.js";
import { findingsOf } from "./relations/findings.js";
import { damageOf } from "./damage.js";
import { joinMetas, joinReports, partsOf } from "./joined.js";
import { Waits, waitDecoder } from "./relations/waits.js";
import { Relations, relationDecoder, Request } from "./relations/relations.js";
import { Total, totalDecoder } from "./series/total.js";
import { Series, seriesDecoder } from "./series/series.js";
import { States, stateDecoder } from "./states/states.js";
import { RowWaits } from "./states/rowwaits.js";
import { maxTime, minTime, parseSeconds } from "./time.js";
import { giveTitles } from "./series/titles.js";
import { Track } from "./codec/track.js";

/** Numbers as numbers: rank 10 stands behind rank 9. All else stays as it is in
 *  the project. */
function compareNodes(a, b) {
  const isNumber = (text) => /^\d+$/.test(text);

  if (!isNumber(a.label) || !isNumber(b.label)) return 0;
  return Number(a.label) - Number(b.label) || a.number - b.number;
}

export class Model {
  constructor(meta, source) {
    this.parts = partsOf(meta);
    this.isJoined = this.parts.length > 1;
    for (const part of this.parts) {
      part.source = this.isJoined
        ? source.of(this.parts.indexOf(part))
        : source;
      part.source.layout = part.meta.layout ?? null;
    }
    /** Whether a program writes one of the projects. */
    this.isGrowing = false;
    meta = joinMetas(meta, this.parts);
    this.meta = meta;
    this.source = source;
    this.nodes = meta.nodes.map((node, number) => ({
      part: this.parts[0],
      ...node,
      number,
      children: [],
      series: [],
      states: null,
      relations: null,
    }));
    for (const node of this.nodes)
      if (node.parent >= 0) this.nodes[node.parent].children.push(node);
    for (const { children } of this.nodes) children.sort(compareNodes);
    this.root = this.nodes[0];
    this.root.label = meta.project.name;
    this.groups = meta.groups.map((group, i) => this.#group(group, i));
    for (const node of this.nodes) giveTitles(node.series);
    this.traces = meta.traces.map((trace, i) => this.#trace(trace, i));
    this.relations = meta.relations.map((file, i) => this.#relations(file, i));
    this.messages = new Messages(
      this.parts.map((part, i) => ({
        track: this.#track(part, "m", i, 0, messageDecoder),
        at: part.at,
      })),
    );
    this.waits = new Waits(
      this.parts.map((part, i) => ({
        track: this.#track(part, "c", i, 0, waitDecoder),
        at: part.at,
      })),
    );
    this.total = new Total(this.#track(this.parts[0], "o", 0, 0, totalDecoder));
    this.origin = parseSeconds(meta.start ?? "0") ?? 0n;
    this.#noteStart();
    this.report = meta.report;
    /** How often reports came: with the last one, all is read. */
    this.reportCount = 0;
    this.paths = pathsOf([meta.report], this.parts);
    this.findings = findingsOf([meta.report], this.parts);
  }

  /** A track of a project, by its number among those of all, and where they begin
   *  in that project. */
  #track(part, kind, number, first, decode) {
    return new Track(part.source, `${kind}${number}`, decode, {
      remote: `${kind}${"mco".includes(kind) ? 0 : number - first}`,
      shift: part.shift,
    });
  }

  #group(group, number) {
    const node = this.nodes[group.node];
    const { part } = node;
    const track = this.#track(
      part,
      "s",
      number,
      part.at.groups,
      seriesDecoder(group),
    );
    const result = { ...group, number, node, track };

    result.series = group.values.map(
      (_, column) => new Series(track, result, column),
    );
    node.series.push(...result.series);
    return result;
  }

  #trace(trace, number) {
    const node = this.nodes[trace.node];
    const { part } = node;
    const track = this.#track(part, "t", number, part.at.traces, stateDecoder);
    const states = new States(track);

    node.states = states;
    states.node = node;
    states.file = trace.file;
    states.number = number;
    states.waits = new RowWaits(
      this.#track(part, "w", number, part.at.traces, stateDecoder),
      states,
    );
    return { ...trace, number, node, track, states };
  }

  #relations(file, number) {
    const node = this.nodes[file.node];
    const { part } = node;
    const track = this.#track(
      part,
      "r",
      number,
      part.at.relations,
      relationDecoder,
    );
    const relations = new Relations(track, number, part.at.relations);

    node.relations = relations;
    relations.file = file.file;
    return { ...file, number, node, track, relations };
  }

  /** The request with a topmost relation, of a project, by its number. */
  requestOf(part, root, from, to) {
    return this.parts[part]
      ? new Request(this.parts[part], root, from, to)
      : null;
  }

  #noteStart() {
    this.hasRange = false;
    this.start = this.origin;
    this.end = this.origin + 1n;
  }

  /** All tracks. */
  get tracks() {
    return [
      ...this.groups.map((group) => group.track),
      ...this.traces.flatMap(({ track, states }) => [track, states.waits.track]),
      ...this.relations.map(({ track }) => track),
      ...this.messages.tracks,
      ...this.waits.tracks,
      this.total.track,
    ];
  }

  /** Load all descriptions, and find out when the project starts and ends. */
  async describe() {
    await this.describeTracks(this.tracks);
  }

  /** The same of some; those that are complete are not asked for again. */
  async describeTracks(tracks) {
    await Promise.all(tracks.map((track) => track.describe()));
    this.findRange();
  }

  /** Take the report, and with it when times count from. */
  setReport(report, start) {
    this.setReports([{ report, start }]);
  }

  /** The reports are of another edition of the projects. */
  dropReports() {
    const { start } = this.meta;

    this.report = null;
    this.paths = pathsOf([null], this.parts);
    this.findings = findingsOf([null], this.parts);
    this.meta.report = null;
    this.meta.start = start;
  }

  /** Whether another description of the projects has the same rows. */
  hasRowsOf(meta) {
    const others = partsOf(meta);

    return (
      others.length === this.parts.length &&
      this.parts.every((part, i) => part.meta.layout === others[i].meta.layout)
    );
  }

  /** Take what is new in a description with the same rows. */
  setMeta(meta) {
    const parts = partsOf(meta);
    const joined = joinMetas(meta, parts);

    this.meta.powers = joined.powers.map((power) => ({
      ...power,
      part: this.parts[parts.indexOf(power.part)],
    }));
    this.meta.communicators = joined.communicators;
  }

  /** Take the reports of all projects. */
  setReports(list) {
    const [{ start }] = list;

    this.reportCount++;
    this.report = joinReports(
      list.map(({ report }) => report),
      this.parts,
    );
    this.paths = pathsOf(
      list.map(({ report }) => report),
      this.parts,
    );
    this.findings = findingsOf(
      list.map(({ report }) => report),
      this.parts,
    );
    this.meta.report = this.report;
    this.meta.start = start;
    this.origin = parseSeconds(start ?? "0") ?? this.origin;
  }

  findRange() {
    let start = null;
    let end = null;

    for (const { range } of this.tracks) {
      if (!range) continue;
      start = start === null ? range.start : minTime(start, range.start);
      end = end === null ? range.end : maxTime(end, range.end);
    }
    if (start === null) return;
    this.hasRange = true;
    this.start = start;
    this.end = maxTime(end, start + 1n);
    if (this.meta.start === null) this.origin = start;
  }

  /** Where the data of one of several projects ends; null: there is none. */
  endOf(part) {
    let end = null;

    for (const track of this.tracks) {
      if (track.source !== part.source || !track.range) continue;
      end = end === null ? track.range.end : maxTime(end, track.range.end);
    }
    return end;
  }

  /** When the run began and ended: as the report says, of which hdtrace stat has
   *  the same; as far as it was read, if that is still to come. */
  get extent() {
    return this.extentOf(null);
  }

  /** The same of one of several projects; null: of all together. */
  extentOf(part) {
    const report =
      this.report?.reports?.[this.parts.indexOf(part)] ?? this.report;
    const start = parseSeconds(report?.start ?? "");
    const end = parseSeconds(report?.end ?? "");

    return start === null || end === null ? this : { start, end };
  }

  /** For how long traces wait in all, in s, as the report says; 0 until it is
   *  there. */
  get waiting() {
    return (this.report?.reports ?? [this.report]).reduce(
      (sum, report) => sum + Number(report?.account?.waiting_s ?? 0),
      0,
    );
  }

  /** Length of the part of ]from, to] that lies in a run, in ns. */
  lengthOf(from, to, part = null) {
    const { start, end } = this.extentOf(part);
    const length = minTime(to, end) - maxTime(from, start);

    return Math.max(0, Number(length));
  }

  /** What is wrong with the file of a group, trace or relations: {kind, text};
   *  null if nothing is known of it. */
  damageOf(item) {
    return damageOf(this.report, item);
  }

  /** Types of the levels of the project of a node. */
  levelsOf(node) {
    return (node.part?.meta.project ?? this.meta.project).levels;
  }

  /** Type of the level that a node is at, or "". */
  levelOf(node) {
    const levels = this.levelsOf(node);

    return node.level > 0 ? (levels[node.level - 1] ?? "") : "";
  }

  /** Labels of nodes from the top to this one. */
  pathOf(node) {
    const labels = [];

    for (let at = node; at && at !== this.root; at = this.nodes[at.parent])
      labels.unshift(at.label);
    return labels;
  }

  /** The project that a node is of. */
  projectOf(node) {
    return node.part?.name ?? this.meta.project.name;
  }

  /** Traces of a node and below it. */
  tracesBelow(node) {
    const own = node.states ? [this.traces[node.states.number]] : [];

    return own.concat(...node.children.map((child) => this.tracesBelow(child)));
  }

  /** Name of a node for people. */
  nameOf(node) {
    if (this.isJoined && node.level === 0) return this.projectOf(node);
    return node.path || this.meta.project.name;
  }

  /** A track's series or states by its key. */
  find(key) {
    const match = /^([rst])(\d+)(?:\.(\d+))?$/.exec(key);

    if (!match) return null;
    if (match[1] === "r")
      return this.relations[Number(match[2])]?.relations ?? null;
    return match[1] === "t"
      ? (this.traces[Number(match[2])]?.states ?? null)
      : (this.groups[Number(match[2])]?.series[Number(match[3])] ?? null);
  }

  /** Whether something is in lower resolution than it was recorded. */
  get reduced() {
    return {
      groups: this.groups.filter(
        (group) => group.track.finest && group.track.finest.number > 0,
      ),
      traces: this.traces.filter(
        (trace) => trace.states.levels.length && !trace.states.isExact,
      ),
      details: this.traces.filter(
        (trace) => trace.states.isExact && !trace.states.hasDetails,
      ),
      relations: this.relations.filter(
        ({ track }) => track.finest && track.finest.number > 0,
      ),
      messages:
        this.messages.tracks.some(({ finest }) => finest && finest.number > 0),
    };
  }
}
