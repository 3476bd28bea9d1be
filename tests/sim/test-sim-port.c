/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/**
 * @file
 * The ports of lmg450-sim, its time, its laws and what it writes down.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/sim/client.h"

#define ERROR_HEADER "-113,\"Undefined header\""
#define NO_ERROR "0,\"No error\"\n"
#define SECOND G_GINT64_CONSTANT(1000000000)
#define IDENTITY "ZES ZIMMER Electronic Systems GmbH,LMG450,12345678,3.115\n"

static void testTcp(void)
{
	struct client client;
	char byte;

	clientRun(&client, "command *OPC?: unplug 0.05", "--fastest --tcp=0");
	g_assert_true(g_str_has_prefix(client.port, "127.0.0.1:"));
	clientSend(&client, "SYST:LANG SHORT\n*IDN?\n");
	clientExpectText(&client, IDENTITY);
	/* BREAK, as telnet has it, and as a new connection. */
	clientSend(&client, "COUNT?\n");
	clientExpectText(&client, "0\n");
	clientSend(&client, "\xff\xf3SYST:ERR:ALL?\n");
	clientExpectText(&client, NO_ERROR);
	clientClose(&client);
	clientOpen(&client);
	clientSend(&client, "COUNT?\n*IDN?;SYST:ERR:ALL?\n");
	clientExpectText(&client, "ZES ZIMMER Electronic Systems GmbH,LMG450,"
				  "12345678,3.115;" ERROR_HEADER "\n");
	clientSend(&client, "*OPC?\n");
	g_assert_cmpuint(clientRead(&client, &byte, 1), ==, 0);
	clientStop(&client);
	clientRemove(&client);
}

/* What stands for a BREAK on a terminal. COUNT? is known in SHORT only. */
static void testBreak(void)
{
	static const struct {
		const char *when;
		gboolean reopened, flushed; /**< Whether that is a BREAK. */
	} rows[] = {
		{ "open", TRUE, FALSE },
		{ "flush", TRUE, TRUE },
		{ "none", FALSE, FALSE },
	};

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct client client;
		char *options = g_strdup_printf(
			"--fastest --log=@/log --break=%s", rows[i].when);

		g_test_message("%s", options);
		clientRun(&client, NULL, options);
		clientSend(&client, "SYST:LANG SHORT\nCOUNT?\n");
		clientExpectText(&client, "0\n");
		tcflush(client.fd, TCIFLUSH);
		clientAwaitFile(&client, "log", "input flushed");
		clientSend(&client, "COUNT?\n*OPC?\n");
		clientExpectText(&client, rows[i].flushed ? "1\n" : "0\n1\n");
		clientSend(&client, "SYST:LANG SHORT\n*OPC?\n");
		clientExpectText(&client, "1\n");
		clientClose(&client);
		clientAwaitFile(&client, "log", "closed by the host");
		clientOpen(&client);
		clientSend(&client, "COUNT?\n*OPC?\n");
		clientExpectText(&client, rows[i].reopened ? "1\n" : "0\n1\n");
		clientSend(&client, "SYST:LANG SHORT\nCOUNT?\n");
		clientExpectText(&client, "0\n");
		clientSend(&client, "\xff\xf3"
				    "COUNT?\n*OPC?\n");
		clientExpectText(&client, "1\n");
		clientStop(&client);
		clientRemove(&client);
		g_free(options);
	}
}

/* What a host did not read is not for the next one. */
static void testLeftover(void)
{
	struct client client;

	clientRun(&client, NULL, "--fastest --log=@/log");
	clientSend(&client, "*IDN?\n");
	clientAwaitFile(&client, "log", "3.115");
	clientClose(&client);
	clientAwaitFile(&client, "log", "closed by the host");
	clientOpen(&client);
	clientSend(&client, "*OPC?\n");
	clientExpectText(&client, "1\n");
	clientStop(&client);
	clientRemove(&client);
}

/* However slow the host is, the fastest mode loses nothing: each message has
   the next count. */
static void testBackPressure(void)
{
	enum { CYCLES = 100000, BYTES = 8 };
	struct client client;
	guint32 count = 0;
	gsize have = 0;
	char buffer[64 * BYTES];

	clientRun(&client, NULL, "--fastest --blocks=each --cycles=100000");
	clientSend(&client,
		   "SYST:LANG SHORT\nFRMT PACKED\nACTN;COUNT?\nCONT ON\n");
	while (count < CYCLES) {
		have += clientRead(&client, buffer + have,
				   sizeof(buffer) - have);
		for (; have >= BYTES; have -= BYTES) {
			float value;

			g_assert_cmpmem(buffer, 3, "#14", 3);
			memcpy(&value, buffer + 3, 4);
			g_assert_cmpfloat(value, ==, (float)(++count % 65536));
			g_assert_cmpint(buffer[7], ==, '\n');
			memmove(buffer, buffer + BYTES, have - BYTES);
		}
	}
	clientSays(&client, "done");
	clientSend(&client, "FRMT ASCII\nCOUNT?\n");
	clientExpectText(&client, "34464\n");
	clientStop(&client);
	clientRemove(&client);
}

