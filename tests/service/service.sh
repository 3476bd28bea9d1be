#!/bin/sh
# The pt command as a power service: options, signals, systemd, metrics, traces
# beside it.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/service.sh"
cd "$scratch" || exit 99
# What a test that failed has left running.
trap 'kill $pid 2>/dev/null; rm -rf "$scratch"' EXIT

# Write a configuration: FILE [LINE...], the lines go to [Server].
config() {
	file=$1
	shift
	{
		printf '[Server]\nlisten=127.0.0.1:0, unix:%s/socket\n' \
			"$scratch"
		for line; do
			echo "$line"
		done
		cat <<-END
			[Device]
			name=d1
			driver=sim
			cycle=10
			[Line]
			device=d1
			node=n1
			channel=1
			values=P,E
			[Line]
			device=d1
			node=n2
			channel=2
		END
	} >"$file"
}

# Get the metrics of the service, with options of curl.
metrics() {
	url=$(sed -n 's/.*metrics at //p' log)
	curl -s -S -m 60 "$@" "$url"
}

checks() {
	config good.cfg
	exits 0 "$pt" -n -c good.cfg || return 1
	grep -q '^good.cfg: valid: 1 devices, 2 lines, 0 nodes' out || return 1
	exits 0 "$pt" -n -q -c good.cfg && ! [ -s out ] || return 1
	config bad.cfg 'listen=nowhere' 'x=y'
	exits 3 "$pt" -n -c bad.cfg || return 1
	exits 3 "$pt" -c bad.cfg && exits 3 "$pt" -D -c bad.cfg || return 1
	exits 1 "$pt" -c good.cfg -P name && exits 1 "$pt" -c good.cfg -t Host
}

serves() {
	config good.cfg
	begin -c good.cfg || return 1
	[ -S socket ] || return 1
	# A second one does not get the socket.
	config second.cfg
	exits 8 "$pt" -c second.cfg || return 1
	grep -q 'another service listens on it' err || return 1
	end && ! [ -e socket ]
}

lasts() {
	config good.cfg
	exits 0 "$pt" -c good.cfg -d 0.3
}

# What stands for systemd sends SIGHUP when it is ready, and then SIGTERM.
notifies() {
	config good.cfg
	exits 0 "$abs_top_builddir/tests/pt/notified" "$scratch/notify" \
		"$pt" -q -c good.cfg && grep -q '^STATUS=serving' out &&
		grep -q '^RELOADING=1' out && grep -q '^STOPPING=1' out
}

reloads() {
	config good.cfg
	begin -c good.cfg || return 1
	config good.cfg 'dialect=Z'
	kill -HUP "$pid"
	until_done grep -q 'continuing with the previous configuration' log ||
		return 1
	grep -q 'good.cfg:3: dialect=Z' log || return 1
	config good.cfg 'dialect=A'
	kill -HUP "$pid"
	until_done grep -q 'serving with the new configuration' log || return 1
	end
}

has_metrics() {
	config good.cfg 'metrics=127.0.0.1:0'
	begin -c good.cfg || return 1
	until_done sh -c "$(command -v curl) -s -m 60 \
		'$(sed -n 's/.*metrics at //p' log)' |
		grep -q '^hdtrace_device_readings_total{device=\"d1\"} [1-9]'" ||
		return 1
	metrics -f >text || return 1
	metrics -f -H 'Accept: application/openmetrics-text' >open || return 1
	[ "$(metrics -o /dev/null -w '%{http_code}' -X POST -d x=y)" = 405 ] ||
		return 1
	url=$(sed -n 's/.*metrics at //p' log)
	[ "$(curl -s -m 60 -o /dev/null -w '%{http_code}' "${url%metrics}")" \
		= 404 ] || return 1
	end
	cat text open
	for name in hdtrace_power_watts hdtrace_energy_joules_total; do
		for label in 'node="n1",device="d1",line="1"' \
			'node="n2",device="d1",line="2"'; do
			grep -q "^$name{$label} [0-9.]*$" text || return 1
			grep -q "^$name{$label} [0-9.]*$" open || return 1
		done
	done
	grep -q '^hdtrace_device_up{device="d1"} 1$' text || return 1
	grep -q 'simulated="yes"' text || return 1
	[ "$(tail -n 1 open)" = '# EOF' ] && ! grep -q '# EOF' text
}

promtool_likes() {
	promtool check metrics <text
}

