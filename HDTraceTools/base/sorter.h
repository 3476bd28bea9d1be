/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sorts any number of items of the same size, in bounded memory.
 */
#ifndef HD_SORTER_H
#define HD_SORTER_H

#include <stddef.h>

struct sorter;

/**
 * Create a sorter.
 *
 * @param size Bytes of an item.
 * @param compare As for qsort(). Items that are equal may come in any order.
 */
struct sorter *sorterNew(size_t size,
			 int (*compare)(const void *, const void *));

/** Free a sorter; NULL does nothing. */
void sorterFree(struct sorter *self);

/** Add an item; 0, or the negative errno of the temporary file, which all later
 *  calls return as well. */
int sorterAdd(struct sorter *self, const void *item);

/**
 * Take the next item in order. After the first call nothing may be added.
 *
 * @retval 1 @p item is set.
 * @retval 0 That was all.
 * @return A negative errno.
 */
int sorterNext(struct sorter *self, void *item);

#endif
