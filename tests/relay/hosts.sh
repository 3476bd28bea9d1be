#!/bin/sh
# The relay on three hosts, hda with the client, hdb and hdc with a server each:
# network namespaces with cables between them, names and directories of their own.
# The power of each host is recorded by pt, from a meter that is simulated. Merged,
# each request is one tree over all of them, and it is known what it has cost.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# It needs the right to make namespaces: root, or a kernel that lets users do it.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
namespaces='--mount --net --uts --ipc --pid --fork --kill-child --mount-proc'
as=
# Whether a command can make what we need; with the options for unshare.
may_unshare() {
	# Unquoted: options.
	# shellcheck disable=SC2086
	unshare "$@" $namespaces sh -c 'hostname hda &&
		ip link add v0 type veth peer name v1' >"$scratch/log" 2>&1
}
python3 -c '' 2>/dev/null || skip_all "there is no python3"
if [ "${1-}" != inside ]; then
	may_unshare || as=-r
	[ -z "$as" ] || may_unshare $as ||
		skip_all "no namespaces: $(tail -n 1 "$scratch/log")"
	rm -rf "$scratch"
	# shellcheck disable=SC2086
	exec unshare $as $namespaces sh "$0" inside
fi
. "$abs_top_srcdir/tests/relay/relay-lib.sh"
pt=$abs_top_builddir/pt
calls=6
# Hosts are processes that end with us, and not before.
trap 'rm -rf "$scratch"' EXIT
meters=

# ---- Hosts -------------------------------------------------------------------

# Become a command on a host: NAME COMMAND...
become() {
	case $1 in
	hdb) on_host=$hdb ;;
	hdc) on_host=$hdc ;;
	*) on_host= ;;
	esac
	shift
	[ -z "$on_host" ] || exec nsenter --target "$on_host" --net --uts -- "$@"
	exec "$@"
}

# A further host, with a cable to hda: NAME NUMBER. Its process is $new; it lives
# as long as we do.
add_host() {
	# shellcheck disable=SC2016 # the shell there expands it
	unshare --net --uts sh -c 'hostname "$1"
		: >"$2"; exec sleep infinity' - "$1" "$scratch/ready-$1" &
	new=$!
	until_done test -e "$scratch/ready-$1" &&
		ip link add "v$2" type veth peer name "w$2" &&
		ip link set "w$2" netns "$new" &&
		ip address add "192.0.$2.1/24" dev "v$2" &&
		ip link set "v$2" up &&
		nsenter --target "$new" --net ip address add \
			"192.0.$2.2/24" dev "w$2" &&
		nsenter --target "$new" --net ip link set "w$2" up &&
		nsenter --target "$new" --net ip link set lo up
}

start_hosts() {
	hostname hda && ip link set lo up || return 1
	add_host hdb 2 || return 1
	hdb=$new
	add_host hdc 3 || return 1
	hdc=$new
	mkdir "$scratch/hda" "$scratch/hdb" "$scratch/hdc"
}

# ---- What runs on them -------------------------------------------------------

# Begin to record the power of a host: NAME. It draws 100 W at all times.
start_meter() {
	cd "$scratch/$1" || return 1
	cat >pt.cfg <<END
[General]
device=sim
law=idle:100,busy:100
cycle=20
project=relay
topology=Host
[Trace]
type=HDSTATS
node=$1
channel=host
values=P
END
	HDTRACE_FLUSH_MS=20
	export HDTRACE_FLUSH_MS
	become "$1" "$pt" -c pt.cfg >pt.out 2>pt.err &
	meters="$meters $!"
	unset HDTRACE_FLUSH_MS
	until_done has_entries "relay_$1_Energy.stat" || { cat pt.err; return 1; }
}

# Whether a group has entries, or more than there were: FILE [SIZE]
has_entries() {
	[ -s "$1" ] && [ "$(wc -c <"$1")" -gt "${2:-600}" ]
}

start_server() {
	cd "$scratch/$1" && mkdir files || return 1
	become "$1" "$relay_server" --project=relay --port=7000 --delay=30 \
		files >server.out 2>server.err &
	last=$!
	servers="$servers $last"
	until_done is_listening server.out "$last" server.err
}

