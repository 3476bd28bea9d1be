/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of this machine by its own meters, without a power service.
 *
 * Its meters are powercap, or else perf, NVML, and sensors of the board
 * (hwmon). What contains each other is counted once, by the rule of
 * common/nodepower.h; a sensor without a known role counts where there is
 * nothing else.
 */
#ifndef PT_OWN_H
#define PT_OWN_H

#include "PowerTracingLibrary/client/core/powersum.h"

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

/** Name what counts now: "powercap package-0, package-1". Lives until the next
 *  such call. */
const char *ptOwnName(struct ptOwn *own);

/** An input, and whether it counts. */
struct ptOwnInput {
	const char *label;
	bool isCounted;
	bool isFault;       /**< Its counter has a fault. */
	const char *reason; /**< Why it does not count, or "". */
};

/** Takes an input. */
typedef void ptOwnTake(void *context, const struct ptOwnInput *input);

/** Name all inputs. */
void ptOwnEachInput(struct ptOwn *own, ptOwnTake *take, void *context);

/** Tell whether some of it is simulated. */
gboolean ptOwnIsSimulated(const struct ptOwn *own);

/** Free it; takes NULL. */
void ptOwnFree(struct ptOwn *own);

#endif
