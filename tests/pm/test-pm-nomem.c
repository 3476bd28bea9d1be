/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libpm without memory: each of its allocations fails once. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "tests/pm/session.h"

/* The allocation that fails, from 1; 0 for none. */
static int failing, allocations;

static bool fails(void)
{
	return ++allocations == failing;
}

/* Named by the linker's --wrap. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
	return fails() ? NULL : __real_strndup(text, size);
}

static void runAll(char dialect)
{
	struct model model = { .dialect = dialect };
	int total, bad = 0;

	modelStart(&model);
	failing = allocations = 0;
	g_assert_cmpint(sessionTry(&model), ==, 0);
	total = allocations;
	g_assert_cmpint(total, >, 15);
	for (int i = 1; i <= total; i++) {
		int ret;

		allocations = 0;
		failing = i;
		ret = sessionTry(&model);
		failing = 0;
		g_test_message("allocation %d of %d: %d", i, total, ret);
		/* What only finds out more may fail without harm. */
		g_assert_true(ret == PM_ENOMEM || ret == 0);
		bad += ret != 0;
	}
	g_assert_cmpint(bad, >, 12);
	modelStop(&model);
}

static void testPython(void)
{
	runAll('B');
}

static void testCpp(void)
{
	runAll('C');
}

/* Room for more sets is there before the server is told. */
static void testSets(void)
{
	struct model model = { .dialect = 'B' };
	counter_t counter;
	int refused = 0;

	modelStart(&model);
	failing = 0;
	sessionGives(0, pm_create_counter(MODEL_DEVICE, sessionLines("0"), 0, 0,
					  model.server, &counter));
	sessionGives(0, pm_start_counter(&counter));
	sessionGives(0, pm_stop_counter(&counter));
	for (int i = 1; i < 40; i++) {
		int ret;

		/* The first, then the second allocation of each call. */
		allocations = 0;
		failing = 1 + i % 2;
		ret = pm_continue_counter(&counter);
		failing = 0;
		if (ret == PM_ENOMEM) {
			refused++;
			sessionGives(0, pm_continue_counter(&counter));
		} else {
			g_assert_cmpint(ret, ==, 0);
		}
		sessionGives(0, pm_stop_counter(&counter));
	}
	g_assert_cmpint(refused, >, 0);
	sessionGives(1, pm_get_counter_data(&counter));
	g_assert_cmpint(counter.measures->energy.watts_sets_size, ==, 41);
	sessionEnd(&counter);
	modelStop(&model);
}

int main(int argc, char **argv)
{
	char *directory = sessionInit(&argc, &argv, "60");

	g_test_add_func("/pm/nomem/python", testPython);
	g_test_add_func("/pm/nomem/cpp", testCpp);
	g_test_add_func("/pm/nomem/sets", testSets);
	return sessionRun(directory);
}
