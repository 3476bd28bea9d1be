#!/bin/sh
# hdtrace merge --into: projects of several programs as one. Times are constructed:
# what was so is known, and by how much the clock of each program is wrong.
# shellcheck disable=SC2016 # for the shell that runs it
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99

fresh() {
	cd "$scratch" && rm -rf work && mkdir work && cd work || exit 99
}

# Write a file of relations: FILE HOST PID NUMBER LEVELS, elements on stdin.
relations() {
	{
		printf '<relation version="1" hostID="%s" localToken="%s" ' "$2" "$3"
		printf 'topologyNumber="%s" timeAdjustment="1000000000" levels="%s">\n' \
			"$4" "$5"
		tr -d '\n'
		printf '</relation>'
	} >"$1.rel"
}

# A project: NAME LEVEL,... PATH of its node, as labels.
project() {
	awk -v name="$1" -v levels="$2" -v path="$3" 'BEGIN {
		printf "<Application name=\"%s\"><Topology>", name
		count = split(levels, level, ",")
		for (i = 1; i <= count; i++) printf "<Level type=\"%s\">", level[i]
		for (i = 1; i <= count; i++) printf "</Level>"
		count = split(path, label, "_")
		for (i = 1; i <= count; i++) printf "<Node name=\"%s\">", label[i]
		for (i = 1; i <= count; i++) printf "</Node>"
		print "</Topology></Application>"
	}' >"$1.proj"
}

# A client whose clock is right, and a server whose clock shows 5 s less.
# Relations began at the client at 10 and 20 s; what they caused at the server at
# 10.1 and 20.3 s, which its clock takes for 5.1 and 15.3 s. At 11 and 20.5 s the
# client named these as further causes. So the server is later by at least
# 10 - 5.1 = 4.9 s, and by at most 20.5 - 15.3 = 5.2 s; 5.05 s lies between.
client_server() {
	project client Host,Process,Part A_client_CLIENT
	relations client_A_client_CLIENT A 1.1 0 'Host Process Part' <<'XML'
<rel t="0" time="10"/><s name="write" t="0" time="10"/>
<rel t="1" time="20"/>
<link t="0" time="11" r="B:2.2:0:7"/><e t="0" time="12"/><un t="0" time="12"/>
<link t="1" time="20.5" r="B:2.2:0:8"/><un t="1" time="21"/>
XML
	project server Host,Layer B_REQ
	relations server_B_REQ B 2.2 0 'Host Layer' <<'XML'
<rel t="7" time="5.1" r="A:1.1:0:0"/><s name="request" t="7" time="5.1"/>
<e t="7" time="5.9"/><un t="7" time="5.95"/>
<rel t="8" time="15.3" r="A:1.1:0:1"/><un t="8" time="15.6"/>
XML
}

# What --format=csv has of each project: "ROW.." STATUS ARGUMENT...
joins() {
	printf '%s\n' "$1" >wanted
	shift
	status "$1" merge --format=csv --into=all/all "$2" "$3" \
		${4+"$4"} ${5+"$5"} ${6+"$6"} || return 1
	sed 1d "$scratch/out" | diff wanted -
}

# Names of files of the joined project: "NAME.." sorted.
files_are() {
	ls all >names
	printf '%s\n' "$@" | diff - names
}

# When relations of the joined project began: "TOKEN SECOND.." by token.
began() {
	printf '%s\n' "$@" >wanted
	"$hdtrace" relations --format=json all/all >list.json || return 1
	python3 -c '
import json
from decimal import Decimal
for x in sorted(json.load(open("list.json"), parse_float=Decimal)["relations"], key=lambda x: x["token"]):
    print(x["token"], "%.9f" % (x["start_s"] - 1000000000))
' | diff wanted -
}

# All inputs are what they were: COMMAND...
untouched() {
	for of in *; do [ -d "$of" ] || cksum "$of"; done >"$scratch/sums"
	"$@" || return 1
	(cd "$scratch/work" && for of in *; do
		[ -d "$of" ] || cksum "$of"
	done) | grep -v ' \(wanted\|names\|list.json\|out\|err\)$' >"$scratch/after"
	grep -v ' \(wanted\|names\|list.json\|out\|err\)$' "$scratch/sums" |
		diff - "$scratch/after"
}

nothing_there() {
	find all -type f
	! find all -type f | grep .
}

if ! command -v python3 >/dev/null; then
	skip_all "no python3"
fi

