// SPDX-License-Identifier: LGPL-2.1-or-later
// How much of a duration is known, and the marks that follow from it: the rule
// for energies and mean powers of all panels, the same as in known.h. An energy
// covers the time in which power is known. If that is less than 99.5 % of the
// duration, the energy is marked as a lower bound. Below 50 % there is no mean.
// If nothing is known, the energy is unknown.
import { isVisible, quantity } from "../numbers.js";

const WHOLE = 0.995;
const MEAN = 0.5;

/** Time that is known, of a duration, in one unit. */
export class Known {
  /** @param of What is known for that time. */
  constructor(known, duration, of = "power") {
    this.known = known;
    this.duration = duration;
    this.of = of;
    this.isAny = known > 0;
  }

  get share() {
    return this.duration > 0 ? this.known / this.duration : this.known > 0 ? 1 : 0;
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
  total(joules, { digits = 4, error = 0, unit = "J" } = {}) {
    if (!this.isAny) return "unknown";
    const bound = isVisible(error, joules) ? ` ± ${quantity(error, unit, 2)}` : "";
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
    if (!this.isAny) return `${this.of} is unknown here`;
    // Not rounded up to what would need no mark.
    const percent = Math.floor(this.share * 1000) / 10;

    return `${this.of} is known for ${percent} % of the time`;
  }
}

/** Of nodes: what is known of that of which least is; but if anything is known
 *  of any, their energy is known to be that at least. */
export function leastKnown(list) {
  const { known, duration } = list.reduce((least, one) =>
    one.share < least.share ? one : least,
  );
  const result = new Known(
    known,
    duration,
    list.length > 1 ? "the power of a node" : "power",
  );

  result.isAny = list.some((one) => one.isAny);
  return result;
}

/**
 * The difference of two energies, b minus a: {joules, note}. Energies that are not
 * known for the whole time are lower bounds, which have no difference: then joules
 * is NaN, and the note names the run and the known part. hdtrace compare has the
 * same rule (differences.c).
 *
 * @param a, b {name, joules, known}.
 */
export function differenceOf(a, b) {
  const partial = [a, b].filter(({ known }) => !known.isWhole);

  if (!partial.length) return { joules: b.joules - a.joules, note: "" };
  return {
    joules: NaN,
    note: partial.map(({ name, known }) => `${name}: ${known.note}`).join("; "),
  };
}

/** What a report says of the energy of a node in so many s. */
export function knownOf(energy, seconds) {
  return new Known(Number(energy?.known_s ?? energy?.seconds ?? 0), seconds);
}

/** The energies of nodes in a report, in so many s: {known, watts}, of which the
 *  power is that of each while it is known. */
export function knownOfNodes(energies, seconds) {
  const list = energies.map((energy) => knownOf(energy, seconds));

  return {
    known: list.length ? leastKnown(list) : new Known(0, seconds),
    watts: list.reduce(
      (sum, { known, isAny }, i) =>
        sum + (isAny ? energies[i].joules / known : 0),
      0,
    ),
  };
}
