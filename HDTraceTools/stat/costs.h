/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the states of every trace took: time, and energy of each value that is
 * power. The one reading behind stat --regions and stat --shares.
 */
#ifndef HD_STAT_COSTS_H
#define HD_STAT_COSTS_H

#include <stdbool.h>

#include <glib.h>

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/profile.h"
#include "HDTraceTools/model/relations/joules.h"
#include "cli/rows.h"

/** A value that is power, at several nodes. */
struct costsMeasure {
	const char *group;
	const char *name;
	const char *unit;
	bool isSimulated; /**< Of one group at least. */
	char *energyUnit;
	/** What was read last, since traces of a node follow each other. */
	const hdIGroup *opened;
	struct powerSeries *series; /**< What ranks get together. */
};

/** What a trace took. */
struct costsTrace {
	const hdITraceFile *trace;
	struct profile *profile; /**< NULL if the trace cannot be read. */
	/** For each measure: all that it is charged with, in states or not. */
	struct attributionAmount *whole;
};

/** All of it. */
struct costs {
	struct scan scan; /**< Of the traces that were asked for. */
	GArray *measures; /**< struct costsMeasure. */
	struct attribution *attribution;
	struct forest *forest; /**< NULL: there are no relations. */
	struct joules *joules;
	GPtrArray *held; /**< Shares of the trace that is read. */
	GArray *traces;  /**< struct costsTrace, of those wanted. */
};

/**
 * Find the values that are power.
 *
 * @param selection Its nodes choose among the traces, its groups and values
 *        among what is power; stays.
 */
void costsInit(struct costs *self, struct tool *tool, const hdIProject *project,
	       const struct selection *selection);

/** Read all traces that were asked for, with progress; what is wrong is said.
 *
 * @param rule How power is divided.
 */
void costsRead(struct costs *self, enum attributionRule rule);

/** Free what is in it. */
void costsClear(struct costs *self);

/** The names of states that match a pattern, in the order of the alphabet, to
 *  be freed with g_ptr_array_unref(); they live as long as this. */
GPtrArray *costsNames(const struct costs *self, const char *pattern);

/** Columns of what the processor did in states (hdmpirun --counters), and
 * outside of them, since the state before. */
#define COSTS_EVENT_COLUMNS                                                 \
	{ ">Cycles", "cycles", ROW_COUNT, ROW_DASH },                       \
		{ ">Instructions", "instructions", ROW_COUNT, ROW_DASH },   \
		{ ".IPC", "instructions_per_cycle", ROW_NUMBER, ROW_DASH }, \
		{ ">Cache misses", "cache_misses", ROW_COUNT, ROW_DASH },   \
		{ NULL, "counted", ROW_COUNT, 0 },                          \
		{ NULL, "outside_cycles", ROW_COUNT, 0 },                   \
		{ NULL, "outside_instructions", ROW_COUNT, 0 },             \
	{                                                                   \
		NULL, "outside_cache_misses", ROW_COUNT, 0                  \
	}

/** Set these columns.
 *
 * @param column The first of them.
 * @param cost Of the states.
 * @param count How many states the row is of.
 */
void costsSetEvents(struct rows *rows, size_t column,
		    const struct profileCost *cost, uint64_t count);

/** Say in a row of which value that is power it tells.
 *
 * @param column The first of group, value, unit, and whether it is simulated.
 */
void costsSetMeasure(struct rows *rows, size_t column,
		     const struct costsMeasure *measure);

/** Set a number, and in the next column its unit: as it is for programs, and
 *  for people in a unit that suits it, behind a mark. */
void costsSetNumber(struct rows *rows, size_t column, const char *mark,
		    double number, const char *unit);

/** A table for each value that is power; one without if there is none. */
struct costsTable {
	const struct rowColumn *columns;
	size_t energy, energyCount;          /**< Those that need power. */
	size_t events;                       /**< See COSTS_EVENT_COLUMNS. */
	void (*begin)(struct outJson *json); /**< Its document. */
	const char *list;                    /**< In it, with all rows. */
	/** Print the rows of a measure; behind the last: without power. */
	void (*fill)(void *data, guint measure, struct rows *rows,
		     struct outJson *json);
	void *data;
	/** What all of the rows have. */
	struct profileEvents inside, outside;
};

/** Print it. */
void costsPrint(const struct costs *self, const struct costsTable *table);

static inline struct costsMeasure *costsMeasureAt(const struct costs *self,
						  guint i)
{
	return &g_array_index(self->measures, struct costsMeasure, i);
}

static inline struct costsTrace *costsTraceAt(const struct costs *self, guint i)
{
	return &g_array_index(self->traces, struct costsTrace, i);
}

#endif
