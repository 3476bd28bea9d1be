#!/bin/sh
# hdtrace merge: the .proj that it writes, what it refuses, and time
# adjustments.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99

# A new empty directory as the current one.
fresh() {
	cd "$scratch" && rm -rf work && mkdir work && cd work || exit 99
}

# An empty trace with the given attribute text: FILE [TEXT].
trace() {
	printf "<Program timeAdjustment='5'%s>\n</Program>\n" "${2:+ $2}" >"$1"
}

# hdtrace merge ARGUMENT... gives this topology (paths, and types of levels):
# "PATH.." "TYPE.." ARGUMENT...
topology() {
	nodes=$1
	levels=$2
	shift 2
	status 0 merge -o - "$@" || return 1
	cp "$scratch/out" "$scratch/made.proj"
	sed -n 's/^ *<Level type="\([^"]*\)".*/\1/p' "$scratch/out" |
		tr '\n' ' ' >"$scratch/levels"
	awk '/<Node/ {
			split($0, part, "\"")
			path[depth + 1] = depth ? path[depth] "_" part[2] : part[2]
			printf "%s ", path[depth + 1]
			if (!/\/>/) depth++
		}
		/<\/Node/ { depth-- }' "$scratch/out" >"$scratch/nodes"
	cat "$scratch/nodes" "$scratch/levels"
	[ "$(cat "$scratch/nodes")" = "${nodes:+$nodes }" ] &&
		[ "$(cat "$scratch/levels")" = "${levels:+$levels }" ]
}

# A merge of a project without its .proj gives, in any order, the same lines of
# the historic one: PROJECT DIRECTORY.
as_history() {
	fresh
	cp "$corpus/$2/$1"_* . && chmod u+w ./* || return 1
	status 0 merge "$1" || return 1
	for file in "$corpus/$2/$1.proj" "$1.proj"; do
		# Levels: the programs of that time did not name the types.
		# Sizes, and how files are spread: see the manual page.
		tr -d '\r' <"$file" | sed -e 's/^[ 	]*//' -e 's/  */ /g' \
			-e 's, */>,/>,' -e 's, *>,>,' -e 's/^<?.*?>//' |
			grep -vE '^$|^</?(Level|Application|Description)|^<(InitialSize|Distribution|ChunkSize)' |
			sort >"$scratch/lines"
		mv "$scratch/lines" "$scratch/lines.$((seen = 1 - ${seen:-0}))"
	done
	wc -l "$scratch/lines.0"
	diff "$scratch/lines.0" "$scratch/lines.1" && status 0 check "$1"
}

# What the merged project says about a rank: cids of communicators in order.
same_dump() {
	"$hdtrace" dump --format=csv --only=project "$corpus/$2" >"$scratch/a"
	"$hdtrace" dump --format=csv --only=project "$scratch/work/$1" \
		>"$scratch/b"
	for side in a b; do
		grep -E '^(node|rank|datatype|datatype-attribute|group),' \
			"$scratch/$side" | cut -d, -f 1,2,4,5,9- |
			grep -v '^node,,' | sort >"$scratch/$side.sorted"
	done
	wc -l "$scratch/a.sorted"
	[ -s "$scratch/a.sorted" ] &&
		diff "$scratch/a.sorted" "$scratch/b.sorted"
}

# All times of a dump: NODE.
times_of() {
	"$hdtrace" dump --format=csv -n "$1" mini | cut -d, -f 6,7 |
		grep -E '^[0-9]' | sort -u
}

# Times of NODE were shifted by SECONDS against the file $scratch/before.
shifted() {
	times_of "$1" >"$scratch/after"
	awk -F, -v by="$2" '{
		for (i = 1; i <= 2; i++) {
			split($i, part, ".")
			part[1] += by
			printf "%s%d.%s", (i > 1 ? "," : ""), part[1], part[2]
		}
		print ""
	}' "$scratch/before" | diff - "$scratch/after"
}

