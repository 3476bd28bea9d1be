/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver of the LMG450, against a meter that answers as it is told, at
 * once, and never. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/driver.h"
#include "PowerTracingLibrary/src/transport/calls.h"
#include "common/clock.h"

#define MS INT64_C(1000000)

#define IDENTITY "ZES ZIMMER Electronic Systems GmbH,LMG450,12345678,3.115"

/* ---- A meter ----------------------------------------------------------- */

struct meter {
	struct ptTransport transport;
	GString *log;    /* What the driver did. */
	GString *output; /* What it has not read yet. */
	size_t step;     /* Bytes it gets at once, at the most. */
	bool hasBreak;
	/* Another answer to a command that begins like this; NULL is none. */
	const char *command, *answer;
	const char *errors; /* What ERRALL? answers. */
	int calls;          /* So far. */
	int failAt;         /* This call fails, and all that follow, */
	int error;          /* with this; */
	int silentFrom;     /* from this call on there are no answers. */
	/* What it says of its counter while that is tried: each time that
	 * continuous mode begins a text, and then nothing. */
	GString *const *trials;
	int64_t longestNs; /* That anybody wanted to wait. */
};

static bool fails(struct meter *meter)
{
	return meter->calls++ >= meter->failAt;
}

static void noteWait(struct meter *meter, int64_t deadlineNs)
{
	meter->longestNs = MAX(meter->longestNs, deadlineNs - hdMonotonicNow());
}

static ssize_t meterRead(struct ptTransport *transport, void *data, size_t size,
			 int64_t deadlineNs, int64_t *whenNs)
{
	struct meter *meter = (struct meter *)transport;

	if (fails(meter))
		return meter->error;
	/* It is readable all the time. */
	if (transport->wakeFd >= 0)
		return -EINTR;
	noteWait(meter, deadlineNs);
	if (meter->output->len == 0 || meter->calls > meter->silentFrom)
		return -ETIMEDOUT;
	size = MIN(MIN(size, meter->step), meter->output->len);
	memcpy(data, meter->output->str, size);
	g_string_erase(meter->output, 0, (gssize)size);
	if (whenNs)
		*whenNs = hdClockNow();
	return (ssize_t)size;
}

/* One reading in ASCII: the counter is 7, the values are 1, 2, ... */
static void answerReading(struct meter *meter, const char *line)
{
	int number = 0;

	for (; *line; line++) {
		if (*line != '?')
			continue;
		g_string_append_printf(meter->output, "%s%d", number ? ";" : "",
				       number ? number : 7);
		number++;
	}
	g_string_append_c(meter->output, '\n');
}

static void answerTrial(struct meter *meter)
{
	if (!meter->trials || !*meter->trials)
		return;
	g_string_append_len(meter->output, (*meter->trials)->str,
			    (gssize)(*meter->trials)->len);
	meter->trials++;
}

static void answer(struct meter *meter, const char *line)
{
	if (meter->command && g_str_has_prefix(line, meter->command))
		g_string_append(meter->output,
				meter->answer ? meter->answer : "");
	else if (strcmp(line, "*IDN?") == 0)
		g_string_append(meter->output, IDENTITY "\n");
	else if (strcmp(line, "ERRALL?") == 0)
		g_string_append(meter->output, meter->errors);
	else if (g_str_has_prefix(line, "INIM;"))
		answerReading(meter, line);
	else if (strcmp(line, "CONT ON") == 0)
		answerTrial(meter);
}

static int meterWrite(struct ptTransport *transport, const void *data,
		      size_t size, int64_t deadlineNs)
{
	struct meter *meter = (struct meter *)transport;
	char *line;

	if (fails(meter))
		return meter->error;
	noteWait(meter, deadlineNs);
	g_assert_cmpuint(size, >, 0);
	g_assert_cmpint(((const char *)data)[size - 1], ==, '\n');
	line = g_strndup(data, size - 1);
	g_assert_null(strchr(line, '\n'));
	g_string_append_printf(meter->log, "%s\n", line);
	answer(meter, line);
	g_free(line);
	return 0;
}

static int meterDrain(struct ptTransport *transport, int64_t deadlineNs)
{
	struct meter *meter = (struct meter *)transport;

	if (fails(meter))
		return meter->error;
	noteWait(meter, deadlineNs);
	g_string_append(meter->log, "(drain)\n");
	return 0;
}

static void meterFlush(struct ptTransport *transport)
{
	struct meter *meter = (struct meter *)transport;

	g_string_append(meter->log, "(flush)\n");
	g_string_truncate(meter->output, 0);
}

static int meterBreak(struct ptTransport *transport)
{
	struct meter *meter = (struct meter *)transport;

	if (fails(meter))
		return meter->error;
	if (!meter->hasBreak)
		return -ENOTSUP;
	g_string_append(meter->log, "(break)\n");
	return 0;
}

static void meterClose(struct ptTransport *transport)
{
	(void)transport;
}

static const struct ptTransportCalls calls = {
	.read = meterRead,
	.write = meterWrite,
	.drain = meterDrain,
	.flushInput = meterFlush,
	.sendBreak = meterBreak,
	.close = meterClose,
};

static void meterInit(struct meter *meter)
{
	memset(meter, 0, sizeof(*meter));
	meter->transport.calls = &calls;
	meter->transport.wakeFd = meter->transport.fd = -1;
	meter->log = g_string_new(NULL);
	meter->output = g_string_new(NULL);
	meter->step = 4096;
	meter->errors = "0,\"No error\"\n";
	meter->hasBreak = true;
	meter->failAt = meter->silentFrom = INT_MAX;
}

static void meterClear(struct meter *meter)
{
	g_string_free(meter->log, TRUE);
	g_string_free(meter->output, TRUE);
}

/* ---- What the driver says ---------------------------------------------- */

static GString *said;

static void takeMessage(enum hdLogLevel level, const char *text)
{
	g_string_append_printf(said, "%d %s\n", level, text);
}

static void assertSaid(const char *words)
{
	if (!strstr(said->str, words))
		g_error("nobody said \"%s\", but: %s", words, said->str);
	g_string_truncate(said, 0);
}

