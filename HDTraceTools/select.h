/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file select.h
 * Which nodes, groups, values and times a subcommand is asked for.
 */
#ifndef HD_SELECT_H
#define HD_SELECT_H

#include <stdbool.h>
#include <inttypes.h>

#include "tool.h"

/** What was asked for on the command line. */
struct selection {
	/* Options as given; NULL terminated lists of patterns, or NULL. */
	char **nodes;
	char **groups;
	char **values;
	char *from;
	char *to;
	const char
		*until; /**< What the option for to is called, if not that. */
	/** A half-open interval ]start, end], after selectResolve(). */
	int64_t start;
	int64_t end;
	/** The time that relative times count from, after selectResolve(). */
	int64_t projectStart;
};

/** Entries for toolParse() that fill a selection; six and no terminator. The
 *  option for the end of the time is called @p until. */
#define SELECT_ENTRIES_UNTIL(selection, until)                        \
	{ "node",                                                     \
	  'n',                                                        \
	  0,                                                          \
	  G_OPTION_ARG_FILENAME_ARRAY,                                \
	  &(selection)->nodes,                                        \
	  "Only nodes that match and what lies below them",           \
	  "PATTERN" },                                                \
		{ "group",                                            \
		  'g',                                                \
		  0,                                                  \
		  G_OPTION_ARG_FILENAME_ARRAY,                        \
		  &(selection)->groups,                               \
		  "Only groups that match",                           \
		  "PATTERN" },                                        \
		{ "value",                                            \
		  'v',                                                \
		  0,                                                  \
		  G_OPTION_ARG_FILENAME_ARRAY,                        \
		  &(selection)->values,                               \
		  "Only values that match",                           \
		  "PATTERN" },                                        \
		{ "from",                                             \
		  0,                                                  \
		  0,                                                  \
		  G_OPTION_ARG_FILENAME,                              \
		  &(selection)->from,                                 \
		  "Only what comes after this time",                  \
		  "TIME" },                                           \
	{                                                             \
		until, 0, 0, G_OPTION_ARG_FILENAME, &(selection)->to, \
			"Only what comes before this time", "TIME"    \
	}
#define SELECT_ENTRIES(selection) SELECT_ENTRIES_UNTIL(selection, "to")

/** Free what the options took. */
void selectFree(struct selection *selection);

/**
 * Parse a decimal number of seconds, exactly.
 *
 * @param text "12", "-0.5", "1247419294.305196"; at most nine decimals.
 * @param[out] ns Nanoseconds.
 *
 * @retval 0 Success.
 * @retval -EINVAL Not a number.
 * @retval -ERANGE Too large.
 */
int selectParseSeconds(const char *text, int64_t *ns);

/**
 * Parse a time: seconds since the start of the project, or "@" and seconds
 * since the epoch.
 *
 * @return As of selectParseSeconds().
 */
int selectParseTime(const char *text, int64_t projectStart, int64_t *ns);

/**
 * Parse a time adjustment as readers do: empty, a sign, a fraction, the suffix
 * s or ms.
 *
 * @return As of selectParseSeconds().
 */
int selectParseAdjustment(const char *text, int64_t *ns);

/**
 * Find the start of a project: the earliest initial time stamp of a group or
 * start of a top-level state or event.
 *
 * @retval 1 @p start is set.
 * @retval 0 Nothing in the project has a time.
 */
int selectProjectStart(const hdIProject *project, int64_t *start);

/**
 * Turn the options into times, and see that every pattern matches something.
 *
 * @param needsStart Set projectStart even if no option needs it.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said.
 */
int selectResolve(struct selection *selection, struct tool *tool,
		  const hdIProject *project, bool needsStart);

/** Whether a node was asked for; NULL is the only node there is. */
bool selectHasNode(const struct selection *selection, const hdINode *node);
/** Whether a group (and its node) was asked for. */
bool selectHasGroup(const struct selection *selection, const hdIGroup *group);
/** Whether a value of that name was asked for. */
bool selectHasValue(const struct selection *selection, const char *name);
/** Whether an interval lies in the time that was asked for, in part at least.
 */
bool selectHasTime(const struct selection *selection, int64_t start,
		   int64_t end);

#endif
