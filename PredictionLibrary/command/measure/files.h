/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What accesses to files cost: six classes, one after the other.
 */
#ifndef HD_PREDICT_MEASURE_FILES_H
#define HD_PREDICT_MEASURE_FILES_H

#include <stdatomic.h>

#include <hdTrace.h>

/** Classes: sequential and random, each read, write and sync. */
#define FILES_CLASSES 6

/** The name of a class, as people read it. */
const char *filesName(int number);

/** A file that is accessed. */
struct files;

/**
 * Make a file, all of which is on the disk then. It is removed at once.
 *
 * @param directory Where; what is below it is measured, the page cache
 * included.
 * @param number The class.
 * @return 0 or a negative errno.
 */
int filesNew(const char *directory, int number, struct files **result);

/**
 * Access it for some time: a state Io, as doc/format/prediction.md has it.
 *
 * @param[out] seconds What one took.
 * @return 0, -EINTR if @p stop is set, or another negative errno.
 */
int filesRun(struct files *self, int64_t lengthNs, hdTrace *trace,
	     const atomic_int *stop, double *seconds);

/** Have what was written on the disk, so that nothing of it goes on, and give
 *  the file back; NULL does nothing. */
void filesFree(struct files *self);

#endif