/* ---- A device ---------------------------------------------------------- */

static const struct ptDriver *driver;

#define COLUMNS_MAX 40

struct bench {
	struct meter meter;
	struct ptDevice dev;
	struct ptColumn columns[COLUMNS_MAX];
	size_t count;
	union hdCell cells[COLUMNS_MAX];
	struct ptReading reading;
};

static const struct ptQuantity *quantity(const char *name)
{
	const struct ptQuantity *at = driver->quantities;

	while (at->name && strcmp(at->name, name) != 0)
		at++;
	g_assert_nonnull(at->name);
	return at;
}

/* Whoever does not try the counter believes in it. */
#define BELIEVED "counter", "on"
static const char *const believed[] = { BELIEVED, NULL };

/* Columns "Utrms1 P2": names and channels. */
static void benchInit(struct bench *bench, const char *columns,
		      const char *const *options)
{
	char **words = g_strsplit(columns, " ", 0);

	memset(bench, 0, sizeof(*bench));
	meterInit(&bench->meter);
	for (char **word = words; *word; word++) {
		struct ptColumn *column = &bench->columns[bench->count++];
		size_t length = strlen(*word) - 1;
		char why[64];

		g_assert_cmpint(driver->resolve(NULL, *word + length, 0,
						&column->channel, column->label,
						why, sizeof(why)),
				==, 0);
		(*word)[length] = '\0';
		column->quantity = quantity(*word);
	}
	g_strfreev(words);
	bench->dev.driver = driver;
	bench->dev.transport = &bench->meter.transport;
	bench->dev.setup.cycleNs = 100 * MS;
	bench->dev.setup.root = "";
	bench->dev.setup.wakeFd = -1;
	bench->dev.setup.options = options ? options : believed;
	g_string_truncate(said, 0);
}

static int benchOpen(struct bench *bench)
{
	return driver->open(&bench->dev, bench->columns, bench->count);
}

static void benchClear(struct bench *bench)
{
	if (bench->dev.state)
		driver->close(&bench->dev);
	meterClear(&bench->meter);
}

static void benchStart(struct bench *bench, const char *columns,
		       const char *const *options)
{
	benchInit(bench, columns, options);
	g_assert_cmpint(benchOpen(bench), ==, 0);
	g_assert_cmpint(driver->start(&bench->dev), ==, 0);
}

static int benchRead(struct bench *bench)
{
	return driver->read(&bench->dev, bench->cells, &bench->reading);
}

/* A packed message: the counter and a value. */
static void send(struct bench *bench, float count, float value)
{
	unsigned char bytes[14] = "#18";
	float values[2] = { count, value };

	/* The meter is little endian; so is what tests run on, or the values
	 * below would differ. */
	for (int i = 0; i < 2; i++) {
		uint32_t bits;

		memcpy(&bits, &values[i], 4);
		for (int k = 0; k < 4; k++)
			bytes[3 + 4 * i + k] = (unsigned char)(bits >> 8 * k);
	}
	bytes[11] = '\n';
	g_string_append_len(bench->meter.output, (char *)bytes, 12);
}

/* ---- Configuration ----------------------------------------------------- */

