/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Host header of requests. */
#include "config.h"

#include <glib.h>

#include "net/host.h"

static void testHost(void)
{
	static const struct {
		const char *header;
		bool isOurs;
	} cases[] = {
		{ NULL, true },
		{ "127.0.0.1", true },
		{ "127.0.0.1:6528", true },
		{ "[::1]:6528", true },
		{ "[2001:db8::1]", true },
		{ "localhost:6528", true },
		{ "LocalHost", true },
		{ "node7", true },
		{ "node7:6528", true },
		{ "NODE7.cluster.example:6528", true },
		{ "", false },
		{ ":6528", false },
		{ "evil.example:6528", false },
		{ "node77", false },
		{ "node", false },
		{ "localhost.evil.example", false },
		{ "127.0.0.1.evil.example", false },
	};
	char longName[400];

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_test_message("%s", cases[i].header ? cases[i].header : "-");
		g_assert_cmpint(
			hdHostIsOurs(cases[i].header, "node7.cluster.example"),
			==, cases[i].isOurs);
		g_assert_cmpint(hdHostIsOurs(cases[i].header, "node7"), ==,
				cases[i].isOurs);
	}
	memset(longName, 'a', sizeof(longName) - 1);
	longName[sizeof(longName) - 1] = '\0';
	g_assert_false(hdHostIsOurs(longName, "node7"));
	g_assert_false(hdHostIsOurs("evil", ""));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/host/names of this host", testHost);
	return g_test_run();
}
