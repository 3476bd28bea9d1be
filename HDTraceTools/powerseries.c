/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file powerseries.c
 * A value over time, in memory, whose integral over any interval is known.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "powerseries.h"

/** An entry, and the sums before it. */
struct entry {
	int64_t start;
	int64_t end;
	double value; /**< 0 if there is none. */
	bool hasValue;
	struct powerAmount before;
};

struct powerSeries {
	GArray *entries;
};

static double valueOf(hdIType type, const hdIColumn *column, size_t i)
{
	switch (type) {
	case HDI_INT32:
		return column->int32[i];
	case HDI_INT64:
		return (double)column->int64[i];
	case HDI_UINT64:
		return (double)column->uint64[i];
	case HDI_FLOAT:
		return (double)column->float32[i];
	case HDI_DOUBLE:
		return column->float64[i];
	case HDI_STRING:
		break;
	}
	return NAN;
}

/** The sums before a time in an entry, or behind it. */
static struct powerAmount sumsAt(const struct entry *entry, int64_t time)
{
	struct powerAmount sums = entry->before;

	if (entry->hasValue && time > entry->start) {
		int64_t length = MIN(time, entry->end) - entry->start;

		sums.measured += length;
		sums.energy += entry->value * (double)length / 1e9;
	}
	return sums;
}

static void addBlock(struct powerSeries *self, hdIType type,
		     const hdIColumn *column, const hdIBlock *block)
{
	for (size_t i = 0; i < block->count; i++) {
		double value = valueOf(type, column, i);
		struct entry entry = {
			.start = block->start[i],
			.end = block->end[i],
			.hasValue = isfinite(value),
		};

		if (entry.hasValue)
			entry.value = value;
		if (self->entries->len) {
			const struct entry *last =
				&g_array_index(self->entries, struct entry,
					       self->entries->len - 1);

			entry.before = sumsAt(last, last->end);
		}
		g_array_append_val(self->entries, entry);
	}
}

struct powerSeries *powerSeriesRead(struct tool *tool,
				    const hdIProject *project,
				    const hdIGroup *group, size_t column)
{
	struct powerSeries *self = g_new(struct powerSeries, 1);
	hdIStatReader *reader = hdI_openStat(project, group);
	const hdIBlock *block;

	self->entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
	if (!reader) {
		if (errno != EBADMSG)
			toolError(tool, "%s: %s", group->file, strerror(errno));
		return self;
	}
	while (hdI_readStat(reader, &block) == 1) {
		addBlock(self, group->values[column].type,
			 &block->columns[column], block);
		toolProgressAt(tool, block->offset[block->count - 1]);
	}
	hdI_closeStat(reader);
	return self;
}

void powerSeriesFree(struct powerSeries *self)
{
	if (!self)
		return;
	g_array_unref(self->entries);
	g_free(self);
}

/** The sums before a time. */
static struct powerAmount sumsBefore(const struct powerSeries *self,
				     int64_t time)
{
	const struct entry *entries = (const void *)self->entries->data;
	guint low = 0;
	guint high = self->entries->len;

	if (high == 0)
		return (struct powerAmount){ .energy = 0 };
	/* The last entry that starts before it, else the first. */
	while (high - low > 1) {
		guint middle = low + (high - low) / 2;

		if (entries[middle].start < time)
			low = middle;
		else
			high = middle;
	}
	return sumsAt(&entries[low], time);
}

struct powerAmount powerSeriesGet(const struct powerSeries *self, int64_t start,
				  int64_t end)
{
	struct powerAmount from = sumsBefore(self, start);
	struct powerAmount to = sumsBefore(self, end);

	if (end <= start)
		return (struct powerAmount){ .energy = 0 };
	return (struct powerAmount){
		.energy = to.energy - from.energy,
		.measured = to.measured - from.measured,
	};
}
