/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Efficiencies of parts of a run.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "HDTraceTools/model/efficiency/parts.h"

/** Ideal times of regions are kept of each rank: so many numbers in all, ... */
#define PARTS_NUMBERS (1 << 20)
/** ... but of so many regions, the longest, at least. */
#define PARTS_LEAST 8

/** A part. */
struct efficiencyPart {
	int64_t time; /**< Of a window, or the longest of a rank. */
	int64_t largest;
	int64_t ideal;
	double useful;  /**< Of all ranks. */
	uint32_t slot;  /**< Where ideal times of ranks are + 1; 0: nowhere. */
	uint32_t times; /**< Intervals of a window. */
	bool isWindow;
};

/** A window begins or ends. */
struct partBorder {
	int64_t time;
	uint32_t part;
	bool isEnd;
};

/** A part that a rank is in. */
struct partOpen {
	uint32_t part;
	int64_t time;
	int64_t value; /**< Useful computation, or ideal time, until then. */
};

/** The borders of a trace: of its regions and of all windows. */
struct partsCursor {
	struct regionsCursor *regions;
	struct regionMark mark; /**< The next one of a region, ... */
	bool hasMark;
	guint border;  /**< ... and of a window. */
	int64_t start; /**< All borders are in this time. */
	int64_t end;
	GArray *open;  /**< struct partOpen */
	int64_t *sums; /**< By slot. */
	int error;
};

struct efficiencyParts {
	const struct regions *regions;
	const struct calls *calls;
	size_t traces;
	size_t ranks;    /**< Traces that count. */
	GArray *parts;   /**< struct efficiencyPart: regions, then windows. */
	GArray *borders; /**< struct partBorder, by time. */
	uint32_t slots;
	int64_t from;
	int64_t to;
	struct partsCursor **watched; /**< By trace; NULL: not yet. */
	int error;
};

static struct efficiencyPart *partAt(const struct efficiencyParts *self,
				     guint part)
{
	return &g_array_index(self->parts, struct efficiencyPart, part);
}

struct efficiencyParts *efficiencyPartsNew(const struct regions *regions,
					   const struct calls *calls,
					   size_t traces)
{
	struct efficiencyParts *self = g_new0(struct efficiencyParts, 1);

	self->regions = regions;
	self->calls = calls;
	self->traces = traces;
	self->parts = g_array_new(FALSE, TRUE, sizeof(struct efficiencyPart));
	g_array_set_size(self->parts, regionsCount(regions));
	self->borders = g_array_new(FALSE, FALSE, sizeof(struct partBorder));
	self->watched = g_new0(struct partsCursor *, traces + 1);
	return self;
}

size_t efficiencyPartsAddWindow(struct efficiencyParts *self)
{
	const struct efficiencyPart part = { .isWindow = true };

	g_array_append_val(self->parts, part);
	return self->parts->len - 1 - regionsCount(self->regions);
}

void efficiencyPartsAddTime(struct efficiencyParts *self, size_t window,
			    int64_t from, int64_t to)
{
	guint place = regionsCount(self->regions) + (guint)window;
	const struct partBorder borders[] = {
		{ from, place, false },
		{ to, place, true },
	};

	if (from >= to)
		return;
	g_array_append_vals(self->borders, borders, 2);
	partAt(self, place)->times++;
}

/* ---- Borders of a trace -------------------------------------------------- */

static void partsReadMark(struct partsCursor *cursor)
{
	int ret = regionsCursorNext(cursor->regions, &cursor->mark);

	cursor->hasMark = ret == 1;
	if (ret < 0)
		cursor->error = ret;
}

static struct partsCursor *partsCursorNew(const struct efficiencyParts *self,
					  uint32_t trace)
{
	const struct callsTrace *of = callsOf(self->calls, trace);
	struct partsCursor *cursor = g_new0(struct partsCursor, 1);

	cursor->regions = regionsCursorNew(self->regions, trace);
	cursor->start = CLAMP(of->start, self->from, self->to);
	cursor->end = CLAMP(of->end, self->from, self->to);
	cursor->open = g_array_new(FALSE, FALSE, sizeof(struct partOpen));
	cursor->sums = g_new0(int64_t, self->slots + 1);
	partsReadMark(cursor);
	return cursor;
}

