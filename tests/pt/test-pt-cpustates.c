/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drivers cstates and pstates: how CPUs divide their time, on machines of
 * all kinds, and while CPUs come and go. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/machine/cpuset.h"
#include "PowerTracingLibrary/src/machine/residency.h"
#include "tests/lib/fixture.h"
#include "tests/pt/softdriver.h"

extern const struct ptDriver ptCstatesDriver, ptPstatesDriver;

#define CPUS "/sys/devices/system/cpu"

/* ---- Sets of CPUs ------------------------------------------------------ */

static void testSets(void)
{
	static const struct {
		const char *text;
		int ret;
		unsigned int end;
		const char *members; /* One for each CPU, '1' or '0'. */
	} rows[] = {
		{ "0", 0, 1, "1" },
		{ "0-3", 0, 4, "1111" },
		{ "1,3-4,6", 0, 7, "0101101" },
		{ "16383", 0, 16384, "0" },
		{ "", -EPROTO, 0, "" },
		{ "16384", -EPROTO, 0, "" },
		{ "0-16384", -EPROTO, 0, "" },
		{ "3-1", -EPROTO, 0, "" },
		{ "1,1", -EPROTO, 0, "" },
		{ "2,1", -EPROTO, 0, "" },
		{ "1,", -EPROTO, 0, "" },
		{ "1-", -EPROTO, 0, "" },
		{ "a", -EPROTO, 0, "" },
		{ "1 2", -EPROTO, 0, "" },
		{ "99999999999999999999", -EPROTO, 0, "" },
	};
	struct ptCpuSet set;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_test_message("\"%s\"", rows[i].text);
		g_assert_cmpint(ptCpuSetParse(rows[i].text, &set), ==,
				rows[i].ret);
		if (rows[i].ret < 0)
			continue;
		g_assert_cmpuint(set.end, ==, rows[i].end);
		for (unsigned int cpu = 0; rows[i].members[cpu]; cpu++)
			g_assert_cmpint(ptCpuSetHas(&set, cpu), ==,
					rows[i].members[cpu] == '1');
		g_assert_false(ptCpuSetHas(&set, rows[i].end));
	}
}

/* ---- Dividing time ----------------------------------------------------- */

static guint32 chance(guint32 below)
{
	static guint32 state = 1;

	state = state * 1664525 + 1013904223;
	return (guint32)((guint64)(state >> 4) * below >> 28);
}

/*
 * A CPU that sleeps and works by chance, with the kernel adding the time of a
 * sleep at its end. Whatever is told: it is within the interval, and in the end
 * it is what was counted.
 */
static void testMass(gconstpointer data)
{
	const int64_t mostMs = GPOINTER_TO_INT(data);
	bool knowsSleep = mostMs % 2;
	int64_t now = 0, changeAt = 0, sums[3] = { 0 }, counters[3] = { 0 };
	int state = -1; /* Working. */
	struct ptResidency residency;
	int64_t beganNs = 0, elapsed = 0, rest = 0;

	g_assert_cmpint(ptResidencyInit(&residency, 3), ==, 0);
	g_assert_cmpint(ptResidencyTake(&residency, 0, false), ==, 0);
	for (int i = 0; i < 20000; i++) {
		int64_t interval = 0, given = 0;
		bool isAsleep;

		now += 10 * MS;
		while (changeAt <= now) {
			if (state >= 0)
				counters[state] += changeAt - beganNs;
			beganNs = changeAt;
			state = (int)chance(4) - 1;
			changeAt += 1 + chance((guint32)mostMs) * MS +
				    chance((guint32)MS);
		}
		for (int k = 0; k < 3; k++)
			residency.states[k].nextNs = counters[k];
		isAsleep = knowsSleep && state >= 0 &&
			   !ptResidencyMoved(&residency);
		interval = ptResidencyTake(&residency, now, isAsleep);
		g_assert_cmpint(interval, ==, 10 * MS);
		for (int k = 0; k < 3; k++) {
			g_assert_cmpint(residency.states[k].givenNs, >=, 0);
			given += residency.states[k].givenNs;
			sums[k] += residency.states[k].givenNs;
		}
		g_assert_cmpint(given, <=, interval);
		elapsed += interval;
		rest += interval - given;
	}
	for (int k = 0; k < 3; k++) {
		g_assert_cmpint(sums[k] + residency.states[k].pendingNs -
					((size_t)k == residency.longest
						 ? residency.borrowedNs
						 : 0),
				==, counters[k]);
		/* Not much of it is on its way. */
		g_assert_cmpint(llabs(residency.states[k].pendingNs), <=,
				2000 * mostMs * MS);
	}
	g_assert_cmpint(sums[0] + sums[1] + sums[2] + rest, ==, elapsed);
	ptResidencyClear(&residency);
}

