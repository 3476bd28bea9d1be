# SPDX-License-Identifier: LGPL-2.1-or-later
"""waits.py HDTRACE COUNT [SEED]: wait states of random traces.

A second analyser computes the waits of each trace from the definitions in
doc/findings.md. It reads the export in OTF2 by OTF2's own Python interface:
enter, leave, message, collective and request records, nothing else. Times by
kind, ranks, and the account of hdtrace report must be equal."""
import json
import os
import random
import shutil
import subprocess
import sys

import otf2
from otf2.enums import CollectiveOp, LocationType
from otf2.events import (Enter, Leave, MpiCollectiveBegin, MpiCollectiveEnd,
                         MpiIrecv, MpiIrecvRequest, MpiIsend,
                         MpiIsendComplete, MpiRecv, MpiSend,
                         NonBlockingCollectiveComplete,
                         NonBlockingCollectiveRequest)

START = 1000 * 10**9


# ---- Traces by chance --------------------------------------------------------

class World:
    """Ranks, their times, and the lines of their traces."""

    def __init__(self, rng):
        self.rng = rng
        self.size = rng.randrange(2, 7)
        self.now = [START + rng.randrange(5000) for _ in range(self.size)]
        self.lines = [[] for _ in range(self.size)]
        self.rids = [0] * self.size
        self.comms = {0: list(range(self.size))}
        if self.size > 3:
            ranks = rng.sample(range(self.size), self.size - 1)
            self.comms[1] = sorted(ranks)
            self.comms[2] = ranks

    def cost(self):
        return self.rng.randrange(50, 3000)

    def work(self, rank, most=10**6):
        length = self.rng.randrange(1, most)
        if self.rng.random() < 0.4:
            self.state(rank, self.rng.choice(["Work", "Solve"]), "",
                       self.now[rank] + length)
        self.now[rank] += length

    def some_work(self):
        for rank in range(self.size):
            if self.rng.random() < 0.7:
                self.work(rank)

    def state(self, rank, name, attributes, end, children=()):
        start = self.now[rank]
        line = (f"<{name} {attributes} time='{seconds(start)}' "
                f"end='{seconds(end)}'")
        line += f">{''.join(children)}</{name}>" if children else "/>"
        self.lines[rank].append(line)
        self.now[rank] = end
        return start

    def rid(self, rank):
        self.rids[rank] += 1
        return self.rids[rank] - 1

    def eager(self, rank, peer, tag):
        """A send that leaves at once: (enter, request or None)."""
        name = self.rng.choice(["Bsend", "Isend", "Send"])
        where = f"size='8' toRank='{peer}' toTag='{tag}' cid='0'"
        rid = None
        if name == "Isend":
            rid = self.rid(rank)
            where += f" rid='{rid}'"
        return (self.state(rank, name, where, self.now[rank] + self.cost()),
                rid)

    def irecv(self, rank, peer, tag):
        rid = self.rid(rank)
        self.state(rank, "Irecv", f"fromRank='{peer}' fromTag='{tag}' size='8' "
                   f"cid='0' rid='{rid}'", self.now[rank] + self.cost())
        return rid

    def recv(self, rank, peer, tag, sent):
        self.state(rank, "Recv", f"fromRank='{peer}' fromTag='{tag}' size='8' "
                   "cid='0'", max(self.now[rank], sent) + self.cost())

    def waitall(self, rank, elements, ready):
        """elements: attributes of each request; ready: when all can end."""
        if not elements:
            return
        end = max([self.now[rank]] + ready) + self.cost()
        if len(elements) == 1 and self.rng.random() < 0.5:
            self.state(rank, "Wait", elements[0], end)
        else:
            self.state(rank, "Waitall", f"count='{len(elements)}'", end,
                       [f"<For {e}/>" for e in elements])

    def meet(self):
        """A send that waits for its receive, which may be posted before."""
        a, b = self.rng.sample(range(self.size), 2)
        tag = self.rng.randrange(3)
        rid = self.irecv(b, a, tag) if self.rng.random() < 0.5 else None
        posted = self.now[b]
        self.work(a)
        if self.rng.random() < 0.5:
            self.work(b)
        if rid is None:
            posted = self.now[b]
        start = self.now[a]
        where = f"size='8' toRank='{b}' toTag='{tag}' cid='0'"
        if self.rng.random() < 0.5:
            self.state(a, self.rng.choice(["Send", "Ssend"]), where,
                       max(start, posted) + self.cost())
        else:
            own = self.rid(a)
            self.state(a, "Isend", where + f" rid='{own}'",
                       start + self.cost())
            self.work(a, 10**5)
            self.waitall(a, [f"rid='{own}'"], [posted])
        if rid is None:
            self.recv(b, a, tag, start)
        else:
            self.waitall(b, [f"rid='{rid}' fromRank='{a}' fromTag='{tag}' "
                             "size='8' cid='0'"], [start])

    def swap(self):
        """Sendrecv, of a pair."""
        a, b = self.rng.sample(range(self.size), 2)
        self.work(a)
        self.work(b)
        last = max(self.now[a], self.now[b])
        for rank, peer in ((a, b), (b, a)):
            self.state(rank, "Sendrecv", f"size='8' toRank='{peer}' toTag='7' "
                       f"fromRank='{peer}' fromTag='7' cid='0'",
                       last + self.cost())

    def disorder(self):
        """Messages of several senders, received in any order."""
        to = self.rng.randrange(self.size)
        sent = []
        for _ in range(self.rng.randrange(2, 7)):
            rank = self.rng.choice([r for r in range(self.size) if r != to])
            self.work(rank)
            tag = 100 + len(sent)
            start, rid = self.eager(rank, to, tag)
            sent.append((rank, tag, start, rid))
        for rank in {s[0] for s in sent}:
            self.waitall(rank, [f"rid='{rid}'" for r, _, _, rid in sent
                                if r == rank and rid is not None], [])
        self.rng.shuffle(sent)
        while sent:
            count = self.rng.randrange(1, 4)
            some, sent = sent[:count], sent[count:]
            if count == 1:
                rank, tag, start, _ = some[0]
                self.recv(to, rank, tag, start)
                continue
            rids = [self.irecv(to, rank, tag) for rank, tag, _, _ in some]
            self.waitall(to, [
                f"rid='{rid}' fromRank='{rank}' fromTag='{tag}' size='8' "
                "cid='0'" for rid, (rank, tag, _, _) in zip(rids, some)],
                [s[2] for s in some])

    def halo(self):
        """Everybody with its neighbours."""
        receives, sends = {}, {}
        for rank in range(self.size):
            self.work(rank)
            peers = {(rank - 1) % self.size, (rank + 1) % self.size} - {rank}
            receives[rank] = [(p, self.irecv(rank, p, 50)) for p in peers]
            for peer in peers:
                sends[rank, peer] = self.eager(rank, peer, 50)
        for rank in range(self.size):
            if self.rng.random() < 0.5:
                self.work(rank, 10**5)
            elements = [f"rid='{rid}'" for (r, _), (_, rid) in sends.items()
                        if r == rank and rid is not None]
            elements += [f"rid='{rid}' fromRank='{p}' fromTag='50' size='8' "
                         "cid='0'" for p, rid in receives[rank]]
            self.waitall(rank, elements,
                         [sends[p, rank][0] for p, _ in receives[rank]])

    def together(self):
        """A collective call."""
        cid = self.rng.choice(list(self.comms))
        ranks = self.comms[cid]
        name = self.rng.choice(
            ["Barrier", "Allreduce", "Alltoall", "Allgather", "Bcast",
             "Scatter", "Reduce", "Gather", "Scan", "Exscan",
             "Reduce_scatter"])
        root = self.rng.randrange(len(ranks))
        field = {"Bcast": "rootRank", "Scatter": "rootRank", "Reduce": "root",
                 "Gather": "rootRank"}.get(name)
        where = f"cid='{cid}' size='8'"
        if field:
            where += f" {field}='{root}'"
        waits = self.rng.random() < 0.7
        starts = {r: self.now[r] for r in ranks}
        rids = {}
        if not waits:
            for rank in ranks:
                rids[rank] = self.rid(rank)
                self.state(rank, "I" + name.lower(),
                           where + f" rid='{rids[rank]}'",
                           self.now[rank] + self.cost())
                self.work(rank)
        for i, rank in enumerate(ranks):
            of = {"Bcast": [ranks[root]], "Scatter": [ranks[root]],
                  "Reduce": ranks if i == root else [],
                  "Gather": ranks if i == root else [],
                  "Scan": ranks[:i], "Exscan": ranks[:i]}.get(name, ranks)
            ready = [starts[r] for r in of]
            if waits:
                self.state(rank, name, where,
                           max([self.now[rank]] + ready) + self.cost())
            else:
                self.waitall(rank, [f"rid='{rids[rank]}'"], ready)

    def run(self):
        if self.rng.random() < 0.5:
            for rank in range(self.size):
                self.state(rank, "Init", "", self.now[rank] + self.cost())
        for _ in range(self.rng.randrange(2, 12)):
            self.inside(lambda: self.inside(self.step))
        if self.rng.random() < 0.5:
            last = max(self.now)
            for rank in range(self.size):
                self.state(rank, "Finalize", "", last + self.cost())

    def step(self):
        self.some_work()
        self.rng.choice([self.meet, self.swap, self.disorder, self.halo,
                         self.together, self.together])()

    def inside(self, what):
        """In a region, perhaps; which may be inside of one of its name."""
        since = [(t, len(some)) for t, some in zip(self.now, self.lines)]
        what()
        if self.rng.random() < 0.3:
            return
        name = self.rng.choice(["Exchange", "Update", "Step"])
        for rank, (start, place) in enumerate(since):
            lines = self.lines[rank]
            if self.now[rank] == start or self.rng.random() < 0.2:
                continue
            lines[place:] = ["<Nested>", *lines[place:], "</Nested>",
                             f"<{name} time='{seconds(start)}' "
                             f"end='{seconds(self.now[rank])}'/>"]

    def write(self):
        nodes = ["", ""]
        for rank in range(self.size):
            host = rank % 2
            nodes[host] += f'<Node name="{rank}"/>'
            with open(f"made_host{host}_{rank}.trc", "w") as out:
                out.write("<Program timeAdjustment='0' levels='Host Rank'>\n" +
                          "\n".join(self.lines[rank]) + "\n</Program>\n")
        comms = "".join(
            f'<Communicator name="C{cid}">' + "".join(
                f'<Rank global="{r}" local="{i}" cid="{cid}"/>'
                for i, r in enumerate(ranks)) + "</Communicator>"
            for cid, ranks in self.comms.items())
        with open("made.proj", "w") as out:
            out.write('<?xml version="1.0" encoding="UTF-8"?>\n'
                      '<Application name="made"><Description/><Topology>'
                      '<Level type="Host"><Level type="Rank"/></Level>'
                      f'<Node name="host0">{nodes[0]}</Node>'
                      f'<Node name="host1">{nodes[1]}</Node></Topology>'
                      f"<CommunicatorList>{comms}</CommunicatorList>"
                      "<Datatypes/><ExternalStatistics/></Application>\n")


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09d}"


