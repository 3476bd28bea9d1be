# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes a header of the functions of MPI and of their roles; the tables are in
# common/mpi:
#
#     awk -f functions.awk functions.table roles.table
#
# It is a list of MPI_POINT2POINT(name, isSending, isReceiving) and of
# MPI_COLLECTIVE(name, NAME, ROLE, isAlike), which its includer defines, and of
# MPI_FUNCTION(name) of all and MPI_PREFIX(name) of those where a rank gets what
# those below it give, for those that do. MPI_BYTES(name, RULE) of collective calls
# in all their forms, and MPI_MOVES(name, WAY) of one-sided calls and file accesses,
# are for those that define them, and so is MPI_MEETS(name, PATTERN) of calls of all
# ranks of a window or file; the others get nothing else. MPI_REPLAY(name, KIND)
# and MPI_OPERATION(name, OPERATION, FORM) of collective calls in all their forms
# (PLAIN, BEGUN, LATER) are for time-independent traces.

function has(role) {
	return ("," $2 ",") ~ ("," role ",")
}

BEGIN {
	print "/* Made from functions.table and roles.table by functions.awk. */"
}

/^(env|p2p|wait|coll|rma|io|comm|group|type)4?\+? [A-Z]/ {
	name = $2
	sub(/\(.*/, "", name)
	all = all sprintf("MPI_FUNCTION(\"%s\")\n", name)
}

# Those that have a form for large counts, which does the same.
/^[a-z0-9]+\+ / {
	isLarge[name] = 1
	all = all sprintf("MPI_FUNCTION(\"%s_c\")\n", name)
	next
}

END {
	printf "#ifdef MPI_FUNCTION\n%s#endif\n", all
	printf "#ifdef MPI_PREFIX\n%s#endif\n", prefixes
	printf "#ifdef MPI_BYTES\n%s#endif\n", bytes
	printf "#ifdef MPI_MOVES\n%s#endif\n", moves
	printf "#ifdef MPI_REPLAY\n%s#endif\n", replays
	printf "#ifdef MPI_OPERATION\n%s#endif\n", operations
	printf "#ifdef MPI_MEETS\n%s#endif\n", meets
}

function forms(name) {
	return isLarge[name] ? 2 : 1
}

# A function in its forms for large counts.
function addBytes(name, rule) {
	bytes = bytes sprintf("MPI_BYTES(\"%s\", %s)\n", name, rule) \
		sprintf("MPI_BYTES(\"%s_c\", %s)\n", name, rule)
}

# The same of a form of an operation.
function addForm(name, operation, form) {
	operations = operations sprintf("MPI_OPERATION(\"%s\", %s, %s)\n", \
		name, operation, form) sprintf("MPI_OPERATION(\"%s_c\", %s, %s)\n", \
		name, operation, form)
}

$1 == "=" && $2 ~ /^bytes:/ {
	rule = toupper(substr($2, 7))
	for (i = 3; i <= NF; i++) {
		addBytes($i, rule)
		addBytes("I" tolower(substr($i, 1, 1)) substr($i, 2), rule)
		addBytes($i "_init", rule)
		addForm($i, toupper($i), "PLAIN")
		addForm("I" tolower(substr($i, 1, 1)) substr($i, 2), toupper($i), "BEGUN")
		addForm($i "_init", toupper($i), "LATER")
	}
	next
}

$1 == "=" && $2 ~ /^moves:/ {
	for (i = 3; i <= NF; i++)
		for (k = 0; k < forms($i); k++)
			moves = moves sprintf("MPI_MOVES(\"%s%s\", %s)\n", $i,
				k ? "_c" : "", toupper(substr($2, 7)))
	next
}

$1 == "=" && $2 ~ /^replay:/ {
	for (i = 3; i <= NF; i++)
		for (k = 0; k < forms($i); k++)
			replays = replays sprintf("MPI_REPLAY(\"%s%s\", %s)\n", $i,
				k ? "_c" : "", toupper(substr($2, 8)))
	next
}

$1 == "=" && $2 ~ /^meets:/ {
	for (i = 3; i <= NF; i++)
		for (k = 0; k < forms($i); k++)
			meets = meets sprintf("MPI_MEETS(\"%s%s\", %s)\n", $i,
				k ? "_c" : "", toupper(substr($2, 7)))
	next
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
	for (i = 3; i <= NF && has("prefix"); i++)
		for (k = 0; k < forms($i); k++)
			prefixes = prefixes sprintf("MPI_PREFIX(\"%s%s\")\n",
				$i, k ? "_c" : "")
	for (i = 3; i <= NF; i++)
		for (k = 0; k < forms($i); k++)
			printf "MPI_COLLECTIVE(\"%s%s\", %s, %s, %d)\n", $i,
				k ? "_c" : "", toupper($i), role, has("alike")
}
