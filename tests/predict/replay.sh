#!/bin/sh
# hdpredict replay: times that can be computed, powers as SimGrid's own plugin
# computes them, deadlocks, and what is left behind.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/simgrid.sh"
simgrid_find || skip_all "SimGrid is missing (Debian: libsimgrid-dev)"
command -v python3 >/dev/null || skip_all "no python3"
hdpredict=${abs_top_builddir:?}/hdpredict
hdtrace=$abs_top_builddir/hdtrace
LC_ALL=C
PYTHONDONTWRITEBYTECODE=1
# What is left there is found.
TMPDIR=$scratch/tmp
export LC_ALL PYTHONDONTWRITEBYTECODE TMPDIR
unset HDTRACE_SIMGRID HDTRACE_PREFIX
mkdir "$TMPDIR"
cd "$scratch" || exit 99

# A star: each host has a link in each direction.
python3 - >star.xml <<'END'
print("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
      '"https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
      '<zone id="star" routing="Full">')
for i in range(8):
    print(f'<host id="h{i}" speed="1Gf" core="2"><prop id="wattage_per_state" '
          f'value="100:150:{200 + i}"/></host>'
          f'<link id="l{i}" bandwidth="1MBps" latency="1ms" '
          'sharing_policy="SPLITDUPLEX"/>')
for i in range(8):
    for k in range(i + 1, 8):
        print(f'<route src="h{i}" dst="h{k}"><link_ctn id="l{i}" direction="UP"/>'
              f'<link_ctn id="l{k}" direction="DOWN"/></route>')
print("</zone></platform>")
END
sed 's/<prop[^>]*>//' star.xml >dark.xml
# The same powers in the second state of each host.
sed 's/speed="1Gf"/speed="3Gf,1Gf" pstate="1"/; s/value="/value="7:8:9,/' star.xml >states.xml

# A run, and how long it should take: PROGRAM RANKS
make_run() {
	[ -f "$1.proj" ] && return
	python3 "$abs_top_srcdir/tests/predict/replays.py" "$1" "$2" >"$1.time"
}

# A number of the JSON that was printed last: EXPRESSION of Python, of r.
of_result() {
	python3 -c 'import json, sys
r = json.load(open("result"))
print(eval(sys.argv[1]))' "$1"
}

# PROJECT [OPTION...]: with SimGrid's plainest network.
replay() {
	replayed=$1
	shift
	"$hdpredict" replay "$replayed" --platform=star.xml --ranks=cyclic \
		--format=json --cfg=network/model:CM02 --cfg=network/crosstraffic:0 \
		--cfg=network/TCP-gamma:1e12 "$@" >result
}

# NUMBER NUMBER [DIFFERENCE]
is_near() {
	echo "$1, expected $2"
	awk -v a="$1" -v b="$2" -v most="${3-1e-6}" \
		'BEGIN { exit !(a - b <= most && b - a <= most) }'
}

# PROGRAM RANKS
takes_as_computed() {
	make_run "$1" "$2" && replay "$1" &&
		is_near "$(of_result 'r["time_s"]')" "$(cat "$1.time")"
}

# FACTORS EXPECTED
is_scaled() {
	make_run ring 8 && replay ring --scale="$1" &&
		is_near "$(of_result 'r["time_s"]')" "$2"
}

is_scaled_in_computation() {
	make_run pipeline 4 && replay pipeline --scale=cpu=1e6 &&
		is_near "$(of_result 'r["time_s"]')" \
			"$(python3 -c 'print(7 * (2e-3 + 0.05))')" 1e-5
}

# The energy of each host, from what SimGrid's plugin says of the same replay.
# PLATFORM
energies_are_equal() {
	make_run unbalanced 8 && rm -rf kept &&
		replay unbalanced --waiting=idle --keep=kept --ranks=block \
			--platform="$1" &&
		(cd kept && simgrid_time ti.list 8 hostfile platform.xml \
			--cfg=network/model:CM02 --cfg=network/crosstraffic:0 \
			--cfg=network/TCP-gamma:1e12 --cfg=plugin:host_energy) ||
		return 1
	sed -n 's/^Energy consumption of host \([^:]*\): \([0-9.]*\) Joules$/\1 \2/p' \
		simgrid | sort >theirs
	of_result '"\n".join("%s %.6f" % (h["host"], h["energy_j"]) for h in r["hosts"])' |
		sort >ours
	paste -d ' ' theirs ours
	join theirs ours | awk '{ d = $2 - $3; n++
			if (d > 1e-6 * $2 + 1e-6 || d < -1e-6 * $2 - 1e-6) bad = 1 }
		END { exit !(n == 4 && !bad) }'
}

