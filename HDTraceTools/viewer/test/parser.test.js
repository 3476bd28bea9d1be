// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import test from "node:test";
import { ExpressionError, parse, valuesOf } from "../src/data/series/parser.js";

/** A tree as text with all parentheses. */
function show(tree) {
  switch (tree.kind) {
    case "number":
      return String(tree.value);
    case "value":
      return `${tree.group ? `${tree.group}.` : ""}${tree.name}${tree.node !== null ? `@${tree.node}` : ""}`;
    case "negative":
      return `(-${show(tree.of)})`;
    case "binary":
      return `(${show(tree.left)}${tree.sign}${show(tree.right)})`;
    case "call":
      return `${tree.name}(${tree.list.map(show).join(",")})`;
    default:
      return `${tree.name}[${show(tree.of)}]`;
  }
}

const GOOD = [
  ["1", "1"],
  ["1 + 2 * 3", "(1+(2*3))"],
  ["(1 + 2) * 3", "((1+2)*3)"],
  ["1 - 2 - 3", "((1-2)-3)"],
  ["8 / 4 / 2", "((8/4)/2)"],
  ["2 ^ 3 ^ 2", "(2^(3^2))"],
  ["-2 ^ 2", "(-(2^2))"],
  ["2 ^ -1", "(2^(-1))"],
  ["--1", "1"],
  ["P / CPU_TOTAL", "(P/CPU_TOTAL)"],
  ["Energy.P", "Energy.P"],
  ["P@node06", "P@node06"],
  ['"NET IN_lo"@"node 1"', "NET IN_lo@node 1"],
  ['"a\\"b"', 'a"b'],
  ["sum(P) / count(P)", "(sum[P]/count[P])"],
  ["max(P)", "max[P]"],
  ["max(P, 3)", "max(P,3)"],
  ["sqrt(abs(-4))", "sqrt(abs((-4)))"],
  ["1.5e3 * .5", "(1500*0.5)"],
  ["Ü", "Ü"],
];

for (const [text, expected] of GOOD)
  test(`understood: ${text}`, () => assert.equal(show(parse(text)), expected));

const BAD = [
  ["", 0],
  ["1 +", 3],
  ["(1", 2],
  ["1 2", 2],
  ["P Q", 2],
  ["foo(1)", 0],
  ["sqrt()", 5],
  ["sqrt(1, 2)", 0],
  ["sum(P, Q)", 0],
  ["constructor(1)", 0],
  ["__proto__(1)", 0],
  ["1 $ 2", 2],
  ['"open', 0],
  ["a.b.c", 3],
  ["alert`1`", 5],
  ["(".repeat(500) + "1" + ")".repeat(500), 100],
  ["2^".repeat(500) + "2", 200],
];

for (const [text, at] of BAD)
  test(`not understood: ${text.slice(0, 40)}`, () =>
    assert.throws(
      () => parse(text),
      (error) => {
        assert.ok(error instanceof ExpressionError, String(error));
        assert.ok(Math.abs(error.at - at) <= 1, `at ${error.at}, not ${at}`);
        return true;
      },
    ));

test("the values that it names, but for those of aggregates", () => {
  assert.deepEqual(
    valuesOf(parse("-A + max(B, sqrt(C)) * sum(D)")).map((v) => v.name),
    ["A", "B", "C"],
  );
});
