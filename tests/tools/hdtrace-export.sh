#!/bin/sh
# hdtrace export: every format has the values and times of the project, and
# what it cannot carry is said. Programs that nobody here wrote read them where
# they are installed.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
python=$(command -v python3)
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
cd "$scratch" || exit 99
make_mini

# Export a project: FORMAT OUTPUT PROJECT.
export_to() {
	rm -rf "$2"
	status 0 export --to "$1" --output "$2" --force "$3"
}

# A file is as expected: GOLDEN FILE...
is_like() {
	file=$golden/$1
	shift
	cat "$@" >"$scratch/joined" || return 1
	[ "${HDTRACE_GOLDEN-}" != update ] || cp "$scratch/joined" "$file"
	diff -u "$file" "$scratch/joined"
}

# All entries of a project, from hdtrace dump, as the sorted lines
# "NODE GROUP VALUE END NUMBER": PROJECT. Strings are left out.
entries_of() {
	"$hdtrace" dump -q --only=stats --format=csv "$1" | awk -F, '
		$1 == "value" && $10 != "STRING" {
			print $2, $3, $9, $7, $12 }' | sort
}

# --- arrow: tests/python/python.sh compares all values with the package of Python ---

arrow=$abs_top_srcdir/tests/tools/readers/arrowfile.py
arrow_is_like() {
	export_to arrow arrows mini && ls arrows &&
		"$python" "$arrow" arrows/* >arrow.text &&
		is_like export-arrow.text arrow.text
}
# Batches have 262,144 rows; a text that is not UTF-8 is in the first one.
arrow_in_batches() {
	"$python" "$arrow" --make-group 300000 >batch_a_G.stat
	printf '%s\n' '<Application name="batch"><Topology><Level type="Host"/>' \
		'<Node name="a"/></Topology></Application>' >batch.proj
	export_to arrow batches batch.proj &&
		"$python" "$arrow" --check-group 300000 batches/batch_a_G.stat.arrow
}
if [ -n "$python" ]; then
	ok "arrow has a table for each file" arrow_is_like
	ok "arrow has several batches" arrow_in_batches
	ok "arrow merges windows" status 0 export --to arrow -o windows --window=1 mini
	ok "arrow describes windows" grep -q P_known windows/mini_alpha_Energy.stat.arrow
else
	skip "arrow has a table for each file" "no python3"
fi

# --- csv, json: what dump prints ---

same_as_dump() {
	export_to "$1" out."$1" "$2" &&
		"$hdtrace" dump --format="$1" "$2" >dumped &&
		cmp dumped out."$1"
}

# --- csv-wide ---

# The numbers of csv-wide as entries_of prints them: DIRECTORY PREFIX.
wide_entries() {
	for wide in "$1"/*.stat.csv; do
		name=${wide##*/"$2"_}
		name=${name%.stat.csv}
		awk -F, -v node="${name%_*}" -v group="${name##*_}" '
			NR == 1 {
				for (i = 4; i <= NF; i++) {
					sub(/ \[.*/, "", $i); v[i] = $i
				}
				next
			}
			{ for (i = 4; i <= NF; i++)
				print node, group, v[i], $2, $i }
		' "$wide"
	done | sort
}

wide_is_equal() {
	export_to csv-wide wide "$1" || return 1
	wide_entries wide "$2" >found
	entries_of "$1" >expected
	[ -s expected ] && cmp expected found && return
	diff expected found | head -n 6
	return 1
}

# --- openmetrics ---

# The grammar, as far as we use it: families one after the other, times that
# increase, the end.
is_openmetrics() {
	awk '
		ended { bad = "text behind # EOF" }
		/^# EOF$/ { ended = 1; next }
		/^# TYPE / {
			if (($3 in family) || $4 != "gauge") bad = "TYPE"
			name = $3; family[name] = 1; split("", last); next
		}
		/^# UNIT / {
			end = substr(name, length(name) - length($4))
			if ($3 != name || end != "_" $4) bad = "UNIT"
			next
		}
		/^# HELP / { if ($3 != name) bad = "HELP"; next }
		/^[a-z_][a-z0-9_]*\{node="[^"]*"\} [^ ]+ [0-9]+\.[0-9]+$/ {
			split($0, part, /[{ ]/)
			if (part[1] != name) bad = "a sample of another family"
			if (($1 in last) && $3 + 0 <= last[$1] + 0)
				bad = "time"
			last[$1] = $3; samples++; next
		}
		{ bad = "line" }
		bad { print bad ": " $0; exit }
		END { print samples + 0, "samples"
			exit bad != "" || !ended || !samples }
	' "$1"
}

# What promtool makes of it has all samples, with their values: FILE.
promtool_reads() {
	rm -rf blocks
	promtool tsdb create-blocks-from openmetrics "$1" blocks || return 1
	mkdir -p blocks/wal
	promtool tsdb dump blocks >dumped || return 1
	# {__name__="X", node="N"} VALUE MILLISECONDS
	sed 's/^{__name__="\([^"]*\)", node="\([^"]*\)"} /\1 \2 /' dumped |
		awk '{ printf "%s %s %.9e %.0f\n", $1, $2, $3, $4 }' |
		sort >found
	sed '/^#/d; s/{node="\([^"]*\)"}/ \1/' "$1" | awk '{
		split($4, part, "."); ms = int(substr(part[2], 1, 3))
		# promtool rounds to the nearest millisecond or cuts.
		printf "%s %s %.9e %s%03d\n", $1, $2, $3, part[1], ms }' |
		sort >expected
	[ -s expected ] && [ "$(wc -l <expected)" -eq "$(wc -l <found)" ] &&
		cut -d' ' -f1-3 expected | sort >expected.values &&
		cut -d' ' -f1-3 found | sort >found.values &&
		cmp expected.values found.values
}

# --- perfetto ---

