/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Which node is slower than others that are like it, and in which layer.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/model/layers/outliers.h"

/* ---- What there is ----------------------------------------------------- */

static void addLayers(const struct layers *layers, GArray *all)
{
	for (size_t i = 0; i < layers->count; i++) {
		const struct layer *layer = &layers->list[i];
		struct outlier item = {
			.node = layer->node,
			.name = layer->name,
			.role = layer->role,
			.rank = layer->rank,
			.layer = layer,
			.held = layer->held,
			.parts = layer->parts,
			.each = NAN,
		};

		if (isnan(layer->held))
			continue;
		if (layer->isTold && layer->operations.count > 0)
			item.each = (double)(layer->operations.here / 1e9L /
					     layer->operations.count);
		g_array_append_val(all, item);
	}
}

/** Nodes that nothing went to, while something went to others that are alike,
 *  have nothing held on the way.
 *
 * @param nodes Those that something went to on such a way. */
static void addUnused(const struct layers *layers, const struct layerWay *way,
		      GHashTable *nodes, GArray *all)
{
	for (size_t i = 0; i < layers->count; i++) {
		const struct layer *layer = &layers->list[i];
		struct outlier item = {
			.node = layer->node,
			.name = way->name,
			.role = layer->role,
			.rank = way->rank,
			.isWay = true,
			.each = NAN,
		};

		/* Once a node: for the first of its layers. */
		if (!isnan(layer->mean) && layer->name == layer->role &&
		    strcmp(layer->role, way->role) == 0 &&
		    !g_hash_table_contains(nodes, layer->node))
			g_array_append_val(all, item);
	}
}

static bool isSameKind(const struct layerWay *a, const struct layerWay *b)
{
	return a->rank == b->rank && strcmp(a->role, b->role) == 0;
}

/** Add those that nothing went to, once for each name and role of ways. */
static void addAllUnused(const struct layers *layers, const GPtrArray *ways,
			 GArray *all)
{
	GPtrArray *kinds = g_ptr_array_new();

	for (guint i = 0; i < ways->len; i++) {
		const struct layerWay *way = ways->pdata[i];
		GHashTable *nodes;
		bool isKnown = false;

		for (guint k = 0; k < kinds->len && !isKnown; k++)
			isKnown = isSameKind(kinds->pdata[k], way);
		if (isKnown)
			continue;
		g_ptr_array_add(kinds, (gpointer)way);
		nodes = g_hash_table_new(NULL, NULL);
		for (guint k = i; k < ways->len; k++) {
			const struct layerWay *other = ways->pdata[k];

			if (isSameKind(other, way))
				g_hash_table_add(nodes, (gpointer)other->node);
		}
		addUnused(layers, way, nodes, all);
		g_hash_table_destroy(nodes);
	}
	g_ptr_array_unref(kinds);
}

static void addWays(const struct layers *layers, GArray *all)
{
	GPtrArray *ways = g_ptr_array_new();

	for (guint i = 0; i < layers->ways->len; i++) {
		const struct layerWay *way = layersWayAt(layers, i);
		struct outlier item = {
			.node = way->node,
			.name = way->name,
			.role = way->role,
			.rank = way->rank,
			.isWay = true,
			.held = way->held,
			.parts = way->parts,
			.each = way->count > 0 ? (double)(way->self / 1e9L /
							  way->count)
					       : NAN,
		};

		if (!way->isTold || !way->role)
			continue;
		g_array_append_val(all, item);
		g_ptr_array_add(ways, (gpointer)way);
	}
	addAllUnused(layers, ways, all);
	g_ptr_array_unref(ways);
}

static gint outliersCompareItems(gconstpointer left, gconstpointer right)
{
	const struct outlier *a = left, *b = right;
	int order = strcmp(a->role, b->role);

	if (order)
		return order;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->isWay != b->isWay)
		return a->isWay ? 1 : -1;
	return strcmp(a->node->path, b->node->path);
}

bool outlierIsAlike(const struct outlier *a, const struct outlier *b)
{
	return a->isWay == b->isWay && a->rank == b->rank &&
	       strcmp(a->role, b->role) == 0;
}

/* ---- Against the others ------------------------------------------------ */

