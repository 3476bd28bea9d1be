#!/bin/sh
# A build without the Slurm plugin: the script of the guide names what is missing
# and how to get it, and the guide says so before its first command.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
here=$abs_top_srcdir/tests/slurm
guide=$abs_top_srcdir/doc/guides/slurm.md
mkdir "$scratch/build" || exit 99

# The plugin is not in this build; nothing else is asked of the machine.
names_remedy() {
	abs_top_builddir=$scratch/build bash "$here/with-slurm" true \
		>"$scratch/out" 2>"$scratch/err"
	found=$?
	cat "$scratch/err"
	[ "$found" -eq 1 ] && [ ! -s "$scratch/out" ] &&
		[ "$(wc -l <"$scratch/err")" -eq 1 ] &&
		grep -q 'without the Slurm plugin;.* libslurm-dev' "$scratch/err" &&
		grep -qe '--with-slurm' "$scratch/err"
}

# The package and the configure option stand above the first srun.
guide_begins_with_it() {
	sed '/^    srun/,$d' "$guide" >"$scratch/above"
	grep -q 'libslurm-dev' "$scratch/above" &&
		grep -qe '--with-slurm' "$scratch/above"
}

ok "with-slurm names the package and the configure option" names_remedy
ok "the guide names them before its first command" guide_begins_with_it
done_testing
