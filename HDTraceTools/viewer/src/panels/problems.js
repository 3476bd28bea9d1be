// SPDX-License-Identifier: LGPL-2.1-or-later
// Problems of the data and the cost of tracing: gaps, late samples, messages of
// the reader, clocks.
import { h, replace, shown, shownTime, table } from "../ui/dom.js";
import { fileSize, percent } from "../data/numbers.js";
import { formatLength, formatSecondsShort, parseSeconds } from "../data/time.js";

const LIST_MAX = 500;

/** Seconds of JSON as a length, or the time between two of them. */
function lengthCell(to, from = "0") {
  const ns = Number((parseSeconds(to) ?? 0n) - (parseSeconds(from) ?? 0n));

  return shown(ns / 1e9, "s", formatLength(ns));
}

export class ProblemsPanel {
  title = "Problems";
  id = "problems";

  constructor(app) {
    this.app = app;
    this.element = h("div", { class: "split" });
  }

  get count() {
    const { report } = this.app.model;

    if (!report) return 0;
    return (
      report.message_count +
      report.groups.reduce(
        (sum, group) => sum + group.gaps.count + group.late.count,
        0,
      )
    );
  }

  #link(span) {
    const { view, model } = this.app;
    const from = parseSeconds(span.start);
    const to = parseSeconds(span.end);

    return h(
      "button",
      {
        type: "button",
        class: "link",
        onclick: () => {
          view.setMark(from, to);
          view.showInterval(from - (to - from), to + (to - from));
        },
      },
      `${formatSecondsShort(from - model.origin)} s`,
    );
  }

  update() {
    const { report } = this.app.model;

    if (!report) {
      replace(this.element, h("p", { class: "empty" }, "Reading…"));
      return;
    }
    replace(
      this.element,
      h(
        "section",
        { "aria-label": "Gaps and late samples" },
        this.#spans("gaps", "Gaps: times in which a group was stopped", report),
        this.#spans("late", "Late or missing samples", report),
      ),
      h(
        "section",
        { "aria-label": "Diagnostics and cost" },
        this.#messages(report),
        this.#cost(report),
        this.#reduced(),
      ),
    );
  }

  #spans(kind, title, report) {
    const rows = report.groups.flatMap((group) =>
      group[kind].list.map((span) => ({ group, span })),
    );
    const count = report.groups.reduce((sum, g) => sum + g[kind].count, 0);

    if (!count) return h("p", {}, h("strong", {}, title), ": none.");
    return [
      h("h3", {}, `${title} (${count})`),
      table(
        title,
        [
          { title: "Group", value: ({ group }) => group.group },
          { title: "Node", value: ({ group }) => group.node },
          {
            title: "From",
            class: "number",
            csv: ({ span }) => shownTime(parseSeconds(span.start), this.app.model),
            value: ({ span }) => this.#link(span),
          },
          {
            title: "Length",
            class: "number",
            value: ({ span }) => lengthCell(span.end, span.start),
          },
        ],
        rows,
        {},
        LIST_MAX,
      ),
      rows.length > LIST_MAX || count > rows.length
        ? h("p", { class: "note" }, `The first ${Math.min(rows.length, LIST_MAX)}.`)
        : null,
    ];
  }

  #messages(report) {
    if (!report.message_count)
      return h("p", {}, h("strong", {}, "Problems in the files"), ": none.");
    return [
      h("h3", {}, `Problems in the files (${report.message_count})`),
      table(
        "Problems in the files",
        [
          { title: "Severity", value: (row) => row.severity },
          { title: "File", value: (row) => h("span", { class: "wrap" }, row.file) },
          { title: "Problem", value: (row) => h("span", { class: "wrap" }, row.text) },
          { title: "Rule", value: (row) => h("code", {}, row.rule) },
        ],
        report.messages,
        {},
        LIST_MAX,
      ),
    ];
  }

  #cost({ tracing, runtime, clocks }) {
    // Of several projects there is no sum that means anything.
    if (!tracing) return null;
    const cpu = tracing.cpu_seconds;
    const length = runtime ? Number(parseSeconds(runtime)) : 0;

    return [
      h("h3", {}, "Cost of tracing"),
      h(
        "p",
        {},
        `Files: ${fileSize(tracing.bytes)}. `,
        cpu === null
          ? "CPU time not recorded; rut --sources tracer records it."
          : `CPU time: ${formatLength(Number(parseSeconds(cpu)))}, ` +
              `${percent(Number(parseSeconds(cpu)) / length)} of one CPU; ${tracing.late} late samples.`,
      ),
      clocks.length
        ? table(
            "Compared clocks",
            [
              { title: "Clock of", value: (row) => row.node },
              { title: "Compared by", value: (row) => row.method },
              {
                title: "Maximum error",
                class: "number",
                value: (row) => lengthCell(row.error),
              },
            ],
            clocks,
          )
        : null,
    ];
  }

  #reduced() {
    const { model } = this.app;
    const { groups, traces, details, relations } = model.reduced;

    if (![groups, traces, details, relations].some((list) => list.length))
      return null;
    const rows = [
      ...groups.map((group) => ({
        name: `${group.name} of ${model.nameOf(group.node)}`,
        text: `entries as sums of about ${formatLength(meanLength(group.track))}`,
      })),
      ...traces.map((trace) => ({
        name: model.nameOf(trace.node),
        text: `states below ${formatLength(trace.states.levels[0].width)} as sums of that length`,
      })),
      ...details.map((trace) => ({
        name: model.nameOf(trace.node),
        text: "without the attributes of states",
      })),
      ...relations.map(({ node, track }) => ({
        name: `Relations of ${model.nameOf(node)}`,
        text: `the longest ${track.finest.items}; the others are counted by their start`,
      })),
    ];

    return [
      h("h3", {}, `In lower resolution (${rows.length})`),
      h(
        "p",
        {},
        `To keep the page below ${fileSize(model.meta.maxSize)}. If an interval cuts reduced data, its numbers have an error bound (±); all other numbers are exact. hdtrace view, or a larger --max-size, shows all data.`,
      ),
      table(
        "Reduced rows",
        [
          { title: "Row", value: (row) => row.name },
          { title: "Reduction", value: (row) => row.text },
        ],
        rows,
        {},
        LIST_MAX,
      ),
    ];
  }
}

/** Mean length of the items of the finest level. */
function meanLength(track) {
  const { finest, range } = track;

  return Number(range.end - range.start) / Math.max(1, finest.items);
}
