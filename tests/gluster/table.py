# Table 6.1 of the thesis on PVFS: what is pending at a slow node and at another, and
# ours beside it.
#
#     table.py DIAGNOSE.JSON NODE     the node that was made slow
#
# SPDX-License-Identifier: LGPL-2.1-or-later
import json, statistics, sys

THEIRS = {"BMI": (0.462, 0.771), "FLOW": (0.677, 7.652), "REQ": (0.680, 7.656),
          "TROVE": (1.456, 54.433)}
with open(sys.argv[1]) as file:
    layers = json.load(file)["layers"]
slow = sys.argv[2]
print("| layer | PVFS: node01 | node02, slow | ratio | GlusterFS: median of three "
      "| the slow one | ratio |")
print("|---|" + "---:|" * 6)
wrong = []
for layer in ("BMI", "FLOW", "REQ", "BREQ", "TROVE"):
    mine = {i["node"]: i for i in layers if i["layer"] == layer}
    cells = ["", "", ""]
    if layer in THEIRS:
        one, two = THEIRS[layer]
        cells = [f"{one:.3f}", f"{two:.3f}", f"{two / one:.1f}"]
    of_slow = [i for i in mine if f"{slow}-" in i + "-"]
    others = [i["mean"] for i in mine.values() if i["node"] not in of_slow]
    if of_slow and others:
        median, mean = statistics.median(others), mine[of_slow[0]]["mean"]
        cells += [f"{median:.3f}", f"{mean:.3f}", f"{mean / median:.1f}"]
        if layer in ("REQ", "TROVE") and mean < 5 * median:
            wrong.append(layer)
    else:
        cells += ["", "", ""]
    print(f"| {layer} | " + " | ".join(cells) + " |")
stored = {i["node"]: i["bytes"] for i in layers if i["layer"] == "TROVE"}
others = [size for i, size in stored.items() if not i.endswith(slow)]
mine = next(size for i, size in stored.items() if i.endswith(slow))
print(f"| bytes written, MB | | | 0.96 | {statistics.median(others) / 1e6:.0f} | "
      f"{mine / 1e6:.0f} | {mine / statistics.median(others):.2f} |")
sys.exit(f"not 5 times the median: {', '.join(wrong)}" if wrong else 0)
