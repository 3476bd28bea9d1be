/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Rank tests of many quantities.
 *
 * How extreme a quantity is is one number: by how much the sum of the doubled
 * ranks of the first set is off its mean; of sets that do not overlap, where
 * that is as much as it can be, the gap between them is added.
 */
#include "config.h"

#include <math.h>
#include <string.h>
#include <glib.h>

#include "HDTraceTools/base/ranktest.h"

/** A quantity. */
struct quantity {
	int64_t *ranks; /**< Doubled, of each run. */
	/** What sets that do not overlap have beside their ranks, if the first
	 *  one is the lower, and the upper one; 0: they would touch. */
	double gaps[2];
	int64_t ends[2]; /**< The sums of ranks that they have then. */
	double extreme;  /**< As the runs are. */
	size_t alone;    /**< In so many ways it is as extreme. */
	size_t family;   /**< In so many any of these is. */
	double familyP;
};

struct rankTest {
	size_t a;
	size_t all;
	GArray *quantities; /**< struct quantity */
	size_t *order;      /**< Of them, the most extreme first. */
	size_t *chosen;     /**< Runs of the first set, in one way. */
	size_t ways;
	bool isExact;
};

struct rankTest *rankTestNew(size_t a, size_t b)
{
	struct rankTest *self = g_new0(struct rankTest, 1);

	self->a = a;
	self->all = a + b;
	self->quantities = g_array_new(FALSE, FALSE, sizeof(struct quantity));
	self->chosen = g_new0(size_t, a + 1);
	return self;
}

static struct quantity *quantityAt(const struct rankTest *self, size_t number)
{
	return &g_array_index(self->quantities, struct quantity, (guint)number);
}

void rankTestFree(struct rankTest *self)
{
	if (!self)
		return;
	for (guint i = 0; i < self->quantities->len; i++)
		g_free(quantityAt(self, i)->ranks);
	g_array_unref(self->quantities);
	g_free(self->order);
	g_free(self->chosen);
	g_free(self);
}

/* ---- Ranks ------------------------------------------------------------- */

int rankTestCompare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/** Twice the mean rank of a value. */
static int64_t doubledRank(const double *sorted, size_t count, double value)
{
	int64_t below = 0;
	int64_t equal = 0;

	for (size_t i = 0; i < count; i++) {
		below += sorted[i] < value;
		equal += sorted[i] == value;
	}
	return 2 * below + equal + 1;
}

/** The gap between sets that do not overlap, of which the lower one has so many
 *  runs, in lengths of both. */
static double gapOf(const double *sorted, size_t count, size_t low)
{
	double gap = sorted[low] - sorted[low - 1];
	double covered = (sorted[low - 1] - sorted[0]) +
			 (sorted[count - 1] - sorted[low]);

	return gap > 0 ? gap / covered : 0;
}

size_t rankTestAdd(struct rankTest *self, const double *values)
{
	struct quantity quantity = { .ranks = g_new(int64_t, self->all) };
	double *sorted = g_new(double, self->all);
	int64_t a = (int64_t)self->a;
	int64_t all = (int64_t)self->all;

	memcpy(sorted, values, self->all * sizeof(*sorted));
	qsort(sorted, self->all, sizeof(*sorted), rankTestCompare);
	for (size_t i = 0; i < self->all; i++)
		quantity.ranks[i] = doubledRank(sorted, self->all, values[i]);
	quantity.gaps[0] = gapOf(sorted, self->all, self->a);
	quantity.gaps[1] = gapOf(sorted, self->all, self->all - self->a);
	quantity.ends[0] = a * (a + 1);
	quantity.ends[1] = a * (2 * all - a + 1);
	g_free(sorted);
	g_array_append_val(self->quantities, quantity);
	return self->quantities->len - 1;
}

/** How extreme a quantity is if these runs are the first set. */
static double extremeOf(const struct rankTest *self,
			const struct quantity *quantity)
{
	int64_t sum = 0;
	double gap = 0;

	for (size_t i = 0; i < self->a; i++)
		sum += quantity->ranks[self->chosen[i]];
	for (int i = 0; i < 2; i++) {
		if (sum == quantity->ends[i])
			gap = quantity->gaps[i];
	}
	return (double)llabs(sum -
			     (int64_t)self->a * (int64_t)(self->all + 1)) +
	       gap;
}

