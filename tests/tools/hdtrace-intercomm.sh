#!/bin/sh
# Messages over intercommunicators, and over communicators of the same ranks: who
# receives them.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/intercomm.sh"
python=$(command -v python3)
cd "$scratch" && make_intercomm || exit 99

merged() {
	status 0 merge inter && cat inter.proj && sed -n '/<Comm.*List/,/<.Comm.*List/p' \
		inter.proj | tr -d '\n' | sed 's/  */ /g' >found &&
		tr -d '\n' >expected <<'END' && diff expected found
 <CommunicatorList>
 <Communicator name="WORLD">
 <Rank global="0" local="0" cid="0" />
 <Rank global="1" local="1" cid="0" />
 <Rank global="2" local="2" cid="0" />
 <Rank global="3" local="3" cid="0" />
 </Communicator>
 <Communicator name="It&apos;s" uid="a1" inter="1">
 <Rank global="0" local="0" cid="1" />
 <Rank global="1" local="0" cid="1" group="1" />
 <Rank global="2" local="1" cid="1" />
 <Rank global="3" local="1" cid="1" group="1" />
 </Communicator>
 <Communicator name="twin" uid="b1">
 <Rank global="0" local="0" cid="2" />
 <Rank global="1" local="1" cid="2" />
 <Rank global="2" local="2" cid="3" />
 <Rank global="3" local="3" cid="3" />
 </Communicator>
 <Communicator name="twin" uid="b2">
 <Rank global="0" local="0" cid="3" />
 <Rank global="1" local="1" cid="3" />
 <Rank global="2" local="2" cid="2" />
 <Rank global="3" local="3" cid="2" />
 </Communicator>
 <Communicator name="" uid="c1" inter="1" remoteSize="2">
 <Rank global="0" local="0" cid="4" />
 </Communicator>
 </CommunicatorList>
END
}

# Messages as ranks have them, sorted: FILE, from paths to ranks.
by_ranks() {
	sed 's/[a-z]*_\([0-9]\) [a-z]*_\([0-9]\)/\1 \2/' "$1" | sort >found
	echo "$intercomm_messages" | diff - found
}

paraver() {
	status 0 export -t paraver -o out.prv inter || return 1
	"$python" "$abs_top_srcdir/tests/tools/readers/paraver.py" \
		out.prv/inter --undamaged &&
		"$python" "$abs_top_srcdir/tests/tools/readers/prvmessages.py" \
			out.prv/inter >messages || return 1
	# Since the start of the trace, which is the first record.
	awk '{ print $1, $2, $3, $4, $5 + 1e9, $6 + 1e9 }' CONVFMT=%.0f \
		OFMT=%.0f messages >shifted
	by_ranks shifted
}

# What otf2-print says of messages, by the names of locations: END of each.
otf2_ends() {
	awk -v wanted="MPI_$1" '$1 == wanted {
		match($0, /\("Rank [0-9]+"/)
		peer = substr($0, RSTART + 7, RLENGTH - 8)
		match($0, /Tag: [0-9]+/)
		tag = substr($0, RSTART + 5, RLENGTH - 5)
		match($0, /Length: [0-9]+/)
		size = substr($0, RSTART + 8, RLENGTH - 8)
		if (wanted == "MPI_SEND")
			print $2, peer, tag, size, $3
		else
			print peer, $2, tag, size, $3
	}' printed | sort >"found.$1"
	cat "found.$1"
}
otf2() {
	status 0 export -t otf2 -o out.otf2 inter || return 1
	cat "$scratch/err"
	grep -q 'from and to other programs' "$scratch/err" || return 1
	otf2-print out.otf2/traces.otf2 >printed 2>warned &&
		otf2-print -G out.otf2/traces.otf2 >definitions || return 1
	cat warned printed
	grep -E '^(INTER_COMM|GROUP|COMM) ' definitions
	# Locations are ranks here.
	otf2_ends SEND
	otf2_ends RECV
	[ ! -s warned ] || return 1
	echo "$intercomm_messages" | awk '{ print $1, $2, $3, $4, 1e18 + $5 }' \
		OFMT=%.0f CONVFMT=%.0f | sort | diff - found.SEND &&
		echo "$intercomm_messages" |
		awk '{ print $1, $2, $3, $4, 1e18 + $6 }' \
			OFMT=%.0f CONVFMT=%.0f | sort | diff - found.RECV ||
		return 1
	grep '^MPI_COLLECTIVE_END' printed |
		sed 's/.* \([0-3]\)  *[0-9]*  *.*Root: \([A-Z0-9_]*\).*Sent/\1 \2 Sent/' \
			>roots
	diff - roots <<'END'
0 SELF Sent: 4, Received: 0
1 0 Sent: 0, Received: 4
2 THIS_GROUP Sent: 0, Received: 0
3 0 Sent: 0, Received: 4
END
}

dumped() {
	status 0 dump --only=project inter && cat "$scratch/out" &&
		grep -qF "communicator \"It's\" uid \"a1\" 0->0(cid 1) 2->1(cid 1)\
 and 1->0(cid 1) 3->1(cid 1)" "$scratch/out" &&
		status 0 dump --only=project --format=csv inter &&
		grep -c '^remote-rank,' "$scratch/out" | grep -qx 2 &&
		status 0 dump --only=project --format=json inter &&
		grep -q '"remote_size": 2' "$scratch/out"
}

ok "merge keeps both groups, and separates equal intercommunicators" merged
ok "check finds no problem" breaks "" 0 check inter
ok "dump shows both groups" dumped
[ -n "$python" ] || skip "paraver" "there is no python3"
[ -z "$python" ] || ok "paraver: the receivers are right" paraver
if ! "$hdtrace" export --to otf2 -o none none 2>&1 | grep -q 'built without' &&
	command -v otf2-print >/dev/null; then
	ok "otf2: the receivers are right" otf2
else
	skip "otf2" "there is no otf2-print"
fi
done_testing
