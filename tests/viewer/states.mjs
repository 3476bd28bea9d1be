// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the panels about states and messages, in intervals by chance, against what
// hdtrace dump prints:
//
//     node states.mjs HDTRACE PAGE PROJECT INTERVALS SEED
//
// The project is one of make-project: each Isend has one message.
import { execFileSync } from "node:child_process";
import { evenness, iterationsOf } from "../../HDTraceTools/viewer/src/data/states/balance.js";
import { callTree } from "../../HDTraceTools/viewer/src/data/states/calls.js";
import { findAlike } from "../../HDTraceTools/viewer/src/data/states/behaviour.js";
import { durationsOf } from "../../HDTraceTools/viewer/src/data/states/durations.js";
import { stateProfile } from "../../HDTraceTools/viewer/src/data/energy/energy.js";
import { groupCells, matrixOf } from "../../HDTraceTools/viewer/src/data/relations/matrix.js";
import { Query } from "../../HDTraceTools/viewer/src/data/states/query.js";
import { search } from "../../HDTraceTools/viewer/src/data/states/search.js";
import { openPage } from "./page.mjs";

const [, , hdtrace, page, project, intervals, seed] = process.argv;
const { model } = await openPage(page);
const dump = JSON.parse(
  execFileSync(hdtrace, ["dump", "-q", "--format=json", "--time=relative", project], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  }),
);
let random = Number(seed) >>> 0;
let count = 0;

/** Chance from 0 to 1. */
function chance() {
  random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
  return random / 2 ** 32;
}

const ns = (seconds) => Math.round(seconds * 1e9);

/** All states, with the path of names that they lie in, outermost first. */
const states = dump.traces.flatMap(({ node, records }) => {
  const list = records
    .filter(({ kind }) => kind === "state")
    .map((state) => ({ ...state, node, from: ns(state.start), to: ns(state.end) }))
    .sort((a, b) => a.from - b.from || a.depth - b.depth);
  const stack = [];

  for (const state of list) {
    stack.length = state.depth;
    state.path = [...stack, state.name].join(" ");
    stack.push(state.name);
  }
  return list;
});
const rankOf = new Map(dump.traces.map(({ node }, i) => [node.split("_")[1], i]));
const end = Math.max(...states.map(({ to }) => to));

function check(isTrue, text) {
  count++;
  if (!isTrue) {
    console.log(`# seed ${seed}: ${text}`);
    process.exitCode = 1;
  }
}

const isNear = (a, b) => Math.abs(a - b) <= 2 + 1e-9 * Math.abs(b);

/** Time in an interval. */
const inside = (state, from, to) =>
  Math.max(0, Math.min(state.to, to) - Math.max(state.from, from));

/** Totals by path, of the tree and of the dump. */
async function checkTree(from, to, a, b) {
  const { calls } = await stateProfile(model, a, b, null, () => true, true);
  const { roots, shared } = callTree(calls);
  const found = new Map();
  const add = (nodes, path) => {
    for (const node of nodes) {
      const own = [...path, node.name];

      found.set(own.join(" "), node.ns);
      add(node.children, own);
    }
  };

  add(roots, []);
  check(shared.length === 0, `${shared.length} are shared`);
  const wanted = new Map();

  for (const state of states)
    wanted.set(state.path, (wanted.get(state.path) ?? 0) + inside(state, from, to));
  for (const [path, time] of wanted)
    check(isNear(found.get(path) ?? 0, time), `${path} ${from} ${to}: ${found.get(path)}, not ${time}`);
}

async function checkDurations(name, from, to, a, b) {
  const { lengths, longest, isExact } = await durationsOf(model.traces, name, {
    from: a,
    to: b,
  });
  const wanted = states
    .filter((state) => state.name === name && state.from < to && state.to > from)
    .map((state) => state.to - state.from)
    .sort((x, y) => x - y);

  check(isExact && lengths.length === wanted.length, `${name}: ${lengths.length}, not ${wanted.length}`);
  check(
    wanted.every((length, i) => isNear(lengths[i], length)),
    `lengths of ${name} from ${from} to ${to}`,
  );
  check(
    !wanted.length || isNear(longest[0].length, wanted.at(-1)),
    `longest ${name}: ${longest[0]?.length}, not ${wanted.at(-1)}`,
  );
}

