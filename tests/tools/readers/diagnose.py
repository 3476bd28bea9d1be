# diagnose.py HDTRACE WHAT [SEED]: what hdtrace diagnose says of projects that are made
# here, byte by byte, against what is worked out here from what they were made of.
# SPDX-License-Identifier: LGPL-2.1-or-later
import json, math, os, random, resource, statistics, struct, subprocess, sys

HDTRACE, WHAT = sys.argv[1:3]
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
BASE = 1000000000
NS = 10 ** 9


def ns(seconds):
    return round(seconds * NS)


# ---- Projects ------------------------------------------------------------------------

class Project:
    def __init__(self):
        self.nodes = {}
        subprocess.run("rm -f p p.* p_*", shell=True, check=True)

    def node(self, path):
        at = self.nodes
        for label in path.split("_"):
            at = at.setdefault(label, {})

    def gauge(self, node, layer, entries, init=0, throttled=False):
        """Entries: (end in ns, pending, bytes), or (end, mean, least, most, bytes), or
        None and a time: stopped until then."""
        self.node(node)
        values = [("Pending", "DOUBLE" if throttled else "INT64", "gauge")]
        if throttled:
            values += [("PendingMin", "INT64", "gauge"), ("PendingMax", "INT64", "gauge")]
        values += [("Bytes", "INT64", "delta")]
        header = "<Statistics>\n<TopologyNode>\n"
        for level, label in enumerate(node.split("_")):
            header += "  " * (level + 1) + f'<Label value="{label}">\n'
        for level in reversed(range(len(node.split("_")))):
            header += "  " * (level + 1) + "</Label>\n"
        header += f'</TopologyNode>\n<Group name="{layer}" timestampDatatype="EPOCH"'
        header += ' timeAdjustment="-0000000000.000000000">\n'
        for name, kind, means in values:
            written = ' written="change"' if means == "gauge" else ""
            header += f'  <Value name="{name}" type="{kind}" unit="" kind="{means}"{written} />\n'
        header += "</Group>\n</Statistics>\n"
        data = b"%05d\n" % len(header) + header.encode() + self.stamp(init)
        for entry in entries:
            if entry[0] is None:
                data += b"\xff" * 8 + self.stamp(entry[1])
                continue
            data += self.stamp(entry[0])
            data += struct.pack(">dqqq" if throttled else ">qq", *entry[1:])
        with open(f"p_{node}_{layer}.stat", "wb") as file:
            file.write(data)

    def stamp(self, time):
        return struct.pack(">II", BASE + time // NS, time % NS)

    def relations(self, node, layer, host, process, number, items):
        """Items: (id, start, end or None, parent as attributes) in ns."""
        self.node(f"{node}_{layer}")
        events = []
        for order, (name, start, end, parent) in enumerate(items):
            events.append((start, order, 0,
                           f'<rel t="{name}" time="{self.seconds(start)}"{parent}/>'
                           f'<s name="op" t="{name}" time="{self.seconds(start)}"/>'))
            if end is not None:
                events.append((end, order, 1, f'<e t="{name}" time="{self.seconds(end)}"/>'
                               f'<un t="{name}" time="{self.seconds(end)}"/>'))
        with open(f"p_{node}_{layer}.rel", "w") as file:
            file.write(f'<relation version="1" hostID="{host}" localToken="{process}" '
                       f'topologyNumber="{number}" timeAdjustment="{BASE}">\n')
            file.write("".join(i[3] for i in sorted(events, key=lambda i: i[:3])))
            file.write("</relation>")

    @staticmethod
    def seconds(time):
        return f"{time // NS}.{time % NS:09d}"

    def write(self):
        def tree(nodes):
            return "".join(f'<Node name="{i}">{tree(nodes[i])}</Node>' for i in nodes)
        with open("p.proj", "w") as file:
            file.write('<Application name="p"><Topology><Level type="Host">'
                       '<Level type="Process"><Level type="Part"/></Level></Level>'
                       f"{tree(self.nodes)}</Topology></Application>\n")


def diagnose(*arguments, status=0):
    result = subprocess.run([HDTRACE, "diagnose", "--format=json", "-q", *arguments, "p.proj"],
                            stdout=subprocess.PIPE, text=True)
    assert result.returncode == status, (arguments, result.returncode)
    found = json.loads(result.stdout) if result.stdout else None
    if found:
        assert found["found"] == (found["verdicts"] != [])
    return found


def layer(found, node, name):
    rows = [i for i in found["layers"] if (i["node"], i["layer"]) == (node, name)]
    assert len(rows) == 1, (node, name, rows)
    return rows[0]


def near(a, b, what, tolerance=1e-6):
    assert a is not None and b is not None, (what, a, b)
    assert abs(a - b) <= tolerance * max(1, abs(a), abs(b)), (what, a, b)


def changes(intervals, until, start=0, size=0):
    """The entries of a gauge whose operations are there in intervals."""
    steps = sorted([(i[0], 1, 0) for i in intervals] + [(i[1], -1, size) for i in intervals],
                   key=lambda i: (i[0], -i[1]))
    entries, pending = [], 0
    for time, change, moved in steps:
        entries.append((time, pending, moved))
        pending += change
    entries.append((until, pending, 0))
    return entries


# ---- One gauge -------------------------------------------------------------------------

def by_hand():
    project = Project()
    # 2 s nothing, 1 s 3, 1 s 1, stopped until 6 s, 1 s 2, 3 s nothing.
    project.gauge("h_a", "REQ", [(2 * NS, 0, 0), (3 * NS, 3, 100), (4 * NS, 1, 50),
                                 (None, 6 * NS), (7 * NS, 2, 10), (10 * NS, 0, 0)])
    # At most 4 at a time: of the second second at least half; the third all of it.
    project.gauge("h_b", "REQ", [(2 * NS, 0.0, 0, 0, 0), (3 * NS, 2.0, 0, 4, 8),
                                 (4 * NS, 1.5, 1, 2, 0), (7 * NS, 0.0, 0, 0, 0)],
                  throttled=True)
    project.gauge("h_c", "REQ", [])
    project.write()
    found = diagnose()
    a, b, c = (layer(found, "h_" + i, "REQ") for i in "abc")
    near(found["start_s"], BASE + 2, "start")
    near(found["end_s"], BASE + 7, "end")
    # Of 5 s 3 are known of a, and all of b.
    near(a["known_s"], 3, "known")
    near(a["mean"], 6 / 3, "mean")
    assert (a["max"], a["bytes"], a["pending_at_end"]) == (3, 160, 0), a
    near(a["idle_share"], 0, "idle")
    near(b["mean"], 3.5 / 5, "mean")
    assert (b["max"], b["bytes"]) == (4, 8), b
    near(b["idle_share"], 1 - 1.5 / 5, "idle")
    assert a["idle_exact"] and not b["idle_exact"]
    assert c["mean"] is None and c["max"] is None and c["idle_share"] is None, c
    assert not found["found"]
    # The selection: half of the first entry's bytes.
    found = diagnose("--from=2.5", "--to=3.5")
    a = layer(found, "h_a", "REQ")
    near(a["mean"], 2, "mean")
    near(a["bytes"], 75, "bytes")
    assert not diagnose("-n", "h_c")["found"]
    # What is infinite is not known: 2 s of the 4.
    project.gauge("h_d", "REQ", [(3 * NS, 2.0, 2, 2, 1), (4 * NS, math.inf, 0, 9, 1),
                                 (5 * NS, math.nan, 0, 9, 1), (6 * NS, 0.0, 0, 0, 1)],
                  init=2 * NS, throttled=True)
    project.write()
    found = diagnose("-n", "h_d")
    d = layer(found, "h_d", "REQ")
    assert (d["mean"], d["max"], d["known_s"], d["pending_at_end"]) == (2, 2, 1, 0), d
    near(found["end_s"] - found["start_s"], 1, "time")
    os.remove("p_h_d_REQ.stat")
    # Still pending, and a layer that a node below has.
    project.gauge("h_c", "REQ", [(3 * NS, 0, 0), (4 * NS, 7, 0)])
    assert layer(diagnose(), "h_c", "REQ")["pending_at_end"] == 7
    # Of a gauge that was throttled the last entry is a mean of an interval.
    for last, wanted in (((2.5, 1, 3), None), ((2.0, 2, 2), 2)):
        project.gauge("h_c", "REQ", [(3 * NS, 0.0, 0, 0, 0), (4 * NS, *last, 0)],
                      throttled=True)
        assert layer(diagnose(), "h_c", "REQ")["pending_at_end"] == wanted, last


def by_chance():
    chance = random.Random(SEED)
    for _ in range(40):
        project, wanted = Project(), {}
        for node in range(chance.randint(1, 5)):
            entries, time, known = [], chance.randint(0, NS), []
            init = time
            for _ in range(chance.randint(0, 30)):
                if chance.random() < 0.1:
                    time += chance.randint(0, NS)
                    entries.append((None, time))
                start = time
                time += chance.choice([0, chance.randint(1, NS)])
                value = chance.choice([0, 0, chance.randint(1, 9)])
                entries.append((time, value, chance.randint(0, 99)))
                known.append((start, time, value, entries[-1][2]))
            project.gauge(f"h_n{node}", "L", entries, init)
            wanted[f"h_n{node}"] = known
        project.write()
        first, last = sorted(chance.sample(range(0, 12 * NS), 2))
        compare(diagnose(), wanted, -NS, 10 ** 20)
        compare(diagnose(f"--from=@{project.seconds(BASE * NS + first)}",
                         f"--to=@{project.seconds(BASE * NS + last)}"), wanted, first, last)


def compare(found, wanted, first, last):
    """With sums in integers, second by second of nothing else."""
    cut = {node: [(max(s, first), min(e, last), v, b, e - s) for s, e, v, b in known
                  if (min(e, last) > max(s, first)) or (s == e and first <= e <= last)]
           for node, known in wanted.items()}
    busy = [i for known in cut.values() for i in known if i[2] and i[1] > i[0]]
    if not busy:
        assert found["start_s"] is None, found
        return
    start, end = min(i[0] for i in busy), max(i[1] for i in busy)
    for node, known in cut.items():
        row = layer(found, node, "L")
        parts = [(min(e, end) - max(s, start), v) for s, e, v, _, _ in known
                 if min(e, end) > max(s, start)]
        length = sum(i[0] for i in parts)
        near(row["known_s"], length / NS, "known")
        if any(e > s for s, e, *_ in known):
            near(row["bytes"], sum(b * ((e - s) / l if l else 1)
                                   for s, e, _, b, l in known), "bytes")
            assert row["max"] == max(v for s, e, v, *_ in known if e > s), row
        if length * 2 < end - start:
            assert row["mean"] is None, row
        else:
            near(row["mean"], sum(l * v for l, v in parts) / length, "mean")
            near(row["idle_share"], sum(l for l, v in parts if not v) / length, "idle")


# ---- Layers over a wire ------------------------------------------------------------------

def servers(count=4, requests=40, way=0.001, queue=0.0002, disk=0.002, slow=None,
            skew=0, relations=True, busy=None, apart=0.02,
            stall=None, calls=False, throttled=None):
    """Requests of a client, one after the other to each server: BMI at the client, REQ,
    TROVE. slow: {(server, "way" or "queue" or "disk"): factor}. skew: of clocks of
    servers. busy: a server gets so many times the requests. stall: one request of a
    server takes that much longer. calls: each request is caused by a call, which is of
    no layer. throttled: nodes with gauges of so many entries that are means."""
    project, wanted = Project(), {}
    slow, busy, stall = slow or {}, busy or {}, stall or {}
    calls = []
    for server in range(count):
        lists = {"BMI": [], "REQ": [], "TROVE": []}
        number = requests * busy.get(server, 1)
        for i in range(number):
            at = ns(1 + i * apart * requests / number)
            w, q, d = (ns(x * slow.get((server, name), 1))
                       for x, name in ((way, "way"), (queue, "queue"), (disk, "disk")))
            if server in stall and i == requests // 2:
                d += ns(stall[server])
            # A way there and back; all of it once in a while takes longer.
            w += w // 7 * (i % 3)
            here = (at, at + 2 * w + 2 * q + d)
            lists["BMI"].append(here)
            lists["REQ"].append((at + w + ns(skew), at + w + 2 * q + d + ns(skew)))
            lists["TROVE"].append((at + w + q + ns(skew), at + w + q + d + ns(skew)))
        calls.append(lists)
    until = max(i[1] for lists in calls for i in lists["BMI"]) + NS
    for server, lists in enumerate(calls):
        node = f"s{server}_brick"
        wanted[node] = {name: sum(e - s for s, e in lists[name]) for name in lists}
        project.gauge(f"c_to{server}", "BMI", changes(lists["BMI"], until))
        for name in "REQ", "TROVE":
            project.gauge(node, name, changes(lists[name], until + ns(skew), size=4096),
                          init=max(0, ns(skew)))
        if not relations:
            continue
        call = ' r="c:1.2:{}:{}"' if calls else ""
        project.relations(f"c_to{server}", "BMI", "c", "1.1", server,
                          [(i, *span, call.format(server, i))
                           for i, span in enumerate(lists["BMI"])])
        if calls:
            project.relations(f"c_rank{server}", "MPI", "c", "1.2", server,
                              [(i, start - 1000, end + 1000, "")
                               for i, (start, end) in enumerate(lists["BMI"])])
        project.relations(node, "REQ", f"s{server}", f"2.{server}", 0,
                          [(i, *span, f' r="c:1.1:{server}:{i}"')
                           for i, span in enumerate(lists["REQ"])])
        project.relations(node, "TROVE", f"s{server}", f"2.{server}", 1,
                          [(i, *span, f' p="0:{i}"')
                           for i, span in enumerate(lists["TROVE"])])
    for node, number in (throttled or {}).items():
        for name, most in ("REQ", 8), ("TROVE", 5):
            entries = [(NS + (i + 1) * NS // 50, *((0.05, 0, most, 9), (0.0, 0, 0, 0),
                                             (0.04, 0, 2, 9))[i % 3])
                       for i in range(number)]
            project.gauge(node, name, entries, init=NS, throttled=True)
    project.write()
    return wanted