/* ---- Ways to deal out the runs ------------------------------------------ */

/** How many there are; a large number if they are too many. */
static double waysOf(size_t a, size_t b)
{
	double ways = 1;

	for (size_t i = 1; i <= MIN(a, b); i++)
		ways = ways * (double)(a + b + 1 - i) / (double)i;
	return nearbyint(ways);
}

static void firstWay(struct rankTest *self)
{
	for (size_t i = 0; i < self->a; i++)
		self->chosen[i] = i;
}

/** Go on to the next way, in the order of the runs; false: that was all. */
static bool nextWay(struct rankTest *self)
{
	size_t i = self->a;

	while (i > 0 && self->chosen[i - 1] == self->all - self->a + i - 1)
		i--;
	if (i == 0)
		return false;
	self->chosen[i - 1]++;
	for (; i < self->a; i++)
		self->chosen[i] = self->chosen[i - 1] + 1;
	return true;
}

/** Draw a way: each with the same chance. */
static void drawWay(struct rankTest *self, GRand *chance)
{
	size_t left = self->a;

	for (size_t i = 0; left > 0; i++) {
		gint32 rest = (gint32)(self->all - i);

		if (g_rand_int_range(chance, 0, rest) < (gint32)left)
			self->chosen[self->a - left--] = i;
	}
}

/* ---- The test ---------------------------------------------------------- */

/** Count a way: for each quantity whether it, and whether any that is not more
 *  extreme than it, is as extreme in this way as the quantity is. */
static void countWay(struct rankTest *self)
{
	double most = 0;

	for (size_t i = self->quantities->len; i > 0; i--) {
		struct quantity *quantity =
			quantityAt(self, self->order[i - 1]);
		double extreme = extremeOf(self, quantity);

		most = MAX(most, extreme);
		quantity->alone += extreme >= quantity->extreme;
		quantity->family += most >= quantity->extreme;
	}
	self->ways++;
}

static gint mostFirst(gconstpointer a, gconstpointer b, gpointer data)
{
	double x = quantityAt(data, *(const size_t *)a)->extreme;
	double y = quantityAt(data, *(const size_t *)b)->extreme;

	return (x < y) - (x > y);
}

static void setOrder(struct rankTest *self)
{
	size_t count = self->quantities->len;

	self->order = g_new(size_t, count + 1);
	firstWay(self);
	for (size_t i = 0; i < count; i++) {
		quantityAt(self, i)->extreme =
			extremeOf(self, quantityAt(self, i));
		self->order[i] = i;
	}
	g_qsort_with_data(self->order, (gint)count, sizeof(*self->order),
			  mostFirst, self);
}

void rankTestRun(struct rankTest *self)
{
	double last = 0;

	setOrder(self);
	self->isExact = waysOf(self->a, self->all - self->a) <= RANKTEST_ALL;
	countWay(self);
	if (self->isExact) {
		while (nextWay(self))
			countWay(self);
	} else {
		GRand *chance = g_rand_new_with_seed(1);

		/* The way as they are counts among those that are drawn. */
		for (int i = 0; i < RANKTEST_DRAWN; i++) {
			drawWay(self, chance);
			countWay(self);
		}
		g_rand_free(chance);
	}
	for (size_t i = 0; i < self->quantities->len; i++) {
		struct quantity *quantity = quantityAt(self, self->order[i]);

		last = MAX(last, (double)quantity->family / (double)self->ways);
		quantity->familyP = last;
	}
}

double rankTestAlone(const struct rankTest *self, size_t number)
{
	return (double)quantityAt(self, number)->alone / (double)self->ways;
}

double rankTestFamily(const struct rankTest *self, size_t number)
{
	return quantityAt(self, number)->familyP;
}

size_t rankTestWays(const struct rankTest *self, bool *isExact)
{
	*isExact = self->isExact;
	return self->ways;
}

double rankTestLeast(size_t a, size_t b)
{
	double ways = waysOf(a, b);

	return ways <= RANKTEST_ALL ? MIN(2 / ways, 1)
				    : 1.0 / (RANKTEST_DRAWN + 1);
}