# Rank 1 waits from 1 s on for what rank 0 sends at 4 s, in Main.
make_late() {
	echo "<Program timeAdjustment='1000000000' levels='Rank'><Nested>
		<Prepare time='0' end='4'/>
		<Send size='8' toRank='1' toTag='7' cid='0' time='4' end='4.5'/>
		</Nested><Main time='0' end='4.6'/></Program>" >late_0.trc
	echo "<Program timeAdjustment='1000000000' levels='Rank'>
		<Load time='0' end='1'/>
		<Recv size='8' fromRank='0' fromTag='7' cid='0' time='1' end='5'/>
		<Solve time='5' end='8'/></Program>" >late_1.trc
	cat >late.proj <<-'END'
	<?xml version="1.0" encoding="UTF-8"?>
	<Application name="late"><Description/><FileList/><Topology>
	<Level type="Rank"/><Node name="0"/><Node name="1"/></Topology>
	<CommunicatorList><Communicator name="WORLD">
	<Rank global="0" local="0" cid="0"/><Rank global="1" local="1" cid="0"/>
	</Communicator></CommunicatorList><Datatypes/>
	<ExternalStatistics/></Application>
	END
}

# Perfetto's packets as text, by protoc and the published numbers of fields.
decode_perfetto() {
	protoc -I "$abs_top_srcdir/tests/lib" \
		--decode=perfetto.protos.Trace perfetto.proto <"$1" >decoded &&
		# What has no name would be printed as a number.
		! grep -E '^ *[0-9]+[ :{]' decoded
}

# Counters and slices of what was decoded, as lines
# "c NODE GROUP VALUE TIME NUMBER" and "s NODE NAME START END".
perfetto_lines() {
	awk '
		function text(line) {
			sub(/^[^:]*: "/, "", line); sub(/"$/, "", line)
			return line
		}
		function seconds(ns) {
			return substr(ns, 1, length(ns) - 9) "." \
				substr(ns, length(ns) - 8)
		}
		/^packet/ { time = type = track = name = number = uuid = "" }
		/^  timestamp:/ { time = $2 }
		/^    uuid:/ { uuid = $2 }
		/^    parent_uuid:/ { parent[uuid] = $2 }
		/^    name:/ {
			if (uuid) label[uuid] = text($0); else name = text($0)
		}
		/^    type:/ { type = $2 }
		/^    track_uuid:/ { track = $2 }
		/counter_value:/ { number = $2 }
		/^}/ && uuid {
			short = label[uuid]
			sub(/^(Rank|Thread) /, "", short)
			p = parent[uuid]
			path[uuid] = p ? path[p] "_" short : short
		}
		/^}/ && type == "TYPE_COUNTER" {
			printf "c %s %s %s %.17g\n", path[parent[track]],
				label[track], seconds(time), number
		}
		/^}/ && type == "TYPE_SLICE_BEGIN" {
			n = ++depth[track]
			start[track, n] = time; title[track, n] = name
		}
		/^}/ && type == "TYPE_SLICE_END" {
			n = depth[track]--
			printf "s %s %s %s %s\n", path[track],
				title[track, n], seconds(start[track, n]),
				seconds(time)
		}
		END { for (t in depth) if (depth[t]) print "open", t }
	' decoded | sort -u
}

# The same from hdtrace dump: a counter has its value from the start of the
# interval on, and the last one at the end: PROJECT.
expected_lines() {
	"$hdtrace" dump -q --format=csv "$1" | awk -F, '
		function put(node, group, name, time, number) {
			printf "c %s %s %s %s %.17g\n", node, group, name,
				time, number
		}
		$1 == "state" { print "s", $2, $9, $6, $7 }
		$1 != "value" || $10 == "STRING" { next }
		{
			k = $2 SUBSEP $3 SUBSEP $9
			if ($8 == 1 && (k in last) && last[k] != "NaN")
				put($2, $3, $9, end[k], last[k])
			if ($12 != "NaN") put($2, $3, $9, $6, $12)
			last[k] = $12; end[k] = $7
		}
		END {
			for (k in last) {
				split(k, part, SUBSEP)
				if (last[k] != "NaN")
					put(part[1], part[2], part[3], end[k],
						last[k])
			}
		}
	' | sort -u
}

perfetto_is_equal() {
	export_to perfetto equal.pt "$1" && decode_perfetto equal.pt || return 1
	perfetto_lines >found
	expected_lines "$1" >expected
	wc -l expected found
	[ -s expected ] && cmp expected found && return
	diff expected found | head -n 8
	return 1
}

# Which states are on the critical path for how long, and no others: LINE...
perfetto_path() {
	awk '/^packet/ { name = "" }
		/^    name:/ { name = $2 }
		/^      name: "critical_path_ns"/ { isPath = 1 }
		/^      int_value:/ { value = $2 }
		/^    }/ { if (isPath) time = value; isPath = 0 }
		/^}/ { if (time != "") print name, time; time = "" }' decoded |
		tr -d '"' | sort >found
	for line; do echo "$line"; done | diff - found
}

# So many arrows begin, so many end, and so many of them, if not all that end, do
# both, none ending before it begins: BEGIN END [BOTH].
perfetto_flows() {
	awk -v begins="$1" -v ends="$2" -v whole="${3-$2}" '
		/^  timestamp:/ { time = $2 }
		/ flow_ids:/ { sent[$2] = time; n++ }
		/ terminating_flow_ids:/ { received[$2] = time; m++ }
		END {
			for (id in received) {
				if (!(id in sent))
					continue
				both++
				# As texts: awk has but 15 digits of them.
				bad += sent[id] "" > received[id] ""
			}
			print n, m, both + 0, bad + 0
			exit n != begins || m != ends || both != whole || bad
		}
	' decoded
}

# Run a command of a test where there is no directory for temporary files.
without_tmp() {
	(TMPDIR=/nonexistent && export TMPDIR && "$@")
}

# Make a command that is hdtrace with a disk of 64 KiB for temporary files. It fails
# where nothing can be mounted.
make_small() {
	mkdir small || return 1
	for how in -m -rm; do
		cat >hdtrace-small <<-END
			#!/bin/sh
			exec unshare $how sh -c 'mount -t tmpfs -o size=64k none small &&
				TMPDIR=\$PWD/small exec "\$@"' sh "$hdtrace" "\$@"
		END
		chmod +x hdtrace-small
		! ./hdtrace-small --version >small.log 2>&1 || return 0
	done
	return 1
}

