/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Memory of columns.
 */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>

#include "HDTraceTools/tables/memory.h"

/** Smallest size of a vector that has bytes. */
#define MEMORY_SMALL 64
/** Size from which on a vector is in huge pages: the first use of ordinary
 * pages takes longer than the decoding of values. At most one page is not used.
 */
#define MEMORY_HUGE ((size_t)32 << 20)

struct tableMemory *tableMemoryShare(struct tableMemory *memory)
{
	atomic_fetch_add_explicit(&memory->owners, 1, memory_order_relaxed);
	return memory;
}

void tableMemoryDrop(struct tableMemory *memory)
{
	if (!memory || atomic_fetch_sub_explicit(&memory->owners, 1,
						 memory_order_acq_rel) > 1)
		return;
	free(memory->bytes);
	free(memory);
}

static void memoryUseHugePages(unsigned char *bytes, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = -(uintptr_t)bytes % page;

	/* A kernel that has none goes on with ordinary ones. */
	madvise(bytes + before, (size - before) / page * page, MADV_HUGEPAGE);
}

int tableVectorReserve(struct tableVector *vector, size_t more)
{
	size_t needed, size;
	void *bytes;

	if (vector->size - vector->used >= more)
		return 0;
	if (__builtin_add_overflow(vector->used, more, &needed) ||
	    needed > PTRDIFF_MAX)
		return -ENOMEM;
	/* Pages that are not written to take no memory. */
	size = vector->size + vector->size / 2;
	if (size < needed)
		size = needed;
	if (size < MEMORY_SMALL)
		size = MEMORY_SMALL;
	bytes = realloc(vector->bytes, size);
	if (!bytes)
		return -ENOMEM;
	vector->bytes = bytes;
	vector->size = size;
	if (size >= MEMORY_HUGE)
		memoryUseHugePages(vector->bytes, size);
	return 0;
}

int tableVectorFill(struct tableVector *vector, int byte, size_t count)
{
	int ret = tableVectorReserve(vector, count);

	if (ret < 0)
		return ret;
	if (count)
		memset(vector->bytes + vector->used, byte, count);
	vector->used += count;
	return 0;
}

void tableVectorFree(struct tableVector *vector)
{
	free(vector->bytes);
	*vector = (struct tableVector){ .bytes = NULL };
}

struct tableMemory *tableVectorFinish(struct tableVector *vector)
{
	struct tableMemory *memory = malloc(sizeof(*memory));
	void *bytes;

	if (!memory)
		return NULL;
	/* Consumers of Arrow want an address of an empty buffer, too. */
	bytes = realloc(vector->bytes, vector->used ? vector->used : 1);
	if (bytes)
		vector->bytes = bytes;
	if (!vector->bytes) {
		free(memory);
		return NULL;
	}
	atomic_init(&memory->owners, 1);
	memory->size = vector->used;
	memory->bytes = vector->bytes;
	*vector = (struct tableVector){ .bytes = NULL };
	return memory;
}