# A file differs from its copy in nothing but the adjustment: COPY FILE.
only_header() {
	cmp -s "$1" "$2" && return 1
	rest=$(($(wc -c <"$1") - $(head -n 1 "$1" | sed "s,^0*,,") - 6))
	tail -c "$rest" "$1" >"$scratch/a"
	tail -c "$rest" "$2" >"$scratch/b"
	[ "$rest" -gt 0 ] && cmp "$scratch/a" "$scratch/b"
}

no_leftovers() {
	ls
	! find . -name '*.proj.*' -o -name '*.trc.*' -o -name '*.stat.*' |
		grep .
}

fresh
make_mini
rm mini.proj
ok "merge writes a project" status 0 merge mini
ok "the .proj file is as expected" diff -u "$golden/merge.proj" mini.proj
[ "${HDTRACE_GOLDEN-}" != update ] || cp mini.proj "$golden/merge.proj"
ok "the merged project passes check" status 0 check mini
ok "an existing project is kept" says "--force replaces it" 2 merge mini
ok "--force replaces an existing project" status 0 merge --force mini
ok "merge accepts a directory" status 0 merge --force .
ok "merge accepts the name of a .proj file" status 0 merge --force mini.proj
for format in text csv json; do
	ok "merge prints $format" prints merge.$format 0 merge --force --format=$format \
		mini
done
ok "--name and --description are escaped" prints merge-texts.proj 0 merge -o - \
	--name 'a<b' --description 'two
lines & "quotes"' mini
ok "a full disk is reported" says "No space left" 2 merge -o /dev/full mini
ok "a missing directory is reported" says "No such file" 2 merge -o none/x.proj mini
ok "errors leave no temporary files" no_leftovers

while IFS='|' read -r text arguments; do
	# shellcheck disable=SC2086
	ok "refuses $arguments" says "$text" 2 merge --force $arguments
done <<'END'
no .trc, .info, .stat or .rel files with this prefix|maxi
No such file|none/x
--levels: 1 given, but the files have 2 levels|--levels Host mini
--levels: invalid type of a level: ""|--levels Host,,Rank mini
--levels: invalid type of a level: "a_b"|--levels a_b,Rank mini
--levels: the list is empty|--levels= mini
--time-adjust: invalid value "alpha"; expected NODE=DURATION|--time-adjust alpha mini
--time-adjust: invalid value "alpha=x"; expected NODE=DURATION|--time-adjust alpha=x mini
--time-adjust: invalid value "alpha=0.0000000001"; expected NODE=DURATION|--time-adjust alpha=0.0000000001 mini
unknown node "gamma"|--time-adjust gamma=1 mini
END

# Adjustments.
cp mini_alpha_Energy.stat "$scratch/copy"
times_of alpha >"$scratch/before"
ok "--time-adjust shifts two nodes" status 0 merge --force --time-adjust alpha=2 \
	-t beta=-0.5 mini
ok "all times of a node are shifted" shifted alpha 2
ok "only the header of a shifted file changes" only_header "$scratch/copy" mini_alpha_Energy.stat
times_of alpha >"$scratch/before"
ok "--time-adjust of two nodes adds up" status 0 merge --force -t alpha_0=-2 \
	-t alpha=2.25 -t alpha=-2.25 mini
ok "opposite adjustments cancel" grep -q "timeAdjustment='1000000000'" mini_alpha_0.trc
ok "a trace has a fraction of a second as adjustment" grep -q "timeAdjustment='999999999.5'" \
	mini_beta_1.trc
ok "check accepts the shifted headers" status 0 check mini
stat_adjustment=
energy_stat alpha >mini_alpha_Energy.stat
ok "an empty adjustment is replaced" status 0 merge --force -t alpha=86400.5 mini
ok "the new adjustment is in the header" grep -aq 'timeAdjustment="0000086400.500000000"' \
	mini_alpha_Energy.stat
ok "check accepts the header of new length" status 0 check mini
stat_adjustment='-250ms'
energy_stat alpha >mini_alpha_Energy.stat
ok "an adjustment in milliseconds is changed" status 0 merge --force -t alpha=1 mini
ok "an adjustment in milliseconds is added" grep -aq 'timeAdjustment="0000000000.750000000"' \
	mini_alpha_Energy.stat
