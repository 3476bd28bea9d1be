# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes what the table of functions (functions.table) says.
#
#     awk -f generate.awk -v what=WHAT functions.table
#
# Of a function that has a form for large counts both are made. WHAT "large" is
# a list of these, for tests: a macro that makes NAME_c of each NAME.
#
# WHAT is "list": the enum of functions, and their names and classes; "c": the
# wrappers for C; "fortran": those for mpif.h and "use mpi"; "f08-openmpi" and
# "f08-mpich": those for mpi_f08. Every wrapper is like this:
#
#     int MPI_Send(const void *buf, int count, ...)
#     {
#             struct hdmpiCall call;
#             int ret;
#
#             if (!hdmpiBegin(&call, HDMPI_Send))
#                     return HDMPI_NEXT(Send)(buf, count, ...);
#             ret = HDMPI_NEXT(Send)(buf, count, ...);
#             hdmpiStop(&call);
#             if (ret == MPI_SUCCESS) {
#                     hdmpiNoteData(&call, count, datatype);
#                     ...
#             }
#             hdmpiEnd(&call);
#             return ret;
#     }
#
# HDMPI_NEXT is PMPI_Send, or that of another tool which wraps it, too; see
# src/wrap/next.h. Persistent collectives of MPI 4.0 have wrappers for libraries of
# MPI 3, too, which have them as an extension: MPIX_Bcast_init is recorded as
# Bcast_init. Those for Fortran get pointers, pass them on, and convert what
# is recorded. They have no names of MPI themselves: an entry that does decides
# where a call goes; see src/wrap/forward.h.
#
# The wrappers are made from common/mpi/functions.table by an awk script;
# tests/mpi/coverage.sh compares it with every mpi.h. Fortran has wrappers of
# its own, since MPI libraries implement Fortran's procedures upon PMPI_*:
# they call the library's pmpi_*_ with the arguments as they are, and convert
# only what is recorded. mpi_f08 is a third layer (mpi_*_f08_ upon
# pmpi_*_f08_, with MPICH upon pmpir_*_f08_); only MPICH's procedures that
# have a buffer call the functions of C. hdmpiSkip keeps a call from being
# recorded twice where one layer calls another one.

function fail(text) {
	print FILENAME ":" FNR ": " text >"/dev/stderr"
	failed = 1
	exit 1
}

function trim(text) {
	sub(/^[ \t]+/, "", text)
	sub(/[ \t]+$/, "", text)
	return text
}

# Whether a text names a parameter.
function mentions(text, name) {
	return (" " text " ") ~ ("[^A-Za-z0-9_]" name "[^A-Za-z0-9_]")
}

# Split the parameters of the function at hand: type[i], name[i], extent[i].
function parse(parameters,    i, n, part) {
	count = 0
	if (parameters == "void")
		return
	n = split(parameters, part, /, */)
	for (i = 1; i <= n; i++) {
		part[i] = trim(part[i])
		count++
		extent[i] = ""
		suffix[i] = ""
		if (match(part[i], /\[.*\]$/)) {
			suffix[i] = substr(part[i], RSTART)
			part[i] = substr(part[i], 1, RSTART - 1)
			extent[i] = suffix[i]
			gsub(/[][]/, "", extent[i])
			if (suffix[i] != "[][3]")
				suffix[i] = "[]"
			else
				extent[i] = ""
		}
		match(part[i], /[A-Za-z0-9_]+$/)
		name[i] = substr(part[i], RSTART)
		type[i] = trim(substr(part[i], 1, RSTART - 1))
	}
}

# Whether a number of elements or bytes, which MPI_Count is for in the form for
# large counts.
function isCount(i) {
	if (name[i] ~ /^(disp_unit|ndims|rank|order|target_rank|root|tag)$/)
		return 0
	if (function_ == "Type_create_darray")
		return name[i] == "array_of_gsizes"
	if (type[i] ~ /MPI_Aint/)
		return name[i] ~ /^(stride|lb|extent|insize|outsize|position)$/ \
			|| name[i] == "array_of_displacements"
	if (type[i] !~ /^(const )?int( \*)?$/)
		return 0
	return name[i] ~ /count|size|blocklength|stride|position|starts/ ||
		name[i] ~ /array_of_(displacements|block_lengths)/
}

