#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the sentences of texts that have one of the habits to avoid.

    language.py FILE...          print the share of each kind of text
    language.py --list FILE...   print each sentence that has a habit
    language.py --all FILE...    print every sentence

A FILE that begins with @ contains the names of files, one per line. A sentence
counts when it has six words or more; code and tables are left out. All titles of
test points count. The kind of a text follows from its path: readme, news, guide,
man, doc, hacking, header, help, message and test.

The habits:

    clause    a clause as a noun: "what is missing", "who reads it"
    no        "is no X", "is none of"
    actor     nobody, somebody, anybody: name the actor
    relation  "that of", "those of", "beside", "one another": repeat the noun
    idiom     "come to", "is told from", "lies in", "as of", "so many", "of it"
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import words  # noqa: E402

HABITS = [
    ("clause", re.compile(
        r"\bwhat(?:ever)?\b(?!\s+to\b)(?![- ]if\b)(?=.*[^?]$)"
        r"|(?:^|[,;:(]\s*|\b(?:by|to|of|for|from|with|and|or|on|than|knows?|says?|"
        r"tells?|asks?|sees?)\s+)who(?:ever|m)?\b(?=.*[^?]$)", re.I)),
    ("no", re.compile(r"(?<!there )\b(?:is|are|was|were|be|been)\s+(?:no|none)\b"
                      r"(?!\s+(?:longer|more|less|later|doubt)\b)", re.I)),
    ("actor", re.compile(r"\b(?:nobody|somebody|anybody|everybody|whoever)\b"
                         r"|\bone\s+(?:can|may|must|has|wants|needs|takes|sees)\b",
                         re.I)),
    ("relation", re.compile(r"\b(?:that|those)\s+of\b|\bbeside\b|\bone\s+another\b",
                            re.I)),
    ("idiom", re.compile(r"\b(?:comes?|came)\s+to\s+(?:the\s+)?(?:\d|same|about)"
                         r"|\b(?:is|are)\s+told\s+from\b|\blies?\s+in\b"
                         r"|\bas\s+of\b(?!\s+(?:this|version|\d))|\bso\s+many\b"
                         r"|\bof\s+it\b", re.I)),
]
LEAST = 6


def kind_of(name):
    base = os.path.basename(name)
    if base.startswith("README") or base.startswith("CONTRIBUTING"):
        return "readme"
    if base.startswith("NEWS"):
        return "news"
    if base == "HACKING" or "/doc/dev/" in f"/{name}":
        return "hacking"
    if "/guides/" in f"/{name}":
        return "guide"
    if name.startswith("tests/"):
        return "test"
    if re.search(r"/man/.*\.[1-9]$", name):
        return "man"
    if "/help/" in name:
        return "help"
    if re.search(r"\.(c|js|html|in|sh)$", name):
        return "message"
    if name.endswith(".h"):
        return "header" if "/include/" in name else "message"
    return "doc"


def of_markdown(text):
    """Paragraphs, without code, tables and headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    line, paragraph, start = 0, [], 1
    isList = False
    for line, row in enumerate(text.split("\n") + [""], 1):
        code = re.match(r"(\t| {4,})\S", row) and not (paragraph or isList)
        isItem = re.match(r"\s*([-*+]|\d+\.)\s", row)
        isTable = re.match(r"\s*\|", row) or re.search(r" \| .* \| ", row)
        isRule = re.match(r"\s*([-=#~]{3,}|#+\s)", row)
        if not row.strip() or code or isTable or isRule or isItem:
            if paragraph:
                yield start, " ".join(paragraph)
            paragraph = []
            isList = bool(isItem) or (isList and (not row.strip() or
                                                  row.startswith("  ")))
        if isItem:
            paragraph, start = [row], line
        elif row.strip() and not (code or isTable or isRule):
            if not paragraph:
                start = line
            paragraph.append(row)


def of_man(text):
    """Paragraphs of a man page's source, without examples and synopsis."""
    paragraph, start, skip = [], 1, False
    for line, row in enumerate(text.split("\n") + [".PP"], 1):
        if re.match(r"\.(nf|EX|TS)\b", row):
            skip = True
        if re.match(r"\.SH\s+\"?SYNOPSIS", row):
            skip = True
        elif re.match(r"\.(fi|EE|TE|SH)\b", row):
            skip = False
        if row.startswith('.\\"'):
            continue
        macro = re.match(r"\.([A-Za-z]+)\s*(.*)", row)
        if macro and macro[1] not in ("B", "I", "BR", "IR", "RB", "RI", "BI", "IB",
                                      "UR", "UE", "MT", "ME"):
            if paragraph:
                yield start, " ".join(paragraph)
            paragraph, start = [], line + 1
            continue
        if skip:
            continue
        row = macro[2] if macro else row
        row = re.sub(r"\\(f.|f\(..|&|%|:|,|/)", "", row)
        row = row.replace("\\-", "-").replace("\\(aq", "'").replace('"', "")
        if row.strip():
            paragraph.append(row)


