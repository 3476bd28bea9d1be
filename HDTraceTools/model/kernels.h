/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the probes of programs have counted (doc/format/format.md, `probe`), and
 * what their kernels cost in energy.
 *
 * Groups say how long all threads together were in a kernel, not when, so it is
 * taken as even in each interval. An interval of the length L in which kernels
 * took the thread time w1, w2, ... in all has of the energy E of its node the
 * parts E wi / max(L, w1 + w2 + ...): what several threads do at once shares
 * the power of the node by time, and while less than one thread is in a kernel
 * the rest is nobody's. Where timers lie within others, both claim their time.
 * Where a part of a node tells its own power, that is of the kernels in the
 * part, and those elsewhere on the node share what is left: no joule is charged
 * twice. Energies are integers: parts and rest add up exactly.
 */
#ifndef HD_MODEL_KERNELS_H
#define HD_MODEL_KERNELS_H

#include <stdbool.h>
#include <glib.h>

#include <hdReading.h>

#include "HDTraceTools/model/attribution.h"

/** Parts of a kernel; of a timer there is only the body. */
enum kernelPart { KERNEL_BODY, KERNEL_DISPATCH, KERNEL_PARTS };

/** A timer or kernel of one process. */
struct kernel {
	const hdIGroup *group;
	const char *name; /**< Of the probe. */
	bool hasDispatch; /**< A kernel, no timer. */
	uint64_t instances;
	double seconds[KERNEL_PARTS]; /**< Of all threads together. */
	/** Instructions a cycle, where both are known; else NaN. */
	double ratio;
	const hdIGroup *power; /**< That tells it, or NULL; the caller's. */
	struct attributionAmount energy[KERNEL_PARTS];
	int64_t busy[KERNEL_PARTS]; /**< Of intervals in which it ran, in ns. */
};

/** Find the timers and kernels of a project, in the order of its groups: array
 *  of struct kernel, to be freed with g_array_unref(). */
GArray *kernelsFind(const hdIProject *project);

/** A group that tells power. */
struct kernelMeter {
	const hdIGroup *group;
	const bool *isPower; /**< Which of its values; see valuesOfPower(). */
};

/**
 * Read those kernels whose power a group tells.
 *
 * @param kernels From kernelsFind(), with their power set.
 * @param meters The group, and behind it those of parts of its node whose power
 *        is in it.
 * @param count How many; 0: read those without any.
 * @param[out] rest Of the energy of the group without its parts, what no kernel
 *        is charged with.
 *
 * @return 0, or the negative errno of a temporary file.
 */
int kernelsRead(const hdIProject *project, GArray *kernels,
		const struct kernelMeter *meters, guint count, powerPico *rest);

/** The energy of both parts; known where both are. */
struct attributionAmount kernelEnergy(const struct kernel *kernel);

#endif
