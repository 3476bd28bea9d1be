// SPDX-License-Identifier: LGPL-2.1-or-later
// How long it takes from the write of data to its picture in hdtrace view, and whether
// page and server stay as large as they are:
//
//     latency.mjs [SECONDS]
//
// A program writes 10 times a second: a state of each of 8 ranks, and the power of
// their node. The time is taken when its files have been flushed, and when the frame
// is drawn after which the page shows the end of what was written.
import { readFileSync } from "node:fs";
import { launch } from "./browser.mjs";
import { Server, Writer } from "./writing.mjs";

const RANKS = 8;
const PERIOD_MS = 100;
const seconds = Number(process.argv[2] ?? 300);
const writer = new Writer("run");

for (let i = 0; i < RANKS; i++) await writer.write("rank");
await writer.write("steps 1", "power 100");
const server = await Server.start("run");
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const session = await page.context().newCDPSession(page);
const faults = [];

page.on("pageerror", (error) => faults.push(error.message));
page.on("console", (message) => {
  if (message.type() === "error") faults.push(message.text());
});
await page.goto(server.address);
await page.waitForSelector(`.row[data-key="t${RANKS - 1}"][data-load="done"]`);
// Of each frame that shows a later end: that end, and when it was drawn.
await page.evaluate(() => {
  globalThis.frames = [];
  let last = "";
  const look = () => {
    const { end } = document.querySelector(".app").dataset;

    if (end !== last) {
      last = end;
      // The frame is on the screen when the next task runs.
      const channel = new MessageChannel();

      channel.port1.onmessage = () =>
        globalThis.frames.push([end, performance.timeOrigin + performance.now()]);
      channel.port2.postMessage(null);
    }
    requestAnimationFrame(look);
  };

  requestAnimationFrame(look);
});

/** Sizes of the page's heap and of the server, in MB. */
async function sizes() {
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");

  return [usedSize / 1e6, Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1e3];
}

const writes = [];
const rows = [];
const begun = performance.now();

for (let i = 0; performance.now() - begun < seconds * 1000; i++) {
  const { stamp, done } = await writer
    .write("steps 1")
    .then(async (stamp) => ({ stamp, done: await writer.write("power 100") }));

  writes.push([stamp, Number(done / 1000n) / 1000]);
  if (i % Math.ceil((seconds * 1000) / PERIOD_MS / 5) === 0)
    rows.push([(performance.now() - begun) / 1000, ...(await sizes())]);
  const next = begun + (i + 1) * PERIOD_MS - performance.now();

  if (next > 0)
    await new Promise((resolve) => {
      setTimeout(resolve, next);
    });
}
await new Promise((resolve) => {
  setTimeout(resolve, 2000);
});
rows.push([(performance.now() - begun) / 1000, ...(await sizes())]);
const frames = (await page.evaluate(() => globalThis.frames)).map(([end, time]) => [
  BigInt(end),
  time,
]);
let at = 0;
const latencies = [];

// The entry of the power ends behind the time that the states were written.
for (const [stamp, done] of writes) {
  while (at < frames.length && frames[at][0] < stamp) at++;
  if (at < frames.length) latencies.push(Math.max(0, frames[at][1] - done));
}
latencies.sort((a, b) => a - b);
const quantile = (part) =>
  latencies[Math.min(latencies.length - 1, Math.floor(part * latencies.length))];

console.log(`writes ${writes.length}, shown ${latencies.length}, frames ${frames.length}`);
console.log(
  `write to paint, ms: median ${quantile(0.5).toFixed(0)}, 99 % ${quantile(0.99).toFixed(0)}, most ${latencies.at(-1).toFixed(0)}`,
);
for (const [time, heap, resident] of rows)
  console.log(
    `after ${time.toFixed(0)} s: heap of the page ${heap.toFixed(1)} MB, server ${resident.toFixed(1)} MB`,
  );
if (faults.length) console.log(`errors of the page: ${faults.join("; ")}`);
await writer.close();
await server.stop();
await browser.close();
process.exitCode = latencies.length === writes.length && !faults.length ? 0 : 1;
