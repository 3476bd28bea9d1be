/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Meters that send frames in a cycle of their own: what is found out about that
 * cycle, and the times of readings. What becomes of damaged frames is
 * test-pt-dialogues.c's. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/meter/frames.h"
#include "common/clock.h"
#include "tests/pt/fakeport.h"

/* Frames are two bytes, of which the first is '#'. */
static int find(const void *format, const uint8_t *bytes, size_t size,
		size_t *length, const char **why)
{
	(void)format;
	*why = "no number sign";
	*length = bytes[0] == '#' ? 2 : 1;
	if (bytes[0] != '#')
		return -EPROTO;
	return size >= 2;
}

static const struct ptFraming framing = { .find = find, .frameMax = 2 };

static const struct ptDriver driver = { .name = "frames" };

struct bench {
	struct fakePort port;
	struct ptDevice dev;
	struct ptFrames stream;
	struct ptReading reading;
};

static void benchInit(struct bench *bench, int64_t cycleNs,
		      enum ptFramesRate rate)
{
	memset(bench, 0, sizeof(*bench));
	fakePortInit(&bench->port);
	bench->dev.driver = &driver;
	bench->dev.transport = &bench->port.transport;
	bench->dev.setup.wakeFd = -1;
	g_assert_cmpint(ptFramesInit(&bench->stream, &bench->dev, &framing,
				     NULL, 0, cycleNs, rate),
			==, 0);
	ptFramesStart(&bench->stream);
	softSaid("");
}

static void benchClear(struct bench *bench)
{
	ptFramesClear(&bench->stream);
	fakePortClear(&bench->port);
}

static int benchRead(struct bench *bench)
{
	return ptFramesRead(&bench->stream, &bench->dev, &bench->reading);
}

/* The same numbers every time. */
static int64_t chance(int64_t below)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (int64_t)((state >> 33) % (uint64_t)below);
}

/* A meter whose cycle is another one than was said. */
struct rate {
	const char *name;
	int64_t saidNs, isNs;
	int64_t jitterNs; /* Frames are late by up to this. */
	int64_t foundNs;  /* What is found, within a hundredth; or 0. */
};

static const struct rate rates[] = {
	{ "as said", 10 * MS, 10 * MS, 0, 0 },
	{ "as said, late", 10 * MS, 10 * MS, 16 * MS, 0 },
	{ "a little faster", 10 * MS, 9900000, 0, 0 },
	{ "a little slower", 10 * MS, 10100000, 0, 0 },
	{ "faster", 10 * MS, 9 * MS, 0, 9 * MS },
	{ "slower, late", 35714286, 40 * MS, 16 * MS, 40 * MS },
	{ "ten times faster", 10 * MS, MS, 0, MS },
	{ "ten times faster, late", 10 * MS, MS, 4 * MS, MS },
	{ "ten times slower", 10 * MS, 100 * MS, 0, 100 * MS },
};

/* Whatever was said, the lengths of readings become what they are, no frame is
 * said to be lost, and no time lies in the future. */
static void testRate(gconstpointer data)
{
	const struct rate *rate = data;
	int64_t trueNs = softNow(), sum = 0, lastNs = 0, firstNs = 0;
	const int count = 3000;
	struct bench bench;

	benchInit(&bench, rate->saidNs, PT_RATE_ABOUT);
	for (int i = 0; i < count; i++) {
		int64_t late = rate->jitterNs ? chance(rate->jitterNs) : 0;

		trueNs += rate->isNs;
		/* They come in order. */
		fakePortSay(
			&bench.port,
			MAX(trueNs + late - MAX(bench.port.lastNs, softNow()),
			    0),
			"#x");
		g_assert_cmpint(benchRead(&bench), ==, 0);
		g_assert_cmpuint(bench.reading.lost, ==, 0);
		g_assert_cmpint(bench.reading.endNs, >=, lastNs);
		g_assert_cmpint(bench.reading.endNs, <=, hdClockNow());
		lastNs = bench.reading.endNs;
		if (i == count / 2)
			firstNs = lastNs;
		if (i > count / 2)
			sum += bench.reading.lengthNs;
	}
	/* The lengths add up to the time that passed. */
	g_assert_cmpint(llabs(sum - (lastNs - firstNs)), <=,
			(lastNs - firstNs) / 100 + rate->jitterNs);
	g_assert_cmpint(llabs(bench.reading.lengthNs - rate->isNs), <=,
			rate->isNs / 100);
	g_assert_cmpint(llabs(bench.dev.found.cycleNs - rate->foundNs), <=,
			rate->foundNs / 100);
	benchClear(&bench);
}