static void partsCursorFree(struct partsCursor *cursor)
{
	if (!cursor)
		return;
	regionsCursorFree(cursor->regions);
	g_array_unref(cursor->open);
	g_free(cursor->sums);
	g_free(cursor);
}

/** The next border; false: there is none. */
static bool partsPeek(const struct efficiencyParts *self,
		      const struct partsCursor *cursor, struct partBorder *next)
{
	bool hasBorder = cursor->border < self->borders->len;

	if (hasBorder)
		*next = g_array_index(self->borders, struct partBorder,
				      cursor->border);
	if (cursor->hasMark && (!hasBorder || cursor->mark.time <= next->time))
		*next = (struct partBorder){ cursor->mark.time,
					     cursor->mark.region - 1,
					     cursor->mark.isEnd };
	else if (!hasBorder)
		return false;
	next->time = CLAMP(next->time, cursor->start, cursor->end);
	return true;
}

static void partsSkip(const struct efficiencyParts *self,
		      struct partsCursor *cursor)
{
	bool hasBorder = cursor->border < self->borders->len;

	if (cursor->hasMark &&
	    (!hasBorder || cursor->mark.time <= g_array_index(self->borders,
							      struct partBorder,
							      cursor->border)
							.time))
		partsReadMark(cursor);
	else
		cursor->border++;
}

/** A part begins or ends: true and what it had, if it ends. */
static bool partsPass(struct partsCursor *cursor,
		      const struct partBorder *border, int64_t value,
		      struct partOpen *had)
{
	const struct partOpen open = { border->part, border->time, value };

	if (!border->isEnd) {
		g_array_append_val(cursor->open, open);
		return false;
	}
	for (guint i = cursor->open->len; i-- > 0;) {
		*had = g_array_index(cursor->open, struct partOpen, i);
		if (had->part != border->part)
			continue;
		g_array_remove_index(cursor->open, i);
		had->time = border->time - had->time;
		had->value = value - had->value;
		return true;
	}
	return false;
}

/* ---- Useful computation -------------------------------------------------- */

static bool partsCounts(const struct efficiencyParts *self, size_t trace)
{
	const struct callsTrace *of = callsOf(self->calls, trace);

	return of->start < of->end && of->count > 0;
}

/** What a rank did in a part. */
struct partSum {
	int64_t time;
	int64_t useful;
};

static int partsFindTrace(struct efficiencyParts *self, uint32_t trace,
			  struct partSum *sums)
{
	struct partsCursor *cursor = partsCursorNew(self, trace);
	struct callsCursor *calls = callsCursorNew(self->calls, trace);
	struct partBorder border;
	struct partOpen had;
	int ret;

	while (partsPeek(self, cursor, &border)) {
		int64_t busy = callsUntil(calls, border.time);

		if (busy == INT64_MIN)
			cursor->error = -EIO;
		partsSkip(self, cursor);
		if (!partsPass(cursor, &border, border.time - busy, &had))
			continue;
		sums[had.part].time += had.time;
		sums[had.part].useful += had.value;
	}
	ret = cursor->error;
	callsCursorFree(calls);
	partsCursorFree(cursor);
	return ret;
}

/** Add what a rank did; it is 0 in the next one. */
static void partsAdd(struct efficiencyParts *self, struct partSum *sums)
{
	for (guint i = 0; i < self->parts->len; i++) {
		struct efficiencyPart *part = partAt(self, i);

		if (!part->isWindow)
			part->time = MAX(part->time, sums[i].time);
		part->largest = MAX(part->largest, sums[i].useful);
		part->useful += (double)sums[i].useful;
		sums[i] = (struct partSum){ 0, 0 };
	}
	self->ranks++;
}

static gint partsCompareBorders(gconstpointer a, gconstpointer b)
{
	const struct partBorder *x = a;
	const struct partBorder *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->isEnd != y->isEnd)
		return x->isEnd ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

/** Sort the borders of windows, and tell how long these are in all. */
static void partsSortBorders(struct efficiencyParts *self)
{
	g_array_sort(self->borders, partsCompareBorders);
	for (guint i = 0; i < self->borders->len; i++) {
		const struct partBorder *border =
			&g_array_index(self->borders, struct partBorder, i);
		int64_t time = CLAMP(border->time, self->from, self->to);

		partAt(self, border->part)->time +=
			border->isEnd ? time : -time;
	}
}

