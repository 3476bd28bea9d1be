# SPDX-License-Identifier: LGPL-2.1-or-later
"""causes.py HDTRACE PRINT-DEPENDENCIES COUNT [SEED]: projects whose dependencies
and critical path are known since they were made so.

Of each project three must agree: what was made, what hdtrace finds, and what a
naive implementation finds, which reads the export by OTF2's own Python interface
and looks at all edges for each step back."""
import json
import os
import random
import shutil
import subprocess
import sys

import otf2
from otf2.events import (Enter, Leave, MpiCollectiveBegin, MpiCollectiveEnd,
                         MpiIrecv, MpiIrecvRequest, MpiIsend,
                         MpiIsendComplete, MpiRecv, MpiSend)

START = 1000 * 10**9


class Op:
    """A call of MPI, or a state of the program."""

    def __init__(self, rank, name, start, end, attributes="", children=()):
        self.rank, self.name, self.start, self.end = rank, name, start, end
        self.attributes, self.children = attributes, list(children)
        # What it waited for: (time, op), and since when.
        self.cause, self.index = None, None


class World:
    """Ranks that run."""

    def __init__(self, rng, size):
        self.rng, self.size = rng, size
        self.times = [START + rng.randrange(1000) for _ in range(size)]
        self.ops = [[] for _ in range(size)]
        self.requests = [0] * size
        self.groups = {0: list(range(size))}
        if size >= 4:
            self.groups[1] = list(range(0, size, 2))

    def cost(self):
        return self.rng.randrange(100, 2000)

    def add(self, rank, name, end, attributes="", children=()):
        op = Op(rank, name, self.times[rank], end, attributes, children)
        op.index = len(self.ops[rank])
        self.ops[rank].append(op)
        self.times[rank] = end
        return op

    def work(self, rank, most=10**6):
        """Compute, in a state or in none."""
        end = self.times[rank] + self.rng.randrange(1, most)
        if self.rng.random() < 0.5:
            self.add(rank, self.rng.choice(["Work", "Kernel"]), end)
        self.times[rank] = end

    @staticmethod
    def because(op, time, cause):
        if time > op.start and (op.cause is None or time > op.cause[0]):
            op.cause = (time, cause)

    def isend(self, rank, to, tag):
        """A message that leaves at once: (op, request)."""
        rid = self.requests[rank]
        self.requests[rank] += 1
        op = self.add(rank, "Isend", self.times[rank] + self.cost(),
                      f"size='8' toRank='{to}' toTag='{tag}' cid='0' "
                      f"rid='{rid}'")
        return op, rid

    def bsend(self, rank, to, tag):
        return self.add(rank, "Bsend", self.times[rank] + self.cost(),
                        f"size='8' toRank='{to}' toTag='{tag}' cid='0'")

    def recv(self, rank, sent, tag):
        arrived = max(self.times[rank], sent.start + self.cost())
        op = self.add(rank, "Recv", arrived + self.cost(),
                      f"fromRank='{sent.rank}' fromTag='{tag}' size='8' "
                      "cid='0'")
        self.because(op, sent.start, sent)
        return op

    def meet(self, rank, to, tag, name):
        """A send that waits for its receive."""
        start, posted = self.times[rank], self.times[to]
        both = max(start, posted)
        sent = self.add(rank, name, both + self.cost(),
                        f"size='8' toRank='{to}' toTag='{tag}' cid='0'")
        received = self.add(to, "Recv", both + self.cost(),
                            f"fromRank='{rank}' fromTag='{tag}' size='8' "
                            "cid='0'")
        self.because(sent, posted, received)
        self.because(received, start, sent)

    def irecv(self, rank, peer, tag):
        rid = self.requests[rank]
        self.requests[rank] += 1
        self.add(rank, "Irecv", self.times[rank] + self.cost(),
                 f"fromRank='{peer}' fromTag='{tag}' size='8' cid='0' "
                 f"rid='{rid}'")
        return rid

    def waitall(self, rank, sends, receives):
        """Complete requests; receives: [(rid, sent op, tag)]."""
        end = self.times[rank]
        children = [f"<For rid='{rid}'/>" for rid in sends]
        for rid, sent, tag in receives:
            end = max(end, sent.start + self.cost())
            children.append(f"<For rid='{rid}' fromRank='{sent.rank}' "
                            f"fromTag='{tag}' size='8' cid='0'/>")
        op = self.add(rank, "Waitall", end + self.cost(),
                      f"count='{len(children)}'", children)
        for _, sent, _ in receives:
            self.because(op, sent.start, sent)

    def collective(self, group, name, root=None):
        ranks = self.groups[group]
        starts = {rank: self.times[rank] for rank in ranks}
        made = {}
        for i, rank in enumerate(ranks):
            if name in ("Barrier", "Allreduce"):
                of = [r for r in ranks if r != rank]
            elif name == "Bcast":
                of = [ranks[root]] if i != root else []
            elif name == "Reduce":
                of = [r for r in ranks if r != rank] if i == root else []
            else:
                of = ranks[:i]
            last = max(of, key=lambda r: starts[r]) if of else None
            end = max([starts[rank]] + [starts[r] for r in of]) + self.cost()
            field = {"Bcast": "rootRank", "Reduce": "root"}.get(name)
            made[rank] = (self.add(rank, name, end, f"cid='{group}' size='8'" +
                                   (f" {field}='{root}'" if field else "")),
                          last)
        for op, last in made.values():
            if last is not None:
                self.because(op, starts[last], made[last][0])