# ---- The second analyser -----------------------------------------------------

NXN = {CollectiveOp.ALLGATHER, CollectiveOp.ALLGATHERV, CollectiveOp.ALLTOALL,
       CollectiveOp.ALLTOALLV, CollectiveOp.ALLTOALLW, CollectiveOp.ALLREDUCE,
       CollectiveOp.REDUCE_SCATTER, CollectiveOp.REDUCE_SCATTER_BLOCK}
TO_ALL = {CollectiveOp.BCAST, CollectiveOp.SCATTER, CollectiveOp.SCATTERV}
TO_ONE = {CollectiveOp.REDUCE, CollectiveOp.GATHER, CollectiveOp.GATHERV}


class Call:
    """From an enter to its leave."""

    def __init__(self, rank, region, enter, around):
        self.name = region.removeprefix("MPI_")
        self.rank, self.enter, self.leave = rank, enter, None
        self.is_mpi = region != self.name
        # The innermost region, and all of them.
        self.around = [c.name for c in around if not c.is_mpi]
        self.region = self.around[-1] if self.around else None
        self.inner = 0
        # What it may have waited for: (length, rank, parts), parts being
        # (kind, from, to).
        self.waits = []
        # (rank, enter) of what it needs, if calls take no time.
        self.needs = []


class Analyser:
    """Reads an archive."""

    def __init__(self, archive):
        self.calls = {}
        self.sent, self.received, self.together = {}, {}, {}
        with otf2.reader.open(archive) as trace:
            self.locations = sum(
                location.type == LocationType.CPU_THREAD
                for location in trace.definitions.locations)
            state = {}
            for location, event in trace.events:
                rank = int(location.group.name.split(" ")[-1])
                self.take(rank, state.setdefault(
                    rank, {"open": [], "sends": {}, "requests": {}}), event)
        self.parts = []  # (kind, waiting, causing, from, to)
        self.messages()
        self.collectives()
        self.finalize()
        self.choose()

    def take(self, rank, state, event):
        stack = state["open"]
        if isinstance(event, Enter):
            stack.append(Call(rank, event.region.name, event.time, stack))
            self.calls.setdefault(rank, []).append(stack[-1])
        elif isinstance(event, Leave):
            call = stack.pop()
            call.leave = event.time
            if stack:
                stack[-1].inner += call.leave - call.enter
        elif isinstance(event, (MpiSend, MpiIsend)):
            end = {"rank": rank, "enter": stack[-1].enter, "call": stack[-1],
                   "ssend": stack[-1].name == "Ssend"}
            self.sent.setdefault((rank, event.receiver, event.msg_tag,
                                  event.communicator.name), []).append(end)
            if isinstance(event, MpiIsend):
                end["call"] = None
                state["sends"][event.request_id] = end
        elif isinstance(event, MpiIsendComplete):
            state["sends"].pop(event.request_id)["call"] = stack[-1]
        elif isinstance(event, (MpiIrecvRequest,
                                NonBlockingCollectiveRequest)):
            state["requests"][event.request_id] = stack[-1].enter
        elif isinstance(event, (MpiRecv, MpiIrecv)):
            posted = stack[-1].enter
            if isinstance(event, MpiIrecv):
                posted = state["requests"].pop(event.request_id)
            self.received.setdefault(
                (event.sender, rank, event.msg_tag, event.communicator.name),
                []).append({"rank": rank, "posted": posted, "call": stack[-1]})
        elif isinstance(event, MpiCollectiveBegin):
            pass
        elif isinstance(event, (MpiCollectiveEnd,
                                NonBlockingCollectiveComplete)):
            enter, order = stack[-1].enter, stack[-1].enter
            if isinstance(event, NonBlockingCollectiveComplete):
                enter = order = state["requests"].pop(event.request_id)
            self.together.setdefault(event.communicator.name, {}).setdefault(
                rank, []).append({"rank": rank, "enter": enter,
                                  "order": order, "op": event.collective_op,
                                  "root": event.root, "call": stack[-1],
                                  "comm": event.communicator})

    def messages(self):
        pairs = []
        for key, sends in self.sent.items():
            pairs += zip(sends, self.received.get(key, []))
        arrived = {}
        for one, other in pairs:
            arrived.setdefault(other["rank"], []).append(
                (one["enter"], other["call"].leave))
        for one, other in pairs:
            call = other["call"]
            until = min(one["enter"], call.leave)
            if until > call.enter:
                wrong = any(enter < one["enter"] and leave > call.leave
                            for enter, leave in arrived[other["rank"]])
                parts = [("late-sender", call.enter, until)]
                if wrong:
                    parts.append(("late-sender-wrong-order", call.enter,
                                  until))
                call.waits.append((until - call.enter, one["rank"], parts))
            call = one["call"]
            other["call"].needs.append((one["rank"], one["enter"]))
            if call and one["ssend"] and other["posted"] < call.leave:
                call.needs.append((other["rank"], other["posted"]))
            if call and call.enter < other["posted"] < call.leave:
                call.waits.append((other["posted"] - call.enter,
                                   other["rank"],
                                   [("late-receiver", call.enter,
                                     other["posted"])]))

    def collectives(self):
        for ranks in self.together.values():
            for calls in ranks.values():
                calls.sort(key=lambda c: c["order"])
            for members in zip(*ranks.values()):
                size = len(members[0]["comm"].group.members)
                if len(members) == size:
                    self.collective(members)

    def collective(self, members):
        op = members[0]["op"]
        # In the order of the communicator; its members are global ranks.
        places = [place_of(member)
                  for member in members[0]["comm"].group.members]
        members = sorted(members, key=lambda m: places.index(m["rank"]))
        last = max(members, key=lambda m: m["enter"])
        first_leave = min(m["call"].leave for m in members)
        for i, one in enumerate(members):
            completion = None
            of = members
            if op in TO_ALL:
                of = [members[one["root"]]] if i != one["root"] else []
            elif op in TO_ONE:
                of = members if i == one["root"] else []
            elif op in (CollectiveOp.SCAN, CollectiveOp.EXSCAN):
                of = members[:i]
            one["call"].needs += [(m["rank"], m["enter"]) for m in of]
            if op == CollectiveOp.BARRIER:
                kind, cause = "wait-at-barrier", last
                completion = "barrier-completion"
            elif op in NXN:
                kind, cause = "wait-at-nxn", last
                completion = "nxn-completion"
            elif op in TO_ALL:
                kind, cause = "late-broadcast", members[one["root"]]
            elif op in TO_ONE:
                kind, cause = "early-reduce", last if i == one["root"] else None
            else:
                below = members[:i]
                kind = "early-scan"
                cause = max(below, key=lambda m: m["enter"]) if below else None
            if cause is None:
                continue
            self.add(one, kind, cause, completion, first_leave)

    @staticmethod
    def add(one, kind, cause, completion, first_leave):
        call, parts = one["call"], []
        until = min(cause["enter"], call.leave)
        if until > call.enter and cause is not one:
            parts.append((kind, call.enter, until))
        if completion:
            since = max(first_leave, cause["enter"], call.enter)
            if call.leave > since:
                parts.append((completion, since, call.leave))
        if parts:
            call.waits.append((sum(b - a for _, a, b in parts), cause["rank"],
                               parts))

    def finalize(self):
        last = {rank: calls[-1] for rank, calls in self.calls.items()
                if calls[-1].name == "Finalize"}
        if len(last) < len(self.calls):
            return
        latest = max(sorted(last.values(), key=lambda c: c.rank),
                     key=lambda c: c.enter)
        if latest.enter > min(c.leave for c in last.values()):
            return
        for call in last.values():
            if latest.enter > call.enter:
                call.waits.append((latest.enter - call.enter, latest.rank, [
                    ("wait-at-barrier", call.enter, latest.enter)]))

    def choose(self):
        for calls in self.calls.values():
            for call in calls:
                if call.waits:
                    # Of equal ones, that of a message that is received.
                    _, cause, parts = max(call.waits, key=lambda w: (
                        w[0], w[2][0][0] == "late-sender", -w[1]))
                    self.parts += [((kind, call.region), call.rank, cause,
                                    a, b) for kind, a, b in parts]

    def sums(self):
        """Time, count, times of waiting and causing ranks, by kind, region."""
        sums = {}
        for kind, waiting, causing, a, b in self.parts:
            one = sums.setdefault(kind, [0, 0, {}, {}])
            one[0] += b - a
            one[1] += 1
            one[2][waiting] = one[2].get(waiting, 0) + b - a
            if causing != waiting:
                one[3][causing] = one[3].get(causing, 0) + b - a
        return sums

    def efficiencies(self):
        """After POP, with the longest path if calls take no time."""
        calls = {rank: [c for c in calls if c.is_mpi]
                 for rank, calls in self.calls.items()}
        calls = {rank: some for rank, some in calls.items() if some}
        every = [c for some in self.calls.values() for c in some]
        inits = [c.leave for c in every if c.name == "Init"]
        last = [c.enter for c in every if c.name == "Finalize"]
        of = [c for rank in calls for c in self.calls[rank]]
        begin = max(inits + [min(c.enter for c in of)])
        end = min(last + [max(c.leave for c in of)])

        def inside(a, b):
            return max(0, min(b, end) - max(a, begin))

        times = {rank: [] for rank in calls}   # (leave, ideal time, enter)
        useful = {rank: 0 for rank in calls}

        def ideal(rank, time):
            """The ideal time when a rank is outside of calls."""
            since, clock, _ = next((call for call in reversed(times[rank])
                                    if call[0] <= time),
                                   (self.calls[rank][0].enter, 0, 0))
            return clock + inside(since, time)

        def border(rank, time):
            """Likewise, with the call that it is in."""
            time = min(time, end)
            since, clock, _ = next((call for call in reversed(times[rank])
                                    if call[2] < time),
                                   (self.calls[rank][0].enter, 0, 0))
            return clock + inside(since, time)

        for call in sorted((c for some in calls.values() for c in some),
                           key=lambda c: (c.leave, c.enter)):
            rank = call.rank
            clock = ideal(rank, call.enter)
            times[rank].append((call.leave, max(
                [clock] + [ideal(r, t) for r, t in call.needs]), call.enter))
        whole = 0
        for rank, some in calls.items():
            final = max(c.leave for c in self.calls[rank])
            whole = max(whole, ideal(rank, final))
            edges = [self.calls[rank][0].enter]
            for call in some:
                edges += [call.enter, call.leave]
            edges.append(final)
            useful[rank] = sum(inside(a, b) for a, b in
                               zip(edges[::2], edges[1::2]))
        most = max(useful.values())
        if end <= begin or most == 0 or not any(
                c.needs for some in calls.values() for c in some):
            return None
        self.regions = {
            name: self.of_region(name, list(calls), inside, border)
            for name in ("Exchange", "Update", "Step")}
        return ratios(list(useful.values()), end - begin, whole)

    def of_region(self, name, ranks, inside, border):
        """The same of a region, where it has calls."""
        useful, times, ideals = [], [], []
        for rank in ranks:
            for sums in (useful, times, ideals):
                sums.append(0)
            for region in self.calls[rank]:
                within = [c for c in self.calls[rank] if c.is_mpi and
                          region.enter <= c.enter and c.leave <= region.leave]
                if region.name != name or not within or \
                        name in region.around:
                    continue
                edges = [region.enter, region.leave]
                edges[1:1] = [t for c in within for t in (c.enter, c.leave)]
                useful[-1] += sum(inside(a, b) for a, b in
                                  zip(edges[::2], edges[1::2]))
                times[-1] += inside(region.enter, region.leave)
                ideals[-1] -= border(rank, region.enter)
                ideals[-1] += border(rank, region.leave)
        return ratios(useful, max(times), max(ideals)) if max(useful) else None

    def account(self):
        """Computation, waiting, MPI without it, what is unknown, all."""
        first = min(c.enter for calls in self.calls.values() for c in calls)
        last = max(c.leave for calls in self.calls.values() for c in calls)
        mpi = active = 0
        for calls in self.calls.values():
            active += max(c.leave for c in calls) - min(c.enter for c in calls)
            mpi += sum(c.leave - c.enter - c.inner for c in calls
                       if c.is_mpi)
        waiting = sum(b - a for kind, _, _, a, b in self.parts
                      if kind[0] != "late-sender-wrong-order")
        total = (last - first) * self.locations
        return {"computation_s": active - mpi, "waiting_s": waiting,
                "transfer_s": mpi - waiting, "io_s": 0, "openmp_s": 0,
                "tracer_s": 0, "unknown_s": total - active, "total_s": total}


