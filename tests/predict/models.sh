# shellcheck shell=sh
# Models for cases by hand: source it where files may be written. There are a
# platform in p.xml and resources in r.xml; and functions that make graphs.
# SPDX-License-Identifier: LGPL-2.1-or-later

# Two servers of two PEs, over a switch; both ways 1 s to begin with, 0.5 s a
# packet of 100 bytes out and 0.25 s in, 2 J a packet and bridge.
cat >p.xml <<'END'
<platform>
<node-architecture id="box" idle-power="10"/>
<bridge-architecture id="out" init-latency="1e9" packet-size="100" packet-latency="5e8" packet-energy="2e9"/>
<bridge-architecture id="in" init-latency="0" packet-size="100" packet-latency="25e7" packet-energy="2e9"/>
<node id="A" architecture="box">
<main-memory id="A.m" size="1000"><out peer="A.o"/><in peer="A.i"/></main-memory>
<pe id="A.0" architecture="core"/><pe id="A.1" architecture="core"/>
<bridge id="A.o" architecture="out"/><bridge id="A.i" architecture="in"/></node>
<node id="B" architecture="box">
<main-memory id="B.m" size="1000"><out peer="B.o"/><in peer="B.i"/></main-memory>
<pe id="B.0" architecture="core"/><pe id="B.1" architecture="core"/>
<bridge id="B.o" architecture="out"/><bridge id="B.i" architecture="in"/></node>
<channel id="S"><in peer="A.o"/><out peer="A.i"/><in peer="B.o"/><out peer="B.i"/></channel>
</platform>
END
cat >r.xml <<'END'
<resource-model>
<entry kernel="S" architecture="core" time="2" energy="3"/>
<entry kernel="T" architecture="core" time="4" energy="5"/>
<slowdown architecture="core" kernel="T" load="T" count="1" factor="2"/>
</resource-model>
END
kernels='<kernel id="S"><variable id="n"/><output id="o" size="n"/></kernel>
<kernel id="T"><variable id="n"/><input id="i" size="n"/><output id="o" size="n*1"/></kernel>'

# A task: ID KERNEL SIZE PE PRIORITY; and a dependency: FROM TO
task() {
	echo "<task id=\"$1\" kernel=\"$2\"><assign var=\"n\" val=\"$3\"/>"
	echo "<map pe=\"$4\" priority=\"$5\"/></task>"
}
dep() {
	echo "<dependency predecessor=\"$1\" successor=\"$2\" src=\"o\" dest=\"i\"/>"
}
graph() {
	echo "<application>$kernels"
	cat
	echo "</application>"
}
