#!/bin/sh
# Which inputs make up the power of a node, on thirty machines.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
pt=${abs_top_builddir:?}/pt
cd "$scratch" || exit 99
LC_ALL=C
export LC_ALL

# A file of the tree: PATH TEXT
put() {
	mkdir -p "tree/sys/class/${1%/*}"
	echo "$2" >"tree/sys/class/$1"
}

zone() {
	put "powercap/$1/name" "$2"
	put "powercap/$1/energy_uj" 1000000
	put "powercap/$1/max_energy_range_uj" 262143328850
}

# What pt would add up: EXPECTED
explains() {
	"$pt" list --explain --root="$scratch/tree" >out || return 1
	cat out
	grep -qxF "Power of the node: $1" out
}

chip=
mkdir tree
while read -r word first rest; do
	case $word in
	machine)
		name="$first $rest"
		rm -rf tree
		mkdir tree
		;;
	zone) zone "$first" "$rest" ;;
	chip)
		chip=hwmon/$first
		put "$chip/name" "$rest"
		;;
	supply) chip=power_supply/$first ;;
	file) put "$chip/$first" "$rest" ;;
	power) ok "$name" explains "$first $rest" ;;
	esac
done <"$abs_top_srcdir/tests/fixtures/machines/machines.list"
enough() { [ "$tap_count" -ge 30 ] || { echo "$tap_count"; return 1; }; }
ok "thirty machines" enough
done_testing
