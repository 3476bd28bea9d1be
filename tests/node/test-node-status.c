/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* F8: how a node is, on trees that change from sample to sample; and whose CPU
 * time it is. */
#include "config.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "NodeStatus/local/processes.h"
#include "NodeStatus/local/sample.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/storage.h"
#include "common/clock.h"
#include "tests/lib/fixture.h"
#include "tests/lib/stall.h"
#include "tests/node/jsonpath.h"

#define MEMORY                                                       \
	"MemTotal: 1000 kB\nMemFree: 200 kB\nMemAvailable: 600 kB\n" \
	"Buffers: 10 kB\nCached: 300 kB\nSReclaimable: 5 kB\n"       \
	"Shmem: 20 kB\nSwapTotal: 100 kB\nSwapFree: 75 kB\n"

/* Counters of a node with interfaces, a line each. */
static void writeNet(const char *root, const char *lines)
{
	fixtureWrite(root, "/proc/net/dev",
		     "Inter-|   Receive   |  Transmit\n"
		     " face |bytes packets errs drop fifo frame compressed "
		     "multicast|bytes packets errs drop fifo colls carrier "
		     "compressed\n%s",
		     lines);
}

/* Make an interface, and say what it has counted: a line. */
static char *netLine(const char *root, const char *name, guint64 in,
		     guint64 out, guint64 errors)
{
	char *path = g_strdup_printf("/sys/class/net/%s/device/x", name);
	char *line = g_strdup_printf(
		"%6s: %" G_GUINT64_FORMAT " 1 %" G_GUINT64_FORMAT
		" 0 0 0 0 0 %" G_GUINT64_FORMAT " 1 0 0 0 0 0 0\n",
		name, in, errors, out);

	fixtureWrite(root, path, "\n");
	g_free(path);
	return line;
}

static void setNet(const char *root, guint64 in, guint64 out, guint64 errors)
{
	char *line = netLine(root, "eth0", in, out, errors);

	writeNet(root, line);
	g_free(line);
}

/* A rate is by the time that was measured, however long that was. */
static void rateIs(const struct nodeSample *sample, const char *name,
		   double amount)
{
	g_assert_cmpfloat_with_epsilon(nodeSampleValue(sample, name) *
					       sample->lengthS,
				       amount, 1e-6 * (amount + 1));
}

static bool takeSample(struct nodeSample *sample)
{
	nodeSampleRead(sample);
	return nodeSampleTake(sample);
}

static void testFirst(void)
{
	char *root = fixtureCreate();
	struct nodeSample sample;
	json_t *json;

	setNet(root, 1000, 2000, 0);
	fixtureWrite(root, "/proc/meminfo", "%s", MEMORY);
	nodeSampleBegin(&sample, root);
	json = nodeSampleJson(&sample);
	/* What was counted before is of no interval. */
	jsonIs(json, "stamp_s", "null");
	jsonIs(json, "interval_s", "null");
	jsonIs(json, "nics.0.in_bytes_per_s", "null");
	jsonIs(json, "nics.0.in_bytes", "0");
	jsonIs(json, "memory.free_bytes", "null");
	jsonIs(json, "memory.total_bytes", "null");
	jsonIs(json, "swap.total_bytes", "null");
	jsonIs(json, "load", "[null, null, null]");
	jsonIs(json, "cpu", "{}");
	json_decref(json);
	setNet(root, 1500, 2100, 3);
	takeSample(&sample);
	rateIs(&sample, "NET_IN_eth0", 500);
	rateIs(&sample, "NET_OUT_eth0", 100);
	rateIs(&sample, "NET_ERRORS_IN_eth0", 3);
	json = nodeSampleJson(&sample);
	jsonIs(json, "nics.0.name", "\"eth0\"");
	jsonIs(json, "nics.0.in_bytes", "500");
	jsonIs(json, "nics.0.out_bytes", "100");
	g_assert_true(jsonNumber(json, "interval_s") > 0);
	json_decref(json);
	nodeSampleEnd(&sample);
	fixtureRemove(root);
}

