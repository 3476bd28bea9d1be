/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* libhdPredict by its calls: models in memory, the thesis's published numbers.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <glib.h>

#include <hdPredict.h>
#include "PredictionLibrary/mapping/costs.h"
#include "PredictionLibrary/mappers/estimate.h"
#include "PredictionLibrary/model/chance.h"

static void count(const hdPMessage *message, void *data)
{
	g_test_message("%s", message->text);
	++*(int *)data;
}

/* Two tasks with n bytes between them, on two PEs. */
static hdPGraph *pair(const char *from, const char *to, double n)
{
	hdPGraph *graph = hdP_createGraph();
	int source = hdP_addKernel(graph, "SRC", NULL);
	int sink = hdP_addKernel(graph, "SINK", NULL);
	int64_t a, b;

	g_assert_cmpint(hdP_addVariable(graph, source, "n"), ==, 0);
	g_assert_cmpint(hdP_addVariable(graph, sink, "n"), ==, 0);
	g_assert_cmpint(hdP_addOutput(graph, source, "o", "n"), ==, 0);
	g_assert_cmpint(hdP_addInput(graph, sink, "i", "n"), ==, 0);
	a = hdP_addTask(graph, "a", source, &n);
	b = hdP_addTask(graph, "b", sink, &n);
	g_assert_cmpint(hdP_addDependency(graph, a, 0, b, 0), ==, 0);
	g_assert_cmpint(hdP_setMapping(graph, a, from, 0), ==, 0);
	g_assert_cmpint(hdP_setMapping(graph, b, to, 0), ==, 0);
	g_assert_cmpint(hdP_finishGraph(graph, NULL, NULL), ==, 0);
	return graph;
}

/* ---- A2: nine delays of table 13.2 from six numbers -------------------- */

/* Time of 1,000 packets, less 1 ms to begin with, for each packet in us. */
static double delay(const char *from, const char *to)
{
	static const char *const architectures[] = { "A5", "A7", "A15", "A17" };
	hdPGraph *graph = pair(from, to, 1492000);
	hdPPlatform *platform;
	hdPResources *resources = hdP_createResources();
	hdPResult *result;
	hdPTotals totals;

	for (size_t i = 0; i < G_N_ELEMENTS(architectures); i++) {
		hdP_addEntry(resources, "SRC", architectures[i], 0, 0, 0, 0);
		hdP_addEntry(resources, "SINK", architectures[i], 0, 0, 0, 0);
	}
	g_assert_cmpint(hdP_finishResources(resources, NULL, NULL), ==, 0);
	g_assert_cmpint(hdP_readPlatform("thesis", &platform, NULL, NULL), ==,
			0);
	g_assert_cmpint(hdP_simulate(graph, platform, resources, NULL, &result,
				     NULL, NULL),
			==, 0);
	hdP_getTotals(result, &totals);
	hdP_destroyResult(result);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
	return (totals.makespan - 1e-3) / 1000 * 1e6;
}

static void testDelays(void)
{
	static const char *const from[] = { "ATB-1.A17-0", "C1+-1.A5-0",
					    "XU4-1.A15-0" };
	static const char *const to[] = { "ATB-2.A17-0", "C1+-2.A5-0",
					  "XU4-2.A7-0" };
	/* Table 13.2: us, and MB/s; two of which are misprints. */
	static const struct {
		double delay, bandwidth;
	} table[3][3] = {
		{ { 50, 30 }, { 110, 14 }, { 220, 7 } },
		{ { 80, 19 }, { 110, 14 }, { 220, 7 } },
		{ { 190, 9 }, { 190, 9 }, { 220, 7 } },
	};
	int equal = 0;

	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 3; k++) {
			double us = delay(from[i], to[k]);

			g_assert_cmpfloat_with_epsilon(us, table[i][k].delay,
						       1e-6);
			equal += round(1492 / us) == table[i][k].bandwidth;
		}
	}
	g_assert_cmpint(equal, ==, 7);
}

/* ---- A3: counts of the power board, table 12.3 ------------------------- */

