# SPDX-License-Identifier: LGPL-2.1-or-later
"""habits.py HDTRACE COUNT [SEED]: imbalance and habits of random traces.

A second analyser computes imbalance, small messages, collective operations of
one element, polling and placement from the definitions in doc/findings.md. It
reads the export in OTF2 by OTF2's own Python interface. Findings of hdtrace
report must be the same, their times equal to 1e-9 of a second. Each third trace
has threads instead, which are compared for their barriers."""
import bisect
import json
import math
import os
import random
import shutil
import sys
from fractions import Fraction

from otf2.enums import CollectiveOp
from otf2.events import Enter, Leave

import otf2

from waits import (TO_ALL, TO_ONE, Analyser, ns, place_of, ranks_of, run)
from world import START, World, seconds

TESTS = ["Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe",
         "Request_get_status"]


# ---- Traces by chance --------------------------------------------------------

class Crowd(World):
    """Ranks of some hosts, with habits."""

    # Those of which OTF2 has the bytes of each rank.
    COLLECTIVES = ["Barrier", "Allreduce", "Bcast", "Reduce", "Scan", "Exscan"]

    def __init__(self, rng):
        super().__init__(rng)
        hosts = rng.randrange(1, 5)
        self.hosts = [rng.randrange(hosts) for _ in range(self.size)]
        # Few hosts or many ranks must not always be uneven.
        self.scale = 1

    def cost(self):
        return self.scale * super().cost()

    def run(self):
        if self.rng.random() < 0.5:
            for rank in range(self.size):
                self.state(rank, "Init", "", self.now[rank] + self.cost())
        steps = [self.step] * self.rng.randrange(2, 12)
        for what in (self.tests, self.letters, self.sums):
            if self.rng.random() < 0.5:
                steps += self.bursts(what)
        self.rng.shuffle(steps)
        for step in steps:
            self.scale = self.rng.choice([1, 1, 10, 100])
            self.inside(lambda step=step: self.inside(step))
        if self.rng.random() < 0.5:
            last = max(self.now)
            for rank in range(self.size):
                self.state(rank, "Finalize", "", last + self.cost())

    def bursts(self, what):
        """About a thousand of it, in some places."""
        left = self.rng.choice([995, 999, 1000, 1000, 1001, 1300])
        parts = []
        while left:
            count = left if len(parts) == 2 else self.rng.randrange(1, left + 1)
            left -= count
            parts.append(lambda count=count: what(count))
        return parts

    def pause(self, rank):
        if self.rng.random() < 0.2:
            self.work(rank, 10**4)

    def tests(self, count):
        ranks = self.rng.sample(range(self.size),
                                self.rng.randrange(1, self.size + 1))
        for _ in range(count):
            rank = self.rng.choice(ranks)
            self.pause(rank)
            self.state(rank, self.rng.choice(TESTS), "flag='0'",
                       self.now[rank] + self.cost())

    def sums(self, count):
        """Collective operations of few bytes."""
        cid = self.rng.choice(list(self.comms))
        ranks = self.comms[cid]
        names = self.rng.choice([["Allreduce"], ["Bcast", "Reduce", "Scan"],
                                 ["Allreduce", "Barrier", "Exscan"]])
        sizes = self.rng.choice([[8], [16], [8, 16, 17], [800, 8]])
        for _ in range(count):
            for rank in ranks:
                self.pause(rank)
            self.operation(self.rng.choice(names), cid, ranks,
                           self.rng.choice(sizes))

    def operation(self, name, cid, ranks, size):
        root = self.rng.randrange(len(ranks))
        field = {"Bcast": "rootRank", "Reduce": "root"}.get(name)
        where = f"cid='{cid}' size='{size}'"
        if field:
            where += f" {field}='{root}'"
        starts = {r: self.now[r] for r in ranks}
        for i, rank in enumerate(ranks):
            of = {"Bcast": [ranks[root]], "Reduce": ranks if i == root else [],
                  "Scan": ranks[:i], "Exscan": ranks[:i]}.get(name, ranks)
            self.state(rank, name, where,
                       max([self.now[rank]] + [starts[r] for r in of]) +
                       self.cost())

    def letters(self, count):
        """Messages of several sizes."""
        pairs = [self.rng.sample(range(self.size), 2)
                 for _ in range(self.rng.randrange(1, 4))]
        sizes = self.rng.choice([[8], [1023], [1023, 1023, 1024],
                                 [8, 8, 5000], [2000, 8, 8, 8, 70000]])
        while count > 0:
            a, b = self.rng.choice(pairs)
            self.pause(a)
            self.pause(b)
            some = [self.rng.choice(sizes) for _ in range(2)]
            number = self.letter(a, b, *some)
            count -= sum(size < 1024 for size in some[:number])

    def letter(self, a, b, size, back):
        """The number of messages."""
        how = self.rng.choice(["Send", "Bsend", "Rsend", "Ssend", "Isend",
                               "Irecv", "both", "sends", "receives"])
        start, there = self.now[a], f"size='{size}' toRank='{b}' toTag='9'"
        here = f"fromRank='{a}' fromTag='9'"
        if how == "both":
            last = max(start, self.now[b])
            self.state(a, "Sendrecv", f"{there} fromRank='{b}' fromTag='9' "
                       f"recvSize='{back}' cid='0'", last + self.cost())
            self.state(b, "Sendrecv", f"size='{back}' toRank='{a}' toTag='9' "
                       f"{here} recvSize='{size}' cid='0'", last + self.cost())
            return 2
        if how == "sends":
            self.state(a, "Sendrecv", f"{there} fromRank='-2' fromTag='9' "
                       "cid='0'", start + self.cost())
        elif how == "Isend":
            rid = self.rid(a)
            self.state(a, "Isend", f"{there} cid='0' rid='{rid}'",
                       start + self.cost())
            self.waitall(a, [f"rid='{rid}'"], [])
        elif how == "Ssend":
            self.state(a, "Ssend", f"{there} cid='0'",
                       max(start, self.now[b]) + self.cost())
        else:
            self.state(a, how if how in ("Bsend", "Rsend") else "Send",
                       f"{there} cid='0'", start + self.cost())
        if how == "Irecv":
            rid = self.rid(b)
            self.state(b, "Irecv", f"{here} size='{size}' cid='0' rid='{rid}'",
                       self.now[b] + self.cost())
            self.waitall(b, [f"rid='{rid}' {here} size='{size}' cid='0'"],
                         [start])
        elif how == "receives":
            self.state(b, "Sendrecv", f"toRank='-2' toTag='9' size='0' {here} "
                       f"recvSize='{size}' cid='0'",
                       max(self.now[b], start) + self.cost())
        else:
            self.state(b, "Recv", f"{here} size='{size}' cid='0'",
                       max(self.now[b], start) + self.cost())
        return 1