static void testResolve(void)
{
	static const struct {
		const char *channel;
		size_t index;
		int ret;
		unsigned int number;
	} rows[] = {
		{ "1", 0, 0, 1 },         { "4", 0, 0, 4 },
		{ "1", 1, -ENOENT, 0 },   { "0", 0, -EINVAL, 0 },
		{ "5", 0, -EINVAL, 0 },   { "", 0, -EINVAL, 0 },
		{ "11", 0, -EINVAL, 0 },  { "-1", 0, -EINVAL, 0 },
		{ NULL, 0, -EINVAL, 0 },  { "*", 0, 0, 1 },
		{ "*", 3, 0, 4 },         { "*", 4, -ENOENT, 0 },
		{ "one", 0, -EINVAL, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		char label[PT_CHANNEL_MAX] = "", why[64] = "";
		unsigned int number = 0;

		g_assert_cmpint(driver->resolve(NULL, rows[i].channel,
						rows[i].index, &number, label,
						why, sizeof(why)),
				==, rows[i].ret);
		g_assert_cmpuint(number, ==, rows[i].number);
		if (rows[i].ret == 0)
			g_assert_cmpint(atoi(label), ==, (int)number);
		if (rows[i].ret == -EINVAL)
			g_assert_cmpstr(why, ==,
					"unknown input; expected 1 to 4");
	}
}

static void testOptions(void)
{
	char why[64];

	g_assert_cmpint(driver->checkOption("mode", "packed", why, 64), ==, 0);
	g_assert_cmpint(driver->checkOption("mode", "ASCII", why, 64), ==, 0);
	g_assert_cmpint(driver->checkOption("mode", "off", why, 64), ==,
			-EINVAL);
	g_assert_cmpstr(why, ==, "expected packed or ascii");
	g_assert_cmpint(driver->checkOption("counter", "off", why, 64), ==, 0);
	g_assert_cmpint(driver->checkOption("counter", "AUTO", why, 64), ==, 0);
	g_assert_cmpint(driver->checkOption("counter", "on", why, 64), ==, 0);
	g_assert_cmpint(driver->checkOption("counter", "no", why, 64), ==,
			-EINVAL);
	g_assert_cmpstr(why, ==, "expected auto, on or off");
}

/* ---- Dialogues --------------------------------------------------------- */

static void testDialogue(void)
{
	struct bench bench;

	benchInit(&bench, "Utrms1 Itrms1 P1 S2 Q2 PF3 Freq4 EP4", NULL);
	g_assert_cmpint(benchOpen(&bench), ==, 0);
	g_assert_cmpstr(bench.meter.log->str, ==,
			"(break)\n(drain)\n(flush)\n*CLS\n*RST\n"
			":SYSTem:LANGuage SHORT\n*CLS\n*IDN?\n"
			"CYCL 0.050000\n"
			"INIM;COUNT?;UTRMS1?;ITRMS1?;P1?;S2?;Q2?;PF3?;FREQ4?;"
			"EP4?\n"
			"ACTN;COUNT?;UTRMS1?;ITRMS1?;P1?;S2?;Q2?;PF3?;FREQ4?;"
			"EP4?\n"
			"CYCL 0.100000\nERRALL?\n");
	g_assert_cmpstr(bench.columns[7].source, ==, IDENTITY);
	g_string_truncate(bench.meter.log, 0);
	g_assert_cmpint(driver->start(&bench.dev), ==, 0);
	g_assert_cmpstr(bench.meter.log->str, ==,
			"(flush)\nFRMT PACKED\nCONT ON\n");
	g_string_truncate(bench.meter.log, 0);
	g_string_append(bench.meter.output, "on its way");
	g_assert_cmpint(driver->stop(&bench.dev), ==, 0);
	g_assert_cmpstr(bench.meter.log->str, ==,
			"CONT OFF\n(drain)\n(flush)\nFRMT ASCII\n");
	g_assert_cmpuint(bench.meter.output->len, ==, 0);
	g_assert_cmpint(driver->start(&bench.dev), ==, 0);
	g_string_truncate(bench.meter.log, 0);
	driver->close(&bench.dev);
	g_assert_cmpstr(bench.meter.log->str, ==,
			"CONT OFF\n(drain)\n(flush)\nFRMT ASCII\nERRALL?\n"
			"(break)\n*CLS\n*RST\nGTL\n(drain)\n");
	g_assert_null(bench.dev.state);
	g_assert_cmpuint(said->len, ==, strlen("3 lmg450: " IDENTITY "\n"));
	/* No step of this waits for long. */
	g_assert_cmpint(bench.meter.longestNs, <=, 2000 * MS);
	benchClear(&bench);
}

/* Without BREAK, and in ASCII, and without the counter. */
static void testOtherDialogue(void)
{
	static const char *const options[] = { "mode", "ascii", "counter",
					       "off", NULL };
	struct bench bench;

	benchInit(&bench, "P1", options);
	bench.meter.hasBreak = false;
	bench.dev.setup.cycleNs = 60000 * MS;
	g_assert_cmpint(benchOpen(&bench), ==, 0);
	g_assert_cmpstr(bench.meter.log->str, ==,
			"CONT OFF\n(drain)\n(flush)\n*CLS\n*RST\n"
			":SYSTem:LANGuage SHORT\n*CLS\n*IDN?\n"
			"CYCL 0.050000\nINIM;P1?\n"
			"ACTN;P1?\nCYCL 60.000000\nERRALL?\n");
	g_assert_cmpint(driver->start(&bench.dev), ==, 0);
	g_assert_true(g_str_has_suffix(bench.meter.log->str,
				       "FRMT ASCII\nCONT ON\n"));
	benchClear(&bench);
}

/* No BREAK came through to a meter that was left with packed replies. */
static void testAwakening(void)
{
	struct bench bench;

	benchInit(&bench, "P1", NULL);
	bench.meter.command = "*IDN?";
	bench.meter.answer = "#500003abc\n";
	g_assert_cmpint(benchOpen(&bench), ==, -ETIMEDOUT);
	g_assert_nonnull(strstr(bench.meter.log->str,
				"*IDN?\nCONT OFF\nFRMT ASCII\n"
				":SYSTem:LANGuage SHORT\n*CLS\n"
				"(drain)\n(flush)\n*IDN?\n"));
	benchClear(&bench);
}

/* ---- Failures ---------------------------------------------------------- */

static const struct failure {
	const char *name, *command, *answer;
	int ret;
	const char *said;
} failures[] = {
	{ "no identity", "*IDN?", NULL, -ETIMEDOUT, "no answer to *IDN?" },
	{ "half an identity", "*IDN?", "ZES ZIMMER,LMG4", -ETIMEDOUT,
	  "no answer to *IDN?" },
	{ "another meter", "*IDN?", "ZES ZIMMER,LMG95,1,2\n", -ENXIO,
	  "not an LMG450: \"ZES ZIMMER,LMG95,1,2\"" },
	{ "an echo", "*IDN?", "*IDN?\n" IDENTITY "\n", -ENXIO,
	  "not an LMG450: \"*IDN?\"" },
	{ "no reading", "INIM", NULL, -ETIMEDOUT,
	  "the meter sent no test reading" },
	{ "a short reading", "INIM", "7\n", -EPROTO,
	  "test reading: the ASCII values" },
	{ "a long reading", "INIM", "7;1;2\n", -EPROTO,
	  "test reading: the ASCII values" },
	{ "a reading that is none", "INIM", "7;high\n", -EPROTO,
	  "test reading: the ASCII values" },
	{ "a packed reading", "INIM", "#18abcdabcd\n", -EPROTO,
	  "test reading: there is a block" },
	{ "no errors", "ERRALL?", NULL, -ETIMEDOUT, "no answer to ERRALL?" },
	{ "an error", "ERRALL?", "-222,\"Data out of range\"\n", -EPROTO,
	  "refused the setup: -222,\"Data out of range\"" },
	{ "errors", "ERRALL?", "-113,\"Undefined\nheader\",-222,\"x\"\n",
	  -EPROTO, "refused the setup: -113,\"Undefined?header\",-222,\"x\"" },
	{ "no error", "ERRALL?", "+0,\"No error\"\n", 0, "" },
	{ "no error, briefly", "ERRALL?", "0\n", 0, "" },
	{ "no error, more so", "ERRALL?", "\n", 0, "" },
};

static void testFailure(gconstpointer data)
{
	const struct failure *failure = data;
	struct bench bench;

	for (size_t step = 1; step <= 4096; step *= 64) {
		benchInit(&bench, "P1", NULL);
		bench.meter.step = step;
		bench.meter.command = failure->command;
		bench.meter.answer = failure->answer;
		g_assert_cmpint(benchOpen(&bench), ==, failure->ret);
		assertSaid(failure->said);
		g_assert_cmpint(bench.meter.longestNs, <=, 2000 * MS);
		if (failure->ret)
			g_assert_null(bench.dev.state);
		benchClear(&bench);
	}
}

/* A command that the meter does not know is told. */
static void testUnknownCommand(void)
{
	struct bench bench;

	benchInit(&bench, "P1", NULL);
	bench.meter.command = "INIM";
	bench.meter.errors = "-113,\"Undefined header\"\n";
	g_assert_cmpint(benchOpen(&bench), ==, -EPROTO);
	assertSaid("cannot request a test reading: -113,\"Undefined header\"");
	benchClear(&bench);
}

/* The whole life of a device. */
static int live(struct bench *bench)
{
	int ret = benchOpen(bench), first;

	if (ret < 0)
		return ret;
	first = driver->start(&bench->dev);
	for (int i = 0; i < 3; i++) {
		send(bench, (float)i, 1.5f);
		ret = benchRead(bench);
		first = first ? first : ret;
	}
	ret = driver->stop(&bench->dev);
	first = first ? first : ret;
	driver->close(&bench->dev);
	return first;
}

/* The line breaks at each step; the error comes back, and no call waits. */
static void testLineBreaks(void)
{
	static const int errors[] = { -ENODEV, -EIO, -EINTR };
	struct bench bench;
	int count;

	benchInit(&bench, "P1 Utrms2", NULL);
	live(&bench);
	count = bench.meter.calls;
	g_assert_cmpint(count, >, 20);
	benchClear(&bench);
	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		for (int at = 0; at < count; at++) {
			int ret;

			benchInit(&bench, "P1", NULL);
			bench.meter.failAt = at;
			bench.meter.error = errors[i];
			ret = live(&bench);
			/* What fails last is not noticed by anybody. */
			g_assert_true(ret == errors[i] ||
				      (ret == 0 && at > 20) ||
				      (ret == -EPROTO && at > 20));
			benchClear(&bench);
		}
	}
}

