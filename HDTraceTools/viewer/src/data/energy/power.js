// SPDX-License-Identifier: LGPL-2.1-or-later
// The power of a node, whose integral over any interval is known: as that of
// powerseries.h. What it is until a time is found from the coarsest level down,
// which needs a few items of each, so that little is loaded.
import { itemOf, upperBound } from "../series/series.js";
import { parseSeconds } from "../time.js";

/** What was added up until a time; of the item that the time cuts, if there is
 *  nothing finer, a part is guessed. */
class Until {
  joules = 0;
  known = 0;
  cut = null;
}

/** An item or entry that a time lies in, and what was before it. */
class Place {
  constructor(before, start, end, joules, known, item) {
    Object.assign(this, { before, start, end, joules, known, item });
  }

  /** @return Until of a time in it; its ends are in it. */
  at(time) {
    const result = new Until();
    const length = Number(this.end - this.start);
    const part = Number(time - this.start);

    result.joules = this.before.joules + (this.joules * part) / length;
    result.known = this.before.known + (this.known * part) / length;
    if (this.item && part > 0 && part < length)
      result.cut = { item: this.item, part, length };
    return result;
  }
}

/** A value that tells power, or the energy of its intervals. */
class PowerColumn {
  constructor(series) {
    this.series = series;
    this.last = null;
  }

  /** Until a time. */
  async until(time) {
    const { last } = this;

    // States that follow each other ask for what is in one entry.
    if (last && last.start <= time && time < last.end) return last.at(time);
    const { levels } = this.series.track;
    const before = { joules: 0, known: 0 };

    if (!levels.length) return new Until();
    return this.#descend(levels.length - 1, 0, Infinity, time, before);
  }

  /** Entries with these numbers are looked at, on a level. */
  async #descend(index, first, last, time, before) {
    const level = this.series.track.levels[index];

    for (const chunk of level.chunks) {
      const behind = level.chunks[chunk.number + 1]?.first ?? Infinity;

      if (behind <= first) continue;
      if (chunk.first >= last || chunk.start >= time) break;
      const [times, values] = await Promise.all([
        this.series.track.load(level, chunk, 0),
        this.series.track.load(level, chunk, this.series.column + 1),
      ]);
      const found = this.#search(level, chunk, times, values, {
        first,
        last,
        time,
        before,
      });

      if (!found) continue;
      if (found.closer)
        return this.#descend(index - 1, ...found.closer, time, before);
      this.last = found;
      return found.at(time);
    }
    return Object.assign(new Until(), before);
  }

  /** Add up what is before a time, and find what it lies in. */
  #search(level, chunk, times, values, { first, last, time, before }) {
    const offset = Number(time - times.base);
    const isFinest = level === this.series.track.levels[0];
    const from = Math.max(
      0,
      level.number === 0
        ? first - chunk.first
        : upperBound(times.firsts, first) - 1,
    );

    for (let i = from; i < times.starts.length; i++) {
      const number = level.number === 0 ? chunk.first + i : times.firsts[i];
      const [start, end] = [times.starts[i], times.ends[i]];

      if (number >= last || start >= offset) break;
      if (end > offset && !isFinest)
        return { closer: [times.firsts[i], times.firsts[i + 1]] };
      const item = level.number === 0 ? null : itemOf(times, values, i);
      const { joules, known } = item
        ? this.#ofItem(item)
        : this.#ofEntry(Number(values.values[i]), end - start);

      if (end > offset)
        return new Place(
          { ...before },
          times.base + BigInt(start),
          times.base + BigInt(end),
          joules,
          known,
          item,
        );
      before.joules += joules;
      before.known += known;
    }
    return null;
  }

  #ofEntry(value, length) {
    const { scale, isPower } = this.series.value;

    if (!Number.isFinite(value)) return { joules: 0, known: 0 };
    return {
      joules: value * scale * (isPower ? length / 1e9 : 1),
      known: length,
    };
  }

  #ofItem({ count, weight, integral, sum }) {
    const { scale, isPower } = this.series.value;

    if (count === 0) return { joules: 0, known: 0 };
    return {
      joules: isPower ? (integral * scale) / 1e9 : Number(sum) * scale,
      known: weight,
    };
  }

  /** By how much the energy between two times can be off, in J. */
  doubt(from, to) {
    if (from.cut && to.cut && from.cut.item === to.cut.item)
      return this.#doubt({ ...to.cut, part: to.cut.part - from.cut.part });
    return this.#doubt(from.cut) + this.#doubt(to.cut);
  }

  #doubt(cut) {
    if (!cut) return 0;
    const { scale, isPower } = this.series.value;
    const moments = this.series.newMoments();

    moments.guess(cut.item, cut.part, cut.length);
    const { error } = moments;

    if (!error) return 0;
    return (isPower ? error.integral : error.total) * scale;
  }
}

