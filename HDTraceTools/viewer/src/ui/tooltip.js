// SPDX-License-Identifier: LGPL-2.1-or-later
// What is under the pointer, with all its numbers.
import { stateColours } from "../draw/colours.js";
import { waitsText } from "../data/states/rowwaits.js";
import { h, replace } from "./dom.js";
import { exact, grouped, levelText } from "../data/numbers.js";
import { valueText } from "../rows/lane.js";
import { formatDate, formatLength, formatSecondsShort } from "../data/time.js";

function line(name, value) {
  return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value));
}

/** What the number at a place is. */
function titleOf(series, found) {
  const isMean = found.value === undefined;

  if (series.isAmount) return isMean ? "Mean rate (min – max)" : "Rate";
  return isMean ? "Mean (min – max)" : "Value";
}

export class Tooltip {
  constructor(model, view, tracks) {
    this.model = model;
    this.view = view;
    this.tracks = tracks;
    this.element = h("div", { class: "tooltip", role: "tooltip", hidden: true });
    this.turn = 0;
  }

  hide() {
    this.turn++;
    this.element.hidden = true;
  }

  /** Seconds from the start, exact. */
  #seconds(time) {
    return `${formatSecondsShort(time - this.model.origin)} s`;
  }

  /** Show what is at a place. */
  async show(event, row, time, message) {
    const turn = ++this.turn;
    const content = message
      ? this.#message(message)
      : await this.#content(row, time, this.tracks.heightIn(row, event.clientY));

    if (turn !== this.turn) return;
    if (!content) {
      this.element.hidden = true;
      return;
    }
    replace(
      this.element,
      content,
      this.#damage(row),
      h("p", { class: "when" }, this.#seconds(time), " · ", formatDate(time, 6)),
    );
    this.element.hidden = false;
    this.#place(event);
  }

  #damage(row) {
    const item = row?.item;
    const damage = item ? this.model.damageOf(item) : null;

    return damage
      ? h("p", { class: "error" }, `The file is ${damage.kind}: ${damage.text}`)
      : null;
  }

  #place(event) {
    const { offsetWidth, offsetHeight } = this.element;
    const x =
      event.clientX + 16 + offsetWidth > window.innerWidth
        ? event.clientX - 12 - offsetWidth
        : event.clientX + 16;
    const y = Math.min(
      event.clientY + 14,
      window.innerHeight - offsetHeight - 8,
    );

    this.element.style.left = `${Math.max(4, x)}px`;
    this.element.style.top = `${Math.max(4, y)}px`;
  }

  async #content(row, time, y) {
    if (!row) return null;
    if (row.kind === "states") return this.#states(row, time);
    if (row.kind === "relations") return this.#relation(row, time, y);
    if (row.curves)
      return (row.parts ?? row.curves).map((one) => this.#value(one, time));
    const series = row.drawnSeries;

    return series ? this.#value(series, time) : null;
  }

  #value(series, time) {
    const { value, group } = series;
    const found = series.at(time);
    const gap = this.tracks.gaps.at(series, time);
    const title = h(
      "p",
      { class: "title" },
      `${series.title} of ${this.model.nameOf(group.node)}`,
    );

    if (gap)
      return [
        title,
        h(
          "p",
          {},
          `Group stopped for ${formatLength(Number(gap.end - gap.start))}.`,
        ),
      ];
    if (!found) return [title, h("p", {}, found === null ? "No value." : "Loading…")];
    return [
      title,
      h(
        "table",
        {},
        line(
          titleOf(series, found),
          valueText(series, found),
        ),
        found.amount !== undefined
          ? line(
              value.kind === "counter" ? "Growth" : "Amount",
              levelText(found.amount, value),
            )
          : null,
        found.entries ? line("Entries", exact(found.entries)) : null,
        found.start !== undefined
          ? line(
              "Interval",
              `${this.#seconds(found.start)} to ${this.#seconds(found.end)}`,
            )
          : null,
        found.start !== undefined
          ? line("Length", formatLength(Number(found.end - found.start)))
          : null,
        value.source ? line("Source", value.source) : null,
        value.resolution ? line("Resolution", value.resolution) : null,
        value.class ? line("Class", `${value.class} %`) : null,
        value.simulated ? line("Note", "simulated or estimated") : null,
        series.definition ? line("Defined as", series.definition.text) : null,
      ),
    ];
  }

  async #states(row, time) {
    const tolerance = (this.view.span / this.tracks.plotWidth) * 4;
    const found = row.states.at(time, tolerance);

    if (!found) return this.#sums(row, time);
    const inner =
      found.find((item) => item.isEvent) ?? found.findLast((s) => !s.isEvent);

    if (!inner) return null;
    const details = await row.states.details(inner);
    const waits = await this.#waits(row, inner);
    const outer = found.filter((s) => !s.isEvent && s !== inner);

    return [
      this.#stateTitle(inner),
      h(
        "table",
        {},
        inner.isEvent
          ? line("Event at", this.#seconds(inner.start))
          : [
              line("Start", this.#seconds(inner.start)),
              line("End", this.#seconds(inner.end)),
              line("Length", formatLength(Number(inner.end - inner.start))),
              waits ? line("Waiting", waits) : null,
            ],
        outer.length
          ? line("Nested in", outer.map((state) => state.name).join(" › "))
          : null,
        (details ?? []).slice(0, 24).map(([name, value]) =>
          line(name || "text", value.slice(0, 300)),
        ),
        details?.length > 24 ? line("…", `${details.length - 24} more`) : null,
      ),
    ];
  }

  /** How long a state waits, and in which kinds of waits; "" if it does not. */
  async #waits({ states }, state) {
    if (!(this.model.waiting > 0) || state.isEvent) return "";
    const kinds = await states.waits.kindsIn(state.start, state.end);

    return kinds ? waitsText(kinds, formatLength) : "unknown";
  }

  async #relation(row, time, y) {
    const tolerance = (this.view.span / this.tracks.plotWidth) * 3;
    const item = row.itemAt(time, y, tolerance, this.view);

    if (!item) return null;
    const details = (await row.relations.details(item)) ?? [];

    return [
      this.#stateTitle({ name: item.name }),
      h(
        "table",
        {},
        line("Start", this.#seconds(item.start)),
        line(
          item.isUnended ? "No end before" : "End",
          this.#seconds(item.end),
        ),
        line("Length", formatLength(Number(item.end - item.start))),
        item.isElsewhere ? line("Note", "the cause is not in the project") : null,
        details.slice(0, 24).map(([name, value]) => this.#detail(name, value)),
        details.length > 24 ? line("…", `${details.length - 24} more`) : null,
      ),
    ];
  }

  /** An attribute, or a state: since when, and how long. */
  #detail(name, value) {
    if (!name.startsWith("state ")) return line(name, value.slice(0, 300));
    const [after, length] = value.split(" ").map(Number);

    return line(
      `› ${name.slice(6)}`,
      `${formatLength(length)}, after ${formatLength(after)}`,
    );
  }

  #stateTitle(state) {
    const look = stateColours.of(state.name);
    const chip = h("span", { class: "chip" });

    chip.style.background = look.fill;
    return h(
      "p",
      { class: "title" },
      state.isEvent ? "▾ " : chip,
      state.name.slice(0, 200),
      h("span", { class: "muted" }, ` ${look.category}`),
    );
  }

  /** Where single states are not there. */
  async #sums(row, time) {
    const width = BigInt(Math.ceil(this.view.span / this.tracks.plotWidth));
    const profile = await row.states.profile(time - width, time + width);
    const list = [...profile.names.values()]
      .filter((entry) => entry.total > 0)
      .sort((a, b) => b.own - a.own)
      .slice(0, 8);

    if (!list.length) return null;
    return [
      h("p", { class: "title" }, "States near the pointer"),
      h(
        "table",
        {},
        list.map((entry) =>
          line(entry.name.slice(0, 60), `${formatLength(entry.own)} own time`),
        ),
      ),
    ];
  }

  #message(message) {
    const nameOf = (number) =>
      this.model.nameOf(this.model.traces[number].node);
    const group = this.model.meta.communicators[message.group];

    return [
      h("p", { class: "title" }, "Message"),
      h(
        "table",
        {},
        line("From", nameOf(message.from)),
        line("To", nameOf(message.to)),
        line("Sent", this.#seconds(message.sent)),
        line("Received", this.#seconds(message.received)),
        line(
          "Duration",
          formatLength(Number(message.received - message.sent)),
        ),
        message.received < message.sent
          ? line(
              "Note",
              "received before it was sent: clocks differ, or messages are missing",
            )
          : null,
        message.size >= 0 ? line("Size", `${grouped(exact(message.size))} B`) : null,
        line("Tag", exact(message.tag)),
        group ? line("Communicator", group.slice(0, 100)) : null,
      ),
    ];
  }
}
