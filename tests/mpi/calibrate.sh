#!/bin/sh
# hdpredict calibrate: a platform of this machine, with each MPI library, and replays
# on it.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/lib/simgrid.sh"
command -v python3 >/dev/null || skip_all "no python3"
hdpredict=${abs_top_builddir:?}/hdpredict
PYTHONDONTWRITEBYTECODE=1
# What is left there is found.
TMPDIR=$scratch/tmp
export PYTHONDONTWRITEBYTECODE TMPDIR
unset HDTRACE_SIMGRID
mkdir "$TMPDIR"
cd "$scratch" || exit 99

# Print the launcher of a library: LIBRARY
launcher() {
	case $1 in
	openmpi) echo "$MPIEXEC_OPENMPI" ;;
	mpich) echo "$MPIEXEC_MPICH" ;;
	esac
}

# Other programs disturb measurements; as root, those of ordinary priority do not.
realtime=
! chrt -r 1 true 2>/dev/null || realtime='chrt -r 1'

# LIBRARY [OPTION...]
calibrate() {
	calibrated=$1
	shift
	# shellcheck disable=SC2086 # words
	$realtime timeout -k 10 100 "$hdpredict" calibrate -o "$calibrated.xml" --sizes=16 \
		--rounds=4 --max=100000 --format=json "$@" -- \
		"$(launcher "$calibrated")" -n 2 >"$calibrated.json"
}

# All that is measured is in the document, and the platform has what it says.
is_complete() {
	calibrate "$1" || return 1
	python3 - "$1" <<-'END'
	import json, sys
	name = sys.argv[1]
	found = json.load(open(name + ".json"))
	times = found["times"]
	segments = found["segments"]
	print(found["eager_bytes"], segments)
	assert len(found["hosts"]) == 1 and found["link"] == "inside of a host"
	assert {t["time_of"] for t in times} >= {"ping-pong", "isend", "isend-wait", "send",
	    "receive", "overlap", "exchange", "Bcast", "Reduce", "Allreduce", "Allgather",
	    "Alltoall", "Barrier"}, times
	assert all(t["measured_s"] > 0 and t["count"] >= 4 for t in times), times
	assert len({t["size_bytes"] for t in times if t["time_of"] == "ping-pong"}) > 12
	covered = [s for s in segments if s["time_of"] == "transfer"]
	assert all(a["until_bytes"] < b["from_bytes"] for a, b in zip(covered, covered[1:]))
	assert all(s["error_percent"] >= 0 and s["start_s"] >= 0 and s["per_byte_s"] > 0
	           for s in covered), covered
	platform = open(name + ".xml").read()
	for option in found["options"]:
	    key, value = option.split(":", 1)
	    assert f'<prop id="{key}" value="{value}"/>' in platform, option
	END
}