static void testBoard(void)
{
	static const double rows[][2] = {
		{ 1052, 4.502 }, { 1280, 4.616 }, { 1486, 4.719 },
		{ 1632, 4.792 }, { 1837, 4.895 }, { 2048, 5.000 },
		{ 2275, 5.114 }, { 2460, 5.206 }, { 2613, 5.283 },
		{ 2811, 5.382 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		g_assert_cmpfloat_with_epsilon(hdP_boardVoltage(rows[i][0]),
					       rows[i][1], 0.00051);
	g_assert_cmpfloat_with_epsilon(hdP_boardShuntVoltage(1), 25e-6, 1e-12);
	/* 12 bits are 0.1 V, what the shunts were made for. */
	g_assert_cmpfloat_with_epsilon(hdP_boardShuntVoltage(4096), 0.1024,
				       1e-12);
}

/* ---- Calls -------------------------------------------------------------- */

static hdPPlatform *twoServers(void)
{
	hdPPlatform *platform = hdP_createPlatform();
	int64_t channel, memory[2], node[2];

	g_assert_cmpint(hdP_addNodeArchitecture(platform, "box", 10, 0), ==, 0);
	g_assert_cmpint(hdP_addNodeArchitecture(platform, "box", 1, 0), ==,
			-EEXIST);
	g_assert_cmpint(
		hdP_addBridgeArchitecture(platform, "eth", 1e9, 100, 5e8, 1e9),
		==, 0);
	g_assert_cmpint(hdP_addBridgeArchitecture(platform, "x", 0, 0, 1, 0),
			==, -EINVAL);
	channel = hdP_addChannel(platform, -1, "switch");
	node[0] = hdP_addNode(platform, -1, "A", "box");
	node[1] = hdP_addNode(platform, -1, "B", "box");
	g_assert_cmpint(hdP_addNode(platform, -1, "B", NULL), ==, -EEXIST);
	g_assert_cmpint(hdP_addNode(platform, 9, "C", NULL), ==, -EINVAL);
	memory[0] = hdP_addMemory(platform, node[0], "A.m", 1e9);
	memory[1] = hdP_addMemory(platform, node[1], "B.m", 1e9);
	g_assert_cmpint(hdP_addPe(platform, node[0], "A.0", "core"), >=, 0);
	g_assert_cmpint(hdP_addPe(platform, node[1], "B.0", "core"), >=, 0);
	g_assert_cmpint(hdP_addPe(platform, node[1], "B.1", NULL), ==, -EINVAL);
	g_assert_cmpint(hdP_addBridge(platform, node[0], "A.e", "eth",
				      memory[0], channel, 1),
			==, 0);
	g_assert_cmpint(hdP_addBridge(platform, node[1], "B.e", "eth",
				      memory[1], channel, 1),
			==, 0);
	g_assert_cmpint(hdP_finishPlatform(platform, NULL, NULL), ==, 0);
	g_assert_cmpint(hdP_finishPlatform(platform, NULL, NULL), ==, -EINVAL);
	return platform;
}

static hdPResources *pairCosts(double spread)
{
	hdPResources *resources = hdP_createResources();

	g_assert_cmpint(hdP_addEntry(resources, "SRC", "core", 2, 3, spread, 0),
			==, 0);
	g_assert_cmpint(
		hdP_addEntry(resources, "SINK", "core", 4, 5, spread, 0), ==,
		1);
	g_assert_cmpint(hdP_addEntry(resources, "SINK", "core", NAN, 5, 0, 0),
			==, -EINVAL);
	g_assert_cmpint(
		hdP_addIoCosts(resources, "core", HDP_RANDOM_READ, 4096, 1, 2),
		==, 0);
	g_assert_cmpint(
		hdP_addIoCosts(resources, "core", HDP_RANDOM_READ, 512, 1, 2),
		==, -EEXIST);
	g_assert_cmpint(
		hdP_addIoCosts(resources, "core", HDP_RANDOM_SYNC, 0, 1, 2), ==,
		-EINVAL);
	g_assert_cmpint(
		hdP_addIoCosts(resources, "core", (hdPAccess)6, 1, 1, 2), ==,
		-EINVAL);
	g_assert_cmpint(
		hdP_addIoCosts(resources, "core", HDP_RANDOM_SYNC, 1, NAN, 2),
		==, -EINVAL);
	g_assert_cmpint(hdP_finishResources(resources, NULL, NULL), ==, 0);
	return resources;
}

static void testCalls(void)
{
	hdPGraph *graph = pair("A.0", "B.0", 250);
	hdPPlatform *platform = twoServers();
	hdPResources *resources = pairCosts(0);
	hdPOptions options = { .recordsTransfers = 1 };
	hdPResult *result;
	hdPTaskTimes times;
	hdPTransfer transfer;
	hdPUse use;

	g_assert_cmpint(hdP_simulate(graph, platform, resources, &options,
				     &result, NULL, NULL),
			==, 0);
	g_assert_cmpint(hdP_getTaskTimes(result, 1, &times), ==, 0);
	/* 2 s, then twice 1 s and three packets of 0.5 s. */
	g_assert_cmpfloat(times.start, ==, 5.5);
	g_assert_cmpfloat(times.end, ==, 9.5);
	g_assert_cmpstr(hdP_getPeId(platform, times.pe), ==, "B.0");
	g_assert_cmpint(hdP_getTaskTimes(result, 2, &times), ==, -EINVAL);
	g_assert_cmpint(hdP_getTransferCount(result), ==, 1);
	g_assert_cmpint(hdP_getTransfer(result, 0, &transfer), ==, 0);
	g_assert_cmpint(transfer.producer, ==, 0);
	g_assert_cmpint(transfer.consumer, ==, 1);
	g_assert_cmpfloat(transfer.bytes, ==, 250);
	g_assert_cmpfloat(transfer.start, ==, 2);
	g_assert_cmpfloat(transfer.end, ==, 5.5);
	g_assert_cmpint(hdP_getUseCount(result, HDP_BRIDGES), ==, 4);
	g_assert_cmpint(hdP_getUse(result, HDP_SERVERS, 1, &use), ==, 0);
	g_assert_cmpstr(use.id, ==, "B");
	g_assert_cmpfloat(use.busy, ==, 4);
	g_assert_cmpfloat(use.waitData, ==, 5.5);
	g_assert_cmpfloat(use.peak, ==, 250);
	g_assert_cmpfloat(use.idle, ==, 95);
	hdP_destroyResult(result);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
}

static void checkPeak(const hdPResult *result, int64_t server, double peak,
		      double peakAt, uint64_t excesses)
{
	hdPPower power;

	g_assert_cmpint(hdP_getPower(result, server, 11, &power, NULL, 0), ==,
			0);
	g_assert_cmpfloat_with_epsilon(power.peak, peak, 1e-12);
	g_assert_cmpfloat(power.peakAt, ==, peakAt);
	g_assert_cmpint((int64_t)power.excesses, ==, (int64_t)excesses);
}

/* Of each server and of all, in any order and again. */
static void testPower(void)
{
	hdPGraph *graph = pair("A.0", "B.0", 250);
	hdPPlatform *platform = twoServers();
	hdPResources *resources = pairCosts(0);
	hdPOptions options = { .recordsTransfers = 1 };
	hdPResult *result;
	hdPPower power;

	g_assert_cmpint(hdP_simulate(graph, platform, resources, &options,
				     &result, NULL, NULL),
			==, 0);
	for (int i = 0; i < 2; i++) {
		/* SINK: 5 J in 4 s; SRC: 3 J in 2 s; packets: 6 J in 3.5 s. */
		checkPeak(result, 1, 10 + 5 / 4., 5.5, 1);
		checkPeak(result, -1, 20 + 6 / 3.5, 2, 1);
		checkPeak(result, 0, 10 + 3 / 2., 0, 1);
	}
	g_assert_cmpint(hdP_getPower(result, 2, 0, &power, NULL, 0), ==,
			-EINVAL);
	g_assert_cmpint(hdP_getPower(result, -2, 0, &power, NULL, 0), ==,
			-EINVAL);
	hdP_destroyResult(result);
	g_assert_cmpint(hdP_simulate(graph, platform, resources, NULL, &result,
				     NULL, NULL),
			==, 0);
	/* Transfers were not kept. */
	g_assert_cmpint(hdP_getPower(result, -1, 0, &power, NULL, 0), ==,
			-EINVAL);
	hdP_destroyResult(result);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
}

/* Calls that are wrong change nothing, and what is unfinished is not used. */
static void testMisuse(void)
{
	hdPGraph *graph = hdP_createGraph();
	hdPPlatform *platform = twoServers();
	hdPResources *resources = pairCosts(0);
	int kernel = hdP_addKernel(graph, "K", NULL);
	double value = 1;
	hdPResult *result = NULL;
	int messages = 0;

	g_assert_cmpint(hdP_addKernel(graph, "", NULL), ==, -EINVAL);
	g_assert_cmpint(hdP_addKernel(NULL, "K", NULL), ==, -EINVAL);
	g_assert_cmpint(hdP_addVariable(graph, 7, "n"), ==, -EINVAL);
	g_assert_cmpint(hdP_addInput(graph, kernel, "i", "1"), ==, 0);
	g_assert_cmpint(hdP_addTask(graph, "t", kernel, &value), ==, 0);
	g_assert_cmpint(hdP_addTask(graph, "t", kernel, &value), ==, -EEXIST);
	g_assert_cmpint(hdP_addDependency(graph, 0, 0, 1, 0), ==, -EINVAL);
	g_assert_cmpint(hdP_setMapping(graph, 0, "A.0", -1), ==, -EINVAL);
	g_assert_cmpint(hdP_simulate(graph, platform, resources, NULL, &result,
				     NULL, NULL),
			==, -EINVAL);
	g_assert_null(result);
	g_assert_cmpint(hdP_finishGraph(graph, count, &messages), ==, -EINVAL);
	g_assert_cmpint(messages, ==, 1);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
	hdP_destroyGraph(NULL);
	hdP_destroyPlatform(NULL);
	hdP_destroyResources(NULL);
	hdP_destroyResult(NULL);
}

/* Known answers of Random123's authors. */
static void testChance(void)
{
	const uint32_t zero[4] = { 0 };
	const uint32_t ones[] = { 0xffffffff, 0xffffffff, 0xffffffff,
				  0xffffffff };
	const uint32_t pi[] = { 0x243f6a88, 0x85a308d3, 0x13198a2e,
				0x03707344 };
	const uint32_t key[] = { 0xa4093822, 0x299f31d0 };
	static const uint32_t want[3][4] = {
		{ 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 },
		{ 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd },
		{ 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 },
	};
	uint32_t out[4];
	double sum = 0, squares = 0;

	hdPredictPhilox(zero, zero, out);
	g_assert_cmpmem(out, sizeof(out), want[0], sizeof(want[0]));
	hdPredictPhilox(ones, ones, out);
	g_assert_cmpmem(out, sizeof(out), want[1], sizeof(want[1]));
	hdPredictPhilox(pi, key, out);
	g_assert_cmpmem(out, sizeof(out), want[2], sizeof(want[2]));
	for (uint64_t i = 0; i < 20000; i++) {
		double pair_[2];

		hdPredictNormal(1, 2, i, pair_);
		sum += pair_[0] + pair_[1];
		squares += pair_[0] * pair_[0] + pair_[1] * pair_[1];
	}
	/* Of 40,000 numbers: five standard errors. */
	g_assert_cmpfloat(fabs(sum / 40000), <, 5 / 200.);
	g_assert_cmpfloat(fabs(squares / 40000 - 1), <, 5 * M_SQRT2 / 200);
}

/* Samples differ by their number, and are the same again. */
static void testSamples(void)
{
	hdPGraph *graph = pair("A.0", "B.0", 250);
	hdPPlatform *platform = twoServers();
	hdPResources *resources = pairCosts(0.1);
	double makespan[3];

	for (int i = 0; i < 3; i++) {
		hdPOptions options = { .sample = i < 2 ? 1 : 2, .seed = 7 };
		hdPResult *result;
		hdPTotals totals;

		g_assert_cmpint(hdP_simulate(graph, platform, resources,
					     &options, &result, NULL, NULL),
				==, 0);
		hdP_getTotals(result, &totals);
		makespan[i] = totals.makespan;
		hdP_destroyResult(result);
	}
	g_assert_cmpfloat(makespan[0], ==, makespan[1]);
	g_assert_cmpfloat(makespan[0], !=, makespan[2]);
	g_assert_cmpfloat(fabs(makespan[0] - 9.5), <, 1);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
}

/* Any number of threads gives the same samples. */
static void testSampling(void)
{
	hdPGraph *graph = pair("A.0", "B.0", 250);
	hdPPlatform *platform = twoServers();
	hdPResources *resources = pairCosts(0.1);
	hdPOptions options = { .seed = 9 };
	static hdPTotals totals[3][100];
	const unsigned int threads[] = { 1, 2, 7 };

	for (size_t i = 0; i < 3; i++)
		g_assert_cmpint(hdP_sample(graph, platform, resources, &options,
					   100, threads[i], totals[i], NULL,
					   NULL),
				==, 0);
	g_assert_cmpmem(totals[0], sizeof(totals[0]), totals[1],
			sizeof(totals[1]));
	g_assert_cmpmem(totals[0], sizeof(totals[0]), totals[2],
			sizeof(totals[2]));
	g_assert_cmpfloat(totals[0][0].makespan, !=, totals[0][1].makespan);
	g_assert_cmpint(hdP_sample(graph, platform, resources, NULL, 0, 1,
				   totals[0], NULL, NULL),
			==, -EINVAL);
	/* Where the mapping is wrong, it is said once. */
	g_assert_cmpint(hdP_setMapping(graph, 1, "C.0", 0), ==, 0);
	{
		int messages = 0;

		g_assert_cmpint(hdP_sample(graph, platform, resources, NULL, 50,
					   4, totals[0], count, &messages),
				==, -EINVAL);
		g_assert_cmpint(messages, ==, 1);
	}
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
}

static void testSpread(void)
{
	const double values[] = { 4, 1, 3, 2 }, others[] = { 5, 1, 2, 3 };
	const double parts[] = { 0, 0.5, 1, 1. / 6 }, wrong[] = { 1.5 };
	double quantiles[4];
	hdPSpread spread;
	hdPChance chance;

	g_assert_cmpint(hdP_spread(values, 4, parts, 4, &spread, quantiles), ==,
			0);
	g_assert_cmpfloat(spread.mean, ==, 2.5);
	g_assert_cmpfloat_with_epsilon(spread.deviation, sqrt(5 / 3.), 1e-15);
	g_assert_cmpfloat_with_epsilon(
		spread.meanError, 1.959963984540054 * sqrt(5 / 12.), 1e-12);
	g_assert_cmpfloat(quantiles[0], ==, 1);
	g_assert_cmpfloat(quantiles[1], ==, 2.5);
	g_assert_cmpfloat(quantiles[2], ==, 4);
	g_assert_cmpfloat_with_epsilon(quantiles[3], 1.5, 1e-15);
	g_assert_cmpint(hdP_spread(values, 4, wrong, 1, &spread, quantiles), ==,
			-EINVAL);
	g_assert_cmpint(hdP_spread(values, 0, NULL, 0, &spread, NULL), ==,
			-EINVAL);
	g_assert_cmpint(hdP_spread(values, 1, parts, 4, &spread, quantiles), ==,
			0);
	g_assert_cmpfloat(spread.deviation, ==, 0);
	g_assert_cmpfloat(quantiles[1], ==, 4);
	g_assert_cmpint(hdP_chance(values, others, 4, &chance), ==, 0);
	g_assert_cmpfloat(chance.less, ==, 0.5);
	g_assert_cmpfloat(chance.equal, ==, 0.25);
	/* Two of four: Wilson's interval is 0.150 to 0.850. */
	g_assert_cmpfloat_with_epsilon(chance.low, 0.150, 5e-4);
	g_assert_cmpfloat_with_epsilon(chance.high, 0.850, 5e-4);
}

/* ---- Slowdowns: classes, mixes, gaps, more than listed ------------------ */

static double slowdown(struct hdPredictCosts *costs, uint32_t kernel,
		       uint32_t a, uint32_t b, uint32_t c, unsigned int *guess)
{
	const struct hdPredictLoad loads[] = { { 0, a }, { 1, b }, { 2, c } };

	*guess = 0;
	return hdPredictSlowdownOf(costs, 0, kernel, loads, 3, guess);
}

static void testSlowdown(void)
{
	hdPGraph *graph = hdP_createGraph();
	hdPPlatform *platform = twoServers();
	hdPResources *resources = hdP_createResources();
	struct hdPredictCosts *costs;
	unsigned int guess;

	hdP_addKernel(graph, "K", "heavy");
	hdP_addKernel(graph, "L", "heavy");
	hdP_addKernel(graph, "M", NULL);
	g_assert_cmpint(hdP_finishGraph(graph, NULL, NULL), ==, 0);
	hdP_addSlowdown(resources, "core", "heavy", "heavy", 1, 1.5);
	hdP_addSlowdown(resources, "core", "K", "L", 1, 2);
	hdP_addSlowdown(resources, "core", "K", "L", 3, 3);
	hdP_addSlowdown(resources, "core", "K", "K L", 2, 8);
	g_assert_cmpint(hdP_addSlowdown(resources, "core", "K", "K L", 3, 8),
			==, -EINVAL);
	g_assert_cmpint(hdP_finishResources(resources, NULL, NULL), ==, 0);
	costs = hdPredictCostsNew(graph, platform, resources);
	/* By class; the kernel goes before it. */
	g_assert_cmpfloat(slowdown(costs, 1, 1, 0, 0, &guess), ==, 1.5);
	g_assert_cmpfloat(slowdown(costs, 0, 1, 0, 0, &guess), ==, 1.5);
	g_assert_cmpfloat(slowdown(costs, 0, 0, 1, 0, &guess), ==, 2);
	g_assert_cmpint(guess, ==, 0);
	/* Two are not listed: as one. Three are; five are not. */
	g_assert_cmpfloat(slowdown(costs, 0, 0, 2, 0, &guess), ==, 2);
	g_assert_cmpfloat(slowdown(costs, 0, 0, 3, 0, &guess), ==, 3);
	g_assert_cmpint(guess, ==, 0);
	g_assert_cmpfloat(slowdown(costs, 0, 0, 5, 0, &guess), ==, 3);
	g_assert_cmpint(guess, ==, HD_PREDICT_BEYOND);
	/* A mix that is listed, and one that is not: (2 x 3 + 1.5) / 3. */
	g_assert_cmpfloat(slowdown(costs, 0, 1, 1, 0, &guess), ==, 8);
	g_assert_cmpint(guess, ==, 0);
	g_assert_cmpfloat(slowdown(costs, 0, 1, 2, 0, &guess), ==, 2.5);
	g_assert_cmpint(guess, ==, HD_PREDICT_MIXED | HD_PREDICT_BEYOND);
	/* What is never listed does not count. */
	g_assert_cmpfloat(slowdown(costs, 0, 0, 1, 9, &guess), ==, 2);
	g_assert_cmpfloat(slowdown(costs, 2, 1, 1, 1, &guess), ==, 1);
	hdPredictCostsFree(costs);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
}

/* ---- Estimates of mappings ---------------------------------------------- */

/* Move tasks at random; a PE that can run them is taken. */
static void moveTasks(struct hdPredictEstimate *estimate,
		      const struct hdPredictBase *base, uint32_t *pes,
		      uint32_t moves)
{
	for (uint32_t i = 0; i < moves; i++) {
		uint32_t task =
			hdPredictDraw(1, 2ull * i, base->graph->taskCount);
		uint32_t pe =
			hdPredictDraw(1, 2ull * i + 1, base->platform->peCount);

		if (hdPredictIsEntry(hdPredictCostsFind(
			    base->costs, base->graph->config[task],
			    base->platform->pes[pe].architecture, 1)))
			hdPredictEstimateMove(estimate, task, pe);
	}
	for (uint32_t t = 0; t < base->graph->taskCount; t++)
		g_assert_cmpuint(pes[t], <, base->platform->peCount);
}

/* What moves add up to is what a simulation says, and what is found anew. */
static void testEstimate(void)
{
	const hdPMapping mapping = { .mapper = HDP_EFT };
	struct hdPredictReport report = { NULL, NULL, NULL, 0 };
	hdPOptions options = { 0 };
	struct hdPredictBase base = { NULL };
	struct hdPredictEstimate *estimate;
	hdPGraph *graph;
	hdPPlatform *platform;
	hdPResources *resources;
	hdPResult *result;
	hdPTotals totals;
	uint32_t *pes;
	double time, energy;

	g_assert_cmpint(hdP_generateCholesky(10, 1024, &graph), ==, 0);
	g_assert_cmpint(hdP_readPlatform("thesis", &platform, NULL, NULL), ==,
			0);
	g_assert_cmpint(hdP_readResources("thesis", &resources, NULL, NULL), ==,
			0);
	g_assert_cmpint(
		hdP_mapAs(graph, platform, resources, &mapping, NULL, NULL), ==,
		0);
	base = (struct hdPredictBase){ .graph = graph,
				       .platform = platform,
				       .resources = resources };
	g_assert_cmpint(hdPredictBaseMake(&base, false, &report), ==, 0);
	estimate = hdPredictEstimateNew(&base, &base.plan.sets, &options);
	pes = g_memdup2(base.plan.pe, graph->taskCount * sizeof(*pes));
	hdPredictEstimatePlace(estimate, pes);
	moveTasks(estimate, &base, pes, 2000);
	time = hdPredictEstimateTime(estimate);
	energy = hdPredictEstimateEnergy(estimate, 0);
	g_assert_false(hdPredictEstimateIsShort(estimate));
	hdPredictEstimatePlace(estimate, pes);
	g_assert_cmpfloat_with_epsilon(time, hdPredictEstimateTime(estimate),
				       time * 1e-9);
	for (uint32_t t = 0; t < graph->taskCount; t++)
		hdP_setMapping(graph, t, platform->peIds[pes[t]], t);
	g_assert_cmpint(hdP_simulate(graph, platform, resources, NULL, &result,
				     NULL, NULL),
			==, 0);
	hdP_getTotals(result, &totals);
	g_assert_cmpfloat(totals.communication, >, 0);
	g_assert_cmpfloat_with_epsilon(
		energy, totals.computation + totals.communication,
		energy * 1e-9);
	/* Idle power of all servers for that time. */
	g_assert_cmpfloat_with_epsilon(
		hdPredictEstimateEnergy(estimate, totals.makespan),
		energy + totals.idle, energy * 1e-9);
	hdPredictEstimateFree(estimate);
	hdPredictBaseFree(&base);
	g_free(pes);
	hdP_destroyResult(result);
	hdP_destroyGraph(graph);
	hdP_destroyPlatform(platform);
	hdP_destroyResources(resources);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/predict/packet delays of the thesis", testDelays);
	g_test_add_func("/predict/voltages of the power board", testBoard);
	g_test_add_func("/predict/calls", testCalls);
	g_test_add_func("/predict/power", testPower);
	g_test_add_func("/predict/misuse", testMisuse);
	g_test_add_func("/predict/chance", testChance);
	g_test_add_func("/predict/samples", testSamples);
	g_test_add_func("/predict/sampling", testSampling);
	g_test_add_func("/predict/spread", testSpread);
	g_test_add_func("/predict/slowdown", testSlowdown);
	g_test_add_func("/predict/estimates of mappings", testEstimate);
	return g_test_run();
}
