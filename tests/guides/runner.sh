#!/bin/sh
# What runs guides finds what is wrong in them, and lets pass what only differs by
# machine.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: plain waits
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
[ -z "${HD_SANITIZE-}" ] || skip_all "guides are for builds without sanitizers"
[ -n "$(command -v python3)" ] || skip_all "no python3"
cd "$scratch" || exit 99

# Run a guide with a section of lines, from standard input, and print the
# results in one line: "ok", "not" and "skip".
results() {
	{
		printf 'Title\n=====\n\n'
		cat
	} >guide.md
	timeout 300 bash "$abs_top_srcdir/tests/guides/run-guide" guide.md \
		>guide.out 2>&1
	sed -n 's/^ok .*# SKIP.*/skip/p; t; s/^\(ok\|not\) .*/\1/p' guide.out |
		tr '\n' ' '
	grep -q '^1\.\.[1-9]' guide.out || echo "no plan"
}

# The lines have these results; the last is that nothing was left running.
gives() {
	found=$(results)
	cat guide.out
	[ "$found" = "$1 " ] || { echo "$found, expected $1"; return 1; }
}

ok "the printed output is compared with the guide" gives "ok not not ok" <<'END'
    $ echo as it is
    as it is
    $ echo as it is
    as it is not
    $ printf 'one\ntwo\n'
    one
END
ok "numbers match any number, except whole counts and ports" gives "ok ok ok not not not ok" <<'END'
    $ echo "12 4.5 -1.0e-3 2026-11-25 10:00:00.5 x"
    99 3.25 1.5 2001-01-01 00:00:00.1 x
    $ echo "3.1 kB, 2 J,      55.123 ms"
    12 B, 3.5 MJ, 1 s
    $ echo "3 files at 127.0.0.1:4000"
    3 files at 127.0.0.1:5000
    $ echo "3 files"
    4 files
    $ echo "3 kB"
    4 s
    $ echo "many files"
    12 files
END
ok "omitted output is skipped" gives "ok ok not ok" <<'END'
    $ printf 'a\nb\nc\nd e f\n'
    a
    [...]
    d [...] f
    $ true
    [...]
    $ printf 'a\nb\n'
    [...]
    a
END
ok "a failing command fails the guide" gives "not ok not ok" <<'END'
    $ false
    $ sh -c 'exit 3'
    $ echo $?
    4

Something else.

END
ok "all lines run in one shell, continued lines included" gives "ok ok ok ok ok" <<'END'
    $ mkdir a && cd a && x=5
    $ cat >file <<EOF
    $x
      y
    EOF
    $ cat file
    5
      y
    $ echo a \
      b "c
    d"
    a b c
    d
END
ok "progress and standard error are not compared" gives "ok ok ok ok" <<'END'
    $ test -t 0 && test -t 1 && test -t 2
    $ printf '10 %%\r\033[K20 %%\r\033[Kdone\n'
    done
    $ sh -c 'echo out; echo err >&2; echo out'
    out
    err
    out
END
ok "a line ^C interrupts the command" gives "ok ok not ok" <<'END'
    $ sh -c 'trap "echo bye; exit 0" INT; echo hello; while :; do sleep 1; done'
    hello
    ^C
    bye
    $ echo next
    next
    $ sh -c 'trap "echo bye; exit 7" INT; echo hello; while :; do sleep 1; done'
    hello
    ^C
    bye
END
ok "a missing requirement skips the line" gives "ok skip skip skip skip ok ok" <<'END'
    $ true

Deeper
------

Needs: sh, no-such-command.

    $ echo a
    b

### Deepest

Needs: network.

    $ echo a

More
----

Needs: network.

    $ echo a
    $ echo b

Last
----

Needs: sh.

    $ true
END
ok "a command that was built without a library is skipped" gives "skip not ok" <<'END'
    $ echo "x: this x was built without HTTP (Debian: y)"; false
    $ echo "x: there is no HTTP"; false
END
ok "a background process is ended" gives "ok not" <<'END'
    $ (setsid sleep 1000 >/dev/null 2>&1 &)
END
ok "background commands are awaited" gives "ok ok ok ok" <<'END'
    $ (sleep 1; echo ready; sleep 1000) &
    ready
    $ kill %1
    $ wait
END
host=$(uname -n | sed 's/[^A-Za-z0-9.-]/-/g')
ok "the name of this host stands for the host of the guide" gives "ok ok" <<END
    \$ echo "node01_0 $host x_node01.trc"
    node01_0 node01 x_node01.trc
END

# Every guide is run.
all_run() {
	sed -n '/^guides = /,/[^\\]$/s|.*%D%/\(guides/[^ ]*\).*|\1|p' \
		"$abs_top_srcdir/doc/Makemodule.am" | sort >listed
	(cd "$abs_top_srcdir/doc" && ls guides/*.md) | sort | diff listed -
}
ok "the suite runs every guide" all_run
done_testing