/* A CPU that sleeps for a second and works for one, looked at ten times a
 * second: with what /proc/stat says the sleep is where it was. */
static void testSleep(void)
{
	struct ptResidency residency;
	int64_t counter = 0;

	g_assert_cmpint(ptResidencyInit(&residency, 2), ==, 0);
	ptResidencyTake(&residency, 0, false);
	for (int i = 1; i <= 200; i++) {
		bool isSleeping = i % 20 >= 10;

		/* It wakes up at the end of its tenth sleep. */
		if (i % 20 == 0)
			counter += SECOND;
		residency.states[1].nextNs = counter;
		g_assert_cmpint(
			ptResidencyTake(&residency, i * 100 * MS,
					isSleeping &&
						!ptResidencyMoved(&residency)),
			==, 100 * MS);
		/* The last tenth is what was not told before it was counted. */
		g_assert_cmpint(residency.states[1].givenNs, ==,
				isSleeping ? 100 * MS : 0);
		g_assert_cmpint(residency.states[0].givenNs, ==, 0);
	}
	g_assert_cmpint(residency.states[1].pendingNs, ==, 0);
	ptResidencyClear(&residency);
}

/* ---- Machines ---------------------------------------------------------- */

static void setTime(const char *root, unsigned int cpu, unsigned int state,
		    guint64 us)
{
	char *path =
		g_strdup_printf(CPUS "/cpu%u/cpuidle/state%u/time", cpu, state);

	fixtureWrite(root, path, "%" G_GUINT64_FORMAT "\n", us);
	g_free(path);
}

static void addState(const char *root, unsigned int cpu, unsigned int state,
		     const char *name)
{
	char *path =
		g_strdup_printf(CPUS "/cpu%u/cpuidle/state%u/name", cpu, state);

	fixtureWrite(root, path, "%s\n", name);
	g_free(path);
	setTime(root, cpu, state, 1000000 * (cpu + 1));
}

/* The idle times of two CPUs in /proc/stat, in ticks of 10 ms. */
static void setIdle(const char *root, guint64 first, guint64 second)
{
	fixtureWrite(root, "/proc/stat",
		     "cpu  1 2 3 %" G_GUINT64_FORMAT " 5 6\n"
		     "cpu0 1 2 3 %" G_GUINT64_FORMAT " 5 6 0 0 0 0\n"
		     "cpu1 1 2 3 %" G_GUINT64_FORMAT " 5 6 0 0 0 0\n"
		     "intr 1\n",
		     first + second, first, second);
}

/* Two CPUs with POLL, C1 and C6. */
static char *machine(void)
{
	static const char *const names[] = { "POLL", "C1", "C6" };
	char *root = fixtureCreate();

	fixtureWrite(root, CPUS "/present", "0-1\n");
	fixtureWrite(root, CPUS "/online", "0-1\n");
	for (unsigned int cpu = 0; cpu < 2; cpu++)
		for (unsigned int state = 0; state < 3; state++)
			addState(root, cpu, state, names[state]);
	setIdle(root, 0, 0);
	return root;
}

static void testList(void)
{
	char *root = machine(), *list;

	list = softList(&ptCstatesDriver, root, NULL);
	g_assert_cmpstr(list, ==,
			"+cpu0-C0: cpuidle\n+cpu0-POLL: cpuidle\n"
			"+cpu0-C1: cpuidle\n+cpu0-C6: cpuidle\n"
			"+cpu1-C0: cpuidle\n+cpu1-POLL: cpuidle\n"
			"+cpu1-C1: cpuidle\n+cpu1-C6: cpuidle\n"
			"+all-C0: cpuidle\n+all-POLL: cpuidle\n"
			"+all-C1: cpuidle\n+all-C6: cpuidle\n");
	g_free(list);
	/* More than two are not listed one by one. */
	fixtureWrite(root, CPUS "/present", "0-1,7,9\n");
	addState(root, 7, 0, "C1");
	addState(root, 9, 0, "C1");
	list = softList(&ptCstatesDriver, root, NULL);
	g_assert_nonnull(strstr(list, "+cpu1-C6: cpuidle\n+...: and so on\n"
				      "+...: and so on\n+all-C0"));
	g_free(list);
	fixtureRemove(root);
	root = fixtureCreate();
	for (int i = 0; i < 3; i++) {
		list = softList(&ptCstatesDriver, root, NULL);
		g_assert_cmpstr(list, ==,
				"--: no CPU has cpuidle states; virtual "
				"machines do not provide them\n");
		g_free(list);
		fixtureWrite(root, CPUS "/present", i ? "0\n" : "none\n");
	}
	fixtureRemove(root);
}

