// SPDX-License-Identifier: LGPL-2.1-or-later
// Queries: QUERY = TERM {blank TERM}; TERM = KEY OP VALUE {"|" VALUE}; OP is one of
// = != < <= > >= ~; KEY is name, node, rank, thread, group, duration, from, to, wait or
// @ATTRIBUTE; VALUE is a pattern, a number with a unit, N..M or "text". All terms must
// match, and one value of each.
import { matchPattern } from "./pattern.js";

const NS = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  min: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const MOST = (1n << 63n) - 1n;
const LEAST = -(1n << 63n);

/** Numbers that a key compares with, and whether it compares with texts, too. */
const KEYS = {
  name: { numbers: null, isText: true },
  node: { numbers: null, isText: true },
  rank: { numbers: "count", isText: true },
  thread: { numbers: "count", isText: true },
  group: { numbers: null, isText: true },
  duration: { numbers: "duration", isText: false },
  from: { numbers: "moment", isText: false },
  to: { numbers: "moment", isText: false },
  wait: { numbers: "duration", isText: true },
  "@": { numbers: "quantity", isText: true },
};

/** The longest come first. */
const OPERATORS = ["!=", "<=", ">=", "=", "<", ">", "~"];
const isOrder = (operator) => /[<>]/.test(operator);
const isBlank = (character) => /^[ \t\r\n]$/.test(character ?? "");

/** What is wrong with a query, and in which column, from 1. */
export class QueryError extends Error {
  constructor(column, message) {
    super(message);
    this.column = column;
  }
}

/* ---- Numbers ------------------------------------------------------------- */

const isInRange = (whole) => whole >= LEAST && whole <= MOST;

/** A time in ns: {whole, real}; null: it is none. */
function parseDuration(text) {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?: ?([a-z]+))?$/.exec(text);

  if (!match || !(match[2] || match[3])) return null;
  const unit = match[4] === undefined ? NS.s : NS[match[4]];

  if (!unit) return null;
  const digits = (match[3] ?? "").slice(0, 15);
  const whole =
    BigInt(match[2] || "0") * unit +
    (BigInt(digits || "0") * unit) / 10n ** BigInt(digits.length);

  if (!isInRange(whole)) return null;
  const signed = match[1] === "-" ? -whole : whole;

  return { whole: signed, real: Number(signed) };
}

function parseMoment(text) {
  const isSince = text.startsWith("@");
  const number = parseDuration(isSince ? text.slice(1) : text);

  return number && { ...number, isSince };
}

/** The factor of a unit; null: there is no such unit. */
function factorOf(unit) {
  const match = /^(?:([kKMGTPE])(i?))?B?$/.exec(unit);

  if (!match) return null;
  if (!match[1]) return 1n;
  const power = "kMGTPE".indexOf(match[1] === "K" ? "k" : match[1]) + 1;

  return (match[2] ? 1024n : 1000n) ** BigInt(power);
}

/** A decimal number, with a factor if it may have a unit. */
function parseNumber(text, hasUnits) {
  const match = /^([+-]?(?:\d+(\.\d*)?|(\.\d+))([eE][+-]?\d+)?)(.*)$/s.exec(text);

  if (!match) return null;
  const [, digits, point, bare, exponent, unit] = match;
  const factor = hasUnits ? factorOf(unit) : unit === "" ? 1n : null;

  if (factor === null) return null;
  const real = Number(digits) * Number(factor);

  if (point === undefined && bare === undefined && exponent === undefined) {
    const whole = BigInt(digits.replace(/^\+/, "")) * factor;

    if (isInRange(whole)) return { whole, real };
  }
  const isWhole = Math.abs(real) < 2 ** 53 && Number.isInteger(real);

  return { whole: isWhole ? BigInt(real) : null, real };
}

function parseOne(numbers, text) {
  switch (numbers) {
    case "count":
      return parseNumber(text, false);
    case "quantity":
      return parseNumber(text, true);
    case "duration":
      return parseDuration(text);
    case "moment":
      return parseMoment(text);
    default:
      return null;
  }
}