/* The meter falls silent at each step. */
static void testFallsSilent(void)
{
	struct bench bench;
	int count;

	benchInit(&bench, "P1", NULL);
	g_assert_cmpint(live(&bench), ==, 0);
	count = bench.meter.calls;
	benchClear(&bench);
	for (int at = 0; at < count; at++) {
		int ret;

		benchInit(&bench, "P1", NULL);
		bench.meter.silentFrom = at;
		ret = live(&bench);
		g_assert_true(ret == -ETIMEDOUT || (ret == 0 && at > 15));
		g_assert_cmpint(bench.meter.longestNs, <=, 2000 * MS);
		benchClear(&bench);
	}
}

/* Nothing is waited for beyond the deadline, but for a step that has begun. */
static void testDeadline(void)
{
	struct bench bench;

	benchInit(&bench, "P1", NULL);
	bench.meter.command = "*IDN?";
	bench.dev.setup.deadlineNs = hdMonotonicNow() + 1200 * MS;
	g_assert_cmpint(benchOpen(&bench), ==, -ETIMEDOUT);
	g_assert_cmpint(bench.meter.longestNs, <=, 500 * MS);
	benchClear(&bench);
}

/* More than the meter can be asked for at once. */
static void testTooMany(void)
{
	struct bench bench;
	struct ptColumn columns[100];

	benchInit(&bench, "P1", NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
		columns[i] = bench.columns[0];
	g_assert_cmpint(driver->open(&bench.dev, columns, 64), ==, -E2BIG);
	assertSaid("64 values requested");
	g_assert_cmpint(driver->open(&bench.dev, columns, 100), ==, -E2BIG);
	g_assert_cmpint(driver->open(&bench.dev, columns, 63), ==, 0);
	benchClear(&bench);
}

/* Who waits for a meter is woken up, but who stops it is not: what it says at
 * its end is heard. */
static void testWake(void)
{
	struct bench bench;

	benchStart(&bench, "P1", NULL);
	bench.meter.transport.wakeFd = bench.dev.setup.wakeFd = 7;
	g_assert_cmpint(benchRead(&bench), ==, -EINTR);
	g_assert_cmpint(driver->stop(&bench.dev), ==, 0);
	g_assert_cmpint(bench.meter.transport.wakeFd, ==, 7);
	bench.meter.errors = "-350,\"Queue overflow\"\n";
	driver->close(&bench.dev);
	assertSaid("errors since setup: -350,\"Queue overflow\"");
	g_assert_cmpint(benchOpen(&bench), ==, -EINTR);
	benchClear(&bench);
}

/* ---- Is there a counter? ------------------------------------------------ */

#define TRIALS 2
#define STEPS 12

static const struct trialRow {
	const char *name;
	/* What COUNT? says, with cycles of 50 ms and of 150 ms; 0 ends it. */
	double counts[TRIALS][STEPS];
	/* Or whole messages, in ASCII. */
	const char *texts;
	const char *said; /* Why it is no counter, or NULL if it is one. */
	int believed;     /* Readings, if nobody tries it. */
} trialRows[] = {
	{ "cycles", { { 1, 2, 3, 4 }, { 9, 10 } }, NULL, NULL, 4 },
	{ "around",
	  { { 65533, 65534, 65535, 65536 }, { 65535, 65536 } },
	  NULL,
	  NULL,
	  4 },
	{ "one lost", { { 7, 9, 10, 11, 12 }, { 20, 22, 23 } }, NULL, NULL, 5 },
	{ "always 0",
	  { { 65536, 65536, 65536, 65536, 65536, 65536, 65536, 65536 } },
	  NULL,
	  "it stays at 0",
	  1 },
	{ "stuck", { { 5, 5, 5, 5, 5, 5, 5, 5 } }, NULL, "it stays at 5", 1 },
	{ "stuck after a while",
	  { { 5, 6, 7, 7, 7, 7, 7, 7 } },
	  NULL,
	  "it stays at 7",
	  3 },
	{ "back",
	  { { 9, 8, 7, 6, 5, 4, 3, 2 } },
	  NULL,
	  "changes from 3 to 2",
	  1 },
	{ "halves", { { 1, 1, 2, 2, 3, 3, 4, 4 } }, NULL, "it stays at 4", 4 },
	{ "doubles",
	  { { 1, 3, 5, 7, 9, 11, 13, 15 } },
	  NULL,
	  "changes from 13 to 15",
	  8 },
	{ "a clock",
	  { { 1, 2, 3, 4 }, { 10, 13, 16, 19, 22, 25, 28, 31 } },
	  NULL,
	  "changes from 28 to 31",
	  4 },
	{ "fractions",
	  { { 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5 } },
	  NULL,
	  "not a number from 0 to 65535",
	  0 },
	{ "negative",
	  { { -9, -8, -7, -6, -5, -4, -3, -2 } },
	  NULL,
	  "not a number from 0 to 65535",
	  0 },
	{ "too large",
	  { { 70001, 70002, 70003, 70004, 70005, 70006, 70007, 70008 } },
	  NULL,
	  "not a number from 0 to 65535",
	  0 },
	{ "an error",
	  { { 0 } },
	  "-113,\"Undefined header\";2\n",
	  "with the counter: ",
	  0 },
	{ "an error alone",
	  { { 0 } },
	  "-113,\"Undefined header\"\n",
	  "with the counter: ",
	  0 },
	{ "an empty value",
	  { { 0 } },
	  ";2\n;2\n;2\n;2\n",
	  "with the counter: ",
	  0 },
	{ "no value", { { 0 } }, "2\n2\n2\n2\n", "with the counter: ", 0 },
	{ "the values again",
	  { { 0 } },
	  "2;3;2\n2;3;2\n",
	  "with the counter: ",
	  0 },
	{ "once for each channel",
	  { { 0 } },
	  "7;7;7;7;2\n8;8;8;8;2\n",
	  "with the counter: ",
	  0 },
	{ "nothing", { { 0 } }, "", "with the counter, no reply arrives", 0 },
	{ "no time", { { 1, 2 } }, NULL, "the test timed out", 2 },
};

/* Messages of a trial, with two values each: packed, or in ASCII. */
static GString *trialMessages(const double *counts, bool isPacked)
{
	GString *text = g_string_new(NULL);

	for (int i = 0; i < STEPS && counts[i] != 0; i++) {
		float count = (float)(counts[i] == 65536 ? 0 : counts[i]);
		uint32_t bits;

		memcpy(&bits, &count, sizeof(bits));
		bits = GUINT32_TO_LE(bits);
		if (isPacked) {
			g_string_append(text, "#500008");
			g_string_append_len(text, (char *)&bits, 4);
			g_string_append_len(text, "\0\0\0\x40\n", 5);
		} else {
			char number[G_ASCII_DTOSTR_BUF_SIZE];

			g_ascii_formatd(number, sizeof(number), "%.1f",
					(double)count);
			g_string_append_printf(text, "%s;2.0E+00\n", number);
		}
	}
	return text;
}

/* What is programmed in the end. */
static const char *lastAction(const struct bench *bench)
{
	return g_strrstr(bench->meter.log->str, "ACTN;");
}

static void tryRow(const struct trialRow *row, bool isPacked,
		   const char *option)
{
	const char *options[] = { "mode", isPacked ? "packed" : "ascii",
				  option ? "counter" : NULL, option, NULL };
	GString *trials[TRIALS + 1] = { NULL };
	bool counts = !row->said && g_strcmp0(option, "off") != 0;
	struct bench bench;

	for (int i = 0; i < TRIALS; i++)
		trials[i] = row->texts
				    ? g_string_new(i == 0 ? row->texts : "")
				    : trialMessages(row->counts[i], isPacked);
	benchInit(&bench, "P1", options);
	bench.meter.trials = trials;
	g_assert_cmpint(benchOpen(&bench), ==, 0);
	g_assert_cmpstr(bench.dev.found.gapsFoundBy, ==,
			counts ? "counter" : "time");
	g_assert_true(
		g_str_has_prefix(lastAction(&bench),
				 counts ? "ACTN;COUNT?;P1?\n" : "ACTN;P1?\n"));
	if (g_strcmp0(option, "off") == 0) {
		/* It is not even asked. */
		g_assert_null(strstr(bench.meter.log->str, "COUNT?"));
		g_assert_null(strstr(said->str, "COUNT?"));
	} else if (row->said) {
		assertSaid(row->said);
		/* What it thinks of COUNT? is no error of the set-up. */
		g_assert_nonnull(strstr(bench.meter.log->str,
					"FRMT ASCII\n*CLS\nACTN;P1?\n"));
	} else {
		g_assert_null(strstr(said->str, "COUNT?"));
	}
	benchClear(&bench);
	for (int i = 0; i < TRIALS; i++)
		g_string_free(trials[i], TRUE);
}

static void testTrial(gconstpointer data)
{
	const struct trialRow *row = data;

	for (int isPacked = 0; isPacked <= 1; isPacked++) {
		tryRow(row, isPacked, NULL);
		tryRow(row, isPacked, "auto");
		tryRow(row, isPacked, "off");
	}
}

/* Who insists on it: it is not tried, and what it says then is believed if it
 * can be; what cannot be is a broken message each time. */
static void testInsist(gconstpointer data)
{
	const struct trialRow *row = data;

	for (int isPacked = 0; isPacked <= 1; isPacked++) {
		const char *options[] = { "mode", isPacked ? "packed" : "ascii",
					  BELIEVED, NULL };
		GString *text =
			row->texts ? g_string_new(row->texts)
				   : trialMessages(row->counts[0], isPacked);
		struct bench bench;
		int good = 0, ret;

		benchStart(&bench, "P1", options);
		g_assert_cmpstr(bench.dev.found.gapsFoundBy, ==, "counter");
		g_string_append_len(bench.meter.output, text->str,
				    (gssize)text->len);
		for (ret = 0; ret == 0 || ret == -EPROTO;) {
			ret = benchRead(&bench);
			good += ret == 0;
		}
		g_assert_cmpint(ret, ==, -ETIMEDOUT);
		/* Each that is another number than before. */
		g_assert_cmpint(good, ==, row->believed);
		if (good < 2 && text->len > 0 && row->said)
			assertSaid("a broken reply (number 1)");
		benchClear(&bench);
		g_string_free(text, TRUE);
	}
}

/* The dialogue; and that a meter without a counter has no Count. */
static void testTrialDialogue(void)
{
	static const char *const automatic[] = { NULL };
	static const char *const off[] = { "counter", "off", NULL };
	GString *good[] = { trialMessages(trialRows[0].counts[0], true),
			    trialMessages(trialRows[0].counts[1], true), NULL };
	GString *none[] = { g_string_new("0\n"), NULL };
	struct bench bench;

	benchInit(&bench, "P1", automatic);
	bench.meter.trials = good;
	g_assert_cmpint(benchOpen(&bench), ==, 0);
	g_assert_true(
		g_str_has_suffix(bench.meter.log->str,
				 "*IDN?\nCYCL 0.050000\nINIM;P1?\n"
				 "ACTN;COUNT?;P1?\n"
				 "CYCL 0.050000\nFRMT PACKED\nCONT ON\n"
				 "CONT OFF\n(drain)\n(flush)\nFRMT ASCII\n"
				 "CYCL 0.150000\nFRMT PACKED\nCONT ON\n"
				 "CONT OFF\n(drain)\n(flush)\nFRMT ASCII\n"
				 "ACTN;COUNT?;P1?\nCYCL 0.100000\nERRALL?\n"));
	benchClear(&bench);

	benchInit(&bench, "Count1 P1", automatic);
	bench.meter.trials = none;
	g_assert_cmpint(benchOpen(&bench), ==, 0);
	assertSaid("found by time, and Count is unknown");
	g_assert_cmpint(driver->start(&bench.dev), ==, 0);
	g_string_append_len(bench.meter.output, "#14\0\0\0\x40\n", 8);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_true(isnan(bench.cells[0].f));
	g_assert_cmpfloat(bench.cells[1].f, ==, 2);
	benchClear(&bench);

	/* With it, but not to find gaps. */
	benchInit(&bench, "Count1 P1", off);
	bench.meter.trials = good;
	g_assert_cmpint(benchOpen(&bench), ==, 0);
	g_assert_cmpstr(bench.dev.found.gapsFoundBy, ==, "time");
	g_assert_cmpint(driver->start(&bench.dev), ==, 0);
	send(&bench, 10, 2);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpfloat(bench.cells[0].f, ==, 10);
	send(&bench, 20, 2);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpfloat(bench.cells[0].f, ==, 20);
	g_assert_cmpuint(bench.reading.lost, ==, 0);
	benchClear(&bench);

	benchInit(&bench, "Count1", automatic);
	bench.meter.trials = none;
	g_assert_cmpint(benchOpen(&bench), ==, -ENXIO);
	assertSaid("no other value is configured");
	benchClear(&bench);
	g_string_free(good[0], TRUE);
	g_string_free(good[1], TRUE);
	g_string_free(none[0], TRUE);
}

/* The line breaks while the counter is tried. */
static void testTrialBreaks(void)
{
	static const char *const automatic[] = { NULL };
	static const int errors[] = { -ENODEV, -EINTR };
	GString *good[] = { trialMessages(trialRows[0].counts[0], true),
			    trialMessages(trialRows[0].counts[1], true), NULL };
	struct bench bench;
	int count;

	benchInit(&bench, "P1", automatic);
	bench.meter.trials = good;
	g_assert_cmpint(benchOpen(&bench), ==, 0);
	count = bench.meter.calls;
	benchClear(&bench);
	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		for (int at = 0; at < count; at++) {
			benchInit(&bench, "P1", automatic);
			bench.meter.trials = good;
			bench.meter.failAt = at;
			bench.meter.error = errors[i];
			g_assert_cmpint(benchOpen(&bench), ==, errors[i]);
			g_assert_null(bench.dev.state);
			benchClear(&bench);
		}
	}
	g_string_free(good[0], TRUE);
	g_string_free(good[1], TRUE);
}