stat_adjustment=none
energy_stat alpha >mini_alpha_Energy.stat
ok "a file without an adjustment is shifted" status 0 merge --force -t alpha=1 mini
ok "a missing adjustment is inserted" grep -aq 'timeAdjustment="0000000001.000000000"' \
	mini_alpha_Energy.stat
stat_adjustment=-0000000000.000000000
energy_stat alpha >mini_alpha_Energy.stat
echo nonsense >mini_beta_Net.stat
cp mini_alpha_Energy.stat "$scratch/copy"
ok "a file that cannot be adjusted is reported" says "no header with a timeAdjustment" 2 \
	merge --force -t alpha=1 -t beta=1 mini
ok "no file is adjusted after an error" cmp mini_alpha_Energy.stat "$scratch/copy"
ok "a failed adjustment leaves no temporary files" no_leftovers

# The length of a header has five digits.
stat_adjustment=none
energy_stat alpha >mini_alpha_Energy.stat
length=$(head -c 5 mini_alpha_Energy.stat | sed 's/^0*//')
{
	echo 99999
	tail -c +7 mini_alpha_Energy.stat | head -c "$length" |
		sed "s/<Group /<Group $(printf "%*s" "$((99999 - length))" "")/"
	tail -c "+$((7 + length))" mini_alpha_Energy.stat
} >"$scratch/copy"
cp "$scratch/copy" mini_alpha_Energy.stat
rm mini_beta_Net.stat
ok "a header that would become too long is reported" says "would become too long" 2 \
	merge --force -t alpha=1 mini
ok "a header that would become too long is kept" cmp mini_alpha_Energy.stat "$scratch/copy"
stat_adjustment=-0000000000.000000000
energy_stat alpha >mini_alpha_Energy.stat
echo nonsense >mini_beta_Net.stat

# Clocks: that of beta is 0.25 s slow at first, and 50 ppm too slow.
clock_lines() {
	echo "Clock time=1000000010 offset=0.2505 error=0.00003 method='ping-pong'"
	echo "Clock time=1000000000 offset=0.25 error=0.00002 method='ping-pong'"
}
add_clocks() {
	fresh
	make_mini
	rm mini.proj
	clock_lines >>mini_beta_1.info
	echo "Clock time=1000000000 offset=0 error=0 method='reference'" \
		>>mini_alpha_0.info
}
# The files of a node are as they were: NODE.
unchanged() {
	for file in "mini_$1"_*; do
		cmp "$file" "$scratch/kept/$file" || return 1
	done
}
keep() {
	rm -rf "$scratch/kept" && cp -r . "$scratch/kept"
}
add_clocks
keep
times_of beta >"$scratch/raw"
ok "merge corrects clocks" prints merge-clocks.text 0 merge mini
ok "the .proj file contains the correction" diff -u "$golden/merge-clocks.proj" mini.proj
[ "${HDTRACE_GOLDEN-}" != update ] || cp mini.proj "$golden/merge-clocks.proj"
ok "check accepts corrected clocks" status 0 check mini
ok "info prints the clock comparisons" sh -c "'$hdtrace' info mini |
	grep 'Clocks *2 compared, error up to 30.000 us'"
ok "info prints the clock comparisons as JSON" sh -c "'$hdtrace' info --format=json mini |
	grep '\"offset_error_s\": 0.000030000'"
ok "files of the reference clock are unchanged" unchanged alpha
ok "times of a trace are corrected" grep -q \
	"<Wait  time='0.750025000' end='2.250100000'/>" mini_beta_1.trc
ok "the header of a corrected trace says corrected" grep -q '^<Program clock="corrected"' mini_beta_1.trc
times_of beta >"$scratch/times"
ok "statistics are corrected" diff - "$scratch/times" <<'END'
1000000000.750025000,1000000001.250050000
1000000000.750025000,1000000002.250100000
1000000001.250050000,1000000001.750075000
1000000001.750075000,1000000002.250100000
END
ok ".info files are unchanged" diff -u "$scratch/kept/mini_beta_1.info" \
	mini_beta_1.info
for directory in . "$scratch/kept"; do
	"$hdtrace" dump --format=csv --only=stats \
		"$directory/mini_beta_Net.stat" | grep -v '^group-attribute' |
		cut -d, -f 8-