/* All that a name or pattern stands for. */
static char *resolveAll(const struct ptDriver *driver, const char *root,
			const char *pattern)
{
	GString *all = g_string_new(NULL);
	char *label;

	for (size_t i = 0;; i++) {
		int ret = softResolve(driver, root, NULL, pattern, i, &label);

		if (ret == 0)
			g_string_append_printf(all, "%s ", label);
		g_free(label);
		if (ret < 0)
			break;
	}
	return g_string_free(all, FALSE);
}

static void testResolve(void)
{
	static const struct {
		const char *pattern, *expected;
	} rows[] = {
		{ "*", "cpu0-C0 cpu0-POLL cpu0-C1 cpu0-C6 "
		       "cpu1-C0 cpu1-POLL cpu1-C1 cpu1-C6 " },
		{ "cpu1-*", "cpu1-C0 cpu1-POLL cpu1-C1 cpu1-C6 " },
		{ "*-C6", "cpu0-C6 cpu1-C6 " },
		{ "all-*", "all-C0 all-POLL all-C1 all-C6 " },
		{ "cpu0-C1", "cpu0-C1 " },
		{ "all-C6", "all-C6 " },
		{ "cpu2-*", "" },
		{ "cpu0-C7", "" },
		{ "cpu0", "" },
		{ "", "" },
	};
	char *root = machine(), *text;

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		text = resolveAll(&ptCstatesDriver, root, rows[i].pattern);
		/* One that is no pattern is found again and again. */
		if (strchr(rows[i].pattern, '*') || !*rows[i].expected)
			g_assert_cmpstr(text, ==, rows[i].expected);
		g_free(text);
	}
	g_assert_cmpint(
		softResolve(&ptCstatesDriver, root, NULL, "cpu0-C7", 0, &text),
		==, -ENOENT);
	g_assert_cmpstr(text, ==,
			"unknown input; expected cpuN-STATE, all-STATE (see pt "
			"-l) or a pattern: *, cpu0-*, all-*");
	g_free(text);
	fixtureRemove(root);
	root = fixtureCreate();
	g_assert_cmpint(
		softResolve(&ptCstatesDriver, root, NULL, "*", 0, &text), ==,
		-ENOENT);
	g_assert_cmpstr(text, ==,
			"no CPU has cpuidle states; virtual machines do not "
			"provide them");
	g_free(text);
	fixtureRemove(root);
}

/* Names as no channel can have them, the same twice, or none. */
static void testNames(void)
{
	char *root = fixtureCreate(), *text;

	fixtureWrite(root, CPUS "/present", "3\n");
	addState(root, 3, 0, "WFI (ARM)");
	addState(root, 3, 1, "C1");
	addState(root, 3, 2, "C1");
	addState(root, 3, 3, "");
	addState(root, 3, 4, "C0");
	text = resolveAll(&ptCstatesDriver, root, "*");
	g_assert_cmpstr(text, ==,
			"cpu3-C0 cpu3-WFI--ARM- cpu3-C1 cpu3-state2 "
			"cpu3-state3 cpu3-state4 ");
	g_free(text);
	fixtureRemove(root);
}

/* A large machine is found in no time. */
static void testLarge(void)
{
	char *root = fixtureCreate(), *text;
	guint count = 0;

	fixtureWrite(root, CPUS "/present", "0-511\n");
	for (unsigned int cpu = 0; cpu < 512; cpu++)
		addState(root, cpu, 0, "C1");
	text = resolveAll(&ptCstatesDriver, root, "*");
	for (const char *at = text; *at; at++)
		count += *at == ' ';
	g_assert_cmpuint(count, ==, 1024);
	g_free(text);
	fixtureRemove(root);
}

/* ---- Readings ---------------------------------------------------------- */

