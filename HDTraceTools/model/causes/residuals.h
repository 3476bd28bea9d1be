/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How far the clocks of traces can be apart, as their project states it.
 */
#ifndef HD_MODEL_RESIDUALS_H
#define HD_MODEL_RESIDUALS_H

#include <stdbool.h>
#include <inttypes.h>

#include <hdReading.h>

struct residuals;

/** Get those of a project. */
struct residuals *residualsNew(const hdIProject *project);

/** Free it; NULL does nothing. */
void residualsFree(struct residuals *self);

/**
 * Get by how much the times at two nodes can be apart, in ns: 0 on one host,
 * else the sum of both.
 *
 * @return False if that is not known; the result is 0 then.
 */
bool residualsGet(const struct residuals *self, const hdINode *a,
		  const hdINode *b, int64_t *residual);

#endif