done >"$scratch/values"
sort "$scratch/values" | uniq -u >"$scratch/odd"
ok "values of statistics are unchanged" test -s "$scratch/values" -a ! -s "$scratch/odd"
keep
ok "corrected files can be merged again" status 0 merge --force mini
ok "clocks are corrected only once" unchanged beta
ok "the .proj file of the second merge is equal" diff -u "$golden/merge-clocks.proj" mini.proj

add_clocks
keep
ok "--raw-times succeeds" status 0 merge --raw-times mini
ok "--raw-times keeps all times" unchanged beta
ok "the project states only the error of the reference" \
	test "$(grep -c "<Clock " mini.proj)" = 1
ok "a later merge with --time-adjust succeeds" status 0 merge --force -t beta=-0.25 mini
ok "a later merge corrects and shifts a trace" grep -q "clock=\"corrected\" timeAdjustment='999999999.75'" \
	mini_beta_1.trc
times_of beta | head -n 1 >"$scratch/times"
ok "a later merge corrects and shifts statistics" diff - "$scratch/times" <<'END'
1000000000.500025000,1000000001.000050000
END

# A slow clock: the second of the trace's start is another one.
add_clocks
printf "Clock time=1000000000 offset=-2.75 error=0.1 method='by hand'\n" \
	>mini_beta_1.info
ok "a clock that is far behind is corrected" status 0 merge mini
ok "no corrected time is negative" grep -q "timeAdjustment='999999997'" mini_beta_1.trc
ok "the sum of adjustment and time is correct" grep -q "time='0.750000000' end='2.250000000'" \
	mini_beta_1.trc

# Whatever the layout, only times of states and events change.
add_clocks
cat >mini_beta_1.trc <<'END'
<?xml version="1.0"?>
<Program timeAdjustment='1000000000' levels='Host Rank'><!-- <A time='1'/> -->
<Read end="2" what='time="1"' time="1"><Data time='1' end='2'><x time='1'/></Data>
text <Nested><In time='1.5' end='2'/><Event name='time' time='1.75'/></Nested></Read>
<Nested>
	<Event name='e' time='3'><Data time='1'/></Event>
	<Odd time='x' end='4'/>
</Nested>
<Write time='2' end='4'/>
<Cut time='5' en
END
ok "a trace with an unusual layout is corrected" status 0 merge mini
ok "the layout of a corrected trace is kept" diff - mini_beta_1.trc <<'END'
<?xml version="1.0"?>
<Program clock="corrected" timeAdjustment='1000000000' levels='Host Rank'><!-- <A time='1'/> -->
<Read end="2.250100000" what='time="1"' time="1.250050000"><Data time='1' end='2'><x time='1'/></Data>
text <Nested><In time='1.750075000' end='2.250100000'/><Event name='time' time='2.000087500'/></Nested></Read>
<Nested>
	<Event name='e' time='3.250150000'><Data time='1'/></Event>
	<Odd time='x' end='4.250200000'/>
</Nested>
<Write time='2.250100000' end='4.250200000'/>
<Cut time='5' en
END

# Relations: times of elements, and not what a program wrote in states.
add_clocks
relations='<rel t="0" time="1.000000"/><s name="a" t="0" time="1.5" end="2" what="time=1"><x time="1"/></s><e t="0" time="2"/><un t="0" time="2"/>'
printf '<relation version="1" hostID="B" localToken="1.1" topologyNumber="0" timeAdjustment="1000000000" levels="Host Rank">\n%s<rel t="1" ti' \
	"$relations" >mini_beta.rel
cp mini_beta.rel "$scratch/relations"
ok "relations are merged" status 0 merge mini
printf '%s\n%s' '<relation clock="corrected" version="1" hostID="B" localToken="1.1" topologyNumber="0" timeAdjustment="1000000000" levels="Host Rank">' \
	'<rel t="0" time="1.250050000"/><s name="a" t="0" time="1.750075000" end="2" what="time=1"><x time="1"/></s><e t="0" time="2.250100000"/><un t="0" time="2.250100000"/><rel t="1" ti' \
	>"$scratch/wanted"