/* A file of floats comes out bit for bit: each byte value in each place. */
static void testValues(const void *data)
{
	gboolean each = !strcmp(data, "each");
	GString *file = g_string_new(NULL);
	GString *expected = g_string_new(NULL);
	struct client client;
	char *path, *options;

	for (int place = 0; place < 4; place++) {
		for (int value = 0; value < 256; value++) {
			char bytes[4] = { 1, 2, 3, 4 };

			bytes[place] = (char)value;
			g_string_append_len(file, bytes, 4);
		}
	}
	/* Three values of one channel a message. */
	for (gsize at = 0; at < 341 * 12; at += 12) {
		if (!each)
			g_string_append(expected, "#500012");
		for (gsize i = 0; i < 12; i += 4) {
			if (each)
				g_string_append(expected, "#14");
			g_string_append_len(expected, file->str + at + i, 4);
		}
		g_string_append_c(expected, '\n');
	}
	clientPrepare(&client, NULL);
	path = clientPath(&client, "values");
	g_assert_true(
		g_file_set_contents(path, file->str, (gssize)file->len, NULL));
	options = g_strdup_printf("--fastest --cycles=341 --blocks=%s "
				  "--law=2:file:@/values",
				  (const char *)data);
	clientStart(&client, options);
	clientSend(&client, "SYST:LANG SHORT\nFRMT PACKED\n"
			    "ACTN;UTRMS2?;ITRMS2?;P2?\nCONT ON\n");
	clientExpect(&client, expected->str, expected->len);
	clientStop(&client);
	clientRemove(&client);
	g_string_free(file, TRUE);
	g_string_free(expected, TRUE);
	g_free(options);
	g_free(path);
}

/* A line takes its time; a terminal and a loaded host may only add to it. */
static void testBaud(void)
{
	struct client client;
	double start;

	clientRun(&client, "reply 2: slow 80", "--baud=9600");
	start = clientTime();
	clientSend(&client, "*IDN?\n");
	clientExpectText(&client, IDENTITY);
	g_assert_cmpfloat(clientTime() - start, >=,
			  strlen(IDENTITY) * 10 / 9.6);
	start = clientTime();
	clientSend(&client, "*OPC?\n");
	clientExpectText(&client, "1\n");
	g_assert_cmpfloat(clientTime() - start, >=, 80 + 2 * 10 / 9.6);
	clientStop(&client);
	clientRemove(&client);
}

/* Cycles follow each other without a gap; none ends early; drift makes them
   longer. The truth says what was measured when. */
static void testTruth(void)
{
	enum { CYCLES = 12 };
	struct client client;
	gint64 origin = 0;
	gint64 before, after;
	guint seen = 0, firstCount = 0;
	char *truth, **lines;

	before = g_get_real_time() * 1000;
	/* 50 ms take 5; from the sixth on 10 % more. */
	clientRun(&client, "cycle 5: drift 100000\ncycle 8: silent",
		  "--speedup=10 --baud=0 --cycles=12 --truth=@/truth "
		  "--law=1:square:low=0,high=100,period=0.2");
	clientSend(&client, "SYST:LANG SHORT\nCYCL 0.05\nACTN;P1?;COUNT?\n"
			    "CONT ON\n");
	clientSays(&client, "done");
	after = g_get_real_time() * 1000;
	clientStop(&client);
	truth = clientFile(&client, "truth");
	lines = g_strsplit(truth, "\n", 0);
	for (char **line = lines; *line; line++) {
		guint number, count;
		gint64 start, end;
		char fate[16];
		double watts, value;

		sscanf(*line, "# origin %" SCNi64, &origin);
		if (sscanf(*line, "%u %u %" SCNi64 " %" SCNi64 " %15s %lf %lf",
			   &number, &count, &start, &end, fate, &watts,
			   &value) != 7)
			continue;
		g_assert_cmpuint(number, ==, ++seen);
		if (seen == 1)
			firstCount = count;
		g_assert_cmpuint(count, ==, firstCount + seen - 1);
		g_assert_cmpfloat(value, ==, count);
		g_assert_cmpstr(fate, ==, seen == 8 ? "silent" : "sent");
		/* Exact, for it is computed; but for how wall clock time is
		   got from the other clock. */
		g_assert_cmpint(
			ABS(end - start - (seen <= 6 ? 5000000 : 5500000)), <=,
			10);
		g_assert_cmpint(start, >=, before - SECOND);
		g_assert_cmpint(end, <=, after + SECOND);
		g_assert_cmpfloat(watts, >=, 0);
		g_assert_cmpfloat(watts, <=, 100);
	}
	g_assert_cmpuint(seen, ==, CYCLES);
	g_assert_cmpint(origin, >=, before - SECOND);
	g_assert_nonnull(strstr(truth, "\n# law 1 square:low=0,high=100,"
				       "period=0.2\n"));
	g_assert_nonnull(strstr(truth, "\n# law 4 constant:watts=400\n"));
	g_assert_nonnull(strstr(truth, "\n# dropped 0\n"));
	g_strfreev(lines);
	g_free(truth);
	clientRemove(&client);
}

