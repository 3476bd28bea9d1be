// SPDX-License-Identifier: LGPL-2.1-or-later
// Arrows from relations to those that they caused: of the request that is followed,
// else of all that are in view, unless these are more than can be read.
import { laneMiddle } from "./relationplot.js";

/** More arrows than that nobody can follow. */
export const CAUSES_MAX = 250;

/** Where only the longest are drawn, so it is with arrows. */
const COARSE = "Arrows to the longest relations only";

/** Where a lane is, or the heading that its row is folded into. */
function heightOf(row, relations, lane) {
  return row.kind === "relations"
    ? row.top + laneMiddle(relations.depth, lane)
    : row.top + row.height / 2;
}

/** All relations on the screen that something caused, and whether others may be
 *  left out: {list, isCoarse}; null: not loaded yet. */
function causedIn(rows, view, { scrollTop, height }) {
  const list = [];
  let isLoaded = true;
  let isCoarse = false;

  for (const row of rows.between(scrollTop, scrollTop + height)) {
    if (row.kind !== "relations") continue;
    const found = row.relations.peek(view.start, view.end);

    isLoaded = isLoaded && Boolean(found);
    isCoarse = isCoarse || found?.level?.number > 0;
    for (const from of found?.lists ?? [])
      for (let i = 0; i < from.starts.length; i++) {
        const start = from.base + BigInt(from.starts[i]);

        if (from.parents[i] < 0 || start < view.start || start > view.end)
          continue;
        list.push([row.relations, from, i]);
        // Nothing will be drawn, and that is known.
        if (list.length > CAUSES_MAX) return { list, isCoarse };
      }
  }
  return isLoaded ? { list, isCoarse } : null;
}

/**
 * The arrows.
 *
 * @param place {width, height, scrollTop}
 *
 * @return {arrows, text}: {x0, y0, x1, y1} of each, and what is to be said of those
 *         that are not there; null if it is not loaded.
 */
export function causesOf(model, rows, view, place) {
  if (!model.relations.length) return { arrows: [], text: "" };
  if (view.request) {
    const all = (view.request.list ?? []).filter((item) => item.parent);
    const inView = all.filter(
      (item) => item.start >= view.start && item.start <= view.end,
    );
    const list =
      inView.length > CAUSES_MAX
        ? [...inView]
            .sort((a, b) => Number(b.end - b.start) - Number(a.end - a.start))
            .slice(0, CAUSES_MAX)
        : inView;

    return {
      arrows: list.map((item) => arrowOf(model, rows, view, item, place)).filter(Boolean),
      text:
        list.length < inView.length
          ? `Arrows to the ${CAUSES_MAX} longest of ${inView.length} relations with a cause`
          : view.request.isReduced
            ? COARSE
            : "",
    };
  }
  const found = causedIn(rows, view, place);

  if (!found) return null;
  if (found.list.length > CAUSES_MAX)
    return {
      arrows: [],
      text: "Too many relations for arrows: zoom in, or click a relation",
    };
  return {
    arrows: found.list
      .map(([relations, list, i]) =>
        arrowOf(model, rows, view, relations.describe(list, i), place),
      )
      .filter(Boolean),
    text: found.isCoarse ? COARSE : "",
  };
}

function arrowOf(model, rows, view, item, { width, height, scrollTop }) {
  const { parent } = item;
  const from = rows.rowOfRelations(parent.file);
  const to = rows.rowOfRelations(item.relations.number);

  if (!from || !to || (from === to && from.kind !== "relations")) return null;
  // It was there when it caused this, unless clocks differ or it had ended.
  const after = Math.min(
    Math.max(Number(item.start - parent.start), 0),
    parent.length,
  );
  const y0 =
    heightOf(from, model.relations[parent.file].relations, parent.lane) - scrollTop;
  const y1 = heightOf(to, item.relations, item.lane) - scrollTop;

  if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > height) return null;
  return {
    x0: view.shareOf(parent.start + BigInt(Math.round(after))) * width,
    x1: view.shareOf(item.start) * width,
    y0,
    y1,
    isBackward: item.start < parent.start,
  };
}
