#!/bin/sh
# Libraries that few commands need: all others do without, and those say what is
# missing.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
cd "$scratch" || exit 99
make_mini

# A project whose state has a call site.
cat >sites.proj <<'END'
<Application name="sites"><Topology><Level type="Host"/><Node name="n"/>
</Topology></Application>
END
cat >sites_n.trc <<'END'
<Program timeAdjustment='9'>
<Send site='0' time='1' end='2'><Object id='0' buildId='' load='0x0' path='/nowhere/a.out'/><Site id='0' object='0' address='0x10'/></Send>
</Program>
END

# How a library is called, if hdtrace was built with it.
file_of() {
	sed -n "s/^#define $1_SONAME \"\\(.*\\)\"/\\1/p" \
		"$abs_top_builddir/config.h"
}

# A file that is no library stands where it is looked for first; and one that
# has none of its functions.
mkdir broken other
echo 'int hdNothing;' >nothing.c
# shellcheck disable=SC2086 # CC may have options
${CC:-cc} -shared -fPIC -o nothing nothing.c
for library in CAIRO LIBDW MICROHTTPD OTF2; do
	file=$(file_of $library)
	# One that is called by its path is found by nothing else.
	case $file in "" | /*) continue ;; esac
	: >"broken/$file"
	cp nothing "other/$file"
done

# Run COMMAND... where libraries are in a directory: DIRECTORY COMMAND...
with() (
	LD_LIBRARY_PATH=$scratch/$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export LD_LIBRARY_PATH
	shift
	"$@"
)

while read -r arguments; do
	# shellcheck disable=SC2086 # one a word
	ok "hdtrace $arguments needs no optional library" with broken status 0 $arguments
done <<'END'
--version
check sites
dump mini
export --to csv -o mini.csv mini
info mini
plot -o mini.svg mini
report mini
stat mini
END
ok "hdpredict needs no optional library" with broken exits 0 \
	"$abs_top_builddir/hdpredict" --version

# What needs a library says what is missing: LIBRARY NAME FUNCTION STATUS
# ARGUMENT...
needs() {
	library=$1
	name=$2
	function=$3
	shift 3
	file=$(file_of "$library")
	if [ -z "$file" ]; then
		skip "$name: an invalid library is reported" "hdtrace was built without $name"
		skip "$name: a wrong library is reported" "hdtrace was built without $name"
		return
	fi
	ok "$name: an invalid library is reported" with broken \
		says "$name is missing: $scratch/broken/$file: " "$@"
	ok "the message about a library names the remedy" grep -q 'on Debian: apt-get install lib' err
	ok "$name: a wrong library is reported" with other \
		says "$name is missing: $file has no $function" "$@"
}
needs CAIRO cairo cairo_ 2 plot --type=png -o mini.png mini
ok "no file is written with an invalid library" [ ! -e mini.png ]
needs OTF2 OTF2 OTF2_ 2 export --to otf2 -o mini.otf2 mini
ok "no file is written with a wrong library" [ ! -e mini.otf2 ]
if "$hdtrace" view none 2>&1 | grep -q "without"; then
	skip "libmicrohttpd: an invalid library is reported" "hdtrace was built without view"
else
	needs MICROHTTPD libmicrohttpd MHD_ 2 view --no-browser mini
fi
needs LIBDW libdw dwarf_ 0 stat --regions=Send --by-site sites

done_testing
