#!/bin/sh
# The subcommands of pt that ask a power service: devices, record, energy,
# watch. The meter computes 100 W for each line, whatever the machine does.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads optional smoke waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/service.sh"
cd "$scratch" || exit 99
export HDTRACE_PT_SERVER="unix:$scratch/socket"
recorder=
# What a test that failed has left running.
trap 'kill $pid $recorder 2>/dev/null; rm -rf "$scratch"' EXIT

# Write site.cfg: [LINE...] for [Server].
config() {
	{
		printf '[Server]\nlisten=unix:%s/socket, 127.0.0.1:0\n' \
			"$scratch"
		for line; do
			echo "$line"
		done
		cat <<-END
			[Device]
			name=rack1
			driver=sim
			cycle=20
			law=idle:100,busy:100
			description=stands for a meter
			[Line]
			device=rack1
			name=psu1
			node=node06
			channel=1
			values=P,E
			[Line]
			device=rack1
			name=psu2
			node=node06
			channel=2
			values=P,E
			[Line]
			device=rack1
			node=node07
			channel=3
			[Device]
			name=slow
			driver=sim
			cycle=500
			law=idle:7,busy:7
			[Line]
			device=slow
			node=node08
			channel=1
		END
	} >site.cfg
}

# Whether a number is FOUND, or off by no more than a share: FOUND WANTED SHARE
is_near() {
	awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN {
		d = a - b; if (d < 0) d = -d
		if (d > b * s) { print a " is not near " b; exit 1 } }'
}

# Whether entries are as long as this in the mean, or longer: FILE SECONDS
has_interval() {
	"$hdtrace" dump "$1" | grep -E '^  [0-9.]+ [0-9.]+ ' |
		awk -v s="$2" '{ if (!n++) begin = $1; end = $2 }
			END { print n " entries in " end - begin " s"
			exit n < 3 || (end - begin) / n < s }'
}

lists() {
	exits 0 "$pt" devices || return 1
	grep -Eq '^rack1 +sim +50 +works +[0-9.]+ s(, stale)? +[0-9]+ +0 +0 ' out || return 1
	grep -Eq '^node06 +rack1 +1 +psu2 +2 +P \[W\], E \[J\] +simulated' \
		out || return 1
	exits 0 "$pt" devices --json || return 1
	[ -z "$(command -v python3)" ] || python3 -c '
import json
a = json.load(open("out"))["devices"]
assert [d["name"] for d in a] == ["rack1", "slow"]
assert 0 <= a[0]["last_reading_age_s"] < 60 and a[0]["stale"] in (True, False)
assert a[0]["lines"][1]["values"][1]["unit"] == "J"' || return 1
	exits 0 "$pt" devices --format=json || return 1
	! python3 -c 'import jsonschema' 2>/dev/null ||
		python3 "$abs_top_srcdir/tests/tools/readers/validate-json.py" \
			"$abs_top_srcdir/doc/json.schema.json" out
}

# A project of two nodes, with values to the last digit.
records() {
	exits 0 "$pt" record --nodes node06,node07 --values P -p one -- \
		sleep 0.5 || return 1
	grep -q '^pt record: 0\.[5-9]\|^pt record: [1-9]' err || return 1
	grep -Eq '^  node06 +P +200(\.0)? W on average, .* \(simulated\)' err ||
		return 1
	grep -Eq '^  node07 +P +100(\.0)? W' err || return 1
	exits 0 "$hdtrace" check one || return 1
	exits 0 "$hdtrace" stat --format=csv one || return 1
	for node in node06:200 node07:100; do
		"$hdtrace" dump "one_${node%:*}_Energy.stat" >dumped
		# Ten at least, and all of one value.
		grep -E '^  [0-9.]+ [0-9.]+ ' dumped >entries
		[ "$(wc -l <entries)" -ge 10 ] || return 1
		! grep -qv " ${node#*:}\$" entries || return 1
		grep -q 'device="rack1" server=.*socket".* serverOffset="' \
			dumped || return 1
	done
}

