/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A file that has a name, but is only in memory.
 */
#ifndef TESTS_FUZZ_MEMORYFILE_H
#define TESTS_FUZZ_MEMORYFILE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

/**
 * Put bytes into the file; what it had before is gone.
 *
 * @return Its name.
 */
static inline const char *memoryFile(const void *bytes, size_t size)
{
	static char name[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		must(fd >= 0);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	}
	must(ftruncate(fd, 0) == 0 &&
	     pwrite(fd, bytes, size, 0) == (ssize_t)size);
	return name;
}

#endif