/* ---- Readings ---------------------------------------------------------- */

/* Channels 1 to 4, 1 to 9 values, all forms: each gets what is its own. */
static void testValues(void)
{
	static const char *const names[] = { "Utrms", "Itrms", "P",
					     "S",     "Q",     "PF",
					     "Freq",  "EP",    "Count" };
	static const char *const modes[][5] = {
		{ "mode", "packed", BELIEVED, NULL },
		{ "mode", "packed", BELIEVED, NULL },
		{ "mode", "ascii", BELIEVED, NULL },
	};

	for (int form = 0; form < 3; form++) {
		for (int channels = 1; channels <= 4; channels++) {
			for (int values = 1; values <= 9; values++) {
				GString *list = g_string_new(NULL);
				struct bench bench;
				GString *out;
				int sent = 1;

				for (int c = 1; c <= channels; c++) {
					for (int v = 0; v < values; v++)
						g_string_append_printf(
							list, "%s%s%d",
							list->len ? " " : "",
							names[v], c);
				}
				benchStart(&bench, list->str, modes[form]);
				g_string_free(list, TRUE);
				out = bench.meter.output;
				for (size_t i = 0; i < bench.count; i++)
					sent += strcmp(bench.columns[i]
							       .quantity->name,
						       "Count") != 0;
				if (form == 0)
					g_string_append_printf(out, "#3%03d",
							       4 * sent);
				for (int i = 0; i < sent; i++) {
					float value = (float)(100 + i);
					uint32_t bits;

					memcpy(&bits, &value, 4);
					bits = GUINT32_TO_LE(bits);
					if (form == 1)
						g_string_append(out, "#14");
					if (form == 2)
						g_string_append_printf(
							out, "%s%d.0E+00",
							i ? ";" : "", 100 + i);
					else
						g_string_append_len(
							out, (char *)&bits, 4);
				}
				g_string_append_c(out, '\n');
				bench.meter.step = (size_t)(values + channels);
				g_assert_cmpint(benchRead(&bench), ==, 0);
				sent = 1;
				for (size_t i = 0; i < bench.count; i++) {
					bool isCount =
						strcmp(bench.columns[i]
							       .quantity->name,
						       "Count") == 0;

					g_assert_cmpfloat(
						bench.cells[i].f, ==,
						isCount ? 100 : 100 + sent++);
				}
				g_assert_cmpint(bench.reading.lengthNs, ==,
						100 * MS);
				g_assert_cmpuint(bench.reading.lost, ==, 0);
				benchClear(&bench);
			}
		}
	}
}

