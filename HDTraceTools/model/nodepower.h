/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values of a group tell the power of its node.
 */
#ifndef HD_MODEL_NODEPOWER_H
#define HD_MODEL_NODEPOWER_H

#include <stdbool.h>

#include <hdReading.h>
#include "HDTraceTools/model/powerseries.h"

/**
 * Choose the values from which the energy of a node is derived: those in W,
 * else those in J, that match, or else that are alike the first one.
 *
 * @param pattern Of names; NULL: none.
 * @param[out] isPower Of each value; false at first.
 *
 * @return How many there are.
 */
size_t nodePowerChoose(const hdIGroup *group, const char *pattern,
		       bool *isPower);

/** Start a series of these values together. */
struct powerSeries *nodePowerSeries(const hdIGroup *group, const bool *isPower);

#endif
