/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Preloaded: the most bytes that are allocated at a time in blocks of the sizes
 * in MEMCOUNT_SIZES (separated by blanks), written to the file MEMCOUNT at the
 * end. It knows nothing of who allocates, or how.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

#define BLOCKS 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t sizes[16], sizeCount, used, peak;
static struct {
	void *at;
	size_t size;
} blocks[BLOCKS];

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("MEMCOUNT_SIZES");
	char *end;

	while (text && sizeCount < 16) {
		size_t size = strtoul(text, &end, 10);

		if (end == text)
			break;
		sizes[sizeCount++] = size;
		text = end;
	}
}

__attribute__((destructor)) static void end(void)
{
	const char *name = getenv("MEMCOUNT");
	FILE *file = name && peak ? fopen(name, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%zu\n", peak);
	fclose(file);
}

static void *note(void *block, size_t size)
{
	size_t i = 0;

	while (i < sizeCount && sizes[i] != size)
		i++;
	if (!block || i == sizeCount)
		return block;
	pthread_mutex_lock(&lock);
	for (i = 0; i < BLOCKS && blocks[i].at; i++)
		;
	if (i == BLOCKS)
		abort();
	blocks[i].at = block;
	blocks[i].size = size;
	used += size;
	if (used > peak)
		peak = used;
	pthread_mutex_unlock(&lock);
	return block;
}

void *malloc(size_t size)
{
	return note(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
	return note(__libc_calloc(count, size), count * size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return note(__libc_memalign(alignment, size), size);
}

void *memalign(size_t alignment, size_t size)
{
	return note(__libc_memalign(alignment, size), size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
	void *block = memalign(alignment, size);

	if (!block)
		return ENOMEM;
	*result = block;
	return 0;
}

void free(void *block)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; used && block && i < BLOCKS; i++) {
		if (blocks[i].at != block)
			continue;
		used -= blocks[i].size;
		blocks[i].at = NULL;
		break;
	}
	pthread_mutex_unlock(&lock);
	__libc_free(block);
}
