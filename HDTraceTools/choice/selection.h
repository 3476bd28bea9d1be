/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which nodes, groups, values and times somebody wants to know of.
 *
 * How options become a selection is said in command/select.h.
 */
#ifndef HD_CHOICE_SELECTION_H
#define HD_CHOICE_SELECTION_H

#include <inttypes.h>
#include <stdbool.h>

#include <hdReading.h>

/** What was asked for. */
struct selection {
	/* As given; NULL terminated lists of patterns, or NULL. */
	char **nodes;
	char **groups;
	char **values;
	char *from;
	char *to;
	const char
		*until; /**< What the option for to is called, if not that. */
	/** A half-open interval ]start, end]. */
	int64_t start;
	int64_t end;
	/** The time that relative times count from. */
	int64_t projectStart;
};

/** Free what was given. */
void selectionFree(struct selection *selection);

/**
 * Parse a time: since the start of the project, or after "@" since the epoch.
 * It is a number of seconds, or has a unit: "500ms".
 *
 * @return As of hdSecondsParse().
 */
int selectionParseTime(const char *text, int64_t projectStart, int64_t *ns);

/** Whether a node was asked for; NULL is the only node there is. */
bool selectionHasNode(const struct selection *selection, const hdINode *node);
/** Whether a group (and its node) was asked for. */
bool selectionHasGroup(const struct selection *selection,
		       const hdIGroup *group);
/** Whether a value of that name was asked for. */
bool selectionHasValue(const struct selection *selection, const char *name);
/** Whether an interval lies in the time that was asked for, in part at least.
 */
bool selectionHasTime(const struct selection *selection, int64_t start,
		      int64_t end);

#endif
