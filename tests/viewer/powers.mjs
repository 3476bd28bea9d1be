// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a page has the energy of a node whose meters are in several files:
//
//     node powers.mjs PAGE JOULES STATE=JOULES...
import { stateProfile, totalEnergy } from "../../HDTraceTools/viewer/src/data/energy/energy.js";
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
process.exit(failures > 0 ? 1 : 0);