ok "times of relations are corrected" diff "$scratch/wanted" mini_beta.rel
tail -n 1 mini_beta.rel >"$scratch/tail"
ok "relations can be merged again" status 0 merge --force mini
ok "relations are corrected only once" cmp mini_beta.rel "$scratch/wanted"
ok "relations are shifted by a whole second" status 0 merge --force -t beta=2 mini
ok "a whole second is in the header of relations" grep -q 'timeAdjustment="1000000002"' mini_beta.rel
tail -n 1 mini_beta.rel >"$scratch/last"
ok "times of relations exclude a whole second" cmp "$scratch/last" "$scratch/tail"
cp "$scratch/relations" mini_beta.rel
ok "relations are shifted by a fraction of a second" status 0 merge --force --raw-times \
	-t beta=-0.25 mini
ok "the header of relations has whole seconds" grep -q \
	'timeAdjustment="999999999"' mini_beta.rel
ok "times of relations have the fraction of a second" grep -q '<rel t="0" time="1.750000000"/>' \
	mini_beta.rel
cp mini_beta.rel mini_alpha.rel
ok "two relation files of one process are refused" says "same hostID, localToken and topologyNumber" \
	2 merge --force mini
rm mini_*.rel
mkdir other
printf '<relation version="1" hostID="C" localToken="1" topologyNumber="0" timeAdjustment="5">\n<rel t="0" time="1"/></relation>' \
	>other/mini_gamma.rel
ok "relations of a further directory are merged" status 0 merge --force mini other
ok "relations of a further directory are copied" cmp other/mini_gamma.rel mini_gamma.rel
ok "the .proj file has the node of copied relations" grep -q 'Node name="gamma"' mini.proj
rm -r other mini_gamma.rel

# Gaps and damaged statistics, and those that another host's clock stamped.
add_clocks
energy_stat beta >mini_beta_Energy.stat
printf cut >>mini_beta_Energy.stat
energy_stat beta | sed 's/<Group /&clockNode="beta" /' >"$scratch/stat"
length=$(($(head -n 1 "$scratch/stat" | sed 's,^0*,,') + 17))
{
	printf '%05d\n' "$length"
	tail -n +2 "$scratch/stat"
} | sed 's/="beta" \/>/="alpha" \/>/' >"$scratch/other"
{
	printf '%05d\n' $((length + 1))
	tail -n +2 "$scratch/other"
} >mini_alpha_Energy.stat
ok "a file with a gap and a cut tail is corrected" status 0 merge mini
times_of alpha >"$scratch/times"
ok "a host without comparisons has the clock of another host" grep -q \
	'^1000000004.250200000,1000000005.250250000' "$scratch/times"
"$hdtrace" dump --format=csv --only=stats mini_beta_Energy.stat 2>"$scratch/err" |
	cut -d, -f 6,7 | grep -E '^[0-9]' | uniq >"$scratch/times"
ok "all entries and the gap are corrected" diff - "$scratch/times" <<'END'
1000000000.250000000,1000000001.250050000
1000000001.250050000,1000000002.250100000
1000000004.250200000,1000000005.250250000
1000000005.250250000,1000000005.250250000
END
ok "the cut tail is kept" grep -q 'stat.cut-tail' "$scratch/err"

# What clocks must be.
add_clocks
clock_lines >mini.info
ok "a clock comparison without a host is reported" breaks info.clock 1 merge mini
rm mini.info
clock_lines >mini_beta.info
ok "an .info file of a host with clocks only is merged" status 0 merge --force mini
ok "check accepts an .info file with clocks only" status 0 check mini

# Topologies.
fresh
trace p.trc
ok "a trace of the root node is merged" topology "" "" p
fresh
trace p_b.trc
trace p_a10_x_y_z.trc
trace p_a9_1.trc
ok "nodes of any depth are sorted numerically" \
	topology "a9 a9_1 a10 a10_x a10_x_y a10_x_y_z b" \
	"Host Rank Thread Level4" p
ok "--levels sets types of levels" topology "a9 a9_1 a10 a10_x a10_x_y a10_x_y_z b" "A B C D" \
	--levels A,B,C,D p
