/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations at several degrees of detail; see relationpyramid.h.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/model/relations/lanes.h"
#include "HDTraceTools/pages/pack.h"
#include "HDTraceTools/pages/relationpyramid.h"

#define CHUNK_ITEMS 4096
/** One of so many goes up. */
#define SHARE 16
/** Offsets in a chunk must be exact as doubles. */
#define CHUNK_NS (INT64_C(1) << 52)
#define BINS 256

enum { IS_UNENDED = 1, HAS_FAILED = 2, IS_ELSEWHERE = 4 };

/** All relations of a project. */
struct all {
	const hdIProject *project;
	struct forest *forest;
	GArray *places;      /**< uint32_t: of files of the forest, those of the
			      *   project. */
	GHashTable *numbers; /**< struct forestFile to the same, plus 1. */
	uint32_t *lanes;     /**< Of each relation. */
	uint32_t *roots;
	int64_t *starts; /**< Of topmost ones: when anything began, ... */
	int64_t *ends;   /**< ... and all was over. */
};

/** A relation of a zoom. */
struct item {
	int64_t start;
	int64_t end;
	uint32_t number;
	uint32_t name;
	uint32_t flags;
};

/** So many began at a time. */
struct point {
	int64_t time;
	int64_t count;
};

/** A zoom while it is made. */
struct level {
	GArray *items;  /**< struct item */
	GArray *points; /**< struct point */
	uint64_t written;
};

struct making {
	struct all *all;
	struct track *track;
	GPtrArray *levels;
	GHashTable *names; /**< As trackAddName() has them. */
	GArray *lengths;   /**< int64_t: of texts. */
	GByteArray *texts;
	GByteArray *columns;
	GByteArray *parts[2];
	int error;
};

/** One of a file, to be sorted. */
struct start {
	int64_t time;
	uint32_t number;
};

