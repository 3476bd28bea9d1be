#!/bin/sh
# Keys of JSON: they obey the rules of doc/json.md, and scripts/json-keys turns
# documents of version 1 into what the commands print now.
# tags: plain
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
command -v python3 >/dev/null || skip_all "no python3"
export PYTHONDONTWRITEBYTECODE=1
doc=$abs_top_srcdir/doc
schema=$doc/json.schema.json
keys=$abs_top_srcdir/scripts/json-keys
hdpredict=${abs_top_builddir:?}/hdpredict
reader() {
	python3 "$abs_top_srcdir/tests/tools/readers/json-keys.py" "$@"
}
cd "$scratch" || exit 99

ok "every key obeys the rules" reader rules "$schema"
# EXPRESSION: the rules find what sed makes wrong.
finds() {
	sed "$1" "$schema" >wrong.json
	! cmp -s "$schema" wrong.json && ! reader rules wrong.json
}
ok "time without a unit is found" finds 's/"makespan_s"/"makespan"/'
ok "size without a unit is found" finds 's/"size_bytes"/"size"/'
ok "upper case is found" finds 's/"timed_by_meter"/"timedByMeter"/'
ok "text with a unit is found" finds 's/"severity"/"severity_s"/'

ok "the table of keys agrees with the schema" reader table "$doc/json-keys.tsv" "$schema"
made_schema() {
	python3 "$abs_top_srcdir/scripts/json-schema" "$doc/json.md" |
		diff "$schema" -
}
ok "the schema is generated from doc/json.md" made_schema
# FORMAT FILE: the table, as FORMAT, stands in FILE.
has_table() {
	python3 "$keys" --list --format="$1" >table &&
		awk 'NR == FNR { wanted[++count] = $0; next }
			{ at = $0 == wanted[at + 1] ? at + 1 : $0 == wanted[1] }
			at == count { found = 1 }
			END { exit !found }' table "$2"
}
ok "doc/json.md contains the table of keys" has_table markdown "$doc/json.md"
ok "NEWS contains the table of keys" has_table text "$abs_top_srcdir/NEWS"

# ---- Documents of version 1 ------------------------------------------------
# tests/fixtures/json-1 has what the commands of version 1 printed for the same
# projects.

make_projects() {
	make_mini
	printf '1 first\n3 second\n' >borders
	cat >rel.proj <<'XML'
<Application name="rel"><Topology><Level type="Layer"/><Node name="n"/>
</Topology></Application>
XML
	cat >rel_n.rel <<'XML'
<relation version="1" hostID="B" localToken="1" topologyNumber="0" timeAdjustment="9">
<rel t="0" time="1"/><s name="a" t="0" time="1" k="v"><x/></s><e t="0" time="2"/>
<rel t="1" time="1" i="0"/><link t="1" time="1" r="B:1:0:7"/><un t="0" time="3"/></relation>
XML
	for node in a1 b1 c1 d9; do
		{
			stat_header "$node" REQ \
				'name="Pending" type="INT64" kind="gauge"'
			stamp 10
			stamp 12
			hex "000000000000000${node#?}"
		} >"rel_${node}_REQ.stat"
	done
	cat >site.proj <<'XML'
<Application name="site"><Topology><Level type="Host"/><Node name="n"/>
</Topology></Application>
XML
	cat >site_n.trc <<'XML'
<Program timeAdjustment='9'>
<Send site='1' time='1' end='2' cycles='5' instructions='9'><Object id='0' buildId='' load='0x0' path='/nowhere/a.out'/><Site id='1' object='0' address='0x10' caller='0'/><Site id='0' object='0' address='0x20'/></Send>
</Program>
XML
	"$hdpredict" generate cholesky --tiles=2 -o graph.xml >/dev/null 2>&1
	"$hdpredict" simulate --platform=thesis --resources=thesis --map=eft \
		--mc=2 -o own graph.xml >/dev/null 2>&1
	cat >points <<'CSV'
tiles
2
CSV
}