fresh
trace p_a_1.trc "levels='Cluster Host Core'"
trace p_a_2.trc "levels='Cluster Host Core'"
ok "types of levels are read from a trace" topology "a a_1 a_2" "Cluster Host Core" p
ok "the number of levels determines the prefix" \
	topology "a a_1 a_2" "Cluster Host Core" .
fresh
trace my_project_a_1.trc "levels='Host Rank'"
ok "a prefix with an underscore follows from the levels" topology "a a_1" "Host Rank" .
ok "a prefix with an underscore can be given" topology "a a_1" "Host Rank" my_project
fresh
trace my_project_a_1_0.trc
energy_stat a >my_project_a_Energy.stat
trace my_project_two_a_1_0.trc
energy_stat a >my_project_two_a_Energy.stat
ok "several projects in a directory are refused" \
	says "several projects: my_project, my_project_two; name one of them" 2 \
	merge -o - .
ok "the shorter of two prefixes is merged" topology "a a_1 a_1_0" "Host Rank Thread" my_project
ok "the longer of two prefixes is merged" topology "a a_1 a_1_0" "Host Rank Thread" \
	my_project_two
fresh
trace a_1.trc
trace b_1.trc
ok "several projects without distinction are refused" \
	says "contains several projects" 2 merge -o - .
fresh
ok "an empty directory is refused" says "no .trc, .info, .stat or .rel files" 2 merge .
stat_header '' Load 'name="L" type="DOUBLE"' >p_Load.stat
stamp 1000000000 >>p_Load.stat
ok "a group of the root node is merged" topology "" "" p
ok "the group of the root is declared" grep -q '<Load />' "$scratch/made.proj"
trace p__x.trc
ok "an empty label is reported" breaks merge.file-name 1 merge -o - p
fresh
trace p_a_x_0.trc
rank_info 0 >p_a_x_0.info
ok "an .info file without a rank is reported" breaks info.rank 1 merge -o - p
fresh
rank_info 0 >p_a_0.info
ok "an .info file without a trace is merged" topology "a a_0" "Host Rank" p
cp p_a_0.info p_a_1.info
ok "a communicator without its rank is reported" breaks info.comm-rank 1 merge -o - p
cat p_a_0.info p_a_0.info >double && mv double p_a_0.info && rm p_a_1.info
ok "duplicate IDs are reported" breaks info.id-twice 1 merge -o - p

# Datatypes of every kind.
fresh
cat >p_a_0.info <<'END'
Type id='0' combiner='MPI_COMBINER_NAMED' name='MPI_CHAR'
Type id=1 combiner=MPI_COMBINER_DUP name='d' integers='' addresses='' types='0;'
Type id=2 combiner=CONTIGUOUS name='c"' integers='3;' types='0;'
Type id=3 combiner=MPI_COMBINER_VECTOR name='v' integers='2;3;4;' types='0'
Type id=4 combiner=MPI_COMBINER_HVECTOR name='hv' integers='2;3;' addresses='-4;' types='0;'
Type id=5 combiner=MPI_COMBINER_STRUCT name='\'s\'' integers='2;1;16;' addresses='-8;4;' types='0;1;'
Type id=6 combiner=MPI_COMBINER_INDEXED name='i' integers='2;1;16;8;9;' types='0;'
Type id=7 combiner=MPI_COMBINER_HINDEXED name='hi' integers='2;1;16;' addresses='8;9;' types='0;'
Type id=8 combiner=MPI_COMBINER_INDEXED_BLOCK name='ib' integers='2;16;8;9;' types='0;'
Type id=9 combiner=MPI_COMBINER_HINDEXED_BLOCK name='hib' integers='2;16;' addresses='8;9;' types='0;'
Type id=10 combiner=MPI_COMBINER_RESIZED name='r' addresses='-1;7;' types='0;'
Type id=11 combiner=MPI_COMBINER_SUBARRAY name='a' integers='1;2;3;4;56;' types='0;'
Type id=12 combiner=MPI_COMBINER_STRUCT name='wrong' integers='3;1;16;' addresses='-8;4;' types='0;1;'
Type id=13 combiner=MPI_COMBINER_STRUCT name='huge' integers='9223372036854775807;1;16;' addresses='-8;4;' types='0;1;'
END
ok "datatypes of all kinds are merged" prints merge-datatypes.proj 0 merge -o - p

