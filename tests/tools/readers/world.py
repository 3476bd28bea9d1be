# SPDX-License-Identifier: LGPL-2.1-or-later
"""Traces of MPI by chance, for tests of what is found in them."""
START = 1000 * 10**9


class World:
    """Ranks, their times, and the lines of their traces."""

    COLLECTIVES = ["Barrier", "Allreduce", "Alltoall", "Allgather", "Bcast",
                   "Scatter", "Reduce", "Gather", "Scan", "Exscan",
                   "Reduce_scatter"]

    def __init__(self, rng):
        self.rng = rng
        self.size = rng.randrange(2, 7)
        self.now = [START + rng.randrange(5000) for _ in range(self.size)]
        self.lines = [[] for _ in range(self.size)]
        self.rids = [0] * self.size
        self.hosts = [rank % 2 for rank in range(self.size)]
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
        name = self.rng.choice(self.COLLECTIVES)
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
        nodes = {host: "" for host in sorted(self.hosts)}
        for rank, host in enumerate(self.hosts):
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
                      + "".join(f'<Node name="host{host}">{text}</Node>'
                                for host, text in nodes.items()) +
                      "</Topology>"
                      f"<CommunicatorList>{comms}</CommunicatorList>"
                      "<Datatypes/><ExternalStatistics/></Application>\n")


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09d}"
