/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A counter as pmlib has it: lines of a device, and sets of their values.
 */
#ifndef PT_COUNTER_H
#define PT_COUNTER_H

#include "PowerTracingLibrary/service/core/served.h"

/** Sets of a counter at most: what a client asks for must end somewhere. */
#define PT_COUNTER_SETS_MAX 100000

struct ptCounter;

/** How the values go over the wire. */
struct ptCounterForm {
	bool isFloat;
	bool isSetMajor;
};

/**
 * Create a counter; it collects nothing yet.
 *
 * @param lines Numbers of the lines.
 * @param every Every so many-th reading counts.
 *
 * @return NULL without memory.
 */
struct ptCounter *ptCounterCreate(struct ptServed *served,
				  struct ptAccount *account,
				  const size_t *lines, size_t count,
				  bool isAggregate, uint64_t every);

/** Free it with all it has; takes NULL. */
void ptCounterDestroy(struct ptCounter *counter);

/** Get its device. */
struct ptServed *ptCounterServed(const struct ptCounter *counter);

/**
 * Begin a set; without @p continues those before are dropped.
 *
 * @retval -EBUSY It is collecting.
 * @retval -ENOMEM No room, as of ptSetStart(), or -EDQUOT.
 */
int ptCounterStart(struct ptCounter *counter, bool continues);

/**
 * End the set.
 *
 * @retval -EINVAL It is not collecting.
 * @retval -EDQUOT It ended before: a limit was reached. What was collected
 *         until then can be had.
 */
int ptCounterStop(struct ptCounter *counter);

/** Tell whether it is collecting. */
bool ptCounterIsActive(const struct ptCounter *counter);

/** Tell whether all that was collected is there, as of ptSetIsComplete(). */
bool ptCounterIsComplete(struct ptCounter *counter, int64_t nowNs);

/** When it is complete at the latest; 0 if it is. */
int64_t ptCounterDue(const struct ptCounter *counter);

/**
 * Prepare the answer to GET: what it has and how long that is.
 *
 * @param[out] values Number of values, W.
 * @param[out] sets Ends of the sets, of which the first is 0; there is one
 *        more than sets. It belongs to the counter.
 * @param[out] setCount Their number, S.
 *
 * @retval -EFBIG More than pmlib can announce.
 * @retval -ENOMEM Out of memory.
 */
int ptCounterCollect(struct ptCounter *counter, int32_t *values,
		     const int32_t **sets, int32_t *setCount);

/** Get the number of its lines, L. */
int32_t ptCounterLines(const struct ptCounter *counter);

/**
 * Write some of the values, in their order; ptCounterCollect() begins anew.
 *
 * @return Bytes written; 0 at the end.
 */
size_t ptCounterPut(struct ptCounter *counter, const struct ptCounterForm *form,
		    unsigned char *bytes, size_t size);

#endif
