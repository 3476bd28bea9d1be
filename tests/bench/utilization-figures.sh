#!/bin/sh
# Measures all that doc/measurements/utilization.md has, and puts it there.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Called by `make utilization-figures`, on a machine that does nothing else; it
# takes a quarter of an hour. Arguments: parts to be measured again, of "bench
# impact verify hpcc" (default: all).
set -eu
page=${abs_top_srcdir:?}/doc/measurements/utilization.md
make=${MAKE:-make}
[ $# -gt 0 ] || set -- verify bench impact hpcc
log=$(mktemp)
trap 'rm -f "$log" "$log.new"' EXIT

# Replace what is between the marks of a part by standard input: NAME
insert() {
	awk -v part="$1" '
		BEGIN {
			while ((getline line < "-") > 0)
				text = text line "\n"
		}
		$0 == "<!-- figures: " part " -->" {
			print
			printf "\n%s\n", text
			skipping = 1
		}
		$0 == "<!-- end -->" { skipping = 0 }
		!skipping' "$page" >"$log.new"
	grep -q "^<!-- figures: $1 -->\$" "$log.new"
	cat "$log.new" >"$page"
}

# Print the table of the points of make verify.
verify_table() {
	echo "| Point | Found | |"
	echo "|---|---|---|"
	awk '
		sub(/^# /, "") {
			found = found (found == "" ? "" : "; ") $0
			next
		}
		match($0, /^(not )?ok [0-9]+ - /) {
			result = /^not/ ? "missed" : "reached"
			name = substr($0, RLENGTH + 1)
			if (sub(/ # SKIP .*/, "", name))
				result = "not measured"
			printf "| %s | %s | %s |\n", name, found, result
			found = ""
		}' "$1"
}

for part; do
	echo "utilization-figures: $part"
	case $part in
	verify)
		$make -s verify || echo "utilization-figures: a point failed"
		verify_table verify.log | insert verify
		;;
	bench)
		$make -s tests/bench/bench-rut >/dev/null
		tests/bench/bench-rut >"$log"
		insert bench <"$log"
		;;
	impact)
		$make -s tests/bench/bench-rut-impact >/dev/null
		tests/bench/bench-rut-impact >"$log"
		insert impact <"$log"
		;;
	hpcc)
		$make -s verify-hpcc || echo "utilization-figures: a point failed"
		awk '/hpcc under rut/ { on = 1 }
			/hpcc under libRUT/ { on = 0 }
			on && /^\|/' verify-hpcc.log | insert hpcc-rut
		awk '/hpcc under libRUT/ { on = 1 } on && /^\|/' \
			verify-hpcc.log | insert hpcc-librut
		;;
	*)
		echo "utilization-figures: there is no part \"$part\"" >&2
		exit 2
		;;
	esac
done
echo "utilization-figures: they are in $page"
