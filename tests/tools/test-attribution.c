/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the energy of nodes is divided, compared with an integrator that looks
 * at each event. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "HDTraceTools/model/attribution.h"
#include "tests/lib/testlib.h"

#define ACTIVITIES_MAX 6
#define SPANS_MAX 20
#define ENTRIES_MAX 12
#define NODES_MAX 3
#define SECOND INT64_C(1000000000)

/** A time in which something holds. */
struct span {
	int64_t start;
	int64_t end;
	size_t activity;
	int64_t usage; /**< Or -1: it is active. */
};

/** A node: its power, and who is active on it. */
struct node {
	size_t activities;
	struct span spans[SPANS_MAX];
	size_t spanCount;
	hdIValue value;
	hdIGroup group;
	size_t entries;
	int64_t start[ENTRIES_MAX];
	int64_t end[ENTRIES_MAX];
	double power[ENTRIES_MAX]; /**< NaN: not known. */
	hdIColumn column;
	enum attributionRule rule;
	struct powerSeries *series;
	struct claims *claims;
	struct attributionCursor *cursors[ACTIVITIES_MAX];
	struct attributionShare *shares[ACTIVITIES_MAX];
};

/* ---- Cases ------------------------------------------------------------- */

static int64_t someTime(struct testRandom *random)
{
	/* Few, so that they meet; many, so that there are remainders. */
	return testRandomBelow(random, 2)
		       ? (int64_t)testRandomBelow(random, 20) * SECOND
		       : (int64_t)testRandomBelow(random,
						  (uint32_t)(2 * SECOND)) *
				 10;
}

static void makeSpans(struct testRandom *random, struct node *node)
{
	node->activities = 1 + testRandomBelow(random, ACTIVITIES_MAX);
	node->spanCount = testRandomBelow(random, SPANS_MAX + 1);
	for (size_t i = 0; i < node->spanCount; i++) {
		struct span *span = &node->spans[i];
		int64_t a = someTime(random);
		int64_t b = someTime(random);

		span->start = MIN(a, b);
		span->end = MAX(a, b);
		span->activity =
			testRandomBelow(random, (uint32_t)node->activities);
		span->usage = -1;
		if (node->rule == ATTRIBUTION_CPU &&
		    testRandomBelow(random, 2) == 0)
			span->usage =
				testRandomBelow(random, 3) *
				(int64_t)testRandomBelow(random, 1000000007);
	}
}

static void makePower(struct testRandom *random, struct node *node)
{
	int64_t time = (int64_t)testRandomBelow(random, 5) * SECOND;

	node->entries = 1 + testRandomBelow(random, ENTRIES_MAX);
	for (size_t i = 0; i < node->entries; i++) {
		if (testRandomBelow(random, 4) == 0)
			time += (int64_t)testRandomBelow(random, 3000000000U);
		node->start[i] = time;
		time += 1 + (int64_t)testRandomBelow(random, 3000000000U);
		node->end[i] = time;
		node->power[i] =
			testRandomBelow(random, 8) == 0
				? (double)NAN
				: testRandomBelow(random, 100000) / 100.0;
	}
}

static void buildNode(struct node *node)
{
	const struct powerPart part = { .column = 0, .scale = 1 };
	hdIBlock block = {
		.count = node->entries,
		.start = node->start,
		.end = node->end,
		.columns = &node->column,
	};

	node->column.float64 = node->power;
	node->value = (hdIValue){
		.name = "P", .type = HDI_DOUBLE, .unit = "W", .grouping = ""
	};
	node->group.values = &node->value;
	node->group.valueCount = 1;
	node->series = powerSeriesNew(&node->group, &part, 1);
	g_assert_cmpint(powerSeriesAdd(node->series, &block), ==, 0);
	g_assert_cmpint(powerSeriesEnd(node->series), ==, 0);
	node->claims = claimsNew(node->activities, node->rule);
	for (size_t i = 0; i < node->spanCount; i++) {
		const struct span *span = &node->spans[i];

		if (span->usage < 0)
			claimsAdd(node->claims, span->activity, span->start,
				  span->end);
		else
			claimsUse(node->claims, span->activity, span->start,
				  span->end, span->usage);
	}
	claimsEnd(node->claims);
	for (size_t i = 0; i < node->activities; i++) {
		node->shares[i] =
			attributionShareOf(claimsShare(node->claims, i), NULL);
		node->cursors[i] =
			attributionCursorNew(node->series, node->shares[i]);
	}
}

