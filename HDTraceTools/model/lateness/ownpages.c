/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Intervals of traces in pages on disk, and sums of what they are in.
 */
#include "config.h"

#include <glib.h>
#include <stdbool.h>

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/lateness/ownpages.h"

/** Intervals of a page. */
#define OWNPAGES_SIZE 256
/** Pages that are kept in memory. */
#define OWNPAGES_KEPT 1024
/** So many more intervals than numbers are between two sums. */
#define OWNPAGES_APART 4

/** It ends where the next one begins. */
struct ownInterval {
	int64_t start;
	uint32_t number;
	uint32_t unused;
};

/** A page. */
struct ownPage {
	int64_t start;
	uint64_t sums;    /**< Where the sums until its start are ... */
	uint32_t numbers; /**< ... of the first so many; 0: there are none. */
	uint32_t count;   /**< Intervals. */
};

/** The pages of a trace. */
struct ownPagesTrace {
	uint64_t first;
	uint64_t count;
	uint64_t offset; /**< Of the first interval. */
	int64_t start;
	int64_t end;
	bool isThere;
};

/** A page in memory. */
struct ownPagesKept {
	uint64_t page; /**< Its number + 1; 0: none. */
	struct ownInterval intervals[OWNPAGES_SIZE];
};

struct ownPages {
	struct spool *intervals;
	struct spool *sums; /**< int64_t */
	GArray *pages;      /**< struct ownPage */
	struct ownPagesTrace *traces;
	/* The trace that is written. */
	struct ownPagesTrace *trace;
	struct ownInterval written[OWNPAGES_SIZE];
	uint32_t count; /**< Of these. */
	GArray *totals; /**< int64_t by number. */
	uint64_t since; /**< Intervals since the last sums. */
	/* While sums are read. */
	struct ownPagesKept *kept;
	GArray *read[2]; /**< int64_t by number. */
};

struct ownPages *ownPagesNew(size_t traces)
{
	struct ownPages *self = g_new0(struct ownPages, 1);

	self->intervals = spoolNew();
	self->sums = spoolNew();
	self->pages = g_array_new(FALSE, FALSE, sizeof(struct ownPage));
	self->traces = g_new0(struct ownPagesTrace, traces + 1);
	self->totals = g_array_new(FALSE, TRUE, sizeof(int64_t));
	for (int i = 0; i < 2; i++)
		self->read[i] = g_array_new(FALSE, FALSE, sizeof(int64_t));
	return self;
}

void ownPagesFree(struct ownPages *self)
{
	if (!self)
		return;
	spoolFree(self->intervals);
	spoolFree(self->sums);
	g_array_unref(self->pages);
	g_array_unref(self->totals);
	for (int i = 0; i < 2; i++)
		g_array_unref(self->read[i]);
	g_free(self->traces);
	g_free(self->kept);
	g_free(self);
}

/* ---- Writing ------------------------------------------------------------ */

void ownPagesEnter(struct ownPages *self, uint32_t trace, int64_t start)
{
	self->trace = &self->traces[trace];
	self->trace->isThere = true;
	self->trace->start = start;
	self->trace->first = self->pages->len;
	self->trace->offset = spoolLength(self->intervals);
	self->count = 0;
	self->since = 0;
	g_array_set_size(self->totals, 0);
}

static void ownPagesTotal(struct ownPages *self, uint32_t number, int64_t time)
{
	if (self->totals->len <= number)
		g_array_set_size(self->totals, number + 1);
	g_array_index(self->totals, int64_t, number) += time;
}

/** A page is full, or the last one. */
static int ownPagesWrite(struct ownPages *self)
{
	struct ownPage page = {
		.start = self->written[0].start,
		.count = self->count,
	};
	uint64_t apart = OWNPAGES_APART * (uint64_t)self->totals->len;
	int ret = 0;

	if (self->since && self->since >= apart) {
		page.sums = spoolLength(self->sums);
		page.numbers = self->totals->len;
		ret = spoolAppend(self->sums, self->totals->data,
				  self->totals->len * sizeof(int64_t));
		self->since = 0;
	}
	g_array_append_val(self->pages, page);
	self->trace->count++;
	self->since += self->count;
	if (ret == 0)
		ret = spoolAppend(self->intervals, self->written,
				  self->count * sizeof(*self->written));
	return ret;
}

/** The last interval ends: after a page was written, its time counts. */
static int ownPagesEndInterval(struct ownPages *self, int64_t end, bool isLast)
{
	int ret = 0;

	if (self->count == OWNPAGES_SIZE || (isLast && self->count)) {
		ret = ownPagesWrite(self);
		for (uint32_t i = 0; i < self->count; i++) {
			const struct ownInterval *one = &self->written[i];
			int64_t until =
				i + 1 < self->count ? one[1].start : end;

			ownPagesTotal(self, one->number, until - one->start);
		}
		self->count = 0;
	}
	return ret;
}

int ownPagesAdd(struct ownPages *self, int64_t start, uint32_t number)
{
	int ret = 0;

	if (self->count && self->written[self->count - 1].number == number)
		return 0;
	ret = ownPagesEndInterval(self, start, false);
	self->written[self->count++] = (struct ownInterval){ start, number, 0 };
	return ret;
}

