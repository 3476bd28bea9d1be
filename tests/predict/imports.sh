#!/bin/sh
# hdpredict convert from WfFormat and DOT, and partitions of METIS; see imports.py.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# HDTRACE_TEST_GRAPHS says how many random files are compared (60),
# HDTRACE_TEST_SEED which is the first.
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
hdpredict=${abs_top_builddir:?}/hdpredict
here=$abs_top_srcdir/tests/predict
schema=$abs_top_srcdir/doc/format/prediction.rng
unset HDTRACE_KERNELS HDTRACE_PT_CFG
export PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 99
command -v python3 >/dev/null || skip_all "python3 is missing"

# ---- What this build can read ------------------------------------------------

echo '{' >empty.json
"$hdpredict" convert empty.json >/dev/null 2>said
grep -q 'was built without jansson' said && wfformat= || wfformat=yes
echo 'digraph {}' >empty.dot
"$hdpredict" convert empty.dot >/dev/null 2>said
grep -q 'was built without cgraph' said && dot= || dot=yes

refused() {
	exits 2 "$hdpredict" convert "$1" && grep -q "$1: hdpredict was built without $2" err && [ ! -s out ]
}
[ "$wfformat" ] || ok "WfFormat without jansson is refused" refused empty.json jansson
[ "$dot" ] || ok "DOT without cgraph is refused" refused empty.dot cgraph

# Convert a file, with its costs, and compare both: KIND FILE [OPTION...]
same() {
	kind=$1 file=$2
	shift 2
	"$hdpredict" convert --to=xml "$file" -o g.xml --costs c.xml "$@" 2>said || {
		cat said
		return 1
	}
	if [ "$kind" = dot ]; then
		set -- 1e9
	else
		set --
	fi
	python3 "$here/imports.py" "$kind" "$file" g.xml c.xml "$@" &&
		"$hdpredict" validate g.xml --resources c.xml
}
valid() {
	! command -v xmllint >/dev/null || xmllint --noout --relaxng "$schema" g.xml c.xml
}

# A document of a table or a test.
document() {
	rest=${1#?:}
	case $1 in
	5:*) printf "%s\n" "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": [$rest], \"files\": [{\"id\": \"f\", \"sizeInBytes\": 1}]}}}" ;;
	f:*) printf "%s\n" "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": [], \"files\": [$rest]}}}" ;;
	x:*) printf "%s\n" "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": [{\"id\": \"a\"}]}, \"execution\": {\"tasks\": [$rest]}}}" ;;
	y:*) printf "%s\n" "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}, \"execution\": {\"tasks\": [$rest]}}}" ;;
	4:*) printf "%s\n" "{\"schemaVersion\": \"1.4\", \"workflow\": {\"tasks\": [$rest]}}" ;;
	*) printf '%s' "$1" ;;
	esac
}

# ---- WfFormat ----------------------------------------------------------------

