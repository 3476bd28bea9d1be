#!/bin/sh
# The translator's use of memory, by valgrind: in a brick and in a client that write
# and read, are switched off and on, and end. What GlusterFS
# itself does is its own matter. Takes some minutes: make verify-gluster-memory.
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/gluster.sh"
command -v valgrind >/dev/null || skip_all "there is no valgrind"
gluster_apart "$0" "$@"
HDTRACE_VERBOSITY=-1
export HDTRACE_VERBOSITY

load() {
	with="valgrind -q --xml=yes --xml-file=$here/%p.xml --leak-check=full \
		--show-leak-kinds=definite"
	brick && mounts
	result=$?
	unset with
	[ "$result" -eq 0 ] || return 1
	for i in 1 2 3; do
		"$hdgluster" enable --project="q$i" m0 || return 1
		mkdir "m0/d$i" && dd if=/dev/urandom of=data bs=64k count=20 &&
			cp data "m0/d$i/f" && cmp data "m0/d$i/f" &&
			flock "m0/d$i/f" mv "m0/d$i/f" "m0/d$i/g" || return 1
		"$hdgluster" disable m0 || return 1
	done
	"$hdgluster" enable m0 && rm -r m0/d1 && ends
}
# Errors of ours: the first function that is not of the C library or of valgrind is
# in the translator, which is there at all.
ours() {
	python3 - "$@" <<'END'
import sys, xml.etree.ElementTree
wrong = seen = 0
for path in sys.argv[1:]:
    errors = xml.etree.ElementTree.parse(path).findall("error")
    for error in errors:
        # What we have from functions of GlusterFS is ours to give back.
        others = ["vgpreload", "libc.so", "ld-linux"] + \
            ["libglusterfs"] * error.findtext("kind").startswith("Leak")
        frames = [i for i in error.find("stack").findall("frame")
                  if not any(part in i.findtext("obj", "") for part in others)]
        seen += 1
        if frames and frames[0].findtext("obj", "").endswith("hdtrace.so"):
            wrong += 1
            print(error.findtext("kind"), *[
                f"{i.findtext('fn')} ({i.findtext('file')}:"
                f"{i.findtext('line')})" for i in frames[:6]])
print(len(sys.argv) - 1, "processes,", seen, "errors of any kind,", wrong,
      "of ours")
sys.exit(wrong > 0 or len(sys.argv) < 3)
END
}
scene memory
ok "a brick and a client run under valgrind" load
ok "memory is used correctly and freed" ours ./*.xml
sed 's/^/# /' "$details"
done_testing
