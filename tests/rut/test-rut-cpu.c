/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU counters of all kinds, and what utilization is made of them. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/cpucounter.h"
#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"
#include "tests/lib/fixture.h"

#define MS INT64_C(1000000)
#define TICK (10 * MS)

static struct hdScan scanOf(const char *text)
{
	return (struct hdScan){ text, text + strlen(text) };
}

static void testLists(void)
{
	static const struct {
		const char *text;
		int ret;
		const char *numbers;
	} cases[] = {
		{ "0\n", 0, "0 " },
		{ "0-3\n", 0, "0 1 2 3 " },
		{ "0-1,4,6-7\n", 0, "0 1 4 6 7 " },
		{ "0-1", 0, "0 1 " },
		{ "", -EINVAL, "" },
		{ "\n", -EINVAL, "" },
		{ "a", -EINVAL, "" },
		{ "1,0", -EINVAL, "" },
		{ "3-2", -EINVAL, "" },
		{ "0-", -EINVAL, "" },
		{ "0,", -EINVAL, "" },
		{ "0 x", -EINVAL, "" },
		{ "0-99999999999", -EINVAL, "" },
		{ "99999999999999999999999", -EINVAL, "" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct hdScan scan = scanOf(cases[i].text);
		GString *numbers = g_string_new(NULL);
		struct rutCpuList list = { 0 };

		g_test_message("\"%s\"", cases[i].text);
		g_assert_cmpint(rutCpuListParse(&scan, &list), ==,
				cases[i].ret);
		for (size_t j = 0; j < list.count; j++)
			g_string_append_printf(numbers, "%u ", list.numbers[j]);
		g_assert_cmpstr(numbers->str, ==, cases[i].numbers);
		g_string_free(numbers, TRUE);
		rutCpuListClear(&list);
	}
}

/* /proc/stat, with CPU 1 of three offline. Idle and iowait do not count. */
static void testStat(void)
{
	static const struct {
		const char *text;
		const char *online;
		int64_t idle0, idle2; /* Ticks. */
	} cases[] = {
		{ "cpu  9 9 9 9 9\ncpu0 1 2 3 4 5 6\ncpu2 1 1 1 7 1\nintr 5\n",
		  "101", 9, 8 },
		{ "cpu  9 9 9 9 9\ncpu0 1 2 3 4 5", "100", 9, 0 },
		/* Numbers are missing, or none. */
		{ "cpu0 1 2 3 4\ncpu2 1 1 1 7 1\n", "001", 0, 8 },
		{ "cpu0 a b c\ncpux 1 2 3 4 5\ncpu2 1 1 1 7 1\n", "001", 0, 8 },
		{ "cpu99999999999999999999 1 2 3 4 5\ncpu2 1 1 1 7 1\n", "001",
		  0, 8 },
		/* CPUs that nobody knows, and another order. */
		{ "cpu9 1 2 3 4 5\ncpu2 1 1 1 7 1\ncpu0 1 2 3 4 5\n", "101", 9,
		  8 },
		{ "intr 5\ncpu0 1 2 3 4 5\n", "000", 0, 0 },
		{ "", "000", 0, 0 },
		{ "cpu", "000", 0, 0 },
		{ "\n\n\n", "000", 0, 0 },
	};
	unsigned int numbers[] = { 0, 1, 2 };
	const struct rutCpuList list = { numbers, 3 };

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct hdScan scan = scanOf(cases[i].text);
		struct rutCpu cpus[3] = { 0 };
		char online[4] = "";

		g_test_message("\"%s\"", cases[i].text);
		rutCpuStatParse(&scan, &list, cpus, TICK);
		for (int j = 0; j < 3; j++)
			online[j] = cpus[j].isOnline ? '1' : '0';
		g_assert_cmpstr(online, ==, cases[i].online);
		g_assert_cmpint(cpus[0].idleNs, ==, cases[i].idle0 * TICK);
		g_assert_cmpint(cpus[2].idleNs, ==, cases[i].idle2 * TICK);
	}
}

