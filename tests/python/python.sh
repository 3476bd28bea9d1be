#!/bin/sh
# The package hdtrace of Python: each value is the one that hdtrace dump prints; columns,
# streams of Arrow, frames of pandas, errors and damages.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/lib/python.sh"
tests=$abs_top_srcdir/tests/python
cd "$scratch" || exit 99
make_mini
"$python" "$abs_top_srcdir/tests/tools/readers/makebits.py" . bits 7

# All of a project is as hdtrace dump prints it: PROJECT OPTION...
agrees() {
	"$python" "$tests/against.py" "$hdtrace" "$@"
}
ok "values of a small project are those of dump" agrees mini
ok "all bits of statistics are those of dump" agrees bits
ok "a time range is that of dump" agrees mini --from=1 --to=2.5
ok "a node is that of dump" agrees mini --node=alpha
cat >rel.proj <<'END'
<Application name="rel"><Topology><Level type="Host"/><Node name="a"/></Topology>
</Application>
END
cat >rel_a.rel <<'END'
<relation version="1" hostID="h" localToken="5.1" topologyNumber="0" timeAdjustment="1000">
<rel t="0" time="2.5"/><s name="w" t="0" time="2.5" origin="cache"/><s name="v" t="0" time="3"/>
<e t="0" time="4" size="8"/><rel t="1" time="4" i="0"/><e t="0" time="5.000000001"/><un t="0" time="6"/>
<rel t="2" time="6" r="C:9.9:0:4" w="0af7651916cd43dd8448eb211c80319c-01"/>
<link t="2" time="6.5" r="C:9.9:0:5"/><s name="open" t="2" time="7"/>
</relation>
END
ok "relations are those of dump" agrees rel
if [ -d "$corpus" ]; then
	historic() {
		for project in "$corpus"/*/*.proj; do
			agrees "$project" || return 1
		done
	}
	ok "values of the historic projects are those of dump" historic
else
	skip "values of the historic projects are those of dump" "no corpus"
fi
by_chance() (
	mkdir -p chance/trip chance/random && cd chance/trip || return 1
	HDTRACE_TEST_KEEP=$scratch/chance/random \
		HDTRACE_TEST_PROJECTS=${HDTRACE_TEST_PROJECTS:-4} \
		"$abs_top_builddir/tests/python/random-projects" || return 1
	for project in "$scratch"/chance/random/*; do
		agrees "$project/trip.proj" || return 1
	done
)
ok "values of random projects are those of dump" by_chance

# Files of Arrow, of all projects above, and of a group with names of other columns.
{
	stat_header node G 'name="start" type="INT32"' 'name="P" type="INT32"' \
		'name="P" type="INT32"'
	stamp 100
	stamp 101
	u32 1
	u32 2
	u32 3
} >names_node_G.stat
readers=$abs_top_srcdir/tests/tools/readers
arrow_files() {
	set -- mini bits.proj rel.proj names_node_G.stat "$scratch"/chance/random/*/trip.proj
	[ ! -d "$corpus" ] || set -- "$@" "$corpus"/*/*.proj
	"$python" "$tests/arrowfiles.py" "$readers" "$hdtrace" "$scratch/arrows" "$@"
}
ok "files of Arrow have the same tables" arrow_files

# A reader of npm, which reads all that our own one does: PACKAGE. The folder that has
# node_modules with it is HDTRACE_ARROW_MODULES.
arrow_reader() {
	for project in mini bits.proj rel.proj; do
		"$hdtrace" export --to arrow -q -o "$scratch/npm-${project%.proj}" "$project" \
			2>/dev/null
	done
	"$python" "$readers/arrowfile.py" "$scratch"/npm-*/*.arrow >own || return 1
	node "$readers/arrow.mjs" "$HDTRACE_ARROW_MODULES" "$1" \
		"$scratch"/npm-*/*.arrow >theirs || return 1
	# Polars shows no schema.
	[ "$1" = apache-arrow ] || sed -i '/^\[\[/d; /^\[\]$/d' own
	[ "$(wc -l <theirs)" -gt 1000 ] && diff own theirs
}
for package in apache-arrow nodejs-polars; do
	if [ -d "${HDTRACE_ARROW_MODULES:-/nonexistent}/node_modules/$package" ]; then
		rm -rf "$scratch"/npm-*
		ok "$package reads files of Arrow" arrow_reader $package
	else
		skip "$package reads files of Arrow" \
			"HDTRACE_ARROW_MODULES has no $package of npm"
	fi
done
with_package() {
	rm -rf "$scratch/arrows"
	"$hdtrace" export --to arrow -q -o "$scratch/arrows" mini
	"$python" "$tests/arrowpackages.py" "$1" "$scratch/arrows" mini
}
for package in pyarrow polars; do
	if "$python" -c "import $package" 2>/dev/null; then
		ok "$package takes tables and reads files" with_package $package
	else
		skip "$package takes tables and reads files" "no $package in $python"
	fi
done

# The points of a program that prints TAP: NAME PYTHON PROGRAM
points() {
	name=$1
	shift
	"$@" >"$scratch/points" 2>&1
	grep '^1\.\.' "$scratch/points" >"$scratch/plan" ||
		ok "$name runs" cat "$scratch/points" /nonexistent
	while read -r result rest; do
		case $result in
		ok) ok "$name: ${rest#* - }" true ;;
		not) ok "$name: ${rest#* - }" sh -c "grep '^#' '$scratch/points'; false" ;;
		esac
	done <"$scratch/points"
}
for interpreter in $pythons; do
	points "$interpreter" "$interpreter" "$tests/api.py"
done
if "$python" -c 'import _testcapi' 2>/dev/null; then
	ok "a failed allocation of Python is an error, and nothing is lost" \
		"$python" "$tests/nomemory.py" mini rel
else
	skip "failed allocations of Python" "no _testcapi in $python"
fi
points "recording" "$python" "$tests/recording.py" "$hdtrace"
points "commands" "$python" "$tests/commands.py" "$hdtrace"
# HDTRACE_DUCKDB is libduckdb.so, as in npm's @duckdb/node-bindings-linux-x64.
if [ -n "${HDTRACE_DUCKDB-}" ]; then
	ok "DuckDB reads all tables" "$python" "$tests/duckdb.py" "$HDTRACE_DUCKDB" mini \
		bits rel
else
	skip "DuckDB reads all tables" "HDTRACE_DUCKDB is not set"
fi

# The wheel has all files of the package, and they work.
wheel() {
	mkdir wheel && "$python" "$abs_top_srcdir/PythonModule/wheel.py" 7.8 \
		"$abs_top_srcdir/COPYING" "$abs_top_builddir/PythonModule" wheel &&
		cd wheel && "$python" -m zipfile -e hdtrace-7.8-cp311-abi3-*.whl site &&
		PYTHONPATH=$PWD/site "$python" - "$PWD" "$scratch/mini" <<'END'
import base64, csv, hashlib, os, sys
import hdtrace
assert hdtrace.__file__.startswith(sys.argv[1]), hdtrace.__file__
assert len(hdtrace.open(sys.argv[2]).traces) == 2
with open("site/hdtrace-7.8.dist-info/RECORD", newline="") as file:
    rows = {row[0]: row for row in csv.reader(file)}
found = {os.path.relpath(os.path.join(folder, name), "site")
         for folder, _, names in os.walk("site") for name in names}
assert found == set(rows), found ^ set(rows)
for name, hashed, size in rows.values():
    data = open(f"site/{name}", "rb").read()
    if hashed:
        wanted = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode()
        assert hashed == "sha256=" + wanted.rstrip("=") and int(size) == len(data)
assert {"hdtrace/py.typed", "hdtrace/_native.pyi"} <= found
END
}
ok "a wheel has the package" wheel
cd "$scratch" || exit 99
if [ -n "$panda" ]; then
	points "NumPy and pandas" "$panda" "$tests/frames.py"
else
	skip "NumPy and pandas" "Debian: python3-numpy python3-pandas"
fi
done_testing
