/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A meter and the thread that runs it: one that waits for what the meter sends
 * (loop.h), or one that reads it at each multiple of the cycle (sampler.h).
 */
#ifndef PT_RUNNER_H
#define PT_RUNNER_H

#include "PowerTracingLibrary/src/meter/meter.h"
#include "common/owned.h"

struct ptRunner {
	struct ptMeter meter;
	int wakeFd;
	struct hdOwned wake; /**< The eventfd. */
	/* One of the two has the thread, by who determines the time. */
	struct ptLoop *loop;
	struct hdSampler *sampler;
};

/**
 * Prepare it; the device is not open and there is no thread yet.
 *
 * @param config As of ptMeterInit(), as is root.
 *
 * @return 0, PT_EMEMORY or PT_ETHREAD.
 */
int ptRunnerInit(struct ptRunner *runner, const struct ptConfig *config,
		 const char *root);

/**
 * Create the thread; it measures nothing yet.
 *
 * @return 0, PT_EMEMORY or PT_ETHREAD.
 */
int ptRunnerBegin(struct ptRunner *runner);

/**
 * Begin or end to measure, as of ptLoopSet(). Any thread.
 *
 * @retval 1 It did or did not already.
 * @retval 0 It has changed.
 */
int ptRunnerSet(struct ptRunner *runner, bool isStarted);

/** Get what happened so far. Any thread. */
void ptRunnerGetCounts(struct ptRunner *runner, struct ptCounts *counts);

/**
 * End measuring and the thread, and close the device.
 *
 * @param[out] counts What happened until now; NULL if nobody wants it.
 *
 * @return Whether the device was open.
 */
bool ptRunnerEnd(struct ptRunner *runner, struct ptCounts *counts);

/** Free it in a child that inherited it by fork(), instead of ending it. */
void ptRunnerForget(struct ptRunner *runner);

#endif