# NAME: what a command prints now.
print_document() {
	case $1 in
	check) "$hdtrace" check --format=json damaged ;;
	compare) "$hdtrace" compare --format=json mini mini ;;
	delay) "$hdtrace" delay --format=json mini ;;
	diagnose) "$hdtrace" diagnose --format=json rel ;;
	dump) "$hdtrace" dump --format=json mini ;;
	export) "$hdtrace" export --to perfetto -f -o mini.pt --format=json mini ;;
	info) "$hdtrace" info --format=json mini ;;
	info-relations) "$hdtrace" info --format=json rel ;;
	merge) "$hdtrace" merge --into=joined -f --format=json mini rel ;;
	plot) "$hdtrace" plot -f -o both.svg --format=json mini mini ;;
	recover) "$hdtrace" recover -o recovered --format=json damaged ;;
	relations) "$hdtrace" relations --format=json rel ;;
	report) "$hdtrace" report --phases=borders --format=json mini ;;
	report-damaged) "$hdtrace" report --format=json damaged ;;
	report-relations) "$hdtrace" report --format=json rel ;;
	report-sites) "$hdtrace" report --format=json site ;;
	stat) "$hdtrace" stat --format=json mini ;;
	stat-regions) "$hdtrace" stat --regions='*' --format=json mini ;;
	stat-sites) "$hdtrace" stat --regions='*' --by-site --format=json site ;;
	stat-shares) "$hdtrace" stat --shares --format=json mini ;;
	predict-simulate)
		"$hdpredict" simulate --platform=thesis --resources=thesis \
			--map=eft --tasks --mc=3 --power-limit=40 --subgraphs \
			--format=json graph.xml
		;;
	predict-compare) "$hdpredict" compare --format=json own own ;;
	predict-sweep)
		"$hdpredict" sweep cholesky --platform=thesis --resources=thesis \
			--points points --mc=3 --format=json
		;;
	*) return 1 ;;
	esac >now.json 2>err
}

fixtures=$abs_top_srcdir/tests/fixtures/json-1
make_projects
# A damaged copy.
for file in mini*; do
	sed 's/name="mini"/name="damaged"/' "$file" >"damaged${file#mini}"
done
printf junk >>damaged_alpha_Energy.stat

mkdir before after
cp "$fixtures"/*.json before
python3 "$keys" --in-place before/*.json >converted 2>&1
for file in before/*.json; do
	name=${file#before/}
	# These two need a process, or a service.
	case $name in hdprobe.json | pt-devices.json) continue ;; esac
	print_document "${name%.json}"
	mv now.json "after/$name"
done
reader same before after >compared 2>&1
# NAME: it was converted, and is what is printed now.
is_equal() {
	cat converted
	grep -e "^$1:" compared
	! grep -q "/$1:" converted && ! grep -q "^$1:" compared &&
		grep -q '"version": 2' "before/$1"
}
for file in before/*.json; do
	name=${file#before/}
	ok "$name is converted" is_equal "$name"
done
if python3 -c 'import jsonschema' 2>/dev/null; then
	ok "converted documents are valid" python3 \
		"$abs_top_srcdir/tests/tools/readers/validate-json.py" \
		"$schema" before/*.json
else
	skip "converted documents are valid" "no python3-jsonschema"
fi

# ---- The script -------------------------------------------------------------

again() {
	python3 "$keys" "$fixtures/report.json" >two.json &&
		python3 "$keys" two.json | cmp - two.json &&
		cp "$fixtures/report.json" file.json &&
		python3 "$keys" --in-place file.json && cmp file.json two.json
}
ok "a document of version 2 is not changed" again
several() {
	cat "$fixtures/stat.json" "$fixtures/info.json" >both.json &&
		python3 "$keys" - <both.json >out &&
		[ "$(grep -c '"version": 2' out)" -eq 2 ]
}
ok "several documents in one file are converted" several
# Numbers keep their digits, and names in data are no keys.
exact() {
	echo '{"schema": "hdtrace-stat", "version": 1, "rows": [{"start": 1.500000000, "sum": 123456789012345678901, "max": 1e999, "node": "start", "end": "\"end\": {"}]}' |
		python3 "$keys" - >out && cat out &&
		grep -qxF '{"schema": "hdtrace-stat", "version": 2, "rows": [{"start_s": 1.500000000, "sum": 123456789012345678901, "max": 1e999, "node": "start", "end_s": "\"end\": {"}]}' out
}
ok "numbers and texts are not changed" exact
last_one() {
	echo '{"schema": "hdtrace-stat", "version": 1, "rows": [{"known_s": 1, "seconds": 1}]}' |
		python3 "$keys" - | grep -qF '[{"known_s": 1}]'
}
ok "the last key of an object can be removed" last_one
# TEXT: it is no document.
refuses() {
	printf '%s' "$1" | python3 "$keys" - >out 2>err
	[ $? -eq 2 ] && cat err && grep -q '^json-keys: -: ' err
}
ok "an unknown document is refused" refuses '{"a": 1}'
ok "an unknown version is refused" refuses '{"schema": "x", "version": 3}'
ok "a truncated document is refused" refuses '{"schema": "x", "version": 1'
ok "a file that is not JSON is refused" refuses 'time 5 s'
done_testing