# What is printed of each value is what hdtrace has of the files, in the same
# digits: PROJECT, in the file err and by hdtrace.
agrees() {
	"$hdtrace" stat "$1" | awk '
		/^[^ ]/ { node = $1 }
		$1 ~ /^P/ { for (i = 4; i < NF && $i !~ /^[kM]?J$/; i++) ;
			print node, $1, $(i - 1), $i }' | sort >stated
	# hdtrace knows less of the command; marks are another test.
	sed -n 's/>= //
		s/^  \([^ ]*\)  *\([^ ]*\) .* on average, \([^ ]* [kM]*J\).*/\1 \2 \3/p' \
		err | sort >printed
	diff printed stated && [ -s printed ] || return 1
	# And to the last digit: each is value times the time in the file.
	"$hdtrace" stat --format=csv "$1" >values
	cut -d' ' -f1 printed | sort -u | while read -r node; do
		"$hdtrace" dump --format=csv --only=stats -n "$node" \
			--time=relative "$1" | awk -F, -v node="$node" '
			$1 == "value" && $9 ~ /^P/ && $12 != "NaN" {
				sum[$9] += $12 * ($7 - $6)
				known[$9] += $7 - $6 }
			END { for (name in sum)
				printf "%s %s %.6f %.6f\n", node, name,
					sum[name], known[name] }'
	done | sort >summed
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$3 ~ /^P/ { printf "%s %s %.6f %.6f\n", $1, $3,
			$at["integral"], $at["known_s"] }' values | sort >had
	cat summed
	diff summed had
}

# The power changes with each reading, so it matters which ones are added, and
# for how long each.
records_the_same() {
	config
	sed -i 's/^law=idle:100.*/law=idle:100,busy:5000/' site.cfg
	begin -c site.cfg || return 1
	result=0
	for run in 0.1 0.33 0.71; do
		exits 124 "$pt" record -n node06,node07 -v P -p same -f -- \
			timeout "$run" sh -c 'while :; do :; done' || result=1
		cat err
		agrees same || result=1
	done
	# Lines apart, less often.
	exits 0 "$pt" record -n node06 -v P -l -F 20 -p apart -d 0.4 ||
		result=1
	agrees apart || result=1
	end && [ "$result" -eq 0 ]
}

# Each line apart, two values, two devices for a node, a rate, a duration.
records_more() {
	exits 0 "$pt" record -n node06 -v P,E --lines -p lines -d 0.2 ||
		return 1
	"$hdtrace" dump lines_node06_Energy.stat >dumped
	cat dumped
	for name in P_psu1 P_psu2 E_psu1 E_psu2; do
		grep -q "value \"$name\" DOUBLE" dumped || return 1
	done
	# How the service merges readings is their kind.
	grep -aq 'name="P_psu1".* kind="gauge"' lines_node06_Energy.stat &&
		grep -aq 'name="E_psu1".* kind="delta"' \
			lines_node06_Energy.stat || return 1
	exits 0 "$pt" record -n '*' -F 10 -p all -q -d 1 || return 1
	exits 0 "$hdtrace" check all || return 1
	[ -s all_node08_Energy.stat ] || return 1
	# Ten a second, not fifty; the last may be shorter.
	has_interval all_node07_Energy.stat 0.08
}

# What a slower meter gives is not made more.
says_rates() {
	exits 0 "$pt" record -n node08 -F 10 -p rate -q -d 0.6 || return 1
	grep -q 'pt: slow: 2 readings per second instead of 10' err
}

# Times are those of the meter: a trace that the service writes has the same.
has_times() {
	config
	sed -i 's/^driver=sim/&\nproject=local\ntopology=Host/' site.cfg
	cat >>site.cfg <<-END
		[Trace]
		device=rack1
		type=HDSTATS
		node=node07
		channel=3
		values=P
	END
	sed -i '/name=slow/,$ { /^project\|^topology/d }' site.cfg
	begin -c site.cfg || return 1
	exits 0 "$pt" record -n node07 -p times -q -- sleep 1 || return 1
	end || return 1
	for name in local times; do
		"$hdtrace" dump "${name}_node07_Energy.stat" |
			grep -E '^  [0-9.]+ [0-9.]+ ' >"$name.entries"
	done
	# Both clocks are the same one; the estimate may be off by a round trip.
	awk 'NR == FNR { t[n++] = $2; next }
		{ best = 1
		for (i = 0; i < n; i++) { d = $2 - t[i]; if (d < 0) d = -d
			if (d < best) best = d }
		if (best > 0.005) { print $0 ": off by " best; bad = 1 } }
		END { if (FNR < 20) print FNR " only"
			exit bad || FNR < 20 }' local.entries times.entries
}

