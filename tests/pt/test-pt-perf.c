/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The perf driver, with files that say what events there are, and a kernel of
 * our own behind them. */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/drivers/perf.h"
#include "common/perf.h"
#include "tests/lib/fixture.h"
#include "tests/pt/softdriver.h"

#define PMUS "/sys/bus/event_source/devices"
#define SCALE "2.3283064365386962890625e-10" /* 2^-32 J */

extern const struct ptDriver ptPerfDriver;

static void addPmu(const char *root, const char *pmu, const char *type,
		   const char *cpumask)
{
	char *path = g_strdup_printf(PMUS "/%s/type", pmu);

	fixtureWrite(root, path, "%s\n", type);
	g_free(path);
	path = g_strdup_printf(PMUS "/%s/cpumask", pmu);
	fixtureWrite(root, path, "%s\n", cpumask);
	g_free(path);
}

static void addEvent(const char *root, const char *pmu, const char *event,
		     const char *config, const char *scale, const char *unit)
{
	char *path = g_strdup_printf(PMUS "/%s/events/energy-%s", pmu, event);
	char *scalePath = g_strconcat(path, ".scale", NULL);
	char *unitPath = g_strconcat(path, ".unit", NULL);

	fixtureWrite(root, path, "%s\n", config);
	fixtureWrite(root, scalePath, "%s\n", scale);
	fixtureWrite(root, unitPath, "%s\n", unit);
	g_free(unitPath);
	g_free(scalePath);
	g_free(path);
}

