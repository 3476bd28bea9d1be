/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* libpm against servers that are good: all four dialects, and ours. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "tests/pm/session.h"

/* ---- What needs no server ---------------------------------------------- */

static void testLines(void)
{
	static const struct {
		const char *text;
		const char *bits; /* Of the first eight lines; NULL: wrong. */
		int last;         /* The highest line, or -1. */
	} rows[] = {
		{ "", "00000000", -1 },
		{ "0", "10000000", 0 },
		{ "7", "00000001", 7 },
		{ "0,2-3,100", "10110000", 100 },
		{ "0-11", "11111111", 11 },
		{ "127", "00000000", 127 },
		{ "0-127", "11111111", 127 },
		{ "5-3", "00000000", -1 },
		{ "3-3", "00010000", 3 },
		{ "1,1,1", "01000000", 1 },
		{ "007", "00000001", 7 },
		{ "128", NULL, 0 },
		{ "0-128", NULL, 0 },
		{ "1000", NULL, 0 },
		{ "99999999999999999999", NULL, 0 },
		{ "-1", NULL, 0 },
		{ "1-", NULL, 0 },
		{ "1,", NULL, 0 },
		{ ",1", NULL, 0 },
		{ "1,,2", NULL, 0 },
		{ "1-2-3", NULL, 0 },
		{ "1;2", NULL, 0 },
		{ " 1", NULL, 0 },
		{ "1 ", NULL, 0 },
		{ "a", NULL, 0 },
		{ "1a", NULL, 0 },
		{ "+1", NULL, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		line_t lines, before;
		int last = -1;

		memset(&lines, 0x5a, sizeof(lines));
		before = lines;
		g_test_message("\"%s\"", rows[i].text);
		if (!rows[i].bits) {
			sessionFails(PM_EINVAL, EINVAL,
				     pm_set_lines(rows[i].text, &lines));
			g_assert_cmpmem(&lines, sizeof(lines), &before,
					sizeof(before));
			continue;
		}
		sessionGives(0, pm_set_lines(rows[i].text, &lines));
		for (int line = 0; line < PM_LINES_MAX; line++)
			if (LINE_ISSET(line, &lines))
				last = line;
		g_assert_cmpint(last, ==, rows[i].last);
		for (int line = 0; line < 8; line++)
			g_assert_cmpint(LINE_ISSET(line, &lines), ==,
					rows[i].bits[line] - '0');
	}
	sessionFails(PM_EINVAL, EINVAL, pm_set_lines(NULL, NULL));
}

static void testMacros(void)
{
	line_t a, b, both;

	g_assert_cmpuint(sizeof(line_t), ==, 16);
	LINE_CLR_ALL(&a);
	LINE_SET_ALL(&b);
	LINE_SET(0, &a);
	LINE_SET(9, &a);
	LINE_SET(127, &a);
	/* Those that are none are in no set. */
	LINE_SET(128, &a);
	LINE_SET(-1, &a);
	LINE_CLR(128, &b);
	LINE_CLR(9, &b);
	g_assert_false(LINE_ISSET(128, &b));
	g_assert_false(LINE_ISSET(-1, &b));
	g_assert_cmpint(a.bits[0], ==, 1);
	g_assert_cmpint(a.bits[1], ==, 2);
	g_assert_cmpint(a.bits[15], ==, 0x80);
	LINE_AND(&both, &a, &b);
	g_assert_true(LINE_ISSET(0, &both));
	g_assert_false(LINE_ISSET(9, &both));
	g_assert_true(LINE_ISSET(127, &both));
}

static void testServers(void)
{
	char longest[PM_HOST_MAX + 1];
	server_t server;

	memset(longest, 'x', sizeof(longest));
	longest[PM_HOST_MAX] = '\0';
	sessionFails(PM_EINVAL, EINVAL, pm_set_server(longest, 1, &server));
	sessionFails(PM_EINVAL, EINVAL, pm_set_server(NULL, 1, &server));
	sessionFails(PM_EINVAL, EINVAL, pm_set_server("", 1, &server));
	sessionFails(PM_EINVAL, EINVAL, pm_set_server("h", 0, &server));
	sessionFails(PM_EINVAL, EINVAL, pm_set_server("h", 65536, &server));
	sessionFails(PM_EINVAL, EINVAL, pm_set_server("h", -1, &server));
	sessionFails(PM_EINVAL, EINVAL, pm_set_server("h", 1, NULL));
	longest[PM_HOST_MAX - 1] = '\0';
	sessionGives(0, pm_set_server(longest, 65535, &server));
	g_assert_cmpstr(server.server_ip, ==, longest);
	g_assert_cmpint(server.port, ==, 65535);
	sessionGives(0, pm_set_server("/run/socket", 0, &server));
	/* Filled in by hand, with an error. */
	memset(&server, 'x', sizeof(server));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_get_devices(server, &(char **){ NULL }, &(int){ 0 }));
}

