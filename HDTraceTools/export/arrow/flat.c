/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing FlatBuffers. Numbers are little endian.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/export/arrow/flat.h"

/** Size of a buffer at first. */
#define FLAT_SMALL 1024
/** The largest alignment. */
#define FLAT_ALIGNMENT 8

void flatFree(struct flat *self)
{
	g_free(self->bytes);
	*self = (struct flat){ .bytes = NULL };
}

/** Make room in front of what is written, and return it. */
static unsigned char *flatPrepend(struct flat *self, size_t count)
{
	size_t size = self->size ? self->size : FLAT_SMALL;
	unsigned char *bytes;

	while (size - self->used < count)
		size *= 2;
	if (size != self->size) {
		bytes = g_malloc(size);
		if (self->used)
			memcpy(bytes + size - self->used,
			       self->bytes + self->size - self->used,
			       self->used);
		g_free(self->bytes);
		self->bytes = bytes;
		self->size = size;
	}
	self->used += count;
	return self->bytes + self->size - self->used;
}

/** Pad so that what is in front of the next @p count bytes is aligned. */
static void flatAlign(struct flat *self, size_t alignment, size_t count)
{
	size_t padding = -(self->used + count) & (alignment - 1);

	memset(flatPrepend(self, padding), 0, padding);
}

/** Write a number of so many bytes. */
static void flatNumber(struct flat *self, uint64_t number, size_t count)
{
	unsigned char *to = flatPrepend(self, count);

	for (size_t i = 0; i < count; i++)
		to[i] = (unsigned char)(number >> 8 * i);
}

/** Write an offset: how far a place is from there. */
static void flatOffset(struct flat *self, size_t place)
{
	flatNumber(self, self->used + 4 - place, 4);
}

size_t flatText(struct flat *self, const char *text)
{
	char *valid = g_utf8_make_valid(text, -1);
	size_t length = strlen(valid);

	flatAlign(self, 4, length + 1);
	memcpy(flatPrepend(self, length + 1), valid, length + 1);
	flatNumber(self, length, 4);
	g_free(valid);
	return self->used;
}

size_t flatOffsets(struct flat *self, const size_t *places, size_t count)
{
	flatAlign(self, 4, 4 * count);
	for (size_t i = count; i > 0; i--)
		flatOffset(self, places[i - 1]);
	flatNumber(self, count, 4);
	return self->used;
}

size_t flatStructs(struct flat *self, const uint64_t *numbers, size_t count,
		   size_t width)
{
	flatAlign(self, FLAT_ALIGNMENT, 8 * count * width);
	for (size_t i = count * width; i > 0; i--)
		flatNumber(self, numbers[i - 1], 8);
	flatNumber(self, count, 4);
	return self->used;
}

size_t flatTable(struct flat *self, const struct flatField *fields,
		 size_t count)
{
	size_t places[FLAT_FIELDS] = { 0 };
	size_t end = self->used, table, soffset;

	for (size_t i = count; i > 0; i--) {
		const struct flatField *field = &fields[i - 1];
		size_t width = field->kind == FLAT_OFFSET ? 4 : field->kind;

		if (field->kind == FLAT_ABSENT)
			continue;
		flatAlign(self, width, width);
		if (field->kind == FLAT_OFFSET)
			flatOffset(self, (size_t)field->value);
		else
			flatNumber(self, field->value, width);
		places[i - 1] = self->used;
	}
	flatAlign(self, 4, 4);
	flatNumber(self, 0, 4);
	table = self->used;
	/* The description of the table is in front of it. */
	for (size_t i = count; i > 0; i--)
		flatNumber(self, places[i - 1] ? table - places[i - 1] : 0, 2);
	flatNumber(self, table - end, 2);
	flatNumber(self, 2 * (count + 2), 2);
	soffset = self->used - table;
	for (size_t i = 0; i < 4; i++)
		self->bytes[self->size - table + i] =
			(unsigned char)(soffset >> 8 * i);
	return table;
}

const unsigned char *flatFinish(struct flat *self, size_t root)
{
	flatAlign(self, FLAT_ALIGNMENT, 4);
	flatOffset(self, root);
	return self->bytes + self->size - self->used;
}
