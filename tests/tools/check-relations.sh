#!/bin/sh
# hdtrace check: relations that do not fit together.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
cd "$scratch" || exit 99

# Write a file of relations: NODE HOST PID NUMBER, elements on stdin.
relations() {
	{
		printf '<relation version="1" hostID="%s" localToken="%s" ' "$2" "$3"
		printf 'topologyNumber="%s" timeAdjustment="1000">\n' "$4"
		tr -d '\n'
		printf '</relation>'
	} >"p_$1.rel"
}

# A project of two hosts where everything fits.
fresh() {
	rm -f p*
	cat >p.proj <<'END'
<Application name="p"><Topology><Level type="Host"/>
<Node name="a"/><Node name="b"/></Topology></Application>
END
	relations a A 1.1 0 <<'END'
<rel t="0" time="1"/><s name="call" t="0" time="2"/>
<rel t="1" time="2" i="0"/><un t="1" time="3"/>
<e t="0" time="4"/><un t="0" time="5"/>
END
	relations b B 1.1 0 <<'END'
<rel t="0" time="2.5" r="A:1.1:0:1"/><un t="0" time="2.7"/>
<rel t="9" time="2.5" ws="00f067aa0ba902b7"/><un t="9" time="2.7"/>
END
}

# Exactly these rules are broken: STATUS RULE...
breaks() {
	expected=$1
	shift
	"${abs_top_builddir:?}/hdtrace" check --format=csv p.proj >out 2>err
	found=$?
	[ "$found" = "$expected" ] || { echo "status $found"; cat out err; return 1; }
	tail -n +2 out | grep -oE '(^|,)rel\.[a-z-]+' | tr -d ',' | sort >rules
	printf '%s\n' "$@" | sed '/^$/d' | sort | diff - rules || { cat out; return 1; }
}

# The same with other relations of host b, on stdin: STATUS RULE...
with() {
	fresh
	relations b B 1.1 0
	breaks "$@"
}

fresh
ok "consistent relations pass" breaks 0 ""
ok "a missing cause is found" with 1 rel.orphan <<'END'
<rel t="0" time="2.5" r="A:1.1:0:7"/><un t="0" time="2.7"/>
END
ok "each kind of missing cause is found" with 1 \
	rel.orphan rel.orphan rel.orphan <<'END'
<rel t="0" time="2.5" i="7"/><un t="0" time="2.7"/>
<rel t="1" time="2.5" p="1:0"/><un t="1" time="2.7"/>
<rel t="2" time="2.5" l="1.1:1:0"/><un t="2" time="2.7"/>
END
ok "causes of the same file, process and host pass" with 0 "" <<'END'
<rel t="0" time="2"/><rel t="1" time="2.5" i="0"/><rel t="2" time="2.5" p="0:0"/>
<rel t="3" time="2.5" l="1.1:0:0"/><rel t="4" time="2.5" r="B:1.1:0:0"/>
<un t="0" time="3"/><un t="1" time="3"/><un t="2" time="3"/><un t="3" time="3"/>
<un t="4" time="3"/>
END
ok "a relation that begins before its cause is found" with 1 rel.child-early <<'END'
<rel t="0" time="1.999999999" r="A:1.1:0:1"/><un t="0" time="2.7"/>
END
ok "relations and states without an end are found" with 1 rel.never-ended rel.state-open <<'END'
<rel t="0" time="2"/><rel t="1" time="2"/><s name="s" t="1" time="2"/>
<un t="1" time="3"/>
END
ok "a relation that begins twice is found" with 1 rel.twice <<'END'
<rel t="0" time="2"/><un t="0" time="3"/><rel t="0" time="4"/><un t="0" time="5"/>
END
ok "a state that failed is a note" with 0 rel.failed <<'END'
<rel t="0" time="2"/><s name="s" t="0" time="2"/>
<e t="0" time="3" error="No space left on device"/><un t="0" time="3"/>
END
ok "a missing further cause is found next to an existing one" with 1 rel.orphan <<'END'
<rel t="0" time="2"/><link t="0" time="2.2" r="A:1.1:0:9"/>
<link t="0" time="2.2" r="A:1.1:0:1"/><un t="0" time="3"/>
END
# FNV-1a of A:1.1:0:1, which begins at 2 s.
ok "a relation that begins before the span of its cause is found" with 1 rel.child-early <<'END'
<rel t="0" time="1.5" ws="eca25c788bd7a4bf"/><un t="0" time="3"/>
<rel t="1" time="2.5" ws="eca25c788bd7a4bf"/><un t="1" time="3"/>
END
# What is said once for a file; tokens of one part too many are nowhere, too.
while read -r rules element; do
	# shellcheck disable=SC2046 # they are several
	ok "no token, span or trace: $element" with 1 rel.token \
		$(echo "$rules" | tr , ' ') <<END
<rel t="0" time="2" $element/><un t="0" time="3"/>
END
done <<'END'
rel.orphan r="A:1.1:0"
rel.orphan r="A:1.1:0:1:2"
rel.orphan r="A::0:1"
rel.orphan l="0:1"
rel.orphan p="1"
rel.orphan i="one"
rel.orphan p="0:-1"
, ws="00f067aa0ba902b"
, ws="00f067aa0ba902b7f"
, ws="00f067aa0ba902bg"
, w="4bf92f3577b34da6a3ce929d0e0e4736"
, w="4bf92f3577b34da6a3ce929d0e0e4736-1"
, w="4bf92f3577b34da6a3ce929d0e0e473g-01"
, w="4bf92f3577b34da6a3ce929d0e0e4736-01-02"
END
two_of_one() {
	fresh
	relations b A 1.1 0 <<'END'
<rel t="5" time="2"/><un t="5" time="3"/>
END
	breaks 1 rel.owner-twice
}
ok "two files of the same node are found" two_of_one
cut() {
	fresh
	printf '%s' '<relation version="1" hostID="B" localToken="1" topologyNumber="0"><rel t="0" time="1002"/><un t="0" ti' >p_b.rel
	breaks 1 rel.cut rel.never-ended
}
ok "a truncated file is found" cut
done_testing
