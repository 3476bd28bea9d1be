#!/bin/sh
# hdtrace export: programs that nobody here wrote, and checkers made from
# documentation, read what is written, and find what the project has: Python's
# csv and json, OTF2's Python interface, a checker of Paraver's traces.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
readers=$abs_top_srcdir/tests/tools/readers
python=$(command -v python3) || skip_all "no python3"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
cd "$scratch" || exit 99
make_mini
"${abs_top_builddir:?}/tests/bench/make-project" --nodes=3 --ranks=2 \
	--records=1207 --values=9600 run

# Export a project, which may have problems: FORMAT PROJECT OPTION...
export_to() {
	rm -rf out."$1"
	format=$1
	shift
	"$hdtrace" export --to "$format" --output out."$format" "$@"
	[ $? -le 1 ]
}

# All bits of the statistics are in an export: FORMAT DIRECTORY NAME.
keeps_bits() {
	export_to "$1" "$2/$3" && "$python" "$readers/tables.py" "$1" \
		out."$1" "$2" "$3"
}

# What is chosen is in the export as in the dump: PROJECT OPTION...; --until
# there is --to here.
otf2_is_equal() {
	export_to otf2 "$@" || return 1
	project=$1
	shift
	for argument; do
		shift
		case $argument in
		--until) set -- "$@" --to ;;
		*) set -- "$@" "$argument" ;;
		esac
	done
	"$otf2_python" "$readers/otf2read.py" out.otf2 "$hdtrace" "$project" \
		"$@"
}

paraver_is_right() {
	export_to paraver "$1" && "$python" "$readers/paraver.py" \
		out.paraver/"$2" ${3:+"$3"}
}

seed=${HDTRACE_TEST_SEED:-$$}
echo "# HDTRACE_TEST_SEED=$seed"
mkdir bits
ok "values of any bits are exported" "$python" "$readers/makebits.py" bits any "$seed"
for form in csv csv-wide json; do
	ok "$form keeps any bits" keeps_bits $form bits any
	ok "$form keeps a generated project" keeps_bits $form . run
	ok "$form keeps special values" keeps_bits $form . mini
	if [ -d "$corpus" ]; then
		ok "$form keeps a real project" keeps_bits $form \
			"$corpus/pvfs2-server-nan" \
			"$(basename "$corpus"/pvfs2-server-nan/*.proj .proj)"
	else
		skip "$form keeps a real project" "no corpus"
	fi
done
# What was damaged is noticed, so the comparison is worth something.
sed 's/^\(value,.*\)[0-4]$/\15/' out.csv >damaged.csv
is_noticed() {
	! cmp -s out.csv damaged.csv &&
		! "$python" "$readers/tables.py" csv damaged.csv "$scratch" mini
}
ok "the test finds a wrong digit" is_noticed

ok "paraver of a damaged project agrees" paraver_is_right run run --all
ok "paraver of special values agrees" paraver_is_right mini mini ""
if [ -d "$corpus" ]; then
	ok "paraver of a real project agrees" paraver_is_right \
		"$corpus/partdiff-mpi" partdiff-mpi ""
fi

# Debian's module is for Debian's Python, which need not be the first one.
for otf2_python in "$python" /usr/bin/python3; do
	"$otf2_python" -c "import otf2" 2>/dev/null && break
	otf2_python=
done
if "$hdtrace" export --to otf2 mini 2>&1 | grep -q "built without"; then
	skip "Python reads otf2" "built without OTF2"
elif [ -z "$otf2_python" ]; then
	skip "Python reads otf2" "no python3-otf2"
else
	ok "otf2: counts, times and values" otf2_is_equal run
	ok "otf2 of special values agrees" otf2_is_equal mini
	ok "otf2 of some nodes agrees" otf2_is_equal run --node node002
	ok "otf2 of a part of the time agrees" otf2_is_equal run --from 0.5 \
		--until 1.25
	ok "otf2 of statistics alone agrees" otf2_is_equal run --only=stats \
		--from=1
	if [ -d "$corpus" ]; then
		ok "otf2 of a real project agrees" otf2_is_equal "$corpus/partdiff-mpi"
		ok "otf2 of missing values agrees" otf2_is_equal \
			"$corpus/pvfs2-server-nan"
	fi
fi
done_testing
