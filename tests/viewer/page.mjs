// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads a page of hdtrace report --html, or what hdtrace view serves, without a
// browser, with the modules of the viewer.
import { readFileSync } from "node:fs";
import { decodeBase64, inflate } from "../../HDTraceTools/viewer/src/data/codec/codec.js";
import { Model } from "../../HDTraceTools/viewer/src/data/model.js";
import { ServerSource } from "../../HDTraceTools/viewer/src/data/codec/source.js";

/** The elements of the page that are data: id to {index, text}. */
export function readElements(html) {
  const elements = new Map();
  const pattern =
    /<(?:script type="application\/json"|div hidden) id="(\w+)"(?: data-index="([^"]*)")?>([^<]*)<\//g;

  for (const [, id, index, text] of html.matchAll(pattern))
    elements.set(id, { index, text });
  return elements;
}

class FileSource {
  constructor(elements) {
    this.elements = elements;
  }

  async describe(id) {
    const text = this.elements.get(id)?.index;

    if (!text) return null;
    const padding = /=*$/.exec(text)[0].length;

    return inflate(decodeBase64(text, 0, (text.length / 4) * 3 - padding));
  }

  async read(id, chunk, part) {
    return inflate(
      decodeBase64(
        this.elements.get(id).text,
        chunk.at + chunk.offsets[part],
        chunk.sizes[part],
      ),
    );
  }
}

/** Wait until all that is served was read; returns the report. */
async function waitForReport(source) {
  for (;;) {
    const progress = await source.progress();

    if (progress.isComplete) return progress;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

async function openServed(url) {
  const elements = readElements(await (await fetch(url)).text());
  const source = new ServerSource(url);
  const model = new Model(JSON.parse(elements.get("meta").text), source);
  const { report, start } = await waitForReport(source);

  model.setReport(report, start);
  await model.describe();
  return { model, elements };
}

/** Open a page, a file or an address; its model is ready to be asked. */
export async function openPage(file) {
  if (file.startsWith("http:")) return openServed(file);
  const elements = readElements(readFileSync(file, "utf8"));
  const model = new Model(
    JSON.parse(elements.get("meta").text),
    new FileSource(elements),
  );

  await model.describe();
  return { model, elements };
}
