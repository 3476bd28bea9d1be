/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process whose probes have counted what tables 6.4 and 6.5 of the work say
 * that libhdProbe follows (Kristoffersen, Oslo 2011), with a clock that is
 * made: for published.sh. It prints its pid, and ends with its input.
 *
 *     published mjpeg|kmeans
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hdProbe.h>

#include "InstrumentationLibrary/src/clock.h"

/* A row; times are ns. */
struct row {
	const char *name;
	unsigned int instances, dispatch, body;
};

static const struct row mjpeg[] = {
	{ "init", 1, 69000, 18000 },
	{ "read/splitYUV", 51, 35500, 1641570 },
	{ "yDCT", 80784, 3070, 170300 },
	{ "uDCT", 20196, 3140, 170240 },
	{ "vDCT", 20196, 3150, 170580 },
	{ "VLC/write", 51, 3090, 2160710 },
	{ NULL, 0, 0, 0 },
};

static const struct row kmeans[] = {
	{ "init", 1, 58000, 9829000 },
	{ "assign", 2024251, 4070, 6950 },
	{ "refine", 1000, 3210, 92910 },
	{ "print", 11, 1090, 379360 },
	{ NULL, 0, 0, 0 },
};

static uint64_t now = 1000;

static uint64_t fakeClock(void)
{
	return now;
}

static int count(const struct row *row)
{
	struct hdProbe *probe =
		hdProbe_find(row->name, NULL, HDPROBE_KIND_KERNEL);

	for (unsigned int i = 0; probe && i < row->instances; i++) {
		struct hdProbeSpan span;

		hdProbe_dispatchStart(probe, &span);
		now += row->dispatch;
		hdProbe_bodyStart(&span);
		now += row->body;
		hdProbe_bodyStop(&span);
		hdProbe_dispatchStop(probe, &span);
	}
	return probe != NULL;
}

int main(int argc, char **argv)
{
	const struct row *row =
		argc > 1 && strcmp(argv[1], "mjpeg") == 0 ? mjpeg : kmeans;

	hdProbeClockFake = fakeClock;
	hdProbeClockSet(HD_PROBE_CLOCK_FAKE, NULL);
	for (; row->name; row++) {
		if (!count(row))
			return 1;
	}
	printf("%d\n", (int)getpid());
	fflush(stdout);
	while (getchar() != EOF) {
	}
	return 0;
}
