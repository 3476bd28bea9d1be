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

$1 == "=" && $2 ~ /^(point2point|sends|receives)/ {
	for (i = 3; i <= NF; i++)
		printf "MPI_POINT2POINT(\"%s\", %d, %d)\n", $i, has("sends"),
			has("receives")
	next
}

$1 == "=" {
	role = toupper($2)
	sub(/,.*/, "", role)
	for (i = 3; i <= NF; i++)
		printf "MPI_COLLECTIVE(\"%s\", %s, %s, %d)\n", $i, toupper($i),
			role, has("alike")
}
