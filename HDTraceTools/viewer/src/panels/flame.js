// SPDX-License-Identifier: LGPL-2.1-or-later
// The call tree of the interval, as a flame view and a table: inclusive and exclusive
// time and energy of each state by what it lies in.
import { fillState, stateColours, theme } from "../draw/colours.js";
import { callTree } from "../data/states/calls.js";
import { stateProfile } from "../data/energy/energy.js";
import { Known } from "../data/energy/known.js";
import { percent } from "../data/numbers.js";
import { shorten } from "../draw/stateplot.js";
import { formatLength } from "../data/time.js";
import { h, prepareCanvas, replace, shown, table } from "../ui/dom.js";
import { chipOf, limitsOf } from "./profile.js";

const BAND = 18;
/** So many calls are listed. */
const LIST_MAX = 400;

/** All nodes of a tree, each before what is in it. */
function* walk(nodes) {
  for (const node of nodes) {
    yield node;
    yield* walk(node.children);
  }
}

function energyCell(joules, known, ns) {
  const coverage = new Known(known, ns);

  return shown(coverage.isAny ? joules : NaN, "J", coverage.total(joules), {
    title: coverage.note,
  });
}

const timeCell = (ns) => shown(ns / 1e9, "s", formatLength(ns));

export class FlamePanel {
  title = "Call tree";
  id = "flame";

  constructor(app) {
    this.app = app;
    this.note = h("p", { class: "note" });
    this.canvas = h("canvas", {
      role: "img",
      "aria-label": "Flame view; the table has the numbers",
      onclick: (event) => this.#click(event),
      onpointermove: (event) => this.#hover(event),
    });
    this.numbers = h("div");
    this.element = h("div", {}, this.note, this.canvas, this.numbers);
    this.turn = 0;
    this.boxes = [];
  }

  restyle() {
    this.#draw();
  }

  async update() {
    const turn = ++this.turn;
    const { model, view } = this.app;
    const { from, to } = view.interval;

    this.element.setAttribute("aria-busy", "true");
    const profile = await stateProfile(
      model,
      from,
      to,
      null,
      () => turn === this.turn,
      true,
    );

    if (!profile) return;
    this.tree = callTree(profile.calls);
    this.hasEnergy = profile.hasEnergy;
    replace(
      this.note,
      limitsOf(profile),
      this.tree.shared.length
        ? "What stands below a name that has several callers is listed at the end, for all callers together."
        : "",
    );
    this.#draw();
    this.#list();
    this.element.removeAttribute("aria-busy");
  }

  #draw() {
    if (!this.tree) return;
    const { roots } = this.tree;
    const width = Math.max(200, this.element.clientWidth - 28 || 900);
    const nodes = [...walk(roots)];
    const depth = nodes.reduce((most, node) => Math.max(most, node.depth + 1), 0);
    const all = roots.reduce((sum, { ns }) => sum + ns, 0);
    const context = prepareCanvas(this.canvas, width, Math.max(1, depth * BAND));

    this.boxes = [];
    this.canvas.hidden = !all;
    if (!all) return;
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    const place = (list, left) => {
      let x = left;

      for (const node of list) {
        const wide = (node.ns / all) * width;

        this.#drawNode(context, node, x, wide);
        place(node.children, x);
        x += wide;
      }
    };

    place(roots, 0);
  }

  #drawNode(context, node, x, width) {
    const look = stateColours.of(node.name);
    const y = node.depth * BAND;

    if (width < 0.3) return;
    fillState(context, look, x, y, Math.max(0.3, width - 0.75), BAND - 1);
    this.boxes.push({ node, x, y, width });
    const text = width > 26 ? shorten(context, node.name, width - 8) : "";

    if (!text) return;
    context.fillStyle = look.ink;
    context.fillText(text, x + 4, y + BAND / 2);
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];

    return this.boxes.find(
      (one) =>
        x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + BAND,
    )?.node;
  }

  #hover(event) {
    const node = this.#at(event);

    this.canvas.title = node
      ? `${node.name.slice(0, 200)}: ${formatLength(node.ns)}, own ${formatLength(node.ownNs)}`
      : "";
  }

  /** A click shows the durations of the state. */
  #click(event) {
    const node = this.#at(event);

    if (node) this.app.showDurations(node.name);
  }

  #list() {
    const { roots, shared } = this.tree;
    const nodes = [...walk([...roots, ...shared])];
    const all = roots.reduce((sum, { ns }) => sum + ns, 0);
    const number = (title, value) => ({ title, class: "number", value });

    for (const node of nodes)
      node.properties = { "data-state": node.name, "data-depth": node.depth };
    replace(
      this.numbers,
      nodes.length
        ? table(
            "Call tree",
            [
              { title: "Depth", csv: ({ depth }) => depth },
              {
                title: "State",
                csv: ({ name }) => name,
                value: (node) => {
                  const name = h(
                    "span",
                    { class: "clip", title: node.name },
                    chipOf(node.name),
                    node.name,
                    node.callers.length
                      ? ` (below each ${node.callers[0].slice(0, 60)})`
                      : "",
                  );

                  name.style.marginLeft = `${Math.min(node.depth, 20)}em`;
                  return name;
                },
              },
              number("Count", ({ count }) => shown(count, "", String(count))),
              number("Total time", ({ ns }) => timeCell(ns)),
              number("Share", ({ ns }) =>
                shown(ns / all, "", percent(ns / all)),
              ),
              number("Own time", ({ ownNs }) => timeCell(ownNs)),
              ...(this.hasEnergy
                ? [
                    number("Total energy", ({ joules, known, ns }) =>
                      energyCell(joules, known, ns),
                    ),
                    number("Own energy", (node) =>
                      energyCell(node.ownJoules, node.ownKnown, node.ownNs),
                    ),
                  ]
                : []),
            ],
            nodes,
            {},
            LIST_MAX,
          )
        : h("p", { class: "empty" }, "No states in the interval."),
      nodes.length > LIST_MAX
        ? h("p", { class: "note" }, `${nodes.length - LIST_MAX} more.`)
        : null,
    );
  }
}
