#!/bin/bash
# Shells complete what commands take: bash and zsh on a terminal, with the Tab
# key behind a line.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
if [ -z "${BASH_VERSION-}" ]; then
	exec bash "$0"
fi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
build=${abs_top_builddir:?}
[ -z "${HD_SANITIZE-}" ] || skip_all "shells are no matter of sanitizers"
[ -f "$build/contrib/bash/hdtrace" ] || skip_all "no completions were made"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99

commands=()
for file in "$build"/contrib/bash/*; do
	commands+=("${file##*/}")
done

# Each long option, without its last letter, of all commands but where that is
# not enough to know it.
options() {
	local program sub

	for program in "${commands[@]}"; do
		of "$program"
		for sub in $("$build/$program" --help |
			sed -n '/^Commands/,/^$/s/^  \([a-z-]*\)  .*/\1/p'); do
			of "$program" "$sub"
		done
	done
}

# The same of a command: PROGRAM [SUBCOMMAND]
of() {
	"$build/$1" "${@:2}" --help >help 2>/dev/null || return
	sed -n 's/^  \(-., \)\?--\([a-z-]*\).*/\2/p' help >names
	awk -v command="$*" '
	{ names[NR] = $1 }
	END {
		for (i = 1; i <= NR; i++) {
			cut = substr(names[i], 1, length(names[i]) - 1)
			others = 0
			for (j = 1; j <= NR; j++)
				others += index(names[j], cut) == 1
			if (others == 1)
				print command " --" cut "\t--" names[i]
		}
	}' names
}

# A shell completes lines, LINE TAB LAST-ARGUMENT, of a file: SHELL FILE
completes() {
	cut -f 1 "$2" | timeout 300 python3 \
		"$abs_top_srcdir/tests/system/complete.py" "$1" \
		"$build/contrib/$1" "${commands[@]}" >got || return 1
	[ "$(wc -l <got)" -eq "$(wc -l <"$2")" ] || return 1
	# zsh takes "=" and "/" away if no word follows.
	sed 's/[=/]\?|$//; s/.*|//' got | paste "$2" - |
		awk -F '\t' '$2 != $3 { print; bad = 1 } END { exit bad }'
}

mkdir -p dir && touch run.proj run_a.trc run_a_G.stat notes.txt
options >all
count=$(wc -l <all)
sed 's/|/\t/' >words <<'END'
hdtrace sta|stat
hdtrace help recov|recover
hdtrace stat run.p|run.proj
hdtrace stat run_a.|run_a.trc
hdtrace stat --format=cs|--format=csv
hdtrace stat --format js|json
hdtrace export --to pe|perfetto
hdtrace export --to csv-|csv-wide
hdtrace plot --panels gr|grouping
hdtrace plot --phases no|notes.txt
hdtrace dump --time rel|relative
pt ener|energy
pt -c no|notes.txt
pt --root di|dir
pt devices --format=j|--format=json
pt energy -n a --outp|--output
pt energy -- cat no|notes.txt
rut -s cp|cpu
rut -s cpu,me|cpu,mem
rut -i 10 -p x cat no|notes.txt
rut --mount di|dir
END
if [ -f "$build/contrib/bash/hdmpirun" ]; then
	sed 's/|/\t/' >>words <<'END'
hdmpirun --mpi op|openmpi
hdmpirun --classes p2p,col|p2p,coll
hdmpirun -p x cat no|notes.txt
hdmpicc -c no|notes.txt
END
fi
for shell in bash zsh; do
	if ! command -v $shell >/dev/null; then
		skip "$shell" "no $shell"
		continue
	fi
	ok "$shell completes $count options" completes $shell all
	ok "$shell completes words, files, commands" completes $shell words
done
ok "the shells complete more than 100 options" test "$count" -gt 100
done_testing
