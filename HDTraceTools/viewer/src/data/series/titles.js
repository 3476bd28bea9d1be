// SPDX-License-Identifier: LGPL-2.1-or-later
// What the values of a node are called where they stand beside each other: each by
// its name, and those of several groups that have one name with what tells the
// groups apart.

/** What a group counts: a probe, or a transfer; else its own name. */
function subjectOf({ name, attributes = [] }) {
  const { probe, probeTo } = Object.fromEntries(attributes);

  if (!probe) return name;
  return probeTo ? `${probe} → ${probeTo}` : probe;
}

/** By key, which of them have the same. */
function grouped(list, key) {
  const found = new Map();

  for (const item of list) {
    const same = found.get(key(item));

    if (same) same.push(item);
    else found.set(key(item), [item]);
  }
  return [...found.values()];
}

/** Give each of the series of a node its title. */
export function giveTitles(list) {
  for (const same of grouped(list, ({ value }) => value.name)) {
    if (same.length === 1) continue;
    const parts = grouped(same, ({ group }) => subjectOf(group));

    for (const part of parts)
      for (const series of part) {
        const { group, value } = series;
        // A timer and a kernel may have one name.
        const subject = part.length > 1 ? group.name : subjectOf(group);

        series.title = `${subject}: ${value.name}`;
      }
  }
}
