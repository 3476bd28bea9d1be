#!/bin/sh
# hdtrace cut: parts of projects, which add up, and what is in them.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "no python3"
readers=$abs_top_srcdir/tests/tools/readers
cd "$scratch" || exit 99

# ---- By hand -----------------------------------------------------------------

mkdir mini
(cd mini && make_mini && echo "a note" >mini.notes)

by_hand() {
	status 0 cut -o part --from=1.25 --to=@1000000003.25 mini || return 1
	cat >expected <<-'END'
	<Program timeAdjustment='1000000000' levels='Host Rank'>
	<Nested>
		<Nested>
				<Read size='4' part='1073741824'  time='1.250000000' end='1.500000000'/>
		</Nested>
		<Read size='8' cut='start'  time='1.250000000' end='2.000000000'><Data offset='0' size='8'/></Read>
		<Event name='a &lt; &quot;b&quot;'  time='2.500000000'/>
	</Nested>
	<Work what='it&apos;s' cut='start'  time='1.250000000' end='3.000000000'/>
	<Wait cut='end'  time='3.000000000' end='3.250000000'/>
	</Program>
	END
	tr -d '\t' <expected >one
	tr -d '\t' <part_alpha_0.trc | diff one - || return 1
	{
		energy_header alpha
		stamp 1000000001 250000000
		stamp 1000000002
		hex 43480000 7ff8000000000000
	} | cmp - part_alpha_Energy.stat || return 1
	{
		stat_header beta Net 'name="BYTES" type="INT64" unit="B/s"' \
			'name="COUNT" type="INT32" unit=""' \
			'name="NOTE" type="STRING"'
		stamp 1000000001 250000000
		stamp 1000000001 500000000
		hex 7fffffffffffffff 00000007
		string 'say "x"'
		stamp 1000000002
		hex 7fffffffffffffff 00000000
		hex 0003 ff0a3c
	} | cmp - part_beta_Net.stat || return 1
	for file in _alpha_0.info _beta_1.info .notes; do
		cmp "mini/mini$file" "part$file" || return 1
	done
	sed 's/"mini"/"part"/' mini/mini.proj | cmp - part.proj
}
ok "a part by hand" by_hand
keeps_gaps() {
	status 0 cut -o gap --from=1.5 --to=4.5 mini && {
		energy_header alpha
		stamp 1000000001 500000000
		stamp 1000000002
		hex 43480000 7ff8000000000000
		gap 1000000004
		stamp 1000000004 500000000
		hex 43960000 4069000000000000 # 300 W, 200 J
	} | cmp - gap_alpha_Energy.stat
}
ok "a gap stays, and a delta is divided" keeps_gaps
empty_part() {
	status 0 cut -o none --from=100 mini &&
		status 0 check none && status 0 info none &&
		[ "$(wc -l <none_alpha_0.trc)" -eq 2 ]
}
ok "a part without data is a valid project" empty_part

# ---- Relations ---------------------------------------------------------------

cat >rel.proj <<'END'
<Application name="rel"><Topology><Level type="Host"/><Node name="h"/></Topology></Application>
END
printf '%s\n%s' '<relation version="1" hostID="h" localToken="1.5" topologyNumber="0" timeAdjustment="100" levels="Host">' \
	'<rel t="0" time="1.000000000"/><rel t="1" time="2.000000000" i="0" w="4bf92f3577b34da6a3ce929d0e0e4736-01"/><s name="a" t="1" time="2.000000000" x="&lt;"><data>x</data></s><link t="1" time="2.500000000" r="h:1.5:0:0"/><s name="b" t="1" time="3.000000000"/><e t="1" time="4.000000000" y="1"/><rel t="2" time="5.000000000"/><e t="1" time="6.000000000"/><un t="1" time="7.000000000"/><un t="2" time="8.000000000"/></relation>' >rel_h.rel

relations_by_hand() {
	status 0 cut -o relpart --from=@102.75 --to=@105.5 rel || return 1
	printf '%s\n%s' '<relation version="1" hostID="h" localToken="1.5" topologyNumber="0" timeAdjustment="100" levels="Host">' \
		'<rel t="1" time="2.750000000" i="0" w="4bf92f3577b34da6a3ce929d0e0e4736-01" cut="start"/><link t="1" time="2.750000000" r="h:1.5:0:0"/><s name="a" t="1" time="2.750000000" x="&lt;" cut="start"><data>x</data></s><s name="b" t="1" time="3.000000000"/><e t="1" time="4.000000000" y="1"/><rel t="2" time="5.000000000"/><e t="1" time="5.500000000" cut="both"/><un t="1" time="5.500000000" cut="both"/><un t="2" time="5.500000000" cut="end"/><rel t="0" time="2.750000000" cut="start"/><un t="0" time="5.500000000" cut="both"/></relation>' |
		diff - relpart_h.rel
}
ok "relations of a part by hand" relations_by_hand

