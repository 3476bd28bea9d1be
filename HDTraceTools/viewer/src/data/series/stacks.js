// SPDX-License-Identifier: LGPL-2.1-or-later
// Power as a stack: of nodes that add up to the run, and of domains and cards that add
// up to a node. Which these are is decided by what makes the file (common/nodepower.h):
// what contains another one is not beside it.
import { define } from "./expression.js";
import { seriesOfPower } from "../energy/power.js";

/** So many parts can be told apart. */
const PARTS_MAX = 16;
/** Keys of values that nobody defined begin with smaller numbers. */
const FIRST_NUMBER = 1000;

/**
 * @param model The model.
 * @param parts [{name, list}]: series that a part is the sum of.
 * @param number Differs between stacks.
 *
 * @return {parts, curves}: the parts, and their sums from the first one on, the largest
 *         first; null if there is nothing to stack.
 */
function stackOf(model, parts, number) {
  if (parts.length < 2) return null;
  // The last one is all that have no room.
  const shown =
    parts.length > PARTS_MAX
      ? [
          ...parts.slice(0, PARTS_MAX - 1),
          {
            name: `${parts.length - PARTS_MAX + 1} more`,
            list: parts.slice(PARTS_MAX - 1).flatMap(({ list }) => list),
          },
        ]
      : parts;
  const first = FIRST_NUMBER * (number + 1);
  const make = (name, list, i) => {
    const series = define.fromSeries(model, name, list, first + i);

    series.value.grouping = `Stacked power ${number}`;
    series.isStacked = true;
    series.bases = list;
    return series;
  };

  return {
    parts: shown.map(({ name, list }, i) => make(name, list, 2 * i)),
    curves: shown
      .map(({ name }, i) =>
        make(
          name,
          shown.slice(0, i + 1).flatMap(({ list }) => list),
          2 * i + 1,
        ),
      )
      .reverse(),
  };
}

/** Stacks by the node that they are of: of the root one of all nodes. */
export function stacksOf(model) {
  const stacks = new Map();
  const counted = model.meta.powers.filter(({ inTotal }) => inTotal);
  const nodeOf = ({ group }) => model.groups[group].node;
  const put = (node, parts) => {
    const stack = stackOf(model, parts, stacks.size);

    if (stack) stacks.set(node, stack);
  };

  put(
    model.root,
    counted.map((power) => ({
      name: `Power of ${model.nameOf(nodeOf(power))}`,
      list: seriesOfPower(model, power),
    })),
  );
  for (const power of counted)
    put(
      nodeOf(power),
      seriesOfPower(model, power).map((series) => ({
        name: `${series.title} of ${model.nameOf(nodeOf(power))}`,
        list: [series],
      })),
    );
  return stacks;
}
