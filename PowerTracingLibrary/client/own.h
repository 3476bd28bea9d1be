/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of this machine by its own meters, without a power service.
 *
 * What contains each other is counted once: the processors' packages and their
 * memory, or the platform (psys) where the machine tells that, by powercap or
 * else by perf, and graphics cards by NVML. Sensors of the board (hwmon) count
 * where there is nothing of these.
 */
#ifndef PT_OWN_H
#define PT_OWN_H

#include "PowerTracingLibrary/client/powersum.h"

struct ptOwn;

/**
 * Find the meters of this machine and open them.
 *
 * @param tool For messages; NULL: that there is none is not said.
 * @param device Name of a driver: that one only, with all its channels; NULL
 * for what there is.
 * @param root As of struct ptSetup.
 * @param cycleNs How often they are read; 0: 20 times a second.
 * @param sum Gets their power; it outlives them.
 *
 * @return NULL after a message: which were looked for, and why there is none.
 */
struct ptOwn *ptOwnOpen(const char *tool, const char *device, const char *root,
			int64_t cycleNs, struct ptPowerSum *sum);

/**
 * Begin to measure.
 *
 * @return 0, or an error after a message.
 */
int ptOwnBegin(struct ptOwn *own);

/** End measuring, once everything until a time has been read. */
void ptOwnEnd(struct ptOwn *own, int64_t untilNs);

/** Name what is measured: "powercap package-0, package-1". Lives as long. */
const char *ptOwnName(const struct ptOwn *own);

/** Tell whether some of it is simulated. */
gboolean ptOwnIsSimulated(const struct ptOwn *own);

/** Free it; takes NULL. */
void ptOwnFree(struct ptOwn *own);

#endif
