// SPDX-License-Identifier: LGPL-2.1-or-later
// Expressions over values: "sum(P)", "P / CPU_TOTAL * 100", 'Energy."P 1"'.
//
//   expression := term (("+" | "-") term)*
//   term       := power (("*" | "/") power)*
//   power      := unary ("^" power)?
//   unary      := "-" unary | primary
//   primary    := NUMBER | NAME "(" expression ("," expression)* ")"
//               | value | "(" expression ")"
//   value      := word ("." word)? ("@" word)?        [group.]name[@node]
//   word       := NAME | '"' anything '"'

/** Functions of numbers, and how many they take. */
export const FUNCTIONS = {
  abs: [Math.abs, 1, 1],
  sqrt: [Math.sqrt, 1, 1],
  log: [Math.log, 1, 1],
  exp: [Math.exp, 1, 1],
  min: [Math.min, 2, 16],
  max: [Math.max, 2, 16],
};

/** Functions over the nodes that have a value; they take one expression. */
export const AGGREGATES = ["sum", "mean", "min", "max", "count"];

export class ExpressionError extends Error {
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

const TOKEN =
  /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_\u00a1-\uffff][\w\u00a1-\uffff]*)|"((?:[^"\\]|\\.)*)"|([-+*/^(),.@]))/y;

function tokenize(text) {
  const tokens = [];
  let at = 0;

  while (text.slice(at).trim() !== "") {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);

    if (!match) {
      const blank = text.slice(at).search(/\S/);

      throw new ExpressionError(
        `invalid text: ${text.slice(at + blank, at + blank + 12)}`,
        at + blank,
      );
    }
    const [, number, word, quoted, sign] = match;
    const start = match.index + match[0].search(/\S/);

    at = TOKEN.lastIndex;
    if (number !== undefined)
      tokens.push({ kind: "number", value: Number(number), at: start });
    else if (word !== undefined)
      tokens.push({ kind: "word", value: word, at: start });
    else if (quoted !== undefined)
      tokens.push({
        kind: "quoted",
        value: quoted.replace(/\\(.)/g, "$1"),
        at: start,
      });
    else tokens.push({ kind: sign, at: start });
  }
  tokens.push({ kind: "end", at: text.length });
  return tokens;
}

/** So deep may expressions be nested. */
const DEPTH_MAX = 100;

class Parser {
  constructor(text) {
    this.tokens = tokenize(text);
    this.at = 0;
    this.depth = 0;
  }

  get token() {
    return this.tokens[this.at];
  }

  take(kind) {
    if (this.token.kind !== kind) return null;
    return this.tokens[this.at++];
  }

  expect(kind) {
    const token = this.take(kind);

    if (!token)
      throw new ExpressionError(
        this.token.kind === "end"
          ? `missing ${kind} at the end`
          : `missing ${kind}`,
        this.token.at,
      );
    return token;
  }

  all() {
    const tree = this.expression();

    if (this.token.kind !== "end")
      throw new ExpressionError("missing operator", this.token.at);
    return tree;
  }

  /** Left associative operators. */
  #chain(signs, operand) {
    let left = operand();

    for (;;) {
      const sign = signs.find((kind) => this.token.kind === kind);

      if (!sign) return left;
      this.at++;
      left = { kind: "binary", sign, left, right: operand() };
    }
  }

  expression() {
    if (++this.depth > DEPTH_MAX)
      throw new ExpressionError("nested too deeply", this.token.at);
    const tree = this.#chain(["+", "-"], () => this.term());

    this.depth--;
    return tree;
  }

  term() {
    return this.#chain(["*", "/"], () => this.unary());
  }

  unary() {
    let isNegative = false;

    while (this.take("-")) isNegative = !isNegative;
    const tree = this.power();

    return isNegative ? { kind: "negative", of: tree } : tree;
  }

  power() {
    const base = this.primary();

    if (!this.take("^")) return base;
    if (++this.depth > DEPTH_MAX)
      throw new ExpressionError("nested too deeply", this.token.at);
    const right = this.unary();

    this.depth--;
    return { kind: "binary", sign: "^", left: base, right };
  }

  primary() {
    const number = this.take("number");

    if (number) return { kind: "number", value: number.value };
    if (this.take("(")) {
      const tree = this.expression();

      this.expect(")");
      return tree;
    }
    if (this.token.kind === "word" && this.tokens[this.at + 1].kind === "(")
      return this.call();
    return this.value();
  }

  call() {
    const { value: name, at } = this.take("word");
    const list = [];

    this.expect("(");
    do list.push(this.expression());
    while (this.take(","));
    this.expect(")");
    if (AGGREGATES.includes(name) && list.length === 1)
      return { kind: "aggregate", name, of: list[0] };
    const entry = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : null;

    if (!entry) throw new ExpressionError(`unknown function: ${name}`, at);
    if (list.length < entry[1] || list.length > entry[2])
      throw new ExpressionError(
        `${name} takes ${AGGREGATES.includes(name) ? "one value, or " : ""}` +
          `${entry[1]}${entry[2] > entry[1] ? " or more" : ""}`,
        at,
      );
    return { kind: "call", name, list };
  }

  word() {
    const token = this.take("word") ?? this.take("quoted");

    if (!token)
      throw new ExpressionError(
        this.token.kind === "end"
          ? "missing value at the end"
          : "missing value or number",
        this.token.at,
      );
    return token;
  }

  value() {
    const first = this.word();
    let group = null;
    let name = first.value;
    let node = null;

    if (this.take(".")) {
      group = name;
      name = this.word().value;
    }
    if (this.take("@")) node = this.word().value;
    return { kind: "value", group, name, node, at: first.at };
  }
}

/** Parse an expression; throws ExpressionError. */
export function parse(text) {
  return new Parser(text).all();
}

/** The values that an expression names, but for those in aggregates. */
export function valuesOf(tree, list = []) {
  switch (tree.kind) {
    case "value":
      list.push(tree);
      break;
    case "binary":
      valuesOf(tree.left, list);
      valuesOf(tree.right, list);
      break;
    case "negative":
      valuesOf(tree.of, list);
      break;
    case "call":
      for (const item of tree.list) valuesOf(item, list);
      break;
  }
  return list;
}
