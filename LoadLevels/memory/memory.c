/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of memory: copies that no cache holds, and memory that is held;
 * see core/kind.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "LoadLevels/core/kind.h"

/* Beyond caches of the last level, and the part of one operation. */
#define COPY_BYTES ((size_t)64 << 20)
#define COPY_STEP ((size_t)128 << 10)

struct memoryCopy {
	char *bytes; /* Twice COPY_BYTES. */
	size_t at;
};

static char *memoryMap(size_t size)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return bytes == MAP_FAILED ? NULL : bytes;
}

static int memoryCopyOpen(const struct hdLoadSetup *setup, void **state)
{
	struct memoryCopy *self = calloc(1, sizeof(*self));

	(void)setup;
	if (!self)
		return -ENOMEM;
	self->bytes = memoryMap(2 * COPY_BYTES);
	if (!self->bytes) {
		free(self);
		return -ENOMEM;
	}
	memset(self->bytes, 1, 2 * COPY_BYTES);
	*state = self;
	return 0;
}

/* What is read and what is written count. */
static int64_t memoryCopyStep(void *state)
{
	struct memoryCopy *self = state;

	memcpy(self->bytes + COPY_BYTES + self->at, self->bytes + self->at,
	       COPY_STEP);
	self->at = (self->at + COPY_STEP) % COPY_BYTES;
	return 2 * COPY_STEP;
}

static void memoryCopyClose(void *state)
{
	struct memoryCopy *self = state;

	munmap(self->bytes, 2 * COPY_BYTES);
	free(self);
}

const struct hdLoadKind hdLoadMemoryBandwidth = {
	.name = "memory-bandwidth",
	.unit = "bytes",
	.scale = HD_LOAD_RATE,
	.isPerCpu = true,
	.tolerance = 3,
	.open = memoryCopyOpen,
	.operate = memoryCopyStep,
	.close = memoryCopyClose,
};

/* ---- Memory that is held ------------------------------------------------- */

/* Memory that is touched in one operation. */
#define HELD_STEP ((size_t)1 << 20)

struct memoryHeld {
	char *bytes;
	size_t size;
	size_t held;
};

/* Free memory by the kernel's estimate, in bytes. */
static int64_t memoryAvailable(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	long long kilobytes = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "MemAvailable:", 13) == 0) {
			kilobytes = strtoll(line + 13, NULL, 10);
			break;
		}
	}
	if (file)
		fclose(file);
	return kilobytes * 1024;
}

static int memoryHeldOpen(const struct hdLoadSetup *setup, void **state)
{
	struct memoryHeld *self = calloc(1, sizeof(*self));
	int64_t most =
		setup->memoryBytes ? setup->memoryBytes : memoryAvailable() / 2;

	if (!self)
		return -ENOMEM;
	self->size = (size_t)most / HELD_STEP * HELD_STEP;
	self->bytes = self->size ? memoryMap(self->size) : NULL;
	if (!self->bytes) {
		free(self);
		return -ENOMEM;
	}
	*state = self;
	return 0;
}

/* By one step at most, so that a worker can stop. */
static int64_t memoryHold(void *state, double fraction)
{
	struct memoryHeld *self = state;
	size_t wanted = (size_t)llrint(fraction * (double)self->size) /
			HELD_STEP * HELD_STEP;

	if (self->held < wanted) {
		memset(self->bytes + self->held, 1, HELD_STEP);
		self->held += HELD_STEP;
	} else if (self->held > wanted) {
		if (madvise(self->bytes + wanted, self->held - wanted,
			    MADV_DONTNEED) < 0)
			return -errno;
		self->held = wanted;
	}
	return (int64_t)self->held;
}

/* The maximum. */
static int64_t memoryHeldStep(void *state)
{
	struct memoryHeld *self = state;

	return (int64_t)self->size;
}

static void memoryHeldClose(void *state)
{
	struct memoryHeld *self = state;

	munmap(self->bytes, self->size);
	free(self);
}

const struct hdLoadKind hdLoadMemory = {
	.name = "memory",
	.unit = "bytes",
	.scale = HD_LOAD_HELD,
	.tolerance = 3,
	.open = memoryHeldOpen,
	.operate = memoryHeldStep,
	.hold = memoryHold,
	.close = memoryHeldClose,
};
