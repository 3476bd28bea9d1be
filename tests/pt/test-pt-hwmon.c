/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hwmon driver: which sensors it finds, and what it reads from them. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/sysfile.h"
#include "tests/lib/fixture.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "tests/pt/softdriver.h"

extern const struct ptDriver ptHwmonDriver;

static void set(const char *root, const char *hwmon, const char *file,
		const char *text)
{
	char *path = g_strdup_printf("/sys/class/hwmon/%s/%s", hwmon, file);

	fixtureWrite(root, path, "%s\n", text);
	g_free(path);
}

static void addChip(const char *root, const char *hwmon, const char *name,
		    const char *device)
{
	char *path = g_strdup_printf("/sys/class/hwmon/%s/device", hwmon);
	char *target = g_strconcat(root, "/sys/devices/", device, NULL);
	char *file = g_strconcat("/sys/devices/", device, "/uevent", NULL);

	set(root, hwmon, "name", name);
	fixtureWrite(root, file, "\n");
	fixtureLink(root, path, target);
	g_free(file);
	g_free(target);
	g_free(path);
}

/* Two GPUs of a kind, a board, and chips that tell no power. */
static char *machine(void)
{
	char *root = fixtureCreate();

	addChip(root, "hwmon0", "nvme", "pci/0000:01:00.0");
	set(root, "hwmon0", "temp1_input", "40000");
	addChip(root, "hwmon3", "amdgpu", "pci/0000:0a:00.0");
	set(root, "hwmon3", "power1_average", "30000000");
	set(root, "hwmon3", "power1_input", "31000000");
	set(root, "hwmon3", "power1_label", "PPT");
	set(root, "hwmon3", "power1_cap", "200000000");
	set(root, "hwmon3", "in0_input", "800");
	addChip(root, "hwmon10", "amdgpu", "pci/0000:03:00.0");
	set(root, "hwmon10", "power1_average", "40000000");
	set(root, "hwmon10", "power1_label", "PPT");
	addChip(root, "hwmon4", "xe", "pci/0000:04:00.0");
	set(root, "hwmon4", "energy1_input", "1000000");
	set(root, "hwmon4", "energy1_label", "card");
	set(root, "hwmon4", "energy2_input", "500000");
	addChip(root, "hwmon5", "power_meter", "acpi/ACPI000D:00");
	set(root, "hwmon5", "power1_average", "250000000");
	set(root, "hwmon5", "power1_average_interval", "1000");
	set(root, "hwmon5", "power1_average_interval_max", "9000");
	set(root, "hwmon5", "powerx_input", "1");
	set(root, "hwmon5", "power_input", "1");
	set(root, "hwmon5", "power12_inputs", "1");
	/* Without a name it is no chip. */
	fixtureWrite(root, "/sys/class/hwmon/hwmon6/power1_input", "1\n");
	return root;
}

static void testList(void)
{
	char *root = machine(), *list = softList(&ptHwmonDriver, root, NULL);

	g_assert_cmpstr(list, ==,
			"+amdgpu-PPT: hwmon amdgpu power1_average\n"
			"+amdgpu-PPT-2: hwmon amdgpu power1_input\n"
			"+power-meter-power1: hwmon power_meter power1_average "
			"(mean of 1000 ms)\n"
			"+xe-card: hwmon xe energy1_input\n"
			"+xe-energy2: hwmon xe energy2_input\n");
	g_free(list);
	fixtureRemove(root);
}

/* Chips of one name keep theirs when the kernel numbers them otherwise. */
static void testRenumbered(void)
{
	static const char *const numbers[][2] = { { "hwmon1", "hwmon2" },
						  { "hwmon2", "hwmon1" } };

	for (size_t i = 0; i < 2; i++) {
		char *root = fixtureCreate(), *list;

		addChip(root, numbers[i][0], "ina226", "i2c/1-0040");
		set(root, numbers[i][0], "power1_input", "1");
		addChip(root, numbers[i][1], "ina226", "i2c/1-0041");
		set(root, numbers[i][1], "energy1_input", "1");
		list = softList(&ptHwmonDriver, root, NULL);
		g_assert_cmpstr(list, ==,
				"+ina226-power1: hwmon ina226 power1_input\n"
				"+ina226-energy1: hwmon ina226 "
				"energy1_input\n");
		g_free(list);
		fixtureRemove(root);
	}
}

