/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Merges the entries of a group over windows: blocks in, blocks out.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/summary.h"
#include "HDTraceTools/model/window.h"
#include "cli/known.h"

/** Windows of a block. */
#define BLOCK_WINDOWS 1024

/** What a value of the new group is. */
enum part { PART_VALUE, PART_MIN, PART_MAX, PART_KNOWN };

static const char *const suffixes[] = {
	[PART_VALUE] = "",
	[PART_MIN] = "_min",
	[PART_MAX] = "_max",
	[PART_KNOWN] = "_known",
};

/** A value of the new group. */
struct windowColumn {
	size_t slot;   /**< Where its value is in summary.columns. */
	size_t column; /**< And in the group. */
	enum part part;
	enum hdKind kind;
	double *numbers;
	double last; /**< Reading of a counter; NaN: not known. */
};

struct window {
	hdIGroup group;
	GPtrArray *names; /**< Those that were made. */
	hdIAttribute *attributes;
	hdIAttribute kind; /**< Of values that are added. */
	GArray *values;    /**< hdIValue */
	GArray *columns;   /**< struct windowColumn */
	struct summary summary;
	bool isEnded;
	bool isRead;  /**< Somebody has the block that comes out. */
	int64_t from; /**< Where the block that was taken stands in the file. */
	size_t seen;  /**< Entries of the block whose readings were seen. */
	uint64_t rounded;
	uint64_t next; /**< Number behind that of the window before. */
	/* What comes out. */
	hdIBlock block;
	int64_t *start;
	int64_t *end;
	uint8_t *isAfterGap;
	int64_t *offset;
	hdIColumn *out;
};

static struct windowColumn *columnAt(const struct window *self, size_t i)
{
	return &g_array_index(self->columns, struct windowColumn, i);
}

/* ---- The new group ----------------------------------------------------- */

static bool windowIsTaken(const struct window *self, const hdIGroup *group,
			  const char *name)
{
	for (size_t i = 0; i < group->valueCount; i++) {
		if (strcmp(group->values[i].name, name) == 0)
			return true;
	}
	for (guint i = 0; i < self->values->len; i++) {
		if (strcmp(g_array_index(self->values, hdIValue, i).name,
			   name) == 0)
			return true;
	}
	return false;
}

/** Name a value that is added, as no other one is. */
static const char *newName(struct window *self, const hdIGroup *group,
			   const char *name, const char *suffix)
{
	char *text = g_strconcat(name, suffix, NULL);

	while (windowIsTaken(self, group, text)) {
		char *longer = g_strconcat(text, "_", NULL);

		g_free(text);
		text = longer;
	}
	g_ptr_array_add(self->names, text);
	return text;
}

static void windowAddColumn(struct window *self, const hdIGroup *group,
			    size_t slot, enum part part)
{
	size_t column = self->summary.columns[slot];
	hdIValue value = group->values[column];
	struct windowColumn added = {
		.slot = slot,
		.column = column,
		.part = part,
		.kind = valueKind(group, &value, NULL),
		.numbers = g_new(double, BLOCK_WINDOWS),
		.last = NAN,
	};

	value.type = HDI_DOUBLE;
	if (part != PART_VALUE) {
		value.name = newName(self, group, value.name, suffixes[part]);
		value.attributes = &self->kind;
		value.attributeCount = 1;
	}
	if (part == PART_KNOWN)
		value.unit = "s";
	g_array_append_val(self->values, value);
	g_array_append_val(self->columns, added);
}

static void addColumns(struct window *self, const struct windowSource *source)
{
	const hdIGroup *group = source->group;

	for (size_t i = 0; i < self->summary.columnCount; i++) {
		const hdIValue *value =
			&group->values[self->summary.columns[i]];
		bool hasRange = source->hasDetails &&
				valueKind(group, value, NULL) == HD_KIND_GAUGE;

		if (value->type == HDI_STRING)
			continue;
		windowAddColumn(self, group, i, PART_VALUE);
		if (hasRange)
			windowAddColumn(self, group, i, PART_MIN);
		if (hasRange)
			windowAddColumn(self, group, i, PART_MAX);
		if (source->hasDetails)
			windowAddColumn(self, group, i, PART_KNOWN);
	}
}

