/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The CPU time of a run: CPUs that spend their time by a law, as the kernel's
 * ticks show it, whatever the interval is. Totals are those of the law, but for
 * 0.1 % and some ticks.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <glib.h>

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"
#include "ResourcesUtilizationTracingLibrary/src/core/used.h"
#include "tests/lib/fixture.h"
#include "tests/lib/testlib.h"

#define CPUS 2
#define TICK_NS 1e7
#define MS G_GINT64_CONSTANT(1000000)
#define START (G_GINT64_CONSTANT(1000) * 1000 * MS)
#define STATES 6

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, STEAL };

/* The monotonic clock, as all of this program has it. */
static int64_t monotonicNs = START;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, now);
	*now = testTime(monotonicNs);
	return 0;
}

/* Where a CPU's time goes, and where it went. */
struct law {
	double parts[STATES];
	double spent[CPUS][STATES];
};

static void lawChange(struct law *law, GRand *chance)
{
	double sum = 0;

	for (int i = 0; i < STATES; i++)
		sum += law->parts[i] =
			i == IDLE ? g_rand_double_range(chance, 0, 9)
				  : g_rand_double_range(chance, 0, 1);
	for (int i = 0; i < STATES; i++)
		law->parts[i] /= sum;
}

static void lawPass(struct law *law, int64_t ns)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		for (int i = 0; i < STATES; i++)
			law->spent[cpu][i] += law->parts[i] * (double)ns;
}

/* Write /proc/stat over the text before, which is as long: file systems wait
 * for the disk when a file is truncated. */
static void showText(const char *root, const char *text)
{
	char *path = g_strconcat(root, "/proc/stat", NULL);
	FILE *file = fopen(path, "r+");

	g_assert_nonnull(file);
	fputs(text, file);
	g_assert_cmpint(fclose(file), ==, 0);
	g_free(path);
}

/* /proc/stat, in whole ticks; idle and steal step back sometimes. */
static void lawShow(const struct law *law, const char *root, GRand *chance)
{
	unsigned int back =
		g_rand_int_range(chance, 0, 50) == 0
			? (unsigned int)g_rand_int_range(chance, 1, 5)
			: 0;
	GString *text = g_string_new("cpu ");
	guint64 ticks[CPUS][STATES], sum;

	for (int cpu = 0; cpu < CPUS; cpu++)
		for (int i = 0; i < STATES; i++)
			ticks[cpu][i] =
				10000 +
				(guint64)(law->spent[cpu][i] / TICK_NS) -
				(i == IDLE || i == STEAL ? back : 0);
	for (int i = 0; i < 8; i++) {
		static const int states[] = { USER,   NICE, SYSTEM, IDLE,
					      IOWAIT, -1,   -1,     STEAL };

		sum = 0;
		for (int cpu = 0; states[i] >= 0 && cpu < CPUS; cpu++)
			sum += ticks[cpu][states[i]];
		g_string_append_printf(text, " %12" G_GUINT64_FORMAT, sum);
	}
	for (int cpu = 0; cpu < CPUS; cpu++)
		g_string_append_printf(
			text,
			"\ncpu%d %12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT
			" %12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT
			" %12" G_GUINT64_FORMAT " 0 0 %12" G_GUINT64_FORMAT,
			cpu, ticks[cpu][USER], ticks[cpu][NICE],
			ticks[cpu][SYSTEM], ticks[cpu][IDLE],
			ticks[cpu][IOWAIT], ticks[cpu][STEAL]);
	g_string_append(text, "\nintr 1\n");
	showText(root, text->str);
	g_string_free(text, TRUE);
}

/* What a value should be: the mean over a run, in percent. */
static double lawPercent(const struct law *law, const char *name, double ns)
{
	static const char *const names[] = { "USER", "NICE",   "SYSTEM",
					     "IDLE", "IOWAIT", "STEAL" };
	double spent = 0;

	for (int i = 0; i < STATES; i++) {
		char *state = g_strconcat("CPU_STATE_", names[i], NULL);
		bool isBusy = i != IDLE && i != IOWAIT;

		if (g_str_has_prefix(name, state) ||
		    (g_str_has_prefix(name, "CPU_TOTAL") && isBusy))
			spent += law->spent[0][i];
		g_free(state);
	}
	return 100 * spent / ns;
}

static void testInterval(gconstpointer data)
{
	int64_t interval = GPOINTER_TO_INT(data) * MS, now = START;
	int64_t run = interval < 100 * MS ? 60000 * MS : 300000 * MS;
	GRand *chance = g_rand_new_with_seed((guint32)testSeed());
	char *root = fixtureCreate();
	struct rutSetup setup = { .root = root,
				  .intervalNs = interval,
				  .cpuSource = RUT_CPU_STAT };
	struct rutUsed used = { 0 };
	struct law law = { .parts = { 0 } };
	double *sums;

	setup.sources.CPU_UTIL = setup.sources.CPU_UTIL_X = 1;
	setup.sources.CPU_STATES = setup.sources.CPU_STATES_X = 1;
	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-1\n");
	fixtureWrite(root, "/proc/stat", "%s", "");
	lawChange(&law, chance);
	lawShow(&law, root, chance);
	monotonicNs = now;
	g_assert_cmpint(rutUsedOpen(&used, rutLinuxSources, &setup), ==, 0);
	g_assert_cmpuint(used.columns.count, ==, 3 + 3 * STATES);
	sums = g_new0(double, used.columns.count);
	rutUsedRead(&used, RUT_WHY_BEGIN);
	for (; now < START + run; now += interval) {
		/* It ends with a second of one kind. */
		if (now < START + run - 1000 * MS &&
		    g_rand_int_range(chance, 0, 300) < interval / MS)
			lawChange(&law, chance);
		lawPass(&law, interval);
		lawShow(&law, root, chance);
		monotonicNs = now + interval;
		rutUsedRead(&used, RUT_WHY_SAMPLE);
		for (size_t i = 0; i < used.columns.count; i++)
			sums[i] += isnan(used.cells[i].f)
					   ? 0
					   : (double)used.cells[i].f *
						     (double)interval;
	}
	for (size_t i = 0; i < used.columns.count; i++) {
		const char *name = used.columns.list[i].name;
		double expected = lawPercent(&law, name, (double)run);

		g_test_message("%s: %.3f %%, by the law %.3f %%", name,
			       sums[i] / (double)run, expected);
		g_assert_cmpfloat(fabs(sums[i] / (double)run - expected), <=,
				  0.1 + 100 * 3 * TICK_NS / (double)run);
	}
	rutUsedClose(&used);
	g_free(sums);
	fixtureRemove(root);
	g_rand_free(chance);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/totals/10-ms", GINT_TO_POINTER(10),
			     testInterval);
	g_test_add_data_func("/totals/70-ms", GINT_TO_POINTER(70),
			     testInterval);
	g_test_add_data_func("/totals/1-s", GINT_TO_POINTER(1000),
			     testInterval);
	return g_test_run();
}
