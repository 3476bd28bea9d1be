// SPDX-License-Identifier: LGPL-2.1-or-later
// Where data comes from: the page itself, or the server that it came from. Both
// give the descriptions of tracks and the bytes of their parts (track.h).
import { decodeBase64, inflate } from "./codec.js";

/** The JSON in the page. */
export function readMeta() {
  return JSON.parse(document.getElementById("meta").textContent);
}

/** Data in hidden elements of the page. */
export class PageSource {
  isServed = false;

  constructor() {
    this.texts = new Map();
  }

  /** The part of one of several projects: pages have one. */
  of() {
    return this;
  }

  #element(id) {
    return document.getElementById(id);
  }

  /** The description of a track, as bytes; null if it has none. */
  async describe(id) {
    const text = this.#element(id)?.dataset.index;

    if (!text) return null;
    return inflate(decodeBase64(text, 0, (text.length / 4) * 3 - padding(text)));
  }

  /** The bytes of a part. */
  async read(id, chunk, part) {
    let text = this.texts.get(id);

    if (text === undefined) {
      text = this.#element(id).textContent;
      this.texts.set(id, text);
    }
    return inflate(
      decodeBase64(text, chunk.at + chunk.offsets[part], chunk.sizes[part]),
    );
  }
}

function padding(text) {
  return text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
}

/** Nobody answers where the server was, or somebody else. */
export class ServerGone extends Error {}

/** The server has another edition of the project, without what was asked for. */
export class DataGone extends Error {}

/** Data that is read on demand. */
export class ServerSource {
  isServed = true;

  /** What the numbers of tracks mean; see "layout" in pages.md. */
  layout = null;

  /** @param base What stands before the paths; nothing in the page itself. */
  constructor(base = "", number = 0) {
    this.base = base;
    this.number = number;
    /** Told when the server did not answer. */
    this.onGone = () => {};
  }

  /** The source of a project, by its number. */
  of(number) {
    if (number === 0) return this;
    const source = new ServerSource(this.base, number);

    source.onGone = (error) => this.onGone(error);
    return source;
  }

  /** One that asks the same server, for a page with other rows. */
  again() {
    const source = new ServerSource(this.base, this.number);

    source.onGone = this.onGone;
    return source;
  }

  /** Nothing is asked for any more. */
  end() {
    this.isOver = true;
  }

  async #fetch(path, options = {}) {
    if (this.isOver) throw new DataGone(path);
    const sign = path.includes("?") ? "&" : "?";
    const which = this.number ? `${sign}project=${this.number}` : "";

    try {
      return await fetch(this.base + path + which, {
        cache: "no-store",
        ...options,
      });
    } catch (error) {
      if (options.signal?.aborted) throw error;
      const gone = new ServerGone(String(error?.message ?? error));

      this.onGone(gone);
      throw gone;
    }
  }

  /** Get something as bytes. */
  async #get(path) {
    const response = await this.#fetch(path);

    if (response.status === 204) throw new DataGone(path);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /**
   * Which server answers, if one does within so many ms.
   *
   * @return A text that is another one when it was started again; null if none
   *         answers, or one that knows nothing of this page.
   */
  async alive(ms) {
    try {
      const response = await fetch(`${this.base}alive`, {
        cache: "no-store",
        signal: AbortSignal.timeout(ms),
      });

      return response.ok ? await response.text() : null;
    } catch {
      return null;
    }
  }

  /** What names the rows that the page has. */
  #ofLayout(sign) {
    return this.layout === null ? "" : `${sign}layout=${this.layout}`;
  }

  /** A track by the numbers that the page has. */
  #ofTrack(id) {
    return `id=${id}${this.#ofLayout("&")}`;
  }

  async describe(id) {
    return inflate(await this.#get(`track?${this.#ofTrack(id)}`));
  }

  async read(id, chunk, part) {
    // Entries of statistics are not stored, but read from their file.
    const size = chunk.sizes[part];
    const path = size
      ? `part?at=${chunk.at + chunk.offsets[part]}&size=${size}`
      : `entries?${this.#ofTrack(id)}&chunk=${chunk.number}&count=${chunk.count}&part=${part}`;

    return inflate(await this.#get(path));
  }

  /** The states in ]from, to], in ns since 1970, as far as they were read; null if it
   *  was asked for another interval meanwhile. */
  async profile(from, to) {
    this.profiling?.abort();
    const profiling = new AbortController();
    const { signal } = profiling;

    this.profiling = profiling;
    try {
      const response = await this.#fetch(
        `states?from=${from}&to=${to}${this.#ofLayout("&")}`,
        { signal },
      );

      if (response.status === 204) throw new DataGone("states");
      if (!response.ok) throw new Error(`states: ${response.status}`);
      return await response.json();
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Messages between ranks in the interval, or in all, when they are counted. */
  async pairs({ from, to, isAll }) {
    const response = await this.#fetch(
      isAll
        ? `pairs${this.#ofLayout("?")}`
        : `pairs?from=${from}&to=${to}${this.#ofLayout("&")}`,
    );

    if (response.status === 204) throw new DataGone("pairs");

    if (!response.ok) throw new Error(`pairs: ${response.status}`);
    return response.json();
  }

  /** The notes on the project, a line each. */
  async notes() {
    return new TextDecoder().decode(await this.#get("notes"));
  }

  /** Add or remove a note; returns what is wrong, or "". */
  async changeNote(what, line) {
    const response = await this.#fetch(`notes?do=${what}`, {
      method: "POST",
      body: line,
    });
    const reason = response.ok ? "" : await response.text();

    if (response.status === 409) return "This note is not there any more.";
    return response.ok ? "" : `The notes cannot be changed: ${reason}`;
  }

  /** What the page has of the projects, as they are now. */
  async meta() {
    const response = await this.#fetch("meta");

    if (!response.ok) throw new Error(`meta: ${response.status}`);
    return response.json();
  }

  /** Which edition of the project there is, and whether it is written. */
  async live() {
    const response = await this.#fetch("live");

    if (!response.ok) throw new Error(`live: ${response.status}`);
    return response.json();
  }

  /** How far all was read, and the report when that is complete. */
  async progress() {
    const response = await this.#fetch("progress");

    if (!response.ok) throw new Error(`progress: ${response.status}`);
    return response.json();
  }
}