static void testArguments(void)
{
	counter_t none = { .sock = -1 };
	line_t lines = sessionLines("0");
	char longest[2000];
	server_t server;
	device_t device;

	pm_set_server("127.0.0.1", 1, &server);
	sessionFails(PM_EINVAL, EINVAL, pm_get_devices(server, NULL, NULL));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_get_device_info(server, NULL, &device));
	sessionFails(PM_EINVAL, EINVAL, pm_get_device_info(server, "a", NULL));
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	sessionFails(PM_EINVAL, EINVAL,
		     pm_get_device_info(server, longest, &device));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_create_counter("a", lines, 0, 0, server, NULL));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_create_counter(NULL, lines, 0, 0, server, &none));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_create_counter("a", lines, 0, -1, server, &none));
	g_assert_cmpint(none.sock, ==, -1);
	g_assert_null(none.measures);
	sessionFails(PM_EINVAL, EINVAL, pm_start_counter(&none));
	sessionFails(PM_EINVAL, EINVAL, pm_continue_counter(&none));
	sessionFails(PM_EINVAL, EINVAL, pm_stop_counter(&none));
	sessionFails(PM_EINVAL, EINVAL, pm_get_counter_data(&none));
	sessionFails(PM_EINVAL, EINVAL, pm_get_counter_num_sets(&none));
	sessionFails(PM_EINVAL, EINVAL, pm_finalize_counter(&none));
	sessionFails(PM_EINVAL, EINVAL, pm_start_counter(NULL));
	sessionFails(PM_EINVAL, EINVAL, pm_finalize_counter(NULL));
	sessionFails(PM_EINVAL, EINVAL, pm_calculate_energy(none, lines, -1));
	sessionFails(PM_EINVAL, EINVAL, pm_fprint_counter_info("f", none));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_print_data_text("f", none, lines, -1));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_print_data_paraver("f", none, lines, -1, "us"));
	sessionFails(
		PM_EINVAL, EINVAL,
		pm_print_data_paraver_cstates("f", none, lines, 0, "us", 1));
	sessionFails(PM_EINVAL, EINVAL,
		     pm_print_data_otf("f", none, lines, -1));
	g_assert_false(g_file_test("f", G_FILE_TEST_EXISTS));
}

static void testStrerror(void)
{
	for (int error = 1; error >= PM_EFILE - 1; error--) {
		g_assert_nonnull(pm_strerror(error));
		for (int other = 0; other > error; other--)
			g_assert_cmpstr(pm_strerror(error), !=,
					pm_strerror(other));
	}
	g_assert_cmpstr(pm_strerror(0), ==, pm_strerror(1));
	g_assert_nonnull(pm_strerror(G_MININT));
}

/* ---- Sessions ---------------------------------------------------------- */

static void checkDevices(const struct model *model)
{
	char **list = NULL;
	device_t device;
	int count = 0;

	sessionGives(0, pm_get_devices(model->server, &list, &count));
	g_assert_cmpint(count, ==, 2);
	g_assert_cmpstr(list[0], ==, MODEL_DEVICE);
	g_assert_cmpstr(list[1], ==, MODEL_STATES);
	free(list[0]);
	free(list[1]);
	free(list);
	sessionGives(0,
		     pm_get_device_info(model->server, MODEL_DEVICE, &device));
	g_assert_cmpstr(device.name, ==, MODEL_DEVICE);
	g_assert_cmpint(device.max_frecuency, ==, MODEL_FREQUENCY);
	g_assert_cmpint(device.n_lines, ==, MODEL_LINES);
	free(device.name);
	sessionFails(PM_EREFUSED, EREMOTEIO,
		     pm_get_device_info(model->server, "nothing", &device));
}

