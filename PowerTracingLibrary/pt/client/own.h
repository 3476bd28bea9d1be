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

#include "PowerTracingLibrary/pt/client/powersum.h"

struct own;

/**
 * Find the meters of this machine and open them.
 *
 * @param tool For messages.
 * @param device Name of a driver: that one only, with all its channels; NULL
 * for what there is.
 * @param root As of struct ptSetup.
 * @param sum Gets their power; it outlives them.
 *
 * @return NULL after a message: which were looked for, and why there is none.
 */
struct own *ownOpen(const char *tool, const char *device, const char *root,
		    struct powerSum *sum);

/**
 * Begin to measure.
 *
 * @return 0, or an error after a message.
 */
int ownBegin(struct own *own);

/** End measuring, once everything until a time has been read. */
void ownEnd(struct own *own, int64_t untilNs);

/** Name what is measured: "powercap package-0, package-1". Lives as long. */
const char *ownName(const struct own *own);

/** Tell whether some of it is simulated. */
gboolean ownIsSimulated(const struct own *own);

/** Free it; takes NULL. */
void ownFree(struct own *own);

#endif
