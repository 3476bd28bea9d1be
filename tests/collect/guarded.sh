#!/bin/sh
# A user whose programs have pages of probes that keep their reader busy: the daemon
# still answers others, samples keep their period, and memory stays small.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99
hostile=$abs_top_builddir/tests/probe/hostile-page
# Root reads pages of other users; another user reads its own.
user=
[ "$(id -u)" -ne 0 ] || user=65534

# Begin processes with pages, which end with descriptor 3: PROCESSES SLOTS KIND
begin_pages() {
	rm -f pages.in pages.out
	mkfifo pages.in
	# shellcheck disable=SC2086
	"$hostile" "$1" "$2" "$3" $user <pages.in >pages.out &
	daemons="$daemons $!"
	exec 3>pages.in
	until_done test -s pages.out
}

# What a good client sees while another one asks for probes: PAGES
stays_good() {
	python3 "$abs_top_srcdir/tests/collect/guarded.py" "$port" "$begun" "$1"
}

# Connections of another user; both are needed.
if [ "$(id -u)" -eq 0 ]; then
	mkfifo root.in
	"$hostile" 1 4 even <root.in >root.out &
	daemons="$daemons $!"
	exec 4>root.in
	until_done test -s root.out || { echo "Bail out! no pages"; exit 1; }
	begin_node crowded || { echo "Bail out! no daemon"; exit 1; }
	ok "connections of another user block no client and see no foreign probes" \
		timeout 100 python3 "$abs_top_srcdir/tests/collect/crowd.py" "$port"
	end_node "$begun"
	exec 4>&-
else
	skip "connections of another user block no client and see no foreign probes" "not root"
fi

# Pages are there when the daemon looks for the first time.
begin_pages 10 16384 odd || { echo "Bail out! no pages"; exit 1; }
begin_node busy --interval=0.1 || { echo "Bail out! no daemon"; exit 1; }
ok "pages with busy counters delay no other client" stays_good 10
ok "the daemon ends in time" end_node "$begun"
exec 3>&-

begin_pages 20 255 even || { echo "Bail out! no pages"; exit 1; }
begin_node many --interval=0.1 || { echo "Bail out! no daemon"; exit 1; }
ok "many counters of one user take little memory" stays_good 20
end_node "$begun"
exec 3>&-

begin_pages 2 131328 even || { echo "Bail out! no pages"; exit 1; }
begin_node sparse --interval=0.1 || { echo "Bail out! no daemon"; exit 1; }
ok "large pages with holes take no memory" stays_good 2
end_node "$begun"
exec 3>&-
done_testing
