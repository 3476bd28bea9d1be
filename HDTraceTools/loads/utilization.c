/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Utilization of nodes; see utilization.h. */
#include "config.h"

#include <fnmatch.h>
#include <math.h>

#include "HDTraceTools/delay/loads.h"
#include "HDTraceTools/loads/utilization.h"
#include "cli/known.h"

#define UTILIZATION_PATTERN "CPU[_ ]TOTAL"
/* Rounding of means. */
#define UTILIZATION_ROUNDING 1e-12

bool utilizationIsAt(const hdINode *node)
{
	for (size_t i = 0; i < node->groupCount; i++) {
		const hdIGroup *group = node->groups[i];

		for (size_t j = 0; j < group->valueCount; j++) {
			if (fnmatch(UTILIZATION_PATTERN, group->values[j].name,
				    0) == 0)
				return true;
		}
	}
	return false;
}

int utilizationRead(const struct scan *scan, const hdINode *node,
		    struct powerSeries **series)
{
	const struct loadChoice choice = { .value = UTILIZATION_PATTERN };
	struct load load;
	int ret = loadRead(scan, node, &choice, &load);

	*series = ret > 0 ? load.series : NULL;
	if (ret > 0)
		load.series = NULL;
	loadForget(&load);
	return ret < 0 ? ret : 0;
}

double utilizationMean(struct powerCursor *cursor, int64_t start, int64_t end)
{
	struct powerAmount amount;

	if (!cursor || end <= start)
		return NAN;
	amount = powerCursorGet(cursor, start, end);
	if (amount.measured <= 0)
		return NAN;
	return knownMean((struct known){ amount.measured, end - start },
			 amount.energy * 1e9 / (double)amount.measured);
}

double utilizationSteadiness(struct powerCursor *cursor, int64_t start,
			     int64_t end)
{
	double count = 0, mean = 0, squares = 0, steadiness;

	for (int64_t at = start; end - at >= UTILIZATION_WINDOW_NS;
	     at += UTILIZATION_WINDOW_NS) {
		double value =
			utilizationMean(cursor, at, at + UTILIZATION_WINDOW_NS);
		double before = value - mean;

		if (isnan(value))
			continue;
		count++;
		mean += before / count;
		squares += before * (value - mean);
	}
	if (count < 2 || mean <= 0)
		return NAN;
	steadiness = sqrt(squares / count) / mean;
	return steadiness < UTILIZATION_ROUNDING ? 0 : steadiness;
}
