// SPDX-License-Identifier: LGPL-2.1-or-later
// What is wrong with the file that a row shows: it is cut, and its end is missing,
// or corrupt, and some of it could not be read or makes no sense.

/** Rules of the format that files break which were not written to their end. */
const CUT = new Set([
  "stat.cut-tail",
  "trc.cut",
  "trc.no-end",
  "rel.cut",
  "rel.no-end",
  "zst.cut",
]);

/** Rules that are no errors, and after which something is missing all the same. */
const CORRUPT = new Set(["trc.time", "trc.time-order", "trc.nested-no-owner"]);

/** @return {kind, text} of a group, trace or file of relations; null if nothing is wrong. */
export function damageOf(report, { file, track }) {
  const found = (report?.messages ?? []).filter(
    (message) => message.file === file,
  );
  const corrupt = found.filter(
    ({ rule, severity }) =>
      !CUT.has(rule) && (severity === "error" || CORRUPT.has(rule)),
  );
  const cut = found.filter(({ rule }) => CUT.has(rule));
  const of = (kind, list) => ({
    kind,
    text: list.map(({ text }) => text).join("; "),
  });

  if (corrupt.length) return of("corrupt", [...corrupt, ...cut]);
  if (cut.length) return of("cut", cut);
  return track?.isCut
    ? { kind: "cut", text: "the file could not be read to the end" }
    : null;
}

/** All that are damaged, of all groups, traces and files of relations. */
export function damaged(model) {
  return [...model.groups, ...model.traces, ...model.relations].filter((item) =>
    model.damageOf(item),
  );
}
