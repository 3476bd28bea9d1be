// SPDX-License-Identifier: LGPL-2.1-or-later
// Dark or light, as the reader chose.
import { theme } from "../draw/colours.js";

/** Look as the reader chose before. */
export function loadTheme() {
  try {
    const choice = localStorage.getItem("hdtrace-theme");

    if (choice) document.documentElement.dataset.theme = choice;
  } catch {
    // Pages that are files may have no storage.
  }
}

/** Become dark or light. */
export function switchTheme() {
  const choice = theme.isDark ? "light" : "dark";

  document.documentElement.dataset.theme = choice;
  try {
    localStorage.setItem("hdtrace-theme", choice);
  } catch {
    // As above.
  }
}
