#!/bin/sh
# Power of a node by a service of pt that owns the meter, for real: pt with the
# configuration of a site, and hdnode as its client.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/service.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
command -v python3 >/dev/null || skip_all "no python3"
[ -x "$pt" ] || skip_all "pt was not built"
cd "$scratch" || exit 99
trap 'kill $pid 2>/dev/null; end_daemons' EXIT

# Two supplies of 60 W and 40 W are one node, a third one is another.
cat >site.cfg <<END
[Server]
listen=unix:$scratch/power
[Device]
name=rack
driver=sim
cycle=20
law=idle:60,busy:60
[Device]
name=other
driver=sim
cycle=20
law=idle:40,busy:40
[Line]
device=rack
node=alpha
name=psu1
channel=1
[Line]
device=other
node=alpha
name=psu2
channel=1
[Line]
device=rack
node=beta
channel=2
END
begin -c site.cfg || { echo "Bail out! no service"; exit 1; }

# Begin a node that asks the service: NAME
begin_powered() {
	begin_as "$1" "$hdnode" --listen=127.0.0.1:0 --name="$1" --smartctl= \
		--power="unix:$scratch/power"
}
begin_powered alpha
alpha=$port alphas=$begun
begin_powered beta
beta=$port betas=$begun
begin_powered gamma || { echo "Bail out! no daemons"; exit 1; }
gamma=$port gammas=$begun

says() {
	timeout 60 "$hdnode" collect --format=json --timeout=20 "127.0.0.1:$alpha" \
		"127.0.0.1:$beta" "127.0.0.1:$gamma" >out && json_says "$1" 2>/dev/null
}
is_measured() {
	says '(lambda p: abs(p("alpha")["watts"] - 100) < 0.1 and
abs(p("beta")["watts"] - 60) < 0.1 and p("gamma")["watts"] is None and
p("alpha")["source"] == "'"$scratch"'/power" and p("alpha")["age_s"] < 10 and
p("alpha")["joules"] > 0)(lambda n: by[n]["status"]["power"])'
}
ok "a node has the power of its inputs, an unknown node has none" \
	until_done is_measured

# Joules are watts times the time between.
grows() {
	python3 - "$hdnode" "127.0.0.1:$alpha" <<-'END'
		import json, subprocess, sys, time
		def power():
		    out = subprocess.run([sys.argv[1], "collect", "--format=json",
		        "--timeout=20", sys.argv[2]], stdout=subprocess.PIPE, check=True)
		    p = json.loads(out.stdout)["nodes"][0]["status"]["power"]
		    return p["joules"], time.time() - p["age_s"]
		(a, at), time_ = power(), time.sleep(3)
		b, bt = power()
		print(a, at, b, bt)
		# When a reading ended is known to what a pull takes.
		assert abs((b - a) / 100 - (bt - at)) < 1.2, (b - a, bt - at)
		assert b - a > 150
	END
}
ok "energy equals power times time" grows

has_metrics() {
	curl -sS "http://127.0.0.1:$alpha/metrics" >scraped &&
		grep '^hdtrace_power_watts{node="alpha"} 100' scraped &&
		grep '^hdtrace_energy_joules_total{node="alpha"} [1-9]' scraped &&
		! grep '^hdtrace_power_watts' <<-END
			$(curl -sS "http://127.0.0.1:$gamma/metrics")
		END
}
if command -v curl >/dev/null && curl -sS "http://127.0.0.1:$alpha/metrics" \
	>/dev/null 2>&1; then
	ok "metrics have the names of the power service" has_metrics
else
	skip "metrics have the names of the power service" "no curl, or built without libmicrohttpd"
fi

# It begins anew, and nobody else does.
comes_back() {
	says 'open("before", "w").write(str(by["alpha"]["status"]["power"]["joules"]))' &&
		end && begin -c site.cfg && until_done says '
by["alpha"]["status"]["power"]["joules"] > float(open("before").read()) + 50 and
abs(by["alpha"]["status"]["power"]["watts"] - 100) < 0.1'
}
ok "a restarted service is found again and the energy continues" comes_back

# An old reading says nothing of now: ten seconds.
is_gone() {
	says 'by["alpha"]["status"]["power"]["watts"] is None and
by["alpha"]["status"]["power"]["joules"] > 50'
}
ok "the power service ends" end
ok "without the service the power is unknown but the energy is kept" until_done is_gone
ok "the first daemon ends" end_node "$alphas"
ok "the second daemon ends" end_node "$betas"
ok "the daemon without power ends" end_node "$gammas"
done_testing