# Make the parameters of the function at hand those of its form for large counts.
function enlarge(    i) {
	for (i = 1; i <= count; i++)
		if (isCount(i))
			sub(/int|MPI_Aint/, "MPI_Count", type[i])
		else if (name[i] == "disp_unit" ||
			 name[i] ~ /displs$/ && type[i] == "const int")
			sub(/int/, "MPI_Aint", type[i])
	function_ = function_ "_c"
}

# Collect what is recorded of the function at hand, by phase.
function parseNotes(text,    i, depth, c, note) {
	before = after = recorded = polled = ""
	note = ""
	depth = 0
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (depth == 0 && c ~ /[ \t]/)
			continue
		note = note c
		if (c == "(")
			depth++
		if (c == ")" && --depth == 0) {
			addNote(note)
			note = ""
		}
	}
	if (note != "")
		fail("not a list of notes: " text)
}

function addNote(note,    phase, verb, arguments) {
	phase = substr(note, 1, 1)
	if (phase ~ /[<>?]/)
		note = substr(note, 2)
	verb = substr(note, 1, index(note, "(") - 1)
	arguments = substr(note, index(note, "(") + 1)
	note = "hdmpiNote" toupper(substr(verb, 1, 1)) substr(verb, 2) \
		"(&call" (arguments == ")" ? ")" : ", " arguments) ";"
	if (phase == "?")
		polled = polled note
	else if (phase == "<")
		before = before "\t\t" note "\n"
	else if (phase == ">")
		after = after "\t\t" note "\n"
	else
		recorded = recorded "\t\t" note "\n"
}

# ---- Kinds of parameters ---------------------------------------------------

function isHandle(t) {
	return t ~ /^(const )?MPI_(Comm|Datatype|Request|File|Win|Message|Group|Op|Info|Session)$/
}

function handleOf(t) {
	sub(/^const /, "", t)
	sub(/ *\*$/, "", t)
	return t
}

# The name of a type's conversions.
function f2c(t) {
	t = handleOf(t)
	return "P" (t == "MPI_Datatype" ? "MPI_Type" : t) "_f2c"
}

# Statuses of which something is recorded.
function isStatus(i) {
	return type[i] ~ /^MPI_Status( \*)?$/ &&
		mentions(before after recorded polled, name[i])
}

# A handle that what is called before may replace.
function isChanged(i) {
	return isHandle(type[i]) && extent[i] == "" && suffix[i] == "" &&
		before ~ ("&" name[i] "[^A-Za-z0-9_]")
}

function isText(i) {
	return type[i] ~ /^(const )?char( \*|$)/
}

# Number of elements of an array.
function length_(i,    comm) {
	comm = substr(extent[i], 2)
	if (extent[i] ~ /^\*/)
		return "hdmpiPeers(" comm ")"
	if (extent[i] ~ /^>/)
		return "hdmpiTargets(" comm ")"
	if (extent[i] ~ /^</)
		return "hdmpiSources(" comm ")"
	return extent[i]
}