# ---- What they run -----------------------------------------------------------

def stencil(world):
    for step in range(world.rng.randrange(1, 8)):
        sent, own = {}, {}
        for rank in range(world.size):
            world.work(rank)
            own[rank] = []
            peers = [p for p in (rank - 1, rank + 1) if 0 <= p < world.size]
            receives = [(world.irecv(rank, p, step), p) for p in peers]
            for peer in peers:
                op, rid = world.isend(rank, peer, step)
                sent[rank, peer] = op
                own[rank].append(rid)
            own[rank] = (own[rank], receives)
            if world.rng.random() < 0.5:
                world.work(rank, 10**5)
        for rank in range(world.size):
            sends, receives = own[rank]
            world.waitall(rank, sends, [(rid, sent[p, rank], step)
                                        for rid, p in receives])
        if world.rng.random() < 0.5:
            world.collective(0, "Allreduce")


def pipeline(world):
    name = world.rng.choice(["Send", "Ssend", "Bsend"])
    for item in range(world.rng.randrange(1, 10)):
        for rank in range(world.size - 1):
            world.work(rank)
            if name == "Bsend":
                world.recv(rank + 1, world.bsend(rank, rank + 1, item % 2),
                           item % 2)
            else:
                world.meet(rank, rank + 1, item % 2, name)
        world.work(world.size - 1)


def tree(world):
    for step in range(world.rng.randrange(1, 5)):
        width = 1
        while width < world.size:
            for rank in range(0, world.size - width, 2 * width):
                world.work(rank + width)
                world.work(rank)
                world.recv(rank, world.bsend(rank + width, rank, step), step)
            width *= 2
        world.collective(0, "Bcast", 0)


def irregular(world):
    """A master that takes whoever comes first."""
    for _ in range(world.rng.randrange(1, 30)):
        worker = min(range(1, world.size), key=lambda r: world.times[r])
        world.work(worker)
        asked = world.bsend(worker, 0, 1)
        world.recv(0, asked, 1)
        if world.rng.random() < 0.3:
            world.work(0, 10**4)
        world.recv(worker, world.bsend(0, worker, 2), 2)
    for name in ("Barrier", "Reduce", "Scan", "Allreduce", "Bcast"):
        for rank in range(world.size):
            world.work(rank)
        for group in world.groups:
            world.collective(group, name,
                             world.rng.randrange(len(world.groups[group])))


KINDS = [stencil, pipeline, tree, irregular]


# ---- What was made -----------------------------------------------------------

def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09d}"


def write(world, isNested):
    nodes = ["", ""]
    for rank in range(world.size):
        host = rank % 2
        nodes[host] += f'<Node name="{rank}"/>'
        ops = world.ops[rank]
        with open(f"made_host{host}_{rank}.trc", "w") as out:
            out.write("<Program timeAdjustment='0' levels='Host Rank'>\n")
            if isNested:
                out.write("<Nested>\n")
            for op in ops:
                out.write(f"<{op.name} {op.attributes} "
                          f"time='{seconds(op.start)}' "
                          f"end='{seconds(op.end)}'")
                out.write(f">{''.join(op.children)}</{op.name}>\n"
                          if op.children else "/>\n")
            if isNested:
                out.write(f"</Nested>\n<Solve time='{seconds(ops[0].start)}'"
                          f" end='{seconds(ops[-1].end)}'/>\n")
            out.write("</Program>\n")
    comms = ""
    for cid, ranks in world.groups.items():
        comms += f'<Communicator name="C{cid}">' + "".join(
            f'<Rank global="{r}" local="{i}" cid="{cid}"/>'
            for i, r in enumerate(ranks)) + "</Communicator>"
    with open("made.proj", "w") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n'
                  '<Application name="made"><Description/><Topology>'
                  '<Level type="Host"><Level type="Rank"/></Level>'
                  f'<Node name="host0">{nodes[0]}</Node>'
                  f'<Node name="host1">{nodes[1]}</Node></Topology>'
                  f"<CommunicatorList>{comms}</CommunicatorList>"
                  "<Datatypes/><ExternalStatistics/></Application>\n")


