/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* Load levels without a quiet machine: the controller with simulated CPUs,
 * arrivals against queueing theory, limits on made-up systems, phases, and all
 * kinds of operations. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "LoadLevels/control/controller.h"
#include "LoadLevels/control/judge.h"
#include "LoadLevels/control/limits.h"
#include "LoadLevels/core/levels.h"
#include "LoadLevels/core/load.h"
#include "LoadLevels/operations/arrivals.h"

/* ---- The controller ------------------------------------------------------ */

/* A CPU: what others use, what the workers can use, and errors of the
 * measurement that even out, as of counters that lag. */
struct plant {
	double others;
	double othersNoise;
	double most; /* Of the workers, as under a quota. */
	double lag;
	double dutyError; /* Workers do so much more than they are asked for. */
};

/* The mean from 2 s to 12 s of a level that follows another one. */
static double meanOf(const struct plant *plant, double before, double target)
{
	struct hdLoadController controller = { .deficit = 0 };
	GRand *chance = g_rand_new_with_seed(42);
	double share = before, sum = 0, lagged = 0;
	const double tick = 0.2;

	for (int i = 0; i < 75; i++) {
		double wanted = i < 15 ? before : target;
		double others =
			plant->others +
			g_rand_double_range(chance, -1, 1) * plant->othersNoise;
		double room, own, all, seen;

		others = CLAMP(others, 0, 1);
		room = 1 - others;
		own = fmin(fmin(share * (1 + plant->dutyError), plant->most),
			   room);
		all = others + own;
		seen = all + lagged;
		lagged = g_rand_double_range(chance, -1, 1) * plant->lag;
		seen -= lagged;
		if (i == 15 || i == 25)
			hdLoadControllerReset(&controller);
		if (i >= 25)
			sum += all * tick;
		share = hdLoadControl(&controller, wanted, seen, own, tick);
	}
	g_rand_free(chance);
	return sum / 10;
}

