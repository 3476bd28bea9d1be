# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes a header of the roles that MPI functions have in common/mpi.table:
#
#     awk -f functions.awk common/mpi.table
#
# It is a list of MPI_POINT2POINT(name, isSending, isReceiving) and of
# MPI_COLLECTIVE(name, NAME, ROLE, isAlike), which its includer defines.

function has(role) {
	return ("," $2 ",") ~ ("," role ",")
}

BEGIN {
	print "/* Made from common/mpi.table by functions.awk. */"
}

# Those that have a form for large counts, which does the same.
/^[a-z0-9]+\+ / {
	name = $2
	sub(/\(.*/, "", name)
	isLarge[name] = 1
	next
}

function forms(name) {
	return isLarge[name] ? 2 : 1
}

$1 == "=" && $2 ~ /^(point2point|sends|receives)/ {
	for (i = 3; i <= NF; i++)
		for (k = 0; k < forms($i); k++)
			printf "MPI_POINT2POINT(\"%s%s\", %d, %d)\n", $i,
				k ? "_c" : "", has("sends"), has("receives")
	next
}

$1 == "=" {
	role = toupper($2)
	sub(/,.*/, "", role)
	for (i = 3; i <= NF; i++)
		for (k = 0; k < forms($i); k++)
			printf "MPI_COLLECTIVE(\"%s%s\", %s, %s, %d)\n", $i,
				k ? "_c" : "", toupper($i), role, has("alike")
}