def held(found, node, name, way=False):
    rows = [i for i in found["held"]
            if (i["node"], i["layer"], i["is_way"]) == (node, name, way)]
    assert len(rows) == 1, (node, name, rows)
    return rows[0]["held"]


def exact(found, wanted):
    length = found["end_s"] - found["start_s"]
    for node, sums in wanted.items():
        way = (sums["BMI"] - sums["REQ"]) / NS / length
        queue = (sums["REQ"] - sums["TROVE"]) / NS / length
        disk = sums["TROVE"] / NS / length
        near(held(found, node, "BMI", True), way, "way")
        near(held(found, node, "REQ"), queue, "queue")
        near(held(found, node, "TROVE"), disk, "disk")
        row = layer(found, node, "TROVE")
        near(row["mean"], disk, "mean")
        near(row["little"], disk, "little")
        assert row["held_exact"]


def names(found, node, name, kind):
    assert found["found"], found["held"]
    first = found["verdicts"][0]
    assert (first["node"], first["layer"], first["kind"]) == (node, name, kind), first
    assert len(found["verdicts"]) == 1, found["verdicts"]
    assert first["evidence"] and first["ratio"] >= 3, first
    return first


def layers():
    exact_after(servers)
    for server in range(4):
        for where, name, kind in (("disk", "TROVE", "slow"), ("way", "BMI", "way"),
                                  ("queue", "REQ", "slow")):
            factor = 30 if where == "queue" else 8
            wanted = servers(slow={(server, where): factor})
            found = diagnose()
            exact(found, wanted)
            first = names(found, f"s{server}_brick", name, kind)
            if where == "disk":
                near(first["ratio"], 8, "ratio")
                near(first["each_s"], 0.016, "each")
                near(first["each_others_s"], 0.002, "others")
                near(first["operations_ratio"], 1, "count")
                near(first["bytes_ratio"], 1, "bytes")
            assert diagnose("--fail", status=3)["found"]
    assert found["order"] == ["BMI", "REQ", "TROVE"], found["order"]