/* A late sample: the same amount, and less in a second. */
static void testLate(void)
{
	char *root = fixtureCreate();
	struct nodeSample sample;

	setNet(root, 0, 0, 0);
	nodeSampleBegin(&sample, root);
	/* As if the interval had begun ten seconds before. */
	sample.beganNs -= INT64_C(10000000000);
	setNet(root, 1000000, 0, 0);
	takeSample(&sample);
	g_assert_cmpfloat(sample.lengthS, >=, 10);
	g_assert_cmpfloat(nodeSampleValue(&sample, "NET_IN_eth0"), <=, 100000);
	rateIs(&sample, "NET_IN_eth0", 1000000);
	nodeSampleEnd(&sample);
	fixtureRemove(root);
}

/* Counters of 64 bit: one wraps, one is reset. */
static void testWrap(void)
{
	char *root = fixtureCreate();
	struct nodeSample sample;

	setNet(root, G_GUINT64_CONSTANT(4294967000), G_MAXUINT64 - 99, 0);
	nodeSampleBegin(&sample, root);
	setNet(root, G_GUINT64_CONSTANT(4294968000), 100, 0);
	takeSample(&sample);
	rateIs(&sample, "NET_IN_eth0", 1000);
	rateIs(&sample, "NET_OUT_eth0", 200);
	/* Below, and far from any wrap: it has begun anew, with a base. */
	setNet(root, 50, 300, 0);
	takeSample(&sample);
	g_assert_true(isnan(nodeSampleValue(&sample, "NET_IN_eth0")));
	rateIs(&sample, "NET_OUT_eth0", 200);
	setNet(root, 70, 300, 0);
	takeSample(&sample);
	rateIs(&sample, "NET_IN_eth0", 20);
	nodeSampleEnd(&sample);
	fixtureRemove(root);
}

/* A counter that wraps, looked at once a second: nothing is lost, whatever the
 * interval of the samples. */
static void testWrapAlways(void)
{
	char *root = fixtureCreate();
	const guint64 most = G_GUINT64_CONSTANT(1250000000);
	struct nodeSample sample;
	/* It wraps on half of the way. */
	guint64 in = 0 - 100 * most, sum = 0;

	setNet(root, in, 0, 0);
	nodeSampleBegin(&sample, root);
	for (int i = 0; i < 300; i++) {
		guint64 amount = i % 7 == 0 ? most
					    : (guint64)g_test_rand_double_range(
						      0, (double)most);

		in += amount;
		sum += amount;
		setNet(root, in, 0, 0);
		if (i % 5 != 4) {
			nodeSampleFollow(&sample);
			continue;
		}
		takeSample(&sample);
		rateIs(&sample, "NET_IN_eth0", (double)sum);
		sum = 0;
	}
	nodeSampleEnd(&sample);
	fixtureRemove(root);
}