class Teams:
    """Ranks with threads, which meet at barriers."""

    def __init__(self, rng):
        self.rng = rng
        self.ranks = rng.randrange(1, 4)
        self.lines = {}  # (rank, thread)

    def run(self):
        for rank in range(self.ranks):
            self.run_rank(rank)

    def run_rank(self, rank):
        now = START + self.rng.randrange(5000)
        threads = self.rng.randrange(2, 5)
        for thread in range(threads):
            self.lines[rank, thread] = []
        for team in range(1, self.rng.randrange(2, 9)):
            times = [now] * threads
            inner = [[] for _ in range(threads)]
            for barrier in range(self.rng.randrange(1, 4)):
                times = [t + self.rng.randrange(1, 10**6) for t in times]
                last = max(times)
                for thread, time in enumerate(times):
                    end = last + self.rng.randrange(1, 3000)
                    inner[thread].append(
                        f"<omp.barrier team='{team}' barrier='{barrier}' "
                        f"time='{seconds(time)}' end='{seconds(end)}'/>")
                    times[thread] = end
            end = max(times) + 1
            for thread in range(threads):
                self.lines[rank, thread] += [
                    "<Nested>", *inner[thread], "</Nested>",
                    f"<omp.parallel team='{team}' thread='{thread}' "
                    f"threads='{threads}' time='{seconds(now)}' "
                    f"end='{seconds(end)}'/>"]
            now = end + self.rng.randrange(1, 10**6)

    def write(self):
        nodes = ""
        for rank in range(self.ranks):
            threads = [t for r, t in self.lines if r == rank]
            nodes += f'<Node name="{rank}">' + "".join(
                f'<Node name="{t}"/>' for t in threads) + "</Node>"
        for (rank, thread), lines in self.lines.items():
            with open(f"made_h_{rank}_{thread}.trc", "w") as out:
                out.write("<Program timeAdjustment='0' "
                          "levels='Host Rank Thread'>\n" +
                          "\n".join(lines) + "\n</Program>\n")
        with open("made.proj", "w") as out:
            out.write('<?xml version="1.0" encoding="UTF-8"?>\n'
                      '<Application name="made"><Description/><Topology>'
                      '<Level type="Host"><Level type="Rank">'
                      '<Level type="Thread"/></Level></Level>'
                      f'<Node name="h">{nodes}</Node></Topology>'
                      "<CommunicatorList/><Datatypes/><ExternalStatistics/>"
                      "</Application>\n")


