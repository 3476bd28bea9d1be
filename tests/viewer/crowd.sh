#!/bin/sh
# hdtrace view on a machine with other users: they cannot keep its user out.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
cd "$scratch" || exit 99
need_viewer
need_view
command -v python3 >/dev/null || skip_all "python3 is missing"

make_mini
start_view --no-browser mini
ok "requests with the token are served among many clients" \
	timeout 300 python3 "$abs_top_srcdir/tests/viewer/crowd.py" "$url"
# An address that is longer than what the server keeps of a request: SIZE STATUS
long_address() {
	python3 - "$url" "$1" "$2" <<'END'
import re, socket, sys
host, port, path = re.match(r"http://([^:/]+):(\d+)(/\S*)", sys.argv[1]).groups()
with socket.create_connection((host, int(port)), timeout=30) as connection:
    try:
        connection.sendall(f"GET {path}?x={'a' * int(sys.argv[2])} HTTP/1.1\r\n"
                           f"Host: {host}:{port}\r\n\r\n".encode())
    except OSError as error:
        print(error)
    status = connection.recv(100).split()[1].decode()
print(status)
sys.exit(status != sys.argv[3])
END
}
ok "a long address is answered" long_address 5000 200
ok "an address that is too long gets an error" long_address 100000 414
ok "SIGTERM ends view" end_view TERM
# Few descriptors: those who wait leave some.
# shellcheck disable=SC3045 # where it is not known, the test is the same again
(
	limit=$(ulimit -S -n)
	ulimit -S -n 120
	start_view --no-browser mini
	ulimit -S -n "$limit"
	timeout 300 python3 "$abs_top_srcdir/tests/viewer/crowd.py" "$url" \
		briefly
	echo $? >few
	end_view TERM
) >few.out 2>&1
few() {
	cat few.out
	[ "$(cat few)" -eq 0 ]
}
ok "many clients are served with few file descriptors" few
done_testing
