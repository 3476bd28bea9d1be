/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Some entries of a statistics group, gathered from blocks, as the viewer gets
 * them.
 */
#ifndef HD_ENTRIES_H
#define HD_ENTRIES_H

#include <glib.h>

#include <hdReading.h>

struct entries {
	const hdIGroup *group;
	size_t count;
	size_t capacity;
	int64_t *start;
	int64_t *end;
	int64_t offset;     /**< Of the first one, in the file. */
	uint64_t first;     /**< Its number. */
	void **columns;     /**< As in hdIColumn; of strings, their lengths. */
	GByteArray **texts; /**< Of strings, all bytes; else NULL. */
};

/** Start with none, and room for so many. */
void entriesInit(struct entries *self, const hdIGroup *group, size_t capacity);
void entriesClear(struct entries *self);

/** Forget all. */
void entriesEmpty(struct entries *self);

/** Append those of a block, as far as there is room; returns how many. */
size_t entriesAppend(struct entries *self, const hdIBlock *block, size_t first,
		     size_t last);

/**
 * Pack a part (grouppyramid.h, zoom 0).
 *
 * @param part 0: times, else a value, from 1.
 */
void entriesPack(const struct entries *self, guint part, GByteArray *out);

#endif