/** Say in the group what was done. */
static void windowAddAttribute(struct window *self,
			       const struct windowSource *source)
{
	const hdIGroup *group = source->group;
	size_t count = group->attributeCount;
	char buffer[OUT_NUMBER_SIZE];
	char *text =
		g_strdup(outSeconds(buffer, source->phases->windows.length));

	g_ptr_array_add(self->names, text);
	self->attributes = g_new(hdIAttribute, count + 1);
	for (size_t i = 0; i < count; i++)
		self->attributes[i] = group->attributes[i];
	self->attributes[count] = (hdIAttribute){ "window", text };
	self->group.attributes = self->attributes;
	self->group.attributeCount = count + 1;
}

/* ---- Windows ----------------------------------------------------------- */

/** Get a reading of a counter as a double, and count what that loses. */
static double windowReadingOf(struct window *self, const hdIValue *value,
			      const hdIColumn *column, size_t entry)
{
	double number = columnNumber(value, column, entry);

	if (isnan(number))
		return number;
	if (value->type == HDI_INT64)
		self->rounded += (outInt128)number != column->int64[entry];
	else if (value->type == HDI_UINT64)
		self->rounded += (outInt128)number != column->uint64[entry];
	return number;
}

/** See the readings of counters in all entries that are over. */
static void seeReadings(struct window *self, size_t last)
{
	const hdIBlock *block = self->summary.block;

	for (guint k = 0; k < self->columns->len; k++) {
		struct windowColumn *column = columnAt(self, k);
		const hdIValue *value =
			&self->summary.group->values[column->column];

		if (column->kind != HD_KIND_COUNTER ||
		    column->part != PART_VALUE)
			continue;
		for (size_t i = self->seen; i < last; i++) {
			double number = windowReadingOf(
				self, value, &block->columns[column->column],
				i);

			/* What was before a gap tells nothing behind it. */
			if (block->isAfterGap[i] || !isnan(number))
				column->last = number;
		}
	}
	self->seen = last;
}

/** Whether a window ends inside of the first entry behind a gap. */
static bool endsBehindGap(const struct window *self, int64_t end)
{
	const hdIBlock *block = self->summary.block;
	size_t entry = self->summary.entry;

	return entry < block->count && block->isAfterGap[entry] &&
	       block->start[entry] < end;
}

static double windowNumberOf(const struct window *self,
			     const struct windowColumn *column,
			     const struct summarySlot *slot)
{
	const struct moments *m = &slot->moments[column->slot];
	hdIType type = self->summary.group->values[column->column].type;
	struct known known = { (int64_t)m->weight, slot->length };
	struct momentsResult result = momentsGet(m, type);
	bool isFloat = type == HDI_FLOAT || type == HDI_DOUBLE;

	switch (column->part) {
	case PART_KNOWN:
		return (double)m->weight / 1e9;
	case PART_MIN:
		if (m->count == 0)
			return NAN;
		return isFloat ? m->min : (double)m->minInteger;
	case PART_MAX:
		if (m->count == 0)
			return NAN;
		return isFloat ? m->max : (double)m->maxInteger;
	case PART_VALUE:
		break;
	}
	if (column->kind == HD_KIND_GAUGE)
		return knownMean(known, result.mean);
	if (column->kind == HD_KIND_DELTA)
		return result.sum;
	return endsBehindGap(self, slot->end) ? NAN : column->last;
}

static void windowAddSlot(struct summary *summary,
			  const struct summarySlot *slot, size_t number)
{
	struct window *self = summary->data;
	size_t at = self->block.count;

	seeReadings(self, summary->entry);
	if (slot->coverStart > slot->coverEnd)
		return;
	for (guint k = 0; k < self->columns->len; k++) {
		struct windowColumn *column = columnAt(self, k);

		column->numbers[at] = windowNumberOf(self, column, slot);
	}
	self->start[at] = slot->start;
	self->end[at] = slot->end;
	self->isAfterGap[at] =
		self->block.first + at > 0 && number != self->next;
	self->offset[at] = self->from;
	self->next = number + 1;
	self->block.count++;
	summary->isPaused = self->block.count == BLOCK_WINDOWS;
}

