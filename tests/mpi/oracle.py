# SPDX-License-Identifier: LGPL-2.1-or-later
"""oracle.py HDTRACE PROJECT COUNTED...: the calls that counter.c counted are those
that hdtrace dump shows, one after the other, with the same groups and bytes.

What a communicator is, is read from the .proj file alone."""
import csv
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

MAKES = {"Comm_dup", "Comm_split", "Intercomm_create", "Intercomm_merge",
         "Comm_accept", "Comm_connect", "Comm_spawn"}
COUNTED = MAKES | {
    "Send", "Ssend", "Recv", "Send_c", "Ssend_c", "Recv_c", "Bcast_c",
    "Alltoallv_c", "Isend", "Irecv", "Wait", "Sendrecv", "Mprobe", "Barrier",
    "Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Allgather",
    "Alltoall"}


def group(ranks, size):
    """World ranks in the order of a communicator; x are of another world."""
    places = ["x"] * max(size, len(ranks))
    for rank in ranks:
        places[int(rank.get("local"))] = rank.get("global")
    return ",".join(places)


def communicators(project):
    """(rank, cid) to the groups, the own one first; how many there are."""
    found, uids = {}, set()
    for comm in tree.parse(project + ".proj").iter("Communicator"):
        sides = [[], []]
        for rank in comm.iter("Rank"):
            sides[int(rank.get("group", "0"))].append(rank)
        texts = [group(sides[0], int(comm.get("size", "0"))),
                 group(sides[1], int(comm.get("remoteSize", "0")))]
        if comm.get("inter") != "1":
            texts[1] = "-"
        if comm.get("uid"):
            if comm.get("uid") in uids:
                sys.exit("a uid is there twice")
            uids.add(comm.get("uid"))
        for own, ranks in enumerate(sides):
            for rank in ranks:
                key = rank.get("global"), rank.get("cid")
                if key in found:
                    sys.exit(f"{key} is there twice")
                found[key] = f"{texts[own]} {texts[1 - own]}"
    return found


def records(hdtrace, project):
    """The states of each rank, with their attributes, at depth 0."""
    out = subprocess.run([hdtrace, "dump", "--format=csv", "--only=traces",
                          project], check=True, capture_output=True,
                         text=True).stdout
    found, state = {}, None
    for row in csv.DictReader(out.splitlines()):
        rank = row["node"].split("_")[1] if "_" in row["node"] else None
        if row["record"] == "state":
            state = (row["name"], {}) if row["nesting"] == "0" else None
            if state:
                found.setdefault(rank, []).append(state)
        elif row["record"] == "attribute" and state:
            state[1][row["name"]] = row["value"]
    return found


def lines(states, rank, comms):
    """As counter.c has them."""
    for name, given in states:
        if name not in COUNTED or \
                name == "Wait" and ("fromRank" not in given or
                                    "cid" not in given):
            continue
        groups = comms.get((rank, given.get("cid")), "unknown")
        yield (f"{name} {groups} {given.get('size', '-')} "
               f"{given.get('recvSize', '-')}")
        if name in MAKES:
            cid = given["newCid"]
            groups = "- -" if cid == "-1" else comms.get((rank, cid), "unknown")
            yield f"+ {groups} - -"


def main():
    """Compare."""
    hdtrace, project, *counted = sys.argv[1:]
    comms = communicators(project)
    states = records(hdtrace, project)
    bad = all_lines = 0
    for path in counted:
        rank = re.search(r"\.(\d+)\.counted$", path)[1]
        with open(path, encoding="utf-8") as file:
            expected = file.read().splitlines()
        found = list(lines(states.get(rank, []), rank, comms))
        all_lines += len(expected)
        for i in range(max(len(expected), len(found))):
            pair = [some[i] if i < len(some) else "nothing"
                    for some in (expected, found)]
            if pair[0] != pair[1]:
                print(f"{path}:{i + 1}: counted {pair[0]}, found {pair[1]}")
                bad += 1
    print(f"{all_lines} lines of {len(counted)} processes")
    sys.exit(1 if bad or not all_lines else 0)


main()