/* The kernel's idle time may step back a little; a reset is one. */
static void testStatBackwards(void)
{
	static const struct {
		int ticks;
		int64_t sum;
	} steps[] = { { 1000, 1000 }, { 1010, 1010 }, { 1009, 1010 },
		      { 1011, 1011 }, { 3, 1011 },    { 8, 1016 } };
	unsigned int numbers[] = { 0 };
	const struct rutCpuList list = { numbers, 1 };
	struct rutCpu cpu = { 0 };

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		char *text =
			g_strdup_printf("cpu0 0 0 0 %d 0\n", steps[i].ticks);
		struct hdScan scan = scanOf(text);

		rutCpuStatParse(&scan, &list, &cpu, TICK);
		g_assert_cmpint(cpu.idleNs, ==, steps[i].sum * TICK);
		g_free(text);
	}
}

/* However absurd the counters are, no sum overflows. */
static void testAbsurd(void)
{
	unsigned int numbers[] = { 0 };
	const struct rutCpuList list = { numbers, 1 };
	struct rutCpu cpu = { 0 };

	for (int i = 0; i < 4; i++) {
		struct hdScan scan =
			scanOf(i % 2 ? "cpu0 0 0 0 18446744073709551615 "
				       "18446744073709551615\n"
				     : "cpu0 0 0 0 9223372036854775807 0\n");
		int64_t before = cpu.idleNs;

		rutCpuStatParse(&scan, &list, &cpu, TICK);
		g_assert_cmpint(cpu.idleNs, >=, before);
		g_assert_cmpint(cpu.idleNs, <=, INT64_MAX / 8);
	}
}

