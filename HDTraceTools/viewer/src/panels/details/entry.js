// SPDX-License-Identifier: LGPL-2.1-or-later
// Details of an entry of a value: how it is among all, its energy, and what the ranks of
// its node did meanwhile.
import { powerAround, stateProfile } from "../../data/energy/energy.js";
import { entryAt, entryOf, rankAmong } from "../../data/series/entries.js";
import { exact, levelText, percent, rangeText } from "../../data/numbers.js";
import { formatLength } from "../../data/time.js";
import { h, shown, shownTime } from "../../ui/dom.js";
import { ofEntry } from "../../ui/selection.js";
import { joulesRow, lengthOf } from "./parts.js";

/** So many states are listed. */
const STATES_MAX = 6;

export class EntryDetails {
  missing = "The selected entry is not loaded.";
  title = "";
  buttons = [];

  constructor(app, selection) {
    this.app = app;
    this.selection = selection;
    this.series = app.model.groups[selection.group]?.series[selection.column];
  }

  async find() {
    const { series, selection } = this;

    await series?.track.refresh();
    this.entry = series ? await entryAt(series, selection.end) : null;
    return (
      this.entry?.start === selection.start && this.entry?.end === selection.end
    );
  }

  get name() {
    return `${this.series.title} of ${this.app.model.nameOf(this.series.group.node)}`;
  }

  get interval() {
    return this.entry;
  }

  async rows(isWanted) {
    const { series, entry } = this;
    const { model } = this.app;
    const ns = Number(entry.end - entry.start);
    const level = entry.value ?? entry.mean;
    const among = Number.isNaN(level) ? null : await rankAmong(series, Number(level), isWanted);

    if (!isWanted()) return null;
    return [
      ["Group", series.group.name],
      ["Start", shownTime(entry.start, model)],
      ["End", shownTime(entry.end, model)],
      ["Length", lengthOf(ns, "length")],
      ...this.#values(level),
      ...(among
        ? [
            [
              "Among all entries",
              [
                "higher than ",
                shown(among.rank, "", percent(among.rank), { "data-key": "quantile" }),
                " of ",
                shown(among.count, "", String(among.count), { "data-key": "count" }),
                series.isExact && series.track.isComplete
                  ? ""
                  : "; the page is reduced or still read: some are missing",
              ],
            ],
          ]
        : []),
      ...(await this.#energy(ns)),
      ...(await this.#states(isWanted)),
    ];
  }

  #values(level) {
    const { series, entry } = this;
    const { value } = series;
    const number = (key, text, unit, of) =>
      shown(of, unit, text, { "data-key": key, title: exact(of) });

    return [
      [
        series.isAmount ? "Rate" : "Value",
        number(
          "value",
          entry.entries
            ? rangeText(entry, series.level)
            : Number.isNaN(level)
              ? "no value"
              : levelText(level, series.level),
          series.level.unit,
          level,
        ),
      ],
      ...(entry.entries ? [["Entries", exact(entry.entries)]] : []),
      ...(entry.amount === undefined
        ? []
        : [
            [
              value.kind === "counter" ? "Growth" : "Amount",
              number("amount", levelText(entry.amount, value), value.unit, entry.amount),
            ],
          ]),
      ...["source", "resolution", "class"].flatMap((key) =>
        value[key] ? [[key, value[key]]] : [],
      ),
      ...(value.simulated ? [["Note", "simulated or estimated"]] : []),
    ];
  }

  /** The energy of a power; of all else that of the node meanwhile. */
  async #energy(ns) {
    const { series, entry } = this;
    const { value, group } = series;
    const { model } = this.app;

    if (value.isPower) {
      const level = Number(entry.value ?? entry.mean);
      const known = Number.isFinite(level) ? ns : 0;

      return [
        joulesRow("Energy", { joules: (level * value.scale * ns) / 1e9, known }, ns),
      ];
    }
    const power = powerAround(model, group.node);

    if (!power || ns <= 0) return [];
    await power.refresh();
    return [
      joulesRow(
        "Energy of the node meanwhile",
        await power.amount(entry.start, entry.end),
        ns,
      ),
    ];
  }

  /** The states that took most time meanwhile, of the traces of the node. */
  async #states(isWanted) {
    const { model } = this.app;
    const { start, end } = this.entry;
    const traces = model.tracesBelow(this.series.group.node);

    if (!traces.length) return [];
    const profile = await stateProfile(
      model,
      start,
      end,
      new Set(traces.map(({ number }) => number)),
      isWanted,
    );
    const list = [...(profile?.names.values() ?? [])]
      .filter(({ own }) => own > 0)
      .sort((a, b) => b.own - a.own);

    if (!list.length) return [];
    return [
      [
        "States of its ranks meanwhile",
        h(
          "ul",
          { class: "plain" },
          list
            .slice(0, STATES_MAX)
            .map(({ name, own }) =>
              h(
                "li",
                {},
                `${name.slice(0, 100)} `,
                shown(own / 1e9, "s", formatLength(own), { "data-state": name }),
              ),
            ),
        ),
      ],
    ];
  }

  /** The next entry, or the one before. */
  async step(direction) {
    const { chunk, index } = this.entry;
    const found = await entryOf(this.series, chunk, index + direction);

    return found && ofEntry(this.series, found);
  }
}
