/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A heap in an array: the least item of those that were added comes first.
 */
#ifndef HD_HEAP_H
#define HD_HEAP_H

#include <glib.h>

/** Add an item to a heap, which is an array of items of its size. */
void heapPush(GArray *heap, const void *item, GCompareFunc compare);

/** Take the least item of a heap that is not empty. Of equal ones it is any. */
void heapPop(GArray *heap, void *item, GCompareFunc compare);

#endif
