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

from world import World


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
        self.waited = 0  # The length of the one that counts.
        # (rank, enter) of what it needs, if calls take no time.
        self.needs = []


class Analyser:
    """Reads an archive."""

    def __init__(self, archive):
        self.calls = {}
        self.hosts = {}
        self.sent, self.received, self.together = {}, {}, {}
        with otf2.reader.open(archive) as trace:
            self.locations = sum(
                location.type == LocationType.CPU_THREAD
                for location in trace.definitions.locations)
            state = {}
            for location, event in trace.events:
                rank = int(location.group.name.split(" ")[-1])
                self.hosts[rank] = location.group.system_tree_parent.name
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
                   "ssend": stack[-1].name == "Ssend",
                   "starts": stack[-1], "size": event.msg_length}
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
                                  "sent": event.size_sent,
                                  "received": event.size_received,
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
                    call.waited, cause, parts = max(call.waits, key=lambda w: (
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
