#!/bin/sh
# hdtrace on projects of somebody who wants to stop it, or its user.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99

commands="info check dump stat report recover merge export plot"

# Run a command on the project p in the current directory, which must end soon,
# by itself, and with a small stack: COMMAND ARGUMENT...
on_project() {
	hostile_command=$1
	shift
	set -- "$hostile_command" "$@"
	rm -rf "$scratch/made"
	case $hostile_command in
	recover) set -- "$@" -o "$scratch/made" p ;;
	merge) set -- "$@" -o "$scratch/made" p ;;
	plot) set -- "$@" -o "$scratch/made.svg" p ;;
	export) set -- "$@" --to perfetto -o "$scratch/made" p ;;
	*) set -- "$@" p ;;
	esac
	(
		# shellcheck disable=SC3045 # where it is not known, nothing is lost
		[ -n "${HD_SANITIZE-}" ] || ulimit -s 512
		exec timeout 60 "$hdtrace" "$@"
	) >"$scratch/out" 2>"$scratch/err" </dev/null
	found=$?
	echo "hdtrace $*: exit status $found"
	head -n 20 "$scratch/err"
	[ "$found" -le 2 ]
}

# COMMAND... or all
all_end() {
	# shellcheck disable=SC2086 # a list
	[ $# -gt 0 ] || set -- $commands
	for command; do
		on_project "$command" || return 1
	done
}

# All commands end, and check says this: TEXT
all_say() {
	all_end || return 1
	on_project check
	cat "$scratch/out"
	grep -qF -- "$1" "$scratch/out"
}

fresh() {
	cd "$scratch" && rm -rf work && mkdir work && cd work || exit 99
}

# Something that many times, with its number for #: TEXT COUNT
repeat() {
	awk -v text="$1" -v count="$2" 'BEGIN {
		parts = split(text, part, "#")
		for (i = 0; i < count; i++)
			printf "%s%s%s", part[1], (parts > 1 ? i : ""), part[2]
	}'
}

empty_proj() {
	cat >p.proj <<'END'
<Application name="p"><Topology><Level type="Host"><Level type="Rank"/></Level>
</Topology></Application>
END
}

# A .stat file of a header that is given on stdin.
stat_file() {
	cat >"$scratch/header"
	wc -c <"$scratch/header" | tr -d ' '
	cat "$scratch/header"
	stamp 1000000000
}

# ---- Nesting ---------------------------------------------------------------

deep_trace() {
	fresh
	empty_proj
	{
		printf "<Program timeAdjustment='0'><S time='1' end='2'/>"
		repeat '<Nested>' "$1"
		printf "<S time='2' end='3'/>"
		repeat '</Nested>' "$1"
		printf '</Program>'
	} >p_a_0.trc
}

deep_elements() {
	fresh
	empty_proj
	{
		printf "<Program timeAdjustment='0'><S time='1' end='2'>"
		repeat '<e>' "$1"
		repeat '</e>' "$1"
		printf '</S></Program>'
	} >p_a_0.trc
}

deep_proj() {
	fresh
	{
		printf '<Application><Topology>'
		repeat '<Node name="a">' "$1"
		repeat '</Node>' "$1"
		printf '</Topology></Application>'
	} >p.proj
}

deep_stat() {
	fresh
	empty_proj
	{
		printf '<Statistics><TopologyNode>'
		repeat '<Label value="a">' "$1"
		repeat '</Label>' "$1"
		printf '</TopologyNode><Group name="G" timestampDatatype="EPOCH">'
		printf '<V type="INT32"/></Group></Statistics>'
	} | stat_file >p_a_G.stat
}

too_deep="error: more than 1000 nested elements"
# 49 bytes, and 999 blocks of 8.
deep_trace 100000
ok "a too deeply nested trace is reported" all_say "p_a_0.trc: offset 8041: $too_deep"
deep_elements 100000
ok "too deeply nested elements in a trace are reported" all_say "$too_deep"
deep_proj 100000
ok "a too deeply nested .proj is reported" all_say "p.proj: offset 14993: $too_deep"
deep_stat 100000
ok "a too deeply nested header is reported" all_say "$too_deep"

