#!/bin/sh
# hdtrace plot: what can be read from the picture, by its axes and its legend,
# is what the project has, and what hdtrace stat and hdtrace report say.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
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

# Draw a project, which may have problems, and read the picture:
# PROJECT OPTION...
draws() {
	project=$1
	shift
	status=0
	"$hdtrace" plot -q --force -o picture.svg "$@" "$project" || status=$?
	[ "$status" -le 1 ] || return 1
	from=
	to=
	for option; do
		case $option in
		--from=*) from=${option#*=} ;;
		--to=*) to=${option#*=} ;;
		esac
	done
	"$python" "$readers/plot.py" picture.svg "$hdtrace" "$project" \
		${from:+"$from" "$to"}
}

# The text of the elements of an SVG, a line for each: FILE.
texts_of() {
	"$python" - "$1" <<'END'
import sys
import xml.etree.ElementTree as tree
for text in tree.parse(sys.argv[1]).getroot().iter():
    if text.text and text.text.strip():
        print(text.text.encode("unicode_escape").decode())
END
}

# The last picture has a text: TEXT.
has_text() {
	texts_of picture.svg >texts
	grep -qxF -- "$1" texts || {
		echo "no text \"$1\" in"
		cat texts
		return 1
	}
}

# A damaged picture of a project is not taken for a right one: PROJECT.
is_noticed() {
	! cmp -s picture.svg damaged.svg &&
		! "$python" "$readers/plot.py" damaged.svg "$hdtrace" "$1"
}

# So many panels and time lines are in a picture: FILE PANELS LINES.
has_parts() {
	[ "$(grep -c 'class="panel"' "$1")" -eq "$2" ] &&
		[ "$(grep -c 'class="states"' "$1")" -eq "$3" ]
}

prints_picture() {
	status 0 plot -o - mini &&
		"$python" "$readers/plot.py" out "$hdtrace" mini
}

is_pdf() {
	[ "$(head -c 5 "$1")" = %PDF- ] &&
		[ "$(tail -c 6 "$1" | head -n 1)" = %%EOF ]
}

agrees() {
	"$python" "$readers/agree.py" "$hdtrace" "$@"
}

# --- What is drawn ---

ok "a picture has the entries and states" draws mini --states=above
ok "states are drawn below the values" draws mini --states=below
ok "many values are drawn" draws run --states=above
ok "--from and --to select an interval" draws run --states=above --from=0.5 --to=1.25
ok "--panels=node draws a panel for each node" draws run --panels=node --states=above
ok "--panels=value draws a panel for each value" draws run --panels=value
ok "--zero starts scales at zero" draws run --zero
ok "a small picture shows means" draws run --size=40x300
# What is damaged is noticed, so these comparisons are worth something.
sed '/class="curve"/{n;n;s/M\([0-9.]*\) [0-9.]*/M\1 101/;}' picture.svg \
	>damaged.svg
ok "the test finds a shifted curve" is_noticed run
"$hdtrace" plot -q --states=only -o states.svg run >printed
ok "--states=only draws no panels" has_parts states.svg 0 6
"$hdtrace" plot -q --states=above --force -o picture.svg mini >printed
# Of states, as digits: the colours of the first legend.
states=$(sed -n '/class="legend"/,/<\/g>/s/^<path .*fill="#\([0-9a-f]*\)".*/\1/p' \
	picture.svg | sort -u)
# shellcheck disable=SC2086 # one a word
set -- $states
sed "s/#$1/#$2/" picture.svg >damaged.svg
ok "the test finds a wrong colour" is_noticed mini
if [ -d "$corpus" ]; then
	for project in stresstest partdiff-mpi pvfs2-server-nan; do
		ok "$project is drawn" draws "$corpus/$project" --states=above
	done
fi

# --- What stands around it ---

printf '0 warm up\n1.5 compute\n2 -\n4.5\n' >borders
ok "phases of a file are drawn" status 0 plot --phases borders --states=above --force \
	-o picture.svg mini
ok "phases have their names" has_text "warm up"
ok "phases of a trace are drawn" status 0 plot --phases-from alpha_0 --force \
	-o picture.svg mini
ok "time lines show the states that define phases" has_text Wait
ok "one level of states is drawn" status 0 plot --states=above --depth=1 --force \
	-o picture.svg mini
