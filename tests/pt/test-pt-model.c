/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power estimated by a model, of loads that are known. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "tests/lib/fixture.h"
#include "tests/pt/softdriver.h"

extern const struct ptDriver ptModelDriver;

#define HEAD                                                            \
	"[model]\nversion = 1\nunit = W\nidle_w = 100\nidle_low = 99\n" \
	"idle_high = 101\nerror_w = 2.5\n"
#define CPU                                                       \
	"[component cpu]\nw_per_percent = 1 0.5\nlow = 0.9 0.4\n" \
	"high = 1.1 0.6\nknots = 60\n"
#define NETWORK                                                 \
	"[component network]\nw_per_percent = 0.2\nlow = 0.1\n" \
	"high = 0.3\nmax = 1000000\n"
#define DISKS                                                   \
	"[component disk-read]\nw_per_percent = 0.1\nlow = 0\n" \
	"high = 0.2\nmax = 512000\n[component disk-write]\n"    \
	"w_per_percent = 0.3\nlow = 0.2\nhigh = 0.4\nmax = 512000\n"

static void setUse(const char *root, long idle, long network, long sectors)
{
	fixtureWrite(root, "/proc/stat",
		     "cpu  99 0 99 %ld 0 0 0 0 0 0\n"
		     "cpu0 9 0 9 9 0 0 0 0 0 0\ncpu1 9 0 9 9 0 0 0 0 0 0\n",
		     idle);
	fixtureWrite(root, "/proc/net/dev",
		     "Inter-|   Receive                |  Transmit\n"
		     " face |bytes    packets errs drop fifo frame compressed "
		     "multicast|bytes packets\n"
		     "    lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n"
		     "  eth0:%ld 1 0 0 0 0 0 0 %ld 1 0 0 0 0 0 0\n",
		     network, network);
	/* A partition of a loop device does not count. */
	fixtureWrite(root, "/sys/block/sda/stat", "1 0 %ld 0 1 0 %ld 0 0 0 0\n",
		     sectors, 2 * sectors);
	fixtureWrite(root, "/sys/block/loop0/stat",
		     "1 0 %ld 0 1 0 %ld 0 0 0 0\n", 9 * sectors, 9 * sectors);
}

static void setInterfaces(const char *root, long outer, long inner)
{
	fixtureWrite(root, "/proc/net/dev",
		     "Inter-|   Receive\n face |bytes\n"
		     "    lo:%ld 1 0 0 0 0 0 0 %ld 1 0 0 0 0 0 0\n"
		     "  eth0:%ld 1 0 0 0 0 0 0 %ld 1 0 0 0 0 0 0\n"
		     "   br0:%ld 1 0 0 0 0 0 0 %ld 1 0 0 0 0 0 0\n"
		     " veth1:%ld 1 0 0 0 0 0 0 %ld 1 0 0 0 0 0 0\n",
		     inner, inner, outer, outer, inner, inner, inner, inner);
}

static char *writeModel(const char *root, const char *text)
{
	fixtureWrite(root, "/node.model", "%s", text);
	return g_strconcat(root, "/node.model", NULL);
}

static void testValues(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();
	char *path = writeModel(root, HEAD CPU NETWORK DISKS);
	const char *options[] = { "model", path, NULL };

	setUse(root, 1000, 1000000, 5000);
	g_assert_cmpint(softOpen(&soft, &ptModelDriver, root, SECOND, options,
				 "host P, host E"),
			==, 0);
	g_assert_true(soft.columns[0].isSimulated);
	g_assert_cmpstr(soft.columns[0].source, ==,
			"estimated by node.model, error 2.5 W");
	g_assert_cmpstr(soft.columns[0].resolution, ==, "2.5 W");
	g_assert_cmpstr(soft.columns[1].resolution, ==, "2.5 J");
	softStart(&soft);
	/* Idle for 200 ticks of two CPUs. */
	setUse(root, 1200, 1000000, 5000);
	softExpect(&soft, SECOND, "100 100");
	/* 80 %: 60 + 0.5 * 20; 2 * 250000 B/s: 50 % * 0.2; 500 and 1000
	 * sectors: 50 % * 0.1 and 100 % * 0.3. */
	setUse(root, 1240, 1250000, 5500);
	softExpect(&soft, SECOND, "215 215");
	/* Counters that fall, such as of a device that was replaced. */
	setUse(root, 1640, 0, 0);
	softExpect(&soft, 2 * SECOND, "100 200");
	softClose(&soft);
	g_free(path);
	fixtureRemove(root);
}

/* Traffic of lo, of bridges and of the ports of bridges is not the network's.
 */