/* An interface comes, and one goes; sums go on. */
static void testHotplug(void)
{
	char *root = fixtureCreate();
	struct nodeSample sample;
	char *eth0, *usb0, *both;
	json_t *json;

	fixtureWrite(root, "/proc/meminfo", "%s", MEMORY);
	fixtureWrite(root, "/proc/loadavg", "0.07 1.10 12.34 1/80 11206\n");
	setNet(root, 100, 0, 0);
	nodeSampleBegin(&sample, root);
	setNet(root, 300, 0, 0);
	takeSample(&sample);
	eth0 = netLine(root, "eth0", 400, 0, 0);
	usb0 = netLine(root, "usb0", 7000, 0, 0);
	both = g_strconcat(eth0, usb0, NULL);
	writeNet(root, both);
	g_assert_true(takeSample(&sample));
	/* Nothing is lost of what was there. */
	rateIs(&sample, "NET_IN_eth0", 100);
	g_assert_cmpfloat(nodeSampleValue(&sample, "MEM_AVAILABLE"), ==,
			  614400);
	json = nodeSampleJson(&sample);
	jsonIs(json, "memory.total_bytes", "1024000");
	jsonIs(json, "load", "[0.07, 1.1, 12.34]");
	/* Its first interval begins now. */
	jsonIs(json, "nics.1.name", "\"usb0\"");
	jsonIs(json, "nics.1.in_bytes_per_s", "null");
	jsonIs(json, "nics.0.in_bytes", "300");
	json_decref(json);
	writeNet(root, usb0);
	fixtureDelete(root, "/sys/class/net/eth0/device/x");
	fixtureDelete(root, "/sys/class/net/eth0/device");
	fixtureDelete(root, "/sys/class/net/eth0");
	takeSample(&sample);
	takeSample(&sample);
	json = nodeSampleJson(&sample);
	g_assert_cmpuint(json_array_size(jsonAt(json, "nics")), ==, 1);
	jsonIs(json, "nics.0.in_bytes_per_s", "0.0");
	json_decref(json);
	/* And is back, with all that it has ever counted here. */
	g_free(eth0);
	g_free(both);
	eth0 = netLine(root, "eth0", 50, 0, 0);
	both = g_strconcat(eth0, usb0, NULL);
	writeNet(root, both);
	takeSample(&sample);
	g_assert_true(isnan(nodeSampleValue(&sample, "NET_IN_eth0")));
	g_assert_false(takeSample(&sample));
	json = nodeSampleJson(&sample);
	jsonIs(json, "nics.0.name", "\"eth0\"");
	jsonIs(json, "nics.0.in_bytes", "300");
	json_decref(json);
	nodeSampleEnd(&sample);
	g_free(eth0);
	g_free(usb0);
	g_free(both);
	fixtureRemove(root);
}

static int someStatvfs(const char *path, struct statvfs *is)
{
	memset(is, 0, sizeof(*is));
	is->f_frsize = 1024;
	is->f_blocks = 100;
	is->f_bavail = g_str_has_suffix(path, "/data") ? 3 : 8;
	return 0;
}

/* A file system is mounted on a disk that was there, and goes. What a mount
 * point is without it is not taken for it. */
static void testMounts(void)
{
	static const char top[] = "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
	char *root = fixtureCreate();
	char *data = g_strconcat(root, "/data", NULL);
	struct nodeSample sample;
	json_t *json;

	rutStatvfs = someStatvfs;
	fixtureWrite(root, "/proc/self/mountinfo", "%s", top);
	nodeSampleBegin(&sample, root);
	g_assert_false(takeSample(&sample));
	/* Disks are asked at each sample from now on. */
	sample.setup.restNs = 0;
	/* It is on another device, as one that is mounted is. */
	g_assert_cmpint(symlink("/proc", data), ==, 0);
	fixtureWrite(root, "/proc/self/mountinfo", "%s%s", top,
		     "28 27 8:2 / /data rw - xfs /dev/sda2 rw\n");
	g_assert_true(takeSample(&sample));
	g_assert_false(takeSample(&sample));
	json = nodeSampleJson(&sample);
	jsonIs(json, "storage.1",
	       "{\"path\": \"/data\", \"total_bytes\": 102400, "
	       "\"free_bytes\": 3072}");
	json_decref(json);
	fixtureDelete(root, "/data");
	g_assert_cmpint(mkdir(data, 0755), ==, 0);
	rutStatvfs = statvfs;
	nodeSampleRead(&sample);
	nodeSampleTake(&sample);
	g_assert_true(isnan(nodeSampleValue(&sample, "STORAGE_FREE_/data")));
	fixtureWrite(root, "/proc/self/mountinfo", "%s", top);
	g_assert_true(takeSample(&sample));
	json = nodeSampleJson(&sample);
	g_assert_cmpuint(json_array_size(jsonAt(json, "storage")), ==, 1);
	json_decref(json);
	/* What did not open in time is tried again, a while later. */
	sample.used.isIncomplete = true;
	g_assert_false(takeSample(&sample));
	sample.openedNs -= 61 * HD_NS_PER_S;
	g_assert_true(takeSample(&sample));
	g_assert_false(takeSample(&sample));
	nodeSampleEnd(&sample);
	g_free(data);
	fixtureRemove(root);
}

static int stalledStatvfs(const char *path, struct statvfs *is)
{
	testStall();
	return someStatvfs(path, is);
}

