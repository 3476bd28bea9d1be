#!/bin/sh
# What commands say of .rel files that are cut, at every byte, and of what is over
# the limits or against the rules: a message for each file, and an exit status.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
cd "$scratch" || exit 99

head='<relation version="1" hostID="B" localToken="1" topologyNumber="0" timeAdjustment="9">'
printf '%s' "$head" '<rel t="0" time="1"/><s name="a" t="0" time="1" k="v"/>' \
	'<link t="0" time="1" r="B:1:0:7"/><e t="0" time="2" k="w"/>' \
	'<un t="0" time="3"/></relation>' >whole
size=$(wc -c <whole)

# A project with a file for each length.
{
	echo '<Application name="cut"><Topology><Level type="Layer"/>'
	length=0
	while [ "$length" -le "$size" ]; do
		echo "<Node name=\"n$length\"/>"
		head -c "$length" whole >"cut_n$length.rel"
		length=$((length + 1))
	done
	echo '</Topology></Application>'
} >cut.proj

# Each file that is cut is named once with what is wrong, and the whole one is
# not: COMMAND [ARGUMENT...]
names_each() {
	"$hdtrace" "$@" cut.proj >out 2>err
	is=$?
	[ "$is" = 1 ] || {
		echo "exit status $is"
		tail -n 5 err
		return 1
	}
	cat out err | sed -n 's/^ *cut_n\([0-9]*\)\.rel: .*\[rel\.\(cut\|no-end\)\]$/\1/p' |
		sort -n | uniq -c | awk -v size="$size" '
			$1 != 1 || $2 != NR - 1 { print "file", $2, $1, "times"; bad = 1 }
			END { exit bad || NR != size }'
}
for command in info dump "dump --format=csv" "dump --format=json" stat \
	"stat --format=json" "report --all" relations "relations --format=json" \
	"relations --sums"; do
	# shellcheck disable=SC2086 # with its arguments
	ok "$command: a file cut at every byte is reported" names_each $command
done

# One file alone: the status is its own.
alone() {
	printf '%s%s' "$head" "$1" >p_n.rel
	echo '<Application name="p"><Topology><Level type="Layer"/><Node name="n"/>
</Topology></Application>' >p.proj
}

# All commands end like that, and say so: STATUS RULE ("-": none)
all_say() {
	for command in info dump stat report relations; do
		"$hdtrace" "$command" p.proj >out 2>err
		is=$?
		[ "$is" = "$1" ] || {
			echo "$command: exit status $is"
			cat err
			return 1
		}
		[ "$2" = - ] || cat out err | grep -q "p_n.rel: .*\[$2\]" || {
			echo "$command: no $2"
			cat err
			return 1
		}
	done
}
# A text so many times, each % its number: COUNT TEXT
repeated() {
	awk -v count="$1" -v text="$2" 'BEGIN {
		parts = split(text, part, "%")
		for (i = 0; i < count; i++) {
			printf "%s", part[1]
			for (j = 2; j <= parts; j++)
				printf "%d%s", i, part[j]
		}
	}'
}
begin='<rel t="0" time="1"/>'
end='<un t="0" time="3"/></relation>'
# WHAT STATUS RULE ELEMENTS
row() {
	alone "$4"
	ok "$1" all_say "$2" "$3"
}
row "what is as it should be" 0 - \
	"$begin<s name=\"a\" t=\"0\" time=\"1\"/><e t=\"0\" time=\"2\"/>$end"
row "3000 attributes" 1 rel.xml \
	"$begin<s name=\"a\" t=\"0\" time=\"1\"$(repeated 3000 ' a%="1"')/>$end"
row "a value of 10^6 bytes" 0 - \
	"$begin<s name=\"a\" t=\"0\" time=\"1\" v=\"$(repeated 100000 0123456789)\"/>$end"
row "a cause of 10^6 bytes" 0 - \
	"<rel t=\"0\" time=\"1\" r=\"$(repeated 100000 0123456789)\"/>$end"
row "1200 elements in each other" 1 rel.xml \
	"$begin<s name=\"a\" t=\"0\" time=\"1\">$(repeated 1200 '<x>')$(repeated 1200 '</x>')</s>$end"
row "1200 states in each other" 0 - \
	"$begin$(repeated 1200 '<s name="a%" t="0" time="1"/>')$end"
row "an attribute twice" 1 rel.xml \
	"$begin<s name=\"a\" t=\"0\" time=\"1\" k=\"1\" k=\"2\"/>$end"
row "a number of 65 bits" 1 rel.element \
	'<rel t="18446744073709551616" time="1"/></relation>'
row "a number of 64 bits" 0 - \
	'<rel t="18446744073709551615" time="1"/></relation>'
row "a negative number" 1 rel.element '<rel t="-1" time="1"/></relation>'
row "no number" 1 rel.element '<rel time="1"/></relation>'
row "no time" 1 rel.element '<rel t="0"/></relation>'
row "a time that is none" 1 rel.element '<rel t="0" time="x"/></relation>'
row "a time beyond all" 1 rel.element \
	'<rel t="0" time="99999999999999999999"/></relation>'
row "a state without a name" 1 rel.element "$begin<s t=\"0\" time=\"1\"/>$end"
row "an element that nobody knows" 1 rel.element \
	"$begin<what t=\"0\" time=\"1\"/>$end"
row "one that does not end" 0 - "$begin</relation>"

# What stands in the wrong order is shown by info and dump, and left out by those
# that put it together: WHAT RULE ELEMENTS
is_left_out() {
	for command in info dump; do
		"$hdtrace" "$command" p.proj >out 2>err || return 1
	done
	for command in stat report relations; do
		"$hdtrace" "$command" p.proj >out 2>err
		is=$?
		[ "$is" = 1 ] || return 1
		cat out err | grep -q "\[$1\]" || return 1
	done
}
order() {
	alone "$3"
	ok "$1" is_left_out "$2"
}
order "one that begins twice" rel.order "$begin$begin$end"
order "the end of a state that is not there" rel.order \
	"$begin<e t=\"0\" time=\"1\"/>$end"
order "time that steps back" rel.time-order \
	"$begin<s name=\"a\" t=\"0\" time=\"0.5\"/>$end"
done_testing
