// SPDX-License-Identifier: LGPL-2.1-or-later
// Patterns of queries: * is any text, ? any character, [a-z] a set, [!a-z] what is
// outside of it; a character after \ is itself.

const fold = (character) =>
  /^[A-Z]$/.test(character) ? character.toLowerCase() : character;

/** Read a set whose "[" is at an index: {end, isInverse, ranges}; null: it has no
 *  end, and "[" is a character. */
function readSet(pattern, start) {
  let at = start + 1;
  const isInverse = pattern[at] === "!" || pattern[at] === "^";
  const ranges = [];
  const take = () => {
    if (pattern[at] === "\\" && at + 1 < pattern.length) at++;
    return pattern[at++].codePointAt(0);
  };

  if (isInverse) at++;
  for (let isFirst = true; isFirst || pattern[at] !== "]"; isFirst = false) {
    if (at >= pattern.length) return null;
    const low = take();
    let high = low;

    if (pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]") {
      at++;
      high = take();
    }
    ranges.push([low, high]);
    if (at >= pattern.length) return null;
  }
  return { kind: "set", end: at, isInverse, ranges };
}

/** A pattern as a list of what its characters match. */
function compile(text) {
  const pattern = [...text];
  const list = [];

  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];

    if (character === "*") list.push({ kind: "star" });
    else if (character === "?") list.push({ kind: "any" });
    else if (character === "[") {
      const set = readSet(pattern, at);

      list.push(set ?? { kind: "one", character });
      if (set) at = set.end;
    } else {
      if (character === "\\" && at + 1 < pattern.length) at++;
      list.push({ kind: "one", character: pattern[at] });
    }
  }
  return list;
}

function isInSet({ isInverse, ranges }, character, isFolded) {
  const has = (one) => {
    const code = one.codePointAt(0);

    return ranges.some(([low, high]) => code >= low && code <= high);
  };
  const isFound =
    has(character) ||
    (isFolded &&
      /^[A-Za-z]$/.test(character) &&
      has(String.fromCharCode(character.charCodeAt(0) ^ 0x20)));

  return isFound !== isInverse;
}

function isOne(one, character, isFolded) {
  if (one.kind === "any") return true;
  if (one.kind === "set") return isInSet(one, character, isFolded);
  return isFolded
    ? fold(one.character) === fold(character)
    : one.character === character;
}

/** The last pattern: the same one is asked of many texts. */
let last = { text: null, list: [] };

/** Whether a text matches all of a pattern; isFolded: a to z match in both cases. */
export function matchPattern(pattern, text, isFolded = false) {
  if (last.text !== pattern) last = { text: pattern, list: compile(pattern) };
  const { list } = last;
  const characters = [...text];
  let [at, i, star, retry] = [0, 0, -1, 0];

  while (i < characters.length) {
    if (list[at]?.kind === "star") {
      star = ++at;
      retry = i;
    } else if (at < list.length && isOne(list[at], characters[i], isFolded)) {
      at++;
      i++;
    } else if (star >= 0) {
      // The star takes one more.
      at = star;
      i = ++retry;
    } else {
      return false;
    }
  }
  while (list[at]?.kind === "star") at++;
  return at === list.length;
}
