/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What probes say of what was measured, with a clock that the test sets:
 * sums, extremes, variance and quantiles against the values themselves, and
 * sampling, decay and deadlines against what they are defined as. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <glib.h>

#include <hdProbe.h>

#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/decay.h"
#include "InstrumentationLibrary/src/core/memory.h"
#include "tests/probe/figures.h"

static struct hdProbe *timer(const char *name)
{
	struct hdProbe *probe = hdProbe_find(name, NULL, HDPROBE_KIND_TIMER);

	g_assert_nonnull(probe);
	return probe;
}

static void measure(struct hdProbe *probe, uint64_t ticks)
{
	uint64_t start = hdProbe_start(probe);

	now += ticks;
	hdProbe_stop(probe, start);
}

/* Within a part of what is expected. */
static void near(double value, double expected, double part)
{
	if (!(fabs(value - expected) <= fabs(expected) * part))
		g_error("%.17g is not %.17g", value, expected);
}

/* ---- Sums ------------------------------------------------------------------
 */

/* By hand: 10, 20, 60 ns have the mean 30 and the variance 700. */
static void sums(void)
{
	struct hdProbe *probe = timer("sums");
	struct hdProbeFigures is;

	measure(probe, 10);
	measure(probe, 60);
	measure(probe, 20);
	is = figuresOf("sums");
	g_assert_cmpuint(is.instances, ==, 3);
	g_assert_cmpuint(is.timed, ==, 3);
	near(is.body_s, 90e-9, 1e-12);
	near(is.mean_s, 30e-9, 1e-12);
	near(is.variance, 700e-18, 1e-12);
	near(is.min_s, 10e-9, 1e-12);
	near(is.max_s, 60e-9, 1e-12);
	g_assert_true(isnan(is.dispatch_s));
	g_assert_true(isnan(is.decayed_mean_s));
}

/* Sums of squares beyond 64 bits, whose differences are small. */
static void wideSums(void)
{
	struct hdProbe *probe = timer("wide");
	struct hdProbeFigures is;

	for (int i = 0; i < 1000; i++) {
		measure(probe, UINT64_C(4000000000000) + 1);
		measure(probe, UINT64_C(4000000000000) - 1);
	}
	is = figuresOf("wide");
	near(is.mean_s, 4000, 1e-12);
	near(is.variance, 2000.0 / 1999 * 1e-18, 1e-9);
}

static void nothing(void)
{
	struct hdProbe *probe = timer("nothing");
	struct hdProbeFigures is = figuresOf("nothing");

	g_assert_cmpuint(is.instances, ==, 0);
	g_assert_cmpfloat(is.body_s, ==, 0);
	g_assert_true(isnan(is.mean_s) && isnan(is.min_s) && isnan(is.p50_s) &&
		      isnan(is.variance));
	g_assert_true(isnan(hdProbe_quantile(probe, 0.5)));
	measure(probe, 7);
	is = figuresOf("nothing");
	g_assert_true(isnan(is.variance));
	near(is.p99_s, 7e-9, 1e-12);
}

/* A batch of 4 that took 10: 2, 2, 3, 3. */
static void batch(void)
{
	struct hdProbe *probe = timer("batch");
	uint64_t start = hdProbe_start(probe);
	struct hdProbeFigures is;

	now += 10;
	hdProbe_stop_n(probe, start, 4);
	hdProbe_stop_n(probe, start, 0);
	is = figuresOf("batch");
	g_assert_cmpuint(is.instances, ==, 4);
	near(is.body_s, 10e-9, 1e-12);
	near(is.mean_s, 2.5e-9, 1e-12);
	near(is.variance, 1.0 / 3 * 1e-18, 1e-9);
}

