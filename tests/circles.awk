# SPDX-License-Identifier: LGPL-2.1-or-later
# Finds circles of units that include each other; see layering.sh. A unit is a source
# and the header of its name in the same folder.
#
#     awk -v most=NUMBER -f circles.awk FILES INCLUDES
#
# FILES and INCLUDES are as in layering.awk. Prints circles of more units than that, a
# line each (Tarjan, Depth-first search and linear graph algorithms, 1972).
function visit(unit,    i, n, list, next_, members, size) {
	order[unit] = low[unit] = ++count
	stack[++top] = unit
	isOn[unit] = 1
	n = split(uses[unit], list, " ")
	for (i = 1; i <= n; i++) {
		next_ = list[i]
		if (!(next_ in order)) {
			visit(next_)
			if (low[next_] < low[unit])
				low[unit] = low[next_]
		} else if (isOn[next_] && order[next_] < low[unit]) {
			low[unit] = order[next_]
		}
	}
	if (low[unit] != order[unit])
		return
	do {
		next_ = stack[top--]
		isOn[next_] = 0
		members = members " " next_
		size++
	} while (next_ != unit)
	if (size > most)
		print "circle of " size " units:" members
}

FILENAME == ARGV[1] {
	exists[$0] = 1
}

FILENAME == ARGV[2] {
	split($0, part, ":")
	from = part[1]
	if (!match($0, /"[^"]*"/))
		next
	to = substr($0, RSTART + 1, RLENGTH - 2)
	if (!(to in exists))
		next
	sub(/\.[ch]$/, "", from)
	sub(/\.[ch]$/, "", to)
	if (from != to && !((from, to) in seen)) {
		seen[from, to] = 1
		uses[from] = uses[from] " " to
	}
}

END {
	for (unit in uses) {
		all[++units] = unit
	}
	for (i = 1; i <= units; i++) {
		if (!(all[i] in order))
			visit(all[i])
	}
}
