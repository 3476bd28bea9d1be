# shellcheck shell=sh
# How wrong the times of a project of clocks.c are. Source it after mpi.sh, and
# set $project.
# shellcheck disable=SC2154 # hdtrace, project, scratch
# SPDX-License-Identifier: LGPL-2.1-or-later

# Print how early, in ns, an event of a node is at the least and how late it may
# be at the most: NODE. It was between the time that is its name and the
# name of the next event.
errors() {
	"$hdtrace" dump --format=csv --only=traces -n "$1" "$project" |
		awk -F, -v first=0 '
		# Exact to the nanosecond, against the first time.
		function ns(text, part) {
			split(text, part, ".")
			if (!first) first = part[1]
			return (part[1] - first) * 1e9 + part[2]
		}
		$1 == "event" {
			if (seen) print before - stamp, stamp - ns($9)
			before = ns($9); stamp = ns($6); seen = 1
		}'
}

# The error that the project states for a host, in ns: HOST.
stated() {
	"$hdtrace" info --format=json "$project" |
		sed -n "s/.*\"node\": \"$1\".*\"offset_error_s\": \([0-9.]*\) .*/\1/p" |
		awk '{ print $1 * 1e9 }'
}

# All events of a host are right but for the error that is stated: HOST [NODE]
within() {
	error=$(stated "$1")
	errors "${2:-$1}" >"$scratch/errors"
	echo "$1: stated error $error ns, $(wc -l <"$scratch/errors") events"
	awk -v error="$error" '
		error == "" || NF != 2 || $1 > error + 10 || $2 > error + 10 {
			print "early by", $1, "late by", $2; bad = 1
		}
		END { exit bad || NR < 20 }' "$scratch/errors"
}
