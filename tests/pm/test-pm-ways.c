/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* The ways by which libpm comes to a server. What looks for names is in a
 * program of its own: a thread may do so for long after nobody waits for it any
 * more, and beside it no server can be forked that has threads. */
#include "config.h"

#include <errno.h>

#include <glib.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "tests/pm/session.h"

static void testMoved(void)
{
	struct model model = { .dialect = 'B' };
	char *moved;
	server_t old;
	char **list;
	int count;

	modelStart(&model);
	moved = g_strdup_printf("other:1=nowhere:1,150.128.82.30:6526="
				"127.0.0.1:%d,[::1]:7=127.0.0.1:%d,bad",
				model.server.port, model.server.port);
	g_setenv("PM_SERVERS", moved, TRUE);
	pm_set_server("150.128.82.30", 6526, &old);
	sessionGives(0, pm_get_devices(old, &list, &count));
	pmListFree(list, count);
	pm_set_server("::1", 7, &old);
	sessionGives(0, pm_get_devices(old, &list, &count));
	pmListFree(list, count);
	g_setenv("PM_SERVERS", "150.128.82.30:6526=nonsense", TRUE);
	pm_set_server("150.128.82.30", 6526, &old);
	sessionFails(PM_EINVAL, EINVAL, pm_get_devices(old, &list, &count));
	g_unsetenv("PM_SERVERS");
	g_free(moved);
	modelStop(&model);
}

static void testNames(void)
{
	struct model model = { .dialect = 'B' };
	char **list;
	server_t server;
	int count, ret;

	modelStart(&model);
	pm_set_server("localhost", model.server.port, &server);
	ret = pm_get_devices(server, &list, &count);
	if (ret == 0)
		pmListFree(list, count);
	else
		g_assert_cmpint(ret, ==, PM_ECONNECTION);
	modelStop(&model);
	/* Nobody is there any more. */
	sessionFails(PM_ECONNECTION, ECONNREFUSED,
		     pm_get_devices(model.server, &list, &count));
	pm_set_server("nobody.invalid", 1, &server);
	g_setenv("PM_TIMEOUT", "1", TRUE);
	ret = pm_get_devices(server, &list, &count);
	g_assert_true(ret == PM_ECONNECTION || ret == PM_ETIMEOUT);
	g_unsetenv("PM_TIMEOUT");
	pm_set_server("/nowhere/socket", 0, &server);
	sessionFails(PM_ECONNECTION, ENOENT,
		     pm_get_devices(server, &list, &count));
}

int main(int argc, char **argv)
{
	char *directory = sessionInit(&argc, &argv, NULL);

	g_test_add_func("/pm/ways/moved", testMoved);
	g_test_add_func("/pm/ways/names", testNames);
	return sessionRun(directory);
}