def of_header(text):
    for line, found in words.of_header(text):
        found = re.sub(r"^/\*+[<!]?|\*+/$", "", found)
        found = re.sub(r"@code.*?@endcode", " ", found, flags=re.S)
        for part in re.split(r"@(?:param(?:\[[a-z,]*\])?\s+\w+|retval\s+\S+|\w+)",
                             found):
            yield line, part


def of_help(text):
    """Paragraphs and descriptions of options, without usage and examples."""
    paragraph, start, skip = [], 1, False
    for line, row in enumerate(text.split("\n") + [""], 1):
        if re.match(r"\S", row):
            skip = bool(re.match(r"(Usage|Examples?):", row))
        option = re.match(r"  (?:-\w(?:, --\S+)?|--\S+|\w[\w-]*  )\s*(.*)", row)
        if option or not row.strip():
            if paragraph:
                yield start, " ".join(paragraph)
            paragraph = []
            row = option[1] if option else row
        if row.strip() and not skip and not row.endswith(":"):
            if not paragraph:
                start = line
            paragraph.append(row)


def of_test(text):
    """Titles of test points."""
    title = re.compile(r"""\b(?:ok|test)\s*\(?\s*(?:"([^"]+)"|'([^']+)'|`([^`]+)`)""")
    for line, row in enumerate(text.split("\n"), 1):
        for found in title.finditer(row):
            yield line, found[1] or found[2] or found[3]


def paragraphs(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        text = file.read()
    kind = kind_of(name)
    if kind == "man":
        return of_man(text)
    if kind == "header":
        return of_header(text)
    if kind == "help":
        return of_help(text)
    if kind == "test":
        return of_test(text)
    if kind == "message":
        return words.texts(name)
    return of_markdown(text)


def sentences(name):
    least = 1 if kind_of(name) == "test" else LEAST
    for line, text in paragraphs(name):
        text = re.sub(r"`[^`]*`", "X", " ".join(text.split()))
        for part in re.split(r"(?<=[.!?])[\"')]*\s+(?=[A-Z\"'`(%])|(?<=[a-z]):\s+"
                             r"(?=[A-Z])", text):
            if len(re.findall(r"[A-Za-z][\w'/-]*", part)) >= least:
                yield line, part


def main():
    names = sys.argv[1:]
    mode = names.pop(0) if names and names[0] in ("--list", "--all") else None
    for at in [name for name in names if name.startswith("@")]:
        names.remove(at)
        with open(at[1:], encoding="utf-8") as file:
            names += file.read().split("\n")[:-1]
    counts = {}
    for name in names:
        count = counts.setdefault(kind_of(name), [0, 0])
        for line, text in sentences(name):
            found = [habit for habit, pattern in HABITS if pattern.search(text)]
            count[0] += 1
            count[1] += bool(found)
            if mode == "--all" or mode == "--list" and found:
                print(f"{name}:{line}: {','.join(found)}: {text}")
    if mode is None:
        for kind, (total, bad) in sorted(counts.items()):
            print(f"{kind} {total} {bad} {100 * bad / max(total, 1):.2f}")


if __name__ == "__main__":
    main()
