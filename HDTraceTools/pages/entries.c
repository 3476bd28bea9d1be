/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Some entries of a statistics group, gathered from blocks.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/column.h"
#include "HDTraceTools/pages/entries.h"
#include "HDTraceTools/pages/pack.h"

static hdIType pageEntriesTypeOf(const struct entries *self, size_t column)
{
	return columnPlainType(&self->group->values[column]);
}

static bool isCounter(const struct entries *self, size_t column)
{
	return amountsKind(self->amounts, column) == HD_KIND_COUNTER;
}

static size_t pageEntriesSizeOf(const struct entries *self, size_t column)
{
	hdIType type = pageEntriesTypeOf(self, column);
	bool isShort = type == HDI_INT32 || type == HDI_FLOAT;

	return isShort && !isCounter(self, column) ? 4 : 8;
}

void entriesInit(struct entries *self, const hdIGroup *group,
		 const struct amounts *amounts, size_t capacity)
{
	size_t count = group->valueCount;

	*self = (struct entries){
		.group = group,
		.amounts = amounts,
		.capacity = capacity,
		.start = g_new(int64_t, capacity),
		.end = g_new(int64_t, capacity),
		.columns = g_new0(void *, count + 1),
		.texts = g_new0(GByteArray *, count + 1),
		.growths = g_new0(uint8_t *, count + 1),
	};
	for (size_t i = 0; i < count; i++) {
		self->columns[i] =
			g_malloc(capacity * pageEntriesSizeOf(self, i));
		if (isCounter(self, i))
			self->growths[i] = g_new(uint8_t, capacity);
		if (pageEntriesTypeOf(self, i) == HDI_STRING)
			self->texts[i] = g_byte_array_new();
	}
}

void entriesClear(struct entries *self)
{
	for (size_t i = 0; i < self->group->valueCount; i++) {
		g_free(self->columns[i]);
		if (self->texts[i])
			g_byte_array_unref(self->texts[i]);
		g_free(self->growths[i]);
	}
	g_free(self->columns);
	g_free(self->texts);
	g_free(self->growths);
	g_free(self->start);
	g_free(self->end);
}

void entriesEmpty(struct entries *self)
{
	self->count = 0;
	for (size_t i = 0; i < self->group->valueCount; i++) {
		if (self->texts[i])
			g_byte_array_set_size(self->texts[i], 0);
	}
}

static void appendStrings(struct entries *self, size_t column,
			  const hdIBytes *strings, size_t count)
{
	int64_t *lengths = self->columns[column];

	for (size_t i = 0; i < count; i++) {
		lengths[self->count + i] = (int64_t)strings[i].length;
		g_byte_array_append(self->texts[column],
				    (const guint8 *)strings[i].bytes,
				    (guint)strings[i].length);
	}
}

/** Integers of which one says that there is no value. */
static void appendNumbers(struct entries *self, size_t column,
			  const hdIColumn *values, size_t first, size_t count)
{
	double *numbers = (double *)self->columns[column] + self->count;

	for (size_t i = 0; i < count; i++)
		numbers[i] = columnNumber(&self->group->values[column], values,
					  first + i);
}

static enum entriesGrowth pageEntriesGrowthOf(const struct entries *self,
					      size_t column, size_t entry)
{
	struct moments moments = { .count = 0 };

	amountsAdd(self->amounts, column, &moments, entry, entry + 1);
	if (moments.count)
		return moments.resets ? GROWTH_RESET : GROWTH_KNOWN;
	return moments.bare ? GROWTH_UNKNOWN : GROWTH_MISSING;
}

static void appendGrowth(struct entries *self, size_t column, size_t first,
			 size_t count)
{
	double *growth = (double *)self->columns[column] + self->count;
	uint8_t *known = self->growths[column] + self->count;

	for (size_t i = 0; i < count; i++) {
		growth[i] = amountsGet(self->amounts, column, first + i);
		known[i] =
			(uint8_t)pageEntriesGrowthOf(self, column, first + i);
	}
}

