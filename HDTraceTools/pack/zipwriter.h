/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing zip files of stored entries, of which equal ones are equal files.
 */
#ifndef HD_ZIPWRITER_H
#define HD_ZIPWRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <glib.h>

/** A zip file that is being written. */
struct zipWriter {
	FILE *file; /**< It must be possible to seek in it. */
	int64_t offset;
	GByteArray *directory;
	uint64_t count;
	/* The entry at hand. */
	char *name;
	int64_t start; /**< Of its local header. */
	int64_t size;
	uint32_t crc;
	bool isLarge; /**< Its local header has room for larger sizes. */
};

void zipWriterStart(struct zipWriter *self, FILE *file);

/** Begin an entry of at most so many bytes. */
void zipWriterBegin(struct zipWriter *self, const char *name, int64_t most);

/** Add bytes to it; false: they could not be written. */
bool zipWriterAdd(void *self, const char *bytes, size_t size);

/** The entry is complete: 0 or a negative errno. */
int zipWriterEnd(struct zipWriter *self);

/** Write the directory: 0 or a negative errno. */
int zipWriterFinish(struct zipWriter *self);

void zipWriterClear(struct zipWriter *self);

#endif
