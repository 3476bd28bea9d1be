/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From slots to figures. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "InstrumentationLibrary/src/decay.h"
#include "InstrumentationLibrary/src/merge.h"

/* How often sums are read again that did not belong together. Who counts all
 * the time, or was killed while it did, does not keep us: then each number is
 * right by itself. */
#define TRIES 20000

enum scalar {
	COUNT,
	TIMED,
	MISSED,
	SUM,
	SQUARES,
	SQUARES_HIGH,
	OUTER,
	OUTER_SQUARES,
	OUTER_SQUARES_HIGH,
	EVENTS,
	COUNTED = EVENTS + HDPROBE_EVENTS,
	SCALARS = COUNTED + HDPROBE_EVENTS,
};

/* Members of the slot, which the sequence says belong together. */
struct view {
	uint64_t scalars[SCALARS];
	uint64_t min, max, weight, decayed, stamp;
	uint32_t epoch;
};

void hdProbeTotalsClear(struct hdProbeTotals *totals)
{
	memset(totals, 0, sizeof(*totals));
	totals->min = UINT64_MAX;
}

static _Atomic uint64_t *scalarOf(struct hdProbeSums *sums, enum scalar which)
{
	if (which >= COUNTED)
		return &sums->counted[which - COUNTED];
	if (which >= EVENTS)
		return &sums->events[which - EVENTS];
	switch (which) {
	case COUNT:
		return &sums->count;
	case TIMED:
		return &sums->timed;
	case MISSED:
		return &sums->missed;
	case SUM:
		return &sums->sum;
	case SQUARES:
		return &sums->squares[0];
	case SQUARES_HIGH:
		return &sums->squares[1];
	case OUTER:
		return &sums->outer;
	case OUTER_SQUARES:
		return &sums->outerSquares[0];
	default:
		return &sums->outerSquares[1];
	}
}

static uint64_t get(const _Atomic uint64_t *from)
{
	return atomic_load_explicit(from, memory_order_acquire);
}

static void probeMergeLookAtSlot(struct hdProbeSlot *slot, struct view *view)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (int i = 0; i < TRIES; i++) {
		uint32_t sequence = atomic_load_explicit(&slot->sequence,
							 memory_order_acquire);

		for (enum scalar j = 0; j < SCALARS; j++)
			view->scalars[j] = get(scalarOf(&slot->sums, j));
		view->min = get(&slot->min);
		view->max = get(&slot->max);
		view->weight = get(&slot->weight);
		view->decayed = get(&slot->decayed);
		view->stamp = get(&slot->stamp);
		view->epoch = atomic_load_explicit(&slot->epoch,
						   memory_order_acquire);
		if (!(sequence & 1) &&
		    atomic_load_explicit(&slot->sequence,
					 memory_order_relaxed) == sequence)
			return;
		/* Who counts may have been stopped in the middle. */
		if (i % 1000 == 999)
			nanosleep(&pause, NULL);
	}
}

static unsigned __int128 wide(uint64_t low, uint64_t high)
{
	return (unsigned __int128)high << 64 | low;
}

/* What the histogram says, where the slot says nothing of this epoch. */
static void extremesOf(const uint64_t *grown, uint64_t *min, uint64_t *max)
{
	unsigned int i;

	for (i = 0; i < HD_PROBE_BUCKETS && !grown[i]; i++) {
	}
	if (i == HD_PROBE_BUCKETS)
		return;
	*min = hdProbeBucketBegin(i);
	for (i = HD_PROBE_BUCKETS; !grown[i - 1]; i--) {
	}
	*max = hdProbeBucketBegin(i) - 1;
}

static void addDecayed(struct hdProbeTotals *totals, const struct view *view,
		       uint64_t halfLife)
{
	double weight = hdProbeFromBits(view->weight);
	double decayed = hdProbeFromBits(view->decayed);
	uint64_t stamp =
		view->stamp > totals->stamp ? view->stamp : totals->stamp;
	double mine, others;

	if (!view->stamp || !halfLife)
		return;
	mine = hdProbeHalve((double)(stamp - view->stamp) / (double)halfLife);
	others = hdProbeHalve((double)(stamp - totals->stamp) /
			      (double)halfLife);
	totals->weight = totals->weight * others + weight * mine;
	totals->decayed = totals->decayed * others + decayed * mine;
	totals->stamp = stamp;
}

/* What was there at the last reset; 0 if that is not asked for. */
static uint64_t probeMergeBaseOf(const _Atomic uint64_t *base,
				 enum hdProbeSince since)
{
	return since == HD_PROBE_SINCE_BEGIN ? 0 : hdProbeGet(base);
}

