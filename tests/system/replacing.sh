#!/bin/sh
# --force of whatever records: the old project goes when the new recording has
# really begun, and not before. --number leaves it alone.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/service.sh"
rut=${abs_top_builddir:?}/rut
cd "$scratch" || exit 99
trap 'kill $pid $other 2>/dev/null; rm -rf "$scratch"' EXIT
other=
printf '#!/no/such\n' >late
printf '#!/etc/passwd\n' >forbidden
chmod +x late forbidden

# What there is of a project, with its bytes: NAME
state() {
	ls -d "$1".* "$1"_*
	cksum "$1".proj "$1"_*
}

# A command fails with this status and leaves the project: NAME STATUS COMMAND...
keeps() {
	name=$1
	shift
	state "$name" >before
	exits "$@" || return 1
	state "$name" >after
	diff before after
}

# A command succeeds, and what was recorded is new: NAME COMMAND...
replaces() {
	name=$1
	shift
	state "$name" >before
	exits 0 "$@" || return 1
	state "$name" >after
	[ "$(grep 'stat$' before)" != "$(grep 'stat$' after)" ] &&
		[ ! -e "$name.new" ] &&
		exits 0 "$hdtrace" check "$name"
}

# ---- rut ---------------------------------------------------------------------

rut_late() {
	exits 0 "$rut" -p R -t Host=n -s mem -q -d 0.1 || return 1
	keeps R 127 "$rut" -f -p R -t Host=n -s mem -- ./late &&
		keeps R 127 "$rut" -f -p R -t Host=other -s mem -- ./late &&
		keeps R 126 "$rut" -f -p R -t Host=n -s mem -- ./forbidden &&
		keeps R 127 "$rut" -f -p R -t Host=n -s mem -- no-such-program
}

rut_mount() {
	keeps R 125 "$rut" -f -p R -t Host=n -s hdd -m /no/such -- true
}

rut_replaces() {
	replaces R "$rut" -f -p R -t Host=n -s mem -q -- true &&
		replaces R "$rut" -f -p R -t Host=n -s mem -q -d 0.1 &&
		exits 0 "$rut" -f -p fresh -t Host=n -s mem -q -- true &&
		exits 0 "$hdtrace" check fresh && [ ! -e fresh.new ] &&
		exits 125 "$rut" -p R -t Host=n -s mem -q -- true
}

# What exists is the old project or the new one, whenever it is killed.
rut_killed() {
	round=0
	while [ "$round" -lt 30 ]; do
		round=$((round + 1))
		"$rut" -f -p R -t Host=n -s mem -q -i 1 -d 5 2>/dev/null &
		killed=$!
		sleep "0.00$((round % 10))"
		kill -9 "$killed"
		wait "$killed" 2>/dev/null
		exits 0 "$hdtrace" info R || return 1
		[ -s R_n_Utilization.stat ] || return 1
	done
	replaces R "$rut" -f -p R -t Host=n -s mem -q -- true
}

# What is being recorded is not replaced, and goes on.
rut_live() {
	"$rut" -f -p live -t Host=n -s mem -q -i 10 -d 60 &
	other=$!
	until_done [ -e live.proj ] || return 1
	until_done [ ! -e live.new ] || return 1
	inode=$(stat -c %i live_n_Utilization.stat)
	exits 125 "$rut" -f -p live -t Host=n -s mem -q -- true || return 1
	grep -q 'being recorded' err || return 1
	kill "$other"
	wait "$other"
	other=
	[ "$(stat -c %i live_n_Utilization.stat)" -eq "$inode" ] &&
		exits 0 "$hdtrace" check live
}

# What is there stays, and the next name that is free is taken, with the prefix
# and in another directory, too: NAME COMMAND...
numbers() {
	name=$1
	shift
	state "$name" >before
	exits 0 "$@" -N -p "$name" || return 1
	state "$name" >after
	diff before after && exits 0 "$hdtrace" check "$name-2" || return 1
	# All that a crash has left, or another program wrote.
	: >"${name}-3_x.trc"
	exits 0 "$@" --number -p "$name" &&
		exits 0 "$hdtrace" check "$name-4" && [ ! -e "$name-3.proj" ]
}

rut_numbers() {
	mkdir -p sub && cp R.proj R_n_Utilization.stat sub || return 1
	numbers R "$rut" -t Host=n -s mem -q -d 0.1 || return 1
	HDTRACE_PREFIX=$PWD/sub/ exits 0 "$rut" -N -p R -t Host=n -s mem -q \
		-d 0.1 && exits 0 "$hdtrace" check sub/R-2 &&
		exits 0 "$rut" -N -p new -t Host=n -s mem -q -d 0.1 &&
		exits 0 "$hdtrace" check new || return 1
	exits 125 "$rut" -N -f -p R -t Host=n -s mem -q -d 0.1 &&
		grep -q -e '--force: cannot be combined with --number' err
}

