// SPDX-License-Identifier: LGPL-2.1-or-later
// The critical path of a project, as its report tells it: parts, each in one trace,
// and how it goes from one to the next.
import { parseSeconds } from "../time.js";

export class CriticalPath {
  /**
   * @param told What the report says of it.
   * @param name The project, if there are several; else "".
   * @param part Of the model: where its traces begin among all, and by how much
   *        its clock is shifted.
   */
  constructor(told, name, part) {
    this.told = told;
    this.name = name;
    this.parts = told.parts.map(({ trace, start, end }) => ({
      trace: trace + part.at.traces,
      start: parseSeconds(start) + part.shift,
      end: parseSeconds(end) + part.shift,
    }));
  }

  /** Index of the first part that ends behind a time. */
  #indexAt(time) {
    let low = 0;
    let high = this.parts.length;

    while (low < high) {
      const middle = (low + high) >> 1;

      if (this.parts[middle].end > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Its parts in a stretch of time, each with the one that follows at once, if
   *  one does: {part, next}. */
  between(from, to) {
    const found = [];

    for (
      let i = this.#indexAt(from);
      i < this.parts.length && this.parts[i].start <= to;
      i++
    ) {
      const part = this.parts[i];
      const next = this.parts[i + 1];

      found.push({ part, next: next?.start === part.end ? next : null });
    }
    return found;
  }

  /** For how many ns it is in traces, a set of numbers, within a stretch. */
  timeIn(traces, from, to) {
    let time = 0n;

    for (const { part } of this.between(from, to)) {
      if (!traces.has(part.trace)) continue;
      const start = part.start > from ? part.start : from;
      const end = part.end < to ? part.end : to;

      if (end > start) time += end - start;
    }
    return Number(time);
  }
}

/** The paths in reports, one of each project that has one. */
export function pathsOf(reports, parts) {
  return reports.flatMap((report, i) =>
    report?.critical_path
      ? [
          new CriticalPath(
            report.critical_path,
            parts.length > 1 ? parts[i].name : "",
            parts[i],
          ),
        ]
      : [],
  );
}
