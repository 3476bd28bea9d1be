/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values of a group tell the power of its node: the rule of
 * common/nodepower.h for files.
 */
#ifndef HD_MODEL_POWER_CHOICE_H
#define HD_MODEL_POWER_CHOICE_H

#include <stdbool.h>

#include <hdReading.h>

/** Why a value that tells power is not used. */
struct powerLeftOut {
	char *reason; /**< To be freed; NULL: it is used, or tells none. */
	bool isFault; /**< Its counter does not count. */
};

/** Whether a group has values that tell power: see valuesOfPower(). */
bool groupTellsPower(const hdIGroup *group, const char *pattern);

/**
 * Choose the values of a group from which the energy of its node is derived:
 * of those in W, else in J, those that match a pattern, or else the channels
 * that make up the node. Where counters contain each other, all entries are
 * read to find those that do not count.
 *
 * @param pattern Of names; NULL: none.
 * @param[out] isPower Of each value; false at first.
 * @param[out] leftOut Which others tell power, by value; all NULL at first.
 *             NULL: not wanted.
 *
 * @return How many there are.
 */
size_t valuesOfPower(const hdIProject *project, const hdIGroup *group,
		     const char *pattern, bool *isPower,
		     struct powerLeftOut *leftOut);

#endif