/** The items that are alike follow each other. */
struct run {
	struct outlier *list;
	size_t count;
	double held;      /**< By all of the role, in all layers. */
	double *bytes;    /**< Of the node of each. */
	GArray *numbers;  /**< double: of one figure, in order. */
	GArray *distance; /**< double: of those from @p middle, in order. */
	double middle;
};

static int outliersCompareNumbers(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void sortNumbers(GArray *numbers)
{
	if (numbers->len > 1)
		qsort(numbers->data, numbers->len, sizeof(double),
		      outliersCompareNumbers);
}

/** Where a number is, or where it would be. */
static guint outliersFindNumber(const GArray *numbers, double number)
{
	guint low = 0, high = numbers->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(numbers, double, middle) < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/** The median of numbers that are in order, but for one of them; NaN as that
 *  one leaves none out. NaN: there are no others. */
static double medianBut(const GArray *numbers, double but)
{
	guint at = isnan(but) ? numbers->len : outliersFindNumber(numbers, but);
	guint count = numbers->len - (isnan(but) ? 0 : 1);
	guint half = count / 2;
	double upper, lower;

	if (count == 0)
		return NAN;
	upper = g_array_index(numbers, double, half + (half >= at));
	if (count % 2)
		return upper;
	half--;
	lower = g_array_index(numbers, double, half + (half >= at));
	return (lower + upper) / 2;
}

/** A figure of an item that is compared. */
typedef double figureOf(const struct outlier *item);

static double heldOf(const struct outlier *item)
{
	return item->held;
}

static double eachOf(const struct outlier *item)
{
	return item->each;
}

static double outliersCountOf(const struct outlier *item)
{
	/* As many come as are held, by how long each is. */
	if (item->layer)
		return item->layer->isTold ? item->layer->operations.count
					   : NAN;
	return item->each > 0 ? item->held / item->each : NAN;
}

static double outliersPartOf(const struct outlier *item, int part)
{
	return item->parts ? item->parts[part] : 0;
}

static void outliersAddNumber(GArray *numbers, double number)
{
	if (!isnan(number))
		g_array_append_val(numbers, number);
}

/** Get a figure of all, in order. */
static void takeFigures(struct run *run, figureOf *figure)
{
	g_array_set_size(run->numbers, 0);
	for (size_t i = 0; i < run->count; i++)
		outliersAddNumber(run->numbers, figure(&run->list[i]));
	sortNumbers(run->numbers);
}

/** The median of the absolute deviations of the others from their median, of
 *  which there are no more than three among those that are alike. */
static double deviationOf(struct run *run, const struct outlier *self)
{
	if (run->middle != self->others) {
		run->middle = self->others;
		g_array_set_size(run->distance, 0);
		for (guint i = 0; i < run->numbers->len; i++)
			outliersAddNumber(
				run->distance,
				fabs(g_array_index(run->numbers, double, i) -
				     run->middle));
		sortNumbers(run->distance);
	}
	return medianBut(run->distance, fabs(self->held - run->middle));
}

static int compareHeld(const void *left, const void *right)
{
	const struct outlier *const *a = left, *const *b = right;

	return outliersCompareNumbers(&(*a)->held, &(*b)->held);
}

/** Set what is held, beside what the others hold. */
static void judgeHeld(struct run *run)
{
	struct outlier **order = g_new(struct outlier *, run->count);

	for (size_t i = 0; i < run->count; i++)
		order[i] = &run->list[i];
	/* Those with the same median of others follow each other. */
	qsort(order, run->count, sizeof(*order), compareHeld);
	takeFigures(run, heldOf);
	run->middle = NAN;
	for (size_t i = 0; i < run->count; i++) {
		struct outlier *self = order[i];

		self->others = medianBut(run->numbers, self->held);
		self->deviation = deviationOf(run, self);
		if (self->others > 0)
			self->ratio = self->held / self->others;
		else if (self->held > 0)
			self->ratio = INFINITY;
		if (run->held > 0)
			self->share = (self->held - self->others) / run->held;
	}
	g_free(order);
}

static void judgeCounts(struct run *run)
{
	double middle;

	takeFigures(run, eachOf);
	for (size_t i = 0; i < run->count; i++)
		run->list[i].eachOthers =
			medianBut(run->numbers, run->list[i].each);
	takeFigures(run, outliersCountOf);
	for (size_t i = 0; i < run->count; i++) {
		struct outlier *self = &run->list[i];

		middle = medianBut(run->numbers, outliersCountOf(self));
		if (middle > 0)
			self->countRatio = outliersCountOf(self) / middle;
	}
	g_array_set_size(run->numbers, 0);
	for (size_t i = 0; i < run->count; i++)
		outliersAddNumber(run->numbers, run->bytes[i]);
	sortNumbers(run->numbers);
	for (size_t i = 0; i < run->count; i++) {
		middle = medianBut(run->numbers, run->bytes[i]);
		if (middle > 0)
			run->list[i].bytesRatio = run->bytes[i] / middle;
	}
}

/** In how many parts of the time each holds more than the others. */
static void judgeParts(struct run *run)
{
	for (int part = 0; part < LAYERS_PARTS; part++) {
		g_array_set_size(run->numbers, 0);
		for (size_t i = 0; i < run->count; i++)
			outliersAddNumber(run->numbers,
					  outliersPartOf(&run->list[i], part));
		sortNumbers(run->numbers);
		for (size_t i = 0; i < run->count; i++) {
			struct outlier *self = &run->list[i];
			double number = outliersPartOf(self, part);

			self->lasts += number > 0 &&
				       number >= OUTLIER_PART_RATIO *
							 medianBut(run->numbers,
								   number);
		}
	}
}

/** Set what each is among those that are alike. */
static void outliersRateRun(struct run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		struct outlier *self = &run->list[i];

		self->alike = run->count;
		self->others = self->deviation = self->ratio = self->share =
			NAN;
		self->eachOthers = self->countRatio = self->bytesRatio = NAN;
	}
	if (run->count < OUTLIER_NODES)
		return;
	judgeHeld(run);
	judgeCounts(run);
	judgeParts(run);
	for (size_t i = 0; i < run->count; i++) {
		struct outlier *self = &run->list[i];

		self->isOut =
			self->lasts >= OUTLIER_PARTS &&
			self->ratio >= OUTLIER_RATIO &&
			self->held > self->others + OUTLIER_DEVIATIONS *
							    self->deviation &&
			self->share >= OUTLIER_SHARE;
	}
}

/** The bytes of nodes: those of the first of its layers that has any. */
static GHashTable *findBytes(const struct layers *layers)
{
	GHashTable *bytes = g_hash_table_new(NULL, NULL);

	for (size_t i = 0; i < layers->count; i++) {
		struct layer *layer = &layers->list[i];

		if (layer->bytes > 0 &&
		    !g_hash_table_contains(bytes, layer->node))
			g_hash_table_insert(bytes, (gpointer)layer->node,
					    &layer->bytes);
	}
	return bytes;
}

/** How many of the role of the first follow each other, and what they hold. */
static size_t countRole(const GArray *all, size_t first, double *held)
{
	const struct outlier *list = (const struct outlier *)all->data;
	size_t i = first;

	*held = 0;
	for (; i < all->len && strcmp(list[i].role, list[first].role) == 0; i++)
		*held += list[i].held;
	return i - first;
}

/** Judge those of a role, which follow each other. */
static void judgeRole(struct run *run, struct outlier *list, size_t count,
		      GHashTable *bytes)
{
	for (size_t first = 0, next; first < count; first = next) {
		next = first + 1;
		while (next < count &&
		       outlierIsAlike(&list[first], &list[next]))
			next++;
		run->list = &list[first];
		run->count = next - first;
		run->bytes = g_renew(double, run->bytes, run->count);
		for (size_t i = 0; i < run->count; i++) {
			const double *known =
				g_hash_table_lookup(bytes, run->list[i].node);

			run->bytes[i] = known ? *known : 0;
		}
		outliersRateRun(run);
	}
}

static void judgeAll(const struct layers *layers, GArray *all)
{
	GHashTable *bytes = findBytes(layers);
	struct run run = {
		.numbers = g_array_new(FALSE, FALSE, sizeof(double)),
		.distance = g_array_new(FALSE, FALSE, sizeof(double)),
	};

	for (size_t i = 0, count; i < all->len; i += count) {
		count = countRole(all, i, &run.held);
		judgeRole(&run, &g_array_index(all, struct outlier, i), count,
			  bytes);
	}
	g_free(run.bytes);
	g_array_unref(run.distance);
	g_array_unref(run.numbers);
	g_hash_table_destroy(bytes);
}

/** Whether more that comes explains what is held better than that each takes
 *  longer. */
static bool isLoad(const struct outlier *self)
{
	if (!isnan(self->countRatio) && self->eachOthers > 0)
		return self->countRatio > self->each / self->eachOthers;
	return !isnan(self->bytesRatio) && self->bytesRatio >= OUTLIER_RATIO;
}

/** Of each node the item that holds most beyond the others. */
static GHashTable *findMost(GArray *all)
{
	GHashTable *most = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < all->len; i++) {
		struct outlier *item = &g_array_index(all, struct outlier, i);
		const struct outlier *best =
			g_hash_table_lookup(most, item->node);

		if (item->ratio >= OUTLIER_RATIO &&
		    item->share > (best ? best->share : 0))
			g_hash_table_insert(most, (gpointer)item->node, item);
	}
	return most;
}