/* Whatever a single's bits are, they come through; but what SCPI has for what
 * is no number is one. */
static void testBits(void)
{
	static const struct {
		float sent;
		uint32_t got;
	} scpi[] = {
		{ 9.91e37f, 0x7fc00000 },
		{ 9.9e37f, 0x7f800000 },
		{ -9.9e37f, 0xff800000 },
	};
	struct bench bench;
	uint32_t bits;

	benchStart(&bench, "P1", NULL);
	for (uint32_t i = 0; i < 1024; i++) {
		char message[] = "#18cccc\0\0\0\0\n";
		float count = (float)i;
		uint32_t pattern = (i & 0xff) << 8 * (i >> 8);

		memcpy(&bits, &count, 4);
		bits = GUINT32_TO_LE(bits);
		memcpy(message + 3, &bits, 4);
		/* Signalling ones among them. */
		pattern ^= i & 1 ? 0x7f812345 : 0x0d0a2311;
		bits = GUINT32_TO_LE(pattern);
		memcpy(message + 7, &bits, 4);
		g_string_append_len(bench.meter.output, message, 12);
		g_assert_cmpint(benchRead(&bench), ==, 0);
		memcpy(&bits, &bench.cells[0], 4);
		g_assert_cmphex(bits, ==, pattern);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(scpi); i++) {
		send(&bench, (float)(1024 + i), scpi[i].sent);
		g_assert_cmpint(benchRead(&bench), ==, 0);
		memcpy(&bits, &bench.cells[0], 4);
		g_assert_cmphex(bits, ==, scpi[i].got);
	}
	benchClear(&bench);
}

