/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Return addresses on a stack, live or copied.
 *
 * Rules of places are kept, so most frames cost a look into a table instead of
 * a search and an interpretation of unwind tables, as backtrace() does. Nothing
 * allocates or locks: a signal handler may call this.
 */
#ifndef HDMPI_UNWIND_H
#define HDMPI_UNWIND_H

#include <stddef.h>

#include "MPITracingLibrary/src/sample/framerules.h"

/** Rules that are kept; a power of 2. */
#define HDMPI_UNWIND_RULES 1024

/** A rule that is kept. */
struct hdmpiKeptRule {
	uintptr_t place;  /**< 0: none. */
	uintptr_t header; /**< Of the object that was there. */
	struct hdmpiFrameRule rule;
};

/** Rules of places; all zero is none. One thread at a time. */
struct hdmpiUnwinder {
	struct hdmpiKeptRule rules[HDMPI_UNWIND_RULES];
};

/** Where a thread was interrupted. */
struct hdmpiStackPlace {
	uintptr_t instruction, pointer, frame;
};

/** Memory of a stack. */
struct hdmpiStackBytes {
	uintptr_t from; /**< Its address. */
	const void *bytes;
	size_t size;
};

/** Whether stacks can be unwound here. */
bool hdmpiUnwindIsHere(void);

/**
 * Unwind a stack as far as its memory is there.
 *
 * @param[out] frames Addresses behind instructions, from the innermost on.
 *
 * @return How many, at least 1 and at most @p room.
 */
size_t hdmpiUnwind(struct hdmpiUnwinder *self, struct hdmpiStackPlace place,
		   const struct hdmpiStackBytes *stack, uintptr_t *frames,
		   size_t room);

#endif