struct window *windowNew(const struct windowSource *source)
{
	struct window *self = g_new0(struct window, 1);

	self->group = *source->group;
	self->names = g_ptr_array_new_with_free_func(g_free);
	self->kind = (hdIAttribute){ "kind", hdKindName(HD_KIND_GAUGE) };
	self->values = g_array_new(FALSE, FALSE, sizeof(hdIValue));
	self->columns = g_array_new(FALSE, FALSE, sizeof(struct windowColumn));
	self->summary = (struct summary){
		.group = source->group,
		.phases = source->phases,
		.take = windowAddSlot,
		.data = self,
		.run = source->run,
		.skipsEmpty = true,
	};
	summaryStart(&self->summary, source->selection);
	addColumns(self, source);
	windowAddAttribute(self, source);
	self->group.values = (const hdIValue *)(const void *)self->values->data;
	self->group.valueCount = self->values->len;
	self->group.entrySize = 0;
	self->start = g_new(int64_t, BLOCK_WINDOWS);
	self->end = g_new(int64_t, BLOCK_WINDOWS);
	self->isAfterGap = g_new(uint8_t, BLOCK_WINDOWS);
	self->offset = g_new(int64_t, BLOCK_WINDOWS);
	self->out = g_new(hdIColumn, self->columns->len + 1);
	for (guint i = 0; i < self->columns->len; i++)
		self->out[i].float64 = columnAt(self, i)->numbers;
	self->block.start = self->start;
	self->block.end = self->end;
	self->block.isAfterGap = self->isAfterGap;
	self->block.offset = self->offset;
	self->block.columns = self->out;
	return self;
}

void windowFree(struct window *self)
{
	if (!self)
		return;
	/* Nobody takes what is left. */
	self->summary.isPaused = true;
	if (!self->isEnded)
		summaryFinish(&self->summary);
	for (guint i = 0; i < self->columns->len; i++)
		g_free(columnAt(self, i)->numbers);
	g_array_unref(self->columns);
	g_array_unref(self->values);
	g_ptr_array_unref(self->names);
	g_free(self->attributes);
	g_free(self->start);
	g_free(self->end);
	g_free(self->isAfterGap);
	g_free(self->offset);
	g_free(self->out);
	g_free(self);
}

const hdIGroup *windowGroup(const struct window *self)
{
	return &self->group;
}

void windowTake(struct window *self, const hdIBlock *block)
{
	self->seen = 0;
	self->from = block->offset[0];
	summaryAddBlock(&self->summary, block);
	if (!self->summary.isPaused)
		seeReadings(self, self->summary.entry);
}

void windowEnd(struct window *self)
{
	static const hdIBlock nothing;

	if (self->isEnded)
		return;
	self->isEnded = true;
	/* The last block is gone. */
	self->summary.block = &nothing;
	self->summary.entry = self->seen = 0;
	self->summary.isPaused = false;
	summaryFinish(&self->summary);
}

bool windowIsEnded(const struct window *self)
{
	return self->isEnded;
}

const hdIBlock *windowRead(struct window *self)
{
	if (self->isRead) {
		self->isRead = false;
		self->block.first += self->block.count;
		self->block.count = 0;
		if (self->summary.isPaused && !self->isEnded) {
			summaryGoOn(&self->summary);
			if (!self->summary.isPaused)
				seeReadings(self, self->summary.entry);
		}
	}
	if (self->block.count < (self->isEnded ? 1 : BLOCK_WINDOWS))
		return NULL;
	self->isRead = true;
	return &self->block;
}

uint64_t windowMerged(const struct window *self)
{
	return self->summary.entries;
}

uint64_t windowRounded(const struct window *self)
{
	return self->rounded;
}