/** Of each node what holds most counts, and what comes near that. */
static void outliersChooseMost(GArray *all)
{
	GHashTable *bests = findMost(all);

	for (guint i = 0; i < all->len; i++) {
		struct outlier *item = &g_array_index(all, struct outlier, i);
		const struct outlier *best;
		double most;

		if (!item->isOut)
			continue;
		best = g_hash_table_lookup(bests, item->node);
		most = best ? best->share : 0;
		item->isLoad = isLoad(item);
		/* Who has more to do has it in all layers. */
		if (item->share < OUTLIER_SECOND * most ||
		    (item->isLoad && item->share < most))
			item->isOut = false;
	}
	g_hash_table_destroy(bests);
}

GArray *outliersFind(const struct layers *layers)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct outlier));

	addLayers(layers, all);
	addWays(layers, all);
	g_array_sort(all, outliersCompareItems);
	judgeAll(layers, all);
	outliersChooseMost(all);
	return all;
}

static gint compareOut(gconstpointer left, gconstpointer right)
{
	const struct outlier *a = *(const struct outlier *const *)left;
	const struct outlier *b = *(const struct outlier *const *)right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return outliersCompareItems(a, b);
}

GPtrArray *outliersOut(const GArray *outliers)
{
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < outliers->len; i++) {
		struct outlier *item =
			&g_array_index(outliers, struct outlier, i);

		if (item->isOut)
			g_ptr_array_add(list, item);
	}
	g_ptr_array_sort(list, compareOut);
	return list;
}

