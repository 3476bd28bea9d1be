#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare hdpredict with the naive simulator, on models made by a seed.

usage: compare.py HDPREDICT DIRECTORY FIRST COUNT

Models are trees of servers and switches; half of them have times that are
multiples of 1/8 s, so that much happens at the same time, exactly.
"""
import json
import math
import random
import subprocess
import sys

import oracle

ACCESSES = [(o, a) for o in ("sequential", "random") for a in ("read", "write", "sync")]
SIZES = (0, 1, 1000, 1492, 1493, 100000, 1 << 20)


def make_platform(rng, exact):
    out = ["<platform>"]
    servers = rng.randint(1, 6)
    kinds = rng.randint(1, 3)
    for k in range(kinds):
        out.append(f'<node-architecture id="n{k}" idle-power="{rng.randint(0, 9)}"/>')
        for way in ("in", "out"):
            unit = 125000000 if exact else 1
            init = rng.choice((0, 1, 2, 3)) * unit if exact else rng.randint(0, 10**7)
            latency = rng.choice((0, 1, 2)) * unit // 64 if exact else rng.randint(0, 10**6)
            out.append(f'<bridge-architecture id="b{k}{way}" init-latency="{init}" '
                       f'packet-size="{rng.choice((1492, 65536))}" '
                       f'packet-latency="{latency}" packet-energy="{rng.randint(0, 9)}"/>')
    pes = []
    links = {"core": []}
    for s in range(servers):
        k = rng.randrange(kinds)
        out.append(f'<node id="s{s}" architecture="n{k}">')
        both = rng.random() < 0.3
        if both:
            out.append(f'<main-memory id="s{s}.m" size="1e12"><inout peer="s{s}.l"/></main-memory>')
            out.append(f'<bridge id="s{s}.l" architecture="b{k}out"/>')
            ends = [f'<inout peer="s{s}.l"/>']
        else:
            out.append(f'<main-memory id="s{s}.m" size="1e12"><out peer="s{s}.o"/>'
                       f'<in peer="s{s}.i"/></main-memory>')
            unknown = ' architecture="unknown"' if rng.random() < 0.1 else f' architecture="b{k}out"'
            out.append(f'<bridge id="s{s}.o"{unknown}/><bridge id="s{s}.i" architecture="b{k}in"/>')
            ends = [f'<in peer="s{s}.o"/><out peer="s{s}.i"/>']
        links["core"] += ends
        inner = rng.random() < 0.4
        for part in range(2 if inner else 1):
            if inner:
                out.append(f'<node id="s{s}.{part}">')
            for p in range(rng.randint(1, 3)):
                arch = f"a{rng.randint(0, 1)}"
                pes.append((f"s{s}.{part}.p{p}", arch))
                out.append(f'<pe id="s{s}.{part}.p{p}" architecture="{arch}"/>')
            if inner:
                out.append("</node>")
        out.append("</node>")
    # One switch, or two with a link between them.
    if rng.random() < 0.3:
        half = len(links["core"]) // 2
        out.append('<channel id="x">' + "".join(links["core"][:half]) + '<inout peer="xy"/></channel>')
        out.append('<channel id="y">' + "".join(links["core"][half:]) + '<inout peer="xy"/></channel>')
        out.append('<bridge id="xy" architecture="b0in"/>')
    else:
        out.append('<channel id="x">' + "".join(links["core"]) + "</channel>")
    return out + ["</platform>"], pes


def limit_memory(rng, platform):
    """Give all servers less memory."""
    room = rng.choice((2000, 10000, 400000, 4000000))
    full = rng.choice(("", ' full="delay"', ' full="delay"', ' full="fail"'))
    return [e.replace('size="1e12"', f'size="{room}"{full}') for e in platform]


def peers_of(pe, pes):
    """PEs of the same node and architecture as one of them, and it."""
    arch = dict(pes)[pe]
    node = pe.rsplit(".", 1)[0]
    return [p for p, a in pes if a == arch and p.rsplit(".", 1)[0] == node]


def make_graph(rng, pes, costs, limit):
    """Kernels k0.. with inputs and outputs whose size is the variable n."""
    count = rng.randint(1, limit)
    kernels = [(0, 1)] + [(rng.randint(0, 3), rng.randint(0, 2))
                          for _ in range(rng.randint(1, 4))]
    out = []
    # Some access files, by numbers of their own.
    files = random.Random(rng.getrandbits(32))
    for k, (i, o) in enumerate(kernels):
        io = "".join(f'<io order="{order}" access="{access}" size="n * {files.randint(0, 3)} + 1"/>'
                     for order, access in ACCESSES if files.random() < 0.1)
        # Some outputs replace inputs, each another one.
        inouts = files.sample(range(i), min(i, o)) if files.random() < 0.6 else ()
        inouts = [f' inout="i{x}"' for x in inouts] + [""] * o
        out.append(f'<kernel id="k{k}"><variable id="n"/>'
                   + "".join(f'<input id="i{x}" size="n * (2 - 1)"/>' for x in range(i))
                   + "".join(f'<output id="o{x}" size="n"{inouts[x]}/>' for x in range(o)) + io + "</kernel>")
    sizes = rng.sample(SIZES, rng.randint(1, 3))
    # Some tasks run on several PEs.
    teams = random.Random(files.getrandbits(32))
    most = teams.choice((1, 1, 2, 3))
    made = {n: [] for n in sizes}
    tasks, edges = [], []
    for t in range(count):
        n = rng.choice(sizes)
        k = rng.randrange(len(kernels))
        if kernels[k][0] and not made[n]:
            k = 0
        for x in range(kernels[k][0]):
            recent = made[n][-20:] if rng.random() < 0.5 else made[n]
            p, o = rng.choice(recent)
            edges.append(f'<dependency predecessor="t{p}" successor="t{t}" src="o{o}" dest="i{x}"/>')
        made[n] += [(t, o) for o in range(kernels[k][1])]
        pe, arch = rng.choice([(p, a) for p, a in pes if (k, a) in costs] or pes)
        peers = peers_of(pe, pes)
        peers.remove(pe)
        team = [pe] + teams.sample(peers, min(len(peers), teams.randint(1, most) - 1))
        teams.shuffle(team)
        costs.setdefault((k, arch), {1}).add(len(team))
        priority = rng.randint(0, count) if rng.random() < 0.01 else t
        tasks.append(f'<task id="t{t}" kernel="k{k}"><assign var="n" val="{n}"/>'
                     f'<map pe="{",".join(team)}" priority="{priority}"/></task>')
    rng.shuffle(edges)
    if rng.random() < 0.5:
        rng.shuffle(tasks)
    if rng.random() < 0.3:
        return ["<application>"] + edges + tasks + out + ["</application>"]
    return ["<application>"] + out + tasks + edges + ["</application>"]


def make_resources(rng, costs, exact):
    def time():
        return rng.randint(0, 16) / 8 if exact else rng.uniform(0, 3)

    def entry(k, a, counts):
        """An entry for one PE, or for each of some numbers of PEs."""
        numbers = [(repr(time()), repr(rng.uniform(0, 5))) for _ in counts]
        pes = f' pes="{",".join(map(str, counts))}"' if counts != [1] else ""
        return (f'<entry kernel="k{k}" architecture="{a}"{pes} time="{",".join(t for t, _ in numbers)}" '
                f'energy="{",".join(e for _, e in numbers)}"')

    out = ["<resource-model>"]
    for k, a in costs:
        counts = sorted(costs[k, a] or [1])
        parts = [counts] if len(counts) == 1 or rng.random() < 0.5 else [counts[:1], counts[1:]]
        out += [entry(k, a, part) + "/>" for part in parts]
        if rng.random() < 0.3:
            out.append(f'{entry(k, a, rng.choice((counts, counts[-1:])))}>'
                       f'<assign var="n" val="{rng.choice(SIZES)}"/></entry>')
        for load in range(5):
            for count in range(1, 3):
                if rng.random() < 0.4:
                    factor = rng.choice((1, 2, 4)) if exact else rng.uniform(1, 2)
                    out.append(f'<slowdown architecture="{a}" kernel="k{k}" load="k{load}" '
                               f'count="{count}" factor="{factor!r}"/>')
    for a in sorted({a for _, a in costs}):
        for order, access in ACCESSES:
            out.append(f'<io architecture="{a}" order="{order}" access="{access}" '
                       f'size="{rng.choice((4096, 1 << 20))}" time="{time() / 64!r}" '
                       f'energy="{rng.uniform(0, 1)!r}"/>')
    return out + ["</resource-model>"]


def check(mine, theirs, what, problems):
    if not math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-9):
        problems.append(f"{what}: {theirs!r}, not {mine!r}")


def critical_path(names, spans):
    """The longest chain of tasks as long as they took, and of messages as if alone."""
    tasks, edges = oracle.read_graph(names[0])
    pes, _, bridges, path_of = oracle.read_platform(names[1])
    length = {s["id"]: s["end_s"] - s["start_s"] for s in spans}
    after, missing, ends = {}, dict.fromkeys(tasks, 0), dict.fromkeys(tasks, 0.0)
    for p, o, s in edges:
        a, b = (pes[tasks[t]["pe"].split(",")[0]][0] for t in (p, s))
        kinds = [bridges[x[0]] or (0, 0, 0, 0) for x in path_of(a, b)]
        packets = [math.ceil(tasks[p]["sizes"][o] / k[1]) * k[2] if k[1] else 0 for k in kinds]
        after.setdefault(p, []).append(
            (s, (sum(k[0] for k in kinds) + max(packets, default=0)) / 1e9))
        missing[s] += 1
    lists = {}
    for t in sorted(tasks, key=lambda t: tasks[t]["key"]):
        for pe in tasks[t]["pe"].split(","):
            last = lists.get(pe)
            lists[pe] = t
            if last is not None:
                after.setdefault(last, []).append((t, 0.0))
                missing[t] += 1
    ready = [t for t in tasks if not missing[t]]
    for t in ready:
        ends[t] += length[t]
        for s, spent in after.get(t, ()):
            ends[s] = max(ends[s], ends[t] + spent)
            missing[s] -= 1
            if not missing[s]:
                ready.append(s)
    return max(ends.values(), default=0.0)


def invariants(names, edges, pes, got, problems):
    """What holds whatever the model is."""
    path = critical_path(names, got["per_task"])
    if got["makespan_s"] < path * (1 - 1e-9):
        problems.append(f"less time than the critical path, {path}")
    spans = got["per_task"]
    by_pe = {}
    for s in spans:
        for pe in s["pe"].split(","):
            by_pe.setdefault(pe, []).append((s["start_s"], s["end_s"]))
    for pe, list_ in by_pe.items():
        list_.sort()
        if any(a[1] > b[0] for a, b in zip(list_, list_[1:])):
            problems.append(f"two tasks at once on {pe}")
    at = {s["id"]: s for s in spans}
    for p, _, s in edges:
        if at[s]["start_s"] < at[p]["end_s"]:
            problems.append(f"{s} starts before {p} ends")
    work = sum((s["end_s"] - s["start_s"]) * len(s["pe"].split(",")) for s in spans)
    if got["makespan_s"] * max(1, len(pes)) < work * (1 - 1e-12):
        problems.append("less time than work")
    if sum(k["tasks"] for k in got["kernels"]) != got["tasks"]:
        problems.append("tasks of kernels")
    hops = {}
    for b in got["bridges"]:
        hops[b["id"]] = hops.get(b["id"], 0) + b["messages"]
    sent = sum(n for b, n in hops.items() if b.endswith((".o",)))
    if not any(b.endswith(".l") for b in hops) and sent != got["messages"]:
        problems.append(f"{got['messages']} messages, {sent} sent")


def one(program, directory, seed, problems):
    rng = random.Random(seed)
    exact = rng.random() < 0.5
    platform, pes = make_platform(rng, exact)
    costs = {}
    graph = make_graph(rng, pes, costs, rng.choice((5, 30, 300)) if seed % 5 == 0 else 30)
    resources = make_resources(rng, costs, exact)
    if seed % 2:
        platform = limit_memory(rng, platform)
    names = [f"{directory}/{n}.xml" for n in ("graph", "platform", "resources")]
    for name, lines in zip(names, (graph, platform, resources)):
        with open(name, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    slowdown = rng.random() < 0.6
    exclusive = rng.random() < 0.7
    command = [program, "simulate", names[0], "--platform", names[1], "--resources", names[2],
               "--slowdown", "on" if slowdown else "off",
               "--comm", "exclusive" if exclusive else "share", "--format=json", "--tasks"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        want = oracle.simulate(*names, slowdown, exclusive)
    except oracle.Deadlock as error:
        if run.returncode != 1 or "deadlock" not in run.stderr:
            problems.append(f"no deadlock: {run.returncode} {run.stderr}")
            return "deadlock"
        dead = json.loads(run.stdout)["deadlock"]
        if dead["node"] and set(dead["tasks"]) != error.args[0].get(dead["node"]):
            problems.append(f"deadlock {dead}, not {error.args[0]}")
        return "deadlock of memory" if dead["node"] else "deadlock"
    except oracle.Full:
        if run.returncode != 1 or "is full at" not in run.stderr:
            problems.append(f"not full: {run.returncode} {run.stderr}")
        return "full"
    if run.returncode != 0:
        problems.append(f"exit {run.returncode}: {run.stderr}")
        return "failed"
    got = json.loads(run.stdout)
    for key, value in want.items():
        if key.startswith("per_"):
            continue
        check(value, got[key], key, problems)
    for task in got["per_task"]:
        pe, start, end = want["per_task"][task["id"]]
        if task["pe"] != pe:
            problems.append(f"{task['id']} on {task['pe']}")
        check(start, task["start_s"], task["id"] + " starts", problems)
        check(end, task["end_s"], task["id"] + " ends", problems)
    for pe in got["pes"]:
        busy, energy = want["per_pe"][pe["id"]]
        check(busy, pe["busy_s"], f"busy time of {pe['id']}", problems)
        check(energy, pe["energy_computation_j"], f"energy of {pe['id']}", problems)
    if sum(s["tasks"] for s in got["servers"]) != got["tasks"]:
        problems.append("tasks of servers")
    for server in got["servers"]:
        check(want["per_memory"][server["id"]], server["memory_peak_bytes"],
              f"memory of {server['id']}", problems)
    _, edges = oracle.read_graph(names[0])
    invariants(names, edges, pes, got, problems)
    anomaly = ""
    # Energy of tasks does not depend on what slows them down, or on order.
    if seed % 10 == 0:
        other = json.loads(subprocess.run(
            command[:8] + ["off" if slowdown else "on"] + command[9:],
            capture_output=True, text=True, check=True).stdout)
        check(other["energy_dynamic_j"], got["energy_dynamic_j"], "dynamic energy", problems)
        on, off = (got, other) if slowdown else (other, got)
        # The order of each PE is fixed. So without messages, which may take each
        # other's turn, slower tasks can only make it longer.
        if on["makespan_s"] < off["makespan_s"] * (1 - 1e-12):
            if not got["messages"]:
                problems.append(f"faster with slowdown: {off['makespan_s']}, {on['makespan_s']}")
            anomaly = " and faster with slowdown"
        again = subprocess.run(command, capture_output=True, text=True, check=True)
        if again.stdout != run.stdout:
            problems.append("not the same again")
        # Nor on the order in which messages are taken.
        with open(names[0], "w", encoding="utf-8") as file:
            lines = [e for e in graph if not e.startswith("<dependency")]
            turned = [e for e in reversed(graph) if e.startswith("<dependency")]
            file.write("\n".join(lines[:-1] + turned + lines[-1:]))
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode == 0:
            check(json.loads(run.stdout)["energy_dynamic_j"], got["energy_dynamic_j"],
                  "dynamic energy, in another order", problems)
    return "equal" + anomaly


def run_all(function, first, count):
    """Try seeds; exits with 1 if there are problems."""
    outcomes = {}
    bad = 0
    for seed in range(first, first + count):
        problems = []
        outcome = function(seed, problems)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        if problems:
            bad += 1
            print(f"# seed {seed}: " + "; ".join(problems[:5]))
            if bad > 10:
                break
    print("# " + ", ".join(f"{v} {k}" for k, v in sorted(outcomes.items())))
    sys.exit(bad > 0)


def main():
    program, directory, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    run_all(lambda seed, problems: one(program, directory, seed, problems), first, count)


if __name__ == "__main__":
    main()
