#!/bin/sh
# All commands have the same habits: one table of them, and of what letters mean.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
build=${abs_top_builddir:?}
cd "$scratch" || exit 99

# Programs, the exit status of a command line that is wrong, and what
# subcommands have another.
cat >programs <<'END'
hdtrace 2
hdexecute 2
hdgluster 2
hdload 2
hdmpicc 125
hdmpicxx 125
hdmpif90 125
hdmpirun 125
hdnode 2
hdpower 2
hdpowerd 2
hdpredict 2
hdprobe 2
pt 1
rut 125
END
cat >others <<'END'
hdgluster try 125
hdpower run 125
pt devices 2
pt energy 125
pt list 2
pt record 125
pt watch 2
END

# What letters mean: in all commands that have them. What is not in the list has
# no letter.
cat >letters <<'END'
D background
F frequency
N number
P pid
a all
c config
d duration
f force
g group
h help
i interval
l list
m mount
n node nodes
o output
p project
q quiet
s sources
t topology
v verbose
x disabled
END

# ---- What there is -----------------------------------------------------------

# Programs that are installed: as Makemodule.am files say.
sed -n 's/^bin_\(PROGRAMS\|SCRIPTS\) += *//p' "$abs_top_srcdir"/*/Makemodule.am \
	"$abs_top_srcdir"/*/*/Makemodule.am | tr ' ' '\n' | sort -u >installed

# Subcommands that a program lists.
subcommands() {
	"$build/$1" --help 2>/dev/null |
		sed -n '/^Commands/,/^$/s/^  \([a-z-]*\)  .*/\1/p'
}

# COMMAND STATUS, for all that is in this build.
while read -r program status; do
	[ -x "$build/$program" ] || continue
	echo "$program|$status"
	for sub in $(subcommands "$program"); do
		other=$(sed -n "s/^$program $sub //p" others)
		echo "$program $sub|${other:-$status}"
	done
done <programs >commands

same_programs() {
	cut -d ' ' -f 1 programs | sort | diff - installed
}

# ---- Each command ------------------------------------------------------------

# Run a command: WORDS ARGUMENT...
call() {
	words=$1
	shift
	# shellcheck disable=SC2086
	set -- $words "$@"
	program=$1
	shift
	"$build/$program" "$@" >out 2>err
}

# On stdout, and nothing else.
helps() {
	call "$1" --help && [ ! -s err ] && head -n 1 out | grep -q '^Usage:'
}

versions() {
	call "$1" --version || return 1
	cat out err
	[ ! -s err ] && grep -qE "^$1 [0-9]+\.[0-9]+" out
}

# WORDS STATUS
refuses_option() {
	for option in --no-such-thing --hepl --verison; do
		# What is not theirs is the compiler's.
		case $1 in
		hdmpi[cf]*) option=--hdmpi-${option#--} ;;
		esac
		call "$1" "$option"
		[ $? -eq "$2" ] || return 1
		cat err
		[ ! -s out ] && grep -q "^$1: unknown option: \"$option\"" err &&
			grep -qF "Try '$1 --help'." err || return 1
	done
	case $1 in
	hdmpi[cf]*)
		call "$1" --hdmpi-shwo
		grep -qF 'did you mean --hdmpi-show?' err
		;;
	*) grep -qF 'did you mean --version?' err ;;
	esac
}

# Of each of its options the nearest to it without its second letter.
names_nearest() {
	call "$1" --help
	sed -n 's/^  \(-., \)\?--\([a-z-]*\).*/\2/p' out |
		grep -E '^.{6}' >options
	case $1 in
	hdmpi[cf]*) return 0 ;;
	esac
	while read -r option; do
		wrong=${option%"${option#?}"}${option#??}
		call "$1" "--$wrong"
		read -r line <err
		case $line in
		*"did you mean --$option?"*) ;;
		*)
			echo "--$wrong"
			cat err
			return 1
			;;
		esac
	done <options
}

