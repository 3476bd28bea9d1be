/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations by name and layer: how many, how long they take, what they cost.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/relations/sums.h"

/** In per cent. */
static const uint64_t quantiles[RELATION_QUANTILES] = { 50, 95, 99 };

/** How long one took. */
struct length {
	int64_t total;
	uint32_t sum;
};

struct relationSums {
	struct forest *forest;
	struct joules *joules;
	GArray *all; /**< struct relationSum */
	GHashTable *numbers;
	struct sorter *lengths;
	GString *key;
};

static int relationSumsCompareLengths(const void *left, const void *right)
{
	const struct length *a = left, *b = right;

	if (a->sum != b->sum)
		return a->sum < b->sum ? -1 : 1;
	return (a->total > b->total) - (a->total < b->total);
}

static int compareSums(const void *left, const void *right)
{
	const struct relationSum *a = left, *b = right;
	int order;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	order = strcmp(a->layer, b->layer);
	return order ? order
		     : strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static void clearSum(void *data)
{
	struct relationSum *sum = data;

	g_free(sum->name);
	g_free(sum->layer);
}

struct relationSums *relationSumsNew(struct forest *forest,
				     struct joules *joules)
{
	struct relationSums *self = g_new0(struct relationSums, 1);

	self->forest = forest;
	self->joules = joules;
	self->all = g_array_new(FALSE, FALSE, sizeof(struct relationSum));
	g_array_set_clear_func(self->all, clearSum);
	self->numbers =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self->lengths =
		sorterNew(sizeof(struct length), relationSumsCompareLengths);
	self->key = g_string_new(NULL);
	return self;
}

void relationSumsFree(struct relationSums *self)
{
	if (!self)
		return;
	g_string_free(self->key, TRUE);
	sorterFree(self->lengths);
	g_hash_table_destroy(self->numbers);
	g_array_unref(self->all);
	g_free(self);
}

static uint32_t relationSumsNumberOf(struct relationSums *self,
				     const struct forestRelation *relation)
{
	const char *layer = relation->file->file->node->label;
	gpointer found;
	struct relationSum sum;

	/* A layer has no line feed in it. */
	g_string_printf(self->key, "%s\n%s%s", layer, relation->name ? "=" : "",
			relation->name ? relation->name : "");
	found = g_hash_table_lookup(self->numbers, self->key->str);
	if (found)
		return GPOINTER_TO_UINT(found) - 1;
	memset(&sum, 0, sizeof(sum));
	sum.name = g_strdup(relation->name);
	sum.layer = g_strdup(layer);
	g_array_append_val(self->all, sum);
	g_hash_table_insert(self->numbers, g_strdup(self->key->str),
			    GUINT_TO_POINTER(self->all->len));
	return self->all->len - 1;
}

int relationSumsAdd(struct relationSums *self,
		    const struct forestRelation *relation)
{
	struct length length;
	struct forestTimes times = forestTimesOf(self->forest, relation);
	struct attributionAmount amount;
	struct relationSum *sum;
	int ret = joulesGet(self->joules, relation->number, &amount);

	memset(&length, 0, sizeof(length));
	length.sum = relationSumsNumberOf(self, relation);
	length.total = times.total;
	sum = &g_array_index(self->all, struct relationSum, length.sum);
	sum->energy.pico += amount.pico;
	sum->energy.measured += amount.measured;
	sum->active += times.active;
	sum->self += times.self;
	sum->waited += times.waited;
	sum->total += times.total;
	sum->failed += forestError(relation) != NULL;
	if (relation->end == HDI_NEVER) {
		sum->unended++;
		return ret;
	}
	sum->count++;
	sum->ended += times.total;
	sum->largest = MAX(sum->largest, times.total);
	return ret < 0 ? ret : sorterAdd(self->lengths, &length);
}

/* Lengths come by sum, and in order. */
int relationSumsEnd(struct relationSums *self)
{
	struct length length;
	int ret;

	while ((ret = sorterNext(self->lengths, &length)) == 1) {
		struct relationSum *sum = &g_array_index(
			self->all, struct relationSum, length.sum);

		sum->seen++;
		for (size_t i = 0; i < RELATION_QUANTILES; i++) {
			uint64_t rank = (sum->count * quantiles[i] + 99) / 100;

			if (sum->seen == MAX(rank, 1))
				sum->quantiles[i] = length.total;
		}
	}
	if (self->all->len)
		qsort(self->all->data, self->all->len,
		      sizeof(struct relationSum), compareSums);
	return ret;
}

const GArray *relationSumsAll(const struct relationSums *self)
{
	return self->all;
}
