/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* The drivers for the machine's own meters in a whole libPT: from the
 * configuration to the file. Times are real, so only what does not depend on
 * them is looked at. */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/trace.h"
#include "common/clock.h"
#include "tests/lib/fixture.h"
#include "tests/lib/statfile.h"
#include "tests/lib/testlib.h"

static GString *messages;
static pthread_mutex_t messagesMutex = PTHREAD_MUTEX_INITIALIZER;

static void catch (enum hdLogLevel level, const char *text)
{
	pthread_mutex_lock(&messagesMutex);
	g_string_append_printf(messages, "%d %s\n", (int)level, text);
	pthread_mutex_unlock(&messagesMutex);
}

static char *root;

/* Read a configuration; what is wrong goes to the messages. */
static int readConfig(const char *text, const char *project,
		      struct ptConfig *config)
{
	struct ptRequest request = { .file = "pt.cfg",
				     .drivers = ptDrivers,
				     .root = root,
				     .depth = -1,
				     .project = project };

	g_string_truncate(messages, 0);
	g_assert_true(g_file_set_contents("pt.cfg", text, -1, NULL));
	return ptConfigRead(&request, config);
}

static PowerTrace *create(const char *text, const char *project)
{
	PowerTrace *trace = NULL;
	struct ptConfig config;

	if (readConfig(text, project, &config) < 0)
		g_error("%s", messages->str);
	g_assert_cmpint(ptTraceCreate(&config, NULL, root, &trace), ==, 0);
	ptConfigClear(&config);
	return trace;
}

static void waitForReadings(PowerTrace *trace, uint64_t count)
{
	int64_t until = hdMonotonicNow() + 60 * INT64_C(1000000000);
	struct ptCounts counts;

	do {
		g_assert_cmpint(hdMonotonicNow(), <, until);
		g_usleep(200);
		ptTraceCounts(trace, &counts);
	} while (counts.readings < count);
}

static void addZone(const char *zone, const char *name)
{
	char *path = g_strdup_printf("/sys/class/powercap/%s/", zone);
	char *file = g_strconcat(path, "name", NULL);

	fixtureWrite(root, file, "%s\n", name);
	g_free(file);
	file = g_strconcat(path, "energy_uj", NULL);
	fixtureWrite(root, file, "1000000\n");
	g_free(file);
	file = g_strconcat(path, "max_energy_range_uj", NULL);
	fixtureWrite(root, file, "262143328850\n");
	g_free(file);
	g_free(path);
}

/* Change one digit, as nobody can see half of. */
static void setFirstDigit(const char *zone, char digit)
{
	char *path = g_strdup_printf("%s/sys/class/powercap/%s/energy_uj", root,
				     zone);
	int fd = open(path, O_WRONLY);

	g_assert_cmpint(pwrite(fd, &digit, 1, 0), ==, 1);
	close(fd);
	g_free(path);
}