new_tasks() {
	cat <<-'END'
		{"name": "montage", "schemaVersion": "1.5", "workflow": {
		 "specification": {
		  "tasks": [
		   {"name": "project_1", "id": "p1", "parents": [], "children": ["d"], "inputFiles": ["raw1", "hdr"], "outputFiles": ["proj1"]},
		   {"name": "project_2", "id": "p2", "parents": [], "children": [], "inputFiles": ["raw2", "hdr"], "outputFiles": ["proj2", "area"]},
		   {"name": "diff", "id": "d", "parents": ["p1", "p2"], "children": [], "inputFiles": ["proj1", "proj2"], "outputFiles": ["out"]},
		   {"name": "clean", "id": "c", "parents": ["d"], "children": []}
		  ],
		  "files": [
		   {"id": "raw1", "sizeInBytes": 1000}, {"id": "raw2", "sizeInBytes": 2000}, {"id": "hdr", "sizeInBytes": 10},
		   {"id": "proj1", "sizeInBytes": 1500}, {"id": "proj2", "sizeInBytes": 3000}, {"id": "area", "sizeInBytes": 7},
		   {"id": "out", "sizeInBytes": 123}
		  ]},
		 "execution": {"makespanInSeconds": 10, "executedAt": "2026-01-01T00:00:00Z", "tasks": [
		   {"id": "c", "runtimeInSeconds": 0.5, "command": {"program": "/bin/rm"}},
		   {"id": "p1", "runtimeInSeconds": 2, "command": {"program": "/usr/bin/mProject"}, "coreCount": 4, "avgPowerInW": 30, "machine": "n1"},
		   {"id": "p2", "runtimeInSeconds": 3, "command": {"program": "/usr/bin/mProject"}, "energyInKWh": 0.00001},
		   {"id": "d", "runtimeInSeconds": 1.25, "command": {"program": "mDiff"}}],
		  "machines": [{"nodeName": "n1", "cpu": {"speedInMHz": 2000}}]}}}
	END
}
new_tasks >montage.json
old_tasks() {
	cat <<-'END'
		{"name": "w", "schemaVersion": "1.4", "workflow": {"makespanInSeconds": 10, "executedAt": "now", "tasks": [
		 {"name": "sort_1", "category": "sort", "type": "compute", "runtimeInSeconds": 4, "avgPower": 20, "cores": 1,
		  "files": [{"link": "input", "name": "in", "sizeInBytes": 5}, {"link": "output", "name": "a", "path": "d/", "sizeInBytes": 100}], "parents": []},
		 {"name": "sort_2", "category": "sort", "type": "compute", "runtimeInSeconds": 4, "avgPower": 20, "parents": ["sort_1"],
		  "files": [{"link": "input", "name": "a", "path": "d/", "sizeInBytes": 99}]},
		 {"name": "merge", "type": "compute", "runtimeInSeconds": 1, "parents": ["sort_2"], "children": null}]}}
	END
}
old_tasks >old.json
if [ "$wfformat" ]; then
	ok "WfFormat 1.5: tasks, files, times and energies" same wfformat montage.json
	ok "its graph and costs are as the schema says" valid
	said_left_out() {
		"$hdpredict" convert montage.json 2>said >/dev/null &&
			grep -q 'files that no earlier task writes: inputs of tasks: 4, 3020 bytes' said &&
			grep -q 'tasks with several cores use one PE: 1$' said
	}
	ok "parts that the graph does not contain are named" said_left_out
	ok "WfFormat 1.4: tasks, files, times and energies" same wfformat old.json
	disagree() {
		"$hdpredict" convert old.json 2>said >/dev/null && grep -q 'disagree about the size of a file; the size of the writer counts: 1$' said
	}
	ok "different sizes of a file are said" disagree
	newer() {
		sed 's/"1.5"/"1.6"/' montage.json >newer.json && same wfformat newer.json
	}
	ok "WfFormat 1.6" newer

	# On one PE all tasks run one after the other: 2 + 3 + 1.25 + 0.5 s, and
	# 2 s x 30 W + 36 J.
	simulated() {
		"$hdpredict" convert montage.json -o m.bin --costs m-costs.xml 2>said &&
			"$hdpredict" platform --nodes 1 --pes 1 --idle-power 0 -o one.xml &&
			"$hdpredict" simulate m.bin --platform one.xml --resources m-costs.xml --map eft --format=json >m.json &&
			python3 -c 'import json, sys
d = json.load(open("m.json"))
sys.exit(d["makespan_s"] != 6.75 or d["energy_total_j"] != 96 or d["tasks"] != 4)'
	}
	ok "the graph and the costs can be simulated" simulated
	# 100 tasks of a kernel, of 0, 1/8 ... 99/8 s, two of each, so that they share
	# entries; a task without an entry is reported.
	many() {
		python3 -c 'import json
n = 200
tasks = [{"name": "t", "id": f"t{i}", "parents": [], "children": []} for i in range(n)]
print(json.dumps({"name": "w", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": tasks},
    "execution": {"makespanInSeconds": 1, "executedAt": "x",
                  "tasks": [{"id": f"t{i}", "runtimeInSeconds": i % 100 / 8} for i in range(n)]}}}))' >many.json &&
			"$hdpredict" convert many.json -o many.bin --costs many.xml && [ "$(grep -c '<entry' many.xml)" -eq 100 ] &&
			"$hdpredict" simulate many.bin --platform one.xml --resources many.xml --map eft --format=json >many.js &&
			grep -q '"makespan_s": 1237.5,' many.js && sed '/time="0.25"/d' many.xml >few.xml &&
			exits 1 "$hdpredict" simulate many.bin --platform one.xml --resources few.xml --map eft &&
			[ "$(grep -c 'no resource entry for kernel t with time_s=0.25 ' err)" -eq 2 ]
	}
	ok "each of many tasks of a kernel has its own time" many
	swept() {
		"$hdpredict" sweep m.bin --resources m-costs.xml --vary map=eft --vary nodes=1,2 --vary pes=1 --format=csv >swept.csv &&
			[ "$(wc -l <swept.csv)" -eq 3 ] && ! grep -q error: swept.csv
	}
	ok "the graph and the costs can be swept" swept
	other_architecture() {
		"$hdpredict" convert montage.json --costs a.xml --architecture 'big "1"' >/dev/null 2>&1 &&
			grep -q 'architecture="big &quot;1&quot;"' a.xml
	}
	ok "costs are for the architecture that was named" other_architecture
	without_runs() {
		python3 -c 'import json
d = json.load(open("montage.json"))
del d["workflow"]["execution"]
json.dump(d, open("plain.json", "w"))'
		"$hdpredict" convert --to=xml plain.json -o g.xml 2>said && python3 "$here/imports.py" wfformat plain.json g.xml '' &&
			exits 1 "$hdpredict" convert plain.json --costs none.xml && grep -q 'plain.json: no run times for --costs' err &&
			[ ! -e none.xml ]
	}
	ok "a workflow that did not run has a graph, but no costs" without_runs
	standard_input() {
		"$hdpredict" convert --from wfformat --to=xml - <montage.json 2>said >in.xml && "$hdpredict" convert --to=xml montage.json 2>said | cmp - in.xml
	}
	ok "WfFormat from standard input" standard_input

	# What replaces files, and many readers of a file.
	inplace() {
		cat >inplace.json <<-'END'
			{"name": "w", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [
			 {"name": "a", "id": "a", "parents": [], "children": ["b"], "outputFiles": ["x"], "inputFiles": ["y"]},
			 {"name": "b", "id": "b", "parents": ["a"], "children": ["c"], "inputFiles": ["x"], "outputFiles": ["x", "y"]},
			 {"name": "c", "id": "c", "parents": ["b"], "children": [], "inputFiles": ["x", "x"]}],
			 "files": [{"id": "x", "sizeInBytes": 8}, {"id": "y", "sizeInBytes": 16}]}}}
		END
		"$hdpredict" convert --to=xml inplace.json -o g.xml && python3 "$here/imports.py" wfformat inplace.json g.xml '' &&
			[ "$(grep -c '<dependency' g.xml)" -eq 2 ]
	}
	ok "a file that is replaced comes from the parent" inplace

	# Edges of a document, as FROM TO BYTES: DOCUMENT WANTED...
	edges() {
		document "$1" >edges.json
		shift
		"$hdpredict" convert --to=xml edges.json -o g.xml 2>said && python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import imports
for a, b, size in sorted(imports.Graph("g.xml").edges):
    print(a, b, int(size))' "$here" >found && printf '%s\n' "$@" | diff - found
	}
	ok "a file that is replaced after two tasks is an input" edges \
		'5:{"id": "a", "inputFiles": ["f"], "children": ["b"]}, {"id": "b", "children": ["c"]}, {"id": "c", "outputFiles": ["f"]}' 'a b 0' 'b c 0'
	ok "such an input is said" grep -q 'no earlier task writes: inputs of tasks: 1, 1 bytes' said
	ok "the last of two parents writes a file" edges \
		'5:{"id": "a", "outputFiles": ["f"], "children": ["b"]}, {"id": "b", "outputFiles": ["f"]}, {"id": "c", "inputFiles": ["f"], "parents": ["a", "b"]}' \
		'a b 0' 'a c 0' 'b c 1'
	ok "a parent of a parent writes a file" edges \
		'5:{"id": "a", "outputFiles": ["f"], "children": ["b"]}, {"id": "o", "outputFiles": ["f"]}, {"id": "b", "children": ["c"]}, {"id": "c", "inputFiles": ["f"]}' \
		'a b 0' 'a c 1' 'b c 0'
	ok "two parents write a file" edges \
		'5:{"id": "a", "outputFiles": ["f"]}, {"id": "b", "outputFiles": ["f"]}, {"id": "c", "inputFiles": ["f"], "parents": ["a", "b"]}' 'a c 1' 'b c 1'
	ok "of two writers, one comes after the reader" edges \
		'5:{"id": "a", "outputFiles": ["f"]}, {"id": "b", "outputFiles": ["f"]}, {"id": "c", "inputFiles": ["f"], "children": ["b"]}' 'a c 1' 'c b 0'

	# 10,000 writers, and as many readers: 12 s when each looked at all writers.
	# dash knows ulimit -t, too.
	# shellcheck disable=SC3045
	many_writers() {
		python3 -c 'import json
n = 10000
tasks = [{"id": f"w{i}", "outputFiles": ["x"]} for i in range(n)]
tasks += [{"id": f"r{i}", "parents": ["w0"], "inputFiles": ["x"]} for i in range(n)]
print(json.dumps({"schemaVersion": "1.5", "workflow": {"specification": {"tasks": tasks, "files": [{"id": "x", "sizeInBytes": 1}]}}}))' >writers.json &&
			(ulimit -t 5 && "$hdpredict" convert --to=xml writers.json -o g.xml) && [ "$(grep -c 'predecessor="w0"' g.xml)" -eq 10000 ]
	}
	ok "many writers of a file" many_writers

	# A kernel has at most 1000 variables: COUNT tasks of which one reads 1 file each.
	wide() {
		python3 - "$1" <<-'END' >wide.json
			import json, sys
			n = int(sys.argv[1])
			tasks = [{"name": "leaf", "id": f"t{i}", "parents": [], "children": [], "outputFiles": [f"f{i}"]} for i in range(n)]
			tasks += [{"name": "join", "id": f"j{k}", "parents": [f"t{i}" for i in range(n)], "children": [],
			           "inputFiles": [f"f{i}" for i in range(n)]} for k in range(2)]
			print(json.dumps({"name": "w", "schemaVersion": "1.5", "workflow": {
			    "specification": {"tasks": tasks, "files": [{"id": f"f{i}", "sizeInBytes": i} for i in range(n)]},
			    "execution": {"makespanInSeconds": 1, "executedAt": "x",
			                  "tasks": [{"id": t["id"], "runtimeInSeconds": 1} for t in tasks]}}}))
		END
		same wfformat wide.json
	}
	ok "tasks with 998 inputs" wide 998
	ok "tasks with 2500 inputs" wide 2500

	# Names that are no names of states, or become equal.
	names() {
		cat >names.json <<-'END'
			{"name": "w", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [
			 {"name": "a b", "id": "1 <&> \"x\"", "parents": [], "children": ["2"]},
			 {"name": "a_b", "id": "2", "parents": [], "children": []},
			 {"name": "a/b;c", "id": "Grüße", "parents": [], "children": []},
			 {"name": "\u0001", "id": "4", "parents": [], "children": []},
			 {"name": "", "id": "5", "parents": [], "children": []},
			 {"name": "5", "id": "6", "parents": [], "children": []}]}}}
		END
		"$hdpredict" convert --to=xml names.json -o g.xml && python3 "$here/imports.py" wfformat names.json g.xml '' &&
			"$hdpredict" validate g.xml &&
			sed -n 's/.*<kernel id="\([^"]*\)".*/\1/p' g.xml | tr '\n' ' ' >found &&
			echo 'a_b a_b-2 a_b_c _ task _-2 ' | tr -d '\n' | cmp - found
	}
	ok "kernels have different names that states can have" names
	# NAME.I.O where tasks of a name have other numbers of inputs and outputs.
	shapes() {
		"$hdpredict" convert --to=xml montage.json 2>said | sed -n 's/.*<kernel id="\([^"]*\)".*/\1/p' | sort | tr '\n' ' ' >found &&
			printf 'mDiff mProject.0.1 mProject.0.2 rm ' | cmp - found
	}
	ok "tasks of a name with other inputs or outputs have another kernel" shapes