static void testListNothing(void)
{
	char *root = fixtureCreate(), *list;

	list = softList(&ptHwmonDriver, root, NULL);
	g_assert_cmpstr(
		list, ==,
		"--: no chip in /sys/class/hwmon reports power or energy\n");
	g_free(list);
	addChip(root, "hwmon0", "nvme", "pci/0000:01:00.0");
	set(root, "hwmon0", "temp1_input", "40000");
	g_assert_cmpint(softResolve(&ptHwmonDriver, root, NULL, "*", 0, &list),
			==, -ENOENT);
	g_assert_cmpstr(list, ==,
			"no chip in /sys/class/hwmon reports power or energy");
	g_free(list);
	fixtureRemove(root);
}

static void testValues(void)
{
	struct softDevice soft;
	char *root = machine();

	g_assert_cmpint(softOpen(&soft, &ptHwmonDriver, root, 100 * MS, NULL,
				 "amdgpu-PPT P, amdgpu-PPT E, xe-card E, "
				 "xe-card P, power-meter-power1 P"),
			==, 0);
	g_assert_cmpstr(soft.columns[1].source, ==,
			"hwmon amdgpu power1_average, integrated");
	g_assert_cmpstr(soft.columns[4].resolution, ==,
			"mean of 1000 ms, no update in 99.8 ms");
	softStart(&soft);
	set(root, "hwmon10", "power1_average", "60000000");
	set(root, "hwmon4", "energy1_input", "2500000");
	softExpect(&soft, 200 * MS, "60 10 1.5 7.5 250");
	set(root, "hwmon10", "power1_average", "0");
	softExpect(&soft, 100 * MS, "0 3 0 0 250");
	/* Set to zero, for instance by a reset of the GPU. */
	set(root, "hwmon4", "energy1_input", "100");
	softExpect(&soft, 100 * MS, "0 0 NaN NaN 250");
	set(root, "hwmon4", "energy1_input", "1000100");
	softExpect(&soft, 100 * MS, "0 0 1 10 250");
	/* The pause is not integrated. */
	set(root, "hwmon10", "power1_average", "60000000");
	softPass(SECOND);
	softStart(&soft);
	softExpect(&soft, 100 * MS, "60 6 0 0 250");
	softClose(&soft);
	fixtureRemove(root);
}

/* ---- Periods ----------------------------------------------------------- */

/* Of the two sensors; 0: never. */
static int64_t wattsEveryNs, joulesEveryNs;
static char *watchedRoot;

static void setNow(const char *file, int64_t everyNs)
{
	char text[32];

	g_snprintf(text, sizeof(text), "%lld",
		   (long long)(everyNs ? softNow() / everyNs : 1));
	set(watchedRoot, "hwmon0", file, text);
}

static void changeAndSleep(int wakeFd, int64_t ns)
{
	(void)wakeFd;
	softPass(ns);
	setNow("power1_input", wattsEveryNs);
	setNow("energy2_input", joulesEveryNs);
}

/* Open both at once, and look what is said of their periods. */
static void expectPeriods(int64_t watts, int64_t joules, const char *ofWatts,
			  const char *ofJoules)
{
	void (*sleepBefore)(int, int64_t) = ptSleep;
	int64_t before = softNow();
	struct softDevice soft;

	wattsEveryNs = watts;
	joulesEveryNs = joules;
	setNow("power1_input", watts);
	setNow("energy2_input", joules);
	ptSleep = changeAndSleep;
	g_assert_cmpint(softOpen(&soft, &ptHwmonDriver, watchedRoot, 100 * MS,
				 NULL, "chip-power1 P, chip-energy2 E"),
			==, 0);
	g_assert_cmpstr(soft.columns[0].resolution, ==, ofWatts);
	g_assert_cmpstr(soft.columns[1].resolution, ==, ofJoules);
	/* It never takes long. */
	g_assert_cmpint(softNow() - before, <=, 100 * MS);
	ptSleep = sleepBefore;
	softClose(&soft);
}