/* Off: nothing is counted, and what is open is completed. */
static void off(void)
{
	struct hdProbe *probe = timer("off");
	uint64_t start = hdProbe_start(probe);

	hdProbe_enable(0);
	measure(probe, 5);
	hdProbe_add(hdProbe_find("off bytes", "b", HDPROBE_KIND_TRANSFER), 5);
	now += 3;
	hdProbe_stop(probe, start);
	hdProbe_enable(1);
	g_assert_cmpuint(figuresOf("off").instances, ==, 1);
	near(figuresOf("off").body_s, 8e-9, 1e-12);
	g_assert_cmpuint(figuresOf("off bytes").instances, ==, 0);
}

/* A clock that goes back, as gettimeofday() may, is no time. */
static void backwards(void)
{
	struct hdProbe *probe = timer("backwards");
	uint64_t start = hdProbe_start(probe);

	now -= 100;
	hdProbe_stop(probe, start);
	now += 100;
	near(figuresOf("backwards").body_s, 0, 0);
	g_assert_cmpuint(figuresOf("backwards").instances, ==, 1);
}

/* ---- Dispatch --------------------------------------------------------------
 */

static void dispatch(void)
{
	struct hdProbeFigures is;

	for (uint64_t i = 1; i <= 100; i++) {
		HDPROBE_DISPATCH_START(kernel, "dispatch");
		now += i;
		HDPROBE_BODY_START(kernel);
		now += 10 * i;
		HDPROBE_BODY_STOP(kernel);
		now += 2 * i;
		HDPROBE_DISPATCH_STOP(kernel);
	}
	is = figuresOf("dispatch");
	g_assert_cmpuint(is.instances, ==, 100);
	near(is.dispatch_s, 3 * 5050e-9, 1e-12);
	near(is.body_s, 10 * 5050e-9, 1e-12);
	near(is.dispatch_mean_s, 3 * 50.5e-9, 1e-12);
	/* Of 1 to n: n (n + 1) / 12. */
	near(is.variance, 100 * 100 * 101 / 12.0 * 1e-18, 1e-9);
	near(is.dispatch_variance, 9 * 100 * 101 / 12.0 * 1e-18, 1e-9);
}

/* A body that goes on for longer than its dispatch, by a clock that went back:
 * dispatch is never negative. */
static void dispatchNegative(void)
{
	struct hdProbe *probe =
		hdProbe_find("negative", NULL, HDPROBE_KIND_KERNEL);
	struct hdProbeSpan span;

	hdProbe_dispatchStart(probe, &span);
	hdProbe_bodyStart(&span);
	now += 50;
	hdProbe_bodyStop(&span);
	now -= 30;
	hdProbe_dispatchStop(probe, &span);
	near(figuresOf("negative").dispatch_s, 0, 0);
	near(figuresOf("negative").body_s, 50e-9, 1e-12);
}

static void dispatchBatch(void)
{
	struct hdProbe *probe =
		hdProbe_find("dispatched", NULL, HDPROBE_KIND_KERNEL);
	struct hdProbeSpan span;
	struct hdProbeFigures is;

	hdProbe_dispatchStart(probe, &span);
	now += 4;
	for (int i = 0; i < 2; i++) {
		hdProbe_bodyStart(&span);
		now += 70;
		hdProbe_bodyStop(&span);
	}
	hdProbe_dispatchStop_n(probe, &span, 20);
	is = figuresOf("dispatched");
	g_assert_cmpuint(is.instances, ==, 20);
	near(is.mean_s, 7e-9, 1e-12);
	near(is.dispatch_mean_s, 0.2e-9, 1e-12);
}

static int wantsAll(const char *name, const char *to, unsigned int kind)
{
	(void)name;
	(void)to;
	(void)kind;
	return 1;
}

static void takeNoTime(const char *name, unsigned int kind)
{
	(void)name;
	(void)kind;
}

static void takeTime(int isBegin)
{
	now += isBegin ? 1000 : 5000;
}