/* A disk that hangs while it is opened is asked once: it is not waited for,
 * with one thread more left behind, each time that it is tried again. */
static void testMountHangs(void)
{
	static const char top[] = "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
	char *root = fixtureCreate();
	struct nodeSample sample;
	int asked;

	rutStatvfs = stalledStatvfs;
	nodeSampleBegin(&sample, root);
	sample.setup.openPatienceNs = HD_NS_PER_S / 50;
	asked = testStallCount();
	testStallSet(true);
	fixtureWrite(root, "/proc/self/mountinfo", "%s", top);
	g_assert_true(takeSample(&sample));
	g_assert_true(sample.used.isIncomplete);
	g_assert_cmpint(testStallCount(), ==, asked + 1);
	for (int i = 0; i < 3; i++) {
		sample.openedNs -= 61 * HD_NS_PER_S;
		g_assert_true(takeSample(&sample));
		g_assert_true(sample.used.isIncomplete);
	}
	g_assert_cmpint(testStallCount(), ==, asked + 1);
	testStallSet(false);
	do {
		sample.openedNs -= 61 * HD_NS_PER_S;
		takeSample(&sample);
	} while (sample.used.isIncomplete);
	while (!isfinite(nodeSampleValue(&sample, "STORAGE_FREE_/")))
		takeSample(&sample);
	g_assert_cmpfloat(nodeSampleValue(&sample, "STORAGE_FREE_/"), ==, 8192);
	nodeSampleEnd(&sample);
	rutStatvfs = statvfs;
	fixtureRemove(root);
}

static void testValues(void)
{
	char *root = fixtureCreate();
	struct nodeSample sample;
	json_t *json;

	fixtureWrite(root, "/proc/meminfo", "%s", MEMORY);
	fixtureWrite(root, "/proc/loadavg", "0.07 1.10 12.34 1/80 11206\n");
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  0 0 0 0\ncpu0 0 0 0 0\ncpu1 0 0 0 0\n");
	fixtureWrite(root, "/sys/devices/system/cpu/present", "0-1\n");
	nodeSampleBegin(&sample, root);
	fixtureWrite(root, "/proc/stat", "%s",
		     "cpu  50 0 0 140 10 0 0 0\ncpu0 50 0 0 50 0 0 0 0\n"
		     "cpu1 0 0 0 90 10 0 0 0\n");
	takeSample(&sample);
	json = nodeSampleJson(&sample);
	jsonIs(json, "cpu.user_percent", "25.0");
	jsonIs(json, "cpu.idle_percent", "70.0");
	jsonIs(json, "cpu.iowait_percent", "5.0");
	jsonIs(json, "cpus.1.iowait_percent", "10.0");
	jsonIs(json, "cpus.0.user_percent", "50.0");
	jsonIs(json, "cpus.1.cpu", "1");
	jsonIs(json, "load", "[0.07, 1.1, 12.34]");
	jsonIs(json, "memory.total_bytes", "1024000");
	jsonIs(json, "memory.available_bytes", "614400");
	jsonIs(json, "memory.cached_bytes", "312320");
	jsonIs(json, "swap.total_bytes", "102400");
	jsonIs(json, "swap.used_bytes", "25600");
	json_decref(json);
	nodeSampleEnd(&sample);
	fixtureRemove(root);
}

/* ---- Whose CPU time it is ---------------------------------------------- */

/* A process in the tree: ticks are its own, and those of children. */
static void setProcess(const char *root, int pid, const char *name, int parent,
		       int ticks, int children, int start)
{
	char *path = g_strdup_printf("/proc/%d/stat", pid);

	fixtureWrite(root, path,
		     "%d (%s) S %d 1 1 0 -1 4194560 0 0 0 0 %d 0 %d 0 20 0 1 "
		     "0 %d 0 0\n",
		     pid, name, parent, ticks, children, start);
	g_free(path);
}

static void endProcess(const char *root, int pid)
{
	char *path = g_strdup_printf("/proc/%d/stat", pid);

	fixtureDelete(root, path);
	g_free(path);
}

