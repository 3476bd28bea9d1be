// SPDX-License-Identifier: LGPL-2.1-or-later
// When a project that is written gets more rows, the page begins anew with all of
// them: what the reader looks at and where the focus is stay as they were. Keys have
// numbers of nodes, groups and traces, which are others then; their names are not.

/** What a key means in any application: names. */
function nameOf(model, key) {
  const match = /^([strn])(\d+)(?:\.(\d+))?$/.exec(key);

  if (!match) return key;
  const [, kind, number, column] = match;

  if (kind === "n") return `n ${model.nodes[number]?.path}`;
  const item = { s: model.groups, t: model.traces, r: model.relations }[kind][number];

  return [kind, item?.node.path, item?.name, item?.values?.[column]?.name].join(" ");
}

/** All keys of a model, by what they mean. */
function keysOf(model) {
  return new Map(
    [
      ...model.nodes.map(({ number }) => `n${number}`),
      ...model.traces.map(({ number }) => `t${number}`),
      ...model.relations.map(({ number }) => `r${number}`),
      ...model.groups.flatMap(({ series }) => series.map(({ key }) => key)),
    ].map((key) => [nameOf(model, key), key]),
  );
}

/** Gives the key of an application that means the same as one of another. */
function translator(from, to) {
  const keys = keysOf(to);

  return (key) => keys.get(nameOf(from, key)) ?? null;
}

/** A set that differs from its defaults as another one did from its own. */
function carrySet(set, before, defaults, translate) {
  const result = new Set(defaults);

  for (const key of set)
    if (!before.has(key) && translate(key) !== null) result.add(translate(key));
  for (const key of before)
    if (!set.has(key)) result.delete(translate(key));
  return result;
}

const SAME = [
  "mark",
  "named",
  "hiddenStates",
  "showsWaits",
  "definitions",
  "ranges",
  "isCommonScale",
  "isFromZero",
  "isFitted",
  "hasArrows",
  "hasPath",
  "isAlike",
  "isPinned",
  "isStacked",
  "isOfView",
  "isFollowing",
  "find",
  "window",
  "panel",
  "search",
  "cursor",
  "history",
];

/** The same selection; null: it is not of the files. */
function carrySelection(selection, translate) {
  const places = {
    state: ["t", "trace"],
    message: ["t", "from", "to"],
    relation: ["r", "file"],
  };
  const number = (letter, name) =>
    Number(translate(`${letter}${selection[name]}`)?.slice(1) ?? NaN);

  if (selection?.kind === "entry") {
    const key = translate(`s${selection.group}.${selection.column}`);

    return key && { ...selection, group: Number(key.slice(1).split(".")[0]) };
  }
  const [letter, ...names] = places[selection?.kind] ?? [];

  if (!letter) return null;
  const carried = { ...selection };

  for (const name of names) carried[name] = number(letter, name);
  return names.some((name) => Number.isNaN(carried[name])) ? null : carried;
}

/** Let a view show what another one shows. */
export function carryView(from, view, to, next) {
  const translate = translator(from, to);
  const ofNode = (number) => {
    const key = translate(`n${number}`);

    return key === null ? null : Number(key.slice(1));
  };

  for (const name of SAME) next[name] = view[name];
  next.hidden = carrySet(
    view.hidden,
    view.defaults.hidden,
    next.defaults.hidden,
    translate,
  );
  next.folded = carrySet(
    view.folded,
    view.defaults.folded,
    next.defaults.folded,
    ofNode,
  );
  next.bars = new Set([...view.bars].map(translate).filter(Boolean));
  next.openAlike = new Set(
    [...view.openAlike].map(ofNode).filter((number) => number !== null),
  );
  if (view.rowSize !== view.defaults.rowSize) next.rowSize = view.rowSize;
  next.selection = carrySelection(view.selection, translate);
  to.start = from.start;
  to.end = from.end;
  to.hasRange = from.hasRange;
  next.start = view.start;
  next.span = view.span;
  next.wholeView = view.wholeView;
}

/** What finds an element again: its row, or its place among equal ones. */
function traceOf(app, element) {
  const row = element.closest(".row");

  if (row) return { key: row.dataset.key };
  const selector = element.id
    ? `#${CSS.escape(element.id)}`
    : element.localName +
      ["class", "title", "aria-label", "data-panel", "role"]
        .filter((name) => element.hasAttribute(name))
        .map((name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`)
        .join("");
  const same = [...app.element.querySelectorAll(selector)];

  return { selector, place: same.indexOf(element) };
}

/** Texts that were not taken yet stay in their inputs. */
function carryText(from, to) {
  if (typeof from.value !== "string" || !("selectionStart" in from)) return;
  to.value = from.value;
  try {
    to.setSelectionRange(from.selectionStart, from.selectionEnd);
  } catch {
    // Some inputs have no selection.
  }
}

/** Let the focus be where it was, and the rows as far down. */
export function carryFocus(from, to) {
  const focused = from.focused;
  const translate = translator(from.model, to.model);

  to.tracks.scroll.scrollTop = from.scrolled;
  to.tracks.focusKey = from.tracks.focusKey && translate(from.tracks.focusKey);
  if (!focused) return;
  const { key, selector, place } = focused.trace;

  to.tracks.updateRows();
  if (key) {
    to.redraw();
    to.tracks.views.get(translate(key))?.element.focus({ preventScroll: true });
    return;
  }
  const element = to.element.querySelectorAll(selector)[place];

  if (!element) return;
  carryText(focused.element, element);
  element.focus({ preventScroll: true });
}

/** Note where the focus is, before an application leaves the page. */
export function noteFocus(app) {
  const element = document.activeElement;

  app.scrolled = app.tracks.scroll.scrollTop;
  app.focused =
    element && app.element.contains(element)
      ? { element, trace: traceOf(app, element) }
      : null;
}