# Ranks that poll are busy to their end.
waiting_is_busy() {
	make_run unbalanced 8 && replay unbalanced --ranks=block || return 1
	[ "$(of_result 'r["waiting"]')" = busy ] &&
		of_result '[(h["energy_j"], r["time_s"]) for h in r["hosts"]]' &&
		[ "$(of_result 'all(0.98 * (200 + i) < h["energy_j"] / r["time_s"] <=
			200 + i + 1e-9 for i, h in enumerate(r["hosts"]))')" = True ]
}

# A model whose CPU draws 0.5 W per percent, and the same platform in watts.
make_model() {
	printf '%s\n' '[model]' 'version = 1' 'unit = W' 'idle_w = 100' 'idle_low = 99' \
		'idle_high = 101' 'error_w = 1' '[component cpu]' 'w_per_percent = 0.5' \
		'low = 0.4' 'high = 0.6' "$@" >node.model
}

# WATTS [OPTION...]
is_as_in_watts() {
	sed "s/value=\"[^\"]*\"/value=\"$1\"/" star.xml >watts.xml
	shift
	make_run unbalanced 8 && replay unbalanced --ranks=block --waiting=idle \
		--platform=watts.xml "$@" || return 1
	expected=$(of_result 'r["energy_j"]')
	replay unbalanced --ranks=block --waiting=idle --platform=dark.xml \
		--power-model=node.model "$@" &&
		is_near "$(of_result 'r["energy_j"]')" "$expected" 1e-9
}

powers_of_a_model() {
	make_model && is_as_in_watts 100:100:150
}

# Half of the clock draws a quarter of the power above idle.
powers_of_a_clock() {
	make_model 'clock_mhz = 2000' 'clock_exponent = 2' &&
		is_as_in_watts 100:100:112.5 --scale=cpu=0.5
}

unknown_power_is_null() {
	make_run unbalanced 8
	"$hdpredict" replay unbalanced --platform=dark.xml --format=json >result &&
		[ "$(of_result 'r["energy_j"], r["known_s"]')" = "(None, 0)" ] &&
		[ "$(of_result 'set(h["energy_j"] for h in r["hosts"])')" = "{None}" ]
}

# The project has the same time and energy, and is sound.
project_is_sound() {
	make_run stencil 6 && replay stencil -o out -f || return 1
	"$hdtrace" check -q out && "$hdtrace" report -q --format=json out >report.json &&
		python3 - <<-'END' || return 1
		import json
		r = json.load(open("result"))
		p = json.load(open("report.json"))
		assert abs(p["duration_s"] - r["time_s"]) < 2e-9, p["duration_s"]
		e = p["energy"]["energy_j"]
		assert abs(e - r["energy_j"]) < 1e-6 * r["energy_j"], (e, r["energy_j"])
		d = p["critical_path"]["dependencies"]
		assert d["unpaired"] == 0 and d["unpaired_collectives"] == 0, d
		END
	"$hdtrace" compare -q stencil out >compared &&
		"$hdtrace" dump out | grep -q 'Waitall' &&
		! replay stencil -o out 2>err && grep -q "the project exists" err
}

# Platforms: a star, a cluster, a fat tree, a torus and shared links.
make_platforms() {
	for shape in '' 'topology="FAT_TREE" topo_parameters="2;4,2;1,2;1,1"' \
		'topology="TORUS" topo_parameters="2,2,2"' 'sharing_policy="SHARED"'; do
		number=$((${number-0} + 1))
		cat >"shape$number.xml" <<-XML
		<?xml version='1.0'?>
		<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
		<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-7"
			speed="1Gf" core="2" bw="1MBps" lat="1ms" loopback_bw="5MBps"
			loopback_lat="0.1ms" $shape/></platform>
		XML
	done
}