# PROGRAM STATUS
refuses_subcommand() {
	for sub in $(subcommands "$1"); do
		wrong=${sub}x
		call "$1" "$wrong"
		[ $? -eq "$2" ] || return 1
		cat err
		grep -qF "unknown command: \"$wrong\"; did you mean \"$sub\"?" err &&
			[ ! -s out ] || return 1
	done
}

# All letters of all commands mean what the list says. And the other way round: what has a
# letter elsewhere has it here. Its letter was that of --values, or of --value; and -n of
# hdtrace report and info is to select nodes.
letters_agree() {
	while IFS='|' read -r words status; do
		call "$words" --help
		awk -v words="$words" '
			BEGIN {
				without["hdtrace report nodes"]
				without["hdtrace info nodes"]
				without["pt energy verbose"]
				without["hdtrace stat verbose"]
				without["hdtrace plot verbose"]
				without["hdtrace export verbose"]
			}
			FNR == NR {
				for (i = 2; i <= NF; i++) {
					means[$1, $i]
					has[$i]
				}
				next
			}
			/^  -., --[a-z-]/ || /^  --[a-z-]/ {
				letter = $1 ~ /^--/ ? "" : substr($1, 2, 1)
				long = letter == "" ? $1 : $2
				match(long, /^--[a-z-]*/)
				long = substr(long, 3, RLENGTH - 2)
				if (letter != "" && !((letter, long) in means))
					print words ": -" letter " --" long
				if (letter == "" && (long in has) &&
				    !((words " " long) in without))
					print words ": --" long " has no letter"
			}' letters out
	done <commands >wrong
	[ ! -s wrong ] || { cat wrong; return 1; }
}

# What is printed has arrived, or the exit status says so.
full_disk() {
	while IFS='|' read -r words status; do
		# shellcheck disable=SC2086
		set -- $words
		program=$1
		shift
		case $program in
		hdmpi*) continue ;;
		esac
		"$build/$program" "$@" --help >/dev/full 2>err
		found=$?
		echo "$words: $found"
		cat err
		[ "$found" -eq "$status" ] || return 1
		grep -q 'cannot write' err || return 1
	done <commands
}

# Letters that are not shown any more: RESULT COMMAND...
old_letter() {
	result=$1
	shift
	"$build/$1" "$2" "$3" "$4" "$5" >out 2>&1
	cat out
	grep -qF -- "$result" out
}

ok "the table lists all programs" same_programs
while IFS='|' read -r words status; do
	# In the subshell of none: the list is a file.
	ok "$words --help prints the help" helps "$words"
	ok "$words --version prints the version" versions "$words"
	if grep -q 'was built without' err; then
		skip "$words: options" "built without"
		continue
	fi
	ok "$words: an unknown option exits with $status" refuses_option "$words" \
		"$status"
	ok "$words: an unknown option names the nearest one" names_nearest "$words"
done <commands
ok "hdtrace: an unknown command names the nearest one" refuses_subcommand hdtrace 2
ok "hdgluster: an unknown command names the nearest one" refuses_subcommand hdgluster 2
ok "hdpredict: an unknown command names the nearest one" refuses_subcommand hdpredict 2
ok "pt: an unknown command names the nearest one" refuses_subcommand pt 1
ok "a letter of an option has one meaning in all programs" letters_agree
ok "all programs report a full disk" full_disk
# Options, and words of options, that are called otherwise now.
ok "an old option name still works" old_letter '--nesting: invalid number' \
	hdtrace plot --depth -1 none
ok "an old value of an option still works" old_letter 'none: cannot open: No such file' \
	hdtrace dump --time epoch none
ok "an old option letter still works" old_letter '--format: invalid value "x"; expected text, csv or json' \
	hdtrace stat -f x none
ok "a reused letter has its old meaning with an old value" \
	old_letter 'none: cannot open: No such file' hdtrace report -f json none
ok "a reused letter has its new meaning with another value" old_letter '--force: requires --html' \
	hdtrace report -f x none
done_testing
