#!/bin/sh
# What pages show of who waited for whom, in Chromium: the critical path over the
# rows, and messages between the groups of an intercommunicator.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/lib/intercomm.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
need_viewer
need_browser
need_view
skip_sanitized
cd "$scratch" || exit 99

# Rank 0 works until 4 s, when rank 1, which has waited since 1 s, gets a message;
# then that works until 8 s. Their hosts draw so many W each, all the time: NAME
# START WATTS WATTS.
make_late() {
	cat >"$1_alpha_0.trc" <<-END
	<Program timeAdjustment='$2' levels='Host Rank'>
	<Prepare time='0' end='4'/>
	<Send size='8' toRank='1' toTag='7' cid='0' time='4' end='4.5'/>
	</Program>
	END
	cat >"$1_beta_1.trc" <<-END
	<Program timeAdjustment='$2' levels='Host Rank'>
	<Load time='0' end='1'/>
	<Recv size='8' fromRank='0' fromTag='7' cid='0' time='1' end='5'/>
	<Solve time='5' end='8'/>
	</Program>
	END
	for late_host in alpha beta; do
		{
			stat_header $late_host Energy \
				'name="P" type="INT32" unit="W" grouping="Power"'
			stamp "$2"
			for late_at in 2 4 6 8; do
				stamp $(($2 + late_at))
				u32 "$3"
			done
		} >"$1_${late_host}_Energy.stat"
		set -- "$1" "$2" "$4"
	done
	cat >"$1.proj" <<-END
	<?xml version="1.0" encoding="UTF-8"?>
	<Application name="$1"><Description/><FileList/>
	<Topology><Level type="Host"><Level type="Rank"/></Level>
	<Node name="alpha"><Node name="0"/></Node>
	<Node name="beta"><Node name="1"/></Node></Topology>
	<CommunicatorList><Communicator name="WORLD">
	<Rank global="0" local="0" cid="0"/><Rank global="1" local="1" cid="0"/>
	</Communicator></CommunicatorList><Datatypes/>
	<ExternalStatistics><Energy/></ExternalStatistics></Application>
	END
}

make_late late 1000000000 100 200
make_late other 1000000100 50 60
make_intercomm
"$hdtrace" merge -q inter || exit 99
echo "$intercomm_messages" >messages
"$hdtrace" report -q --html late.html late >out || exit 99
in_browser caused.mjs "file://$scratch/late.html" late other inter messages
