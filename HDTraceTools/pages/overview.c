/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power of all nodes together, for the strip above the time lines.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/pages/overview.h"
#include "HDTraceTools/pages/pack.h"

/** More than pixels beside each other. */
#define BINS 2048
#define SHARES 65534

/** A node. */
struct source {
	struct powerCursor *cursor;
	uint64_t number;       /**< Of its next step. */
	struct powerStep next; /**< It, if any; else it starts at the end. */
	double watts;
	bool isKnown;
	int64_t until; /**< So long. */
};

struct bin {
	double max;
	double joules;
	int64_t known;
};

struct overview {
	GPtrArray *sources; /**< struct source: a heap, the first ends first. */
	int64_t start;
	int64_t end;
	int64_t width; /**< Of a bin. */
	guint count;
	struct bin *bins;
	double watts; /**< Of those that are known. */
	guint known;
};

/* ---- Nodes ------------------------------------------------------------- */

static struct source *sourceAt(const struct overview *self, guint i)
{
	return self->sources->pdata[i];
}

/** Get the next step that lasts. */
static void fetch(struct source *source, int64_t end)
{
	do {
		if (!powerCursorStep(source->cursor, source->number++,
				     &source->next)) {
			source->next.start = end;
			return;
		}
	} while (source->next.end <= source->next.start);
}

static void setPower(struct overview *self, struct source *source,
		     const struct powerAmount *amount)
{
	if (source->isKnown) {
		self->known--;
		self->watts -= source->watts;
		/* What rounding left is gone when all are. */
		if (self->known == 0)
			self->watts = 0;
	}
	source->isKnown = amount && amount->measured > 0;
	if (!source->isKnown)
		return;
	source->watts = amount->energy / (double)amount->measured * 1e9;
	self->known++;
	self->watts += source->watts;
}

/** What held is over: the next step, or the time before it. */
static void overviewAdvance(struct overview *self, struct source *source)
{
	if (source->next.start > source->until) {
		setPower(self, source, NULL);
		source->until = source->next.start;
		return;
	}
	setPower(self, source, &source->next.amount);
	source->until = source->next.end;
	fetch(source, self->end);
}

/** The first source ends later than it did: put it where it belongs. */
static void overviewSink(struct overview *self)
{
	void **heap = self->sources->pdata;
	guint count = self->sources->len;
	guint at = 0;

	for (;;) {
		guint child = 2 * at + 1;
		void *moved = heap[at];

		if (child + 1 < count && sourceAt(self, child + 1)->until <
						 sourceAt(self, child)->until)
			child++;
		if (child >= count ||
		    sourceAt(self, child)->until >= sourceAt(self, at)->until)
			return;
		heap[at] = heap[child];
		heap[child] = moved;
		at = child;
	}
}

/* ---- Bins -------------------------------------------------------------- */

/** Add the power that there is from one time to another. */
static void overviewAddTo(struct overview *self, int64_t start, int64_t end)
{
	while (start < end && self->known) {
		int64_t number = (start - self->start) / self->width;
		int64_t border = self->start + (number + 1) * self->width;
		int64_t until = MIN(end, border);
		struct bin *bin = &self->bins[number];

		bin->max =
			bin->known ? MAX(bin->max, self->watts) : self->watts;
		bin->known += until - start;
		bin->joules += self->watts * (double)(until - start) / 1e9;
		start = until;
	}
}

static void goThrough(struct overview *self)
{
	int64_t time = self->start;

	while (time < self->end) {
		struct source *source = sourceAt(self, 0);
		int64_t until = MIN(source->until, self->end);

		overviewAddTo(self, time, until);
		time = MAX(time, until);
		if (time < self->end)
			overviewAdvance(self, source);
		overviewSink(self);
	}
}

static int64_t overviewShareOf(double watts, double max)
{
	return max > 0 ? 1 + llround(MAX(watts, 0) / max * SHARES) : 1;
}

static int writeBins(const struct overview *self, struct track *track)
{
	const struct chunk chunk = {
		.start = self->start,
		.end = self->end,
		.count = self->count,
		.offset = -1,
	};
	GByteArray *columns = g_byte_array_new();
	GByteArray *part = g_byte_array_new();
	int64_t *shares = g_new0(int64_t, 2 * self->count);
	double max = -INFINITY;
	int ret;

	for (guint i = 0; i < self->count; i++) {
		if (self->bins[i].known)
			max = fmax(max, self->bins[i].max);
	}
	for (guint i = 0; i < self->count; i++) {
		const struct bin *bin = &self->bins[i];

		if (!bin->known)
			continue;
		shares[i] = overviewShareOf(bin->max, max);
		shares[self->count + i] = overviewShareOf(
			bin->joules / (double)bin->known * 1e9, max);
	}
	packDoubles(columns, &max, 1);
	packIntegers(columns, shares, self->count);
	packIntegers(columns, shares + self->count, self->count);
	packFinish(part, columns);
	ret = trackAddChunk(track, trackAddZoom(track, 1, self->width), &chunk,
			    &part);
	g_byte_array_unref(columns);
	g_byte_array_unref(part);
	g_free(shares);
	return ret;
}

/* ---- The whole --------------------------------------------------------- */

static void addSource(struct overview *self, const struct powerSeries *series)
{
	struct source *source;
	int64_t start;
	int64_t end;

	if (!series || !powerSeriesRange(series, &start, &end))
		return;
	source = g_new0(struct source, 1);
	source->cursor = powerCursorNew(series);
	g_ptr_array_add(self->sources, source);
	self->start = MIN(self->start, start);
	self->end = MAX(self->end, end);
}

static void overviewFreeSource(void *data)
{
	struct source *source = data;

	powerCursorFree(source->cursor);
	g_free(source);
}

static int makeBins(struct overview *self, struct track *track)
{
	int ret = 0;

	self->width = (self->end - self->start - 1) / BINS + 1;
	self->count = (guint)((self->end - self->start - 1) / self->width + 1);
	self->bins = g_new0(struct bin, self->count);
	for (guint i = 0; i < self->sources->len; i++) {
		struct source *source = sourceAt(self, i);

		/* All are unknown until then: the heap is one. */
		source->until = self->start;
		fetch(source, self->end);
	}
	goThrough(self);
	for (guint i = 0; i < self->sources->len && ret == 0; i++)
		ret = powerCursorError(sourceAt(self, i)->cursor);
	if (ret == 0)
		ret = writeBins(self, track);
	g_free(self->bins);
	return ret;
}

int overviewMake(struct track *track, const struct powerSeries *const *series,
		 size_t count)
{
	struct overview self = {
		.sources = g_ptr_array_new_with_free_func(overviewFreeSource),
		.start = INT64_MAX,
		.end = INT64_MIN,
	};
	int ret = 0;

	for (size_t i = 0; i < count; i++)
		addSource(&self, series[i]);
	if (self.start < self.end)
		ret = makeBins(&self, track);
	g_ptr_array_unref(self.sources);
	trackReached(track, INT64_MAX, true);
	return ret;
}
