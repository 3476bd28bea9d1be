#!/bin/sh
# What the kernels of programs cost, from what their probes have counted and a
# known power: hdtrace report, as text and JSON. All numbers here are arithmetic
# by hand, of files that no code of ours has written.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
command -v python3 >/dev/null || skip_all "there is no python3"
cd "$scratch" || exit 99

# Write the project NAME from lines: "power WATTS" of each second from 1000 on,
# and "PROBE KIND BEGIN END INSTANCES BODY [DISPATCH]" for each interval.
cat >make.py <<'END'
import struct, sys
name, lines = sys.argv[1], [l.split() for l in sys.stdin if l.strip()]
def stamp(t):
    return struct.pack(">II", int(t), round(t % 1 * 1e9))
def write(file, labels, attributes, values, entries):
    text = "<Statistics>\n<TopologyNode>\n"
    for i, label in enumerate(labels):
        text += "  " * (i + 1) + '<Label value="%s"%s>\n' % (label, " /" if i == len(labels) - 1 else "")
    for i in range(len(labels) - 1, 0, -1):
        text += "  " * i + "</Label>\n"
    text += '</TopologyNode>\n<Group %s timestampDatatype="EPOCH" timeAdjustment="-0000000000.000000000">\n' % attributes
    text += "".join('  <Value %s />\n' % v for v in values) + "</Group>\n</Statistics>\n"
    data = ("%05d\n" % len(text) + text).encode() + stamp(entries[0][0])
    last = entries[0][0]
    for begin, end, cells in entries:
        if begin != last:
            data += b"\xff" * 8 + stamp(begin)
        data += stamp(end) + cells
        last = end
    open(file, "wb").write(data)
power = [l for l in lines if l[0] == "power"]
groups = ["Energy"] if power else []
if power:
    write(name + "_n0_Energy.stat", ["n0"], 'name="Energy"', ['name="P" type="DOUBLE" unit="W" kind="gauge"'],
          [(1000 + i, 1001 + i, struct.pack(">d", float(l[1]))) for i, l in enumerate(power)])
probes = {}
for l in lines:
    if l[0] != "power":
        probes.setdefault((l[0], l[1]), []).append(l[2:])
for (probe, kind), entries in probes.items():
    group = "Probe-" + probe.replace("/", "-")
    values = ['name="Instances" type="INT64" kind="delta"', 'name="Body" type="DOUBLE" unit="s" kind="delta"']
    if kind == "kernel":
        values += ['name="Dispatch" type="DOUBLE" unit="s" kind="delta"']
    write("%s_n0_7_%s.stat" % (name, group), ["n0", "7"],
          'name="%s" probe="%s" probeKind="%s"' % (group, probe, kind), values,
          [(float(e[0]), float(e[1]), struct.pack(">q", int(e[2])) + b"".join(struct.pack(">d", float(v)) for v in e[3:])) for e in entries])
    groups.append(group)
open(name + ".proj", "w").write('''<?xml version="1.0" encoding="UTF-8"?>
<Application name="%s">
 <Description></Description>
 <Topology>
  <Level type="Host"><Level type="Process" /></Level>
  <Node name="n0"><Node name="7" /></Node>
 </Topology>
 <ExternalStatistics>%s</ExternalStatistics>
</Application>
''' % (name, "".join("<%s />" % g for g in groups)))
END

says() {
	"$hdtrace" report --format=json "$1.proj" >json || { cat json; return 1; }
	python3 -c '
import json, sys
d = json.load(open("json"))
k = {x["name"]: x for x in d["kernels"]}
def near(a, b): assert abs(a - b) <= 1e-6, (a, b)
'"$2"
}