/** When each message was received, by the state that sent it: the n-th of a sender, a
 *  receiver and a tag is the n-th that the receiver got. */
const received = (() => {
  const queues = new Map();
  const found = new Map();
  const rank = new Map(dump.traces.map(({ node }) => [node, node.split("_")[1]]));

  for (const state of states.filter(({ attributes }) => attributes?.fromRank !== undefined)) {
    const { fromRank, fromTag } = state.attributes;
    const key = `${fromRank} ${rank.get(state.node)} ${fromTag}`;

    if (!queues.has(key)) queues.set(key, []);
    queues.get(key).push(state.to);
  }
  for (const state of states.filter(({ name }) => name === "Isend")) {
    const { toRank, toTag } = state.attributes;

    found.set(state, queues.get(`${rank.get(state.node)} ${toRank} ${toTag}`)?.shift());
  }
  return found;
})();

async function checkMatrix(from, to, a, b) {
  const { cells, isExact } = await matrixOf(model.messages, a, b);
  const sends = states.filter(
    (state) => /^Isend$/.test(state.name) && state.from > from && state.from <= to,
  );
  const [all] = groupCells(cells, () => 0);

  check(isExact, "not all messages");
  check((all?.count ?? 0) === sends.length, `${all?.count} messages, not ${sends.length}`);
  check(
    (all?.bytes ?? 0) === sends.reduce((sum, { attributes }) => sum + Number(attributes.size), 0),
    `${all?.bytes} bytes`,
  );
  const time = sends.reduce((sum, send) => sum + received.get(send) - send.from, 0);

  check(isNear(all?.ns ?? 0, time), `messages are under way for ${all?.ns} ns, not ${time}`);
  for (const cell of cells) {
    const own = sends.filter(
      ({ node, attributes }) =>
        node === dump.traces[cell.from].node &&
        rankOf.get(attributes.toRank) === cell.to,
    );

    check(own.length === cell.count, `${cell.from} to ${cell.to}: ${cell.count}, not ${own.length}`);
  }
}

/** The n-th states of the name of all ranks. */
async function checkIterations(name, from, to, a, b) {
  const { list } = await iterationsOf(model, name, {
    from: a,
    to: b,
    isWanted: () => true,
  });
  const rounds = [];

  for (const { node } of dump.traces)
    states
      .filter((s) => s.node === node && s.name === name && s.from >= from && s.from < to)
      .forEach((state, i) => (rounds[i] ??= []).push(state.to - state.from));
  check(list.length === rounds.length, `${list.length} iterations, not ${rounds.length}`);
  rounds.forEach((lengths, i) =>
    check(
      isNear(list[i].most, evenness(lengths).most) && list[i].traces === lengths.length,
      `iteration ${i}`,
    ),
  );
}