static void addCpu(const char *root, int cpu, int package)
{
	char *path = g_strdup_printf(
		"/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		cpu);

	fixtureWrite(root, path, "%d\n", package);
	g_free(path);
}

/* Two packages, as Intel has them. */
static char *machine(void)
{
	char *root = fixtureCreate();

	fixtureWrite(root, PMUS "/cpu/type", "4\n");
	addPmu(root, "power", "9", "0,18");
	addEvent(root, "power", "pkg", "event=0x02", SCALE, "Joules");
	addEvent(root, "power", "ram", "event=0x03", SCALE, "Joules");
	addEvent(root, "power", "psys", "event=0x05", SCALE, "Joules");
	addCpu(root, 0, 0);
	addCpu(root, 18, 1);
	return root;
}

/* ---- The kernel -------------------------------------------------------- */

/* An event that is open: its descriptor is that of nothing. */
static struct {
	uint32_t type;
	uint64_t config;
	int cpu;
	int fd;
	uint64_t count;
} events[64];

static int eventCount, openError, readError, closeEvent;

static int fakeOpen(const struct perf_event_attr *attr, int pid, int cpu,
		    int leader)
{
	if (openError)
		return -openError;
	g_assert_cmpint(pid, ==, -1);
	g_assert_cmpint(leader, ==, -1);
	g_assert_cmpint(eventCount, <, (int)G_N_ELEMENTS(events));
	events[eventCount].type = attr->type;
	events[eventCount].config = attr->config;
	events[eventCount].cpu = cpu;
	events[eventCount].count = 0;
	events[eventCount].fd = dup(0);
	g_assert_cmpint(events[eventCount].fd, >=, 0);
	return events[eventCount++].fd;
}

static int fakeRead(int fd, uint64_t *numbers, size_t count)
{
	static int calls;

	g_assert_cmpuint(count, ==, 3);
	if (readError == EINTR && calls++ % 2 == 0)
		return -EINTR;
	if (readError && readError != EINTR)
		return -readError;
	if (closeEvent)
		return -closeEvent;
	for (int i = eventCount - 1; i >= 0; i--) {
		if (events[i].fd == fd) {
			numbers[0] = events[i].count;
			numbers[1] = numbers[2] = 1;
			return 0;
		}
	}
	return -EBADF;
}

static void fakeClose(int fd)
{
	close(fd);
}

static const struct hdPerfKernel fake = { .open = fakeOpen,
					  .read = fakeRead,
					  .close = fakeClose };

static void useFakes(void)
{
	hdPerfFake = &fake;
	eventCount = openError = readError = closeEvent = 0;
}

/* ---- Tests ------------------------------------------------------------- */

static void testList(void)
{
	char *root = machine(), *list;

	useFakes();
	list = softList(&ptPerfDriver, root, NULL);
	g_assert_cmpstr(
		list, ==,
		"+package-0: perf power/energy-pkg/ on CPU 0 (every 1 ms)\n"
		"+package-1: perf power/energy-pkg/ on CPU 18 (every 1 ms)\n"
		"+psys: perf power/energy-psys/ on CPU 0 (every 1 ms)\n"
		"+package-1-psys: perf power/energy-psys/ on CPU 18 (every 1 "
		"ms)\n"
		"+package-0-ram: perf power/energy-ram/ on CPU 0 (every 1 "
		"ms)\n"
		"+package-1-ram: perf power/energy-ram/ on CPU 18 (every 1 "
		"ms)\n");
	g_free(list);
	fixtureRemove(root);
}

/* AMD counts for each core, and has another PMU for that. */
static void testCores(void)
{
	char *root = fixtureCreate(), *list;

	useFakes();
	addPmu(root, "power", "11", "0");
	addEvent(root, "power", "pkg", "event=0x02", SCALE, "Joules");
	addCpu(root, 0, 0);
	addPmu(root, "power_core", "12", "0-2,4");
	addEvent(root, "power_core", "core", "event=0x01", SCALE, "Joules");
	list = softList(&ptPerfDriver, root, NULL);
	g_assert_cmpstr(
		list, ==,
		"+package-0: perf power/energy-pkg/ on CPU 0 (every 1 ms)\n"
		"+cpu-0-core: perf power_core/energy-core/ on CPU 0 (every 1 "
		"ms)\n"
		"+cpu-1-core: perf power_core/energy-core/ on CPU 1 (every 1 "
		"ms)\n"
		"+cpu-2-core: perf power_core/energy-core/ on CPU 2 (every 1 "
		"ms)\n"
		"+cpu-4-core: perf power_core/energy-core/ on CPU 4 (every 1 "
		"ms)\n");
	g_assert_cmpuint(events[4].type, ==, 12);
	g_assert_cmpuint(events[4].config, ==, 1);
	g_assert_cmpint(events[4].cpu, ==, 4);
	g_free(list);
	fixtureRemove(root);
}

/* Virtual machines: no PMU, or one without events. */
static void testListNothing(void)
{
	char *root = fixtureCreate(), *list, *expected;

	useFakes();
	list = softList(&ptPerfDriver, root, NULL);
	g_assert_cmpstr(list, ==,
			"--: there is no /sys/bus/event_source/devices/power; "
			"virtual machines do not provide it\n");
	g_free(list);
	addPmu(root, "power", "9", "0");
	fixtureWrite(root, PMUS "/power/events/x", "\n");
	fixtureDelete(root, PMUS "/power/events/x");
	list = softList(&ptPerfDriver, root, NULL);
	expected =
		g_strdup_printf("--: %s" PMUS "/power has no energy events, as "
				"in virtual machines\n",
				root);
	g_assert_cmpstr(list, ==, expected);
	g_free(expected);
	g_free(list);
	fixtureRemove(root);
}

/* Files that are not what they should be: the event is left out. */
static void testGarbage(void)
{
	static const struct {
		const char *type, *cpumask, *config, *scale, *unit;
		int found;
	} cases[] = {
		{ "9", "0", "event=0x02", SCALE, "Joules", 1 },
		{ "9", "0", "event=0x02", "1", "Joules", 1 },
		{ "", "0", "event=0x02", SCALE, "Joules", 0 },
		{ "99999999999", "0", "event=0x02", SCALE, "Joules", 0 },
		{ "9", "", "event=0x02", SCALE, "Joules", 0 },
		{ "9", "x", "event=0x02", SCALE, "Joules", 0 },
		{ "9", "0-", "event=0x02", SCALE, "Joules", 0 },
		{ "9", "0,", "event=0x02", SCALE, "Joules", 1 },
		{ "9", "3-1", "event=0x02", SCALE, "Joules", 0 },
		{ "9", "99999999999999999999", "event=0x02", SCALE, "Joules",
		  0 },
		{ "9", "0", "event=2", SCALE, "Joules", 1 },
		{ "9", "0", "event=2a", SCALE, "Joules", 0 },
		{ "9", "0", "event=-2", SCALE, "Joules", 0 },
		{ "9", "0", "event=0x", SCALE, "Joules", 0 },
		{ "9", "0", "event=0x02,umask=0x1", SCALE, "Joules", 0 },
		{ "9", "0", "", SCALE, "Joules", 0 },
		{ "9", "0", "event=0x02", "", "Joules", 0 },
		{ "9", "0", "event=0x02", "0", "Joules", 0 },
		{ "9", "0", "event=0x02", "-1", "Joules", 0 },
		{ "9", "0", "event=0x02", "inf", "Joules", 0 },
		{ "9", "0", "event=0x02", "1,5", "Joules", 0 },
		{ "9", "0", "event=0x02", "0.5 ", "Joules", 1 },
		{ "9", "0", "event=0x02", "1.5", "Joules", 0 },
		{ "9", "0", "event=0x02", "1e999", "Joules", 0 },
		{ "9", "0", "event=0x02", SCALE, "mJ", 0 },
		{ "9", "0", "event=0x02", SCALE, "", 0 },
	};

	useFakes();
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *root = fixtureCreate(), *text;
		int found = 0;

		g_test_message("%zu", i);
		addPmu(root, "power", cases[i].type, cases[i].cpumask);
		addEvent(root, "power", "pkg", cases[i].config, cases[i].scale,
			 cases[i].unit);
		addCpu(root, 0, 0);
		while (softResolve(&ptPerfDriver, root, NULL, "*",
				   (size_t)found, &text) == 0) {
			found++;
			g_free(text);
		}
		g_free(text);
		g_assert_cmpint(found, ==, cases[i].found);
		fixtureRemove(root);
	}
}

