// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of states of an interval, as the server makes it of all traces.
import { Profile } from "./states.js";

/** So long it takes until it is asked again, in ms: at first, and at most. */
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 400;

function energyOf(joules, known) {
  return { joules: joules ?? 0, known: Math.round(known * 1e9), error: 0, node: NaN };
}

/** A Profile of rows of the server. */
function profileOf({ states, hasEnergy, isComplete, hasFailed, done, total }) {
  const profile = new Profile();

  profile.hasEnergy = hasEnergy;
  profile.part = isComplete || !total ? 1 : done / total;
  profile.isComplete = isComplete;
  profile.hasFailed = hasFailed;
  for (const row of states) {
    const entry = profile.at(row.name);

    entry.count = row.count;
    entry.own = Math.round(row.own_s * 1e9);
    entry.total = Math.round(row.total_s * 1e9);
    entry.ownEnergy = energyOf(row.energy_j, row.known_s);
    entry.totalEnergy = energyOf(row.total_energy_j, row.total_known_s);
  }
  return profile;
}

/** Whether a model has such tables: those of one project on a server. */
export function hasServedProfile(model) {
  return model.source.isServed && !model.isJoined && !model.meta.relations.length;
}

/**
 * Ask until the table is complete.
 *
 * @param goesOn Asked now and then; false: it is not wanted any more.
 * @param show Is given what there is so far: a Profile with part, from 0 to 1.
 *
 * @return The Profile; null if it is not wanted any more.
 */
export async function servedProfile(model, from, to, goesOn, show) {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, 2 * pause)) {
    const found = await model.source.profile(from, to);

    if (!found || !goesOn()) return null;
    const profile = profileOf(found);

    if (profile.isComplete || profile.hasFailed) return profile;
    show(profile);
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!goesOn()) return null;
  }
}