static void clearNode(struct node *node)
{
	for (size_t i = 0; i < node->activities; i++) {
		attributionCursorFree(node->cursors[i]);
		attributionShareFree(node->shares[i]);
	}
	claimsFree(node->claims);
	powerSeriesFree(node->series);
}

/* ---- The naive way ----------------------------------------------------- */

static int compareTimes(const void *a, const void *b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

/** What holds in ]start, end], where nothing changes. */
struct moment {
	double watts; /**< NaN: not known. */
	bool isActive[ACTIVITIES_MAX];
	double weight[ACTIVITIES_MAX];
	double total; /**< 0: nobody claims. */
};

static void look(const struct node *node, int64_t start, int64_t end,
		 struct moment *moment)
{
	bool isKnown[ACTIVITIES_MAX] = { false };
	double usage[ACTIVITIES_MAX] = { 0 };
	bool areKnown = node->rule == ATTRIBUTION_CPU;
	double used = 0;

	*moment = (struct moment){ .watts = NAN };
	for (size_t i = 0; i < node->entries; i++) {
		if (node->start[i] <= start && end <= node->end[i])
			moment->watts = node->power[i];
	}
	for (size_t i = 0; i < node->spanCount; i++) {
		const struct span *span = &node->spans[i];

		if (span->start > start || end > span->end)
			continue;
		if (span->usage < 0) {
			moment->isActive[span->activity] = true;
		} else {
			isKnown[span->activity] = true;
			usage[span->activity] += (double)span->usage;
		}
	}
	for (size_t i = 0; i < node->activities; i++) {
		areKnown &= isKnown[i] || !moment->isActive[i];
		used += moment->isActive[i] ? usage[i] : 0;
	}
	for (size_t i = 0; i < node->activities; i++) {
		if (moment->isActive[i])
			moment->weight[i] = areKnown && used > 0 ? usage[i] : 1;
		moment->total += moment->weight[i];
	}
}

/** All times at which something changes in ]start, end], with both. */
static GArray *eventsOf(const struct node *node, int64_t start, int64_t end)
{
	GArray *times = g_array_new(FALSE, FALSE, sizeof(int64_t));

	g_array_append_val(times, start);
	g_array_append_val(times, end);
	for (size_t i = 0; i < node->entries + node->spanCount; i++) {
		const struct span *span =
			i < node->spanCount ? &node->spans[i] : NULL;
		int64_t both[2] = {
			span ? span->start : node->start[i - node->spanCount],
			span ? span->end : node->end[i - node->spanCount],
		};

		for (int k = 0; k < 2; k++) {
			if (both[k] > start && both[k] < end)
				g_array_append_val(times, both[k]);
		}
	}
	qsort(times->data, times->len, sizeof(int64_t), compareTimes);
	return times;
}

static powerPico allBetween(const struct node *node, int64_t start, int64_t end)
{
	struct powerCursor *cursor = powerCursorNew(node->series);
	int64_t measured;
	powerPico from = powerCursorUntil(cursor, start, &measured);
	powerPico to = powerCursorUntil(cursor, end, &measured);

	powerCursorFree(cursor);
	return to - from;
}

static void checkInterval(const struct node *node, int64_t start, int64_t end)
{
	GArray *times = eventsOf(node, start, end);
	double joules[ACTIVITIES_MAX] = { 0 };
	int64_t known[ACTIVITIES_MAX] = { 0 };
	powerPico sum = 0;
	powerPico rest = 0;

	for (guint i = 0; i + 1 < times->len; i++) {
		int64_t a = g_array_index(times, int64_t, i);
		int64_t b = g_array_index(times, int64_t, i + 1);
		struct moment moment;

		if (a == b)
			continue;
		look(node, a, b, &moment);
		if (moment.total == 0)
			rest += allBetween(node, a, b);
		for (size_t k = 0; k < node->activities; k++) {
			if (isnan(moment.watts) || !moment.isActive[k])
				continue;
			known[k] += b - a;
			joules[k] += moment.watts * (double)(b - a) / 1e9 *
				     moment.weight[k] / moment.total;
		}
	}
	for (size_t k = 0; k < node->activities; k++) {
		struct attributionAmount amount =
			attributionCursorGet(node->cursors[k], start, end);

		sum += amount.pico;
		g_assert_cmpint(amount.measured, ==, known[k]);
		/* Each change may round. */
		g_assert_cmpfloat_with_epsilon(
			attributionEnergy(&amount), joules[k],
			2e-12 * (times->len + 2) + 1e-11 * (1 + joules[k]));
	}
	/* Nothing is lost. */
	g_assert_true(sum + rest == allBetween(node, start, end));
	g_array_unref(times);
}

static void testRandomCases(void)
{
	struct testRandom random = { testSeed() };

	for (int i = 0; i < 10000; i++) {
		struct node nodes[NODES_MAX] = { { .activities = 0 } };
		size_t count = 1 + testRandomBelow(&random, NODES_MAX);

		for (size_t k = 0; k < count; k++) {
			struct node *node = &nodes[k];

			node->rule = testRandomBelow(&random, 2)
					     ? ATTRIBUTION_CPU
					     : ATTRIBUTION_EQUAL;
			makeSpans(&random, node);
			makePower(&random, node);
			buildNode(node);
		}
		for (size_t k = 0; k < count; k++) {
			int64_t a = someTime(&random);
			int64_t b = someTime(&random);

			checkInterval(&nodes[k], -SECOND, 100 * SECOND);
			checkInterval(&nodes[k], MIN(a, b), MAX(a, b));
			clearNode(&nodes[k]);
		}
	}
}

/* ---- By hand, as in doc/attribution.md --------------------------------- */

static const struct span cases[5][4] = {
	/* 1: two ranks, one stops. */
	{ { 0, 10, 0, -1 }, { 0, 4, 1, -1 } },
	/* 2: nobody at first. */
	{ { 2, 10, 0, -1 }, { 4, 6, 1, -1 } },
	/* 3: three, of which two overlap for a while. */
	{ { 0, 6, 0, -1 }, { 3, 9, 1, -1 }, { 3, 6, 2, -1 } },
	/* 4: by CPU time, one waits. */
	{ { 0, 10, 0, -1 },
	  { 0, 10, 1, -1 },
	  { 0, 10, 0, 900000000 },
	  { 0, 10, 1, 100000000 } },
	/* 5: by CPU time, which is known of one only for a while. */
	{ { 0, 10, 0, -1 },
	  { 0, 10, 1, -1 },
	  { 0, 10, 0, 900000000 },
	  { 0, 5, 1, 100000000 } },
};

/** Of a node with 100 W from 0 to 10 s. */
static const double expected[5][ACTIVITIES_MAX] = {
	{ 800, 200 }, { 700, 100 }, { 400, 400, 100 },
	{ 900, 100 }, { 700, 300 },
};

static void testHandCases(void)
{
	for (size_t i = 0; i < 5; i++) {
		struct node node = {
			.activities = 3,
			.entries = 1,
			.end = { 10 * SECOND },
			.power = { 100 },
			.rule = i < 3 ? ATTRIBUTION_EQUAL : ATTRIBUTION_CPU,
		};

		for (size_t k = 0; k < 4 && cases[i][k].end; k++) {
			node.spans[k] = cases[i][k];
			node.spans[k].start *= SECOND;
			node.spans[k].end *= SECOND;
			node.spanCount++;
		}
		buildNode(&node);
		for (size_t k = 0; k < 3; k++) {
			struct attributionAmount amount = attributionCursorGet(
				node.cursors[k], 0, 10 * SECOND);

			g_assert_cmpfloat(attributionEnergy(&amount), ==,
					  expected[i][k]);
		}
		clearNode(&node);
	}
}

/** A thousand million joules, and weights that have no common divisor. */
static void testLargeNumbers(void)
{
	const powerPico all = (powerPico)1 << 100;
	const uint64_t total = UINT64_C(9223372036854775783);
	powerPico sum = 0;
	uint64_t low = 0;

	for (int i = 0; i < 7; i++) {
		struct shareStep step = {
			.low = low,
			.high = i == 6 ? total : low + total / 7,
			.total = total,
		};

		sum += shareDivide(&step, all);
		sum += shareDivide(&step, -all / 3);
		low = step.high;
	}
	g_assert_true(sum == all + -all / 3);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/attribution/random", testRandomCases);
	g_test_add_func("/attribution/hand", testHandCases);
	g_test_add_func("/attribution/large", testLargeNumbers);
	return g_test_run();
}
