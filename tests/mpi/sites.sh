#!/bin/sh
# hdmpirun --call-sites: each call is at the line that the program has it in, in C
# and Fortran, with each MPI library; and binaries that are not what they were.
# What the tools say is compared with lines of the source, and with addr2line.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
. "$abs_top_srcdir/tests/mpi/fortran-compiler.sh"
hdmpirun=$abs_top_builddir/hdmpirun
source_c=$abs_top_srcdir/tests/mpi/sites.c
source_f=$abs_top_srcdir/tests/mpi/sites.f90
unset HDTRACE_DEBUG_PATH DEBUGINFOD_URLS

# What a source says: REGION FUNCTION LINE COUNT of two ranks. In C a comment is before
# its call: SOURCE
expected() {
	grep -n ' at [A-Z][a-z]* [a-z]* [0-9]' "$1" |
		sed 's/^\([0-9]*\):.* at \([A-Za-z]*\) \([a-z]*\) \([0-9]*\)\(.*\)/\2 \3 \1 \4\5/' |
		awk -v next_="$(case $1 in *.c) echo 1 ;; *) echo 0 ;; esac)" '
			{ print $1, $2, $3 + next_, $4 * (/ of one/ ? 1 : 2) }' |
		sort
}

# Print the line of a call of sites.c: REGION
line_of() {
	expected "$source_c" | awk -v region="$1" '$1 == region { print $3; exit }'
}

# What a project says: PROJECT
found() {
	"$hdtrace" stat --regions='*' --by-site --format=csv "$1" >"$1.csv" || return 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sum[$at["region"] " " $at["function"] " " $at["line"]] += $at["count"] }
		END { for (i in sum) print i, sum[i] }' "$1.csv" | sort
}

# But for what Fortran compilers do not know: PROJECT SOURCE
is_as_source() {
	"$hdtrace" check "$1" || return 1
	expected "$2" >"$scratch/expected"
	found "$1" >"$scratch/all" || return 1
	case $2 in
	*.f90) grep -vE '^(Init|Finalize) run ' "$scratch/all" ;;
	*) cat "$scratch/all" ;;
	esac >"$scratch/found"
	diff -u "$scratch/expected" "$scratch/found"
}

# Ask addr2line about each address: PROJECT
is_as_addr2line() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["object"], $at["address"], $at["function"],
			$at["file"] ":" $at["line"] }' "$1.csv" >"$scratch/rows"
	[ -s "$scratch/rows" ] || return 1
	while read -r object address function line; do
		set -- "$(addr2line -f -e "$object" \
			"$(printf '0x%x' $((address - 1)))" |
			sed 's/ (discriminator.*//' | tr '\n' ' ')"
		# Of what is in other functions it may have another name.
		[ "$1" = "$function $line " ] || [ "${1#* }" = "$line " ] || {
			echo "$object $address: $function $line, addr2line: $1"
			return 1
		}
	done <"$scratch/rows"
}

# Compile sites.c in this directory: OPTION...
compiles() {
	libraries=$(${PKG_CONFIG:-pkg-config} --cflags --libs \
		"$(package "$library")") || return 1
	# Unquoted: lists of options.
	# shellcheck disable=SC2086
	build() {
		${CC:-cc} -std=gnu11 -g -O2 -Wl,--build-id "$@" $libraries -ldl
	}
	build "$@" -shared -fPIC -DPLUGIN=1 -o plugin-a.so "$source_c" &&
		build "$@" -shared -fPIC -DPLUGIN=2 -o plugin-b.so \
			"$source_c" &&
		build "$@" -shared -fPIC -DLIBRARY -o libsites.so \
			"$source_c" &&
		build "$@" -o sites "$source_c" -L. -lsites \
			-Wl,-rpath,"$PWD"
}

# Run it: PROJECT OPTION...
runs() {
	project=$1
	shift
	launch "$library" 2 "$hdmpirun" -p "$project" "$@" ./sites \
		./plugin-a.so ./plugin-b.so
}

in_c() {
	runs c --call-sites && is_as_source c "$source_c"
}

# Each plugin by itself, though the second one may lie where the first one was.
has_plugins() {
	for plugin in plugin-a plugin-b; do
		awk -F, -v object="$PWD/$plugin.so" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["object"] == object { n += $at["count"]; rows++ }
			END { exit n != 4 || rows != 1 }' c.csv || {
			grep plugin c.csv
			return 1
		}
	done
}

# What is loaded again, there or elsewhere, has the sites that it had: in each trace
# as many objects and sites are described as of a run that loads each plugin once.
again() {
	plugins=
	for _ in $(seq 20); do
		plugins="$plugins ./plugin-a.so ./plugin-b.so"
	done
	# Unquoted: a list.
	# shellcheck disable=SC2086
	launch "$library" 2 "$hdmpirun" -p again --call-sites ./sites \
		$plugins && "$hdtrace" check again && found again >out &&
		cat out && grep '^Barrier plugin [0-9]* 160$' out || return 1
	for trace in again*.trc; do
		for element in Object Site; do
			n=$(grep -o "<$element " "$trace" | wc -l)
			once=$(grep -o "<$element " "c${trace#again}" | wc -l)
			echo "$trace: $n $element, $once of a run that loads once"
			[ "$n" -gt 2 ] && [ "$n" -eq "$once" ] || return 1
		done
	done
}

