// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows the reading of a project that is served: asks for the descriptions of
// tracks that are looked at until they are complete, and for the report.
import { Gaps } from "../data/gaps.js";
import { percent } from "../data/numbers.js";

const TRACKS_MS = 200;
/** The same until there is something to see. */
const FIRST_MS = 50;
const PROGRESS_MS = 500;

export class Live {
  constructor(app) {
    this.app = app;
    this.fragment = location.hash.slice(1);
    this.isStopped = false;
  }

  start() {
    this.#followTracks();
    this.#followProgress();
  }

  /** Tracks that are shown, and when these are complete those of the strip of the
   *  whole run, which may be many. */
  #wanted() {
    const { tracks, overview } = this.app;
    const shown = incomplete(tracks.shownTracks);

    return shown.length ? shown : incomplete(overview.tracks);
  }

  /** What is shown grows with what is known. */
  async #describe(track) {
    const { app } = this;

    await app.model.describeTracks([track]);
    if (app.view.isWhole) app.view.whole(false);
    app.invalidate("rows");
  }

  async #followTracks() {
    const { app } = this;

    while (!this.isStopped) {
      const wanted = this.#wanted();

      try {
        await Promise.all(wanted.map((track) => this.#describe(track)));
      } catch (error) {
        this.#stop(error);
        return;
      }
      if (wanted.length && wanted.every((track) => track.isComplete))
        app.view.changed("data");
      await wait(app.tracks.drawnCount ? TRACKS_MS : FIRST_MS);
    }
  }

  async #followProgress() {
    for (;;) {
      let progress;

      try {
        progress = await this.app.model.source.progress();
      } catch (error) {
        this.#stop(error);
        return;
      }
      if (progress.isComplete) {
        await this.#complete(progress);
        return;
      }
      this.app.showProgress(
        progress.total
          ? `Reading: ${percent(progress.done / progress.total)}`
          : "Reading",
      );
      await wait(PROGRESS_MS);
    }
  }

  /** Everything is known now. */
  async #complete({ report, start }) {
    const { app } = this;
    const before = app.model.origin;

    app.model.setReport(report, start);
    await app.model.describeTracks([
      app.model.messages.track,
      app.model.total.track,
    ]);
    app.tracks.gaps = new Gaps(app.model);
    // A link counts from the start, which was not known exactly.
    if (app.model.origin !== before && app.view.toFragment() === this.shown)
      app.view.fromFragment(this.fragment);
    app.showProgress("");
    app.showReport();
  }

  #stop(error) {
    if (this.isStopped) return;
    this.isStopped = true;
    console.warn(error);
    this.app.showProgress(
      "hdtrace view has ended: what was not read yet is not shown.",
    );
  }
}

function incomplete(tracks) {
  return [...new Set(tracks)].filter((track) => !track.isComplete);
}

function wait(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
