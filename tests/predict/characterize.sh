#!/bin/sh
# hdpredict characterize: models of projects whose truth is declared.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
hdtrace=$abs_top_builddir/hdtrace
export PYTHONDONTWRITEBYTECODE=1
command -v python3 >/dev/null || skip_all "python3 is missing"
cd "$scratch" || exit 99

compare() {
	mkdir -p "$1" && python3 "$abs_top_srcdir/tests/predict/characterize.py" \
		"$hdpredict" "$@"
}
runs=${HDTRACE_TEST_RUNS:-1}
ok "energies within 1 %, delays within a tenth of a cycle, boards that differ by 10 %" \
	compare truth truth "$runs"
ok "the delay in the file is used" compare applied applied
ok "slowdowns are found for each load" compare slowdown slowdown
ok "links are found in spite of outliers" compare links links
ok "exchanges alone leave unknown values of links unknown" compare exchanges exchanges
ok "costs of file accesses are found for each class" compare accesses accesses
ok "file accesses that overlap with tasks are separated" compare beside beside
ok "energies of tasks without pauses are found" compare fit fit
ok "power profiles over the run of a kernel are found" compare profile profile
ok "named regions of MPI programs are kernels" compare regions regions
ok "unusable runs are refused and listed" compare hostile hostile

# What was simulated is found again: links of two architectures, and times.
cat >platform.xml <<'END'
<platform>
<node-architecture id="N" idle-power="10"/>
<bridge-architecture id="b" init-latency="300000" packet-size="1492" packet-latency="20000"/>
<node id="n0" architecture="N"><main-memory id="m0" size="1e9"><inout peer="b0"/></main-memory>
<pe id="p0" architecture="A"/><bridge id="b0" architecture="b"/></node>
<node id="n1" architecture="N"><main-memory id="m1" size="1e9"><inout peer="b1"/></main-memory>
<pe id="p1" architecture="A"/><bridge id="b1" architecture="b"/></node>
<channel id="c"><inout peer="b0"/><inout peer="b1"/></channel>
</platform>
END
kernel() {
	echo "<entry kernel=\"$1\" architecture=\"A\" time=\"$2\" energy=\"$3\"/>"
}
{
	echo "<resource-model>"
	kernel MATSRC 0.02 0.1
	kernel MATSINK 0.02 0.1
	kernel POTRF 0.13 1.9
	kernel TRSM 0.24 2.8
	kernel SYRK 0.21 2.6
	kernel GEMM 0.47 6.4
	echo "</resource-model>"
} >resources.xml
simulated() {
	for size in 64 128; do
		"$hdpredict" generate cholesky --tiles 6 --tile-size "$size" -o c.xml &&
			"$hdpredict" simulate c.xml --platform platform.xml \
				--resources resources.xml --map eft -o "p$size" >/dev/null || return 1
	done
	"$hdpredict" characterize -o again --time-only p64.proj p128.proj >out ||
		return 1
	grep 'kernel="GEMM".*time="0.47"' again/resources.xml &&
		grep 'kernel="POTRF".*time="0.13"' again/resources.xml &&
		grep 'var="tile_size" val="64"' again/resources.xml || return 1
	sed -n 's/.*init-latency="\([^"]*\)".*packet-latency="\([^"]*\)".*/\1 \2/p' \
		again/platform.xml >numbers
	cat numbers
	[ "$(wc -l <numbers)" -eq 2 ] &&
		awk '{ if ($1 < 299000 || $1 > 301000 || $2 < 19990 || $2 > 20010) exit 1 }' numbers &&
		"$hdpredict" simulate c.xml --platform again/platform.xml \
			--resources again/resources.xml --map eft >/dev/null
}
ok "links and times of a simulation are recovered" simulated
# Energies, of tasks that ran back to back.
fitted() {
	"$hdpredict" characterize -f -o again p128.proj >out || { cat out; return 1; }
	sed -n 's/.*kernel="\([^"]*\)".* energy="\([^"]*\)".*/\1 \2/p' again/resources.xml |
		sort >energies
	cat energies
	awk 'BEGIN { e["GEMM"] = 6.4; e["POTRF"] = 1.9; e["SYRK"] = 2.6; e["TRSM"] = 2.8 }
		$1 in e { n++; d = $2 / e[$1] - 1; if (d * d > 1e-4) exit 1 }
		END { if (n != 4) exit 1 }' energies
}
ok "energies of a simulation are recovered" fitted

