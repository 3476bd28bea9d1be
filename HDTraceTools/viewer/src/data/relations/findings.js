// SPDX-License-Identifier: LGPL-2.1-or-later
// Findings of projects, as their reports tell them: what to change, where, and which
// rows wait or are waited for.
import { parseSeconds } from "../time.js";

export class Finding {
  /**
   * @param told What the report says of it.
   * @param name The project, if there are several; else "".
   * @param part Of the model: where its traces begin among all, and by how much
   *        its clock is shifted.
   */
  constructor(told, name, part) {
    this.told = told;
    this.name = name;
    this.part = part;
    this.start = parseSeconds(told.from_s) + part.shift;
    this.end = parseSeconds(told.to_s) + part.shift;
  }

  /** What a trace, a number among all, has to do with it: "waiting", "causing", or
   *  null. */
  roleOf(model, trace) {
    const { node } = model.traces[trace];
    const rank = node.part && node.part !== this.part ? null : rankOf(model, node);

    if (rank === null) return null;
    if (this.told.causing.includes(rank)) return "causing";
    return this.told.waiting.includes(rank) ? "waiting" : null;
  }
}

/** The rank that a node is or belongs to; null: none. */
export function rankOf(model, node) {
  for (let at = node; at; at = at.parent)
    if (/^rank/i.test(model.levelOf(at)) && /^\d+$/.test(at.label))
      return Number(at.label);
  return null;
}

/** The findings in reports, of all projects: most important first in each. */
export function findingsOf(reports, parts) {
  return reports.flatMap((report, i) =>
    (report?.findings ?? []).map(
      (told) => new Finding(told, parts.length > 1 ? parts[i].name : "", parts[i]),
    ),
  );
}