static void addHistogram(struct hdProbeTotals *totals, struct hdProbeSlot *slot,
			 enum hdProbeSince since, uint64_t *grown)
{
	for (unsigned int i = 0; i < HD_PROBE_BUCKETS; i++) {
		uint64_t now = hdProbeGet(&slot->sums.histogram[i]);

		grown[i] =
			now - probeMergeBaseOf(&slot->base.histogram[i], since);
		totals->histogram[i] += grown[i];
		if (since == HD_PROBE_SINCE_RESET_AND_RESET && grown[i])
			atomic_store(&slot->base.histogram[i], now);
	}
}

static unsigned __int128 grownWide(const struct view *view, enum scalar which,
				   const _Atomic uint64_t *base,
				   enum hdProbeSince since)
{
	return wide(view->scalars[which], view->scalars[which + 1]) -
	       wide(probeMergeBaseOf(&base[0], since),
		    probeMergeBaseOf(&base[1], since));
}

void hdProbeTotalsAdd(struct hdProbeTotals *totals, struct hdProbeSlot *slot,
		      uint64_t halfLife, enum hdProbeSince since)
{
	bool isReset = since == HD_PROBE_SINCE_RESET_AND_RESET;
	/* That of the extremes that are asked for. */
	uint32_t epoch = isReset ? atomic_fetch_add(&slot->resets, 1)
				 : atomic_load(&slot->resets);
	struct view view;
	uint64_t grown[SCALARS], histogram[HD_PROBE_BUCKETS];
	uint64_t min = UINT64_MAX, max = 0;

	probeMergeLookAtSlot(slot, &view);
	for (enum scalar i = 0; i < SCALARS; i++)
		grown[i] = view.scalars[i] -
			   probeMergeBaseOf(scalarOf(&slot->base, i), since);
	addHistogram(totals, slot, since, histogram);
	totals->count += grown[COUNT];
	totals->timed += grown[TIMED];
	totals->missed += grown[MISSED];
	totals->sum += grown[SUM];
	totals->outer += grown[OUTER];
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++) {
		totals->events[i] += grown[EVENTS + i];
		totals->counted[i] += grown[COUNTED + i];
	}
	totals->squares += grownWide(&view, SQUARES, slot->base.squares, since);
	totals->outerSquares +=
		grownWide(&view, OUTER_SQUARES, slot->base.outerSquares, since);
	for (enum scalar i = 0; isReset && i < SCALARS; i++)
		atomic_store(scalarOf(&slot->base, i), view.scalars[i]);
	if (grown[TIMED] && view.epoch == epoch) {
		min = view.min;
		max = view.max;
	} else if (grown[TIMED]) {
		extremesOf(histogram, &min, &max);
	}
	totals->min = min < totals->min ? min : totals->min;
	totals->max = max > totals->max ? max : totals->max;
	addDecayed(totals, &view, halfLife);
}

void hdProbeTotalsSubtract(struct hdProbeTotals *totals,
			   const struct hdProbeTotals *before)
{
	totals->count -= before->count;
	totals->timed -= before->timed;
	totals->missed -= before->missed;
	totals->sum -= before->sum;
	totals->outer -= before->outer;
	totals->squares -= before->squares;
	totals->outerSquares -= before->outerSquares;
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++) {
		totals->events[i] -= before->events[i];
		totals->counted[i] -= before->counted[i];
	}
	for (unsigned int i = 0; i < HD_PROBE_BUCKETS; i++)
		totals->histogram[i] -= before->histogram[i];
	totals->min = UINT64_MAX;
	totals->max = 0;
	extremesOf(totals->histogram, &totals->min, &totals->max);
}

void hdProbeTotalsMerge(struct hdProbeTotals *totals,
			const struct hdProbeTotals *others, uint64_t halfLife)
{
	struct view decayed = { .weight = hdProbeToBits(others->weight),
				.decayed = hdProbeToBits(others->decayed),
				.stamp = others->stamp };

	totals->count += others->count;
	totals->timed += others->timed;
	totals->missed += others->missed;
	totals->sum += others->sum;
	totals->outer += others->outer;
	totals->squares += others->squares;
	totals->outerSquares += others->outerSquares;
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++) {
		totals->events[i] += others->events[i];
		totals->counted[i] += others->counted[i];
	}
	totals->min = others->min < totals->min ? others->min : totals->min;
	totals->max = others->max > totals->max ? others->max : totals->max;
	for (unsigned int i = 0; i < HD_PROBE_BUCKETS; i++)
		totals->histogram[i] += others->histogram[i];
	addDecayed(totals, &decayed, halfLife);
}