passes_status() {
	exits 0 "$pt" record -n node07 -p p0 -q -- true &&
		exits 3 "$pt" record -n node07 -p p1 -q -- sh -c 'exit 3' &&
		exits 143 "$pt" record -n node07 -p p2 -q -- \
			sh -c 'kill -TERM $$' &&
		exits 127 "$pt" record -n node07 -p p3 -q -- no-such-command &&
		exits 7 "$pt" energy -n node07 -- sh -c 'exit 7' &&
		! [ -e p3.proj ]
}

# Signals are for the command; what was recorded is complete.
passes_signals() {
	: >ready
	"$pt" record -n node07 -p signal -- sh -c '
		trap "echo got; exit 5" USR1
		echo ready >ready; while :; do sleep 0.05; done' >out 2>err &
	recorder=$!
	until_done test -s ready || return 1
	until_done is_larger ready 1 || return 1
	kill -USR1 "$recorder"
	wait "$recorder"
	found=$?
	recorder=
	cat out err
	[ "$found" -eq 5 ] && grep -q got out &&
		exits 0 "$hdtrace" check signal
}

measures() {
	exits 0 "$pt" energy --nodes node06,node07 -- sleep 0.5 || return 1
	[ "$(wc -l <err)" -eq 1 ] && ! [ -s out ] || return 1
	grep -Eq '^[0-9.]+ s, [0-9.]+ J, mean 300(\.0)? W, peak 300 W \(sim' \
		err || return 1
	# shellcheck disable=SC2046
	set -- $(sed 's/[^0-9. ]//g' err)
	is_near "$2" "$(awk -v s="$1" 'BEGIN { print s * 300 }')" 0.01 ||
		return 1
	# A meter that is slower than the command.
	exits 0 "$pt" energy -n node08 -o line -- true || return 1
	exits 0 "$pt" energy -n node08 -o line -- true || return 1
	cat line
	[ "$(grep -cE 'mean 7(\.000)? W, peak 7 W' line)" -eq 2 ]
}

watches() {
	exits 0 "$pt" watch -n node06,node08 -F 10 -d 1 || return 1
	! [ -s err ] || return 1
	[ "$(grep -cE '^....-..-.. ..:..:..\.... node06 P 200 W$' out)" -ge 5 ] &&
		grep -qE ' node08 P 7 W$' out || return 1
	# Whoever reads no more ends it.
	timeout 100 "$pt" watch -n node06 -F 50 | sed 1q | grep -q 'P 200 W'
}

# In a terminal: bars, the sum, and q.
watches_screen() {
	cat >screen.py <<-'END'
		import os, pty, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.environ["LC_ALL"] = "C.UTF-8"
		    os.execv(sys.argv[1], ["pt", "watch", "-n", "node06,node07"])
		text = b""
		until = time.time() + 60
		while b"300.000 W" not in text and time.time() < until:
		    text += os.read(fd, 4096)
		os.write(fd, b"q")
		try:
		    while True:
		        more = os.read(fd, 4096)
		        if not more:
		            break
		        text += more
		except OSError:
		    pass
		status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
		text = text.decode()
		print(repr(text))
		assert status == 0, status
		assert "\u2588\u2588\u2588" in text
		assert "bars to 200 W" in text and "simulated" in text
		assert text.startswith("\033[?1049h")
		assert text.endswith("\033[?25h\033[?1049l")
	END
	timeout 100 python3 screen.py "$pt"
}

is_lost_again() {
	[ "$(grep -c 'continuing when it is back' err)" -eq 2 ]
}

# The server dies and comes back: the command does not notice, what was
# recorded is kept, and the gap is marked.
survives() {
	config
	begin -c site.cfg || return 1
	: >ready
	timeout 100 "$pt" record -n node07 -p lost -- sh -c '
		until [ -s go ]; do sleep 0.05; done; exit 4' >out 2>err &
	recorder=$!
	until_done is_larger lost_node07_Energy.stat 1000 || {
		cat err
		return 1
	}
	kill -9 "$pid"
	wait "$pid"
	until_done grep -q 'connection lost; continuing when it is back' err || return 1
	rm -f socket
	begin -c site.cfg || return 1
	until_done grep -q 'reconnected after' err || return 1
	size=$(wc -c <lost_node07_Energy.stat)
	until_done is_larger lost_node07_Energy.stat $((size + 500)) ||
		return 1
	# For good.
	kill -9 "$pid"
	wait "$pid"
	until_done is_lost_again || return 1
	echo go >go
	wait "$recorder"
	found=$?
	recorder=
	cat out err
	[ "$found" -eq 4 ] || return 1
	grep -q ' on average, >= .* J, known for [0-9.]* s of [0-9.]* s ' err ||
		return 1
	grep -q ', 1 reconnects' err || return 1
	rm -f socket
	exits 0 "$hdtrace" check lost || return 1
	exits 0 "$hdtrace" stat lost || return 1
	exits 0 "$hdtrace" info lost || return 1
	grep -q ', 2 gaps' out
}

