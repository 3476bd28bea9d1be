# shellcheck shell=sh disable=SC2154 # name, status, options
# SPDX-License-Identifier: LGPL-2.1-or-later
# Options of commands that are shell scripts, as cli/options.c does those of the
# others. The script sets $name, the exit status $status for what is wrong, and
# $options, a line each, in the order of the help:
#
#     NAME|LETTER|KIND|ARGUMENT|WORDS|TEXT
#
# KIND is what shells offer, as of --dump-options: none, words, list, file,
# directory, pid, text.

# The lines of --help.
cli_help() {
	printf '%s\n' "$options" | awk -F '|' '
	{
		left[NR] = "  " ($2 == "" ? "    " : "-" $2 ", ") "--" $1 \
			($4 == "" ? "" : "=" $4)
		width = length(left[NR]) > width ? length(left[NR]) : width
		text[NR] = $6
		words[NR] = $5
	}
	END {
		for (i = 1; i <= NR; i++) {
			printf "%-*s   %s\n", width, left[i], text[i]
			if (words[i] != "")
				printf "%-*s   (%s)\n", width, "", words[i]
		}
	}'
}

# The table for completions: WHAT-FOLLOWS ARGUMENTS
cli_dump() {
	printf 'command\t%s\t%s\t%s\n' "$name" "$1" "$2"
	printf '%s\n' "$options" | awk -F '|' -v OFS='\t' '
	{ print "option", $1, $2 == "" ? "-" : $2, $3, $4, $5, $6 }'
}

cli_misused() {
	echo "$name: $*" >&2
	echo "Try '$name --help'." >&2
	exit "$status"
}

# There is no such option: OPTION. What is near is what cli/nearest.c finds.
cli_no_option() {
	cli_misused "no such option: \"$1\"$(printf '%s\n' "$options" |
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
