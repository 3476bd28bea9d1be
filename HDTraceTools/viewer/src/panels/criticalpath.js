// SPDX-License-Identifier: LGPL-2.1-or-later
// The critical path: its ranks and states, its energy, and its parts.
import { h, replace, shown, shownTime, table } from "../ui/dom.js";
import { Known } from "../data/energy/known.js";
import { percent } from "../data/numbers.js";
import { formatLength, formatSecondsShort } from "../data/time.js";
import { chipOf } from "./profile.js";

/** So many parts are listed, the longest ones. */
const LIST_MAX = 100;

/** Seconds of JSON in ns. */
const ns = (seconds) => Number(seconds) * 1e9;

/** An energy of so many s, of which so many are known. */
function joules(energy, known, seconds) {
  const coverage = new Known(Number(known), Number(seconds));

  if (energy === null) return shown(NaN, "J", "unknown");
  // Nobody waited: that is known.
  if (Number(seconds) === 0) return shown(0, "J", "0 J");
  return shown(Number(energy), "J", coverage.total(Number(energy)), {
    "data-joules": String(energy),
    title: coverage.note,
  });
}

/** Seconds of JSON as a length. */
function length(seconds, properties) {
  return shown(Number(seconds), "s", formatLength(ns(seconds)), properties);
}

function times(key, title, nameOf, list, all) {
  return {
    caption: title,
    columns: [
      { title: key, value: nameOf },
      {
        title: "Time",
        class: "number",
        value: ({ time_s }) => length(time_s, { "data-seconds": time_s }),
      },
      {
        title: "Share",
        class: "number",
        value: ({ time_s }) =>
          shown(Number(time_s) / all, "", percent(Number(time_s) / all)),
      },
    ],
    list,
  };
}

export class CriticalPathPanel {
  title = "Critical path";
  id = "path";

  constructor(app) {
    this.app = app;
    this.element = h("div", { class: "split" });
  }

  update() {
    const { model, view } = this.app;
    const { paths } = model;

    if (!paths.length) {
      replace(
        this.element,
        h(
          "p",
          { class: "empty" },
          model.report ? "No traces, and therefore no critical path." : "Reading…",
        ),
      );
      return;
    }
    this.shown = h("input", {
      type: "checkbox",
      onchange: () => this.app.togglePath(),
    });
    this.shown.checked = view.hasPath;
    replace(
      this.element,
      paths.map((path) => [
        h(
          "section",
          { "aria-label": `Critical path ${path.name}`.trim(), "data-path": path.name },
          h(
            "div",
            { class: "controls" },
            h("h3", {}, `Critical path ${path.name ? `of ${path.name}` : ""}`.trim()),
            path === paths[0]
              ? h("label", {}, this.shown, " shown in the rows (c)")
              : null,
          ),
          this.#summary(path),
          this.#list(this.#ranks(path)),
          this.#list(this.#states(path)),
        ),
        h(
          "section",
          { "aria-label": `Parts of the critical path ${path.name}`.trim() },
          this.#parts(path),
        ),
      ]),
    );
  }

  #summary({ told }) {
    return h(
      "dl",
      {},
      ...[
        ["Length", length(told.length_s, { "data-length": told.length_s })],
        ["Computation", length(told.computation_s)],
        [
          "In MPI",
          [
            length(told.mpi_s),
            " (",
            length(told.transfer_s),
            " of this in transfers)",
          ],
        ],
        ["Energy on the path", joules(told.energy_j, told.known_s, told.length_s)],
        ["Waiting off the path", [length(told.beside_s), ", all ranks"]],
        [
          "Energy of waiting",
          joules(told.beside_energy_j, told.beside_known_s, told.beside_s),
        ],
      ].flatMap(([name, content]) => [h("dt", {}, name), h("dd", {}, content)]),
    );
  }

  #ranks({ told }) {
    const result = times(
      "Rank",
      "Ranks on the critical path",
      ({ rank }) => (rank === null ? "none" : String(rank)),
      told.by_rank,
      Number(told.length_s),
    );

    result.columns.push({
      title: "In MPI",
      class: "number",
      value: ({ mpi_s }) => length(mpi_s),
    });
    return result;
  }

  #states({ told }) {
    return times(
      "State",
      "States on the critical path",
      ({ name }) => [chipOf(name), h("span", { class: "clip", title: name }, name)],
      told.by_state,
      Number(told.length_s),
    );
  }

  #list({ caption, columns, list }) {
    return [
      table(caption, columns, list, {}, LIST_MAX),
      list.length > LIST_MAX
        ? h("p", { class: "note" }, `${list.length - LIST_MAX} more.`)
        : null,
    ];
  }

  /** The longest parts, by time; each can be marked. */
  #parts({ parts, told }) {
    const { model, view } = this.app;
    const nsOf = ({ start, end }) => Number(end - start);
    const longest = [...parts].sort((a, b) => nsOf(b) - nsOf(a));
    const list = longest
      .slice(0, LIST_MAX)
      .sort((a, b) => (a.start < b.start ? -1 : 1));
    const all = parts.length + Number(told.parts_left_out);

    return [
      h("h3", {}, "Parts"),
      table(
        "Parts of the critical path",
        [
          { title: "Trace", value: ({ trace }) => model.nameOf(model.traces[trace].node) },
          {
            title: "From",
            class: "number",
            csv: ({ start }) => shownTime(start, model),
            value: ({ start, end }) =>
              h(
                "button",
                {
                  type: "button",
                  class: "link",
                  title: "Mark it",
                  onclick: () => view.setMark(start, end),
                },
                `${formatSecondsShort(start - model.origin)} s`,
              ),
          },
          {
            title: "Length",
            class: "number",
            value: (part) => length(nsOf(part) / 1e9),
          },
        ],
        [...list, ...longest.slice(LIST_MAX)],
        {},
        LIST_MAX,
      ),
      all > list.length
        ? h("p", { class: "note" }, `The longest ${list.length} of ${all} parts.`)
        : null,
    ];
  }
}