static int relationPyramidCompareStarts(const void *left, const void *right)
{
	const struct start *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void relationPyramidFail(struct making *self, int ret)
{
	if (ret < 0 && self->error == 0)
		self->error = ret;
}

/* ---- Parts ------------------------------------------------------------- */

static int64_t relationPyramidEndOf(const struct all *self, uint32_t number)
{
	return MAX(forestStart(self->forest, number),
		   forestLasted(self->forest, number));
}

/** Which file of the project a relation is in. */
static int64_t relationPyramidPlaceOf(const struct all *self, uint32_t number)
{
	gpointer place = g_hash_table_lookup(
		self->numbers, forestFileOf(self->forest, number));

	return (int64_t)GPOINTER_TO_SIZE(place) - 1;
}

#define PUT_COLUMN(out, list, numbers, expression)                       \
	do {                                                             \
		for (guint i_ = 0; i_ < (list)->len; i_++) {             \
			const struct item *item =                        \
				&g_array_index(list, struct item, i_);   \
			uint32_t parent =                                \
				forestParent(all->forest, item->number); \
			bool isCaused = parent != FOREST_NONE;           \
			uint32_t root = all->roots[item->number];        \
                                                                         \
			(void)isCaused;                                  \
			(void)root;                                      \
			(numbers)[i_] = (int64_t)(expression);           \
		}                                                        \
		packIntegers(out, numbers, (list)->len);                 \
	} while (0)

static void packItems(struct making *self, const GArray *list, int64_t base)
{
	const struct all *all = self->all;
	int64_t *numbers = g_new(int64_t, list->len);
	GByteArray *out = self->columns;
	int64_t last = base;

	g_byte_array_set_size(out, 0);
	for (guint i = 0; i < list->len; i++) {
		int64_t start = g_array_index(list, struct item, i).start;

		numbers[i] = start - last;
		last = start;
	}
	packIntegers(out, numbers, list->len);
	PUT_COLUMN(out, list, numbers, item->end - item->start);
	PUT_COLUMN(out, list, numbers, all->lanes[item->number]);
	PUT_COLUMN(out, list, numbers, item->name);
	PUT_COLUMN(out, list, numbers, item->flags);
	PUT_COLUMN(out, list, numbers, item->number);
	PUT_COLUMN(out, list, numbers, root);
	PUT_COLUMN(out, list, numbers,
		   isCaused ? relationPyramidPlaceOf(all, parent) : -1);
	PUT_COLUMN(out, list, numbers, isCaused ? all->lanes[parent] : 0);
	PUT_COLUMN(out, list, numbers,
		   isCaused ? item->start - forestStart(all->forest, parent)
			    : 0);
	PUT_COLUMN(out, list, numbers,
		   isCaused ? relationPyramidEndOf(all, parent) -
				      forestStart(all->forest, parent)
			    : 0);
	PUT_COLUMN(out, list, numbers, item->start - all->starts[root]);
	PUT_COLUMN(out, list, numbers, all->ends[root] - item->start);
	packFinish(self->parts[0], out);
	g_free(numbers);
}

static void relationPyramidPutText(struct making *self, const char *name,
				   const char *value)
{
	g_byte_array_append(self->texts, (const guint8 *)name,
			    (guint)strlen(name));
	g_byte_array_append(self->texts, (const guint8 *)"\x1f", 1);
	g_byte_array_append(self->texts, (const guint8 *)value,
			    (guint)strlen(value));
	g_byte_array_append(self->texts, (const guint8 *)"\x1e", 1);
}

static void relationPyramidPutState(struct making *self,
				    const struct forestRelation *relation,
				    const hdIRelationState *state)
{
	int64_t end = forestStateEnd(relation, state);
	char *times = g_strdup_printf("%" PRId64 " %" PRId64,
				      state->start - relation->start,
				      end - state->start);
	char *name = g_strdup_printf("state %s", state->name);

	/* Both in ns: since the relation began, and how long. */
	relationPyramidPutText(self, name, times);
	for (size_t i = 0; i < state->attributeCount; i++) {
		g_free(name);
		name = g_strdup_printf("%s.%s", state->name,
				       state->attributes[i].name);
		relationPyramidPutText(self, name, state->attributes[i].value);
	}
	g_free(name);
	g_free(times);
}

static void putTexts(struct making *self, const struct forestRelation *relation)
{
	guint before = self->texts->len;
	int64_t length;

	relationPyramidPutText(self, "token", relation->token);
	if (relation->parent)
		relationPyramidPutText(self, "parent", relation->parent);
	else if (relation->span)
		relationPyramidPutText(self, "parent", relation->span);
	for (size_t i = 0; i < relation->linkCount; i++)
		relationPyramidPutText(self, "link", relation->links[i]);
	for (size_t i = 0; i < relation->stateCount; i++)
		relationPyramidPutState(self, relation, &relation->states[i]);
	length = self->texts->len - before;
	g_array_append_val(self->lengths, length);
}

static void relationPyramidPackTexts(struct making *self)
{
	GByteArray *out = self->columns;

	g_byte_array_set_size(out, 0);
	packIntegers(out, (const int64_t *)(const void *)self->lengths->data,
		     self->lengths->len);
	packBytes(out, self->texts->data, self->texts->len);
	packFinish(self->parts[1], out);
	g_array_set_size(self->lengths, 0);
	g_byte_array_set_size(self->texts, 0);
}

/** Count what began in each part of the time of a chunk. */
static void countBins(const struct level *level, int64_t *bins, int64_t *first,
		      int64_t *last, int64_t *width)
{
	const GArray *points = level->points;

	memset(bins, 0, BINS * sizeof(*bins));
	*first = g_array_index(points, struct point, 0).time;
	*last = *first;
	for (guint i = 0; i < points->len; i++)
		*last = MAX(*last, g_array_index(points, struct point, i).time);
	*width = (*last - *first) / BINS + 1;
	for (guint i = 0; i < points->len; i++) {
		const struct point *point =
			&g_array_index(points, struct point, i);

		bins[CLAMP((point->time - *first) / *width, 0, BINS - 1)] +=
			point->count;
	}
}

/* ---- Zooms ------------------------------------------------------------- */

static void relationPyramidFreeLevel(void *data)
{
	struct level *level = data;

	g_array_unref(level->items);
	g_array_unref(level->points);
	g_free(level);
}

static struct level *levelAt(struct making *self, guint zoom)
{
	struct level *level;

	if (zoom < self->levels->len)
		return self->levels->pdata[zoom];
	level = g_new0(struct level, 1);
	level->items = g_array_new(FALSE, FALSE, sizeof(struct item));
	level->points = g_array_new(FALSE, FALSE, sizeof(struct point));
	g_ptr_array_add(self->levels, level);
	return level;
}

static void relationPyramidWriteChunk(struct making *self, guint zoom);

static void relationPyramidAddItem(struct making *self, guint zoom,
				   const struct item *item)
{
	struct level *level = levelAt(self, zoom);
	const struct point point = { item->start, 1 };

	g_array_append_vals(level->items, item, 1);
	if (zoom == 0)
		g_array_append_val(level->points, point);
}

static gint relationPyramidLongestFirst(gconstpointer a, gconstpointer b)
{
	const struct item *x = *(const struct item *const *)a;
	const struct item *y = *(const struct item *const *)b;
	int64_t p = x->end - x->start, q = y->end - y->start;
	/* Of those that lasted as long some of everywhere. */
	uint32_t m = x->number * UINT32_C(2654435761);
	uint32_t n = y->number * UINT32_C(2654435761);

	return p != q ? (p < q) - (p > q) : (m > n) - (m < n);
}

/** Hand on those that lasted longest, in their order, and how many began when.
 */
static void relationPyramidPassUp(struct making *self, guint zoom,
				  const struct level *level,
				  const int64_t *bins, int64_t first,
				  int64_t width)
{
	const GArray *list = level->items;
	GPtrArray *sorted = g_ptr_array_new();
	guint count = (list->len + SHARE - 1) / SHARE;
	bool *isChosen = g_new0(bool, list->len + 1);
	struct level *above;

	for (guint i = 0; i < list->len; i++)
		g_ptr_array_add(sorted, &g_array_index(list, struct item, i));
	g_ptr_array_sort(sorted, relationPyramidLongestFirst);
	for (guint i = 0; i < count; i++)
		isChosen[(const struct item *)sorted->pdata[i] -
			 (const struct item *)(const void *)list->data] = true;
	/* Both are of the same stretch of time. */
	above = levelAt(self, zoom + 1);
	if (above->items->len + count > CHUNK_ITEMS ||
	    (above->items->len &&
	     g_array_index(list, struct item, list->len - 1).start -
			     g_array_index(above->items, struct item, 0)
				     .start >=
		     CHUNK_NS))
		relationPyramidWriteChunk(self, zoom + 1);
	for (guint i = 0; i < list->len; i++)
		if (isChosen[i])
			relationPyramidAddItem(
				self, zoom + 1,
				&g_array_index(list, struct item, i));
	for (int i = 0; i < BINS; i++) {
		const struct point point = { first + i * width, bins[i] };

		if (bins[i])
			g_array_append_val(above->points, point);
	}
	g_free(isChosen);
	g_ptr_array_unref(sorted);
}

static void relationPyramidWriteChunk(struct making *self, guint zoom)
{
	struct level *level = levelAt(self, zoom);
	GArray *list = level->items;
	struct chunk chunk = {
		.start = INT64_MAX,
		.end = INT64_MIN,
		.first = level->written,
		.count = list->len,
		.offset = -1,
	};
	int64_t bins[BINS], first, last, width;

	if (list->len == 0)
		return;
	countBins(level, bins, &first, &last, &width);
	for (guint i = 0; i < list->len; i++) {
		const struct item *item = &g_array_index(list, struct item, i);

		chunk.start = MIN(chunk.start, item->start);
		chunk.end = MAX(chunk.end, item->end);
	}
	/* Those that were left out began in its time as well. */
	chunk.start = MIN(chunk.start, first);
	chunk.end = MAX(chunk.end, last);
	packItems(self, list, chunk.start);
	if (zoom == 0) {
		relationPyramidPackTexts(self);
	} else {
		const int64_t head[] = { first - chunk.start, width };

		g_byte_array_set_size(self->columns, 0);
		packIntegers(self->columns, head, G_N_ELEMENTS(head));
		packIntegers(self->columns, bins, BINS);
		packFinish(self->parts[1], self->columns);
	}
	while (self->track->zooms->len <= zoom)
		trackAddZoom(self->track, 2, 0);
	relationPyramidFail(
		self, trackAddChunk(self->track, zoom, &chunk, self->parts));
	level->written += list->len;
	/* Few are not to become fewer. */
	if (level->written > CHUNK_ITEMS / SHARE)
		relationPyramidPassUp(self, zoom, level, bins, first, width);
	g_array_set_size(list, 0);
	g_array_set_size(level->points, 0);
}

static void relationPyramidAddRelation(struct making *self, uint32_t number)
{
	struct forestRelation relation;
	struct level *level = levelAt(self, 0);
	struct item item;

	relationPyramidFail(self,
			    forestGet(self->all->forest, number, &relation));
	if (self->error)
		return;
	item = (struct item){
		.start = relation.start,
		.end = MAX(relation.start, relation.lasted),
		.number = number,
		.name = trackAddName(self->track, self->names,
				     forestTitle(&relation)),
		.flags = (relation.end == HDI_NEVER ? IS_UNENDED : 0) |
			 (forestError(&relation) ? HAS_FAILED : 0) |
			 ((relation.parent || relation.span) &&
					  !relation.isParentFound
				  ? IS_ELSEWHERE
				  : 0),
	};
	if (level->items->len == CHUNK_ITEMS ||
	    (level->items->len &&
	     item.start - g_array_index(level->items, struct item, 0).start >=
		     CHUNK_NS))
		relationPyramidWriteChunk(self, 0);
	relationPyramidAddItem(self, 0, &item);
	putTexts(self, &relation);
}

/** Make the track of a file. */
static int makeTrack(struct all *all, const struct forestFile *file,
		     struct track *track)
{
	struct making self = {
		.all = all,
		.track = track,
		.levels = g_ptr_array_new_with_free_func(
			relationPyramidFreeLevel),
		.names = g_hash_table_new(g_str_hash, g_str_equal),
		.lengths = g_array_new(FALSE, FALSE, sizeof(int64_t)),
		.texts = g_byte_array_new(),
		.columns = g_byte_array_new(),
		.parts = { g_byte_array_new(), g_byte_array_new() },
	};
	struct sorter *starts =
		sorterNew(sizeof(struct start), relationPyramidCompareStarts);
	struct start start;
	int ret = 0;

	memset(&start, 0, sizeof(start));
	for (uint32_t i = 0; i < file->count && !self.error; i++) {
		start.number = file->first + i;
		start.time = forestStart(all->forest, start.number);
		relationPyramidFail(&self, sorterAdd(starts, &start));
	}
	while (!self.error && (ret = sorterNext(starts, &start)) == 1)
		relationPyramidAddRelation(&self, start.number);
	relationPyramidFail(&self, ret);
	for (guint i = 0; i < self.levels->len && !self.error; i++)
		relationPyramidWriteChunk(&self, i);
	sorterFree(starts);
	g_ptr_array_unref(self.levels);
	g_hash_table_destroy(self.names);
	g_array_unref(self.lengths);
	g_byte_array_unref(self.texts);
	g_byte_array_unref(self.columns);
	g_byte_array_unref(self.parts[0]);
	g_byte_array_unref(self.parts[1]);
	return self.error;
}

/* ---- All --------------------------------------------------------------- */

static int relationPyramidFindLanes(struct all *self, struct track *tracks)
{
	struct lanes *lanes = lanesNew(self->forest);
	struct lanesItem item;
	int ret = lanesFind(lanes);
	int more = 0;

	while (ret == 0 && (more = lanesNext(lanes, &item)) == 1)
		self->lanes[item.number] = item.lane;
	if (ret == 0)
		ret = more;
	for (guint i = 0; i < self->places->len; i++) {
		struct track *track =
			&tracks[g_array_index(self->places, uint32_t, i)];

		pthread_mutex_lock(&track->mutex);
		track->depth = lanesCount(lanes, i);
		pthread_mutex_unlock(&track->mutex);
	}
	lanesFree(lanes);
	return ret;
}

/** Find the topmost ones, and how long all lasted that they led to. */
static void findRoots(struct all *self)
{
	uint32_t count = forestCount(self->forest);

	for (uint32_t i = 0; i < count; i++)
		self->roots[i] = forestParent(self->forest, i) == FOREST_NONE
					 ? i
					 : FOREST_NONE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = i, root;

		while (self->roots[at] == FOREST_NONE)
			at = forestParent(self->forest, at);
		root = self->roots[at];
		for (at = i; self->roots[at] == FOREST_NONE;
		     at = forestParent(self->forest, at))
			self->roots[at] = root;
		self->starts[i] = INT64_MAX;
		self->ends[i] = INT64_MIN;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t root = self->roots[i];

		self->starts[root] =
			MIN(self->starts[root], forestStart(self->forest, i));
		self->ends[root] =
			MAX(self->ends[root], relationPyramidEndOf(self, i));
	}
}

