/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Memory that is freed all at once, or back to a mark.
 *
 * Blocks never move and are kept for reuse, so that steady work does not
 * allocate.
 */
#ifndef HDI_ARENA_H
#define HDI_ARENA_H

#include <stddef.h>

struct hdIArenaBlock;

/** All zero is an empty arena. */
struct hdIArena {
	struct hdIArenaBlock *first;
	struct hdIArenaBlock *current;
};

struct hdIArenaMark {
	struct hdIArenaBlock *block;
	size_t used;
};

/** Get @p size bytes, zeroed and aligned for any type; NULL: no memory. */
void *hdIArenaAlloc(struct hdIArena *arena, size_t size);

/** The same for @p count items; never NULL because of no items. */
void *hdIArenaAllocArray(struct hdIArena *arena, size_t count, size_t size);

/** Copy @p length bytes and terminate them. */
char *hdIArenaCopy(struct hdIArena *arena, const char *text, size_t length);

/** Format a text. */
char *hdIArenaPrintf(struct hdIArena *arena, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/** Remember how much is in use. */
struct hdIArenaMark hdIArenaGetMark(const struct hdIArena *arena);

/** Give back all that was taken since the mark. */
void hdIArenaRelease(struct hdIArena *arena, struct hdIArenaMark mark);

/** Free everything. */
void hdIArenaFree(struct hdIArena *arena);

#endif