# Whether the call is looked at before recording begins and after it has ended, too.
function isAlways() {
	return class == "env" || after ~ /hdmpiNote(MadeFromGroup|OfSession)\(/
}

# Whether libraries of MPI 3 may have the function at hand as an extension.
function hasExtension() {
	return isNew && class == "coll" && function_ ~ /_init$/
}

# ---- C -----------------------------------------------------------------------

function prototype(    i, text) {
	for (i = 1; i <= count; i++)
		text = text (i > 1 ? ", " : "") type[i] \
			(type[i] ~ /\*$/ ? "" : " ") name[i] suffix[i]
	return count ? text : "void"
}

function arguments(    i, text) {
	for (i = 1; i <= count; i++)
		text = text (i > 1 ? ", " : "") name[i]
	return text
}

# PREFIX is that of the function's name: MPI, or MPIX of an extension.
function emitC(prefix,    i, status, tracks, through) {
	tracks = before != "" || after != ""
	through = prefix == "MPI" ? "HDMPI_NEXT" : "HDMPI_NEXT_EXTENSION"
	printf "int %s_%s(%s)\n{\n\tstruct hdmpiCall call;\n", prefix, function_,
		prototype()
	for (i = 1; i <= count; i++)
		if (isStatus(i) && !extent[i])
			print "\tMPI_Status ownStatus;"
		else if (isStatus(i))
			print "\tMPI_Status *ownStatuses = NULL;"
	print "\tint ret;\n"
	if (isAlways())
		printf "\thdmpiBegin(&call, HDMPI_%s);\n", function_
	else
		printf "\tif (!hdmpiBegin(&call, HDMPI_%s)%s)\n" \
			"\t\treturn %s(%s)(%s);\n", function_,
			tracks ? " && !call.self" : "", through, function_, arguments()
	if (after ~ /hdmpiNoteDone(One|Some)\(/)
		print "\tcall.base = 0;"
	for (i = 1; i <= count; i++) {
		if (isStatus(i) && !extent[i])
			printf "\tif (%s == MPI_STATUS_IGNORE)\n\t\t%s = " \
				"&ownStatus;\n", name[i], name[i]
		else if (isStatus(i))
			printf "\tif (%s == MPI_STATUSES_IGNORE) {\n" \
				"\t\townStatuses = hdmpiStatuses(%s);\n" \
				"\t\tif (ownStatuses)\n\t\t\t%s = " \
				"ownStatuses;\n\t}\n", name[i], length_(i),
				name[i]
	}
	printf "%s", indented(before)
	printf "\tret = %s(%s)(%s);\n\thdmpiStop(&call);\n", through, function_,
		arguments()
	emitAfter("ret")
	for (i = 1; i <= count; i++)
		if (isStatus(i) && extent[i])
			print "\tfree(ownStatuses);"
	print "\treturn ret;\n}\n"
}

function indented(notes) {
	gsub(/\t\t/, "\t", notes)
	return notes
}

function emitAfter(ret) {
	# It ends what was begun before the call, whatever came of that.
	if (after ~ /hdmpiNote(Finalized|SessionClosed)/) {
		printf "%s", indented(after)
		return
	}
	if (polled != "")
		printf "\tif (%s == MPI_SUCCESS && call.isRecorded)\n" \
			"\t\t%s\n", ret, polled
	if (after != "" || recorded != "") {
		printf "\tif (%s == MPI_SUCCESS%s) {\n", ret,
			after == "" ? " && call.isRecorded" : ""
		if (after != "" && recorded != "") {
			printf "\t\tif (call.isRecorded) {\n"
			gsub(/\t\t/, "\t\t\t", recorded)
			printf "%s\t\t}\n", recorded
		} else {
			printf "%s", recorded
		}
		printf "%s\t}", after
		if (mentions(before, "hdmpiNoteHold"))
			printf " else {\n\t\thdmpiNoteFailed(&call);\n\t}"
		print ""
	}
	print "\thdmpiEnd(&call);"
}

# ---- Fortran -------------------------------------------------------------------

# Whether there is a buffer of any type. MPICH's procedures of mpi_f08 for these
# call the function of C, the others do not.
function hasBuffer(    i) {
	for (i = 1; i <= count; i++)
		if (type[i] ~ /void \*$/ &&
		    name[i] !~ /^(baseptr|buffer_addr|extra_state)$/)
			return 1
	return 0
}

# What a parameter is in Fortran: "" if there is none.
function fortranType(i) {
	if (type[i] == "int *" && name[i] == "argc" || type[i] == "char ***")
		return ""
	if (isText(i) || type[i] == "char **")
		return "char *"
	if (type[i] ~ /_function \*$/)
		return "void *"
	if (type[i] ~ /void \*$/)
		return "void *"
	if (type[i] ~ /MPI_Aint/)
		return "MPI_Aint *"
	if (type[i] ~ /MPI_Offset/)
		return "MPI_Offset *"
	if (type[i] ~ /MPI_Count/)
		return "MPI_Count *"
	return "MPI_Fint *"
}

function emitFortran(symbol, actual, isF08,    i, head, same, pass, types, lengths, all, real) {
	real = sprintf("HDMPI_ACTUAL(%d, %s)", entries, actual)
	# An array of handles is passed on as it is.
	if (before ~ /hdmpiNoteSpawnMultiple/)
		before = "\t\thdmpiNoteSpawnUnknown(&call, root, comm);\n"
	head = same = pass = types = lengths = ""
	for (i = 1; i <= count; i++) {
		if (fortranType(i) == "")
			continue
		head = head fortranType(i) "f_" name[i] ", "
		types = types fortranType(i) ", "
		same = same "f_" name[i] ", "
		pass = pass (isChanged(i) ? "&h_" : isStatus(i) ? "p_" : \
			     "f_") name[i] ", "
		if (fortranType(i) == "char *")
			lengths = lengths ", size_t l_" name[i]
	}
	all = before after recorded polled
	printf "void %s(%sMPI_Fint *ierror%s) HDMPI_REAL;\n", actual, types, lengths
	printf "static void wrapped_%s(%sMPI_Fint *ierror%s)\n{\n", symbol, head,
		lengths
	print "\tstruct hdmpiCall call;\n\tMPI_Fint ret = MPI_SUCCESS;"
	for (i = 1; i <= count; i++)
		declareFortran(i, all)
	print ""
	if (isAlways())
		printf "\thdmpiBegin(&call, HDMPI_%s);\n", function_
	else
		printf "\tif (!hdmpiBegin(&call, HDMPI_%s)%s) {\n" \
			"\t\t%s(%s&ret%s);\n\t\tgoto out;\n\t}\n", function_,
			before != "" || after != "" ? " && !call.self" : "",
			real, same, plain(lengths)
	print "\tcall.base = " (isF08 ? "HDMPI_F08_BASE;" : \
		"HDMPI_FORTRAN_BASE;")
	for (i = 1; i <= count; i++)
		prepareFortran(i, all)
	for (i = 1; i <= count; i++)
		prepareArray(i, all)
	printf "%s", indented(before)
	for (i = 1; i <= count; i++)
		if (isChanged(i))
			printf "\th_%s = P%s_c2f(%s);\n", name[i],
				handleOf(type[i]), name[i]
	printf "\thdmpiSkip = HDMPI_%s;\n\t%s(%s&ret%s);\n" \
		"\thdmpiSkip = HDMPI_FUNCTIONS;\n\thdmpiStop(&call);\n",
		function_, real, pass, plain(lengths)
	if (after recorded polled != "") {
		for (i = 1; i <= count; i++)
			finishFortran(i)
	}
	emitAfter("ret")
	for (i = 1; i <= count; i++)
		releaseFortran(i, all)
	if (!isAlways())
		print "out:"
	print "\tif (ierror)\n\t\t*ierror = ret;\n}"
	printf "HDMPI_ENTRY(%d, %s, (%sMPI_Fint *ierror%s), (%sierror%s))\n\n",
		entries, symbol, head, lengths, same, plain(lengths)
	table = table conditional(sprintf("\tHDMPI_ROW(%d, %s, %s),\n", \
		entries, symbol, actual), \
		symbol ~ /^mpix_/ ? extension : isNew ? "HDMPI_HAS_MPI4" : "")
	entries++
}

# MPI_Pcontrol, which has no state.
function emitPcontrol(suffix, prefix,    symbol, actual) {
	symbol = "mpi_pcontrol" suffix
	actual = prefix "_pcontrol" suffix
	printf "void %s(MPI_Fint *) __attribute__((__weak__));\n" \
		"static void wrapped_%s(MPI_Fint *level)\n{\n" \
		"\thdmpiControl((int)*level);\n" \
		"\tif (HDMPI_TABLE[%d].actual)\n" \
		"\t\tHDMPI_ACTUAL(%d, %s)(level);\n}\n" \
		"HDMPI_ENTRY(%d, %s, (MPI_Fint *level), (level))\n\n",
		actual, symbol, entries, entries, actual, entries, symbol
	table = table sprintf("\tHDMPI_ROW(%d, %s, %s),\n", entries, symbol,
		actual)
	entries++
}

# Lines that hold on a condition, or always.
function conditional(lines, condition) {
	return condition ? "#if " condition "\n" lines "#endif\n" : lines
}

# The names of hidden lengths, to be passed on.
function plain(lengths) {
	gsub(/size_t /, "", lengths)
	return lengths
}

function declareFortran(i, all) {
	if (isChanged(i))
		printf "\tMPI_Fint h_%s;\n", name[i]
	if (isStatus(i) && !extent[i]) {
		printf "\tMPI_Fint own_%s[HDMPI_F_STATUS_SIZE];\n", name[i]
		printf "\tMPI_Fint *p_%s = f_%s;\n", name[i], name[i]
		printf "\tMPI_Status c_%s, *%s = &c_%s;\n", name[i], name[i],
			name[i]
	} else if (isStatus(i)) {
		printf "\tMPI_Fint *own_%s = NULL, *p_%s = f_%s;\n", name[i],
			name[i], name[i]
		printf "\tMPI_Status *%s = NULL;\n", name[i]
	} else if (!mentions(all, name[i])) {
		return
	} else if (isText(i)) {
		printf "\tchar *%s = NULL;\n", name[i]
	} else if (extent[i] != "" && isHandle(type[i])) {
		printf "\t%s *%s = NULL;\n", handleOf(type[i]), name[i]
	} else if (type[i] ~ /\*$/ && isHandle(handleOf(type[i]))) {
		printf "\t%s c_%s, *%s = &c_%s;\n", handleOf(type[i]), name[i],
			name[i], name[i]
	} else if (isHandle(type[i])) {
		printf "\t%s %s;\n", type[i], name[i]
	} else if (type[i] == "int" && suffix[i] == "") {
		printf "\tint %s = (int)*f_%s;\n", name[i], name[i]
	} else if (type[i] == "int *") {
		printf "\tint c_%s = 0, *%s = &c_%s;\n", name[i], name[i],
			name[i]
	} else if (type[i] ~ /^MPI_(Aint|Offset|Count)$/ && suffix[i] == "") {
		printf "\t%s %s = *f_%s;\n", type[i], name[i], name[i]
	} else {
		printf "\t%s%s%s = f_%s;\n", type[i],
			type[i] ~ /\*$/ ? "" : " ",
			suffix[i] != "" ? "*" name[i] : name[i], name[i]
	}
}

function prepareFortran(i, all) {
	if (isStatus(i) && !extent[i]) {
		printf "\tif (hdmpiIgnoresStatus(f_%s))\n\t\tp_%s = own_%s;\n",
			name[i], name[i], name[i]
	} else if (isStatus(i)) {
		printf "\tif (hdmpiIgnoresStatuses(f_%s))\n" \
			"\t\town_%s = hdmpiFortranStatuses(%s, &p_%s);\n",
			name[i], name[i], length_(i), name[i]
	} else if (!mentions(all, name[i])) {
		return
	} else if (isText(i)) {
		printf "\t%s = hdmpiFortranText(f_%s, l_%s);\n", name[i],
			name[i], name[i]
	} else if (extent[i] != "") {
		return
	} else if (isHandle(type[i])) {
		printf "\t%s = %s(*f_%s);\n", name[i], f2c(type[i]), name[i]
	} else if (type[i] ~ /\*$/ && isHandle(handleOf(type[i])) &&
		   mentions(before, name[i])) {
		printf "\tc_%s = %s(*f_%s);\n", name[i], f2c(type[i]), name[i]
	} else if (type[i] == "int *" && mentions(before, name[i])) {
		printf "\tc_%s = (int)*f_%s;\n", name[i], name[i]
	}
}

# Arrays of handles, after the communicator that tells their length.
function prepareArray(i, all) {
	if (mentions(all, name[i]) && extent[i] != "" && isHandle(type[i]))
		printf "\t%s = hdmpi%ssF2c(f_%s, %s);\n", name[i],
			substr(handleOf(type[i]), 5), name[i], length_(i)
}

function finishFortran(i) {
	if (isStatus(i) && !extent[i])
		printf "\tif (ret == MPI_SUCCESS)\n" \
			"\t\tPMPI_Status_f2c(p_%s, &c_%s);\n", name[i],
			name[i]
	else if (isStatus(i))
		printf "\tif (ret == MPI_SUCCESS)\n" \
			"\t\t%s = hdmpiStatusesF2c(p_%s, %s);\n", name[i],
			name[i], length_(i)
	else if (!mentions(after recorded polled, name[i]))
		return
	else if (extent[i] == "" && type[i] ~ /\*$/ &&
		 isHandle(handleOf(type[i])))
		printf "\tc_%s = %s(*f_%s);\n", name[i], f2c(type[i]), name[i]
	else if (type[i] == "int *")
		printf "\tc_%s = (int)*f_%s;\n", name[i], name[i]
}

function releaseFortran(i, all) {
	if (isStatus(i) && extent[i])
		printf "\tfree(own_%s);\n\tfree(%s);\n", name[i], name[i]
	else if (mentions(all, name[i]) &&
		 (isText(i) || extent[i] != "" && isHandle(type[i])))
		printf "\tfree(%s);\n", name[i]
}

# ---- Reading the table ---------------------------------------------------------

function emit() {
	if (function_ == "")
		return
	next_ = next_ nextRow("HDMPI_NEXT_ROW", isNew ? "HDMPI_HAS_MPI4" : "")
	parse(parameters_)
	parseNotes(notes)
	if (isNew && what != "list" && what != "large")
		print "#if HDMPI_HAS_MPI4"
	if (what == "list")
		list()
	else if (what == "c")
		emitC("MPI")
	else if (what == "large" && isLarge)
		printf "#define MPI_%s MPI_%s_c\nLARGE(%s)\n", function_,
			function_, function_
	emitOthers("mpi", "pmpi")
	if (isNew && what != "list" && what != "large")
		print "#endif"
	if (hasExtension())
		emitExtension()
	if (isLarge && (what == "list" || what == "c")) {
		enlarge()
		if (what == "list") {
			list()
		} else {
			print "#if MPI_VERSION >= 4"
			emitC("MPI")
			print "#endif"
			next_ = next_ nextRow("HDMPI_NEXT_ROW", "MPI_VERSION >= 4")
		}
	}
	function_ = ""
}

function nextRow(macro, condition) {
	return conditional(sprintf("\t%s(%s),\n", macro, function_), condition)
}

# The same with the name that an extension has.
function emitExtension() {
	if (what != "c" && what != "fortran" && what != "f08-openmpi")
		return
	print "#if " extension
	if (what == "c")
		emitC("MPIX")
	emitOthers("mpix", "pmpix")
	print "#endif"
	next_ = next_ nextRow("HDMPI_NEXT_EXTENSION_ROW", extension)
}

function list() {
	enum = enum "\tHDMPI_" function_ ",\n"
	rows = rows "\tHDMPI_FUNCTION(" function_ ", " class ", " \
		(polled != "" ? "true" : "false") ")\n"
}

function emitOthers(prefix, actual) {
	if (what == "fortran") {
		emitFortran(tolower(prefix "_" function_ "_"),
			tolower(actual "_" function_ "_"), 0)
	} else if (what == "f08-openmpi") {
		emitFortran(tolower(prefix "_" function_ "_f08_"),
			tolower(actual "_" function_ "_f08_"), 1)
		# An overloaded one of "use mpi", too.
		if (function_ ~ /^Win_allocate/)
			emitFortran(tolower("mpi_" function_ "_cptr_"),
				tolower("pmpi_" function_ "_cptr_"), 1)
	} else if (what == "f08-mpich" && !hasBuffer()) {
		emitFortran(tolower("mpi_" function_ "_f08_"),
			tolower("pmpir_" function_ "_f08_"), 1)
	}
}

BEGIN {
	entries = 0
	extension = "!HDMPI_HAS_MPI4 && HDMPI_HAS_PERSISTENT"
	print "/* Made by generate.awk from functions.table. */"
}

/^#/ || /^[ \t]*$/ || /^[-=]/ { next }

/^[ \t]/ {
	if (function_ == "")
		fail("notes without a function")
	notes = notes " " $0
	next
}

{
	emit()
	if (!match($0, /^[a-z0-9]+\+? [A-Z][A-Za-z0-9_]*\(.*\)$/))
		fail("not CLASS NAME(PARAMETERS)")
	class = $1
	isLarge = sub(/\+$/, "", class)
	isNew = sub(/4$/, "", class)
	function_ = substr($2, 1, index($2, "(") - 1)
	parameters_ = substr($0, index($0, "(") + 1)
	sub(/\)$/, "", parameters_)
	notes = ""
}

END {
	if (failed)
		exit 1
	emit()
	if (what == "c")
		printf "struct hdmpiNext hdmpiNext[HDMPI_FUNCTIONS] = {\n%s};\n", next_
	if (what ~ /^f/) {
		emitPcontrol(what == "fortran" ? "_" : "_f08_",
			what == "f08-mpich" ? "pmpir" : "pmpi")
		printf "struct hdmpiForward HDMPI_TABLE[%d] = {\n%s};\n",
			entries, table
	}
	if (what == "list") {
		print "#ifndef HDMPI_FUNCTIONS_H\n#define HDMPI_FUNCTIONS_H\n"
		print "enum hdmpiFunction {\n" enum "\tHDMPI_FUNCTIONS\n};\n"
		gsub(/\)\n/, ") \\\n", rows)
		print "#define HDMPI_ALL_FUNCTIONS \\\n" rows "\n\n#endif"
	}
}
