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
# "part WATTS" of process 7 alone, and "PROBE KIND BEGIN END INSTANCES BODY
# [DISPATCH]" for each interval, behind it "/ INSTRUCTIONS CYCLES" if it counts them;
# "hw INSTRUCTIONS CYCLES READ WRITTEN" of each second of the node, or "hw
# INSTRUCTIONS CYCLES MISSES", where cache misses tell the traffic. PROBE is "8:NAME" of process 8, and so on.
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
part = [l for l in lines if l[0] == "part"]
if part:
    groups.append("Part")
    write(name + "_n0_7_Part.stat", ["n0", "7"], 'name="Part"', ['name="P" type="DOUBLE" unit="W" kind="gauge"'],
          [(1000 + i, 1001 + i, struct.pack(">d", float(l[1]))) for i, l in enumerate(part)])
hw = [l for l in lines if l[0] == "hw"]
if hw:
    groups.append("Utilization")
    names = ["HW_INSTRUCTIONS", "HW_CYCLES"] + (["MEM_TRAFFIC_CACHE_MISSES"] if len(hw[0]) == 4 else ["MEM_TRAFFIC_READ", "MEM_TRAFFIC_WRITE"])
    write(name + "_n0_Utilization.stat", ["n0"], 'name="Utilization"', ['name="%s" type="DOUBLE" unit="B" kind="delta"' % n for n in names],
          [(1000 + i, 1001 + i, b"".join(struct.pack(">d", float(v)) for v in l[1:])) for i, l in enumerate(hw)])
probes, processes = {}, {"7"}
for l in lines:
    if l[0] not in ("power", "part", "hw"):
        process, probe = l[0].split(":") if ":" in l[0] else ("7", l[0])
        processes.add(process)
        probes.setdefault((process, probe, l[1]), []).append(l[2:])
for (process, probe, kind), entries in probes.items():
    group = "Probe-" + probe.replace("/", "-")
    values = ['name="Instances" type="INT64" kind="delta"', 'name="Body" type="DOUBLE" unit="s" kind="delta"']
    if kind == "kernel":
        values += ['name="Dispatch" type="DOUBLE" unit="s" kind="delta"']
    if "/" in entries[0]:
        values += ['name="Instructions" type="DOUBLE" kind="delta"', 'name="Cycles" type="DOUBLE" kind="delta"']
    entries = [[v for v in e if v != "/"] for e in entries]
    write("%s_n0_%s_%s.stat" % (name, process, group), ["n0", process],
          'name="%s" probe="%s" probeKind="%s"' % (group, probe, kind), values,
          [(float(e[0]), float(e[1]), struct.pack(">q", int(e[2])) + b"".join(struct.pack(">d", float(v)) for v in e[3:])) for e in entries])
    groups.append(group)
open(name + ".proj", "w").write('''<?xml version="1.0" encoding="UTF-8"?>
<Application name="%s">
 <Description></Description>
 <Topology>
  <Level type="Host"><Level type="Process" /></Level>
  <Node name="n0">%s</Node>
 </Topology>
 <ExternalStatistics>%s</ExternalStatistics>
</Application>
''' % (name, "".join('<Node name="%s" />' % p for p in sorted(processes)),
       "".join("<%s />" % g for g in sorted(set(groups)))))
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
near(175 + 75 + 200 + d["kernels_unattributed_j"], d["energy"]["energy_j"])
'
}

