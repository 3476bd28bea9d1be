# Prints what instructions.sh has measured.
#
#     instructions.py DIRECTORY FEW MANY VARIANT...
#
# DIRECTORY has profile.VARIANT.NUMBER of callgrind, of as many operations.
# SPDX-License-Identifier: LGPL-2.1-or-later
import collections, re, sys

scratch, few, many, *variants = sys.argv[1:]


def read(path):
    """Instructions of a run by object, and by function."""
    names = {}
    objects, functions = collections.Counter(), collections.Counter()
    where = what = ""
    is_call = False
    for line in open(path):
        named = re.match(r"(c?)(ob|fn)=(\(\d+\))(?: (.*))?", line)
        if named:
            called, kind, number, name = named.groups()
            if name:
                names[kind, number] = name
            if kind == "ob" and not called:
                where = names[kind, number]
            elif not called:
                what = names[kind, number]
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[+*\d-]\S* \d+", line):
            # What a call took is counted where it was taken.
            if not is_call:
                objects[where] += int(line.split()[1])
                functions[what] += int(line.split()[1])
            is_call = False
    return objects, functions


def each(variant, part):
    """The same for an operation."""
    less, more = (read(f"{scratch}/profile.{variant}.{i}")[part]
                  for i in (few, many))
    return {i: (more[i] - less[i]) / (int(many) - int(few)) for i in more}


def added(part):
    own, others = each("all", part), each("absent", part)
    return sorted(((own.get(i, 0) - others.get(i, 0), i)
                   for i in own.keys() | others.keys()), reverse=True)


total = {i: sum(each(i, 0).values()) for i in variants}
base = total.get("absent", 0)
theirs = total.get("trace", 0) - base
print("| variant | instructions per operation | debug/trace has |\n|---|---:|---|")
for name in variants:
    times = ""
    if name not in ("absent", "trace") and "trace" in total:
        times = f"{theirs / (total[name] - base):.1f} times as many"
    print(f"| {name} | {total[name] - (name != 'absent') * base:,.0f} | {times} |")
if "all" in total and "absent" in total:
    for what, part, count in (("in", 0, 8), ("by the function", 1, 45)):
        print(f"\n| of all, {what} | |\n|---|---:|")
        for number, name in added(part)[:count]:
            print(f"| {name.split('/')[-1]} | {number:,.0f} |")