/* The samples are those of the law, line by line, set by set. */
static void checkSamples(const counter_t *counter, const int *lines, int count,
			 int sets)
{
	const pm_measures *energy = &counter->measures->energy;
	int total = 0, at = 0;

	g_assert_cmpint(energy->lines_len, ==, count);
	g_assert_cmpint(energy->watts_sets_size, ==, sets + 1);
	for (int s = 0; s < sets; s++) {
		g_assert_cmpint(energy->watts_sets[s], ==, total);
		total += modelCount(s);
	}
	g_assert_cmpint(energy->watts_sets[sets], ==, total);
	g_assert_cmpint(energy->watts_size, ==, total * count);
	for (int l = 0; l < count; l++)
		for (int s = 0; s < sets; s++)
			for (int i = 0; i < modelCount(s); i++)
				g_assert_cmpfloat(energy->watts[at++], ==,
						  modelWatts(lines[l], s, i));
}

/* Mean of a set of a line, by the law. */
static double meanOf(int line, int set)
{
	double sum = 0;

	for (int i = 0; i < modelCount(set); i++)
		sum += modelWatts(line, set, i);
	return sum / modelCount(set);
}

/* Energy is that of the law, with the times that the counter has. */
static void checkEnergy(const counter_t *counter, const char *text,
			const int *lines, int count, int sets)
{
	const double *timing = counter->measures->timing;
	double expected = 0, time = 0, seconds, joules;
	line_t set = sessionLines(text);

	for (int s = 0; s < sets; s++) {
		double length = timing[2 * s + 1] - timing[2 * s], one = 0;

		g_assert_cmpfloat(length, >=, 0);
		for (int l = 0; l < count; l++)
			one += meanOf(lines[l], s) * length;
		sessionGives(
			0, pm_get_energy(*counter, set, s, &seconds, &joules));
		g_assert_cmpfloat(fabs(seconds - length), <, 1e-6);
		g_assert_cmpfloat(fabs(joules - one), <, 1e-2);
		time += length;
		expected += one;
	}
	sessionGives(0, pm_get_energy(*counter, set, -1, &seconds, &joules));
	g_assert_cmpfloat(fabs(seconds - time), <, 1e-5);
	g_assert_cmpfloat(fabs(joules - expected), <, 1e-2);
	sessionFails(PM_ENODATA, ENODATA,
		     pm_get_energy(*counter, set, sets, &seconds, &joules));
	sessionFails(PM_ENODATA, ENODATA,
		     pm_get_energy(*counter, set, -2, &seconds, &joules));
}

static void runSession(char dialect, int chunk)
{
	static const int lines[] = { 1, 3, 4, 11 };
	struct model model = { .dialect = dialect, .chunk = chunk };
	counter_t counter;

	modelStart(&model);
	checkDevices(&model);
	sessionRecord(&model, MODEL_DEVICE, "1,3-4,11-20", 0, 3, &counter);
	g_assert_cmpint(counter.num_lines, ==, MODEL_LINES);
	g_assert_cmpint(counter.measures->next_timing, ==, 3);
	checkSamples(&counter, lines, G_N_ELEMENTS(lines), 3);
	checkEnergy(&counter, "0-127", lines, G_N_ELEMENTS(lines), 3);
	/* Some of the lines; those that are not there do not matter. */
	checkEnergy(&counter, "2,3", &lines[1], 1, 3);
	sessionFails(
		PM_EINVAL, EINVAL,
		pm_get_energy(counter, sessionLines("0,2"), -1, NULL, NULL));
	/* Once more, and then all over again. */
	sessionGives(1, pm_get_counter_data(&counter));
	checkSamples(&counter, lines, G_N_ELEMENTS(lines), 3);
	sessionGives(0, pm_start_counter(&counter));
	g_assert_null(counter.measures->energy.watts);
	sessionGives(0, pm_stop_counter(&counter));
	sessionGives(1, pm_get_counter_data(&counter));
	checkSamples(&counter, lines, G_N_ELEMENTS(lines), 1);
	sessionEnd(&counter);
	/* That which found out the order was ended as well. */
	g_assert_cmpint(model.record->finalized, ==, 2);
	modelStop(&model);
}