# ---- By chance ---------------------------------------------------------------

# Random projects, whose parts another reader of the format compares: SEED COUNT
by_chance() {
	mkdir -p "chance$1"
	(cd "chance$1" && python3 "$readers/cut.py" "$hdtrace" "$1" "$2")
}
for seed in 1 2 3 4; do
	ok "parts of random projects add up: $seed" by_chance $seed 5
done

# ---- Energy and messages -----------------------------------------------------

python3 "$readers/states.py" <<'END'
a = "site='7'"
ranks += [[("Init", 0, 1, "site='7' ><Object id='0' buildId='' load='0x0' path='/no'/>"
            "<Site id='7' object='0' address='0x1' caller='8'/>"
            "<Site id='8' object='0' address='0x2'/>"),
           ("Send", 10, 11, a + " toRank='1' toTag='1'"),
           ("Send", 30, 45, a + " toRank='1' toTag='1'"),
           ("Polls", 50, 60, "IprobeCalls='7' IprobeInsideNs='500000001'"),
           ("Finalize", 90, 91, "")],
          [("Init", 0, 1, ""),
           ("Recv", 5, 12, "fromRank='0' fromTag='1'"),
           ("Recv", 35, 47, "fromRank='0' fromTag='1'"),
           ("Finalize", 90, 91, "")]]
END
{
	stat_header h Energy 'name="P" type="FLOAT" unit="W"' \
		'name="METER" type="INT64" unit="Wh"'
	stamp 0
	for second in 1 2 3 4 5 6 7 8 9; do
		stamp "$second"
		u32 $((0x41200000 + second * 0x80000))
		hex 00000000
		u32 $((second * 100))
	done
} >run_h_Energy.stat
sed -i 's/<ExternalStatistics\/>/<ExternalStatistics><Energy\/><\/ExternalStatistics>/' run.proj

# As hdtrace report --from --to says of the whole.
same_report() {
	for border in 1.05 3.25 4 4.6 5.5; do
		status 0 cut -f -o first --to="$border" run || return 1
		status 0 cut -f -o second --from="$border" run || return 1
		for part in first second; do
			option=--to=$border
			[ "$part" = first ] || option=--from=$border
			status 0 check "$part" || return 1
			"$hdtrace" report -q --format=json "$option" run >whole.json
			"$hdtrace" report -q --format=json "$part" >part.json
			python3 - <<-'END' || return 1
			import json
			whole, part = (json.load(open(n + ".json")) for n in ("whole", "part"))
			close = lambda a, b: abs(a - b) < 1e-6
			assert close(whole["energy"]["energy_j"], part["energy"]["energy_j"])
			own = lambda r: {s["name"]: s["own_s"] for s in r["states"]}
			a, b = own(whole), own(part)
			assert set(a) == set(b), (a, b)
			assert all(close(a[n], b[n]) for n in a), (a, b)
			END
		done
	done
}
ok "the report of a part is the part of the report" same_report
messages_once() {
	status 0 cut -f -o first --to=4 run &&
		status 0 cut -f -o second --from=4 run || return 1
	grep -q "<Send .*toRank='1' .*cut='end'" first_h_0.trc &&
		grep -q "<Send .*cut='start' part='1073741824'" second_h_0.trc &&
		! grep -q "toRank" second_h_0.trc &&
		[ "$(grep -c fromRank first_h_1.trc)" -eq 1 ] &&
		grep -q "<Recv .*fromRank='0' .*cut='start' part=" second_h_1.trc
}
ok "a message is sent once and received once" messages_once
describes_sites() {
	breaks "trc.part" 0 check second &&
		grep -q "<Object .*<Site id='7'.*<Site id='8'" second_h_0.trc
}
ok "call sites are described in each part" describes_sites
mark_twice() {
	status 0 cut -f -o third --from=@3.5 --to=@4 run &&
		grep -q "<Send .*cut='both'.*  time='3.5" third_h_0.trc &&
		status 0 cut -f -o fourth --from=@3.5 first &&
		grep -q "<Send .*cut='both'.*  time='3.5.*end='4.0" fourth_h_0.trc
}
ok "a part of a part" mark_twice

