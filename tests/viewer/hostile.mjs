// SPDX-License-Identifier: LGPL-2.1-or-later
// A page of a project whose texts want to be more than text, and what a page may
// do at all:
//
//     node hostile.mjs ADDRESS TEXT NODE
//
// TEXT is the text that stands nearly everywhere, NODE the label of the host.
import { readFileSync } from "node:fs";
import {
  assert,
  assertQuiet,
  assertSame,
  done,
  launch,
  ok,
  panelsOf,
  Viewer,
} from "./browser.mjs";

const [, , address, hostile, host] = process.argv;
const browser = await launch();
const viewer = await Viewer.open(browser, address);
const { page } = viewer;

/** Nothing got into the page but text. */
async function assertHarmless(what) {
  const found = await page.evaluate(() => ({
    pwned: globalThis.pwned,
    alien: [...document.querySelectorAll("img, iframe, object, embed, base")]
      .length,
    handlers: [...document.querySelectorAll("*")].filter((element) =>
      [...element.attributes].some(({ name }) => name.startsWith("on")),
    ).length,
    scripts: [...document.querySelectorAll("script:not([type])")].length,
    links: [...document.querySelectorAll("a[href]")].length,
  }));

  assertSame(
    found,
    { alien: 0, handlers: 0, scripts: 1, links: 0 },
    what,
  );
}

await ok("names with markup are shown as text", async () => {
  assertSame(await viewer.text("h1"), hostile, "heading");
  assertSame(await page.title(), `${hostile} – HDTrace`, "title");
  assertSame(await viewer.text(".description"), hostile, "description");
  const names = await page.$$eval(".row-name", (list) =>
    list.map((name) => name.textContent),
  );

  for (const name of [host, hostile, "__proto__", "x".repeat(10000)])
    assert(names.includes(name), `no row "${name.slice(0, 80)}"`);
  await assertHarmless("page");
});

await ok("NaN, infinite and long numbers are shown", async () => {
  const rows = new Map(
    (await viewer.interval()).map((row) => [row.value, row]),
  );
  const integers = rows.get("__proto__");

  assertSame(
    [integers.min, integers.max, integers.total],
    ["-9223372036854775808", "9223372036854775807", "none"],
    "INT64",
  );
  assertSame(rows.get("x".repeat(10000)).max, "18446744073709551615", "UINT64");
  assertSame(rows.get(hostile).nan, "1", "NaN");
  assertSame(rows.get(hostile).max, "Inf", "infinite");
});

await ok("tables, dialogs and tooltips show names as text", async () => {
  const tabs = await panelsOf(viewer);

  for (const tab of tabs) {
    await viewer.panel(tab);
    await assertHarmless(tab);
  }
  for (const row of await page.$$(".row-plot")) {
    const box = await row.boundingBox();

    for (const share of box ? [0.12, 0.3, 0.6, 0.9] : []) {
      await page.mouse.move(
        box.x + box.width * share,
        box.y + Math.min(10, box.height / 2),
      );
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
  }
  await assertHarmless("tooltip");
  // States, relations, and entries of values are selected.
  const kinds = new Set();

  for (const key of await viewer.rows()) {
    await page.click(`.row[data-key="${key}"] .row-plot`, { position: { x: 300, y: 5 } });
    await viewer.settle();
    await assertHarmless(`details of what is in ${key}`);
    kinds.add(viewer.parameters.get("select")?.[0]);
  }
  assert(kinds.has("s") && kinds.has("t"), `selected: ${[...kinds]}`);
  await page.click("button.rows-button");
  await assertHarmless("what is shown");
  await page.keyboard.press("Escape");
  await viewer.press("n", "n", "s");
});

await ok("saved pictures have names as text only", async () => {
  for (const tab of ["interval", "profile", "problems"]) {
    await viewer.panel(tab);
    await page.click('button[title^="Save the panel"]');
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click('dialog[open] button:text-is("SVG")'),
    ]);
    const names = await page.evaluate(async (text) => {
      const found = new DOMParser().parseFromString(text, "image/svg+xml");

      return [
        ...new Set(
          [...found.querySelectorAll("*")].flatMap((element) => [
            element.localName,
            ...[...element.attributes].map(({ name }) => name).filter((name) => /^on/.test(name)),
          ]),
        ),
      ];
    }, readFileSync(await download.path(), "utf8"));
    const alien = names.filter(
      (name) => !["svg", "title", "g", "rect", "path", "text", "image"].includes(name),
    );

    assertSame(alien, [], tab);
    await assertHarmless(tab);
    await page.keyboard.press("Escape");
  }
});