# Run a command of a test with it.
with_small_tmp() {
	large=$hdtrace
	hdtrace=./hdtrace-small
	"$@"
	failed=$?
	hdtrace=$large
	return "$failed"
}

# --- ctf ---

read_ctf() {
	babeltrace2 --clock-seconds --no-delta "$1" >decoded 2>errors
	read_status=$?
	cat errors
	[ "$read_status" -eq 0 ] && ! [ -s errors ]
}

# Entries and states of what was read, as lines
# "c NODE GROUP VALUE START END NUMBER" and "s NODE NAME START END"; numbers
# have six digits, as babeltrace2 prints them.
ctf_lines() {
	awk '
		{
			time = substr($1, 2, length($1) - 2)
			split($0, quoted, "\"")
			node = quoted[2]
		}
		$2 == "enter:" {
			n = ++depth[node]
			start[node, n] = time; name[node, n] = quoted[4]
		}
		$2 == "leave:" {
			n = depth[node]--
			if (name[node, n] != quoted[4]) print "not nested"
			print "s", node, quoted[4], start[node, n], time
		}
		$2 ~ /^(enter|leave|event):$/ { next }
		{
			group = $2; sub(/:$/, "", group)
			sub(/^.*\}, \{ /, ""); sub(/ \}$/, "")
			count = split($0, field, ", ")
			for (i = 1; i <= count; i++) {
				split(field[i], part, " = ")
				if (part[1] == "start") {
					l = length(part[2])
					begin = substr(part[2], 1, l - 9) "." \
						substr(part[2], l - 8)
				} else if (part[1] != "after_gap") {
					printf "c %s %s %s %s %s %.6g\n", node,
						group, part[1], begin, time,
						part[2]
				}
			}
		}
		END { for (t in depth) if (depth[t]) print "open", t }
	' decoded | sort
}

ctf_is_equal() {
	export_to ctf equal.ctf "$1" && read_ctf equal.ctf || return 1
	ctf_lines >found
	"$hdtrace" dump -q --format=csv "$1" | awk -F, '
		$1 == "state" { print "s", $2, $9, $6, $7 }
		$1 == "value" {
			printf "c %s %s %s %s %s %.6g\n", $2, $3, $9, $6, $7,
				$12
		}
	' | sort >expected
	wc -l expected found
	[ -s expected ] && cmp expected found && return
	diff expected found | head -n 8
	return 1
}

# --- otf2 ---

read_otf2() {
	otf2-print -G "$1/traces.otf2" >definitions 2>errors &&
		otf2-print "$1/traces.otf2" >decoded 2>>errors
	read_status=$?
	cat errors
	[ "$read_status" -eq 0 ] && ! [ -s errors ]
}

# As ctf_lines, but entries have no start; numbers have six digits.
otf2_lines() {
	awk '
		function number(text) {
			gsub(/[^0-9]/, "", text); return text
		}
		{ split($0, quoted, "\"") }
		/^LOCATION_GROUP / {
			title[$2] = quoted[2]; host = quoted[4]
			sub(/^.*::/, "", host); parent[$2] = host
		}
		/^LOCATION / {
			group = $NF; group = number(group)
			label = quoted[2]; sub(/^[A-Za-z]* /, "", label)
			rank = title[group]; sub(/^[A-Za-z]* /, "", rank)
			if ($0 ~ /Type: METRIC/) {
				node[$2] = parent[group]; name[$2] = quoted[2]
			} else if (quoted[2] == title[group])
				node[$2] = parent[group] "_" rank
			else
				node[$2] = parent[group] "_" rank "_" label
		}
		/^(ENTER|LEAVE|METRIC) / {
			l = length($3)
			time = substr($3, 1, l - 9) "." substr($3, l - 8)
		}
		/^ENTER / { n = ++depth[$2]; start[$2, n] = time }
		/^LEAVE / {
			n = depth[$2]--
			sub(/^MPI_/, "", quoted[2])
			print "s", node[$2], quoted[2], start[$2, n], time
		}
		/^METRIC / {
			for (i = 2; i in quoted; i += 2) {
				split(quoted[i + 1], part, "; ")
				sub(/\).*/, "", part[3])
				if (part[3] != "")
					printf "c %s %s %s %s %.6g\n", node[$2],
						name[$2], quoted[i], time,
						part[3]
			}
		}
	' definitions decoded | sort
}

otf2_is_equal() {
	export_to otf2 equal.otf2 "$1" && read_otf2 equal.otf2 || return 1
	otf2_lines >found
	"$hdtrace" dump -q --format=csv "$1" | awk -F, '
		$1 == "state" { print "s", $2, $9, $6, $7 }
		$1 == "value" && $10 != "STRING" && $12 !~ /^[Nn]a[Nn]$/ {
			printf "c %s %s %s %s %.6g\n", $2, $3, $9, $7, $12
		}
	' | sort >expected
	wc -l expected found
	[ -s expected ] && cmp expected found && return
	diff expected found | head -n 8
	return 1
}

# --- paraver ---

# The three files keep to Paraver's description of its format: PREFIX.
is_paraver() {
	[ -n "$python" ] || return 0
	"$python" "$abs_top_srcdir/tests/tools/readers/paraver.py" "$1"
}

