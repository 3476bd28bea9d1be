/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sorts any number of items of the same size: sorted runs in a temporary file,
 * which are merged.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"

/** Bytes of a run: few while there are few runs, since many projects are small;
 *  and of the part of one that is in memory while merging: few while there are
 *  many. */
#define RUN_BYTES_MIN (512 << 10)
#define RUN_BYTES_MAX (8 << 20)
#define RUNS_ALIKE 64
#define PART_BYTES_MIN (4 << 10)
#define PART_BYTES_MAX (16 << 10)
#define PARTS_BYTES (512 << 10)

/** A run while it is merged. */
struct run {
	uint64_t next; /**< Number of the item behind the part. */
	uint64_t end;
	char *part;
	size_t count; /**< Items in the part, and which one is next. */
	size_t at;
};

struct sorter {
	size_t size;
	int (*compare)(const void *, const void *);
	GByteArray *items; /**< Of the run that is gathered. */
	struct spool *spool;
	uint64_t count;    /**< Items in the spool. */
	GArray *runs;      /**< struct run */
	struct run **heap; /**< Those with items left, the first on top. */
	guint heaped;
	bool isMerging;
	int error; /**< The first one; items are lost then. */
};

struct sorter *sorterNew(size_t size,
			 int (*compare)(const void *, const void *))
{
	struct sorter *self = g_new0(struct sorter, 1);

	self->size = size;
	self->compare = compare;
	self->items = g_byte_array_new();
	self->spool = spoolNew();
	self->runs = g_array_new(FALSE, FALSE, sizeof(struct run));
	return self;
}

void sorterFree(struct sorter *self)
{
	if (!self)
		return;
	for (guint i = 0; i < self->runs->len; i++)
		g_free(g_array_index(self->runs, struct run, i).part);
	g_array_unref(self->runs);
	g_free(self->heap);
	g_byte_array_unref(self->items);
	spoolFree(self->spool);
	g_free(self);
}

static int endRun(struct sorter *self)
{
	size_t count = self->items->len / self->size;
	struct run run = { .next = self->count, .end = self->count + count };
	int ret = 0;

	if (count == 0)
		return 0;
	qsort(self->items->data, count, self->size, self->compare);
	for (size_t at = 0; at < self->items->len && ret == 0;
	     at += PART_BYTES_MAX)
		ret = spoolAppend(self->spool, self->items->data + at,
				  MIN(PART_BYTES_MAX, self->items->len - at));
	self->count += count;
	g_array_append_val(self->runs, run);
	g_byte_array_set_size(self->items, 0);
	return ret;
}

static size_t runBytes(const struct sorter *self)
{
	guint doublings = MIN(self->runs->len / RUNS_ALIKE, 4);

	return MIN((size_t)RUN_BYTES_MIN << doublings, RUN_BYTES_MAX);
}

int sorterAdd(struct sorter *self, const void *item)
{
	if (self->error)
		return self->error;
	g_byte_array_append(self->items, item, (guint)self->size);
	if (self->items->len + self->size > runBytes(self))
		self->error = endRun(self);
	return self->error;
}

/** Have an item of a run in memory, if it has one left. */
static int fillPart(struct sorter *self, struct run *run)
{
	size_t bytes = CLAMP(PARTS_BYTES / self->runs->len, PART_BYTES_MIN,
			     PART_BYTES_MAX);
	size_t room = MAX(bytes / self->size, 1);
	int ret;

	if (run->at < run->count || run->next == run->end)
		return 0;
	if (!run->part)
		run->part = g_malloc(room * self->size);
	run->count = (size_t)MIN(room, run->end - run->next);
	run->at = 0;
	ret = spoolPeek(self->spool, run->next * self->size, run->part,
			run->count * self->size);
	run->next += run->count;
	return ret;
}

static bool sorterIsBefore(const struct sorter *self, const struct run *a,
			   const struct run *b)
{
	return self->compare(a->part + a->at * self->size,
			     b->part + b->at * self->size) < 0;
}

/** Let a run sink to where it belongs in the heap. */
static void sorterSink(struct sorter *self, guint at)
{
	struct run **heap = self->heap;

	for (;;) {
		guint child = 2 * at + 1;
		struct run *run = heap[at];

		if (child >= self->heaped)
			return;
		if (child + 1 < self->heaped &&
		    sorterIsBefore(self, heap[child + 1], heap[child]))
			child++;
		if (!sorterIsBefore(self, heap[child], run))
			return;
		heap[at] = heap[child];
		heap[child] = run;
		at = child;
	}
}

/** All was added: make the heap. */
static int startMerging(struct sorter *self)
{
	int ret = self->error ? self->error : endRun(self);

	self->isMerging = true;
	g_byte_array_unref(self->items);
	self->items = g_byte_array_new();
	self->heap = g_new0(struct run *, self->runs->len + 1);
	for (guint i = 0; i < self->runs->len && ret == 0; i++) {
		struct run *run = &g_array_index(self->runs, struct run, i);

		ret = fillPart(self, run);
		self->heap[self->heaped++] = run;
	}
	for (guint i = self->heaped / 2; i-- > 0 && ret == 0;)
		sorterSink(self, i);
	return ret;
}

int sorterNext(struct sorter *self, void *item)
{
	struct run *first;

	if (!self->isMerging)
		self->error = startMerging(self);
	if (self->error || self->heaped == 0)
		return self->error;
	first = self->heap[0];
	memcpy(item, first->part + first->at * self->size, self->size);
	first->at++;
	self->error = fillPart(self, first);
	if (self->error)
		return self->error;
	if (first->at == first->count)
		self->heap[0] = self->heap[--self->heaped];
	sorterSink(self, 0);
	return 1;
}
