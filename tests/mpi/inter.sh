#!/bin/sh
# What programs did with communicators of all kinds, and with large counts, is what
# the project says: the calls are counted by a library that knows nothing of
# HDTrace (counter.c).
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain mpi slow
#
# inter.sh RANKS...: with these numbers of ranks; make verify-mpi.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/mpi/mpi.sh"
python=$(command -v python3) || skip_all "there is no python3"
tests=$abs_top_srcdir/tests/mpi

# Link the program with the counter, and that with the library: LIBRARY.
build() {
	# Unquoted: lists of options.
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} -std=gnu11 -O1 -Wall -Wno-stringop-overread ${HD_SANITIZE-} \
		$(${PKG_CONFIG:-pkg-config} --cflags "$(package "$1")") \
		-o "$scratch/inter-$1" "$tests/inter.c" "$tests/counter.c" \
		-Wl,--no-as-needed "${abs_top_builddir:?}/libhdMPI-$1.so" \
		-Wl,-rpath,"$abs_top_builddir" \
		$(${PKG_CONFIG:-pkg-config} --libs "$(package "$1")") -ldl
}

# Run a part of it: LIBRARY RANKS PART; 77 if the library has no large counts.
run() {
	run=$scratch/$1-$2-$3
	mkdir "$run" && cd "$run" || return 1
	COUNTER_DIR=$run HDTRACE_MPI_PROJECT=inter launch "$1" "$2" \
		"$scratch/inter-$1" "$3"
	status=$?
	cat ./*.counted >counted 2>/dev/null
	wc -l counted
	return "$status"
}

# No line of PROJECT names what is not there, and the oracle agrees: WORLD.
agrees() {
	"$hdtrace" check "$1" >checked 2>&1
	result=$?
	cat checked
	[ "$result" -eq 0 ] &&
		! grep -vE 'proj.clocks|errors, 0 warn' checked | grep -q . &&
		"$python" "$tests/oracle.py" "$hdtrace" "$1" "$2".*.counted
}

counted() {
	run "$@"
	status=$?
	[ "$status" -eq 0 ] || return "$status"
	agrees inter 0 || return 1
	# Processes that were started are a world and a project of their own.
	[ "$3" != spawn ] || agrees inter-2 child
}

# Of messages over intercommunicators the receivers are right: paths of nodes to
# ranks. In each pair of groups all send to all, so none is missing.
receivers() {
	ranks=$2
	cd "$scratch/$1-$2-groups" || return 1
	"$hdtrace" export -q -t paraver -o out.prv inter || return 1
	"$python" "$abs_top_srcdir/tests/tools/readers/prvmessages.py" \
		out.prv/inter | sed 's/[^ ]*_\([0-9]*\)_0 [^ ]*_\([0-9]*\)_0 /\1 \2 /' |
		cut -d' ' -f 1,2 | sort | uniq -c >found
	cat found
	# Twice there and twice back, between even and odd ranks.
	awk -v ranks="$ranks" 'BEGIN {
		for (i = 0; i < ranks; i++)
			for (k = 1 - i % 2; k < ranks; k += 2)
				printf "%7d %d %d\n", 2, i, k }' |
		sort -k 2 | diff - found
}

# The .info files: both groups, one line with quotes, and world ranks.
lines() {
	cd "$scratch/$1-$2-groups" || return 1
	grep -h "^Comm" ./*_0_0.info
	grep -qF "CommName id=2 name='It\\047s \\042between\\042'" ./*_0_0.info &&
		"$hdtrace" dump --only=project inter |
		grep -q "communicator \"It's \\\\\"between\\\\\"\"\|It's \"between\""
}

# Twins are two, and one name is on one of them.
twins() {
	cd "$scratch/$1-$2-twins" || return 1
	"$hdtrace" export -q -t perfetto -o out.pftrace inter || return 1
	"$hdtrace" dump --only=project --format=csv inter | grep ^communicator
	"$hdtrace" export -q -t paraver -o out.prv inter &&
		"$python" "$abs_top_srcdir/tests/tools/readers/prvmessages.py" \
			out.prv/inter >found
	cat found
	# Of each its own bytes, though they cross.
	[ "$(cut -d' ' -f 4 found | sort | tr '\n' ' ')" = "4 8 " ] &&
		[ "$("$hdtrace" dump --only=project --format=csv inter |
			grep -c '^communicator,.*,two,')" -eq 1 ] || return 1
	# 200 more have not as many lines.
	[ "$(cat ./*_0_0.info | wc -l)" -lt 100 ]
}

# Arguments of datatypes, and files.
types() {
	cd "$scratch/$1-$2-types" || return 1
	cat inter.proj ./*_0_0.info
	tr -d '\n' <inter.proj | grep -qE '<INDEXED [^>]*count="2" > *<Type id="[0-9]*" displacement="0" blocklen="2"/> *<Type id="[0-9]*" displacement="4" blocklen="1"/>' &&
		tr -d '\n' <inter.proj | grep -qE '<SUBARRAY [^>]*ndims="2" order="Fortran" oldType="[0-9]*" > *<Dimension size="4" subsize="2" start="1" /> *<Dimension size="6" subsize="3" start="2" />' &&
		tr -d '\n' <inter.proj | grep -qE "<DARRAY [^>]*ndims=\"2\" order=\"C\" processes=\"$2\" rank=\"0\" oldType=\"[0-9]*\" > *<Dimension size=\"4\" distribution=\"BLOCK\" processes=\"$2\" /> *<Dimension size=\"6\" distribution=\"CYCLIC\\(2\\)\" processes=\"1\" />" &&
		grep -qxF 'File name="it\047s \042twice\042.0" Size=0 id=1' \
			./*_0_0.info || return 1
	records inter "$(host_label)_0_0" | grep '^File' | tr '\n' ';' |
		sed 's/ size=[^;]*;/;/g; s/ name=[^;]* fid/ fid/g' >found
	cat found
	[ "$(sed 's/ offset=0//g' found)" = "File_open cid=1 fid=0;\
File_open cid=1 fid=1;File_write_at fid=1;File_close fid=0;\
File_write_at fid=1;File_close fid=1;" ]
}

# Sizes above 2^31 by arithmetic, and the arguments of the datatypes.
large() {
	most=2147483653
	cd "$scratch/$1-$2-large" || return 1
	grep Type ./*_0_0.info
	records inter "$(host_label)_0_0" | grep '^Send' >found
	cat found
	for bytes in $((4 * most)) $((8 * most)) $most $((1 + most)) \
		$((4 + most)) $((2 * (most - 2))); do
		echo "Send_c size=$((3 * bytes))"
		echo "Send size=$bytes"
	done >expected
	echo "Send_c size=$((3 * most))" >>expected
	sed 's/ count=.*//' found | grep -v '^Ssend' | diff expected - &&
		grep -q "CONTIGUOUS.*integers='$most;'" ./*_0_0.info &&
		grep -q "VECTOR' .*integers='$most;2;3;' addresses=''" \
			./*_0_0.info &&
		grep -q "HVECTOR' .*integers='$most;1;' addresses='0;'" \
			./*_0_0.info &&
		grep -q "HINDEXED' .*integers='2;1;$most;' addresses='0;1;'" \
			./*_0_0.info &&
		grep -q "STRUCT' .*integers='2;1;$most;' addresses='0;1;'" \
			./*_0_0.info &&
		grep -qE "SUBARRAY.*integers='2;$most;4;$((most - 2));2;1;1;[0-9]+;'.*order='C'" \
			./*_0_0.info
}

[ $# -gt 0 ] || set -- 3
for library in $(built_libraries); do
	can_launch "$library" || {
		skip "$library" "mpiexec does not work here"
		continue
	}
	ok "$library: the program is built" build "$library"
	for ranks; do
		for part in groups twins nobody meet spawn types large; do
			title="$library, $ranks ranks: $part is as counted"
			case $part in
			meet | spawn)
				can_be_dynamic "$library" "$part" || {
					skip "$title" "without HDTrace: $(cat \
						"$scratch/cannot")"
					continue
				}
				;;
			esac
			counted "$library" "$ranks" "$part" >"$scratch/log" 2>&1
			code=$?
			if [ "$code" -eq 77 ] && [ "$part" = large ]; then
				skip "$title" "the MPI library cannot"
				continue
			fi
			# What was said is for those that fail.
			ok "$title" sh -c "cat '$scratch/log'; exit $code"
			case $part in
			groups)
				ok "$library, $ranks ranks: messages have the right receivers" \
					receivers "$library" "$ranks"
				ok "$library, $ranks ranks: .info files have the expected lines" \
					lines "$library" "$ranks"
				;;
			twins | types | large)
				ok "$library, $ranks ranks: members of $part are listed" \
					$part "$library" "$ranks"
				;;
			esac
		done
	done
done
done_testing
