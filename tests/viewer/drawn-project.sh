# shellcheck shell=sh
# Makes a small project whose every time and value can be told from a picture:
# entries and states that are wider than pixels, but for those of a thread, and
# 18 names of states.
# Source it after tap.sh, hdtrace.sh, project.sh and viewer.sh.
# shellcheck disable=SC2154 # scratch and hdtrace are in these
# SPDX-License-Identifier: LGPL-2.1-or-later

# The end of an entry, in seconds from the start, and its values: END VALUE...
drawn_entry() {
	stamp $((1000000000 + $1))
	shift
	for drawn_value; do
		u32 "$drawn_value"
	done
}

# Make the project "drawn" in the current directory.
make_drawn() {
	{
		stat_header alpha Energy \
			'name="P" type="INT32" unit="W" grouping="Power"'
		stamp 1000000000
		drawn_entry 1 100
		drawn_entry 2 200
		gap 1000000004
		drawn_entry 5 300
		drawn_entry 6 400
	} >drawn_alpha_Energy.stat
	{
		stat_header beta Energy \
			'name="P" type="INT32" unit="W" grouping="Power"'
		stamp 1000000000
		drawn_entry 2 50
		drawn_entry 4 150
		drawn_entry 6 100
	} >drawn_beta_Energy.stat
	{
		stat_header alpha Util \
			'name="CPU_TOTAL" type="INT32" unit="%" grouping="CPU"' \
			'name="T" type="INT32" unit="C" estimated="yes"'
		stamp 1000000000
		drawn_entry 3 25 60
		drawn_entry 6 75 61
	} >drawn_alpha_Util.stat
	cat >drawn_alpha_0.trc <<'END'
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Nested>
	<Nested>
		<Kernel rows='127' time='0.75' end='1.25'/>
	</Nested>
	<Compute time='0.5' end='1.5'/>
	<Send size='8' toRank='1' toTag='7' cid='0' time='1.5' end='1.75'/>
	<Event name='checkpoint' time='2.25'/>
	<Send size='16' toRank='1' toTag='9' cid='0' time='3.5' end='3.75'/>
	<Barrier cid='0' time='4' end='4.5'/>
</Nested>
<Solve time='0.5' end='5'/>
<FileWrite size='16' time='5' end='5.5'/>
<Event name='done' time='5.75'/>
</Program>
END
	# The second message is received before it is sent.
	cat >drawn_beta_1.trc <<'END'
<Program timeAdjustment='1000000000' levels='Host Rank'>
<Recv size='8' fromRank='0' fromTag='7' cid='0' time='1.25' end='2'/>
<Recv size='16' fromRank='0' fromTag='9' cid='0' time='2.5' end='3'/>
<Waitall time='3.25' end='3.5'/>
<Allreduce time='3.5' end='3.75'/>
<Comm_dup time='3.75' end='4'/>
<Type_commit time='4' end='4.25'/>
<Win_fence time='4.25' end='4.5'/>
<Group_incl time='4.5' end='4.75'/>
<Init time='4.75' end='5'/>
<Load time='5' end='5.25'/>
<Dump time='5.25' end='5.5'/>
<Sort time='5.5' end='5.75'/>
</Program>
END
	# States that are narrower than pixels, for a quarter of the time.
	{
		echo "<Program timeAdjustment='1000000000' levels='Host Rank'>"
		awk 'BEGIN {
			for (i = 0; i < 5000; i++)
				printf "<Tick time=\047%.6f\047 end=\047%.6f\047/>\n",
					1 + i / 5000, 1 + (i + 0.25) / 5000
		}'
		echo "</Program>"
	} >drawn_beta_2.trc
	cat >drawn.proj <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<Application name="drawn">
 <Description>Two hosts and three ranks</Description>
 <FileList></FileList>
 <Topology>
  <Level type="Host"><Level type="Rank" /></Level>
  <Node name="alpha"><Node name="0" /></Node>
  <Node name="beta"><Node name="1" /><Node name="2" /></Node>
 </Topology>
 <CommunicatorList>
  <Communicator name="WORLD">
   <Rank global="0" local="0" cid="0" />
   <Rank global="1" local="1" cid="0" />
   <Rank global="2" local="2" cid="0" />
  </Communicator>
 </CommunicatorList>
 <Datatypes></Datatypes>
 <ExternalStatistics><Energy /><Util /></ExternalStatistics>
</Application>
END
	printf '0 load\n2 solve\n5 write\n' >drawn.borders
}

# Show a page of it, with its phases, to a script for the browser that was asked
# for: SCRIPT ARGUMENT...
show_drawn() {
	need_viewer
	cd "$scratch" || exit 99
	make_drawn
	"$hdtrace" report -q --phases=drawn.borders --html page.html drawn >out ||
		exit 99
	skip_sanitized
	drawn_script=$1
	shift
	in_browser "$drawn_script" "file://$scratch/page.html" drawn "$@"
}