# "inlined_into" is where the line is in the function that was compiled.
is_inlined() {
	line=$(grep -n ' around ' "$source_c" | cut -d : -f 1)
	"$hdtrace" stat --regions=Barrier --by-site --format=json c |
		grep '"function": "meet"' | grep -F \
		"\"inlined_into\": [{ \"function\": \"exchange\", \"file\": \"$source_c\", \"line\": $line }]"
}

dumped() {
	line=$(line_of Init)
	"$hdtrace" dump c >dumped &&
		grep " at main (sites.c:$line)\$" dumped &&
		"$hdtrace" dump --format=json c |
		grep "\"call_site\": { \"site\": \"main (sites.c:$line)\""
}

# The states of a site have as much time as all of its function have.
reported() {
	line=$(line_of Bcast)
	"$hdtrace" report --all c >out.text && cat out.text &&
		grep "^ *exchange (sites.c:$line)  *Bcast  *10 " out.text &&
		"$hdtrace" report --format=json c >report.json &&
		own='.*"own_s": \([0-9.]*\),.*' &&
		[ "$(grep '"name": "Bcast", "count"' report.json |
			sed "s/$own/\1/")" = \
			"$(grep '"state": "Bcast"' report.json |
				sed "s/$own/\1/")" ]
}

exported() {
	line=$(line_of Bcast)
	"$hdtrace" export --to otlp -f -o out.otlp c >/dev/null &&
		grep -c "exchange (sites.c:$line)" out.otlp &&
		"$hdtrace" export --to perfetto -f -o out.pt c >/dev/null &&
		grep -c "exchange (sites.c:$line)" out.pt
}