# ---- The second analyser -----------------------------------------------------

class Habits(Analyser):
    """Reads an archive, and finds imbalance and habits."""

    def __init__(self, archive):
        super().__init__(archive)
        every = [c for calls in self.calls.values() for c in calls]
        self.start = min(c.enter for c in every)
        self.end = max(c.leave for c in every)
        self.all_time = self.account()["total_s"]
        self.pairs = []
        for key, sends in self.sent.items():
            self.pairs += zip(sends, self.received.get(key, []))

    # Habits are (kind, region): [time, count, times of ranks].

    def sum_up(self, kind, calls, count):
        """Own time of calls, without their waits."""
        times = {}
        for call in calls:
            times[call.rank] = times.get(call.rank, 0) + \
                call.leave - call.enter - call.waited
        time = sum(times.values())
        if 100 * time <= self.all_time:
            return {}
        return {kind: (time, count, ranks_of(times, time), [])}

    def polling(self):
        calls = [c for calls in self.calls.values() for c in calls
                 if c.is_mpi and c.name in TESTS]
        if len(calls) < 1000:
            return {}
        of = self.sum_up("polling", calls, len(calls))
        return {kind: (time, count, [], [])
                for kind, (time, count, _, _) in of.items()}

    def small_messages(self):
        small = [pair for pair in self.pairs if pair[0]["size"] < 1024]
        if len(small) < 1000:
            return {}
        receivers = {id(other["call"]) for _, other in self.pairs}
        calls = {}
        for one, other in small:
            sender, receiver = one["starts"], other["call"]
            if sender.name in ("Send", "Bsend", "Rsend", "Ssend") or \
                    sender.name == "Sendrecv" and id(sender) not in receivers:
                calls[id(sender)] = sender
            if receiver.name in ("Recv", "Sendrecv"):
                calls[id(receiver)] = receiver
        return self.sum_up("small-messages", calls.values(), len(small))

    def tiny_collectives(self):
        calls, count = [], 0
        for ranks in self.together.values():
            for members in zip(*ranks.values()):
                if members[0]["op"] == CollectiveOp.BARRIER or any(
                        self.moved(m) > 16 for m in members):
                    continue
                count += 1
                calls += [m["call"] for m in members]
        if count < 1000:
            return {}
        return self.sum_up("tiny-collectives", calls, count)

    @staticmethod
    def moved(member):
        return max(member["sent"], member["received"])

    def placement(self):
        """Fewer bytes between hosts, if ranks were elsewhere."""
        ranks = sorted(self.hosts)
        names = sorted(set(self.hosts.values()),
                       key=lambda h: min(r for r in ranks
                                         if self.hosts[r] == h))
        room = {h: sum(self.hosts[r] == h for r in ranks) for h in names}
        block = [h for h in names for _ in range(room[h])]
        cyclic, left = [], dict(room)
        while any(left.values()):
            for h in names:
                if left[h]:
                    cyclic.append(h)
                    left[h] -= 1
        now = self.between([self.hosts[r] for r in ranks])
        best = min(self.between(block), self.between(cyclic))
        if not now or 5 * (now - best) < now:
            return {}
        time = sum(other["call"].leave - other["call"].enter -
                   other["call"].waited for one, other in self.pairs
                   if other["call"].name in ("Recv", "Sendrecv") and
                   self.hosts[one["rank"]] != self.hosts[other["rank"]])
        time = time * (now - best) / now
        if 100 * time <= self.all_time:
            return {}
        talking = {(one["rank"], other["rank"]) for one, other in self.pairs}
        return {"placement": (time, len(talking), [], [])}

    def between(self, hosts):
        return sum(one["size"] for one, other in self.pairs
                   if hosts[one["rank"]] != hosts[other["rank"]])

    # Imbalance, and the run if it is balanced.

    def finalizes(self):
        """Whether MPI_Finalize waits for all."""
        last = [calls[-1] for calls in self.calls.values()]
        return all(c.name == "Finalize" for c in last) and \
            max(c.enter for c in last) <= min(c.leave for c in last)

    def imbalance(self):
        events = Events(self)
        ranks = sorted(self.calls)
        sections = {rank: events.sections(rank) for rank in ranks}
        time, count, causing = 0, 0, {}
        nodes = [0, 0]
        for every in zip(*(sections[rank] for rank in ranks)):
            sums = [sum(pieces) for pieces in every]
            mean = Fraction(sum(sums), len(sums))
            excess = math.floor(max(sums) - mean)
            if excess > 0:
                time += excess
                count += 1
                longest = ranks[sums.index(max(sums))]
                causing[longest] = causing.get(longest, 0) + excess
            of = {}
            for rank, one in zip(ranks, sums):
                of.setdefault(self.hosts[rank], []).append(one)
            excess = math.floor(max(Fraction(sum(o), len(o))
                                    for o in of.values()) - mean)
            if excess > 0:
                nodes[0] += excess
                nodes[1] += 1
        run_time = self.end - self.start
        self.balanced = events.balanced(sections)
        self.events = sum(len(some) for some in events.of.values())
        saved = min(time, run_time - self.balanced)
        found = {}
        if 100 * saved > run_time:
            found["imbalance"] = (time, count, [], ranks_of(causing, time))
        if found and 100 * nodes[0] > run_time:
            found["imbalance-nodes"] = (*nodes, [], None)
        return found

    def found(self):
        return {**self.polling(), **self.small_messages(),
                **self.tiny_collectives(), **self.placement(),
                **self.imbalance()}


