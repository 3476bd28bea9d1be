#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Texts that users read, compared with a list of words to avoid.

    words.py FILE...                 print the texts of files: PLACE TEXT
    words.py --list LIST FILE...     print the words to avoid

A FILE that begins with @ has the names of files, one a line.

What users read of a file: the texts of C sources (strings that are joined by
the compiler are one), the comments of public headers, the strings and the HTML
of the viewer, what shell scripts print, and all of other files. A word in lower
case, by itself, is a name (of a key, an element, an option): what is printed of
those is in the output of commands, which are files like others here.

The list:

    ban PATTERN -> PREFERRED          a regular expression, case does not matter
    but FILES PATTERN | REASON        an exception of the ban before it: FILES is
                                      a pattern of shells, and the word is
                                      inside of text that matches PATTERN
"""
import fnmatch
import re
import sys

# How much text around a word an exception may look at.
AROUND = 60


def c_tokens(text):
    """Comments, strings and what else there is of C and JavaScript."""
    pattern = re.compile(
        r'(?P<comment>/\*.*?\*/|//[^\n]*)'
        r'|(?P<string>"(?:\\.|[^"\\\n])*")'
        r"|(?P<char>'(?:\\.|[^'\\\n])*')"
        r'|(?P<template>`(?:\\.|[^`\\])*`)'
        r'|(?P<space>\s+)|(?P<word>\w+)|(?P<other>.)', re.S)
    line = 1
    for match in pattern.finditer(text):
        token = match.group()
        yield match.lastgroup, token, line
        if match.lastgroup not in ("word", "char"):
            line += token.count("\n")


def unescape(text):
    return re.sub(r"\\(.)", lambda m: " " if m[1] in "nt\n" else m[1], text)


def is_name(text):
    return re.fullmatch(r"[a-z0-9_.-]*", text.strip()) is not None


def of_c(text):
    text = re.sub(r"^[ \t]*#[ \t]*(include|error).*$", "", text, flags=re.M)
    joined, line = None, 0
    for kind, token, at in c_tokens(text):
        if kind == "string":
            if joined is None:
                joined, line = "", at
            joined += unescape(token[1:-1])
        elif joined is not None and (
                kind == "other" or
                kind == "word" and not token.isupper() and
                not token.startswith("PRI")):
            if not is_name(joined):
                yield line, joined
            joined = None


def of_header(text):
    """Comments, which are the manual, and names."""
    for kind, token, at in c_tokens(text):
        if kind == "comment":
            yield at, re.sub(r"\n[ \t]*\*", " ", token)


def of_viewer(text):
    for kind, token, at in c_tokens(text):
        if kind in ("string", "char"):
            token = unescape(token[1:-1])
        elif kind == "template":
            token = re.sub(r"\$\{[^{}]*\}", "…", unescape(token[1:-1]))
        else:
            continue
        # Classes and selectors, paths of modules, kinds of events.
        if not is_name(token) and not re.fullmatch(r"[\w./:#\[\]=-]+", token):
            yield at, token


def of_html(text):
    text = re.sub(r"<!--.*?-->|<(script|style).*?</\1>", "", text, flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        yield number, re.sub(r"<[^>]*>", " ", line) + " " + " ".join(
            re.findall(r'(?:title|alt|aria-label|placeholder)="([^"]*)"', line))


def of_shell(text):
    """Strings, and what stands in here-documents; not what is a comment."""
    text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)
    for number, line in enumerate(text.split("\n"), 1):
        yield number, line


def of_roff(text):
    text = re.sub(r'^\.\\".*$', "", text, flags=re.M)
    for number, line in enumerate(text.split("\n"), 1):
        yield number, re.sub(r"\\(f.|&|-)", lambda m: "-" if m[1] == "-" else "",
                             line)


def of_text(text):
    # Overstruck letters of formatted pages; paragraphs may break anywhere.
    text = re.sub(r".\x08", "", text)
    line = 1
    for part in re.split(r"(\n[ \t]*\n)", text):
        yield line, part
        line += part.count("\n")


def texts(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if name.endswith(".c"):
        kind = of_c
    elif name.endswith(".h"):
        kind = of_header if "/include/" in name else of_c
    elif name.endswith(".js"):
        kind = of_viewer
    elif name.endswith(".html"):
        kind = of_html
    elif re.search(r"\.[1-9]$", name):
        kind = of_text
    elif text.startswith("#!") or name.endswith(".sh"):
        kind = of_shell
    else:
        kind = of_text
    for line, found in kind(text):
        found = " ".join(found.split())
        if found:
            yield line, found


def read_list(name):
    words = []
    with open(name, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            kind, _, rest = line.rstrip("\n").partition(" ")
            mark = " -> " if kind == "ban" else " | "
            rest, _, reason = rest.rpartition(mark)
            if not rest or not reason.strip():
                sys.exit(f"{name}: nothing after{mark}: {line}")
            if kind == "ban":
                words.append((re.compile(rf"\b(?:{rest.strip()})\b", re.I),
                              reason.strip(), []))
            elif kind == "but" and words:
                files, pattern = rest.split(None, 1)
                words[-1][2].append([files, re.compile(pattern.strip(), re.I),
                                     line.strip(), False])
            else:
                sys.exit(f"{name}: neither ban nor but: {line}")
    return words


def is_right(name, text, match, exceptions):
    """Whether an exception holds for a word that was found."""
    first = max(0, match.start() - AROUND)
    near = text[first:match.end() + AROUND]
    at = match.start() - first
    for exception in exceptions:
        if fnmatch.fnmatch(name, exception[0]) and any(
                found.start() <= at < found.end()
                for found in exception[1].finditer(near)):
            exception[3] = True
            return True
    return False


def main():
    names = sys.argv[1:]
    words = None
    if names[:1] == ["--list"]:
        words = read_list(names[1])
        names = names[2:]
    for at in [name for name in names if name.startswith("@")]:
        names.remove(at)
        with open(at[1:], encoding="utf-8") as file:
            names += file.read().split("\n")[:-1]
    if words is None:
        for name in names:
            for line, text in texts(name):
                print(f"{name}:{line}: {text}")
        return
    for name in names:
        for line, text in texts(name):
            for word, instead, exceptions in words:
                for match in word.finditer(text):
                    if is_right(name, text, match, exceptions):
                        continue
                    near = text[max(0, match.start() - AROUND):
                                match.end() + AROUND]
                    print(f'{name}:{line}: "{match.group()}", say {instead}: '
                          f"... {near}")
    for exception in [e for word in words for e in word[2]]:
        if not exception[3]:
            print(f"nothing needs this any more: {exception[2]}")


if __name__ == "__main__":
    main()
