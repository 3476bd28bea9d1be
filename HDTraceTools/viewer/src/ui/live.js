// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows a project that is served: asks for the descriptions of tracks that are
// looked at until they are complete, for the report, and whether the server is
// there. What it said is kept when it ends; when it answers again, as after it was
// started again at the same port, all goes on.
import { Gaps } from "../data/series/gaps.js";
import { percent } from "../data/numbers.js";
import { DataGone, ServerGone } from "../data/codec/source.js";
import { forgetAll } from "../data/codec/track.js";
import { parseSeconds } from "../data/time.js";

const TRACKS_MS = 200;
/** So long all that was asked for is waited for, before the rest is asked again. */
const SLOW_MS = 1000;
/** So long descriptions are collected before it is found out what they change. */
const NOTE_MS = 50;
/** The same until there is something to see. */
const FIRST_MS = 50;
const PROGRESS_MS = 500;
/** So often it is asked whether files have grown, while they do and else. */
const GROWING_MS = 100;
const RESTING_MS = 1000;
/** Without new data for so long, that is said instead of how old the data is. */
const SILENT_NS = 5e9;
/** So often it is asked whether it is there, and so long waited for an answer. */
const ALIVE_MS = 2000;
const ANSWER_MS = 5000;

export class Live {
  /** @param replace Shows other data in the place of the application: given the JSON
   *         of the projects, it returns the new application. */
  constructor(app, replace) {
    this.app = app;
    this.replace = replace;
    /** The edition of each project that is shown. */
    this.editions = app.model.parts.map(({ meta }) => meta.edition);
    /** Whether all tracks of these were read when they were described. */
    this.isTaken = false;
    /** Whether the end of the run is known, as it was then. */
    this.isEndKnown = false;
    /** Events of files up to these numbers are of no interest. */
    this.since = null;
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
    this.#askProgress(turn);
    this.#followFiles(turn);
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
    this.editions = [];
    this.since = null;
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
    const { isWhole } = view;
    const hadEnd = this.isEndKnown && view.hasEnd;

    model.findRange();
    if (model.isGrowing) view.follow(isWhole, hadEnd);
    else if (isWhole) view.whole(false);
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
        ).catch(warnOf),
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