def known_path(world):
    """Parts (rank, start, end), the last first, by what caused what."""
    op = max((ops[-1] for ops in world.ops if ops),
             key=lambda op: (op.end, -order(world, op.rank)))
    rank, index, time, parts = op.rank, op.index, op.end, []
    while index >= 0:
        op = world.ops[rank][index]
        if op.cause:
            since, cause = op.cause
            parts.append((rank, since, time))
            rank, index, time = cause.rank, cause.index - 1, since
        else:
            index -= 1
    begin = min(world.ops[rank][0].start, time)
    if time > begin:
        parts.append((rank, begin, time))
    return parts


def order(world, rank):
    """Which trace it is in the project: by host."""
    return [r for h in (0, 1) for r in range(world.size)
            if r % 2 == h].index(rank)


# ---- The naive way -----------------------------------------------------------

def label(name):
    return int(name.split(" ")[-1])


class Naive:
    """All edges that an archive tells."""

    def __init__(self, archive):
        self.edges, self.ends = set(), {}
        self.sent, self.received, self.calls = {}, {}, {}
        with otf2.reader.open(archive) as trace:
            states = {}
            for location, event in trace.events:
                rank = label(location.group.name)
                state = states.setdefault(rank, {"open": [], "rids": {},
                                                 "begun": None, "done": []})
                self.take(rank, state, event)
        self.join()

    def take(self, rank, state, event):
        first, _ = self.ends.get(rank, (event.time, 0))
        self.ends[rank] = (first, event.time)
        if isinstance(event, Enter):
            state["open"].append([event.region.name.removeprefix("MPI_"),
                                  event.time, []])
        elif isinstance(event, Leave):
            _, start, waiting = state["open"].pop()
            for ends in waiting:
                ends.update(start=start, end=event.time)
        elif isinstance(event, (MpiSend, MpiIsend)):
            name = state["open"][-1][0]
            end = {"rank": rank, "time": event.time,
                   "blocks": name if name in ("Send", "Ssend") else None}
            state["open"][-1][2].append(end)
            self.sent.setdefault((rank, event.receiver, event.msg_tag),
                                 []).append(end)
            if isinstance(event, MpiIsend):
                state["rids"][event.request_id] = event.time
        elif isinstance(event, MpiIrecvRequest):
            state["rids"][event.request_id] = event.time
        elif isinstance(event, (MpiRecv, MpiIrecv)):
            posted = (state["rids"].pop(event.request_id)
                      if isinstance(event, MpiIrecv)
                      else state["open"][-1][1])
            end = {"rank": rank, "posted": posted}
            state["open"][-1][2].append(end)
            self.received.setdefault((event.sender, rank, event.msg_tag),
                                     []).append(end)
            if isinstance(event, MpiIrecv):
                state["open"][-1][2].append(
                    self.completion(rank, posted))
        elif isinstance(event, MpiIsendComplete):
            state["open"][-1][2].append(
                self.completion(rank, state["rids"].pop(event.request_id)))
        elif isinstance(event, MpiCollectiveBegin):
            state["begun"] = event.time
        elif isinstance(event, MpiCollectiveEnd):
            key = (event.communicator.name, rank)
            self.calls.setdefault(key, []).append(
                {"rank": rank, "start": state["begun"], "end": event.time,
                 "op": str(event.collective_op).split(".")[-1], "root": event.root})

    def completion(self, rank, start):
        end = {"rank": rank, "from": start}
        self.done = getattr(self, "done", [])
        self.done.append(end)
        return end

    def join(self):
        for end in getattr(self, "done", []):
            self.edges.add(("completion", end["rank"], end["from"],
                            end["rank"], end["start"], end["end"]))
        for key in self.sent:
            for one, other in zip(self.sent[key], self.received.get(key, [])):
                self.edges.add(("message", one["rank"], one["time"],
                                other["rank"], other["start"], other["end"]))
                if one["blocks"] == "Ssend" or (
                        one["blocks"] and other["posted"] < one["end"]):
                    self.edges.add(("rendezvous", other["rank"],
                                    other["posted"], one["rank"],
                                    one["start"], one["end"]))
        for comm in {comm for comm, _ in self.calls}:
            ranks = sorted(r for c, r in self.calls if c == comm)
            for calls in zip(*(self.calls[comm, r] for r in ranks)):
                self.call(calls)

    def call(self, calls):
        for i, one in enumerate(calls):
            name = one["op"]
            if name in ("BARRIER", "ALLREDUCE"):
                of = [c for c in calls if c is not one]
            elif name == "BCAST":
                of = [calls[one["root"]]] if i != one["root"] else []
            elif name == "REDUCE":
                of = [c for c in calls if c is not one] \
                    if i == one["root"] else []
            else:
                of = calls[:i]
            if of:
                last = max(of, key=lambda c: c["start"])
                kind = "barrier" if name == "BARRIER" else "collective"
                self.edges.add((kind, last["rank"], last["start"],
                                one["rank"], one["start"], one["end"]))

    def path(self, orderOf):
        rank = max(self.ends, key=lambda r: (self.ends[r][1], -orderOf(r)))
        time, parts = self.ends[rank][1], []
        while True:
            waits = [(end, since, other) for kind, other, since, to, start, end
                     in self.edges if to == rank and end <= time and
                     since > start and other != rank]
            if not waits:
                break
            _, since, other = max(waits)
            parts.append((rank, since, time))
            rank, time = other, since
        if time > self.ends[rank][0]:
            parts.append((rank, self.ends[rank][0], time))
        return parts


