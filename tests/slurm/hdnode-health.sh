#!/bin/sh
# hdnode-health with a scontrol and an hdnode that are none: what drains a node,
# what resumes it, and what changes nothing.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain optional waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
health=${abs_top_builddir:?}/hdnode-health
[ -x "$health" ] || skip_all "HDTrace was built without jansson"
command -v python3 >/dev/null || skip_all "python3 is missing"
unset SLURMD_NODENAME SLURM_CONF
mkdir "$scratch/bin" "$scratch/root" "$scratch/root/proc" "$scratch/root/sys"

# Print where somebody listens, who does nothing else: [USER]
listen() {
	python3 -c '
import os, socket, sys
for user in sys.argv[1:]:
    os.setuid(int(user))
one = socket.create_server(("127.0.0.1", 0))
print("127.0.0.1:%d" % one.getsockname()[1], flush=True)
os.read(0, 1)' "$@" <"$scratch/end"
}
mkfifo "$scratch/end"
# All who listen end when this does, and nobody else may have it.
exec 9<>"$scratch/end"
trap 'exec 9>&-; wait; rm -rf "$scratch"' EXIT
(exec 9>&- && listen) >"$scratch/listens" &
until_done test -s "$scratch/listens"
address=$(cat "$scratch/listens")

# It shows what is in the file node, and notes what it is told.
cat >"$scratch/bin/scontrol" <<END
#!/bin/sh
case \$1 in
show) cat "$scratch/node" ;;
*) echo "\$*|\${SLURM_CONF-}" >>"$scratch/told" ;;
esac
END
cat >"$scratch/bin/hdnode" <<END
#!/bin/sh
: >"$scratch/asked"
[ "\$*" = "collect --format=json --timeout=5 $address" ] || exit 2
cat "$scratch/said"
END
chmod +x "$scratch/bin/scontrol" "$scratch/bin/hdnode"
PATH=$scratch/bin:$PATH
cat >"$scratch/conf" <<END
[Health]
address = $address
hdnode = $scratch/bin/hdnode
slurm_conf = /somewhere/slurm.conf
drain = smart-failing, hot-cpu
END

# The node as Slurm shows it: STATE [REASON]
slurm_shows() {
	printf 'NodeName=n0 Arch=x86_64\n   State=%s ThreadsPerCore=1\n' "$1"
	[ -z "${2-}" ] || printf '   Reason=%s [root@2026-11-27T00:00:00]\n' "$2"
}

# What hdnode says: STATE-OF-NODE SMART-FAILING HOT-CPU UNDER-USED
hdnode_says() {
	printf '{"nodes": [{"name": "n0", "state": "%s", "alarms": [' "$1"
	printf '{"name": "smart-failing", "state": "%s"},' "$2"
	printf '{"name": "hot-cpu", "state": "%s"},' "$3"
	printf '{"name": "under-used", "state": "%s"}]}]}\n' "$4"
}

# Run it and compare what Slurm was told: EXPECTED
tells() {
	: >"$scratch/told"
	"$health" --config="$scratch/conf" --node=n0 >"$scratch/out" 2>&1 || {
		echo "status $?"
		cat "$scratch/out"
		return 1
	}
	printf '%s' "${1:+$1|/somewhere/slurm.conf
}" >"$scratch/expected"
	diff "$scratch/expected" "$scratch/told"
}

# NAME EXPECTED STATE REASON ALARM ALARM ALARM
row() {
	slurm_shows "$3" "$4" >"$scratch/node"
	hdnode_says ok "$5" "$6" "$7" >"$scratch/said"
	ok "$1" tells "$2"
}
update='update nodename=n0 state'
row "all is well" "" IDLE "" ok ok ok
row "an alarm drains" "$update=drain reason=hdtrace: smart-failing" \
	IDLE "" raised ok ok
row "also under a job" "$update=drain reason=hdtrace: hot-cpu" \
	ALLOCATED "" ok raised ok
