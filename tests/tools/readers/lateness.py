# SPDX-License-Identifier: LGPL-2.1-or-later
"""lateness.py HDTRACE COUNT [SEED]: causes of waits in random traces.

A second analyser computes the causes of each wait from the definition in
doc/findings.md: it compares all intervals of both ranks with all messages and
calls. It takes waits, messages and calls from that of waits.py, which reads
OTF2. Causes of hdtrace report must be equal to 1e-9 of a second, and with the
indirect part they add up to the waits. Each fourth trace has thousands of states between calls."""
import json
import os
import random
import shutil
import sys

from waits import Analyser, run
from world import World

CAUSED = {"late-sender", "late-sender-wrong-order", "late-receiver",
          "wait-at-barrier", "wait-at-nxn", "early-reduce", "early-scan",
          "late-broadcast"}
WAIT = "wait"


class Long(World):
    """Few calls, and many states between them."""

    def run(self):
        for _ in range(3):
            self.together()
            for rank in range(self.size):
                for _ in range(self.rng.choice([3, 900, 1800])):
                    self.work(rank, 3000)
            self.meet()
        self.together()


class Lateness(Analyser):
    """Reads an archive, and finds causes."""

    def __init__(self, archive):
        super().__init__(archive)
        self.meetings = {}  # Two ranks: when they left, for each meeting.
        for key, sends in self.sent.items():
            for one, other in zip(sends, self.received.get(key, [])):
                call = one["call"]
                self.meet({one["rank"]: call.leave if call else one["enter"],
                           other["rank"]: other["call"].leave})
        for ranks in self.together.values():
            for members in zip(*ranks.values()):
                if len(members) == len(members[0]["comm"].group.members):
                    self.meet({m["rank"]: m["call"].leave for m in members})
        self.intervals = {rank: self.intervals_of(rank)
                          for rank in self.calls}

    def meet(self, leaves):
        for a in leaves:
            for b in leaves:
                if a != b:
                    self.meetings.setdefault((a, b), []).append(
                        (leaves[a], leaves[b]))

    def intervals_of(self, rank):
        """What a rank is in, from the first enter to the last leave."""
        waits = [(a, b) for _, waiting, _, a, b in self.parts
                 if waiting == rank]
        marks = [(t, 0, 0, call) for call in self.calls[rank]
                 for t in (call.enter, call.leave)]
        times = sorted({t for t, _, _, _ in marks} |
                       {t for wait in waits for t in wait})
        calls = sorted(self.calls[rank], key=lambda c: c.enter)
        intervals, inside, at = [], [], 0
        for start, end in zip(times, times[1:]):
            # Calls that begin together are in the order of their events.
            while at < len(calls) and calls[at].enter <= start:
                inside.append(calls[at])
                at += 1
            inside = [c for c in inside if c.leave > start]
            state = inside[-1].name if inside else None
            if any(a <= start and end <= b for a, b in waits):
                state = WAIT
            intervals.append((start, end, state))
        return intervals

    def exclusive(self, rank, since, until):
        sums = {}
        for start, end, state in self.intervals[rank]:
            time = min(end, until) - max(start, since)
            if time > 0:
                sums[state] = sums.get(state, 0) + time
        return sums

    def excess(self, waiting, causing, start, end):
        """Shares of a wait by state."""
        last = max(((a, b) for a, b in self.meetings.get((waiting, causing), [])
                    if a <= start and b <= end),
                   default=(self.intervals[waiting][0][0],
                            self.intervals[causing][0][0]))
        own = self.exclusive(waiting, last[0], start)
        more = {state: time - own.get(state, 0) for state, time in
                self.exclusive(causing, last[1], end).items()}
        more[WAIT] = max(more.get(WAIT, 0), 0) + max(last[1] - last[0], 0)
        more = {state: time for state, time in more.items() if time > 0}
        whole = max(end - start, sum(more.values()))
        # So all of a wait has causes.
        assert whole == sum(more.values()), (more, start, end)
        return {state: (end - start) * time / whole
                for state, time in more.items()}

    def causes(self):
        """By kind and region: time, and its parts by rank and state."""
        sums = {}
        for (kind, region), waiting, causing, start, end in self.parts:
            one = sums.setdefault((kind, region), [0, {}, 0])
            one[0] += end - start
            if kind not in CAUSED or waiting == causing:
                continue
            for state, time in self.excess(waiting, causing, start,
                                           end).items():
                if state == WAIT:
                    one[2] += time
                else:
                    key = causing, state
                    one[1][key] = one[1].get(key, 0) + time
        return sums


def check(hdtrace, seed, kind):
    for name in os.listdir("."):
        if name.startswith("made_"):
            os.unlink(name)
    world = kind(random.Random(seed))
    world.run()
    world.write()
    report = json.loads(run(hdtrace, "report", "--format=json", "made"))
    shutil.rmtree("made.otf2", ignore_errors=True)
    run(hdtrace, "export", "--to", "otf2", "-o", "made.otf2", "made")
    second = Lateness("made.otf2/" + next(n for n in os.listdir("made.otf2")
                                          if n.endswith(".otf2")))
    found = {(f["kind"], f["region"]): f for f in report["findings"]}
    seen = {"causes": 0, "indirect": 0, "cut": 0}
    for key, (time, causes, indirect) in second.causes().items():
        compare(found[key], time, causes, indirect)
        seen["causes"] += len(causes)
        seen["indirect"] += indirect > 0
        seen["cut"] += any(100 * t < time for t in causes.values())
        if causes:
            assert abs(sum(causes.values()) + indirect - time) < 1
    return seen


def compare(finding, time, causes, indirect):
    assert abs(finding["indirect_s"] - indirect / 1e9) < 1e-9, \
        (finding, indirect)
    found = {(c["rank"], c["region"]): c["time_s"] for c in finding["causes"]}
    assert len(found) == len(finding["causes"]), finding
    for key, cause in causes.items():
        assert abs(found.pop(key, 0) - cause / 1e9) < 1e-9 or \
            (100 * cause < time and key not in found), (finding, key, cause)
    assert not found, (found, causes)
    times = [c["time_s"] for c in finding["causes"]]
    assert times == sorted(times, reverse=True)
    assert sum(times) + finding["indirect_s"] < finding["time_s"] + 1e-9
    assert not times or min(times) >= finding["time_s"] / 100 - 1e-9


def main():
    hdtrace, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**9)
    seen = {}
    for i in range(count):
        try:
            some = check(hdtrace, seed + i, World if i % 4 else Long)
        except BaseException:
            print(f"HDTRACE_TEST_SEED={seed + i}")
            raise
        for key, number in some.items():
            seen[key] = seen.get(key, 0) + number
    print(f"seed {seed}: {count} traces, {seen}")
    # Each case must have been there.
    sys.exit(0 if count < 8 or all(seen.values()) else 1)


if __name__ == "__main__":
    main()
