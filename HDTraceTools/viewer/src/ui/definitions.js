// SPDX-License-Identifier: LGPL-2.1-or-later
// Values that the user defines by expressions.
import { define } from "../data/series/expression.js";
import { ExpressionError } from "../data/series/parser.js";
import { announce } from "./dom.js";

export class Definitions {
  constructor(app) {
    this.app = app;
    /** Why a definition cannot be shown, by its number. */
    this.failed = new Map();
  }

  /** Add a definition; returns what is wrong with it, or null. */
  add(definition) {
    const { model, view } = this.app;
    const number =
      Math.max(-1, ...view.definitions.map((item) => item.number)) + 1;
    const item = { ...definition, number };

    try {
      define(model, item);
    } catch (error) {
      if (error instanceof ExpressionError) return error.message;
      throw error;
    }
    view.definitions.push(item);
    this.apply();
    view.changed("rows");
    announce(`${item.name} added.`);
    return null;
  }

  remove(definition) {
    const { view } = this.app;

    view.definitions = view.definitions.filter((item) => item !== definition);
    this.apply();
    view.changed("rows");
  }

  /** Make the values of all definitions anew. */
  apply() {
    const { model, view } = this.app;

    this.failed.clear();
    for (const node of model.nodes) node.defined = [];
    for (const definition of view.definitions) {
      try {
        for (const series of define(model, definition))
          series.node.defined.push(series);
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        this.failed.set(definition.number, error.message);
      }
    }
  }
}
