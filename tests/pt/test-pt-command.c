/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver command: numbers in lines, programs that print once or again and
 * again, and how they end. */
/* tags: waits */
#include "config.h"

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/drivers/command/lineparse.h"
#include "tests/pt/softdriver.h"

extern const struct ptDriver ptCommandDriver;

/* The fake clock is ahead of the system's, so that deadlines are not over. */
#define AHEAD (100000000 * SECOND)

/* ---- Numbers ----------------------------------------------------------- */

static void testNumbers(void)
{
	static const struct {
		const char *line, *numbers;
	} rows[] = {
		{ "", "" },
		{ "212", "212" },
		{ "  Instantaneous power reading:       212 Watts", "212" },
		{ "212W 45.3% 230V~", "212 45.3 230" },
		{ "-3.5e2;+7,.5|1.", "-350 7 0.5 1" },
		{ "{\"power\":212.5,\"n\":[1,2]}", "212.5 1 2" },
		{ "power=1 P:2 P: 3", "1 2 3" },
		{ "2026-01-31 12:30:01 0x1f GPU-0 a1 1a2 1.2.3", "" },
		{ "5e 5e+ 5e3x", "5 5 5000" },
		{ "- + . -. e5 nan inf", "" },
		{ "1e999 2", "2" },
		{ "000000000000000000000000000000000000000000000000000001 3",
		  "3" },
		{ "1\t2\r", "1 2" },
		{ "1 2 3 4 5 6", "1 2 3 4" },
		{ "\xc2\xb0"
		  "5 7\xc2\xb0",
		  "7" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		GString *text = g_string_new(NULL);
		double numbers[4];
		size_t count = ptLineParse(rows[i].line, numbers, 4);

		for (size_t j = 0; j < count; j++)
			g_string_append_printf(text, "%s%g", j ? " " : "",
					       numbers[j]);
		g_test_message("%s", rows[i].line);
		g_assert_cmpstr(text->str, ==, rows[i].numbers);
		g_string_free(text, TRUE);
	}
}

/* ---- Programs ---------------------------------------------------------- */

static int openCommand(struct softDevice *soft, int64_t cycleNs,
		       const char *command, const char *match,
		       const char *wanted)
{
	static const char *options[5];

	options[0] = "command";
	options[1] = command;
	options[2] = match ? "match" : NULL;
	options[3] = match;
	return softOpen(soft, &ptCommandDriver, "", cycleNs, options, wanted);
}

/* Open and start a program. */
static void runCommand(struct softDevice *soft, const char *command,
		       const char *match, const char *wanted)
{
	g_assert_cmpint(openCommand(soft, 100 * MS, command, match, wanted), ==,
			0);
	softStart(soft);
}

/* Each line of a program that goes on is a reading when it arrives. */
static void testContinuous(void)
{
	char *directory = g_dir_make_tmp("hdtrace-pt-command-XXXXXX", NULL);
	char *fifo = g_build_filename(directory, "fifo", NULL);
	char *command = g_strdup_printf("mkfifo '%s'; echo 1 2 V; cat '%s'",
					fifo, fifo);
	struct softDevice soft;
	FILE *file;

	runCommand(&soft, command, NULL, "1 P, 2 U");
	softExpect(&soft, 100 * MS, "1 2");
	file = fopen(fifo, "w");
	g_assert_nonnull(file);
	setlinebuf(file);
	for (int i = 0; i < 12; i++) {
		char *values = g_strdup_printf("%d %d.5", i, i);

		fprintf(file, "a header\n%d W at %d.5 V\n", i, i);
		softExpect(&soft, 100 * MS, values);
		g_free(values);
	}
	/* Two are missing. */
	fprintf(file, "70 80\n");
	g_assert_cmpint(softRead(&soft, 300 * MS), ==, 0);
	g_assert_true(softIs(&soft, "70 80"));
	g_assert_cmpuint(soft.reading.lost, ==, 2);
	g_assert_cmpint(soft.reading.lengthNs, ==, 100 * MS);
	/* Slower from now on, so none is missing. */
	for (int i = 0; i < 8; i++) {
		fprintf(file, "1 2\n");
		g_assert_cmpint(softRead(&soft, 250 * MS), ==, 0);
	}
	g_assert_cmpuint(soft.reading.lost, ==, 0);
	g_assert_cmpint(soft.dev.found.cycleNs, ==, 250 * MS);
	fclose(file);
	softClose(&soft);
	g_unlink(fifo);
	g_rmdir(directory);
	g_free(command);
	g_free(fifo);
	g_free(directory);
}

/* A program that prints once is run in each cycle; cycles in which it fails are
 * lost. */
static void testAgain(void)
{
	char *directory = g_dir_make_tmp("hdtrace-pt-command-XXXXXX", NULL);
	char *file = g_build_filename(directory, "runs", NULL);
	char *command = g_strdup_printf("echo x >>'%s'; n=$(wc -l <'%s');"
					"[ $n -ne 3 ] || exit 7;"
					"[ $n -ne 4 ] || exit 0;"
					"echo \"power: $n W\"",
					file, file);
	struct softDevice soft;

	runCommand(&soft, command, "power", "1 P");
	g_assert_cmpint(softRead(&soft, 0), ==, 0);
	g_assert_true(softIs(&soft, "1"));
	softExpect(&soft, 100 * MS, "2");
	g_assert_cmpint(softRead(&soft, 100 * MS), ==, -EPROTO);
	g_assert_true(softSaid("failed with exit status 7"));
	g_assert_cmpint(softRead(&soft, 100 * MS), ==, -EPROTO);
	g_assert_true(softSaid("printed no line with 1 number and the text of "
			       "match="));
	g_assert_cmpint(softRead(&soft, 100 * MS), ==, 0);
	g_assert_true(softIs(&soft, "5"));
	g_assert_cmpuint(soft.reading.lost, ==, 2);
	/* Longer than a cycle: those between are lost. */
	g_assert_cmpint(softRead(&soft, 320 * MS), ==, 0);
	g_assert_cmpuint(soft.reading.lost, ==, 2);
	softClose(&soft);
	g_unlink(file);
	g_rmdir(directory);
	g_free(command);
	g_free(file);
	g_free(directory);
}

/* How a program fails, and what is said. */
static void testFailures(void)
{
	static const struct {
		const char *command, *said;
	} rows[] = {
		{ "exit 3", "command: the program failed with exit status 3" },
		{ "nosuchprogram-hd 2>&1", "exit status 127" },
		{ "kill -9 $$", "command: the program was killed by signal 9" },
		{ "true",
		  "printed no line with 2 numbers; set input= and match=" },
		{ "echo 1", "printed no line with 2 numbers" },
		{ "printf '%5000d 1 2\n' 1", "printed no line with 2 numbers" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct softDevice soft;

		g_test_message("%s", rows[i].command);
		runCommand(&soft, rows[i].command, NULL, "2 P");
		for (int j = 0; j < 3; j++)
			g_assert_cmpint(softRead(&soft, 100 * MS), ==,
					j < 2 ? -EPROTO : -ENODEV);
		g_assert_true(softSaid(rows[i].said));
		softClose(&soft);
	}
}

/* Lines that are too long, that do not end, that do not match; the locale. */
static void testLines(void)
{
	static const struct {
		const char *command, *match, *values;
	} rows[] = {
		{ "printf '1 2'", NULL, "1 2" },
		{ "printf '1 2 %5000d\n3 4\n' 9", "3", "3 4" },
		{ "printf '%5000d 5\n' 9; echo 6 7", NULL, "6 7" },
		{ "printf 'a 1 1\nb 2 2\n'", "b ", "2 2" },
		{ "echo \"$LC_ALL 1 2\"", "C ", "1 2" },
		{ "read x || echo 3 4", NULL, "3 4" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct softDevice soft;

		g_test_message("%s", rows[i].command);
		runCommand(&soft, rows[i].command, rows[i].match, "1 Raw, 2 E");
		softExpect(&soft, 100 * MS, rows[i].values);
		softClose(&soft);
	}
}

static void testScale(void)
{
	struct softDevice soft;

	softScale = (struct ptScale){ .set = PT_SCALE_SLOPE | PT_SCALE_OFFSET,
				      .slope = 0.001,
				      .offset = 5 };
	runCommand(&soft, "echo 2500 mW", NULL, "1 P, 1 Raw");
	softExpect(&soft, 100 * MS, "7.5 2500");
	softClose(&soft);
	softScale = (struct ptScale){ 0 };
}

/* Times of readings that arrive at once are wrong, which is said once. */
static void testBuffered(void)
{
	struct softDevice soft;

	runCommand(&soft, "printf '1\n2\n3\n4\n5\n6\n'; exec sleep 1000", NULL,
		   "1 P");
	for (int i = 0; i < 6; i++)
		g_assert_cmpint(softRead(&soft, i == 0 ? MS : 0), ==, 0);
	g_assert_true(softIs(&soft, "6"));
	g_assert_cmpint(soft.reading.lengthNs, ==, 1);
	g_assert_true(softSaid("run the program by \"stdbuf -oL\""));
	softClose(&soft);
}

/* Stopping wakes the reader, and ends the program with all that it started. */
static void testEnd(void)
{
	char *directory = g_dir_make_tmp("hdtrace-pt-command-XXXXXX", NULL);
	char *file = g_build_filename(directory, "pids", NULL);
	char *command = g_strdup_printf("sleep 1000 & echo $$ $! >'%s';"
					"cat '%s'; wait",
					file, file);
	struct softDevice soft;
	char *pids, **words;

	runCommand(&soft, command, NULL, "1 Raw");
	g_assert_cmpint(softRead(&soft, MS), ==, 0);
	soft.dev.setup.wakeFd = eventfd(1, EFD_CLOEXEC);
	g_assert_cmpint(softRead(&soft, MS), ==, -EINTR);
	g_assert_true(g_file_get_contents(file, &pids, NULL, NULL));
	words = g_strsplit(g_strstrip(pids), " ", 2);
	softClose(&soft);
	/* The shell was waited for; the other one has another parent now. */
	g_assert_cmpint(kill((pid_t)atoi(words[0]), 0), ==, -1);
	for (int i = 0; kill((pid_t)atoi(words[1]), 0) == 0; i++) {
		char *stat = g_strdup_printf("/proc/%s/stat", words[1]), *text;

		g_assert_cmpint(i, <, 5000);
		if (g_file_get_contents(stat, &text, NULL, NULL)) {
			bool isZombie = strstr(text, ") Z ") != NULL;

			g_free(text);
			if (isZombie)
				i = 5000;
		}
		g_free(stat);
		if (i == 5000)
			break;
		g_usleep(1000);
	}
	close(soft.dev.setup.wakeFd);
	g_unlink(file);
	g_rmdir(directory);
	g_strfreev(words);
	g_free(pids);
	g_free(command);
	g_free(file);
	g_free(directory);
}

static void testInputs(void)
{
	static const char *const options[] = { "command", "true", NULL };
	static const struct {
		const char *const *options;
		const char *input, *text;
		int ret;
	} rows[] = {
		{ options, NULL, "1", 0 },
		{ options, "32", "32", 0 },
		{ options, "33", NULL, -EINVAL },
		{ options, "0", NULL, -EINVAL },
		{ options, "*",
		  "the count of numbers in a line is unknown; "
		  "expected 1 to 32",
		  -EINVAL },
		{ NULL, "1", "the device needs the key command= in [General]",
		  -EINVAL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *text;

		g_assert_cmpint(softResolve(&ptCommandDriver, "",
					    rows[i].options, rows[i].input, 0,
					    &text),
				==, rows[i].ret);
		if (rows[i].text)
			g_assert_cmpstr(text, ==, rows[i].text);
		g_free(text);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	softInit();
	softPass(AHEAD);
	g_test_add_func("/pt/command/numbers", testNumbers);
	g_test_add_func("/pt/command/continuous", testContinuous);
	g_test_add_func("/pt/command/again", testAgain);
	g_test_add_func("/pt/command/failures", testFailures);
	g_test_add_func("/pt/command/lines", testLines);
	g_test_add_func("/pt/command/scale", testScale);
	g_test_add_func("/pt/command/buffered", testBuffered);
	g_test_add_func("/pt/command/end", testEnd);
	g_test_add_func("/pt/command/inputs", testInputs);
	return g_test_run();
}
