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
ok "a plan gives the expected states and loads" as_planned

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
ok "edges occur at the planned times" in_order

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
	ok "a sequence with seed $seed is as computed" on_steps $seed
done
# By where they begin, to a tenth of a second.
other_seeds() {
	for seed in 0 4; do
		awk '{ printf "%s %.0f ", $1, $3 * 10 }' "seed$seed" >"at$seed"
	done
	! cmp at0 at4
}
ok "start position depends on the seed" other_seeds
ok "existing project is not replaced" sh -c "! '$hdload' --duration=0.1 -p s 2>err &&
	grep -q 's: exists; --force replaces it' err"
ok "--number creates a second project" sh -c "'$hdload' -q --cpus=$cpu -d 0.05 -N -p s && [ -e s-2.proj ]"

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
ok "--force replaces all files of an old project" replaced
without_cpus() {
	cp "r_${host}_$cpu.trc" before
	exits 2 "$hdload" --cpus=4000 -d 1 -f -p r && cmp before "r_${host}_$cpu.trc"
}
ok "--force keeps the old project if CPUs are offline" without_cpus

# Who follows the load is told its end; descriptor 0 is as good as another one.
edges() {
	HDLOAD_EDGES=edges "$hdload" -q --cpus="$cpu" -d 0.05 0<&- || return 1
	cat edges
	cut -d ' ' -f 2,3 edges | tr '\n' ' ' | grep -qx "$cpu 1.000 $cpu 0.000 "
}
ok "HDLOAD_EDGES has all edges and the end" edges
edges_lost() {
	HDLOAD_EDGES=/dev/full exits 1 "$hdload" -q --cpus="$cpu" -d 0.05 &&
		grep -q '/dev/full: cannot write an edge' err
}
ok "write error of HDLOAD_EDGES" edges_lost

# A signal ends it, and the project is whole.
interrupted() {
	"$hdload" --cpus="$cpu" -d 3600 -p i 2>err &
	pid=$!
	until_done [ -e "i_${host}_$cpu.trc" ] || return 1
	kill "$pid" && wait "$pid" && cat err && "$hdtrace" check i &&
		grep -q '</Program>' "i_${host}_$cpu.trc"
}
ok "the project is complete after a signal" interrupted

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
	ok "$name: the message" grep -qF -- "$text" err
done <<'END'
no plan||missing option: --duration, --loads, --staircase, --replay or --sequence
load above 1|--load=1.5 -d 1|--load: invalid number "1.5"; expected 0 to 1
negative duration|-d -1|--duration: invalid duration "-1"; expected 0.001 to 86400 s
loads without their times|--loads=1|--loads: invalid value "1"; expected DURATION:LOAD
loads and a sequence|--loads=1:1 --sequence|--loads: cannot be combined with --sequence
order out of range|--sequence --order=1|--order: invalid number "1"; expected 2 to 20
sequence of several days|--sequence --order=20 --step=1000|--sequence: too long
CPU list without numbers|--cpus=x -d 1|--cpus: invalid value "x"
duplicate CPU|--cpus=0,0 -d 1|--cpus: invalid value "0,0"
duration below a millisecond|-d 1e-10|--duration: invalid duration "1e-10"; expected 0.001 to 86400 s
loads and a duration|-d 1 --loads=1:1|--loads: cannot be combined with --duration
step below a millisecond|--sequence --step=1e-7|--step: invalid duration "1e-7"; expected 1 to 86400000 ms
step without a sequence|-d 1 --step=100|--step: requires --sequence
seed without a sequence|-d 1 --seed=1|--seed: requires --sequence
force without a project|-d 1 -f|--force: requires --project
number without a project|-d 1 -N|--number: requires --project
force and number|-d 1 -f -N -p w|--force: cannot be combined with --number
offline CPU|--cpus=4000 -d 1 -p w|cannot be used
unexpected argument|-d 1 x|unexpected argument: "x"
configuration without a project|-d 1 -c other.cfg|--config: requires --project
missing configuration|-d 1 -c none.cfg -p w|none.cfg: cannot read
invalid configuration|-d 1 -c bad.cfg -p w|bad.cfg: cannot measure power
node of another host|-d 1 -c other.cfg -p w|node=other is not this host
nodes of this and another host|-d 1 -c two.cfg -p w|node=other is not this host
no directory|-d 1 -p none/w|none/w
END
# As in libPT, %h is this host.
takes_host_of_configuration() {
	sed 's/node=.*/node=%h/' other.cfg >own.cfg
	"$hdload" -d 0.3 --load=0.1 -q -c own.cfg -p own &&
		ls "own_$(uname -n | sed 's/[.].*//')_"*.stat && rm own_* own.proj
}
ok "node=%h is this host" takes_host_of_configuration

nothing_left() {
	set -- w*
	[ "$*" = 'w*' ]
}
ok "no files remain after errors" nothing_left
done_testing