# States and values of an export: DIRECTORY NAME.
paraver_lines() {
	awk '
		FILENAME ~ /pcf$/ {
			if ($0 == "EVENT_TYPE") part = $0
			else if ($0 == "") part = ""
			else if ($0 == "VALUES") part = $0
			else if (part == "EVENT_TYPE") {
				type = $2; label[type] = $3 " " $4
			} else if (part == "VALUES") {
				number = $1; sub(/^[0-9]+ +/, "")
				name[type, number] = $0
			}
			next
		}
		FILENAME ~ /row$/ {
			if ($2 == "THREAD") wanted = 1
			else if (wanted && $0 != "") row[++rows] = $NF
			next
		}
		/^#Paraver/ {
			sub(/^[^)]*\):[^)]*\):[0-9]+:/, "")
			appls = split($0, appl, /\):?/) - 1
			for (a = 1; a <= appls; a++) {
				split(appl[a], half, "(")
				n = split(half[2], task, ",")
				for (t = 1; t <= n; t++) {
					split(task[t], one, ":")
					for (k = 1; k <= one[1]; k++)
						node[a, t, k] = row[++used]
				}
			}
			next
		}
		/^2/ {
			n = split($0, f, ":"); o = node[f[3], f[4], f[5]]
			for (i = 7; i < n; i += 2) {
				if (f[i] >= 92000000)
					print "c", o, label[f[i]], f[6], f[i + 1]
				else if (f[i] < 91000000 && f[i + 1] > 0) {
					begin[o, f[i]] = f[6]
					title[o, f[i]] = name[f[i], f[i + 1]]
				} else if (f[i] < 91000000)
					print "s", o, title[o, f[i]],
						begin[o, f[i]], f[6]
			}
		}
	' "$1/$2.pcf" "$1/$2.row" "$1/$2.prv" | sort
}

paraver_is_equal() {
	export_to paraver equal.prv "$1" && is_paraver "equal.prv/$2" ||
		return 1
	paraver_lines equal.prv "$2" >found
	"$hdtrace" dump -q --time=relative --format=csv "$1" | awk -F, '
		function ns(seconds) {
			sub(/\./, "", seconds); sub(/^0+/, "", seconds)
			return seconds == "" ? "0" : seconds
		}
		$1 == "state" { print "s", $2, $9, ns($6), ns($7) }
		$1 == "value" && ($10 == "FLOAT" || $10 == "DOUBLE") &&
			$12 != "NaN" {
			v = sprintf("%.0f", $12 * 1000)
			print "c", $2, $3, $9, ns($6), v == "-0" ? "0" : v
		}
		$1 == "value" && $10 ~ /^INT/ {
			print "c", $2, $3, $9, ns($6), $12
		}
	' | sort >expected
	wc -l expected found
	[ -s expected ] && cmp expected found && return
	diff expected found | head -n 8
	return 1
}

# Messages between two ranks, of three kinds; one is not received.
make_messages() {
	sed 's/mini/talk/; /<Energy/d; /<Net/d' mini.proj >talk.proj
	cat >talk_alpha_0.trc <<'END'
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Send size='8' toRank='1' toTag='7' cid='0' time='1' end='2'/>
<Isend size='16' toRank='1' toTag='7' cid='0' rid='1' time='3' end='3.5'/>
<Sendrecv size='4' toRank='1' toTag='1' fromRank='1' fromTag='2' recvSize='5' cid='0' time='4' end='5'/>
<Send size='1' toRank='1' toTag='9' cid='0' time='6' end='7'/>
</Program>
END
	cat >talk_beta_1.trc <<'END'
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Recv fromRank='0' fromTag='7' size='8' cid='0' time='0.5' end='2.5'/>
<Irecv fromRank='0' fromTag='-1' size='16' cid='0' rid='1' time='2.6' end='2.7'/>
<Nested>
<Waitall count='1' time='3.1' end='3.6'><Request rid='1' fromRank='0' fromTag='7' size='16' cid='0'/></Waitall>
</Nested>
<Solve time='3' end='4'/>
<Sendrecv size='5' toRank='0' toTag='2' fromRank='0' fromTag='1' recvSize='4' cid='0' time='4' end='5'/>
</Program>
END
}
make_messages

# Messages of which not all were recorded. What rank 1 receives first in part 5
# was sent before; what it sends in part 6 nobody has received. In the end some
# are missing, one does not know which.
make_parts() {
	sed 's/mini/parts/; /<Energy/d; /<Net/d' mini.proj >parts.proj
	cat >parts_alpha_0.trc <<'END'
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Send size='1' toRank='1' toTag='7' cid='0' time='1' end='1.1'/>
<Bcast size='1' root='0' cid='0' part='5' time='3.4' end='3.5'/>
<Send size='3' toRank='1' toTag='7' cid='0' time='4' end='4.1'/>
<Send size='4' toRank='1' toTag='7' cid='0' time='5' end='5.1'/>
<Recv size='9' fromRank='1' fromTag='7' cid='0' part='7' time='7' end='7.1'/>
<Send size='5' toRank='1' toTag='7' cid='0' part='-1' time='8' end='8.1'/>
</Program>
END
	cat >parts_beta_1.trc <<'END'
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Recv size='1' fromRank='0' fromTag='7' cid='0' time='0.9' end='1.2'/>
<Recv size='2' fromRank='0' fromTag='7' cid='0' part='5' time='3' end='3.5'/>
<Recv size='3' fromRank='0' fromTag='7' cid='0' time='3.6' end='4.5'/>
<Recv size='4' fromRank='0' fromTag='7' cid='0' time='4.6' end='5.5'/>
<Send size='8' toRank='0' toTag='7' cid='0' part='6' time='6' end='6.1'/>
<Recv size='5' fromRank='0' fromTag='7' cid='0' part='-1' time='8' end='8.2'/>
</Program>
END
}
make_parts

