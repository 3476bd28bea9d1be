#!/bin/sh
# Clients of a power service that says what none may: each field out of its
# range, and one that never stops to talk. They say what is wrong and end, and
# what they have written can be read.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/service.sh"
[ -n "$(command -v python3)" ] || skip_all "no python3"
cd "$scratch" || exit 99
# What a test that failed has left running.
trap 'kill $pid 2>/dev/null; rm -rf "$scratch"' EXIT

mkdir sockets
: >log
python3 "$abs_top_srcdir/tests/service/hostile.py" sockets >log 2>&1 &
pid=$!
until_done grep -q serving log || { cat log; exit 99; }

# Ask the service that does what hostile.py has under this name: CASE
hostile() {
	export HDTRACE_PT_SERVER="unix:$scratch/sockets/$1"
}

# What is wrong is said by its name, and nothing is written: CASE FIELD
refuses() {
	hostile "$1"
	exits 125 "$pt" record -n n1 -f -d 0.05 -p refused || return 1
	grep -q "not a power service: $2" err && ! [ -e refused.proj ]
}

# The same of pt energy: CASE FIELD
refuses_energy() {
	hostile "$1"
	exits 125 "$pt" energy -n n1 -d 0.05 || return 1
	grep -q "not a power service: $2" err
}

# The same of what there is: CASE FIELD
refuses_list() {
	hostile "$1"
	exits 2 "$pt" devices || return 1
	grep -q "not a power service: $2" err
}

# What comes while it records loses the service and not what was recorded:
# CASE FIELD
survives() {
	hostile "$1"
	exits 0 "$pt" record -n n1 -f -d 0.5 -p survived || return 1
	grep -q "not a power service: $2" err || return 1
	exits 0 "$hdtrace" check survived
}

# What is allowed is taken: CASE
takes() {
	hostile "$1"
	exits 0 "$pt" record -n n1 -f -d 0.5 -p taken || return 1
	! grep -q 'no power service' err || return 1
	exits 0 "$hdtrace" stat taken && exits 0 "$hdtrace" report taken
}

# It is ended, however much comes; where the machine is busy, perhaps before the
# first reading has come.
ends() {
	hostile flood
	exits 0 "$pt" energy -n n1 -d 0.5 || grep -q 'no readings within' err
}

while read -r case field; do
	ok "$case is refused" refuses "$case" "$field"
done <<'END'
node-empty Column.node is empty
node-c1 Column.node contains an invalid character
node-turned Column.node contains an invalid character
value-empty Column.value is empty
wall-min Pong.wall is -9223372036854775808
wall-max Pong.wall is 9223372036854775807
mono-min Pong.mono is -9223372036854775808
mono-max Pong.mono is 9223372036854775807
interval-max Group.intervalNs is 9223372036854775807
interval-zero Group.intervalNs is 0
columns-many Group.columns is 65535
kind-none Column.kind is 200
END
ok "pt energy refuses an empty node" refuses_energy node-empty "Column.node is empty"
while read -r case field; do
	ok "$case is refused" refuses_list "$case" "$field"
done <<'END'
list-node-empty Line.node is empty
list-wall-min Device.lastWall is -9223372036854775808
list-interval-min Device.intervalNs is -9223372036854775808
END
while read -r case field; do
	ok "$case: the client survives" survives "$case" "$field"
done <<'END'
data-length-min Data.length is -9223372036854775808
data-length-max Data.length is 9223372036854775807
data-wall-max Data.wall is 9223372036854775807
data-mono-min Data.mono is -9223372036854775808
data-infinite Data.values is inf
END
for case in good clock-early clock-late interval-long value-large data-long; do
	ok "$case is accepted" takes "$case"
done
ok "an endless reply is rejected" ends
done_testing