/** -1, 0 or 1. */
function compare(a, b) {
  const [x, y] =
    a.whole !== null && b.whole !== null ? [a.whole, b.whole] : [a.real, b.real];

  return Number(x > y) - Number(x < y);
}

/* ---- Parsing ------------------------------------------------------------- */

const MESSAGES = {
  duration: (text) =>
    `invalid duration "${text}"; use a number and a unit, such as 10ms or 5s`,
  moment: (text) =>
    `invalid time "${text}"; use the time since the start, such as 10 or 500ms, or @SECONDS since 1970`,
  quantity: (text) =>
    `invalid number "${text}"; use a number such as 5, 1M or 64KiB`,
};

class Parser {
  constructor(text) {
    this.text = [...text];
    this.at = 0;
  }

  fail(where, message) {
    throw new QueryError(where + 1, message);
  }

  get next() {
    return this.text[this.at];
  }

  skipBlanks() {
    while (isBlank(this.next)) this.at++;
  }

  parse() {
    const terms = [];

    this.skipBlanks();
    if (this.at === this.text.length) this.fail(0, "empty query");
    while (this.at < this.text.length) {
      terms.push(this.#term());
      this.skipBlanks();
    }
    return terms;
  }

  #term() {
    const term = { ...this.#key(), values: [] };

    term.operator = this.#operator(term);
    for (;;) {
      term.values.push(this.#value(term));
      if (this.next !== "|") return term;
      this.at++;
    }
  }

  #key() {
    const start = this.at;

    while (this.at < this.text.length && !/[ \t\r\n=!<>~|"]/.test(this.next))
      this.at++;
    const name = this.text.slice(start, this.at).join("");

    if (name.startsWith("@")) {
      if (name === "@") this.fail(start, "missing name of an attribute after @");
      return { key: "@", attribute: name.slice(1) };
    }
    if (!Object.hasOwn(KEYS, name))
      this.fail(
        start,
        `unknown key "${name}"; use name, node, rank, thread, group, duration, from, to, wait or @ATTRIBUTE`,
      );
    return { key: name };
  }

  #operator({ key }) {
    const start = this.at;
    const rest = this.text.slice(start, start + 2).join("");
    const operator = OPERATORS.find((one) => rest.startsWith(one));

    if (!operator)
      this.fail(start, "missing operator; use =, !=, <, <=, >, >= or ~");
    this.at += operator.length;
    if (isOrder(operator) && !KEYS[key].numbers)
      this.fail(start, `${operator} compares numbers, but ${key} is text`);
    if (operator === "~" && !KEYS[key].isText)
      this.fail(start, `~ compares text, but ${key} is a time`);
    return operator;
  }

  #value(term) {
    const where = this.at;

    if (this.next === '"') return this.#quoted(term, where);
    const text = this.#takeBare();

    if (!text) this.fail(where, "missing value");
    return this.#bare(term, where, text);
  }

  /** Whether a term compares with numbers only. */
  #isNumeric({ key, operator }) {
    return !KEYS[key].isText || isOrder(operator);
  }

  #quoted(term, where) {
    let text = "";

    this.at++;
    for (; this.next !== '"'; this.at++) {
      if (this.next === "\\" && this.at + 1 < this.text.length) this.at++;
      if (this.at >= this.text.length) this.fail(where, "quote without an end");
      text += this.next;
    }
    this.at++;
    if (this.at < this.text.length && this.next !== "|" && !isBlank(this.next))
      this.fail(this.at, "a blank or | must follow the quote");
    if (this.#isNumeric(term))
      this.fail(where, "a text in quotes is not a number");
    return term.operator === "~"
      ? { pattern: `*${text.replace(/[*?[\\]/g, "\\$&")}*` }
      : { text };
  }

  #takeBare() {
    let text = "";

