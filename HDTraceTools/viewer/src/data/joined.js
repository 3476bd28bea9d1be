// SPDX-License-Identifier: LGPL-2.1-or-later
// Several projects as one: what the page says of them, and their reports. Each has
// a node at the top, below it its own; names that it had are behind that of the
// project, and times are those of the common clock.
import { formatSeconds, parseSeconds } from "./time.js";

/** Names of projects, each another one. */
function uniqueNames(metas) {
  const seen = new Map();

  return metas.map(({ project }) => {
    const count = (seen.get(project.name) ?? 0) + 1;

    seen.set(project.name, count);
    return count > 1 ? `${project.name} (${count})` : project.name;
  });
}

/** Where the nodes, groups and traces of a project begin among all. */
function offsets(metas) {
  let [nodes, groups, traces, communicators, relations] = [1, 0, 0, 0, 0];

  return metas.map((meta) => {
    const at = { nodes, groups, traces, communicators, relations };

    nodes += meta.nodes.length;
    groups += meta.groups.length;
    traces += meta.traces.length;
    communicators += meta.communicators.length;
    relations += meta.relations.length;
    return at;
  });
}

/** The parts of what a page says: of one project, or of several. */
export function partsOf(meta) {
  if (!meta.projects)
    return [
      {
        meta,
        name: meta.project.name,
        prefix: "",
        shift: 0n,
        at: { nodes: 0, groups: 0, traces: 0, communicators: 0, relations: 0 },
      },
    ];
  const names = uniqueNames(meta.projects);
  const at = offsets(meta.projects);

  return meta.projects.map((one, i) => ({
    meta: one,
    name: names[i],
    prefix: `${names[i]}:`,
    shift: parseSeconds(one.shift) ?? 0n,
    at: at[i],
  }));
}

/** All parts as one project. */
export function joinMetas(meta, parts) {
  if (!meta.projects) return meta;
  const root = { label: "", path: "", parent: -1, level: 0, part: null };

  return {
    ...meta,
    project: {
      name: parts.map(({ name }) => name).join(", "),
      description: "",
      file: parts.map((part) => part.meta.project.file).join(", "),
      levels: [],
    },
    start: parts[0].meta.start,
    maxSize: null,
    window: parts[0].meta.window,
    nodes: [
      root,
      ...parts.flatMap((part) =>
        part.meta.nodes.map((node, i) => ({
          ...node,
          label: i === 0 ? part.name : node.label,
          path: part.prefix + node.path,
          parent: i === 0 ? 0 : node.parent + part.at.nodes,
          part,
        })),
      ),
    ],
    groups: parts.flatMap((part) =>
      part.meta.groups.map((group) => ({
        ...group,
        node: group.node + part.at.nodes,
        part,
      })),
    ),
    traces: parts.flatMap((part) =>
      part.meta.traces.map((trace) => ({
        ...trace,
        node: trace.node + part.at.nodes,
        part,
      })),
    ),
    relations: parts.flatMap((part) =>
      part.meta.relations.map((file) => ({
        ...file,
        node: file.node + part.at.nodes,
        part,
      })),
    ),
    communicators: parts.flatMap((part) => part.meta.communicators),
    powers: parts.flatMap((part) =>
      part.meta.powers.map((power) => ({
        ...power,
        group: power.group + part.at.groups,
        others: power.others.map(({ group, values }) => ({
          group: group + part.at.groups,
          values,
        })),
        traces: power.traces.map(([trace, share]) => [
          trace + part.at.traces,
          share,
        ]),
        part,
      })),
    ),
  };
}

/** A time of a project as text, by the common clock. */
function shifted(text, { shift }) {
  const time = parseSeconds(text ?? "");

  return time === null ? text : formatSeconds(time + shift);
}

function shiftSpans(spans, part) {
  return {
    ...spans,
    list: spans.list.map(({ start, end }) => ({
      start: shifted(start, part),
      end: shifted(end, part),
    })),
  };
}

/** A report, with names and times as they are among several. */
function placeReport(report, part) {
  const named = (list) =>
    list.map((item) => ({ ...item, node: part.prefix + item.node }));

  return {
    ...report,
    name: part.name,
    start: shifted(report.start, part),
    end: shifted(report.end, part),
    phases: report.phases.map((phase) => ({
      ...phase,
      name: `${part.prefix} ${phase.name}`,
      start: shifted(phase.start, part),
      end: shifted(phase.end, part),
      nodes: named(phase.nodes),
    })),
    groups: named(report.groups).map((group) => ({
      ...group,
      gaps: shiftSpans(group.gaps, part),
      late: shiftSpans(group.late, part),
    })),
  };
}

/** Reports of all parts as one; only what can be said of several is in it, and
 *  each has its own in the list "reports". */
export function joinReports(reports, parts) {
  if (parts.length === 1) return reports[0];
  const list = reports.map((report, i) => placeReport(report, parts[i]));
  const all = (key) => list.flatMap((report) => report[key]);
  const names = new Map();
  const times = (key) =>
    list.map((report) => report[key]).filter((text) => text !== null);
  const by = (a, b) => (parseSeconds(a) < parseSeconds(b) ? -1 : 1);

  for (const state of all("states"))
    if (!names.has(state.name)) names.set(state.name, state);
  return {
    reports: list,
    start: times("start").sort(by)[0] ?? null,
    end: times("end").sort(by).at(-1) ?? null,
    phases: all("phases"),
    groups: all("groups"),
    states: [...names.values()],
    messages: all("messages"),
    message_count: list.reduce((sum, report) => sum + report.message_count, 0),
  };
}
