/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations of a project while they are read.
 */
#ifndef HD_FORESTPARTS_H
#define HD_FORESTPARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/model/relations/forest.h"

/** A relation is met, or named by one that it caused. */
struct mention {
	unsigned char key[16]; /**< Hash of the token, or the span. */
	uint32_t number;       /**< Who is it, or who names it. */
	uint32_t link;         /**< With which of its links, from 1; or 0. */
	bool isReference;
};

struct forest {
	const hdIProject *project;
	GPtrArray *files;   /**< struct forestFile */
	GArray *entries;    /**< struct entry */
	struct spool *rest; /**< Of each: see forestPutRelation(). */
	struct sorter *mentions;
	uint64_t spans; /**< How many are caused by spans. */
	struct forestCounts counts;
	uint32_t *parents;
	uint32_t *children;
	uint32_t *siblings;
	uint32_t *depths;
	GArray *circular; /**< uint32_t: those that were cut, in order. */
	GArray *causes;   /**< struct forestLink */
	int error;        /**< Negative errno of a temporary file. */
	/* What forestGet() gives. */
	GByteArray *bytes;
	GArray *states;
	GArray *attributes;
	GArray *links;
	GString *token;
	GString *parent;
	GArray *intervals;
};

int forestCompareMentions(const void *left, const void *right);

void forestFail(struct forest *self, int ret);

/** @param link Of a reference: see struct mention. */
void forestMention(struct forest *self, uint32_t number, const char *token,
		   bool isReference, uint32_t link);

gint forestCompareNumbers(gconstpointer left, gconstpointer right);

#endif
