#!/bin/sh
# Whatever shows a value that is simulated says so.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99
make_mini

# Power of alpha is simulated, its energy is not.
length=$(energy_header alpha | wc -c)
energy_stat alpha | tail -c +"$((length + 1))" >entries
{
	stat_header alpha Energy \
		'name="P" type="FLOAT" unit="W" grouping="Power" simulated="yes"' \
		'name="E" type="DOUBLE" unit="J" simulated="no"'
	cat entries
} >other
mv other mini_alpha_Energy.stat

for format in text csv json; do
	ok "stat marks simulated values as $format" prints simulated-stat.$format 0 stat \
		--group Energy --format=$format mini
	ok "stat --regions marks simulated values as $format" prints simulated-regions.$format 0 stat \
		--regions='*' --group Energy --format=$format mini
	ok "dump marks simulated values as $format" prints simulated-dump.$format 0 dump --group Energy \
		--format=$format mini
	ok "check marks simulated values as $format" prints simulated-check.$format 0 check \
		--format=$format mini
done
ok "info marks simulated values as text" prints simulated-info.text 0 info mini
ok "info marks simulated values as JSON" prints simulated-info.json 0 info --format=json mini
done_testing
