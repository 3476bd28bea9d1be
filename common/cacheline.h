/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Lines of the cache that a thread will write soon, and that another one has
 * read on another processor.
 *
 * Such a line can only be written when the other processor has given it up, and
 * stores wait for each other in the order of the program. So the processor is
 * told some lines ahead, and gets them one beside the other meanwhile.
 */
#ifndef HD_CACHELINE_H
#define HD_CACHELINE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/** Bytes of a line; where they are more a line is asked for twice. */
#define HD_CACHE_LINE 64

#if defined(__x86_64__) || defined(__i386__)

/** Whether this processor knows hdCacheLineOwn(): "PREFETCHW", CPUID 80000001h
 *  ECX bit 8. */
static inline bool hdCacheLineCanOwn(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && c >> 8 & 1;
}

/** Ask for a line, to write it; an address that is nobody's does no harm. */
static inline void hdCacheLineOwn(uintptr_t at)
{
	/* What compilers have for it reads the line, unless they are told of
	 * which processors they may make use. */
	__asm__ volatile("prefetchw (%0)" : : "r"(at));
}

#else

static inline bool hdCacheLineCanOwn(void)
{
	return true;
}

static inline void hdCacheLineOwn(uintptr_t at)
{
	__builtin_prefetch((const void *)at, 1, 3);
}

#endif

#endif