/* ---- In words ---------------------------------------------------------- */

char *outlierTitle(const struct outlier *self)
{
	if (self->isLoad)
		return g_strdup_printf(
			"%s has more work than the other nodes: %s",
			self->node->path, self->name);
	if (self->isWay)
		return g_strdup_printf("the way to %s is slow: %s",
				       self->node->path, self->name);
	return g_strdup_printf("%s is slow in %s", self->node->path,
			       self->name);
}

char *outlierEvidence(const struct outlier *self)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text,
			       "holds %.3f operations %s on average, the "
			       "median of %zu other nodes is %.3f",
			       self->held, self->isWay ? "on the way" : "there",
			       self->alike - 1, self->others);
	if (self->ratio < INFINITY)
		g_string_append_printf(text, " (%.1f times as many)",
				       self->ratio);
	g_string_append_printf(text, ", in %d of %d intervals", self->lasts,
			       LAYERS_PARTS);
	if (!isnan(self->each) && !isnan(self->eachOthers))
		g_string_append_printf(
			text, "; each takes %.3f ms, %.3f ms on other nodes",
			self->each * 1e3, self->eachOthers * 1e3);
	if (!isnan(self->countRatio))
		g_string_append_printf(text,
				       "; it has %.2f times as many operations",
				       self->countRatio);
	if (!isnan(self->bytesRatio))
		g_string_append_printf(text, "; it moves %.2f times the bytes",
				       self->bytesRatio);
	return g_string_free(text, FALSE);
}
