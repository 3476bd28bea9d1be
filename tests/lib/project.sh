# shellcheck shell=sh
# Makes small projects for tests of readers, byte by byte; no writer of ours is
# involved. Source it after tap.sh.
# shellcheck disable=SC2154 # scratch is in tap.sh
# SPDX-License-Identifier: LGPL-2.1-or-later

# Write bytes that are given in hexadecimal; blanks do not count. A process for each byte
# would take most of the time of many tests.
hex() {
	for hex_word; do
		while [ -n "$hex_word" ]; do
			hex_rest=${hex_word#??}
			[ "$hex_rest" != "$hex_word" ] || return 1
			byte "0x${hex_word%"$hex_rest"}"
			hex_word=$hex_rest
		done
	done
}

# The low byte of a number.
byte() {
	printf '%b' "\\0$(($1 >> 6 & 3))$(($1 >> 3 & 7))$(($1 & 7))"
}

# A number of 16 bits.
u16() {
	byte "$(($1 >> 8))"
	byte "$1"
}

# A number of 32 bits.
u32() {
	u16 "$(($1 >> 16))"
	u16 "$1"
}

# A time stamp: SECONDS [NANOSECONDS].
stamp() {
	u32 "$1"
	u32 "${2:-0}"
}

# A gap record: SECONDS [NANOSECONDS] of the restart.
gap() {
	hex ffffffffffffffff
	stamp "$@"
}

# A string value.
string() {
	u16 "$(printf '%s' "$1" | wc -c)"
	printf '%s' "$1"
}

# The header of a .stat file: LABEL GROUP VALUE-ATTRIBUTES...; no label is "".
# stat_adjustment is its timeAdjustment, or "none".
stat_adjustment=-0000000000.000000000
stat_header() {
	{
		echo '<Statistics>'
		echo '<TopologyNode>'
		[ -z "$1" ] || echo "  <Label value=\"$1\" />"
		echo '</TopologyNode>'
		printf '<Group name="%s" timestampDatatype="EPOCH"' "$2"
		if [ "$stat_adjustment" = none ]; then
			echo ">"
		else
			echo " timeAdjustment=\"$stat_adjustment\">"
		fi
		shift 2
		for stat_value; do
			echo "  <Value $stat_value />"
		done
		echo '</Group>'
		echo '</Statistics>'
	} >"$scratch/header"
	printf '%05d\n' "$(wc -c <"$scratch/header")"
	cat "$scratch/header"
}

energy_header() {
	stat_header "$1" Energy \
		'name="P" type="FLOAT" unit="W" grouping="Power"' \
		'name="E" type="DOUBLE" unit="J"'
}

# Power and energy of a node, with a NaN, a gap, and an interval of no length.
energy_stat() {
	energy_header "$1"
	stamp 1000000000
	stamp 1000000001
	hex 42c80000 4059000000000000 # 100 W, 100 J
	stamp 1000000002
	hex 43480000 7ff8000000000000 # 200 W, NaN
	gap 1000000004
	stamp 1000000005
	hex 43960000 4079000000000000 # 300 W, 400 J
	stamp 1000000005
	hex 42480000 3ff0000000000000 # 50 W, 1 J
}

# Integers whose sum needs more than 64 bits, and strings.
net_stat() {
	stat_header "$1" Net 'name="BYTES" type="INT64" unit="B/s"' \
		'name="COUNT" type="INT32" unit=""' \
		'name="NOTE" type="STRING"'
	stamp 1000000000 500000000
	stamp 1000000001
	hex 000000000000000a fffffffe
	string 'a, b'
	stamp 1000000001 500000000
	hex 7fffffffffffffff 00000007
	string 'say "x"'
	stamp 1000000002
	hex 7fffffffffffffff 00000000
	hex 0003 ff0a3c # no UTF-8, a line feed, <
}

rank_info() {
	cat <<'END'
Comm map='0->0;1->1;' id=0 name='WORLD'
Type id='0' combiner='MPI_COMBINER_NAMED' name='MPI_CHAR'
END
	echo "Comm map='$1->0;' id=$(($1 + 4)) name='SELF'"
	printf 'File name="/tmp/a b\\n<%d>" Size=%d id=3\n' "$1" $((10 - $1))
	echo "File name=\"shared\" Size=$((10 - $1)) id=4"
}

# Make the project "mini" in the current directory: two hosts, a rank on each.
make_mini() {
	energy_stat alpha >mini_alpha_Energy.stat
	net_stat beta >mini_beta_Net.stat
	cat >mini_alpha_0.trc <<'END'
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Nested>
	<Nested>
		<Read size='4'  time='1.250000000' end='1.500000000'/>
	</Nested>
	<Read size='8'  time='1.000000000' end='2.000000000'><Data offset='0' size='8'/></Read>
	<Event name='a &lt; "b"'  time='2.500000000'/>
</Nested>
<Work what='it&apos;s'  time='0.500000000' end='3.000000000'/>
<Wait  time='3.000000000' end='4.500000000'/>
<Work what='more'  time='4.500000000' end='5.000000000'/>
</Program>
END
	cat >mini_beta_1.trc <<'END'
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Wait  time='0.500000000' end='2.000000000'/>
</Program>
END
	rank_info 0 >mini_alpha_0.info
	rank_info 1 >mini_beta_1.info
	cat >mini.proj <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<Application name="mini">
 <Description>Two hosts &amp; two ranks</Description>
 <FileList>
  <File name="/tmp/data"><InitialSize>12</InitialSize></File>
 </FileList>
 <Topology>
  <Level type="Host"><Level type="Rank" /></Level>
  <Node name="alpha"><Node name="0" /></Node>
  <Node name="beta"><Node name="1" /></Node>
 </Topology>
 <CommunicatorList>
  <Communicator name="WORLD">
   <Rank global="0" local="0" cid="0" />
   <Rank global="1" local="1" cid="0" />
  </Communicator>
 </CommunicatorList>
 <Datatypes>
  <Rank name="0" thread="0">
   <NAMED id="0" name="MPI_CHAR" />
   <STRUCT id="1" name="" count="1">
    <Type id="0" displacement="0" blocklen="4"/>
   </STRUCT>
  </Rank>
 </Datatypes>
 <ExternalStatistics>
  <Energy />
  <Net />
 </ExternalStatistics>
</Application>
END
}