/* CPU time of ours, in ticks. */
static long look(struct nodeProcesses *processes, size_t expected)
{
	double seconds;
	size_t count;

	g_assert_true(nodeProcessesLook(processes, &seconds, &count));
	g_assert_cmpuint(count, ==, expected);
	return lround(seconds * (double)sysconf(_SC_CLK_TCK));
}

/* A tree with a step of a job: its slurmstepd is 60, its program 61, which has
 * used 100 ticks, and which has a child 62. */
static struct nodeProcesses *jobBegin(char **root, int childTicks)
{
	struct nodeProcesses *processes;

	*root = fixtureCreate();
	processes = nodeProcessesCreate(*root);
	setProcess(*root, 60, "slurmstepd", 1, 0, 0, 60);
	setProcess(*root, 61, "job", 60, 100, 0, 61);
	setProcess(*root, 62, "child", 61, childTicks, 0, 62);
	return processes;
}

static void jobEnd(struct nodeProcesses *processes, char *root)
{
	nodeProcessesFree(processes);
	fixtureRemove(root);
}

static void testOurs(void)
{
	char *root;
	struct nodeProcesses *processes = jobBegin(&root, 7);

	setProcess(root, 1, "init", 0, 1000, 500, 1);
	setProcess(root, 50, "foreign) S 60 (x", 1, 400, 0, 50);
	/* The first look has nothing to compare with. */
	g_assert_cmpint(look(processes, 3), ==, 0);
	setProcess(root, 50, "foreign) S 60 (x", 1, 900, 0, 50);
	setProcess(root, 61, "job", 60, 150, 0, 61);
	setProcess(root, 62, "child", 61, 10, 0, 62);
	g_assert_cmpint(look(processes, 3), ==, 50 + 3);
	/* A child ends after 5 more, and is waited for; another one came and
	 * went with 20 between the looks. */
	endProcess(root, 62);
	setProcess(root, 61, "job", 60, 151, 15 + 20, 61);
	g_assert_cmpint(look(processes, 2), ==, 1 + 5 + 20);
	/* New ones have used all of theirs since. */
	setProcess(root, 70, "new", 61, 33, 0, 700);
	g_assert_cmpint(look(processes, 3), ==, 33);
	/* Its parent ends: it stays ours. Nobody of ours has waited. */
	endProcess(root, 60);
	endProcess(root, 61);
	setProcess(root, 70, "new", 1, 40, 0, 700);
	g_assert_cmpint(look(processes, 1), ==, 7);
	/* Another process of the same number is not ours. */
	setProcess(root, 70, "other", 1, 99, 0, 900);
	g_assert_cmpint(look(processes, 0), ==, 0);
	jobEnd(processes, root);
}

/* A parent and a child end between two looks; the grandparent has both. */
static void testHeirs(void)
{
	char *root;
	struct nodeProcesses *processes = jobBegin(&root, 200);

	g_assert_cmpint(look(processes, 3), ==, 0);
	endProcess(root, 61);
	endProcess(root, 62);
	setProcess(root, 60, "slurmstepd", 1, 0, 101 + 202, 60);
	g_assert_cmpint(look(processes, 1), ==, 3);
	jobEnd(processes, root);
}

/* Nobody waits for a child, as where SIGCHLD is ignored: nothing of it comes
 * with its parent's, and nothing is taken off. */
static void testUnwaited(void)
{
	char *root;
	struct nodeProcesses *processes = jobBegin(&root, 2000);

	g_assert_cmpint(look(processes, 3), ==, 0);
	endProcess(root, 62);
	setProcess(root, 61, "job", 60, 150, 0, 61);
	g_assert_cmpint(look(processes, 2), ==, 50);
	jobEnd(processes, root);
}

/* A child has ended, and another process has got its number already. */
static void testReused(void)
{
	char *root;
	struct nodeProcesses *processes = jobBegin(&root, 2000);

	g_assert_cmpint(look(processes, 3), ==, 0);
	setProcess(root, 61, "job", 60, 110, 2004, 61);
	setProcess(root, 62, "other", 1, 33, 0, 900);
	g_assert_cmpint(look(processes, 2), ==, 10 + 4);
	jobEnd(processes, root);
}