# Links as they are traced take the same time: PROGRAM RANKS HOW
links_change_nothing() {
	make_run "$1" "$2"
	for platform in star.xml shape1.xml shape2.xml shape3.xml shape4.xml; do
		replay_as_usual "$1" "$platform" "$3" || return 1
		time=$(of_result 'r["time_s"]')
		replay_as_usual "$1" "$platform" "$3" -o linked -f &&
			is_near "$(of_result 'r["time_s"]')" "$time" 1e-8 &&
			ls linked_links_*_Link.stat >/dev/null || return 1
	done
}

# With the models that SimGrid has by default: PROJECT PLATFORM HOW [OPTION...]
replay_as_usual() {
	usual_project=$1
	usual_platform=$2
	usual_how=$3
	shift 3
	"$hdpredict" replay "$usual_project" --platform="$usual_platform" \
		--ranks="$usual_how" --format=json "$@" >result
}

# A platform whose links are not traced: a warning gives the reason. Comments are none
# of the platform.
links_missing_are_named() {
	make_run ring 8
	# The warning, and what makes it of the star.
	while read -r text command; do
		sed "$command" star.xml >odd.xml
		replay ring --platform=odd.xml -o odd -f 2>err || return 1
		cat err
		grep -q "^hdpredict replay: warning: odd.xml: no rows of links: the platform has $text" \
			err || return 1
	done <<-'END'
	coordinates s/core="2"/& coordinates="0 0 0"/
	equal s/"l7"/"h7"/g; s/sharing_policy="SPLITDUPLEX"//; s/direction="[A-Z]*"//g
	END
	sed 's|<zone|<!-- WIFI <config><prop id="network/latency-factor" value="9"/></config> -->&|' \
		star.xml >commented.xml
	replay ring -o commented -f || return 1
	time=$(of_result 'r["time_s"]')
	replay ring --platform=commented.xml -o commented -f 2>err && [ ! -s err ] &&
		is_near "$(of_result 'r["time_s"]')" "$time"
}

