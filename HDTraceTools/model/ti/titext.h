/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Text that is appended and changed later: the last piece of each is in
 * memory, the others are in one temporary file of all.
 */
#ifndef HD_TI_TEXT_H
#define HD_TI_TEXT_H

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <glib.h>

/** The temporary file; any thread. */
struct tiFile {
	pthread_mutex_t mutex;
	int fd;        /**< -1: there is none yet. */
	uint64_t next; /**< Pieces in it. */
};

/** A text, of one thread at a time. */
struct tiText {
	struct tiFile *file;
	GArray *pieces; /**< uint64_t: where they are in the file. */
	char *bytes;    /**< What follows; NULL: nothing does. */
	size_t used;
	int error; /**< The first one, negative errno. */
};

/** Start without a file, and close it. */
void tiFileInit(struct tiFile *self);
void tiFileClear(struct tiFile *self);

/** Start an empty text, and free it. */
void tiTextInit(struct tiText *self, struct tiFile *file);
void tiTextClear(struct tiText *self);

/** Bytes so far. */
uint64_t tiTextLength(const struct tiText *self);

/** Append bytes. */
void tiTextAppend(struct tiText *self, const char *bytes, size_t size);

/** Replace bytes that are there. */
void tiTextPatch(struct tiText *self, uint64_t offset, const char *bytes,
		 size_t size);

/** Nothing more is appended: its memory is needed no longer. */
void tiTextSeal(struct tiText *self);

/** Copy what is between two offsets to a file; 0 or a negative errno. Errors
 *  of the output are left to it. */
int tiTextCopy(const struct tiText *self, uint64_t from, uint64_t until,
	       FILE *out);

#endif
