/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A binary heap.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/base/heap.h"

static void *heapAt(const GArray *heap, guint at)
{
	return heap->data +
	       (size_t)at * g_array_get_element_size((GArray *)heap);
}

void heapPush(GArray *heap, const void *item, GCompareFunc compare)
{
	size_t size = g_array_get_element_size(heap);
	guint at = heap->len;

	g_array_set_size(heap, at + 1);
	while (at > 0 && compare(heapAt(heap, (at - 1) / 2), item) > 0) {
		memcpy(heapAt(heap, at), heapAt(heap, (at - 1) / 2), size);
		at = (at - 1) / 2;
	}
	memcpy(heapAt(heap, at), item, size);
}

void heapPop(GArray *heap, void *item, GCompareFunc compare)
{
	size_t size = g_array_get_element_size(heap);
	guint count = heap->len - 1, at = 0, least;
	const void *last = heapAt(heap, count);

	memcpy(item, heapAt(heap, 0), size);
	/* The last item takes the place of the first one, or one below it. */
	while ((least = 2 * at + 1) < count) {
		if (least + 1 < count &&
		    compare(heapAt(heap, least + 1), heapAt(heap, least)) < 0)
			least++;
		if (compare(heapAt(heap, least), last) >= 0)
			break;
		memcpy(heapAt(heap, at), heapAt(heap, least), size);
		at = least;
	}
	if (at != count)
		memcpy(heapAt(heap, at), last, size);
	g_array_set_size(heap, count);
}
