// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { matchPattern } from "../src/data/states/pattern.js";
import { Query, QueryError } from "../src/data/states/query.js";
import { parseSeconds } from "../src/data/time.js";

const cases = JSON.parse(
  readFileSync(
    new URL("../../../tests/fixtures/query/cases.json", import.meta.url),
    "utf8",
  ),
);

function itemOf({ from, to, waited, attributes, ...others }) {
  return {
    ...others,
    start: parseSeconds(from),
    end: parseSeconds(to),
    waited: parseSeconds(waited ?? "0"),
    attribute: (name) =>
      Object.hasOwn(attributes ?? {}, name) ? attributes[name] : undefined,
  };
}

test("queries match items", () => {
  const items = Object.entries(cases.items).map(([name, item]) => [
    name,
    itemOf(item),
  ]);

  assert.ok(cases.queries.length > 80);
  for (const { query, matches } of cases.queries) {
    const parsed = new Query(query, parseSeconds(cases.start));

    assert.deepEqual(
      items.filter(([, item]) => parsed.matches(item)).map(([name]) => name),
      matches,
      query,
    );
  }
});

test("errors have a column and a reason", () => {
  assert.ok(cases.errors.length > 40);
  for (const { query, column, text } of cases.errors)
    assert.throws(
      () => new Query(query),
      (error) => {
        assert.ok(error instanceof QueryError, query);
        assert.deepEqual([error.column, error.message], [column, text], query);
        return true;
      },
    );
});

test("patterns end, however many stars they have", () => {
  assert.ok(!matchPattern(`${"*a".repeat(200)}b`, "a".repeat(2000)));
  assert.ok(matchPattern("[", "[") && matchPattern("[a-", "[a-"));
  assert.ok(matchPattern("[a-]", "-") && !matchPattern("[a-]", "b"));
  assert.ok(matchPattern("?", "😀"));
});