# Lines of .info files: RULE|LINE.
while IFS='|' read -r rule line; do
	printf '%s\n' "$line" >p_a_0.info
	ok "$rule: $line" breaks "$rule" 1 merge -o - p
done <<'END'
info.kind|Thing id=1
info.kind|comm id=1
info.syntax|Type id
info.syntax|Type =1
info.syntax|Type id =1
info.quote|Type id='1
info.quote|Type id='1\'
info.escape|Type name='\q'
info.escape|Type name='\x'
info.escape|Type name='\0'
info.escape|Type name='\777'
info.escape|Type name=\
info.key-twice|Type id=1 id=1
info.key-missing|Type id=1 name=a
info.key-missing|Type combiner=NAMED name=a
info.key-missing|Type id=1 combiner=NAMED
info.key-missing|Comm id=1 name=a
info.key-missing|File id=1 name=a
info.number|Type id=one name=a combiner=NAMED
info.number|Type id=99999999999999999999 name=a combiner=NAMED
info.number|Type id=1 name=a combiner=X integers='1;two;'
info.number|Type id=1 name=a combiner=X integers='1;;2;'
info.number|File id=1 name=a Size=big
info.map|Comm id=1 name=a map='0'
info.map|Comm id=1 name=a map='0->x;'
info.map|Comm id=1 name=a map='0->0;0->1;'
info.number|Clock time=now offset=1 error=0 method=m
info.number|Clock time=1 offset=1 error=-1 method=m
info.key-missing|Clock time=1 offset=1 error=0
info.key-missing|Clock time=1 error=0 method=m
info.combiner|Type id=1 name=a combiner=''
info.combiner|Type id=1 name=a combiner='A B'
info.combiner|Type id=1 name=a combiner='1A'
info.comm-rank|Comm id=1 name=a map='1->0;'
END
printf "Type id=1 name=a combiner=NAMED" >p_a_0.info
ok "info.cut: a missing line feed at the end" breaks info.cut 1 merge -o - p
printf "Type id=1 name='a\\000b' combiner=NAMED\n" >p_a_0.info
ok "info.syntax: a zero byte" breaks info.syntax 1 merge -o - p

if [ -d "$corpus" ]; then
	for project in stresstest partdiff-mpi; do
		ok "$project: merge gives the historic project" as_history $project $project
		ok "$project: dumps are equal" same_dump $project $project
	done
	name=partdiff-mpi-non-collective
	for project in non-collective-4-500 non-collective-8-100; do
		ok "$project: merge gives the historic project" as_history $name $project
		ok "$project: dumps are equal" same_dump $name $project
	done
else
	skip "historic projects" "no corpus"
fi

# Files of two hosts in directories of their own: PREFIX DIRECTORY...
collects() {
	fresh
	mkdir one two
	trace one/p_a_0.trc
	trace two/p_b_0.trc
	echo "Comm map='0->0;' id=0 name='WORLD'" >two/p_b_0.info
	trace two/other_c_0.trc
	status 0 merge "$@" || return 1
	[ -f one/p_b_0.info ] && [ ! -e one/other_c_0.trc ] &&
		[ ! -e two/p.proj ] && status 0 info one/p || return 1
	# Again: what is there is the same.
	status 0 merge --force "$@"
}

# A file is there that is another one; then nothing is copied.
collects_not() {
	fresh
	mkdir one two
	trace one/p_a_0.trc
	trace two/p_a_0.trc "levels='Host Rank'"
	trace two/p_b_0.trc
	says "exists and differs" 2 merge one/p two &&
		[ ! -e one/p_b_0.trc ] && [ ! -e one/p.proj ] || return 1
	rm two/p_a_0.trc
	says "/nowhere" 2 merge one/p two "$scratch/nowhere"
}

ok "files of further directories are copied" collects one/p two
ok "a directory that is named twice is copied once" collects one/p.proj two one two
ok "different files of the same name are not copied" collects_not
done_testing