/* What an observer takes at bodies is no dispatch, and no body. */
static void dispatchObserved(void)
{
	static const struct hdProbeObserver slow = {
		.wants = wantsAll,
		.begin = takeNoTime,
		.body = takeTime,
		.end = takeNoTime,
	};
	struct hdProbe *probe =
		hdProbe_find("observed", NULL, HDPROBE_KIND_KERNEL);
	struct hdProbeSpan span;

	g_assert_cmpint(hdProbe_observe(&slow), ==, 0);
	hdProbe_dispatchStart(probe, &span);
	now += 3;
	for (int i = 0; i < 2; i++) {
		hdProbe_bodyStart(&span);
		now += 20;
		hdProbe_bodyStop(&span);
		now += 4;
	}
	hdProbe_dispatchStop(probe, &span);
	near(figuresOf("observed").dispatch_s, 11e-9, 1e-12);
	near(figuresOf("observed").body_s, 40e-9, 1e-12);
	/* Where it is not timed nothing is either. */
	hdProbe_setSampling(probe, 1000000, 0);
	hdProbe_dispatchStart(probe, &span);
	hdProbe_bodyStart(&span);
	hdProbe_bodyStop(&span);
	hdProbe_dispatchStop(probe, &span);
	g_assert_cmpuint(figuresOf("observed").instances, ==, 2);
	g_assert_cmpuint(figuresOf("observed").timed, ==, 1);
	hdProbe_observe(NULL);
}

static void amounts(void)
{
	struct hdProbeFigures is;

	for (int i = 0; i < 10; i++) {
		HDPROBE_TRANSFER("alpha", "beta", 4096);
		HDPROBE_COUNT("pixels", 352 * 288);
	}
	is = figuresOf("alpha");
	g_assert_cmpstr(is.to, ==, "beta");
	g_assert_cmpuint(is.kind, ==, HDPROBE_KIND_TRANSFER);
	g_assert_cmpfloat(is.body_s, ==, 40960);
	g_assert_cmpfloat(figuresOf("pixels").body_s, ==, 1013760);
	g_assert_cmpfloat(figuresOf("pixels").max_s, ==, 101376);
}

/* ---- Quantiles -------------------------------------------------------------
 */

#define VALUES 20000

static double uniform(GRand *chance)
{
	return g_rand_double(chance);
}

static double exponential(GRand *chance)
{
	return -log(1 - g_rand_double(chance));
}

/* Lengths that differ by powers of ten. */
static double logNormal(GRand *chance)
{
	double a = 1 - g_rand_double(chance), b = g_rand_double(chance);

	return exp(2 * sqrt(-2 * log(a)) * cos(2 * G_PI * b)) / 100;
}

static double pareto(GRand *chance)
{
	return pow(1 - g_rand_double(chance), -1.0) / 1000;
}

/* Two kernels under one name. */
static double bimodal(GRand *chance)
{
	double around = g_rand_double(chance) < 0.7 ? 0.007 : 0.17;

	return around * (1 + 0.05 * g_rand_double(chance));
}

static int compare(gconstpointer a, gconstpointer b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void quantilesOf(const char *name, double (*draw)(GRand *chance))
{
	static const double parts[] = { 0,    0.001, 0.01, 0.1,   0.25, 0.5,
					0.75, 0.9,   0.99, 0.999, 1 };
	struct hdProbe *probe = timer(name);
	GRand *chance = g_rand_new_with_seed(20091109);
	uint64_t *values = g_new(uint64_t, VALUES);
	struct hdProbeFigures is;

	for (int i = 0; i < VALUES; i++) {
		values[i] = (uint64_t)(draw(chance) * 1e6);
		measure(probe, values[i]);
	}
	qsort(values, VALUES, sizeof(*values), compare);
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		size_t rank = (size_t)ceil(parts[i] * VALUES);
		double exact = (double)values[rank ? rank - 1 : 0];
		double found = hdProbe_quantile(probe, parts[i]) * 1e9;

		if (!(fabs(found - exact) <= exact / 32 + 0.5 + 1e-6))
			g_error("%s, %g: %g is not %g", name, parts[i], found,
				exact);
	}
	is = figuresOf(name);
	near(is.min_s, (double)values[0] * 1e-9, 1e-12);
	near(is.max_s, (double)values[VALUES - 1] * 1e-9, 1e-12);
	g_free(values);
	g_rand_free(chance);
}

