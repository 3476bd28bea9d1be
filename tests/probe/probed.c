/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process with probes whose clock is made, so that all times are known: for
 * hdprobe.sh. It counts, prints its pid, and does so again for each line. With
 * the argument "events" the processor is made, too. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hdProbe.h>

#include "InstrumentationLibrary/src/clock.h"
#include "tests/lib/fakeperf.h"

#define THREADS 4

static int hasEvents;

/* Of each thread, by itself. */
static _Thread_local uint64_t now = 1000;

static uint64_t fakeClock(void)
{
	return now;
}

static void assign(void)
{
	HDPROBE_DISPATCH_START(kernel, "assign");
	now += 3000;
	HDPROBE_BODY_START(kernel);
	now += 7000;
	if (hasEvents)
		fakePerfRun(1000, 7000);
	HDPROBE_BODY_STOP(kernel);
	now += 1000;
	HDPROBE_DISPATCH_STOP(kernel);
}

static void transform(void)
{
	HDPROBE_DISPATCH_START(kernel, "DCT");
	now += 3000;
	HDPROBE_BODY_START(kernel);
	now += 170000;
	HDPROBE_BODY_STOP(kernel);
	HDPROBE_DISPATCH_STOP(kernel);
}

static void *work(void *context)
{
	for (int i = 0; i < 1000; i++)
		assign();
	for (int i = 0; i < 25; i++) {
		transform();
		HDPROBE_TRANSFER("assign", "refine", 4096);
		HDPROBE_COUNT("points", 42);
	}
	return context;
}

static void count(void)
{
	pthread_t ids[THREADS];

	HDPROBE_SCOPE("total");
	HDPROBE_START(quoted, "a \"quoted\" one");
	now += 500;
	HDPROBE_STOP(quoted);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&ids[i], NULL, work, NULL);
		/* That processor has one thread at a time. */
		if (hasEvents)
			pthread_join(ids[i], NULL);
	}
	for (int i = 0; !hasEvents && i < THREADS; i++)
		pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
	char line[64];

	hasEvents = argc > 1 && strcmp(argv[1], "events") == 0;
	if (hasEvents)
		fakePerfBegin();
	hdProbeClockFake = fakeClock;
	hdProbeClockSet(HD_PROBE_CLOCK_FAKE, NULL);
	do {
		count();
		printf("%d\n", (int)getpid());
		fflush(stdout);
	} while (fgets(line, sizeof(line), stdin));
	return 0;
}
