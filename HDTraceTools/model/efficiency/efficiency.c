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

struct efficiency efficiencyOf(const struct efficiencySums *sums)
{
	struct efficiency self = efficiencyUnknown();
	double largest = (double)sums->largest;

	self.time = sums->time;
	self.largest = sums->largest;
	self.ideal = sums->ideal;
	if (sums->ranks == 0)
		return self;
	self.loadBalance = efficiencyRatio(sums->useful / (double)sums->ranks,
					   sums->largest);
	self.communication = efficiencyRatio(largest, sums->time);
	self.parallel = self.loadBalance * self.communication;
	self.serialisation = efficiencyRatio(largest, sums->ideal);
	if (sums->ideal > 0)
		self.transfer =
			efficiencyRatio((double)sums->ideal, sums->time);
	return self;
}

int efficiencyFind(struct replay *replay, const struct calls *calls,
		   size_t traces, int64_t from, int64_t to,
		   const struct replayWatch *watch, struct efficiency *result)
{
	struct replayModel model = REPLAY_MODEL;
	struct efficiencySums sums = { .time = to - from };
	int ret;

	*result = efficiencyUnknown();
	for (size_t i = 0; i < traces; i++) {
		int64_t useful;

		if (!efficiencyCounts(callsOf(calls, i)))
			continue;
		useful = replayUseful(replay, i, from, to);
		if (useful == INT64_MIN)
			return -EIO;
		sums.largest = MAX(sums.largest, useful);
		sums.useful += (double)useful;
		sums.ranks++;
	}
	if (sums.ranks == 0)
		return 0;
	model.isIdeal = true;
	model.from = from;
	model.to = to;
	model.watch = watch;
	ret = replayRun(replay, &model, &sums.ideal);
	if (ret == -EDEADLK)
		sums.ideal = 0;
	*result = efficiencyOf(&sums);
	return ret == -EDEADLK ? 0 : ret;
}
