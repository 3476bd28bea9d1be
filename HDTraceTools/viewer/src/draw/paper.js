// SPDX-License-Identifier: LGPL-2.1-or-later
// The page on paper: everything is light, and all rows are there.
import { h } from "../ui/dom.js";

/** So long is waited for rows that are not loaded yet, in ms. */
const LOAD_MS = 10000;

export class Paper {
  constructor(app) {
    this.app = app;
    this.note = h(
      "p",
      { class: "paper-note", hidden: true },
      "Some rows outside of the screen are not loaded; the print button of the page loads them.",
    );
    app.listen(window, "beforeprint", () => this.#lay(true));
    app.listen(window, "afterprint", () => this.#lay(false));
  }

  /** Load all rows, and print. Browsers wait for nothing that they begin. */
  async print() {
    const { app } = this;
    const until = performance.now() + LOAD_MS;

    this.#lay(true);
    while (!app.isComplete && performance.now() < until)
      await new Promise(requestAnimationFrame);
    window.print();
  }

  #lay(isPrinting) {
    const { app } = this;

    document.documentElement.classList.toggle("printing", isPrinting);
    app.tracks.setPrinting(isPrinting);
    app.redraw();
    this.note.hidden = app.isComplete;
  }
}