static void quantiles(void)
{
	quantilesOf("uniform", uniform);
	quantilesOf("exponential", exponential);
	quantilesOf("log-normal", logNormal);
	quantilesOf("Pareto", pareto);
	quantilesOf("bimodal", bimodal);
}

/* Buckets follow each other without a hole, and are narrow enough. */
static void buckets(void)
{
	for (unsigned int i = 0; i < HD_PROBE_BUCKETS; i++) {
		uint64_t begin = hdProbeBucketBegin(i);
		uint64_t end = hdProbeBucketBegin(i + 1);

		g_assert_cmpuint(hdProbeBucket(begin), ==, i);
		g_assert_cmpuint(hdProbeBucket(end - 1), ==, i);
		g_assert_cmpuint(end - begin, <=, begin / 16 + 1);
	}
	g_assert_cmpuint(hdProbeBucket(UINT64_MAX), ==, HD_PROBE_BUCKETS - 1);
}

/* ---- Options ---------------------------------------------------------------
 */

static void deadline(void)
{
	struct hdProbe *probe = timer("deadline");

	g_assert_cmpint(hdProbe_setDeadline(probe, 50e-9), ==, 0);
	for (uint64_t i = 1; i <= 100; i++)
		measure(probe, i);
	g_assert_cmpuint(figuresOf("deadline").missed, ==, 50);
	hdProbe_setDeadline(probe, 0);
	measure(probe, 1000);
	g_assert_cmpuint(figuresOf("deadline").missed, ==, 50);
}

/* The closed form: each value weighs 2^-(age / half-life). */
static void decay(void)
{
	struct hdProbe *probe = timer("decay");
	GRand *chance = g_rand_new_with_seed(42);
	double ends[500], values[500], weights = 0, sum = 0;

	g_assert_cmpint(hdProbe_setDecay(probe, 5e-6), ==, 0);
	for (int i = 0; i < 500; i++) {
		values[i] = g_rand_int_range(chance, 1, 2000);
		measure(probe, (uint64_t)values[i]);
		ends[i] = (double)now;
		now += (uint64_t)g_rand_int_range(chance, 0, 3000);
	}
	for (int i = 0; i < 500; i++) {
		double weight = exp2(-(ends[499] - ends[i]) / 5000);

		weights += weight;
		sum += weight * values[i];
	}
	near(figuresOf("decay").decayed_mean_s, sum / weights * 1e-9, 1e-9);
	/* Much later only the newest is left. */
	now += 1000000000;
	measure(probe, 77);
	near(figuresOf("decay").decayed_mean_s, 77e-9, 1e-9);
	g_rand_free(chance);
}

static void elementary(void)
{
	for (double x = 0; x < 1000; x += 0.37)
		near(hdProbeHalve(x), exp2(-x), 1e-14);
	g_assert_cmpfloat(hdProbeHalve(2000), ==, 0);
	for (double x = 1e-16; x < 1e6; x *= 1.07) {
		double difference = fabs(hdProbeLog(x) - log(x));

		g_assert_cmpfloat(difference, <=, 1e-12);
	}
}

/* Sums of a program of 50 instances that are known, one in ten timed: the mean
 * of what 40,000 runs scale up to (10 times what was timed) is the sum, within
 * four of its standard errors, for any pattern. Seeds are fixed. */
