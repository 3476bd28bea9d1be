# shellcheck shell=sh
# Makes a project whose every text wants to be more than text. Source it after
# project.sh.
# shellcheck disable=SC2034 # for tests
# SPDX-License-Identifier: LGPL-2.1-or-later

# What must be shown as it stands, and the same in XML.
hostile="</script><script>pwned()</script>\"'><img src=x onerror=pwned()>&amp;-->"
hostile_xml='&lt;/script&gt;&lt;script&gt;pwned()&lt;/script&gt;&quot;&apos;&gt;&lt;img src=x onerror=pwned()&gt;&amp;amp;--&gt;'
# Names of files have no slash.
hostile_node="a\"'<img src=x onerror=pwned()>"
hostile_node_xml='a&quot;&apos;&lt;img src=x onerror=pwned()&gt;'
hostile_group='G"<svg onload=pwned()>'
hostile_group_xml='G&quot;&lt;svg onload=pwned()&gt;'

# So many times the same character: CHARACTER COUNT.
repeat() {
	awk -v c="$1" -v n="$2" 'BEGIN { while (n-- > 0) printf "%s", c }'
}

hostile_stat() {
	hostile_long=$(repeat x 10000)
	stat_header "$hostile_node_xml" "$hostile_group_xml" \
		"name=\"$hostile_xml\" type=\"DOUBLE\" unit=\"W\" grouping=\"$hostile_xml\" source=\"$hostile_xml\"" \
		"name=\"javascript:pwned()\" type=\"DOUBLE\" unit=\"$hostile_xml\" grouping=\"__proto__\"" \
		"name=\"__proto__\" type=\"INT64\" unit=\"constructor\"" \
		"name=\"$hostile_long\" type=\"UINT64\" unit=\"$hostile_long\" grouping=\"$hostile_long\"" \
		"name=\"TEXT\" type=\"STRING\" unit=\"\"" \
		"name=\"\" type=\"FLOAT\" unit=\"\""
	stamp 1000000000
	# NaN, -0, and the largest integers.
	stamp 1000000001
	hex 7ff8000000000000 8000000000000000
	hex 7fffffffffffffff 8000000000000000
	string "$hostile"
	hex 7fc00000
	# Infinite, the largest, the smallest.
	stamp 1000000002
	hex 7ff0000000000000 7fefffffffffffff
	hex 8000000000000000 ffffffffffffffff
	string "$hostile_long"
	hex ff800000
	stamp 1000000003
	hex 4059000000000000 0000000000000001
	hex 0000000000000000 0000000000000000
	string ''
	hex 3f800000
}

# Make the project "hostile" in the current directory.
make_hostile() {
	hostile_stat >"hostile_${hostile_node}_$hostile_group.stat"
	hostile_state=$(repeat S 10000)
	cat >"hostile_${hostile_node}_0.trc" <<END
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Nested>
	<constructor a='$hostile_xml' b='$(repeat y 10000)' time='0.100000000' end='0.200000000'><x y='$hostile_xml'/></constructor>
	<__proto__ a='1' time='0.300000000' end='0.400000000'/>
	<Event name='$hostile_xml' time='0.450000000'/>
</Nested>
<toString $hostile_state='$hostile_xml' time='0.050000000' end='1.500000000'/>
<$hostile_state a='1' time='1.600000000' end='2.500000000'/>
</Program>
END
	cat >hostile.proj <<END
<?xml version="1.0" encoding="UTF-8"?>
<Application name="$hostile_xml">
 <Description>$hostile_xml</Description>
 <FileList>
  <File name="$hostile_xml"><InitialSize>18446744073709551616</InitialSize></File>
 </FileList>
 <Topology>
  <Level type="$hostile_xml"><Level type="Rank" /></Level>
  <Node name="$hostile_node_xml"><Node name="0" /></Node>
  <Node name="$hostile_xml"><Node name="$(repeat z 10000)" /></Node>
  <Node name="__proto__" />
 </Topology>
 <CommunicatorList>
  <Communicator name="$hostile_xml">
   <Rank global="0" local="0" cid="0" />
  </Communicator>
 </CommunicatorList>
 <Datatypes></Datatypes>
 <ExternalStatistics></ExternalStatistics>
</Application>
END
}
