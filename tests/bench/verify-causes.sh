#!/bin/sh
# What hdtrace report takes of larger and larger projects of MPI programs: time that
# grows as they do, and memory that does not. CAUSES_RECORDS="20000000 40000000" are
# the sizes (100 bytes each). And of CAUSES_RANKS="1000 10000" on one node that begin
# and end at different times, so that each divides the energy of the others anew:
# memory that does not grow with that.
# SPDX-License-Identifier: LGPL-2.1-or-later
hdtrace=${abs_top_builddir:?}/hdtrace
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
echo "   records     MB  CPU s  s/GB  MB of memory"
for records in ${CAUSES_RECORDS:-2500000 5000000 10000000 20000000}; do
	"$abs_top_builddir/tests/bench/make-project" --nodes=4 --ranks=2 \
		--records="$records" --values=400000 run >/dev/null || exit 1
	size=$(du -sm . | cut -f 1)
	/usr/bin/time -f "%U %S %M" -o time "$hdtrace" report -q \
		--format=json run >report.json || exit 1
	grep -q '"critical_path": {' report.json || exit 1
	awk -v records="$records" -v size="$size" '{
		cpu = $1 + $2
		printf "%10d %6d %6.2f %5.2f %8.1f\n", records, size, cpu,
			cpu / size * 1000, $3 / 1024
		exit $3 > 1024 * 1024
	}' time || exit 1
	rm -f run*
done

# Ranks on a node that send to the next one: NUMBER
make_ranks() {
	"$abs_top_builddir/tests/bench/make-project" --nodes=1 --ranks=1 \
		--records=20 --values=4000 power >/dev/null || return 1
	sed 's/value="node001"/value="host001"/' power_node001_Energy.stat \
		>run_host001_Energy.stat
	rm -f power*
	awk -v ranks="$1" 'BEGIN {
		print "<Application name=\047run\047><Description/><Topology>" \
			"<Level type=\047Host\047><Level type=\047Rank\047/></Level>" \
			"<Node name=\047host001\047>" >"run.proj"
		for (r = 0; r < ranks; r++)
			print "<Node name=\047" r "\047/>" >"run.proj"
		print "</Node></Topology><CommunicatorList>" \
			"<Communicator name=\047WORLD\047>" >"run.proj"
		for (r = 0; r < ranks; r++)
			printf "<Rank global=\047%d\047 local=\047%d\047 " \
				"cid=\0470\047/>\n", r, r >"run.proj"
		print "</Communicator></CommunicatorList><Datatypes/>" \
			"<ExternalStatistics><Energy/></ExternalStatistics>" \
			"</Application>" >"run.proj"
		for (r = 0; r < ranks; r++) {
			file = "run_host001_" r ".trc"
			print "<Program timeAdjustment=\0471700000000\047 " \
				"levels=\047Host Rank\047>" >file
			time = 0.001 + r * 1e-6
			for (step = 0; step < 10; step++) {
				end = time + 0.01 + \
					(r * 7919 + step * 104729) % 1000 * 1e-6
				printf "<Work time=\047%.9f\047 " \
					"end=\047%.9f\047/>\n", time, end >file
				printf "<Send size=\0478\047 toRank=\047%d\047 " \
					"toTag=\0470\047 cid=\0470\047 " \
					"time=\047%.9f\047 end=\047%.9f\047/>\n",
					(r + 1) % ranks, end, end + 1e-5 >file
				printf "<Recv size=\0478\047 fromRank=\047%d\047 " \
					"fromTag=\0470\047 cid=\0470\047 " \
					"time=\047%.9f\047 end=\047%.9f\047/>\n",
					(r + ranks - 1) % ranks, end + 1e-5,
					end + 2e-3 >file
				time = end + 2e-3
			}
			print "</Program>" >file
			close(file)
		}
	}'
}

echo "     ranks  CPU s  MB of memory"
for ranks in ${CAUSES_RANKS:-1000 10000}; do
	make_ranks "$ranks" || exit 1
	/usr/bin/time -f "%U %S %M" -o time "$hdtrace" report -q \
		--format=json run >report.json || exit 1
	grep -q '"beside_energy_j": [0-9]' report.json || exit 1
	awk -v ranks="$ranks" '{
		printf "%10d %6.2f %8.1f\n", ranks, $1 + $2, $3 / 1024
		exit $3 > 100 * 1024
	}' time || exit 1
	find . -name 'run*' -delete
done
