#!/bin/sh
# JSON of all commands is what doc/json.md and its schema say: by a validator of
# others, and with no key that is not described.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
schema=$abs_top_srcdir/doc/json.schema.json
cd "$scratch" || exit 99

# All names that the sources give to JSON are described, and no others.
all_described() {
	(cd "$abs_top_srcdir" && grep -rhoE --include='*.c' \
		'outJsonDocument\([^;]*|"schema", json_string\([^;]*' ./*/ \
		--exclude-dir=cli) | sed 's/^"schema", //' | tr -d '\n' | grep -oE '"[a-z-]+"' | tr -d '"' | sort -u >names
	(cd "$abs_top_srcdir" && sed -n 's/^## \([a-z-]*\)$/\1/p' doc/json.md) |
		sort | diff names - || return 1
	while read -r name; do
		grep -q "\"const\": \"$name\"" "$schema" || return 1
	done <names
}

ok "doc/json.md describes every schema" all_described
command -v python3 >/dev/null || {
	skip "JSON is valid" "no python3"
	done_testing
	exit
}
python3 -c 'import jsonschema' 2>/dev/null || {
	skip "JSON is valid" "no python3-jsonschema"
	done_testing
	exit
}
validator=$abs_top_srcdir/tests/tools/readers/validate-json.py
ok "the schema is valid" python3 "$validator" --schema "$schema"

# One validator serves all documents. FILE
mkfifo questions answers
python3 "$validator" --serve "$schema" <questions >answers 2>&1 &
exec 3>questions 4<answers
validate() {
	printf '%s\n' "$1" >&3
	while IFS= read -r line <&4; do
		case $line in
		valid) return 0 ;;
		invalid) return 1 ;;
		esac
		printf '%s\n' "$line"
	done
	return 1
}

# SCHEMA ARGUMENT...
is_valid() {
	name=$1
	shift
	"$hdtrace" "$@" --format=json >"$name.json" 2>err || [ $? -eq 1 ] || {
		cat err
		return 1
	}
	grep -q "^  \"schema\": \"$name\",\$" "$name.json" &&
		validate "$name.json"
}

# The validator finds what sed makes wrong: EXPRESSION
finds() {
	sed "$1" hdtrace-stat.json >wrong.json
	! cmp -s hdtrace-stat.json wrong.json && ! validate wrong.json
}

make_mini
"${abs_top_builddir:?}/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=100 --values=200 big >/dev/null
printf '1 first\n3 second\n' >borders
cat >rel.proj <<'XML'
<Application name="rel"><Topology><Level type="Layer"/><Node name="n"/>
</Topology></Application>
XML
cat >rel_n.rel <<'XML'
<relation version="1" hostID="B" localToken="1" topologyNumber="0" timeAdjustment="9">
<rel t="0" time="1"/><s name="a" t="0" time="1" k="v"><x/></s><e t="0" time="2"/>
<rel t="1" time="1" i="0" w="4bf92f3577b34da6a3ce929d0e0e4736-01"/>
<link t="1" time="1" r="B:1:0:7"/><un t="0" time="3"/></relation>
XML
make_late() {
	python3 "$abs_top_srcdir/tests/tools/readers/make-delayed.py" late --length=10
}
ok "a project with late power is created" make_late
ok "delay conforms to the schema" is_valid hdtrace-delay delay late
ok "delay without a result conforms to the schema" is_valid hdtrace-delay delay mini
for command in info dump stat report relations; do
	ok "$command of relations conforms to the schema" is_valid "hdtrace-$command" "$command" rel
done
{
	stat_header n REQ 'name="Pending" type="INT64" kind="gauge"'
	stamp 10
	stamp 12
	hex 0000000000000003
} >rel_n_REQ.stat
ok "diagnose conforms to the schema" is_valid hdtrace-diagnose diagnose rel
for node in a1 b1 c1 d9; do
	{
		stat_header "$node" REQ 'name="Pending" type="INT64" kind="gauge"'
		stamp 10
		stamp 12
		hex "000000000000000${node#?}"
	} >"rel_${node}_REQ.stat"
done
ok "diagnose with a verdict conforms to the schema" is_valid hdtrace-diagnose diagnose rel
mkdir sites
cat >sites/sites.proj <<'XML'
<Application name="sites"><Topology><Level type="Host"/><Node name="n"/>
</Topology></Application>
XML
cat >sites/sites_n.trc <<'XML'
<Program timeAdjustment='9'>
<Send site='1' time='1' end='2'><Object id='0' buildId='' load='0x0' path='/nowhere/a.out'/><Site id='1' object='0' address='0x10' caller='0'/><Site id='0' object='0' address='0x20'/></Send>
</Program>
XML
ok "dump of call sites conforms to the schema" is_valid hdtrace-dump dump sites/sites
ok "report of call sites conforms to the schema" is_valid hdtrace-report report sites/sites
ok "stat by call site conforms to the schema" is_valid hdtrace-stat-sites stat --regions='*' \
	--by-site sites/sites
cat >sites/sites_n.trc <<'XML'
<Program timeAdjustment='9'>
<Tracer class='tracer' sampleNs='10000000' time='0' end='1'/>
<Sample site='0' time='2' end='2'><Object id='0' buildId='' load='0x0' path='/nowhere/a.out'/><Site id='0' object='0' address='0x20'/></Sample>
</Program>
XML
ok "stat --samples conforms to the schema" is_valid hdtrace-stat-samples stat --samples sites/sites
ok "stat --volume conforms to the schema" is_valid hdtrace-stat-volume stat --volume mini
for project in mini big; do
	ok "info $project conforms to the schema" is_valid hdtrace-info info $project
	ok "dump $project conforms to the schema" is_valid hdtrace-dump dump $project
	ok "dump --time=relative $project conforms to the schema" is_valid hdtrace-dump dump \
		--time=relative --hex $project
	ok "stat --window $project conforms to the schema" is_valid hdtrace-stat stat --window=1 \
		$project
	ok "stat --phases $project conforms to the schema" is_valid hdtrace-stat stat \
		--phases borders $project
	ok "stat --regions $project conforms to the schema" is_valid hdtrace-stat-regions stat \
		--regions='*' $project
	ok "stat --shares $project conforms to the schema" is_valid hdtrace-stat-shares stat \
		--shares $project
	ok "report $project conforms to the schema" is_valid hdtrace-report report $project
	ok "report --phases $project conforms to the schema" is_valid hdtrace-report report \
		--phases borders --all $project
	ok "compare $project conforms to the schema" is_valid hdtrace-compare compare $project big
	ok "compare $project with others conforms to the schema" is_valid hdtrace-compare compare \
		--significance=0.5 $project $project -- big big
	ok "plot $project conforms to the schema" is_valid hdtrace-plot plot --states=below -f \
		-o out.svg $project
	ok "plot of $project and another project conforms to the schema" is_valid hdtrace-plot plot -f \
		-o both.svg $project mini
	ok "plot --window $project conforms to the schema" is_valid hdtrace-plot plot --window=1 -f \
		-o out.svg $project
	ok "check $project conforms to the schema" is_valid hdtrace-check check $project
	ok "export $project conforms to the schema" is_valid hdtrace-export export --to perfetto -f \
		-o out.pt $project
	ok "merge $project conforms to the schema" is_valid hdtrace-merge merge -o merged.proj -f \
		$project
	ok "merge --into $project conforms to the schema" is_valid hdtrace-merge merge \
		--into=joined-$project -f $project
	ok "recover $project conforms to the schema" is_valid hdtrace-recover recover \
		-o recovered-$project $project
	ok "stat $project conforms to the schema" is_valid hdtrace-stat stat $project
	"$hdtrace" export --to json -f -o exported.json $project >/dev/null
	ok "export --to json $project conforms to the schema" validate exported.json
done
printf '<relation version="1" hostID="a" localToken="1" topologyNumber="0" timeAdjustment="1000000000">
<rel t="0" time="1"/><s name="s" t="0" time="1" k="v"/><link t="0" time="1" r="a:1:0:7"/><e t="0" time="2" error="no"/><un t="0" time="3"/><rel t="1" time="1" ws="00f067aa0ba902b7"/></relation>' \
	>mini_alpha.rel
ok "relations conforms to the schema" is_valid hdtrace-relations relations mini
ok "report of relations conforms to the schema" is_valid hdtrace-report report mini
ok "relations --sums conforms to the schema" is_valid hdtrace-relations relations --sums mini
ok "relations --tree conforms to the schema" is_valid hdtrace-relations relations --tree=a:1:0:0 mini
rm mini_alpha.rel
predicts() {
	predict=${abs_top_builddir:?}/hdpredict
	if "$predict" generate cholesky --tiles=4 -o graph >/dev/null 2>err &&
		"$predict" simulate --platform=thesis --resources=thesis \
			--map=eft --format=json --tasks --mc=9 \
			--power-limit=40 --subgraphs \
			--against=graph --against-platform=thesis-xu4 graph \
			>predicted.json 2>err; then
		validate predicted.json
	else
		cat err
		return 1
	fi
}

ok "hdpredict simulate conforms to the schema" predicts
sweeps() {
	"$predict" sweep cholesky --platform=thesis --resources=thesis \
		--vary tile-size=256,1 --vary tiles=3,4 --mc=5 --format=json \
		>swept.json 2>err
	[ $? -eq 1 ] && validate swept.json
}
compares() {
	"$predict" simulate --platform=thesis --resources=thesis --map=eft \
		--mc=5 -o own graph >/dev/null 2>err &&
		"$predict" compare own own --format=json >compared.json 2>err &&
		validate compared.json
}
ok "hdpredict compare conforms to the schema" compares
ok "hdpredict sweep with failing points conforms to the schema" sweeps
ok "check --rules conforms to the schema" is_valid hdtrace-check-rules check --rules
echo junk >mini_alpha_Energy.stat
sed '/<\/Program>/d' mini_alpha_0.trc >other && mv other mini_alpha_0.trc
ok "compare with a damaged project conforms to the schema" is_valid hdtrace-compare compare mini big
for command in info report check dump stat; do
	ok "$command of a damaged project conforms to the schema" is_valid hdtrace-$command $command \
		mini
done
ok "a missing version violates the schema" finds '/"version"/d'
ok "a missing key violates the schema" finds 's/"mean": [^,]*, //'
ok "an unknown key violates the schema" finds 's/"mean"/"meaning": 1, "mean"/'
ok "a wrong type violates the schema" finds 's/"count": \([0-9]*\)/"count": "\1"/'
done_testing
