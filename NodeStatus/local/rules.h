/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The configuration of a node: how often it looks, and what alarms it has
 * (hdnode.conf(5)).
 *
 *     [Node]
 *     interval = 1
 *     health_interval = 60
 *
 *     [Alarm]
 *     name = low-memory
 *     metric = memory_available_percent
 *     comparator = below
 *     threshold = 5
 *     hold = 30
 *     hysteresis = 2
 *
 * A configuration replaces the one before as a whole: what is in none of its
 * sections is as built in, but for alarms, of which there are those that it
 * has.
 */
#ifndef HD_NODE_RULES_H
#define HD_NODE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "NodeStatus/local/metric.h"

/** Longest name of an alarm, with the terminating zero. */
#define NODE_RULE_NAME_MAX 64
/** More alarms than anybody looks at. */
#define NODE_RULES_MAX 256

/** When an alarm is raised. */
struct nodeRule {
	char name[NODE_RULE_NAME_MAX];
	enum nodeMetric metric;
	bool isAbove; /**< Raised above the threshold; else below it. */
	double threshold;
	/** How far back it must go until the alarm is no longer raised. */
	double hysteresis;
	double holdS; /**< For how long it must be so. */
};

/** A configuration. */
struct nodeRules {
	double intervalS;
	double healthIntervalS;
	struct nodeRule *list;
	size_t count;
	char *ini; /**< The text. */
};

/** The text of the configuration that holds without one. */
extern const char nodeRulesBuiltIn[];

/**
 * Parse a configuration.
 *
 * @param[out] rules To be given to nodeRulesClear(); only without an error.
 * @param[out] error All that is wrong, "LINE: TEXT\n" each, to be freed; NULL
 *             if nothing is.
 *
 * @retval -EINVAL It is wrong.
 * @retval -ENOMEM Out of memory.
 */
int nodeRulesParse(const char *ini, size_t length, struct nodeRules *rules,
		   char **error);

/** Free what it holds. */
void nodeRulesClear(struct nodeRules *rules);

/** The words of the comparators. */
const char *nodeRuleComparator(const struct nodeRule *rule);

#endif