static void unbiased(void)
{
	const int runs = 40000, n = 50, every = 10;
	double mean = 0, error, expected = 0, spread = 0;
	double counted = 0;

	for (int i = 0; i < n; i++) {
		double value = i % every == 3 ? 1000 : 10;

		expected += value;
		/* Each is in with p = 1 / k: variance (k - 1) value^2. */
		spread += (every - 1) * value * value;
	}
	hdProbeSeed = 4711;
	for (int run = 0; run < runs; run++) {
		struct hdProbe *probe = timer("sampled");
		struct hdProbeSlot *slot = hdProbeClaim(probe);
		uint64_t before = hdProbeGet(&slot->sums.sum);

		hdProbe_setSampling(probe, (unsigned int)every, 1);
		if (run == 0)
			atomic_store(&slot->chance, 4711);
		for (int i = 0; i < n; i++)
			measure(probe, i % every == 3 ? 1000 : 10);
		mean += (double)(hdProbeGet(&slot->sums.sum) - before) * every /
			runs;
	}
	error = sqrt(spread / runs);
	g_test_message("expected %g, found %g, standard error %g", expected,
		       mean, error);
	g_assert_cmpfloat(fabs(mean - expected), <=, 4 * error);
	g_assert_cmpuint(figuresOf("sampled").instances, ==,
			 (uint64_t)runs * (uint64_t)n);
	counted = (double)figuresOf("sampled").timed;
	/* Binomial. */
	g_assert_cmpfloat(fabs(counted - runs * n / every), <=,
			  4 * sqrt(runs * n * 0.1 * 0.9));
	near(figuresOf("sampled").body_s, expected * runs * 1e-9, 0.01);
}

/* One in k times each k-th; which misleads where the program has that period,
 * and is why there are random skips. */
static void periodic(void)
{
	struct hdProbe *probe = timer("periodic");
	struct hdProbeFigures is;

	hdProbe_setSampling(probe, 10, 0);
	for (int i = 0; i < 10000; i++)
		measure(probe, i % 10 == 3 ? 1000 : 10);
	is = figuresOf("periodic");
	g_assert_cmpuint(is.instances, ==, 10000);
	g_assert_cmpuint(is.timed, ==, 1000);
	g_assert_true(is.min_s == is.max_s);
	hdProbe_setSampling(probe, 1, 0);
	measure(probe, 5);
	g_assert_cmpuint(figuresOf("periodic").timed, ==, 1001);
}

/* ---- Names -----------------------------------------------------------------
 */

static void names(void)
{
	char text[200];

	memset(text, 'x', sizeof(text) - 1);
	text[199] = '\0';
	g_assert_true(timer("a") == timer("a"));
	g_assert_true(timer("a") !=
		      hdProbe_find("a", NULL, HDPROBE_KIND_KERNEL));
	measure(timer(text), 1);
	text[95] = '\0';
	g_assert_cmpuint(figuresOf(text).instances, ==, 1);
	errno = 0;
	g_assert_null(hdProbe_find(NULL, NULL, HDPROBE_KIND_TIMER));
	g_assert_cmpint(errno, ==, EINVAL);
	errno = 0;
	g_assert_null(hdProbe_find("a", NULL, 5));
	g_assert_cmpint(errno, ==, EINVAL);
}

/* Beyond 255 names nothing is recorded, and that is counted. Comes last. */
static void tooMany(void)
{
	static struct hdProbe beyond =
		HDPROBE_INIT("beyond", NULL, HDPROBE_KIND_TIMER);
	struct hdProbe *probe;
	char name[16];
	int i;

	for (i = 0;; i++) {
		g_snprintf(name, sizeof(name), "many %d", i);
		errno = 0;
		probe = hdProbe_find(name, NULL, HDPROBE_KIND_TIMER);
		if (!probe)
			break;
		measure(probe, 1);
	}
	g_assert_cmpint(errno, ==, ENOSPC);
	g_assert_cmpint(hdProbe_snapshot(NULL, 0, 0), ==, 255);
	g_assert_cmpuint(hdProbe_lost(), ==, 0);
	measure(&beyond, 1);
	measure(&beyond, 1);
	g_assert_cmpuint(hdProbe_lost(), ==, 2);
	errno = 0;
	g_assert_cmpint(hdProbe_setDeadline(&beyond, 1), ==, -1);
	g_assert_cmpint(errno, ==, ENOSPC);
}

/* ---- Reset -----------------------------------------------------------------
 */