fresh
client_server
mkdir all
ok "two projects: the offset is the middle of the bounds" untouched joins "\
client,client,0.000000000,reference,,,4
server,server,5.050000000,relations,4.900000000,5.200000000,4" 0 client server
ok "the joined project has all files" files_are all.proj all_A_client_CLIENT.rel all_B_server_REQ.rel
ok "the topology is Host > Process > Part" grep -q \
	'levels="Host Process Part"' all/all_B_server_REQ.rel
ok "the .proj file contains the topology" sh -c 'sed -n "s/.*Level type=\"\([^\"]*\)\".*/\1/p" \
	all/all.proj | tr "\n" " " | grep -qx "Host Process Part "'
ok "times are shifted by the offset" began A:1.1:0:0\ 10.000000000 \
	A:1.1:0:1\ 20.000000000 B:2.2:0:7\ 10.150000000 B:2.2:0:8\ 20.350000000
ok "check finds no problem in the joined project" status 0 check all/all
ok "an existing project is kept" says "--force replaces it" 2 \
	merge --into all/all client server
ok "--force replaces an existing project" status 0 merge --force --into all/all client server
ok "--offset within the bounds is used" joins "\
client,client,0.000000000,reference,-0.200000000,0.100000000,4
server,server,5.000000000,hand,4.900000000,5.200000000,4" 0 \
	--force --offset=server=5 client server
ok "times are shifted by --offset" began A:1.1:0:0\ 10.000000000 \
	A:1.1:0:1\ 20.000000000 B:2.2:0:7\ 10.100000000 B:2.2:0:8\ 20.300000000
ok "--offset outside the bounds causes a warning" says "needs at least 4.900000000 s" 1 \
	merge --force --into all/all --offset=server=1 client.proj server
ok "hdtrace check reports the offset outside the bounds" breaks rel.child-early 1 check all/all
ok "--offset of both projects is used" joins "\
client,client,-1.000000000,hand,-1.200000000,-0.900000000,4
server,server,4.000000000,hand,3.900000000,4.200000000,4" 0 \
	--force --offset=server=4 --offset=client=-1 client server
ok "merge --into prints JSON" status 0 merge --force --format=json --into all/all client server
ok "JSON output has the projects" python3 -c '
import json, sys
it = json.load(open(sys.argv[1]))
assert it["schema"] == "hdtrace-merge" and it["files"] == 2, it
server = it["projects"][1]
assert (server["lowest_s"], server["highest_s"], server["pairs"]) == (4.9, 5.2, 4)
assert (server["by"], server["shift_s"]) == ("relations", 5.05), server
' "$scratch/out"
ok "merge --into prints text" status 0 merge --force --into all/all client server
ok "text output has the bounds" grep -q 'relations *4\.9.* 5\.2' "$scratch/out"

# Without links only the least is known: the least that is needed.
fresh
client_server
mkdir all
sed 's/<link [^>]*>//g' client_A_client_CLIENT.rel >x
mv x client_A_client_CLIENT.rel
ok "a bound on one side is the offset" joins "\
client,client,0.000000000,reference,,,2
server,server,4.900000000,relations,4.900000000,,2" 0 client server
sed 's/time="5\.1"/time="25"/g; s/time="5\.9/time="26/g; s/time="15/time="35/g' \
	server_B_REQ.rel >x
mv x server_B_REQ.rel
ok "an offset within its bounds stays" joins "\
client,client,0.000000000,reference,,,2
server,server,0.000000000,relations,-15.000000000,,2" 0 \
	--force client server
project lone Host,Process C_lone
relations lone_C_lone C 1 0 'Host Process' <<'XML'
<rel t="0" time="3"/><un t="0" time="4"/>
XML
ok "nodes without bounds are reported" says "no relation connects it with the other projects" 0 \
	merge --force --into all/all client server lone
ok "a node without bounds is not shifted" joins "\
client,client,0.000000000,reference,,,2
server,server,0.000000000,relations,-15.000000000,,2
lone,lone,0.000000000,nothing,,,0" 0 --force client server lone
ok "a W3C span refers to its cause" sh -c '
	python3 - <<END
hash = 0xcbf29ce484222325
for byte in b"A:1.1:0:0":
    hash = (hash ^ byte) * 0x100000001b3 % 2**64
text = open("server_B_REQ.rel").read()
open("server_B_REQ.rel", "w").write(
    text.replace("r=\"A:1.1:0:0\"", "ws=\"%016x\"" % hash)
        .replace("r=\"A:1.1:0:1\"", "ws=\"%016x\"" % (hash ^ 1)))
END
	grep -q ws= server_B_REQ.rel'
