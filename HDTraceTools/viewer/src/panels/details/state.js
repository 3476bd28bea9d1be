// SPDX-License-Identifier: LGPL-2.1-or-later
// Details of a state or an event.
import { chargesOf } from "../../data/energy/energy.js";
import { coveredBy } from "../../data/relations/waits.js";
import { durationsOf } from "../../data/states/durations.js";
import { formatLength } from "../../data/time.js";
import { announce, h, shownTime } from "../../ui/dom.js";
import { ofMessage } from "../../ui/selection.js";
import { chipOf } from "../profile.js";
import {
  amongRow,
  attributeRows,
  joulesRow,
  lengthOf,
  listOf,
  selectButton,
} from "./parts.js";

/** Lengths of all states of a name: they take time to be found. */
let lengths = { key: null, sorted: [] };

/** Load what a trace has at a time, and get it: as States.at(). */
export async function loadStatesAt(states, time) {
  await states.track.refresh();
  const [level] = states.levels;

  for (const chunk of level?.chunks ?? [])
    if (chunk.start <= time && chunk.end >= time)
      await states.track.load(level, chunk, 0);
  return states.at(time, 0) ?? [];
}

/** Waits of a list, the longest first. */
function longestFirst(list) {
  const length = ({ start, end }) => Number(end - start);

  return [...list].sort((a, b) => length(b) - length(a));
}

/** A button that selects what a trace did at the end of a wait; null: a text. */
function placeButton(app, text, trace, { end }) {
  if (trace === null) return text;
  return h(
    "button",
    {
      type: "button",
      class: "link",
      title: "Select the state of the rank",
      onclick: async () => {
        const found = await loadStatesAt(app.model.traces[trace].states, end);
        const state = found.findLast(({ isEvent }) => !isEvent);

        if (state)
          app.selection.goTo({ kind: "state", trace, start: state.start, end: state.end });
        else announce("No state at that time.");
      },
    },
    text.slice(0, 200),
  );
}

export class StateDetails {
  constructor(app, selection) {
    this.app = app;
    this.selection = selection;
    this.trace = app.model.traces[selection.trace];
    this.missing = this.trace
      ? "The selected state is not loaded."
      : "The selected trace does not exist.";
  }

  async find() {
    if (!this.trace) return false;
    const { start, end } = this.selection;
    const found = await loadStatesAt(this.trace.states, start);

    this.state = found.findLast((item) => item.start === start && item.end === end);
    return Boolean(this.state);
  }

  get name() {
    return this.state.name;
  }

  get title() {
    return this.state.isEvent ? "▾ " : chipOf(this.state.name);
  }

  get interval() {
    return this.state;
  }

  get buttons() {
    return this.state.isEvent
      ? []
      : [["Durations", () => this.app.showDurations(this.state.name)]];
  }

  async rows(isWanted) {
    const { app, trace, state } = this;
    const { model } = app;
    const details = await trace.states.details(state);
    const ns = Number(state.end - state.start);

    if (state.isEvent)
      return [
        ["Trace", model.nameOf(trace.node)],
        ["Event at", shownTime(state.start, model)],
        ...attributeRows(details),
      ];
    const energy = await this.#energy();
    const among = await this.#among(isWanted);
    const messages = await this.#messages(isWanted);
    const waits = await this.#waits(isWanted);

    if (!among || !messages || !waits) return null;
    return [
      ["Trace", model.nameOf(trace.node)],
      ["Start", shownTime(state.start, model)],
      ["End", shownTime(state.end, model)],
      ["Length", lengthOf(ns, "length")],
      amongRow("Among all of the name", among.sorted, ns, among.isExact),
      ...(energy ? [joulesRow("Energy", energy, ns)] : []),
      ...attributeRows(details),
      ...waits,
      ...messages,
    ];
  }

  /** What the trace is charged with while it is in the state. */
  async #energy() {
    const { start, end } = this.state;
    const charge = chargesOf(this.app.model).get(this.trace.number);

    if (!charge || end <= start) return null;
    await charge.refresh();
    return charge.amount(start, end);
  }

  /** The lengths of all states of the name. */
  async #among(isWanted) {
    const { model } = this.app;
    const read = model.traces.filter(({ track }) => track.isComplete).length;
    const key = `${this.name}\0${read}\0${model.reportCount}`;

    if (lengths.key !== key) {
      const found = await durationsOf(model.traces, this.name, {
        from: model.start - 1n,
        to: model.end,
        isWanted,
      });

      if (!found) return null;
      lengths = { key, sorted: found.lengths, isExact: found.isExact };
    }
    return lengths;
  }

  /** What it waited for, and who waited for the rank meanwhile. */
  async #waits(isWanted) {
    const { app, trace } = this;
    const { model } = app;
    const { start, end } = this.state;
    const own = [];
    const others = [];
    const isDone = await model.waits.each(
      start,
      end,
      (wait) => {
        if (wait.trace === trace.number && wait.start >= start && wait.end <= end)
          own.push(wait);
        // Who ends a wait does so at its end.
        else if (wait.cause === trace.number && wait.end > start && wait.start < end)
          others.push(wait);
      },
      isWanted,
    );

    if (!isDone) return null;
    if (!model.waits.isExact) return [["Waits", "unknown: not in the page, or still read"]];
    const text = (wait, peer) =>
      `${wait.kinds.at(-1)}, ${formatLength(Number(wait.end - wait.start))}` +
      (peer === null ? "" : `, ${model.nameOf(model.traces[peer].node)}`) +
      (wait.isUnsure ? " (not certain)" : "");
    const row = (title, list, key, peerOf) =>
      list.length
        ? [
            [
              title,
              [
                lengthOf(coveredBy(list, start, end), key),
                listOf(longestFirst(list), (wait) =>
                  placeButton(app, text(wait, peerOf(wait)), peerOf(wait), wait),
                ),
              ],
            ],
          ]
        : [];

    return [
      ...row("Waited for (overlaps count once)", own, "waited", ({ cause }) => cause),
      ...row("Who waited for it", others, "awaited", ({ trace: waiting }) => waiting),
    ];
  }

  /** Messages that were sent in it, and those that were received. */
  async #messages(isWanted) {
    const { app, trace } = this;
    const { model } = app;
    const { start, end } = this.state;
    const sent = [];
    const received = [];
    const isInside = (time) => time >= start && time <= end;
    const isDone = await model.messages.each(
      start,
      end,
      (message) => {
        if (message.from === trace.number && isInside(message.sent)) sent.push(message);
        if (message.to === trace.number && isInside(message.received))
          received.push(message);
      },
      isWanted,
    );

    if (!isDone) return null;
    const row = (title, list, word, peer) =>
      list.length
        ? [
            [
              title,
              listOf(list, (one) =>
                selectButton(
                  app,
                  ofMessage(one),
                  `${word} ${model.nameOf(model.traces[one[peer]].node)}, ` +
                    `${one.size < 0 ? "size unknown" : `${one.size} B`}, ` +
                    `${formatLength(Number(one.received - one.sent))} under way`,
                ),
              ),
            ],
          ]
        : [];

    return [
      ...row("Messages sent", sent, "to", "to"),
      ...row("Messages received", received, "from", "from"),
    ];
  }

  /** The next state of the name of the trace, or the one before; null: none. */
  async step(direction) {
    const { states, number } = this.trace;
    let at = this.state.start;

    for (;;) {
      const other = await states.next(at, direction);

      if (!other) return null;
      if (other.name === this.name)
        return { kind: "state", trace: number, start: other.start, end: other.end };
      at = other.start;
    }
  }
}