/* Within one point; the highest and the lowest level are bounded by others. */
static void testReached(void)
{
	static const struct plant plants[] = {
		{ .most = 1 },
		{ .most = 1, .dutyError = 0.2 },
		{ .most = 1, .dutyError = -0.08 },
		{ .most = 1, .lag = 0.03 },
		{ .most = 1, .others = 0.05, .othersNoise = 0.05 },
		{ .most = 1, .others = 0.05, .othersNoise = 0.03, .lag = 0.02 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(plants); i++) {
		for (int n = 0; n < 27; n++) {
			double before = n % 3 / 2.0,
			       target = (1 + n / 3) / 10.0;
			double mean = meanOf(&plants[i], before, target);

			g_test_message("plant %zu, %g to %g: %g", i, before,
				       target, mean);
			g_assert_cmpfloat(fabs(mean - target), <=, 0.01);
		}
		g_assert_cmpfloat(meanOf(&plants[i], 0.5, 1), >=,
				  plants[i].dutyError < 0 ? 0.91 : 0.99);
		g_assert_cmpfloat(meanOf(&plants[i], 0.5, 0), <=,
				  plants[i].others + 0.01);
	}
}

/* A level that cannot be reached stays where it can get, and what was owed is
 * not paid back later. */
static void testUnreachable(void)
{
	const struct plant quota = { .most = 0.2 };
	const struct plant busy = { .most = 1, .others = 0.8 };

	g_assert_cmpfloat(fabs(meanOf(&quota, 0, 0.9) - 0.2), <, 1e-9);
	g_assert_cmpfloat(fabs(meanOf(&busy, 0, 0.5) - 0.8), <, 1e-9);
	g_assert_cmpfloat(fabs(meanOf(&quota, 0.9, 0.1) - 0.1), <, 0.01);
}

/* ---- Arrivals ------------------------------------------------------------ */

/* Of the simulated queue: what arrived, and the part of time it is busy. */
struct queue {
	double count;
	double busy;
	double wait; /* Mean time in the queue before service, in ns. */
};

/* Service takes 100 us. */
static struct queue serve(enum hdLoadArrivalsKind kind, double rate,
			  double seconds)
{
	const double service = 100e3;
	struct hdLoadArrivals arrivals;
	struct queue queue = { .count = 0 };
	double free = 0;

	hdLoadArrivalsBegin(&arrivals, kind, 7);
	hdLoadArrivalsSetRate(&arrivals, rate, 0);
	while (arrivals.nextNs < seconds * 1e9) {
		double start = fmax(arrivals.nextNs, free);

		queue.wait += start - arrivals.nextNs;
		free = start + service;
		queue.busy += service;
		queue.count++;
		hdLoadArrivalsTake(&arrivals);
	}
	queue.busy /= seconds * 1e9;
	queue.wait /= queue.count;
	return queue;
}

/* M/D/1: utilization r = rate x service, mean wait r / (2 (1 - r)) services;
 * D/D/1: no wait at all. */
static void testQueue(void)
{
	for (int level = 1; level <= 9; level++) {
		double load = level / 10.0, rate = 10000 * load;
		struct queue chance =
			serve(HD_LOAD_ARRIVALS_EXPONENTIAL, rate, 400);
		struct queue fixed = serve(HD_LOAD_ARRIVALS_FIXED, rate, 10);
		double wait = 100e3 * load / (2 * (1 - load));

		g_test_message("%d: %g %g %g", level, chance.count, chance.busy,
			       chance.wait / wait);
		g_assert_cmpfloat(fabs(chance.count / 400 / rate - 1), <=,
				  0.005);
		g_assert_cmpfloat(fabs(chance.busy / load - 1), <=, 0.005);
		g_assert_cmpfloat(fabs(chance.wait / wait - 1), <=, 0.05);
		g_assert_cmpfloat(fabs(fixed.count / 10 / rate - 1), <=, 0.001);
		g_assert_cmpfloat(fixed.wait, <=, 1);
	}
}

static void testSeed(void)
{
	struct hdLoadArrivals a, b, c;

	hdLoadArrivalsBegin(&a, HD_LOAD_ARRIVALS_EXPONENTIAL, 1);
	hdLoadArrivalsBegin(&b, HD_LOAD_ARRIVALS_EXPONENTIAL, 1);
	hdLoadArrivalsBegin(&c, HD_LOAD_ARRIVALS_EXPONENTIAL, 2);
	hdLoadArrivalsSetRate(&a, 10, 5);
	hdLoadArrivalsSetRate(&b, 10, 5);
	hdLoadArrivalsSetRate(&c, 10, 5);
	g_assert_cmpfloat(a.nextNs, ==, b.nextNs);
	g_assert_cmpfloat(a.nextNs, !=, c.nextNs);
	hdLoadArrivalsSetRate(&a, 0, 5);
	g_assert_true(isinf(a.nextNs));
}

/* ---- Limits -------------------------------------------------------------- */

static void put(const char *root, const char *path, const char *text)
{
	char *file = g_strconcat(root, path, NULL);
	char *directory = g_path_get_dirname(file);

	g_assert_cmpint(g_mkdir_with_parents(directory, 0700), ==, 0);
	g_assert_true(g_file_set_contents(file, text, -1, NULL));
	g_free(directory);
	g_free(file);
}

static void removeTree(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *file = g_build_filename(path, name, NULL);

		removeTree(file);
		g_free(file);
	}
	if (dir)
		g_dir_close(dir);
	g_remove(path);
}

struct quotaCase {
	const char *cgroup; /* /proc/self/cgroup */
	const char *files[8];
	double quota;
};

static const struct quotaCase quotas[] = {
	{ "0::/\n", { NULL }, INFINITY },
	{ "0::/a/b\n",
	  { "/sys/fs/cgroup/a/b/cpu.max", "20000 100000\n" },
	  0.2 },
	{ "0::/a/b\n",
	  { "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n",
	    "/sys/fs/cgroup/a/cpu.max", "150000 100000\n" },
	  1.5 },
	{ "0::/a/b\n",
	  { "/sys/fs/cgroup/unified/a/b/cpu.max", "50000 100000\n" },
	  0.5 },
	{ "0::/\n", { "/sys/fs/cgroup/cpu.max", "rubbish" }, INFINITY },
	{ "4:cpu,cpuacct:/x\n0::/\n",
	  { "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "30000\n",
	    "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n" },
	  0.3 },
	{ "1:cpu:/x/y\n",
	  { "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "20000\n",
	    "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n",
	    "/sys/fs/cgroup/cpu/x/y/cpu.cfs_quota_us", "-1\n" },
	  0.2 },
	{ "1:cpuset:/x\n2:memory:/x\n",
	  { "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "20000\n",
	    "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n" },
	  INFINITY },
	{ "rubbish\n:\n", { NULL }, INFINITY },
};

static void testQuotas(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(quotas); i++) {
		char *root = g_dir_make_tmp("levels-XXXXXX", NULL);
		double quota;

		put(root, "/proc/self/cgroup", quotas[i].cgroup);
		for (size_t f = 0; quotas[i].files[f]; f += 2)
			put(root, quotas[i].files[f], quotas[i].files[f + 1]);
		quota = hdLoadQuota(root);
		g_test_message("%zu: %g", i, quota);
		g_assert_true(quota == quotas[i].quota ||
			      fabs(quota - quotas[i].quota) < 1e-12);
		removeTree(root);
		g_free(root);
	}
}