/** Not all of the file is there. */
static void noteCut(struct track *track)
{
	pthread_mutex_lock(&track->mutex);
	track->isCut = true;
	pthread_mutex_unlock(&track->mutex);
}

static int makeAll(struct all *self, struct track *tracks)
{
	const hdIProject *project = self->project;
	size_t count;
	int ret;

	for (uint32_t i = 0; i < project->relationCount; i++) {
		ret = forestRead(self->forest, project->relations[i],
				 &diagnosticsDropped, NULL, NULL);
		if (ret == 0)
			g_array_append_val(self->places, i);
		else
			noteCut(&tracks[i]);
	}
	ret = forestEnd(self->forest);
	if (ret < 0)
		return ret;
	count = (size_t)forestCount(self->forest) + 1;
	self->lanes = g_new0(uint32_t, count);
	self->roots = g_new(uint32_t, count);
	self->starts = g_new(int64_t, count);
	self->ends = g_new(int64_t, count);
	for (guint i = 0; i < self->places->len; i++) {
		size_t place = g_array_index(self->places, uint32_t, i);

		g_hash_table_insert(self->numbers,
				    (gpointer)forestFileAt(self->forest, i),
				    GSIZE_TO_POINTER(place + 1));
	}
	ret = relationPyramidFindLanes(self, tracks);
	findRoots(self);
	for (guint i = 0; i < self->places->len && ret == 0; i++)
		ret = makeTrack(
			self, forestFileAt(self->forest, i),
			&tracks[g_array_index(self->places, uint32_t, i)]);
	return ret;
}

int relationPyramidsMake(const hdIProject *project, struct track *tracks)
{
	struct all self = { .project = project };
	int ret = 0;

	if (project->relationCount == 0)
		return 0;
	self.forest = forestNew(project);
	self.places = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	self.numbers = g_hash_table_new(NULL, NULL);
	ret = makeAll(&self, tracks);
	for (size_t i = 0; i < project->relationCount; i++) {
		if (ret < 0)
			noteCut(&tracks[i]);
		trackReached(&tracks[i], INT64_MAX, true);
	}
	g_free(self.lanes);
	g_free(self.roots);
	g_free(self.starts);
	g_free(self.ends);
	g_array_unref(self.places);
	g_hash_table_destroy(self.numbers);
	forestFree(self.forest);
	return ret;
}
