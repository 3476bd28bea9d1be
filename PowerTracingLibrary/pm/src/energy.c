/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Energy: of each set its mean power times its length. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "PowerTracingLibrary/pm/src/pm.h"

/* Add up a column, or all of them if it is -1. A set without samples has a
 * power that nobody knows, and so counts in neither number. */
static void pmEnergyEnergyOf(const struct pmView *view, int column,
			     double *seconds, double *joules)
{
	*seconds = 0;
	*joules = 0;
	for (int set = view->first; set < view->end; set++) {
		double length = (double)pmViewLength(view, set) / 1e9, sum = 0;
		int count = pmViewCount(view, set);

		for (int i = 0; i < count; i++)
			sum += column < 0 ? pmViewSum(view, set, i)
					  : pmViewValue(view, column, set, i);
		if (count == 0) {
			pmLog(HD_LOG_WARNING, "%s: set %d has no samples",
			      view->counter->device, set);
			continue;
		}
		*seconds += length;
		*joules += sum / count * length;
	}
}

static bool hasSamples(const struct pmView *view)
{
	for (int set = view->first; set < view->end; set++)
		if (pmViewCount(view, set) > 0)
			return true;
	return false;
}

/* As pmViewMake(), but there must be samples. */
static int viewMake(struct pmView *view, const counter_t *counter,
		    const line_t *lines, int set)
{
	int saved = errno, ret = pmViewMake(view, counter, lines, set);

	if (ret == 0 && !hasSamples(view))
		return pmResult(-ENODATA, saved);
	return ret;
}

int pm_get_energy(counter_t counter, line_t lines, int set, double *seconds,
		  double *joules)
{
	double time, energy;
	struct pmView view;
	int ret = viewMake(&view, &counter, &lines, set);

	if (ret < 0)
		return ret;
	pmEnergyEnergyOf(&view, -1, &time, &energy);
	if (seconds)
		*seconds = time;
	if (joules)
		*joules = energy;
	return 0;
}

static double pmEnergyPowerOf(double seconds, double joules)
{
	return seconds > 0 ? joules / seconds : 0;
}

static void putAggregate(const struct pmView *view)
{
	double seconds, joules;

	pmEnergyEnergyOf(view, 0, &seconds, &joules);
	pmPutNumber(stdout, seconds);
	putchar('\t');
	pmPutNumber(stdout, pmEnergyPowerOf(seconds, joules));
	putchar('\t');
	pmPutNumber(stdout, joules);
	putchar('\n');
}

/* Four lines for a line of the meter, or, for -1, for their sum. */
static void putLine(const struct pmView *view, int column)
{
	double seconds, joules;

	pmEnergyEnergyOf(view, column, &seconds, &joules);
	if (column < 0)
		puts("Line: Sum");
	else
		printf("Line: %d\n", view->line[column]);
	fputs("Time: ", stdout);
	pmPutNumber(stdout, seconds);
	fputs(" s\nAvg. power: ", stdout);
	pmPutNumber(stdout, pmEnergyPowerOf(seconds, joules));
	fputs(" W\nEnergy: ", stdout);
	pmPutNumber(stdout, joules);
	fputs(" J\n", stdout);
}

int pm_calculate_energy(counter_t counter, line_t lines, int set)
{
	int saved = errno, ret;
	struct pmView view;

	ret = viewMake(&view, &counter, &lines, set);
	if (ret < 0)
		return ret;
	if (view.isAggregate) {
		putAggregate(&view);
	} else {
		printf("Energy of device %s\n", view.counter->device);
		for (int i = 0; i < view.columns; i++)
			putLine(&view, i);
		putLine(&view, -1);
	}
	if (fflush(stdout) != 0)
		return pmFileResult(-errno, saved);
	return pmResult(1, saved);
}