GIVE, TAKE = 0, 1


class Events:
    """What ranks give to others, and what they need of them, in order."""

    def __init__(self, run):
        self.run = run
        self.of = {rank: [] for rank in run.calls}
        self.givers = []  # Of each meeting: (rank, place).
        self.last = {}    # By rank: sections end with these takes.
        for one, other in run.pairs:
            self.message(one, other)
        for ranks in run.together.values():
            for members in zip(*ranks.values()):
                if len(members) == len(members[0]["comm"].group.members):
                    self.collective(members)
        if run.finalizes():
            last = [calls[-1] for calls in run.calls.values()]
            self.meet([(c.rank, c.enter, c) for c in last],
                      range(len(last)), range(len(last)), True)
        for some in self.of.values():
            some.sort(key=lambda e: (e["time"], e["call"], e["kind"],
                                     e["meeting"]))
        # Calls do not lie in each other.
        self.busy = {}
        for rank, calls in run.calls.items():
            own = [c for c in calls if c.is_mpi]
            starts, sums = [c.enter for c in own], [0]
            for call in own:
                sums.append(sums[-1] + call.leave - call.enter)
            self.busy[rank] = (own, starts, sums)

    def meet(self, members, giving, taking, is_of_all, is_prefix=False):
        """members: rank, when it gives, and the call that takes."""
        number = len(self.givers)
        self.givers.append([members[i][0] for i in giving])
        latest = max(members[i][1] for i in giving)
        for i in giving:
            rank, time, _ = members[i]
            self.of[rank].append({"kind": GIVE, "time": time, "call": time,
                                  "meeting": number})
        for i in taking:
            rank, _, call = members[i]
            below = [m[1] for m in members[:i]]
            self.of[rank].append({
                "kind": TAKE, "time": call.leave, "call": call.enter,
                "meeting": number, "is_of_all": is_of_all,
                "cause": max(below, default=0) if is_prefix else latest,
                "of": self.givers[-1][:i] if is_prefix else self.givers[-1]})

    def message(self, one, other):
        self.meet([(one["rank"], one["enter"], None),
                   (other["rank"], None, other["call"])], [0], [1], False)
        is_large = one["ssend"] or one["size"] > 65536
        if is_large and one["call"] and other["posted"] < one["call"].leave:
            self.meet([(other["rank"], other["posted"], None),
                       (one["rank"], None, one["call"])], [0], [1], False)

    def collective(self, members):
        op = members[0]["op"]
        root = members[0]["root"]
        places = [place_of(member)
                  for member in members[0]["comm"].group.members]
        members = sorted(members, key=lambda m: places.index(m["rank"]))
        every = range(len(members))
        giving, taking = every, every
        is_prefix = op in (CollectiveOp.SCAN, CollectiveOp.EXSCAN)
        is_of_all = not is_prefix and len(members) == len(self.run.calls)
        if op in TO_ALL:
            giving, taking = [root], [i for i in every if i != root]
            is_of_all = False
        elif op in TO_ONE:
            taking, is_of_all = [root], False
        self.meet([(m["rank"], m["enter"], m["call"]) for m in members],
                  giving, taking, is_of_all, is_prefix)

    def in_calls(self, rank, time):
        """Time of the rank in calls until then."""
        own, starts, sums = self.busy[rank]
        at = bisect.bisect_right(starts, time)
        if at and own[at - 1].leave > time:
            return sums[at - 1] + time - own[at - 1].enter
        return sums[at]

    def computes(self, rank, since, until):
        return until - since - (self.in_calls(rank, until) -
                                self.in_calls(rank, since))

    def sections(self, rank):
        """What it computes until each event, for each section."""
        sections, pieces = [], []
        since = self.run.calls[rank][0].enter
        for event in self.of[rank]:
            until = max(since, event["time"] if event["kind"] == GIVE
                        else event["call"])
            pieces.append(self.computes(rank, since, until))
            since = until
            if event["kind"] == TAKE and event["is_of_all"]:
                sections.append(pieces)
                pieces = []
        return sections

    def balanced(self, sections):
        """The run time, if all ranks compute the mean in each section."""
        ranks = sorted(sections)
        given = {}
        clocks = [self.replay(rank, self.means(rank, ranks, sections), given)
                  for rank in ranks]
        left = list(clocks)
        ends = []
        while left:
            waiting = []
            for clock in left:
                try:
                    next(clock)
                    waiting.append(clock)
                except StopIteration as done:
                    ends.append(done.value)
            left = waiting
        return max(ends)

    @staticmethod
    def means(rank, ranks, sections):
        """What the rank computes until each event of a section: None, and a
        factor, if ranks have not as many events."""
        for every in zip(*(sections[r] for r in ranks)):
            if len({len(pieces) for pieces in every}) == 1:
                yield [sum(p) / len(ranks) for p in zip(*every)], None
                continue
            mean = sum(sum(pieces) for pieces in every) / len(ranks)
            own = sum(every[ranks.index(rank)])
            # Without any computation it is at the start of the section.
            yield None, mean / own if own else (mean,)

    def replay(self, rank, means, given):
        """Wait by yielding; the result is the time at the end."""
        events = self.of[rank]
        time = self.run.calls[rank][0].enter
        clock = time - self.run.start
        end = max(c.leave for c in self.run.calls[rank])
        section, factor = next(means, (None, 1))
        place, more = 0, 0
        if isinstance(factor, tuple):
            clock += factor[0]
        i = 0
        while i < len(events):
            event = events[i]
            reached = event["time"] if event["kind"] == GIVE else event["call"]
            if section:
                more += section[place]
                place += 1
            if reached > time:
                busy = self.in_calls(rank, reached) - self.in_calls(rank, time)
                clock += busy
                if section is None:
                    clock += (reached - time - busy) * \
                        (factor if not isinstance(factor, tuple) else 0)
                time = reached
            clock += more
            more = 0
            if event["kind"] == GIVE:
                given[event["meeting"], rank] = clock
                i += 1
                continue
            ready, cause, ends = clock, event["call"], False
            while True:
                while any((event["meeting"], r) not in given
                          for r in event["of"]):
                    yield
                ready = max([ready] + [given[event["meeting"], r]
                                       for r in event["of"]])
                cause = max(cause, event["cause"])
                ends = ends or event["is_of_all"]
                i += 1
                if i == len(events) or events[i]["kind"] == GIVE or \
                        (events[i]["time"], events[i]["call"]) != \
                        (event["time"], event["call"]):
                    break
                event = events[i]
                if section:
                    more += section[place]
                    place += 1
            clock = ready + max(event["time"] - cause, 0)
            time = max(time, event["time"])
            if ends:
                section, factor = next(means, (None, 1))
                place, more = 0, 0
                if isinstance(factor, tuple):
                    clock += factor[0]
        busy = self.in_calls(rank, end) - self.in_calls(rank, time)
        return clock + end - time if factor == 1 else clock + busy


