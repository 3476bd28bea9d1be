// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { LINE_MAX, lineOfNote, parseNotes } from "../src/data/notes.js";

test("a note is a line, and a line is a note", () => {
  const note = {
    from: 1247419294_305196001n,
    to: 1247419296_500000000n,
    node: "node 1_0",
    text: "<b>slow</b> \u202ehere",
  };
  const line = lineOfNote(note);

  assert.equal(
    line,
    "@1247419294.305196001..1247419296.5\tnode 1_0\t<b>slow</b> \u202ehere",
  );
  assert.deepEqual(parseNotes(`${line}\n`), [{ ...note, line }]);
});

test("a note on a point in time has no end", () => {
  const line = lineOfNote({ from: 5n, to: 5n, node: "", text: " a\tb\nc\u0007 " });

  assert.equal(line, "@0.000000005\t\ta b c");
  assert.deepEqual(parseNotes(line), [{ from: 5n, to: 5n, node: "", text: "a b c", line }]);
});

test("no text, and too much, are no notes", () => {
  const at = { from: 0n, to: 0n, node: "" };

  assert.equal(lineOfNote({ ...at, text: " \t\u0000" }), null);
  // "@0", two tabs, and the text, of which a character has two bytes.
  assert.equal(lineOfNote({ ...at, text: "ä".repeat((LINE_MAX - 4) / 2) }).length, 4 + (LINE_MAX - 4) / 2);
  assert.equal(lineOfNote({ ...at, text: `${"ä".repeat((LINE_MAX - 4) / 2)}x` }), null);
});

test("notes are in the order of time, and other lines left out", () => {
  const text = [
    "@3..4\t\tlater",
    "# a comment",
    "@x\t\tno time",
    "@2..1\t\tends before it starts",
    "@1\tonly node",
    "@1\tn\t",
    "@2\tn\tearlier",
    "",
  ].join("\n");

  assert.deepEqual(
    parseNotes(text).map((note) => [note.from, note.text]),
    [
      [2_000_000_000n, "earlier"],
      [3_000_000_000n, "later"],
    ],
  );
});
