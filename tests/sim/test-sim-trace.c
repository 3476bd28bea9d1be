/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/**
 * @file
 * From lmg450-sim through libPT into files: each value comes out as the meter
 * had it, bit for bit, and none is missing.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "PowerTracingLibrary/src/trace.h"
#include "tests/lib/statfile.h"
#include "tests/sim/client.h"

/** Values of the meter; the last is its counter. */
static const char *const names[] = { "Utrms", "Itrms", "P",  "S",    "Q",
				     "PF",    "Freq",  "EP", "Count" };

#define NAMES G_N_ELEMENTS(names)

/** Each byte value in each place: so many floats. */
#define FLOATS 1024

/** How the meter sends, and how many values of how many channels. */
static const struct {
	const char *options;
	unsigned int channels, values;
} rows[] = {
	{ "--blocks=one", 1, 1 },          { "--blocks=each", 1, 1 },
	{ "--blocks=one", 1, 2 },          { "--blocks=each", 2, 2 },
	{ "--blocks=one", 3, 3 },          { "--blocks=each", 4, 3 },
	{ "--blocks=one", 4, 4 },          { "--blocks=each", 1, 5 },
	{ "--blocks=one", 2, 6 },          { "--blocks=each", 3, 7 },
	{ "--blocks=one", 4, 8 },          { "--blocks=one", 4, 9 },
	{ "--blocks=each", 4, 9 },         { "--blocks=one --tcp=0", 4, 9 },
	{ "--blocks=each --tcp=0", 1, 9 },
};

/* Little endian floats. No two are the same, so each tells its place; some are
   no numbers. */
static guint32 *makeValues(const struct client *client)
{
	guint32 *values = g_new(guint32, FLOATS);
	guint32 *little = g_new(guint32, FLOATS);
	char *path = clientPath(client, "values");

	for (guint32 place = 0; place < 4; place++) {
		for (guint32 byte = 0; byte < 256; byte++) {
			guint32 i = place * 256 + byte;

			/* The other three bytes are odd sums of both. */
			values[i] = (byte * 0x010307u + 0x5a5a5au +
				     place * 0x111111u) &
				    0xffffff;
			values[i] = byte << 24 | values[i];
			for (guint32 turn = 0; turn < place; turn++)
				values[i] = values[i] << 8 | values[i] >> 24;
			little[i] = GUINT32_TO_LE(values[i]);
		}
	}
	g_assert_true(g_file_set_contents(path, (char *)little,
					  FLOATS * sizeof(*little), NULL));
	g_free(little);
	g_free(path);
	return values;
}

/* Nodes n1, n2, ... with channels 1, 2, ... and the first so many values. */
static void writeConfig(const struct client *client, unsigned int channels,
			unsigned int values, const char *more)
{
	/* All messages that the meter sends are to be in the files. */
	GString *text = g_string_new("[General]\ndevice=LMG450\ncycle=50\n"
				     "project=run\ntopology=Host\n"
				     "counter=on\n");
	char *path = clientPath(client, "pt.cfg");

	g_string_append_printf(text, "port=%s%s\n%s",
			       strchr(client->port, ':') ? "tcp://" : "",
			       client->port, more);
	for (unsigned int channel = 1; channel <= channels; channel++) {
		g_string_append_printf(text,
				       "[Trace]\ntype=HDSTATS\nnode=n%u\n"
				       "channel=%u\nvalues=",
				       channel, channel);
		for (unsigned int i = 0; i < values; i++)
			g_string_append_printf(text, "%s%s", i ? "," : "",
					       names[i]);
		g_string_append_c(text, '\n');
	}
	g_assert_true(g_file_set_contents(path, text->str, -1, NULL));
	g_string_free(text, TRUE);
	g_free(path);
}

/* Where a float is among the values. */
static guint find(const guint32 *values, guint32 bits)
{
	for (guint i = 0; i < FLOATS; i++) {
		if (values[i] == bits)
			return i;
	}
	g_test_message("%08x is not among the values", bits);
	g_test_fail();
	return 0;
}

/* The queries before tracing have taken some values; from the first in the file
   on, all follow. */
static void checkFile(const char *path, const guint32 *values,
		      unsigned int columns, guint cycles)
{
	struct testStatFile *stat = testStatRead(path);
	unsigned int floats = columns == NAMES ? columns - 1 : columns;
	guint next = 0, entries = 0;
	float count = 0;

	g_assert_cmpuint(stat->typeCount, ==, columns);
	for (gsize i = 0; i < stat->count; i++) {
		const unsigned char *at = stat->entries[i].values;

		/* The time before the first one. ThreadSanitizer makes the
		 * reader so slow that on a busy machine a time between readings
		 * is unknown, too; but none of these is missing. */
		if (stat->entries[i].isGap) {
#ifndef __SANITIZE_THREAD__
			g_assert_cmpuint(entries, ==, 0);
#endif
			continue;
		}
		g_assert_cmpuint(stat->entries[i].length, ==, 4 * columns);
		if (entries++ == 0)
			next = find(values, testBig32(at));
		for (unsigned int j = 0; j < floats; j++, next++)
			g_assert_cmphex(testBig32(at + (gsize)4 * j), ==,
					values[next % FLOATS]);
		if (columns == NAMES) {
			guint32 bits = testBig32(at + (gsize)4 * floats);
			float now;

			memcpy(&now, &bits, sizeof(now));
			g_assert_true(entries == 1 || now == count + 1);
			count = now;
		}
	}
	g_assert_cmpuint(entries, ==, cycles);
	testStatFree(stat);
}

