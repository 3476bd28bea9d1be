// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages of MPI: all, and on coarser levels those that took longest
// (messagepyramid.h).
import { Slices } from "../codec/slices.js";
import { chunksBetween } from "../codec/track.js";
import { upperBound } from "../series/series.js";

/** Decoder of the track of messages. */
export function messageDecoder(track, level, chunk, part, columns) {
  const gaps = columns.numbers();
  const sent = new Float64Array(gaps.length);
  let at = 0;

  for (let i = 0; i < gaps.length; i++) {
    at += gaps[i];
    sent[i] = at;
  }
  return {
    base: chunk.start,
    sent,
    times: columns.numbers(),
    from: columns.numbers(),
    to: columns.numbers(),
    sizes: columns.next(),
    tags: columns.next(),
    groups: columns.numbers(),
  };
}

/**
 * How long the receiver waited until a message was sent, in ns; negative: how long the
 * message waited for the receiver. null: unknown.
 *
 * @param call The state in which it was received: it ends with the message, or it is not
 *        the receiving call.
 */
export function receiverWait({ sent, received }, call) {
  return call?.end === received && received >= sent ? Number(sent - call.start) : null;
}

export class Messages {
  /** @param list Of each project {track, at: {traces, communicators}}: where its
   *         own begin among all. */
  constructor(list) {
    this.list = list;
  }

  get tracks() {
    return this.list.map(({ track }) => track);
  }

  get count() {
    return this.tracks.reduce(
      (sum, { levels }) => sum + (levels[0]?.items ?? 0),
      0,
    );
  }

  /** So many messages of a level are under way in a view, about. */
  #countIn(level, from, to) {
    let count = 0;

    for (const chunk of level.chunks) {
      if (chunk.end < from || chunk.start > to) continue;
      const length = Number(chunk.end - chunk.start) || 1;
      const start = from > chunk.start ? from : chunk.start;
      const end = to < chunk.end ? to : chunk.end;

      count += (chunk.count * Number(end - start)) / length;
    }
    return count;
  }

  /**
   * Messages that are under way in a view: no more than about so many.
   *
   * @return {list, all}: messages, and how many there are in the view; null if
   *         they are not loaded.
   */
  peek(from, to, limit) {
    const found = this.list.map((one) =>
      this.#peek(one, from, to, limit / this.list.length),
    );

    if (found.some((one) => !one)) return null;
    return {
      list: found.flatMap((one) => one.list),
      all: found.reduce((sum, one) => sum + one.all, 0),
    };
  }

  #peek({ track, at }, from, to, limit) {
    const { levels } = track;
    let index = 0;

    if (!levels.length) return { list: [], all: 0 };
    while (
      index < levels.length - 1 &&
      this.#countIn(levels[index], from, to) > limit
    )
      index++;
    const list = [];

    for (const chunk of chunksBetween(levels[index], from, to)) {
      const data = track.peek(levels[index], chunk, 0);

      if (!data) return null;
      const start = Number(from - data.base);
      const end = Number(to - data.base);

      for (let i = 0; i < upperBound(data.sent, end); i++)
        if (data.sent[i] + Math.max(data.times[i], 0) >= start)
          list.push(describe(data, i, at));
    }
    const all =
      index === 0
        ? list.length
        : Math.round(this.#countIn(levels[0], from, to));

    return { list, all };
  }

  /** Whether all messages are there. */
  get isExact() {
    return this.tracks.every(
      ({ finest, isComplete }) => isComplete && (finest?.number ?? 0) === 0,
    );
  }

  /**
   * Messages that are under way in a stretch of time, of the finest level that is
   * there, in the order of sending.
   *
   * @param take Takes each.
   * @param isWanted Asked now and then; false: it is not wanted any more.
   *
   * @return Whether it was wanted to the end.
   */
  async each(from, to, take, isWanted = () => true) {
    const slices = new Slices();

    for (const { track, at } of this.list) {
      await track.refresh();
      if (!isWanted()) return false;
      if (!track.finest) continue;
      for (const chunk of chunksBetween(track.finest, from, to)) {
        const data = await track.load(track.finest, chunk, 0);
        const [start, end] = [Number(from - data.base), Number(to - data.base)];

        for (let i = 0; i < data.sent.length; i++) {
          const first = Math.min(data.sent[i], data.sent[i] + data.times[i]);
          const last = Math.max(data.sent[i], data.sent[i] + data.times[i]);

          if (first <= end && last >= start) take(describe(data, i, at));
        }
        if ((await slices.rest()) && !isWanted()) return false;
      }
    }
    return isWanted();
  }
}

function describe(data, i, at) {
  const sent = data.base + BigInt(data.sent[i]);

  return {
    sent,
    received: sent + BigInt(data.times[i]),
    from: data.from[i] + at.traces,
    to: data.to[i] + at.traces,
    size: data.sizes[i],
    tag: data.tags[i],
    group: data.groups[i] + at.communicators,
  };
}
