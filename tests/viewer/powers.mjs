// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a page has the energy of a node whose meters are in several files:
//
//     node powers.mjs PAGE JOULES STATE=JOULES...
import { stateProfile, totalEnergy } from "../../HDTraceTools/viewer/src/data/energy/energy.js";
import { stacksOf } from "../../HDTraceTools/viewer/src/data/series/stacks.js";
import { openPage } from "./page.mjs";

const [, , page, joules, ...states] = process.argv;
const { model } = await openPage(page);
const total = await totalEnergy(model, model.start, model.end);
const profile = await stateProfile(model, model.start, model.end);
let failures = 0;

function expect(what, found, expected) {
  console.log(`${what}: ${found} J, expected ${expected} J`);
  if (!(Math.abs(found - expected) <= 1e-6 * expected)) failures++;
}

expect("total", total.joules, Number(joules));
for (const state of states) {
  const [name, expected] = state.split("=");

  expect(name, profile.names.get(name)?.totalEnergy.joules ?? NaN, Number(expected));
}

// The stack of the node has the same, in parts that do not contain each other.
const [{ parts, curves }] = stacksOf(model).values();
const joulesOf = async (series) =>
  Number((await series.moments(model.start, model.end)).result.integral);
let sum = 0;

for (const part of parts) sum += await joulesOf(part);
expect(`stack of ${parts.length} parts`, sum, Number(joules));
expect("its upper edge", await joulesOf(curves[0]), Number(joules));
if (parts.length < 2 || curves.length !== parts.length) failures++;
process.exit(failures > 0 ? 1 : 0);
