// SPDX-License-Identifier: LGPL-2.1-or-later
// Findings: where time and energy were lost, what to do, and which rows it is about.
import { announce, h, replace, shown, table } from "../ui/dom.js";
import { percent, quantity } from "../data/numbers.js";
import { formatLength, parseSeconds } from "../data/time.js";
import { ofFinding } from "../ui/selection.js";

/** Seconds of JSON in ns. */
const ns = (seconds) => Number(parseSeconds(seconds));

export class FindingsPanel {
  title = "Findings";
  id = "findings";

  constructor(app) {
    this.app = app;
    this.element = h("div", {});
  }

  get count() {
    return this.app.model.findings.length;
  }

  /** Mark the interval, show it, and mark the rows that wait or cause. */
  #choose(finding) {
    const { view, model } = this.app;
    const isChosen = view.finding !== finding;

    view.setFinding(isChosen ? finding : null);
    view.setSelection(isChosen ? ofFinding(model, finding) : null);
    if (!isChosen) return;
    view.setMark(finding.start, finding.end);
    view.showInterval(finding.start, finding.end);
    announce(`${finding.told.kind}: ${finding.told.advice}`);
  }

  #kind(finding) {
    const { view, model } = this.app;
    const of = finding.told.part_of ? ` (part of ${finding.told.part_of})` : "";

    return h(
      "button",
      {
        type: "button",
        class: "link",
        title: "Show the interval and the rows",
        "aria-pressed": String(view.finding === finding),
        "data-finding": model.findings.indexOf(finding),
        onclick: () => this.#choose(finding),
      },
      `${finding.told.kind}${of}`,
    );
  }

  /** The joules of a finding, and the avoidable ones if they are known. */
  #energy({ told }) {
    if (told.energy_j === null) return shown(NaN, "J", "unknown");
    const joules = (value) =>
      shown(Number(value), "J", quantity(Number(value), "J"));

    return told.avoidable_j === null
      ? joules(told.energy_j)
      : [joules(told.energy_j), ", ", joules(told.avoidable_j), " avoidable"];
  }

  #ranks(list) {
    return list.length > 8
      ? `${list.slice(0, 8).join(", ")} and ${list.length - 8} more`
      : list.join(", ");
  }

  /** What causing ranks did for too long, the longest first. */
  #causes({ told }) {
    const causes = told.causes ?? [];
    const lines = causes
      .slice(0, 3)
      .map(
        ({ rank, region, time_s }) =>
          `rank ${rank} ${region === null ? "outside of states" : `in ${region}`}: ` +
          quantity(Number(time_s), "s"),
      );

    if (causes.length > 3) lines.push(`${causes.length - 3} more`);
    return h("span", { class: "wrap" }, lines.join("; "));
  }

  update() {
    const { model } = this.app;
    const { findings, report } = model;
    const total = (told) => {
      const reports = report.reports ?? [report];

      return ns(reports[0].account.total_s) || ns(told.time_s) || 1;
    };

    if (!findings.length) {
      replace(
        this.element,
        h("p", { class: "empty" }, report ? "No findings." : "Reading…"),
      );
      return;
    }
    replace(
      this.element,
      h(
        "p",
        { class: "note" },
        "A click selects the finding and marks its interval, the ranks that wait ",
        h("span", { class: "chip", "data-wait": "waiting" }),
        " and the ranks that they wait for ",
        h("span", { class: "chip", "data-wait": "causing" }),
        ".",
      ),
      table(
        "Findings",
        [
          ...(model.isJoined
            ? [{ title: "Project", value: ({ name }) => name }]
            : []),
          { title: "Finding", value: (finding) => this.#kind(finding) },
          {
            title: "Time",
            class: "number",
            value: ({ told }) =>
              shown(Number(told.time_s), "s", formatLength(ns(told.time_s)), {
                "data-seconds": told.time_s,
              }),
          },
          ...(model.isJoined
            ? []
            : [
                {
                  title: "Share",
                  class: "number",
                  value: ({ told }) =>
                    shown(
                      ns(told.time_s) / total(told),
                      "",
                      percent(ns(told.time_s) / total(told)),
                    ),
                },
              ]),
          {
            title: "Saves up to",
            class: "number",
            value: ({ told }) =>
              shown(Number(told.saved_s), "s", formatLength(ns(told.saved_s))),
          },
          { title: "Energy", class: "number", value: (finding) => this.#energy(finding) },
          { title: "Waiting", value: ({ told }) => this.#ranks(told.waiting) },
          { title: "Causing", value: ({ told }) => this.#ranks(told.causing) },
          { title: "Causes", value: (finding) => this.#causes(finding) },
          {
            title: "Advice",
            value: ({ told }) => h("span", { class: "wrap" }, told.advice),
          },
        ],
        findings,
      ),
    );
  }
}
