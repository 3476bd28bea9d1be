# SPDX-License-Identifier: LGPL-2.1-or-later
# Pointers in comments that lead to no file, and guards of other names; see
# names.sh.
#
#     awk -v all=LIST -f pointers.awk SOURCES
#
# LIST has the path of every file of the tree. A pointer is the path of a file,
# or the end of one: "clock.h", "common/clock.h".
function check(text,    at, name) {
	while (match(text, /[A-Za-z0-9_.\/<%$*-]*[A-Za-z0-9_]\.(c|h|js|mjs|sh|awk|py|table|md)($|[^A-Za-z0-9_(\/])/)) {
		name = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH - 1)
		sub(/[^A-Za-z0-9_]$/, "", name)
		if (name ~ /[<%$*]/ || name ~ /^[.\/-]/ || name ~ /NAME/ || name in there)
			continue
		print FILENAME ":" FNR ": no file " name
	}
}

BEGIN {
	while ((getline path < all) > 0) {
		there[path] = 1
		while (sub(/^[^\/]*\//, "", path))
			there[path] = 1
	}
	# Of the system, and made.
	split("config.h errno.h mpif.h nvml.h spank.h time.h functions.h viewerpage.c", known, " ")
	for (i in known)
		there[known[i]] = 1
}

FNR == 1 {
	isComment = 0
	guard = FILENAME
	sub(/.*\//, "", guard)
	sub(/\.h$/, "", guard)
	guard = toupper(guard)
	gsub(/[^A-Z0-9]/, "", guard)
	isGuarded = FILENAME !~ /\.h$/
}

!isGuarded && /^#ifndef [A-Za-z_0-9]*_H$/ {
	isGuarded = 1
	found = $2
	gsub(/_/, "", found)
	# A command may have COMMAND in it, beside a library of the same name.
	if (found !~ guard "(COMMAND)?H$")
		print FILENAME ":" FNR ": guard " $2 " is not of this file"
}

{
	rest = $0
	comment = ""
	while (rest != "") {
		if (isComment) {
			end = index(rest, "*/")
			if (!end) {
				comment = comment " " rest
				break
			}
			comment = comment " " substr(rest, 1, end - 1)
			rest = substr(rest, end + 2)
			isComment = 0
		} else if (match(rest, /"([^"\\]|\\.)*"|\/\*|\/\//)) {
			token = substr(rest, RSTART, RLENGTH)
			rest = substr(rest, RSTART + RLENGTH)
			if (token == "//") {
				comment = comment " " rest
				break
			}
			isComment = token == "/*"
		} else {
			break
		}
	}
	if (comment != "")
		check(comment)
}
