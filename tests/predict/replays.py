#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""replays.py PROGRAM RANKS: writes the project of a run of which the times of a
replay can be computed, and prints how long it takes on a star of hosts:

    latency L of each link, bandwidth B, one rank on a host, 1e9 operations in a
    second, and SimGrid's model CM02: a message of S bytes takes 2 L + (S + 16) / B,
    and begins when both sides are ready.
"""
import sys

LATENCY, BANDWIDTH = 1e-3, 1e6
SIZE = 49984
CHUNK = 1e-2  # Seconds of computation.


def message(size=SIZE, latency=LATENCY, flows=1):
    return 2 * latency + flows * (size + 16) / BANDWIDTH


class Run:
    def __init__(self, ranks):
        self.ranks = [[] for _ in range(ranks)]
        self.times = [1000000] * ranks
        self.add_all("Init", 0, 1000000)

    def add_all(self, name, start, end):
        for states in self.ranks:
            states.append(f"<{name} {self.when(start, end)}/>")

    @staticmethod
    def when(start, end):
        return (f"time='{start // 10**9}.{start % 10**9:09d}' "
                f"end='{end // 10**9}.{end % 10**9:09d}'")

    def add(self, rank, name, attributes, elements=""):
        start = self.times[rank]
        self.times[rank] += 1000
        self.ranks[rank].append(f"<{name} {attributes} {self.when(start, start + 1000)}>"
                                f"{elements}</{name}>")

    def compute(self, rank, seconds):
        self.times[rank] += round(seconds * 1e9)

    def send(self, rank, to, tag=1, size=SIZE):
        self.add(rank, "Send", f"size='{size}' toRank='{to}' toTag='{tag}' cid='0'")

    def recv(self, rank, source, tag=1, size=SIZE):
        self.add(rank, "Recv",
                 f"size='{size}' fromRank='{source}' fromTag='{tag}' cid='0'")

    def write(self, name):
        count = len(self.ranks)
        with open(name + ".proj", "w", encoding="utf-8") as file:
            file.write(f'<Application name="{name}"><Topology><Level type="Host">'
                       '<Level type="Rank"><Level type="Thread"/></Level></Level>\n')
            for rank in range(count):
                file.write(f'<Node name="m{rank}"><Node name="{rank}">'
                           '<Node name="0"/></Node></Node>\n')
            file.write('</Topology><CommunicatorList><Communicator name="WORLD">\n')
            for rank in range(count):
                file.write(f'<Rank global="{rank}" local="{rank}" cid="0"/>\n')
            file.write("</Communicator></CommunicatorList></Application>\n")
        for rank, states in enumerate(self.ranks):
            end = self.times[rank]
            with open(f"{name}_m{rank}_{rank}_0.trc", "w", encoding="utf-8") as file:
                file.write("<Program timeAdjustment='1000000000'>\n")
                file.write("\n".join(states))
                file.write(f"\n<Finalize {self.when(end, end + 1000)}/>\n</Program>\n")


def ring(run, count):
    for rank in range(count):
        if rank > 0:
            run.recv(rank, rank - 1)
        run.send(rank, (rank + 1) % count)
    run.recv(0, count - 1)
    return count * message()


def fenced(run, count):
    """A ring, and calls that cannot be replayed."""
    seconds = ring(run, count)
    for rank in range(count):
        run.add(rank, "Win_fence", "wid='1'")
    return seconds


def pipeline(run, count, items=5):
    done = [[0.0] * items for _ in range(count)]
    for rank in range(count):
        for item in range(items):
            ready = done[rank][item - 1] if item else 0.0
            if rank > 0:
                run.recv(rank, rank - 1)
                ready = max(ready, done[rank - 1][item]) + message()
            run.compute(rank, CHUNK)
            done[rank][item] = ready + CHUNK
            if rank + 1 < count:
                run.send(rank, rank + 1)
    return done[-1][-1]


def stencil(run, count, steps=4):
    """All exchange with both sides at the same time: two messages share a link."""
    for step in range(steps):
        for rank in range(count):
            run.compute(rank, CHUNK)
            elements, number = "", step * 4
            for side in (-1, 1):
                number += 1
                other = (rank + side) % count
                run.add(rank, "Irecv", f"size='{SIZE}' fromRank='{other}' fromTag="
                        f"'{2 + side}' cid='0' rid='{number}'")
                elements += (f"<Request rid='{number}' fromRank='{other}' fromTag="
                             f"'{2 + side}' size='{SIZE}' cid='0'/>")
            for side in (-1, 1):
                number += 1
                run.add(rank, "Isend", f"size='{SIZE}' toRank='{(rank + side) % count}' "
                        f"toTag='{2 - side}' cid='0' rid='{number}'")
                elements += f"<Request rid='{number}'/>"
            run.add(rank, "Waitall", "count='4' completed='4'", elements)
    return steps * (CHUNK + message(flows=2))


def alltoall(run, count):
    """Each link has the messages of all others, at the same time."""
    for rank in range(count):
        elements, number = "", 0
        for other in range(count):
            if other == rank:
                continue
            number += 2
            run.add(rank, "Irecv", f"size='{SIZE}' fromRank='{other}' fromTag='1' "
                    f"cid='0' rid='{number}'")
            run.add(rank, "Isend", f"size='{SIZE}' toRank='{other}' toTag='1' cid='0' "
                    f"rid='{number + 1}'")
            elements += (f"<Request rid='{number}' fromRank='{other}' fromTag='1' "
                         f"size='{SIZE}' cid='0'/><Request rid='{number + 1}'/>")
        run.add(rank, "Waitall", f"count='{number}' completed='{number}'", elements)
    return message(flows=count - 1)


def rings(run, count):
    """Two rings, of small and of large messages; all receivers wait."""
    sizes = (984, SIZE)
    for rank in range(count):
        for size in sizes:
            if rank > 0:
                run.recv(rank, rank - 1, size=size)
            run.send(rank, (rank + 1) % count, size=size)
            if rank == 0:
                run.recv(rank, count - 1, size=size)
    return count * sum(message(size) for size in sizes)


def joined(run, count):
    """A pipeline whose ranks wait for the last one."""
    pipeline(run, count)
    for rank in range(count):
        run.add(rank, "Barrier", "cid='0'")
    return None


def unbalanced(run, count):
    """All wait for the last rank."""
    for rank in range(count):
        run.compute(rank, CHUNK * (rank + 1))
        run.add(rank, "Barrier", "cid='0'")
    return None


def deadlock(run, count):
    """All send what is too large to be sent without a receiver."""
    for rank in range(count):
        run.compute(rank, CHUNK)
        run.send(rank, (rank + 1) % count, size=1000000)
        run.recv(rank, (rank - 1) % count, size=1000000)
    return None


def main():
    name, count = sys.argv[1], int(sys.argv[2])
    run = Run(count)
    expected = {"ring": ring, "rings": rings, "fenced": fenced, "pipeline": pipeline, "stencil": stencil,
                "alltoall": alltoall, "joined": joined, "unbalanced": unbalanced,
                "deadlock": deadlock}[name](run, count)
    run.write(name)
    print(expected)


main()