def exact_after(make):
    wanted = make()
    found = diagnose("--fail")
    assert not found["found"], found["verdicts"]
    exact(found, wanted)


def caused():
    """What calls caused that are of no layer are requests all the same."""
    wanted = servers(slow={(1, "disk"): 8}, calls=True)
    found = diagnose("--top=2")
    exact(found, wanted)
    names(found, "s1_brick", "TROVE", "slow")
    tokens = [i["token"] for i in found["longest"]]
    assert len(tokens) == 2 and all(i.startswith("c:1.1:1:") for i in tokens), tokens
    for request in found["longest"]:
        number = request["token"].split(":")[3]
        assert [i["token"] for i in request["relations"]] == [
            f"c:1.2:1:{number}", f"c:1.1:1:{number}", f"s1:2.1:0:{number}",
            f"s1:2.1:1:{number}"], request
    # Of one layer the longest of its operations.
    found = diagnose("-g", "TROVE")
    assert found["longest"][0]["token"].startswith("s1:2.1:1:"), found["longest"]


def gauges():
    """Without relations what is held at a node is what its gauges tell."""
    servers(relations=False, slow={(2, "disk"): 8})
    found = diagnose()
    assert found["longest"] == []
    names(found, "s2_brick", "TROVE", "slow")
    # What is on the wire cannot be told from what is behind it.
    assert layer(found, "c_to2", "BMI")["held"] is None
    servers(relations=False, slow={(1, "queue"): 30})
    names(diagnose(), "s1_brick", "REQ", "slow")
    assert not layer(found, "s2_brick", "REQ")["held_exact"]


