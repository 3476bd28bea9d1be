/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tests of libpm do with a server; see session.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "tests/pm/session.h"

char *sessionInit(int *argc, char ***argv, const char *timeout)
{
	char *directory = g_dir_make_tmp("hdtrace-pm-XXXXXX", NULL);

	g_test_init(argc, argv, NULL);
	g_unsetenv("PM_VERBOSITY");
	g_unsetenv("PM_DIALECT");
	g_unsetenv("PM_SERVERS");
	g_unsetenv("PM_SETS");
	g_unsetenv("PM_TIMEOUT");
	if (timeout)
		g_setenv("PM_TIMEOUT", timeout, TRUE);
	if (!directory || g_chdir(directory) != 0)
		exit(99);
	return directory;
}

int sessionRun(char *directory)
{
	int result = g_test_run();
	char *remove = g_strdup_printf("rm -rf '%s'", directory);

	if (g_chdir("/") != 0 || system(remove) != 0)
		result = 99;
	g_free(remove);
	g_free(directory);
	return result;
}

line_t sessionLines(const char *text)
{
	line_t lines;

	g_assert_cmpint(pm_set_lines(text, &lines), ==, 0);
	return lines;
}

void sessionRecord(const struct model *model, const char *device,
		   const char *lines, int aggregate, int sets,
		   counter_t *counter)
{
	sessionGives(0,
		     pm_create_counter(device, sessionLines(lines), aggregate,
				       0, model->server, counter));
	for (int i = 0; i < sets; i++) {
		sessionGives(0, i == 0 ? pm_start_counter(counter)
				       : pm_continue_counter(counter));
		sessionGives(0, pm_stop_counter(counter));
	}
	sessionGives(sets, pm_get_counter_num_sets(counter));
	sessionGives(1, pm_get_counter_data(counter));
}

void sessionEnd(counter_t *counter)
{
	sessionGives(0, pm_finalize_counter(counter));
	g_assert_cmpint(counter->sock, ==, -1);
	g_assert_null(counter->measures);
}

/* Keep the first error. */
static void keep(int *first, int result)
{
	/* Whatever comes, it is one of those that are documented. */
	g_assert_cmpint(result, >=, PM_EFILE);
	g_assert_cmpint(result, <=, 1);
	if (*first == 0 && result < 0)
		*first = result;
}

static void tryDevices(const struct model *model, int *first)
{
	char **list = NULL;
	device_t device = { 0 };
	int count = 0, ret;

	ret = pm_get_devices(model->server, &list, &count);
	keep(first, ret);
	for (int i = 0; ret == 0 && i < count; i++)
		free(list[i]);
	free(list);
	ret = pm_get_device_info(model->server, MODEL_DEVICE, &device);
	keep(first, ret);
	if (ret == 0)
		free(device.name);
	else
		g_assert_null(device.name);
}

static void tryCounter(const struct model *model, const char *device,
		       int *first)
{
	line_t lines = sessionLines("0,2");
	double joules;
	counter_t counter;

	keep(first,
	     pm_create_counter(device, lines, 0, 0, model->server, &counter));
	if (counter.measures == NULL) {
		g_assert_cmpint(pm_start_counter(&counter), ==, PM_EINVAL);
		return;
	}
	keep(first, pm_start_counter(&counter));
	keep(first, pm_stop_counter(&counter));
	keep(first, pm_continue_counter(&counter));
	keep(first, pm_stop_counter(&counter));
	keep(first, pm_get_counter_data(&counter));
	keep(first, pm_get_energy(counter, lines, -1, NULL, &joules));
	keep(first,
	     pm_print_data_paraver_cstates("try.prv", counter, lines, 0, "us"));
	keep(first, pm_print_data_otf("try.otf", counter, lines, -1));
	keep(first, pm_finalize_counter(&counter));
	g_assert_null(counter.measures);
}

int sessionTry(const struct model *model)
{
	int first = 0;

	tryDevices(model, &first);
	tryCounter(model, MODEL_STATES, &first);
	return first;
}