ok "rut: the old recording stays if the program cannot be run" rut_late
ok "rut: the old recording stays if a disk is missing" rut_mount
ok "rut: a new recording replaces the old one" rut_replaces
ok "rut: a killed program leaves the old or the new recording" rut_killed
ok "rut: an active recording stays" rut_live
ok "rut: --number keeps the old recording" rut_numbers

# ---- pt ----------------------------------------------------------------------

# Write a configuration: FILE DEVICE-LINES [SERVER]
config() {
	{
		if [ $# -gt 2 ]; then
			printf '[Server]\nlisten=unix:%s/socket\n' "$scratch"
			printf '[Device]\nname=d\ndriver=%s\n' "$2"
			printf 'cycle=100\ntopology=Host\nproject=S\n'
			printf '[Line]\ndevice=d\nnode=n1\nchannel=1\n'
			printf '[Trace]\ndevice=d\n'
		else
			printf '[General]\ndevice=%s\ncycle=100\n' "$2"
			printf 'topology=Host\nproject=T\n[Trace]\n'
		fi
		printf 'type=HDSTATS\nnode=n1\nchannel=1\nvalues=P\n'
	} >"$1"
}

pt_missing() {
	config good.cfg sim
	config bad.cfg "LMG450
port=/no/such"
	exits 0 "$pt" -q -c good.cfg -P T -d 0.3 || return 1
	keeps T 8 "$pt" -f -q -c bad.cfg -P T -d 0.3
}

# pt has -P for the project.
pt_numbers() {
	state T >before
	exits 0 "$pt" -N -q -c good.cfg -P T -d 0.3 || return 1
	state T >after
	diff before after && exits 0 "$hdtrace" check T-2
}

pt_replaces() {
	replaces T "$pt" -f -q -c good.cfg -P T -d 0.3
}

site_missing() {
	config good-site.cfg sim site
	config bad-site.cfg "LMG450
port=/no/such" site
	cp T.proj S.proj
	cp T_n1_Energy.stat S_n1_Energy.stat
	exits 3 "$pt" -n -c /no/such
	keeps S 0 "$pt" -f -q -c bad-site.cfg -d 0.3
}

site_replaces() {
	replaces S "$pt" -f -q -c good-site.cfg -d 0.5
}

# The files cannot be made.
site_blocked() {
	mkdir S.new && chmod 0 S.new || return 1
	: >S.new.file
	rmdir S.new && mv S.new.file S.new
	keeps S 0 "$pt" -f -q -c good-site.cfg -d 0.3
	found=$?
	rm -f S.new
	return "$found"
}

ok "pt: the old recording stays if a device is missing" pt_missing
ok "pt: a new recording replaces the old one" pt_replaces
ok "pt: --number keeps the old recording" pt_numbers
ok "pt with a server: the old recording stays if a device is missing" site_missing
ok "pt with a server: a new recording replaces the old one" site_replaces
ok "pt with a server: the old recording stays if files cannot be created" site_blocked

# ---- pt record ---------------------------------------------------------------

export HDTRACE_PT_SERVER="unix:$scratch/socket"

record_late() {
	keeps P 127 "$pt" record -f -n '*' -p P -- ./late &&
		keeps P 125 "$pt" record -f -n nobody -p P -- true
}

record_replaces() {
	replaces P "$pt" record -f -n '*' -p P -q -d 0.3 &&
		replaces P "$pt" record -f -n '*' -p P -q -- sleep 0.3
}

record_numbers() {
	numbers P "$pt" record -n '*' -q -d 0.3 || return 1
	exits 125 "$pt" record -N -f -n '*' -p P -d 0.3
}

record_absent() {
	keeps P 125 "$pt" record -f -n '*' -p P -- true &&
		keeps P 125 "$pt" record -f -a -n '*' -p P -- true
}

record_begins() {
	config serve.cfg sim site
	sed -i '/^\[Trace\]/,$d' serve.cfg
	sed -i '/^topology\|^project/d' serve.cfg
	begin -c serve.cfg || return 1
	exits 0 "$pt" record -n '*' -p P -q -d 0.3
}

ok "pt record: a first project is recorded" record_begins
ok "pt record: the old recording stays if the program cannot be run" record_late
ok "pt record: a new recording replaces the old one" record_replaces
ok "pt record: --number keeps the old recording" record_numbers
[ -z "$pid" ] || end >/dev/null
ok "pt record: the old recording stays if the service is missing" record_absent

# ---- hdtrace merge -----------------------------------------------------------

merge_fails() {
	keeps R 2 "$hdtrace" merge --force --time-adjust nobody=1 R &&
		keeps R 2 "$hdtrace" merge --force -o /no/such/R.proj R
}
ok "hdtrace merge: the old project stays if it cannot be replaced" merge_fails
done_testing