# The service dies: the energy is what it is at least, and if less than half of
# the time is known there is no mean.
marks_energy() {
	rm -f go socket ready
	begin -c site.cfg || return 1
	timeout 100 "$pt" energy -n node07 -- sh -c '
		echo ready >ready; until [ -s go ]; do sleep 0.05; done' 2>err &
	recorder=$!
	: >ready
	began=$(date +%s)
	until_done is_larger ready 1 || return 1
	sleep 0.3
	kill -9 "$pid"
	wait "$pid"
	pid=
	rm -f socket
	# Half of it must be unknown; how long the other half is, is known.
	sleep $(($(date +%s) - began + 2))
	echo go >go
	wait "$recorder"
	recorder=
	cat err
	awk '
		/the power is known for/ {
			for (i = 1; i < NF; i++)
				if ($i == "only") { known = $(i + 1); all = $(i + 4) }
		}
		/ J, mean / {
			lines++
			if ($0 !~ /^[0-9.]+ s, >= [0-9.]+ J, /) bad = 1
			if (known >= all / 2 || $0 !~ / mean -, peak 100 W/)
				bad = 1
		}
		END { exit bad || lines != 1 || !(known > 0 && known < all) }' err
}

# A service that is not there.
is_absent() {
	exits 125 "$pt" record -n node07 -p absent -- touch ran || return 1
	grep -q 'socket: cannot connect: No such file' err && ! [ -e ran ] &&
		! [ -e absent.proj ] || return 1
	exits 125 "$pt" record -a -n node07 -p absent -- touch ran || return 1
	[ -e ran ] && grep -q 'nothing was recorded' err || return 1
	exits 6 "$pt" record -a -n node07 -p absent -- sh -c 'exit 6' &&
		exits 125 "$pt" energy -n node07 -- true &&
		exits 2 "$pt" watch -n node07 && exits 2 "$pt" devices
}


refuses() {
	exits 125 "$pt" record -n node09 -- true &&
		grep -q 'unknown node node09; known nodes: node06, node07, node08' err &&
		exits 125 "$pt" record -n node07 -v E -- true &&
		grep -q 'node node07: unknown value E; known values: P' err &&
		exits 125 "$pt" record -n node07 --device none -- true &&
		grep -q 'unknown device none' err &&
		exits 125 "$pt" record -n node07,node07 -- true &&
		exits 125 "$pt" record -n node07, -- true &&
		grep -q 'invalid list; use different names' err &&
		exits 125 "$pt" record -n node07 &&
		grep -q 'missing argument: COMMAND, --duration or --pid' err &&
		exits 125 "$pt" record -n node07 -d 1 -- true &&
		exits 125 "$pt" record -n node07 -d -1 &&
		exits 125 "$pt" record -n node07 -P -1 &&
		exits 125 "$pt" record -n node07 -P 999999999 &&
		exits 125 "$pt" record -n node07 -F -1 -- true &&
		exits 125 "$pt" record -n node07 -p '' -- true &&
		exits 125 "$pt" record --nonsense &&
		exits 125 "$pt" record -n node07 -p no/such/x -q -- true &&
		exits 2 "$pt" watch -n node07 more &&
		exits 2 "$pt" watch -n node07 -F 0 &&
		exits 2 "$pt" devices more &&
		exits 2 "$pt" devices -s '[' &&
		grep -qF 'expected HOST[:PORT] or unix:/PATH' err &&
		exits 1 "$pt" nonsense && grep -q 'unknown command: "nonsense"' err &&
		exits 125 "$pt" energy -n node06 -v E -- true &&
		grep -q 'no power value is selected' err &&
		exits 2 "$pt" devices --token=none &&
		exits 0 "$pt" record -n node07 -p there -q -- true &&
		exits 125 "$pt" record -n node07 -p there -q -- true &&
		grep -q 'there.proj: exists; --force' err &&
		exits 0 "$pt" record -n node07 -p there -q -f -- true
}

