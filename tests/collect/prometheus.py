#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ask a Prometheus what contrib/prometheus needs of it: PORT DASHBOARD NODES."""
import json
import sys
import time
import urllib.parse
import urllib.request

port, dashboard, nodes = sys.argv[1], json.load(open(sys.argv[2])), \
    set(sys.argv[3:])


def fetch(path):
    # Not through a proxy that the environment may name.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}{path}", timeout=60) as reply:
        return reply.read().decode()


def query(expr):
    answer = json.loads(fetch("/api/v1/query?" +
                              urllib.parse.urlencode({"query": expr})))
    assert answer["status"] == "success", (expr, answer)
    return answer["data"]["result"]


def until(what, seconds=100):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, what.__doc__
        time.sleep(0.1)


def all_are_up():
    """All nodes are scraped."""
    try:
        return {r["metric"]["node"] for r in
                query("hdtrace_node_cpu_busy_percent")} == nodes
    except OSError:
        return False


def is_recorded():
    """Rules are evaluated."""
    return query("hdtrace:nodes:up") and \
        float(query("hdtrace:nodes:up")[0]["value"][1]) == len(nodes)


def fires():
    """An alarm of the configuration fires."""
    return {r["metric"]["node"] for r in
            query('ALERTS{alertname="always", alertstate="firing"}')} == nodes


until(all_are_up)
until(is_recorded)
until(fires)
seen = 0
for panel in dashboard["panels"]:
    for target in panel["targets"]:
        found = query(target["expr"])
        # Not every machine knows its power.
        assert found or "power" in target["expr"], target
        for one in found:
            for part in target["legendFormat"].split("{{")[1:]:
                label = part.split("}}")[0]
                assert label in one["metric"] or \
                    one["metric"].get("__name__") == "ALERTS", (target, one)
        seen += 1
assert seen >= 11
page = fetch("/consoles/hdtrace.html")
assert "%d of\n%d nodes answer" % (len(nodes), len(nodes)) in page, page
assert all("<td>%s</td>" % n in page for n in nodes), page
assert "always" in page, page
print("good")
