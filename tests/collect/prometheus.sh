#!/bin/sh
# Prometheus reads nodes with what is in contrib/prometheus: its rules are those of
# hdnode.conf, and the dashboard's queries and the console find all nodes.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain slow waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/node.sh"
[ -z "${HD_SANITIZE:-}" ] || skip_all "Prometheus is asked without sanitizers"
for program in promtool prometheus python3 curl; do
	command -v $program >/dev/null || skip_all "no $program"
done
cd "$scratch" || exit 99
there=$abs_top_srcdir/contrib/prometheus

rules_are_those() {
	"$hdnode" rules >made && sed 1d "$there/hdtrace-alerts.yml" |
		diff - made
}
ok "rules are generated from the built-in alarms" rules_are_those
ok "rules are generated from a file" exits 0 "$hdnode" rules \
	"$abs_top_srcdir/NodeStatus/hdnode.conf"
wrong_is_said() {
	printf '[Alarm]\nname = x\nmetric = none\n' >wrong
	exits 2 "$hdnode" rules wrong && grep wrong err && [ ! -s out ]
}
ok "an invalid file is reported" wrong_is_said

# An alarm that is there, from the same file for nodes and for Prometheus.
cat >always.conf <<'END2'
[Node]
interval = 0.2
[Alarm]
name = always
metric = memory_available_percent
comparator = below
threshold = 100
hysteresis = 1
END2
setup() {
	# The sources may be read-only.
	mkdir -p data && cp -r "$there"/* . && chmod -R u+w . &&
		"$hdnode" rules always.conf >hdtrace-alerts.yml &&
		sed -i 's/: 5s/: 500ms/' prometheus.yml
}
setup || { echo "Bail out! nothing to serve"; exit 1; }
ok "promtool accepts the rules" promtool check rules hdtrace-alerts.yml \
	hdtrace-records.yml "$there/hdtrace-alerts.yml"
ok "promtool accepts the configuration" promtool check config prometheus.yml

begin_node one -c always.conf
first=$port
begin_node two -c always.conf
if ! curl -sS "http://127.0.0.1:$first/metrics" >/dev/null 2>&1; then
	skip "Prometheus loads everything" "built without libmicrohttpd"
	done_testing
fi
printf '[{"targets": ["127.0.0.1:%s", "127.0.0.1:%s"]}]' "$first" "$port" \
	>nodes.json
free=$(python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file=prometheus.yml --storage.tsdb.path=data \
	--web.listen-address="127.0.0.1:$free" \
	--web.console.templates=consoles --web.console.libraries=consoles \
	>prometheus.log 2>&1 &
daemons="$daemons $!"
finds_all() {
	timeout 200 python3 "$abs_top_srcdir/tests/collect/prometheus.py" "$free" \
		"$there/dashboard.json" one two || {
		tail -n 20 prometheus.log
		return 1
	}
}
ok "Prometheus loads the rules, dashboard and console" finds_all
done_testing