helps() {
	for command in devices energy record watch; do
		exits 0 "$pt" "$command" --help && grep -q -- --server out ||
			return 1
		exits 0 "$pt" --help && grep -q "^  $command " out || return 1
		grep -q "^.B pt $command" "$abs_top_srcdir/doc/man/pt.1" ||
			return 1
	done
}

# Who is not anybody in particular sees what is for all; who has a token more.
has_users() {
	config "tokens=$scratch/tokens"
	cat >>site.cfg <<-END
		[User]
		name=alice
		nodes=node06
		[User]
		name=*
		nodes=node07
		rate=5
	END
	(umask 077 && echo "alice 0123456789abcdef0123456789abcdef" >tokens &&
		echo "alice 0123456789abcdef0123456789abcdeX" >false)
	begin -c site.cfg || return 1
	exits 0 "$pt" devices || return 1
	grep -q node07 out && ! grep -q node06 out || return 1
	exits 125 "$pt" record -n node06 -- true || return 1
	exits 0 "$pt" record --token=tokens -n node06 -p alice -q -- true ||
		return 1
	exits 125 "$pt" record --token=false -n node06 -- true || return 1
	exits 125 "$pt" record --token=tokens --user=bob -n node06 -- true ||
		return 1
	grep -q 'tokens: no token of user bob' err || return 1
	exits 0 env HDTRACE_PT_TOKEN=tokens "$pt" devices || return 1
	grep -q node06 out && ! grep -q node07 out || return 1
	# A limited rate is what is read.
	exits 0 "$pt" record -n node07 -p limited -q -d 1 || return 1
	end || return 1
	has_interval limited_node07_Energy.stat 0.16
}

has_tls() {
	config
	begin -c site.cfg &&
		! "$pt" devices --tls 2>&1 | grep -q 'built without TLS'
	has=$?
	end >end.log && return "$has"
}

# Encrypted, with a certificate that is trusted, or not.
encrypts() {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem \
		-out certificate.pem -days 2 -subj /CN=localhost \
		-addext subjectAltName=DNS:localhost,IP:127.0.0.1 || return 1
	openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key \
		-out other.pem -days 2 -subj /CN=localhost || return 1
	config "tokens=$scratch/tokens" "certificate=$scratch/certificate.pem" \
		"key=$scratch/key.pem"
	begin -c site.cfg || return 1
	address=$(sed -n 's/.*serving at \(127.*\)/\1/p' log)
	print=$(openssl x509 -in certificate.pem -noout -fingerprint -sha256 |
		sed 's/.*=//')
	exits 0 "$pt" devices -s "$address" --ca=certificate.pem \
		--token=tokens || return 1
	exits 0 "$pt" devices -s "$address" --fingerprint="$print" || return 1
	exits 0 "$pt" record -s "$address" --ca=certificate.pem \
		--token=tokens -n node06 -p tls -q -- sleep 0.2 || return 1
	exits 0 "$hdtrace" check tls || return 1
	exits 2 "$pt" devices -s "$address" --ca=other.pem || return 1
	cat err
	exits 2 "$pt" devices -s "$address" --tls || return 1
	exits 2 "$pt" devices -s "$address" \
		--fingerprint="00${print#??}" || return 1
	end
}

config
if begin -c site.cfg; then
	ok "pt devices lists devices and lines" lists
	ok "pt record writes a project" records
	ok "pt record selects lines, values and rates" records_more
	ok "a rate above the rate of the meter causes a note" says_rates
	ok "pt returns the exit status of the command" passes_status
	ok "signals are forwarded to the command" passes_signals
	ok "pt energy prints one line" measures
	ok "pt watch prints lines" watches
	if [ -n "$(command -v python3)" ]; then
		ok "pt watch draws bars" watches_screen
	else
		skip "pt watch draws bars" "no python3"
	fi
	ok "usage errors are reported" refuses
	ok "every subcommand has help and a manual" helps
fi
ok "the service ends" end
ok "the summary matches the recorded entries" records_the_same
ok "entries have the times of the meter" has_times
ok "a command continues when the service ends" survives
ok "incomplete energy is marked" marks_energy
ok "a missing service is reported" is_absent
ok "users see only allowed nodes" has_users
if [ -z "$(command -v openssl)" ]; then
	skip "connections are encrypted" "no openssl"
elif ! has_tls; then
	skip "connections are encrypted" "built without GnuTLS"
else
	ok "connections are encrypted" encrypts
fi
done_testing
