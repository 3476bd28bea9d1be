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

# The help of COMMAND goes to stdout.
helps() {
	status 0 "$@" && grep -q '^Usage:' "$scratch/out" &&
		[ ! -s "$scratch/err" ]
}

version() {
	status 0 --version && grep -qE '^hdtrace [0-9]' "$scratch/out"
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

ok "--version" version
ok "--help" helps --help
ok "help" helps help
ok "no command" says "Usage:" 2
ok "unknown command" says 'unknown command: "frobnicate"' 2 frobnicate
ok "unknown option" says 'unknown option: "--frobnicate"' 2 --frobnicate
for command in $commands; do
	ok "$command --help" helps "$command" --help
	ok "help $command" helps help "$command"
	ok "$command: unknown option" says 'unknown option: "--frobnicate"' 2 \
		"$command" --frobnicate mini
	ok "$command: hint at the help" says "Try 'hdtrace $command --help'" \
		2 "$command"
	ok "$command --help: full disk" full "$command" --help
done
for command in $readers; do
	ok "$command: no such file" says "No such file" 2 "$command" nothing
	ok "$command: full disk" full "$command" mini
	ok "$command: too many arguments" says 'unexpected argument: "b"' 2 \
		"$command" mini b
	ok "$command: no such format" says '--format: invalid value "xml"; expected text' \
		2 "$command" --format=xml mini
	ok "$command: no such colour" says 'expected auto, always or never' \
		2 "$command" --color=red mini
	ok "$command: broken pipe" pipe "$command" --format=json mini
done
mkdir empty several left
cp mini.proj several/a.proj
cp mini.proj several/b.proj
cp mini_*.trc mini_*.stat left
echo text >plain
touch energy.proj
for command in report check dump stat diagnose relations; do
	ok "$command: a file that is not a project" only \
		"hdtrace $command: plain: not an HDTrace project" 2 "$command" plain
	ok "$command: a directory without a project" only \
		"hdtrace $command: empty: this directory contains no .proj file" \
		2 "$command" empty
	ok "$command: a directory with several projects" only \
		"hdtrace $command: several: this directory contains 2 projects; \
name one of them: a.proj, b.proj" 2 "$command" several
	ok "$command: trace files without a .proj point to merge" only \
		"hdtrace $command: left/mini.proj: cannot open: No such file or \
directory; 'hdtrace merge left/mini' writes it for the trace files" \
		2 "$command" left/mini
	ok "$command: a directory of trace files points to merge" only \
		"hdtrace $command: left: this directory contains no .proj file; \
'hdtrace merge' writes one for its trace files" 2 "$command" left
	ok "$command: a name that is nearly right" only \
		"hdtrace $command: energy.prj: cannot open: No such file or \
directory; did you mean energy.proj?" 2 "$command" energy.prj
	ok "$command: a name in a directory that is nearly right" only \
		"hdtrace $command: $scratch/energi: cannot open: No such file or \
directory; did you mean $scratch/energy.proj?" 2 "$command" "$scratch/energi"
done
ok "an unknown value lists the values" only \
	'hdtrace stat: --value: no value matches "Power"; values of the project: '"\
$values" 2 stat --value Power mini
ok "help: full disk" full --help
ok "colours are off in a file" plain
ok "colours can be had" colored --color=always
ok "colours never in CSV" plain --color=always --format=csv
done_testing
