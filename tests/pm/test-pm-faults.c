/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: waits */
/* libpm against servers that go wrong, at every byte that they send. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib.h>

#include "common/clock.h"
#include "tests/pm/session.h"

/* How many bytes a good server sends in each connection. */
static int learn(struct model *model, size_t sent[MODEL_CONNECTIONS])
{
	int connections;

	modelArm(model, MODEL_GOOD, 0, 0);
	g_assert_cmpint(sessionTry(model), ==, 0);
	connections = model->record->connections;
	g_assert_cmpint(connections, >=, 5);
	g_assert_cmpint(connections, <=, MODEL_CONNECTIONS);
	memcpy(sent, model->record->sent, sizeof(model->record->sent));
	return connections;
}

/* Whether what comes there is needed: two answers to INFO, of the second not
 * the name, and the counter. The others only find out more; and to a server in
 * C++ a list may end anywhere. */
static bool isNeeded(int connection, size_t at)
{
	return connection == 1 || (connection == 2 && at < 8) ||
	       connection == 3;
}

/* Go wrong once at each byte of each connection. */
static void runFaults(char dialect, enum modelFault fault)
{
	struct model model = { .dialect = dialect };
	size_t sent[MODEL_CONNECTIONS];
	int connections, good = 0, bad = 0;

	modelStart(&model);
	connections = learn(&model, sent);
	for (int c = 0; c < connections; c++) {
		/* Values are all alike. */
		for (size_t at = 0; at<sent[c]; at += at> 120 ? 17 : 1) {
			int ret;

			g_test_message("connection %d, byte %zu", c, at);
			modelArm(&model, fault, c, at);
			ret = sessionTry(&model);
			if (fault != MODEL_GARBLES && isNeeded(c, at))
				g_assert_cmpint(ret, ==, PM_ECONNECTION);
			good += ret == 0;
			bad += ret != 0;
		}
	}
	modelStop(&model);
	g_test_message("%d good, %d bad", good, bad);
	/* A value that is another one is none that anybody could see. */
	g_assert_cmpint(bad, >, 50);
}

static void testCloses(void)
{
	runFaults('C', MODEL_CLOSES);
}

static void testResets(void)
{
	runFaults('B', MODEL_RESETS);
}

static void testGarbles(void)
{
	runFaults('B', MODEL_GARBLES);
	runFaults('C', MODEL_GARBLES);
}

/* A list that ends too early is no shorter list. */
static void testListEnds(void)
{
	size_t whole = 4 + 4 + strlen(MODEL_DEVICE) + 4 + strlen(MODEL_STATES);

	struct model model = { .dialect = 'B' };

	modelStart(&model);
	for (size_t at = 0; at < whole; at++) {
		char **list = NULL;
		int count = 0;

		modelArm(&model, MODEL_CLOSES, 0, at);
		g_test_message("byte %zu of %zu", at, whole);
		/* An empty reply is that of a server in C++ without devices. */
		if (at == 0)
			sessionGives(
				0, pm_get_devices(model.server, &list, &count));
		else
			sessionFails(
				PM_EPROTOCOL, EPROTO,
				pm_get_devices(model.server, &list, &count));
		g_assert_cmpint(count, ==, 0);
		free(list);
	}
	modelStop(&model);
}

/* Who says nothing, or half of it, is waited for no longer than PM_TIMEOUT. */
static void testSilent(void)
{
	static const struct {
		int connection;
		size_t after;
	} rows[] = {
		{ 0, 0 },  /* LIST */
		{ 0, 10 }, /* Half a name. */
		{ 1, 6 },  /* Half an INFO. */
		{ 3, 0 },  /* CREATE */
		{ 3, 4 },  /* START */
		{ 3, 26 }, /* Half the begin of GET. */
		{ 3, 50 }, /* A few values. */
	};
	struct model model = { .dialect = 'B' };

	g_setenv("PM_TIMEOUT", "1", TRUE);
	modelStart(&model);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		int64_t before = hdMonotonicNow();

		modelArm(&model, MODEL_SILENT, rows[i].connection,
			 rows[i].after);
		g_assert_cmpint(sessionTry(&model), ==, PM_ETIMEOUT);
		/* After that nothing is asked of it. */
		g_assert_cmpint(hdMonotonicNow() - before, <,
				INT64_C(60000000000));
	}
	modelStop(&model);
	g_unsetenv("PM_TIMEOUT");
}

/* Python has no answer to a counter of a device that is not there, but one to
 * the question for it. */
static void testUnknownDevice(void)
{
	struct model model = { .dialect = 'B' };
	counter_t counter;

	modelStart(&model);
	sessionFails(PM_EREFUSED, EREMOTEIO,
		     pm_create_counter("nothing", sessionLines("0"), 0, 0,
				       model.server, &counter));
	g_assert_cmpint(model.record->connections, ==, 1);
	modelStop(&model);
}

/* A server that does not answer STATUS, as Python's while there are counters,
 * costs time and the names of the states, and no more. */
static void testStatusSlow(void)
{
	struct model model = { .dialect = 'B', .isStatusSlow = true };

	g_setenv("PM_TIMEOUT", "1", TRUE);
	modelStart(&model);
	g_assert_cmpint(sessionTry(&model), ==, 0);
	modelStop(&model);
	g_unsetenv("PM_TIMEOUT");
}

/* A program has closed the connection's descriptor, and has it for its own. */
static void testTaken(void)
{
	struct model model = { .dialect = 'C' };
	counter_t counter;
	int pair[2], fd;
	char byte;

	modelStart(&model);
	g_assert_cmpint(pm_create_counter(MODEL_DEVICE, sessionLines("0"), 0, 0,
					  model.server, &counter),
			==, 0);
	fd = counter.sock;
	g_assert_cmpint(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), ==,
		0);
	g_assert_cmpint(dup2(pair[0], fd), ==, fd);
	sessionFails(PM_ECONNECTION, ENOTCONN, pm_start_counter(&counter));
	g_assert_cmpint(pm_finalize_counter(&counter), ==, PM_ECONNECTION);
	g_assert_cmpint(recv(pair[1], &byte, 1, 0), ==, -1);
	g_assert_cmpint(errno, ==, EAGAIN);
	g_assert_cmpint(close(fd), ==, 0);
	close(pair[0]);
	close(pair[1]);
	modelStop(&model);
}

int main(int argc, char **argv)
{
	char *directory = sessionInit(&argc, &argv, NULL);

	g_test_add_func("/pm/faults/closes", testCloses);
	g_test_add_func("/pm/faults/resets", testResets);
	g_test_add_func("/pm/faults/garbles", testGarbles);
	g_test_add_func("/pm/faults/list", testListEnds);
	g_test_add_func("/pm/faults/silent", testSilent);
	g_test_add_func("/pm/faults/unknown-device", testUnknownDevice);
	g_test_add_func("/pm/faults/status-slow", testStatusSlow);
	g_test_add_func("/pm/faults/taken", testTaken);
	return sessionRun(directory);
}