static void reset(void)
{
	static struct hdProbeFigures all[HD_PROBE_PROBES];
	struct hdProbe *probe = timer("reset");
	struct hdProbeFigures is;

	measure(probe, 10);
	measure(probe, 1000);
	is = figuresOf("reset");
	g_assert_cmpint(hdProbe_snapshot(all, HD_PROBE_PROBES, 1), >, 0);
	for (int i = 0; i < HD_PROBE_PROBES; i++) {
		if (strcmp(all[i].name, "reset") == 0)
			g_assert_true(memcmp(&all[i].instances, &is.instances,
					     2 * sizeof(uint64_t)) == 0 &&
				      all[i].min_s == is.min_s &&
				      all[i].max_s == is.max_s &&
				      all[i].variance == is.variance);
	}
	g_assert_cmpuint(figuresOf("reset").instances, ==, 0);
	measure(probe, 400);
	is = figuresOf("reset");
	g_assert_cmpuint(is.instances, ==, 1);
	near(is.min_s, 400e-9, 1e-12);
	near(is.max_s, 400e-9, 1e-12);
	near(is.body_s, 400e-9, 1e-12);
}

/* What did not fit is not reset, and keeps its extremes. */
static void resetPart(void)
{
	struct hdProbe *probe = timer("reset part");
	struct hdProbeFigures first, is;

	timer("reset first");
	measure(probe, 10);
	g_assert_cmpint(hdProbe_snapshot(&first, 1, 1), >, 1);
	g_assert_cmpstr(first.name, !=, "reset part");
	measure(probe, 50);
	is = figuresOf("reset part");
	g_assert_cmpuint(is.instances, ==, 2);
	near(is.min_s, 10e-9, 1e-12);
	near(is.max_s, 50e-9, 1e-12);
}

/* The lock is given back also where its descriptor is 0; else the second one
 * would wait for ever. */
static void resetWithoutInput(void)
{
	struct hdProbeFigures first;
	int input = dup(STDIN_FILENO);

	timer("reset without input");
	close(STDIN_FILENO);
	alarm(60);
	for (int i = 0; i < 3; i++)
		g_assert_cmpint(hdProbe_snapshot(&first, 1, 1), >, 0);
	alarm(0);
	g_assert_cmpint(fcntl(STDIN_FILENO, F_GETFD), ==, -1);
	if (input >= 0) {
		dup2(input, STDIN_FILENO);
		close(input);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	hdProbeClockFake = fakeClock;
	g_assert_null(hdProbeClockSet(HD_PROBE_CLOCK_FAKE, NULL));
	g_test_add_func("/probe/sums", sums);
	g_test_add_func("/probe/sums/wide", wideSums);
	g_test_add_func("/probe/nothing", nothing);
	g_test_add_func("/probe/batch", batch);
	g_test_add_func("/probe/off", off);
	g_test_add_func("/probe/clock-goes-back", backwards);
	g_test_add_func("/probe/dispatch", dispatch);
	g_test_add_func("/probe/dispatch/never-negative", dispatchNegative);
	g_test_add_func("/probe/dispatch/batch", dispatchBatch);
	g_test_add_func("/probe/dispatch/observed", dispatchObserved);
	g_test_add_func("/probe/amounts", amounts);
	g_test_add_func("/probe/quantiles", quantiles);
	g_test_add_func("/probe/buckets", buckets);
	g_test_add_func("/probe/deadline", deadline);
	g_test_add_func("/probe/decay", decay);
	g_test_add_func("/probe/elementary", elementary);
	g_test_add_func("/probe/sampling/unbiased", unbiased);
	g_test_add_func("/probe/sampling/periodic", periodic);
	g_test_add_func("/probe/names", names);
	g_test_add_func("/probe/reset", reset);
	g_test_add_func("/probe/reset/part", resetPart);
	g_test_add_func("/probe/reset/without-input", resetWithoutInput);
	g_test_add_func("/probe-limits/too-many", tooMany);
	return g_test_run();
}
