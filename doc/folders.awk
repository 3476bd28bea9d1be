# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes pages of the folders that HACKING lists under "Layout", a line or two
# each:
#
#     awk -f folders.awk HACKING       for doxygen
#     awk -f folders.awk -v list=1 HACKING     only their names

function finish() {
	if (folder == "")
		return
	if (list && folder !~ /^scripts/)
		print folder
	else if (!list && folder !~ /^(doc|tests|scripts)/)
		printf "/** @dir %s\n * %s */\n", folder, text
	folder = ""
}

/^Layout$/ { inside = 1 }
/^Two walks$/ { inside = 0 }

inside && /^    [A-Za-z]/ && NF > 1 && !/->/ {
	finish()
	folder = $1
	text = $0
	sub(/^ *[^ ]+ +/, "", text)
	next
}

inside && folder != "" && /^            / {
	sub(/^ +/, "")
	text = text " " $0
	next
}

inside { finish() }
END { finish() }
