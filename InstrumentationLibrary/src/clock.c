/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which clock probes read. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "InstrumentationLibrary/src/clock.h"
#include "common/environment.h"

/* How long the counter is compared with CLOCK_MONOTONIC. */
#define CALIBRATE_NS (HD_NS_PER_S / 100)

int hdProbeClock = HDPROBE_CLOCK_MONOTONIC;
double hdProbeTickNs = 1;
uint64_t (*hdProbeClockFake)(void);

struct hdLogger hdProbeLogger = { .prefix = "libhdProbe" };

static const char *const words[] = { "monotonic", "raw", "realtime", "tsc" };
#define WORDS (sizeof(words) / sizeof(words[0]))

uint64_t hdProbeClockOther(void)
{
	if (hdProbeClock == HD_PROBE_CLOCK_FAKE)
		return hdProbeClockFake();
	/* Durations are not those of a clock that is set: it goes on. */
	if (hdProbeClock == HDPROBE_CLOCK_REALTIME)
		return (uint64_t)hdClockNow() / 1000 * 1000;
	return (uint64_t)hdMonotonicRawNow();
}

const char *hdProbeClockSet(int clock, const struct hdTscFacts *facts)
{
	const char *refusal;
	double tick = 1;

	if (clock == HDPROBE_CLOCK_TSC) {
		refusal = hdTscRefusal(facts);
		if (refusal)
			return refusal;
		tick = hdTscCalibrate(CALIBRATE_NS);
		if (!(tick > 0))
			return "the counter does not advance";
	}
	hdProbeTickNs = tick;
	hdProbeClock = clock;
	return NULL;
}

const char *hdProbeClockWord(unsigned int clock)
{
	return clock < WORDS ? words[clock] : NULL;
}

void hdProbeClockChoose(void)
{
	const char *asked = hdEnvironment("HDPROBE_CLOCK");
	const char *refusal = "unknown clock";
	struct hdTscFacts facts = { 0 };

	hdLogSetVerbosity(&hdProbeLogger, hdEnvironment("HDPROBE_VERBOSITY"));
	if (!asked || !*asked)
		return;
	for (size_t i = 0; i < WORDS; i++) {
		if (strcmp(asked, words[i]) == 0) {
			if (i == HDPROBE_CLOCK_TSC)
				hdTscFind(&facts);
			refusal = hdProbeClockSet((int)i, &facts);
		}
	}
	if (refusal)
		hdLogLoss(&hdProbeLogger,
			  "HDPROBE_CLOCK=%s: %s; using the monotonic clock",
			  asked, refusal);
}

int hdProbe_clock(void)
{
	return hdProbeClock;
}
