/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Power over time, whose integral over any interval is known.
 */
#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/amounts.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/moments.h"
#include "HDTraceTools/model/powerseries.h"
#include "HDTraceTools/model/units.h"

/** Points that are read from the spool at once, and how many such pages are
 *  kept: states begin and end close to each other. */
#define PAGE_POINTS 1024
#define PAGES_KEPT 8

/** What was added up until a time. Between two points it grows evenly. */
struct point {
	int64_t time;
	struct powerAmount sums;
};

struct powerSeries {
	struct amounts *amounts;
	struct powerPart *parts;
	size_t partCount;
	struct point last; /**< Valid if count is not 0. */
	uint64_t count;
	GArray *page;        /**< struct point, the page that grows. */
	GArray *firsts;      /**< struct point, the first of each page. */
	struct spool *pages; /**< All full ones, and at the end all. */
	uint64_t offset;     /**< Where they begin in it. */
	bool isMoved;        /**< It is somebody else's. */
};

/** A page in memory. */
struct page {
	size_t number;
	bool isValid;
	guint count;
	struct point points[PAGE_POINTS];
};

/** Two points that follow each other. */
struct interval {
	struct point from;
	struct point to;
};

struct powerCursor {
	const struct powerSeries *series;
	struct page *pages[PAGES_KEPT];
	/** Those that times lay between last: where states begin and end. Until
	 *  there is one none lies between them. */
	struct interval recent[2];
	unsigned int next; /**< Which one is replaced. */
	int error;
};

/* ---- Adding entries ---------------------------------------------------- */

struct powerSeries *powerSeriesNew(const hdIGroup *group,
				   const struct powerPart *parts, size_t count)
{
	struct powerSeries *self = g_new0(struct powerSeries, 1);

	self->amounts = amountsNew(group);
	self->parts = g_memdup2(parts, count * sizeof(*parts));
	self->partCount = count;
	self->page = g_array_new(FALSE, FALSE, sizeof(struct point));
	self->firsts = g_array_new(FALSE, FALSE, sizeof(struct point));
	self->pages = spoolNew();
	return self;
}

struct powerSeries *powerSeriesOfNode(const hdIGroup *group,
				      const bool *isPower)
{
	GArray *parts = g_array_new(FALSE, FALSE, sizeof(struct powerPart));
	struct powerSeries *series;

	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = &group->values[i];
		struct powerPart part = {
			.column = i,
			.scale = unitParse(value->unit).scale,
			.isEnergy = kindIsAmount(valueKind(group, value, NULL)),
		};

		if (isPower[i])
			g_array_append_val(parts, part);
	}
	series = powerSeriesNew(group, (const void *)parts->data, parts->len);
	g_array_unref(parts);
	return series;
}

void powerSeriesFree(struct powerSeries *self)
{
	if (!self)
		return;
	amountsFree(self->amounts);
	g_free(self->parts);
	g_array_unref(self->page);
	g_array_unref(self->firsts);
	if (!self->isMoved)
		spoolFree(self->pages);
	g_free(self);
}

int powerSeriesEnd(struct powerSeries *self)
{
	int ret = spoolAppend(self->pages, self->page->data,
			      self->page->len * sizeof(struct point));

	g_array_set_size(self->page, 0);
	return ret;
}

int powerSeriesMove(struct powerSeries *self, struct spool *spool)
{
	uint64_t offset = spoolLength(spool);
	int ret = spoolCopy(spool, self->pages);

	if (ret < 0)
		return ret;
	spoolFree(self->pages);
	self->pages = spool;
	self->offset = offset;
	self->isMoved = true;
	return 0;
}

static int powerSeriesAddPoint(struct powerSeries *self, struct point point)
{
	int ret = 0;

	if (self->page->len == PAGE_POINTS)
		ret = powerSeriesEnd(self);
	if (self->page->len == 0)
		g_array_append_val(self->firsts, point);
	g_array_append_val(self->page, point);
	self->last = point;
	self->count++;
	return ret;
}

