/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Loads: sequences against their definition, plans, and CPU time as the kernel
 * counts it. */
#include "config.h"

#include <errno.h>
#include <sys/resource.h>
#include <glib.h>

#include "LoadLevels/core/load.h"
#include "LoadLevels/cpu/sequence.h"

/* ---- Sequences ----------------------------------------------------------- */

static signed char *sequence(unsigned int order, uint32_t seed, uint32_t length)
{
	struct hdLoadSequence state;
	signed char *values = g_new(signed char, length);

	g_assert_cmpint(hdLoadSequenceBegin(&state, order, seed), ==, 0);
	for (uint32_t i = 0; i < length; i++)
		values[i] = hdLoadSequenceNext(&state) ? 1 : -1;
	return values;
}

/* Once as many ones as zeros and one more; and then the same again. */
static void testBalance(void)
{
	for (unsigned int order = HD_LOAD_ORDER_MIN; order <= HD_LOAD_ORDER_MAX;
	     order++) {
		uint32_t length = (UINT32_C(1) << order) - 1;
		signed char *values = sequence(order, 5, 2 * length);
		int32_t sum = 0;

		for (uint32_t i = 0; i < length; i++) {
			sum += values[i];
			g_assert_cmpint(values[i], ==, values[i + length]);
		}
		g_assert_cmpint(sum, ==, 1);
		g_free(values);
	}
}

/* The definition: -1 at every shift but none. */
static void testAutocorrelation(void)
{
	for (unsigned int order = HD_LOAD_ORDER_MIN; order <= 11; order++) {
		uint32_t length = (UINT32_C(1) << order) - 1;
		signed char *values = sequence(order, 123456789, 2 * length);

		for (uint32_t shift = 1; shift < length; shift++) {
			int32_t sum = 0;

			for (uint32_t i = 0; i < length; i++)
				sum += values[i] * values[i + shift];
			g_assert_cmpint(sum, ==, -1);
		}
		g_free(values);
	}
}

/* Of order n all words of n bits but one are there once: no order above is
 * left out by the autocorrelation, which takes long. */
static void testWords(void)
{
	for (unsigned int order = 12; order <= HD_LOAD_ORDER_MAX; order++) {
		uint32_t length = (UINT32_C(1) << order) - 1, word = 0;
		signed char *values = sequence(order, 0, length + order);
		char *seen = g_new0(char, (gsize)length + 1);

		for (uint32_t i = 0; i < length + order; i++) {
			word = (word << 1 | (values[i] > 0)) & length;
			if (i < order)
				continue;
			g_assert_cmpint(seen[word], ==, 0);
			seen[word] = 1;
		}
		g_assert_cmpint(seen[0], ==, 0);
		g_free(seen);
		g_free(values);
	}
}

static void testSeeds(void)
{
	struct hdLoadSequence state;
	signed char *a = sequence(10, 1, 100), *b = sequence(10, 2, 100);
	int same = 0;

	for (int i = 0; i < 100; i++)
		same += a[i] == b[i];
	g_assert_cmpint(same, <, 100);
	g_free(a);
	g_free(b);
	g_assert_cmpint(hdLoadSequenceBegin(&state, 1, 0), ==, -EINVAL);
	g_assert_cmpint(hdLoadSequenceBegin(&state, 21, 0), ==, -EINVAL);
}

/* ---- Plans --------------------------------------------------------------- */

static void testPlan(void)
{
	struct hdLoadPlan plan = { .count = 0 };

	g_assert_cmpint(hdLoadPlanText(&plan, "0.5:0,1:1,2e0:1,0.25:0.5"), ==,
			0);
	g_assert_cmpuint(plan.count, ==, 3);
	g_assert_cmpint(plan.steps[1].ns, ==, 500000000);
	g_assert_cmpint(plan.steps[2].ns, ==, 3500000000);
	g_assert_cmpint(plan.endNs, ==, 3750000000);
	g_assert_cmpfloat(plan.steps[2].level, ==, 0.5);
	hdLoadPlanClear(&plan);
	/* 7 steps of a sequence of order 3, and as many as fit. */
	g_assert_cmpint(hdLoadPlanSequence(&plan, 3, 0, 1000, 1), ==, 0);
	g_assert_cmpint(plan.endNs, ==, 7000);
	g_assert_cmpint(hdLoadPlanSequence(&plan, 3, 0, 1000, 10999), ==, 0);
	g_assert_cmpint(plan.endNs, ==, 17000);
	hdLoadPlanClear(&plan);
}

