"""Rows of hdpredict sweep, against hdpredict simulate of each point, and the
front by its definition: sweep.py HDPREDICT ROWS.json RESOURCES."""
# SPDX-License-Identifier: LGPL-2.1-or-later
import json
import subprocess
import sys

hdpredict, path, resources = sys.argv[1:]
GRAPH = ["tiles", "tile-size", "width", "steps", "inputs", "seed"]
KEYS = ("makespan_s", "messages", "message_bytes", "tasks", "energy_total_j", "energy_dynamic_j",
        "energy_computation_j", "energy_communication_j", "energy_idle_j")


def run(*arguments):
    return subprocess.run([hdpredict, *arguments], check=True, capture_output=True, text=True).stdout


def simulate(parameters):
    graph = [f"--{k}={v}" for k, v in parameters.items() if k in GRAPH]
    how = {k: v for k, v in parameters.items() if k in ("comm", "slowdown")}
    rest = [f"--{k}={v}" for k, v in parameters.items() if k not in GRAPH and k not in how]
    run("generate", "cholesky", *graph, "-o", "point-graph.xml")
    run("platform", *rest, "-o", "point-platform.xml")
    return json.loads(run("simulate", "point-graph.xml", "--platform", "point-platform.xml", "--resources",
                          resources, "--map=eft", "--format=json", *[f"--{k}={v}" for k, v in how.items()]))


def betters(a, b):
    return (a["makespan_s"] <= b["makespan_s"] and a["energy_total_j"] <= b["energy_total_j"] and
            (a["makespan_s"], a["energy_total_j"]) != (b["makespan_s"], b["energy_total_j"]))


with open(path, encoding="utf-8") as file:
    rows = json.load(file)["rows"]
for row in rows:
    expected = simulate(row["parameters"])
    for key in KEYS:
        assert row[key] == expected[key], (row, key, expected[key])
    assert row["front"] == (not any(betters(other, row) for other in rows)), row
assert len(rows) > 4 and any(row["front"] for row in rows) and not all(row["front"] for row in rows)
assert len({row["makespan_s"] for row in rows}) > len(rows) / 2