# The replay of the measurement itself: round trips take what was measured. Half of the
# sizes may be worse, and the limit is wide, since other programs disturb the machine;
# where these are many, one of four measurements has to do.
replays_itself() {
	for try in 1 2 3 4; do
		[ "$try" -eq 1 ] || calibrate "$1" || return 1
		! replay_is_close "$1" || return 0
	done
	return 1
}
replay_is_close() {
	python3 - "$1" <<-'END'
	import json, sys
	found = json.load(open(sys.argv[1] + ".json"))
	assert found["collectives"] in ("default", "ompi"), found["collectives"]
	errors = sorted(abs(t["error_percent"]) for t in found["times"]
	                if t["time_of"] == "ping-pong")
	print(errors)
	assert errors[len(errors) // 2] < 60, errors
	END
}

# A run whose ranks sleep, for 140 ms on its critical path, takes as long on this
# platform; other programs may make calls of MPI longer than that, but not shorter.
predicts_a_run() {
	rm -rf ./slept*
	HDTRACE_MPI_PROJECT=slept launch "$1" 2 \
		"$abs_top_builddir/tests/mpi/replayed-$1" sleep || return 1
	"$hdpredict" replay slept --platform="$1.xml" --format=json >replayed.json &&
		python3 -c 'import json
r = json.load(open("replayed.json"))
print(r["time_s"], r["measured_s"], r["error_percent"])
assert 0.14 < r["time_s"] < 1.1 * r["measured_s"]'
}

# Its own platform, from the trace alone.
predicts_from_the_trace() {
	"$hdpredict" replay slept --from-measured --format=json >replayed.json 2>err || return 1
	cat err
	python3 -c 'import json
r = json.load(open("replayed.json"))
print(r["time_s"], r["measured_s"], r["error_percent"], r["hosts"])
assert 0.14 < r["time_s"] < 1.1 * r["measured_s"]
assert len(r["hosts"]) == 1 and r["hosts"][0]["cores"] == 2 and r["energy_j"] is None'
}

launcher_fails() {
	"$hdpredict" calibrate -o none.xml -- false >out 2>err
	[ $? -eq 2 ] && [ ! -e none.xml ] && grep -q '^hdpredict calibrate: false: ' err || return 1
	"$hdpredict" calibrate -o none.xml -- "$scratch/nowhere" >out 2>err
	[ $? -eq 2 ] && grep -q nowhere err || return 1
	"$hdpredict" calibrate -- false 2>err
	[ $? -eq 2 ] && grep -q -- '--output' err
}

one_rank_is_refused() {
	timeout 100 "$hdpredict" calibrate -o none.xml -- "$(launcher "$1")" -n 1 >out 2>err
	[ $? -eq 2 ] && cat err && grep -q 'two ranks or more' err && [ ! -e none.xml ]
}

# A signal ends the ranks, and nothing stays.
killed_leaves_nothing() {
	printf '#!/bin/sh\necho $$ >"%s/child"\nexec sleep 100\n' "$scratch" >slow
	chmod +x slow
	rm -f child
	"$hdpredict" calibrate -o none.xml -- ./slow 2>/dev/null &
	pid=$!
	until_done [ -s child ] && kill -TERM "$pid"
	wait "$pid"
	[ $? -eq 143 ] && until_done child_is_gone && [ ! -e none.xml ]
}
child_is_gone() {
	! kill -0 "$(cat child)" 2>/dev/null
}

power_is_of_a_model() {
	printf '%s\n' '[model]' 'version = 1' 'unit = W' 'idle_w = 50' 'idle_low = 49' \
		'idle_high = 51' 'error_w = 1' '[component cpu]' 'w_per_percent = 0.5' \
		'low = 0.4' 'high = 0.6' >node.model
	calibrate "$1" --power-model=node.model && grep wattage "$1.xml" &&
		grep -q 'wattage_per_state" value="50:50:100"' "$1.xml"
}

for library in $(built_libraries); do
	can_launch "$library" || {
		skip "programs of $library" "its programs do not run here"
		continue
	}
	ok "$library: all is measured" is_complete "$library"
	if simgrid_find; then
		ok "$library: the replay of the measurement" replays_itself "$library"
		ok "$library: ranks that sleep" predicts_a_run "$library"
		ok "$library: the platform of the trace" predicts_from_the_trace
	else
		skip "$library: replays" "SimGrid is missing (Debian: libsimgrid-dev)"
	fi
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library"
ok "power of a model" power_is_of_a_model "$library"
ok "one rank" one_rank_is_refused "$library"
ok "launcher that fails" launcher_fails
ok "a signal leaves nothing behind" killed_leaves_nothing
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "JSON conforms to the schema" python3 \
		"$abs_top_srcdir/tests/tools/readers/validate-json.py" \
		"$abs_top_srcdir/doc/json.schema.json" "$library.json"
else
	skip "JSON conforms to the schema" "no python3-jsonschema"
fi
ok "nothing is left in TMPDIR" [ -z "$(ls -A "$TMPDIR")" ]
done_testing