/* What comes before the first frame, and what the host was too busy for. */
static void testBusy(void)
{
	struct bench bench;

	benchInit(&bench, 10 * MS, PT_RATE_EXACT);
	fakePortSay(&bench.port, 0, "xyz");
	fakePortSay(&bench.port, 5 * MS, "#1");
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_true(softIsSilent());
	/* A second nobody listens; then a hundred frames are there. */
	for (int i = 0; i < 100; i++)
		fakePortSay(&bench.port, 10 * MS, "#2");
	softPass(SECOND);
	for (int i = 0; i < 100; i++) {
		g_assert_cmpint(benchRead(&bench), ==, 0);
		g_assert_cmpuint(bench.reading.lost, ==, 0);
	}
	/* The meter is silent for half a second: fifty are missing. */
	fakePortSay(&bench.port, 510 * MS, "#3");
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpuint(bench.reading.lost, ==, 50);
	benchClear(&bench);
}

/* Garbage that never ends does not hold a read up for ever. */
static void testEndless(void)
{
	struct bench bench;
	int64_t began;

	benchInit(&bench, 10 * MS, PT_RATE_EXACT);
	for (int i = 0; i < 1000; i++)
		fakePortSay(&bench.port, 10 * MS, "xxxxxxxxxxxxxxxxxxxx");
	began = softNow();
	g_assert_cmpint(benchRead(&bench), ==, -ETIMEDOUT);
	g_assert_cmpint(softNow() - began, <=, 1100 * MS);
	g_assert_cmpint(benchRead(&bench), ==, -ETIMEDOUT);
	g_assert_true(softSaid("frames: no valid data for 1.0 s"));
	g_assert_cmpint(benchRead(&bench), ==, -ENODEV);
	g_assert_true(softSaid("check the meter and the speed"));
	benchClear(&bench);
}

/* A frame that the driver does not believe counts as lost. */
static void testReject(void)
{
	struct bench bench;

	benchInit(&bench, 10 * MS, PT_RATE_EXACT);
	for (int i = 0; i < 4; i++)
		fakePortSay(&bench.port, 10 * MS, "#1");
	g_assert_cmpint(benchRead(&bench), ==, 0);
	for (int i = 0; i < 2; i++) {
		g_assert_cmpint(benchRead(&bench), ==, 0);
		g_assert_cmpint(ptFramesReject(&bench.stream, "odd"), ==,
				-EPROTO);
		g_assert_true(softSaid("odd"));
	}
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpuint(bench.reading.lost, ==, 2);
	benchClear(&bench);
}

/* The clock is set back: times do not decrease. */
static void testClockSet(void)
{
	int (*clock)(clockid_t, struct timespec *) = hdClockRead;
	struct bench bench;
	int64_t last;

	benchInit(&bench, 10 * MS, PT_RATE_EXACT);
	for (int i = 0; i < 3; i++)
		fakePortSay(&bench.port, 10 * MS, "#1");
	g_assert_cmpint(benchRead(&bench), ==, 0);
	last = bench.reading.endNs;
	/* The true clock: that of the tests is years behind. */
	hdClockUse(hdClockSteady);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpint(bench.reading.endNs, >, last);
	last = bench.reading.endNs;
	hdClockUse(clock);
	g_assert_cmpint(benchRead(&bench), ==, 0);
	g_assert_cmpint(bench.reading.endNs, ==, last);
	benchClear(&bench);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	softInit();
	for (size_t i = 0; i < G_N_ELEMENTS(rates); i++) {
		char *path = g_strdup_printf("/frames/rate/%s", rates[i].name);

		g_test_add_data_func(path, &rates[i], testRate);
		g_free(path);
	}
	g_test_add_func("/frames/busy", testBusy);
	g_test_add_func("/frames/endless", testEndless);
	g_test_add_func("/frames/reject", testReject);
	g_test_add_func("/frames/clock-set", testClockSet);
	return g_test_run();
}