/** The values of all groups that make up the power of a node. */
export function seriesOfPower(model, power) {
  return [power, ...(power.others ?? [])].flatMap(({ group, values }) =>
    values.map((i) => model.groups[group].series[i]),
  );
}

export class NodePower {
  /** @param power Of meta.powers. */
  constructor(model, power) {
    const series = seriesOfPower(model, power);

    this.tracks = new Set(series.map(({ track }) => track));
    this.columns = series.map((one) => new PowerColumn(one));
  }

  /** Load what says where the rest is. */
  refresh() {
    return Promise.all([...this.tracks].map((track) => track.refresh()));
  }

  /**
   * Integrate over ]from, to].
   *
   * @return {joules, known, error}: known is the time in ns that all of its
   *         values are known for; error is not 0 if data was reduced.
   */
  async amount(from, to) {
    const result = { joules: 0, known: 0, error: 0 };

    if (to <= from || this.columns.length === 0) return result;
    result.known = Infinity;
    for (const column of this.columns) {
      const a = await column.until(from);
      const b = await column.until(to);

      result.joules += b.joules - a.joules;
      result.known = Math.min(result.known, b.known - a.known);
      result.error += column.doubt(a, b);
    }
    return result;
  }
}

/** When the share of a trace changes, and what it is from then on. */
function shareSteps(ranks, threads) {
  const steps = [];
  let i = 0;
  let k = 0;
  let active = 0;
  let own = 0;

  while (i < ranks.length || k < threads.length) {
    const a = i < ranks.length ? parseSeconds(ranks[i][0]) : null;
    const b = k < threads.length ? parseSeconds(threads[k][0]) : null;
    const time = b === null || (a !== null && a < b) ? a : b;

    if (a === time) active = ranks[i++][1];
    if (b === time) own = threads[k++][1];
    steps.push({ time, share: active && own ? 1 / active / own : 0 });
  }
  return steps;
}

/** What a trace is charged with: its share of a node's power while it is
 *  active, as attribution.h has it. */
export class TracePower {
  /**
   * @param ranks [time, how many are active from then on] of the node.
   * @param threads The same of the traces of the rank, while this one is active.
   * @param isShared Whether relations get a share, too: then the trace is
   *        charged with that much at most.
   */
  constructor(node, ranks, threads, isShared) {
    this.node = node;
    this.isShared = isShared;
    this.steps = shareSteps(ranks, threads);
  }

  refresh() {
    return this.node.refresh();
  }

  /** The step that holds at a time, or -1. */
  #stepAt(time) {
    let low = -1;
    let high = this.steps.length;

    while (high - low > 1) {
      const middle = (low + high) >> 1;

      if (this.steps[middle].time <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Integrate over ]from, to]: as NodePower does, and the node's joules. */
  async amount(from, to) {
    const result = { joules: 0, known: 0, error: 0, node: 0 };

    for (let i = Math.max(0, this.#stepAt(from)); i < this.steps.length; i++) {
      const { time, share } = this.steps[i];
      const next = this.steps[i + 1]?.time ?? to;
      const start = time > from ? time : from;
      const end = next < to ? next : to;

      if (time >= to) break;
      if (end <= start || share === 0) continue;
      const amount = await this.node.amount(start, end);

      result.joules += amount.joules * share;
      result.known += amount.known;
      result.error += amount.error * share;
      result.node += amount.joules;
    }
    return result;
  }
}