/* So many CPUs as no machine has. */
static void testTooMany(void)
{
	char *root = fixtureCreate(), *text;

	useFakes();
	addPmu(root, "power", "9", "0-2147483647");
	addEvent(root, "power", "pkg", "event=0x02", SCALE, "Joules");
	g_assert_cmpint(softResolve(&ptPerfDriver, root, NULL, "*",
				    PT_PERF_EVENTS_MAX - 1, &text),
			==, 0);
	g_free(text);
	g_assert_cmpint(softResolve(&ptPerfDriver, root, NULL, "*",
				    PT_PERF_EVENTS_MAX, &text),
			==, -ENOENT);
	g_free(text);
	fixtureRemove(root);
}

static void testValues(void)
{
	struct softDevice soft;
	char *root = machine();

	useFakes();
	g_assert_cmpint(softOpen(&soft, &ptPerfDriver, root, 100 * MS, NULL,
				 "package-0 E, package-1-ram P, package-0 P"),
			==, 0);
	g_assert_cmpint(eventCount, ==, 2);
	g_assert_cmpuint(events[0].type, ==, 9);
	g_assert_cmpuint(events[0].config, ==, 2);
	g_assert_cmpint(events[0].cpu, ==, 0);
	g_assert_cmpuint(events[1].config, ==, 3);
	g_assert_cmpint(events[1].cpu, ==, 18);
	events[0].count = 77;
	softStart(&soft);
	events[0].count += UINT64_C(5) << 32;
	events[1].count += UINT64_C(1) << 31;
	softExpect(&soft, 100 * MS, "5 5 50");
	/* What a signal interrupts is done again. */
	readError = EINTR;
	events[0].count += 1 << 22;
	softExpect(&soft, 200 * MS, "0.0009765625 0 0.004882812");
	readError = 0;
	/* Nonsense. */
	closeEvent = EPROTO;
	softExpect(&soft, 100 * MS, "NaN NaN NaN");
	closeEvent = 0;
	softExpect(&soft, 100 * MS, "0 0 0");
	/* Gone with its CPU. */
	softSaid("");
	closeEvent = ENODEV;
	g_assert_cmpint(softRead(&soft, 100 * MS), ==, -ENODEV);
	g_assert_true(softSaid("2 perf: package-0: the CPU is offline; no"));
	softClose(&soft);
	fixtureRemove(root);
}

/* Why it does not work, and what to do. */
static void testRefused(void)
{
	static const struct {
		int error;
		const char *text;
	} cases[] = {
		{ EACCES, "permission denied; use root or CAP_PERFMON, or set "
			  "kernel.perf_event_paranoid to 0 (now 2)" },
		{ EPERM, "permission denied; use root or CAP_PERFMON, or set "
			 "kernel.perf_event_paranoid to 0 (now 2)" },
		{ ENOENT, "the kernel lists this event, but cannot count it" },
		{ EINVAL, "the kernel lists this event, but cannot count it" },
		{ ENODEV, "the CPU is offline" },
		{ ENOSYS, "the kernel was built without perf" },
		{ EMFILE, "Too many open files" },
	};
	char *root = machine();

	useFakes();
	fixtureWrite(root, "/proc/sys/kernel/perf_event_paranoid", "2\n");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *expected, *list;
		struct softDevice soft;

		openError = cases[i].error;
		list = softList(&ptPerfDriver, root, NULL);
		expected = g_strdup_printf(
			"-package-0: perf power/energy-pkg/ on CPU 0 (every 1 "
			"ms): %s\n",
			cases[i].text);
		g_assert_true(g_str_has_prefix(list, expected));
		g_free(expected);
		g_free(list);
		expected = g_strdup_printf("1 perf: package-0: %s\n",
					   cases[i].text);
		g_assert_cmpint(softOpen(&soft, &ptPerfDriver, root, SECOND,
					 NULL, "package-0 E"),
				==, -cases[i].error);
		g_assert_true(softSaid(expected));
		g_free(expected);
	}
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	softInit();
	g_test_add_func("/perf/list", testList);
	g_test_add_func("/perf/cores", testCores);
	g_test_add_func("/perf/list-nothing", testListNothing);
	g_test_add_func("/perf/garbage", testGarbage);
	g_test_add_func("/perf/too-many", testTooMany);
	g_test_add_func("/perf/values", testValues);
	g_test_add_func("/perf/refused", testRefused);
	return g_test_run();
}
