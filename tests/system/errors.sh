#!/bin/sh
# Errors that all commands share have one sentence each, from the catalogue in
# cli/errors.h and common/net.h: each sentence comes from several real commands,
# and no source file has another wording for the same kind of error.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
build=${abs_top_builddir:?}
cd "$scratch" || exit 99
unset HDTRACE_PT_SERVER

# A command fails with STATUS, and its first line is "PROGRAM: TEXT", once:
# STATUS TEXT PROGRAM ARGUMENT...
says() {
	expected=$1 sentence=$2 program=$3
	shift 3
	[ -x "$build/$program" ] || return 0
	timeout 60 "$build/$program" "$@" >out 2>err </dev/null
	found=$?
	echo "$program $*: exit status $found, expected $expected: $sentence"
	cat err
	[ "$found" -eq "$expected" ] || return 1
	sed -n '1s/^[a-z-]*\( [a-z]*\)\{0,1\}: //p' err | grep -qxF -e "$sentence" &&
		[ "$(grep -cF -e "$sentence" err)" -eq 1 ]
}

# Tools in which wrong usage has exit status 2, and a subcommand of some.
tools='hdtrace hdpredict hdnode hdload hdgluster hdprobe hdexecute hdnode-health'

unknown_option() {
	for tool in $tools; do
		says 2 'unknown option: "--nosuch"' "$tool" --nosuch || return 1
	done
	says 2 'unknown option: "--nosuch"' hdtrace info --nosuch &&
		says 2 'unknown option: "--nosuch"' hdpredict simulate --nosuch &&
		says 2 'unknown option: "--nosuch"' hdnode collect --nosuch &&
		says 1 'unknown option: "--nosuch"' pt --nosuch &&
		says 125 'unknown option: "--nosuch"' rut --nosuch &&
		says 125 'unknown option: "--nosuch"' hdmpirun --nosuch
}

unknown_command() {
	for tool in hdtrace hdpredict hdnode hdgluster; do
		says 2 'unknown command: "nosuch"' "$tool" nosuch || return 1
	done
	says 1 'unknown command: "nosuch"' pt nosuch
}

missing_argument() {
	says 2 'missing argument: PREFIX|DIRECTORY|PROJECT' hdtrace merge &&
		says 2 'missing argument: GRAPH|-' hdpredict simulate &&
		says 2 'missing argument: GRAPH' hdexecute &&
		says 2 'missing argument: FILE' hdgluster volfile &&
		says 125 'missing argument: PROGRAM' hdmpirun
}

unexpected_argument() {
	says 2 'unexpected argument: "y"' hdtrace info x y &&
		says 2 'unexpected argument: "x"' hdprobe list x &&
		says 2 'unexpected argument: "x"' hdload --duration=1s x
}

missing_value() {
	says 2 '--size: missing value; expected WxH' hdtrace plot x --size &&
		says 2 '--load: missing value; expected LOAD' hdload --load
}

invalid_number() {
	says 2 '--load: invalid number "x"; expected 0 to 1' hdload --load=x &&
		says 2 '--dpi: invalid number "0"; expected 20 to 2400' \
			hdtrace plot --dpi=0 x &&
		says 2 '--tiles: invalid number "-1"; expected 1 or more' \
			hdpredict generate cholesky --tiles=-1 &&
		says 2 '--radix: invalid number "1"; expected 2 or more' \
			hdpredict platform --radix=1 &&
		says 2 '--memory: invalid number "inf"; expected 0 or more' \
			hdpredict platform --memory=inf
}

invalid_duration() {
	text='invalid duration "x"; use a number and a unit, such as 10ms or 5s'
	says 125 "--interval: $text" rut --interval=x true &&
		says 2 "--interval: $text" hdnode --interval=x &&
		says 2 "--duration: $text" hdload --duration=x
}

# The first process of a program prints a hint, once: LINES COMMAND...
hints() {
	lines=$1
	shift
	timeout 60 "$@" >out 2>err </dev/null
	echo "$* should print $lines hints:"
	cat err
	[ "$(grep -c ': 20 is taken as 20 ms; write 20ms$' err)" -eq "$lines" ]
}
unit_hint() {
	hints 1 "$build/rut" --project=hint1 -i 20 true &&
		hints 0 "$build/rut" --project=hint2 -i 20ms true &&
		hints 0 "$build/hdprobe" -i 20 999999999 || return 1
	[ -x "$build/hdmpirun" ] || return 0
	hints 1 "$build/hdmpirun" -i 20 true &&
		hints 1 env OMPI_COMM_WORLD_RANK=0 "$build/hdmpirun" -i 20 true &&
		hints 0 env OMPI_COMM_WORLD_RANK=2 "$build/hdmpirun" -i 20 true &&
		hints 0 env PMI_RANK=1 "$build/hdmpirun" -i 20 true
}

invalid_value() {
	says 2 '--format: invalid value "x"; expected text, csv or json' \
		hdtrace stat --format=x x &&
		says 2 '--server: invalid value "unix:x"; expected HOST[:PORT] or unix:/PATH' \
			pt watch --server=unix:x &&
		says 125 '--sources: unknown source ""; see rut --list' \
			rut --sources= true &&
		says 2 '--color: invalid value "x"; expected auto, always or never' \
			hdtrace info --color=x x
}

excluded_option() {
	says 2 '--loads: cannot be combined with --duration' \
		hdload --loads=1:1 --duration=1s &&
		says 125 '--duration: cannot be combined with --pid' \
			rut --duration=1s --pid=1 &&
		says 125 '--duration: cannot be combined with COMMAND' \
			pt energy --duration=1s true &&
		says 125 '--pid: cannot be combined with COMMAND' \
			rut --pid=1 true
}

