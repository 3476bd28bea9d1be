# SPDX-License-Identifier: LGPL-2.1-or-later
"""nomemory.py PROJECT...: every allocation of Python in the part in C fails, one by one:
there is a MemoryError, and nothing is lost. It needs _testcapi of CPython's tests."""
import gc
import sys

import _testcapi

from hdtrace import _native

FIRST, LAST = -2**63, 2**63 - 1
ROUNDS = 5


def use(path, values):
    """All that the part in C does to read a project."""
    project = _native.open(path)[0]
    described = project.describe()
    project.start()
    project.choose("*")
    for number in range(len(described["groups"])):
        project.read_group(number, FIRST, LAST, values[number])
    for number in range(len(described["traces"])):
        rows, columns = project.read_trace(number, FIRST, LAST)[0]
        _native.arrow_stream(rows, (("", "+s", None, None, None, None), *(
            (column[0], column[1], b"\0\0\0\0", *column[2:]) for column in columns)))
    for number in range(len(described["relations"])):
        project.read_relations(number, FIRST, LAST)
    project.close()


def fails(path, values, first, last=0):
    """Whether it is a MemoryError that allocations from one number to another fail."""
    _testcapi.set_nomemory(first, last)
    try:
        use(path, values)
    except MemoryError:
        # Before all else, which may allocate.
        _testcapi.remove_mem_hooks()
        return True
    _testcapi.remove_mem_hooks()
    return False


def count(path, values):
    """How many allocations there are."""
    used = 0
    step = 1 << 20
    while step:
        if fails(path, values, used + step):
            used += step
        step //= 2
    return used + 1


def fail_each(path, values, total):
    """Let one allocation fail, for each; returns how many were errors."""
    return sum(fails(path, values, number, number + 1) for number in range(1, total))


def main():
    """Fail them all, of each project."""
    for path in sys.argv[1:]:
        described = _native.open(path)[0].describe()
        values = [tuple(range(len(group["values"]))) for group in described["groups"]]
        del described
        total = count(path, values)
        failures = fail_each(path, values, total)
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(ROUNDS):
            fail_each(path, values, total)
        gc.collect()
        lost = sys.getallocatedblocks() - before
        print(f"# {path}: {total} allocations, {failures} errors, {lost} blocks more")
        # Python itself can do without some allocations.
        assert total > 50 and failures > total * 0.9, (path, failures, total)
        # What one failure loses, each round loses.
        assert lost < ROUNDS, (path, lost)


main()