static void testLog(void)
{
	struct client client;
	char *log, **lines;
	GString *text = g_string_new(NULL);

	clientRun(&client, "reply 2: error -1,\"A\"",
		  "--fastest --log=@/log --blocks=each");
	clientSend(&client, "*OPC?\r\n");
	clientExpectText(&client, "1\n");
	clientSend(&client, "SYST:LANG SHORT\nFRMT PACKED;P1?\n");
	clientExpect(&client, "#14\0\0\0\0\n", 8);
	clientStop(&client);
	log = clientFile(&client, "log");
	lines = g_strsplit(log, "\n", 0);
	for (char **line = lines; **line; line++) {
		char *mark = strchr(*line, ' ');

		g_assert_nonnull(mark);
		g_assert_cmpfloat(g_ascii_strtod(*line, NULL), >=, 0);
		/* How the end is seen is chance. */
		if (!strstr(mark, "closed") && !strstr(mark, "BREAK"))
			g_string_append_printf(text, "%s\n", mark + 1);
	}
	g_assert_cmpstr(text->str, ==,
			"# opened by the host\n"
			"> *OPC?\\r\\n\n"
			"< 1\\n\n"
			"> SYST:LANG SHORT\\n\n"
			"> FRMT PACKED;P1?\\n\n"
			"# error -1,\"A\"\n"
			"< #14\\x00\\x00\\x00\\x00\\n\n");
	g_strfreev(lines);
	g_free(log);
	g_string_free(text, TRUE);
	clientRemove(&client);
}

/** Command lines that are wrong, and what the message must have. */
static const struct {
	const char *option;
	int status;
	const char *message;
} badOptions[] = {
	{ "--no-such-option", 2, "no-such-option" },
	{ "argument", 2, "no arguments" },
	{ "--law=5:constant", 1, "--law is CHANNEL:LAW" },
	{ "--law=constant", 1, "--law is CHANNEL:LAW" },
	{ "--law=1:wrong", 1, "kinds are" },
	{ "--blocks=two", 1, "--blocks is one or each" },
	{ "--break=never", 1, "--break is open, flush or none" },
	{ "--counter=none", 1, "a counter is one of cycles, zero, " },
	{ "--no-digit=two", 1, "--no-digit is all or one" },
	{ "--tcp=x", 1, "--tcp takes a port" },
	{ "--tcp=65536", 1, "--tcp takes a port" },
	{ "--speedup=0", 1, "--speedup" },
	{ "--baud=-1", 1, "negative" },
	{ "--script=/nonexistent/script", 1, "/nonexistent/script" },
	{ "--log=/nonexistent/log", 1, "/nonexistent/log" },
	{ "--truth=/nonexistent/truth", 1, "/nonexistent/truth" },
	{ "--link=/nonexistent/link", 1, "/nonexistent/link" },
	{ "--link=/dev/null", 1, "/dev/null" },
};

static void testBadOptions(void)
{
	char *program = g_build_filename(g_getenv("abs_top_builddir"), "tests",
					 "sim", "lmg450-sim", NULL);

	for (guint i = 0; i < G_N_ELEMENTS(badOptions); i++) {
		char *arguments[] = { program, (char *)badOptions[i].option,
				      NULL };
		GError *error = NULL;
		char *output, *message;
		int status;

		g_test_message("%s", badOptions[i].option);
		g_spawn_sync(NULL, arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL,
			     &output, &message, &status, &error);
		g_assert_no_error(error);
		g_assert_true(WIFEXITED(status));
		g_assert_cmpint(WEXITSTATUS(status), ==, badOptions[i].status);
		g_assert_cmpstr(output, ==, "");
		g_assert_true(g_str_has_prefix(message, "lmg450-sim: "));
		g_assert_nonnull(strstr(message, badOptions[i].message));
		g_free(output);
		g_free(message);
	}
	g_free(program);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sim/port/tcp", testTcp);
	g_test_add_func("/sim/port/break", testBreak);
	g_test_add_func("/sim/port/leftover", testLeftover);
	g_test_add_func("/sim/port/back-pressure", testBackPressure);
	g_test_add_data_func("/sim/values/one", "one", testValues);
	g_test_add_data_func("/sim/values/each", "each", testValues);
	g_test_add_func("/sim/time/baud", testBaud);
	g_test_add_func("/sim/truth", testTruth);
	g_test_add_func("/sim/log", testLog);
	g_test_add_func("/sim/options", testBadOptions);
	return g_test_run();
}
