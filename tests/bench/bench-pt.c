/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What power tracing with an LMG450 costs: the parser of its messages, and a
 * cycle on the whole way from the port to the file.
 *
 * The meter is lmg450-sim, a process of its own. CPU times are those of all
 * threads of this process but the one that only waits: the thread that traces
 * and the one that writes the files.
 *
 *     bench-pt [SECONDS]    of each part that takes real time (20)
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "PowerTracingLibrary/src/drivers/lmg/lmgparser.h"
#include "PowerTracingLibrary/src/trace.h"
#include "tests/sim/client.h"

#define CHANNELS 4
#define VALUES 3
#define CYCLE_MS 50
#define CYCLE_US_MAX 60
#define PARSER_MB_MIN 50

static void print(const char *what, const char *format, ...)
	G_GNUC_PRINTF(2, 3);

static void print(const char *what, const char *format, ...)
{
	va_list arguments;

	printf("| %-50s | ", what);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf(" |\n");
	fflush(stdout);
}

static const char *verdict(bool isReached)
{
	return isReached ? "reached" : "MISSED";
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* CPU time of all threads but this one. */
static double othersCpu(void)
{
	return seconds(CLOCK_PROCESS_CPUTIME_ID) -
	       seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- The parser -------------------------------------------------------- */

/* One message of the counter and @p CHANNELS x @p VALUES values. */
static GString *makeMessage(enum ptLmgKind kind, bool isEach)
{
	const int count = 1 + CHANNELS * VALUES;
	GString *message = g_string_new(NULL);

	if (kind == PT_LMG_PACKED && !isEach)
		g_string_append_printf(message, "#5%05d", 4 * count);
	for (int i = 0; i < count; i++) {
		float value = 230.25f * (float)(i + 1);

		if (kind == PT_LMG_ASCII) {
			g_string_append_printf(message, "%s%.4E", i ? ";" : "",
					       (double)value);
			continue;
		}
		if (isEach)
			g_string_append(message, "#14");
		g_string_append_len(message, (char *)&value, 4);
	}
	g_string_append_c(message, '\n');
	return message;
}

static void benchParser(const char *what, enum ptLmgKind kind, bool isEach)
{
	GString *message = makeMessage(kind, isEach), *all = g_string_new(NULL);
	struct ptLmgParser *parser = g_new(struct ptLmgParser, 1);
	struct ptLmgMessage *taken = g_new(struct ptLmgMessage, 1);
	size_t count = 0, wanted = 0, bytes = 0;
	double began, rate;

	while (all->len < 1 << 20) {
		g_string_append_len(all, message->str, (gssize)message->len);
		wanted++;
	}
	ptLmgInit(parser);
	ptLmgExpect(parser, kind, 1 + CHANNELS * VALUES);
	began = seconds(CLOCK_THREAD_CPUTIME_ID);
	for (int round = 0; round < 32; round++) {
		for (size_t at = 0; at < all->len; at += 1000) {
			size_t part = MIN(1000, all->len - at);

			ptLmgPush(parser, all->str + at, part);
			while (ptLmgNext(parser, taken) == 1)
				count++;
		}
		bytes += all->len;
	}
	rate = (double)bytes / 1e6 / (seconds(CLOCK_THREAD_CPUTIME_ID) - began);
	g_assert_cmpuint(count, ==, 32 * wanted);
	print(what, "%8.0f MB/s | >= %d MB/s | %s", rate, PARSER_MB_MIN,
	      verdict(rate >= PARSER_MB_MIN));
	g_string_free(message, TRUE);
	g_string_free(all, TRUE);
	g_free(parser);
	g_free(taken);
}

/* ---- Traces ------------------------------------------------------------ */

static struct ptCounts counts(PowerTrace *trace)
{
	struct ptCounts now;

	ptTraceCounts(trace, &now);
	return now;
}

/* Create and start a trace; what is wrong ends the program. */
static PowerTrace *start(const char *config)
{
	struct ptRequest request = {
		.file = "pt.cfg", .drivers = ptDrivers, .root = "", .depth = -1
	};
	static int number;
	struct ptConfig parsed;
	PowerTrace *trace;
	char project[16];

	g_snprintf(project, sizeof(project), "P%d", number++);
	request.project = project;
	g_assert_true(g_file_set_contents("pt.cfg", config, -1, NULL));
	if (ptConfigRead(&request, &parsed) != 0 ||
	    ptTraceCreate(&parsed, NULL, "", &trace) != 0)
		exit(1);
	ptConfigClear(&parsed);
	pt_startTracing(trace);
	return trace;
}

/* CPU time of a reading in microseconds, from the tenth to so many. */
static double measure(PowerTrace *trace, uint64_t readings)
{
	uint64_t first, last;
	double before;

	while (counts(trace).readings < 10)
		g_usleep(1000);
	first = counts(trace).readings;
	before = othersCpu();
	do {
		g_usleep(10000);
		last = counts(trace).readings;
	} while (last < first + readings);
	return (othersCpu() - before) * 1e6 / (double)(last - first);
}

static void benchCycle(const char *what, const char *options,
		       const char *general, uint64_t readings)
{
	GString *config = g_string_new(NULL);
	struct client meter;
	PowerTrace *trace;
	char *link;
	double us;

	clientRun(&meter, NULL, options);
	clientClose(&meter);
	link = clientPath(&meter, "meter");
	g_string_printf(config,
			"[General]\ndevice=LMG450\nport=%s%s\ncycle=%d\n"
			"topology=Cluster_Host\n%s",
			meter.port[0] == '/' ? "" : "tcp://",
			meter.port[0] == '/' ? link : meter.port, CYCLE_MS,
			general);
	for (int i = 1; i <= CHANNELS; i++)
		g_string_append_printf(config,
				       "[Trace]\ntype=HDSTATS\nnode=c_n%d\n"
				       "channel=%d\nvalues=Utrms,Itrms,P\n",
				       i, i);
	trace = start(config->str);
	us = measure(trace, readings);
	print(what, "%8.1f us   | <= %d us | %s%s", us, CYCLE_US_MAX,
	      verdict(us <= CYCLE_US_MAX),
	      counts(trace).lost ? ", CYCLES LOST" : "");
	pt_finalizeTrace(trace);
	clientStop(&meter);
	clientRemove(&meter);
	g_string_free(config, TRUE);
	g_free(link);
}

int main(int argc, char **argv)
{
	double runS = argc > 1 ? g_ascii_strtod(argv[1], NULL) : 20;
	uint64_t readings = (uint64_t)(runS * 1000 / CYCLE_MS);
	char *here = g_get_current_dir(), *directory;

	if (!g_getenv("abs_top_builddir"))
		g_setenv("abs_top_builddir", here, TRUE);
	g_free(here);
	/* Files go to memory, as in the other benchmarks. */
	directory = g_strdup("/dev/shm/bench-pt-XXXXXX");
	if (!g_mkdtemp(directory) || g_chdir(directory) != 0)
		return 1;
	printf("| %-50s | Measured | Target | |\n|---|--:|--:|---|\n",
	       "CPU time");
	benchParser("parser, one block", PT_LMG_PACKED, false);
	benchParser("parser, a block for each value", PT_LMG_PACKED, true);
	benchParser("parser, ASCII", PT_LMG_ASCII, false);
	benchCycle("LMG450 cycle, 4 x 3 values, terminal", "", "", readings);
	benchCycle("the same, a block for each value", "--blocks=each", "",
		   readings);
	benchCycle("the same, ASCII", "", "mode=ascii\n", readings);
	benchCycle("the same, TCP", "--tcp=0", "", readings);
	benchCycle("the same, terminal, one after the other", "--fastest", "",
		   1000 * readings);
	if (g_chdir("/") == 0) {
		char *command = g_strdup_printf("rm -r %s", directory);

		if (system(command) != 0)
			perror(directory);
		g_free(command);
	}
	g_free(directory);
	return 0;
}
