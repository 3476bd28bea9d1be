/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Energy of runs that have pauses around them.
 *
 * The window of a run is wider than it by what is not known of edges, as the
 * pause contributes nothing: its power is what counts as idle. Where there is a
 * pause behind it, too, idle power in between is taken from a line through
 * both.
 */
#include "config.h"

#include <math.h>

#include "PredictionLibrary/characterize/learn.h"

/** A window reaches so far into pauses, in ns, or so many cycles. */
#define EDGE_NS INT64_C(150000000)
#define EDGE_CYCLES 2
/** The last part of a pause counts, of it so many cycles at least. */
#define PAUSE_NS INT64_C(2000000000)
#define PAUSE_CYCLES 4
/** Power that is known for that part of a window is. */
#define KNOWN_PART 0.995
/** Where a meter's delay is not known windows are wider by that. */
#define LATE_NS INT64_C(200000000)

/* Power in a pause. */
struct pause {
	bool isThere;
	double power;    /**< In W. */
	double variance; /**< Of this mean. */
	double noise;    /**< Variance of one cycle. */
	double middle;   /**< In s since the start of the run. */
};

/* The first span of busy time that ends after a time. */
static guint findBusy(const struct learntMeter *meter, int64_t time)
{
	guint low = 0, high = meter->busy->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(meter->busy, struct learntSpan, middle).end <=
		    time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t learnEdge(const struct learntMeter *meter)
{
	int64_t late =
		meter->lateness == LATE_UNKNOWN ? LATE_NS : meter->lateError;

	return MAX(EDGE_NS, EDGE_CYCLES * meter->cycle) + late;
}

/* The mean of whole cycles, and its variance by how they differ. */
static struct pause pauseIn(const struct learntMeter *meter, int64_t start,
			    int64_t end, int64_t origin)
{
	struct pause pause = { .isThere = false };
	double sum = 0, squares = 0;
	int64_t count = 0;

	if (end - start < PAUSE_CYCLES * meter->cycle)
		return pause;
	for (int64_t t = start; t + meter->cycle <= end; t += meter->cycle) {
		struct powerAmount amount =
			powerCursorGet(meter->cursor, t + meter->late,
				       t + meter->cycle + meter->late);
		double power = amount.energy / ((double)meter->cycle / 1e9);

		if (amount.measured < meter->cycle)
			continue;
		count++;
		sum += power;
		squares += power * power;
	}
	if (count < PAUSE_CYCLES)
		return pause;
	pause.isThere = true;
	pause.power = sum / (double)count;
	pause.noise =
		fmax(squares / (double)count - pause.power * pause.power, 0) *
		(double)count / (double)(count - 1);
	pause.variance = pause.noise / (double)count;
	pause.middle =
		((double)start + (double)(end - start) / 2 - (double)origin) /
		1e9;
	return pause;
}

static bool isLost(const struct learntMeter *meter, int64_t start, int64_t end)
{
	for (guint i = 0; i < meter->lost->len; i++) {
		const struct learntSpan *span =
			&g_array_index(meter->lost, struct learntSpan, i);

		if (span->start < end + meter->late &&
		    span->end > start + meter->late)
			return true;
	}
	return false;
}

/* The time around a run, and what is around that. */
struct window {
	int64_t start;
	int64_t end;
	bool isClear; /**< Nothing else ran in it. */
	struct pause before;
	struct pause after;
};

static void findWindow(const struct learntMeter *meter,
		       const struct learntRun *run, struct window *window)
{
	int64_t edge = learnEdge(meter), first, last;
	guint place = findBusy(meter, run->start);
	const struct learntSpan *busy =
		&g_array_index(meter->busy, struct learntSpan, place);

	powerSeriesRange(meter->power, &first, &last);
	first -= meter->late;
	last -= meter->late;
	window->start = run->start - edge;
	window->end = run->end + edge;
	window->isClear = true;
	if (place > 0) {
		first = MAX(first, busy[-1].end + edge);
		window->isClear = busy[-1].end <= window->start;
	}
	if (place + 1 < meter->busy->len) {
		last = MIN(last, busy[1].start - edge);
		window->isClear =
			window->isClear && busy[1].start >= window->end;
	}
	window->before = pauseIn(meter, MAX(first, window->start - PAUSE_NS),
				 window->start, run->start);
	window->after = pauseIn(meter, window->end,
				MIN(last, window->end + PAUSE_NS), run->start);
}

/* Whether it is all that ran between two pauses: nothing of another trace, and
 * nothing of its own, is close to it. */
static bool isSingle(const struct learntMeter *meter,
		     const struct learntRun *run)
{
	guint place = findBusy(meter, run->start);
	const struct learntSpan *busy =
		&g_array_index(meter->busy, struct learntSpan, place);
	int64_t slack = meter->cycle / 2;

	return place < meter->busy->len && busy->start >= run->start - slack &&
	       busy->end <= run->end + slack;
}

/* Idle power in the middle of a window. */
static double idleAt(const struct window *window, double middle)
{
	const struct pause *before = &window->before, *after = &window->after;

	if (!after->isThere)
		return before->power;
	return before->power + (after->power - before->power) *
				       (middle - before->middle) /
				       (after->middle - before->middle);
}

static enum learntRefusal energiesCheckRun(const struct learnt *self,
					   const struct learntRun *run,
					   double length)
{
	if (!(run->energy > 0))
		return RUN_NEGATIVE;
	if (isfinite(run->drift) &&
	    fabs(run->drift) / 2 * length > self->choice.drift * run->energy)
		return RUN_DRIFT;
	return RUN_GOOD;
}

enum learntRefusal learnMeasure(const struct learnt *self,
				const struct learntMeter *meter,
				struct learntRun *run)
{
	struct window window;
	struct powerAmount amount;
	double length, variance, idle;

	if (self->choice.isTimeOnly || !meter->power || meter->cycle <= 0)
		return RUN_NO_POWER;
	if (!isSingle(meter, run))
		return RUN_NO_PAUSE;

	findWindow(meter, run, &window);
	if (!window.before.isThere || !window.isClear)
		return RUN_NO_PAUSE;
	amount = powerCursorGet(meter->cursor, window.start + meter->late,
				window.end + meter->late);
	length = (double)(window.end - window.start) / 1e9;
	if ((double)amount.measured / 1e9 < KNOWN_PART * length)
		return RUN_UNKNOWN;
	if (isLost(meter, window.start, window.end))
		return RUN_LOST;
	idle = idleAt(&window, (double)(run->end - run->start) / 2e9);
	run->idle = window.before.power;
	run->drift = window.after.isThere
			     ? window.after.power - window.before.power
			     : NAN;
	run->energy = amount.energy - idle * ((double)amount.measured / 1e9);
	run->power =
		idle + run->energy / ((double)(run->end - run->start) / 1e9);
	/* Of cycles that differ as they do in the pause. */
	variance = window.before.variance;
	if (window.after.isThere)
		variance = (variance + window.after.variance) / 4;
	run->error = sqrt(variance * length * length +
			  window.before.noise * length *
				  ((double)meter->cycle / 1e9));
	return energiesCheckRun(self, run, length);
}

/* What makes others of it than a run of its own. */
static enum learntRefusal sort(const struct learntRun *run)
{
	if (run->end <= run->start || !run->times)
		return RUN_SHORT;
	if (run->isLoad)
		return RUN_LOAD;
	if (!run->beside)
		return RUN_OVERLAP;
	if (run->besideCount)
		return RUN_LOADED;
	return RUN_GOOD;
}

void learnEnergies(struct learnt *self)
{
	for (guint i = 0; i < self->runs->len; i++) {
		struct learntRun *run = learntRunOf(self, i);
		const struct learntMeter *meter =
			learntMeterOf(self, run->meter);

		run->refusal = sort(run);
		if (run->refusal == RUN_GOOD)
			run->refusal = learnMeasure(self, meter, run);
		if (run->refusal != RUN_GOOD)
			run->energy = run->error = NAN;
	}
}
