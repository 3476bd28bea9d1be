// SPDX-License-Identifier: LGPL-2.1-or-later
// The power of several projects over each other, and the difference of two.
import { define } from "./expression.js";
import { seriesOfPower } from "../energy/power.js";

/** Values that tell the power of all nodes of a project. */
function powersOf(model, part) {
  return model.meta.powers
    .filter((power) => power.inTotal && power.part === part)
    .flatMap((power) => seriesOfPower(model, power));
}

/** One scale for all, so that heights can be compared. */
function onOneScale(series, grouping) {
  series.value.grouping = grouping;
  return series;
}

/**
 * @return {curves, difference}: a series for each project that has power, and of
 *         the first two, the second less the first; null if nothing is to be
 *         compared.
 */
export function comparisonOf(model) {
  const known = model.parts
    .map((part) => ({ part, list: powersOf(model, part) }))
    .filter(({ list }) => list.length);

  if (!model.isJoined || known.length < 2) return null;
  const [first, second] = known;
  const curves = known.map(({ part, list }, i) =>
    onOneScale(
      define.fromSeries(model, `Power of ${part.name}`, list, 1 + i),
      "Power of projects",
    ),
  );

  if (known.length > 2) return { curves, difference: null };
  return {
    curves,
    difference: onOneScale(
      define.difference(
        model,
        `${second.part.name} − ${first.part.name}`,
        second.list,
        first.list,
        0,
      ),
      "Difference of power",
    ),
  };
}