# ---- Comparing ---------------------------------------------------------------

def ns(number):
    whole, _, part = number.partition(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))


def run(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def overlap(parts, rank, start, end):
    return sum(max(0, min(end, b) - max(start, a))
               for r, a, b in parts if r == rank)


def check_shares(world, parts, path, isNested):
    """Time by rank and by state."""
    by_rank = {r["rank"]: (ns(r["time_s"]), ns(r["mpi_s"]))
               for r in path["by_rank"]}
    by_state = {s["name"]: ns(s["time_s"]) for s in path["by_state"]}
    ranks, states = {}, {}
    for rank, start, end in parts:
        ranks.setdefault(rank, [0, 0])[0] += end - start
    for rank in ranks:
        inside = 0
        for op in world.ops[rank]:
            time = overlap(parts, rank, op.start, op.end)
            inside += time
            if time:
                states[op.name] = states.get(op.name, 0) + time
            if op.name not in ("Work", "Kernel"):
                ranks[rank][1] += time
        rest = ranks[rank][0] - inside
        name = "Solve" if isNested else "(no state)"
        if rest:
            states[name] = states.get(name, 0) + rest
    assert by_rank == {r: tuple(t) for r, t in ranks.items()}, (by_rank, ranks)
    assert by_state == states, (by_state, states)
    assert ns(path["length_s"]) == sum(t for t, _ in by_rank.values())
    assert ns(path["mpi_s"]) == sum(m for _, m in by_rank.values())


def check(hdtrace, printer, seed):
    rng = random.Random(seed)
    world = World(rng, rng.randrange(2, 9))
    for _ in range(rng.randrange(1, 3)):
        rng.choice(KINDS)(world)
    isNested = rng.random() < 0.5
    write(world, isNested)
    traces = [r for h in (0, 1) for r in range(world.size) if r % 2 == h]
    path = json.loads(run(hdtrace, "report", "--format=json", "made"),
                      parse_float=str)["critical_path"]
    found = [(traces[p["trace"]], ns(p["start_s"]), ns(p["end_s"]))
             for p in reversed(path["parts"])]
    expected = known_path(world)
    assert found == expected, ("path", found, expected)
    check_shares(world, expected, path, isNested)
    shutil.rmtree("made.otf2", ignore_errors=True)
    run(hdtrace, "export", "--to", "otf2", "-o", "made.otf2", "made")
    naive = Naive("made.otf2/" + next(n for n in os.listdir("made.otf2")
                                      if n.endswith(".otf2")))
    naive_path = naive.path(lambda r: order(world, r))
    assert naive_path == expected, ("naive path", naive_path, expected)
    lines = [line.split() for line in run(printer, "made.proj").splitlines()]
    edges = {(k, traces[int(a)], int(t), traces[int(b)], int(s), int(e))
             for k, _, a, t, b, s, e in (x for x in lines if x[0] != "#")}
    assert edges == naive.edges, ("edges", edges - naive.edges,
                                  naive.edges - edges)
    assert len(edges) == sum(x[0] != "#" for x in lines), "edges twice"
    assert lines[-1][2::2] == ["0"] * 5, lines[-1]
    for rank in range(world.size):
        os.unlink(f"made_host{rank % 2}_{rank}.trc")
    return len(edges), len(expected)


def main():
    hdtrace, printer, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(10**9)
    edges = parts = 0
    for i in range(count):
        try:
            more = check(hdtrace, printer, seed + i)
        except BaseException:
            print(f"HDTRACE_TEST_SEED={seed + i}")
            raise
        edges += more[0]
        parts += more[1]
    print(f"seed {seed}: {count} projects, {edges} edges, {parts} parts")
    sys.exit(0 if edges and parts > count else 1)


main()
