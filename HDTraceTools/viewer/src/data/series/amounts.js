// SPDX-License-Identifier: LGPL-2.1-or-later
// Total and rate of the entries of a delta, or of what a counter grew by, as
// amounts.h and moments.h define them: of an entry that lies partly inside its
// share counts. Lengths are in ns, rates in the unit of rates of the value.
import { Sum } from "./moments.js";

/** What is known of a counter in an entry: enum entriesGrowth of entries.h. */
export const GROWTH = { known: 0, reset: 1, unknown: 2, missing: 3 };

/** A smallest and a largest number; of items that perhaps are inside only, too. */
class Range {
  min = null;
  max = null;
  outerMin = null;
  outerMax = null;

  add(min, max) {
    if (Number.isNaN(Number(min))) return;
    if (this.min === null || min < this.min) this.min = min;
    if (this.max === null || max > this.max) this.max = max;
  }

  addOuter(min, max) {
    if (Number.isNaN(Number(min))) return;
    if (this.outerMin === null || min < this.outerMin) this.outerMin = min;
    if (this.outerMax === null || max > this.outerMax) this.outerMax = max;
  }

  /** [min, max], NaN if there are none. */
  get ends() {
    return [this.min ?? this.outerMin ?? NaN, this.max ?? this.outerMax ?? NaN];
  }

  /** By how much these can be off. */
  get errors() {
    const { min, max, outerMin, outerMax } = this;
    const isBelow = outerMin !== null && (min === null || outerMin < min);
    const isAbove = outerMax !== null && (max === null || outerMax > max);

    return [
      isBelow ? Number(min ?? outerMax) - Number(outerMin) : 0,
      isAbove ? Number(outerMax) - Number(max ?? outerMin) : 0,
    ];
  }
}

export class Amounts {
  /** Entries with an amount; without any value; of counters, with a reading of
   *  which the growth is not known; and those that began again. */
  count = 0;
  missing = 0;
  bare = 0;
  resets = 0;
  weight = 0;
  uncertain = { total: 0, weight: 0, isAny: false };
  #shares = 0;
  #integer = 0n;
  #sum = new Sum();
  #range = new Range();
  #rates = new Range();

  /**
   * @param isInteger Whether totals are exact integers.
   * @param isCounter Whether amounts are the growth of a counter.
   * @param factor What an amount a second is multiplied with to be a rate.
   */
  constructor({ isInteger = false, isCounter = false, factor = 1 } = {}) {
    Object.assign(this, { isInteger, isCounter, factor });
  }

  /** Entries with a value. */
  get entries() {
    return this.count + this.bare;
  }

  #rate(amount, length) {
    return length > 0 ? (amount * this.factor) / (length / 1e9) : NaN;
  }

  /** Note an entry, of which so much lies inside; whether it has an amount. */
  #take(value, part, length, growth) {
    const number = Number(value);

    if (Number.isNaN(number)) {
      if (growth === GROWTH.unknown) this.bare++;
      else this.missing++;
      return false;
    }
    const rate = this.#rate(number, length);

    this.count++;
    this.weight += part;
    this.#range.add(value, value);
    this.#rates.add(rate, rate);
    return true;
  }

  /** Add an entry that lies inside as a whole: a number or BigInt; of a counter,
   *  what it grew by, and what is known of it. */
  add(value, length, growth = GROWTH.known) {
    if (!this.#take(value, length, length, growth)) return;
    if (growth === GROWTH.reset) this.resets++;
    if (this.isInteger && !this.isCounter) this.#integer += BigInt(value);
    else this.#sum.add(Number(value));
  }

  /** Add the part of an entry that lies inside; a counter begins again at the end
   *  of it. */
  addPart(value, part, length, growth = GROWTH.known, hasEnd = true) {
    if (!this.#take(value, part, length, growth)) return;
    if (growth === GROWTH.reset && hasEnd) this.resets++;
    this.#shares++;
    this.#sum.add(Number(value) * (part / length));
  }

  #addCounts({ missing, bare, resets }, share) {
    this.missing += Math.round(missing * share);
    this.bare += Math.round(bare * share);
    this.resets += Math.round(resets * share);
  }

  /** Add the sums of entries. */
  merge(item) {
    this.#addCounts(item, 1);
    if (item.count === 0) return;
    this.count += item.count;
    this.weight += item.weight;
    this.#range.add(item.min, item.max);
    this.#rates.add(item.rateMin, item.rateMax);
    if (this.isInteger && !this.isCounter) {
      this.#integer += BigInt(item.sum);
      return;
    }
    this.#sum.add(item.sum);
    this.#sum.add(item.rest);
  }

  /** Add the part of some entries of which only the sum is known: as if the rate
   *  were the same all the time. */
  guess(item, part, length) {
    const share = part / length;
    const { uncertain } = this;

    this.#addCounts(item, share);
    if (item.count === 0) return;
    const sum = Number(item.sum) + item.rest;
    // Time with an amount in the part: all of it can lie outside, or inside.
    const least = Math.max(0, item.weight - (length - part));
    const most = Math.min(item.weight, part);
    const weight = item.weight * share;

    this.#shares++;
    this.count += Math.max(1, Math.round(item.count * share));
    this.weight += weight;
    this.#sum.add(sum * share);
    this.#range.addOuter(item.min, item.max);
    this.#rates.addOuter(item.rateMin, item.rateMax);
    uncertain.isAny = true;
    uncertain.weight += Math.max(most - weight, weight - least);
    uncertain.total +=
      this.isCounter || item.min >= 0 || item.max <= 0
        ? Math.abs(sum) * Math.max(share, 1 - share)
        : item.count * Math.max(Math.abs(Number(item.min)), Math.abs(Number(item.max)));
  }

  /** The total, exact where that is possible. */
  get #total() {
    const { high, low } = this.#sum;

    if (this.isInteger && this.#shares === 0) {
      if (!this.isCounter) return this.#integer;
      if (Number.isInteger(high) && Number.isInteger(low))
        return BigInt(high) + BigInt(low);
    }
    return Number(this.#integer) + this.#sum.value;
  }

  /** Results; NaN where there is none. */
  get result() {
    const isAny = this.count > 0;
    const total = isAny ? this.#total : NaN;
    const [min, max] = this.#range.ends;
    const [rateMin, rateMax] = this.#rates.ends;

    return {
      total,
      rate: this.#rate(Number(total), this.weight),
      min,
      max,
      rateMin,
      rateMax,
      resets: this.resets,
    };
  }

  /** By how much results can be off; null if they are exact. */
  get error() {
    if (!this.uncertain.isAny) return null;
    const { total, weight } = this.uncertain;
    const [min, max] = this.#range.errors;
    const [rateMin, rateMax] = this.#rates.errors;
    const [slowest, fastest] = this.#rates.ends;
    const { rate } = this.result;

    return {
      weight,
      total,
      rate:
        this.weight > weight
          ? (total * this.factor * 1e9 + Math.abs(rate) * weight) /
            (this.weight - weight)
          : Math.max(fastest - rate, rate - slowest),
      min,
      max,
      rateMin,
      rateMax,
    };
  }
}
