#!/bin/bash
# Energy of levels, from an LMG450 that is lmg450-sim, against what the simulator says
# that it measured: by a program that shares no code with ours, to one millionth.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/sim.sh"
build=${abs_top_builddir:?}
cd "$scratch" || exit 99
host=$(uname -n | tr -c 'A-Za-z0-9.\n' -)
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *//; s/[,-].*//')

# The power follows the edges of the load, from 80 to 180 W.
run() {
	sim_start --law="1:edges:edges,low=80,high=180,late=0" --truth=truth || return 1
	cat >pt.cfg <<END
[General]
device=LMG450
port=$PWD/meter
cycle=50
counter=on
[Trace]
type=HDSTATS
node=$host
channel=1
values=P
END
	HDLOAD_EDGES=edges "$build/hdload" -q --cpus="${cpu:-0}" \
		--loads=430ms:0,570ms:0.5,390ms:1,210ms:0.2 -c pt.cfg -p levels || return 1
	sim_stop && "$hdtrace" check levels &&
		"$hdtrace" loads -q --format=json levels >levels.json
}
ok "levels with the power of a simulated meter" run

equal() {
	python3 "$abs_top_srcdir/tests/load/truth.py" truth "levels_${host}_Energy.stat" \
		levels.json
}
ok "energy of levels equals the truth to 1e-6" equal

# The comparison can fail: with energies that are 2 millionths too large.
wrong() {
	python3 - <<'END'
import json
document = json.load(open("levels.json"))
for level in document["levels"]:
    level["energy_j"] *= 1.000002
json.dump(document, open("wrong.json", "w"))
END
	python3 "$abs_top_srcdir/tests/load/truth.py" truth "levels_${host}_Energy.stat" \
		wrong.json
	[ $? -eq 1 ]
}
ok "wrong energies are noticed" wrong
done_testing
