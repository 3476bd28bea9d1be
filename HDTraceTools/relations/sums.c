/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Relations by name and layer: how many, how long they take, what they cost.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/relations/relations.h"

/** Quantiles that are printed, in per cent, by nearest rank. */
static const uint64_t quantiles[] = { 50, 95, 99 };

/** Relations of a name in a layer. */
struct sum {
	char *name; /**< NULL: they have no state. */
	char *layer;
	uint64_t count; /**< Those that ended. */
	uint64_t unended;
	uint64_t failed;
	outInt128 ended; /**< Time of these. */
	outInt128 total;
	outInt128 self;
	outInt128 waited;
	int64_t largest;
	int64_t quantiles[G_N_ELEMENTS(quantiles)];
	uint64_t seen; /**< While these are found. */
	int64_t active;
	struct attributionAmount energy;
};

/** How long one took. */
struct length {
	int64_t total;
	uint32_t sum;
};

struct sums {
	struct relationsRun *run;
	GArray *all; /**< struct sum */
	GHashTable *numbers;
	struct sorter *lengths;
	GString *key;
};

static const struct rowColumn columns[] = {
	{ "<Name", "name", ROW_TEXT, ROW_DASH },
	{ "<Layer", "layer", ROW_TEXT, 0 },
	{ ">Count", "count", ROW_COUNT, 0 },
	{ ">Not ended", "unended", ROW_COUNT, 0 },
	{ ">Failed", "failed", ROW_COUNT, 0 },
	{ ">Mean", "mean_s", ROW_DURATION, ROW_DASH },
	{ ">p50", "p50_s", ROW_DURATION, ROW_DASH },
	{ ">p95", "p95_s", ROW_DURATION, ROW_DASH },
	{ ">p99", "p99_s", ROW_DURATION, ROW_DASH },
	{ ">Max", "max_s", ROW_DURATION, ROW_DASH },
	{ ">Total", "total_s", ROW_DURATION, 0 },
	{ ">Self", "self_s", ROW_DURATION, 0 },
	{ ">Waited", "wait_s", ROW_DURATION, 0 },
	{ ">Energy", "energy_j", ROW_NUMBER, ROW_DASH },
	{ NULL, "known_s", ROW_TIME, 0 },
	{ NULL, "duration_s", ROW_TIME, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};
enum {
	COLUMN_NAME,
	COLUMN_LAYER,
	COLUMN_COUNT,
	COLUMN_UNENDED,
	COLUMN_FAILED,
	COLUMN_MEAN,
	COLUMN_QUANTILES,
	COLUMN_MAX = COLUMN_QUANTILES + G_N_ELEMENTS(quantiles),
	COLUMN_TOTAL,
	COLUMN_SELF,
	COLUMN_WAITED,
	COLUMN_ENERGY,
	COLUMN_KNOWN,
	COLUMN_DURATION,
};

static int compareLengths(const void *left, const void *right)
{
	const struct length *a = left, *b = right;

	if (a->sum != b->sum)
		return a->sum < b->sum ? -1 : 1;
	return (a->total > b->total) - (a->total < b->total);
}

static int compareSums(const void *left, const void *right)
{
	const struct sum *a = left, *b = right;
	int order;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	order = strcmp(a->layer, b->layer);
	return order ? order
		     : strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static void clearSum(void *data)
{
	struct sum *sum = data;

	g_free(sum->name);
	g_free(sum->layer);
}

static uint32_t numberOf(struct sums *self,
			 const struct forestRelation *relation)
{
	const char *layer = relation->file->file->node->label;
	gpointer found;
	struct sum sum;

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

static int add(struct sums *self, const struct forestRelation *relation)
{
	struct length length;
	struct forestTimes times = forestTimesOf(self->run->forest, relation);
	struct attributionAmount amount;
	struct sum *sum;
	int ret = joulesGet(self->run->joules, relation->number, &amount);

	memset(&length, 0, sizeof(length));
	length.sum = numberOf(self, relation);
	length.total = times.total;
	sum = &g_array_index(self->all, struct sum, length.sum);
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

/** Lengths come by sum, and in order. */
static int findQuantiles(struct sums *self)
{
	struct length length;
	int ret;

	while ((ret = sorterNext(self->lengths, &length)) == 1) {
		struct sum *sum =
			&g_array_index(self->all, struct sum, length.sum);

		sum->seen++;
		for (size_t i = 0; i < G_N_ELEMENTS(quantiles); i++) {
			uint64_t rank = (sum->count * quantiles[i] + 99) / 100;

			if (sum->seen == MAX(rank, 1))
				sum->quantiles[i] = length.total;
		}
	}
	return ret;
}

static void printSum(struct rows *rows, const struct sum *sum)
{
	rowsText(rows, COLUMN_NAME, sum->name);
	rowsText(rows, COLUMN_LAYER, sum->layer);
	rowsCount(rows, COLUMN_COUNT, sum->count);
	rowsCount(rows, COLUMN_UNENDED, sum->unended);
	rowsCount(rows, COLUMN_FAILED, sum->failed);
	if (sum->count > 0) {
		rowsTime(rows, COLUMN_MEAN,
			 (int64_t)(sum->ended / (outInt128)sum->count));
		rowsTime(rows, COLUMN_MAX, sum->largest);
		for (size_t i = 0; i < G_N_ELEMENTS(quantiles); i++)
			rowsTime(rows, COLUMN_QUANTILES + i, sum->quantiles[i]);
	}
	rowsInteger(rows, COLUMN_TOTAL, sum->total);
	rowsInteger(rows, COLUMN_SELF, sum->self);
	rowsInteger(rows, COLUMN_WAITED, sum->waited);
	relationsShowEnergy(rows, COLUMN_ENERGY, &sum->energy, sum->active);
	rowsTime(rows, COLUMN_KNOWN, sum->energy.measured);
	rowsTime(rows, COLUMN_DURATION, sum->active);
	rowsEnd(rows);
}

static void print(struct sums *self)
{
	struct relationsRun *run = self->run;
	struct rows *rows = rowsNew(columns, run->tool->format, &run->json);
	bool hasUnended = false, hasFailed = false;

	qsort(self->all->data, self->all->len, sizeof(struct sum), compareSums);
	rowsHeader(rows);
	if (run->tool->format == OUT_JSON)
		outJsonArray(&run->json, "sums", false);
	for (guint i = 0; i < self->all->len; i++) {
		const struct sum *sum =
			&g_array_index(self->all, struct sum, i);

		hasUnended |= sum->unended > 0;
		hasFailed |= sum->failed > 0;
		printSum(rows, sum);
	}
	if (run->tool->format == OUT_JSON)
		outJsonEnd(&run->json);
	if (!hasUnended)
		rowsHide(rows, COLUMN_UNENDED);
	if (!hasFailed)
		rowsHide(rows, COLUMN_FAILED);
	rowsPrint(rows, "  ", run->tool->isColored);
	rowsFree(rows);
}

void relationsPrintSums(struct relationsRun *run)
{
	struct sums self = {
		.run = run,
		.all = g_array_new(FALSE, FALSE, sizeof(struct sum)),
		.numbers = g_hash_table_new_full(g_str_hash, g_str_equal,
						 g_free, NULL),
		.lengths = sorterNew(sizeof(struct length), compareLengths),
		.key = g_string_new(NULL),
	};
	struct forestRelation relation;
	int ret = 0;

	g_array_set_clear_func(self.all, clearSum);
	for (uint32_t i = 0; i < forestCount(run->forest) && ret == 0; i++) {
		ret = forestGet(run->forest, i, &relation);
		if (ret == 0 && relationsWants(run, &relation))
			ret = add(&self, &relation);
	}
	if (ret == 0)
		ret = findQuantiles(&self);
	if (!relationsFailed(run, ret))
		print(&self);
	g_string_free(self.key, TRUE);
	sorterFree(self.lengths);
	g_hash_table_destroy(self.numbers);
	g_array_unref(self.all);
}
