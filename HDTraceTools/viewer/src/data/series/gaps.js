// SPDX-License-Identifier: LGPL-2.1-or-later
// When groups were stopped, as the report says it.
import { parseSeconds } from "../time.js";

/** Gaps of groups, by "node group". */
export class Gaps {
  constructor(model) {
    this.model = model;
    this.lists = new Map();
    for (const group of model.report?.groups ?? [])
      this.lists.set(
        `${group.node} ${group.group}`,
        group.gaps.list.map(({ start, end }) => ({
          start: parseSeconds(start),
          end: parseSeconds(end),
        })),
      );
  }

  of(series) {
    const { group, bases } = series;

    // Of a sum, in which something is missing then.
    if (bases) return bases.flatMap((one) => this.of(one));
    return this.lists.get(`${group.node.path} ${group.name}`) ?? [];
  }

  /** Those in a view, as [x0, x1] in pixels; none that nobody could see. */
  pixels(series, view, width) {
    const result = [];
    const scale = view.span / width;

    for (const { start, end } of this.of(series)) {
      const x0 = Number(start - view.start) / scale;
      const x1 = Number(end - view.start) / scale;

      if (x1 < 0 || x0 > width || x1 - x0 < 1) continue;
      result.push([Math.max(x0, 0), Math.min(x1, width)]);
    }
    return result;
  }

  at(series, time) {
    return this.of(series).find(({ start, end }) => start < time && time <= end);
  }
}