table() {
	"$hdtrace" report known.proj >out && cat out &&
		grep -qE '^ +read/assign +n0_7 +7000 +2\.5.* s +7.* s +75(\.0+)? +J +175(\.0+)? +J ' out &&
		grep -qE '^ +refine +n0_7 +11 +- ' out &&
		grep -q '^ *Unattributed, .* in a kernel: 550 J$' out
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

# The node has 100 W, and process 7 tells 30 W of them itself. For two seconds a
# thread runs in it: 60 J; and one of process 8 that gets what is left, 140 J.
# Then process 8 alone, half of the time: 35 J of 70 J; 35 J and the 30 J of
# process 7 are nobody's. No joule is there twice: 300 J in all.
python3 make.py nested <<'END'
power 100
power 100
power 100
part 30
part 30
part 30
inner timer 1000 1002 1 2.0
8:outer timer 1000 1002 1 2.0
8:outer timer 1002 1003 1 0.5
END
nested() {
	says nested '
near(k["inner"]["body_j"], 60); near(k["outer"]["body_j"], 140 + 35)
near(d["kernels_unattributed_j"], 35 + 30); near(d["energy"]["energy_j"], 300)
'
}

# In the first second the node is not known, in the second one its part is not: what
# was known of one at another time does not make up for it.
python3 make.py apart <<'END'
power nan
power 100
power 100
part 30
part nan
part 30
8:first timer 1000 1001 1 1.0
8:second timer 1001 1002 1 1.0
8:third timer 1002 1003 1 1.0
END
apart() {
	says apart '
near(k["first"]["known_s"], 0); near(k["second"]["known_s"], 0)
near(k["third"]["known_s"], 1); near(k["third"]["body_j"], 70)
assert k["first"]["body_j"] is None and k["second"]["body_j"] is None
'
}

# Only the part has kernels: what the node draws besides is nobody's; and where the
# part tells more than the node, nothing is left for others.
python3 make.py inner <<'END'
power 100
part 30
inner timer 1000 1001 1 1.0
END
python3 make.py more <<'END'
power 20
part 30
inner timer 1000 1001 1 1.0
8:outer timer 1000 1001 1 1.0
END
one_part() {
	says inner '
near(k["inner"]["body_j"], 30); near(d["kernels_unattributed_j"], 70)
' && says more '
near(k["inner"]["body_j"], 30); near(k["outer"]["body_j"], 0)
near(d["kernels_unattributed_j"], -10)
'
}

# Many processes whose intervals lie anyhow, against the definition, interval by
# interval and kernel by kernel.
cat >slow.py <<'END'
import json, random, subprocess, sys
from fractions import Fraction as F
seed = int(sys.argv[1])
print("seed", seed)
chance = random.Random(seed)
watts = [chance.randrange(1, 200) for i in range(22)]
lines, uses = ["power %d" % w for w in watts], []
for process in range(12):
    at = F(1000) + F(chance.randrange(1000), 1000)
    while at < 1018:
        end = at + F(chance.randrange(100, 3000), 1000)
        body = F(chance.randrange(0, 4000), 1000)
        lines.append("%d:k%d timer %.3f %.3f 1 %.3f" % (process, process, at, end, body))
        if body:
            uses.append((process, at, end, body / (end - at)))
        at = end
subprocess.run([sys.executable, "make.py", "slow"], input="\n".join(lines), text=True, check=True)
times = sorted({t for u in uses for t in u[1:3]} | {F(1000 + i) for i in range(23)})
energy = {}
for begin, end in zip(times, times[1:]):
    joules = watts[min(int(begin) - 1000, 21)] * (end - begin)
    now = [(p, u) for p, b, e, u in uses if b <= begin and end <= e]
    whole = max(F(1), sum(u for p, u in now))
    for p, u in now:
        energy[p] = energy.get(p, 0) + joules * u / whole
d = json.loads(subprocess.run([sys.argv[2], "report", "--format=json", "slow.proj"], capture_output=True, text=True, check=True).stdout)
found = {int(k["name"][1:]): k["body_j"] for k in d["kernels"]}
for p in energy:
    assert abs(found[p] - float(energy[p])) < 1e-5, (p, found[p], float(energy[p]))
assert abs(sum(found.values()) + d["kernels_unattributed_j"] - sum(watts)) < 1e-6
END
as_defined() {
	python3 slow.py "${HDTRACE_TEST_SEED:-$$}" "$hdtrace"
}

# By hand: 3000 instructions of 2000 cycles; 800 bytes of 200 J; one second of three
# has no instructions that are known, and no traffic.
python3 make.py counted <<'END'
power 100
power 100
power 100
hw 1000 1000 100 300
hw 2000 1000 100 300
hw nan nan nan nan
assign kernel 1000 1001 5 0.5 0.1 / 600 400
assign kernel 1001 1002 5 0.5 0.1 / nan nan
assign kernel 1002 1003 5 0.5 0.1 / 300 200
refine timer 1000 1001 5 0.5
END
counted() {
	says counted '
c, = d["counters"]
assert c["node"] == "n0" and c["instructions"] == 3000 and c["cycles"] == 2000
near(c["instructions_per_cycle"], 1.5); near(c["known_s"], 2)
assert c["traffic_bytes"] == 800 and c["traffic_from"] == "memory controllers"
near(c["traffic_bytes_per_j"], 4); near(c["traffic_known_s"], 2); near(c["duration_s"], 3)
near(k["assign"]["instructions_per_cycle"], 1.5)
assert k["refine"]["instructions_per_cycle"] is None
' && "$hdtrace" report counted.proj >out && cat out &&
		grep -qE '^ +n0 +>= 3000 +>= 2000 +1\.50 +>= 800 +memory controllers +4$' out &&
		grep -qE '^ +Kernel .* IPC' out && grep -qE '^ +assign .* 1\.50 ' out
}

# Less than half is known: no mean. No power: no joules. By cache misses.
python3 make.py halfknown <<'END'
power 100
power 100
power 100
hw 1000 1000 64
hw nan nan nan
hw nan nan nan
END
python3 make.py unpowered <<'END'
hw 1000 500 64
hw 0 0 0
END
half_known() {
	says halfknown '
c, = d["counters"]
assert c["traffic_bytes_per_j"] is None and c["traffic_bytes"] == 64
assert c["traffic_from"] == "cache misses" and c["traffic_known_s"] == 1
' && says unpowered '
c, = d["counters"]
assert c["traffic_bytes_per_j"] is None and c["instructions_per_cycle"] == 2
' && "$hdtrace" report unpowered.proj >out && cat out &&
		grep -qE '^ +n0 +1000 +500 +2\.00 +64 +cache misses +-$' out &&
		says known 'assert d["counters"] == []'
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

# There is room for so much: 2^100 pJ, which are one kernel's, or half of each of two;
# and for 2^64 - 1 instances. What a second of 1e300 W has is no number. Power that
# goes back takes nothing back.
python3 make.py huge <<'END'
power 1e290
power 1e290
power -1e290
power 1e290
all timer 1000 1001 9223372036854775807 1.0
all timer 1001 1002 9223372036854775807 1.0
all timer 1002 1003 9223372036854775807 1.0
END
python3 make.py huge2 <<'END'
power 1e290
all kernel 1000 1001 1 1e300 0
8:other kernel 1000 1001 1 1e300 0
END
python3 make.py huge3 <<'END'
power 1e300
power 100
all timer 1000 1002 1 2.0
END
huge() {
	says huge '
most = 2 ** 100 / 1e12
assert abs(k["all"]["body_j"] / most - 1) < 1e-9, k
assert k["all"]["instances"] == 2 ** 64 - 1
assert abs(d["kernels_unattributed_j"]) <= 2 * most
' && says huge2 '
for name in "all", "other": assert abs(k[name]["body_j"] / (2 ** 100 / 2e12) - 1) < 1e-9, k
assert abs(d["kernels_unattributed_j"]) < 1e-9 * 2 ** 100 / 1e12
' && says huge3 '
near(k["all"]["body_j"], 100); near(k["all"]["known_s"], 1)
'
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

ok "energies of kernels equal the values by hand and add up" by_hand
ok "report prints the table of kernels" table
ok "partly known power and a gap limit the known time" partly
ok "kernels have no energy without power" powerless
ok "very long times of kernels are printed" endless
ok "a project without kernels has no table" none
ok "stat sums the values of probes" sums
ok "instructions per cycle and bytes per joule are computed" counted
ok "bytes per joule need power of all samples" half_known
ok "a process with its own meter has its own energy" nested
ok "a process meter may exceed the node or have all kernels" one_part
ok "gaps of node and process add up" apart
ok "huge values are exact" huge
ok "many kernels agree with the definition" as_defined
done_testing
