// SPDX-License-Identifier: LGPL-2.1-or-later
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { matchPattern } from "../src/data/states/pattern.js";
import { Query, QueryError } from "../src/data/states/query.js";
import { search } from "../src/data/states/search.js";
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

/** A model of a state of 5 ns in a trace at the deepest level of a project. */
function modelOf(levels) {
  const labels = ["", "host", "3", "1"].slice(0, levels.length + 1);
  const nodes = labels.map((label, level) => ({
    label,
    level,
    path: labels.slice(1, level + 1).join("_"),
    parent: level - 1,
  }));
  const track = {
    names: ["A"],
    isComplete: true,
    refresh: async () => {},
    load: async () => ({
      base: 0n,
      starts: [1],
      lengths: [5],
      names: [0],
      isEvent: [0],
    }),
  };

  return {
    nodes,
    levelsOf: () => levels,
    traces: [
      {
        number: 0,
        node: nodes.at(-1),
        track,
        states: { track, levels: [{ chunks: [{}] }], isExact: true, hasDetails: true },
      },
    ],
  };
}

test("ranks and threads are at the levels that hdtrace dump takes", async () => {
  const count = async (levels, query) => {
    let hits = 0;

    await search(modelOf(levels), new Query(query), { onHit: () => hits++ });
    return hits;
  };

  for (const levels of [
    ["Host", "Rank", "Thread"],
    ["HOST", "RANK1", "thread2"],
    ["Host", "Process", "Part"],
  ]) {
    assert.equal(await count(levels, "rank=3 thread=1 node=host_3"), 1, `${levels}`);
    assert.equal(await count(levels, "rank=1"), 0, `${levels}`);
  }
  assert.equal(await count(["Host", "Process", "Rank"], "rank=1"), 1);
  assert.equal(await count(["Host", "Core"], "rank!=*"), 1);
});
