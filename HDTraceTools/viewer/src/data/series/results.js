// SPDX-License-Identifier: LGPL-2.1-or-later
// What may be said of a value in an interval: as hdtrace stat prints it, by the
// kind of the value, and by how much of the time is known.
import { Known } from "../energy/known.js";

/** What has a meaning for each kind. */
const OF_KINDS = {
  gauge: ["mean", "min", "max", "deviation", "integral"],
  delta: ["min", "max", "sum", "total", "rate"],
  counter: ["total", "rate", "rateMin", "rateMax", "resets"],
};

/** Whether the integral over time of a value has a meaning: of power and of rates,
 *  not of percentages, bytes or temperatures. */
export function hasIntegral({ integral, unit }) {
  return Boolean(integral) && integral !== `${unit} s`;
}

/** What is not given where little is known. */
const MEANS = new Set(["mean", "deviation", "rate"]);

/**
 * The results for a value.
 *
 * @param moments Of the series in the interval.
 * @param length Of the part of the interval that lies in the run, in ns.
 *
 * @return {known} and results: NaN is not known; what has no meaning is not
 *         there.
 */
export function resultsOf(series, moments, length) {
  const { kind, name } = series.value;
  const known = new Known(moments.weight, length, name);
  const all = moments.result;
  const results = { known };

  for (const key of OF_KINDS[kind]) {
    const isKnown =
      (!MEANS.has(key) || known.hasMean) && (key !== "integral" || known.isAny);

    results[key] = isKnown ? all[key === "sum" ? "total" : key] : NaN;
  }
  return results;
}