accepts() {
	all_end || return 1
	on_project check
	cat "$scratch/out"
	! grep -F "$too_deep" "$scratch/out"
}
deep_trace 998
ok "nested blocks below the limit are accepted" accepts
deep_elements 998
ok "nested elements below the limit are accepted" accepts
dumped() {
	"$hdtrace" dump --format=json p 2>/dev/null >"$scratch/out"
	[ "$(grep -o '"name": "e"' "$scratch/out" | wc -l)" -eq 998 ]
}
ok "JSON contains all nested elements" dumped

fresh
printf "<Program timeAdjustment='0' levels='%s'/>" "$(repeat 'x# ' 100000)" \
	>p_a_0.trc
ok "merge reports a trace with too many levels" says "[merge.levels]" 1 merge -o - p
ok "merge refuses too many levels in --levels" says "more than 256 levels" 2 merge -o - \
	--levels "$(repeat 'x#,' 300)y" p

# ---- Attributes ------------------------------------------------------------

too_many="error: an element with more than 2000 attributes"
fresh
empty_proj
{
	printf "<Program timeAdjustment='0'>\n<A time='0' end='1'/>\n<S"
	repeat " a#=''" 200000
	printf " time='1' end='2'/></Program>"
} >p_a_0.trc
ok "too many attributes in a trace are reported" all_say "p_a_0.trc: offset 51: $too_many"
what_is_before() {
	"$hdtrace" dump --format=csv p 2>/dev/null | grep '^state,.*,A,'
}
ok "records before the damage are read" what_is_before

fresh
{
	printf '<Application><Topology><Node name="a"'
	repeat " a#=''" 200000
	printf '/></Topology></Application>'
} >p.proj
ok "too many attributes in a .proj are reported" all_say "p.proj: offset 23: $too_many"

fresh
empty_proj
{
	printf '<Statistics><Group name="G"><V type="INT32"'
	repeat " a#=''" 200000
	printf '/></Group></Statistics>'
} | stat_file >p_a_G.stat
ok "too many attributes in a header are reported" all_say "$too_many"

# ---- Files without entries -------------------------------------------------

fresh
empty_proj
{ energy_header a; stamp 1000000000; } >p_a_Energy.stat
ok "a file without entries ends no command" all_end
energy_header a >p_a_Energy.stat
ok "a file without a start ends no command" all_end

# ---- What is no plain file -------------------------------------------------

# Put a thing in the place of a file: KIND FILE
replace() {
	rm -rf "$2"
	case $1 in
	FIFO) mkfifo "$2" ;;
	directory) mkdir "$2" ;;
	device) ln -s /dev/zero "$2" ;;
	link) mkfifo fifo && ln -s fifo "$2" ;;
	socket) python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$2" ;;
	esac
}

# What opens files of projects in ways of its own, for a FIFO everything.
refused() {
	case $kind in
	FIFO) all_end ;;
	*) all_end info merge recover ;;
	esac || return 1
	on_project check
	cat "$scratch/out" "$scratch/err"
	cat "$scratch/out" "$scratch/err" | grep -qF "$1: " &&
		cat "$scratch/out" "$scratch/err" | grep -q "not a plain file"
}

# What has the name of a project's file, but is none: .trc, .stat, .info, .proj
for kind in FIFO directory device link socket; do
	[ $kind != socket ] || command -v python3 >/dev/null || continue
	for file in p_alpha_0.trc p_alpha_Energy.stat p_alpha_0.info p.proj; do
		fresh
		make_mini
		for name in mini*; do
			mv "$name" "p${name#mini}"
		done
		replace $kind $file
		# A directory p.proj is one that holds no project.
		[ "$kind $file" != "directory p.proj" ] || continue
		ok "a $kind in place of $file is refused" refused $file
	done
done

fresh
make_mini
mkdir other
mkfifo mini.fifo
ln -s "$PWD/mini_alpha_0.trc" other/mini_alpha_0.trc
ln -s "$PWD/mini_alpha_0.info" other/mini_alpha_0.info
cp mini.proj other/mini.proj
ok "links to plain files are accepted" status 1 check other/mini
mkfifo other/mini_gamma_2.info
ok "merge refuses a FIFO in a further directory" says "not a plain file" 2 merge mini other
rm mini.proj
mkfifo mini.proj
ok "merge refuses a FIFO in place of the .proj" says "not a plain file" 2 merge mini
ok "merge --force refuses a FIFO in place of the .proj" says "not a plain file" 2 merge --force mini

