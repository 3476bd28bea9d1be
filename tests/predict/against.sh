#!/bin/sh
# hdpredict compare: how far a prediction is off, and why.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/predict/cholesky.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
export PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 99

if command -v python3 >/dev/null; then
	for seed in ${HDTRACE_TEST_SEED-7 8 9}; do
		ok "handmade projects give the expected errors, seed $seed" \
			python3 "$abs_top_srcdir/tests/predict/against.py" "$hdpredict" "$seed"
	done
else
	skip "handmade projects give the expected errors" "python3 is missing"
fi

cholesky_resources core >r.xml
"$hdpredict" generate cholesky --tiles 4 -o g.xml
"$hdpredict" platform --nodes 2 --pes 2 --idle-power 20 -o p.xml
# NAME RESOURCES OPTION...
simulate() {
	name=$1 resources=$2
	shift 2
	"$hdpredict" simulate g.xml --platform p.xml --resources "$resources" --map eft -o "$name" --format=json "$@"
}
simulate own r.xml --mc 40 >own.json
# Kernels that take twice as long and need twice as much; all on one PE, since
# another mapping would be another matter.
sed 's/time="0\.\([1-4]\)"/time="\1.5"/' r.xml >slow.xml
simulate slow slow.xml >slow.json
value() { sed -n "s/^  \"$1\": \\([^,]*\\),*\$/\\1/p" "$2"; }
# The same JSON as of the simulations themselves: KEY OTHER
error_is() {
	awk -v error="$(value "$1" out.json)" -v p="$(value "$2" own.json)" -v m="$(value "$2" slow.json)" 'BEGIN {
		e = error - (p - m) / m
		exit !(error != "" && error < 0 && m > p && e < 1e-8 && e > -1e-8) }'
}
against() {
	"$hdpredict" compare own slow --format=json >out.json && error_is time_error makespan_s &&
		error_is energy_total_error energy_total_j && grep -q '"inside_interval": false' out.json &&
		grep -q '"measured_spread": null' out.json
}
ok "errors equal the differences of the simulations" against
same() {
	"$hdpredict" compare own own own --format=json >out.json && [ "$(value time_error out.json)" = 0 ] &&
		[ "$(value energy_total_error out.json)" = 0 ] && [ "$(value measured_spread out.json)" = 0 ] &&
		[ "$(value inside_interval out.json)" = true ] && grep -q '"largest": null' out.json
}
ok "a prediction has no difference to itself" same
# The interval is that of simulate.
interval() {
	for key in q05 q95; do
		number=$(sed -n "/\"samples\"/,\$s/^    \"makespan_s\":.*\"$key\": \\([^,]*\\),.*/\\1/p" own.json)
		[ -n "$number" ] && grep -qF ": $number," out.json || return 1
	done
}
ok "the interval contains the quantiles of the samples" interval
text() {
	"$hdpredict" compare own slow >out && grep -q '^own against 1 measured run$' out &&
		grep -q 'run times of tasks .* (most)$' out && grep -q '^  GEMM  *4  *4  ' out &&
		grep -q '^Time s .* 0 of 1$' out
}
ok "text output lists time, tasks and kernels" text
"$hdpredict" generate cholesky --tiles 5 -o g.xml
simulate more r.xml >/dev/null
unmatched() {
	"$hdpredict" compare own more --format=json >out && grep -q '"tasks_not_measured": 0' out &&
		grep -q '"tasks_not_predicted": 25' out && "$hdpredict" compare more own >out &&
		grep -q 'only in the prediction: 25; only in a measurement: 0' out
}
ok "tasks in only one project are listed" unmatched

# What was given counts for the two nodes that were measured, not for the prediction.
given() {
	"$hdpredict" compare --idle=7 own slow --format=json >out && grep -o '"idle_w": [0-9]*' out >found &&
		printf '"idle_w": %d\n' 40 14 | cmp - found
}
ok "--idle sets idle power" given
# Kernels with names of what is no task: PE and its busy time, as for others.
named() {
	for name in Transfer Bsend Blocked Waitall; do
		echo "<application><kernel id='$name'/><task id='t' kernel='$name'><map pe='n0.0' priority='0'/></task></application>" >n.xml
		echo "<resource-model><entry kernel='$name' architecture='core' time='3' energy='1'/></resource-model>" >n.r.xml
		"$hdpredict" simulate n.xml --platform p.xml --resources n.r.xml -f -o named >out &&
			"$hdpredict" compare named named >out && grep -q "^  $name  *1  *1  *3  *3 " out || return 1
	done
}
ok "kernels with names of messages are counted as kernels" named

# What is wrong: STATUS MESSAGE ARGUMENT...
fails() {
	status=$1 message=$2
	shift 2
	exits "$status" "$hdpredict" compare "$@" && grep -q -- "$message" err && [ ! -s out ]
}
make_mini
ok "a single project is refused" fails 2 'missing argument: MEASURED' own
ok "a missing project is reported" fails 2 '^hdpredict compare: .*none' own none
ok "a measured project without tasks is refused" fails 2 'mini: contains no tasks' own mini
ok "a prediction without tasks is refused" fails 2 'mini: contains no tasks' mini own
ok "an idle power that is not a number is refused" fails 2 '--idle: invalid number "x"' --idle=x own own
ok "a negative idle power is refused" fails 2 '--idle: invalid number "-1"' --idle=-1 own own
ok "an unknown format is refused" fails 2 '--format: invalid value "csv"; expected text or json' --format=csv own own
ok "a negative number of tasks is refused" fails 2 '--top: invalid number "-1"; expected 0 or more' --top=-1 own own
# What is damaged is said, and the rest compared.
damaged() {
	for file in own*; do cp "$file" "torn${file#own}"; done
	sed -i 's,</Program>,,' torn_n0_0_0.trc
	exits 1 "$hdpredict" compare own torn --format=json && grep -q 'torn_n0_0_0.trc' err && grep -q time_error out
}
ok "a damaged project is reported and compared" damaged
done_testing
