/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations in lanes; see lanes.h.
 */
#include "config.h"

#include <glib.h>

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/base/heap.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/relations/lanes.h"

/** A lane, and until when it is in use, or its number where it is not. */
struct place {
	int64_t key;
	uint32_t lane;
};

struct lanes {
	struct forest *forest;
	uint32_t *counts; /**< Of each file. */
	struct sorter *items;
	/* Of the file that is gone through: heaps, the smallest key first. */
	GArray *busy;
	GArray *free;
};

static int lanesCompareStarts(const void *left, const void *right)
{
	const struct lanesItem *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int compareLanes(const void *left, const void *right)
{
	const struct lanesItem *a = left, *b = right;

	if (a->file == b->file && a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return lanesCompareStarts(left, right);
}

struct lanes *lanesNew(struct forest *forest)
{
	struct lanes *self = g_new0(struct lanes, 1);

	self->forest = forest;
	self->counts = g_new0(uint32_t, forestFileCount(forest) + 1);
	self->items = sorterNew(sizeof(struct lanesItem), compareLanes);
	self->busy = g_array_new(FALSE, FALSE, sizeof(struct place));
	self->free = g_array_new(FALSE, FALSE, sizeof(struct place));
	return self;
}

void lanesFree(struct lanes *self)
{
	if (!self)
		return;
	g_free(self->counts);
	sorterFree(self->items);
	g_array_unref(self->busy);
	g_array_unref(self->free);
	g_free(self);
}

/* ---- Lanes ------------------------------------------------------------- */

static gint lanesComparePlaces(gconstpointer a, gconstpointer b)
{
	const struct place *x = a, *y = b;

	COMPARE_KEYS(x->key, y->key);
	return 0;
}

static void lanesPush(GArray *heap, int64_t key, uint32_t lane)
{
	const struct place place = { key, lane };

	heapPush(heap, &place, lanesComparePlaces);
}

static uint32_t lanesPop(GArray *heap)
{
	struct place place;

	heapPop(heap, &place, lanesComparePlaces);
	return place.lane;
}

/** Find the lane of the next relation of a file. */
static uint32_t lanesFindLane(struct lanes *self, const struct lanesItem *item)
{
	uint32_t lane;

	while (self->busy->len &&
	       g_array_index(self->busy, struct place, 0).key <= item->start) {
		lane = lanesPop(self->busy);
		lanesPush(self->free, lane, lane);
	}
	lane = self->free->len ? lanesPop(self->free)
			       : self->counts[item->file]++;
	lanesPush(self->busy, item->end, lane);
	return lane;
}

static int assign(struct lanes *self, struct sorter *starts)
{
	struct lanesItem item;
	uint32_t file = UINT32_MAX;
	int ret;

	while ((ret = sorterNext(starts, &item)) == 1) {
		if (item.file != file) {
			file = item.file;
			g_array_set_size(self->busy, 0);
			g_array_set_size(self->free, 0);
		}
		item.lane = lanesFindLane(self, &item);
		ret = sorterAdd(self->items, &item);
		if (ret < 0)
			break;
	}
	return ret;
}

int lanesFind(struct lanes *self)
{
	struct sorter *starts =
		sorterNew(sizeof(struct lanesItem), lanesCompareStarts);
	struct lanesItem item;
	int ret = 0;

	memset(&item, 0, sizeof(item));
	for (size_t i = 0; i < forestFileCount(self->forest); i++) {
		const struct forestFile *file = forestFileAt(self->forest, i);

		for (uint32_t k = 0; k < file->count && ret == 0; k++) {
			item.file = (uint32_t)i;
			item.number = file->first + k;
			item.start = forestStart(self->forest, item.number);
			item.end = MAX(item.start,
				       forestLasted(self->forest, item.number));
			ret = sorterAdd(starts, &item);
		}
	}
	if (ret == 0)
		ret = assign(self, starts);
	sorterFree(starts);
	return ret;
}

uint32_t lanesCount(const struct lanes *self, size_t file)
{
	return self->counts[file];
}

int lanesNext(struct lanes *self, struct lanesItem *item)
{
	return sorterNext(self->items, item);
}
