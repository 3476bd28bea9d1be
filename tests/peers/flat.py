#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write a mapped graph, its platform and its times for the peers: flat.hpp.

usage: flat.py GRAPH PLATFORM RESOURCES

It shares nothing with PredictionLibrary, but reads as tests/predict/oracle.py.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "predict"))
import oracle  # noqa: E402


def main():
    tasks, edges = oracle.read_graph(sys.argv[1])
    pes, servers, bridges, path_of = oracle.read_platform(sys.argv[2])
    entries, _, _ = oracle.read_resources(sys.argv[3])
    server_of = {s: i for i, s in enumerate(servers)}
    used, out = {}, []  # Bridges in one direction, by where it begins.
    place = {p: i for i, p in enumerate(pes)}
    out += [str(server_of[pes[p][0]]) for p in pes]
    number = {t: i for i, t in enumerate(tasks)}
    known = {}
    for t, task in tasks.items():
        arch = pes[task["pe"]][1][1]
        key = (task["kernel"], arch, tuple(sorted(task["names"].items())))
        if key not in known:
            fits = [e for e in entries if e[0] == key[0] and e[1] == arch
                    and all(task["names"].get(v) == x for v, x in e[2].items())]
            known[key] = max(fits, key=lambda e: len(e[2]))[3]
        out.append(f"{place[task['pe']]} {known[key]!r}")
    # The order of each PE.
    lists = {p: [] for p in pes}
    for t in tasks:
        lists[tasks[t]["pe"]].append(t)
    for p in pes:
        order = sorted(lists[p], key=lambda t: tasks[t]["key"])
        out.append(" ".join(map(str, [len(order)] + [number[t] for t in order])))
    local, remote = [], {}
    for i, (p, o, s) in enumerate(edges):
        a, b = (pes[tasks[t]["pe"]][0] for t in (p, s))
        if a == b:
            local.append((p, s))
        else:
            remote.setdefault((p, o, b), (i, a, []))[2].append(s)
    out.append(str(len(local)))
    out += [f"{number[p]} {number[s]}" for p, s in local]
    paths = {}
    out.append(str(len(remote)))
    for (p, o, b), (first, a, served) in remote.items():
        if (a, b) not in paths:
            paths[a, b] = [used.setdefault(x, len(used)) for x in path_of(a, b)]
        path = paths[a, b]
        out.append(" ".join(map(str, [number[p], first, tasks[p]["sizes"][o], server_of[b],
                                      len(path), *path, len(served),
                                      *(number[s] for s in served)])))
    head = [f"{len(servers)} {len(used)} {len(pes)} {len(tasks)}"]
    for b, _ in used:
        init, size, latency, _ = bridges[b] or (0, 0, 0, 0)
        head.append(f"{init!r} {size!r} {latency!r}")
    print("\n".join(head + out))


main()