static void testSession(gconstpointer data)
{
	runSession(*(const char *)data, 0);
}

/* Whoever sends byte by byte is understood as well. */
static void testBytes(void)
{
	runSession('B', 1);
	runSession('C', 3);
}

/* PM_DIALECT saves the trials. */
static void testDialect(void)
{
	static const int lines[] = { 0, 1 };
	static const char *const dialects[] = { "a", "b", "c", "d" };

	for (size_t i = 0; i < G_N_ELEMENTS(dialects); i++) {
		struct model model = { .dialect = (char)g_ascii_toupper(
					       dialects[i][0]) };
		counter_t counter;

		g_setenv("PM_DIALECT", dialects[i], TRUE);
		modelStart(&model);
		sessionRecord(&model, MODEL_DEVICE, "0-1", 0, 2, &counter);
		checkSamples(&counter, lines, 2, 2);
		sessionEnd(&counter);
		/* INFO, and the counter. */
		g_assert_cmpint(model.record->connections, ==, 2);
		modelStop(&model);
	}
	g_unsetenv("PM_DIALECT");
}

static void testAggregate(void)
{
	static const int lines[] = { 0, 1, 2 };
	struct model model = { .dialect = 'C' };
	const pm_measures *energy;
	counter_t counter;
	int at = 0;

	modelStart(&model);
	sessionRecord(&model, MODEL_DEVICE, "0-2", 1, 2, &counter);
	energy = &counter.measures->energy;
	g_assert_cmpint(energy->lines_len, ==, 3);
	g_assert_cmpint(energy->watts_size, ==, modelCount(0) + modelCount(1));
	for (int s = 0; s < 2; s++)
		for (int i = 0; i < modelCount(s); i++) {
			double sum = 0;

			for (int l = 0; l < 3; l++)
				sum += modelWatts(l, s, i);
			g_assert_cmpfloat(energy->watts[at++], ==, sum);
		}
	/* Whatever lines are asked for. */
	checkEnergy(&counter, "100", lines, 3, 2);
	sessionEnd(&counter);
	g_assert_cmpint(model.record->connections, ==, 2);
	modelStop(&model);
}

/* Many sets, and none at all. */
static void testSets(void)
{
	static const int lines[] = { 5, 6 };
	struct model model = { .dialect = 'B' };
	counter_t counter;

	modelStart(&model);
	sessionRecord(&model, MODEL_DEVICE, "5-6", 0, 600, &counter);
	checkSamples(&counter, lines, 2, 600);
	sessionEnd(&counter);
	sessionRecord(&model, MODEL_DEVICE, "5-6", 0, 0, &counter);
	g_assert_cmpint(counter.measures->energy.watts_size, ==, 0);
	sessionFails(PM_ENODATA, ENODATA,
		     pm_get_energy(counter, counter.lines, 0, NULL, NULL));
	sessionFails(PM_ENODATA, ENODATA,
		     pm_get_energy(counter, counter.lines, -1, NULL, NULL));
	sessionEnd(&counter);
	modelStop(&model);
}

/* What no line means depends on the server. */
static void testNoLines(void)
{
	struct model model = { .dialect = 'B' };
	counter_t counter;

	modelStart(&model);
	sessionRecord(&model, MODEL_DEVICE, "", 0, 1, &counter);
	g_assert_cmpint(counter.measures->energy.lines_len, ==, MODEL_LINES);
	sessionGives(0,
		     pm_get_energy(counter, sessionLines("3"), -1, NULL, NULL));
	sessionEnd(&counter);
	modelStop(&model);
	model.dialect = 'C';
	modelStart(&model);
	sessionRecord(&model, MODEL_DEVICE, "", 0, 1, &counter);
	g_assert_cmpint(counter.measures->energy.lines_len, ==, 0);
	sessionFails(PM_EINVAL, EINVAL,
		     pm_get_energy(counter, sessionLines("3"), -1, NULL, NULL));
	sessionEnd(&counter);
	modelStop(&model);
}

/* ---- Bytes of the requests --------------------------------------------- */

static void assertSent(const struct model *model, int connection,
		       const char *hex)
{
	const struct modelRecord *record = model->record;
	GString *sent = g_string_new(NULL);

	for (size_t i = 0; i < record->got[connection]; i++)
		g_string_append_printf(sent, "%02x",
				       record->requests[connection][i]);
	g_assert_cmpstr(sent->str, ==, hex);
	g_string_free(sent, TRUE);
}

