#!/bin/sh
# Entries are merged over windows: what a window has is arithmetic by hand here,
# and of chance projects what a second implementation says (readers/window.py).
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: both slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
readers=$abs_top_srcdir/tests/tools/readers
cd "$scratch" || exit 99

second() (
	mkdir -p chance && cd chance || return 1
	exits 0 python3 "$readers/window.py" "$1" "$hdtrace" "$2"
)

# Columns of CSV by their names, a row a line: "COLUMN.." FILE
columns() {
	awk -F, -v wanted="$1" '
		NR == 1 {
			count = split(wanted, name, " ")
			for (i = 1; i <= NF; i++)
				for (k = 1; k <= count; k++)
					if ($i == name[k]) at[k] = i
			next
		}
		{
			line = ""
			for (k = 1; k <= count; k++)
				line = line (k > 1 ? " " : "") \
					($(at[k]) == "" ? "-" : $(at[k]))
			print line
		}' "$2"
}

# What hdtrace stat says in some columns: FILE-WITH-ROWS "COLUMN.." ARGUMENT...
stat_is() {
	stat_wanted=$1
	stat_columns=$2
	shift 2
	status 0 stat --format=csv "$@" || return 1
	columns "$stat_columns" "$scratch/out" | diff "$stat_wanted" -
}

# Power in W, a counter in B and an amount in J: 2 s, 2 s, a gap of 1 s, 3 s in
# which power is not known, and what has no length at the end.
{
	stat_header n G 'name="P" type="FLOAT" unit="W" kind="gauge"' \
		'name="C" type="INT32" unit="B" kind="counter"' \
		'name="D" type="INT32" unit="J" kind="delta"'
	stamp 1000000000
	stamp 1000000002
	hex 42c80000 00000064 00000008 # 100 W, 100 B, 8 J
	stamp 1000000004
	hex 43480000 00000078 0000000a # 200 W, 120 B, 10 J
	gap 1000000005
	stamp 1000000008
	hex 7fc00000 00000082 0000000c # no power, 130 B, 12 J
	stamp 1000000008
	hex 43960000 00000083 00000001 # 300 W, 131 B, 1 J
} >g.stat

cat >wanted <<'END'
0 1000000000.000000000 1000000003.000000000 3.000000000 3.000000000 133.33333333333334 100 200 400
1 1000000003.000000000 1000000006.000000000 3.000000000 1.000000000 - 200 200 200
2 1000000006.000000000 1000000008.000000000 2.000000000 0.000000000 - 300 300 -
END
ok "a gauge is averaged over windows" stat_is wanted \
	"phase start end duration_s known_s mean min max integral" \
	--window=3 -v P g.stat
cat >wanted <<'END'
0 13 8 10
1 9 10 12
2 9 1 12
END
ok "a delta is divided among windows" stat_is wanted "phase total min max" \
	--window=3 -v D g.stat
cat >wanted <<'END'
0 10 1.000000000
1 10 1.000000000
2 1 0.000000000
END
ok "a counter is divided among windows" stat_is wanted "phase total known_s" \
	--window=3 -v C g.stat

# --- Where windows begin and end ---

cat >wanted <<'END'
0 1000000001.500000000 1000000004.000000000 2.500000000 180
1 1000000004.000000000 1000000005.500000000 0.000000000 -
END
ok "windows begin at --from and end at --to" stat_is wanted \
	"phase start end known_s mean" --window=2.5 --from=1.5 --to=5.5 -v P \
	g.stat
cat >wanted <<'END'
0 1 -
0 1 8
1 1 -
1 1 10
2 0 -
2 1 4
3 1 -
3 2 9
END
ok "windows may begin with entries" stat_is wanted "phase count sum" \
	--window=2 -v P -v D g.stat
cat >wanted <<'END'
0 1000000001.999999998 1000000001.999999999 0.000000001 100
1 1000000001.999999999 1000000002.000000000 0.000000001 100
2 1000000002.000000000 1000000002.000000001 0.000000001 200
END
ok "windows can be one nanosecond long" stat_is wanted "phase start end known_s mean" \
	--window=0.000000001 --from=1.999999998 --to=2.000000001 -v P g.stat
