/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When there is how much load.
 */
#ifndef HD_LOAD_PLAN_H
#define HD_LOAD_PLAN_H

#include <stddef.h>
#include <stdint.h>

/** From a moment on, a level. */
struct hdLoadStep {
	int64_t ns;   /**< Since the start. */
	double level; /**< Part of the time that is busy: 0 to 1. */
};

/** All zero: there is none, and it takes no time. */
struct hdLoadPlan {
	struct hdLoadStep *steps; /**< Times grow, from 0 on. */
	size_t count;
	int64_t endNs;
	/** Where each edge is told at once, and the end of a load, as a line:
	 *  CLOCK_MONOTONIC in ns, CPU, level. 0: nowhere. */
	int edgesFd;
};

/** Add a level that lasts so long after what is there. What stays as it was
 *  makes no step. @retval -ENOMEM No memory; the plan is as before. */
int hdLoadPlanAdd(struct hdLoadPlan *plan, double level, int64_t lengthNs);

/** Add a maximum length sequence, from its begin, of whole steps as long as the
 *  time lasts, but once at least, for a day at most. @retval -EINVAL No such
 * order, or times.
 *  @retval -ENOMEM No memory. */
int hdLoadPlanSequence(struct hdLoadPlan *plan, unsigned int order,
		       uint32_t seed, int64_t stepNs, int64_t lengthNs);

/** Add steps of a text: "SECONDS:LEVEL,SECONDS:LEVEL...", each that long.
 *  @retval -EINVAL It is none. @retval -ENOMEM No memory. */
int hdLoadPlanText(struct hdLoadPlan *plan, const char *text);

/** Free what it holds. */
void hdLoadPlanClear(struct hdLoadPlan *plan);

#endif
