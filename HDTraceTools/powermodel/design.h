/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The rows and columns of a fit: windows, and what power depends on.
 */
#ifndef HD_POWERMODEL_DESIGN_H
#define HD_POWERMODEL_DESIGN_H

#include "HDTraceTools/powermodel/leastsquares.h"
#include "HDTraceTools/powermodel/powermodel.h"

/** Which columns there are. */
enum designColumns {
	DESIGN_SLOPES, /**< A constant, and each segment of each component. */
	DESIGN_ALL,    /**< And the derivatives of knots and of the clock. */
};

/** Whether a component has columns. */
static inline bool designHas(const struct modelShape *shape)
{
	return shape->verdict == MODEL_FITTED || shape->isHidden;
}

/** Make the rows of all windows that count; to be freed. Trends over time of
 *  runs that drift are taken out. */
void designBuild(const struct modelFit *fit, enum designColumns columns,
		 struct leastSquares *squares);

/** As designBuild(), of the runs or windows for which @p uses is true. */
typedef bool designUses(const struct modelRun *run, size_t window, void *data);
void designBuildSome(const struct modelFit *fit, enum designColumns columns,
		     designUses *uses, void *data,
		     struct leastSquares *squares);

/** Get the column of the first knot of a component, of DESIGN_ALL. */
size_t designColumnOfKnot(const struct modelFit *fit, int part);

/** Fill a row with the columns DESIGN_SLOPES of a window. */
void designRow(const struct modelFit *fit, const struct modelRun *run,
	       const struct modelWindow *window, double *row);

/** Mark the columns DESIGN_SLOPES that the written model has: not those that
 *  stand for refused components. */
void designMarkWritten(const struct modelFit *fit, bool *isWritten);

/** Get the number of columns. */
size_t designCount(const struct modelFit *fit, enum designColumns columns);

/** Whether no load changes much around a window. */
bool designIsSteady(const struct modelFit *fit, const struct modelRun *run,
		    size_t window);

/** Whether steady windows have most of the changes of each load. */
bool designKeepsLoads(const struct modelFit *fit);

/** Whether a trend over time can be told from the loads of a run. */
bool designCanDrift(const struct modelFit *fit, const struct modelRun *run);

/** Whether each segment of a component has windows in it. */
bool designHasLoads(const struct modelFit *fit, int part);

/** Get the highest clock, in MHz; 0: it is unknown or does not change. */
double designClock(const struct modelFit *fit);

#endif
