#!/bin/sh
# Meters of the network with pt: an APC rack PDU (snmpd) and a BMC (ipmi_sim),
# traced and served. They are read once a second, whoever asks for more.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
pt=${abs_top_builddir:?}/pt
sims=$abs_top_builddir/tests/sim
PATH=$PATH:/usr/sbin
cd "$scratch" || exit 99
server='' service='' tracer=''
# shellcheck disable=SC2086
trap 'kill $server $service $tracer 2>/dev/null; wait; rm -rf "$scratch"' EXIT
unset PT_VERBOSITY NOTIFY_SOCKET HDTRACE_PREFIX RUNTIME_DIRECTORY \
	XDG_RUNTIME_DIR HDTRACE_PT_TOKEN HDTRACE_PT_USER HDTRACE_PT_CA \
	HDTRACE_PT_FINGERPRINT
export HDTRACE_PT_SERVER="unix:$scratch/socket"

# Start a server on a port that nobody has: FUNCTION, which gets the port, puts
# the server into the background, and what it prints into log. It is there when
# the log has a TEXT.
server() {
	for try in 1 2 3 4 5; do
		port=$((20000 + ($$ * 7 + try * 1009) % 40000))
		: >log
		"$1" "$port"
		server=$!
		waited=0
		until grep -q "$2" log; do
			kill -0 "$server" 2>/dev/null || break
			sleep 0.05
			waited=$((waited + 1))
			[ "$waited" -lt 1200 ] || return 1
		done
		grep -q "$2" log && return
	done
	return 1
}

stop() {
	kill "$1" && wait "$1" 2>/dev/null
	true
}

start_snmpd() {
	cat >agent.conf <<-END
		agentaddress udp:127.0.0.1:$1
		rocommunity public
		pass_persist .1.3.6.1.4.1.318 $sims/apc-pdu $scratch/table
	END
	base=.1.3.6.1.4.1.318.1.1.26
	cat >table <<-END
		$base.2.1.8.1 string AP8653
		$base.4.2.1.4.1 integer 2
		$base.9.4.3.1.3.1 string web
		$base.9.4.3.1.3.2 string db
		$base.9.4.3.1.7.1 integer 58
		$base.9.4.3.1.7.2 integer 71
	END
	mkdir -p state
	SNMP_PERSISTENT_DIR=$scratch/state SNMPCONFPATH=$scratch/state MIBS='' \
		snmpd -f -r -c agent.conf -Lf log &
}

start_bmc() {
	cat >lan.conf <<-END
		name "bmc"
		set_working_mc 0x20
		startlan 1
		addr 127.0.0.1 $1
		priv_limit admin
		allowed_auths_admin md5
		guid a123456789abcdefa123456789abcdef
		endlan
		user 2 true "power" "watts" admin 10 md5
		loadlib "$sims/dcmi-module.so" "$scratch/answer"
	END
	cat >bmc.emu <<-END
		mc_setbmc 0x20
		mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02
		mc_enable 0x20
	END
	echo 'reading 129 100 200 145 1700000000 60000 0x40' >answer
	printf '[Credentials]\nuser=power\npassword=watts\n' >credentials
	chmod 600 credentials
	mkdir -p state
	ipmi_sim -n -c lan.conf -f bmc.emu -s state >log 2>&1 &
}

# Options of the driver, a line each: DRIVER
options() {
	[ "$1" = ipmi ] || return 0
	echo "credentials=$scratch/credentials"
	echo "workarounds=opensesspriv"
	echo "privilege=admin"
}

# The entries of a file, as far as it has been written: FILE
written() {
	"$hdtrace" dump "$1" 2>/dev/null | grep -E '^  [0-9.]+ [0-9.]+ '
}

# Entries are a second long, but for the last, and have these watts alone:
# FILE WATTS
has_seconds() {
	written "$1" >entries
	cat entries
	awk -v watts="$2" '{ n++; begin = n == 1 ? $1 : begin; end = $2
			if ($3 != watts) bad = 1 }
		END { exit bad || n < 2 || (end - begin) / n < 0.7 }' entries
}

# A trace: DRIVER ADDRESS WATTS
traces() {
	{
		printf '[General]\ndevice=%s\nport=%s\n' "$1" "$2"
		printf 'project=trace-%s\ntopology=Host\n' "$1"
		options "$1"
		printf '[Trace]\ntype=HDSTATS\nnode=n1\nchannel=1\nvalues=P\n'
	} >trace.cfg
	HDTRACE_FLUSH_MS=1 "$pt" -c trace.cfg &
	tracer=$!
	waited=0
	until [ "$(written "trace-$1_n1_Energy.stat" | wc -l)" -ge 3 ] ||
		[ "$waited" -ge 600 ]; do
		sleep 0.1
		waited=$((waited + 1))
	done
	kill "$tracer"
	wait "$tracer" || return 1
	tracer=
	exits 0 "$hdtrace" check "trace-$1" || return 1
	has_seconds "trace-$1_n1_Energy.stat" "$3"
}

# A cycle of 100 ms is none: DRIVER
refuses() {
	sed 's/^project/cycle=100\n&/' trace.cfg >fast.cfg
	exits 3 "$pt" -n -c fast.cfg || return 1
	grep -q "cycle=100: invalid cycle of $1; expected 1000 to " err
}

# A power service, asked for ten readings a second: DRIVER ADDRESS WATTS
serves() {
	{
		printf '[Server]\nlisten=unix:%s/socket\n' "$scratch"
		printf '[Device]\nname=meter\ndriver=%s\nport=%s\n' "$1" "$2"
		options "$1"
		printf '[Line]\ndevice=meter\nnode=n1\nchannel=1\n'
	} >site.cfg
	: >service.log
	PT_VERBOSITY=2 "$pt" -c site.cfg >service.log 2>&1 &
	service=$!
	until_done grep -q 'serving at unix' service.log
	exits 0 "$pt" record -n n1 -F 10 -p "served-$1" -q -d 4.5 &&
		grep -q 'pt: meter: 1 readings per second instead of 10' err &&
		exits 0 "$hdtrace" check "served-$1" &&
		has_seconds "served-$1_n1_Energy.stat" "$3"
	found=$?
	stop "$service"
	service=
	cat service.log
	return "$found"
}

# All of a meter: DRIVER ADDRESS WATTS
meter() {
	ok "$1: pt records the server" traces "$@"
	ok "$1: cycle below a second is refused" refuses "$1"
	ok "$1: the service does not invent readings" serves "$@"
}

# Why a driver cannot be used here, or nothing: DRIVER
missing() {
	"$pt" -l | sed -n "/^$1:/,/^\$/p" | grep -o 'without SNMP\|without IPMI'
}

if ! command -v snmpd >/dev/null; then
	skip "apc" "snmpd is missing (Debian: snmpd)"
elif [ -n "$(missing apc)" ]; then
	skip "apc" "it is not built (Debian: libsnmp-dev)"
elif ok "a simulated rack PDU starts" server start_snmpd 'NET-SNMP version'; then
	meter apc "snmp://127.0.0.1:$port" 58
	stop "$server"
	server=
fi
if ! command -v ipmi_sim >/dev/null || [ ! -e "$sims/dcmi-module.so" ]; then
	skip "ipmi" "ipmi_sim or its header is missing (Debian: libopenipmi-dev)"
elif [ -n "$(missing ipmi)" ]; then
	skip "ipmi" "it is not built (Debian: libfreeipmi-dev)"
elif ok "a simulated BMC starts" server start_bmc ready; then
	meter ipmi "ipmi://127.0.0.1:$port" 129
	stop "$server"
	server=
fi
done_testing