: >wanted
ok "no windows exist outside of the run" stat_is wanted "phase" --window=1 \
	--from=9 --to=20 g.stat
{ stat_header n G 'name="P" type="FLOAT" unit="W"'; stamp 1000000000; } >e.stat
ok "a run without duration has no windows" stat_is wanted "phase" --window=1 e.stat

# --- Options ---

refused() {
	for refused_text in 0 0.0 -1 "" x 1z 1e3 0.0000000001 " 1" 9223372037 \
		-1s; do
		says "--window: invalid duration \"$refused_text\"" 2 "$@" \
			--window="$refused_text" g.stat || return 1
	done
}
ok "stat refuses invalid windows" refused stat
ok "windows exclude phases of a file" says \
	"--window: cannot be combined with --phases or --phases-from" 2 stat --window=1 \
	--phases=g.stat g.stat
ok "refuses --phases-from" says "--window: cannot be combined with --phases or --phases-from" 2 \
	stat --window=1 --phases-from=n g.stat
ok "refuses --regions" says "--regions: cannot be combined" 2 stat --window=1 --regions=x g.stat

# --- People ---

reads() {
	status 0 stat --window=3 -v P g.stat || return 1
	tr -s ' ' <"$scratch/out" >plain
	cat plain
	grep -qF '(windows of 3 s)' plain &&
		grep -qxF ' 0 0.000 s 3.000 s P gauge W 2 0 133.3 100 200 47.14 400 J 3.000 s' plain &&
		grep -qxF ' 1 3.000 s 3.000 s P gauge W 1 1 - 200 200 - >= 200 J 1.000 s' plain
}
ok "stat prints windows as text" reads
# The unit of the option is that of the title.
titles() {
	status 0 stat --window=3000ms -v P g.stat && grep -qF '(windows of 3000ms)' "$scratch/out"
}
ok "stat prints the unit of windows once" titles
# A table has so many rows that not all windows are kept.
tables() {
	status 0 stat --window=0.001 g.stat || return 1
	grep -c 'windows of' "$scratch/out" >counts
	grep -c Phase "$scratch/out" >>counts
	grep -c '  gauge' "$scratch/out" >>counts
	tr '\n' ' ' <counts >line
	cat line
	[ "$(cat line)" = "1 24 8000 " ]
}
ok "stat prints many windows as several tables" tables

# --- Exports ---

