# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes pages of the folders in dev/folders.md, a line or two each:
#
#     awk -f folders.awk dev/folders.md     for doxygen
#     awk -f folders.awk -v list=1 dev/folders.md     only their names

function finish() {
	if (folder == "")
		return
	if (list && folder !~ /^scripts/)
		print folder
	else if (!list && folder !~ /^(doc|tests|scripts)/)
		printf "/** @dir %s\n * %s */\n", folder, text
	folder = ""
}

/^    [A-Za-z]/ && NF > 1 && !/->/ {
	finish()
	folder = $1
	text = $0
	sub(/^ *[^ ]+ +/, "", text)
	next
}

folder != "" && /^            / {
	sub(/^ +/, "")
	text = text " " $0
	next
}

{ finish() }
END { finish() }