def ratios(useful, time, ideal):
    return {"load_balance": sum(useful) / len(useful) / max(useful),
            "communication": max(useful) / time,
            "serialisation": max(useful) / ideal, "transfer": ideal / time}


def place_of(member):
    return member if isinstance(member, int) else \
        int(member.group.name.split(" ")[-1])


# ---- Comparing ---------------------------------------------------------------

def ns(number):
    whole, _, part = number.partition(".")
    return int(whole) * 10**9 + int(part.ljust(9, "0"))


def run(*command):
    return subprocess.run(command, check=True, capture_output=True,
                          text=True).stdout


def ranks_of(times, time):
    """Those with 1 % of the time, most first."""
    some = [(-t, r) for r, t in times.items() if 100 * t >= time]
    return [r for _, r in sorted(some)]


def check(hdtrace, seed):
    for name in os.listdir("."):
        if name.startswith("made_"):
            os.unlink(name)
    world = World(random.Random(seed))
    world.run()
    world.write()
    report = json.loads(run(hdtrace, "report", "--format=json",
                            "--what-if=latency=1", "--what-if=no-wait:all",
                            "made"),
                        parse_float=str)
    shutil.rmtree("made.otf2", ignore_errors=True)
    run(hdtrace, "export", "--to", "otf2", "-o", "made.otf2", "made")
    second = Analyser("made.otf2/" + next(n for n in os.listdir("made.otf2")
                                          if n.endswith(".otf2")))
    expected = {kind: (time, count, ranks_of(waiting, time),
                       ranks_of(causing, time))
                for kind, (time, count, waiting, causing)
                in second.sums().items()}
    found = {(f["kind"], f["region"]): (ns(f["time_s"]), f["count"],
                                        f["waiting"], f["causing"])
             for f in report["findings"] if f["kind"] in KINDS}
    assert found == expected, (found, expected)
    account = {key: ns(value) for key, value in report["account"].items()}
    assert account == second.account(), (account, second.account())
    compare_replays(report, second.efficiencies())
    compare_regions(report, second)
    return {kind for kind, _ in found}