/** Ranks of a host that are alike, from the states of the dump. */
async function checkAlike(a, b) {
  const { groups, isComplete } = await findAlike(model, { from: a, to: b });
  const own = new Map();

  for (const { node } of dump.traces) {
    const list = states.filter((state) => state.node === node);
    const times = new Map();
    const add = (name, time) => times.set(name, (times.get(name) ?? 0) + time);
    const open = [];

    for (const state of list) {
      open.length = state.depth;
      add(state.name, state.to - state.from);
      if (open.length) add(open.at(-1), state.from - state.to);
      open.push(state.name);
    }
    // All of it is in states at the top.
    add("", Math.max(...list.map(({ to }) => to)) - Math.min(...list.map(({ from }) => from)));
    for (const { from, to } of list.filter(({ depth }) => depth === 0)) add("", from - to);
    own.set(node, times);
  }
  const shareOf = (node, name) => {
    const times = own.get(node);

    return (times.get(name) ?? 0) / [...times.values()].reduce((x, y) => x + y);
  };
  const names = new Set([...own.values()].flatMap((times) => [...times.keys()]));
  const entropy = (list) => -list.reduce((sum, p) => sum + (p > 0 ? p * Math.log2(p) : 0), 0);
  // By entropies, which is another way to write it.
  const far = (x, y) => {
    const [p, q] = [x, y].map((node) => [...names].map((name) => shareOf(node, name)));

    return Math.sqrt(
      Math.max(0, entropy(p.map((v, i) => (v + q[i]) / 2)) - (entropy(p) + entropy(q)) / 2),
    );
  };
  const wanted = [];
  const [hostOf, numberOf] = [0, 1].map((i) => (node) => node.split("_")[i]);

  for (const { node } of [...dump.traces].sort((x, y) => numberOf(x.node) - numberOf(y.node))) {
    const group = wanted.find(
      ([leader]) => hostOf(leader) === hostOf(node) && far(leader, node) <= 0.05,
    );

    if (group) group.push(node);
    else wanted.push([node]);
  }
  const textOf = (list) => list.map((group) => group.join(" ")).sort().join("; ");

  check(isComplete, "not all traces");
  check(
    textOf(groups.map((group) => group.map(({ traces: [trace] }) => trace.node.path))) ===
      textOf(wanted),
    `alike: ${textOf(groups.map((g) => g.map(({ label }) => label)))}, not ${textOf(wanted)}`,
  );
}

async function checkQuery(text, matches) {
  let found = 0;

  await search(model, new Query(text, model.origin), { onHit: () => found++ });
  const wanted = states.filter(matches).length;

  check(found === wanted, `${text}: ${found}, not ${wanted}`);
}

for (let i = 0; i < Number(intervals); i++) {
  const [x, y] = [chance(), chance()].sort();
  // The first is all.
  const [from, to] = i ? [Math.floor(x * end), Math.ceil(y * end)] : [-1, end];
  const [a, b] = [model.origin + BigInt(from), model.origin + BigInt(to)];

  await checkTree(from, to, a, b);
  for (const name of ["Recv", "Kernel", "Solve"])
    await checkDurations(name, from, to, a, b);
  await checkMatrix(from, to, a, b);
  await checkIterations("Step", from, to, a, b);
}
await checkAlike(model.start - 1n, model.end);
await checkQuery("name=Recv rank=1..2", (s) => s.name === "Recv" && /_[12]_/.test(s.node));
await checkQuery(
  "@size>1M duration>=100us",
  (s) => Number(s.attributes?.size) > 1e6 && s.to - s.from >= 1e5,
);
await checkQuery("name=*send|Kernel node=node002", (s) => /send$|^Kernel$/.test(s.name) && s.node.startsWith("node002"));
await checkQuery("from>=100ms to<0.2 name!=residual", (s) => s.from >= 1e8 && s.to < 2e8);

/** States by trace, start and end that a query finds, in the page and by hdtrace. */
async function checkWaits(text) {
  const found = [];
  const { traces } = JSON.parse(
    execFileSync(
      hdtrace,
      ["dump", "-q", "--format=json", "--time=relative", `--where=${text}`, project],
      { encoding: "utf8", maxBuffer: 1 << 30 },
    ),
  );
  const wanted = traces.flatMap(({ node, records }) =>
    records.map(({ name, start, end: to }) => `${node} ${name} ${ns(start)} ${ns(to)}`),
  );

  await search(model, new Query(text, model.origin), {
    onHit: ({ trace, name, start, end: to }) =>
      found.push(
        `${model.traces[trace].node.path} ${name} ${start - model.origin} ${to - model.origin}`,
      ),
  });
  check(
    found.sort().join("\n") === wanted.sort().join("\n"),
    `${text}: ${found.length}, not ${wanted.length}`,
  );
  return found.length;
}

check((await checkWaits("wait=*")) > 0, "no waits");
await checkWaits("wait>=1ms rank!=0");
await checkWaits("wait=late-sender|wait-* name!=Recv");
await checkWaits("name=Recv wait!=late-sender duration>100us");
console.log(`# ${count} comparisons`);
