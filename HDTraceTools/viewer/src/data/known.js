// SPDX-License-Identifier: LGPL-2.1-or-later
// Of how much of a time something is known, and what may be said then: the one
// rule for energies and mean powers of all panels, the same as that of known.h
// for all that prints them. An energy is that of the time in which power is
// known. If that is less than 99.5 % of the time it stands for, it is marked as
// what it is at least; below 50 % there is no mean; of nothing nothing is known.
import { quantity } from "./numbers.js";

const WHOLE = 0.995;
const MEAN = 0.5;

/** Time that is known, of a duration, in one unit. */
export class Known {
  constructor(known, duration) {
    this.known = known;
    this.duration = duration;
  }

  get share() {
    return this.duration > 0 ? this.known / this.duration : this.known > 0 ? 1 : 0;
  }

  get isAny() {
    return this.known > 0;
  }

  get isWhole() {
    return this.isAny && this.share >= WHOLE;
  }

  get hasMean() {
    return this.isAny && this.share >= MEAN;
  }

  /** What stands before an energy. */
  get mark() {
    return this.isAny && !this.isWhole ? "≥ " : "";
  }

  /** An energy as text: how it is known, then how exactly. */
  total(joules, { digits = 5, error = 0, unit = "J" } = {}) {
    if (!this.isAny) return "unknown";
    const bound = error > 0 ? ` ± ${quantity(error, unit, 2)}` : "";
    const about = error > 0 ? "≈ " : "";

    return `${this.mark}${about}${quantity(joules, unit, digits)}${bound}`;
  }

  /** A mean power as text, of the total. */
  mean(watts, { digits = 4, error = 0 } = {}) {
    if (!this.hasMean) return "unknown";
    return `${error > 0 ? "≈ " : ""}${quantity(watts, "W", digits)}`;
  }

  /** In words, for titles and notes; "" if all is known. */
  get note() {
    if (this.isWhole) return "";
    if (!this.isAny) return "power is not known here";
    // Not rounded up to what would need no mark.
    const percent = Math.floor(this.share * 1000) / 10;

    return `power is known for ${percent} % of the time`;
  }
}

/** Of several that last equally long: what is known of that of which least is. */
export function leastKnown(list) {
  return list.reduce((least, one) => (one.share < least.share ? one : least));
}

/** What a report says of an energy, by the time it stands for in s. */
export function knownOf(energy, seconds) {
  if (!energy) return new Known(0, seconds);
  return new Known(
    Number(energy.known_s ?? energy.seconds),
    Number(energy.duration_s ?? seconds),
  );
}
