/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a clock is from another one, and what its times are in the other's.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/clockfit.h"

/* Differences and products of times; ISO C has no name for it. */
__extension__ typedef __int128 int128;

int hdClockEstimate(const struct hdClockTrip *trips, size_t count,
		    struct hdClockPoint *point)
{
	const struct hdClockTrip *best = NULL;

	for (size_t i = 0; i < count; i++) {
		if (trips[i].received >= trips[i].sent &&
		    (!best || trips[i].received - trips[i].sent <
				      best->received - best->sent))
			best = &trips[i];
	}
	if (!best)
		return -ENODATA;
	point->error = (best->received - best->sent + 1) / 2;
	point->time = best->sent + (best->received - best->sent) / 2;
	point->offset = best->reference - point->time;
	return 0;
}

static int clockFitComparePoints(const void *a, const void *b)
{
	const struct hdClockPoint *x = a;
	const struct hdClockPoint *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->error > y->error) - (x->error < y->error);
}

/* Whether the corrected time grows, or stands still, from one to another. */
static int isForward(const struct hdClockPoint *a, const struct hdClockPoint *b)
{
	return a->time < b->time &&
	       (int128)a->time + a->offset <= (int128)b->time + b->offset;
}

size_t hdClockFit(struct hdClockPoint *points, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(points, count, sizeof(*points), clockFitComparePoints);
	for (size_t i = 0; i < count; i++) {
		while (kept && !isForward(&points[kept - 1], &points[i]) &&
		       points[i].error < points[kept - 1].error)
			kept--;
		if (!kept || isForward(&points[kept - 1], &points[i]))
			points[kept++] = points[i];
	}
	return kept;
}

/* Rounded down, so that the result of hdClockCorrect() cannot decrease. */
static int128 clockFitDivideDown(int128 a, int128 b)
{
	return a / b - (a % b < 0);
}

/* What the offset changes by, from a point to a time outside all points. */
static int128 drift(const struct hdClockPoint *points, size_t count,
		    int128 distance)
{
	const struct hdClockPoint *last = &points[count - 1];
	int128 limit = distance * HD_CLOCK_DRIFT_MAX / 1000000;
	int128 change = 0;

	if (limit < 0)
		limit = -limit;
	if (count > 1)
		change = clockFitDivideDown(
			distance * ((int128)last->offset - points[0].offset),
			(int128)last->time - points[0].time);
	if (change > limit)
		return limit;
	return change < -limit ? -limit : change;
}

/* The last point that is not later than a time; the first if all are. */
static size_t clockFitFindPoint(const struct hdClockPoint *points, size_t count,
				int64_t time)
{
	size_t low = 0;
	size_t high = count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (points[middle].time <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int64_t hdClockCorrect(const struct hdClockPoint *points, size_t count,
		       int64_t time)
{
	const struct hdClockPoint *point;
	int128 corrected = time;
	int128 distance;
	size_t at;

	if (count) {
		at = clockFitFindPoint(points, count, time);
		point = &points[at];
		distance = (int128)time - point->time;
		corrected += point->offset;
		if (distance < 0 || at + 1 == count)
			corrected += drift(points, count, distance);
		else
			corrected += clockFitDivideDown(
				distance * ((int128)point[1].offset -
					    point->offset),
				(int128)point[1].time - point->time);
	}
	if (corrected < 0)
		return 0;
	return corrected > HD_TIME_MAX ? HD_TIME_MAX : (int64_t)corrected;
}

int64_t hdClockError(const struct hdClockPoint *points, size_t count)
{
	int64_t error = 0;

	for (size_t i = 0; i < count; i++) {
		if (points[i].error > error)
			error = points[i].error;
	}
	return error;
}
