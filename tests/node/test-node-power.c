/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: waits */
/**
 * @file
 * Joules of live readers on a clock that is stepped: pt energy's sum, the
 * status of a node, and its metrics have to agree with each other and with the
 * law of the counters.
 */
#include "config.h"

#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "NodeStatus/local/core/local.h"
#include "PowerTracingLibrary/client/core/own.h"
#include "PowerTracingLibrary/client/core/powersum.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "common/clock.h"
#include "tests/lib/fixture.h"
#include "tests/lib/testlib.h"
#include "tests/node/jsonpath.h"

#define SECOND G_GINT64_CONSTANT(1000000000)
#define START_NS (G_GINT64_CONSTANT(1700000000) * SECOND)
#define MONOTONIC_NS (1000 * SECOND)
#define STEPS 12

/* ---- The clock, and the law -------------------------------------------- */

/* What has passed; and what it was when a thread last asked, so that all that
 * this thread reads is of one moment. */
static _Atomic int64_t passedNs;
static _Thread_local int64_t threadNs = -1;

static int64_t powerTestNow(void)
{
	threadNs = passedNs;
	return MONOTONIC_NS + threadNs;
}

static int powerTestWall(clockid_t clock, struct timespec *now)
{
	int64_t ns = START_NS + (threadNs >= 0 ? threadNs : passedNs);

	(void)clock;
	*now = hdClockToTimespec(ns);
	return 0;
}

/* Microjoules of a counter until a time: its power is another one in each
 * second, and never a round number. */
static int64_t powerTestLaw(int64_t ns, int64_t least)
{
	int64_t second = ns / SECOND, rest = ns % SECOND, sum = 0;

	for (int64_t i = 0; i < second; i++)
		sum += least + 12345679 * (i % 7);
	return sum + (least + 12345679 * (second % 7)) / 1000 * rest / 1000000;
}

/* Energy of the zones of the tree; others are as they are. */
static ssize_t powerTestPread(int fd, void *bytes, size_t count, off_t offset)
{
	static const struct {
		const char *end;
		int64_t least;
	} zones[] = {
		{ "/intel-rapl:0/energy_uj", 33333333 },
		{ "/intel-rapl:0:0/energy_uj", 7000001 },
		{ "/intel-rapl:1/energy_uj", 0 },
	};
	char link[32], target[4096];
	ssize_t length;

	g_snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, target, sizeof(target) - 1);
	target[MAX(length, 0)] = '\0';
	for (size_t i = 0; threadNs >= 0 && i < G_N_ELEMENTS(zones); i++)
		if (g_str_has_suffix(target, zones[i].end))
			return g_snprintf(
				bytes, count, "%lld\n",
				zones[i].least
					? (long long)powerTestLaw(
						  threadNs, zones[i].least)
					: 5LL);
	return pread(fd, bytes, count, offset);
}

static void powerTestAddZone(const char *root, const char *zone,
			     const char *name)
{
	char *path = g_strdup_printf("/sys/class/powercap/intel-rapl:%s", zone);
	char *file = g_strdup_printf("%s/name", path);

	fixtureWrite(root, file, "%s\n", name);
	g_free(file);
	file = g_strdup_printf("%s/energy_uj", path);
	fixtureWrite(root, file, "5\n");
	g_free(file);
	file = g_strdup_printf("%s/max_energy_range_uj", path);
	fixtureWrite(root, file, "262143328850\n");
	g_free(file);
	g_free(path);
}

/* ---- The readers ------------------------------------------------------- */

static void powerTestTake(void *context, const struct hdNodeMetric *metric)
{
	if (strcmp(metric->name, "hdtrace_energy_joules") == 0)
		*(double *)context = metric->value;
}

/* Wait until all have read what there is now. */
static void powerTestSettle(struct hdNodeLocal *local, struct ptPowerSum *sum)
{
	bool isRead = false;

	while (!isRead) {
		json_t *status = hdNodeLocalSection(local, HD_NODE_STATUS);

		isRead =
			json_number_value(jsonAt(status, "power.age_s")) == 0 &&
			json_is_number(jsonAt(status, "power.age_s"));
		json_decref(status);
		pthread_mutex_lock(&sum->mutex);
		for (size_t i = 0; i < sum->count; i++)
			isRead &= sum->integral.values[i].lastNs ==
				  START_NS + passedNs;
		pthread_mutex_unlock(&sum->mutex);
		poll(NULL, 0, 5);
	}
}

static void powerTestNear(double joules, double expected)
{
	g_test_message("%.12g J of %.12g J", joules, expected);
	g_assert_cmpfloat(fabs(joules - expected), <=, 1e-9 * expected);
}

/* The rest of the time is spent in the readers' own cycles, of a second. */
static void testAgreement(void)
{
	char *root = fixtureCreate();
	struct hdNodeSetup setup = { .name = "node7",
				     .root = root,
				     .intervalNs = 100000000,
				     .smartctl = "" };
	int64_t cycleNs = 10000000;
	struct hdNodeLocal *local;
	struct ptPowerSum sum;
	struct ptOwn *own;
	json_t *status;
	double expected, metric = NAN;

	powerTestAddZone(root, "0", "package-0");
	powerTestAddZone(root, "0:0", "dram");
	powerTestAddZone(root, "1", "psys");
	ptNow = powerTestNow;
	ptSysPread = powerTestPread;
	hdClockUse(powerTestWall);
	g_assert_cmpint(hdNodeLocalStart(&setup, &local), ==, 0);
	ptPowerSumInit(&sum);
	own = ptOwnOpen("pt energy", NULL, root, cycleNs, &sum);
	g_assert_nonnull(own);
	ptPowerSumBegin(&sum, START_NS);
	g_assert_cmpint(ptOwnBegin(own), ==, 0);
	/* This thread reads no meter from now on. */
	threadNs = -1;
	powerTestSettle(local, &sum);
	for (int i = 1; i <= STEPS; i++) {
		passedNs += SECOND / 8 * (i % 3 + 1) + 1001 * i;
		poll(NULL, 0, 20 * (i % 2));
	}
	passedNs += 3 * SECOND;
	powerTestSettle(local, &sum);
	expected = (double)(powerTestLaw(passedNs, 33333333) +
			    powerTestLaw(passedNs, 7000001)) /
		   1e6;
	/* The platform never advances, and so does not count. */
	g_assert_cmpstr(ptOwnName(own), ==,
			"powercap package-0, package-0-dram");
	powerTestNear(ptIntegralJoules(&sum.integral), expected);
	status = hdNodeLocalSection(local, HD_NODE_STATUS);
	powerTestNear(json_number_value(jsonAt(status, "power.joules")),
		      expected);
	jsonIs(status, "power.left_out.0.input", "\"psys\"");
	json_decref(status);
	hdNodeLocalMetrics(local, powerTestTake, &metric);
	powerTestNear(metric, expected);
	ptOwnFree(own);
	ptPowerSumClear(&sum);
	hdNodeLocalStop(local);
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/power/live readers agree on a stepped clock",
			testAgreement);
	return g_test_run();
}