/* Counters of messages, and the cycles that are missing between them. */
static void testCounter(void)
{
	static const struct {
		float count;
		int lost; /* Or a negative errno value. */
		const char *said;
	} rows[] = {
		{ 65530, 0, "" },
		{ 65531, 0, "" },
		{ 65535, 3, "" },
		{ 0, 0, "" },
		{ 3, 2, "" },
		{ 1000, 996, "" },
		{ 1001.5f, -EPROTO, "its cycle counter is invalid" },
		{ 65536, -EPROTO, "its cycle counter is invalid" },
		{ -1, -EPROTO, "its cycle counter is invalid" },
		{ NAN, -EPROTO, "its cycle counter is invalid" },
		{ 1003, 2, "" },
		/* Set by somebody, not lost: no time has passed. */
		{ 30000, 0, "the cycle counter went from 1003 to 30000" },
		{ 30001, 0, "" },
		{ 7, 0, "the cycle counter went from 30001 to 7" },
		{ 8, 0, "" },
	};
	struct bench bench;

	benchStart(&bench, "P1", NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_string_truncate(said, 0);
		send(&bench, rows[i].count, (float)i);
		if (rows[i].lost < 0) {
			g_assert_cmpint(benchRead(&bench), ==, rows[i].lost);
		} else {
			g_assert_cmpint(benchRead(&bench), ==, 0);
			g_assert_cmpuint(bench.reading.lost, ==,
					 (guint64)rows[i].lost);
			g_assert_cmpfloat(bench.cells[0].f, ==, (float)i);
		}
		assertSaid(rows[i].said);
	}
	benchClear(&bench);
}

/* What comes twice, or behind its time, is passed over. */
static void testDoubled(void)
{
	struct bench bench;

	benchStart(&bench, "P1", NULL);
	send(&bench, 10, 1);
	send(&bench, 10, 2);
	send(&bench, 12, 3);
	send(&bench, 11, 4);
	send(&bench, 13, 5);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpfloat(bench.cells[0].f, ==, 1);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpfloat(bench.cells[0].f, ==, 3);
	g_assert_cmpuint(bench.reading.lost, ==, 1);
	assertSaid("duplicate or out of order");
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpfloat(bench.cells[0].f, ==, 5);
	g_assert_cmpuint(bench.reading.lost, ==, 0);
	benchClear(&bench);
}

/* Broken messages: told, discarded, and the next one is read. */
static void testBroken(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *said;
	} rows[] = {
		{ "#17aaaabbb\n", 11, "less data" },
		{ "#19aaaabbbbc\n", 13, "more data" },
		{ "#500024aaaabbbb\n", 16, "more data" },
		{ "2.3195E+02;1.0950E+02\n", 22, "missing block" },
		{ "#18aaaabbbbx\n", 13, "a block is not followed" },
		{ "\n", 1, "missing block" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct bench bench;

		benchStart(&bench, "P1", NULL);
		send(&bench, 1, 1);
		g_string_append_len(bench.meter.output, rows[i].bytes,
				    (gssize)rows[i].size);
		send(&bench, 3, 3);
		g_assert_cmpint(benchRead(&bench), ==, 0);
		memset(bench.cells, 0x55, sizeof(bench.cells));
		g_assert_cmpint(benchRead(&bench), ==, -EPROTO);
		g_assert_cmpint(bench.cells[0].i, ==, 0x5555555555555555);
		assertSaid(rows[i].said);
		g_assert_cmpint(benchRead(&bench), ==, 0);
		g_assert_cmpfloat(bench.cells[0].f, ==, 3);
		g_assert_cmpuint(bench.reading.lost, ==, 1);
		benchClear(&bench);
		assertSaid("1 broken replies");
	}
}

/* Silence: twice it may help to try again, then the meter is gone; and how long
 * it may last depends on the cycle. */
