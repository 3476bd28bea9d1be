/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that is freed all at once, or back to a mark; see arena.h. */
#include "config.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/arena.h"

#define BLOCK_SIZE 8192
#define ALIGNMENT 16

struct hdIArenaBlock {
	struct hdIArenaBlock *next;
	size_t size;
	size_t used;
	char data[] __attribute__((aligned(ALIGNMENT)));
};

/* Make the block after the current one the current one. */
static int arenaAdvance(struct hdIArena *arena, size_t size)
{
	struct hdIArenaBlock **link;
	struct hdIArenaBlock *block;

	link = arena->current ? &arena->current->next : &arena->first;
	block = *link;
	if (!block || block->size < size) {
		if (size < BLOCK_SIZE)
			size = BLOCK_SIZE;
		block = malloc(sizeof(*block) + size);
		if (!block)
			return -1;
		block->size = size;
		block->next = *link;
		*link = block;
	}
	block->used = 0;
	arena->current = block;
	return 0;
}

void *hdIArenaAlloc(struct hdIArena *arena, size_t size)
{
	struct hdIArenaBlock *block = arena->current;
	void *result;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (!block || block->size - block->used < size) {
		if (arenaAdvance(arena, size) < 0)
			return NULL;
		block = arena->current;
	}
	result = block->data + block->used;
	block->used += size;
	return memset(result, 0, size);
}

void *hdIArenaAllocArray(struct hdIArena *arena, size_t count, size_t size)
{
	if (count == 0)
		count = 1;
	if (count > SIZE_MAX / 2 / size)
		return NULL;
	return hdIArenaAlloc(arena, count * size);
}

char *hdIArenaCopy(struct hdIArena *arena, const char *text, size_t length)
{
	char *copy;

	if (length == SIZE_MAX)
		return NULL;
	copy = hdIArenaAlloc(arena, length + 1);
	if (copy && length > 0)
		memcpy(copy, text, length);
	return copy;
}

char *hdIArenaPrintf(struct hdIArena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0)
		return NULL;
	text = hdIArenaAlloc(arena, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}

struct hdIArenaMark hdIArenaGetMark(const struct hdIArena *arena)
{
	struct hdIArenaMark mark = { arena->current, 0 };

	if (mark.block)
		mark.used = mark.block->used;
	return mark;
}

void hdIArenaRelease(struct hdIArena *arena, struct hdIArenaMark mark)
{
	arena->current = mark.block;
	if (mark.block)
		mark.block->used = mark.used;
}

void hdIArenaFree(struct hdIArena *arena)
{
	struct hdIArenaBlock *next;

	for (struct hdIArenaBlock *b = arena->first; b; b = next) {
		next = b->next;
		free(b);
	}
	arena->first = NULL;
	arena->current = NULL;
}