/* Slurm's own process that stays without any job. */
static void testInfinity(void)
{
	static const char infinite[] = "/usr/sbin/slurmstepd\0infinity";
	char *root = fixtureCreate();
	char *path = g_strconcat(root, "/proc/60/cmdline", NULL);
	struct nodeProcesses *processes = nodeProcessesCreate(root);

	setProcess(root, 60, "slurmstepd", 1, 0, 0, 60);
	g_assert_true(
		g_file_set_contents(path, infinite, sizeof(infinite), NULL));
	look(processes, 0);
	setProcess(root, 61, "slurmstepd", 1, 0, 0, 61);
	fixtureWrite(root, "/proc/61/cmdline", "slurmstepd: [7.0]");
	look(processes, 1);
	g_free(path);
	nodeProcessesFree(processes);
	fixtureRemove(root);
}

/* By control group, by open files, by probes. */
static void testEvidence(void)
{
	char *root = fixtureCreate();
	struct nodeProcesses *processes = nodeProcessesCreate(root);
	pid_t *list;

	setProcess(root, 50, "a", 1, 1, 0, 50);
	fixtureWrite(root, "/proc/50/cgroup",
		     "0::/system.slice/slurmstepd.scope/job_7/step_0/user\n");
	setProcess(root, 51, "b", 1, 1, 0, 51);
	fixtureWrite(root, "/proc/51/cgroup",
		     "4:cpu:/slurm/uid_1000/job_7/step_batch\n");
	setProcess(root, 52, "c", 1, 1, 0, 52);
	fixtureLink(root, "/proc/52/fd/3", "/scratch/run_n0_0.trc");
	setProcess(root, 53, "d", 1, 1, 0, 53);
	fixtureLink(root, "/proc/53/fd/5", "/memfd:hdprobe (deleted)");
	setProcess(root, 54, "e", 1, 1, 0, 54);
	fixtureLink(root, "/proc/54/fd/5", "/memfd:other (deleted)");
	fixtureWrite(root, "/proc/54/cgroup", "0::/system.slice/slurmd\n");
	setProcess(root, 55, "f", 54, 1, 0, 55);
	look(processes, 4);
	g_assert_cmpuint(nodeProcessesProbes(processes, &list), ==, 1);
	g_assert_cmpint(list[0], ==, 53);
	free(list);
	/* It opens its files later. */
	fixtureLink(root, "/proc/54/fd/6", "/scratch/run_n0_1.stat");
	look(processes, 6);
	nodeProcessesFree(processes);
	fixtureRemove(root);
	processes = nodeProcessesCreate("/nowhere");
	g_assert_false(
		nodeProcessesLook(processes, &(double){ 0 }, &(size_t){ 0 }));
	nodeProcessesFree(processes);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/node-status/first sample", testFirst);
	g_test_add_func("/node-status/late sample", testLate);
	g_test_add_func("/node-status/counter wrap within one interval",
			testWrap);
	g_test_add_func("/node-status/counter wrap during a long interval",
			testWrapAlways);
	g_test_add_func("/node-status/interface appears and disappears",
			testHotplug);
	g_test_add_func("/node-status/file system is mounted and unmounted",
			testMounts);
	g_test_add_func("/node-status/hanging disk is opened only once",
			testMountHangs);
	g_test_add_func("/node-status/values of a known machine", testValues);
	g_test_add_func("/node-status/foreign CPUs/processes of jobs",
			testOurs);
	g_test_add_func("/node-status/foreign CPUs/grandparent accounts for "
			"ended descendants",
			testHeirs);
	g_test_add_func("/node-status/foreign CPUs/ended process without a "
			"waiting parent",
			testUnwaited);
	g_test_add_func("/node-status/foreign CPUs/reused process ID",
			testReused);
	g_test_add_func("/node-status/foreign CPUs/slurmstepd infinity",
			testInfinity);
	g_test_add_func("/node-status/foreign CPUs/evidence by control group, "
			"open files and probes",
			testEvidence);
	return g_test_run();
}
