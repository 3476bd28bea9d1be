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

/** Items of a run, and those of a run that are in memory while merging. */
#define RUN_ITEMS 262144
#define PART_ITEMS 512

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
	uint64_t count; /**< Items in the spool. */
	GArray *runs;   /**< struct run */
	bool isMerging;
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
	for (size_t i = 0; i < count && ret == 0; i++)
		ret = spoolAppend(self->spool,
				  self->items->data + i * self->size,
				  self->size);
	self->count += count;
	g_array_append_val(self->runs, run);
	g_byte_array_set_size(self->items, 0);
	return ret;
}

int sorterAdd(struct sorter *self, const void *item)
{
	g_byte_array_append(self->items, item, (guint)self->size);
	return self->items->len < RUN_ITEMS * self->size ? 0 : endRun(self);
}

/** Have an item of a run in memory, if it has one left. */
static int fillPart(struct sorter *self, struct run *run)
{
	int ret;

	if (run->at < run->count || run->next == run->end)
		return 0;
	if (!run->part)
		run->part = g_malloc(PART_ITEMS * self->size);
	run->count = (size_t)MIN(PART_ITEMS, run->end - run->next);
	run->at = 0;
	ret = spoolRead(self->spool, run->next * self->size, run->part,
			run->count * self->size);
	run->next += run->count;
	return ret;
}

int sorterNext(struct sorter *self, void *item)
{
	struct run *first = NULL;
	int ret = self->isMerging ? 0 : endRun(self);

	self->isMerging = true;
	for (guint i = 0; i < self->runs->len && ret == 0; i++) {
		struct run *run = &g_array_index(self->runs, struct run, i);

		ret = fillPart(self, run);
		if (ret < 0 || run->at == run->count)
			continue;
		if (!first ||
		    self->compare(run->part + run->at * self->size,
				  first->part + first->at * self->size) < 0)
			first = run;
	}
	if (ret < 0 || !first)
		return ret;
	memcpy(item, first->part + first->at * self->size, self->size);
	first->at++;
	return 1;
}