/** Energy of an entry, as far as its parts are known; false if not all are. */
static bool powerSeriesEnergyOf(const struct powerSeries *self,
				const hdIBlock *block, size_t entry,
				double *energy)
{
	int64_t length = block->end[entry] - block->start[entry];
	bool isKnown = self->partCount > 0;

	*energy = 0;
	for (size_t i = 0; i < self->partCount; i++) {
		const struct powerPart *part = &self->parts[i];
		double value = amountsGet(self->amounts, part->column, entry);

		if (!isfinite(value)) {
			isKnown = false;
			continue;
		}
		value *= part->scale;
		*energy += part->isEnergy ? value
					  : momentsOver(value, length) / 1e9;
	}
	/* More than there are numbers for is not known. */
	if (!isfinite(*energy)) {
		*energy = 0;
		return false;
	}
	return isKnown;
}

int powerSeriesAdd(struct powerSeries *self, const hdIBlock *block)
{
	int ret = 0;

	amountsTake(self->amounts, block);
	for (size_t i = 0; i < block->count && ret == 0; i++) {
		struct point point = { .time = block->start[i] };
		int64_t length = block->end[i] - block->start[i];
		double energy;

		if (self->count)
			point.sums = self->last.sums;
		if (self->count == 0 || point.time > self->last.time)
			ret = powerSeriesAddPoint(self, point);
		point.time = block->end[i];
		if (powerSeriesEnergyOf(self, block, i, &energy))
			point.sums.measured += length;
		/* Differences have room, too. */
		point.sums.energy = CLAMP(point.sums.energy + energy,
					  -DBL_MAX / 4, DBL_MAX / 4);
		if (ret == 0)
			ret = powerSeriesAddPoint(self, point);
	}
	return ret;
}

int powerSeriesAddSums(struct powerSeries *self, int64_t time,
		       struct powerAmount sums)
{
	return powerSeriesAddPoint(
		self, (struct point){ .time = time, .sums = sums });
}

/* ---- Reading ----------------------------------------------------------- */

struct powerCursor *powerCursorNew(const struct powerSeries *series)
{
	struct powerCursor *self = g_new0(struct powerCursor, 1);

	self->series = series;
	return self;
}

void powerCursorFree(struct powerCursor *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < PAGES_KEPT; i++)
		g_free(self->pages[i]);
	g_free(self);
}

int powerCursorError(const struct powerCursor *self)
{
	return self->error;
}

/** Get a page, or NULL after an error. */
static const struct page *getPage(struct powerCursor *self, size_t number)
{
	struct page *page = self->pages[number % PAGES_KEPT];
	uint64_t first = (uint64_t)number * PAGE_POINTS;
	int ret;

	if (page && page->isValid && page->number == number)
		return page;
	if (!page) {
		page = g_new(struct page, 1);
		self->pages[number % PAGES_KEPT] = page;
	}
	page->count = (guint)MIN(PAGE_POINTS, self->series->count - first);
	page->number = number;
	ret = spoolPeek(self->series->pages,
			self->series->offset + first * sizeof(struct point),
			page->points, page->count * sizeof(struct point));
	page->isValid = ret == 0;
	if (ret < 0 && self->error == 0)
		self->error = ret;
	return ret == 0 ? page : NULL;
}

