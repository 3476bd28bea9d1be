/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * By how much meters are late, and when hosts were idle.
 *
 * What files do not say is estimated as hdtrace delay does: power is compared
 * with what ran. Kernels draw different powers, so that is done twice: of the
 * second time each run counts with the power that was found by the first.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "HDTraceTools/model/power/delayestimate.h"
#include "PredictionLibrary/characterize/learn.h"

/** Where delays are looked for, as by hdtrace delay. */
#define LEAST_NS INT64_C(-500000000)
#define MOST_NS INT64_C(2000000000)

/* ---- When something ran ------------------------------------------------- */

static int latenessCompareSpans(const void *a, const void *b)
{
	const struct learntSpan *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* All spans that touch are one. */
static void latenessJoinSpans(struct learntMeter *meter)
{
	g_array_sort(meter->spans, latenessCompareSpans);
	g_array_sort(meter->others, latenessCompareSpans);
	for (guint i = 0; i < meter->spans->len; i++) {
		struct learntSpan span =
			g_array_index(meter->spans, struct learntSpan, i);
		struct learntSpan *last =
			meter->busy->len
				? &g_array_index(meter->busy, struct learntSpan,
						 meter->busy->len - 1)
				: NULL;

		if (last && span.start <= last->end)
			last->end = MAX(last->end, span.end);
		else
			g_array_append_val(meter->busy, span);
	}
}

/* ---- Load --------------------------------------------------------------- */

/* So much more load, or less, from a time on. */
struct edge {
	int64_t time;
	double change;
};

static int compareEdges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static void addEdges(GArray *edges, int64_t start, int64_t end, double weight)
{
	struct edge begin = { start, weight }, stop = { end, -weight };

	g_array_append_val(edges, begin);
	g_array_append_val(edges, stop);
}

/* The energy above idle of a run, at a delay, by the pause before it. */
static double weightOf(const struct learntMeter *meter,
		       const struct learntSpan *busy, int64_t before,
		       int64_t late)
{
	struct powerAmount run, pause;
	double length = (double)(busy->end - busy->start) / 1e9, idle;

	before = MAX(before, busy->start - 2000000000) + meter->cycle;
	if (busy->start - meter->cycle <= before)
		return NAN;
	run = powerCursorGet(meter->cursor, busy->start + late,
			     busy->end + late);
	pause = powerCursorGet(meter->cursor, before + late,
			       busy->start - meter->cycle + late);
	if (run.measured <= 0 || pause.measured <= 0 || length <= 0)
		return NAN;
	idle = pause.energy / ((double)pause.measured / 1e9);
	return fmax(run.energy / ((double)run.measured / 1e9) - idle, 0);
}

/* What ran as load; weighed by power once a delay is known. */
static GArray *edgesOf(const struct learntMeter *meter, bool isWeighed,
		       int64_t late)
{
	GArray *edges = g_array_new(FALSE, FALSE, sizeof(struct edge));
	const GArray *busy = isWeighed ? meter->busy : meter->spans;
	int64_t before = INT64_MIN / 2;

	for (guint i = 0; i < busy->len; i++) {
		const struct learntSpan *span =
			&g_array_index(busy, struct learntSpan, i);
		double weight =
			isWeighed ? weightOf(meter, span, before, late) : 1;

		if (isnan(weight))
			weight = 1;
		addEdges(edges, span->start, span->end, weight);
		before = span->end;
	}
	g_array_sort(edges, compareEdges);
	return edges;
}

static int fillLoad(const GArray *edges, struct powerSeries *load,
		    int64_t start, int64_t end)
{
	struct powerAmount sums = { .energy = 0 };
	double height = 0;
	int ret = powerSeriesAddSums(load, start, sums);

	for (guint i = 0; i <= edges->len && ret == 0; i++) {
		const struct edge *edge = &g_array_index(edges, struct edge, i);
		int64_t time = i < edges->len ? edge->time : end;

		if (time > start) {
			sums.energy += height * (double)(time - start) / 1e9;
			sums.measured += time - start;
			start = time;
			ret = powerSeriesAddSums(load, start, sums);
		}
		if (i < edges->len)
			height += edge->change;
	}
	return ret < 0 ? ret : powerSeriesEnd(load);
}

static struct delayEstimate tryLoad(const struct learntMeter *meter,
				    const GArray *edges)
{
	struct delayEstimate estimate = { .reason = DELAY_ALONE };
	struct delayInput input = {
		.power = meter->power,
		.isLoadExact = true,
		.leastNs = LEAST_NS,
		.mostNs = MOST_NS,
		.start = INT64_MIN / 2,
		.end = INT64_MAX / 2,
	};
	struct powerSeries *load;
	int64_t start, end;

	if (!edges->len || !powerSeriesRange(meter->power, &start, &end))
		return estimate;
	load = powerSeriesNew(meter->node->groups[0], NULL, 0);
	/* Before the first state and after the last one nothing ran. */
	start = MIN(start, g_array_index(edges, struct edge, 0).time);
	end = MAX(end, g_array_index(edges, struct edge, edges->len - 1).time);
	if (fillLoad(edges, load, start - 2 * MOST_NS, end + 2 * MOST_NS) < 0) {
		estimate.reason = DELAY_FAILED;
	} else {
		input.load = load;
		estimate = delayFind(&input);
	}
	powerSeriesFree(load);
	return estimate;
}

static int estimateLateness(struct learntMeter *meter)
{
	struct delayEstimate estimate = { .reason = DELAY_ALONE };
	int64_t late = 0;

	for (int round = 0; round < 3; round++) {
		GArray *edges = edgesOf(meter, round > 0, late);

		estimate = tryLoad(meter, edges);
		g_array_unref(edges);
		if (estimate.reason != DELAY_FOUND)
			break;
		late = (int64_t)llrint(estimate.delay * 1e9);
	}
	if (estimate.reason == DELAY_FAILED)
		return -EIO;
	if (estimate.reason == DELAY_FOUND) {
		meter->lateness = LATE_ESTIMATED;
		meter->late = late;
		meter->lateError =
			(int64_t)llrint(fmin(estimate.error, 60) * 1e9);
	} else {
		meter->lateReason = delayReasonText(estimate.reason);
	}
	return 0;
}

static void latenessReport(const struct learnt *self,
			   const struct learntMeter *meter)
{
	const char *label = learntHostOf(self, meter->host)->label;

	if (meter->lateness == LATE_UNKNOWN)
		learntSay(self, true, meter->project, label,
			  "delay of its power is unknown (%s); 0 is used",
			  meter->lateReason);
}

int learnLateness(struct learnt *self)
{
	for (guint i = 0; i < self->meters->len; i++) {
		struct learntMeter *meter = learntMeterOf(self, i);
		int ret = 0;

		latenessJoinSpans(meter);
		if (!meter->power || self->choice.isTimeOnly)
			continue;
		if (self->choice.isAsRecorded) {
			meter->lateness = LATE_IGNORED;
			meter->late = 0;
		} else if (meter->lateness == LATE_UNKNOWN) {
			ret = estimateLateness(meter);
			latenessReport(self, meter);
		}
		if (ret < 0)
			return ret;
	}
	return 0;
}