static void testBadPlan(void)
{
	static const char *const texts[] = { "",      "1",       "1:",   ":1",
					     "1:2",   "1:-0.1",  "0:1",  "-1:1",
					     "1:nan", "1:1,",    "1:1;", "x:1",
					     "1:1 ",  "1e9:0.5", "inf:1" };

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		struct hdLoadPlan plan = { .count = 0 };

		g_test_message("%s", texts[i]);
		g_assert_cmpint(hdLoadPlanText(&plan, texts[i]), ==, -EINVAL);
		hdLoadPlanClear(&plan);
	}
}

/* ---- Load ---------------------------------------------------------------- */

static int64_t processNs(void)
{
	struct rusage usage;

	g_assert_cmpint(getrusage(RUSAGE_SELF, &usage), ==, 0);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static int anyCpu(void)
{
	int cpu;

	g_assert_cmpuint(hdLoadCpus(&cpu, 1), ==, 1);
	return cpu;
}

/* The time of the process, which is more than that of the thread by what little
 * the test itself needs; returns seconds. */
static double runLevel(double level, double seconds, struct hdLoadUse *use)
{
	struct hdLoadPlan plan = { .count = 0 };
	struct hdLoad *load;
	int cpu = anyCpu();
	int64_t before = processNs(), used;

	g_assert_cmpint(hdLoadPlanAdd(&plan, level, (int64_t)(seconds * 1e9)),
			==, 0);
	g_assert_cmpint(hdLoadStart(&cpu, 1, &plan, NULL, &load), ==, 0);
	hdLoadWait(load);
	hdLoadStop(load, use);
	used = processNs() - before;
	g_test_message("level %g: %g s of %g s", level, (double)used / 1e9,
		       seconds);
	hdLoadPlanClear(&plan);
	return (double)used / 1e9;
}

/* On a busy machine a thread may get less than it wants, never more. Of what it
 * can get anywhere, a twentieth of a CPU, it gets all. */
static void testLevels(void)
{
	static const double levels[] = { 0.05, 0.1, 0.3 };
	struct hdLoadUse use;

	g_assert_cmpfloat(runLevel(0, 0.3, &use), <, 0.03);
	for (size_t i = 0; i < G_N_ELEMENTS(levels); i++) {
		double want = levels[i] * 0.8;
		double used = runLevel(levels[i], 0.8, &use);

		g_assert_cmpfloat(used, <, want + 0.03);
		g_assert_cmpfloat(used, >, levels[i] < 0.2 ? want * 0.5 : 0.03);
		g_assert_cmpfloat_with_epsilon((double)use.wantedNs / 1e9, want,
					       1e-6);
		/* Both clocks are the kernel's, but not the same. */
		g_assert_cmpfloat_with_epsilon((double)use.cpuNs / 1e9, used,
					       0.03);
	}
	g_assert_cmpfloat(runLevel(1, 0.3, &use), <, 0.35);
	g_assert_cmpint(use.cpuNs, >, 20000000);
}

/* A stop ends it at once, from both full load and none. */
static void testStop(void)
{
	for (int level = 0; level <= 1; level++) {
		struct hdLoadPlan plan = { .count = 0 };
		struct hdLoad *load;
		struct hdLoadUse use;
		int cpu = anyCpu();
		int64_t begin = g_get_monotonic_time();

		g_assert_cmpint(
			hdLoadPlanAdd(&plan, level, INT64_C(3600000000000)), ==,
			0);
		g_assert_cmpint(hdLoadStart(&cpu, 1, &plan, NULL, &load), ==,
				0);
		hdLoadStop(load, &use);
		g_assert_cmpint(g_get_monotonic_time() - begin, <, 60000000);
		g_assert_cmpint(use.wantedNs, <, INT64_C(60000000000));
		hdLoadPlanClear(&plan);
	}
}

static void testNoCpu(void)
{
	static const int cpus[] = { -1, 1023, 4000 };
	struct hdLoadPlan plan = { .count = 0 };
	struct hdLoad *load = NULL;

	g_assert_cmpint(hdLoadPlanAdd(&plan, 1, 1000000000), ==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(cpus); i++)
		g_assert_cmpint(hdLoadStart(&cpus[i], 1, &plan, NULL, &load),
				==, -EINVAL);
	g_assert_null(load);
	hdLoadPlanClear(&plan);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/load/sequence/balance", testBalance);
	g_test_add_func("/load/sequence/autocorrelation", testAutocorrelation);
	g_test_add_func("/load/sequence/words", testWords);
	g_test_add_func("/load/sequence/seeds", testSeeds);
	g_test_add_func("/load/plan", testPlan);
	g_test_add_func("/load/plan/bad", testBadPlan);
	g_test_add_func("/load/levels", testLevels);
	g_test_add_func("/load/stop", testStop);
	g_test_add_func("/load/no-cpu", testNoCpu);
	return g_test_run();
}
