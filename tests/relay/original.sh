#!/bin/sh
# A program of 2009 and a reader of 2009: the one is linked with our library, the
# other reads what it has written, and both read what the library of 2009 wrote.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
python3 -c '' 2>/dev/null || skip_all "there is no python3"
hdtrace=${abs_top_builddir:?}/hdtrace
cd "$scratch" || exit 99

reads() {
	python3 "$abs_top_srcdir/tests/relay/original.py" "$@" >found-by
	result=$?
	cat found-by
	return "$result"
}

# In each file its relations, with their parents.
written() {
	reads p_host0_process0.rel p_host0_process1.rel p_host1_process0.rel ||
		return 1
	local=$(sed -n 1p tokens)
	remote=$(sed -n 2p tokens | cut -d : -f 1-4)
	cut -d ' ' -f 2- found-by | sed 's/ *$//' >found
	printf '%s\n' '0 - Create finalize / /' '1 i=0' '0 p=0:0' \
		"1 l=$local" "0 r=$remote remote /" | diff - found
}

# Behind the four parts that 2009 knew stands one more: whoever splits at colons
# and takes four has the right ones.
splits() {
	remote=$(sed -n 2p tokens)
	[ "$(echo "$remote" | tr -cd : | wc -c)" -eq 4 ] &&
		[ "$(echo "$remote" | cut -d : -f 2-4)" = "$(sed -n 1p tokens)" ]
}

program() {
	"$abs_top_builddir/tests/relay/original" >tokens
	result=$?
	cat tokens
	return "$result"
}

known() {
	"$hdtrace" merge p && "$hdtrace" check p
}

ok "a program that calls the functions of 2009 runs" program
ok "the reader of 2009 accepts its files" written
ok "tokens as text are split as in 2009" splits
ok "hdtrace accepts its files" known
corpus=${HDTRACE_CORPUS-$abs_top_srcdir/../shared/corpus}/relations
historic() {
	reads "$corpus"/*.rel && [ "$(wc -l <found-by)" -eq 4 ] &&
		cp "$corpus"/test* . && chmod u+w ./test* || return 1
	"$hdtrace" relations --format=csv test.proj >csv || return 1
	cat csv
	[ "$(wc -l <csv)" -eq 5 ]
}
if [ -d "$corpus" ]; then
	ok "both readers accept files of the library of 2009" historic
else
	skip "files of the library of 2009" "no $corpus"
fi
done_testing