static void testSensors(void)
{
	char *root = g_dir_make_tmp("levels-XXXXXX", NULL);

	g_assert_true(isnan(hdLoadTemperature(root)));
	g_assert_cmpint(hdLoadThrottled(root), ==, 0);
	g_assert_cmpint(hdLoadFreeMemory(root), ==, INT64_MAX);
	put(root, "/sys/class/thermal/thermal_zone0/temp", "41000\n");
	put(root, "/sys/class/hwmon/hwmon1/temp2_input", "52500\n");
	put(root,
	    "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
	    "3\n");
	put(root,
	    "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
	    "4\n");
	put(root, "/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   512 kB\n");
	g_assert_cmpfloat(hdLoadTemperature(root), ==, 52.5);
	g_assert_cmpint(hdLoadThrottled(root), ==, 7);
	g_assert_cmpint(hdLoadFreeMemory(root), ==, 512 * 1024);
	removeTree(root);
	g_free(root);
	g_assert_cmpint(hdLoadFreeSpace("/no/such/directory"), ==, INT64_MAX);
}

/* ---- Phases and kinds ---------------------------------------------------- */

static void testPhases(void)
{
	struct hdLevelPhases phases = { .count = 0 };

	for (int i = 0; i < 1000; i++)
		g_assert_cmpint(hdLevelPhasesAdd(&phases, 7, 0.5, false, false),
				==, 0);
	for (int i = 0; i < 1000; i++) {
		g_assert_cmpint(phases.list[i].startNs, ==, 7 * i);
		g_assert_cmpint(phases.list[i].endNs, ==, 7 * i + 7);
	}
	hdLevelPhasesClear(&phases);
}

/* Each kind does operations, and says how much. */
static void testKinds(void)
{
	char **names = g_strsplit(HD_LOAD_KINDS, "|", -1);
	char *directory = g_dir_make_tmp("levels-XXXXXX", NULL);
	const struct hdLoadSetup setup = { .directory = directory,
					   .fileBytes = 1000000,
					   .memoryBytes = 4 << 20 };

	g_assert_cmpuint(g_strv_length(names), ==, HD_LEVEL_KINDS_MAX);
	g_assert_null(hdLoadKindFind("cpu"));
	for (size_t i = 0; names[i]; i++) {
		const struct hdLoadKind *kind = hdLoadKindFind(names[i]);
		void *state;

		g_assert_nonnull(kind);
		g_test_message("%s", kind->name);
		g_assert_cmpint(kind->open(&setup, &state), ==, 0);
		for (int n = 0; n < 20; n++)
			g_assert_cmpint(kind->operate(state), >, 0);
		if (kind->hold) {
			for (int n = 0; n < 8; n++)
				kind->hold(state, 0.5);
			g_assert_cmpint(kind->hold(state, 0.5), ==, 2 << 20);
			g_assert_cmpint(kind->hold(state, 0.25), ==, 1 << 20);
		}
		kind->close(state);
	}
	/* No file remains. */
	g_assert_cmpint(g_rmdir(directory), ==, 0);
	g_free(directory);
	g_strfreev(names);
}

static void testUnusable(void)
{
	const struct hdLoadSetup nowhere = { .directory = "/no/such/place",
					     .fileBytes = 1000000,
					     .peer = "not an address" };
	void *state;

	g_assert_cmpint(hdLoadDiskRead.open(&nowhere, &state), ==, -ENOENT);
	g_assert_cmpint(hdLoadNetwork.open(&nowhere, &state), ==, -EINVAL);
}

/* ---- A whole run --------------------------------------------------------- */

struct counts {
	int results;
	int64_t operations;
};

static void countResult(void *context, const struct hdLevelResult *result)
{
	struct counts *counts = context;

	g_assert_cmpfloat(result->phase->target, ==,
			  result->phase->isCalibration ? 1 : 0.5);
	g_assert_false(result->isJudged);
	counts->results++;
	counts->operations += result->operations;
}