double hdProbeTotalsQuantile(const struct hdProbeTotals *totals, double q)
{
	uint64_t all = 0, seen = 0, rank;
	unsigned int i;
	double value;

	for (i = 0; i < HD_PROBE_BUCKETS; i++)
		all += totals->histogram[i];
	if (!all || !(q >= 0 && q <= 1))
		return NAN;
	/* The smallest number of instances that is a part q. */
	rank = (uint64_t)(q * (double)all);
	if ((double)rank < q * (double)all || rank == 0)
		rank++;
	if (rank > all)
		rank = all;
	for (i = 0; seen + totals->histogram[i] < rank; i++)
		seen += totals->histogram[i];
	value = ((double)hdProbeBucketBegin(i) +
		 (double)(hdProbeBucketBegin(i + 1) - 1)) /
		2;
	/* The last bucket has no end; and extremes are known better. */
	if (totals->timed &&
	    (i == HD_PROBE_BUCKETS - 1 || value > (double)totals->max))
		value = (double)totals->max;
	if (totals->timed && value < (double)totals->min)
		value = (double)totals->min;
	return value;
}

/* With n - 1, from sums of whole numbers: those around a whole number near the
 * mean are exact, modulo 2^128, which is more than they can be. */
static double variance(uint64_t n, uint64_t sum, unsigned __int128 squares)
{
	uint64_t near, rest;
	unsigned __int128 around;
	double result;

	if (n < 2)
		return NAN;
	near = sum / n;
	rest = sum % n;
	around = squares - (unsigned __int128)near * sum * 2 +
		 (unsigned __int128)near * near * n;
	/* Of sums that did not belong together. */
	if (around >> 127)
		return 0;
	result = ((double)around - (double)rest * (double)rest / (double)n) /
		 (double)(n - 1);
	return result > 0 ? result : 0;
}

/* Of all instances, as those that were counted have them. */
static void eventFigures(const struct hdProbeTotals *totals,
			 struct hdProbeFigures *figures)
{
	for (unsigned int i = 0; i < HDPROBE_EVENTS; i++) {
		figures->events[i] = NAN;
		if (totals->counted[i])
			figures->events[i] = (double)totals->events[i] *
					     (double)totals->count /
					     (double)totals->counted[i];
	}
	figures->events[HDPROBE_EVENT_TASK_CLOCK] /= 1e9;
}

void hdProbeTotalsFigures(const struct hdProbeTotals *totals, double tickNs,
			  struct hdProbeFigures *figures)
{
	bool isTime = hdProbeIsTime(figures->kind);
	int isKernel = figures->kind == HDPROBE_KIND_KERNEL;
	double tick = isTime ? tickNs : 1, per = isTime ? 1e9 : 1;
	double timed = (double)totals->timed;
	double scale = totals->timed ? (double)totals->count / timed : 1;

	figures->instances = totals->count;
	figures->timed = totals->timed;
	figures->missed = totals->missed;
	figures->body_s = totals->timed || !totals->count
				  ? (double)totals->sum * tick / per * scale
				  : NAN;
	figures->mean_s = figures->min_s = figures->max_s = NAN;
	figures->dispatch_s = figures->dispatch_mean_s = NAN;
	figures->dispatch_variance = figures->decayed_mean_s = NAN;
	figures->variance =
		variance(totals->timed, totals->sum, totals->squares) * tick /
		per * tick / per;
	if (totals->timed) {
		figures->mean_s = (double)totals->sum / timed * tick / per;
		figures->min_s = (double)totals->min * tick / per;
		figures->max_s = (double)totals->max * tick / per;
	}
	figures->p50_s = hdProbeTotalsQuantile(totals, 0.5) * tick / per;
	figures->p99_s = hdProbeTotalsQuantile(totals, 0.99) * tick / per;
	if (isKernel && (totals->timed || !totals->count))
		figures->dispatch_s =
			(double)totals->outer * tick / per * scale;
	if (isKernel && totals->timed) {
		figures->dispatch_mean_s =
			(double)totals->outer / timed * tick / per;
		figures->dispatch_variance =
			variance(totals->timed, totals->outer,
				 totals->outerSquares) *
			tick / per * tick / per;
	}
	eventFigures(totals, figures);
	if (totals->weight > 0)
		figures->decayed_mean_s =
			totals->decayed / totals->weight * tick / per;
}
