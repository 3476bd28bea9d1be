/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bytes that are appended and read anywhere: in memory while they are few, in
 * a temporary file without a name when they are many.
 */
#ifndef HD_SPOOL_H
#define HD_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct spool;

/** Create an empty spool. */
struct spool *spoolNew(void);

/** Free a spool; NULL does nothing. */
void spoolFree(struct spool *self);

/** Number of bytes in it. */
uint64_t spoolLength(const struct spool *self);

/** Empty it. */
void spoolClear(struct spool *self);

/** Append bytes; 0, or the negative errno of the temporary file. Then all that
 *  follows fails with it, reading as well: whoever noted where bytes are cannot
 *  read others there. */
int spoolAppend(struct spool *self, const void *bytes, size_t size);

/** Append all of another spool; 0, or a negative errno. */
int spoolCopy(struct spool *self, struct spool *from);

/** Read bytes that are there; 0, or a negative errno. */
int spoolRead(struct spool *self, uint64_t offset, void *bytes, size_t size);

/** The same in one piece, past what spoolRead() keeps for small ones; several
 *  threads may do so while nothing is appended. */
int spoolPeek(const struct spool *self, uint64_t offset, void *bytes,
	      size_t size);

/** Free the disk space of bytes, which are not read any more; where the file
 *  system cannot, it stays in use. */
void spoolDiscard(struct spool *self, uint64_t offset, uint64_t size);

#endif
