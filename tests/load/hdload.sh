#!/bin/sh
# hdload: what it records, and what is wrong of command lines.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
build=${abs_top_builddir:?}
hdload=$build/hdload
cd "$scratch" || exit 99
host=$(uname -n | tr -c 'A-Za-z0-9.\n' -)
cpu=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *//; s/[,-].*//')
[ -n "$cpu" ] || cpu=0

# ---- What is recorded ----------------------------------------------------------

# Print the states of the only trace: STATE LEVEL BEGIN END, in s since its first one.
states() {
	tr "<'" '\n"' <"$1_${host}_$cpu.trc" | awk '
		function value(key,  part) {
			if (split($0, part, " " key "=\"") < 2) return "-"
			split(part[2], part, "\"")
			return part[1]
		}
		/^(Load|Idle) / {
			if (!n++) first = value("time")
			print $1, value("load"), value("time") - first,
				value("end") - first
		}'
}
as_planned() {
	exits 0 "$hdload" --cpus="$cpu" --loads=0.5:0,0.4:1,0.4:0.4,0.1:0 \
		-p p || return 1
	"$hdtrace" check p || return 1
	states p | cut -d ' ' -f 1,2 | tr '\n' ' ' >kinds
	cat kinds
	grep -qx 'Idle - Load 1 Load 0.4 Idle - ' kinds
}
ok "states and loads of a plan" as_planned

# Each at its time of the plan, or as much later as the first one was earlier.
in_order() {
	states p | awk '
		BEGIN { split("0 0.5 0.9 1.3", plan, " ") }
		{
			late = $3 - plan[NR]
			print $1, late
			if (late < -0.3 || late > 0.3 || $4 < $3) bad = 1
		}
		END { exit NR != 4 || bad }'
}
ok "edges are where they were planned" in_order

# A sequence of order 3 has 7 steps, of which 4 are on; of any seed.
on_steps() {
	exits 0 "$hdload" -q --cpus="$cpu" --sequence --order=3 --step=100 \
		--seed="$1" -f -p s || return 1
	[ ! -s err ] && "$hdtrace" check s || return 1
	states s | tee seed"$1" | awk '
		$1 == "Load" { on += $4 - $3 }
		END { print on; exit !(on > 0.25 && on < 0.6) }'
}
for seed in 0 4; do
	ok "a sequence, seed $seed" on_steps $seed
done
# By where they begin, to a tenth of a second.
other_seeds() {
	for seed in 0 4; do
		awk '{ printf "%s %.0f ", $1, $3 * 10 }' "seed$seed" >"at$seed"
	done
	! cmp at0 at4
}
ok "other seeds begin elsewhere" other_seeds
ok "an old project stays" sh -c "! '$hdload' --duration=0.1 -p s 2>err &&
	grep -q 's exists; --force replaces it' err"
ok "or gets company" sh -c "'$hdload' -q --cpus=$cpu -d 0.05 -N -p s && [ -e s-2.proj ]"

# What the old project had of other CPUs, and its power, is none of the new one.
replaced() {
	exits 0 "$hdload" -q --cpus="$cpu" -d 0.05 -p r || return 1
	for file in "r_${host}_4001.trc" "r_${host}_Energy.stat" "r_r_${host}_4001.trc"; do
		cp "r_${host}_$cpu.trc" "$file"
	done
	exits 0 "$hdload" -q --cpus="$cpu" -d 0.05 -f -p r && ls r* &&
		[ ! -e "r_${host}_4001.trc" ] && [ ! -e "r_${host}_Energy.stat" ] &&
		[ -e "r_r_${host}_4001.trc" ] && "$hdtrace" check r
}
ok "nothing is left of an old project" replaced
without_cpus() {
	cp "r_${host}_$cpu.trc" before
	exits 2 "$hdload" --cpus=4000 -d 1 -f -p r && cmp before "r_${host}_$cpu.trc"
}
ok "it stays, if the CPUs are not there" without_cpus

# Who follows the load is told its end; descriptor 0 is as good as another one.
edges() {
	HDLOAD_EDGES=edges "$hdload" -q --cpus="$cpu" -d 0.05 0<&- || return 1
	cat edges
	cut -d ' ' -f 2,3 edges | tr '\n' ' ' | grep -qx "$cpu 1.000 $cpu 0.000 "
}
ok "edges are told, and the end" edges
edges_lost() {
	HDLOAD_EDGES=/dev/full exits 1 "$hdload" -q --cpus="$cpu" -d 0.05 &&
		grep -q 'an edge could not be written to /dev/full' err
}
ok "edges that cannot be written" edges_lost

# A signal ends it, and the project is whole.
interrupted() {
	"$hdload" --cpus="$cpu" -d 3600 -p i 2>err &
	pid=$!
	until_done [ -e "i_${host}_$cpu.trc" ] || return 1
	kill "$pid" && wait "$pid" && cat err && "$hdtrace" check i &&
		grep -q '</Program>' "i_${host}_$cpu.trc"
}
ok "a signal ends it" interrupted

# ---- What is wrong -------------------------------------------------------------

printf '[General]\ndevice=sim\ncycle=100\n[Trace]\ntype=HDSTATS\nnode=other\ninput=1\nvalues=P\n' >other.cfg
{
	sed "s/other/$host/" other.cfg
	sed 1,3d other.cfg
} >two.cfg
printf '[General]\ndevice=none\n' >bad.cfg
while IFS='|' read -r name arguments text; do
	# Words of a row.
	# shellcheck disable=SC2086
	"$hdload" $arguments >out 2>err </dev/null
	found=$?
	ok "$name" [ $found -eq 2 ]
	ok "... and says so" grep -qF -- "$text" err
done <<'END'
nothing||--duration, --loads or --sequence is missing
a load above 1|--load=1.5 -d 1|--load: invalid number "1.5"; expected 0 to 1
a duration below 0|-d -1|--duration: invalid duration "-1"; expected 0.001 to 86400 s
no loads|--loads=1|not SECONDS:LOAD
two plans|--loads=1:1 --sequence|exclude each other
no order|--sequence --order=1|--order: invalid number "1"; expected 2 to 20
a sequence of days|--sequence --order=20 --step=1000|such a sequence would be too long
no CPUs|--cpus=x -d 1|no list of CPUs
the same CPU twice|--cpus=0,0 -d 1|no list of CPUs
too short a duration|-d 1e-10|--duration: invalid duration "1e-10"; expected 0.001 to 86400 s
a duration of levels|-d 1 --loads=1:1|without --duration
too short a step|--sequence --step=1e-7|--step: invalid duration "1e-7"; expected 1 to 86400000 ms
a step without a sequence|-d 1 --step=100|are those of a --sequence
--force alone|-d 1 -f|need --project
CPUs that are not there|--cpus=4000 -d 1 -p w|cannot be used
an argument|-d 1 x|too many arguments
a configuration alone|-d 1 -c other.cfg|--config needs --project
no configuration|-d 1 -c none.cfg -p w|none.cfg
a wrong configuration|-d 1 -c bad.cfg -p w|bad.cfg: power is not measured
power of another host|-d 1 -c other.cfg -p w|node=other is another host
power of others, too|-d 1 -c two.cfg -p w|node=other is another host
no directory|-d 1 -p none/w|none/w
END
nothing_left() {
	set -- w*
	[ "$*" = 'w*' ]
}
ok "nothing is left of what failed" nothing_left
done_testing
