# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes a tool from mpi.h, as the preprocessor leaves it, that counts the calls of all
# functions of MPI and their time, by wrapping PMPI_*: each as a line
# "RANK NAME CALLS SECONDS BYTES" in the file that COUNT_FILE names, with the rank behind
# it. BYTES are those of functions that take a buffer, a number and a type first.
#
#     cc -E mpi.h | awk [-v of=MPI_] -f count.awk >count.c
#
# With of=MPI_ it wraps what a program calls, and not what MPI_* calls.
#
# Each prototype has its own line; functions with any number of arguments are left
# out.

BEGIN {
	RS = ";"
	if (of == "")
		of = "PMPI_"
	before = substr(of, 1, length(of) - 4)
	print "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <mpi.h>"
	print "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>"
	print "static double countNow(void)\n{\n\tstruct timespec t;\n"
	print "\tclock_gettime(CLOCK_MONOTONIC, &t);"
	print "\treturn (double)t.tv_sec + (double)t.tv_nsec * 1e-9;\n}"
	print "static void countWrite(void);\nstatic int countRank = -1;"
}

{
	gsub(/[ \t\n]+/, " ")
	gsub(/"[^"]*"/, "")
	while (match($0, /__attribute__ *\(/))
		$0 = substr($0, 1, RSTART - 1) behind(substr($0, RSTART + RLENGTH))
}

# What is behind the bracket that closes the one before a text.
function behind(text,    i, c, depth) {
	depth = 1
	for (i = 1; i <= length(text) && depth > 0; i++) {
		c = substr(text, i, 1)
		depth += (c == "(") - (c == ")")
	}
	return substr(text, i)
}

match($0, /(^| )int PMPI_[A-Z][A-Za-z0-9_]*\(/) {
	text = substr($0, RSTART)
	sub(/^ /, "", text)
	sub(/ *$/, "", text)
	name = text
	sub(/^int P/, "", name)
	parameters = name
	sub(/\(.*/, "", name)
	sub(/^[^(]*\(/, "", parameters)
	sub(/\)$/, "", parameters)
	# Wtime and such ask; of others the arguments are not known.
	if (parameters ~ /\.\.\./ || name ~ /^MPI_T_/ || name in seen ||
	    name !~ /^MPI_[A-Z][a-z]/)
		next
	seen[name] = 1
	names[++count] = name
	emit(name, parameters)
}

# A wrapper of a function; parameters without names get some.
function emit(name, parameters,    n, i, part, head, pass, depth, c, piece) {
	n = 0
	depth = 0
	piece = ""
	for (i = 1; i <= length(parameters); i++) {
		c = substr(parameters, i, 1)
		depth += (c == "(") - (c == ")")
		if (c == "," && depth == 0) {
			part[++n] = piece
			piece = ""
		} else {
			piece = piece c
		}
	}
	part[++n] = piece
	head = pass = ""
	for (i = 1; i <= n && parameters !~ /^ *void *$/; i++) {
		if (part[i] ~ /\* *$/ || part[i] ~ /^ *(const )?[A-Za-z_]+ *$/)
			part[i] = part[i] " p" i
		head = head (i > 1 ? ", " : "") part[i]
		piece = part[i]
		gsub(/\[[^]]*\]/, "", piece)
		sub(/ *$/, "", piece)
		match(piece, /[A-Za-z0-9_]+$/)
		pass = pass (i > 1 ? ", " : "") substr(piece, RSTART)
	}
	printf "static long calls_%s;\nstatic double time_%s, bytes_%s;\n", name,
		name, name
	printf "int %s%s(%s)\n{\n\tstatic __typeof__(&P%s) next;\n" \
		"\tdouble begin;\n\tint ret;\n\n", before, name,
		head == "" ? "void" : head, name
	printf "\tif (!next)\n\t\t*(void **)&next = dlsym(RTLD_NEXT, " \
		"\"%s%s\");\n\tbegin = countNow();\n\tret = next(%s);\n" \
		"\ttime_%s += countNow() - begin;\n\tcalls_%s++;\n", before,
		name, pass, name, name
	# Of other functions only numbers of the type int come second.
	if (n >= 3 && part[1] ~ /^ *(const )?void *\*/ && part[2] ~ /^ *int / &&
	    part[3] ~ /MPI_Datatype/) {
		split(pass, argument, /, /)
		printf "\t{\n\t\tint size = 0;\n\n\t\tif (%s != " \
			"MPI_DATATYPE_NULL)\n\t\t\tPMPI_Type_size(%s, &size);" \
			"\n\t\tbytes_%s += (double)size * %s;\n\t}\n",
			argument[3], argument[3], name, argument[2]
	}
	if (name == "MPI_Finalize")
		print "\tcountWrite();"
	if (name ~ /^MPI_Init(_thread)?$/)
		print "\tPMPI_Comm_rank(MPI_COMM_WORLD, &countRank);"
	print "\treturn ret;\n}\n"
}

END {
	print "static void countWrite(void)\n{\n\tchar path[4096];\n\tFILE *file;\n"
	print "\tsnprintf(path, sizeof(path), \"%s.%d\", getenv(\"COUNT_FILE\"), countRank);"
	print "\tfile = fopen(path, \"w\");"
	for (i = 1; i <= count; i++)
		printf "\tif (calls_%s)\n\t\tfprintf(file, \"%%d %s %%ld %%.9f %%.0f\\n\", " \
			"countRank, calls_%s, time_%s, bytes_%s);\n", names[i],
			substr(names[i], 5), names[i], names[i], names[i]
	print "\tfclose(file);\n}"
}
