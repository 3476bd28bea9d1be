/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reads statistics files as our writer writes them, and nothing else.
 *
 * Shares no code with the libraries, so that an error in one does not hide in
 * the other.
 */
#ifndef STATFILE_H
#define STATFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdStats.h>

/** An entry, or a gap. */
struct testEntry {
	bool isGap;
	int64_t time; /**< Of a gap: the start of the next interval. */
	const unsigned char *values; /**< As in the file. */
	size_t length;
};

struct testStatFile {
	char *header; /**< With the length before it. */
	hdStatsValueType *types;
	size_t typeCount;
	int64_t init;
	struct testEntry *entries;
	size_t count;
	size_t bytesLeft; /**< Of a last entry that is not complete. */
	unsigned char *bytes;
	size_t length;
};

/** Read a statistics file; what breaks a rule fails the test. To be freed with
 * testStatFree(). */
struct testStatFile *testStatRead(const char *path);

void testStatFree(struct testStatFile *stat);

/** Big endian numbers. */
uint32_t testBig32(const unsigned char *bytes);
uint64_t testBig64(const unsigned char *bytes);

#endif