static void testRequests(void)
{
	struct model model = { .dialect = 'B' };
	char **list, *names[PM_LINES_MAX];
	counter_t counter;
	int count;

	modelStart(&model);
	sessionGives(0, pm_create_counter(MODEL_HIDDEN, sessionLines("0-1"), 1,
					  0, model.server, &counter));
	sessionGives(0, pm_start_counter(&counter));
	sessionGives(0, pm_stop_counter(&counter));
	sessionGives(0, pm_continue_counter(&counter));
	sessionGives(0, pm_stop_counter(&counter));
	sessionGives(1, pm_get_counter_data(&counter));
	sessionEnd(&counter);
	sessionGives(0, pm_get_devices(model.server, &list, &count));
	pmListFree(list, count);
	g_assert_cmpint(pmLineNames(&model.server, MODEL_STATES, names), ==, 0);
	g_assert_cmpstr(names[5], ==, "cpu1/C1");
	for (int i = 0; i < PM_LINES_MAX; i++)
		free(names[i]);
	/* INFO. */
	assertSent(&model, 0,
		   "0600000006000000"
		   "44756d6d7934");
	/* CREATE of the specification; then start to finalize. */
	assertSent(&model, 1,
		   "000000000600000044756d6d79340000000001000000"
		   "10000000"
		   "03000000000000000000000000000000"
		   "01000000"
		   "03000000"
		   "02000000"
		   "03000000"
		   "04000000"
		   "05000000");
	/* LIST and STATUS. */
	assertSent(&model, 2, "07000000");
	assertSent(&model, 3, "08000000");
	g_assert_cmpint(model.record->connections, ==, 4);
	modelStop(&model);
}

/* All bits, a frequency, and no sum. */
static void testMask(void)
{
	struct model model = { .dialect = 'B' };
	counter_t counter;

	modelStart(&model);
	sessionGives(0,
		     pm_create_counter(MODEL_HIDDEN, sessionLines("0,8-15,127"),
				       0, 1000, model.server, &counter));
	g_assert_cmpint(counter.interval, ==, 1000);
	sessionEnd(&counter);
	assertSent(&model, 1,
		   "000000000600000044756d6d7934e803000000000000"
		   "10000000"
		   "01ff0000000000000000000000000080"
		   "05000000");
	modelStop(&model);
}

/* ---- Servers that say no ----------------------------------------------- */

static void testRefused(void)
{
	static const int lines[] = { 0 };
	struct model model = { .dialect = 'D' };
	counter_t counter;

	modelStart(&model);
	sessionFails(PM_EREFUSED, EREMOTEIO,
		     pm_create_counter("nothing", sessionLines("0"), 0, 0,
				       model.server, &counter));
	g_assert_null(counter.measures);
	g_assert_cmpint(counter.sock, ==, -1);
	sessionGives(0, pm_create_counter(MODEL_DEVICE, sessionLines("0"), 0, 0,
					  model.server, &counter));
	sessionFails(PM_EREFUSED, EREMOTEIO, pm_stop_counter(&counter));
	sessionGives(0, pm_start_counter(&counter));
	sessionFails(PM_EREFUSED, EREMOTEIO, pm_start_counter(&counter));
	sessionFails(PM_EREFUSED, EREMOTEIO, pm_continue_counter(&counter));
	sessionFails(PM_EREFUSED, EREMOTEIO, pm_get_counter_data(&counter));
	sessionFails(PM_ENODATA, ENODATA,
		     pm_get_energy(counter, counter.lines, 0, NULL, NULL));
	sessionGives(0, pm_stop_counter(&counter));
	sessionFails(PM_EREFUSED, EREMOTEIO, pm_stop_counter(&counter));
	g_assert_cmpint(counter.measures->next_timing, ==, 1);
	sessionGives(1, pm_get_counter_data(&counter));
	checkSamples(&counter, lines, 1, 1);
	/* What is running can be ended. */
	sessionGives(0, pm_continue_counter(&counter));
	sessionEnd(&counter);
	g_assert_cmpint(model.record->finalized, ==, 1);
	modelStop(&model);
}