class TeamAnalyser:
    """Reads an archive of threads, and finds their barriers."""

    def __init__(self, archive):
        self.arrivals = {}  # (rank, team, barrier): times
        times = []
        with otf2.reader.open(archive) as trace:
            for location, event in trace.events:
                times.append(event.time)
                if isinstance(event, Enter) and \
                        event.region.name == "omp.barrier":
                    rank = int(location.group.name.split(" ")[-1])
                    of = {a.name: value
                          for a, value in event.attributes.items()}
                    self.arrivals.setdefault(
                        (rank, of["team"], of["barrier"]), []).append(
                            event.time)
                elif isinstance(event, Leave):
                    pass
        self.run_time = max(times) - min(times)

    def found(self):
        time, count, of = 0, 0, {}
        waiting, waits = {}, [0, 0]
        for (rank, _, _), times in self.arrivals.items():
            late = (len(times) * max(times) - sum(times)) // len(times)
            if late > 0:
                time += late
                count += 1
                of[rank] = of.get(rank, 0) + late
            for one in times:
                if one < max(times):
                    waits[0] += max(times) - one
                    waits[1] += 1
                    waiting[rank] = waiting.get(rank, 0) + max(times) - one
        found = {"omp-barrier": (*waits, ranks_of(waiting, waits[0]),
                                 ranks_of(waiting, waits[0]))}
        if 100 * time > self.run_time:
            found["imbalance-threads"] = (time, count, [], ranks_of(of, time))
        return found