# ---- Names -----------------------------------------------------------------

# Control characters, C1, marks of direction, ends of lines: in names of files,
# where all bytes are possible, and in XML, where most are.
in_xml=$(printf 'x\302\205\302\233\342\200\256\342\200\217\342\201\246\330\234\342\200\250y')
in_file=$(printf 'x\033[31m\r\010\302\205\342\200\256\342\201\246y')
make_names() {
	fresh
	{
		echo '<?xml version="1.0" encoding="UTF-8"?>'
		echo "<Application name=\"$in_xml\">"
		echo "<Description>$in_xml</Description>"
		echo "<FileList><File name=\"$in_xml\"/></FileList>"
		echo "<Topology><Level type=\"$in_xml\"><Level type=\"Rank\"/></Level>"
		echo "<Node name=\"$in_xml\"><Node name=\"0\"/></Node></Topology>"
		echo "<CommunicatorList><Communicator name=\"$in_xml\">"
		echo '<Rank global="7" local="0" cid="0"/></Communicator>'
		echo '</CommunicatorList><Datatypes><Rank name="0" thread="0">'
		echo "<NAMED id=\"0\" name=\"$in_xml\" a=\"$in_xml\"/></Rank></Datatypes>"
		echo "<ClockList><Clock node=\"$in_xml\" method=\"$in_xml\" error=\"0\"/>"
		echo '</ClockList><ExternalStatistics><Energy/></ExternalStatistics>'
		echo '</Application>'
	} >p.proj
	{
		stat_header "$in_xml" Energy \
			"name=\"P$in_xml\" type=\"FLOAT\" unit=\"W\" grouping=\"$in_xml\"" \
			"name=\"Q$in_xml\" type=\"STRING\" unit=\"$in_xml\" simulated=\"yes\""
		stamp 1000000000
		stamp 1000000001
		hex 42c80000
		string "$in_file"
		stamp 1000000002
		hex 42c80000
		string "$in_xml"
	} >"p_${in_xml}_Energy.stat"
	cp "p_${in_xml}_Energy.stat" "p_${in_file}_Energy.stat"
	cat >"p_${in_xml}_0.trc" <<END
<Program timeAdjustment='1000000000' levels='$in_xml Rank'>
<Work what='$in_xml' cid='$in_xml' time='0.5' end='1.5'><e a='$in_xml'>$in_xml</e></Work>
<Event name='$in_xml' time='1.7'/>
<Work what='$in_xml' time='$in_xml' end='1.9'/>
</Program>
END
	cp "p_${in_xml}_0.trc" "p_${in_file}_1.trc"
	printf "File name='%s' Size=%s id=1\n%s\n" "$in_xml" "$in_file" "$in_file" \
		>"p_${in_xml}_0.info"
}

# Such bytes are in a file; colours are not asked for.
has_harmful() {
	LC_ALL=C grep -anP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|'\
'\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1"
}

escaped() {
	on_project "$@" || return 1
	! has_harmful "$scratch/out" && ! has_harmful "$scratch/err"
}

make_names
ok "the project contains control characters" has_harmful p.proj
for command in $commands; do
	ok "control characters are escaped: $command" escaped "$command"
done
for command in info check dump stat report recover merge export; do
	ok "control characters are escaped: $command as JSON" escaped "$command" --format=json
done
ok "control characters are escaped: stat --regions" escaped stat --regions
ok "control characters are escaped: the name of a project" escaped info "p$in_file"
for command in $commands; do
	ok "control characters are escaped: an option of $command" escaped "$command" "--$in_file"
done
# The same JSON: escapes are another spelling of it.
same_json() {
	"$hdtrace" info --format=json p 2>/dev/null | python3 -c 'import json, sys
project = json.load(sys.stdin)
sys.exit(project["name"] != sys.argv[1])' "$in_xml"
}
if command -v python3 >/dev/null; then
	ok "JSON keeps names with control characters" same_json
else
	skip "JSON keeps names with control characters" "python3 is missing"