static void testInterfaces(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();
	char *path = writeModel(root, HEAD NETWORK);
	const char *options[] = { "model", path, NULL };

	fixtureWrite(root, "/sys/class/net/eth0/device/vendor", "1\n");
	fixtureWrite(root, "/sys/class/net/br0/bridge/bridge_id", "1\n");
	fixtureWrite(root, "/sys/class/net/veth1/master/ifindex", "1\n");
	setUse(root, 1000, 0, 0);
	setInterfaces(root, 0, 0);
	g_assert_cmpint(softOpen(&soft, &ptModelDriver, root, SECOND, options,
				 "host P"),
			==, 0);
	softStart(&soft);
	/* eth0: 2 * 100000 B, 20 %; the others: 2 * 400000 B each. */
	setInterfaces(root, 100000, 400000);
	softExpect(&soft, SECOND, "104");
	/* An interface that appears has a count of its own: a base. */
	fixtureWrite(root, "/sys/class/net/eth1/device/vendor", "1\n");
	fixtureWrite(root, "/proc/net/dev",
		     "a\nb\n eth0:200000 1 0 0 0 0 0 0 200000 1 0 0 0 0 0 0\n"
		     " eth1:900000 1 0 0 0 0 0 0 900000 1 0 0 0 0 0 0\n");
	softExpect(&soft, SECOND, "104");
	softClose(&soft);
	g_free(path);
	fixtureRemove(root);
}

static void setClocks(const char *root, long first, long second)
{
	fixtureWrite(root,
		     "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq",
		     "%ld\n", first);
	fixtureWrite(root,
		     "/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq",
		     "%ld\n", second);
}

/* (1500 / 2000) ^ 2 = 0.5625; half of the CPUs are busy: 50 W * 0.5625. */
static void testClock(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();
	char *path = writeModel(
		root, HEAD "[component cpu]\nw_per_percent = 1\nlow = 1\n"
			   "high = 1\nclock_mhz = 2000\nclock_exponent = 2\n");
	const char *options[] = { "model", path, NULL };

	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-1\n");
	setClocks(root, 2000000, 2000000);
	setUse(root, 1000, 0, 0);
	g_assert_cmpint(softOpen(&soft, &ptModelDriver, root, SECOND, options,
				 "host P"),
			==, 0);
	g_assert_cmpstr(soft.columns[0].source, ==,
			"estimated by node.model, error 2.5 W");
	softStart(&soft);
	setUse(root, 1100, 0, 0);
	softExpect(&soft, SECOND, "150");
	setClocks(root, 1000000, 2000000);
	setUse(root, 1200, 0, 0);
	softExpect(&soft, SECOND, "128.125");
	softClose(&soft);
	fixtureRemove(root);

	/* A machine that does not show clocks. */
	root = fixtureCreate();
	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-1\n");
	setUse(root, 1000, 0, 0);
	fixtureWrite(root, "/node.model",
		     HEAD "[component cpu]\nw_per_percent = 1\nlow = 1\n"
			  "high = 1\nclock_mhz = 2000\nclock_exponent = 2\n");
	g_free(path);
	path = g_strconcat(root, "/node.model", NULL);
	options[1] = path;
	g_assert_cmpint(softOpen(&soft, &ptModelDriver, root, SECOND, options,
				 "host P"),
			==, 0);
	g_assert_true(softSaid("estimated at 2000 MHz"));
	g_assert_cmpstr(soft.columns[0].source, ==,
			"estimated by node.model, error 2.5 W; without CPU "
			"clock");
	softClose(&soft);
	g_free(path);
	fixtureRemove(root);
}

/* Counters of devices that come, go, and come again; and what is not read. */
static void testDevices(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();
	char *path = writeModel(root, HEAD NETWORK DISKS);
	const char *options[] = { "model", path, NULL };

	setUse(root, 1000, 1000, 5000);
	fixtureWrite(root, "/sys/class/net/eth0/ifindex", "2\n");
	fixtureWrite(root, "/sys/block/sda/diskseq", "7\n");
	g_assert_cmpint(softOpen(&soft, &ptModelDriver, root, SECOND, options,
				 "host P, host E"),
			==, 0);
	softStart(&soft);
	/* 2 * 250000 B/s: 50 % * 0.2; disks: 50 % * 0.1 and 100 % * 0.3. */
	setUse(root, 1200, 251000, 5500);
	softExpect(&soft, SECOND, "145 145");
	/* Another interface and another disk have these names. */
	setUse(root, 1400, 900000000, 90000000);
	fixtureWrite(root, "/sys/class/net/eth0/ifindex", "9\n");
	fixtureWrite(root, "/sys/block/sda/diskseq", "8\n");
	softExpect(&soft, SECOND, "100 100");
	setUse(root, 1600, 900250000, 90000500);
	softExpect(&soft, SECOND, "145 145");
	/* One that is new. */
	fixtureWrite(root, "/sys/block/sdb/stat",
		     "1 0 777777 0 1 0 888888 0 0 0 0\n");
	setUse(root, 1800, 900500000, 90001000);
	softExpect(&soft, SECOND, "145 145");
	/* What is not read is no idle network; and what moved meanwhile is not
	 * of the next second. */
	fixtureWrite(root, "/proc/net/dev", "%s", "");
	softExpect(&soft, SECOND, "NaN NaN");
	setUse(root, 2000, 909999999, 90001000);
	softExpect(&soft, SECOND, "NaN NaN");
	setUse(root, 2200, 909999999, 90001000);
	softExpect(&soft, SECOND, "100 100");
	softClose(&soft);
	g_free(path);
	fixtureRemove(root);
}