ok "csv equals the output of dump" same_as_dump csv mini
ok "json equals the output of dump" same_as_dump json mini
ok "csv-wide is written" export_to csv-wide wide mini
ok "csv-wide has the entries and states" is_like export-wide.csv wide/*.csv
ok "openmetrics is written" export_to openmetrics mini.om mini
ok "openmetrics has the values" is_like export.openmetrics mini.om
ok "openmetrics is well-formed" is_openmetrics mini.om
ok "openmetrics is written to stdout" status 0 export --to openmetrics -o - mini
ok "openmetrics on stdout equals the file" cmp mini.om out
ok "losses are printed as JSON" prints export-openmetrics.json 0 export --to openmetrics \
	--format=json --output mini.om --force mini
ok "export -q succeeds" status 0 export -q --to openmetrics -o q.om mini
ok "export -q prints no messages" test ! -s err

# Prometheus keeps one sample a millisecond.
{
	stat_header gamma Fast 'name="P" type="INT64" unit="W"'
	stamp 1000000000
	for microseconds in 100 900 1000 1500 2100; do
		stamp 1000000000 "${microseconds}000"
		hex 0000000000000001
	done
} >fast_gamma_Fast.stat
ok "openmetrics of fast samples is written" status 0 export --to=openmetrics -o fast.om \
	fast_gamma_Fast.stat
ok "samples that Prometheus drops are counted" grep -q \
	'samples in the millisecond of another sample (Prometheus keeps one) (2)' err

# Units with a prefix, names that become the same, infinite and hostile ones.
{
	stat_header gamma Odd 'name="P" type="FLOAT" unit="mW"' \
		'name="a.b" type="DOUBLE" unit="kB"' \
		'name="a-b" type="INT64" unit="kB"' \
		'name="x&quot;}&#10;\" type="DOUBLE" unit="&lt;&quot;&gt;"'
	stamp 1000000000
	stamp 1000000001
	hex 44fa0000 3ff8000000000000 0000000000000003 7ff0000000000000
	stamp 1000000002
	hex 447a0000 fff0000000000000 ffffffffffffffff 3ff0000000000000
} >odd_gamma_Odd.stat
ok "openmetrics of special names and units is written" export_to openmetrics odd.om \
	odd_gamma_Odd.stat
ok "openmetrics has base units and unique names" is_like \
	export-odd.openmetrics odd.om
ok "openmetrics of special names is well-formed" is_openmetrics odd.om

# More values, with more than stays in memory, than files that may be open at
# once: PROJECT, of two nodes with 300 each, of which the sixth is 6 in every
# seventh second, and 7 in the next one.
make_many() {
	for node in m n; do
		for i in $(seq 300); do
			echo "name=\"v$i\" type=\"FLOAT\" unit=\"W\""
		done >values
		(
			IFS='
'
			# shellcheck disable=SC2046 # each line is one
			stat_header "$node" Many $(cat values)
		) >"$1_${node}_Many.stat"
		"$python" -c 'import struct, sys
for second in range(1000000000, 1000002600):
    numbers = [i + second % 7 for i in range(1, 301)]
    values = struct.pack(">300f", *numbers) if second % 10**9 else b""
    sys.stdout.buffer.write(struct.pack(">II", second, 0) + values)' \
			>>"$1_${node}_Many.stat" || return 1
	done
	sed "s/mini/$1/; s/<Energy/<Many/; /<Net/d; s/alpha/m/; s/beta/n/" \
		mini.proj >"$1.proj"
}

# All of them are in an export to openmetrics, in order: FILE
has_many() {
	"$python" - "$1" <<-'END'
		import sys
		last = {}
		for line in open(sys.argv[1]):
		    if line.startswith("#"):
		        continue
		    series, value, time = line.split()
		    second = int(time.removesuffix(".000000000"))
		    number = int(series.split("_")[2].removeprefix("v"))
		    assert float(value) == number + second % 7, line
		    assert second == last.get(series, 1000000000) + 1, line
		    if series not in last:
		        assert len(last) == 2 * (number - 1) + ("n" in series[-4:]), line
		    last[series] = second
		assert list(last.values()) == 600 * [1000002599], last
	END
}

# An export is the same where there is one thread: FORMAT PROJECT
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *//; s/[,-].*//')
same_alone() {
	rm -rf alone together
	"$hdtrace" export --to "$1" -o together "$2" >said 2>&1 &&
		taskset -c "$cpu" "$hdtrace" export --to "$1" -o alone "$2" \
			>said-alone 2>&1 &&
		diff -r alone together &&
		sed 's/alone/together/' said-alone | diff said -
}

# Run a command of a test with so few files at a time: "-n NUMBER" COMMAND...
few_open() {
	limit=$1
	shift
	# shellcheck disable=SC3045,SC2086 # where it is not known, nothing is lost
	(ulimit $limit; "$@")
}
if [ -n "$python" ]; then
	ok "a project with many values is created" make_many many
	ok "openmetrics of many values needs few open files" few_open "-n 190" export_to openmetrics many.om \
		many.proj
	ok "openmetrics contains all values in order" has_many many.om
	ok "openmetrics works at the limit of open files" few_open "-S -n 30" status 0 export \
		--to openmetrics -o few.om many.proj
	ok "openmetrics at the limit of open files is equal" cmp many.om few.om
	[ -z "$cpu" ] || for format in openmetrics paraver; do
		ok "$format: one thread and many threads write equal files" same_alone $format many
	done
	rm many* few.om
fi

if [ -d "$corpus" ]; then
	for project in stresstest partdiff-mpi; do
		ok "$project: csv-wide is equal" wide_is_equal \
			"$corpus/$project" "$project"
		ok "$project: openmetrics is written" export_to openmetrics real.om \
			"$corpus/$project"
		ok "$project: openmetrics is well-formed" is_openmetrics real.om
	done
else
	skip "real projects" "no corpus"
fi
if ! command -v promtool >/dev/null; then
	skip "promtool reads openmetrics" "no promtool"
else
	ok "promtool reads openmetrics" promtool_reads mini.om
	[ ! -d "$corpus" ] || ok "promtool reads openmetrics of a real project" \
		promtool_reads real.om
fi