fi
for tool in rut pt; do
	[ -x "$abs_top_builddir/$tool" ] || continue
	tool_escapes() {
		"$abs_top_builddir/$tool" "$@" >"$scratch/out" 2>"$scratch/err" \
			</dev/null
		cat "$scratch/err"
		[ -s "$scratch/err" ] && ! has_harmful "$scratch/err"
	}
	ok "control characters are escaped: an option of $tool" tool_escapes "--$in_file"
	case $tool in
	rut)
		ok "control characters are escaped: a source of rut" tool_escapes --sources "$in_file" true
		ok "control characters are escaped: a command of rut" tool_escapes "$in_file"
		ok "control characters are escaped: a topology of rut" tool_escapes -t "$in_file" true
		ok "control characters are escaped: a project of rut" tool_escapes -p "none/$in_file" true
		;;
	pt)
		printf '[General]\n%s=1\n[%s]\n' "$in_file" "$in_file" >"$in_file.cfg"
		ok "control characters are escaped: a configuration of pt" tool_escapes -c "$in_file.cfg"
		;;
	esac
done

# ---- Formulas --------------------------------------------------------------

make_formulas() {
	fresh
	{
		stat_header '=1+1' '@SUM' \
			'name="=cmd|x" type="FLOAT" unit="W" grouping="-"' \
			'name="+a" type="INT32" unit="@"' \
			'name="NOTE" type="STRING" unit="&#9;=x"'
		stamp 1000000000
		stamp 1000000001
		hex c2c80000 fffffffe
		string '=HYPERLINK("http://x","y")'
		stamp 1000000002
		hex c2c80000 fffffffe
		string '-12.5e3'
	} >"p_=1+1_@SUM.stat"
	cat >"p_=1+1_-1.trc" <<'END'
<Program timeAdjustment='1000000000' levels='=Host -Rank'>
<Work what='=1+1' time='-0.5' end='1.5'/>
<Event name='@x' time='1.7'/>
<Event name='&#13;=x' time='1.7'/>
<Event name='-7' time='1.7'/>
</Program>
END
	"$hdtrace" merge p >/dev/null 2>&1
}

# Cells with and without the option differ in apostrophes only, and where these
# are needed: ARGUMENT...
is_safe() {
	case $1 in
	export)
		rm -rf "$scratch/raw" "$scratch/safe"
		"$hdtrace" "$@" -o "$scratch/raw" p || return 1
		"$hdtrace" "$@" --csv-safe -o "$scratch/safe" p || return 1
		if [ -d "$scratch/raw" ]; then
			cat "$scratch/raw"/* >"$scratch/raw.csv"
			cat "$scratch/safe"/* >"$scratch/safe.csv"
		else
			mv "$scratch/raw" "$scratch/raw.csv"
			mv "$scratch/safe" "$scratch/safe.csv"
		fi
		;;
	*)
		"$hdtrace" "$@" p >"$scratch/raw.csv"
		"$hdtrace" "$@" --csv-safe p >"$scratch/safe.csv"
		;;
	esac 2>/dev/null
	python3 - "$scratch/raw.csv" "$scratch/safe.csv" <<'END'
import csv, re, sys
tables = [list(csv.reader(open(name, newline="", encoding="utf-8")))
          for name in sys.argv[1:]]
assert [len(row) for row in tables[0]] == [len(row) for row in tables[1]]
number = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
escaped = 0
for raw, safe in zip(*(sum(table, []) for table in tables)):
    isFormula = raw[:1] in tuple("=+-@\t\r\n") and not number.fullmatch(raw)
    assert safe == ("'" + raw if isFormula else raw), (raw, safe)
    escaped += isFormula
print(escaped, "cells are escaped")
sys.exit(escaped == 0)
END
}

make_formulas
if command -v python3 >/dev/null; then
	for command in info dump stat; do
		ok "--csv-safe protects formulas: $command" is_safe $command --format=csv
	done
	ok "--csv-safe protects formulas: export --to csv" is_safe export --to csv
	ok "--csv-safe protects formulas: export --to csv-wide" is_safe export --to csv-wide
else
	skip "--csv-safe" "python3 is missing"
fi
done_testing
