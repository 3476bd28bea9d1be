# SPDX-License-Identifier: LGPL-2.1-or-later
"""otf2read.py ARCHIVE HDTRACE PROJECT [OPTION...]: what OTF2's own Python
interface reads of an export is what the project has: every state, event and
value with its time, counted and equal."""
import sys

import otf2
from otf2.enums import LocationType, Type
from otf2.events import Enter, Leave, Metric, ParameterString

from project import Dump, bits, fail, same

KINDS = {Type.INT64: "INT64", Type.UINT64: "UINT64", Type.DOUBLE: "DOUBLE"}
WIDER = {"INT32": "INT64", "FLOAT": "DOUBLE"}


def label(name):
    """"Rank 3" is node 3."""
    return name.split(" ")[-1]


def node_of(location):
    """The path of the node that a location belongs to."""
    group = location.group
    tree, labels = group.system_tree_parent, []
    while tree.parent:
        labels.insert(0, tree.name)
        tree = tree.parent
    # The group of a host has the name of its node in the tree.
    if [label(group.name)] != labels[-1:]:
        labels.append(label(group.name))
    if location.type != LocationType.METRIC and location.name != group.name:
        labels.append(label(location.name))
    return "_".join(labels)


class Reader:
    """The events of an archive."""

    def __init__(self, trace):
        self.states, self.events, self.values = [], [], []
        self.open, self.counts, self.last, self.sums = {}, {}, {}, {}
        for location, event in trace.events:
            self.counts[location] = self.counts.get(location, 0) + 1
            if event.time < self.last.get(location, 0):
                fail(f"{location.name}: time decreases")
            self.last[location] = event.time
            self.take(location, event)
        for location in trace.definitions.locations:
            found = self.counts.get(location, 0)
            if found != location.number_of_events:
                fail(f"{location.name}: {location.number_of_events} events "
                     f"announced, {found} found")
        if any(self.open.values()):
            fail("states are not left")

    def take(self, location, event):
        """Take an event."""
        node = node_of(location)
        if isinstance(event, Enter):
            self.open.setdefault(location, []).append(event)
        elif isinstance(event, Leave):
            enter = self.open[location].pop()
            if enter.region != event.region:
                fail(f"{enter.region.name} is left as {event.region.name}")
            # Functions of MPI have their names in full.
            self.states.append((node, enter.region.name.removeprefix("MPI_"),
                                enter.time, event.time))
        elif isinstance(event, ParameterString):
            self.events.append((node, event.string, event.time))
        elif isinstance(event, Metric):
            for member, value in zip(event.metric.metric_class.members,
                                     event.values):
                kind = KINDS[member.value_type]
                self.values.append((node, location.name, member.name,
                                    event.time, bits(kind, value)))
        else:
            name = type(event).__name__
            self.sums[name] = self.sums.get(name, 0) + 1


def check_messages(sums):
    """Ends of messages and of calls come in pairs."""
    print(dict(sorted(sums.items())))
    if sums.get("MpiCollectiveBegin", 0) != sums.get("MpiCollectiveEnd", 0):
        fail("collective calls begin and do not end")
    if sums.get("MpiIsendComplete", 0) > sums.get("MpiIsend", 0) or \
            sums.get("MpiIrecv", 0) > sums.get("MpiIrecvRequest", 0):
        fail("requests are completed that were not made")


def main():
    """Compare."""
    archive, hdtrace, project = sys.argv[1:4]
    dump = Dump(hdtrace, project, *sys.argv[4:])
    with otf2.reader.open(archive + "/traces.otf2") as trace:
        clock = trace.definitions.clock_properties
        reader = Reader(trace)
        for time in reader.last.values():
            if not 0 <= time - clock.global_offset <= clock.trace_length:
                fail(f"time {time} is outside of the clock properties")
        for member in trace.definitions.metric_members:
            if not isinstance(member.unit, str):
                fail(f"{member.name} has no unit")
    same("states", reader.states, dump.states)
    same("events", reader.events, dump.events)
    same("values", reader.values, [
        (node, group, name, end, bits(WIDER.get(kind, kind), value))
        for node, group, name, kind, _, end, _, value in dump.values
        if kind != "STRING" and value is not None and value == value])
    check_messages(reader.sums)


main()
