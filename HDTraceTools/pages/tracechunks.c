/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Items of a trace in a file, and the chunks that they are packed into.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/pages/traceitems.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/pages/pack.h"
#include "HDTraceTools/pages/tracepyramid.h"

#define CHUNK_ITEMS 4096

/** Offsets in a chunk must be exact as doubles. */
#define CHUNK_NS (INT64_C(1) << 52)

/* ---- Items in a file --------------------------------------------------- */

void traceItemsAdd(struct tracePyramid *self, struct items *items,
		   const struct item *item)
{
	tracePyramidNoteError(self,
			      spoolAppend(items->spool, item, sizeof(*item)));
	items->count++;
}

void traceItemsEach(struct tracePyramid *self, struct items *items,
		    void (*take)(const struct item *item, void *data),
		    void *data)
{
	enum { BATCH = 256 };
	struct item batch[BATCH];

	for (uint64_t at = 0; at < items->count && !self->error; at += BATCH) {
		size_t count = (size_t)MIN(BATCH, items->count - at);

		tracePyramidNoteError(
			self, spoolRead(items->spool, at * sizeof(*batch),
					batch, count * sizeof(*batch)));
		for (size_t i = 0; i < count && !self->error; i++)
			take(&batch[i], data);
	}
}

/* ---- Chunks ------------------------------------------------------------ */

#define PUT_COLUMN(out, list, numbers, expression)                     \
	do {                                                           \
		for (guint i_ = 0; i_ < (list)->len; i_++) {           \
			const struct item *item =                      \
				&g_array_index(list, struct item, i_); \
			(numbers)[i_] = (int64_t)(expression);         \
		}                                                      \
		packIntegers(out, numbers, (list)->len);               \
	} while (0)

static void packStates(struct tracePyramid *self, int64_t start,
		       GByteArray *out)
{
	GArray *list = self->states.items;
	int64_t *numbers = g_new(int64_t, list->len + 1);
	int64_t last = start;

	g_byte_array_set_size(self->columns, 0);
	for (guint i = 0; i < list->len; i++) {
		int64_t time = g_array_index(list, struct item, i).start;

		numbers[i] = time - last;
		last = time;
	}
	packIntegers(self->columns, numbers, list->len);
	PUT_COLUMN(self->columns, list, numbers, item->length);
	PUT_COLUMN(self->columns, list, numbers, item->name);
	PUT_COLUMN(self->columns, list, numbers, item->depth);
	PUT_COLUMN(self->columns, list, numbers, item->parent);
	PUT_COLUMN(self->columns, list, numbers,
		   item->isEvent + 2 * item->isNested);
	packFinish(out, self->columns);
	g_free(numbers);
}

static void tracePyramidPackSums(struct tracePyramid *self, int64_t width,
				 GByteArray *out)
{
	GArray *list = self->sums.items;
	int64_t *numbers = g_new(int64_t, list->len + 1);

	g_byte_array_set_size(self->columns, 0);
	PUT_COLUMN(self->columns, list, numbers, item->start / width);
	PUT_COLUMN(self->columns, list, numbers, item->depth);
	PUT_COLUMN(self->columns, list, numbers, item->parent);
	PUT_COLUMN(self->columns, list, numbers, item->name);
	PUT_COLUMN(self->columns, list, numbers, item->length);
	PUT_COLUMN(self->columns, list, numbers, item->count);
	PUT_COLUMN(self->columns, list, numbers, item->isNested);
	packFinish(out, self->columns);
	g_free(numbers);
}

static struct itemAmount amountIn(const struct tracePyramid *self,
				  int64_t start, int64_t end)
{
	struct attributionAmount charged =
		attributionCursorGet(self->charge, start, end);

	return (struct itemAmount){
		.energy = attributionEnergy(&charged),
		.node = powerCursorGet(self->power, start, end).energy,
		.measured = charged.measured,
	};
}

/** Its part of the energy of the time over which a state's own is spread. */
static struct itemAmount amountSpread(const struct tracePyramid *self,
				      const struct item *item)
{
	double before = (double)(item->start - item->from) * item->stretch;
	int64_t start = item->spanFrom + (int64_t)before;
	int64_t end = start + (int64_t)((double)item->length * item->stretch);
	struct itemAmount amount = amountIn(self, start, end);

	amount.energy /= item->stretch;
	amount.node /= item->stretch;
	amount.measured =
		MIN((int64_t)((double)amount.measured / item->stretch + 0.5),
		    item->length);
	return amount;
}

struct itemAmount tracePyramidAmountOf(const struct tracePyramid *self,
				       const struct item *item)
{
	if (item->isSum)
		return item->amount;
	return item->stretch > 0 ? amountSpread(self, item)
				 : amountIn(self, item->start,
					    item->start + item->length);
}

