// SPDX-License-Identifier: LGPL-2.1-or-later
// Puts scripts, styles and licences of the viewer into one page:
//
//     node bundle.mjs DIRECTORY
//
// DIRECTORY has node_modules, and gets viewer.html. The page may run exactly
// these scripts and use exactly these styles: it names their hashes.
//
// Nothing that a package brings is run when it is fetched
// (--ignore-scripts), all versions are pinned with their hashes, and what is
// bundled is uPlot alone: it draws dense series well and is small. States,
// messages and the overview are drawn by ourselves, since no library knows
// them.
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2]);
const require = createRequire(path.join(out, "package.json"));
const esbuild = require("esbuild");

/** What is bundled, and where its licence stands here. */
const licences = { uplot: "LICENCE.uplot" };

/** Read a file of ours. */
function read(name) {
  return readFileSync(path.join(here, name), "utf8");
}

/** The functions of MPI by their class, from the table of libhdMPI. */
function mpiClasses() {
  const text = read("../../common/mpi/functions.table");
  const classes = {};

  for (const [, name, call] of text.matchAll(
    /^([a-z][a-z0-9]*)\+? (\w+)\(/gm,
  ))
    (classes[name] ??= []).push(call);
  return classes;
}

/** The colours of states: of some names, and of all others. */
function stateColours() {
  const text = read("../plot/statecolour.table");
  const named = text.matchAll(/^name (\S+) (\S+)$/gm);

  return {
    names: Object.fromEntries(
      Array.from(named, ([, colour, name]) => [name, colour]),
    ),
    others: Array.from(text.matchAll(/^other (\S+)$/gm), ([, colour]) => colour),
  };
}

/** Bundle an entry point; returns its text. */
async function bundle(entry, options) {
  const result = await esbuild.build({
    entryPoints: [path.join(here, "src", entry)],
    bundle: true,
    minify: true,
    charset: "utf8",
    legalComments: "none",
    nodePaths: [path.join(out, "node_modules")],
    // BigInt, and private members of classes.
    target: "es2022",
    define: {
      MPI_CLASSES: JSON.stringify(mpiClasses()),
      STATE_COLOURS: JSON.stringify(stateColours()),
    },
    write: false,
    metafile: true,
    logLevel: "warning",
    ...options,
  });

  for (const file of Object.keys(result.metafile.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];

    if (name && !(name in licences))
      throw new Error(`${name} is bundled, but its licence is not here`);
  }
  return result.outputFiles[0].text.trim();
}

/** The texts of the licences of what is bundled. */
function licenceText() {
  return Object.entries(licences)
    .map(([name, file]) => {
      const text = read(file);
      const { version } = require(`${name}/package.json`);
      const theirs = readFileSync(
        path.join(out, "node_modules", name, "LICENSE"),
        "utf8",
      );

      if (text !== theirs) throw new Error(`${file} is not that of ${name}`);
      return `${name} ${version}\n\n${text.trim()}\n`;
    })
    .join("\n");
}

function hashOf(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const script = await bundle("main.js", { format: "iife" });
const style = await bundle("style.css", {});

// Either would end its element.
for (const text of [script, style])
  if (/<\/(script|style)|<!--/i.test(text))
    throw new Error("what is bundled holds a tag");

const values = {
  LICENCES: licenceText(),
  SCRIPT: script,
  SCRIPT_HASH: hashOf(script),
  STYLE: style,
  STYLE_HASH: hashOf(style),
};
const page = read("src/page.html").replace(
  /@(\w+)@/g,
  (mark, name) => values[name] ?? mark,
);
const file = path.join(out, "viewer.html");

writeFileSync(`${file}.new`, page);
renameSync(`${file}.new`, file);
console.log(`${file}: ${Buffer.byteLength(page)} bytes`);