rm all/*
ok "a W3C span gives a bound" joins "\
client,client,0.000000000,reference,,,1
server,server,0.000000000,relations,-15.000000000,,1" 0 --force client server

# a causes b, b causes c: clocks of b and c show 2 s and 5 s less, and a project
# with clocks that are wrong by 0.25 s at most.
three() {
	project a Host,Process A_a
	relations a_A_a A 1 0 'Host Process' <<'XML'
<rel t="0" time="10"/><un t="0" time="20"/>
XML
	project b Host,Process B_b
	relations b_B_b B 1 0 'Host Process' <<'XML'
<rel t="0" time="8" r="A:1:0:0"/><un t="0" time="19"/>
XML
	project c Host,Process C_c
	relations c_C_c C 1 0 'Host Process' <<'XML'
<rel t="0" time="5" r="B:1:0:0"/><un t="0" time="19"/>
XML
}

fresh
three
mkdir all
ok "three projects are aligned by their chain of bounds" joins "\
a,a,0.000000000,reference,,,1
b,b,2.000000000,relations,2.000000000,,2
c,c,5.000000000,relations,5.000000000,,1" 0 a b c
ok "the three projects begin at the same time" began A:1:0:0\ 10.000000000 B:1:0:0\ 10.000000000 \
	C:1:0:0\ 10.000000000
ok "the order of projects does not matter" joins "\
c,c,0.000000000,reference,,,1
a,a,-5.000000000,relations,,-5.000000000,1
b,b,-3.000000000,relations,-3.000000000,-3.000000000,2" 0 --force c a b
ok "the projects begin at the same time in another order" began A:1:0:0\ 5.000000000 B:1:0:0\ 5.000000000 \
	C:1:0:0\ 5.000000000
ok "--offset of a middle project moves its neighbors" joins "\
a,a,0.000000000,reference,,2.000000000,1
b,b,4.000000000,hand,2.000000000,,2
c,c,7.000000000,relations,7.000000000,,1" 0 --force --offset=b=4 a b c
# Times of c are wrong by 0.25 s at most: it is needed that much less.
sed 's,</Topology>,&<ClockList><Clock node="C" method="ping-pong" error="0.25"><Point time="1" offset="0" error="0.25" /></Clock></ClockList>,' \
	c.proj >x && mv x c.proj
ok "clock errors widen the bounds" joins "\
a,a,0.000000000,reference,,,1
b,b,2.000000000,relations,2.000000000,,2
c,c,4.750000000,relations,4.750000000,,1" 0 --force a b c
# c causes another one of a, which is too early for that.
relations a_A_a A 1 0 'Host Process' <<'XML'
<rel t="0" time="10"/><un t="0" time="20"/>
<rel t="1" time="9" r="C:1:0:0"/><un t="1" time="20"/>
XML
ok "contradictory bounds of three projects are reported" says \
	"a, b, c: no offsets are consistent with all relations between these projects" 2 \
	merge --force --into all/all a b c
ok "--offset resolves a contradiction" joins "\
a,a,0.000000000,reference,4.750000000,,2
b,b,4.125000000,relations,2.000000000,6.250000000,2
c,c,9.000000000,hand,,4.250000000,2" 1 --force --offset=c=9 a b c
relations a_A_a A 1 0 'Host Process' <<'XML'
<rel t="0" time="10"/><rel t="3" time="9" r="B:1:0:0"/><un t="0" time="20"/>
XML
ok "contradictory bounds of two projects are reported" says "no offset of b to a fits all relations: \
at least 2.000000000 s for relation 0 of b_B_b.rel, at most \
1.000000000 s for relation 3 of a_A_a.rel; --offset sets one" 2 \
	merge --force --into all/all a b

# ---- Topologies --------------------------------------------------------------

# Ranks of MPI on two hosts, a server on one of them, and another program whose
# ranks are called the same.
fresh
make_mini
client_server
rm client*
sed 's/"A:1.1:0:[01]"/"alpha:9.9:0:0"/; s/hostID="B"/hostID="alpha"/' \
	server_B_REQ.rel >server_alpha_REQ.rel && rm server_B_REQ.rel
sed 's/"B"/"alpha"/' server.proj >x && mv x server.proj
energy_stat alpha >server_alpha_Energy.stat
mkdir two && (cd two && make_mini && net_stat alpha >mini_alpha_Net.stat)
mkdir all
ok "ranks and servers are joined" untouched status 1 merge --into all/all mini server
ok "files of the same host in two projects are reported" says 'moved to node "server"' 1 \
	merge --force --into all/all mini server
ok "a second file of a host gets its own node" files_are all.proj all_alpha_0.info all_alpha_0.trc \
	all_alpha_Energy.stat all_alpha_server_Energy.stat \
	all_alpha_server_REQ.rel all_beta_1.info all_beta_1.trc \
	all_beta_Net.stat
ok "the header contains the new node" sh -c 'head -c 200 all/all_alpha_server_Energy.stat |
	tr -d "\n" | grep -q "<Label value=\"alpha\"> *<Label value=\"server\" /> *</Label></TopologyNode>"'
ok "joining adds no problems except orphans" breaks \
	"rel.orphan" 1 check all/all
ok "communicators and datatypes follow their ranks" sh -c '
	grep -c "<Communicator " all/all.proj | grep -qx 3 &&
	grep -q "<Rank name=\"1\" thread=\"0\">" all/all.proj'
"$hdtrace" dump --format=csv mini | sed -n "s/^state,[^,]*,//p" | sort >a
"$hdtrace" dump --format=csv all/all | sed -n "s/^state,[^,]*,//p" | sort >b
ok "states are unchanged" sh -c '[ -s a ] && diff a b'
"$hdtrace" dump --format=csv mini | grep "^value," >a
"$hdtrace" dump --format=csv all/all | grep "^value," >b
ok "statistics are unchanged" sh -c '
	[ -s a ] && grep -v "^value,alpha_server," b | diff a - &&
	sed -n "s/^value,alpha_server,/value,alpha,/p" b >c &&
	grep "^value,alpha,Energy" a | diff - c'
rm all/*
ok "equal ranks of two programs get new names" says '"mini-2-" is prepended' \
	1 merge --into all/all --offset=two/mini=100 mini two/mini
ok "relations of the first project are kept" sh -c '
	ls all && [ -f all/all_alpha_0.trc ] &&
	[ -f all/all_alpha_mini-2-0.trc ] && [ -f all/all_alpha_Energy.stat ] &&
	[ -f all/all_alpha_mini-2_Energy.stat ] &&
	[ -f all/all_alpha_Net.stat ] && [ -f all/all_beta_mini-2_Net.stat ]'
"$hdtrace" dump --format=csv mini | grep "^value,beta,Net," |
	sed 's/beta/beta_mini-2/' |
	awk -F, -v OFS=, '{
		for (i = 6; i <= 7; i++)
			$i = sprintf("%d%s", substr($i, 1, 10) + 100,
				     substr($i, 11))
		print
	}' >a
"$hdtrace" dump --format=csv all/all | grep "^value,beta_mini-2,Net," >b
ok "statistics are shifted by the offset" sh -c '[ -s a ] && diff a b'
ok "check finds no problem after the shift" status 0 check all/all
rm all/*
project deep Rack,Host,Rank r1_n1_5
printf "<Program timeAdjustment='1000000000' levels='Rack Host Rank'>\n<Work time='1' end='2'/>\n</Program>\n" \
	>deep_r1_n1_5.trc
ok "projects with levels above hosts are joined" status 0 merge --into all/all mini deep
ok "labels of levels above hosts prefix host names" [ -f all/all_r1-n1_5.trc ]
ok "levels above hosts are removed from the header" sh -c \
	"grep -q \"levels='Host Rank'\" all/all_r1-n1_5.trc"
rm all/*
project 7 Host,Layer n1_X
printf "<Program timeAdjustment='1000000000'>\n<Work time='1' end='2'/>\n</Program>\n" \
	>7_n1_X.trc
ok "a numeric name is not taken for a rank" status 0 merge --into all/all mini 7
ok "a numeric name gets a prefix" [ -f all/all_n1_program-7_X.trc ]

# ---- What goes wrong ---------------------------------------------------------

fresh
client_server
mkdir all
while IFS='|' read -r title text arguments; do
	# shellcheck disable=SC2086 # they are several
	ok "$title" untouched says "$text" 2 merge $arguments
	ok "$title: nothing is written" nothing_there
done <<'END'
no project|missing argument: PREFIX|--into all/all
one that is not there|no .trc, .info, .stat or .rel files|--into all/all client nobody
a directory as the name|invalid project name|--into all client server
a directory that is not there|No such file or directory|--into none/all client server
itself|choose another name|--force --into client client server
twice|given twice|--into all/all client ./client.proj
offset of nobody|does not name exactly one of the projects|--into all/all --offset=x=1 client server
offset without seconds|expected PROJECT=DURATION|--into all/all --offset=client client server
offset of words|expected PROJECT=DURATION|--into all/all --offset=client=soon client server
offset of ages|expected PROJECT=DURATION|--into all/all --offset=client=1e30 client server
offset twice|is given twice|--into all/all --offset=client=1 --offset=client.proj=1 client.proj server
offset without --into|--offset: requires --into|--offset=client=1 client
another option|--levels: cannot be combined with --into|--into all/all --levels=Host client server
output|--output: cannot be combined with --into|--into all/all -o x client server
END
ln -s . link
for into in "$PWD/client" ./../work/client link/client.proj; do
	ok "an input project as output is refused" untouched says "choose another name" 2 \
		merge --force --into "$into" client server
done
rm link
mv server.proj x
ok "a project without a .proj is refused" says "'hdtrace merge server' writes it" 2 \
	merge --into all/all client server
mv x server.proj
echo "<Application" >broken.proj
cp client_A_client_CLIENT.rel broken_A_x_y.rel
sed 's/1.1/3.3/' client_A_client_CLIENT.rel >broken_A_x_y.rel
ok "an unreadable .proj is refused" status 2 merge --into all/all client broken
ok "no file is written for an unreadable .proj" nothing_there
rm broken*
mkdir other
cp client.proj other/same.proj
cp client_A_client_CLIENT.rel other/same_A_client_CLIENT.rel
ok "relations with equal IDs are refused" says \
	"same hostID, localToken and topologyNumber: A:1.1:0" 2 \
	merge --into all/all client other/same
rm -r other
echo x >all/all_Z.trc
ok "a foreign file in the target directory is refused" says "does not belong to any of the projects" 2 \
	merge --into all/all client server
rm all/all_Z.trc
echo x >all/all_B_server_REQ.rel
ok "an existing file of the same name is kept" says "--force replaces it" 2 \
	merge --into all/all client server
ok "no other file remains" sh -c \
	'[ "$(ls all)" = all_B_server_REQ.rel ] && grep -qx x all/all_B*'
ok "--force replaces a file of the same name" status 0 merge --force --into all/all client server
cp -R all old
python3 -c '
print("".join("<rel t=\"%d\" time=\"30\"/><un t=\"%d\" time=\"31\"/>" % (i, i)
              for i in range(100, 40000)), end="")' |
	relations server_B_MORE B 2.2 1 'Host Layer'
# A file may grow to so many blocks of 512 bytes, as if the disk was full.
too_big() {
	(trap '' XFSZ && ulimit -f 1000 && untouched says "File too large" 2 \
		merge --into all/all client server)
}
too_big_again() {
	(trap '' XFSZ && ulimit -f 1000 && untouched says "File too large" 2 \
		merge --force --into all/all --offset=client=-1 --offset=server=4 \
		client server) && diff -r all old
}
ok "a full disk keeps the old project" too_big_again
rm -r all old
mkdir all
ok "a full disk is reported" too_big
ok "a full disk leaves no files" nothing_there
ok "a FIFO in place of the project is refused" sh -c '
	mkfifo all/all.proj && ! timeout 20 "$0" merge --into all/all client server' \
	"$hdtrace"
rm all/all.proj
status 0 merge --into all/all client server && cp -R all whole && rm all/*

# It is killed at any time, and tried again.
killed() {
	for after in 0.005 0.01 0.02 0.04 0.08; do
		timeout -s KILL "$after" "$hdtrace" merge --into all/all client \
			server >/dev/null 2>&1
		[ ! -f all/all.proj ] || diff -r all whole || return 1
		rm -f all/all.proj all/*.[A-Za-z0-9]*.??????
		status 0 merge --into all/all client server &&
			diff -r all whole || return 1
		rm all/*
	done
}
ok "a killed merge can be repeated" untouched killed

# Types of levels may be called anything.
fresh
for program in a b; do
	project "$program" 'Host,Process,R&amp;D' "A_${program}_X"
	relations "${program}_A_${program}_X" A "$program.1" 0 Host <<'XML'
<rel t="0" time="10"/><un t="0" time="12"/>
XML
done
mkdir all
ok "a level with special characters is joined" status 0 merge --into all/all a b
ok "a project with special characters passes check" status 0 check all/all
ok "the header escapes special characters" grep -q 'levels="Host Process R&amp;D"' all/all_A_a_X.rel

# More files than may be open at once.
fresh
client_server
mkdir all
for i in $(seq 100 199); do
	printf '<rel t="0" time="30"/><un t="0" time="31"/>' |
		relations "server_B_N$i" B "$i.1" 0 'Host Layer'
done
few_open() {
	# shellcheck disable=SC3045 # where it is not known, nothing is lost
	(ulimit -n 50; "$@")
}
ok "joining many files needs few open files" few_open status 0 merge --into all/all client server
ok "adjusting many files needs few open files" few_open status 0 merge --force \
	--time-adjust=B=1 server
done_testing
