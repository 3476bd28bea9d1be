// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes the pictures of doc/guides/pictures:
//
//     node pictures.mjs PAGE FRAGMENT LIGHT-OR-DARK VALUES LOWER PNG [NODE]
//
// VALUES are those that all nodes show, separated by commas; all if empty. The
// tables are made lower by LOWER steps, or higher by -LOWER. NODE is the end of the name of that whose
// layers are shown.
import { assert, launch, Viewer } from "./browser.mjs";

const [, , page, fragment, colorScheme, values, lower, file, node] = process.argv;
const browser = await launch();
const viewer = await Viewer.open(browser, `${page}#${fragment}`, {
  colorScheme,
  viewport: { width: 1100, height: 900 },
});

if (values) {
  const wanted = values.split(",");

  await viewer.page.click("button.rows-button");
  const boxes = await viewer.page.$$("dialog[open] section:first-of-type label");

  assert(boxes.length >= wanted.length, "no values to choose from");
  for (let i = 0; i < boxes.length; i++) {
    // The dialog is filled anew with each choice.
    const box = (
      await viewer.page.$$("dialog[open] section:first-of-type label")
    )[i];
    const name = (await box.textContent()).trim().split(/\s/)[0];
    const input = await box.$("input");

    if ((await input.isChecked()) !== wanted.includes(name)) await input.click();
  }
  await viewer.page.click("dialog[open] button.primary");
  await viewer.settle();
}
if (node) {
  const choice = "select[aria-label='Node of the layers']";
  const names = await viewer.page.$$eval(`${choice} option`, (options) =>
    options.map((option) => option.textContent),
  );

  await viewer.page.selectOption(choice, {
    index: names.findIndex((name) => name.endsWith(node)),
  });
  await viewer.settle();
}
await viewer.page.focus("[role=separator]");
await viewer.press(
  ...Array(Math.abs(lower)).fill(lower < 0 ? "ArrowUp" : "ArrowDown"),
);
await viewer.page.evaluate(() => document.activeElement.blur());
await viewer.page.screenshot({ path: file });
await browser.close();
