// SPDX-License-Identifier: LGPL-2.1-or-later
// The panels at the bottom: a tab for each, and what divides them from the rows.
import { h, iconButton } from "./dom.js";

export class PanelArea {
  constructor(app, panels) {
    this.app = app;
    this.panels = panels;
    this.splitter = this.#makeSplitter();
    this.#build();
    app.followSize(this.element, () =>
      this.splitter.setAttribute(
        "aria-valuenow",
        String(this.element.clientHeight),
      ),
    );
  }

  #makeSplitter() {
    const splitter = h("div", {
      class: "splitter",
      role: "separator",
      "aria-orientation": "horizontal",
      "aria-label": "Height of the tables",
      "aria-valuemin": "80",
      "aria-valuemax": "900",
      tabindex: "0",
    });
    const set = (height) => {
      const limited = Math.min(Math.max(80, height), window.innerHeight * 0.75);

      this.app.element.style.setProperty("--panel-height", `${limited}px`);
    };

    splitter.addEventListener("pointerdown", (event) => {
      splitter.setPointerCapture(event.pointerId);
      const bottom = event.clientY + this.element.clientHeight;
      const move = (e) => set(bottom - e.clientY);

      splitter.addEventListener("pointermove", move);
      splitter.addEventListener(
        "pointerup",
        () => splitter.removeEventListener("pointermove", move),
        { once: true },
      );
      event.preventDefault();
    });
    splitter.addEventListener("keydown", (event) => {
      const step = { ArrowUp: 24, ArrowDown: -24 }[event.key];

      if (!step) return;
      event.preventDefault();
      set(this.element.clientHeight + step);
    });
    return splitter;
  }

  #build() {
    this.tabs = h("div", {
      class: "tabs",
      role: "tablist",
      "aria-label": "Numbers",
    });
    const content = h("div", { class: "panel-content", tabindex: "0" });
    for (const panel of this.panels) {
      panel.tab = h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${panel.id}`,
          "aria-controls": `panel-${panel.id}`,
          onclick: () => this.app.showPanel(panel.id),
        },
        panel.title,
      );
      panel.element.id = `panel-${panel.id}`;
      panel.element.dataset.panel = panel.id;
      panel.element.setAttribute("role", "tabpanel");
      panel.element.setAttribute("aria-labelledby", `tab-${panel.id}`);
      panel.element.classList.add("panel");
      panel.element.hidden = true;
      this.tabs.append(panel.tab);
      content.append(panel.element);
    }
    this.tabs.addEventListener("keydown", (event) => this.#tabKey(event));
    this.ofViewButton = iconButton(
      "visible",
      "Numbers of the visible time, unless an interval is marked (v)",
      () => this.app.toggleOfView(),
      { "aria-pressed": "false" },
    );
    this.element = h(
      "section",
      { class: "panels", "aria-label": "Tables" },
      h(
        "div",
        { class: "tab-bar" },
        this.tabs,
        this.ofViewButton,
        iconButton("download", "Save the panel as picture or CSV (x)", () =>
          this.app.saving.open(),
        ),
      ),
      content,
    );
  }

  #tabKey(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

    if (!step) return;
    event.preventDefault();
    const index = this.panels.findIndex((p) => p.tab === event.target);
    const next =
      this.panels[(index + step + this.panels.length) % this.panels.length];

    this.app.showPanel(next.id);
    next.tab.focus();
  }

  /** Say whether numbers are about the visible time. */
  showOfView() {
    this.ofViewButton.setAttribute("aria-pressed", String(this.app.view.isOfView));
  }

  /** Show a panel, or the first one; returns which. */
  show(id) {
    const chosen = this.panels.find((panel) => panel.id === id) ?? this.panels[0];

    for (const panel of this.panels) {
      const isChosen = panel === chosen;

      panel.element.hidden = !isChosen;
      panel.tab.setAttribute("aria-selected", String(isChosen));
      panel.tab.tabIndex = isChosen ? 0 : -1;
    }
    return chosen;
  }
}
