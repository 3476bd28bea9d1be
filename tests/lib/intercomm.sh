# shellcheck shell=sh
# A project of messages over communicators that are not the world, made by hand.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Four ranks: 0 and 1 on the host alpha, 2 and 3 on beta. Their communicators:
#
#     cid 1   an intercommunicator, groups 0, 2 and 1, 3
#     cid 2   twins: two of all ranks, of the same name
#     cid 3
#     cid 4   an intercommunicator of rank 0 and two processes of another program
#
# So rank 1 of cid 1 is rank 3 for rank 0, and rank 2 for rank 3.

# One line of a communicator: RANK.
intercomm_info() {
	world="map='0->0;1->1;2->2;3->3;'"
	even="'0->0;2->1;'"
	odd="'1->0;3->1;'"
	printf "Comm %s id=0 name='WORLD'\n" "$world"
	case $1 in
	0 | 2) printf "Comm map=%s id=1 name='' uid='a1' remote=%s\n" \
		"$even" "$odd" ;;
	1 | 3) printf "Comm map=%s id=1 name='' uid='a1' remote=%s\n" \
		"$odd" "$even" ;;
	esac
	# As ranks may meet them in another order.
	case $1 in
	0 | 1) set -- "$1" b1 b2 ;;
	*) set -- "$1" b2 b1 ;;
	esac
	printf "Comm %s id=2 name='twin' uid='%s'\n" "$world" "$2"
	printf "Comm %s id=3 name='twin' uid='%s'\n" "$world" "$3"
	[ "$1" -ne 0 ] || printf "Comm %s id=4 name='' uid='c1' %s\n" \
		"map='0->0;'" "remote='' remoteSize=2"
	[ "$1" -gt 1 ] || printf "CommName id=1 name='It\\\\047s'\n"
}

# Lines of a trace on stdin: HOST RANK.
intercomm_trace() {
	{
		printf "<Program timeAdjustment='1000000000' %s>\n" \
			"levels='Host Rank'"
		cat
		echo '</Program>'
	} >"inter_$1_$2.trc"
	intercomm_info "$2" >"inter_$1_$2.info"
}

# Make the project "inter" here, but for its .proj.
make_intercomm() {
	intercomm_trace alpha 0 <<'END'
<Send size='10' toRank='1' toTag='5' cid='1' time='1' end='1.1'/>
<Send size='11' toRank='0' toTag='5' cid='1' time='2' end='2.1'/>
<Send size='20' toRank='2' toTag='7' cid='2' time='3' end='3.1'/>
<Send size='21' toRank='2' toTag='7' cid='3' time='4' end='4.1'/>
<Send size='30' toRank='1' toTag='9' cid='4' time='5' end='5.1'/>
<Bcast size='4' count='1' rootRank='-3' cid='1' time='6' end='6.1'/>
<Recv fromRank='1' fromTag='6' size='12' cid='1' time='6.5' end='8.5'/>
END
	intercomm_trace alpha 1 <<'END'
<Recv fromRank='0' fromTag='5' size='11' cid='1' time='2' end='2.5'/>
<Bcast size='4' count='1' rootRank='0' cid='1' time='6' end='6.1'/>
END
	intercomm_trace beta 2 <<'END'
<Recv fromRank='0' fromTag='7' size='21' cid='2' time='4' end='4.6'/>
<Recv fromRank='0' fromTag='7' size='20' cid='3' time='4.6' end='4.8'/>
<Bcast size='4' count='1' rootRank='-2' cid='1' time='6' end='6.1'/>
<Recv fromRank='1' fromTag='6' size='13' cid='1' time='6.5' end='9.5'/>
END
	intercomm_trace beta 3 <<'END'
<Recv fromRank='0' fromTag='5' size='10' cid='1' time='1' end='1.5'/>
<Bcast size='4' count='1' rootRank='0' cid='1' time='6' end='6.1'/>
<Send size='12' toRank='0' toTag='6' cid='1' time='8' end='8.1'/>
<Send size='13' toRank='1' toTag='6' cid='1' time='9' end='9.1'/>
END
}

# Messages of the project: sender, receiver, tag, bytes, start and end in ns.
# shellcheck disable=SC2034 # for tests
intercomm_messages='0 1 5 11 2000000000 2500000000
0 2 7 20 3000000000 4800000000
0 2 7 21 4000000000 4600000000
0 3 5 10 1000000000 1500000000
3 0 6 12 8000000000 8500000000
3 2 6 13 9000000000 9500000000'
