/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A statistics group of a server in a predicted project, entry by entry.
 */
#ifndef HD_PREDICT_SERIES_H
#define HD_PREDICT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdStats.h>
#include "PredictionLibrary/output/project.h"

/** A number that says more of a value. */
struct hdPredictAttribute {
	const char *name;
	double number;
};

/** A value of a group: INT64 or DOUBLE. */
struct hdPredictColumn {
	const char *name;
	hdStatsValueType type;
	const char *unit;
	const char *grouping; /**< Or NULL. */
	const char *kind;     /**< A gauge is written on change. */
	/** Further attributes; ends with no name. NULL: none. */
	const struct hdPredictAttribute *attributes;
};

/** A value of an entry, by the type of its column. */
union hdPredictCell {
	int64_t integer;
	double number;
};

/** A group that is written. */
struct hdPredictSeries {
	hdStatsGroup *group;
	const struct hdPredictColumn *columns;
	size_t count;
	int64_t base; /**< Its start, in ns since 1970. */
	bool isGood;
	double last; /**< Time of the last entry. */
	uint32_t written;
};

/** Columns of the groups Transfers (two) and Memory (one). */
extern const struct hdPredictColumn hdPredictTransferColumns[];
extern const struct hdPredictColumn hdPredictMemoryColumns[];

/** Begin a group of a node of a level at a time; @p source is the simulator, or
 *  NULL for what was measured.
 *  Whether that worked is said at the end. Columns must live as long. */
struct hdPredictSeries hdPredictSeriesOn(hdTopoNode *node, int level,
					 int64_t base, const char *source,
					 const char *name,
					 const struct hdPredictColumn *columns,
					 size_t count);

/** Begin a group at the start of the simulation; whether that worked is said
 *  at the end. Columns must live as long. */
struct hdPredictSeries hdPredictSeriesBegin(
	const struct hdPredictProject *project, uint32_t server,
	const char *name, const struct hdPredictColumn *columns, size_t count);

/** Write an entry: what held up to a time, from the entry before. Times in
 * files are whole ns, so that one that is not later than that is not written.
 *  @return Whether it is. */
bool hdPredictSeriesWrite(struct hdPredictSeries *series, double at,
			  const union hdPredictCell *cells);

/** End it with an entry up to the end of the simulation, if that is later than
 *  the last one. @return 0 or -EIO. */
int hdPredictSeriesEnd(struct hdPredictSeries *series, double makespan,
		       const union hdPredictCell *cells);

#endif