ok "ctf is written" export_to ctf mini.ctf mini
ok "ctf has the expected metadata" is_like export-ctf.metadata mini.ctf/metadata
od -A d -t x1 mini.ctf/mini_alpha_Energy.stat >bits
ok "ctf keeps all bits of values and times" is_like export-ctf.hex bits
{
	stat_header gamma Nothing 'name="start" type="INT32"' \
		'name="event" type="INT32"' 'name="a-b" type="INT32"' \
		'name="a_b" type="STRING"'
	stamp 1000000000
} >empty_gamma_Nothing.stat
# A state without attributes, alone.
{
	echo "<Program timeAdjustment='1000000000'>"
	echo "<A time='1' end='2'/>"
	echo "</Program>"
} >bare_gamma.trc
ok "ctf of a state without attributes is written" export_to ctf bare.ctf bare_gamma.trc
if ! command -v babeltrace2 >/dev/null; then
	skip "babeltrace2 reads ctf" "no babeltrace2"
else
	ok "babeltrace2 reads ctf of special names" read_ctf mini.ctf
	ok "ctf has the entries, states and events" is_like export-ctf.text decoded
	ok "ctf of special names and units is written" export_to ctf odd.ctf \
		odd_gamma_Odd.stat
	ok "babeltrace2 reads ctf without entries" read_ctf odd.ctf
	ok "ctf: no name is lost" is_like export-ctf-odd.text decoded
	ok "ctf of a group without entries is written" export_to ctf \
		empty.ctf empty_gamma_Nothing.stat
	ok "babeltrace2 reads ctf" read_ctf empty.ctf
	if [ -d "$corpus" ]; then
		for project in stresstest partdiff-mpi non-collective-8-100; do
			ok "$project: ctf is equal" ctf_is_equal \
				"$corpus/$project"
		done
	fi
fi

ok "paraver files are written" export_to paraver mini.prv mini
ok "paraver files are valid" is_paraver mini.prv/mini
ok "paraver files have the expected content" is_like export.prv mini.prv/mini.prv mini.prv/mini.pcf \
	mini.prv/mini.row