def compare_regions(report, second):
    found = {r["name"]: r["efficiencies"] for r in report["regions"]}
    for name, of in getattr(second, "regions", {}).items():
        for key, value in (of or {}).items():
            assert abs(float(found[name][key]) - value) < 1e-9, \
                (name, key, found[name], value)


def compare_replays(report, efficiencies):
    """Efficiencies, and what is so of any run."""
    found = report["efficiencies"]
    for key, value in (efficiencies or {}).items():
        assert abs(float(found[key]) - value) < 1e-9, (key, found, value)
    if efficiencies:
        product = (efficiencies["load_balance"] *
                   efficiencies["communication"])
        assert abs(float(found["parallel"]) - product) < 1e-9
        assert efficiencies["serialisation"] <= 1 + 1e-12
        assert efficiencies["transfer"] <= 1 + 1e-12
    answers = {a["spec"]: a for a in report["what_if"]}
    run_time = ns(report["duration_s"])
    assert answers["latency=1"]["time_s"] is None or \
        ns(answers["latency=1"]["time_s"]) == run_time, answers
    # No rank waits longer than the one that does least.
    assert ns(answers["no-wait:all"]["time_s"]) <= run_time


KINDS = {"late-sender", "late-sender-wrong-order", "late-receiver",
         "wait-at-barrier", "barrier-completion", "wait-at-nxn",
         "nxn-completion", "early-reduce", "early-scan", "late-broadcast"}


def main():
    hdtrace, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**9)
    kinds = set()
    for i in range(count):
        try:
            kinds |= check(hdtrace, seed + i)
        except BaseException:
            print(f"HDTRACE_TEST_SEED={seed + i}")
            raise
    print(f"seed {seed}: {count} traces, kinds: {' '.join(sorted(kinds))}")
    sys.exit(0 if count < 20 or kinds == KINDS else 1)


if __name__ == "__main__":
    main()
