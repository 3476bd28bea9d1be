#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A naive simulator of mapped task graphs, written from the equations.

It shares nothing with PredictionLibrary: doc/format/prediction.md says what
the files mean, doc/prediction.md what is computed. At every moment it looks at
everything. simulate() returns what hdpredict prints as JSON.
"""
import itertools
import math
import xml.etree.ElementTree as ET


class Deadlock(Exception):
    """Nothing goes on; tasks that wait for memory, by the id of their node."""


class Full(Exception):
    """The memory of a server with full="fail" is too small."""


class Arena:
    """Memory of a server: blocks of data sets, with the number of their users.

    In place means that a block changes its name: no block is added.
    """
    def __init__(self, node, size, full):
        self.node, self.size, self.full = node, size, full
        self.blocks, self.peak, self.stuck = {}, 0, set()

    def used(self):
        return sum(size for size, _ in self.blocks.values())

    def take(self, wanted):
        """Add blocks (size, users) by name, if they fit or need not."""
        used = self.used() + sum(size for size, _ in wanted.values())
        if used > self.size and self.full == "delay":
            return False
        if used > self.size and self.full == "fail":
            raise Full()
        self.blocks.update(wanted)
        self.peak = max(self.peak, used)
        return True

    def drop(self, name):
        """One user less."""
        size, users = self.blocks.pop(name)
        if users > 1:
            self.blocks[name] = (size, users - 1)
        if users <= 2:
            self.stuck.clear()


def read_memories(path):
    return {e.find("main-memory").get("id"): (
        e.get("id"), float(e.find("main-memory").get("size")), e.find("main-memory").get("full"))
        for e in ET.parse(path).getroot().iter("node") if e.find("main-memory") is not None}


def read_homes(path):
    """Bridges whose energy is that of a server."""
    homes = set()

    def walk(node, has_server):
        has_server = has_server or node.tag == "node" and node.find("main-memory") is not None
        for e in node:
            if e.tag == "bridge" and has_server:
                homes.add(e.get("id"))
            walk(e, has_server)
    walk(ET.parse(path).getroot(), False)
    return homes


def highest(changes):
    """The most that changes (time, amount) add up to, for longer than no time."""
    level, most = 0, 0
    for _, group in itertools.groupby(sorted(changes), key=lambda c: c[0]):
        level += sum(amount for _, amount in group)
        most = max(most, level)
    return most


def number(text, names):
    return math.ceil(eval(text, {"__builtins__": {}}, names))


def read_graph(path):
    root = ET.parse(path).getroot()
    kernels = {k.get("id"): k for k in root.iter("kernel")}
    tasks, order = {}, []
    for e in root.iter("task"):
        kernel = kernels[e.get("kernel")]
        names = {a.get("var"): float(a.get("val")) for a in e.iter("assign")}
        place = e.find("map")
        tasks[e.get("id")] = {
            "kernel": kernel.get("id"), "class": kernel.get("class"),
            "names": names, "pe": place.get("pe"),
            "key": (int(place.get("priority")), len(order)),
            "sizes": {o.get("id"): number(o.get("size"), names)
                      for o in kernel.iter("output")},
            "inout": {o.get("id"): o.get("inout") for o in kernel.iter("output")},
            "inputs": {},
            "io": [((i.get("order"), i.get("access")), number(i.get("size"), names))
                   for i in kernel.iter("io")]}
        order.append(e.get("id"))
    for d in root.iter("dependency"):
        tasks[d.get("successor")]["inputs"][d.get("dest")] = (d.get("predecessor"), d.get("src"))
    dependencies = [(d.get("predecessor"), d.get("src"), d.get("successor"))
                    for d in root.iter("dependency")]
    return tasks, dependencies


def read_platform(path):
    root = ET.parse(path).getroot()
    idle = {a.get("id"): float(a.get("idle-power", 0))
            for a in root.iter("node-architecture")}
    kinds = {a.get("id"): [float(a.get(k, 0)) for k in (
        "init-latency", "packet-size", "packet-latency", "packet-energy")]
        for a in root.iter("bridge-architecture")}
    pes, servers, bridges, ends, ways_from = {}, {}, {}, {}, {}

    def walk(node, server, home):
        memory = node.find("main-memory") if node.tag == "node" else None
        if memory is not None:
            server = memory.get("id")
            servers[server] = idle.get(node.get("architecture"), 0.0)
        for e in node:
            if e.tag == "bridge":
                bridges[e.get("id")] = kinds.get(e.get("architecture"))
            if e.tag == "pe":
                pes[e.get("id")] = (server, (home, e.get("architecture")))
            if e.tag in ("channel", "main-memory", "pe"):
                for link in e:
                    ends.setdefault(link.get("peer"), []).append(
                        (link.tag, e.get("id")))
            if e.tag == "node":
                walk(e, server, e.get("id"))
    walk(root, None, None)
    edges = [(b, x, y) for b in bridges for (u, x) in ends[b]
             for (v, y) in ends[b]
             if x != y and u in ("out", "inout") and v in ("in", "inout")]

    def path_of(source, target):
        if source in ways_from:
            return ways_from[source][target]
        ways, queue = {source: []}, [source]
        for at in queue:
            for (b, x, y) in edges:
                if x == at and y not in ways:
                    ways[y] = ways[x] + [(b, x)]
                    queue.append(y)
        ways_from[source] = ways
        return ways[target]
    return pes, servers, bridges, path_of


def read_resources(path):
    root = ET.parse(path).getroot()
    entries = []
    for e in root.iter("entry"):
        values = {a.get("var"): float(a.get("val")) for a in e.iter("assign")}
        counts = e.get("pes", "1").split(",")
        numbers = [e.get(key, ",".join("0" * len(counts))).split(",")
                   for key in ("time", "energy", "time-sd", "energy-sd")]
        for count, *rest in zip(counts, *numbers):
            entries.append((e.get("kernel"), e.get("architecture"), values,
                            *map(float, rest), int(count)))
    slow = {(e.get("architecture"), e.get("kernel"), e.get("load"),
             int(e.get("count"))): float(e.get("factor"))
            for e in root.iter("slowdown")}
    ios = {(e.get("architecture"), (e.get("order"), e.get("access"))):
           (float(e.get("size")), float(e.get("time")), float(e.get("energy")))
           for e in root.iter("io")}
    return entries, slow, ios


def factor(slow, architecture, kernel, loads):
    """Slowdown of a kernel by the kernels that run beside it."""
    listed = [l for l in loads
              if any(k[:3] == (architecture, kernel, l) for k in slow)]
    values = []
    for l in listed:
        counts = [c for (a, k, m, c) in slow
                  if (a, k, m) == (architecture, kernel, l)
                  and c <= len(listed)]
        if counts:
            values.append(slow[architecture, kernel, l, max(counts)])
    return sum(values) / len(values) if values else 1.0


def share(flows):
    """Max-min fair rates in bytes a second: fill until a bridge is full."""
    left, open_ = {}, list(flows)
    for f in flows:
        for b in f["cost"]:
            left[b] = 1.0
    while open_:
        best, at = None, None
        for b in sorted(left):
            cost = sum(f["cost"].get(b, 0.0) for f in open_)
            if cost > 0 and (best is None or left[b] / cost < best):
                best, at = left[b] / cost, b
        for f in [f for f in open_ if f["cost"].get(at, 0.0) > 0]:
            f["new"] = best
            for b, c in f["cost"].items():
                left[b] = max(0.0, left[b] - c * best)
            open_.remove(f)


def read(graph, platform, resources):
    """Models that run() may simulate again and again."""
    return (read_graph(graph), read_platform(platform), read_resources(resources),
            read_memories(platform), read_homes(platform))


def simulate(graph, platform, resources, slowdown=True, exclusive=True,
             draw=None):
    return run(read(graph, platform, resources), slowdown, exclusive, draw)


def run(models, slowdown=True, exclusive=True, draw=None):
    (tasks, dependencies), (pes, servers, bridges, path_of), costs, memories, homes = models
    entries, slow, ios = costs
    # The PEs that run a task together, in the order of the platform.
    teams = {t: [p for p in pes if p in tasks[t]["pe"].split(",")] for t in tasks}
    lists = {p: sorted((t for t in tasks if p in teams[t]),
                       key=lambda t: tasks[t]["key"]) for p in pes}
    spent = {p: [0.0, 0.0] for p in pes}
    missing = {t: sum(d[2] == t for d in dependencies) for t in tasks}
    running, flows, waiting, busy = {}, [], [], set()
    start, end, computation, communication, now = {}, {}, 0.0, 0.0, 0.0
    power, pending = [(0.0, sum(servers.values()))], {}

    def draws(since, energy):
        """Something took energy from a time until now."""
        if now > since:
            power.extend(((since, energy / (now - since)), (now, -energy / (now - since))))

    arenas = {m: Arena(*memory) for m, memory in memories.items()}

    def where(t):
        return pes[teams[t][0]][0]

    def is_next(t):
        """All PEs of a task are idle, and come to it next."""
        return all(p not in running and lists[p] and lists[p][0] == t for p in teams[t])

    def begins(t):
        """Take memory for outputs; those in place have that of their inputs."""
        arena, wanted, renamed = arenas[where(t)], {}, {}
        for out, size in tasks[t]["sizes"].items():
            source = tasks[t]["inputs"].get(tasks[t]["inout"][out])
            if source and arena.blocks[source][1] == 1:
                renamed[source] = (t, out)
            else:
                wanted[t, out] = (size, 1)
        if not arena.take(wanted):
            return False
        for source, name in renamed.items():
            arena.blocks[name] = arena.blocks.pop(source)
        return True

    def release(t):
        arena = arenas[where(t)]
        for source in tasks[t]["inputs"].values():
            if source in arena.blocks:
                arena.drop(source)
        for out, size in tasks[t]["sizes"].items():
            needs = [where(s) for p, o, s in dependencies if (p, o) == (t, out)]
            users = needs.count(where(t)) + len(set(needs) - {where(t)})
            arena.blocks[t, out] = (size, max(users, 1))
            if not users:
                arena.drop((t, out))

    def starved():
        found = {}
        for p in pes:
            if lists[p] and is_next(lists[p][0]) and all(
                    s[0] in end for s in tasks[lists[p][0]]["inputs"].values()):
                found.setdefault(arenas[pes[p][0]].node, set()).add(lists[p][0])
        return found

    def finish(t):
        end[t] = now
        release(t)
        remote = {}
        for number_, (p, out, s) in enumerate(dependencies):
            if p != t:
                continue
            if where(s) == where(t):
                missing[s] -= 1
            else:
                remote.setdefault((out, where(s)), []).append((number_, s))
        for (out, server), served in remote.items():
            path = path_of(where(t), server)
            size, init, worst, cost, joule, at_home = tasks[t]["sizes"][out], 0, 0, {}, 0, 0
            pending.setdefault(where(t), []).append((now, 1))
            for b in path:
                i, packet, latency, energy = bridges[b[0]] or (0, 0, 0, 0)
                n = math.ceil(size / packet) if packet else 0
                init, worst = init + i, max(worst, n * latency)
                joule += n * energy * 1e-9
                at_home += n * energy * 1e-9 if b[0] in homes else 0
                if n * latency > 0:
                    cost[b] = n * latency / 1e9 / size
            waiting.append({"number": min(served)[0], "path": path, "data": (t, out),
                            "from": where(t), "to": server, "size": size,
                            "for": [s for _, s in served], "left": float(size),
                            "cost": cost, "joule": joule, "at_home": at_home, "init": init / 1e9,
                            "time": (init + worst) / 1e9, "rate": None})

    while len(end) < len(tasks):
        # What can be sent, lowest number first, then what can run.
        for m in sorted(waiting, key=lambda m: m["number"]):
            arena = arenas[m["to"]]
            if m["from"] in arena.stuck or exclusive and any(b in busy for b in m["path"]):
                continue
            if not arena.take({m["data"]: (m["size"], len(m["for"]))}):
                arena.stuck.add(m["from"])
                continue
            busy.update(m["path"])
            m["at"] = now + (m["time"] if exclusive else m["init"])
            communication += m["joule"]
            m["start"] = now
            waiting.remove(m)
            flows.append(m)
        for p in pes:
            if p in running or not lists[p] or missing[lists[p][0]]:
                continue
            t = lists[p][0]
            if p != teams[t][0] or not is_next(t) or not begins(t):
                continue
            for q in teams[t]:
                lists[q].pop(0)
            fits = [e for e in entries
                    if e[0] == tasks[t]["kernel"] and e[1] == pes[p][1][1]
                    and e[7] == len(teams[t])
                    and all(tasks[t]["names"].get(v) == x
                            for v, x in e[2].items())]
            entry = max(fits, key=lambda e: len(e[2]))
            time, energy = entry[3:5]
            if draw:
                z = draw(t)
                time = max(0.0, time + z[0] * entry[5])
                energy = max(0.0, energy + z[1] * entry[6])
            for access, size in tasks[t]["io"]:
                one = ios[pes[p][1][1], access]
                time += math.ceil(size / one[0]) * one[1]
                energy += math.ceil(size / one[0]) * one[2]
            computation += energy
            start[t] = now
            for q in teams[t]:
                spent[q][1] += energy / len(teams[t])
            running.update(dict.fromkeys(teams[t], {
                "task": t, "left": time, "s": None, "last": now, "energy": energy}))
        for p, r in running.items():
            s = factor(slow, pes[p][1][1], tasks[r["task"]]["kernel"],
                       [tasks[q["task"]]["kernel"] for o, q in running.items()
                        if q is not r and pes[o][1] == pes[p][1]]
                       ) if slowdown else 1.0
            if s != r["s"]:
                if r["s"] is not None:
                    r["left"] -= (now - r["last"]) / r["s"]
                r["s"], r["last"], r["at"] = s, now, now + r["left"] * s
        if not exclusive:
            open_ = [f for f in flows if f["rate"] is not None]
            share(open_)
            for f in open_:
                if f["new"] != f["rate"]:
                    f["left"] -= (now - f["last"]) * f["rate"]
                    f["rate"], f["last"] = f["new"], now
                    f["at"] = now + max(0.0, f["left"]) / f["rate"]
        moments = [x["at"] for x in list(running.values()) + flows]
        if not moments:
            raise Deadlock(starved())
        now = min(moments)
        for p in [p for p in running if running[p]["at"] == now]:
            r = running.pop(p)
            spent[p][0] += now - start[r["task"]]
            if p == teams[r["task"]][-1]:
                draws(start[r["task"]], r["energy"])
                finish(r["task"])
        for f in [f for f in flows if f["at"] == now]:
            if not exclusive and f["rate"] is None and f["cost"]:
                f["rate"], f["last"] = 0.0, now
                f["at"] = math.inf
                continue
            flows.remove(f)
            draws(f["start"], f["at_home"])
            pending[f["from"]].append((now, -1))
            busy.difference_update(f["path"])
            arenas[f["from"]].drop(f["data"])
            for s in f["for"]:
                missing[s] -= 1
    makespan = max(end.values(), default=0.0)
    idle = sum(servers.values()) * makespan
    return {"tasks": len(tasks), "makespan_s": makespan,
            "energy_computation_j": computation,
            "energy_communication_j": communication,
            "energy_dynamic_j": computation + communication,
            "energy_idle_j": idle,
            "energy_total_j": computation + communication + idle,
            "peak_power_w": highest(power),
            "memory_peak_bytes": max(a.peak for a in arenas.values()),
            "pending_max": max(map(highest, pending.values()), default=0),
            "per_memory": {a.node: a.peak for a in arenas.values()},
            "per_pe": spent,
            "per_task": {t: (",".join(teams[t]), start[t], end[t]) for t in tasks}}
