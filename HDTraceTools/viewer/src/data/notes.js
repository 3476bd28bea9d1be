// SPDX-License-Identifier: LGPL-2.1-or-later
// Notes of users on a time and a node, as lines of NAME.notes:
// @START[..END] TAB NODE TAB TEXT. Times are seconds since 1970.
import { formatSecondsShort, parseSeconds } from "./time.js";

/** No line is longer, in bytes: notes.h. */
export const LINE_MAX = 16384;

/** The notes of a file, the earliest first: {from, to, node, text, line}; from and to
 *  are equal for a point in time. Lines that are not notes are left out. */
export function parseNotes(content) {
  return content
    .split("\n")
    .flatMap((line) => {
      const match = /^@([^\t]+?)(?:\.\.([^\t]+))?\t([^\t]*)\t([^\t]+)$/.exec(line);
      const from = match && parseSeconds(match[1]);
      const to = match?.[2] === undefined ? from : parseSeconds(match[2]);

      return !match || from === null || to === null || to < from
        ? []
        : [{ from, to, node: match[3], text: match[4], line }];
    })
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
}

/** A note as a line: control characters become blanks. Returns null if it has no text, or
 *  is too long. */
export function lineOfNote({ from, to, node, text }) {
  const plain = (part) => part.replace(/\p{Cc}+/gu, " ");
  const end = to > from ? `..${formatSecondsShort(to)}` : "";
  const line = `@${formatSecondsShort(from)}${end}\t${plain(node)}\t${plain(text).trim()}`;

  return !plain(text).trim() || new TextEncoder().encode(line).length > LINE_MAX
    ? null
    : line;
}