#define ALL                                               \
	"cpu0-C0 Share, cpu0-POLL Share, cpu0-C1 Share, " \
	"cpu0-C6 Share, cpu1-C0 Share, cpu1-C6 Share, "   \
	"all-C0 Share, all-C6 Share"

static void testShares(void)
{
	struct softDevice soft;
	char *root = machine();

	g_assert_cmpint(
		softOpen(&soft, &ptCstatesDriver, root, SECOND, NULL, ALL), ==,
		0);
	g_assert_cmpstr(soft.columns[0].source, ==, "cpuidle");
	g_assert_cmpstr(soft.columns[0].resolution, ==, "1 us");
	/* What was before does not count. */
	setTime(root, 0, 2, 5000000);
	softStart(&soft);
	/* 0.1 s POLL, 0.2 s C1, 0.3 s C6; the other CPU has slept nothing. */
	setTime(root, 0, 0, 1100000);
	setTime(root, 0, 1, 1200000);
	setTime(root, 0, 2, 5300000);
	softExpect(&soft, SECOND, "40 10 20 30 100 0 70 15");
	/* All of it in C6, and not a microsecond more. */
	setTime(root, 0, 2, 6300000);
	setTime(root, 1, 2, 2250000);
	softExpect(&soft, SECOND, "0 0 0 100 75 25 37.5 62.5");
	/* More than there is: the rest comes later. */
	setTime(root, 0, 1, 2200000);
	setTime(root, 0, 2, 8300000);
	softExpect(&soft, SECOND, "0 0 33.33333 66.66666 100 0 50 33.33333");
	softExpect(&soft, SECOND, "0 0 33.33333 66.66666 100 0 50 33.33333");
	softExpect(&soft, SECOND, "0 0 33.33333 66.66666 100 0 50 33.33333");
	softExpect(&soft, SECOND, "100 0 0 0 100 0 100 0");
	/* A counter that went back began anew. */
	setTime(root, 0, 1, 10);
	softExpect(&soft, SECOND, "NaN NaN NaN NaN 100 0 100 0");
	setTime(root, 0, 1, 500010);
	softExpect(&soft, SECOND, "50 0 50 0 100 0 75 0");
	softClose(&soft);
	fixtureRemove(root);
}

/* A CPU sleeps for seconds, and nothing counts it until it wakes up. */
static void testAsleep(void)
{
	static const char *const late[] = { "asleep", "late", NULL };
	struct softDevice soft;
	char *root = machine();

	g_assert_cmpint(softOpen(&soft, &ptCstatesDriver, root, SECOND, NULL,
				 "cpu0-C0 Share, cpu0-C1 Share, cpu0-C6 Share"),
			==, 0);
	softStart(&soft);
	setIdle(root, 100, 0);
	softExpect(&soft, SECOND, "0 0 100");
	setIdle(root, 199, 0);
	softExpect(&soft, SECOND, "0 0 100");
	/* It wakes up: it was C6 for 2.5 s, and then it works. */
	setTime(root, 0, 2, 3500000);
	setIdle(root, 250, 0);
	softExpect(&soft, SECOND, "50 0 50");
	setIdle(root, 250, 0);
	softExpect(&soft, SECOND, "100 0 0");
	/* Now it sleeps in C1: that is known when it has been there. */
	setIdle(root, 300, 0);
	setTime(root, 0, 1, 1500000);
	softExpect(&soft, SECOND, "50 50 0");
	setIdle(root, 400, 0);
	softExpect(&soft, SECOND, "0 100 0");
	setTime(root, 0, 1, 2500000);
	setIdle(root, 400, 0);
	softExpect(&soft, SECOND, "100 0 0");
	softClose(&soft);
	/* As the kernel counts. */
	g_assert_cmpint(softOpen(&soft, &ptCstatesDriver, root, SECOND, late,
				 "cpu0-C0 Share, cpu0-C6 Share"),
			==, 0);
	softStart(&soft);
	setIdle(root, 500, 0);
	softExpect(&soft, SECOND, "100 0");
	setTime(root, 0, 2, 4500000);
	setIdle(root, 600, 0);
	softExpect(&soft, SECOND, "0 100");
	softClose(&soft);
	fixtureRemove(root);
}

/* CPUs are switched off, with or without their directories, and on again; and
 * one is there only later. */
