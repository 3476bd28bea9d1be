// SPDX-License-Identifier: LGPL-2.1-or-later
// Notes at the top: that data is reduced or damaged, how far it was read, and whether
// the server is there.
import { damaged } from "../data/damage.js";
import { fileSize } from "../data/numbers.js";
import { h, replace } from "./dom.js";

export class Notes {
  constructor(app) {
    this.app = app;
    this.banner = h("div", { class: "banner", role: "note", hidden: true });
    this.damage = h("div", { class: "banner", role: "note", hidden: true });
    this.serverNote = h("div", { class: "banner server-note", role: "alert", hidden: true });
    this.progress = h("div", { class: "progress", role: "status", hidden: true });
    this.files = h("div", { class: "banner files-note", role: "alert", hidden: true });
    this.live = h("div", { class: "live", "aria-live": "off", hidden: true });
  }

  get elements() {
    return [
      this.banner,
      this.damage,
      this.serverNote,
      this.files,
      this.live,
      this.progress,
    ];
  }

  /** Say how a project grows: {state, lag, text}; null: it does not. */
  showLive(live) {
    this.live.hidden = !live;
    this.live.dataset.live = live?.state ?? "";
    this.live.dataset.lag = String(live?.lag ?? "");
    if (this.live.textContent !== (live?.text ?? ""))
      this.live.textContent = live?.text ?? "";
  }

  /** Say what happened to files; "" is nothing. */
  showFiles(text) {
    this.#showClosable(this.files, text, () => this.showFiles(""));
  }

  showReduced() {
    const { groups, traces, details, relations, messages } = this.app.model.reduced;
    const parts = [];
    const { meta } = this.app.model;

    if (groups.length)
      parts.push(`${groups.length} of ${this.app.model.groups.length} groups`);
    if (traces.length)
      parts.push(`states of ${traces.length} of ${this.app.model.traces.length} traces`);
    if (details.length)
      parts.push(`attributes of states of ${details.length} traces`);
    if (relations.length)
      parts.push(
        `relations of ${relations.length} of ${this.app.model.relations.length} files`,
      );
    if (messages) parts.push("messages");
    this.banner.hidden = !parts.length;
    if (!parts.length) return;
    replace(
      this.banner,
      h("strong", {}, "Reduced: "),
      `to keep this page below ${fileSize(meta.maxSize)}, `,
      parts.join(", "),
      " have a lower resolution than the recorded data. ",
      h(
        "button",
        { type: "button", class: "link", onclick: () => this.app.showPanel("problems") },
        "Details",
      ),
    );
  }

  /** Say how far everything was read; "" when it was. */
  showProgress(text) {
    this.progress.hidden = !text;
    if (this.progress.textContent !== text) this.progress.textContent = text;
  }

  /** Say that the server has ended, or that it is there again; "" is nothing. */
  showServer(text) {
    this.#showClosable(this.serverNote, text, () => this.showServer(""));
  }

  #showClosable(element, text, onclick) {
    replace(
      element,
      text,
      " ",
      h("button", { type: "button", class: "link", onclick }, "Hide this"),
    );
    element.hidden = !text;
  }

  /** Which rows are not what was recorded. */
  showDamage() {
    const list = damaged(this.app.model);

    this.damage.hidden = !list.length;
    replace(
      this.damage,
      h("strong", {}, "Damaged: "),
      list.length === 1
        ? "a file is truncated or corrupt; its rows are marked. "
        : `${list.length} files are truncated or corrupt; their rows are marked. `,
      h(
        "button",
        { type: "button", class: "link", onclick: () => this.app.showPanel("problems") },
        "Details",
      ),
    );
  }
}
