#!/bin/sh
# A user of this host fills the power service; root is served all the same.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/service.sh"
command -v python3 >/dev/null || skip_all "no python3"
[ "$(id -u)" -eq 0 ] || skip_all "only root can be another user"
cd "$scratch" || exit 99
# What a test that failed has left running.
trap 'kill $pid 2>/dev/null; rm -rf "$scratch"' EXIT

cat >site.cfg <<-END
	[Server]
	listen=127.0.0.1:0, unix:$scratch/socket
	clients=64
	[Device]
	name=d1
	driver=sim
	cycle=10
	[Line]
	device=d1
	node=n1
	channel=1
	values=P
END
begin -c site.cfg || { echo "Bail out! no service"; exit 1; }
port=$(sed -n 's/.*serving at 127.0.0.1:\([0-9]*\)$/\1/p' log)
ok "clients of another user keep root out of no power service" \
	timeout 100 python3 "$abs_top_srcdir/tests/service/crowd.py" "$port" "$pid"
ok "the service ends" end
done_testing
