# SPDX-License-Identifier: LGPL-2.1-or-later
# Judges #includes by the list of rooms; see layering.sh and rooms.list.
#
#     awk -f layering.awk rooms.list FILES INCLUDES
#
# FILES has the path of every C file, INCLUDES lines "FILE:NUMBER:#include ...".
# Prints what is wrong, a line each.
function dirname(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}

function basename(path) {
	sub(/.*\//, "", path)
	return path
}

# The room of a file: the header itself, or its folder.
function roomOf(path) {
	return path in line ? path : dirname(path)
}

function isAllowed(component, target,    i, n, list) {
	n = split(allowed[component], list, " ")
	for (i = 1; i <= n; i++) {
		if (target == list[i] || index(target, list[i] "/") == 1)
			return 1
	}
	return 0
}

function judge(where, from, target,    a, b) {
	a = roomOf(from)
	b = roomOf(target)
	if (a == b || dirname(from) == dirname(target) && b == dirname(target))
		return
	if (component[a] == component[b] && line[b] < line[a])
		return
	if (component[a] != component[b] && isAllowed(component[a], target))
		return
	print where ": " a " may not include " target
}

FILENAME == ARGV[1] && /^component / {
	split($0, part, ": *")
	current = substr(part[1], 11)
	sub(/:$/, "", current)
	allowed[current] = part[2]
}

FILENAME == ARGV[1] && /^room / {
	for (i = 2; i <= NF; i++) {
		component[$i] = current
		line[$i] = FNR
	}
}

FILENAME == ARGV[2] {
	exists[$0] = 1
	if (!(roomOf($0) in line))
		print $0 ": its folder has no room in rooms.list"
	if ($0 ~ /\/include\/(lower\/)?[^\/]*\.h$/)
		public[basename($0)] = $0
	else if ($0 ~ /\.h$/)
		unused[$0] = 1
}

FILENAME == ARGV[3] {
	split($0, part, ":")
	where = part[1] ":" part[2]
	from = part[1]
	isOurs = match($0, /"[^"]*"/)
	if (!isOurs && !match($0, /<[^>]*>/))
		next
	name = substr($0, RSTART + 1, RLENGTH - 2)
	if (isOurs && name == "config.h")
		next
	if (!isOurs) {
		if (name in public)
			judge(where, from, public[name])
	} else if (name !~ /\//) {
		print where ": \"" name "\" is not qualified"
	} else if (name in exists) {
		delete unused[name]
		if (basename(name) in public && public[basename(name)] == name)
			print where ": " name " is public: <" basename(name) ">"
		else
			judge(where, from, name)
	} else if (!(name in generated)) {
		print where ": there is no " name
	}
}

BEGIN {
	# Made by the build.
	generated["HDTraceTools/model/mpi/functions.h"] = 1
	generated["HDTraceTools/command/revision.h"] = 1
	generated["HDTraceTools/plot/statecolours.h"] = 1
	generated["MPITracingLibrary/functions.h"] = 1
	generated["NodeStatus/local/rulestext.h"] = 1
	generated["MPITracingLibrary/wrappers-c.h"] = 1
	generated["MPITracingLibrary/wrappers-fortran.h"] = 1
	generated["MPITracingLibrary/wrappers-f08-openmpi.h"] = 1
	generated["MPITracingLibrary/wrappers-f08-mpich.h"] = 1
}

END {
	for (name in unused)
		print name ": nobody includes it"
}