static void testRun(void)
{
	int cpu;
	struct counts counts = { .results = 0 };
	struct hdLevelJob job = {
		.kinds = { &hdLoadCpuInt, &hdLoadMemoryBandwidth },
		.kindCount = 2,
		.cpus = &cpu,
		.cpuCount = hdLoadCpus(&cpu, 1),
		.root = "",
		.setup = { .directory = "." },
		.done = countResult,
		.context = &counts,
	};
	const struct hdLoadKind *failed;
	enum hdLevelEnd end;

	hdLevelPhasesAdd(&job.phases, 50000000, 1, true, false);
	hdLevelPhasesAdd(&job.phases, 20000000, 0, false, true);
	hdLevelPhasesAdd(&job.phases, 250000000, 0.5, false, false);
	g_assert_cmpint(hdLevelRun(&job, &end, &failed), ==, 0);
	g_assert_cmpint(end, ==, HD_LEVEL_COMPLETE);
	g_assert_cmpint(counts.results, ==, 4);
	g_assert_cmpint(counts.operations, >, 0);
	hdLevelPhasesClear(&job.phases);
}

/* A sensor above the limit ends a load. */
static void testHot(void)
{
	int cpu;
	char *root = g_dir_make_tmp("levels-XXXXXX", NULL);
	struct hdLevelJob job = {
		.kinds = { &hdLoadCpuInt },
		.kindCount = 1,
		.cpus = &cpu,
		.cpuCount = hdLoadCpus(&cpu, 1),
		.root = root,
		.setup = { .directory = "." },
		.maxTemperature = 80,
	};
	const struct hdLoadKind *failed;
	enum hdLevelEnd end;

	put(root, "/sys/class/thermal/thermal_zone0/temp", "79999\n");
	hdLevelPhasesAdd(&job.phases, 300000000, 0, false, false);
	g_assert_cmpint(hdLevelRun(&job, &end, &failed), ==, 0);
	g_assert_cmpint(end, ==, HD_LEVEL_COMPLETE);
	put(root, "/sys/class/hwmon/hwmon0/temp1_input", "80001\n");
	hdLevelPhasesAdd(&job.phases, INT64_C(600000000000), 0, false, false);
	g_assert_cmpint(hdLevelRun(&job, &end, &failed), ==, 0);
	g_assert_cmpint(end, ==, HD_LEVEL_TOO_HOT);
	hdLevelPhasesClear(&job.phases);
	removeTree(root);
	g_free(root);
}

/* ---- Reasons ------------------------------------------------------------- */

