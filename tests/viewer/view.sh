#!/bin/sh
# hdtrace view: whom it answers and what, how it starts a browser, how it ends.
# SPDX-License-Identifier: LGPL-2.1-or-later
# tags: threads optional
. "${abs_top_srcdir:?}/tests/lib/tap.sh"
. "$abs_top_srcdir/tests/lib/hdtrace.sh"
. "$abs_top_srcdir/tests/lib/project.sh"
. "$abs_top_srcdir/tests/viewer/viewer.sh"
cd "$scratch" || exit 99
make_mini
mkdir tmp
TMPDIR=$scratch/tmp
XDG_DATA_HOME=$scratch/data
export TMPDIR XDG_DATA_HOME

# What is missing is said.
for missing in libmicrohttpd "without the viewer"; do
	status 2 view none >/dev/null
	grep -q "$missing" err || continue
	ok "view without libmicrohttpd names the package" grep -q Debian err
	done_testing
done

left_nothing() {
	ls -A tmp
	[ -z "$(ls -A tmp)" ]
}

# No thread but the first one has SIGTERM (15) unblocked.
others_block() {
	blocked=0
	for task in /proc/"$view"/task/*; do
		[ "${task##*/}" != "$view" ] || continue
		mask=$(sed -n 's/^SigBlk:[[:space:]]*//p' "$task/status" 2>/dev/null)
		[ -n "$mask" ] || continue
		echo "${task##*/}: $mask"
		[ "$((0x$mask >> 14 & 1))" -eq 1 ] || return 1
		blocked=$((blocked + 1))
	done
	[ "$blocked" -gt 0 ]
}

for signal in INT TERM HUP; do
	ok "view starts" start_view --no-browser mini
	ok "view prints only its URL" \
		grep -qxE 'http://127\.0\.0\.1:[0-9]+/[0-9a-f]{48}/' url
	mv url "url.$signal"
	[ "$signal" != TERM ] || ok "only the first thread takes signals" others_block
	ok "SIG$signal ends view" end_view "$signal"
	ok "no temporary files remain after SIG$signal" left_nothing
done
ok "each start has another URL" [ "$(sed 's,/$,,;s,.*/,,' url.* | sort -u | wc -l)" -eq 3 ]

# With a port the address is the same again, as long as the secret is ours alone.
ok "no secret is stored without --port" [ ! -e data ]
port=$(sed 's,.*:,,;s,/.*,,' url.TERM)
served_at() {
	start_view --no-browser --port="$port" mini || return 1
	cp url "url.$1"
	end_view TERM
}
ok "view serves at a port" served_at first
ok "view serves at the same port again" served_at second
ok "the URL at a port is the same" cmp url.first url.second
ok "the secret has 32 bytes" [ "$(wc -c <data/hdtrace/view.key)" -eq 32 ]
ok "the secret is readable by the user only" [ "$(stat -c %a data/hdtrace/view.key)" = 600 ]
chmod 644 data/hdtrace/view.key
ok "view starts with a secret that others can read" served_at third
ok "a secret that others can read is not used" [ "$(cat url.first)" != "$(cat url.third)" ]
mkdir elsewhere
mv data/hdtrace/view.key elsewhere
chmod 600 elsewhere/view.key
ln -s "$scratch/elsewhere/view.key" data/hdtrace/view.key
ok "view starts with a link in place of the secret" served_at fourth
ok "a link to a secret is not followed" [ "$(cat url.first)" != "$(cat url.fourth)" ]
rm -r data
: >data
ok "view starts without a directory for the secret" served_at fifth
ok "view serves without a place for the secret" grep -q "127.0.0.1:$port/" url.fifth
rm data

if command -v python3 >/dev/null; then
	start_view --no-browser mini
	ok "requests without the token are refused" \
		python3 "$abs_top_srcdir/tests/viewer/requests.py" "$url"
	printf '@5\thost\tother\n@%s\t\ta <b> \342\200\256 note\n' \
		1247419294.5..1247419295 >notes
	ok "notes are beside the project" cmp notes mini.notes
	port=${url#http://*:}
	ok "an occupied port is reported" says "Address already in use" 2 view \
		--no-browser --port="${port%%/*}" mini
	ok "SIGTERM ends view after requests" end_view TERM
	ok "no temporary files remain after requests" left_nothing
	if "$hdtrace" pack -q -o packed.hdz mini; then
		start_view --no-browser packed.hdz
		ok "an archive is served in place" \
			python3 "$abs_top_srcdir/tests/viewer/requests.py" "$url"
		ok "SIGTERM ends view of an archive" end_view TERM
		ok "no temporary files remain after an archive" left_nothing
	else
		skip "an archive is served in place" "no libzstd"
	fi
else
	skip "requests with and without the token" "python3 is missing"
fi

# A larger one, which is still being read.
"$abs_top_builddir/tests/bench/make-project" --nodes=2 --ranks=2 \
	--records=200000 --values=1000000 run
start_view --no-browser run
ok "SIGINT ends view while it reads" end_view INT
ok "no temporary files remain after SIGINT" left_nothing

# A browser gets a file that only we can read, and no address that others see.
mkdir bin
cat >bin/xdg-open <<'END'
#!/bin/sh
printf '%s\n' "$@" >"${0%/*}/arguments.new"
{
	stat -c %a "$1"
	cat "$1"
} >"${0%/*}/page"
mv "${0%/*}/arguments.new" "${0%/*}/arguments"
END
chmod +x bin/xdg-open

wait_for() {
	tries=0
	until [ -e "$1" ]; do
		kill -0 "$view" && [ $((tries += 1)) -lt 1200 ] || return 1
		sleep 0.05
	done
}
PATH=$scratch/bin:$PATH start_view mini
ok "view starts a browser" wait_for bin/arguments
end_view TERM >/dev/null
ok "the browser opens a file" grep -qx "$TMPDIR/hdtrace-view-......\\.html" bin/arguments
ok "the page of the browser is readable by the user only" grep -qx 600 bin/page
ok "the page of the browser has the address" grep -qF "url=$url\"" bin/page
ok "the page of the browser is removed" left_nothing
ok "no page is written without a browser" [ ! -e "$(cat bin/arguments)" ]

# Defects of the data are shown, and no reason to fail.
truncate -s -3 mini_alpha_Energy.stat
ok "view serves a damaged project" start_view --no-browser mini
ok "defects of the data do not change the status" end_view TERM
for port in -1 65536 x; do
	ok "--port=$port is refused" status 2 view --no-browser --port="$port" mini
done
ok "a missing project is reported" says "No such file" 2 view --no-browser none
ok "--format is refused" says "unknown option" 2 view --no-browser --format=json mini
done_testing
