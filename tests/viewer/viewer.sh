# shellcheck shell=sh
# For tests of the viewer: what they need, or a reason to skip. Source it after
# tap.sh and hdtrace.sh.
# shellcheck disable=SC2154 # scratch and hdtrace are in these
# SPDX-License-Identifier: LGPL-2.1-or-later

# There must be a viewer in the command.
need_viewer() {
	! "$hdtrace" report --html "$scratch/none" "$scratch" 2>&1 |
		grep -q "without the viewer" ||
		skip_all "hdtrace was built without the viewer"
}

# There must be a server in it, too.
need_view() {
	! "$hdtrace" view "$scratch/none" 2>&1 | grep -q libmicrohttpd ||
		skip_all "hdtrace was built without libmicrohttpd"
}

# There must be node.js, of a version that the viewer is tested with.
need_node() {
	node=${NODE:-$(command -v node || command -v nodejs)}
	[ -n "$node" ] || skip_all "node.js is missing (Debian: nodejs)"
	[ "$("$node" -p 'process.versions.node.split(".")[0]')" -ge 18 ] ||
		skip_all "node.js is older than 18"
}

# What a browser makes of a page, once that is written.
skip_sanitized() {
	[ -z "${HD_SANITIZE-}" ] ||
		skip_all "a page is the same with and without sanitizers"
}

# Start hdtrace view ARGUMENT...: its process is $view, the address $url. Who ends a view
# does not wait for what its threads are just doing.
start_view() {
	rm -f "$scratch/url"
	TSAN_OPTIONS=report_thread_leaks=0:${TSAN_OPTIONS-} "$hdtrace" view "$@" \
		>"$scratch/url" 2>"$scratch/view.err" </dev/null &
	view=$!
	# The file may have a part of the line.
	until grep -qs '/$' "$scratch/url"; do
		kill -0 "$view" 2>/dev/null || {
			cat "$scratch/view.err"
			return 1
		}
		sleep 0.05
	done
	# shellcheck disable=SC2034 # for tests
	url=$(cat "$scratch/url")
}

# End it with a signal, and expect success: SIGNAL.
end_view() {
	kill -s "$1" "$view" && wait "$view"
	view_status=$?
	echo "exit status $view_status"
	cat "$scratch/view.err"
	[ "$view_status" -eq 0 ]
}

# There must be what drives browsers, which npm fetched with what the viewer is made
# of.
need_driver() {
	need_node
	VIEWER_PACKAGES=$abs_top_srcdir/build-aux/viewer
	[ -d "$VIEWER_PACKAGES/node_modules/playwright-core" ] ||
		skip_all "playwright-core was not fetched: this is no clone"
	HDTRACE=$hdtrace
	export VIEWER_PACKAGES HDTRACE
}

# There must be Chromium. Debian's build without windows takes three quarters of the time.
need_browser() {
	need_driver
	CHROMIUM=${CHROMIUM:-$(command -v chromium-headless-shell ||
		command -v chromium || command -v chromium-browser ||
		command -v google-chrome)}
	[ -n "$CHROMIUM" ] || skip_all "Chromium is missing (Debian: chromium)"
	export CHROMIUM
}

# There must be Firefox.
need_firefox() {
	need_driver
	FIREFOX=${FIREFOX:-$(command -v firefox-esr || command -v firefox)}
	[ -n "$FIREFOX" ] || skip_all "Firefox is missing (Debian: firefox-esr)"
	# Playwright asks for network.addDataCollector, of WebDriver BiDi.
	version=$("$FIREFOX" --version 2>/dev/null | sed 's/.*Firefox \([0-9]*\).*/\1/')
	[ "$version" -ge 143 ] 2>/dev/null ||
		skip_all "Playwright needs Firefox 143, this is $version"
	export FIREFOX
}

# Go through a script for the browser, which prints TAP: SCRIPT ARGUMENT...
in_browser() {
	script=$abs_top_srcdir/tests/viewer/$1
	shift
	"$node" "$script" "$@"
}