static void testReasons(void)
{
	static const int nowhere = HD_LOAD_CPUS_MAX - 1;
	const struct hdLevelPhase phase = { .target = 0.9 };
	struct hdLevelResult result = { .kind = &hdLoadCpuInt,
					.phase = &phase,
					.reached = 0.5,
					.own = 0.5 };
	char *root = g_dir_make_tmp("levels-XXXXXX", NULL);
	int cpu;
	struct hdLevelJob job = { .cpus = &cpu,
				  .cpuCount = hdLoadCpus(&cpu, 1),
				  .root = root };

	hdLevelJudgeShare(&result);
	g_assert_false(result.isReached);
	hdLevelFindReason(&job, 0, &result);
	g_assert_cmpstr(result.reason, ==, "");
	result.steal = 0.011;
	hdLevelFindReason(&job, 0, &result);
	g_assert_nonnull(strstr(result.reason, "hypervisor"));
	put(root,
	    "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
	    "3\n");
	hdLevelFindReason(&job, 3, &result);
	g_assert_nonnull(strstr(result.reason, "hypervisor"));
	hdLevelFindReason(&job, 2, &result);
	g_assert_nonnull(strstr(result.reason, "heat"));
	result.own = 0.4;
	hdLevelFindReason(&job, 2, &result);
	g_assert_nonnull(strstr(result.reason, "other processes"));
	job.cpus = &nowhere;
	hdLevelFindReason(&job, 2, &result);
	g_assert_nonnull(strstr(result.reason, "cpuset"));
	/* Version 2, on a made-up system. */
	put(root, "/proc/self/cgroup", "0::/a\n");
	put(root, "/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
	hdLevelFindReason(&job, 2, &result);
	g_assert_nonnull(strstr(result.reason, "quota"));
	g_assert_cmpfloat(result.quota, ==, 0.5);
	removeTree(root);
	g_free(root);
}

/* At the limits of SPEC, and a little beyond. */
static void testJudgeRate(void)
{
	static const struct {
		double target, rate;
		bool isReached;
	} cases[] = {
		{ 1, 97.51, true },  { 1, 97.49, false },  { 1, 101.99, true },
		{ 1, 102.1, false }, { 0.9, 87.51, true }, { 0.8, 77.6, false },
		{ 0.8, 78.1, true }, { 0.1, 12.1, false },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct hdLevelPhase phase = { .target = cases[i].target };
		struct hdLevelResult result = { .phase = &phase,
						.rate = cases[i].rate };

		hdLevelJudgeRate(&result, 100);
		g_assert_true(result.isReached == cases[i].isReached);
	}
}

/* ---- Each CPU, or all together ------------------------------------------- */

/* A made-up node whose first CPU is busy by others, and whose second is idle.
 */
struct madeNode {
	const char *root;
	/* ThreadSanitizer knows no GMutex. */
	atomic_bool isOver;
};

static void *writeNode(void *context)
{
	struct madeNode *self = context;
	char *path = g_strconcat(self->root, "/proc/stat", NULL);
	int64_t start = g_get_monotonic_time();

	while (!atomic_load(&self->isOver)) {
		int64_t ticks = (g_get_monotonic_time() - start) / 10000 + 1;
		char *text = g_strdup_printf(
			"cpu  %10" G_GINT64_FORMAT " 0 0 %10" G_GINT64_FORMAT
			" 0 0 0 0 0 0\ncpu0 %10" G_GINT64_FORMAT
			" 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 %10" G_GINT64_FORMAT
			" 0 0 0 0 0 0\n",
			ticks, ticks, ticks, ticks);
		FILE *file = fopen(path, "r+");

		if (!file)
			file = fopen(path, "w");
		fputs(text, file);
		fclose(file);
		g_free(text);
		g_usleep(5000);
	}
	g_free(path);
	return NULL;
}

static void takeOwn(void *context, const struct hdLevelResult *result)
{
	double *own = context;

	g_test_message("reached %g, own %g", result->reached, result->own);
	*own = result->own;
}

/* The own share of a level of 40 %, once it has settled. */
static double ownOn(const char *root, const int *cpus, bool isOfNode)
{
	double own = NAN;
	struct hdLevelJob job = {
		.kinds = { &hdLoadCpuInt },
		.kindCount = 1,
		.cpus = cpus,
		.cpuCount = 2,
		.isOfNode = isOfNode,
		.root = root,
		.setup = { .directory = "." },
		.done = takeOwn,
		.context = &own,
	};
	const struct hdLoadKind *failed;
	enum hdLevelEnd end;

	hdLevelPhasesAdd(&job.phases, HD_LEVEL_JUDGED_NS, 0.4, false, false);
	g_assert_cmpint(hdLevelRun(&job, &end, &failed), ==, 0);
	hdLevelPhasesClear(&job.phases);
	return own;
}

/* The mean of both CPUs is above the target without any work; CPU 1 is below.
 */
static void testTogether(void)
{
	int cpus[2];
	struct madeNode node = { .root = NULL };
	char *root = g_dir_make_tmp("levels-XXXXXX", NULL);
	GThread *writer;
	double each, together;

	if (hdLoadCpus(cpus, 2) < 2 || cpus[0] != 0 || cpus[1] != 1) {
		g_test_skip("needs the CPUs 0 and 1");
		g_rmdir(root);
		g_free(root);
		return;
	}
	node.root = root;
	put(root, "/proc/stat", "");
	put(root, "/sys/devices/system/cpu/present", "0-1\n");
	put(root, "/sys/devices/system/cpu/possible", "0-1\n");
	put(root, "/sys/devices/system/cpu/online", "0-1\n");
	writer = g_thread_new("node", writeNode, &node);
	g_usleep(20000);
	each = ownOn(root, cpus, false);
	together = ownOn(root, cpus, true);
	atomic_store(&node.isOver, true);
	g_thread_join(writer);
#ifdef __SANITIZE_THREAD__
	/* It makes workers that only wake up and sleep take more than that. */
	g_assert_cmpfloat(together, <, each / 4);
#else
	g_assert_cmpfloat(together, <, 0.02);
#endif
	g_assert_cmpfloat(each, >, together);
	removeTree(root);
	g_free(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/levels/controller reaches targets", testReached);
	g_test_add_func("/levels/controller under limits", testUnreachable);
	g_test_add_func("/levels/arrivals as in queueing theory", testQueue);
	g_test_add_func("/levels/arrivals by seed", testSeed);
	g_test_add_func("/levels/quotas of control groups", testQuotas);
	g_test_add_func("/levels/temperature, throttling, memory", testSensors);
	g_test_add_func("/levels/reasons", testReasons);
	g_test_add_func("/levels/limits of SPEC", testJudgeRate);
	g_test_add_func("/levels/phases", testPhases);
	g_test_add_func("/levels/operations of all kinds", testKinds);
	g_test_add_func("/levels/unusable components", testUnusable);
	g_test_add_func("/levels/calibration, pause, level", testRun);
	g_test_add_func("/levels/--max-temperature", testHot);
	g_test_add_func("/levels/each CPU, or together", testTogether);
	return g_test_run();
}
