/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which values tell the power of nodes: the rule of common/nodepower.h for
 * files.
 *
 * Of a node all groups are taken together: packages in one file and cards in
 * another one add up, and an external meter in a third one replaces both.
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

/** A group, by what it tells of the power of its node. */
struct powerGroup {
	const hdIGroup *group;
	bool *isPower;                /**< Which values count. */
	struct powerLeftOut *leftOut; /**< Which others tell power. */
	size_t count;                 /**< How many values count. */
	/** The group that stands for the node: the first one with values that
	 *  count. NULL: no value of the node counts. */
	const struct powerGroup *first;
};

/** The choice for all nodes of a project. */
struct powerChoice;

/**
 * Choose the values from which the energy of each node is derived: of each
 * group those in W, else in J, that match a pattern, or else the channels that
 * make up the node. Of groups with counters all entries are read, to find
 * counters with faults.
 *
 * @param pattern Of names; NULL: none.
 */
struct powerChoice *powerChoiceNew(const hdIProject *project,
				   const char *pattern);

/** Free a choice; NULL does nothing. */
void powerChoiceFree(struct powerChoice *self);

/** Get a group by its number in the project. */
const struct powerGroup *powerChoiceAt(const struct powerChoice *self,
				       size_t number);

/** Get the group that stands for a node; NULL if nothing tells its power. */
const struct powerGroup *powerChoiceOf(const struct powerChoice *self,
				       const hdINode *node);

/** The same of the nearest node that has one, from one upwards. */
const struct powerGroup *powerChoiceNear(const struct powerChoice *self,
					 const hdINode *node);

/**
 * Choose among the values of one group only.
 *
 * @param[out] isPower Of each value; false at first.
 *
 * @return How many there are.
 */
size_t powerOfGroup(const hdIProject *project, const hdIGroup *group,
		    bool *isPower);

#endif
