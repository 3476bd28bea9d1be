#!/bin/sh
# tags: threads
# What is promised of relations, causes, states and gauges, in the example relay: a
# client and servers with worker threads, state machines and layers. relay.py reads
# what they have written, without any code of ours.
#
# The promises, and the tests for each of them:
#
#     tokens as text                 here; test-relation.c, test-relation-files.c
#     ids from many threads          here, also with ThreadSanitizer;
#                                    test-relation-files.c: 16 threads
#     relations that overlap         here; test-relation.c
#     attributes                     test-relation.c
#     kill -9                        here; test-relation-files.c
#     full disk, no directory        here; test-relation-files.c
#     requests have causes           here
#     sizes, ranges, contents        here
#     a client without tracing       here
#     equal trees with and without threads; a lost hint     here
#     clocks 5 s apart               here; check-relations.sh
#     small writes are one part      here
#     state machines: begin, nested begin, next state, stack, end     here
#     actions: complete, deferred, terminate, failed     here
#     gauges: 0 at the ends, never negative     here; test-gauge.c
#     gauges at a gate: 0, 9, 9, 72  here
#     gauges of TROVE, FLOW, REQ     here
#     blocked requests               here
#     gauges agree with relations    here
#
# With HDTRACE_TEST_LONG (make verify-relations) with as much data as the thesis
# had; the gate has its numbers in any case.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/relay/relay-lib.sh"
python3 -c '' 2>/dev/null || skip_all "there is no python3"
clients=9
steps=1
size=$((10 * 1024 * 1024))
[ -z "${HD_SANITIZE-}" ] || size=$((3 * 1024 * 1024))
[ -z "${HDTRACE_TEST_LONG-}" ] || steps=10
HDTRACE_VERBOSITY=-1
export HDTRACE_VERBOSITY

# Four servers, written to by nine clients: [OPTION...]
balanced() {
	for _ in 1 2 3 4; do
		start --project=p "$@" || return 1
	done
	client --project=p --clients="$clients" --count="$steps" --size="$size" write &&
		stop
}

# ---- Nine clients and four servers ------------------------------------------

scene threads
ok "nine clients write to four servers" balanced --method=threads
ok "ids are unique, every element occurs once" written r2
ok "every write has its requests, and every relation has its cause" \
	written c1 "$clients" "$steps" "$size" 4
ok "hdtrace check finds no orphans" checks
ok "sizes add up, ranges tile, contents are right" \
	written c2 "$clients" "$steps" "$size" 4 s0 s1 s2 s3
ok "a state machine is a state that contains all its states" written s1 write
ok "a nested state machine starts in its state" written s2 write
ok "actions complete, are deferred and terminate" written s3 write
ok "each state is followed by the next" written s4 write
ok "the outer state machine continues after nested states" written s5 write
ok "terminated state machines are closed" written s6
ok "gauges begin and end at 0 and are never negative" written g1
ok "gauges: TROVE <= 8 FLOW, FLOW <= REQ <= clients" written g3 "$clients"
ok "writes block no request" written g4_writes

scene direct
ok "writes succeed without storage threads" balanced --method=direct
ok "every write has its requests, without threads" written c1 "$clients" "$steps" "$size" 4
ok "trees are equal with and without threads" written c4 ../threads/p
ok "gauges begin and end at 0 if operations complete at once" written g1
rm -rf "$scratch/direct"

c4_mutant() {
	relay=$relay_other
	RELAY_LOSES=1
	export RELAY_LOSES
	balanced --method=threads
	result=$?
	unset RELAY_LOSES relay
	[ "$result" -eq 0 ] && ! written c1 "$clients" "$steps" "$size" 4
}
scene mutant
ok "a hint lost between two threads leaves a relation without cause" c4_mutant
rm -rf "$scratch/mutant" "$scratch/threads"

# ---- Other clients ----------------------------------------------------------

two() {
	start --project=p && start --project=p
}

untraced() {
	two && client --clients=3 --count=2 --size=1M write &&
		client --clients=3 --count=2 --size=1M read && stop
}
scene untraced
ok "a client that does not trace is served" untraced
ok "its requests are top-level relations" written c3 24
ok "hdtrace check accepts top-level requests" checks

skewed() {
	relay=$relay_other
	RELAY_AHEAD=-5
	export RELAY_AHEAD
	start --project=p || return 1
	unset relay RELAY_AHEAD
	client --project=p --clients=2 --count=1 --size=1M write && stop
}
scene skewed
ok "the clock of a server is 5 s slow" skewed
ok "causes are found in spite of the slow clock" written c5 5
ok "hdtrace check warns of children before their parents" \
	checks rel.child-early

small_again() {
	two && client --project=p --clients=3 --count=4 --size=16K write &&
		client --clients=3 --count=4 --size=16K read && stop
}
small_calls() {
	two && client --project=p --clients=3 --count=4 --size=1000 write &&
		stop
}
scene small
ok "small writes succeed with data in the request" small_calls
ok "a small write has one request, one part, one size and no flow" written c6 12
scene small-read
ok "small writes are read again" small_again

# ---- Failures ---------------------------------------------------------------

# Clients whose storage fails now and then: METHOD
failing() {
	start --project=p --method="$1" --fail=7 &&
		! client --project=p --clients=4 --count=4 --size=3M write 2>err &&
		grep -q 'write: Input/output error' err &&
		# The server is as good as before.
		! client --clients=1 --count=1 --size=3M --file=other read 2>err &&
		stop
}
for method in threads direct; do
	scene "failing-$method"
	ok "clients finish if the storage fails sometimes ($method)" failing "$method"
	ok "gauges begin and end at 0 if posts fail ($method)" written g1
	ok "failed state machines are closed ($method)" written s6
