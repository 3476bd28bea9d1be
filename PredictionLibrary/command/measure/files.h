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

/**
 * Access a file of a directory for some time: a state Io, as
 * doc/format/prediction.md has it. The file is made and removed.
 *
 * @param directory Where; what is below it is measured, the page cache
 * included.
 * @param number The class.
 * @return 0, -EINTR if @p stop is set, or another negative errno.
 */
int filesRun(const char *directory, int number, int64_t lengthNs,
	     hdTrace *trace, const atomic_int *stop);

#endif
