/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For how long a loop waits. */
#include "config.h"

#include <stdint.h>
#include <glib.h>

#include "net/loop.h"

#define MS INT64_C(1000000)

static void timeouts(void)
{
	static const struct {
		int64_t now, until;
		int ms;
	} cases[] = {
		{ 0, INT64_MAX, -1 },
		{ 5, 5, 0 },
		{ 5, 4, 0 },
		{ 5, 6, 1 },
		{ 0, MS, 1 },
		{ 0, MS + 1, 2 },
		{ 7 * MS, 10 * MS, 3 },
		{ 0, 60000 * MS, 60000 },
		{ 0, 59999 * MS + 1, 60000 },
		{ 0, 60001 * MS, 60000 },
		/* Far away is a number, too. */
		{ 1, INT64_MAX - 1, 60000 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		g_assert_cmpint(hdLoopTimeout(cases[i].now, cases[i].until), ==,
				cases[i].ms);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/loop/timeouts", timeouts);
	return g_test_run();
}