ok "export refuses invalid windows" refused export --to=csv --output=-
cat >wanted <<'END'
start,end,gap,P [W],P_min [W],P_max [W],P_known [s],C [B],C_known [s],D [J],D_known [s]
1000000000.000000000,1000000003.000000000,0,133.33333333333334,100,200,3,100,1,13,3
1000000003.000000000,1000000006.000000000,0,,200,200,1,,1,9,2
1000000006.000000000,1000000008.000000000,0,,300,300,0,131,0,9,2
END
wide() {
	status 0 export --to=csv-wide --output=wide --window=3 g.stat || return 1
	cat "$scratch/err"
	diff wanted wide/g.stat.csv && grep -qxF "hdtrace export: csv-wide cannot \
represent: single entries (merged into windows) (4)" "$scratch/err"
}
ok "export writes a table of windows" wide
cat >wanted <<'END'
1000000003.000000000,1000000004.000000000,0,200,5
1000000005.000000000,1000000006.000000000,1,,4
1000000006.000000000,1000000007.000000000,0,,4
END
some() {
	status 0 export -q --to=csv-wide --output=some --window=1 --from=3 \
		--until=7 -v P -v D g.stat || return 1
	sed 1d some/g.stat.csv | cut -d, -f1-4,8 | diff wanted -
}
ok "export writes windows without entries as gaps" some
# What has no length is in the window that ends then, behind a gap, too.
{
	stat_header n G 'name="D" type="INT32" unit="J" kind="delta"'
	stamp 1000000000
	stamp 1000000001
	hex 00000005
	gap 1000000005
	stamp 1000000005
	hex 00000007
	stamp 1000000006
	hex 00000003
} >m.stat
cat >wanted <<'END'
1000000000.000000000,1000000001.000000000,0,5,1
1000000004.000000000,1000000005.000000000,1,7,0
1000000005.000000000,1000000006.000000000,0,3,1
END
moments() {
	status 0 export -q --to=csv-wide --output=moments --window=1 m.stat ||
		return 1
	sed 1d moments/m.stat.csv | diff wanted -
}
ok "export writes entries without length" moments
cat >wanted <<'END'
hdtrace_g_p_watts{node=""} 133.33333333333334 1000000003.000000000
hdtrace_g_c_bytes_total{node=""} 100 1000000003.000000000
hdtrace_g_c_bytes_total{node=""} 131 1000000008.000000000
hdtrace_g_d_joules{node=""} 13 1000000003.000000000
hdtrace_g_d_joules{node=""} 9 1000000006.000000000
hdtrace_g_d_joules{node=""} 9 1000000008.000000000
END
metrics() {
	status 0 export -q --to=openmetrics --output=- --window=3 g.stat ||
		return 1
	grep -v '^#' "$scratch/out" | diff wanted -
}
ok "export writes metrics of windows" metrics
every() {
	for every_format in ctf perfetto paraver otf2; do
		"$hdtrace" export --to="$every_format" --output=/ g.stat 2>&1 |
			grep -q 'built without' && continue
		status 0 export --to="$every_format" --output="o.$every_format" \
			--window=3 --format=json g.stat || return 1
		grep -qF '"window_s": 3.000000000' "$scratch/out" &&
			grep -qF '"entries": 3,' "$scratch/out" || return 1
	done
	# Gauges and deltas of the first window, in thousandths.
	cat o.paraver/*.prv
	grep -qxF '2:0:1:1:1:0:92000001:133333:92000002:100000:92000003:13000' \
		o.paraver/*.prv
}
ok "export writes windows in all formats" every

# --- Pictures ---

ok "plot refuses invalid windows" refused plot -o none.svg
drawn() {
	status 0 plot --window=3 -v P -o drawn.svg --format=json g.stat ||
		return 1
	grep -qF '"window_s": 3.000000000' "$scratch/out" || return 1
	# What it says of the whole stays.
	grep -qF '"integral": 600,' "$scratch/out" || return 1
	grep -F 'Line: mean over 3 s; band: minimum to maximum' \
		drawn.svg
}
ok "plot names the window" drawn
ok "plot: windows of random projects agree" second plot 2009

# --- Pages ---

if "$hdtrace" report --html=page.html --window=0.5 g.stat 2>&1 |
	grep -q 'without'; then
	skip "report, invalid windows" "no viewer"
	skip "pages begin with windows" "no viewer"
else
	ok "report refuses invalid windows" refused report --html=none.html
	ok "pages begin with windows" grep -qF '"window": "0.500000000"' \
		page.html
fi
ok "reports without a page have no windows" says \
	"report: --window: requires --html" 2 report --window=1 \
	g.stat

# --- A second implementation ---

ok "stat: windows of random projects agree" second stat 20090909
ok "export: windows of random projects agree" second export 2009
ok "windows add up to the run" second whole 2009
more_chances() {
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
		for what in stat export plot whole; do
			second "$what" "$seed" || { echo "seed $seed"; return 1; }
		done
	done
}
[ -z "${HDTRACE_TEST_LONG-}" ] || ok "windows of more random projects agree" more_chances
# Peaks of memory, in KiB, with few and with 400,000 windows.
memory() {
	for memory_window in 0.01 0.00002; do
		python3 - "$memory_window" "$hdtrace" "$@" <<-'END' || return 1
			import resource, subprocess, sys
			window, *words = sys.argv[1:]
			with open("/dev/null", "w") as null:
			    subprocess.run([*words, "--window=" + window], check=True,
			                   stdout=null)
			print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
		END
	done >peaks
	cat peaks
	awk '{ peak[NR] = $1 } END { exit !(NR == 2 && peak[2] < peak[1] + 4096) }' \
		peaks
}
if [ -n "${HD_SANITIZE-}" ]; then
	skip "stat does not keep windows" "sanitizers keep memory"
	skip "export does not keep windows" "sanitizers keep memory"
else
	ok "stat does not keep windows" memory stat -v P g.stat
	ok "export does not keep windows" memory export -q --to=csv --output=- \
		-v P g.stat
fi
done_testing
