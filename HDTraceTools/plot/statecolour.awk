# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes a header of statecolour.table:
#
#     awk -f statecolour.awk statecolour.table
#
# It is a list of STATE_NAME(name, colour) and of STATE_OTHER(colour), which its
# includer defines; a colour is 0xRRGGBB.

BEGIN {
	print "/* Made from statecolour.table by statecolour.awk. */"
	print "#ifdef STATE_NAME"
}

$1 == "name" {
	printf "STATE_NAME(\"%s\", 0x%s)\n", $3, substr($2, 2)
}

$1 == "other" {
	others = others sprintf("STATE_OTHER(0x%s)\n", substr($2, 2))
}

END {
	printf "#endif\n#ifdef STATE_OTHER\n%s#endif\n", others
}