/**
 * Mean power of an amount, in W, to some nine digits: what is in one entry of
 * the power has the same bits, whatever rounding made of it, and packs well.
 */
static double wattsOf(double energy, int64_t measured)
{
	const double bits = 0x1p28;
	int exponent;
	double fraction;

	if (measured <= 0)
		return 0;
	fraction = frexp(energy / (double)measured * 1e9, &exponent);
	return ldexp(nearbyint(fraction * bits) / bits, exponent);
}

static void putEnergies(struct tracePyramid *self, const GArray *list)
{
	double *watts = g_new(double, list->len + 1);
	double *nodes = g_new(double, list->len + 1);
	int64_t *unknown = g_new(int64_t, list->len + 1);

	for (guint i = 0; i < list->len; i++) {
		const struct item *item = &g_array_index(list, struct item, i);
		struct itemAmount amount = tracePyramidAmountOf(self, item);

		watts[i] = wattsOf(amount.energy, amount.measured);
		nodes[i] = wattsOf(amount.node, amount.measured);
		unknown[i] = item->length - amount.measured;
	}
	packDoubles(self->columns, watts, list->len);
	packIntegers(self->columns, unknown, list->len);
	packDoubles(self->columns, nodes, list->len);
	g_free(watts);
	g_free(nodes);
	g_free(unknown);
}

static void packEnergies(struct tracePyramid *self, GByteArray *out)
{
	g_byte_array_set_size(self->columns, 0);
	putEnergies(self, self->states.items);
	putEnergies(self, self->sums.items);
	packFinish(out, self->columns);
}

static void tracePyramidPackTexts(struct tracePyramid *self, GByteArray *out)
{
	g_byte_array_set_size(self->columns, 0);
	packIntegers(self->columns, (const int64_t *)self->texts->data,
		     self->texts->len);
	packBytes(self->columns, self->textBytes->data, self->textBytes->len);
	packFinish(out, self->columns);
}

static int64_t listStart(const struct list *list)
{
	return list->items->len
		       ? g_array_index(list->items, struct item, 0).start
		       : INT64_MAX;
}

void traceListEmpty(struct list *list)
{
	g_array_set_size(list->items, 0);
	list->end = INT64_MIN;
}

void tracePyramidWriteChunk(struct tracePyramid *self)
{
	const struct zoom *zoom = self->track->zooms->pdata[self->zoom];
	struct chunk chunk = {
		.start = MIN(listStart(&self->states), listStart(&self->sums)),
		.end = MAX(self->states.end, self->sums.end),
		.first = self->written,
		.count = self->states.items->len + self->sums.items->len,
		.offset = -1,
	};
	bool isStored = self->isStored || self->zoom > 1;

	if (chunk.count == 0)
		return;
	/* Steps may begin before the trace does, and end after it. */
	chunk.start = MAX(chunk.start, self->first);
	chunk.end = MIN(chunk.end, self->end);
	if (isStored) {
		packStates(self, chunk.start, self->parts[PART_STATES]);
		if (zoom->partCount > PART_SUMS)
			tracePyramidPackSums(self, zoom->width,
					     self->parts[PART_SUMS]);
		if (zoom->partCount > PART_ENERGY)
			packEnergies(self, self->parts[PART_ENERGY]);
	}
	tracePyramidNoteError(self,
			      trackAddChunk(self->track, self->zoom, &chunk,
					    isStored ? self->parts : NULL));
	if (self->zoom == 1) {
		if (isStored)
			tracePyramidPackTexts(self, self->parts[0]);
		tracePyramidNoteError(
			self, trackAddChunk(self->track, 0, &chunk,
					    isStored ? self->parts : NULL));
		g_array_set_size(self->texts, 0);
		g_byte_array_set_size(self->textBytes, 0);
		trackReached(self->track, chunk.end, false);
	}
	self->written += chunk.count;
	traceListEmpty(&self->states);
	traceListEmpty(&self->sums);
}

void traceListMakeRoom(struct tracePyramid *self, int64_t start)
{
	int64_t first = MIN(listStart(&self->states), listStart(&self->sums));

	if (self->states.items->len + self->sums.items->len >= CHUNK_ITEMS ||
	    self->textBytes->len > 64 * CHUNK_ITEMS ||
	    (first != INT64_MAX && start - first >= CHUNK_NS))
		tracePyramidWriteChunk(self);
}

void traceListAdd(struct list *list, const struct item *item, int64_t end)
{
	g_array_append_val(list->items, *item);
	list->end = MAX(list->end, end);
}