# ---- Comparing ---------------------------------------------------------------

KINDS = {"polling", "small-messages", "tiny-collectives", "placement",
         "imbalance", "imbalance-nodes"}
TEAM_KINDS = {"omp-barrier", "imbalance-threads"}


def check(hdtrace, seed, kind):
    for name in os.listdir("."):
        if name.startswith("made_"):
            os.unlink(name)
    world = kind(random.Random(seed))
    world.run()
    world.write()
    report = json.loads(run(hdtrace, "report", "--format=json",
                            "--what-if=balanced", "made"), parse_float=str)
    shutil.rmtree("made.otf2", ignore_errors=True)
    run(hdtrace, "export", "--to", "otf2", "-o", "made.otf2", "made")
    archive = "made.otf2/" + next(n for n in os.listdir("made.otf2")
                                  if n.endswith(".otf2"))
    is_team = kind is Teams
    second = TeamAnalyser(archive) if is_team else Habits(archive)
    kinds = TEAM_KINDS if is_team else KINDS
    expected = second.found()
    found = {f["kind"]: f for f in report["findings"] if f["kind"] in kinds}
    assert set(found) == set(expected), (set(found), set(expected))
    for name, (time, count, waiting, causing) in expected.items():
        one = found[name]
        assert abs(ns(one["time_s"]) - time) <= 1, (name, one, time)
        assert one["count"] == count, (name, one, count)
        assert one["waiting"] == waiting, (name, one, waiting)
        assert causing is None or one["causing"] == causing, (name, one,
                                                              causing)
    if not is_team:
        balanced = ns(report["what_if"][0]["time_s"])
        # Each event is at a whole nanosecond.
        assert abs(balanced - second.balanced) <= 1 + second.events, (
            balanced, second.balanced)
    return set(found)


def main():
    hdtrace, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**9)
    kinds = set()
    for i in range(count):
        try:
            kinds |= check(hdtrace, seed + i, Crowd if i % 3 else Teams)
        except BaseException:
            print(f"HDTRACE_TEST_SEED={seed + i}")
            raise
    print(f"seed {seed}: {count} traces, kinds: {' '.join(sorted(kinds))}")
    sys.exit(0 if count < 100 or kinds == KINDS | TEAM_KINDS else 1)


if __name__ == "__main__":
    main()