/* Which counter is chosen where. */
static void testChoice(void)
{
	enum {
		IDLE = 1,
		ACCT = 2,
		SCHED = 4,
		STAT = 8,
		NOT_ROOT = 16,
		ODD = 32,
		CGROUP2 = 64
	};
	static const struct {
		int has;
		enum rutCpuSource wanted;
		const char *chosen;
	} cases[] = {
		{ IDLE | ACCT | SCHED | STAT, RUT_CPU_BEST, "cpuidle" },
		{ ACCT | SCHED | STAT, RUT_CPU_BEST, "cpuacct" },
		{ ACCT, RUT_CPU_BEST, "cpuacct" },
		{ ACCT | NOT_ROOT | SCHED | STAT, RUT_CPU_BEST, "schedstat" },
		{ STAT, RUT_CPU_BEST, "stat" },
		/* It counts ticks, too. */
		{ CGROUP2 | STAT, RUT_CPU_BEST, "stat" },
		{ CGROUP2, RUT_CPU_BEST, NULL },
		/* It needs /proc/stat. */
		{ IDLE, RUT_CPU_BEST, NULL },
		{ SCHED, RUT_CPU_BEST, NULL },
		{ 0, RUT_CPU_BEST, NULL },
		/* What says something else than /proc/stat is not believed. */
		{ IDLE | ACCT | SCHED | STAT | ODD, RUT_CPU_BEST, "stat" },
		{ IDLE | ACCT | SCHED | STAT, RUT_CPU_STAT, "stat" },
		{ IDLE | ACCT | SCHED | STAT, RUT_CPU_SCHEDSTAT, "schedstat" },
		{ STAT, RUT_CPU_CPUIDLE, NULL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		int has = cases[i].has;
		int64_t scale = has & ODD ? 100 : 1;
		char *root = fixtureCreate();
		struct rutCpuCounter counter;
		int ret;

		g_test_message("%d", has);
		fixtureWrite(root, "/sys/devices/system/cpu/present", "0-1\n");
		fixtureWrite(root, "/sys/devices/system/cpu/possible", "0-1\n");
		/* 100 s busy and 100 s idle on each of two. */
		if (has & STAT)
			fixtureWrite(root, "/proc/stat",
				     "cpu  20000 0 0 20000 0 0 0 0\n"
				     "cpu0 10000 0 0 10000 0 0 0 0\n"
				     "cpu1 10000 0 0 10000 0 0 0 0\n");
		for (int j = 0; has & IDLE && j < 4; j++) {
			char *path = g_strdup_printf(
				"/sys/devices/system/cpu/cpu%d/cpuidle/"
				"state%d/time",
				j / 2, j % 2);

			fixtureWrite(root, path, "%lld\n",
				     (long long)(50000000 / scale));
			g_free(path);
		}
		if (has & ACCT) {
			fixtureWrite(root,
				     "/sys/fs/cgroup/cpu,cpuacct/"
				     "cpuacct.usage_percpu",
				     "%lld %lld \n",
				     (long long)(100000000000 / scale),
				     (long long)(100000000000 / scale));
			if (!(has & NOT_ROOT))
				fixtureWrite(root,
					     "/sys/fs/cgroup/cpu,cpuacct/"
					     "release_agent",
					     "\n");
		}
		if (has & CGROUP2)
			fixtureWrite(root, "/sys/fs/cgroup/cpu.stat",
				     "usage_usec 200000000\n"
				     "user_usec 200000000\nsystem_usec 0\n");
		if (has & SCHED)
			fixtureWrite(root, "/proc/schedstat",
				     "version 15\ntimestamp 1\n"
				     "cpu0 0 0 0 0 0 0 %lld 0 0\n"
				     "domain0 00000003 0 0 0 0\n"
				     "cpu1 0 0 0 0 0 0 %lld 0 0\n",
				     (long long)(100000000000 / scale),
				     (long long)(100000000000 / scale));
		ret = rutCpuCounterOpen(&counter, root, cases[i].wanted);
		if (cases[i].chosen) {
			g_assert_cmpint(ret, ==, 0);
			g_assert_cmpstr(counter.kind->name, ==,
					cases[i].chosen);
			rutCpuCounterClose(&counter);
		} else {
			g_assert_cmpint(ret, ==, -ENOENT);
		}
		fixtureRemove(root);
	}
}

/* The carry keeps the mean, and every value between 0 and the wall. */
static void testUse(void)
{
	struct rutUse use = { 0 };
	int64_t sum = 0;

	/* A task that computes, charged at ticks of 4 ms, sampled at 10 ms. */
	for (int64_t i = 1; i <= 100; i++) {
		int64_t charged = (i * 10 / 4) * 4 - ((i - 1) * 10 / 4) * 4;
		int64_t busy =
			rutUseTake(&use, 10 * MS, charged * MS, 4 * TICK);

		g_assert_cmpint(busy, >=, 0);
		g_assert_cmpint(busy, <=, 10 * MS);
		if (i > 2)
			g_assert_cmpint(busy, ==, 10 * MS);
		sum += busy;
	}
	g_assert_cmpint(sum, >=, 996 * MS);
	/* Nonsense is limited. */
	g_assert_cmpint(rutUseTake(&use, MS, INT64_MAX / 2, 4 * TICK), ==, MS);
	g_assert_cmpint(use.carryNs, ==, 4 * TICK);
	g_assert_cmpint(rutUseTake(&use, MS, -1000 * MS, 4 * TICK), ==, 0);
	g_assert_cmpint(use.carryNs, ==, -4 * TICK);
}

/*
 * A CPU in a model of the kernel, with the truth known: idle-state residency
 * that is added when the CPU wakes, and ticks of idle time that are exact but
 * coarse.
 */
struct model {
	int64_t now;
	int64_t idle; /* The truth. */
	int64_t fine; /* What cpuidle tells. */
	struct rutMerge merge;
	struct rutUse use;
	int64_t lastBusy;
};

static int64_t modelMerge(struct model *model)
{
	return model->now - rutMergeTake(&model->merge, model->now, model->fine,
					 model->idle / TICK * TICK, TICK);
}

/* Percent busy since the last time. */
static double modelSample(struct model *model, int64_t wall)
{
	int64_t busy = modelMerge(model), passed = busy - model->lastBusy;

	model->lastBusy = busy;
	return 100.0 * (double)rutUseTake(&model->use, wall, passed, 4 * TICK) /
	       (double)wall;
}

struct modelCase {
	const char *name;
	int64_t interval;
	int64_t busy; /* Of each period. */
	int64_t period;
	double deviationMax; /* Greatest standard deviation, in points. */
};

static void modelRun(const struct modelCase *c)
{
	struct model model = { .fine = 5 };
	double sum = 0, squares = 0, mean, truth, deviation;
	int64_t step = MS / 10, skip = 20, count = 0;

	modelMerge(&model);
	for (int64_t i = 1; i <= 4000 * MS / step; i++) {
		bool isBusy = (model.now % c->period) < c->busy;

		model.now += step;
		if (!isBusy)
			model.idle += step;
		/* Added at the moment of the wake. */
		if (isBusy)
			model.fine = 5 + model.idle;
		if (model.now % c->interval == 0) {
			double percent = modelSample(&model, c->interval);

			g_assert_cmpfloat(percent, >=, 0);
			g_assert_cmpfloat(percent, <=, 100);
			if (--skip >= 0)
				continue;
			sum += percent;
			squares += percent * percent;
			count++;
		}
	}
	truth = 100.0 * (double)c->busy / (double)c->period;
	mean = sum / (double)count;
	deviation = sqrt(fabs(squares / (double)count - mean * mean));
	g_test_message("%s: %.2f %% of %.2f %%, deviation %.2f", c->name, mean,
		       truth, deviation);
	g_assert_cmpfloat(fabs(mean - truth), <=, 1.0);
	g_assert_cmpfloat(deviation, <=, c->deviationMax);
}

static void testModel(void)
{
	static const struct modelCase cases[] = {
		{ "10 % at 10 ms", 10 * MS, MS / 5, 2 * MS, 3 },
		{ "50 % at 10 ms", 10 * MS, MS, 2 * MS, 3 },
		{ "90 % at 10 ms", 10 * MS, 9 * MS / 5, 2 * MS, 3 },
		{ "50 % at 20 ms", 20 * MS, MS, 2 * MS, 3 },
		{ "50 % at 100 ms", 100 * MS, MS, 2 * MS, 3 },
		{ "always idle", 10 * MS, 0, 1000 * MS, 0.01 },
		{ "always busy", 10 * MS, 1000 * MS, 1000 * MS, 0.01 },
		/* Sleeps for long: the fine counter is silent. */
		{ "0.1 % at 10 ms", 10 * MS, MS, 1000 * MS, 2 },
		{ "0.4 % at 100 ms", 100 * MS, MS, 250 * MS, 3 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		modelRun(&cases[i]);
}

/* After a long sleep begins, the coarse counter takes over within ticks. */
static void testSilent(void)
{
	struct model model = { 0 };
	double percent = 100;

	modelMerge(&model);
	/* Busy for 100 ms, then idle for good. */
	for (int i = 1; i <= 100; i++) {
		model.now += 10 * MS;
		if (i > 10)
			model.idle += 10 * MS;
		percent = modelSample(&model, 10 * MS);
		if (i <= 10)
			g_assert_cmpfloat(percent, ==, 100);
		if (i > 15)
			g_assert_cmpfloat(percent, ==, 0);
	}
	/* One second later it wakes; the carry hides no more than ticks. */
	model.fine = model.idle;
	for (int i = 1; i <= 10; i++) {
		model.now += 10 * MS;
		percent = modelSample(&model, 10 * MS);
		if (i > 4)
			g_assert_cmpfloat(percent, ==, 100);
	}
}

static void testPercent(void)
{
	g_assert_cmpfloat(rutPercent(1, 4), ==, 25);
	g_assert_cmpfloat(rutPercent(-1, 4), ==, 0);
	g_assert_cmpfloat(rutPercent(1, 0), ==, 0);
	for (int64_t whole = 1; whole < 100000; whole += 7) {
		g_assert_cmpfloat(rutPercent(whole, whole), ==, 100);
		g_assert_cmpfloat(rutPercent(whole + 1, whole), ==, 100);
		g_assert_cmpfloat(rutPercent(whole - 1, whole), <=, 100);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rut/cpu/lists", testLists);
	g_test_add_func("/rut/cpu/stat", testStat);
	g_test_add_func("/rut/cpu/stat-backwards", testStatBackwards);
	g_test_add_func("/rut/cpu/absurd", testAbsurd);
	g_test_add_func("/rut/cpu/choice", testChoice);
	g_test_add_func("/rut/cpu/use", testUse);
	g_test_add_func("/rut/cpu/percent", testPercent);
	g_test_add_func("/rut/cpu/model", testModel);
	g_test_add_func("/rut/cpu/silent", testSilent);
	return g_test_run();
}