def rule():
    # Two are no crowd.
    servers(count=2, slow={(1, "disk"): 50})
    assert not diagnose("--fail")["found"]
    servers(count=3, slow={(1, "disk"): 50})
    names(diagnose(), "s1_brick", "TROVE", "slow")
    # Not three times as much; and what does not matter.
    servers(slow={(1, "disk"): 2.5})
    assert not diagnose()["found"]
    servers(slow={(1, "queue"): 4})
    assert not diagnose()["found"]
    # A single request is no node that is slow, however long it takes.
    servers(stall={2: 0.2})
    found = diagnose()
    assert not found["found"], found["verdicts"]
    # More to do is not slow.
    servers(busy={3: 8})
    first = names(diagnose(), "s3_brick", "BMI", "load")
    assert first["operations_ratio"] == 8 and first["bytes_ratio"] == 8, first
    # Two that are slow.
    servers(count=7, slow={(1, "disk"): 20, (4, "way"): 20})
    found = diagnose()
    assert sorted((i["node"], i["layer"]) for i in found["verdicts"]) == \
        [("s1_brick", "TROVE"), ("s4_brick", "BMI")], found["verdicts"]


def crowd():
    """10,000 gauges: what is said of each, as of few, and in little time."""
    chance = random.Random(SEED)
    project, first, second = Project(), {}, {}
    for i in range(5000):
        node = f"h{i}_brick"
        # Many are alike: medians are then of equal numbers.
        first[node] = chance.randint(50, 60)
        second[node] = chance.choice([8, 9, 10, 11]) if i != 4321 else 9
        for name, numbers in ("REQ", first), ("TROVE", second):
            project.gauge(node, name, [(10 * NS, numbers[node], 4096), (11 * NS, 0, 0)])
    project.write()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = diagnose()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used < 60, used
    assert not found["found"] and len(found["layers"]) == 10000, found["verdicts"]
    holds = {"TROVE": second, "REQ": {i: first[i] - second[i] for i in first}}
    total = sum(sum(i.values()) for i in holds.values())
    for row in chance.sample(found["held"], 60):
        mine = holds[row["layer"]]
        others = [mine[i] for i in mine if i != row["node"]]
        middle = statistics.median(others)
        near(row["held"], mine[row["node"]], "held")
        near(row["others"], middle, "median")
        near(row["deviation"], statistics.median(abs(i - middle) for i in others),
             "deviation")
        near(row["share"], (row["held"] - middle) / total, "share")
    # Nobody of so many holds a tenth of all; of few, with one of its own, somebody does.
    project, mine = Project(), {f"h{i}_brick": i % 3 + 1 for i in range(8)}
    mine["h5_brick"] = 40
    for node, number in mine.items():
        project.gauge(node, "REQ", [(10 * NS, number, 4096)])
    project.write()
    found = diagnose()
    names(found, "h5_brick", "REQ", "slow")
    for row in found["held"]:
        others = [mine[i] for i in mine if i != row["node"]]
        middle = statistics.median(others)
        near(row["others"], middle, "median")
        near(row["deviation"], statistics.median(abs(i - middle) for i in others),
             "deviation")


