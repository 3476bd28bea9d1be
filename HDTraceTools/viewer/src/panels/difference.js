// SPDX-License-Identifier: LGPL-2.1-or-later
// By how much two runs differ in the interval: time and energy of the whole, of each
// function, rank and node.
import { h, replace, shown, table } from "../ui/dom.js";
import { differencesOf } from "../data/energy/difference.js";
import { percent, quantity } from "../data/numbers.js";
import { formatLength } from "../data/time.js";
import { chipOf, limitsOf } from "./profile.js";

/** So many rows of a table are listed, the largest differences first. */
const LIST_MAX = 100;

/** A text with its sign. */
const signed = (value, text) => (value > 0 ? `+${text}` : text);

function timeCell(seconds) {
  return seconds === null || seconds === undefined
    ? "–"
    : shown(seconds, "s", formatLength(seconds * 1e9));
}

function energyCell(run) {
  return run?.known
    ? shown(run.known.isAny ? run.joules : NaN, "J", run.known.total(run.joules), {
        title: run.known.note,
      })
    : shown(NaN, "J", "unknown");
}

function changeCell(change, before, unit, text, properties) {
  const share = before > 0 ? ` (${signed(change, percent(change / before))})` : "";

  return shown(
    change,
    unit,
    Number.isNaN(change) ? "unknown" : `${signed(change, text)}${share}`,
    properties,
  );
}

export class DifferencePanel {
  title = "Difference";
  id = "difference";

  constructor(app) {
    this.app = app;
    this.element = h("div", {});
    this.turn = 0;
  }

  async update() {
    const turn = ++this.turn;
    const { model, view } = this.app;
    const { from, to } = view.interval;
    const isWanted = () => turn === this.turn;

    this.element.setAttribute("aria-busy", "true");
    const found = await differencesOf(model, { from, to, isWanted });

    if (!found) return;
    this.#show(found);
    this.element.removeAttribute("aria-busy");
  }

  #show({ names, whole, functions, ranks, nodes, isExact, isRead }) {
    const energy = whole.energy(names);
    const limits = limitsOf({ isRead, isExact });

    replace(
      this.element,
      h("p", { class: "headline" }, `${names[1]} minus ${names[0]}`),
      limits && h("p", { class: "note" }, limits),
      h(
        "dl",
        {},
        h("dt", {}, "Time"),
        h("dd", {}, timeCell(whole.runs[0].time), " and ", timeCell(whole.runs[1].time), ": ", this.#time(whole, { "data-key": "time" })),
        h("dt", {}, "Energy"),
        h("dd", {}, energyCell(whole.runs[0]), " and ", energyCell(whole.runs[1]), ": ", this.#energy(whole, names, { "data-key": "energy" })),
      ),
      energy.note
        ? h(
            "p",
            { class: "note" },
            `The energies have no difference: ${energy.note}.`,
          )
        : null,
      this.#table("By function", "Function", functions, names, true),
      this.#table("By rank", "Rank", ranks, names),
      this.#table("By node", "Node", nodes, names),
    );
  }

  #time(row, properties = {}) {
    return changeCell(
      row.time,
      row.runs[0]?.time,
      "s",
      formatLength(row.time * 1e9),
      properties,
    );
  }

  #energy(row, names, properties = {}) {
    const { joules, note } = row.energy(names);

    return changeCell(joules, row.runs[0]?.joules, "J", quantity(joules, "J"), {
      title: note,
      ...properties,
    });
  }

  #table(caption, title, rows, names, hasChips = false) {
    if (!rows.length) return null;
    const sizeOf = (row) =>
      Math.abs(
        Number.isNaN(row.time) ? (row.energy(names).joules || 0) : row.time,
      );
    const list = [...rows]
      .sort((a, b) => sizeOf(b) - sizeOf(a));
    const hasTime = rows.some(({ runs }) => runs.some((run) => run?.time));
    const hasEnergy = rows.some(({ runs }) => runs.some((run) => run?.known));
    const number = (heading, value) => ({
      title: heading,
      class: "number",
      value,
    });

    for (const row of list) row.properties = { "data-key": row.key };
    return [
      h("h3", {}, caption),
      table(
        `${caption}: the second run minus the first`,
        [
          {
            title,
            value: ({ name }) => [
              hasChips ? chipOf(name) : null,
              h("span", { class: "clip", title: name }, name),
            ],
          },
          ...(hasTime
            ? [
                ...names.map((name, i) =>
                  number(`Time of ${name.slice(0, 30)}`, ({ runs }) =>
                    timeCell(runs[i]?.time),
                  ),
                ),
                number("Difference", (row) => this.#time(row)),
              ]
            : []),
          ...(hasEnergy
            ? [
                ...names.map((name, i) =>
                  number(`Energy of ${name.slice(0, 30)}`, ({ runs }) =>
                    energyCell(runs[i]),
                  ),
                ),
                number("Difference", (row) => this.#energy(row, names)),
              ]
            : []),
        ],
        list,
        {},
        LIST_MAX,
      ),
      list.length > LIST_MAX
        ? h("p", { class: "note" }, `${list.length - LIST_MAX} more.`)
        : null,
    ];
  }
}
