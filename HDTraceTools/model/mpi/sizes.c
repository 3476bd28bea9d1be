/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Sizes of messages: sum, range, median and histogram.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/model/mpi/sizes.h"

void sizesInit(struct sizes *sizes)
{
	*sizes = (struct sizes){ .count = 0 };
	sizes->each = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    g_free);
}

void sizesClear(struct sizes *sizes)
{
	g_hash_table_destroy(sizes->each);
}

int64_t sizesBinStart(int bin)
{
	return bin == 0 ? 0 : (int64_t)1 << (bin - 1);
}

static int sizesBin(int64_t size)
{
	return size == 0 ? 0 : 64 - __builtin_clzll((unsigned long long)size);
}

static int64_t sizesRounded(int64_t size)
{
	int bits = sizesBin(size);

	return bits > 8 ? size >> (bits - 8) << (bits - 8) : size;
}

static void sizesCount(GHashTable *each, int64_t size, uint64_t times)
{
	uint64_t *count = g_hash_table_lookup(each, &size);

	if (!count) {
		count = g_new0(uint64_t, 1);
		g_hash_table_insert(each, g_memdup2(&size, sizeof(size)),
				    count);
	}
	*count += times;
}

static void sizesRound(struct sizes *sizes)
{
	GHashTable *each = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						 g_free, g_free);
	gpointer size, count;
	GHashTableIter i;

	g_hash_table_iter_init(&i, sizes->each);
	while (g_hash_table_iter_next(&i, &size, &count))
		sizesCount(each, sizesRounded(*(int64_t *)size),
			   *(uint64_t *)count);
	g_hash_table_destroy(sizes->each);
	sizes->each = each;
	sizes->isRounded = true;
}

void sizesAdd(struct sizes *sizes, int64_t size)
{
	if (size < 0) {
		sizes->unknown++;
		return;
	}
	sizes->min = sizes->count ? MIN(sizes->min, size) : size;
	sizes->max = MAX(sizes->max, size);
	sizes->count++;
	sizes->sum += size;
	sizes->bins[sizesBin(size)]++;
	sizesCount(sizes->each, sizes->isRounded ? sizesRounded(size) : size,
		   1);
	if (!sizes->isRounded && g_hash_table_size(sizes->each) > SIZES_EXACT)
		sizesRound(sizes);
}

static gint sizesCompare(gconstpointer a, gconstpointer b)
{
	int64_t x = **(const int64_t *const *)a,
		y = **(const int64_t *const *)b;

	return x < y ? -1 : x > y;
}

double sizesMedian(const struct sizes *sizes)
{
	uint64_t low = (sizes->count + 1) / 2, high = sizes->count / 2 + 1;
	uint64_t seen = 0;
	double median = 0;
	GPtrArray *keys = g_ptr_array_new();
	GHashTableIter next;
	gpointer key;

	g_hash_table_iter_init(&next, sizes->each);
	while (g_hash_table_iter_next(&next, &key, NULL))
		g_ptr_array_add(keys, key);
	g_ptr_array_sort(keys, sizesCompare);
	for (guint i = 0; i < keys->len && seen < high; i++) {
		const int64_t *size = keys->pdata[i];
		uint64_t before = seen;

		seen += *(uint64_t *)g_hash_table_lookup(sizes->each, size);
		median += before < low && low <= seen ? (double)*size / 2 : 0;
		median += before < high && high <= seen ? (double)*size / 2 : 0;
	}
	g_ptr_array_unref(keys);
	return sizes->count ? median : NAN;
}
