// SPDX-License-Identifier: LGPL-2.1-or-later
// Details of a message: the calls at its ends, and which of them waited for the other.
import { chargesOf } from "../../data/energy/energy.js";
import { receiverWait } from "../../data/relations/messages.js";
import { exact, grouped } from "../../data/numbers.js";
import { shown, shownTime } from "../../ui/dom.js";
import { ofMessage } from "../../ui/selection.js";
import { amongRow, beside, joulesRow, lengthOf, selectButton } from "./parts.js";
import { loadStatesAt } from "./state.js";

/** All messages of the selected pair, once the page has them: they take time to be found. */
let known = { messages: null, pair: "", list: [] };

export class MessageDetails {
  missing = "The selected MPI message is not loaded.";
  name = "Message";
  title = "→ ";
  buttons = [];

  constructor(app, selection) {
    this.app = app;
    this.selection = selection;
  }

  #isSelected(message) {
    const { from, to, start, end } = ofMessage(message);
    const { selection } = this;

    return (
      from === selection.from &&
      to === selection.to &&
      start === selection.start &&
      end === selection.end
    );
  }

  async find() {
    const { start, end } = this.selection;

    this.message = null;
    await this.app.model.messages.each(start, end, (message) => {
      if (!this.message && this.#isSelected(message)) this.message = message;
    });
    return Boolean(this.message);
  }

  get interval() {
    return this.selection;
  }

  async rows(isWanted) {
    const { app, message } = this;
    const { model } = app;
    const { sent, received, size, tag } = message;
    const group = model.meta.communicators[message.group];
    const sorted = await this.#lengths(isWanted);
    const sender = await this.#call(message.from, sent, "start");
    const receiver = await this.#call(message.to, received, "end");

    if (!sorted) return null;
    return [
      ["From", this.#end(message.from, sender)],
      ["To", this.#end(message.to, receiver)],
      ["Sent", shownTime(sent, model)],
      ["Received", shownTime(received, model)],
      ["Duration", lengthOf(Number(received - sent), "length")],
      ...(received < sent
        ? [
            [
              "Note",
              "received before it was sent: clocks differ, or messages are missing",
            ],
          ]
        : []),
      amongRow(
        "Among all between the two",
        sorted,
        Number(received - sent),
        model.messages.isExact,
      ),
      [
        "Size",
        size >= 0
          ? shown(size, "B", `${grouped(exact(size))} B`, { "data-key": "size" })
          : shown(NaN, "B", "unknown", { "data-key": "size" }),
      ],
      ["Tag", exact(tag)],
      ...(group ? [["Communicator", group.slice(0, 100)]] : []),
      ...this.#waits(receiver),
      ...(await this.#energies(receiver)),
    ];
  }

  /** The innermost state of a trace that has an edge at a time: the call. If none has,
   *  the one that contains it. */
  async #call(trace, time, edge) {
    const { states } = this.app.model.traces[trace];
    const found = (await loadStatesAt(states, time)).filter(({ isEvent }) => !isEvent);

    return found.findLast((state) => state[edge] === time) ?? found.at(-1) ?? null;
  }

  #end(trace, state) {
    const { app } = this;
    const name = app.model.nameOf(app.model.traces[trace].node);

    if (!state) return name;
    return [
      `${name}, in `,
      selectButton(
        app,
        { kind: "state", trace, start: state.start, end: state.end },
        state.name,
      ),
    ];
  }

  #waits(receiver) {
    const ns = receiverWait(this.message, receiver);

    if (ns === null) return [];
    return ns >= 0
      ? [["Receiver waited for it to be sent", lengthOf(ns, "receiver-waited")]]
      : [["Waited for the receiver", lengthOf(-ns, "message-waited")]];
  }

  /** What the ranks at both ends are charged with while it is under way. */
  async #energies() {
    const { from, to, sent, received } = this.message;
    const charges = chargesOf(this.app.model);
    const rows = [];

    if (received <= sent) return rows;
    for (const [title, trace, key] of [
      ["Energy of the sender", from, "sender-energy"],
      ["Energy of the receiver", to, "receiver-energy"],
    ]) {
      const charge = charges.get(trace);

      if (!charge) continue;
      await charge.refresh();
      rows.push(
        joulesRow(title, await charge.amount(sent, received), Number(received - sent), key),
      );
    }
    return rows;
  }

  /** All messages between the two, in the order of sending. */
  async #all(isWanted) {
    const { model } = this.app;
    const { messages } = model;
    const pair = `${this.message.from}.${this.message.to} ${model.reportCount}`;
    const list = [];

    if (known.messages === messages && known.pair === pair) return known.list;
    const isDone = await messages.each(
      model.start - 1n,
      model.end,
      (message) => {
        if (message.from === this.message.from && message.to === this.message.to)
          list.push(message);
      },
      isWanted,
    );

    if (!isDone) return null;
    if (messages.isExact) known = { messages, pair, list };
    return list;
  }

  async #lengths(isWanted) {
    const list = await this.#all(isWanted);

    return (
      list &&
      Float64Array.from(list, ({ sent, received }) => Number(received - sent)).sort()
    );
  }

  /** The next message between the two, or the one before. */
  async step(direction) {
    const list = await this.#all(() => true);
    const found = beside(list, (one) => this.#isSelected(one), direction);

    return found && ofMessage(found);
  }
}
