// SPDX-License-Identifier: LGPL-2.1-or-later
// Work that takes longer than a frame may: some milliseconds at a time, so that
// the reader can scroll and zoom meanwhile.

/** So long the main thread is taken at a time, in ms. */
const SLICE_MS = 4;

/** Let others work. */
function pause() {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** When an asynchronous function has worked for long enough. */
export class Slices {
  begun = performance.now();

  /** Let others work, if it has; says whether it had. */
  async rest() {
    if (performance.now() - this.begun < SLICE_MS) return false;
    await pause();
    this.begun = performance.now();
    return true;
  }
}

/** Go through a generator at once; returns what it does. */
export function atOnce(steps) {
  for (;;) {
    const { done, value } = steps.next();

    if (done) return value;
  }
}

/**
 * Go through a generator, in slices.
 *
 * @param isWanted Asked after each pause; what is not wanted any more ends.
 *
 * @return What it does; undefined if that was not wanted.
 */
export async function inSlices(steps, isWanted = () => true) {
  const slices = new Slices();

  for (;;) {
    const { done, value } = steps.next();

    if (done) return value;
    if ((await slices.rest()) && !isWanted()) return undefined;
  }
}