await ok("texts in a link are shown as text", async () => {
  const parameters = new URLSearchParams({
    view: `0,3,${hostile}`,
    mark: "0.5,1.5",
    name: `0.1,0.9,${hostile}`,
    define: JSON.stringify([hostile, hostile, `"${"__proto__"}" * 2`]),
    hide: hostile,
    off: hostile,
    search: "",
    panel: hostile,
    range: `["${"__proto__"}",0,1e999]`,
  });

  await viewer.open(`${address}#${parameters}`);
  await viewer.panel("profile");
  await assertHarmless("profile");
  const text = await viewer.text("#panel-profile");

  assert(text.includes(hostile), "the name of the interval is not shown");
  await viewer.panel("values");
  await assertHarmless("own values");
});

for (const fragment of [
  "%",
  "view=,&mark=,,",
  "view=NaN,Infinity&mark=1e999,-1e999",
  "view=0,-5",
  "define=[1]&define={}&define=%5B%22a%22%2C%22%22%2C%22a%22%5D&range=[]",
  `view=99999999999999999999,99999999999999999999.5&show=${"x".repeat(20000)}`,
])
  await ok(`nonsense in a link: ${fragment.slice(0, 40)}`, async () => {
    await viewer.open(`${address}#${fragment}`);
    await assertHarmless("page");
  });

await ok("the page sends no request and logs no error", async () => {
  assertQuiet(
    viewer,
    (url) => url.split("#")[0] === address || /^(about:blank$|blob:)/.test(url),
  );
});

// What would run, or connect, if something got into it.
const attempts = {
  "a script": () => {
    const script = document.createElement("script");

    script.textContent = "globalThis.pwned = 1";
    document.body.append(script);
  },
  "a handler": () => {
    const div = document.createElement("div");

    div.setAttribute("onclick", "globalThis.pwned = 1");
    document.body.append(div);
    div.click();
  },
  "a script from elsewhere": () => {
    const script = document.createElement("script");

    script.src = "data:text/javascript,globalThis.pwned=1";
    document.body.append(script);
  },
  "a style": () => {
    const style = document.createElement("style");

    style.textContent = "body { background: url(http://127.0.0.1:9/) }";
    document.body.append(style);
  },
  "a picture": () => {
    new Image().src = "http://127.0.0.1:9/picture";
  },
  "a connection": () => {
    fetch("http://127.0.0.1:9/").catch(() => {});
  },
  "a socket": () => {
    try {
      new WebSocket("ws://127.0.0.1:9/");
    } catch {
      // Refused at once.
    }
  },
  "a frame": () => {
    const frame = document.createElement("iframe");

    frame.src = "http://127.0.0.1:9/";
    document.body.append(frame);
  },
  "a form": () => {
    const form = document.createElement("form");

    form.action = "http://127.0.0.1:9/";
    document.body.append(form);
    form.submit();
  },
  "a base": () => {
    const base = document.createElement("base");

    base.href = "http://127.0.0.1:9/";
    document.head.append(base);
  },
  "a worker": () => {
    try {
      new Worker("data:text/javascript,1");
    } catch {
      // Refused at once.
    }
  },
};

for (const [name, attempt] of Object.entries(attempts))
  await ok(`the policy forbids ${name}`, async () => {
    const other = await Viewer.open(browser, address);

    await other.page.evaluate(() => {
      globalThis.violations = [];
      document.addEventListener("securitypolicyviolation", (event) =>
        globalThis.violations.push(event.effectiveDirective),
      );
    });
    await other.page.evaluate(attempt);
    await other.page.waitForFunction(() => globalThis.violations.length > 0);
    assertSame(
      await other.page.evaluate(() => globalThis.pwned ?? null),
      null,
      "pwned",
    );
    await other.close();
  });

await browser.close();
done();
