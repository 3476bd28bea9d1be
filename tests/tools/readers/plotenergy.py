# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare what hdtrace plot --format=json says of the power of two projects with
what hdtrace report does: plotenergy.py PLOT FIRST SECOND, all of them JSON."""
import json
import sys


def load(path):
    """A file of JSON."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(plot, *stats):
    """Compare them."""
    first, second, difference = load(plot)["comparison"]
    watts = []
    for told, path in zip((first, second), stats):
        rows = load(path)["rows"]
        assert all(row["known_s"] == row["duration_s"] for row in rows), rows
        watts.append(sum(row["mean"] for row in rows))
        assert abs(told["power_w"] - watts[-1]) < 1e-6 * watts[-1], \
            (told, watts[-1], path)
        assert told["known_s"] == rows[0]["known_s"], (told, rows)
    assert first["label"] + "," + second["label"] == "one,two"
    assert abs(difference["power_w"] - (watts[1] - watts[0])) < \
        1e-6 * watts[0], (difference, watts)


if __name__ == "__main__":
    main(*sys.argv[1:])
