# A list of exported symbols as version script of the linker. A line is NAME or
# NAME VERSION, the release that added the function; without VERSION it is 0.1.
# SPDX-License-Identifier: LGPL-2.1-or-later
{
	version = NF > 1 ? $2 : "0.1"
	if (!(version in names))
		versions[++count] = version
	names[version] = names[version] "\t\t" $1 ";\n"
}

# Whether release A is older than B.
function isOlder(a, b, left, right) {
	split(a, left, ".")
	split(b, right, ".")
	return left[1] + 0 != right[1] + 0 ? left[1] + 0 < right[1] + 0 : left[2] + 0 < right[2] + 0
}

END {
	for (i = 2; i <= count; i++)
		for (j = i; j > 1 && isOlder(versions[j], versions[j - 1]); j--) {
			moved = versions[j]
			versions[j] = versions[j - 1]
			versions[j - 1] = moved
		}
	for (i = 1; i <= count; i++) {
		printf "HDTRACE_%s {\n\tglobal:\n%s", versions[i], names[versions[i]]
		if (i == 1)
			printf "\tlocal:\n\t\t*;\n};\n"
		else
			printf "} HDTRACE_%s;\n", versions[i - 1]
	}
}
