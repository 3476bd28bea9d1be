#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the help texts of commands: width, form of options, examples.

    helptext.py VERBS FILE...    print each fault as "FILE: FAULT: TEXT"

VERBS is a file of verbs in the imperative. Each FILE is the output of
"COMMAND --help". The rules:

- no line is wider than 100 columns;
- the first line of the description begins with an imperative;
- the description of an option or command begins with a capital letter, or with a sign or
  a digit, and does not end in a full stop;
- a default reads "(default: X)";
- there are two examples, except where the page lists subcommands.
"""
import re
import sys

WIDTH = 100
OPTION = re.compile(r"^  (?:-\w(?:, --[\w-]+)?|--[\w-]+)(?:\[?=\S+)?"
                    r"(?:\s{2,}(\S.*))?$")


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read().rstrip("\n").split("\n")


def options_of(lines):
    """Descriptions of options, with their continuation lines."""
    found, isOptions = [], False
    for line in lines:
        if re.match(r"\S.*:$", line):
            isOptions = "ptions" in line
        elif isOptions and OPTION.match(line):
            found.append(OPTION.match(line)[1] or "")
        elif isOptions and found and re.match(r" {6,}\S", line):
            found[-1] = f"{found[-1]} {line.strip()}".strip()
    return found


def commands_of(lines):
    """Descriptions of the commands that a page lists."""
    isCommands = False
    for line in lines:
        if re.match(r"\S", line):
            isCommands = line.startswith("Commands")
        elif isCommands and re.match(r"  [a-z][\w-]*\s{2,}", line):
            yield line.split(None, 1)[1]


def option_faults(text):
    if re.match(r"[a-z]", text):
        yield "no capital letter", text
    if re.search(r"[^.]\.$", text):
        yield "a full stop", text
    for default in re.findall(r"\(([^()]*\bdefault\b[^()]*)\)", text):
        if not re.match(r"default: \S", default):
            yield "form of the default", text
    # A page, such as pt.cfg(5), is not a default.
    if re.search(r"(^|\s)\([\d.]+[^()]*\)$", text) and "default" not in text:
        yield "form of the default", text
    if re.search(r"\bdefault\b", re.sub(r"\([^()]*\)", "", text)):
        yield "default outside of parentheses", text


def first_line(lines):
    """The first line of the description, which follows the usage."""
    isUsage = False
    for line in lines:
        if line.startswith("Usage:"):
            isUsage = True
        elif isUsage and not line.strip():
            isUsage = False
        elif not isUsage and line.strip():
            return line
    return ""


def examples_of(lines):
    """Commands below "Examples:"."""
    count, isExamples = 0, False
    for line in lines:
        if re.match(r"Examples?:", line):
            isExamples = True
        elif isExamples and re.match(r"\S", line):
            isExamples = False
        elif isExamples and re.match(r"  \S", line):
            count += 1
    return count


def faults(lines, verbs):
    for line in lines:
        if len(line) > WIDTH:
            yield f"{len(line)} columns", line
    for text in options_of(lines):
        yield from option_faults(text)
    for text in commands_of(lines):
        if re.match(r"[a-z]", text):
            yield "no capital letter", text
    first = first_line(lines)
    word = re.match(r"[A-Z][a-z]+", first)
    if not word or word[0].lower() not in verbs:
        yield "the first line is not an imperative", first
    if not any(re.match(r"Commands\b.*:", line) for line in lines) and \
            examples_of(lines) < 2:
        yield "fewer than two examples", first


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        verbs = set(file.read().split())
    isBad = False
    for name in sys.argv[2:]:
        for fault, text in faults(read(name), verbs):
            print(f"{name}: {fault}: {text}")
            isBad = True
    sys.exit(isBad)


main()
