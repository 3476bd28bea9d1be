/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The clocks of probes, in ticks.
 */
#ifndef HD_PROBE_CLOCK_H
#define HD_PROBE_CLOCK_H

#include <stdint.h>
#include <sys/time.h>

#include <hdProbe.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/tsc.h"

/** Says what is not recorded. */
extern struct hdLogger hdProbeLogger;

/** enum hdProbeClock. */
extern int hdProbeClock;
/** Nanoseconds of a tick. */
extern double hdProbeTickNs;
/** A clock that tests set, by this number. */
#define HD_PROBE_CLOCK_FAKE 4
extern uint64_t (*hdProbeClockFake)(void);

/** Take the clock that the environment asks for, or say why not. */
void hdProbeClockChoose(void);

/** Take a clock. @return NULL, or why it cannot be had: nothing is changed. */
const char *hdProbeClockSet(int clock, const struct hdTscFacts *facts);

/** What a clock is called; NULL: there is no such one. */
const char *hdProbeClockWord(unsigned int clock);

/** Read another clock than the usual one. */
uint64_t hdProbeClockOther(void);

/** Read the clock; more than 1. */
static inline uint64_t hdProbeClockRead(void)
{
	uint64_t ticks;

	if (__builtin_expect(hdProbeClock == HDPROBE_CLOCK_TSC, 0))
		ticks = hdTscRead();
	else if (__builtin_expect(hdProbeClock != HDPROBE_CLOCK_MONOTONIC, 0))
		ticks = hdProbeClockOther();
	else
		ticks = (uint64_t)hdMonotonicNow();
	return ticks < 2 ? 2 : ticks;
}

#endif
