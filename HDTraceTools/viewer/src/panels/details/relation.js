// SPDX-License-Identifier: LGPL-2.1-or-later
// Details of a relation: what caused it, what it caused, and how long it waited for that.
import { powerAround } from "../../data/energy/energy.js";
import { coveredBy } from "../../data/relations/waits.js";
import { formatLength } from "../../data/time.js";
import { shownTime } from "../../ui/dom.js";
import { ofRelation } from "../../ui/selection.js";
import { chipOf } from "../profile.js";
import { amongRow, beside, joulesRow, lengthOf, listOf, selectButton } from "./parts.js";

export class RelationDetails {
  missing = "The selected relation is not loaded.";

  constructor(app, selection) {
    this.app = app;
    this.selection = selection;
    this.relations = app.model.relations[selection.file]?.relations;
  }

  /** The one of a file that begins at a time, and of which something is so. */
  async #findOne(relations, time, isIt) {
    let found = null;

    await relations.track.refresh();
    await relations.begun(time, time, (list, i) => {
      if (!found && isIt(list, i)) found = relations.describe(list, i);
    });
    return found;
  }

  async find() {
    const { start, number } = this.selection;

    this.item = this.relations
      ? await this.#findOne(
          this.relations,
          start,
          (list, i) => list.numbers[i] === number,
        )
      : null;
    return Boolean(this.item);
  }

  get name() {
    return this.item.name;
  }

  get title() {
    return chipOf(this.item.name);
  }

  get interval() {
    return this.item;
  }

  get buttons() {
    return [
      [
        "Follow its request",
        () => {
          this.app.follow(this.item);
          this.app.showPanel("relations");
        },
      ],
    ];
  }

  async rows(isWanted) {
    const { item, app } = this;
    const { model } = app;
    const { node } = model.relations[item.relations.number];
    const ns = Number(item.end - item.start);
    const details = (await item.relations.details(item)) ?? [];
    const among = await this.#all(true, isWanted);
    const caused = await this.#caused();
    const power = powerAround(model, node);

    if (!among) return null;
    const waited = coveredBy(caused, item.start, item.end);

    await power?.refresh();
    return [
      ["Node", model.nameOf(node)],
      ["Start", shownTime(item.start, model)],
      [item.isUnended ? "No end before" : "End", shownTime(item.end, model)],
      ["Length", lengthOf(ns, "length")],
      ...(item.hasFailed ? [["Result", "failed"]] : []),
      amongRow(
        "Among all of the name",
        Float64Array.from(among.list, ({ start, end }) => Number(end - start)).sort(),
        ns,
        among.isExact,
      ),
      ...(power && ns > 0
        ? [
            joulesRow(
              "Energy of the node meanwhile",
              await power.amount(item.start, item.end),
              ns,
            ),
          ]
        : []),
      ...details.map(([name, value]) => this.#detail(name, value)),
      ["Caused by", await this.#cause()],
      ["Waited for what it caused", lengthOf(waited, "waited")],
      ["Self time", lengthOf(ns - waited, "self")],
      ...(caused.length
        ? [
            [
              "Caused",
              listOf(caused, (one) =>
                selectButton(
                  app,
                  ofRelation(one),
                  `${one.name} of ${model.nameOf(model.relations[one.relations.number].node)}, ` +
                    formatLength(Number(one.end - one.start)),
                ),
              ),
            ],
          ]
        : []),
    ];
  }

  /** An attribute, or a state: since when, and how long. */
  #detail(name, value) {
    if (!name.startsWith("state ")) return [name, value];
    const [after, length] = value.split(" ").map(Number);

    return [
      `› ${name.slice(6)}`,
      `${formatLength(length)}, after ${formatLength(after)}`,
    ];
  }

  async #cause() {
    const { app, item } = this;
    const { parent } = item;

    if (item.isElsewhere) return "a relation that is not in the project";
    const relations = parent && app.model.relations[parent.file]?.relations;
    const found =
      relations &&
      (await this.#findOne(
        relations,
        parent.start,
        (list, i) => list.lanes[i] === parent.lane,
      ));

    if (!found) return parent ? "a relation that is not in the page" : "nothing";
    return selectButton(app, ofRelation(found), found.name);
  }

  /** Relations that it caused, of its request. */
  async #caused() {
    const { model } = this.app;
    const { item } = this;
    const part = model.parts.findIndex(
      ({ source }) => source === item.relations.track.source,
    );
    const request = model.requestOf(part, item.root, item.from, item.to);

    await request.load(model);
    return (request.list ?? []).filter(
      ({ parent }) =>
        parent?.file === item.relations.number &&
        parent.lane === item.lane &&
        parent.start === item.start,
    );
  }

  /** All of the name: of its file, or of all files. */
  async #all(isOfAll, isWanted) {
    const files = isOfAll ? this.app.model.relations : [{ relations: this.relations }];
    const list = [];
    let isExact = true;

    for (const { relations } of files) {
      const { track } = relations;

      await track.refresh();
      const number = track.names.indexOf(this.name);

      isExact &&= !relations.isReduced && track.isComplete;
      if (number < 0 || !track.range) continue;
      await relations.begun(track.range.start, track.range.end, (chunk, i) => {
        if (chunk.names[i] !== number) return;
        const start = chunk.base + BigInt(chunk.starts[i]);

        list.push({
          number: chunk.numbers[i],
          start,
          end: start + BigInt(chunk.lengths[i]),
        });
      });
      if (!isWanted()) return null;
    }
    return { list, isExact };
  }

  /** The next one of the name of the file, or the one before. */
  async step(direction) {
    const { file, number } = this.selection;
    const { list } = await this.#all(false, () => true);
    const found = beside(list, (one) => one.number === number, direction);

    return found && { kind: "relation", file, ...found };
  }
}