# Each of the 10 calls of MPI_Bcast has it, by the reader of the format: ten states.
exported_otf2() {
	line=$(line_of Bcast)
	"$hdtrace" export --to otf2 -f -o out.otf2 c >/dev/null || return 1
	archive=$(ls out.otf2/*.otf2) && otf2-print "$archive" >out.text &&
		n=$(grep -A1 '^ENTER.* Region: "MPI_Bcast" ' out.text |
			grep "\"site\" .*STRING; \"exchange (sites.c:$line)\"" |
			grep -c "SOURCE_CODE_LOCATION; \".*sites.c:$line\"") &&
		echo "$n of 10" && [ "$n" -eq 10 ]
}

exported_ctf() {
	line=$(line_of Bcast)
	"$hdtrace" export --to ctf -f -o out.ctf c >/dev/null &&
		babeltrace2 out.ctf >out.text &&
		n=$(grep ' enter: .* name = "Bcast"' out.text |
			grep -c "key = \"site\", value = \"exchange (sites.c:$line)\"") &&
		echo "$n of 10" && [ "$n" -eq 10 ]
}

# Callers are lines, too.
deep() {
	line=$(line_of Bcast)
	caller=$(grep -n ' called ' "$source_c" | cut -d : -f 1)
	runs deep --call-sites=2 && "$hdtrace" check deep &&
		"$hdtrace" stat --regions=Bcast --by-site deep | tee out |
		grep "exchange (sites.c:$line) < main (sites.c:$caller) "
}

# What MPI libraries call inside has the site of the call around it: none is in
# the MPI library, and each is described before it is named.
nested() {
	HDTRACE_MPI_NESTED=9 runs nested --call-sites || return 1
	"$hdtrace" check nested && found nested && ! grep 'libmpi' nested.csv
}

# Threads with a small stack need little more of it than without the option.
compiles_small() {
	cat >small.c <<'END'
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { SIZE = 1 << 20 };
static char stack[SIZE] __attribute__((__aligned__(4096)));

static void *asks(void *unused)
{
	int flag;

	MPI_Iprobe(0, 3, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	int provided, free = 0;
	pthread_t thread;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, SIZE);
	if (pthread_create(&thread, &attributes, asks, NULL) == 0)
		pthread_join(thread, NULL);
	while (free < SIZE && !stack[free])
		free++;
	printf("used %d\n", SIZE - free);
	return MPI_Finalize();
}
END
	build -pthread -o small small.c
}
small_stack() {
	for option in --interval=0 --call-sites --call-sites=3; do
		launch "$library" 1 "$hdmpirun" -p small "$option" -f ./small >out ||
			return 1
		echo "$option $(cat out)"
		used=$(sed -n 's/^used //p' out)
		[ "$option" != --interval=0 ] || without=$used
		[ "$used" -le $((without + 4096)) ] || return 1
	done
	"$hdtrace" check small && "$hdtrace" dump small >out &&
		grep '^ .* Iprobe .*site=' out
}

# Without the option there is nothing.
off() {
	runs off && "$hdtrace" dump off >dumped || return 1
	! grep -E 'site=|<Site|<Object' dumped
	exits 2 "$hdtrace" stat --regions='*' --by-site off &&
		grep 'no state that matches "\*" has a call site' err
}

# Only tables of symbols are left: libraries need theirs.
stripped() {
	mkdir -p kept && cp sites libsites.so kept || return 1
	strip sites libsites.so || return 1
	found c >out && cat out && grep '^Reduce summed ' out &&
		grep '^Bcast  ' out || return 1
	"$hdtrace" stat --regions='*' --by-site c >out && cat out &&
		grep -E '^ *sites\+0x[0-9a-f]+  *Bcast ' out &&
		grep -E '^ *summed\+0x[0-9a-f]+ \(libsites.so\)  *Reduce' out
}

# The debugger's directory has what was stripped, by build id.
separate() {
	for file in sites libsites.so; do
		id=$(readelf -n "kept/$file" | sed -n 's/.*Build ID: //p')
		at=debug/.build-id/$(echo "$id" | cut -c 1-2)
		mkdir -p "$at" && objcopy --only-keep-debug "kept/$file" \
			"$at/$(echo "$id" | cut -c 3-).debug" || return 1
	done
	HDTRACE_DEBUG_PATH=$PWD/debug is_as_source c "$source_c" || return 1
	rm sites libsites.so
	HDTRACE_DEBUG_PATH=$PWD/debug is_as_source c "$source_c"
}

# One that was compiled again is refused, even where it says the same.
changed() {
	cp kept/sites kept/libsites.so . && is_as_source c "$source_c" &&
		libraries= && compiles -DAGAIN -Wl,-z,norelro || return 1
	"$hdtrace" stat --regions='*' --by-site c >out 2>err || return 1
	cat out err
	grep -E "/sites: note: not the traced file: its build id is [0-9a-f]{40}, expected [0-9a-f]{40} \[trc.program\]" err &&
		grep -E '^ *sites\+0x[0-9a-f]+  *Bcast ' out &&
		! grep 'exchange' out
}

# A program at a fixed address, without optimization.
otherwise() {
	compiles -no-pie -fno-pie -O0 && runs fixed --call-sites &&
		is_as_source fixed "$source_c" && is_as_addr2line fixed
}

# In Fortran: WAY
in_fortran() {
	case $1 in
	mpif.h) define='-O0 -DMPIF -fallow-argument-mismatch' ;;
	use-mpi) define=-O1 ;;
	mpi_f08) define='-O2 -DF08' ;;
	esac
	# Unquoted: more than one option.
	# shellcheck disable=SC2086
	$(compiler_of "$library") -cpp -g -Wl,--build-id \
		-ffree-line-length-none $define -o sites-f "$source_f" &&
		launch "$library" 2 "$hdmpirun" -p "f-$1" --call-sites \
			./sites-f || return 1
	is_as_source "f-$1" "$source_f" && is_as_addr2line "f-$1"
}

[ -z "${HD_SANITIZE-}" ] || skip_all "sanitizers cannot be preloaded"
grep -q '^LIBDW_LIBS = .' "$abs_top_builddir/Makefile" ||
	skip_all "there is no libdw"
hasTools=
for library in $(built_libraries); do
	mkdir "$scratch/$library" && cd "$scratch/$library" || exit 99
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	ok "$library: a program and libraries compile" compiles
	ok "$library: call sites are omitted without --call-sites" off
	ok "$library: call sites match the source" in_c
	ok "$library: call sites match addr2line" is_as_addr2line c
	ok "$library: each plugin at the same address has its own call sites" has_plugins
	ok "$library: plugins that are loaded again add no call sites" again
	ok "$library: callers are recorded" deep
	ok "$library: nested MPI calls have the call site of the program" nested
	ok "$library: the program with a small stack compiles" compiles_small
	ok "$library: call sites need little stack" small_stack
	# What tools do, they do once.
	if [ -z "$hasTools" ]; then
		hasTools=yes
		ok "call sites in inlined functions are found" is_inlined
		ok "dump prints call sites" dumped
		ok "report prints call sites" reported
		ok "exports contain call sites" exported
		if command -v otf2-print >/dev/null &&
			grep -q '^OTF2_LIBS = .' "$abs_top_builddir/Makefile"; then
			ok "export to OTF2, read by otf2-print" exported_otf2
		else
			skip "export to OTF2" "no otf2-tools, or built without OTF2"
		fi
		if command -v babeltrace2 >/dev/null; then
			ok "export to CTF, read by babeltrace2" exported_ctf
		else
			skip "export to CTF" "no babeltrace2"
		fi
		ok "call sites of a stripped program have addresses" stripped
		ok "debug information in a separate file is used" separate
		ok "a program that was compiled again is reported" changed
		ok "call sites of a program at a fixed address are found" otherwise
	fi
	for way in mpif.h use-mpi mpi_f08; do
		if [ -z "$(compiler_of "$library")" ]; then
			skip "$library: $way" "there is no Fortran compiler"
		else
			ok "$library: $way" in_fortran $way
		fi
	done
done
[ "$tap_count" -gt 0 ] || skip_all "no MPI library was built"
done_testing