/* Components that are not seen are named. */
static void testUnseen(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();
	char *path = writeModel(
		root,
		HEAD "[component cpu-int]\nw_per_percent = 1\nlow = 1\n"
		     "high = 1\n[component cpu-vector]\nw_per_percent = 2\n"
		     "low = 2\nhigh = 2\n[component memory-bandwidth]\n"
		     "w_per_percent = 1\nlow = 1\nhigh = 1\n");
	const char *options[] = { "model", path, NULL };

	setUse(root, 1000, 0, 0);
	g_assert_cmpint(softOpen(&soft, &ptModelDriver, root, SECOND, options,
				 "host P"),
			==, 0);
	g_assert_cmpstr(soft.columns[0].source, ==,
			"estimated by node.model, error 2.5 W; without "
			"cpu-vector, memory-bandwidth");
	softStart(&soft);
	setUse(root, 1100, 0, 0);
	softExpect(&soft, SECOND, "150");
	softClose(&soft);
	g_free(path);
	fixtureRemove(root);
}

static void testErrors(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "missing section [model]" },
		{ "[model]\nversion = 2\n", "version 2 is not supported" },
		{ HEAD "[component cpu]\nw_per_percent = 1 2\nlow = 1 2\n"
		       "high = 1 2\n",
		  "[component cpu]: missing key knots=" },
		{ HEAD "[component cpu]\nw_per_percent = 1\nlow = 1 2\n"
		       "high = 1\n",
		  "low: expected a number" },
		{ HEAD "[component cpu]\nw_per_percent = 1,5\nlow = 1\n"
		       "high = 1\n",
		  "w_per_percent: expected 1 to 8 numbers" },
		{ HEAD CPU CPU, "the component is there twice" },
		{ HEAD HEAD, "duplicate section [model]" },
		{ HEAD "[componnent cpu]\nx = 1\n", "unknown section" },
		{ HEAD "[component cpu]\nw_per_percent = 1 2\nlow = 1 2\n"
		       "high = 1 2\nknots = 100\n",
		  "knots: expected increasing numbers" },
		{ "[model]\nversion = 1\nunit = mW\nidle_w = nan\n",
		  "unit: expected W" },
	};
	char *root = fixtureCreate();

	setUse(root, 1000, 0, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct softDevice soft;
		char *path = writeModel(root, cases[i].text);
		const char *options[] = { "model", path, NULL };

		g_assert_cmpint(softOpen(&soft, &ptModelDriver, root, SECOND,
					 options, "host P"),
				==, -EINVAL);
		g_assert_true(softSaid(cases[i].message));
		g_free(path);
	}
	fixtureRemove(root);
}

static void testMissing(void)
{
	struct softDevice soft;
	const char *options[] = { "model", "/none/node.model", NULL };
	char *text;

	g_assert_cmpint(
		softOpen(&soft, &ptModelDriver, "", SECOND, NULL, "host P"), ==,
		-EINVAL);
	g_assert_true(softSaid("missing option: model=FILE"));
	g_assert_cmpint(
		softOpen(&soft, &ptModelDriver, "", SECOND, options, "host P"),
		==, -ENOENT);
	g_assert_true(softSaid("/none/node.model: cannot read: No such file"));
	g_assert_cmpint(softResolve(&ptModelDriver, "", NULL, "1", 0, &text),
			==, -EINVAL);
	g_assert_cmpstr(text, ==, "the only input is host");
	g_free(text);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	softInit();
	g_test_add_func("/pt-model/values", testValues);
	g_test_add_func("/pt-model/devices", testDevices);
	g_test_add_func("/pt-model/unseen", testUnseen);
	g_test_add_func("/pt-model/interfaces", testInterfaces);
	g_test_add_func("/pt-model/clock", testClock);
	g_test_add_func("/pt-model/errors", testErrors);
	g_test_add_func("/pt-model/missing", testMissing);
	return g_test_run();
}
