# Make the completion of a command for a shell of what its --dump-options prints
# (cli/commandline.c): awk -v shell=bash -f completion.awk, or -v shell=zsh.
# SPDX-License-Identifier: LGPL-2.1-or-later
BEGIN { FS = "\t" }

# Of "hdtrace stat" the subcommand is "stat", of "hdtrace" "".
$1 == "command" {
	if (program == "")
		program = $2
	name = substr($2, length(program) + 2)
	names[++count] = name
	runs[name] = $3 == "prefix"
	arguments[name] = $4
	function_name = program
	gsub(/[^a-zA-Z0-9]/, "_", function_name)
}

$1 == "subcommand" {
	subcommands = subcommands (subcommands == "" ? "" : " ") $2
	subs[++sub_count] = $2
	sub_text[sub_count] = $3
}

$1 == "option" {
	n = ++option_count[name]
	long[name, n] = $2
	letter[name, n] = $3 == "-" ? "" : $3
	kind[name, n] = $4
	argument[name, n] = $5
	words[name, n] = $6
	text[name, n] = $7
}

END {
	if (program == "")
		exit 1
	if (shell == "bash")
		bash()
	else
		zsh()
}

# What follows the options: a command with its own, projects, files, nothing.
function rest(name) {
	if (name == "" && sub_count)
		return "subcommand"
	if (name == "help")
		return "words " subcommands
	if (runs[name])
		return "run"
	if (arguments[name] ~ /PROJECT/)
		return "project"
	return arguments[name] == "" ? "none" : "file"
}

# ---- bash --------------------------------------------------------------------

function bash(    i, j, name, options, line) {
	line = "_" function_name
	print "# Completion of " program " for bash; made of its options."
	print "# SPDX-License-Identifier: LGPL-2.1-or-later"
	print "# shellcheck shell=bash disable=SC2034 # for the function below"
	print ""
	print "# What a subcommand has, or all."
	print line "_has() {"
	print "\tcase $1 in"
	for (i = 1; i <= count; i++) {
		name = names[i]
		options = ""
		for (j = 1; j <= option_count[name]; j++)
			options = options " --" long[name, j]
		print "\t'" name "')"
		print "\t\toptions='" substr(options, 2) "'"
		print "\t\trest='" rest(name) "' ;;"
	}
	print "\t*) return 1 ;;"
	print "\tesac"
	print "}"
	print ""
	print "# What an option takes: nothing, or a kind and words."
	print line "_takes() {"
	print "\ttakes="
	print "\tcase $1:$2 in"
	for (i = 1; i <= count; i++) {
		name = names[i]
		for (j = 1; j <= option_count[name]; j++) {
			if (kind[name, j] == "none")
				continue
			print "\t" (letter[name, j] == "" ? "" : \
				name ":-" letter[name, j] " | ") \
				name ":--" long[name, j] ") takes='" \
				kind[name, j] \
				(words[name, j] == "" ? "" : " ") \
				words[name, j] "' ;;"
		}
	}
	print "\tesac"
	print "}"
	print ""
	while ((getline i < engine) > 0) {
		gsub(/@program@/, program, i)
		gsub(/@function@/, line, i)
		gsub(/@subcommands@/, subcommands, i)
		print i
	}
}

# ---- zsh ---------------------------------------------------------------------

function quoted(text) {
	gsub(/'/, "'\\''", text)
	return text
}

# Between brackets; and a message, which a colon ends.
function described(text) {
	gsub(/[\]\[\\]/, "\\\\&", text)
	return quoted(text)
}

function message(text) {
	gsub(/:/, "\\:", text)
	return quoted(text)
}

function action(name, j,    what) {
	what = kind[name, j]
	if (what == "words")
		return "(" words[name, j] ")"
	if (what == "list")
		return "_sequence compadd - " words[name, j]
	if (what == "file")
		return "_files"
	if (what == "directory")
		return "_files -/"
	if (what == "pid")
		return "_pids"
	return " "
}

# The options of _arguments.
function specs(name, indent,    j, names, takes) {
	for (j = 1; j <= option_count[name]; j++) {
		takes = kind[name, j] != "none"
		names = takes ? "'*'" : "'(-" letter[name, j] " --" \
			long[name, j] ")'"
		if (letter[name, j] != "")
			names = names "{-" letter[name, j] (takes ? "+" : "") \
				",--" long[name, j] (takes ? "=" : "") "}"
		else
			names = names "--" long[name, j] (takes ? "=" : "")
		if (!takes && letter[name, j] == "")
			names = "--" long[name, j]
		print indent names "'[" described(text[name, j]) "]" \
			(takes ? ":" message(argument[name, j]) ":" \
				quoted(action(name, j)) : "") "' \\"
	}
}

function zsh_rest(name, indent,    what) {
	what = rest(name)
	if (what == "run") {
		print indent "'(-)1:command: _command_names -e' \\"
		print indent "'*::argument:{ [[ $words[1] != -- ]] || {" \
			" shift words; (( CURRENT-- )) }; _normal }'"
	} else if (what == "project") {
		print indent "'*:project:_files -g \"*.(proj|stat|trc|zst|hdz)(-.)\"'"
	} else if (what == "file") {
		print indent "'*:file:_files'"
	} else if (what ~ /^words /) {
		print indent "'1:command:(" substr(what, 7) ")'"
	} else {
		print indent "&& return"
	}
}

function zsh(    i) {
	print "#compdef " program
	print "# Completion of " program " for zsh; made of its options."
	print "# SPDX-License-Identifier: LGPL-2.1-or-later"
	print "_" function_name "() {"
	print "\tlocal curcontext=$curcontext state state_descr line"
	print "\ttypeset -A opt_args"
	if (sub_count) {
		print "\tlocal -a commands=("
		for (i = 1; i <= sub_count; i++)
			print "\t\t'" subs[i] ":" quoted(sub_text[i]) "'"
		print "\t)"
	}
	print "\t_arguments -s -S -C \\"
	specs("", "\t\t")
	if (sub_count) {
		print "\t\t'1: :->command' \\"
		print "\t\t'*:: :->rest' && return"
		print "\tcase $state in"
		print "\tcommand) _describe command commands ;;"
		print "\trest)"
		print "\t\tcurcontext=${curcontext%:*:*}:" program "-$words[1]:"
		print "\t\tcase $words[1] in"
		for (i = 2; i <= count; i++) {
			print "\t\t" names[i] ")"
			print "\t\t\t_arguments -s -S \\"
			specs(names[i], "\t\t\t\t")
			zsh_rest(names[i], "\t\t\t\t")
			print "\t\t\t;;"
		}
		print "\t\tesac ;;"
		print "\tesac"
	} else {
		zsh_rest("", "\t\t")
	}
	print "}"
	print ""
	print "_" function_name " \"$@\""
}