ok "paraver has the values and times" paraver_is_equal mini mini
ok "paraver files with messages are written" export_to paraver talk.prv talk.proj
ok "paraver files with messages are valid" is_paraver talk.prv/talk
grep '^3' talk.prv/talk.prv >messages
ok "paraver: messages are as expected" is_like export-messages.prv messages
# Sizes and tags of the messages in an export to paraver are these: EXPECTED.
paraver_messages() {
	found=$(awk -F: '/^3/ { printf "%s%s/%s", n++ ? " " : "", $14, $15 }' \
		some.prv/*.prv)
	echo "$found, expected $1"
	[ "$found" = "$1" ]
}
ok "paraver: uncertain messages are reported" says "some are missing) (2)" 0 \
	export --to paraver -o some.prv parts.proj
ok "paraver: messages of each part are matched" paraver_messages "1/7 3/7 4/7"
rm -rf some.prv
ok "paraver: messages with one end are reported" says "with one recorded end (5)" 0 \
	export --to paraver -o some.prv parts.proj
rm -rf some.prv
ok "paraver: --from is accepted" status 0 export --to paraver -o some.prv --from 1.7 \
	talk.proj
ok "paraver: a message that was sent before --from is omitted" paraver_messages "16/7 4/1 5/2"
rm -rf some.prv
if [ -d "$corpus" ]; then
	for project in stresstest partdiff-mpi; do
		ok "$project: paraver is equal" paraver_is_equal \
			"$corpus/$project" "$project"
	done
fi

"$hdtrace" export --to otf2 -o has.otf2 mini 2>&1 | grep -q "built without" &&
	no_otf2="built without OTF2"
command -v otf2-print >/dev/null || no_otf2="no otf2-print"
if [ -n "${no_otf2-}" ]; then
	skip "otf2-print reads otf2" "$no_otf2"
else
	ok "otf2 is written" export_to otf2 mini.otf2 mini
	ok "otf2-print reads otf2" read_otf2 mini.otf2
	ok "otf2 has the expected events" is_like export-otf2.text decoded
	ok "otf2 has the expected definitions" is_like export-otf2-definitions.text definitions
	ok "otf2 has the values and times" otf2_is_equal mini
	ok "otf2 with messages is written" export_to otf2 talk.otf2 talk.proj
	ok "otf2-print reads otf2 with messages" read_otf2 talk.otf2
	grep '^MPI' decoded >messages
	ok "otf2 has the expected messages" is_like export-otf2-messages.text messages
	ok "otf2: uncertain messages are reported" says "some are missing) (4)" 0 \
		export --to otf2 -o parts.otf2 parts.proj
	# The ends in the archive, by what both have in common.
	otf2_loose() {
		status 0 export --to otf2 -o some.otf2 --from 1.7 talk.proj && read_otf2 some.otf2 ||
			return 1
		awk '/^MPI_I?SEND / || /^MPI_I?RECV / {
				kind = $1; me = $2
				match($0, /(Receiver|Sender): [0-9]+/)
				peer = substr($0, RSTART, RLENGTH); sub(/.*: /, "", peer)
				match($0, /Tag: [0-9]+/); tag = substr($0, RSTART, RLENGTH)
				if (kind ~ /SEND/) count[me " " peer tag]++
				else count[peer " " me tag]--
			}
			END {
				for (key in count)
					if (count[key] < 0) unsent -= count[key]
				print unsent + 0
			}' decoded >loose
		cat loose err
		grep -q "sends of received messages ($(cat loose))" err &&
			grep -q '^1$' loose &&
			grep -aq 'messages without a send: 1' some.otf2/traces.otf2
	}
	ok "otf2: messages that were sent before --from are counted" otf2_loose
	rm -rf some.otf2
	ok "otf2: uncertain messages are reported with --from" says "some are missing) (4)" 0 \
		export --to otf2 -o some.otf2 --from 1.7 talk.proj
	rm -rf parts.otf2 some.otf2
	if [ -d "$corpus" ]; then
		for project in stresstest partdiff-mpi non-collective-8-100; do
			ok "$project: otf2 is equal" otf2_is_equal \
				"$corpus/$project"
		done
	fi
fi

if ! command -v protoc >/dev/null; then
	skip "protoc reads perfetto" "no protoc"
else
	ok "perfetto is written" export_to perfetto mini.pt mini
	ok "protoc reads perfetto with messages" decode_perfetto mini.pt
	ok "perfetto has tracks, slices and counters" is_like export-perfetto.text decoded
	ok "perfetto has the values and times" perfetto_is_equal mini
	ok "perfetto with messages is written" export_to perfetto talk.pt talk.proj
	ok "protoc reads perfetto with a critical path" decode_perfetto talk.pt
	ok "perfetto: messages are arrows" perfetto_flows 5 4
	ok "perfetto: a message with one end is reported" says "with one recorded end (1)" 0 \
		export --to perfetto -o talk.pt --force talk.proj
	make_late
	ok "perfetto with a critical path is written" export_to perfetto late.pt late.proj
	ok "protoc reads perfetto of an interrupted recording" decode_perfetto late.pt
	# By hand: rank 0 until it sends at 4 s, then rank 1.
	ok "perfetto: states on the critical path have their time on it" perfetto_path "Main 4000000000" \
		"Prepare 4000000000" "Recv 1000000000" "Solve 3000000000"
	ok "protoc reads perfetto without waiting" decode_perfetto mini.pt
	ok "perfetto has no critical path without waiting" perfetto_path
	ok "perfetto of an interrupted recording is written" export_to perfetto parts.pt parts.proj
	ok "protoc reads perfetto with --from" decode_perfetto parts.pt
	ok "perfetto: messages of each part are arrows" perfetto_flows 4 3
	ok "perfetto: uncertain messages are reported" says "some are missing) (2)" 0 \
		export --to perfetto -o parts.pt --force parts.proj
	ok "perfetto: messages with one end are reported" says "with one recorded end (5)" 0 \
		export --to perfetto -o parts.pt --force parts.proj
	ok "perfetto: --from is accepted" status 0 export --to perfetto -o some.pt \
		--from 1.7 talk.proj
	ok "protoc reads perfetto with many messages" decode_perfetto some.pt
	# One is received that was sent before, and one is not received.
	ok "perfetto: the arrow of a message sent before --from has no start" \
		perfetto_flows 4 4 3
	rm some.pt
	# What waits for what was sent first goes to a file.
	cp parts_beta_1.trc whole.trc
	awk '/part=.6/ { for (i = 0; i < 20000; i++) {
			print "<Recv size=\0474\047 fromRank=\0470\047 " \
				"fromTag=\0477\047 cid=\0470\047 " \
				"time=\0475.6\047 end=\0475.7\047/>" } }
		{ print }' whole.trc >parts_beta_1.trc
	ok "perfetto with many messages after an interruption is written" \
		export_to perfetto parts.pt parts.proj
	ok "perfetto, read by protoc" decode_perfetto parts.pt
	ok "perfetto: the first messages are the sent ones" perfetto_flows 4 20003 3
	ok "perfetto: a missing temporary directory is reported" without_tmp says "temporary file: No such file" \
		2 export --to perfetto -o no.pt parts.proj
	ok "perfetto: no file remains without a temporary directory" test ! -e no.pt
	if make_small; then
		ok "perfetto: a full temporary directory is reported" with_small_tmp says \
			"temporary file: No space left on device" 2 \
			export --to perfetto -o no.pt parts.proj
		ok "perfetto: no file remains with a full temporary directory" test ! -e no.pt
	else
		skip "perfetto: a full temporary directory is reported" \
			"nothing can be mounted: $(tail -n 1 small.log)"
	fi
	mv whole.trc parts_beta_1.trc
	if [ -d "$corpus" ]; then
		for project in stresstest partdiff-mpi non-collective-8-100; do
			ok "$project: perfetto is equal" perfetto_is_equal \
				"$corpus/$project"
		done
	fi
fi

# --- What is chosen ---

# So many entries, states and events are in an export, whatever the format:
# "ENTRIES STATES EVENTS" PROJECT OPTION...
chosen() {
	expected=$1
	shift
	for format in arrow csv csv-wide json ctf perfetto paraver otf2; do
		rm -rf some
		"$hdtrace" export --to "$format" --format=json -o some "$@" \
			>counts 2>errors
		if [ $? -eq 2 ] && grep -q "built without" errors; then
			continue
		fi
		found=$(awk '/"(entries|states|events)":/ {
			printf "%s%d", n++ ? " " : "", $2 }' counts)
		echo "$format: $found, expected $expected"
		[ "$found" = "$expected" ] || return 1
	done
}

# What is chosen in an export is what dump prints for the same choice; its
# option for the end of the time is --to: PROJECT OPTION...
same_choice() {
	"$hdtrace" export --to csv -o chosen.csv --force "$@" || return 1
	for argument; do
		shift
		[ "$argument" != --until ] || argument=--to
		set -- "$@" "$argument"
	done
	"$hdtrace" dump --format=csv "$@" >dumped && cmp dumped chosen.csv
}

ok "export without options selects everything" chosen "7 6 1" mini
ok "--node selects a host" chosen "3 1 0" --node beta mini
ok "--node selects a rank" chosen "0 5 1" --node alpha_0 mini
ok "--group selects a group" chosen "3 6 1" --group Net mini
ok "--value selects a value" chosen "4 6 1" --value P mini
ok "--only=stats selects statistics" chosen "7 0 0" --only=stats mini
ok "--only=traces selects traces" chosen "0 6 1" --only=traces mini
ok "--from and --until select an interval" chosen "4 5 1" --from 1 --until 4.5 mini
ok "a short interval is selected on one host" chosen "1 3 0" --from 1.3 --until 1.4 --node alpha mini
ok "a selection can be empty" chosen "0 0 0" --from 100 mini
ok "export and dump select the same data" same_choice mini --node alpha --from 1 --until 4.5
ok "export and dump select the same statistics" same_choice mini --only=stats --value COUNT
ok "openmetrics of a selected value is written" status 0 export --to openmetrics -o - \
	--value COUNT --from 1 mini
ok "openmetrics has no other value" test "$(grep -c bytes "$scratch/out")" -eq 0
ok "openmetrics has the selected value" grep -q '^hdtrace_net_count{node="beta"} 0 ' "$scratch/out"
if command -v protoc >/dev/null; then
	"$hdtrace" export -q --to perfetto -o some.pt --node beta mini \
		>/dev/null
	ok "protoc reads perfetto of a selected node" decode_perfetto some.pt
	ok "perfetto has the selected node" grep -q beta decoded
	ok "perfetto has no other node" test "$(grep -c alpha decoded)" -eq 0
fi

# What is wrong with a trace is said once, also by formats that read it twice.
sed '/<\/Program>/d' mini_alpha_0.trc >cut_alpha_0.trc
cp mini_beta_1.trc cut_beta_1.trc
sed 's/"mini"/"cut"/' mini.proj >cut.proj
for format in arrow csv ctf openmetrics otlp paraver perfetto; do
	rm -rf cut.out
	"$hdtrace" export --to $format -o cut.out cut.proj >/dev/null 2>errors
	ok "$format: a damaged trace is reported once" test "$(grep -c 'trc.no-end' errors)" -eq 1
done

while IFS='|' read -r text arguments; do
	# shellcheck disable=SC2086
	ok "refuses $arguments" says "$text" 2 export $arguments
done <<'END'
missing option: --to|mini
--to: invalid value "vcd"; expected arrow, csv, csv-wide|--to vcd mini
invalid value "csv"; expected text or json|--to csv --format=csv mini
must be a directory|--to csv-wide -o - mini
No such file|--to csv nothing
no node matches "gamma"|--to csv --node gamma mini
no value matches "X"|--to csv --value X mini
--from: must be before --until|--to csv --from 2 --until 1 mini
--until: invalid time "soon"|--to csv --until soon mini
--only: invalid value "some"; expected stats, traces or relations|--to csv --only=some mini
END
touch there
ok "an existing file is kept" says "--force replaces it" 2 export --to csv \
	-o there mini
ok "an existing file is not changed" test ! -s there
ok "a directory with files is refused" says "is not an empty directory" 2 \
	export --to ctf -o wide --force mini
mkdir void
ok "an empty directory is accepted" status 0 export --to ctf -o void mini
ok "--force replaces an existing file" status 0 export --to csv -o there --force mini
ok "a replaced file is complete" cmp there out.csv
# A project that is larger: RECORDS of all ranks
make_large() {
	"${abs_top_builddir:?}/tests/bench/make-project" --nodes=1 --ranks=4 \
		--records="$1" --values=20000 "$scratch/large"
}
make_large 80000 || exit 99
[ -z "$cpu" ] || for format in openmetrics paraver; do
	ok "$format of traces: one thread and many threads write equal files" same_alone $format \
		"$scratch/large"
done
if [ -e /dev/full ]; then
	for format in csv openmetrics; do
		ok "$format: a full disk is reported" says "No space left" 2 export \
			--to $format -o /dev/full mini
	done
	# It is found long before the end.
	for format in csv json openmetrics perfetto; do
		ok "$format: a full disk is reported for a large project" says \
			"/dev/full: cannot write: No space left" 2 export \
			--to $format -o /dev/full "$scratch/large"
	done
fi

# It does not read on for nobody.
reads_no_more() {
	"$hdtrace" export --to openmetrics -o "$@" 2>errors >/dev/full
	found=$?
	cat errors
	[ "$found" -eq 2 ] && grep -q "No space left" errors &&
		! grep -q trc.no-end errors
}
if [ -e /dev/full ]; then
	ok "openmetrics: a full disk at stdout ends the reading" reads_no_more - cut.proj
	ok "openmetrics: a full disk ends the reading" reads_no_more /dev/full cut.proj
fi

# Whether a process stands still, or has ended: PID
stands() {
	case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
	"" | T* | Z*) return 0 ;;
	esac
	return 1
}

has_temporary() {
	for file in stopped/*.trc.??????; do
		[ ! -e "$file" ] || return 0
	done
	return 1
}

# Whether an export has temporary files, or is not going on: PID
has_begun() {
	has_temporary || stands "$1"
}

# End an export while it has temporary files, which is looked at while it stands
# still; of one that was faster more is wanted: SIGNAL STATUS
ended() {
	for _ in 1 2 3 4 5; do
		rm -rf stopped
		"$hdtrace" export -q --to ctf -o stopped "$scratch/large" &
		until_done has_begun "$!"
		kill -STOP "$!"
		if ! until_done stands "$!"; then
			echo "it does not stop"
			kill -KILL "$!"
			return 1
		fi
		found=no
		! has_temporary || found=yes
		kill -s "$1" "$!"
		kill -CONT "$!"
		wait "$!"
		result=$?
		if [ "$found" = yes ]; then
			ls stopped
			echo "exit status $result, expected $2"
			[ "$result" -eq "$2" ] && ! has_temporary
			return
		fi
		echo "$records records: it was faster"
		records=$((records * 2))
		make_large || return 1
	done
	return 1
}
ok "SIGTERM leaves no temporary file" ended TERM 143
# What is ignored when a shell begins, as by nohup, stays so.
if grep -q '^SigIgn:.*[13579bdf]$' /proc/self/status; then
	skip "SIGHUP leaves no temporary file" "it is ignored"
else
	ok "SIGHUP leaves no temporary file" ended HUP 129
fi

# A trace that cannot be read leaves out its own lines, not those of all files.
torn() {
	for file in mini.proj mini_*; do cp -r "$file" "torn${file#mini}"; done
	set -- torn_*.trc
	rm -rf "$1" && mkdir "$1" || return 1
	for format in csv json; do
		rm -rf torn.out
		status 2 export --to "$format" --output torn.out torn &&
			grep -q Energy torn.out || return 1
	done
	rm -rf torn.out
	status 2 export --to arrow --output torn.out torn &&
		[ ! -e "torn.out/$1.arrow" ] && [ -s "torn.out/$2.arrow" ] &&
		[ -s torn.out/torn_alpha_Energy.stat.arrow ]
}
ok "an unreadable trace does not hide the other files" torn
done_testing
