# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filters what hdtrace dump --format=json printed by a query, with no code of ours.

    where.py HDTRACE PROJECT COUNT SEED

makes COUNT random queries from what the project has, and compares with
hdtrace dump --where. Times are compared as exact fractions."""
import fnmatch
import json
import random
import re
import subprocess
import sys
from fractions import Fraction

hdtrace, project, count, seed = sys.argv[1:5]
chance = random.Random(int(seed))


def dump(*options):
    done = subprocess.run([hdtrace, "dump", "--format=json", *options, project],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout, parse_float=Fraction, parse_int=Fraction)


everything = dump()
levels = [re.sub("[0-9]+$", "", level) for level in everything["project"]["levels"]]
nodes = {node["path"]: node for node in everything["project"]["nodes"]}


def ancestors(path):
    """All nodes whose path is a beginning, from the one with most labels."""
    found = [one for one in nodes if path == one or path.startswith(one + "_")]
    return sorted(found, key=len, reverse=True)


def label_at(path, *types):
    for kind in types:
        for one in ancestors(path):
            if kind in levels and nodes[one]["level"] == levels.index(kind) + 1:
                return nodes[one]["label"]
        if kind in levels:
            return None
    return None


def items():
    """(list in the document, number in it, item)"""
    for kind, inner in (("groups", "entries"), ("traces", "records"),
                        ("relations", "elements")):
        for at, file in enumerate(everything.get(kind, [])):
            for number, one in enumerate(file[inner]):
                yield kind, at, number, describe(kind, file, one)


def describe(kind, file, one):
    path = file["node"]
    item = {"name": one.get("name"), "group": None, "nodes": ancestors(path),
            "rank": label_at(path, "Rank", "Process"),
            "thread": label_at(path, "Thread", "Part"),
            "from": one.get("start", one.get("time")), "to": one.get("end", one.get("time")),
            "attributes": one.get("attributes", {})}
    if kind == "groups":
        item["group"] = file["group"]
        names = [value["name"] for value in file["values"]]
        item["attributes"] = {
            name: "NaN" if value is None else str(float(value)) if isinstance(value, Fraction)
            and value.denominator != 1 else str(value)
            for name, value in zip(names, one["values"])}
    return item


known = list(items())
start = min((item["from"] for _, _, _, item in known), default=Fraction(0))


def number_of(text):
    if text is None or not re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?",
                                        text):
        return None
    return Fraction(text)


def compare(operator, low, high, number):
    if number is None:
        return False
    return {"=": low <= number <= high, "<": number < low, "<=": number <= low,
            ">": number > low, ">=": number >= low}[operator]


def random_time():
    one = chance.choice(known)[3]
    time = chance.choice((one["from"], one["to"])) - start
    ns = int(time * 10**9)
    return Fraction(ns, 10**9), chance.choice((f"{ns}ns", f"{ns // 10**9}.{ns % 10**9:09}"))


def text_term(key, texts_of):
    texts = texts_of(chance.choice(known)[3])
    text = chance.choice([one for one in texts if one] or ["x"])
    if key in ("rank", "thread") and number_of(text) is not None:
        low = int(text)
        operator = chance.choice("= < <= > >= ..".split())
        if operator == "..":
            return (f"{key}={low}..{low + 2}", lambda item: any(
                compare("=", low, low + 2, number_of(one)) for one in texts_of(item)))
        return (f"{key}{operator}{low}", lambda item: any(
            compare(operator, low, low, number_of(one)) for one in texts_of(item)))
    form = chance.choice(("quoted", "glob", "contains", "not"))
    plain = re.sub(r'(["\\])', r"\\\1", text)
    if form == "quoted":
        return f'{key}="{plain}"', lambda item: text in texts_of(item)
    if form == "not":
        return f'{key}!="{plain}"', lambda item: text not in texts_of(item)
    if form == "contains":
        part = text[:3].upper()
        plain = re.sub(r'(["\\])', r"\\\1", part)
        return (f'{key}~"{plain}"', lambda item: any(
            one is not None and part.lower() in one.lower() for one in texts_of(item)))
    glob = "".join(letter if letter.isalnum() else "?" for letter in text[:4]) + "*"
    return (f"{key}={glob}|nothing", lambda item: any(
        one is not None and fnmatch.fnmatchcase(one, glob) for one in texts_of(item)))


def attribute_term():
    with_some = [item for _, _, _, item in known if item["attributes"]]
    if not with_some:
        return text_term("name", lambda item: [item["name"]])
    name = chance.choice(list(chance.choice(with_some)["attributes"]))
    if not re.fullmatch(r"[A-Za-z0-9_.:-]+", name):
        return text_term("name", lambda item: [item["name"]])
    values = [item["attributes"][name] for item in with_some if name in item["attributes"]]
    number = number_of(chance.choice(values))
    if number is None or number.denominator != 1:
        return text_term("@" + name, lambda item: [item["attributes"].get(name)])
    operator = chance.choice("< <= > >= =".split())
    whole = int(number)
    text = f"{whole // 1000}k" if whole % 1000 == 0 else str(whole)
    return (f"@{name}{operator}{text}", lambda item: compare(
        operator, whole, whole, number_of(item["attributes"].get(name))))


def time_term(key):
    if key == "duration":
        one = chance.choice(known)[3]
        low = one["to"] - one["from"]
        text = f"{int(low * 10**9)}ns"
    else:
        low, text = random_time()
    operator = chance.choice("< <= > >= =".split())
    return (f"{key}{operator}{text}", lambda item: compare(
        operator, low, low, item["to"] - item["from"] if key == "duration"
        else item[key] - start))


def random_term():
    key = chance.choice(("name", "name", "node", "rank", "thread", "group", "duration",
                         "from", "to", "@", "@"))
    if key == "@":
        return attribute_term()
    if key in ("duration", "from", "to"):
        return time_term(key)
    if key == "node":
        return text_term(key, lambda item: item["nodes"])
    return text_term(key, lambda item: [item[key]])


def filtered(terms):
    found = {}
    for kind, at, number, item in known:
        if all(holds(item) for _, holds in terms):
            found.setdefault((kind, at), []).append(number)
    result = []
    for (kind, at), numbers in found.items():
        inner = {"groups": "entries", "traces": "records", "relations": "elements"}[kind]
        file = everything[kind][at]
        result.append((kind, file["file"], [file[inner][number] for number in numbers]))
    return result


def flat(document):
    return [(kind, file["file"], file[inner]) for kind, inner in
            (("groups", "entries"), ("traces", "records"), ("relations", "elements"))
            for file in document.get(kind, [])]


matches = 0
for _ in range(int(count)):
    terms = [random_term() for _ in range(chance.choice((1, 1, 2, 3)))]
    query = " ".join(text for text, _ in terms)
    expected = filtered(terms)
    got = flat(dump("--where=" + query))
    if got != expected:
        sys.exit(f"{query}: expected {sum(len(one[2]) for one in expected)} items, "
                 f"got {sum(len(one[2]) for one in got)}")
    matches += sum(len(one[2]) for one in expected)
assert matches or not known, "no query matched anything"
print(matches)