  /** Ask for the report until it is there. */
  async #askProgress(turn) {
    this.isAsking = true;
    try {
      await this.#followProgress(turn);
    } finally {
      if (turn === this.turn) this.isAsking = false;
    }
  }

  async #followProgress(turn) {
    const { parts } = this.app.model;

    while (turn === this.turn) {
      const list = await this.#insist(turn, () =>
        Promise.all(parts.map(({ source }) => source.progress())),
      );

      if (!list || turn !== this.turn) return;
      if (list.every(({ isComplete }) => isComplete)) {
        await this.#insist(turn, () => this.#complete(list));
        return;
      }
      const sum = (key) => list.reduce((all, one) => all + one[key], 0);
      const isReading = !this.app.model.isGrowing || sum("done") < sum("total");

      // The report of a run that is written comes when it has ended.
      this.app.notes.showProgress(
        !isReading
          ? ""
          : sum("total")
            ? `Reading: ${percent(sum("done") / sum("total"))}`
            : "Reading",
      );
      await wait(PROGRESS_MS);
    }
  }

  /* ---- Files that grow ------------------------------------------------- */

  async #followFiles(turn) {
    const { parts } = this.app.model;

    while (turn === this.turn) {
      const list = await this.#insist(turn, () =>
        Promise.all(parts.map(({ source }) => source.live())),
      ).catch(warnOf);

      if (turn !== this.turn) return;
      if (list) await this.#noteFiles(turn, list).catch(warnOf);
      await wait(this.app.model.isGrowing ? GROWING_MS : RESTING_MS);
    }
  }

  async #noteFiles(turn, list) {
    const { app } = this;
    const { parts } = app.model;
    const isOther = list.some(({ layout }, i) => layout !== parts[i].meta.layout);
    const isNew =
      list.some(({ edition }, i) => edition !== this.editions[i]) ||
      (!this.isTaken && app.model.isGrowing);

    this.#showFiles(list);
    if (isOther) {
      await this.#insist(turn, () => this.#renew());
      return;
    }
    if (!isNew || !list.every(({ hasTracks }) => hasTracks)) return;
    await this.#insist(turn, () => this.#takeEditions(list));
  }

  /** There are other editions, with the same rows. */
  async #takeEditions(list) {
    const { app } = this;
    const { model } = app;
    const meta = await model.source.meta();

    if (!model.hasRowsOf(meta)) return;
    model.setMeta(meta);
    this.editions = list.map(({ edition }) => edition);
    this.isTaken = true;
    for (const track of model.tracks) track.isStale = true;
    if (model.report) {
      model.dropReports();
      app.showReport();
    }
    const wanted = incomplete([
      ...app.tracks.shownTracks,
      ...app.overview.tracks,
      ...model.messages.tracks,
      ...model.relations.map(({ track }) => track),
      model.total.track,
    ]);

    await Promise.all(wanted.map((track) => track.describe()));
    this.#noteDescribed();
    // Before, the end was only that of what had been read.
    this.isEndKnown = true;
    app.noteGrown();
    // What has ended meanwhile has a report again.
    if (!this.isAsking) this.#askProgress(this.turn);
  }

  /** The projects have other rows: begin anew, with what is shown now. */
  async #renew() {
    const { app } = this;

    // What the reader is just doing is of the old rows.
    if (document.querySelector("dialog[open]") || app.gestures.isBusy) return;
    const meta = await app.model.source.meta();

    if (app.model.hasRowsOf(meta)) return;
    this.turn++;
    this.app = this.replace(meta);
    this.source = this.app.model.source;
    // The new page has not said it yet.
    this.shownEvents = 0;
    this.editions = this.app.model.parts.map((part) => part.meta.edition);
    this.isTaken = false;
    this.#follow();
  }

  /** Say how the projects grow. */
  #showFiles(list) {
    const { app } = this;
    const { model } = app;
    const states = list.map(({ state }) => state);
    const isGrowing = states.includes("written");

    if (model.isGrowing !== isGrowing) {
      model.isGrowing = isGrowing;
      app.followButton.hidden = !isGrowing;
      app.invalidate("data");
    }
    this.since ??= list.map(({ events }) => events.at(-1)?.number ?? 0);
    app.notes.showLive(this.#live(list, states));
    const events = list.flatMap((one, i) =>
      one.events.filter(({ number }) => number > this.since[i]),
    );

    if (events.length === this.shownEvents) return;
    this.shownEvents = events.length;
    if (events.length)
      app.notes.showFiles(
        `${events.map(({ time, text }) => `${text} (${clock(time)})`).join("; ")}.`,
      );
  }

  /** How the projects grow, in words. */
  #live(list, states) {
    const one = (state) => list[states.indexOf(state)];
    const at = (state) => clock(one(state).changed ?? one(state).now);

    if (states.includes("gone"))
      return {
        state: "gone",
        text: "The project cannot be opened any more. The page shows what was read before.",
      };
    if (states.includes("killed"))
      return {
        state: "killed",
        text: `The program that wrote this project was killed or crashed: since ${at("killed")} no program writes it, and its traces have no end. Data that it had not written is missing.`,
      };
    if (states.includes("written")) return this.#written(list);
    if (states.includes("silent"))
      return {
        state: "silent",
        text: `No new data since ${at("silent")}, and no program is known to write this project.`,
      };
    if (states.includes("stopped"))
      return {
        state: "stopped",
        text: `No program writes this project any more; the last data is of ${at("stopped")}. Files without traces do not show whether their program was killed.`,
      };
    if (states.includes("ended"))
      return {
        state: "ended",
        text: `The program that wrote this project has ended; the last data is of ${at("ended")}.`,
      };
    return null;
  }

  /** How far the picture is behind the projects that are written. */
  #written(list) {
    const { model } = this.app;
    const seconds = (ns) => `${(ns / 1e9).toFixed(1)} s`;
    const ages = list.flatMap(({ state, now, silence }, i) => {
      if (state !== "written") return [];
      const time = parseSeconds(now);
      const end = model.endOf(model.parts[i]);

      return [
        {
          lag: end === null ? 0 : Math.max(0, Number(time + model.parts[i].shift - end)),
          silence: silence * 1e9,
        },
      ];
    });
    const lag = Math.max(...ages.map((age) => age.lag));
    const silence = Math.max(...ages.map((age) => age.silence));

    return {
      state: "written",
      lag: lag / 1e9,
      text:
        silence > SILENT_NS
          ? `Live: no new data for ${Math.floor(silence / 1e9)} s; the data ends ${seconds(lag)} ago.`
          : `Live: the data ends ${seconds(lag)} ago.`,
    };
  }

  /** Everything is known now. */
  async #complete(list) {
    const { app } = this;
    const before = app.model.origin;

    app.model.setReports(list);
    for (const track of app.model.waits.tracks) track.isStale = true;
    for (const { states } of app.model.traces) states.waits.track.isStale = true;
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

/** There may be another edition than what was asked for: that shows next time. */
function warnOf(error) {
  if (!(error instanceof DataGone)) console.warn(error);
}

function incomplete(tracks) {
  return [...new Set(tracks)].filter((track) => track.isWanted);
}

/** The time of day; of a time in seconds since 1970, as text. */
function clock(seconds = null) {
  const date = seconds === null ? new Date() : new Date(Number(seconds) * 1000);

  return date.toLocaleTimeString("en-GB");
}

function wait(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