/* The device has two seconds to answer when it is opened; on a host that does
   much else it may need another try. */
static PowerTrace *createTrace(void)
{
	PowerTrace *trace;
	int ret = PT_EDEVICE;

	for (int i = 0; i < 20 && ret == PT_EDEVICE; i++)
		ret = pt_createTrace("pt.cfg", NULL, &trace);
	g_assert_cmpint(ret, ==, PT_SUCCESS);
	return trace;
}

static void awaitEntries(PowerTrace *trace, guint cycles)
{
	double until = clientTime() + CLIENT_PATIENCE_S * 1000;
	struct ptCounts counts;

	for (;;) {
		ptTraceCounts(trace, &counts);
		if (counts.readings >= cycles)
			return;
		g_assert_cmpfloat(clientTime(), <, until);
		g_usleep(1000);
	}
}

/* Trace what a meter measures that sends so many messages. */
static void record(struct client *client, unsigned int channels,
		   unsigned int values, const char *more, guint cycles)
{
	PowerTrace *trace;

	clientClose(client);
	writeConfig(client, channels, values, more);
	trace = createTrace();
	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	awaitEntries(trace, cycles);
	g_assert_cmpint(pt_stopTracing(trace), ==, 0);
	g_assert_cmpint(pt_finalizeTrace(trace), ==, PT_SUCCESS);
	clientStop(client);
}

static void testRow(gconstpointer data)
{
	guint row = GPOINTER_TO_UINT(data);
	unsigned int floats = MIN(rows[row].values, NAMES - 1);
	guint cycles = FLOATS / floats + 1;
	struct client client;
	guint32 *values;
	char *options;

	clientPrepare(&client, NULL);
	g_assert_cmpint(g_chdir(client.directory), ==, 0);
	values = makeValues(&client);
	options = g_strdup_printf("%s --fastest --cycles=%u "
				  "--law=*:file:@/values",
				  rows[row].options, cycles);
	clientStart(&client, options);
	record(&client, rows[row].channels, rows[row].values, "", cycles);
	for (unsigned int i = 1; i <= rows[row].channels; i++) {
		char *name = g_strdup_printf("run_n%u_Energy.stat", i);

		checkFile(name, values, rows[row].values, cycles);
		g_free(name);
	}
	g_assert_cmpint(g_chdir("/"), ==, 0);
	clientRemove(&client);
	g_free(options);
	g_free(values);
}

/* In real time: what is in the file is what the truth says, cycle by cycle; no
   entry ends before its cycle did, less the delay. How much later is for make
   verify-pt. */
static void testTruth(gconstpointer data)
{
	enum { CYCLES = 30 };
	gint64 delayMs = GPOINTER_TO_INT(data);
	char *more = g_strdup_printf("delay=%d\n", (int)delayMs);
	struct client client;
	struct testStatFile *stat;
	char *truth, **lines;
	guint seen = 0, low = 0, high = 0;
	gsize at = 0;

	clientPrepare(&client, NULL);
	g_assert_cmpint(g_chdir(client.directory), ==, 0);
	clientStart(&client, "--cycles=30 --truth=@/truth --baud=0 "
			     "--law=1:square:low=50,high=150,period=0.9");
	record(&client, 1, 3, more, CYCLES);
	truth = clientFile(&client, "truth");
	lines = g_strsplit(truth, "\n", 0);
	stat = testStatRead("run_n1_Energy.stat");
	for (char **line = lines; *line; line++) {
		guint32 bits;
		gint64 end;
		float watts, should;

		if (sscanf(*line, "%*u %*u %*d %" SCNi64 " %*s %*f %*f %*f %f",
			   &end, &should) != 2)
			continue;
		while (at < stat->count && stat->entries[at].isGap)
			at++;
		g_assert_cmpuint(at, <, stat->count);
		bits = testBig32(stat->entries[at].values + 8);
		memcpy(&watts, &bits, sizeof(watts));
		g_assert_cmpfloat_with_epsilon(watts, should, 1e-5);
		g_assert_cmpint(stat->entries[at].time, >,
				end - (delayMs + 10) * 1000000);
		low += watts == 50;
		high += watts == 150;
		seen++;
		at++;
	}
	g_assert_cmpuint(seen, ==, CYCLES);
	g_assert_cmpuint(at, ==, stat->count);
	/* 1.5 s have a whole period at least. */
	g_assert_cmpuint(low, >=, 4);
	g_assert_cmpuint(high, >=, 4);
	testStatFree(stat);
	g_strfreev(lines);
	g_free(truth);
	g_free(more);
	g_assert_cmpint(g_chdir("/"), ==, 0);
	clientRemove(&client);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_setenv("PT_VERBOSITY", "1", TRUE);
	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		char *name = g_strdup_printf(
			"/sim/trace/%s/%u-channels/%u-values", rows[i].options,
			rows[i].channels, rows[i].values);

		g_test_add_data_func(name, GUINT_TO_POINTER(i), testRow);
		g_free(name);
	}
	g_test_add_data_func("/sim/trace/truth", GINT_TO_POINTER(0), testTruth);
	g_test_add_data_func("/sim/trace/truth/delay", GINT_TO_POINTER(120),
			     testTruth);
	return g_test_run();
}
