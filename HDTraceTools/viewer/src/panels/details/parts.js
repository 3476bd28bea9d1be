// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows that details of all kinds have.
import { Known } from "../../data/energy/known.js";
import { quantileOf, rankOf } from "../../data/states/durations.js";
import { percent } from "../../data/numbers.js";
import { formatLength } from "../../data/time.js";
import { h, shown } from "../../ui/dom.js";

const INCOMPLETE = "; the page is reduced or still read: some are missing";

/** A length in ns, as a number with a key. */
export function lengthOf(ns, key) {
  return shown(ns / 1e9, "s", formatLength(ns), { "data-key": key });
}

/** How a length is among others. @param sorted In ns, the shortest first. */
export function amongRow(title, sorted, ns, isExact) {
  const rank = rankOf(sorted, ns);
  const median = quantileOf(sorted, 0.5);

  return [
    title,
    [
      "longer than ",
      shown(rank, "", percent(rank), { "data-key": "quantile" }),
      " of ",
      shown(sorted.length, "", String(sorted.length), { "data-key": "count" }),
      ", median ",
      shown(median / 1e9, "s", formatLength(median)),
      isExact ? "" : INCOMPLETE,
    ],
  ];
}

/** The energy of so many ns, as far as it is known. */
export function joulesRow(title, energy, ns, key = "energy") {
  const known = new Known(energy.known, ns);

  return [
    title,
    [
      shown(known.isAny ? energy.joules : NaN, "J", known.total(energy.joules, energy), {
        "data-key": key,
        title: known.note,
      }),
      known.note ? `; ${known.note}` : "",
    ],
  ];
}

/** Names of attributes may be missing: text of elements. */
export function attributeRows(details) {
  return (details ?? []).map(([name, value]) => [name || "text", value]);
}

/** A button that selects something else. */
export function selectButton(app, selection, text) {
  return h(
    "button",
    {
      type: "button",
      class: "link",
      title: "Select it",
      onclick: () => app.selection.goTo(selection),
    },
    text.slice(0, 200),
  );
}

/** A list of such buttons, of so many at most. */
export function listOf(list, toElement, most = 12) {
  return h(
    "ul",
    { class: "plain" },
    list.slice(0, most).map((one) => h("li", {}, toElement(one))),
    list.length > most ? h("li", {}, shown(list.length - most, "", String(list.length - most)), " more") : null,
  );
}

/** The next of a list in the order of time, or the one before; undefined: none.
 *  @param isIt Tells the one that is selected. */
export function beside(list, isIt, direction) {
  const at = list.findIndex((one) => isIt(one));

  return at < 0 ? undefined : list[at + direction];
}