int ownPagesLeave(struct ownPages *self, int64_t end)
{
	self->trace->end = end;
	return ownPagesEndInterval(self, end, true);
}

/* ---- Reading ------------------------------------------------------------ */

static struct ownPage *ownPagesAt(const struct ownPages *self, uint64_t page)
{
	return &g_array_index(self->pages, struct ownPage, (guint)page);
}

int64_t ownPagesStart(const struct ownPages *self, uint32_t trace)
{
	const struct ownPagesTrace *of = &self->traces[trace];

	return of->isThere ? of->start : INT64_MIN;
}

/** The intervals of a page; NULL after an error. */
static const struct ownInterval *ownPagesRead(struct ownPages *self,
					      const struct ownPagesTrace *trace,
					      uint64_t page, int *error)
{
	struct ownPagesKept *kept;
	uint64_t offset = (page - trace->first) * sizeof(kept->intervals);

	if (!self->kept)
		self->kept = g_new0(struct ownPagesKept, OWNPAGES_KEPT);
	kept = &self->kept[page % OWNPAGES_KEPT];
	if (kept->page == page + 1)
		return kept->intervals;
	*error = spoolPeek(
		self->intervals, trace->offset + offset, kept->intervals,
		ownPagesAt(self, page)->count * sizeof(*kept->intervals));
	kept->page = *error == 0 ? page + 1 : 0;
	return *error == 0 ? kept->intervals : NULL;
}

/** The last of the pages of a trace that begins not after a time. */
static uint64_t ownPagesFind(const struct ownPages *self,
			     const struct ownPagesTrace *trace, int64_t time)
{
	uint64_t low = trace->first, high = trace->first + trace->count;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (ownPagesAt(self, middle)->start <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/** The last interval that begins not after a time, or the first one. */
static uint32_t ownPagesFindInterval(const struct ownInterval *intervals,
				     uint32_t count, int64_t time)
{
	uint32_t low = 0, high = count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (intervals[middle].start <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/** When a page ends. */
static int64_t ownPagesEndOf(const struct ownPages *self,
			     const struct ownPagesTrace *trace, uint64_t page)
{
	return page + 1 < trace->first + trace->count
		       ? ownPagesAt(self, page + 1)->start
		       : trace->end;
}

/** Go through all intervals between two times, from a page on. */
static int ownPagesWalk(struct ownPages *self,
			const struct ownPagesTrace *trace, uint64_t page,
			int64_t from, int64_t to, ownPagesTake *take,
			void *data)
{
	int error = 0;

	for (; from < to; page++) {
		const struct ownInterval *intervals =
			ownPagesRead(self, trace, page, &error);
		uint32_t count = ownPagesAt(self, page)->count;
		int64_t last = ownPagesEndOf(self, trace, page);

		if (!intervals)
			return error;
		for (uint32_t i = ownPagesFindInterval(intervals, count, from);
		     i < count && from < to; i++) {
			int64_t end =
				i + 1 < count ? intervals[i + 1].start : last;

			end = MIN(end, to);
			take(data, intervals[i].number, end - from);
			from = end;
		}
	}
	return 0;
}

/** Get the sums until the start of a page. */
static int ownPagesGetSums(struct ownPages *self, uint64_t page, GArray *sums)
{
	const struct ownPage *at = ownPagesAt(self, page);

	g_array_set_size(sums, at->numbers);
	return spoolRead(self->sums, at->sums, sums->data,
			 at->numbers * sizeof(int64_t));
}

/** What lies between two pages that have sums. */
static int ownPagesBetween(struct ownPages *self, uint64_t first, uint64_t last,
			   ownPagesTake *take, void *data)
{
	int ret = ownPagesGetSums(self, first, self->read[0]);

	if (ret == 0)
		ret = ownPagesGetSums(self, last, self->read[1]);
	for (uint32_t i = 0; ret == 0 && i < self->read[1]->len; i++) {
		int64_t time = g_array_index(self->read[1], int64_t, i);

		if (i < self->read[0]->len)
			time -= g_array_index(self->read[0], int64_t, i);
		if (time)
			take(data, i, time);
	}
	return ret;
}

int ownPagesSum(struct ownPages *self, uint32_t trace, int64_t from, int64_t to,
		ownPagesTake *take, void *data)
{
	const struct ownPagesTrace *of = &self->traces[trace];
	uint64_t first, last, low, high;
	int ret;

	if (of->count == 0)
		return 0;
	from = MAX(from, ownPagesAt(self, of->first)->start);
	to = MIN(to, of->end);
	if (from >= to)
		return 0;
	first = ownPagesFind(self, of, from);
	last = ownPagesFind(self, of, to);
	low = first + 1;
	high = last;
	while (low < high && !ownPagesAt(self, low)->numbers)
		low++;
	while (low < high && !ownPagesAt(self, high)->numbers)
		high--;
	if (low >= high)
		return ownPagesWalk(self, of, first, from, to, take, data);
	ret = ownPagesWalk(self, of, first, from, ownPagesAt(self, low)->start,
			   take, data);
	if (ret == 0)
		ret = ownPagesBetween(self, low, high, take, data);
	return ret < 0 ? ret
		       : ownPagesWalk(self, of, high,
				      ownPagesAt(self, high)->start, to, take,
				      data);
}