# Rate times time is what messages have, in each link that they pass.
links_carry_messages() {
	make_run ring 8 && replay ring -o carried -f && "$hdtrace" check -q carried || return 1
	for file in carried_links_*_Link.stat; do
		"$hdtrace" dump "$file" | awk -v file="$file" '
			/^  [0-9.]* [0-9.]* [0-9.e+-]* [0-9.e+-]*$/ {
				# Seconds before the point are too many for a double.
				sub(/^.*\./, "0.", $1)
				sub(/^.*\./, "0.", $2)
				bytes += $3 * ($2 - $1)
				if ($3 > 0 && ($3 != 1e6 || $4 != 100)) bad = 1
			}
			END { print file, bytes; exit !(!bad && bytes > 49999.9 && bytes < 50000.1) }' ||
			return 1
	done
	set -- carried_links_*_Link.stat
	[ $# -eq 16 ] && [ -f carried_links_l3-DOWN_Link.stat ] || return 1
	# Another platform, in place of this one: its links alone.
	replay ring --ranks=block -o carried -f && set -- carried_links_*_Link.stat &&
		[ $# -eq 8 ]
}

# A host of this name has a row of its own.
host_named_links() {
	make_run ring 8 && sed 's/"h3"/"links"/g' star.xml >named.xml &&
		replay ring --platform=named.xml -o named -f &&
		"$hdtrace" check -q named &&
		[ "$(grep -c 'Node name="links"' named.proj)" -eq 1 ] &&
		[ "$(grep -c 'Node name="host-links"' named.proj)" -eq 1 ] &&
		set -- named_links_*_Link.stat && [ $# -eq 16 ] &&
		[ -f named_host-links_Energy.stat ] && [ -f named_host-links_7_0.trc ]
}

waits_are_found() {
	make_run unbalanced 8 && replay unbalanced -o unbalanced-out -f &&
		"$hdtrace" report -q unbalanced-out | grep -q 'wait-at-barrier'
}

# The ideal network of the report is a replay with a network that costs nothing:
# PROGRAM RANKS
zero_cost() {
	for program in joined stencil unbalanced; do
		make_run "$program" 4 && replay "$program" -o costly -f &&
			"$hdtrace" report -q --format=json costly >report.json &&
			"$hdtrace" dump costly >dumped && replay "$program" \
			--scale=bandwidth=1e9,latency=1e-9 && python3 - "$program" <<-'END' || return 1
		import json, sys
		ends = {"Init": [], "Finalize": []}
		for line in open("dumped"):
		    words = line.split()
		    if len(words) > 2 and words[2] in ends:
		        ends[words[2]].append(float(words[1 if words[2] == "Init" else 0]))
		transfer = json.load(open("report.json"))["efficiencies"]["transfer"]
		ideal = transfer * (min(ends["Finalize"]) - max(ends["Init"]))
		found = json.load(open("result"))["time_s"]
		print(sys.argv[1], "ideal", ideal, "replayed", found)
		assert abs(found - ideal) < 0.01 * ideal
		END
	done
}

# The run of a replay has the network of the replay.
own_platform() {
	make_run rings 4 && replay rings -o first -f || return 1
	expected=$(of_result 'r["time_s"]')
	"$hdpredict" replay first --from-measured --keep=own --format=json >result &&
		cat own/platform.xml && is_near "$expected" "$(cat rings.time)" &&
		is_near "$(of_result 'r["time_s"]')" "$expected" 1e-5 &&
		grep -q 'link-h3" bandwidth="1000000Bps" latency="0.001s"' own/platform.xml &&
		[ "$(of_result '[h["host"] for h in r["hosts"]]')" = "['h0', 'h1', 'h2', 'h3']" ] &&
		"$hdpredict" replay first --from-measured --scale=bandwidth=2 \
			--format=json >result &&
		is_near "$(of_result 'r["time_s"]')" \
			"$(awk -v t="$expected" 'BEGIN { print 0.008 * 2 + (t - 0.016) / 2 }')" 1e-5 &&
		fails 2 --from-measured first --from-measured --platform=star.xml
}

# All messages have one size: their time stays, in fast networks, too.
own_platform_of_one_size() {
	make_run ring 8 || return 1
	for factors in bandwidth=1 bandwidth=2e4,latency=1e-3; do
		replay ring --scale="$factors" -o first -f || return 1
		expected=$(of_result 'r["time_s"]')
		"$hdpredict" replay first --from-measured --format=json >result &&
			is_near "$(of_result 'r["time_s"]')" "$expected" 1e-5 || return 1
	done
}

own_platform_without_messages() {
	make_run unbalanced 8 && "$hdpredict" replay unbalanced --from-measured >result 2>err &&
		grep -q 'warning: .*no message between hosts had a waiting receiver' err
}

deadlock_is_explained() {
	make_run deadlock 3
	replay deadlock -o stuck 2>err
	[ $? -eq 1 ] || return 1
	cat err
	grep -q '^hdpredict replay: deadlock: rank 2 waits in MPI_Send since 0.01 s (send 0 1 1000000)$' \
		err && [ "$(grep -c deadlock err)" -eq 3 ] && [ ! -e stuck.proj ]
}

# OPTION... STATUS TEXT: the command fails like that.
fails() {
	failing_status=$1
	failing_text=$2
	shift 2
	"$hdpredict" replay "$@" >printed 2>err
	found=$?
	cat err
	[ "$found" -eq "$failing_status" ] && grep -qF -- "$failing_text" err
}

wrong_input() {
	make_run ring 8
	echo '<platform version="4.1"><zone id="z" routing="Nonsense"/></platform>' \
		>wrong.xml
	printf 'h0\nh9\n' >hosts
	fails 1 "SimGrid cannot read it: Parse error at platform.xml:1" ring \
		--platform=wrong.xml &&
		fails 2 "--platform" ring &&
		fails 2 "missing.xml" ring --platform=missing.xml &&
		fails 1 'line 2: the platform has no host "h9"' ring \
			--platform=star.xml --ranks=hosts &&
		fails 2 "--ranks" ring --platform=star.xml --ranks=nonsense &&
		fails 2 "--scale" ring --platform=star.xml --scale=cpu=0 &&
		fails 2 "--scale" ring --platform=star.xml --scale=disk=2 &&
		fails 2 "--cfg" ring --platform=star.xml --cfg=nonsense &&
		fails 2 "SimGrid failed" ring --platform=star.xml \
			--cfg=no/such:option &&
		fails 2 "--waiting" ring --platform=star.xml --waiting=asleep
}

cut_trace_is_refused() {
	make_run pipeline 4
	for file in pipeline*; do
		cp "$file" "cut${file#pipeline}"
	done
	sed -i '/Finalize/,$d' cut_m3_3_0.trc
	fails 1 "rank 3: MPI_Finalize is missing" cut --platform=star.xml
}

simgrid_is_missing() {
	make_run ring 8
	HDTRACE_SIMGRID=$scratch/nowhere fails 2 "(tried: 3.32); install the Debian package libsimgrid-dev" \
		ring --platform=star.xml
}

# SimGrid runs in another directory.
simgrid_by_a_relative_path() {
	make_run ring 8
	mkdir -p linked && ln -sf "${simgrid_main:?}"/smpi* linked/ &&
		HDTRACE_SIMGRID=linked replay ring
}

# The child ends, and the directory goes, when a signal ends the command.
killed_leaves_nothing() {
	make_run ring 8
	mkdir -p slow
	cat >slow/smpimain <<-END
	#!/bin/sh
	echo \$\$ >$scratch/child
	exec sleep 100
	END
	cp slow/smpimain slow/smpireplaymain
	chmod +x slow/*
	rm -f child
	HDTRACE_SIMGRID=$scratch/slow "$hdpredict" replay ring \
		--platform=star.xml >printed 2>&1 &
	pid=$!
	until_done [ -s child ] && kill -TERM "$pid"
	wait "$pid"
	echo "status $?"
	ls -A "$TMPDIR"
	until_done child_is_gone && [ -z "$(ls -A "$TMPDIR")" ]
}
child_is_gone() {
	! kill -0 "$(cat child)" 2>/dev/null
}

own_platform_is_converted() {
	make_run ring 8
	"$hdpredict" platform --nodes=8 -o own.xml &&
		"$hdpredict" replay ring --platform=own.xml --ranks=cyclic \
			--format=json >result && is_near "$(of_result 'r["time_s"]')" 3.3e-4 1e-3
}

placement_by_file() {
	make_run ring 8
	for i in 7 6 5 4 3 2 1 0; do echo "h$i"; done >turned
	replay ring --ranks=turned &&
		[ "$(of_result 'r["ranks"][0]["host"]')" = h7 ] &&
		is_near "$(of_result 'r["time_s"]')" "$(cat ring.time)"
}

# Points of a sweep are the same as single replays.
sweep_replays() {
	make_run unbalanced 8
	"$hdpredict" sweep unbalanced.proj --platform=star.xml --vary bandwidth=1,2 \
		--vary cpu=1,2 --vary ranks=block,cyclic --format=json >swept ||
		return 1
	"$hdpredict" replay unbalanced --platform=star.xml --ranks=cyclic \
		--scale=bandwidth=2,cpu=2 --format=json >result || return 1
	python3 - <<-'END'
	import json
	rows = json.load(open("swept"))["rows"]
	one = json.load(open("result"))
	assert len(rows) == 8 and all(row["error"] is None for row in rows), rows
	same = [row for row in rows if row["parameters"] ==
	        {"bandwidth": 2, "cpu": 2, "ranks": "cyclic"}]
	assert len(same) == 1, rows
	assert same[0]["makespan_s"] == one["time_s"], (same, one["time_s"])
	assert same[0]["energy_total_j"] == one["energy_j"], (same, one["energy_j"])
	assert any(row["front"] for row in rows)
	END
}

# Clock and power of a model in a sweep.
sweep_with_a_model() {
	make_run unbalanced 8 && make_model 'clock_mhz = 2000' 'clock_exponent = 2' &&
		"$hdpredict" sweep unbalanced.proj --platform=dark.xml --vary cpu=1,0.5 \
			--vary power-model=node.model --format=json >swept &&
		replay_as_usual unbalanced dark.xml block --power-model=node.model \
			--scale=cpu=0.5 || return 1
	python3 - <<-'END'
	import json
	rows = json.load(open("swept"))["rows"]
	one = json.load(open("result"))
	assert [row["parameters"]["cpu"] for row in rows] == [1, 0.5], rows
	assert rows[1]["energy_total_j"] == one["energy_j"] > 0, (rows, one["energy_j"])
	END
}

left_out_calls() {
	make_run fenced 8
	replay fenced 2>err &&
		[ "$(of_result 'r["refused"]')" = "[{'function': 'Win_fence', 'count': 8}]" ] &&
		[ "$(of_result 'r["synchronous_lost"]')" = 0 ] &&
		grep -q 'warning: .*: calls of MPI_Win_fence are left out: 8' err &&
		"$hdpredict" sweep fenced.proj --platform=star.xml --vary cpu=1,2 \
			>swept 2>err &&
		[ "$(grep -c '^hdpredict sweep: warning: ' err)" -eq 1 ]
}

sweep_tells_failed_points() {
	make_run deadlock 3
	"$hdpredict" sweep deadlock.proj --platform=star.xml --vary cpu=1 >swept 2>err
	[ $? -eq 1 ] && grep -q 'rank 0 waits in MPI_Send' err &&
		! "$hdpredict" sweep deadlock.proj --platform=star.xml --vary tiles=2 \
			2>err && grep -q 'do not apply to a replay' err &&
		! "$hdpredict" sweep cholesky --resources=thesis --vary cpu=2 2>err &&
		grep -q 'apply to replays only' err
}

# Ranks and hosts have more files than are allowed at first.
# shellcheck disable=SC3045 # dash and bash know it
files_are_allowed() (
	make_run ring 8
	rm -rf many.proj many_*
	ulimit -S -n 26 && replay ring -o many && [ -f many.proj ]
)

# The name of a host that is too long for a file.
traces_that_cannot_be_created() {
	make_run ring 8
	name=$(printf '%0300d' 1)
	sed "s/\"h3\"/\"h$name\"/g" star.xml >long.xml
	"$hdpredict" replay ring --platform=long.xml --ranks=cyclic -o long >result 2>err
	[ $? -eq 2 ] && grep -q 'cannot write' err && ! grep -q 'match' err &&
		[ ! -e long.proj ]
}

is_described() {
	python3 "$abs_top_srcdir/tests/tools/readers/validate-json.py" \
		"$abs_top_srcdir/doc/json.schema.json" result
}

ok "ring on a star" takes_as_computed ring 8
ok "pipeline" takes_as_computed pipeline 4
ok "stencil" takes_as_computed stencil 6
ok "all to all" takes_as_computed alltoall 5
ok "ten times the latency" is_scaled latency=10 0.56
ok "twice the bandwidth" is_scaled bandwidth=2 0.216
ok "faster processors" is_scaled_in_computation
ok "energy as of SimGrid's plugin" energies_are_equal star.xml
ok "energy in another state of the hosts" energies_are_equal states.xml
ok "power model" powers_of_a_model
ok "power model at another clock" powers_of_a_clock
ok "ranks that wait are busy" waiting_is_busy
ok "power that is not known is null" unknown_power_is_null
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "JSON conforms to the schema" is_described
else
	skip "JSON conforms to the schema" "no python3-jsonschema"
fi
ok "the project is sound" project_is_sound
make_platforms
ok "links: same times of messages" links_change_nothing stencil 6 cyclic
ok "links: same times of collective calls" links_change_nothing unbalanced 8 block
ok "links: bytes of messages" links_carry_messages
ok "links: a reason for missing rows" links_missing_are_named
ok "links: a host of the name \"links\"" host_named_links
ok "waits are found in it" waits_are_found
ok "network without cost: as the report computes it" zero_cost
ok "platform of the run" own_platform
ok "platform of the run with messages of one size" own_platform_of_one_size
ok "platform of the run without messages" own_platform_without_messages
ok "deadlock names ranks and calls" deadlock_is_explained
ok "wrong options and platforms" wrong_input
ok "cut trace is refused" cut_trace_is_refused
ok "missing SimGrid" simgrid_is_missing
ok "HDTRACE_SIMGRID is a relative path" simgrid_by_a_relative_path
ok "platform of hdpredict" own_platform_is_converted
ok "hosts by a file" placement_by_file
ok "replays as points of a sweep" sweep_replays
ok "power model as parameter of a sweep" sweep_with_a_model
ok "warning of calls that are left out" left_out_calls
ok "replays of a sweep that fail" sweep_tells_failed_points
ok "more files than the soft limit" files_are_allowed
ok "traces that cannot be created" traces_that_cannot_be_created
ok "a signal leaves nothing behind" killed_leaves_nothing
ok "nothing is left in TMPDIR" [ -z "$(ls -A "$TMPDIR")" ]
done_testing
