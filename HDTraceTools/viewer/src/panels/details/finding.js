// SPDX-License-Identifier: LGPL-2.1-or-later
// Details of a finding, as the report tells it.
import { Known } from "../../data/energy/known.js";
import { percent, quantity } from "../../data/numbers.js";
import { formatLength } from "../../data/time.js";
import { shown, shownTime } from "../../ui/dom.js";
import { ofFinding } from "../../ui/selection.js";
import { beside } from "./parts.js";

/** Seconds of JSON. */
function secondsOf(text, key) {
  return shown(Number(text), "s", formatLength(Number(text) * 1e9), { "data-key": key });
}

export class FindingDetails {
  missing = "The selected finding is not in this report.";
  title = "";

  constructor(app, selection) {
    this.app = app;
    this.selection = selection;
  }

  async find() {
    const { model } = this.app;
    const { number, start, end } = this.selection;

    this.finding = model.findings[number];
    if (!model.report) this.missing = "Reading…";
    // A report that was made anew may have another finding with the number.
    return this.finding?.start === start && this.finding?.end === end;
  }

  get name() {
    return this.finding.told.kind;
  }

  get interval() {
    return this.finding;
  }

  get buttons() {
    const { view } = this.app;
    const { number } = this.selection;
    const isSorted = view.sortedBy === number;

    return [
      ["Mark its rows", () => view.setFinding(this.finding)],
      [
        isSorted ? "Restore the order of rows" : "Sort rows by it",
        () => view.setSortedBy(isSorted ? null : number),
      ],
    ];
  }

  async rows() {
    const { finding } = this;
    const { told } = finding;
    const { model } = this.app;
    const times = model.findings.map((one) => Number(one.told.time_s));
    const rank = 1 + times.filter((time) => time > Number(told.time_s)).length;
    const list = (name, values) => (values?.length ? [[name, values.join(", ")]] : []);
    const text = (name, value) =>
      value === null || value === undefined || value === "" ? [] : [[name, value]];

    return [
      ...text("Project", finding.name),
      ...text("Part of", told.part_of),
      ["From", shownTime(finding.start, model)],
      ["To", shownTime(finding.end, model)],
      ["Time", secondsOf(told.time_s, "time")],
      [
        "Count",
        shown(told.count, "", String(told.count), { "data-key": "count" }),
      ],
      [
        "Among all findings",
        [
          "number ",
          shown(rank, "", String(rank), { "data-key": "rank" }),
          ` of ${times.length} by time`,
        ],
      ],
      ["Saves up to", secondsOf(told.saved_s, "saved")],
      ...this.#energies(),
      ...list("Ranks that wait", told.waiting),
      ...list("They wait for ranks", told.causing),
      ...text("Causes", this.#causes()),
      ...list("Nodes", told.nodes),
      ...list("Threads", told.threads),
      ...text("Region", told.region),
      ...text("Call site", told.call_site),
      ...list("Iterations", told.iterations),
      ...this.#confidence(),
      ["Advice", told.advice],
      ...text("Command", told.command),
    ];
  }

  #energies() {
    const { told } = this.finding;
    const known = new Known(Number(told.known_s), Number(told.duration_s));
    const joules = (key, value, text) =>
      shown(value === null ? NaN : Number(value), "J", text, { "data-key": key });

    return [
      [
        "Energy",
        [
          joules("energy", told.energy_j, known.total(Number(told.energy_j))),
          known.note ? `; ${known.note}` : "",
        ],
      ],
      ...(told.avoidable_j === null
        ? []
        : [
            [
              "Avoidable energy",
              joules("avoidable", told.avoidable_j, quantity(Number(told.avoidable_j), "J")),
            ],
          ]),
    ];
  }

  /** What causing ranks did for too long. */
  #causes() {
    return (this.finding.told.causes ?? [])
      .slice(0, 12)
      .map(
        ({ rank, region, time_s }) =>
          `rank ${rank} ${region === null ? "outside of states" : `in ${region}`}: ` +
          formatLength(Number(time_s) * 1e9),
      )
      .join("; ");
  }

  #confidence() {
    const { confidence, known_s, duration_s } = this.finding.told;
    const residual = confidence?.clock_residual_s ?? null;

    return [
      ...(confidence?.unpaired
        ? [["Unmatched ends of MPI messages and calls", String(confidence.unpaired)]]
        : []),
      [
        "Clocks can be apart by",
        residual === null ? "not compared" : formatLength(Number(residual) * 1e9),
      ],
      ...(Number(duration_s) > 0
        ? [["Power is known for", percent(Number(known_s) / Number(duration_s))]]
        : []),
    ];
  }

  /** The next finding of the kind in the list, or the one before. */
  async step(direction) {
    const { model } = this.app;
    const same = model.findings.filter(({ told }) => told.kind === this.name);
    const found = beside(same, (one) => one === this.finding, direction);

    return found && ofFinding(model, found);
  }
}
