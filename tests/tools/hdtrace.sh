#!/bin/sh
# The hdtrace command itself: usage, exit status, output that cannot be written.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: smoke
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99
make_mini
commands='info dump stat check recover merge'
readers='info dump stat check'
values='P, E, BYTES, COUNT, NOTE'
nodes='alpha, alpha_0, beta, beta_1'

# The help of COMMAND goes to stdout.
helps() {
	status 0 "$@" && grep -q '^Usage:' "$scratch/out" &&
		[ ! -s "$scratch/err" ]
}

version() {
	status 0 --version && grep -qE '^hdtrace [0-9]' "$scratch/out" || return 1
	# The revision is a file of releases; otherwise the repository knows it, also if
	# there was a commit since the build.
	revision=$(sed -n 's/^Revision: //p' "$scratch/out")
	if [ -f "$abs_top_srcdir/revision" ]; then
		[ "$revision" = "$(cat "$abs_top_srcdir/revision")" ] || return 1
	elif git -C "$abs_top_srcdir" rev-parse -q --verify HEAD >"$scratch/head" 2>&1; then
		git -C "$abs_top_srcdir" rev-parse -q --verify "${revision%-dirty}^{commit}" ||
			return 1
	fi
	# Each feature of configure, on one of the two lines.
	sed -n 's/^Features: \(.*\)/\1/p; s/^Missing:  \(.*\)/\1/p' "$scratch/out" |
		tr ' ' '\n' | grep -v none | LC_ALL=C sort | tr '\n' ' ' >"$scratch/features"
	[ "$(cat "$scratch/features")" = 'cairo dot glusterfs gnutls gtop hdnode http hwloc ipmi libdw mpich openmp openmpi otf2 python slurm snmp viewer wfformat ' ] &&
		{ [ -e "$abs_top_builddir/libhdMPI-mpich.so" ] && echo Features || echo Missing; } >"$scratch/line" &&
		grep -q "^$(cat "$scratch/line"):.* mpich" "$scratch/out"
}

# The output does not fit: exit status 2, and a reason.
full() {
	"$hdtrace" "$@" >/dev/full 2>"$scratch/err"
	found=$?
	cat "$scratch/err"
	[ "$found" -eq 2 ] && grep -q 'No space left' "$scratch/err"
}

# The reader of the output is gone: no message, and no endless work.
pipe() {
	rm -f fifo
	mkfifo fifo || return 1
	: <fifo &
	exec 3>fifo
	wait $!
	(trap "" PIPE; "$hdtrace" "$@" >&3 2>"$scratch/err")
	found=$?
	exec 3>&-
	echo "exit status $found"
	cat "$scratch/err"
	[ "$found" -eq 2 ] && [ ! -s "$scratch/err" ]
}

# Colours only where they are asked for or shown.
colored() {
	"$hdtrace" info "$@" mini >"$scratch/out" 2>&1
	grep -q "$(printf '\033')" "$scratch/out"
}
plain() {
	! colored "$@"
}

# One line on stderr, and nothing on stdout: LINE STATUS ARGUMENT...
only() {
	line=$1
	shift
	status "$@" && cat "$scratch/err" && [ ! -s "$scratch/out" ] &&
		[ "$(cat "$scratch/err")" = "$line" ]
}

ok "hdtrace --version prints the version" version
ok "hdtrace --help prints the help" helps --help
ok "hdtrace help prints the help" helps help
ok "a missing command is reported" says "Usage:" 2
ok "an unknown command is reported" says 'unknown command: "frobnicate"' 2 frobnicate
ok "an unknown option is reported" says 'unknown option: "--frobnicate"' 2 --frobnicate
for command in $commands; do
	ok "$command --help prints the help" helps "$command" --help
	ok "help $command prints the help" helps help "$command"
	ok "$command: an unknown option is reported" says 'unknown option: "--frobnicate"' 2 \
		"$command" --frobnicate mini
	ok "$command: errors refer to the help" says "Try 'hdtrace $command --help'" \
		2 "$command"
	ok "$command --help: a full disk is reported" full "$command" --help
done
for command in $readers; do
	ok "$command: a missing file is reported" says "No such file" 2 "$command" nothing
	ok "$command: a full disk is reported" full "$command" mini
	ok "$command: an additional argument is reported" says 'unexpected argument: "b"' 2 \
		"$command" mini b
	ok "$command: an unknown format is reported" says '--format: invalid value "xml"; expected text' \
		2 "$command" --format=xml mini
	ok "$command: an unknown colour is reported" says 'expected auto, always or never' \
		2 "$command" --color=red mini
	ok "$command: a broken pipe ends the output" pipe "$command" --format=json mini
done
mkdir empty several left
cp mini.proj several/a.proj
cp mini.proj several/b.proj
cp mini_*.trc mini_*.stat left
echo text >plain
touch energy.proj
for command in report check dump stat diagnose relations; do
	ok "$command: an invalid file is reported" only \
		"hdtrace $command: plain: not an HDTrace project" 2 "$command" plain
	ok "$command: a directory without a project is reported" only \
		"hdtrace $command: empty: this directory contains no .proj file" \
		2 "$command" empty
	ok "$command: a directory with several projects is reported" only \
		"hdtrace $command: several: this directory contains 2 projects; \
name one of them: a.proj, b.proj" 2 "$command" several
	ok "$command: files without a .proj are reported with merge as remedy" only \
		"hdtrace $command: left/mini.proj: cannot open: No such file or \
directory; 'hdtrace merge left/mini' writes it for the trace files" \
		2 "$command" left/mini
	ok "$command: a directory without a .proj is reported with merge as remedy" only \
		"hdtrace $command: left: this directory contains no .proj file; \
'hdtrace merge' writes one for its trace files" 2 "$command" left
	ok "$command: a misspelled name is corrected" only \
		"hdtrace $command: energy.prj: cannot open: No such file or \
directory; did you mean energy.proj?" 2 "$command" energy.prj
	ok "$command: a misspelled name in a directory is corrected" only \
		"hdtrace $command: $scratch/energi: cannot open: No such file or \
directory; did you mean $scratch/energy.proj?" 2 "$command" "$scratch/energi"
	ok "$command: an empty name is reported" only \
		"hdtrace $command: \"\": cannot open: No such file or directory" \
		2 "$command" ""
done
# No file before the name: what follows the last slash has no name.
ok "a misspelled name that ends in a slash is reported" only \
	"hdtrace info: energi/: cannot open: No such file or directory" \
	2 info energi/
ok "the error for an unknown node lists the nodes with a name" only \
	'hdtrace stat: --node: no node matches "Power"; nodes of the project: '"\
$nodes" 2 stat --node Power mini
ok "merge: a missing directory is reported once, without the words of GLib" only \
	"hdtrace merge: nothing: cannot open: No such file or directory" \
	2 merge mini nothing
ok "merge --into: a missing .proj is reported with merge as remedy" only \
	"hdtrace merge: left/mini.proj: cannot open: No such file or directory; \
'hdtrace merge left/mini' writes it" 2 merge --into joined left/mini
ok "an output that cannot be created is reported as such" only \
	"hdtrace export: none/x: cannot create: No such file or directory" \
	2 export --to csv-wide --only=stats -o none/x mini
ok "the error for an unknown value lists the values" only \
	'hdtrace stat: --value: no value matches "Power"; values of the project: '"\
$values" 2 stat --value Power mini
ok "hdtrace help: a full disk is reported" full --help
ok "a file has no colours" plain
ok "--color=always prints colours" colored --color=always
ok "CSV has no colours" plain --color=always --format=csv
done_testing
