# shellcheck shell=sh disable=SC2154 # name, status, options
# SPDX-License-Identifier: LGPL-2.1-or-later
# Options of commands that are shell scripts, as cli/commandline.c does those of the
# others. The script sets $name, the exit status $status for what is wrong, and
# $options, a line each, in the order of the help:
#
#     NAME|LETTER|KIND|ARGUMENT|WORDS|TEXT
#
# KIND is what shells offer, as of --dump-options: none, words, list, file,
# directory, pid, text.

# Columns of --help: those of the terminal, 100 at most.
cli_width() {
	columns=
	[ ! -t 0 ] || columns=$(stty size 2>/dev/null | sed "s/.* //")
	case $columns in
	"" | *[!0-9]* | 0) columns=100 ;;
	esac
	[ "$columns" -lt 100 ] || columns=100
	[ "$columns" -gt 40 ] || columns=40
	echo "$columns"
}

# Put the lines of a text into the columns of the terminal: COLUMNS
cli_fold() {
	awk -v columns="$1" '
	length($0) <= columns { print; next }
	{
		match($0, /^ */)
		indent = RLENGTH ? RLENGTH + 4 : 0
		line = substr($0, 1, RLENGTH) $1
		for (i = 2; i <= NF; i++) {
			if (length(line $i) + 1 > columns) {
				print line
				line = sprintf("%*s%s", indent, "", $i)
			} else {
				line = line " " $i
			}
		}
		print line
	}'
}

# The lines of options in --help: COLUMNS, which a pipe would hide from cli_width.
cli_help() {
	printf '%s\n' "$options" | awk -F '|' -v columns="$1" '
	# Put the words of a text behind an option: OPTION TEXT
	function wrap(left, text,    list, count, i, line) {
		line = sprintf("%-*s", width + 2, left)
		count = split(text, list, " ")
		for (i = 1; i <= count; i++) {
			if (i > 1 && length(line list[i]) + 1 > columns) {
				print line
				line = sprintf("%*s", width + 2, "")
			} else if (i > 1) {
				line = line " "
			}
			line = line list[i]
		}
		print line
	}
	{
		left[NR] = "  " ($2 == "" ? "" : "-" $2 ", ") "--" $1 \
			($4 == "" ? "" : "=" $4)
		width = length(left[NR]) > width ? length(left[NR]) : width
		text[NR] = $6
		words[NR] = $5
	}
	END {
		for (i = 1; i <= NR; i++) {
			wrap(left[i], text[i])
			if (words[i] != "")
				wrap("", "(" words[i] ")")
		}
	}'
}

# The table for completions: WHAT-FOLLOWS ARGUMENTS
cli_dump() {
	printf 'command\t%s\t%s\t%s\n' "$name" "$1" "$2"
	printf '%s\n' "$options" | awk -F '|' -v OFS='\t' '
	{ print "option", $1, $2 == "" ? "-" : $2, $3, $4, $5, $6 }'
}

# Wrong usage: TEXT. For shared errors, the functions below.
cli_misused() {
	echo "$name: $*" >&2
	echo "Try '$name --help'." >&2
	exit "$status"
}

# The catalogue of errors, as in cli/errors.h.
cli_missing() {
	cli_misused "missing argument: $1"
}
cli_missing_value() {
	cli_misused "$1: missing value; expected $2"
}
cli_unexpected() {
	cli_misused "unexpected argument: \"$1\""
}
# OPTION TEXT EXPECTED
cli_invalid_number() {
	cli_misused "$1: invalid number \"$2\"; expected $3"
}
cli_invalid_value() {
	cli_misused "$1: invalid value \"$2\"; expected $3"
}
cli_invalid_duration() {
	cli_misused "$1: invalid duration \"$2\"; use a number and a unit," \
		"such as 10ms or 5s"
}
# Whether this is the first process of an MPI program, or no process of one.
cli_is_first() {
	[ "${OMPI_COMM_WORLD_RANK-${PMI_RANK-${SLURM_PROCID-0}}}" = 0 ]
}
# Set $ms to the milliseconds of a duration: OPTION TEXT
cli_milliseconds() {
	ms=$(printf '%s\n' "$2" | awk '
	match($0, /^[0-9]+(\.[0-9]*)?/) {
		unit = substr($0, RLENGTH + 1)
		sub(/^ /, "", unit)
		factor["us"] = 1 / 1000
		factor[""] = factor["ms"] = 1
		factor["s"] = 1000
		factor["min"] = 60000
		factor["h"] = 3600000
		if (!(unit in factor))
			exit
		value = substr($0, 1, RLENGTH) * factor[unit]
		if (value == int(value))
			printf "%.0f\n", value
	}')
	[ -n "$ms" ] || cli_invalid_duration "$1" "$2"
	case $2 in
	*[!0-9]* | 0) ;;
	*)
		! cli_is_first ||
			echo "$name: $1: $2 is taken as $2 ms; write ${2}ms" >&2
		;;
	esac
}
# OPTION OTHER
cli_excludes() {
	cli_misused "$1: cannot be combined with $2"
}

# The option is unknown: OPTION. What is near is what cli/nearest.c finds.
cli_no_option() {
	cli_misused "unknown option: \"$1\"$(printf '%s\n' "$options" |
		awk -F '|' -v word="${1%%=*}" '
	function least(a, b) { return a < b ? a : b }
	function distance(a, b,    i, j, d) {
		for (i = 0; i <= length(a); i++)
			d[i, 0] = i
		for (j = 0; j <= length(b); j++)
			d[0, j] = j
		for (i = 1; i <= length(a); i++)
			for (j = 1; j <= length(b); j++) {
				d[i, j] = least(d[i - 1, j], d[i, j - 1]) + 1
				d[i, j] = least(d[i, j], d[i - 1, j - 1] + \
					(substr(a, i, 1) != substr(b, j, 1)))
				if (i > 1 && j > 1 && \
				    substr(a, i - 1, 2) == substr(b, j, 1) \
				    substr(b, j - 1, 1))
					d[i, j] = least(d[i, j], \
						d[i - 2, j - 2] + 1)
			}
		return d[length(a), length(b)]
	}
	BEGIN {
		sub(/^-+/, "", word)
		best = int(length(word) / 3) + 1
	}
	length(word) > 1 {
		now = distance(word, $1)
		if (now > 1 && index($1, word) == 1)
			now = 1
		if (now < length($1) && (now < best || \
		    (now == best && near == ""))) {
			best = now
			near = $1
		}
	}
	END { if (near != "") printf "; did you mean --%s?", near }')"
}