/* How often sensors change that do not say so is measured at the start. */
static void testPeriods(void)
{
	watchedRoot = fixtureCreate();
	addChip(watchedRoot, "hwmon0", "chip", "i2c/0-0040");
	set(watchedRoot, "hwmon0", "power1_input", "1");
	set(watchedRoot, "hwmon0", "energy2_input", "1");
	expectPeriods(5 * MS, 10 * MS, "every 5 ms (measured)",
		      "every 10 ms (measured)");
	expectPeriods(0, 60 * MS, "no update in 99.8 ms",
		      "few updates in 99.8 ms");
	/* As fast as it is read. */
	expectPeriods(1000, 30 * MS, "every 0.25 ms or less (measured)",
		      "every 30 ms (measured)");
	fixtureRemove(watchedRoot);
}

/* Sensors that fail for a while, as those on slow buses do. */

static int failing = -1;

static bool isValue(int fd)
{
	char link[32], target[4096];
	ssize_t length;

	g_snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, target, sizeof(target) - 1);
	g_assert_cmpint(length, >, 0);
	target[length] = '\0';
	return g_str_has_suffix(target, "_input") ||
	       g_str_has_suffix(target, "_average");
}

static ssize_t fail(int fd, void *bytes, size_t count, off_t offset)
{
	if (failing > 0 && isValue(fd)) {
		errno = failing;
		return -1;
	}
	return pread(fd, bytes, count, offset);
}

static void testFailures(void)
{
	static const int errors[] = { EIO, EAGAIN, ETIMEDOUT, ENODATA };
	struct softDevice soft;
	char *root = machine();

	ptSysPread = fail;
	for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
		set(root, "hwmon10", "power1_average", "10000000");
		set(root, "hwmon4", "energy1_input", "0");
		g_assert_cmpint(softOpen(&soft, &ptHwmonDriver, root, 100 * MS,
					 NULL,
					 "amdgpu-PPT P, amdgpu-PPT E, "
					 "xe-card E"),
				==, 0);
		softStart(&soft);
		failing = errors[i];
		softExpect(&soft, 100 * MS, "NaN NaN NaN");
		g_assert_true(softSaid(errors[i] == ENODATA
					       ? "2 hwmon: amdgpu-PPT: the "
						 "sensor is disabled; no values"
					       : g_strerror(errors[i])));
		softExpect(&soft, 100 * MS, "NaN NaN NaN");
		g_assert_true(softIsSilent());
		failing = -1;
		set(root, "hwmon10", "power1_average", "30000000");
		set(root, "hwmon4", "energy1_input", "7000000");
		/* Of the time without values there is no energy. */
		softExpect(&soft, 100 * MS, "30 2 2.33333333");
		softClose(&soft);
	}
	failing = EIO;
	g_assert_cmpint(softOpen(&soft, &ptHwmonDriver, root, 100 * MS, NULL,
				 "xe-energy2 E"),
			==, -EIO);
	g_assert_true(softSaid("1 hwmon: xe-energy2: Input/output error\n"));
	failing = -1;
	ptSysPread = pread;
	fixtureRemove(root);
}

/* Of all sensors those that cannot be read are said and left out. */
static void testUnreadable(void)
{
	char *root = fixtureCreate(), *label;

	set(root, "hwmon0", "name", "ina226");
	set(root, "hwmon0", "power1_input", "<unknown>");
	set(root, "hwmon0", "power2_input", "2000000");
	g_assert_cmpint(softResolve(&ptHwmonDriver, root, NULL, "*", 0, &label),
			==, 0);
	g_assert_cmpstr(label, ==, "ina226-power2");
	g_free(label);
	g_assert_true(
		softSaid("2 ina226-power1: not recorded: invalid number\n"));
	g_assert_cmpint(softResolve(&ptHwmonDriver, root, NULL, "*", 1, &label),
			==, -ENOENT);
	g_free(label);
	g_assert_true(softIsSilent());
	/* One that is named is not left out. */
	g_assert_cmpint(softResolve(&ptHwmonDriver, root, NULL, "ina226-power1",
				    0, &label),
			==, 0);
	g_free(label);
	fixtureRemove(root);
}

/* A battery that charges. */
static void testNegative(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	set(root, "hwmon0", "name", "ina226");
	set(root, "hwmon0", "power1_input", "-1500000");
	g_assert_cmpint(softOpen(&soft, &ptHwmonDriver, root, 100 * MS, NULL,
				 "ina226-power1 P, ina226-power1 E"),
			==, 0);
	softStart(&soft);
	softExpect(&soft, 100 * MS, "-1.5 -0.15");
	set(root, "hwmon0", "power1_input", "-9223372036854775808");
	softExpect(&soft, 100 * MS, "NaN NaN");
	g_assert_true(softSaid("invalid number"));
	softClose(&soft);
	fixtureRemove(root);
}

