#!/bin/sh
# hdtrace export --to otlp: relations and traces as OpenTelemetry's spans. What is
# written is read by protobuf (Debian: python3-protobuf) with the published schema,
# and compared with what a second reader finds in the files (readers/otlp.py).
# HDTRACE_TEST_RUNS says with how many projects by chance.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
otlp=$abs_top_srcdir/tests/tools/readers/otlp.py
for python in python3 /usr/bin/python3; do
	"$python" -c "import google.protobuf.json_format" 2>/dev/null && break
	python=
done
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
cd "$scratch" || exit 99

# Write a file of relations: NODE HOST PID NUMBER, elements on stdin.
relations() {
	{
		printf '<relation version="1" hostID="%s" localToken="%s" ' "$2" "$3"
		printf 'topologyNumber="%s" timeAdjustment="1000000000">\n' "$4"
		tr -d '\n'
		printf '</relation>'
	} >"p_$1.rel"
}

# A write, which another process on another host does in part; a rank with states
# in each other and an event; power.
cat >p.proj <<'XML'
<Application name="p"><Topology><Level type="Host"/><Level type="Layer"/>
<Node name="a"><Node name="CLIENT"/><Node name="0"/></Node>
<Node name="b"><Node name="TROVE"/></Node></Topology></Application>
XML
relations a_CLIENT A 1.1 0 <<'XML'
<rel t="0" time="1" w="4bf92f3577b34da6a3ce929d0e0e4736-01"/>
<s name="write" t="0" time="1"/><e t="0" time="5"/><un t="0" time="5"/>
XML
relations b_TROVE B 1.1 0 <<'XML'
<rel t="7" time="2" r="A:1.1:0:0"/><link t="7" time="2" r="A:1.1:0:0"/>
<link t="7" time="2" r="Z:9.9:0:0"/><s name="io" t="7" time="2"/>
<s name="pwrite" t="7" time="2.5" size="5" file="&lt;x&gt;"/>
<e t="7" time="3" error="EIO"/><s name="sync" t="7" time="3"/>
XML
echo "<Program timeAdjustment='1000000000'><Nested>
	<Read time='1' end='2' size='4'/></Nested><Main time='0.5' end='4'/>
	<Event name='Mark' time='4.5'/></Program>" >p_a_0.trc
energy_stat b >p_b_Energy.stat

ok "losses are reported" says \
	"otlp cannot represent: groups of statistics (1)" 0 \
	export --to otlp -o p.json p.proj
ok "links out of the project are reported" grep -q \
	"links out of the project (1)" err
ok "the summary is printed" grep -qx "p.json: 0 entries, 6 states, 1 event, 0 messages, 2 relations" out
ok "an existing file is kept" says "--force replaces it" 2 \
	export --to otlp -o p.json p.proj
# What is written to standard output has nobody but the shell to redirect it.
full_disk() {
	"$hdtrace" export -q --to otlp -o - p.proj >/dev/full 2>err
	[ $? -eq 2 ] && grep -q "No space left on device" err
}
if [ -c /dev/full ]; then
	ok "a full disk is reported" full_disk
else
	skip "a full disk is reported" "no /dev/full"
fi
nothing() {
	mkdir -p no && make_mini && mv mini* no &&
		status 0 export -q --to otlp --only relations -f -o none.json \
			no/mini.proj && grep -q '"resourceSpans": \[\]' none.json
}
ok "a project without relations is exported" nothing
cut_file() {
	mkdir -p cut && cp p* cut && rm -f cut/p_a_CLIENT.rel cut/p_b_Energy.stat
	printf '%s' '<relation version="1" hostID="A" localToken="1" topologyNumber="0" timeAdjustment="1000000000"><rel t="0" time="1"/><un t="0" ti' \
		>cut/p_a_CLIENT.rel
	breaks rel.cut 1 export --to otlp -f -o cut.json cut/p.proj
}
ok "a truncated file is reported" cut_file
hostile() {
	mkdir -p hostile && relations a_X A 1.1 0 <<-'XML' && mv p_a_X.rel hostile
	<rel t="0" time="1" ws="00f067aa0ba902b7"/><rel t="1" time="1" ws="x"/>
	<rel t="2" time="1" ws="00F067AA0BA902B7"/>
	<rel t="3" time="1" ws="00f067aa0ba902b70"/>
	<rel t="4" time="1" ws="00f067aa&quot;,&quot;0ba9"/>
	<un t="0" time="2"/><un t="1" time="2"/><un t="2" time="2"/>
	<un t="3" time="2"/><un t="4" time="2"/>
	XML
	sed 's/CLIENT/X/' p.proj >hostile/p.proj
	says "causes that are not spans (4)" 0 export --to otlp -f \
		-o hostile.json hostile/p.proj
	grep -o '"parentSpanId": "[^"]*"' hostile.json >found
	echo '"parentSpanId": "00f067aa0ba902b7"' | diff - found
}
ok "causes that are not spans are omitted" hostile
ok "other formats report relations as a loss" says \
	"csv-wide cannot represent: files of relations (2)" 0 \
	export --to csv-wide -o p.csv.d p.proj