static double doubleAt(const struct testEntry *entry, size_t offset)
{
	uint64_t bits = testBig64(entry->values + offset);
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

static float floatAt(const struct testEntry *entry, size_t offset)
{
	uint32_t bits = testBig32(entry->values + offset);
	float number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* Two zones for one node and one for another; all that was counted while
 * tracing is in the file, and nothing of what was counted in the pause. */
static void testPowercap(void)
{
	static const char text[] = "[General]\n"
				   "device=powercap\n"
				   "cycle=1\n"
				   "topology=Host_Socket\n"
				   "[Trace]\n"
				   "type=HDSTATS\n"
				   "node=n\n"
				   "channel=package-0\n"
				   "values=E,P\n"
				   "[Trace]\n"
				   "type=HDSTATS\n"
				   "node=n\n"
				   "channel=package-0-dram\n"
				   "values=E\n"
				   "[Trace]\n"
				   "type=HDSTATS\n"
				   "node=n_1\n"
				   "channel=package-1\n"
				   "values=P\n";
	struct testStatFile *stat;
	double package = 0, dram = 0;
	size_t gaps = 0;
	PowerTrace *trace;

	root = fixtureCreate();
	addZone("intel-rapl:0", "package-0");
	addZone("intel-rapl:0:0", "dram");
	addZone("intel-rapl:1", "package-1");
	trace = create(text, "powercap");
	setFirstDigit("intel-rapl:0", '2');
	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	waitForReadings(trace, 3);
	setFirstDigit("intel-rapl:0", '5');
	waitForReadings(trace, 6);
	setFirstDigit("intel-rapl:0:0", '2');
	g_assert_cmpint(pt_stopTracing(trace), ==, 0);
	setFirstDigit("intel-rapl:0", '7');
	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	waitForReadings(trace, 9);
	setFirstDigit("intel-rapl:0", '8');
	pt_finalizeTrace(trace);
	g_assert_cmpstr(messages->str, ==, "");
	stat = testStatRead("powercap_n_Energy.stat");
	g_assert_nonnull(strstr(stat->header, " device=\"powercap\""));
	g_assert_nonnull(strstr(
		stat->header,
		"  <Value name=\"E_package-0\" type=\"DOUBLE\" unit=\"J\" "
		"grouping=\"Energy\" kind=\"delta\" "
		"source=\"powercap intel-rapl:0/energy_uj\" "
		"resolution=\"61 uJ, every 1 ms\" role=\"package\" "
		"hardware=\"/sys/class/powercap/intel-rapl:0\" />\n"
		"  <Value name=\"P_package-0\" type=\"FLOAT\" unit=\"W\" "
		"grouping=\"Power\""));
	g_assert_nonnull(
		strstr(stat->header, "<Value name=\"E_package-0-dram\""));
	g_assert_nonnull(strstr(stat->header, "role=\"dram\""));
	for (size_t i = 0; i < stat->count; i++) {
		if (stat->entries[i].isGap) {
			gaps++;
			continue;
		}
		package += doubleAt(&stat->entries[i], 0);
		dram += doubleAt(&stat->entries[i], 12);
		g_assert_cmpfloat(floatAt(&stat->entries[i], 8), >=, 0);
	}
	g_assert_cmpuint(gaps, ==, 1);
	g_assert_cmpfloat_with_epsilon(package, 3 + 1, 1e-9);
	g_assert_cmpfloat_with_epsilon(dram, 1, 1e-9);
	testStatFree(stat);
	stat = testStatRead("powercap_n_1_Energy.stat");
	g_assert_nonnull(strstr(stat->header, "<Value name=\"P\""));
	testStatFree(stat);
	fixtureRemove(root);
}

/* Values that are not measured say so in the file. */
static void testSim(void)
{
	static const char text[] = "[General]\n"
				   "device=sim\n"
				   "law=idle:100,busy:300\n"
				   "cycle=1\n"
				   "topology=Host\n"
				   "[Trace]\n"
				   "type=HDSTATS\n"
				   "node=n1\n"
				   "channel=1\n"
				   "values=Utrms,P\n"
				   "[Trace]\n"
				   "type=HDSTATS\n"
				   "node=n2\n"
				   "channel=2\n"
				   "values=E\n";
	struct testStatFile *stat;
	PowerTrace *trace;

	root = fixtureCreate();
	fixtureWrite(root, "/proc/stat",
		     "cpu 1 1 1 1 1\ncpu0 1 1 1 1 1\nintr 1\n");
	trace = create(text, "sim");
	g_assert_cmpint(pt_startTracing(trace), ==, 0);
	waitForReadings(trace, 5);
	pt_finalizeTrace(trace);
	stat = testStatRead("sim_n1_Energy.stat");
	g_assert_nonnull(strstr(
		stat->header,
		"<Value name=\"P\" type=\"FLOAT\" unit=\"W\" "
		"grouping=\"Power\" kind=\"gauge\" source=\"simulated: "
		"idle:100,busy:300 by "
		"CPU utilization of /proc/stat\" resolution=\"10 ms over 200 "
		"ms\" simulated=\"yes\" />"));
	/* Never idle: the counter of the fake machine stands. */
	g_assert_cmpuint(stat->count, >=, 5);
	for (size_t i = 0; i < stat->count; i++) {
		g_assert_cmpfloat(floatAt(&stat->entries[i], 0), ==, 230);
		g_assert_cmpfloat(floatAt(&stat->entries[i], 4), ==, 300);
	}
	testStatFree(stat);
	fixtureRemove(root);
}

/* Every error of a configuration, with its line and what is allowed. */
static void testErrors(void)
{
	static const struct {
		const char *text;
		const char *message;
	} cases[] = {
		{ "[General]\ndevice=powercap\ncycle=1\ntopology=Host\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\nchannel=dram\nvalues=E\n",
		  "pt.cfg:8: input=dram: inputs are package-0" },
		{ "[General]\ndevice=powercap\ncycle=1\ntopology=Host\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\nchannel=package-0\n"
		  "values=E\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\nchannel=intel-rapl:0\n"
		  "values=P\n",
		  "pt.cfg:13: duplicate [Trace] of input intel-rapl:0; the "
		  "first one is in line 5" },
		{ "[General]\ndevice=hwmon\ncycle=1\ntopology=Host\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\nchannel=*\nvalues=E\n",
		  "pt.cfg:8: input=*: no chip in /sys/class/hwmon reports "
		  "power or energy" },
		{ "[General]\ndevice=perf\ncycle=0.5\ntopology=Host\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\nchannel=*\nvalues=U\n",
		  "pt.cfg:3: cycle=0.5" },
		{ "[General]\ndevice=nvml\nlibrary=/nonexistent.so\ncycle=100\n"
		  "topology=Host\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\nchannel=gpu-0\nvalues=P\n",
		  "pt.cfg:9: input=gpu-0: no NVIDIA driver "
		  "(/nonexistent.so: " },
		{ "[General]\ndevice=sim\nlaw=busy:80\ncycle=100\n"
		  "topology=Host\n"
		  "[Trace]\ntype=HDSTATS\nnode=n\nvalues=P\n",
		  "pt.cfg:3: law=busy:80" },
	};

	root = fixtureCreate();
	addZone("intel-rapl:0", "package-0");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ptConfig config;

		g_assert_cmpint(readConfig(cases[i].text, "errors", &config),
				==, PT_ECONFINVALID);
		g_test_message("%s", messages->str);
		g_assert_nonnull(strstr(messages->str, cases[i].message));
	}
	fixtureRemove(root);
}

/* Every driver is what the core relies on. */
static void testTable(void)
{
	static const char *const names[] = { "powercap", "perf", "hwmon",
					     "nvml", "sim" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		const struct ptDriver *driver =
			ptDriverFind(ptDrivers, names[i]);

		g_assert_nonnull(driver);
		g_assert_cmpint(driver->timing, ==, PT_TIMED_BY_HOST);
		g_assert_false(driver->needsPort);
		g_assert_cmpfloat(driver->minCycleMs, ==, 1);
		for (const struct ptQuantity *q = driver->quantities; q->name;
		     q++) {
			g_assert_true(q->type == FLOAT || q->type == DOUBLE);
			g_assert_nonnull(q->unit);
			g_assert_nonnull(q->grouping);
			g_assert_nonnull(q->description);
		}
	}
}

int main(int argc, char **argv)
{
	testInit(&argc, &argv);
	messages = g_string_new(NULL);
	ptLogger.print = catch;
	hdLogSetLevel(&ptLogger, HD_LOG_WARNING);
	g_test_add_func("/soft/powercap", testPowercap);
	g_test_add_func("/soft/sim", testSim);
	g_test_add_func("/soft/errors", testErrors);
	g_test_add_func("/soft/table", testTable);
	return testRun();
}
