// SPDX-License-Identifier: LGPL-2.1-or-later
// Scales of values: one for all values of a grouping, since those are meant to be
// compared, or one for each row.

/** Values that differ little are not drawn from zero, if nothing is said. */
const FROM_ZERO = 0.4;

/** A range around values, with a margin; from zero if that is wanted, or if it
 *  takes little of the room. */
export function rangeAround(min, max, isFromZero) {
  if (!(min <= max)) return [0, 1];
  const isNear = min < max * FROM_ZERO && max > min * FROM_ZERO;
  let low = min;
  let high = max;

  if (isFromZero || isNear || (low <= 0 && high >= 0)) {
    low = Math.min(0, min);
    high = Math.max(0, max);
  }
  if (low === high) {
    if (low === 0) return [0, 1];
    const margin = Math.abs(low) * 0.05;

    return [low - margin, high + margin];
  }
  const margin = (high - low) * 0.06;

  return [low === 0 ? 0 : low - margin, high === 0 ? 0 : high + margin];
}

/** The key of the scale of a series. What a process has is compared with other
 *  processes, not with its node: each level of the topology has a scale. */
export function scaleKey(series, isCommon) {
  const { grouping } = series.value;
  const { unit } = series.level;
  const [one] = series.list ?? [series];
  const { level = 0 } = one.group?.node ?? one.node ?? {};

  return isCommon && grouping
    ? `grouping ${grouping} ${unit} ${level}`
    : `row ${series.key}`;
}

/** What people call the scale of a series. */
export function scaleName(series) {
  const { grouping, name } = series.value;

  return grouping || name;
}

export class Scales {
  constructor(view) {
    this.view = view;
    this.known = new Map();
  }

  /**
   * Find the ranges of rows: of the whole run, or of what is in view.
   *
   * @param list Series of all rows that are shown.
   * @param inView Map of series to {min, max}, of the rows on the screen.
   * @param bars Set of the series that are drawn as bars: these begin at zero.
   */
  update(list, inView, bars = new Set()) {
    const extents = new Map();

    for (const series of list) {
      const extent = this.view.isFitted
        ? inView.get(series)
        : (series.extent ?? inView.get(series));
      const key = scaleKey(series, this.view.isCommonScale);
      // A share is one of a whole.
      const isShare = series.level.unit === "%";
      const before = extents.get(key);

      if (!extent || !Number.isFinite(extent.min + extent.max)) continue;
      extents.set(key, {
        min: Math.min(extent.min, before?.min ?? Infinity),
        max: Math.max(extent.max, before?.max ?? -Infinity),
        isFromZero:
          isShare ||
          this.view.isFromZero ||
          bars.has(series) ||
          Boolean(before?.isFromZero),
      });
    }
    for (const [key, { min, max, isFromZero }] of extents)
      this.known.set(key, rangeAround(min, max, isFromZero));
  }

  rangeOf(series) {
    const fixed = this.view.ranges.get(scaleName(series));

    return (
      fixed ??
      this.known.get(scaleKey(series, this.view.isCommonScale)) ?? [0, 1]
    );
  }
}