    while (this.at < this.text.length && this.next !== "|" && !isBlank(this.next)) {
      if (this.next === '"')
        this.fail(
          this.at,
          'quote inside a value; quote all of it, or write \\"',
        );
      if (this.next === "\\") {
        if (this.at + 1 >= this.text.length)
          this.fail(this.at, "no character follows the backslash");
        text += this.text[this.at++];
      }
      text += this.text[this.at++];
    }
    return text;
  }

  #bare(term, where, text) {
    const { numbers } = KEYS[term.key];

    if (term.operator === "~") return { pattern: `*${text}*` };
    const dots = text.indexOf("..");
    const low = dots < 0 ? null : parseOne(numbers, text.slice(0, dots));
    const high = low && parseOne(numbers, text.slice(dots + 2));

    if (high) {
      if (isOrder(term.operator))
        this.fail(where, `the range "${text}" needs = or !=`);
      if (Boolean(low.isSince) === Boolean(high.isSince) && compare(low, high) > 0)
        this.fail(where, `the range "${text}" ends before it begins`);
      return { low, high, text };
    }
    const number = parseOne(numbers, text);

    if (number) return { low: number, text };
    if (numbers === "count" && dots >= 0)
      this.fail(where, `invalid range "${text}"; use N..M`);
    if (this.#isNumeric(term))
      this.fail(
        where,
        MESSAGES[numbers]?.(text) ?? `invalid number "${text}"`,
      );
    return /[*?[\\]/.test(text) ? { pattern: text } : { text };
  }
}

/* ---- Matching ------------------------------------------------------------ */

function numberIs({ operator }, { low, high }, number) {
  const order = compare(number, low);

  if (high) return order >= 0 && compare(number, high) <= 0;
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
    default:
      return order === 0;
  }
}

function textIs(term, value, text) {
  if (text === null || text === undefined) return false;
  if (value.pattern !== undefined)
    return matchPattern(value.pattern, text, term.operator === "~");
  if (!value.low) return value.text === text;
  const number = parseNumber(text, false);

  if (number) return numberIs(term, value, number);
  return !isOrder(term.operator) && value.text === text;
}

const timeOf = (ns) => ({ whole: ns, real: Number(ns) });

export class Query {
  #terms;

  /**
   * @param text The query; throws a QueryError.
   * @param start Of the project, in ns since 1970.
   */
  constructor(text, start = 0n) {
    this.text = text;
    this.start = start;
    this.#terms = new Parser(text).parse();
  }

  /** Whether it asks for a key: "wait", "@" for attributes. */
  asks(key) {
    return this.#terms.some((term) => term.key === key);
  }

  /**
   * Whether an item matches.
   *
   * @param item {name, group, rank, thread, nodes, start, end, waits, waited}, of
   *        which each may be missing, and attribute(name); times in ns.
   */
  matches(item) {
    return this.#terms.every((term) => this.#holds(term, item));
  }

  /** The same of what is known of a place: of its nodes, rank, thread and group. */
  matchesPlace(item) {
    return this.#terms.every(
      (term) =>
        !["node", "rank", "thread", "group"].includes(term.key) ||
        this.#holds(term, item),
    );
  }

  /** The same of all but attributes, waits and times of an item. */
  matchesName(name) {
    return this.#terms.every(
      (term) => term.key !== "name" || this.#holds(term, { name }),
    );
  }

  #holds(term, item) {
    const isAny = term.values.some((value) => this.#is(term, value, item));

    return isAny !== (term.operator === "!=");
  }

  #is(term, value, item) {
    switch (term.key) {
      case "node":
        return (item.nodes ?? []).some((node) => textIs(term, value, node));
      case "duration":
        return numberIs(term, value, timeOf(item.end - item.start));
      case "from":
        return this.#momentIs(term, value, item.start);
      case "to":
        return this.#momentIs(term, value, item.end);
      case "wait":
        return value.low
          ? Boolean(item.waits?.length) &&
              numberIs(term, value, timeOf(item.waited))
          : (item.waits ?? []).some((kind) => textIs(term, value, kind));
      case "@":
        return textIs(term, value, item.attribute?.(term.attribute));
      default:
        return textIs(term, value, item[term.key]);
    }
  }

  #momentIs(term, { low, high }, ns) {
    const moved = (number) =>
      number && !number.isSince ? timeOf(number.whole + this.start) : number;

    return numberIs(term, { low: moved(low), high: moved(high) }, timeOf(ns));
  }
}