ok "a time line has outer states" has_text Work
ok "a time line has no nested states" test "$(grep -c '>Read<' picture.svg)" -eq 0
ok "--time=date is accepted" status 0 plot --time=date --force -o picture.svg mini
ok "dates are in UTC" has_text "Time on 2001-09-09 (UTC)"
ok "--title is accepted" status 0 plot --title 'a <b> & "c"' --force -o picture.svg mini
ok "the title is printed unchanged" has_text 'a <b> & "c"'
stat_header x Bad 'name="&lt;/title>&lt;script>]]>" type="INT32"
	unit="&quot;/&amp;"' >bad.stat
{ stamp 1; stamp 2; u32 7; } >>bad.stat
ok "names with special characters are drawn" status 0 plot --force -o picture.svg bad.stat
ok "names and units are escaped" has_text '</title><script>]]> ("/&)'
{
	stat_header x Energy 'name="P" type="INT32" unit="W" simulated="yes"'
	stamp 1; stamp 2; u32 7
} >simulated.stat
ok "simulated values are drawn" status 0 plot --force -o picture.svg \
	simulated.stat
ok "simulated values are marked" has_text "simulated (simulated)"

# What is wrong with the files is said once, however often they are read:
# OPTION...
complains_once() {
	status 1 plot --states=above --force -o picture.svg "$@" damaged || {
		cat err
		return 1
	}
	for rule in stat.cut-tail trc.no-end; do
		[ "$(grep -c "\[$rule\]" err)" -eq 1 ] || return 1
	done
}
energy_stat alpha | head -c 385 >damaged_alpha_Energy.stat
sed '/<\/Program>/d' mini_alpha_0.trc >damaged_alpha_0.trc
sed 's/mini/damaged/' mini.proj >damaged.proj
ok "problems of damaged files are reported once" complains_once
ok "problems in an interval are reported once" complains_once --from=0.5 --to=4.5

# --- Files ---

ok "-o - writes to stdout" prints_picture
ok "SVG is the default" status 0 plot mini
ok "the file has the name of the project" test -s mini.svg
ok "an existing file is kept" says "--force replaces it" 2 plot mini
ok "--format=json prints the numbers of curves" status 0 plot --format=json --force mini
ok "numbers of curves are valid JSON" "$python" -m json.tool out parsed
if "$hdtrace" plot -o a.png mini 2>&1 | grep -q "without cairo"; then
	skip "PNG and PDF" "built without cairo"
	ok "plot reports missing cairo" says "built without cairo" 2 plot --type=pdf mini
else
	fonts_are_kept
	ok "a PNG file is written" status 0 plot --states=above --size=80x60 --dpi=100 --force \
		-o a.png mini
	# shellcheck disable=SC2086 # one a word
	ok "the PNG file has the size and the colours" "$python" "$readers/png.py" a.png \
		315 237 0072b2 $states ffffff
	ok "a PDF file is written" status 0 plot -o a.pdf mini
	ok "the PDF file is complete" is_pdf a.pdf
	[ ! -e /dev/full ] || ok "PNG: a full disk is reported" says "No space left" 2 \
		plot --type=png -o /dev/full mini
fi
[ ! -e /dev/full ] || ok "SVG: a full disk is reported" says "No space left" 2 plot \
	--type=svg -o /dev/full mini

while IFS='|' read -r text arguments; do
	# shellcheck disable=SC2086
	ok "refuses $arguments" says "$text" 2 plot $arguments
done <<'END'
--panels: invalid value "all"; expected grouping, value or node|--panels=all mini
--states: invalid value "left"; expected above, below or only|--states=left mini
--time: invalid value "epoch"; expected relative or date|--time=epoch mini
--type: invalid value "gif"; expected svg, png or pdf|--type=gif mini
invalid suffix in "picture"|-o picture mini
--size: invalid size "10x"|--size=10x mini
--size: invalid size "3"|--size=3 mini
--font-size: invalid number "tall"; expected 3 to 72 points|--font-size=tall mini
--dpi: invalid number "1"; expected 20 to 2400|--dpi=1 mini
--nesting: invalid number "-1"; expected 0 or more|--nesting=-1 mini
cannot be combined with --phases-from|--phases borders --phases-from alpha_0 mini
--format: invalid value "csv"; expected text or json|--format=csv mini
unknown node "gamma"|--phases-from gamma mini
No such file|--phases missing mini
No such file|nothing
nothing to draw|--value NOTE mini
no node matches|--node gamma mini
END

# --- The same numbers everywhere ---

ok "stat, report and plot agree for a small project" agrees mini borders
printf '0.1 a\n0.77 b\n1.5 -\n' >parts
ok "stat, report and plot agree for a generated project" agrees run parts
if [ -d "$corpus" ]; then
	printf '0 a\n20 b\n33.25 c\n60 -\n' >parts
	ok "stat, report and plot agree for partdiff-mpi" \
		agrees "$corpus/partdiff-mpi" parts
	ok "stat, report and plot agree for stresstest" \
		agrees "$corpus/stresstest" parts
fi
done_testing