done

missing() {
	start --project=p && ! client --clients=2 --count=1 --size=1M read 2>err &&
		grep -q 'read: No such file' err && stop
}
scene missing
ok "a missing file is reported" missing
ok "a failed action has its reason" written s3_failed open \
	"No such file or directory"

# Of servers there are 1 to 64.
server_lists() {
	addresses=,
	client --count=1 create 2>err
	[ $? -eq 2 ] && grep -q '^usage' err && addresses= && start || return 1
	addresses=$(printf "$addresses,%.0s" $(seq 65))
	! client --clients=1 --count=1 create 2>err &&
		grep -q 'client 0: connect to so many servers' err && stop
}
scene server-lists
ok "no server and too many servers are refused" server_lists

hostile() {
	start --project=p && written hostile "$port" 23 && stop
}
scene hostile
ok "a client that sends malformed tokens is served" hostile
ok "a malformed token does not become a cause" written r1 23

# Servers that cannot record go on serving: PROJECT
serves() {
	start --project="$1" --method=direct &&
		client --clients=2 --count=2 --size=3M write &&
		client --clients=2 --count=2 --size=3M read || return 1
	# shellcheck disable=SC2086 # one process id
	kill $servers
	wait "$last"
	result=$?
	servers=
	cat s0.err
	[ "$result" -eq 0 ] && grep -q 'is not recorded' s0.err
}
scene nowhere
ok "the server works without a directory for the trace" \
	serves /nonexistent/p

# A server whose traces go to a disk of 64 KB that nobody else sees.
write_full_server() {
	mkdir full
	cat >full-server <<END
#!/bin/sh
exec unshare $1 -m sh -c 'mount -t tmpfs -o size=64k none full && exec "\$@"' \
	- $relay_server "\$@"
END
	chmod +x full-server
	# shellcheck disable=SC2086 # an option, or none
	unshare $1 -m mount -t tmpfs -o size=64k none full 2>/dev/null
}
full_disk() {
	relay=./full-server
	start --project=full/p --method=direct &&
		client --clients=2 --count=4 --size=3M write &&
		client --clients=2 --count=4 --size=3M read || return 1
	# shellcheck disable=SC2086 # one process id
	kill $servers
	wait "$last"
	result=$?
	servers=
	cat s0.err
	unset relay
	[ "$result" -eq 0 ] && grep -q 'No space left\|is not recorded' s0.err
}
scene full
if write_full_server "" || write_full_server -r; then
	ok "the server works with a full disk for the trace" full_disk
else
	skip "the server works with a full disk for the trace" "no mount namespaces"
fi

killed() {
	HDTRACE_FLUSH_MS=1
	export HDTRACE_FLUSH_MS
	start --project=p --method=gated || return 1
	client --project=p --clients=2 --size=3M --count=1 write 2>err &
	writer=$!
	until_done shows "REQ 2 BREQ 0 BMI 0 FLOW 2 TROVE 16 DISK 0" || return 1
	until_done has_states || return 1
	unset HDTRACE_FLUSH_MS
	kill -9 "$last"
	wait "$last"
	servers=
	! wait "$writer"
}
has_states() {
	[ "$(grep -o '<s name="flow"' p_*_REQ.rel | wc -l)" -eq 2 ]
}
scene killed
ok "a server is killed while it serves" killed
ok "its written relations are readable and never ended" written r5 2
ok "hdtrace check reports relations without an end" checks rel.failed rel.never-ended rel.no-end

# ---- Gauges -----------------------------------------------------------------

# All buffers fill: CLIENTS
gated() {
	start --project=p --method=gated --threads=16 --delay=100 || return 1
	client --project=p --clients="$1" --count=1 --size=3M write &
	writer=$!
	full="REQ $1 BREQ 0 BMI 0 FLOW $1 TROVE $((8 * $1)) DISK 0"
	until_done shows "$full" || return 1
	# And there it stays.
	for _ in 1 2 3 4 5; do
		shows "$full" || return 1
	done
	kill -USR1 "$last" && wait "$writer" && stop
}
for number in 9 3; do
	scene "gated-$number"
	ok "operations of $number clients wait for a closed storage" gated "$number"
	ok "gauges: BMI 0, FLOW $number, REQ $number, TROVE $((8 * number))" \
		written g2 "$number"
	ok "gauges of layers agree with $number clients" written g3 "$number"
	ok "overlapping requests have their own times" written r3
done

creates() {
	start --project=p --method=gated || return 1
	client --project=p --clients=5 --count=1 --file=d/f create &
	writer=$!
	until_done shows "REQ 1 BREQ 4 BMI 0 FLOW 0 TROVE 1 DISK 0" || return 1
	kill -USR1 "$last" && wait "$writer" && stop
}
scene creates
ok "five clients create files in a directory, at a gate" creates
ok "four of five requests are blocked" written g4 5
ok "each state is followed by the next after blocking" written s4 create
# Which thread goes on is by chance.
moves() {
	for _ in $(seq 20); do
		! written s3_threads || return 0
		scene moves
		creates || return 1
	done
	return 1
}
ok "a state begins in one thread and ends in another" moves

# Long enough for what lies between a gauge and a relation; where a thread is stopped
# just there, on a busy machine, by chance it takes longer.
agreeing() {
	for _ in $(seq 10); do
		scene agreeing
		start --project=p --method=threads --delay=100 --threads=8 &&
			client --project=p --clients=4 --count=2 --size=2M write &&
			stop || return 1
		for layer in TROVE FLOW REQ DISK; do
			written g5 "$layer" || continue 2
		done
		return 0
	done
	return 1
}
ok "gauges of a slow storage agree with their relations" agreeing
done_testing