/** Number of the last point that is not behind a time; the first one is not. */
static guint findPoint(const struct point *points, guint count, int64_t time)
{
	guint low = 0;
	guint high = count;

	while (high - low > 1) {
		guint middle = low + (high - low) / 2;

		if (points[middle].time <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/** The sums until a time between two points. */
static struct powerAmount sumsBetween(const struct interval *interval,
				      int64_t time)
{
	const struct point *a = &interval->from;
	const struct point *b = &interval->to;
	struct powerAmount sums = a->sums;
	double part = (double)(time - a->time) / (double)(b->time - a->time);

	if (b->sums.measured > a->sums.measured)
		sums.measured += time - a->time;
	sums.energy += part * (b->sums.energy - a->sums.energy);
	return sums;
}

/** Find the points around a time that is in the series; NULL after an error. */
static const struct interval *powerSeriesFindInterval(struct powerCursor *self,
						      int64_t time)
{
	const struct powerSeries *series = self->series;
	const struct point *firsts = (const void *)series->firsts->data;
	struct interval *found;
	const struct page *page;
	guint number, at;

	for (int i = 0; i < 2; i++) {
		found = &self->recent[i];
		if (found->from.time <= time && time < found->to.time)
			return found;
	}
	number = findPoint(firsts, series->firsts->len, time);
	page = getPage(self, number);
	if (!page)
		return NULL;
	at = findPoint(page->points, page->count, time);
	found = &self->recent[self->next++ % 2];
	found->from = page->points[at];
	found->to = at + 1 < page->count ? page->points[at + 1]
					 : firsts[number + 1];
	return found;
}

/** The sums until a time, what is at that time included. */
static struct powerAmount powerSeriesSumsAt(struct powerCursor *self,
					    int64_t time)
{
	const struct powerSeries *series = self->series;
	const struct point *firsts = (const void *)series->firsts->data;
	const struct interval *interval;

	if (series->count == 0 || time < firsts[0].time)
		return (struct powerAmount){ .energy = 0 };
	if (time >= series->last.time)
		return series->last.sums;
	interval = powerSeriesFindInterval(self, time);
	return interval ? sumsBetween(interval, time)
			: (struct powerAmount){ .energy = 0 };
}

struct powerAmount powerCursorGet(struct powerCursor *self, int64_t start,
				  int64_t end)
{
	struct powerAmount from;
	struct powerAmount to;

	if (end <= start)
		return (struct powerAmount){ .energy = 0 };
	from = powerSeriesSumsAt(self, start);
	to = powerSeriesSumsAt(self, end);
	return (struct powerAmount){
		.energy = to.energy - from.energy,
		.measured = to.measured - from.measured,
	};
}

powerPico powerPicoOf(double energy)
{
	/* 2^100 leave room for the weights of shares. */
	const double most = 0x1p100;
	double pico = CLAMP(energy * 1e12, -most, most);

	/* Larger integers take long. */
	return fabs(pico) < 0x1p62 ? (powerPico)llrint(pico)
				   : (powerPico)nearbyint(pico);
}

powerPico powerCursorUntil(struct powerCursor *self, int64_t time,
			   int64_t *measured)
{
	struct powerAmount sums = powerSeriesSumsAt(self, time);

	*measured = sums.measured;
	return powerPicoOf(sums.energy);
}

/* ---- Step by step ------------------------------------------------------ */

bool powerSeriesRange(const struct powerSeries *self, int64_t *start,
		      int64_t *end)
{
	if (self->count == 0)
		return false;
	*start = g_array_index(self->firsts, struct point, 0).time;
	*end = self->last.time;
	return true;
}

/** Get a point by its number; NULL after an error. */
static const struct point *getPoint(struct powerCursor *self, uint64_t number)
{
	const struct page *page = getPage(self, (size_t)(number / PAGE_POINTS));

	return page ? &page->points[number % PAGE_POINTS] : NULL;
}

bool powerCursorStep(struct powerCursor *self, uint64_t number,
		     struct powerStep *step)
{
	const struct point *from;
	const struct point *to;

	if (number + 1 >= self->series->count)
		return false;
	/* Pages that follow each other are kept in different places. */
	from = getPoint(self, number);
	to = getPoint(self, number + 1);
	if (!from || !to)
		return false;
	*step = (struct powerStep){
		.start = from->time,
		.end = to->time,
		.amount.energy = to->sums.energy - from->sums.energy,
		.amount.measured = to->sums.measured - from->sums.measured,
	};
	return true;
}
