/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Compressed files that tests make: frames, an index, and a seek table.
 */
#ifndef TESTS_READING_MADE_H
#define TESTS_READING_MADE_H

#include <glib.h>

/** A compressed file that is being made. */
struct made {
	GString *bytes;
	GArray *entries; /**< struct hdFrameEntry */
};

struct made madeNew(void);

void madeFree(struct made *made);

/** Add a frame: stored as it is, or compressed. */
void madeAddFrame(struct made *made, const char *plain, gsize size,
		  gboolean isRaw);

/** Add an index with this content. */
void madeAddIndex(struct made *made, const char *content, gsize size);

/** Add the seek table. */
void madeAddTable(struct made *made);

/** Split a text into frames of so many bytes, each second one stored. */
struct made madeFrames(const char *plain, gsize size, gsize step);

#endif
