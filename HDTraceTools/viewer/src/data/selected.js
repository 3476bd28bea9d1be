// SPDX-License-Identifier: LGPL-2.1-or-later
// What can be selected, and how links name it: "t3,1.5,2.5" is a state or event of
// trace 3, "m0.1,..." a message from trace 0 to 1, "r2.17,..." relation 17 of file 2,
// "s0.1,..." an entry of value 1 of group 0, and "f3,..." finding 3; then its start and
// end.
const KINDS = {
  t: { kind: "state", numbers: ["trace"] },
  m: { kind: "message", numbers: ["from", "to"] },
  r: { kind: "relation", numbers: ["file", "number"] },
  s: { kind: "entry", numbers: ["group", "column"] },
  f: { kind: "finding", numbers: ["number"] },
};

/** What is selected as text; write() writes a time. */
export function selectionText(selection, write) {
  const [letter, { numbers }] = Object.entries(KINDS).find(
    ([, { kind }]) => kind === selection.kind,
  );
  const place = numbers.map((name) => selection[name]).join(".");

  return `${letter}${place},${write(selection.start)},${write(selection.end)}`;
}

/** The same of a text; parse() makes two times of one, or null. null: nonsense. */
export function parseSelection(text, parse) {
  const match = /^([fmrst])(\d+(?:\.\d+)?),(.*)$/.exec(text ?? "");
  const [start, end] = (match && parse(match[3])) || [];

  if (start === undefined || end < start) return null;
  const { kind, numbers } = KINDS[match[1]];
  const places = match[2].split(".").map(Number);

  if (places.length !== numbers.length) return null;
  return {
    kind,
    ...Object.fromEntries(numbers.map((name, i) => [name, places[i]])),
    start,
    end,
  };
}

/** The node that a selection is of; undefined: of none. */
export function nodeOfSelection(model, selection) {
  switch (selection?.kind) {
    case "state":
      return model.traces[selection.trace]?.node;
    case "message":
      return model.traces[selection.from]?.node;
    case "relation":
      return model.relations[selection.file]?.node;
    case "entry":
      return model.groups[selection.group]?.node;
    default:
      return undefined;
  }
}