row "two alarms are both named" \
	"$update=drain reason=hdtrace: smart-failing, hot-cpu" \
	MIXED "" raised raised ok
row "an alarm that is not to drain does not" "" IDLE "" ok ok raised
row "it is drained once" "" IDLE+DRAIN "hdtrace: hot-cpu" ok raised ok
row "a further alarm changes the reason" \
	"$update=drain reason=hdtrace: smart-failing, hot-cpu" \
	ALLOCATED+DRAIN "hdtrace: hot-cpu" raised raised ok
row "what was drained by it is resumed" "$update=resume" \
	IDLE+DRAIN "hdtrace: hot-cpu" ok ok raised
row "what somebody else has drained stays" "" \
	IDLE+DRAIN "broken fan, hdtrace: said so" ok ok ok
row "and keeps that reason" "" IDLE+DRAIN "broken fan" raised ok ok
row "what is not known drains nothing" "" IDLE "" unknown ok ok
row "and resumes nothing" "" IDLE+DRAIN "hdtrace: hot-cpu" unknown ok ok
row "a node that is down stays so" "" DOWN "Not responding" ok ok ok

# Without a hdnode it looks for itself; here is nothing to be seen.
slurm_shows IDLE >"$scratch/node"
alone() {
	sed "s|^address.*|address = none|; \$a root = $scratch/root" \
		"$scratch/conf" >"$scratch/alone"
	: >"$scratch/told"
	timeout 60 "$health" --config="$scratch/alone" --node=n0 || return 1
	[ ! -s "$scratch/told" ]
}
ok "unknown alarms without hdnode change nothing" alone

nonsense() {
	echo '{"nodes": 7' >"$scratch/said"
	sed "\$a root = $scratch/root" "$scratch/conf" >"$scratch/nonsense"
	: >"$scratch/told"
	timeout 60 "$health" --config="$scratch/nonsense" -n n0 || return 1
	[ ! -s "$scratch/told" ]
}
ok "invalid output of hdnode changes nothing" nonsense

wrong_line() {
	hdnode_says ok raised ok ok >"$scratch/said"
	sed '$a colour = green' "$scratch/conf" >"$scratch/wrong"
	: >"$scratch/told"
	"$health" -c "$scratch/wrong" -n n0 >"$scratch/out" 2>&1 || return 1
	cat "$scratch/out"
	grep "wrong:6: unknown key" "$scratch/out" && [ -s "$scratch/told" ]
}
ok "an invalid line is reported, the others apply" wrong_line

dry() {
	: >"$scratch/told"
	"$health" -c "$scratch/conf" -n n0 --dry-run >"$scratch/out" || return 1
	grep -x 'hdnode-health: n0: drain: hdtrace: smart-failing' \
		"$scratch/out" && [ ! -s "$scratch/told" ]
}
ok "--dry-run prints the action only" dry

# Somebody else listens: what that one says would have root drain nodes.
stranger() {
	(exec 9>&- && listen "$(id -u nobody)") >"$scratch/stranger" &
	until_done test -s "$scratch/stranger" || return 1
	sed "s|^address.*|address = $(cat "$scratch/stranger")|
		s|^drain.*|drain = no-such-alarm|; \$a root = $scratch/root" \
		"$scratch/conf" >"$scratch/strange"
	rm -f "$scratch/asked"
	"$health" -c "$scratch/strange" -n n0 >"$scratch/out" 2>&1 || return 1
	cat "$scratch/out"
	grep 'not queried, because .* does not belong to root' "$scratch/out" &&
		[ ! -e "$scratch/asked" ]
}
if [ "$(id -u)" -eq 0 ]; then
	ok "a daemon of another user is not queried" stranger
else
	skip "a daemon of another user" "only root can be somebody else"
fi

cd "$scratch" || exit 99
ok "a missing node name is an error" exits 2 "$health" -c conf
ok "a missing configuration file is an error" exits 2 "$health" -c nowhere -n n0
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/scontrol"
ok "a silent Slurm returns 1" exits 1 "$health" -c conf -n n0
done_testing