# 100 W for 10 s. In the first two seconds one thread works for 1.5 s: 100 J for
# 1 s of body, 50 J of dispatch, 50 J nobody's. In the next two, 16 s of thread
# time have 200 J: 6/16, 2/16 and 8/16. Then 1 s of two: 100 J.
python3 make.py known <<'END'
power 100
power 100
power 100
power 100
power 100
power 100
power 100
power 100
power 100
power 100
read/assign kernel 1000 1002 1000 1.0 0.5
read/assign kernel 1002 1004 6000 6.0 2.0
read/assign kernel 1004 1006 0 0 0
refine timer 1002 1004 10 8.0
refine timer 1004 1006 1 1.0
END
by_hand() {
	says known '
a, r = k["read/assign"], k["refine"]
assert a["node"] == "n0_7" and a["instances"] == 7000 and r["instances"] == 11
near(a["body_s"], 7); near(a["dispatch_s"], 2.5); near(r["body_s"], 9)
assert r["dispatch_s"] is None and r["dispatch_j"] is None
near(a["body_j"], 175); near(a["dispatch_j"], 75); near(r["body_j"], 200)
near(a["instance_j"], 250 / 7000); near(r["instance_j"], 200 / 11)
near(a["known_s"], 4); near(a["duration_s"], 4); near(r["duration_s"], 4)
near(d["kernels_unattributed_j"], 550)
near(175 + 75 + 200 + d["kernels_unattributed_j"], d["energy"]["joules"])
'
}

table() {
	"$hdtrace" report known.proj >out && cat out &&
		grep -qE '^ +read/assign +n0_7 +7000 +2\.5.* s +7.* s +75(\.0+)? +J +175(\.0+)? +J ' out &&
		grep -qE '^ +refine +n0_7 +11 +- ' out &&
		grep -q 'unattributed.*' out && grep -q 'in a kernel: 550 J' out
}

# Of the two seconds of refine the power of one is not known; no kernel has what
# lies in a gap of its group.
python3 make.py partly <<'END'
power 100
power nan
power 100
power 100
refine timer 1000 1002 5 2.0
refine timer 1003 1004 5 0.5
END
partly() {
	says partly '
r = k["refine"]
near(r["body_j"], 100 + 50); near(r["known_s"], 2); near(r["duration_s"], 3)
near(d["kernels_unattributed_j"], 100 + 50)
' && "$hdtrace" report partly.proj >out && cat out &&
		grep -qE '^ +Kernel .* Known' out && grep -qE 'refine.*[^0-9]2\.0+ s' out
}

python3 make.py powerless <<'END'
assign kernel 1000 1002 5 2.0 1.0
END
powerless() {
	says powerless '
a = k["assign"]
near(a["body_s"], 2); near(a["dispatch_s"], 1)
assert a["body_j"] is None and a["dispatch_j"] is None and a["instance_j"] is None
assert a["known_s"] == 0 and d["kernels_unattributed_j"] is None
' && "$hdtrace" report powerless.proj >out && cat out &&
		grep -qE '^ +assign ' out && ! grep -q 'in a kernel' out
}

# No clock runs that long.
python3 make.py endless <<'END'
assign kernel 1000 1002 5 1e300 2e300
END
endless() {
	says endless 'near(k["assign"]["body_s"], 1e300)' &&
		"$hdtrace" report endless.proj >out && cat out &&
		grep -qE '^ +assign +n0_7 +5 +4611686018[.0-9]* s +4611686018[.0-9]* s' out
}

# No kernels, no table.
python3 make.py none <<'END'
power 100
END
none() {
	says none '
assert d["kernels"] == [] and d["kernels_unattributed_j"] is None
' && "$hdtrace" report none.proj >out && ! grep -q Kernel out
}

# stat knows the values as it does others, by the kinds in the file.
sums() {
	"$hdtrace" stat --format=csv known.proj >out && cat out &&
		python3 -c '
import csv
rows = {(r["group"], r["value"]): r for r in csv.DictReader(open("out"))}
body = rows["Probe-read-assign", "Body"]
assert "delta" in body.values() and any(v in ("7", "7.0") for v in body.values()), body
'
}

ok "energies of kernels are those by hand, and add up" by_hand
ok "the table" table
ok "power that is not always known, and a gap" partly
ok "without power there is none" powerless
ok "seconds without end are many" endless
ok "without kernels there are none" none
ok "stat sums amounts of probes" sums
done_testing