/* A server that has ended what was running says so, and has the samples. */
static void testLimited(void)
{
	static const int lines[] = { 0, 1 };
	struct model model = { .dialect = 'O', .isLimited = true };
	counter_t counter;

	modelStart(&model);
	sessionGives(0, pm_create_counter(MODEL_DEVICE, sessionLines("0-1"), 0,
					  0, model.server, &counter));
	sessionGives(0, pm_start_counter(&counter));
	sessionFails(PM_EREFUSED, EREMOTEIO, pm_stop_counter(&counter));
	g_assert_cmpint(counter.measures->next_timing, ==, 1);
	g_assert_cmpfloat(counter.measures->timing[1], >=,
			  counter.measures->timing[0]);
	sessionGives(1, pm_get_counter_data(&counter));
	checkSamples(&counter, lines, 2, 1);
	sessionEnd(&counter);
	modelStop(&model);
}

/* What the server in C++ sends for some frequencies: fewer values than its sets
 * tell of; and one that has another number of sets. */
static void testInconsistent(void)
{
	for (int i = 0; i < 4; i++) {
		struct model model = { .dialect = 'C' };
		counter_t counter;

		model.tooManyValues = i == 0 ? -3 : i == 1 ? 1000000 : 0;
		model.tooManySets = i == 2 ? 1 : i == 3 ? -1 : 0;
		modelStart(&model);
		sessionGives(0, pm_create_counter(MODEL_DEVICE,
						  sessionLines("0-1"), 0, 0,
						  model.server, &counter));
		sessionGives(0, pm_start_counter(&counter));
		sessionGives(0, pm_stop_counter(&counter));
		sessionFails(PM_EPROTOCOL, EPROTO,
			     pm_get_counter_data(&counter));
		/* Nobody knows what comes next. */
		g_assert_cmpint(counter.sock, ==, -1);
		sessionFails(PM_ECONNECTION, ENOTCONN,
			     pm_continue_counter(&counter));
		sessionFails(PM_ECONNECTION, ENOTCONN,
			     pm_get_counter_data(&counter));
		sessionFails(PM_ECONNECTION, ENOTCONN,
			     pm_finalize_counter(&counter));
		g_assert_null(counter.measures);
		modelStop(&model);
	}
}

/* ---- Threads ----------------------------------------------------------- */

static void *runThread(void *data)
{
	static const int lines[] = { 2, 7 };
	counter_t counter;

	for (int i = 0; i < 5; i++) {
		sessionRecord(data, MODEL_DEVICE, "2,7", 0, 3, &counter);
		checkSamples(&counter, lines, 2, 3);
		sessionEnd(&counter);
	}
	return NULL;
}

static void testThreads(void)
{
	struct model model = { .dialect = 'C' };
	pthread_t threads[4];

	modelStart(&model);
	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
		g_assert_cmpint(
			pthread_create(&threads[i], NULL, runThread, &model),
			==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
		pthread_join(threads[i], NULL);
	modelStop(&model);
}

int main(int argc, char **argv)
{
	static const char dialects[] = "ABCDO";
	char *directory = sessionInit(&argc, &argv, NULL);

	g_test_add_func("/pm/lines", testLines);
	g_test_add_func("/pm/macros", testMacros);
	g_test_add_func("/pm/servers", testServers);
	g_test_add_func("/pm/arguments", testArguments);
	g_test_add_func("/pm/strerror", testStrerror);
	for (const char *d = dialects; *d; d++) {
		char *path = g_strdup_printf("/pm/session/%c", *d);

		g_test_add_data_func(path, d, testSession);
		g_free(path);
	}
	g_test_add_func("/pm/session/bytes", testBytes);
	g_test_add_func("/pm/session/dialect", testDialect);
	g_test_add_func("/pm/session/aggregate", testAggregate);
	g_test_add_func("/pm/session/sets", testSets);
	g_test_add_func("/pm/session/no-lines", testNoLines);
	g_test_add_func("/pm/bytes/requests", testRequests);
	g_test_add_func("/pm/bytes/mask", testMask);
	g_test_add_func("/pm/refused", testRefused);
	g_test_add_func("/pm/limited", testLimited);
	g_test_add_func("/pm/inconsistent", testInconsistent);
	g_test_add_func("/pm/threads", testThreads);
	return sessionRun(directory);
}
