// SPDX-License-Identifier: LGPL-2.1-or-later
// Keys, and the list of them.

/** What the keys do, for the help and for the handler. */
export function keyTable(app) {
  const { view } = app;

  return [
    ["←  →", "Scroll in time; with Shift by one page", {
      ArrowLeft: (event) => view.pan(event.shiftKey ? -1 : -0.1),
      ArrowRight: (event) => view.pan(event.shiftKey ? 1 : 0.1),
    }],
    ["+  −", "Zoom in or out at the cursor", {
      "+": () => view.zoom(0.7, app.cursorShare),
      "=": () => view.zoom(0.7, app.cursorShare),
      "-": () => view.zoom(1 / 0.7, app.cursorShare),
    }],
    ["0", "Show the whole run", { 0: () => view.whole() }],
    ["l", "Let the view stay, or follow the end of a run that is written", {
      l: () => app.toggleFollowing(),
    }],
    ["z", "Previous view", { z: () => view.back() }],
    [",  .", "Move the cursor by a pixel; with Shift by 20", {
      ",": () => app.cursor.move(-1),
      ".": () => app.cursor.move(1),
      "<": () => app.cursor.move(-20),
      ">": () => app.cursor.move(20),
    }],
    ["n  p", "Move the cursor to the next or previous state or event of the row", {
      n: () => app.cursor.nextState(1),
      p: () => app.cursor.nextState(-1),
    }],
    ["[  ]", "Start or end the marked interval at the cursor", {
      "[": () => app.cursor.markEdge("from"),
      "]": () => app.cursor.markEdge("to"),
    }],
    ["v", "Numbers of the visible time, or of the whole run", {
      v: () => app.toggleOfView(),
    }],
    ["m", "Mark the visible time", { m: () => view.setMark(view.start, view.end) }],
    ["s", "Mark the innermost state at the cursor", { s: () => app.cursor.markState() }],
    ["i", "Zoom to the marked interval", {
      i: () => view.mark && view.showInterval(view.mark.from, view.mark.to),
    }],
    ["Esc", "Remove the mark and the followed request", { Escape: () => app.escape() }],
    ["↑  ↓", "Go to the previous or next row; Home and End: the first or last row"],
    ["Enter", "Fold or unfold the node of the row, or the ranks that it stands for"],
    ["f  u", "Fold or unfold all nodes", {
      f: () => view.setAllFolded(true),
      u: () => view.setAllFolded(false),
    }],
    ["t", "Power and utilization of a node stay at the top, or scroll", {
      t: () => app.tracks.togglePinned(),
    }],
    ["k", "Show or hide the stacked power of nodes, domains and cards", {
      k: () => app.tracks.toggleStacked(),
    }],
    ["g", "One row for ranks of a host that behave alike, or a row for each", {
      g: () => app.alike.toggle(),
    }],
    ["d", "Size of the rows: compact, medium or large", {
      d: () => app.resizeRows(),
    }],
    ["o", "Select the state, relation or entry at the cursor, and show its details", {
      o: () => app.selection.selectAtCursor(),
    }],
    ["q", "Find states by a query", { q: () => app.openFind() }],
    ["e  E", "Go to the next or previous state that was found", {
      e: () => app.stepFound(1),
      E: () => app.stepFound(-1),
    }],
    ["h", "Hide the row"],
    ["b", "Draw the row with bars or as a line"],
    ["/", "Search rows", { "/": () => app.focusSearch() }],
    ["w", "Set the window for means, in seconds", { w: () => app.focusWindow() }],
    ["a", "Show or hide arrows of messages and causes", { a: () => app.toggleArrows() }],
    ["c", "Show or hide the critical path", { c: () => app.togglePath() }],
    ["x", "Save the panel as picture or CSV", { x: () => app.saving.open() }],
    ["Ctrl+P", "Print, with all rows"],
    ["?", "This help", { "?": () => app.showHelp() }],
  ];
}

/** Whether a key is meant for an input. */
function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable]");
}

/** Browsers print at once, whatever is loaded. */
function isPrintKey({ key, ctrlKey, metaKey, shiftKey, altKey }) {
  return (
    key.toLowerCase() === "p" && ctrlKey !== metaKey && !shiftKey && !altKey
  );
}

export function listenToKeys(app) {
  const handlers = new Map();

  for (const [, , keys] of keyTable(app))
    for (const [key, handler] of Object.entries(keys ?? {}))
      handlers.set(key, handler);
  app.listen(document, "keydown", (event) => {
    if (isPrintKey(event)) {
      event.preventDefault();
      app.paper.print();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
      return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    // Tabs and sliders have keys of their own.
    if (
      event.key.startsWith("Arrow") &&
      event.target.closest("[role=tab], [role=slider], [role=separator]")
    )
      return;
    const handler = handlers.get(event.key);

    if (!handler) return;
    event.preventDefault();
    handler(event);
  });
}
