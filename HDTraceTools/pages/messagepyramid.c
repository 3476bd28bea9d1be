/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The messages of a project at several degrees of detail, called zooms, for the
 * viewer.
 */
#include "config.h"

#include <stdlib.h>

#include "HDTraceTools/pages/messagepyramid.h"
#include "HDTraceTools/pages/pack.h"

#define CHUNK_ITEMS 4096
/** One of so many goes up. */
#define SHARE 16
/** Offsets in a chunk must be exact as doubles. */
#define CHUNK_NS (INT64_C(1) << 52)

struct making {
	struct track *track;
	GPtrArray *zooms; /**< GArray of struct dependency: chunks. */
	GArray *written;  /**< uint64_t, of each zoom. */
	GByteArray *columns;
	GByteArray *part;
	int error;
};

static int64_t duration(const struct dependency *pair)
{
	return pair->toTime - dependencyStart(pair);
}

#define PUT_COLUMN(out, list, numbers, expression)                           \
	do {                                                                 \
		for (guint i_ = 0; i_ < (list)->len; i_++) {                 \
			const struct dependency *pair =                      \
				&g_array_index(list, struct dependency, i_); \
			(numbers)[i_] = (int64_t)(expression);               \
		}                                                            \
		packIntegers(out, numbers, (list)->len);                     \
	} while (0)

static void pack(struct making *self, GArray *list)
{
	int64_t *numbers = g_new(int64_t, list->len);
	GByteArray *out = self->columns;
	int64_t last =
		dependencyStart(&g_array_index(list, struct dependency, 0));

	g_byte_array_set_size(out, 0);
	for (guint i = 0; i < list->len; i++) {
		int64_t time = dependencyStart(
			&g_array_index(list, struct dependency, i));

		numbers[i] = time - last;
		last = time;
	}
	packIntegers(out, numbers, list->len);
	PUT_COLUMN(out, list, numbers, duration(pair));
	PUT_COLUMN(out, list, numbers, pair->from);
	PUT_COLUMN(out, list, numbers, pair->to);
	PUT_COLUMN(out, list, numbers, pair->size);
	PUT_COLUMN(out, list, numbers, pair->tag);
	PUT_COLUMN(out, list, numbers, pair->group);
	packFinish(self->part, out);
	g_free(numbers);
}

static void messagePyramidAddPair(struct making *self, guint zoom,
				  const struct dependency *pair);

static gint messagePyramidLongestFirst(gconstpointer a, gconstpointer b)
{
	int64_t x = duration(*(const struct dependency *const *)a);
	int64_t y = duration(*(const struct dependency *const *)b);

	return (x < y) - (x > y);
}

/** Hand on those that took longest, in their order. */
static void messagePyramidPassUp(struct making *self, guint zoom,
				 const GArray *list)
{
	GPtrArray *sorted = g_ptr_array_new();
	guint count = (list->len + SHARE - 1) / SHARE;
	bool *isChosen = g_new0(bool, list->len + 1);

	for (guint i = 0; i < list->len; i++)
		g_ptr_array_add(sorted,
				&g_array_index(list, struct dependency, i));
	g_ptr_array_sort(sorted, messagePyramidLongestFirst);
	for (guint i = 0; i < count; i++)
		isChosen[(const struct dependency *)sorted->pdata[i] -
			 (const struct dependency *)(const void *)list->data] =
			true;
	for (guint i = 0; i < list->len; i++) {
		if (isChosen[i])
			messagePyramidAddPair(
				self, zoom + 1,
				&g_array_index(list, struct dependency, i));
	}
	g_free(isChosen);
	g_ptr_array_unref(sorted);
}

static void messagePyramidWriteChunk(struct making *self, guint zoom)
{
	GArray *list = self->zooms->pdata[zoom];
	uint64_t *written = &g_array_index(self->written, uint64_t, zoom);
	struct chunk chunk = {
		.start = INT64_MAX,
		.end = INT64_MIN,
		.first = *written,
		.count = list->len,
		.offset = -1,
	};
	int ret;

	if (list->len == 0)
		return;
	for (guint i = 0; i < list->len; i++) {
		const struct dependency *pair =
			&g_array_index(list, struct dependency, i);

		chunk.start = MIN(chunk.start, dependencyStart(pair));
		chunk.end = MAX(chunk.end,
				MAX(dependencyStart(pair), pair->toTime));
	}
	pack(self, list);
	while (self->track->zooms->len <= zoom)
		trackAddZoom(self->track, 1, 0);
	ret = trackAddChunk(self->track, zoom, &chunk, &self->part);
	if (ret < 0 && self->error == 0)
		self->error = ret;
	*written += list->len;
	/* Few are not to become fewer. */
	if (*written > CHUNK_ITEMS / SHARE)
		messagePyramidPassUp(self, zoom, list);
	g_array_set_size(list, 0);
}

static void messagePyramidAddPair(struct making *self, guint zoom,
				  const struct dependency *pair)
{
	GArray *list;

	if (zoom == self->zooms->len) {
		uint64_t none = 0;

		g_ptr_array_add(self->zooms,
				g_array_new(FALSE, FALSE, sizeof(*pair)));
		g_array_append_val(self->written, none);
	}
	list = self->zooms->pdata[zoom];
	if (list->len == CHUNK_ITEMS ||
	    (list->len &&
	     dependencyStart(pair) - dependencyStart(&g_array_index(
					     list, struct dependency, 0)) >=
		     CHUNK_NS))
		messagePyramidWriteChunk(self, zoom);
	g_array_append_val(list, *pair);
}

int messagePyramidMake(struct track *track, struct dependencies *dependencies)
{
	struct making self = {
		.track = track,
		.zooms = g_ptr_array_new_with_free_func(
			(GDestroyNotify)g_array_unref),
		.written = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
		.columns = g_byte_array_new(),
		.part = g_byte_array_new(),
	};
	struct dependency pair;
	int ret;

	trackAddZoom(track, 1, 0);
	while ((ret = dependenciesNext(dependencies, &pair)) == 1 &&
	       !self.error)
		messagePyramidAddPair(&self, 0, &pair);
	for (guint i = 0; i < self.zooms->len && !self.error; i++)
		messagePyramidWriteChunk(&self, i);
	trackReached(track, INT64_MAX, true);
	g_ptr_array_unref(self.zooms);
	g_array_unref(self.written);
	g_byte_array_unref(self.columns);
	g_byte_array_unref(self.part);
	return ret < 0 ? ret : self.error;
}