static gint partsCompareTimes(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct efficiencyParts *self = data;
	int64_t x = partAt(self, *(const guint *)a)->time;
	int64_t y = partAt(self, *(const guint *)b)->time;

	return (x < y) - (x > y);
}

/** Keep ideal times of the longest regions. */
static void partsChoose(struct efficiencyParts *self)
{
	GArray *order = g_array_new(FALSE, FALSE, sizeof(guint));
	size_t room = MAX(PARTS_NUMBERS / (self->traces + 1), PARTS_LEAST);

	for (guint i = 0; i < regionsCount(self->regions); i++)
		g_array_append_val(order, i);
	g_array_sort_with_data(order, partsCompareTimes, self);
	for (guint i = 0; i < order->len && i < room; i++)
		partAt(self, g_array_index(order, guint, i))->slot =
			++self->slots;
	g_array_unref(order);
	for (guint i = 0; i < self->parts->len; i++) {
		if (partAt(self, i)->times > 1)
			partAt(self, i)->slot = ++self->slots;
	}
}

int efficiencyPartsFind(struct efficiencyParts *self, int64_t from, int64_t to)
{
	struct partSum *sums = g_new0(struct partSum, self->parts->len + 1);
	int ret = 0;

	self->from = from;
	self->to = to;
	partsSortBorders(self);
	for (uint32_t i = 0; ret == 0 && i < self->traces; i++) {
		if (!partsCounts(self, i))
			continue;
		ret = partsFindTrace(self, i, sums);
		partsAdd(self, sums);
	}
	g_free(sums);
	partsChoose(self);
	return ret;
}

/* ---- Ideal times --------------------------------------------------------- */

static struct partsCursor *partsWatched(struct efficiencyParts *self,
					uint32_t trace)
{
	if (!self->watched[trace])
		self->watched[trace] = partsCursorNew(self, trace);
	return self->watched[trace];
}

static int64_t partsWatchNext(void *data, uint32_t trace)
{
	struct efficiencyParts *self = data;
	struct partBorder border;

	return partsPeek(self, partsWatched(self, trace), &border) ? border.time
								   : INT64_MAX;
}

static void partsWatchReach(void *data, uint32_t trace, int64_t clock)
{
	struct efficiencyParts *self = data;
	struct partsCursor *cursor = partsWatched(self, trace);
	struct partBorder border;
	struct efficiencyPart *part;
	struct partOpen had;

	if (!partsPeek(self, cursor, &border))
		return;
	partsSkip(self, cursor);
	if (!partsPass(cursor, &border, clock, &had))
		return;
	part = partAt(self, had.part);
	if (part->slot) {
		cursor->sums[part->slot - 1] += had.value;
		part->ideal = MAX(part->ideal, cursor->sums[part->slot - 1]);
	} else if (part->isWindow) {
		part->ideal = MAX(part->ideal, had.value);
	}
}

struct replayWatch efficiencyPartsWatch(struct efficiencyParts *self)
{
	return (struct replayWatch){ partsWatchNext, partsWatchReach, self };
}

void efficiencyPartsFree(struct efficiencyParts *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->traces; i++)
		partsCursorFree(self->watched[i]);
	g_free(self->watched);
	g_array_unref(self->parts);
	g_array_unref(self->borders);
	g_free(self);
}

/* ---- Results ------------------------------------------------------------- */

static struct efficiency efficiencyOfPart(const struct efficiencyParts *self,
					  guint number)
{
	const struct efficiencyPart *part = partAt(self, number);
	struct efficiencySums sums = {
		.useful = part->useful,
		.ranks = self->ranks,
		.largest = part->largest,
		.time = part->time,
		.ideal = part->ideal,
	};

	return efficiencyOf(&sums);
}

struct efficiency efficiencyOfRegion(const struct efficiencyParts *self,
				     uint32_t region)
{
	return efficiencyOfPart(self, region - 1);
}

struct efficiency efficiencyOfWindow(const struct efficiencyParts *self,
				     size_t window)
{
	return efficiencyOfPart(self,
				regionsCount(self->regions) + (guint)window);
}