ok "other formats report only selected relations" says \
	"csv-wide cannot represent: files of relations (1)" 0 \
	export --to csv-wide --node a -o p2.csv.d p.proj

if ! command -v protoc >/dev/null; then
	skip "protobuf reads the export" "no protoc"
elif [ -z "$python" ]; then
	skip "protobuf reads the export" "no python3-protobuf"
else
	ok "protoc compiles the schema" protoc -I "$abs_top_srcdir/tests/lib" \
		--python_out=. otlp.proto
	spans() {
		"$python" "$otlp" spans p.json >found || return 1
		sort >wanted
		sort found | diff wanted -
	}
	# The relation of a name, and its first state.
	ok "spans equal the spans by hand" spans <<-'END'
	write 1000000001000000000 1000000005000000000 -
	write 1000000001000000000 1000000005000000000 write
	io 1000000002000000000 1000000003000000000 write
	io 1000000002000000000 1000000003000000000 io
	pwrite 1000000002500000000 1000000003000000000 io
	sync 1000000003000000000 1000000003000000000 io
	0 1000000000500000000 1000000004500000000 -
	Main 1000000000500000000 1000000004000000000 0
	Read 1000000001000000000 1000000002000000000 Main
	Mark 1000000004500000000 1000000004500000000 0
	END
	ok "all spans have a received trace ID" test \
		"$(grep -c '"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId"' \
			p.json)" = 6
	ok "failed requests are marked" grep -q \
		'"name": "pwrite".*"code": 2' p.json
	ok "a second reader agrees" "$python" "$otlp" compare "$hdtrace" p.proj
	ok "requests of a truncated file are equal" "$python" "$otlp" compare "$hdtrace" \
		cut/p.proj
	some() {
		status 0 export -q --to otlp --only relations --node b -f \
			-o some.json p.proj && "$python" "$otlp" spans some.json \
			>found && [ "$(wc -l <found)" = 4 ]
	}
	ok "--node selects spans" some
	circle() {
		relations b_TROVE B 1.1 0 <<-'XML'
		<rel t="0" time="2" i="1"/><rel t="1" time="2" i="0"/>
		<rel t="2" time="2" i="2"/><un t="0" time="3"/><un t="1" time="3"/>
		<un t="2" time="3"/>
		XML
		says "circular causes (2)" 0 export --to otlp --only relations \
			--node b -f -o p.json p.proj &&
			"$python" "$otlp" spans p.json | sort >found &&
			[ "$(grep -c -- ' -$' found)" = 2 ] &&
			[ "$(grep -c ' TROVE$' found)" = 1 ]
	}
	ok "cycles of causes are cut" circle
	by_chance() (
		mkdir -p chance && cp otlp_pb2.py chance && cd chance &&
			"$python" "$otlp" chance "$hdtrace" \
				"${HDTRACE_TEST_SEED:-$$}" \
				"${HDTRACE_TEST_RUNS:-20}"
	)
	ok "spans of random projects are equal" by_chance
	if [ -d "$corpus/relations" ]; then
		historic() {
			cp "$corpus"/relations/test* .
			"$python" "$otlp" compare "$hdtrace" test.proj
		}
		ok "relations of 2009 are exported" historic
	else
		skip "relations of 2009 are exported" "no corpus"
	fi
fi
done_testing
