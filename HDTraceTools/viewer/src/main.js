// SPDX-License-Identifier: LGPL-2.1-or-later
// Starts the viewer.
import { App } from "./app.js";
import { noteFocus } from "./ui/carry.js";
import { h } from "./ui/dom.js";
import { Live } from "./ui/live.js";
import { Model } from "./data/model.js";
import { forgetAll } from "./data/codec/track.js";
import { PageSource, readMeta, ServerSource } from "./data/codec/source.js";

/** Show what went wrong instead of nothing. */
function showFailure(error) {
  document
    .getElementById("app")
    .replaceChildren(
      h(
        "div",
        { class: "failure", role: "alert" },
        h("h1", {}, "Cannot show this page"),
        h("p", {}, String(error?.message ?? error)),
        h(
          "p",
          {},
          "The page requires a browser of 2023 or later: Firefox 113, Chromium 103, Safari 16.4.",
        ),
      ),
    );
}

/** Show other data in the place of what is shown. */
function replaceApp(before, meta) {
  noteFocus(before);
  forgetAll();
  const app = new App(new Model(meta, before.model.source.again()));

  before.end();
  app.start(before);
  return app;
}

async function start() {
  const meta = readMeta();
  const source = meta.report === null ? new ServerSource() : new PageSource();
  const model = new Model(meta, source);

  if (!source.isServed) await model.describe();
  const app = new App(model);

  app.start();
  if (!source.isServed) return;
  const live = new Live(app, (other) => replaceApp(live.app, other));

  live.start();
}

start().catch((error) => {
  console.error(error);
  showFailure(error);
});
