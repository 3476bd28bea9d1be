/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Some entries of a statistics group, gathered from blocks, as the viewer gets
 * them.
 */
#ifndef HD_ENTRIES_H
#define HD_ENTRIES_H

#include <stdbool.h>
#include <glib.h>

#include <hdReading.h>

#include "HDTraceTools/model/amounts.h"

/** What is known of a counter in an entry. */
enum entriesGrowth {
	GROWTH_KNOWN,   /**< By how much it grew. */
	GROWTH_RESET,   /**< The same, from 0. */
	GROWTH_UNKNOWN, /**< Its reading only. */
	GROWTH_MISSING, /**< Nothing. */
};

struct entries {
	const hdIGroup *group;
	const struct amounts *amounts;
	size_t count;
	size_t capacity;
	int64_t *start;
	int64_t *end;
	/** Where to read them in the file: at the first one, or at the one
	 * before if that ends where it starts. */
	int64_t offset;
	bool hasLead;
	int64_t lastOffset; /**< Of the last one that was ever appended. */
	uint64_t first;     /**< Number of the first one. */
	/** As in hdIColumn; of strings, their lengths; of counters, growth. */
	void **columns;
	GByteArray **texts; /**< Of strings, all bytes; else NULL. */
	uint8_t **growths;  /**< Of counters, enum entriesGrowth; else NULL. */
};

/** Start with none, and room for so many; amounts are those of the block that
 *  is appended. */
void entriesInit(struct entries *self, const hdIGroup *group,
		 const struct amounts *amounts, size_t capacity);
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