/** Say where to begin to read them. */
static void pageEntriesSetPlace(struct entries *self, const hdIBlock *block,
				size_t first)
{
	self->first = block->first + first;
	self->hasLead = self->first > 0 && !block->isAfterGap[first];
	if (!self->hasLead)
		self->offset = block->offset[first];
	else if (first > 0)
		self->offset = block->offset[first - 1];
	else
		self->offset = self->lastOffset;
}

size_t entriesAppend(struct entries *self, const hdIBlock *block, size_t first,
		     size_t last)
{
	size_t count = MIN(last - first, self->capacity - self->count);

	if (self->count == 0)
		pageEntriesSetPlace(self, block, first);
	memcpy(self->start + self->count, block->start + first,
	       count * sizeof(*self->start));
	memcpy(self->end + self->count, block->end + first,
	       count * sizeof(*self->end));
	for (size_t i = 0; i < self->group->valueCount; i++) {
		size_t size = pageEntriesSizeOf(self, i);

		if (isCounter(self, i))
			appendGrowth(self, i, first, count);
		else if (pageEntriesTypeOf(self, i) == HDI_STRING)
			appendStrings(self, i, block->columns[i].string + first,
				      count);
		else if (self->group->values[i].hasMissing)
			appendNumbers(self, i, &block->columns[i], first,
				      count);
		else
			memcpy((char *)self->columns[i] + self->count * size,
			       (const char *)block->columns[i].int32 +
				       first * size,
			       count * size);
	}
	self->count += count;
	if (count)
		self->lastOffset = block->offset[first + count - 1];
	return count;
}

static void packTimes(const struct entries *self, GByteArray *out)
{
	int64_t *list = g_new(int64_t, self->count + 1);
	int64_t last = self->count ? self->start[0] : 0;

	for (size_t i = 0; i < self->count; i++) {
		list[i] = self->start[i] - last;
		last = self->end[i];
	}
	packIntegers(out, list, self->count);
	for (size_t i = 0; i < self->count; i++)
		list[i] = self->end[i] - self->start[i];
	packIntegers(out, list, self->count);
	g_free(list);
}

static void packInt32(const int32_t *values, size_t count, GByteArray *out)
{
	int64_t *list = g_new(int64_t, count + 1);

	for (size_t i = 0; i < count; i++)
		list[i] = values[i];
	packIntegers(out, list, count);
	g_free(list);
}

static void pageEntriesPackGrowth(const struct entries *self, size_t column,
				  GByteArray *out)
{
	int64_t *list = g_new(int64_t, self->count + 1);

	for (size_t i = 0; i < self->count; i++)
		list[i] = self->growths[column][i];
	packDoubles(out, self->columns[column], self->count);
	packIntegers(out, list, self->count);
	g_free(list);
}

static void packValues(const struct entries *self, size_t column,
		       GByteArray *out)
{
	const void *values = self->columns[column];

	switch (pageEntriesTypeOf(self, column)) {
	case HDI_INT32:
		packInt32(values, self->count, out);
		break;
	case HDI_INT64:
		packIntegers(out, values, self->count);
		break;
	case HDI_UINT64:
		packUnsigned(out, values, self->count);
		break;
	case HDI_FLOAT:
		packFloats(out, values, self->count);
		break;
	case HDI_DOUBLE:
		packDoubles(out, values, self->count);
		break;
	case HDI_STRING:
		packIntegers(out, values, self->count);
		packBytes(out, self->texts[column]->data,
			  self->texts[column]->len);
		break;
	}
}

void entriesPack(const struct entries *self, guint part, GByteArray *out)
{
	GByteArray *columns = g_byte_array_new();

	if (part == 0)
		packTimes(self, columns);
	else if (isCounter(self, part - 1))
		pageEntriesPackGrowth(self, part - 1, columns);
	else
		packValues(self, part - 1, columns);
	packFinish(out, columns);
	g_byte_array_unref(columns);
}