fi

# What is wrong: a status, a message and a document of version 1.5 or 1.4.
cat >wrong.txt <<'END'
2|:1: error: not JSON: column|{
2|error: not JSON: column|
2|not JSON: column 8: |nonsense
2|not JSON: column|{"schemaVersion": "1.5"} {}
2|not JSON: column .*duplicate|{"schemaVersion": "1.5", "schemaVersion": "1.5"}
2|not JSON: column .*overflow|{"schemaVersion": 1e999}
2|not JSON: column|{"schemaVersion": NaN}
1|schemaVersion: missing; expected 1.4, 1.5 or 1.6|{}
1|schemaVersion: missing|[]
1|schemaVersion: missing|{"schemaVersion": 1.5}
1|schemaVersion: "1.3" is not supported; expected 1.4, 1.5 or 1.6|{"schemaVersion": "1.3"}
1|schemaVersion: "2.0" is not supported|{"schemaVersion": "2.0"}
1|workflow: missing|{"schemaVersion": "1.5"}
1|workflow: not an object|{"schemaVersion": "1.5", "workflow": []}
1|workflow.specification: missing|{"schemaVersion": "1.5", "workflow": {}}
1|workflow.specification.tasks: missing|{"schemaVersion": "1.5", "workflow": {"specification": {}}}
1|workflow.specification.tasks: not an array|{"schemaVersion": "1.5", "workflow": {"specification": {"tasks": {}}}}
1|workflow.specification.files: not an array|{"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [], "files": 1}}}
1|workflow.execution: not an object|{"schemaVersion": "1.5", "workflow": {"specification": {"tasks": []}, "execution": 1}}
1|workflow.execution.tasks: missing|{"schemaVersion": "1.5", "workflow": {"specification": {"tasks": []}, "execution": {}}}
1|workflow.tasks: missing|{"schemaVersion": "1.4", "workflow": {}}
1|tasks\[0\]: not an object|5:1
1|tasks\[1\].id: missing|5:{"id": "a"}, {"name": "b"}
1|tasks\[0\].id: not a string|5:{"id": 1}
1|tasks\[0\]: the name of the task is empty|5:{"id": ""}
1|tasks\[0\]: the name of the task has characters that XML does not allow|5:{"id": "\u0007"}
1|tasks\[0\]: the name of the task has characters that XML does not allow|5:{"id": "\ufffe"}
1|tasks\[1\]: duplicate name of a task: "a"|5:{"id": "a"}, {"id": "a"}
1|tasks\[0\].parents: not an array|5:{"id": "a", "parents": "b"}
1|tasks\[0\].parents\[0\]: not a string|5:{"id": "a", "parents": [1]}
1|tasks\[0\].parents\[1\]: unknown task "b"|5:{"id": "a", "parents": ["c", "b"]}, {"id": "c"}
1|tasks\[0\].children\[0\]: unknown task "b"|5:{"id": "a", "children": ["b"]}
1|tasks\[0\].children\[0\]: the task refers to itself|5:{"id": "a", "children": ["a"]}
1|the tasks form a cycle: |5:{"id": "a", "children": ["b"]}, {"id": "b", "children": ["a"]}
1|the tasks form a cycle: |5:{"id": "a", "parents": ["b"]}, {"id": "b", "parents": ["a"]}
1|tasks\[0\].inputFiles: not an array|5:{"id": "a", "inputFiles": 1}
1|tasks\[0\].inputFiles\[0\]: not a string|5:{"id": "a", "inputFiles": [{}]}
1|tasks\[0\].outputFiles\[0\]: unknown file "g"|5:{"id": "a", "outputFiles": ["g"]}
1|tasks\[2\].inputFiles\[0\]: 2 tasks write file "f"; none of them comes before this task|5:{"id": "a", "outputFiles": ["f"]}, {"id": "b", "outputFiles": ["f"]}, {"id": "c", "inputFiles": ["f"]}
1|tasks\[2\].parents\[0\]: ambiguous, since several tasks have the name or id "s"|4:{"name": "s", "id": "1"}, {"name": "s", "id": "2"}, {"name": "q", "id": "3", "parents": ["s"]}
1|workflow.execution.tasks\[0\].runtimeInSeconds: -1 is not|y:{"id": "b", "runtimeInSeconds": -1}, {"id": "a", "runtimeInSeconds": 1}
1|workflow.tasks\[0\].files\[1\].sizeInBytes: -1 is not|4:{"name": "a", "files": [{"link": "input", "name": "f", "sizeInBytes": 1}, {"link": "input", "name": "g", "sizeInBytes": -1}]}
1|files\[0\].id: missing|f:{"sizeInBytes": 1}
1|files\[0\].sizeInBytes: missing|f:{"id": "f"}
1|files\[0\].sizeInBytes: -1 is not a number of 0 or more|f:{"id": "f", "sizeInBytes": -1}
1|files\[0\].sizeInBytes: not a number|f:{"id": "f", "sizeInBytes": "1"}
1|files\[0\].sizeInBytes: 1e+16 exceeds 2^53|f:{"id": "f", "sizeInBytes": 1e16}
1|files\[1\].id: duplicate id "f"|f:{"id": "f", "sizeInBytes": 1}, {"id": "f", "sizeInBytes": 1}
1|execution.tasks\[0\]: not an object with an id|x:1
1|execution.tasks\[0\]: not an object with an id|x:{"runtimeInSeconds": 1}
1|execution.tasks\[1\].id: duplicate id "a"|x:{"id": "a", "runtimeInSeconds": 1}, {"id": "a", "runtimeInSeconds": 1}
1|execution.tasks\[1\].id: unknown task "z"|x:{"id": "a", "runtimeInSeconds": 1}, {"id": "z", "runtimeInSeconds": 1}
1|specification.tasks\[1\]: has no run in workflow.execution.tasks, but other tasks have one|y:{"id": "a", "runtimeInSeconds": 1}
1|tasks\[0\].runtimeInSeconds: -2 is not a number of 0 or more|x:{"id": "a", "runtimeInSeconds": -2}
1|tasks\[0\].runtimeInSeconds: not a number|x:{"id": "a", "runtimeInSeconds": true}
1|tasks\[0\].coreCount: not a number|x:{"id": "a", "runtimeInSeconds": 1, "coreCount": "2"}
1|tasks\[0\].avgPowerInW: -1 is not|x:{"id": "a", "runtimeInSeconds": 1, "avgPowerInW": -1}
1|tasks\[0\]: its energy exceeds the range of a double|x:{"id": "a", "runtimeInSeconds": 1e300, "avgPowerInW": 1e300}
1|tasks\[0\].command: not an object|x:{"id": "a", "runtimeInSeconds": 1, "command": "sort"}
1|execution.tasks\[0\].command.program: not a string|x:{"id": "a", "runtimeInSeconds": 1, "command": {"program": 1}}
1|workflow.tasks\[0\].id: missing|4:{"runtimeInSeconds": 1}
1|workflow.tasks\[1\].id: missing|4:{"name": "a", "id": "1"}, {"name": "a"}
1|workflow.tasks\[0\].runtimeInSeconds: -1 is not|4:{"name": "a", "runtimeInSeconds": -1}
1|workflow.tasks\[0\].category: not a string|4:{"name": "a", "category": 1}
1|workflow.tasks\[0\].files: not an array|4:{"name": "a", "files": {}}
1|workflow.tasks\[0\].files\[0\]: its name is missing|4:{"name": "a", "files": [{"link": "input", "sizeInBytes": 1}]}
1|workflow.tasks\[0\].files\[0\]: its name is missing|4:{"name": "a", "files": [1]}
1|workflow.tasks\[0\].files\[0\]: link is not "input" or "output"|4:{"name": "a", "files": [{"link": "inout", "name": "f", "sizeInBytes": 1}]}
1|workflow.tasks\[0\].files\[0\].sizeInBytes: missing|4:{"name": "a", "files": [{"link": "input", "name": "f"}]}
END
# A file is refused, and nothing is written: STATUS MESSAGE FILE [OPTION...]
fails() {
	status=$1 message=$2 file=$3
	shift 3
	exits "$status" "$hdpredict" convert "$file" -o none.bin --costs none.xml "$@" && grep -q -- "$message" err &&
		[ ! -e none.bin ] && [ ! -e none.xml ]
}
if [ "$wfformat" ]; then
	while IFS='|' read -r status message text; do
		document "$text" >wrong.json
		ok "WfFormat: $message" fails "$status" "$message" wrong.json
	done <wrong.txt
	deep() {
		python3 -c 'print("[" * 1000000)' >deep.json && fails 2 'not JSON: column .*depth' deep.json
	}
	ok "WfFormat: deep nesting is refused" deep
	large() {
		truncate -s 268435457 large.json && fails 2 'large.json: larger than 256 MiB' large.json && rm large.json
	}
	ok "a file of more than 256 MiB is refused" large
fi

# ---- DOT ---------------------------------------------------------------------

cat >simgrid.dot <<'END'
strict digraph G {
  // SimGrid's attributes
  node [size="1e9"]
  root [size="0"]; end [size = 0]
  a; b [size="2.5e9"]; <c d> [size=500000000]
  edge [size=1000]
  root -> a [size=0];
  subgraph cluster { edge [size=250] a -> { b <c d> } -> "e;f":in:n }
  "e;f" -> end [size=7.5]
  root -> end
}
END
chains() {
	echo 'digraph { a -> b -> c -> d [size=5]; {a b} -> {x y} [size=2]; a -> b [size=9]; a -> b }' >chains.dot
	same dot chains.dot && [ "$(grep -c '<dependency' g.xml)" -eq 9 ]
}
if [ "$dot" ]; then
	ok "DOT: nodes, defaults, subgraphs, chains and ports" same dot simgrid.dot
	ok "its graph and costs are as the schema says" valid
	ok "DOT: chains, sets and parallel edges" chains
	# On one PE: 0 + 1 + 2.5 + 0.5 + 1 + 0 s of 1e9 operations a second.
	dot_simulated() {
		"$hdpredict" convert simgrid.dot -o d.bin --costs d-costs.xml --speed 1e9 &&
			"$hdpredict" platform --nodes 1 --pes 1 -o one.xml &&
			"$hdpredict" simulate d.bin --platform one.xml --resources d-costs.xml --map eft --format=json >d.json &&
			python3 -c 'import json, sys; d = json.load(open("d.json")); sys.exit(d["makespan_s"] != 5 or d["tasks"] != 6)'
	}
	ok "the graph of DOT can be simulated" dot_simulated
	slower() {
		"$hdpredict" convert simgrid.dot --costs d-costs.xml --speed 5e8 >/dev/null && grep -q 'time="5".*val="2500000000"' d-costs.xml
	}
	ok "--speed is the number of operations per second" slower
	kernels() {
		echo 'digraph { node [size=1] a [kernel="x y"]; b [kernel=GEMM]; c; d; c -> d }' >kernels.dot &&
			"$hdpredict" convert --to=xml kernels.dot | sed -n 's/.*<kernel id="\([^"]*\)".*/\1/p' | tr '\n' ' ' >found &&
			printf 'x_y GEMM exec.0.1 exec.1.0 ' | cmp - found
	}
	ok "nodes name their kernels" kernels
	sizeless() {
		echo 'digraph { a -> b }' >sizeless.dot && "$hdpredict" convert sizeless.dot 2>said >/dev/null &&
			grep -q 'nodes without a size take no time: 2' said
	}
	ok "nodes without a size are said" sizeless
	nothing() {
		"$hdpredict" convert --to=xml empty.dot >g.xml && "$hdpredict" validate g.xml | grep -q ': 0 tasks, 0 dependencies'
	}
	ok "DOT: a graph without nodes" nothing
	cat >wrong.txt <<'END'
2|not DOT: no graph in the file|
2|not DOT: no graph in the file|// nothing
2|:2: error: syntax error in line 2|digraph {\na -> -> b }
2|error: syntax error|digraph { a -> b
2|error: syntax error|digraph { a [size=] }
2|error: syntax error|digraph { a } }
2|error: syntax error|nonsense
2|error: |digraph { "a
2|error: |digraph { <a
2|error: |digraph { /* a
2|not DOT: a zero byte at offset 11|digraph { a\000b }
1|the graph is undirected; expected "digraph"|graph { a -- b }
1|more than one graph in the file|digraph { a } digraph { b }
1|error: a: size "1k" is not a number of 0 or more|digraph { a [size="1k"] }
1|error: a: size "-1" is not a number of 0 or more|digraph { a [size=-1] }
1|error: a: size "nan" is not a number|digraph { a [size=nan] }
1|error: a: size "1e999" is not a number|digraph { a [size="1e999"] }
1|error: a: size "0x10" is not a number|digraph { a [size="0x10"] }
1|error: a -> b: size "1e17" is not a number up to 2^53|digraph { a -> b [size="1e17"] }
1|the name of the task is empty|digraph { "" }
1|characters that XML does not allow|digraph { "a\001" }
1|characters that XML does not allow|digraph { "a\0377" }
1|the tasks form a cycle: a -> a|digraph { a -> a }
1|the tasks form a cycle: |digraph { a -> b -> c -> a }
END
	while IFS='|' read -r status message text; do
		printf '%b' "$text" >wrong.dot
		ok "DOT: $message" fails "$status" "$message" wrong.dot
	done <wrong.txt
	slow() {
		echo 'digraph { a [size="1e308"] }' >slow.dot && fails 1 'a: its time exceeds the range of a double' slow.dot --speed 1e-10
	}
	ok "DOT: a time beyond a double is refused" slow
	deep_dot() {
		python3 -c 'print("digraph {" + "{" * 1000000)' >deep.dot && fails 2 'error: ' deep.dot
	}
	ok "DOT: deep nesting is refused" deep_dot
	# A size of 0 or less is an order without data, as in the examples of SimGrid.
	control() {
		echo 'digraph { a [size="5e9" category=x]; b [size="2e9"]; c [size=1]; a -> b [size="-1."]; b -> c [size=-1]; a -> c [size=0] }' >control.dot &&
			"$hdpredict" convert --to=xml control.dot -o g.xml --costs c.xml 2>said && [ "$(grep -c '<dependency' g.xml)" -eq 3 ] &&
			! grep '_bytes" val=' g.xml | grep -v '_bytes" val="0"' && grep -q 'performer, order, alpha and category of nodes are ignored: 1$' said
	}
	ok "DOT: edges of -1 bytes are orders, and ignored attributes are said" control
	ok "tasks without an energy are said" grep -q 'tasks without a known energy have 0 J in --costs: 3$' said
	sets() {
		python3 -c 'print("digraph {{" + " ".join(f"a{i}" for i in range(1100)) + "} -> {" + " ".join(f"b{i}" for i in range(1100)) + "}}")' >sets.dot &&
			fails 2 'more than 1048576 edges' sets.dot
	}
	ok "DOT: sets with too many edges are refused" sets
	# Weights of two tasks for METIS: SIZE COMMENT WEIGHT
	tiny() {
		echo "digraph { a [size=\"$1\"]; b [size=\"$1\"]; a -> b }" >tiny.dot && "$hdpredict" convert --to=metis --speed 1 tiny.dot >tiny.metis &&
			grep -q -- "$2" tiny.metis && grep -v '^%' tiny.metis | sed 1d | cut -d ' ' -f 1 | uniq -c | tr -s ' ' | grep -qx " 2 $3"
	}
	ok "METIS: tasks of 1e-310 s count as 1" tiny 1e-310 'weights of vertices: 1, since all are 0' 1
	ok "METIS: tasks of 1e-280 s are scaled" tiny 1e-280 'multiplied by 1e+288$' 100000000
	ok "METIS: tasks of 0 s count as 1" tiny 0 'weights of vertices: 1, since all are 0' 1
	empty_metis() {
		"$hdpredict" convert --to=metis empty.dot | grep -qx '0 0 011'
	}
	ok "METIS: a graph of DOT without nodes" empty_metis
	nested() {
		python3 -c 'print("digraph {" + "{" * 500 + "a -> b [size=3]" + "}" * 500 + "}")' >nested.dot &&
			"$hdpredict" convert --to=xml nested.dot -o g.xml 2>said && grep -q '<dependency' g.xml
	}
	ok "DOT: nested subgraphs" nested
fi

# ---- Random files ------------------------------------------------------------

graphs=${HDTRACE_TEST_GRAPHS:-60}
if [ "$wfformat$dot" = yesyes ]; then
	ok "$graphs random files become the same graphs" python3 "$here/imports.py" random "$hdpredict" "$scratch" "${HDTRACE_TEST_SEED:-0}" "$graphs"
fi

# ---- Options and outputs -----------------------------------------------------

"$hdpredict" generate cholesky --tiles 4 --tile-size 8 -o ch.xml
usage() {
	message=$1
	shift
	exits 2 "$hdpredict" convert "$@" && grep -q -- "$message" err && [ ! -s out ]
}
ok "an unknown format is refused" usage '--from: invalid value "x"; expected graph, wfformat or dot' --from x ch.xml
ok "an unknown form is refused" usage '--to: invalid value "x"; expected xml, binary or metis' --to x ch.xml
ok "costs of a graph are refused" usage '--costs: requires --from wfformat or dot' ch.xml --costs c.xml
ok "an architecture of a graph is refused" usage '--architecture: requires --from wfformat or dot' ch.xml --architecture a
ok "an empty architecture is refused" usage '--architecture: invalid value ""' empty.dot --architecture ''
ok "an architecture with a control character is refused" usage '--architecture: invalid value' empty.dot --costs c.xml --architecture "$(printf 'a\001b')"
ok "an architecture without costs is refused" usage '--architecture: requires --costs' empty.dot --architecture a
ok "the same file for both outputs is refused" usage '--costs: the same file as --output' empty.dot --costs same -o ./same
ok "costs to standard output are refused" usage '--costs: invalid value "-"' empty.dot --costs -
ok "a wrong form is refused before the costs are written" usage '--to: invalid value' empty.dot --to bad --costs left.xml
ok "and leaves nothing" [ ! -e left.xml ]
if [ "$dot" ]; then
	ok "a graph that cannot be written leaves no costs" usage 'none/x: cannot write' empty.dot -o none/x --costs left.xml
	ok "nor a file of them" [ ! -e left.xml ]
fi
ok "a speed of a graph is refused" usage '--speed: requires --from dot' ch.xml --speed 1
ok "a speed of 0 is refused" usage '--speed: invalid number' empty.dot --speed 0
ok "a negative speed is refused" usage '--speed: invalid number' empty.dot --speed=-1
ok "resources for XML are refused" usage '--resources: requires --to metis' ch.xml --resources thesis
ok "a missing file is reported" usage 'none.json: cannot open: No such file' none.json
ok "a directory is reported" usage 'convert: .: cannot read: Is a directory' --from dot .

# What is written replaces files, but neither pipes nor links.
outputs() {
	mkfifo pipe && { cat pipe >through & } && "$hdpredict" convert --to=xml montage.json -o w.xml --costs pipe 2>said && wait &&
		[ -p pipe ] && grep -q '</resource-model>' through && ln -s target link && : >target &&
		"$hdpredict" convert --to=xml montage.json -o link --costs costs-link 2>said && [ -L link ] && grep -q '</application>' target &&
		mkdir folder && exits 2 "$hdpredict" convert montage.json -o w.xml --costs folder && grep -q 'folder: cannot write' err &&
		exits 2 "$hdpredict" convert montage.json -o w.xml --costs none/c.xml && grep -q 'none/c.xml: cannot write' err
}
if [ "$wfformat" ]; then
	ok "pipes and links stay, and files are replaced" outputs
fi
done_testing
