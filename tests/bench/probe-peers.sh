#!/bin/sh
# What a pair of begin and end costs with libhdProbe, and with what others have for
# it, in one run: LTTng-UST (a tracepoint at each end, recorded and not), the high
# level of PAPI, the marker API of LIKWID. What is not here says why.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#     probe-peers.sh BUILD [PAIRS]
#
# Debian: liblttng-ust-dev lttng-tools, libpapi-dev, likwid.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2
build=$(cd "$1" && pwd) || exit 2
pairs=${2:-100000}
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d) || exit 2
# Nothing of ours is in the way of sessions that are there.
LTTNG_HOME=$work HOME=$work
export LTTNG_HOME HOME
daemon=
finish() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null
	rm -rf "$work"
}
trap finish EXIT
trap "exit 2" HUP INT PIPE TERM
cd "$work" || exit 2

# A peer, and what makes it: NAME FLAGS...; standard input is its peer.h.
compile() {
	name=$1
	shift
	mkdir -p "$name"
	cat >"$name/peer.h"
	# CC may hold options.
	# shellcheck disable=SC2086
	${CC:-cc} -O2 -I"$name" -I"$top/InstrumentationLibrary/include" \
		-include stdlib.h -include "$name/peer.h" -o "$name/peer" \
		"$here/probe-peer.c" "$@" >"$name/log" 2>&1
}

# A row: TITLE COMMAND...
row() {
	title=$1
	shift
	if said=$("$@" "$pairs" 2>err) && [ -n "$said" ]; then
		echo "| $title | $said |"
	else
		echo "| $title | not here: $(head -n 1 err) |"
	fi
}

missing() {
	echo "| $1 | not here: $2 |"
}

echo "A begin and an end, $pairs times, ns of CPU time: median, least and largest."
echo
echo "| | ns |"
echo "|---|--:|"

compile ours "$build/.libs/libhdProbe.a" -lpthread <<'END'
#include <hdProbe.h>
static const char *peerInit(void) { return NULL; }
static uint64_t peerStart;
static struct hdProbe peerProbe =
	HDPROBE_INIT("peer", NULL, HDPROBE_KIND_TIMER);
static inline void peerBegin(void) { peerStart = hdProbe_start(&peerProbe); }
static inline void peerEnd(void) { hdProbe_stop(&peerProbe, peerStart); }
END
row "libhdProbe" ours/peer
row "libhdProbe, time stamp counter" env HDPROBE_CLOCK=tsc ours/peer
row "libhdProbe, off at run time" env HDPROBE=off ours/peer

# LTTng's header is included anew by itself.
if pkg-config --exists lttng-ust 2>/dev/null; then
	mkdir -p lttng
	cat >lttng/peer-tracepoints.h <<'END'
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER hdpeer
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "peer-tracepoints.h"
#if !defined(PEER_TRACEPOINTS_H) || \
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define PEER_TRACEPOINTS_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_EVENT(hdpeer, begin, LTTNG_UST_TP_ARGS(int, id),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, id, id)))
LTTNG_UST_TRACEPOINT_EVENT(hdpeer, end, LTTNG_UST_TP_ARGS(int, id),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, id, id)))
#endif
#include <lttng/tracepoint-event.h>
END
	# Options, each a word.
	# shellcheck disable=SC2046
	if compile lttng $(pkg-config --cflags --libs lttng-ust) <<'END'
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "peer-tracepoints.h"
static const char *peerInit(void) { return NULL; }
static inline void peerBegin(void) { lttng_ust_tracepoint(hdpeer, begin, 1); }
static inline void peerEnd(void) { lttng_ust_tracepoint(hdpeer, end, 1); }
END
	then
		row "LTTng-UST, two tracepoints, not recorded" lttng/peer
		if command -v lttng-sessiond >/dev/null &&
			lttng-sessiond --daemonize --no-kernel \
				--pidfile="$work/pid" >log 2>&1 &&
			lttng create peers --output="$work/trace" >log 2>&1 &&
			lttng enable-event --userspace 'hdpeer:*' >log 2>&1 &&
			lttng start >log 2>&1; then
			daemon=$(cat "$work/pid")
			row "LTTng-UST, two tracepoints, recorded" lttng/peer
			lttng destroy >log 2>&1
		else
			[ ! -f "$work/pid" ] || daemon=$(cat "$work/pid")
			missing "LTTng-UST, recorded" "$(head -n 1 log)"
		fi
	else
		missing "LTTng-UST" "$(grep -m 1 error lttng/log)"
	fi
else
	missing "LTTng-UST" "Debian: liblttng-ust-dev lttng-tools"
fi

if pkg-config --exists papi 2>/dev/null; then
	# It prints to standard output, too.
	# shellcheck disable=SC2046
	if compile papi $(pkg-config --cflags --libs papi) <<'END'
#include <papi.h>
static const char *peerInit(void)
{
	int status = PAPI_hl_region_begin("peer");

	if (status == PAPI_OK)
		status = PAPI_hl_region_end("peer");
	return status == PAPI_OK ? NULL : PAPI_strerror(status);
}
static inline void peerBegin(void) { PAPI_hl_region_begin("peer"); }
static inline void peerEnd(void) { PAPI_hl_region_end("peer"); }
END
	then
		row "PAPI, high level" env PAPI_EVENTS=PAPI_TOT_CYC \
			PAPI_REPORT=0 PAPI_OUTPUT_DIRECTORY="$work" papi/peer
	else
		missing "PAPI, high level" "$(grep -m 1 error papi/log)"
	fi
else
	missing "PAPI, high level" "Debian: libpapi-dev"
fi

if compile likwid -DLIKWID_PERFMON -llikwid <<'END'
#include <likwid-marker.h>
static const char *peerInit(void)
{
	if (!getenv("LIKWID_MODE"))
		return "no likwid-perfctr";
	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_MARKER_REGISTER("peer");
	return NULL;
}
static inline void peerBegin(void) { LIKWID_MARKER_START("peer"); }
static inline void peerEnd(void) { LIKWID_MARKER_STOP("peer"); }
END
then
	likwid() {
		likwid-perfctr -C 0 -g CLOCK -m likwid/peer "$1" >out 2>err &&
			grep -m 1 -E '^[0-9.]+ \([0-9. -]+\)$' out
	}
	if ! command -v likwid-perfctr >/dev/null; then
		missing "LIKWID, marker API" "Debian: likwid"
	else
		row "LIKWID, marker API" likwid
	fi
else
	missing "LIKWID, marker API" "Debian: likwid ($(grep -m 1 error likwid/log))"
fi