promtool_reads() {
	# It takes samples with a time only.
	sed -E "/^#/!s/\$/ $(date +%s)/" open >timed
	promtool tsdb create-blocks-from openmetrics timed blocks &&
		mkdir -p blocks/wal && promtool tsdb dump blocks >dumped &&
		grep -q hdtrace_energy_joules_total dumped
}

# A trace of its own, beside the service.
traces() {
	config trace.cfg
	sed -i 's/^driver=sim/&\nproject=both\ntopology=Host/' trace.cfg
	cat >>trace.cfg <<-END
		[Trace]
		device=d1
		type=HDSTATS
		node=n1
		channel=1
		values=P
	END
	begin -c trace.cfg || return 1
	# More than its header.
	until_done is_larger both_n1_Energy.stat 1000 || return 1
	end || return 1
	"$hdtrace" check both && "$hdtrace" stat both | grep -q '^  P (sim' &&
		grep -aq 'simulated="yes"' both_n1_Energy.stat || return 1
	# It does not write over it.
	exits 0 "$pt" -c trace.cfg -N -d 0.2 && [ -s both-2.proj ] || return 1
	exits 0 "$pt" -c trace.cfg -d 0.2 && grep -q 'both.proj: exists' err
}

# What cannot be had with the user of this test.
drops() {
	config user.cfg 'user=nobody'
	begin -c user.cfg || return 1
	# Who is told that it serves finds them given up.
	grep -q '^NoNewPrivs:.*1' "/proc/$pid/status" &&
		grep -q '^Uid:.*[[:space:]]65534' "/proc/$pid/status" &&
		grep -q '^CapEff:.*0000000000000000' "/proc/$pid/status"
	result=$?
	cat "/proc/$pid/status"
	end && [ "$result" -eq 0 ] || return 1
	config user.cfg 'user=nobody' 'keep=dac_read_search'
	begin -c user.cfg || return 1
	grep -q '^NoNewPrivs:.*1' "/proc/$pid/status" &&
		grep '^CapEff:.*0000000000000004' "/proc/$pid/status"
	result=$?
	end && [ "$result" -eq 0 ] || return 1
	config user.cfg 'user=no-such-user'
	exits 8 "$pt" -c user.cfg && grep -q 'unknown user no-such-user' err
}

goes_to_background() {
	config good.cfg
	exits 0 "$pt" -D -q --pid-file=pid -c good.cfg || return 1
	[ -S socket ] && kill "$(cat pid)" && until_done test ! -e pid
}

# Exposure of units, in tenths: UNIT MOST
is_below() {
	sed "s,@bindir@,/usr/bin," "$abs_top_srcdir/contrib/$1.service.in" >"$1.service" &&
		systemd-analyze security --offline=true --no-pager \
			--threshold="$2" "$1.service" >analysis
	result=$?
	cat analysis
	return "$result"
}

# The figure that the guide has, of systemd 252; later ones look at more.
is_hardened() {
	is_below pt-server 20 && is_below pt 20 && is_below hdnode 35 &&
		grep -q 'unit 1\.5, where 0 is best' \
			"$abs_top_srcdir/doc/guides/one-meter-many-users.md"
}

ok "--check accepts a site configuration" checks
ok "pt serves, and one service has a socket" serves
ok "--duration ends the service" lasts
ok "the service notifies systemd" notifies
ok "SIGHUP reads the configuration again" reloads
config http.cfg metrics=0
if [ -n "$(command -v curl)" ] && "$pt" -n -q -c http.cfg 2>/dev/null; then
	ok "metrics are served by HTTP" has_metrics
	if [ -n "$(command -v promtool)" ]; then
		ok "promtool accepts the metrics" promtool_likes
		ok "promtool reads OpenMetrics" promtool_reads
	else
		skip "promtool accepts the metrics" "no promtool"
		skip "promtool reads OpenMetrics" "no promtool"
	fi
else
	skip "there are metrics" "no curl, or built without libmicrohttpd"
fi
ok "the service writes its own traces" traces
if [ "$(id -u)" -eq 0 ]; then
	ok "privileges are given up" drops
else
	skip "privileges are given up" "not root"
fi
if systemd-analyze security --help 2>/dev/null | grep -q -- --offline; then
	ok "the unit for systemd is hardened" is_hardened
else
	skip "the unit for systemd is hardened" "no systemd-analyze, or an old one"
fi
ok "the service runs in the background" goes_to_background
done_testing