static void testSilence(void)
{
	static const struct {
		int64_t cycleNs, waitNs;
	} rows[] = {
		{ 50 * MS, 1050 * MS },
		{ 2000 * MS, 3000 * MS },
		{ 60000 * MS, 90000 * MS },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct bench bench;

		benchInit(&bench, "P1", NULL);
		bench.dev.setup.cycleNs = rows[i].cycleNs;
		g_assert_cmpint(benchOpen(&bench), ==, 0);
		g_assert_cmpint(driver->start(&bench.dev), ==, 0);
		bench.meter.longestNs = 0;
		g_assert_cmpint(benchRead(&bench), ==, -ETIMEDOUT);
		assertSaid("no reply for ");
		g_assert_cmpint(bench.meter.longestNs, <=, rows[i].waitNs);
		g_assert_cmpint(bench.meter.longestNs, >, rows[i].cycleNs);
		g_assert_cmpint(benchRead(&bench), ==, -ETIMEDOUT);
		send(&bench, 1, 1);
		g_assert_cmpint(benchRead(&bench), ==, 0);
		g_assert_cmpint(benchRead(&bench), ==, -ETIMEDOUT);
		g_assert_cmpint(benchRead(&bench), ==, -ETIMEDOUT);
		g_assert_cmpint(benchRead(&bench), ==, -ENODEV);
		assertSaid("no reply for 3 times");
		benchClear(&bench);
	}
}

/* Errors that have come up meanwhile are told at the end. */
static void testErrorsAtEnd(void)
{
	struct bench bench;

	benchStart(&bench, "P1", NULL);
	bench.meter.errors = "-350,\"Queue overflow\"\n";
	driver->close(&bench.dev);
	assertSaid("errors since setup: -350,\"Queue overflow\"");
	benchClear(&bench);
}

/* ---- Time -------------------------------------------------------------- */

static int64_t fakeNs;

static int fakeClock(clockid_t clock, struct timespec *now)
{
	(void)clock;
	now->tv_sec = (time_t)(fakeNs / HD_NS_PER_S);
	now->tv_nsec = (long)(fakeNs % HD_NS_PER_S);
	return 0;
}

/* The end of a cycle lies before its message, by the time that took. */
static void testTransfer(void)
{
	struct bench bench;
	int64_t before, after;

	benchStart(&bench, "P1", NULL);
	before = hdClockNow();
	send(&bench, 1, 1);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	after = hdClockNow();
	/* 12 bytes of 10 bits at 57600 baud are 2.08 ms. */
	g_assert_cmpint(bench.reading.endNs, >=, before - 2084 * MS / 1000);
	g_assert_cmpint(bench.reading.endNs, <=, after - 2083 * MS / 1000);
	benchClear(&bench);
}

/* The clock is set back: times do not decrease. Forward: it is followed. */
static void testClockSet(void)
{
	struct bench bench;
	int64_t last;

	fakeNs = INT64_C(1700000000) * HD_NS_PER_S;
	hdClockUse(fakeClock);
	benchStart(&bench, "P1", NULL);
	send(&bench, 1, 1);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	last = bench.reading.endNs;
	g_assert_cmpint(last, <=, fakeNs);
	fakeNs -= 3600 * HD_NS_PER_S;
	for (int i = 2; i < 5; i++) {
		g_string_truncate(said, 0);
		send(&bench, (float)i, 1);
		g_assert_cmpint(benchRead(&bench), ==, 0);
		g_assert_cmpint(bench.reading.endNs, ==, last);
		g_assert_cmpuint(bench.reading.lost, ==, 0);
		/* Told once. */
		if (i == 2)
			assertSaid("was set back by");
		g_assert_cmpuint(said->len, ==, 0);
	}
	fakeNs += 7200 * HD_NS_PER_S;
	send(&bench, 5, 1);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpint(bench.reading.endNs, >, last + 3599 * HD_NS_PER_S);
	g_assert_cmpint(bench.reading.endNs, <=, fakeNs);
	g_assert_cmpuint(bench.reading.lost, ==, 0);
	benchClear(&bench);
	hdClockUse(hdClockSteady);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	said = g_string_new(NULL);
	driver = ptDriverFind(ptDrivers, "lmg450");
	g_assert_nonnull(driver);
	ptLogger.level = HD_LOG_INFO;
	ptLogger.print = takeMessage;
	g_test_add_func("/lmg/resolve", testResolve);
	g_test_add_func("/lmg/options", testOptions);
	g_test_add_func("/lmg/dialogue", testDialogue);
	g_test_add_func("/lmg/other-dialogue", testOtherDialogue);
	g_test_add_func("/lmg/awakening", testAwakening);
	for (size_t i = 0; i < G_N_ELEMENTS(failures); i++) {
		char *path = g_strdup_printf("/lmg/open/%s", failures[i].name);

		g_test_add_data_func(path, &failures[i], testFailure);
		g_free(path);
	}
	g_test_add_func("/lmg/unknown-command", testUnknownCommand);
	g_test_add_func("/lmg/line-breaks", testLineBreaks);
	g_test_add_func("/lmg/falls-silent", testFallsSilent);
	g_test_add_func("/lmg/deadline", testDeadline);
	g_test_add_func("/lmg/too-many", testTooMany);
	g_test_add_func("/lmg/wake", testWake);
	for (size_t i = 0; i < G_N_ELEMENTS(trialRows); i++) {
		char *path =
			g_strdup_printf("/lmg/trial/%s", trialRows[i].name);

		g_test_add_data_func(path, &trialRows[i], testTrial);
		g_free(path);
		path = g_strdup_printf("/lmg/insist/%s", trialRows[i].name);
		g_test_add_data_func(path, &trialRows[i], testInsist);
		g_free(path);
	}
	g_test_add_func("/lmg/trial-dialogue", testTrialDialogue);
	g_test_add_func("/lmg/trial-breaks", testTrialBreaks);
	g_test_add_func("/lmg/values", testValues);
	g_test_add_func("/lmg/bits", testBits);
	g_test_add_func("/lmg/counter", testCounter);
	g_test_add_func("/lmg/doubled", testDoubled);
	g_test_add_func("/lmg/broken", testBroken);
	g_test_add_func("/lmg/silence", testSilence);
	g_test_add_func("/lmg/errors-at-end", testErrorsAtEnd);
	g_test_add_func("/lmg/transfer", testTransfer);
	g_test_add_func("/lmg/clock-set", testClockSet);
	return g_test_run();
}