def clocks():
    """Clocks of servers that are 5 s off change nothing of what is held where."""
    for skew in 5, -0.4:
        wanted = servers(skew=skew, slow={(1, "disk"): 8})
        found = diagnose()
        first = names(found, "s1_brick", "TROVE", "slow")
        near(first["each_s"], 0.016, "each")
        near(first["ratio"], 8, "ratio")
        total = sum(i["held"] for i in found["held"] if i["is_way"])
        assert total > 0
        if skew < 0:
            assert found["early"] > 0
    del wanted


def damaged():
    """What is damaged or partial is read as far as it goes."""
    servers(slow={(1, "disk"): 8})
    with open("p_s2_brick_TROVE.stat", "r+b") as file:
        file.truncate(file.seek(0, 2) - 5)
    names(diagnose(status=1), "s1_brick", "TROVE", "slow")
    # Relations of a layer that are not all there are no measure of it.
    text = open("p_s1_brick_TROVE.rel").read()
    head, rest = text.split("\n", 1)
    half = rest[:rest.index('<rel t="20"')] + "</relation>"
    open("p_s1_brick_TROVE.rel", "w").write(head + "\n" + half)
    found = diagnose(status=1)
    row = layer(found, "s1_brick", "TROVE")
    assert not row["held_exact"] and row["little"] < 0.8 * row["mean"], row
    names(found, "s1_brick", "TROVE", "slow")
    project = Project()
    project.node("h_a")
    project.write()
    assert diagnose(status=2) is None


def disk():
    """For tests of what others make of it: and a server whose gauges are throttled."""
    servers(slow={(1, "disk"): 8}, throttled={"t_brick": 40})


{"disk": disk, "hand": by_hand, "chance": by_chance, "layers": layers, "caused": caused, "gauges": gauges, "rule": rule,
 "crowd": crowd, "clocks": clocks, "damaged": damaged}[WHAT]()