# ---- Historic projects -------------------------------------------------------

no_errors() {
	"$hdtrace" check --format=json "$1" >check.json
	[ $? -le 1 ] && python3 - <<-'END'
	import json
	found = json.load(open("check.json"))["messages"]
	assert not [d for d in found if d["severity"] == "error"], found
	END
}

# The parts of a project before and behind the first second: DIRECTORY
historic() {
	for project in "$1"/*.proj; do
		"$hdtrace" cut -q -f -o before --to=1 "$project"
		[ $? -le 1 ] && no_errors before || return 1
		"$hdtrace" cut -q -f -o behind --from=1 "$project"
		[ $? -le 1 ] && no_errors behind || return 1
		rm -f before* behind*
	done
}
for directory in handwritten partdiff-mpi old-format pvfs2-server-nan; do
	name="parts of the historic project $directory are valid"
	if [ -d "$corpus/$directory" ]; then
		ok "$name" historic "$corpus/$directory"
	else
		skip "$name" "no corpus"
	fi
done

# ---- Forms and failures ------------------------------------------------------

other_forms() {
	command -v zstd >/dev/null || return 0
	status 0 pack -f -o run.hdz run &&
		mkdir -p forms &&
		status 0 cut -o forms/second --from=4 run.hdz &&
		for file in second*; do
			cmp "$file" "forms/$file" || return 1
		done
}
ok "the parts of an archive are the same" other_forms
delayed() {
	mkdir -p late
	(cd late && cp ../run* . && python3 - <<-'END'
	data = open("run_h_Energy.stat", "rb").read()
	data = data.replace(b'name="Energy"', b'name="Energy" delay="0.500000000"')
	size = data.index(b"</Statistics>\n") + 14 - 6
	open("run_h_Energy.stat", "wb").write(b"%05d" % size + data[5:])
	END
	) || return 1
	status 0 cut -o late/part --from=4 late/run &&
		status 0 report --format=json --from=4 late/run && mv out whole.json &&
		status 0 report --format=json late/part && mv out part.json &&
		python3 - <<-'END'
		import json
		whole, part = (json.load(open(n + ".json"))["energy"] for n in ("whole", "part"))
		assert abs(whole["energy_j"] - part["energy_j"]) < 1e-6, (whole, part)
		END
}

# ---- Ranks and regions ----

few_ranks() {
	status 0 cut -o few --ranks=0 mini && status 0 check few || return 1
	for file in _alpha_0.trc _alpha_Energy.stat _beta_Net.stat _alpha_0.info .notes; do
		[ -e "few$file" ] || return 1
	done
	! ls few_beta_1.* && sed 's/"mini"/"few"/
		s,<Node name="1" />,,
		s,<Rank global="1" local="1" cid="0" />,,' mini/mini.proj | cmp - few.proj
}
ok "files of other ranks are left out, and their nodes" few_ranks
datatypes() {
	types="<Rank name='0' thread='1'><NAMED id='9' name='own'/></Rank>"
	types="$types<Rank name='1' thread='0'><NAMED id='9' name='other'/></Rank>"
	cp -r mini types && sed -i "s,</Application>,<Datatypes>$types<Rank name='1' /></Datatypes>&," \
		types/mini.proj && status 0 cut -o typed --ranks=0 types/mini.proj &&
		grep -q own typed.proj && ! grep "other\|name='1'" typed.proj
}
ok "datatypes of other ranks are left out" datatypes
all_ranks() {
	status 0 cut -o all --ranks=0-1 mini && status 0 cut -o same --from=@1 mini || return 1
	for file in all_* all.notes; do
		cmp "$file" "same${file#all}" || return 1
	done
	sed 's/"all"/"same"/' all.proj | cmp - same.proj
}
ok "all ranks are the whole project" all_ranks
thin() {
	status 0 cut -o thin --thin=Read mini || return 1
	cat >expected <<-'END'
	<Program timeAdjustment='1000000000' levels='Host Rank'>
	<Nested>
	<Nested>
	<Read size='4' part='-1'  time='1.250000000' end='1.500000000'/>
	</Nested>
	<Read size='8'  time='1.000000000' end='2.000000000'><Data offset='0' size='8'/></Read>
	</Nested>
	<Work what='it&apos;s'  time='0.500000000' end='3.000000000'/>
	</Program>
	END
	tr -d '\t' <thin_alpha_0.trc | diff expected - || return 1
	cmp mini/mini_alpha_Energy.stat thin_alpha_Energy.stat && breaks "trc.empty trc.part" 0 check thin
}
ok "a region has its states, those inside and those around" thin
thin_regions() {
	status 0 cut -o two --thin=Wait mini || return 1
	"$hdtrace" dump --only=traces --format=csv two |
		awk -F, '$1 == "state" || $1 == "event" { print $2, $9 }' >names
	printf '%s\n' "alpha_0 Wait" "beta_1 Wait" | diff - names
}
ok "each state of a name is a region" thin_regions
ok "an unknown region" says '--thin: no state has the name "Nope"' 2 cut -o x --thin=Nope mini
ok "an unknown rank" says "--ranks: no trace of the project belongs to rank 5" 2 cut -o x --ranks=5 mini
ok "one of several ranks is unknown" says "--ranks: no trace of the project belongs to rank 77" 2 \
	cut -o x --ranks=0,77 mini
ok "an unknown range of ranks" says "--ranks: no trace of the project belongs to ranks 5-7" 2 \
	pack -o x.hdz --ranks=0-9,5-7 mini
for list in '' 0- -1 0,,1 1-0 a '0,' 99999999999999999999; do
	ok "invalid ranks: \"$list\"" says "--ranks: invalid value \"$list\"" 2 \
		cut -o x "--ranks=$list" mini
done
nothing_left() {
	! ls x* .x* x.proj 2>/dev/null
}
ok "errors leave no files" nothing_left
# The first sample of a part says what the first state of the trace said of all.
samples() {
	mkdir -p sampled && cat >sampled/sampled.proj <<-'END' || return 1
	<Application name="sampled"><Topology><Level type="Host"/><Node name="n"/>
	</Topology></Application>
	END
	cat >sampled/sampled_n.trc <<-'END'
	<Program timeAdjustment='0'>
	<Tracer class='tracer' sampleNs='10000000' sampleSource='timer'  time='0.000000000' end='1.000000000'/>
	<Sample time='2.000000000' end='2.000000000'/>
	<Sample time='3.000000000' end='3.000000000'/>
	<Sample time='4.000000000' end='4.000000000'/>
	</Program>
	END
	status 0 cut -o sampled/part --from=2.5 sampled/sampled || return 1
	cat sampled/part_n.trc
	grep -c "^<Sample " sampled/part_n.trc | grep -qx 2 &&
		grep "^<Sample sampleNs='10000000' sampleSource='timer'  time='3" \
			sampled/part_n.trc &&
		[ "$(grep -c sampleSource sampled/part_n.trc)" -eq 1 ]
}
ok "period and source of samples are kept" samples
ok "power is cut at the time when it was drawn" delayed
ok "an existing project is kept" says "second.proj: exists; --force replaces it" 2 \
	cut -o second --from=4 run
ok "the project itself is not replaced" says "cannot replace the project" 2 \
	cut -f -o run --from=4 run
ok "an output is required" says "missing option: --output" 2 cut --from=4 run
ok "a border is required" says "missing option: --from" 2 cut -o x run
ok "borders in the wrong order" says "must be before --to" 2 cut -o x --from=4 --to=3 run
ok "an invalid time" says "invalid time" 2 cut -o x --from=soon run
ok "a directory is not a prefix" says "invalid project name" 2 cut -o mini --from=4 run
ok "a missing directory" says "cannot create" 2 cut -o missing/x --from=4 run
ok "a single file is not cut" says "not a project" 2 cut -o x --from=1 run_h_Energy.stat
damaged() {
	rm -rf bad
	mkdir bad
	cp run* bad
	"$1" && says "damaged; repair the project" 2 cut -o bad/x --from=@4 bad/run &&
		! find bad -name 'x*' | grep .
}
no_header() {
	echo damaged >bad/run_h_Energy.stat
}
no_root() {
	echo '<Other>' >bad/run_h_0.trc
}
no_relation() {
	echo '<other/>' >bad/run_h.rel
}
ok "a group without header" damaged no_header
ok "a trace without root" damaged no_root
ok "relations without root" damaged no_relation
truncated() {
	rm -rf bad
	mkdir bad
	cp run* bad
	head -c 500 run_h_0.trc >bad/run_h_0.trc
	status 1 cut -q -o bad/x --to=8 bad/run && status 0 check bad/x
}
ok "the readable data of a truncated trace is cut" truncated
done_testing
