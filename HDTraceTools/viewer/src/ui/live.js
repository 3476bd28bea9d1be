// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows a project that is served: asks for the descriptions of tracks that are
// looked at until they are complete, for the report, and whether the server is
// there. What it said is kept when it ends; when it answers again, as after it was
// started again at the same port, all goes on.
import { Gaps } from "../data/series/gaps.js";
import { percent } from "../data/numbers.js";
import { ServerGone } from "../data/codec/source.js";
import { forgetAll } from "../data/codec/track.js";

const TRACKS_MS = 200;
/** So long all that was asked for is waited for, before the rest is asked again. */
const SLOW_MS = 1000;
/** So long descriptions are collected before it is found out what they change. */
const NOTE_MS = 50;
/** The same until there is something to see. */
const FIRST_MS = 50;
const PROGRESS_MS = 500;
/** So often it is asked whether it is there, and so long waited for an answer. */
const ALIVE_MS = 2000;
const ANSWER_MS = 5000;

export class Live {
  constructor(app) {
    this.app = app;
    this.source = app.model.source;
    this.fragment = location.hash.slice(1);
    /** While the server does not answer: a promise until it does. */
    this.lost = null;
    this.instance = null;
    /** Counts servers: what follows an old one ends. */
    this.turn = 0;
  }

  start() {
    this.source.onGone = () => this.#noteGone();
    this.#follow();
    this.#watch();
  }

  #follow() {
    const turn = ++this.turn;

    this.#followTracks(turn);
    this.#followProgress(turn);
  }

  /* ---- The server ------------------------------------------------------ */

  /** Ask now and then whether it is there. */
  async #watch() {
    for (;;) {
      const instance = await this.source.alive(ANSWER_MS);

      if (instance) await this.#noteAnswer(instance);
      else this.#noteGone();
      await wait(this.lost ? ALIVE_MS / 4 : ALIVE_MS);
    }
  }

  #noteGone() {
    if (this.lost) return;
    let end;

    this.lost = new Promise((resolve) => {
      end = resolve;
    });
    this.endLoss = end;
    this.app.notes.showProgress("");
    this.app.notes.showServer(
      `hdtrace view has ended or cannot be reached since ${clock()}; data that was not read is missing. ` +
        "The page continues when hdtrace view is restarted at the same port.",
    );
  }

  async #noteAnswer(instance) {
    const isOther = this.instance !== null && this.instance !== instance;

    this.instance = instance;
    if (!this.lost && !isOther) return;
    if (isOther) this.#begin();
    if (this.lost) {
      this.lost = null;
      this.endLoss();
    }
    this.app.notes.showServer(`hdtrace view answers again since ${clock()}.`);
    if (isOther) this.#follow();
    // What could not be loaded is asked for again.
    this.app.view.changed("data");
  }

  /** Another server has read nothing yet, and has things elsewhere. */
  #begin() {
    this.turn++;
    for (const track of this.app.model.tracks) track.reset();
    forgetAll();
    this.app.invalidate("time");
  }

  /** Do something that needs the server, again and again until it is there.
   *  Returns undefined when another server is followed. */
  async #insist(turn, ask) {
    while (turn === this.turn) {
      await this.lost;
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ServerGone)) throw error;
      }
    }
    return undefined;
  }

  /* ---- Tracks ---------------------------------------------------------- */

  /** Tracks that are shown, and when these are complete those of the strip of the
   *  whole run, which may be many. */
  #wanted() {
    const { tracks, overview } = this.app;
    const shown = incomplete(tracks.shownTracks);

    return shown.length ? shown : incomplete(overview.tracks);
  }

  /** What is shown grows with what is known. */
  async #describe(track) {
    await track.describe();
    if (!this.app.model.hasRange) this.#noteDescribed();
    else this.noting ??= setTimeout(() => this.#noteDescribed(), NOTE_MS);
  }

  #noteDescribed() {
    const { model, view } = this.app;

    clearTimeout(this.noting);
    this.noting = null;
    model.findRange();
    if (view.isWhole) view.whole(false);
    this.app.invalidate("data");
  }

  async #followTracks(turn) {
    const { app } = this;

    while (turn === this.turn) {
      await this.lost;
      const wanted = this.#wanted();
      const isNew = wanted.every((track) => !track.isDescribed);
      const { start, end } = app.model;

      // One that is slow does not keep the others waiting.
      await Promise.race([
        this.#insist(turn, () =>
          Promise.all(wanted.map((track) => this.#describe(track))),
        ).catch((error) => console.warn(error)),
        wait(SLOW_MS),
      ]);
      if (wanted.length) this.#noteDescribed();
      // Numbers describe what they are made of, so that nothing that is new was
      // missing in them, unless the run turned out to be longer.
      const isKnown =
        isNew && app.model.start === start && app.model.end === end;

      if (wanted.length && wanted.every((track) => track.isComplete))
        app.noteComplete(isKnown);
      await wait(app.tracks.drawnCount ? TRACKS_MS : FIRST_MS);
    }
  }

  async #followProgress(turn) {
    const { parts } = this.app.model;

    while (turn === this.turn) {
      const list = await this.#insist(turn, () =>
        Promise.all(parts.map(({ source }) => source.progress())),
      );

      if (!list) return;
      if (list.every(({ isComplete }) => isComplete)) {
        await this.#insist(turn, () => this.#complete(list));
        return;
      }
      const sum = (key) => list.reduce((all, one) => all + one[key], 0);

      this.app.notes.showProgress(
        sum("total")
          ? `Reading: ${percent(sum("done") / sum("total"))}`
          : "Reading",
      );
      await wait(PROGRESS_MS);
    }
  }

  /** Everything is known now. */
  async #complete(list) {
    const { app } = this;
    const before = app.model.origin;

    app.model.setReports(list);
    await app.model.describeTracks([
      ...app.model.messages.tracks,
      ...app.model.waits.tracks,
      ...app.model.relations.map(({ track }) => track),
      app.model.total.track,
    ]);
    app.tracks.gaps = new Gaps(app.model);
    if (app.view.request && !app.view.request.list)
      app.view.setRequest(app.view.request);
    // A link counts from the start, which was not known exactly.
    if (app.model.origin !== before && app.view.toFragment() === this.shown)
      app.view.fromFragment(this.fragment);
    app.notes.showProgress("");
    app.showReport();
  }
}

function incomplete(tracks) {
  return [...new Set(tracks)].filter((track) => !track.isComplete);
}

/** The time of day. */
function clock() {
  return new Date().toLocaleTimeString("en-GB");
}

function wait(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