static void testHotplug(void)
{
	struct softDevice soft;
	char *root = machine();

	fixtureWrite(root, CPUS "/present", "0-2\n");
	g_assert_cmpint(softOpen(&soft, &ptCstatesDriver, root, SECOND, NULL,
				 "cpu0-C0 Share, cpu1-C0 Share, cpu1-C6 Share, "
				 "all-C6 Share"),
			==, 0);
	softStart(&soft);
	setTime(root, 0, 2, 1500000);
	setTime(root, 1, 2, 2500000);
	softExpect(&soft, SECOND, "50 50 50 50");
	fixtureWrite(root, CPUS "/online", "0\n");
	setTime(root, 0, 2, 1750000);
	softExpect(&soft, SECOND, "75 NaN NaN 25");
	/* Its counters may be others when it is back. */
	setTime(root, 1, 2, 7);
	softExpect(&soft, SECOND, "100 NaN NaN 0");
	fixtureWrite(root, CPUS "/online", "0-2\n");
	softExpect(&soft, SECOND, "100 NaN NaN 0");
	setTime(root, 1, 2, 1000007);
	softExpect(&soft, SECOND, "100 0 100 50");
	/* The third one comes, and has another state in that place. */
	addState(root, 2, 0, "C6");
	softExpect(&soft, SECOND, "100 100 0 0");
	setTime(root, 2, 0, 3500000);
	softExpect(&soft, SECOND, "100 100 0 16.66667");
	/* The files of one are gone, all of a sudden. */
	fixtureDelete(root, CPUS "/cpu1/cpuidle/state2/time");
	fixtureDelete(root, CPUS "/cpu1/cpuidle/state2/name");
	fixtureWrite(root, CPUS "/online", "0,2\n");
	softExpect(&soft, SECOND, "100 NaN NaN 0");
	fixtureWrite(root, CPUS "/online", "0-2\n");
	softClose(&soft);
	fixtureRemove(root);
}

/* What files hold may be anything. */
static void testNonsense(void)
{
	static const char *const texts[] = {
		"", "-1\n", "x\n", "99999999999999999999999\n", "1 2\n",
	};
	struct softDevice soft;
	char *root = machine();

	g_assert_cmpint(softOpen(&soft, &ptCstatesDriver, root, SECOND, NULL,
				 "cpu0-C1 Share, cpu1-C1 Share"),
			==, 0);
	softStart(&soft);
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		fixtureWrite(root, CPUS "/cpu0/cpuidle/state1/time", "%s",
			     texts[i]);
		softExpect(&soft, SECOND, "NaN 0");
	}
	setTime(root, 0, 1, 5000000);
	softExpect(&soft, SECOND, "NaN 0");
	setTime(root, 0, 1, 5500000);
	softExpect(&soft, SECOND, "50 0");
	/* No list of those that are on, or nonsense: all are. */
	fixtureWrite(root, CPUS "/online", "zero\n");
	softExpect(&soft, SECOND, "0 0");
	fixtureWrite(root, "/proc/stat", "nonsense\n");
	softExpect(&soft, SECOND, "0 0");
	softClose(&soft);
	fixtureRemove(root);
}

/* ---- Frequencies ------------------------------------------------------- */

static void setFrequencies(const char *root, unsigned int cpu, const char *text)
{
	char *path =
		g_strdup_printf(CPUS "/cpu%u/cpufreq/stats/time_in_state", cpu);

	fixtureWrite(root, path, "%s", text);
	g_free(path);
}

static void setClock(const char *root, unsigned int cpu, const char *text)
{
	char *path =
		g_strdup_printf(CPUS "/cpu%u/cpufreq/scaling_cur_freq", cpu);

	fixtureWrite(root, path, "%s", text);
	g_free(path);
}

