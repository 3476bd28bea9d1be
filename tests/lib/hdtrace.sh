# shellcheck shell=sh
# For tests of the hdtrace command. Source it after tap.sh.
# shellcheck disable=SC2154 # scratch is in tap.sh
# SPDX-License-Identifier: LGPL-2.1-or-later
hdtrace=${abs_top_builddir:?}/hdtrace
golden=${abs_top_srcdir:?}/tests/tools/golden
# shellcheck disable=SC2034 # for tests
corpus=${HDTRACE_CORPUS:-$abs_top_srcdir/../shared/corpus}
unset NO_COLOR
LC_ALL=C
export LC_ALL

# Run hdtrace ARGUMENT... and expect its exit status: STATUS ARGUMENT... What
# it prints goes to the files out and err in $scratch.
status() {
	expected=$1
	shift
	"$hdtrace" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	found=$?
	echo "hdtrace $*: exit status $found, expected $expected"
	[ ! -s "$scratch/err" ] || cat "$scratch/err"
	[ "$found" -eq "$expected" ]
}

# Run it, and compare what it prints with a file: FILE STATUS ARGUMENT...
# (HDTRACE_GOLDEN=update writes the file.)
prints() {
	file=$golden/$1
	shift
	status "$@" || return 1
	cat "$scratch/err" >>"$scratch/out"
	[ "${HDTRACE_GOLDEN-}" != update ] || cp "$scratch/out" "$file"
	diff -u "$file" "$scratch/out"
}

# Run it, and look for a line on stderr: TEXT STATUS ARGUMENT...
says() {
	text=$1
	shift
	status "$@" || return 1
	grep -qF -- "$text" "$scratch/err" || {
		echo "stderr should say: $text"
		return 1
	}
}

# The messages of hdtrace ARGUMENT... name exactly these rules, in any order:
# "RULE RULE.." STATUS ARGUMENT...
breaks() {
	rules=$1
	shift
	status "$@" || return 1
	cat "$scratch/out" "$scratch/err" |
		sed -n 's/.* \[\([a-z]*\.[a-z-]*\)\]$/\1/p' | sort -u |
		tr '\n' ' ' | sed 's/ $//' >"$scratch/rules"
	echo "rules: $(cat "$scratch/rules"), expected $rules"
	[ "$(cat "$scratch/rules")" = "$rules" ]
}