/* A chip with voltage and current only. */
static void testProduct(void)
{
	struct softDevice soft;
	char *root = fixtureCreate(), *list;

	set(root, "hwmon0", "name", "ina3221");
	set(root, "hwmon0", "in1_input", "5000");
	set(root, "hwmon0", "in1_label", "VDD_IN");
	set(root, "hwmon0", "curr1_input", "2000");
	set(root, "hwmon0", "in2_input", "1000");
	set(root, "hwmon0", "curr3_input", "1000");
	/* One that tells power is not computed again. */
	set(root, "hwmon1", "name", "ina226");
	set(root, "hwmon1", "in1_input", "5000");
	set(root, "hwmon1", "curr1_input", "2000");
	set(root, "hwmon1", "power1_input", "1");
	list = softList(&ptHwmonDriver, root, NULL);
	g_assert_cmpstr(list, ==,
			"+ina226-power1: hwmon ina226 power1_input\n"
			"+ina3221-VDD-IN: hwmon ina3221 in1_input times "
			"curr1_input\n");
	g_free(list);
	g_assert_cmpint(softOpen(&soft, &ptHwmonDriver, root, 100 * MS, NULL,
				 "ina3221-VDD-IN P, ina3221-VDD-IN E"),
			==, 0);
	softStart(&soft);
	softExpect(&soft, 100 * MS, "10 1");
	set(root, "hwmon0", "curr1_input", "-1000");
	softExpect(&soft, 100 * MS, "-5 0.25");
	softClose(&soft);
	fixtureRemove(root);
}

/* The first card is away. */
static ssize_t failFirst(int fd, void *bytes, size_t count, off_t offset)
{
	char *link = g_strdup_printf("/proc/self/fd/%d", fd);
	char *path = g_file_read_link(link, NULL);
	bool isAway = path && strstr(path, "/hwmon3/");

	g_free(path);
	g_free(link);
	errno = ENODEV;
	return isAway ? -1 : pread(fd, bytes, count, offset);
}

/* A card that is lost leaves its name to the next one, which is not taken for
 * it. */
static void testIdentity(void)
{
	struct softDevice soft;
	char *root = fixtureCreate();

	addChip(root, "hwmon3", "amdgpu", "pci/0000:03:00.0");
	set(root, "hwmon3", "power1_average", "30000000");
	addChip(root, "hwmon4", "amdgpu", "pci/0000:0a:00.0");
	set(root, "hwmon4", "power1_average", "40000000");
	g_assert_cmpint(softOpen(&soft, &ptHwmonDriver, root, 100 * MS, NULL,
				 "amdgpu-power1 P, amdgpu-power1-2 P"),
			==, 0);
	softStart(&soft);
	softExpect(&soft, 100 * MS, "30 40");
	ptSysPread = failFirst;
	softExpect(&soft, 100 * MS, "NaN 40");
	g_assert_true(softSaid("2 hwmon: amdgpu-power1: No such device; no "
			       "values meanwhile\n"));
	fixtureDelete(root, "/sys/class/hwmon/hwmon3/name");
	softExpect(&soft, SECOND, "NaN 40");
	softExpect(&soft, SECOND, "NaN 40");
	/* It comes back with another number. */
	addChip(root, "hwmon9", "amdgpu", "pci/0000:03:00.0");
	set(root, "hwmon9", "power1_average", "33000000");
	softExpect(&soft, SECOND, "33 40");
	ptSysPread = pread;
	softClose(&soft);
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	softInit();
	g_test_add_func("/hwmon/list", testList);
	g_test_add_func("/hwmon/renumbered", testRenumbered);
	g_test_add_func("/hwmon/list-nothing", testListNothing);
	g_test_add_func("/hwmon/values", testValues);
	g_test_add_func("/hwmon/measured periods", testPeriods);
	g_test_add_func("/hwmon/failures", testFailures);
	g_test_add_func("/hwmon/unreadable", testUnreadable);
	g_test_add_func("/hwmon/negative", testNegative);
	g_test_add_func("/hwmon/identity", testIdentity);
	g_test_add_func("/hwmon/product", testProduct);
	return g_test_run();
}
