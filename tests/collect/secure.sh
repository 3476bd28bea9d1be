#!/bin/sh
# Other hosts: tokens, TLS, wrong certificates, and who may change a node. In a
# network of its own, whose address is not that of the loopback.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
if [ -z "${HD_NODE_NETWORK:-}" ] && command -v ip >/dev/null; then
	if unshare -rn true 2>/dev/null; then
		HD_NODE_NETWORK=own exec unshare -rn sh "$0"
	fi
fi
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
[ "${HD_NODE_NETWORK:-}" = own ] ||
	skip_all "no network of its own: unshare and ip (iproute2) are needed"
if ! ip link set lo up || ! ip addr add 192.0.2.1/32 dev lo; then
	skip_all "the network of its own takes no address"
fi
cd "$scratch" || exit 99
away=192.0.2.1

secret() {
	od -An -N 32 -tx1 /dev/urandom | tr -d ' \n'
}
printf 'ops %s\n' "$(secret)" >tokens
printf 'ops %s\n' "$(secret)" >others
chmod 600 tokens others

# Ask the node from away: STATUS STATE OPTION...
asks_away() {
	expected=$1 state=$2
	shift 2
	exits "$expected" "$hdnode" collect --format=json --timeout=20 "$@" \
		"$away:$port" && grep "\"state\": \"$state\"" out
}

begin_away() {
	log_name=$1
	shift
	begin_as "$log_name" "$hdnode" --listen=$away:0 --name=away \
		--smartctl= --power= --tokens=tokens "$@"
}
begin_away plain || { cat plain.log; echo "Bail out! no daemon"; exit 1; }
ok "without a token, access is denied" asks_away 1 denied
ok "with the right token, access is granted" asks_away 0 ok --token=tokens --user=ops
ok "with a wrong token, access is denied" asks_away 1 denied --token=others
# The daemon closes what it does not understand.
tls_is_not_there() {
	asks_away 1 unreachable --tls --token=tokens ||
		grep 'without GnuTLS' err
}
ok "TLS to a server without TLS fails" tls_is_not_there

metrics_are_ours() {
	command -v curl >/dev/null || return 0
	! curl -sS -m 20 "http://$away:$port/metrics"
}
ok "other hosts cannot read metrics" metrics_are_ours

# Who has a token may configure; what is wrong changes nothing.
configures() {
	printf '[Alarm]\nname = mine\nmetric = load_1\ncomparator = %s\n' \
		'above' >good.conf
	echo 'threshold = 1e9' >>good.conf
	printf '[Alarm]\nname = mine\nmetric = nothing\n' >bad.conf
	exits 1 "$hdnode" configure good.conf "$away:$port" &&
		grep denied out &&
		exits 0 "$hdnode" configure --token=tokens good.conf "$away:$port" &&
		exits 1 "$hdnode" configure --token=tokens bad.conf "$away:$port" &&
		grep -E '^away: bad|: bad: ' out &&
		asks_away 0 ok --token=tokens && grep '"mine"' out
}
ok "a token allows configuration, and an invalid file changes nothing" configures

# A token that is taken back ends what it has begun.
taken_back() {
	"$hdnode" collect --format=json --token=tokens -i 0.05 "$away:$port" \
		>watched 2>&1 &
	watcher=$!
	daemons="$daemons $watcher"
	until_done grep -q '"state":"ok"' watched && cp others tokens.new &&
		cp tokens kept && cat others >tokens && kill -HUP "$begun" &&
		until_done grep -q '"state":"denied"' watched
	found=$?
	kill "$watcher"
	cat kept >tokens
	return "$found"
}
ok "a revoked token ends its connection" taken_back
ok "the daemon ends" end_node "$begun"

# ---- TLS ---------------------------------------------------------------------

if "$hdnode" collect --ca=node.crt "$away:$port" 2>&1 | grep -q 'without GnuTLS'; then
	no_tls_to_serve() {
		: >node.key
		exits 2 "$hdnode" --listen=127.0.0.1:0 --certificate=node.key \
			--key=node.key && grep 'built without TLS' err
	}
	ok "the daemon reports missing TLS support" no_tls_to_serve
	skip "TLS" "built without GnuTLS"
	done_testing
fi
if ! command -v openssl >/dev/null; then
	skip "TLS" "no openssl"
	done_testing
fi
# NAME ADDRESS
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -days 30 -subj "/CN=$1" -addext "subjectAltName=IP:$2" \
		-keyout "$1.key" -out "$1.crt" 2>/dev/null && chmod 600 "$1.key"
}
certificate node $away && certificate stranger $away &&
	certificate elsewhere 192.0.2.9
fingerprint=$(openssl x509 -in node.crt -noout -fingerprint -sha256 |
	sed 's/.*=//')
begin_away secure --certificate=node.crt --key=node.key ||
	{ cat secure.log; echo "Bail out! no daemon"; exit 1; }
ok "TLS with a certificate authority is accepted" asks_away 0 ok --token=tokens --ca=node.crt
ok "TLS with a fingerprint is accepted" asks_away 0 ok --token=tokens \
	--fingerprint="$fingerprint"
ok "a wrong authority is denied" asks_away 1 denied --token=tokens --ca=stranger.crt
ok "the reason is the failed authentication of the server" \
	grep '"why": "server failed authentication"' out
ok "a wrong fingerprint is denied" asks_away 1 denied --token=tokens \
	--fingerprint="$(secret)"
ok "TLS without a token is denied" asks_away 1 denied --ca=node.crt
ok "the token also works without TLS" asks_away 0 ok --token=tokens
ok "the daemon with TLS ends" end_node "$begun"
begin_away false --certificate=elsewhere.crt --key=elsewhere.key
ok "a certificate of another host is denied" asks_away 1 denied --token=tokens \
	--ca=elsewhere.crt
done_testing
