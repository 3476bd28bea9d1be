/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All waits of a project with their causes, for queries and details in the
 * viewer.
 */
#include "config.h"

#include "HDTraceTools/model/waits/waits.h"
#include "HDTraceTools/pages/causetrack.h"
#include "HDTraceTools/pages/pack.h"

#define CHUNK_ITEMS 4096
/** Offsets in a chunk must be exact as doubles. */
#define CHUNK_NS (INT64_C(1) << 52)

enum { CAUSE_WRONG_ORDER = 1, CAUSE_UNSURE = 2 };

struct causeTrack {
	struct track *track;
	GHashTable *names;
	GArray *list; /**< struct wait, of a chunk. */
	uint64_t written;
	GByteArray *columns;
	GByteArray *part;
};

static const struct wait *causeTrackAt(const struct causeTrack *self, guint i)
{
	return &g_array_index(self->list, struct wait, i);
}

/** Numbers of waits, each a column. */
static int64_t causeTrackNumber(struct causeTrack *self, guint i,
				unsigned int column)
{
	const struct wait *wait = causeTrackAt(self, i);

	switch (column) {
	case 0:
		return i ? wait->start - causeTrackAt(self, i - 1)->start : 0;
	case 1:
		return wait->end - wait->start;
	case 2:
		return wait->trace;
	case 3:
		return wait->cause == WAIT_NO_CAUSE ? 0
						    : (int64_t)wait->cause + 1;
	case 4:
		return trackAddName(self->track, self->names,
				    waitKindInfo(wait->kind)->name);
	default:
		return (wait->isWrongOrder ? CAUSE_WRONG_ORDER : 0) |
		       (wait->certainty == DEPENDENCY_CERTAIN ? 0
							      : CAUSE_UNSURE);
	}
}

static int causeTrackWriteChunk(struct causeTrack *self)
{
	enum { COLUMNS = 6 };
	guint count = self->list->len;
	struct chunk chunk = {
		.end = INT64_MIN,
		.first = self->written,
		.count = count,
		.offset = -1,
	};
	int64_t *numbers;
	int ret;

	if (count == 0)
		return 0;
	chunk.start = causeTrackAt(self, 0)->start;
	numbers = g_new(int64_t, count);
	g_byte_array_set_size(self->columns, 0);
	for (unsigned int column = 0; column < COLUMNS; column++) {
		for (guint i = 0; i < count; i++) {
			numbers[i] = causeTrackNumber(self, i, column);
			chunk.end = MAX(chunk.end, causeTrackAt(self, i)->end);
		}
		packIntegers(self->columns, numbers, count);
	}
	g_free(numbers);
	packFinish(self->part, self->columns);
	ret = trackAddChunk(self->track, 0, &chunk, &self->part);
	self->written += count;
	g_array_set_size(self->list, 0);
	return ret;
}

static int causeTrackAdd(struct causeTrack *self, const struct wait *wait)
{
	bool isFull = self->list->len == CHUNK_ITEMS ||
		      (self->list->len &&
		       wait->start - causeTrackAt(self, 0)->start >= CHUNK_NS);
	int ret = isFull ? causeTrackWriteChunk(self) : 0;

	g_array_append_val(self->list, *wait);
	return ret;
}

int causeTrackMake(struct track *track, struct sorter *waits,
		   struct rowWaits *rows)
{
	struct causeTrack self = {
		.track = track,
		.names = g_hash_table_new(g_str_hash, g_str_equal),
		.list = g_array_new(FALSE, FALSE, sizeof(struct wait)),
		.columns = g_byte_array_new(),
		.part = g_byte_array_new(),
	};
	struct wait wait;
	int more = 0;
	int ret = 0;

	trackAddZoom(track, 1, 0);
	trackAddZoom(track, 1, 0);
	while (waits && ret == 0 && (more = sorterNext(waits, &wait)) == 1) {
		ret = causeTrackAdd(&self, &wait);
		if (ret == 0)
			ret = rowWaitsAdd(rows, &wait);
	}
	if (ret == 0 && more < 0)
		ret = more;
	if (ret == 0)
		ret = causeTrackWriteChunk(&self);
	track->isCut = ret < 0;
	trackReached(track, INT64_MAX, true);
	g_hash_table_destroy(self.names);
	g_array_unref(self.list);
	g_byte_array_unref(self.columns);
	g_byte_array_unref(self.part);
	return ret;
}
