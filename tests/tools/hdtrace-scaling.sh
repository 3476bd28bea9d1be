#!/bin/sh
# Efficiencies of ranks with threads, and of several runs, worked by hand.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
command -v python3 >/dev/null || skip_all "no python3"
cd "$scratch" || exit 99

make_run() {
	rm -f "$1"_*
	python3 "$abs_top_srcdir/tests/tools/readers/states.py" "$1"
}
# Python on stdin judges the report of the last call.
judge() {
	cat >judge.py
	python3 - <<-'END'
	import json
	report = json.load(open("out"))
	scaling = report["scaling"]


	def has(of, **values):
	    for key, value in values.items():
	        print(key, of[key], value)
	        assert (of[key] is None) == (value is None)
	        assert value is None or abs(of[key] - value) < 1e-9, key


	exec(open("judge.py").read())
	END
}

# From 1 s to 11 s. Threads of rank 0 compute 5 and 4 s, those of rank 1 9 and 2 s; ranks
# are outside of MPI for 6 and 9 s.
hybrid() {
	make_run run <<-'END'
	ranks.append([
	    [("Work", 10, 30, ""),
	     ("omp.parallel", 30, 70, "team='1' thread='0' threads='2'"),
	     ("Barrier", 70, 110, "")],
	    [("omp.parallel", 30, 70, "team='1' thread='1' threads='2'")]])
	ranks.append([
	    [("Work", 10, 20, ""),
	     ("omp.parallel", 20, 100, "team='1' thread='0' threads='2'"),
	     ("Barrier", 100, 110, "")],
	    [("omp.parallel", 20, 100, "team='1' thread='1' threads='2'")]])
	END
	# Waits at the end of the regions.
	for thread in 0_0:6:7 1_1:4:10; do
		wait=${thread#*:}
		sed -i "s/^<omp.parallel/<Nested><omp.barrier team='1' barrier='0' time='${wait%:*}' end='${wait#*:}'\/><\/Nested>\n&/" \
			"run_h_${thread%%:*}.trc"
	done
	for thread in 0_1:7:7 1_0:10:10; do
		wait=${thread#*:}
		sed -i "s/^<omp.parallel/<Nested><omp.barrier team='1' barrier='0' time='${wait%:*}' end='${wait#*:}'\/><\/Nested>\n&/" \
			"run_h_${thread%%:*}.trc"
	done
	status 0 report --format=json run || return 1
	judge <<-'END'
	has(report["efficiencies"], mpi_load_balance=7.5 / 9, mpi_communication=0.9,
	    mpi_parallel=0.75, parallel=0.5, load_balance=5 / 9, communication=0.9,
	    openmp_parallel=0.5 / 0.75, openmp_load_balance=5 / 7.5,
	    openmp_communication=1)
	assert scaling == []
	END
	status 0 report run &&
		grep -q "^  Parallel efficiency     50 %$" out &&
		grep -q "^    OpenMP                66.67 %$" out &&
		grep -q "^      Load balance        66.67 %$" out &&
		grep -q "^    MPI                   75 %$" out &&
		grep -q "^      Load balance        83.33 %$" out
}
ok "ranks with threads: MPI times OpenMP" hybrid

threads_only() {
	make_run run <<-'END'
	ranks.append([
	    [("omp.parallel", 10, 50, [("omp.barrier", 50, 50, "team='1' barrier='0'")])],
	    [("omp.parallel", 10, 50, [("omp.barrier", 20, 50, "team='1' barrier='0'")])]])
	END
	for thread in 0 1; do
		sed -i "s/^<omp.parallel/& team='1' thread='$thread' threads='2'/" \
			"run_h_0_$thread.trc"
	done
	status 0 report --format=json run || return 1
	judge <<-'END'
	has(report["efficiencies"], parallel=5 / 8, load_balance=2.5 / 4, communication=1,
	    openmp_parallel=5 / 8, openmp_load_balance=2.5 / 4, openmp_communication=1,
	    mpi_parallel=None)
	END
}
ok "threads without MPI" threads_only

# COUNT of ranks that compute EACH second in a run of TIME seconds, the first one; counters
# say INSTRUCTIONS and CYCLES outside of the calls of each.
scaled() {
	make_run "run$1" <<-END
	for rank in range($1):
	    end = 10 + ($2 if rank == 0 else $3)
	    ranks.append([("Init", 0, 10, ""),
	                  ("Barrier", end, 10 + $2, "outsideCycles='$5' outsideInstructions='$4'"),
	                  ("Finalize", 10 + $2, 11 + $2, "")])
	END
}
# Twice and four times as many ranks, with the same work, which is uneven with four; each
# has more instructions, and the clock is slower with four.
strong() {
	scaled 1 80 80 800 400
	scaled 2 40 40 500 250
	scaled 4 30 10 250 125
	status 0 report --format=json run4.proj run1.proj run2.proj || return 1
	judge <<-'END'
	assert [s["ranks"] for s in scaling] == [1, 2, 4], scaling
	assert {s["mode"] for s in scaling} == {"strong"}
	assert report["project"] == "run4"
	has(scaling[0]["efficiencies"], computation_scaling=1)
	has(scaling[1], speedup_ratio=2, threads=2)
	has(scaling[1]["efficiencies"], load_balance=1, computation_scaling=1,
	    instruction_scaling=0.8, ipc_scaling=1, frequency_scaling=1.25)
	has(scaling[2]["efficiencies"], load_balance=0.5, parallel=0.5,
	    computation_scaling=8 / 6, instruction_scaling=0.8, ipc_scaling=1,
	    frequency_scaling=(500 / 6) / (400 / 8))
	for s in scaling:
	    e = s["efficiencies"]
	    has(e, computation_scaling=e["instruction_scaling"] * e["ipc_scaling"] *
	        e["frequency_scaling"])
	    has(e, **{"global": e["parallel"] * e["computation_scaling"]})
	END
	status 0 report run1 run2 run4 &&
		grep -q "^Scaling (strong, the work is the same): 3 runs$" out &&
		grep -q "^  First to fall: instruction scaling, from 100 % to 80 % with 2 ranks$" out &&
		grep -q "hdtrace report .*run2.proj$" out
}
ok "the same work on more ranks" strong
weak() {
	scaled 1 80 80 800 400
	scaled 2 80 80 800 400
	scaled 4 100 80 800 400
	status 0 report --format=json run1 run2 run4 || return 1
	judge <<-'END'
	assert {s["mode"] for s in scaling} == {"weak"}
	has(scaling[2]["efficiencies"], computation_scaling=32 / 34, load_balance=0.85)
	END
	status 0 report --scaling=strong --format=json run1 run2 run4 || return 1
	judge <<-'END'
	assert {s["mode"] for s in scaling} == {"strong"}
	has(scaling[2]["efficiencies"], computation_scaling=8 / 34)
	END
}
ok "more work on more ranks" weak
even() {
	scaled 2 40 40 400 200
	status 0 report run1 run2 && ! grep -q "falls by more" out
	scaled 1 40 40 400 200
	status 0 report run1 run2 &&
		grep -q "^  No efficiency falls by more than 5 points.$" out
}
ok "nothing falls" even
# A curve in the picture: percent of each run, from the axis of 100 %.
drawn() {
	scaled 1 80 80 800 400
	scaled 2 40 40 500 250
	scaled 4 30 10 250 125
	status 0 plot --scaling -o s.svg run4 run1 run2 && grep -q "^s.svg: 3 runs$" out &&
		grep -q "Efficiencies (strong scaling)" s.svg || return 1
	python3 - <<-'END'
	import re
	import xml.etree.ElementTree as tree
	curves = {}
	for group in tree.parse("s.svg").iter("{http://www.w3.org/2000/svg}g"):
	    line = next((line for line in group if line.get("stroke")), None)
	    if group.get("class") != "curve":
	        continue
	    at, points = [0, 0], []
	    for step, text in re.findall(r"([Mlhv])([^Mlhvz]*)", line.get("d")):
	        numbers = [float(number) for number in text.split()]
	        dx, dy = {"h": numbers + [0], "v": [0] + numbers}.get(step, numbers)
	        at = [at[0] + dx, at[1] + dy]
	        points.append(at)
	    curves[group[0].text] = points
	print(curves)
	balance = curves["MPI load balance"]
	assert len(balance) == 3
	# 1, 1, 0.5 of an axis of 0 to 1.4, which is 230 points long.
	(x0, y0), (x1, y1), (x2, y2) = balance
	assert abs(y0 - y1) < 0.1 and abs(y2 - y0 - 230 * 0.5 / 1.4) < 0.1
	# Twice the ranks are as far.
	assert abs((x1 - x0) - (x2 - x1)) < 0.1 and x1 > x0
	END
}
ok "plot --scaling draws efficiencies over ranks" drawn
wrong() {
	says "--scaling: needs several projects" 2 plot --scaling run1 &&
		says "--scaling: not available in JSON" 2 plot --scaling --format=json \
			run1 run2 &&
		status 2 plot --scaling run1 missing || return 1
	says "--scaling: invalid mode \"both\"" 2 report --scaling=both run1 run2 &&
		says "need a single project" 2 report --csv run1 run2 &&
		says "need a single project" 2 report --html=x.html run1 run2 &&
		status 2 report run1 missing
}
ok "options that do not belong together" wrong
done_testing