static void testFrequencies(void)
{
	char *root = fixtureCreate(), *text;
	struct softDevice soft;

	fixtureWrite(root, CPUS "/present", "0-1\n");
	fixtureWrite(root, CPUS "/online", "0-1\n");
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		setFrequencies(root, cpu, "2400000 100\n1200000 200\n");
		setClock(root, cpu, "2400000\n");
	}
	text = resolveAll(&ptPstatesDriver, root, "*");
	g_assert_cmpstr(text, ==,
			"cpu0-2400MHz cpu0-1200MHz cpu1-2400MHz "
			"cpu1-1200MHz ");
	g_free(text);
	text = resolveAll(&ptPstatesDriver, root, "cpu*");
	g_assert_cmpstr(text, ==,
			"cpu0-2400MHz cpu0-1200MHz cpu0 cpu1-2400MHz "
			"cpu1-1200MHz cpu1 ");
	g_free(text);
	g_assert_cmpint(softOpen(&soft, &ptPstatesDriver, root, SECOND, NULL,
				 "cpu0-2400MHz Share, cpu0-1200MHz Share, "
				 "all-1200MHz Share, cpu1 Clock"),
			==, 0);
	softStart(&soft);
	setFrequencies(root, 0, "2400000 125\n1200000 275\n");
	setFrequencies(root, 1, "2400000 100\n1200000 300\n");
	setClock(root, 1, "1200500\n");
	softExpect(&soft, SECOND, "25 75 87.5 1.2005e+09");
	/* Ticks of 10 ms: a tick more than there is time waits. */
	setFrequencies(root, 0, "2400000 226\n1200000 275\n");
	softExpect(&soft, SECOND, "100 0 0 1.2005e+09");
	setFrequencies(root, 0, "2400000 226\n1200000 374\n");
	softExpect(&soft, SECOND, "1 99 49.5 1.2005e+09");
	/* It has other frequencies now; nonsense; and no clock. */
	setFrequencies(root, 0, "2400000 226\n");
	setClock(root, 1, "<unknown>\n");
	softExpect(&soft, SECOND, "NaN NaN 0 NaN");
	setFrequencies(root, 0, "2400000 226\n1200000 374");
	softExpect(&soft, SECOND, "NaN NaN 0 NaN");
	setFrequencies(root, 0, "2400000 226\n1200000 374\n");
	softExpect(&soft, SECOND, "NaN NaN 0 NaN");
	setFrequencies(root, 0, "2400000 226\n1200000 474\n");
	softExpect(&soft, SECOND, "0 100 50 NaN");
	softClose(&soft);
	fixtureRemove(root);
}

/* Where nobody counts there is the clock only. */
static void testClocks(void)
{
	char *root = fixtureCreate(), *text;
	struct softDevice soft;

	fixtureWrite(root, CPUS "/present", "0-1\n");
	setClock(root, 0, "3400000\n");
	setClock(root, 1, "800000\n");
	text = resolveAll(&ptPstatesDriver, root, "*");
	g_assert_cmpstr(text, ==, "cpu0 cpu1 ");
	g_free(text);
	text = softList(&ptPstatesDriver, root, NULL);
	g_assert_cmpstr(text, ==, "+cpu0: cpufreq\n+cpu1: cpufreq\n");
	g_free(text);
	g_assert_cmpint(softOpen(&soft, &ptPstatesDriver, root, SECOND, NULL,
				 "cpu0 Clock, cpu1 Clock"),
			==, 0);
	g_assert_cmpstr(soft.columns[0].resolution, ==, "1 kHz");
	softStart(&soft);
	setClock(root, 1, "850000\n");
	softExpect(&soft, SECOND, "3.4e+09 850000000");
	fixtureWrite(root, CPUS "/online", "0\n");
	softExpect(&soft, SECOND, "3.4e+09 NaN");
	softClose(&soft);
	softSaid("");
	g_assert_cmpint(softOpen(&soft, &ptPstatesDriver, root, SECOND, NULL,
				 "cpu0 Share"),
			==, -EINVAL);
	g_assert_true(softSaid("pstates: cpu0 has no Share; no CPU counts "
			       "its time at each frequency"));
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	static const int most[] = { 1, 2, 5, 20, 101, 1000, 5001 };

	g_test_init(&argc, &argv, NULL);
	softInit();
	g_test_add_func("/cpustates/sets", testSets);
	for (size_t i = 0; i < G_N_ELEMENTS(most); i++) {
		char *path = g_strdup_printf("/cpustates/mass/%d", most[i]);

		g_test_add_data_func(path, GINT_TO_POINTER(most[i]), testMass);
		g_free(path);
	}
	g_test_add_func("/cpustates/sleep", testSleep);
	g_test_add_func("/cpustates/list", testList);
	g_test_add_func("/cpustates/resolve", testResolve);
	g_test_add_func("/cpustates/names", testNames);
	g_test_add_func("/cpustates/large", testLarge);
	g_test_add_func("/cpustates/shares", testShares);
	g_test_add_func("/cpustates/asleep", testAsleep);
	g_test_add_func("/cpustates/hotplug", testHotplug);
	g_test_add_func("/cpustates/nonsense", testNonsense);
	g_test_add_func("/cpustates/frequencies", testFrequencies);
	g_test_add_func("/cpustates/clocks", testClocks);
	return g_test_run();
}