needed_option() {
	says 2 '--step: requires --sequence' hdload --duration=1s --step=1s &&
		says 1 '--explain: requires --list' pt --explain &&
		says 2 '--force: requires --html' hdtrace report --force x
}

cannot_open() {
	text='nosuch: cannot open: No such file or directory'
	says 2 "$text" hdtrace info nosuch &&
		says 2 "$text" hdtrace check nosuch &&
		says 2 "$text" hdpredict simulate nosuch --platform=nosuch &&
		{
			# Leaks of the MPI library would change the exit status.
			[ -n "${HD_SANITIZE-}" ] ||
				says 2 "$text" hdexecute nosuch
		} && says 2 "$text" hdnode collect --token=nosuch localhost
}

empty_name() {
	text='"": cannot open: No such file or directory'
	says 2 "$text" hdtrace info '' && says 2 "$text" hdpredict validate '' &&
		says 2 "$text" hdpredict graph ''
}

cannot_read() {
	text='nosuch: cannot read: No such file or directory'
	says 2 "$text" hdnode collect --nodes=nosuch &&
		says 2 "$text" pt --config=nosuch &&
		says 2 "$text" hdgluster volfile nosuch
}

missing_root() {
	text='nosuch: cannot open: No such file or directory'
	says 2 "$text" hdnode explain --root=nosuch &&
		says 2 "$text" pt list --root=nosuch &&
		says 1 "$text" pt --list --root=nosuch || return 1
	: >plain
	says 2 'plain: cannot open: Not a directory' pt list --explain --root=plain
}

# A directory exists, so that the reason is another one.
directory_for_file() {
	mkdir -p folder
	text='folder: cannot read: Is a directory'
	for arguments in 'collect --nodes=folder' 'configure folder localhost' \
		'rules folder' '--config=folder'; do
		# shellcheck disable=SC2086
		says 2 "$text" hdnode $arguments || return 1
	done
	says 2 "$text" pt --config=folder && says 2 "$text" hdgluster volfile folder
}

# One line for each fault, which begins with the file and the line.
faulty_lines() {
	printf 'one\ntwo\n' >faulty
	for arguments in 'rules faulty' '--config=faulty'; do
		# shellcheck disable=SC2086
		says 2 'faulty:1: neither [Section] nor key=value' hdnode $arguments &&
			grep -q ': faulty:2: neither ' err || return 1
	done
}

cannot_run() {
	: >data
	text='./data: cannot run: Permission denied'
	says 126 "$text" rut --project=data1 ./data &&
		says 126 "$text" pt energy --meter=sim ./data &&
		[ ! -e data1.proj ] &&
		says 127 'nosuch: command not found' rut --project=data2 nosuch &&
		says 127 './nosuch: command not found' pt energy --meter=sim ./nosuch
}

cannot_create() {
	text='cannot create: No such file or directory'
	says 2 "nosuch/x.proj: $text" hdload --project=nosuch/x --duration=10ms &&
		says 125 "nosuch/x.proj: $text" rut --project=nosuch/x true
}

cannot_write() {
	text='standard output: cannot write: No space left on device'
	for tool in hdtrace hdpredict hdload hdnode; do
		"$build/$tool" --help >/dev/full 2>err
		echo "$tool: exit status $?"
		cat err
		grep -qxF "$tool: $text" err || return 1
	done
}

cannot_connect() {
	text='cannot connect: Connection refused'
	says 1 "127.0.0.1:1: $text" hdnode collect 127.0.0.1:1 &&
		says 2 "127.0.0.1:1: $text" pt watch --server=127.0.0.1:1
}

# No string in C has other words for the same: PATTERN
other_words() {
	(cd "$abs_top_srcdir" && find . -name '*.c' ! -path './tests/*' \
		! -path './build*' -exec grep -nHiE "$1" {} +) >others
	cat others
	[ ! -s others ]
}
finds_other_words() {
	echo 'outSay(stderr, "x: no answer from the server");' >bad.c
	grep -qiE "$wording" bad.c
}

ok "all commands report an unknown option alike" unknown_option
ok "all commands report an unknown command alike" unknown_command
ok "all commands report a missing argument alike" missing_argument
ok "all commands report an unexpected argument alike" unexpected_argument
ok "all commands report a missing value of an option alike" missing_value
ok "all commands report an invalid number alike" invalid_number
ok "all commands report an invalid duration alike" invalid_duration
ok "an interval without a unit prints one hint if it is not in seconds" unit_hint
ok "all commands report an invalid value alike" invalid_value
ok "all commands report conflicting options alike" excluded_option
ok "all commands report an option that requires another alike" needed_option
ok "all commands report a file that cannot be opened alike" cannot_open
ok "all commands report a file that cannot be read alike" cannot_read
ok "all commands report an empty file name" empty_name
ok "a missing --root is not reported as missing meters" missing_root
ok "all commands report a directory where a file is expected" directory_for_file
ok "faults of a file have its name and line" faulty_lines
ok "a file that cannot be run is not reported as missing" cannot_run
ok "all commands report a file that cannot be created alike" cannot_create
ok "all commands report a full disk alike" cannot_write
ok "all commands report a refused connection alike" cannot_connect
wording='"[^"]*(no answer from the server|(could not|unable to|failed to|can not|can.t) (open|read|write|create|connect)'
wording="$wording|(unrecognized|bad|wrong) option|(no|missing) such option|too (few|many) arguments"
wording="$wording|bad number|connection (was )?(reset|broken)|time ?out (while|after))"
ok "another message for the same error is found" finds_other_words
ok "no source has another message for the same error" other_words "$wording"
done_testing
