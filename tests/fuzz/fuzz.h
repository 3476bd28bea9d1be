/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the fuzz targets share: promises that hold whatever the input is, and
 * reading a file that is only in memory.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/** Abort where a promise is broken. */
static inline void must(int condition)
{
	if (!condition)
		abort();
}

/** Entry of each target, called by libFuzzer or by replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Let every path that libhdReading opens from now on have the given content.
 */
void fuzzServe(const uint8_t *data, size_t size);

/**
 * Open a file as a project and read all there is, looking at every byte that
 * is delivered, and aborting where a promise of hdReading.h is broken.
 *
 * @param path Path with the right ending; it need not exist, for whatever
 *        is opened has the given content.
 */
void fuzzRead(const char *path, const uint8_t *data, size_t size);

#endif