write() {
	cd "$scratch/hda" &&
		timeout 300 "$relay_client" --project=relay --clients=3 \
			--count=$((calls / 3)) --size=2M \
			--servers=192.0.2.2:7000,192.0.3.2:7000 write
}

# Power is known up to the end of each relation: wait for one more entry of each.
stop_all() {
	# shellcheck disable=SC2086 # process ids
	kill $servers
	for server in $servers; do
		wait "$server" || return 1
	done
	servers=
	for host in hda hdb hdc; do
		file=$scratch/$host/relay_${host}_Energy.stat
		until_done has_entries "$file" "$(($(wc -c <"$file") + 100))" ||
			return 1
	done
	# shellcheck disable=SC2086
	kill $meters
	for meter in $meters; do
		wait "$meter" || return 1
	done
	cat "$scratch"/hd?/*.err
}

# ---- What came of it ---------------------------------------------------------

merge() {
	cd "$scratch/hda" &&
		"$hdtrace" merge -f relay "$scratch/hdb" "$scratch/hdc" &&
		"$hdtrace" check relay.proj
}

relations() {
	"$hdtrace" relations --format=json relay.proj >relations.json ||
		return 1
	python3 - "$calls" <<'END'
import json, sys
calls = int(sys.argv[1])
relations = json.load(open("relations.json"))["relations"]
top = [i for i in relations if i["parent"] is None]
assert all(i["parent_found"] for i in relations if i["parent"]), "orphans"
assert len(top) == calls, len(top)
below = {}
for i in relations:
    below.setdefault(i["parent"], []).append(i)
def tree(i):
    return [i] + [k for j in below.get(i["token"], []) for k in tree(j)]
whole = 0
for i in top:
    members = tree(i)
    whole += len(members)
    hosts = {j["token"].split(":")[0] for j in members}
    assert hosts == {"hda", "hdb", "hdc"}, hosts
    joules = 0
    for j in members:
        if not j["states"]:
            continue
        assert j["energy_j"] is not None, j["token"]
        assert j["energy_j"] > 0, (j["token"], j["energy_j"])
        joules += j["energy_j"]
    print(i["token"], len(members), "relations", round(joules, 3), "J")
    # No host draws more than 100 W, and nobody else is charged with it.
    seconds = i["end_s"] - i["start_s"]
    assert 0 < joules <= 300 * seconds * 1.001, (joules, seconds)
assert whole == len(relations), "there is more than the trees"
# Each host is charged with 100 W while any relation is in a state there.
for host in "hda", "hdb", "hdc":
    spans = sorted((j["start_s"], j["end_s"]) for k in relations
                   if k["token"].startswith(host + ":") for j in k["states"])
    busy, until = 0, 0
    for begin, end in spans:
        busy += max(0, end - max(begin, until))
        until = max(until, end)
    joules = sum(k["energy_j"] for k in relations
                 if k["token"].startswith(host + ":"))
    print(host, busy, "s", joules, "J")
    assert abs(joules - 100 * busy) <= 0.001 * joules + 1e-6, host
END
}

one_tree() {
	token=$("$hdtrace" relations --format=csv --depth=0 relay.proj |
		grep -o 'hda:[0-9.:]*' | head -n 1)
	"$hdtrace" relations --tree="$token" relay.proj >tree || return 1
	cat tree
	for host in hda hdb hdc; do
		grep -q "$host" tree || return 1
	done
}

trees() {
	# relay.py takes the prefix p.
	python3 "$abs_top_srcdir/tests/relay/relay.py" trees relay "$calls" 2
}

ok "three hosts are started" start_hosts
ok "meters record all three hosts" \
	eval 'start_meter hda && start_meter hdb && start_meter hdc'
ok "two hosts run a server" eval 'start_server hdb && start_server hdc'
ok "a client on the third host writes to both servers" write
ok "all processes end without error" stop_all
ok "the merged project has no orphans" merge
ok "a second reader finds one tree per request" trees
ok "hdtrace relations finds one tree per request, with its energy" relations
ok "the tree of a request crosses all hosts" one_tree
done_testing