# Tasks and messages that waited for memory, as full="delay" has it: that is no time of
# theirs, and with so much memory the same time is predicted again.
delayed() {
	{
		echo '<application><kernel id="S"><variable id="n"/><output id="o" size="n"/></kernel>'
		echo '<kernel id="T"><variable id="n"/><input id="i" size="n"/></kernel>'
		for i in $(seq 12); do
			for task in "s$i S p0" "t$i T p1"; do
				# Three words.
				# shellcheck disable=SC2086
				set -- $task
				echo "<task id='$1' kernel='$2'><assign var='n' val='$((i % 2 + 1))00000'/>" \
					"<map pe='$3' priority='$i'/></task>"
			done
			echo "<dependency predecessor='s$i' successor='t$i' src='o' dest='i'/>"
		done
		echo '</application>'
	} >delay.xml
	{
		echo "<resource-model>"
		kernel S 0.01 0.1
		kernel T 0.05 0.5
		echo "</resource-model>"
	} >delay.resources
	sed 's/size="1e9"/size="450000" full="delay"/' platform.xml >small.xml
	"$hdpredict" simulate delay.xml --platform small.xml --resources delay.resources -o delay >first || return 1
	"$hdtrace" dump delay >states
	# Both wait for it: tasks of the first PE, and messages.
	[ "$(grep -c 'Blocked.*awaits=' states)" -gt 4 ] &&
		"$hdpredict" characterize -o delayed --time-only --memory=450000 --full=delay delay.proj || return 1
	sed 's/"p0"/"n0.0.0"/; s/"p1"/"n1.1.0"/; '"s/'p0'/'n0.0.0'/; s/'p1'/'n1.1.0'/" delay.xml >again.xml
	"$hdpredict" simulate again.xml --platform delayed/platform.xml \
		--resources delayed/resources.xml >second || return 1
	cat first second
	sed 's/full="delay"//' delayed/platform.xml >roomy.xml
	"$hdpredict" simulate again.xml --platform roomy.xml --resources delayed/resources.xml >third
	time_of() {
		sed -n 's/^Time  *//p' "$1"
	}
	[ "$(time_of first)" ] && [ "$(time_of first)" = "$(time_of second)" ] &&
		! cmp -s second third
}
ok "waits for memory are not part of times" delayed
# JSON is as doc/json.schema.json has it.
valid() {
	"$hdpredict" characterize -f -o again --format=json p128.proj >found.json &&
		python3 "$abs_top_srcdir/tests/tools/readers/validate-json.py" \
			"$abs_top_srcdir/doc/json.schema.json" found.json
}
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "JSON is valid" valid
else
	skip "JSON is valid" "no python3-jsonschema"
fi
# As the schema of models says.
schema() {
	for i in platform resources kernels; do
		xmllint --noout --relaxng "$abs_top_srcdir/doc/format/prediction.rng" "again/$i.xml" || return 1
	done
}
if command -v xmllint >/dev/null; then
	ok "models conform to their schema" schema
else
	skip "models conform to their schema" "no xmllint"
fi

# A command that fails: STATUS MESSAGE OPTION...
fails() {
	status=$1 message=$2
	shift 2
	exits "$status" "$hdpredict" characterize "$@" && grep -q -- "$message" err
}
ok "a missing argument is reported" fails 2 'missing argument: PROJECT' -o x
ok "a missing option --output is reported" fails 2 'missing option: --output' p128.proj
ok "a missing project is reported" fails 2 'none.proj: .*No such file' -o x none.proj
ok "existing files are kept" fails 2 'platform.xml: the file exists' -o again --time-only p128.proj
one_is_there() {
	mkdir -p half && touch half/resources.xml &&
		fails 2 'resources.xml: the file exists' -o half --time-only p128.proj &&
		[ "$(ls half)" = resources.xml ]
}
ok "with one existing file no file is created" one_is_there
ok "a directory that cannot be created is reported" fails 2 'p128.proj/where: cannot write: Not a' -o p128.proj/where --time-only p128.proj
ok "a directory is created with its parents" exits 0 "$hdpredict" characterize -o a/b --time-only p128.proj
ok "a project that is named twice is refused" fails 2 'p128.proj: error: it is named twice' -o x --time-only p128.proj ./p128.proj
ok "an unknown reference is refused" fails 1 'nosuch: the reference is not a host' -o x --reference=nosuch p128.proj
ok "packets of size 0 are refused" fails 2 '--packet-size' -o x --packet-size=0 p128.proj
ok "an unknown behavior of full memory is refused" fails 2 '--full: invalid value "x"; expected fail or delay' -o x --memory=1 --full=x p128.proj
ok "--full without --memory is refused" fails 2 '--full: requires --memory' -o x --full=delay p128.proj
ok "a negative drift is refused" fails 2 '--drift' -o x --drift=-1 p128.proj
ok "an empty architecture is refused" fails 2 '--architecture' -o x --architecture= p128.proj
ok "an unknown format is refused" fails 2 '--format: invalid value "xml"; expected text or json' -o x --format=xml p128.proj
printf 'GIF89a' >bad.proj
ok "a file that is not a project is refused" fails 2 'bad.proj' -o x bad.proj
done_testing
