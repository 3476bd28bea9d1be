/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Efficiencies after POP.
 */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "HDTraceTools/model/efficiency/efficiency.h"

struct efficiency efficiencyUnknown(void)
{
	return (struct efficiency){ NAN, NAN, NAN, NAN, NAN, 0, 0, 0 };
}

/** Whether a trace is one of a rank that calls MPI. */
static bool efficiencyCounts(const struct callsTrace *trace)
{
	return trace->start < trace->end && trace->count > 0;
}

bool efficiencyWindow(const struct calls *calls, size_t traces, int64_t *from,
		      int64_t *to)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	*from = INT64_MIN;
	*to = INT64_MAX;
	for (size_t i = 0; i < traces; i++) {
		const struct callsTrace *trace = callsOf(calls, i);

		if (!efficiencyCounts(trace))
			continue;
		first = MIN(first, trace->start);
		last = MAX(last, trace->end);
		*from = MAX(*from, trace->initEnd);
		*to = MIN(*to, trace->finalizeStart);
	}
	*from = MAX(*from, first);
	*to = MIN(*to, last);
	return *from < *to;
}

/** A ratio of times; NaN where there is none. */
static double efficiencyRatio(double a, int64_t b)
{
	return b > 0 ? a / (double)b : NAN;
}

int efficiencyFind(struct replay *replay, const struct calls *calls,
		   size_t traces, int64_t from, int64_t to,
		   struct efficiency *result)
{
	struct replayModel model = REPLAY_MODEL;
	double sum = 0;
	size_t count = 0;
	int ret;

	*result = efficiencyUnknown();
	for (size_t i = 0; i < traces; i++) {
		int64_t useful;

		if (!efficiencyCounts(callsOf(calls, i)))
			continue;
		useful = replayUseful(replay, i, from, to);
		if (useful == INT64_MIN)
			return -EIO;
		result->largest = MAX(result->largest, useful);
		sum += (double)useful;
		count++;
	}
	if (count == 0)
		return 0;
	model.isIdeal = true;
	model.from = from;
	model.to = to;
	ret = replayRun(replay, &model, &result->ideal);
	result->time = to - from;
	result->loadBalance =
		efficiencyRatio(sum / (double)count, result->largest);
	result->communication =
		efficiencyRatio((double)result->largest, result->time);
	result->parallel = result->loadBalance * result->communication;
	if (ret == -EDEADLK)
		return 0;
	result->serialisation =
		efficiencyRatio((double)result->largest, result->ideal);
	result->transfer = efficiencyRatio((double)result->ideal, result->time);
	return ret;
}
