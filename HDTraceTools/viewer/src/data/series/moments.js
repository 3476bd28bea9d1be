// SPDX-License-Identifier: LGPL-2.1-or-later
// Mean, deviation and time integral of a gauge, as moments.h defines them: every
// entry weighs as much as its interval is long; an entry without a value is
// missing and takes part in nothing else; of an entry that lies partly inside the
// part inside counts. Lengths are in ns.

/** A sum in twice the precision of double. */
export class Sum {
  high = 0;
  low = 0;

  add(value) {
    const total = this.high + value;

    if (Number.isFinite(total)) {
      const back = total - this.high;

      this.low += this.high - (total - back) + (value - back);
    }
    this.high = total;
  }

  get value() {
    return this.high + this.low;
  }
}

export class Moments {
  count = 0;
  missing = 0;
  weight = 0;
  min = null;
  max = null;
  /** By how much results can be off, where an interval ends in what was
   *  reduced. */
  uncertain = { integral: 0, weight: 0, isAny: false };
  /** Extremes of items that only perhaps are inside. */
  outerMin = null;
  outerMax = null;
  #integral = new Sum();
  #mean = 0;
  #squares = 0;

  /** Entries with a value. */
  get entries() {
    return this.count;
  }

  #extreme(min, max) {
    if (this.min === null || min < this.min) this.min = min;
    if (this.max === null || max > this.max) this.max = max;
  }

  #addWeighted(value, length) {
    if (!(length > 0)) return;
    this.weight += length;
    this.#integral.add(value * length);
    const delta = value - this.#mean;

    this.#mean += delta * (length / this.weight);
    this.#squares += length * delta * (value - this.#mean);
  }

  /** Add an entry that lies inside as a whole; value: a number or BigInt. */
  add(value, length) {
    const number = Number(value);

    if (Number.isNaN(number)) {
      this.missing++;
      return;
    }
    this.#extreme(value, value);
    this.count++;
    this.#addWeighted(number, length);
    // What a double cannot hold of an integer goes into the integral, too.
    if (typeof value === "bigint" && length > 0)
      this.#integral.add(Number(value - BigInt(number)) * length);
  }

  /** Add the part of an entry that lies inside. */
  addPart(value, part) {
    this.add(value, part);
  }

  /** Add the sums of entries. */
  merge(item) {
    if (item.count === 0) {
      this.missing += item.missing;
      return;
    }
    this.#extreme(item.min, item.max);
    this.count += item.count;
    this.missing += item.missing;
    this.#integral.add(item.integral);
    if (!(item.weight > 0)) return;
    const mean = item.integral / item.weight;
    const delta = mean - this.#mean;
    const before = this.weight;

    this.#squares += item.squares;
    this.weight += item.weight;
    if (before > 0)
      this.#squares += delta * delta * item.weight * (before / this.weight);
    this.#mean += delta * (item.weight / this.weight);
  }

  /** Add the part of some entries of which only the sum is known: as if the
   *  value were their mean all the time. */
  guess(item, part, length) {
    const share = part / length;

    if (item.count === 0) {
      this.missing += Math.round(item.missing * share);
      return;
    }
    const weight = item.weight * share;
    const integral = item.weight > 0 ? (item.integral / item.weight) * weight : 0;

    this.#addDoubt(item, part, length, weight, integral);
    if (this.outerMin === null || item.min < this.outerMin)
      this.outerMin = item.min;
    if (this.outerMax === null || item.max > this.outerMax)
      this.outerMax = item.max;
    this.count += Math.max(1, Math.round(item.count * share));
    this.missing += Math.round(item.missing * share);
    if (weight > 0) this.#addWeighted(integral / weight, weight);
    this.#squares += item.squares * share;
  }

  /** How far off a guess can be. */
  #addDoubt(item, part, length, weight, integral) {
    const low = Number(item.min);
    const high = Number(item.max);
    // Time with a value in the part: all of it can lie outside, or inside.
    const least = Math.max(0, item.weight - (length - part));
    const most = Math.min(item.weight, part);
    const [rest0, rest1] = [item.weight - most, item.weight - least];
    // No more than the maximum all the time, nor more than leaves the minimum
    // for the rest; and the other way round.
    const above = Math.min(
      Math.max(high * least, high * most),
      item.integral - Math.min(low * rest0, low * rest1),
    );
    const below = Math.max(
      Math.min(low * least, low * most),
      item.integral - Math.max(high * rest0, high * rest1),
    );
    const { uncertain } = this;

    uncertain.isAny = true;
    uncertain.integral += Math.max(above - integral, integral - below, 0);
    uncertain.weight += Math.max(most - weight, weight - least);
  }

  /** Results; NaN where there is none. Times in seconds. */
  get result() {
    const { weight, count } = this;
    const min = this.min ?? this.outerMin;
    const max = this.max ?? this.outerMax;

    if (count === 0)
      return {
        mean: NaN,
        deviation: NaN,
        min: NaN,
        max: NaN,
        integral: NaN,
      };
    const integral = this.#integral.value;

    return {
      mean: weight > 0 ? integral / weight : NaN,
      deviation: weight > 0 ? Math.sqrt(this.#squares / weight) : NaN,
      min,
      max,
      integral: integral / 1e9,
    };
  }

  /** By how much results can be off; null if they are exact. */
  get error() {
    if (!this.uncertain.isAny) return null;
    const { min, max } = this;
    const below =
      this.outerMin !== null && (min === null || this.outerMin < min);
    const above =
      this.outerMax !== null && (max === null || this.outerMax > max);

    const { integral, weight } = this.uncertain;
    const mean = this.weight > 0 ? this.#integral.value / this.weight : NaN;

    return {
      weight,
      integral: integral / 1e9,
      mean:
        this.weight > weight
          ? (integral + Math.abs(mean) * weight) / (this.weight - weight)
          : Math.max(Number(max ?? this.outerMax) - mean, mean - Number(min ?? this.outerMin)),
      min: below ? Number(min ?? this.outerMax) - Number(this.outerMin) : 0,
      max: above ? Number(this.outerMax) - Number(max ?? this.outerMin) : 0,
    };
  }
}
