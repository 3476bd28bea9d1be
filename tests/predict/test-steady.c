/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When hdpredict measure --steady takes a machine for warm. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "PredictionLibrary/command/measure/steady.h"
#include "common/clock.h"

/* ---- Temperatures ------------------------------------------------------ */

/* A tree with zones; NULL: one whose temperature cannot be read. */
static char *tree(const char *const *zones, int count)
{
	char *root = g_dir_make_tmp("steady.XXXXXX", NULL);

	for (int i = 0; i < count; i++) {
		char *zone = g_strdup_printf(
			"%s/sys/class/thermal/thermal_zone%d", root, i);
		char *file = g_build_filename(zone, "temp", NULL);

		g_assert_cmpint(g_mkdir_with_parents(zone, 0700), ==, 0);
		if (zones[i])
			g_assert_true(
				g_file_set_contents(file, zones[i], -1, NULL));
		else /* To read it fails, as root, too. */
			g_assert_cmpint(g_mkdir(file, 0700), ==, 0);
		g_free(file);
		g_free(zone);
	}
	return root;
}

static void clear(char *root, int count)
{
	static const char *const parts[] = { "sys/class/thermal", "sys/class",
					     "sys", "" };
	char *path;

	for (int i = 0; i < count; i++) {
		path = g_strdup_printf(
			"%s/sys/class/thermal/thermal_zone%d/temp", root, i);
		g_remove(path);
		g_free(path);
		path = g_strdup_printf("%s/sys/class/thermal/thermal_zone%d",
				       root, i);
		g_remove(path);
		g_free(path);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		path = g_build_filename(root, parts[i], NULL);
		g_remove(path);
		g_free(path);
	}
	g_free(root);
}

static void testTemperatures(void)
{
	static const struct {
		const char *zones[4];
		int count;
		double celsius;
	} rows[] = {
		{ { NULL }, 0, NAN },
		{ { "41500\n" }, 1, 41.5 },
		{ { "41500\n", "63000\n", "-5000\n" }, 3, 63 },
		{ { "-5000\n" }, 1, -5 },
		{ { NULL, "48000\n" }, 2, 48 },
		{ { "unknown\n", "48000\n" }, 2, 48 },
		{ { "", NULL }, 2, NAN },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *root = tree(rows[i].zones, rows[i].count);
		double found = steadyTemperature(root);

		if (isnan(rows[i].celsius))
			g_assert_true(isnan(found));
		else
			g_assert_cmpfloat(found, ==, rows[i].celsius);
		clear(root, rows[i].count);
	}
}

/* ---- What is steady ---------------------------------------------------- */

/* Temperatures at a second. */
static double rising(int second)
{
	return 40 + 0.1 * second;
}

static double warm(int second)
{
	return second < 100 ? rising(second) : rising(100);
}

static double swinging(int second)
{
	return second % 2 ? 50 : 49.5;
}

static double unknown(int second)
{
	(void)second;
	return NAN;
}

/* When it is steady, looked at each second. */
static int reached(double (*celsius)(int second))
{
	struct steady steady;
	int second = 0;

	steadyBegin(&steady, 7, celsius(0));
	while (!steadyIsReached(&steady, 7 + second * HD_NS_PER_S,
				celsius(second)))
		second++;
	return second;
}

static void testSteady(void)
{
	/* A degree above 49 is 50, which it has at 100 s, or just misses by
	 * rounding; 49 it has at 90 s. */
	g_assert_cmpint(reached(warm), >=, 150);
	g_assert_cmpint(reached(warm), <=, 161);
	g_assert_cmpint(reached(swinging), ==, 60);
	g_assert_cmpint(reached(unknown), ==, 180);
	g_assert_cmpint(reached(rising), ==, 1800);
}

static void testInterrupted(void)
{
	atomic_int stop = 1;

	g_assert_cmpint(steadyWait("/nonexistent", 0, &stop), ==, -EINTR);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/predict/steady/temperatures", testTemperatures);
	g_test_add_func("/predict/steady/steady", testSteady);
	g_test_add_func("/predict/steady/interrupted", testInterrupted);
	return g_test_run();
}
