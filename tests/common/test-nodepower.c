/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The channels that add up to the power of a node.
 */
#include "config.h"

#include <string.h>

#include <glib.h>

#include "common/nodepower.h"

#define CHANNELS 8
#define SECOND G_GINT64_CONSTANT(1000000000)

/* ---- The choice -------------------------------------------------------- */

struct scene {
	const char *name;
	const char *device;
	/** "label", or "+label" of one that counts. */
	const char *labels[CHANNELS];
};

static const struct scene scenes[] = {
	{ "packages and memory",
	  "powercap",
	  { "+package-0", "package-0-core", "package-0-uncore",
	    "+package-0-dram", "+package-1", "+package-1-dram" } },
	{ "one platform zone",
	  "powercap",
	  { "package-0", "package-0-dram", "+psys" } },
	{ "several platform zones",
	  "powercap",
	  { "+package-0", "psys", "+package-1", "psys-1" } },
	{ "platform zones of perf",
	  "perf",
	  { "+package-0", "psys", "+package-1", "package-1-psys" } },
	{ "second interface",
	  "powercap",
	  { "mmio-package-0", "+package-0", "+package-0-dram",
	    "mmio-package-0-dram" } },
	{ "second interface alone", "powercap", { "+mmio-package-0" } },
	{ "dynamic thermal power management",
	  "powercap",
	  { "dtpm-cpu", "+package-0", "+package-0-dram" } },
	{ "dies",
	  "powercap",
	  { "+package-0-die-0", "+package-0-die-0-dram", "+package-0-die-1",
	    "package-0-die-1-core" } },
	{ "dies beside their package",
	  "powercap",
	  { "+package-0", "package-0-die-0", "package-0-die-1" } },
	{ "memory by its name in perf",
	  "perf",
	  { "+package-0", "+package-0-ram", "package-0-cores", "package-0-gpu",
	    "cpu-3-core" } },
	{ "cards add to packages",
	  NULL,
	  { "+package-0", "+gpu-0", "+gpu-1", "+amdgpu-PPT" } },
	{ "a platform contains cards",
	  NULL,
	  { "package-0", "gpu-0", "+psys" } },
	{ "supply before platform",
	  NULL,
	  { "psys", "package-0", "+power-meter-power1" } },
	{ "rails of a supply",
	  "hwmon",
	  { "+corsairpsu-power-total", "corsairpsu-power--12v",
	    "corsairpsu-power--5v" } },
	{ "rails only", "hwmon", { "+pmbus-pout1", "+pmbus-pout2" } },
	{ "module with its processor",
	  "hwmon",
	  { "+power-meter-Module-Power-Socket-0",
	    "power-meter-Grace-Power-Socket-0",
	    "power-meter-CPU-Power-Socket-0",
	    "power-meter-SysIO-Power-Socket-0",
	    "+power-meter-Module-Power-Socket-1" } },
	{ "a module contains its GPUs",
	  "hwmon",
	  { "+power-meter-Module-Power-Socket-0",
	    "power-meter-Grace-Power-Socket-0", "gpu-0", "gpu-1",
	    "+amdgpu-PPT" } },
	{ "a processor without its module contains no GPU",
	  "hwmon",
	  { "+power-meter-Grace-Power-Socket-0", "+gpu-0" } },
	{ "processor without its module",
	  "hwmon",
	  { "+power-meter-Grace-Power-Socket-0",
	    "power-meter-CPU-Power-Socket-0" } },
	{ "parts of a card", "hwmon", { "+xe-card", "xe-pkg" } },
	{ "counters of RAPL by two drivers",
	  NULL,
	  { "+package-0", "+package-1", "amd-energy-Esocket0",
	    "amd-energy-Esocket1", "amd-energy-Ecore000" } },
	{ "amd_energy alone",
	  "hwmon",
	  { "+amd-energy-Esocket0", "amd-energy-Ecore000" } },
	{ "channels of an external meter", "LMG450", { "+1", "+2", "+3" } },
	{ "unknown roles beside known ones",
	  NULL,
	  { "+package-0", "ina226-VDD" } },
	{ "unknown roles only", "hwmon", { "+ina226-VDD", "+ina226-VSS" } },
};

static size_t readLabels(const struct scene *scene,
			 struct hdPowerChannel *channels)
{
	size_t count = 0;

	for (; count < CHANNELS && scene->labels[count]; count++) {
		const char *label = scene->labels[count];

		channels[count] = (struct hdPowerChannel){
			.device = scene->device,
			.label = label + (*label == '+'),
		};
		hdPowerClassify(&channels[count]);
	}
	return count;
}

static void testScene(gconstpointer data)
{
	const struct scene *scene = data;
	struct hdPowerChannel channels[CHANNELS];
	size_t count = readLabels(scene, channels), wanted = 0;

	for (size_t i = 0; i < count; i++)
		wanted += *scene->labels[i] == '+';
	g_assert_cmpuint(hdPowerChoose(channels, count), ==, wanted);
	for (size_t i = 0; i < count; i++) {
		g_test_message("%s: %s", channels[i].label, channels[i].reason);
		g_assert_cmpint(channels[i].isCounted, ==,
				*scene->labels[i] == '+');
		/* What is left out says why. */
		g_assert_true(channels[i].isCounted || *channels[i].reason);
	}
}

static void testSupplies(void)
{
	struct hdPowerChannel channels[] = {
		{ .device = "power_supply", .label = "BAT0" },
		{ .device = "hwmon", .label = "power-meter-power1" },
		{ .device = "ipmi", .label = "system" },
		{ .device = "powercap", .label = "psys" },
	};

	for (size_t i = 0; i < 4; i++)
		hdPowerClassify(&channels[i]);
	for (size_t first = 0; first < 4; first++) {
		static const size_t best[] = { 2, 2, 2, 3 };

		g_assert_cmpuint(hdPowerChoose(channels + first, 4 - first), ==,
				 1);
		g_assert_true(channels[best[first]].isCounted);
	}
	g_assert_cmpuint(hdPowerChoose(channels, 2), ==, 1);
	g_assert_true(channels[1].isCounted);
	g_assert_cmpstr(channels[0].reason, ==,
			"measured by power-meter-power1");
}

static void testReasons(void)
{
	static const struct scene scene = {
		.labels = { "package-0", "package-0-core", "mmio-package-0",
			    "psys", "psys-1" },
	};
	static const char *const reasons[] = {
		"",
		"part of package-0",
		"the same as package-0",
		"one of several platform zones",
		"one of several platform zones",
	};
	struct hdPowerChannel channels[CHANNELS];
	size_t count = readLabels(&scene, channels);

	g_assert_cmpuint(hdPowerChoose(channels, count), ==, 1);
	for (size_t i = 0; i < count; i++)
		g_assert_cmpstr(channels[i].reason, ==, reasons[i]);
}

static void testStated(void)
{
	struct hdPowerChannel channels[] = {
		{ .label = "a", .role = "rail", .partOf = "b" },
		{ .label = "b", .role = "supply" },
		/* What is stated holds, not the label. */
		{ .label = "package-0", .role = "card" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(channels); i++)
		hdPowerClassify(&channels[i]);
	g_assert_cmpstr(channels[0].container, ==, "b");
	g_assert_cmpint(channels[2].is, ==, HD_POWER_CARD);
	g_assert_cmpuint(hdPowerChoose(channels, 3), ==, 1);
	g_assert_true(channels[1].isCounted);
	g_assert_cmpstr(channels[0].reason, ==, "part of b");
	g_assert_cmpstr(channels[2].reason, ==, "measured by b");
}

static void testNamed(void)
{
	struct hdPowerChannel channels[] = {
		{ .label = "package-0" },
		{ .label = "psys" },
		{ .label = "psys-1", .isNamed = true },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(channels); i++)
		hdPowerClassify(&channels[i]);
	g_assert_cmpuint(hdPowerChoose(channels, 3), ==, 1);
	g_assert_true(channels[2].isCounted);
	g_assert_cmpstr(channels[0].reason, ==, "not named");
}

/* ---- Counters that do not count ---------------------------------------- */

#define COUNTS(joules)                   \
	{                                \
		true, true, joules, 1e-5 \
	}
#define TELLS(joules)                  \
	{                              \
		false, true, joules, 0 \
	}
#define FAILS(joules)                     \
	{                                 \
		true, false, joules, 1e-5 \
	}

struct verdict {
	const char *name;
	const char *labels[4];
	struct hdPowerGain gains[4];
	/** What counts then. */
	bool isCounted[4];
};

static const struct verdict verdicts[] = {
	{ "a platform that counts",
	  { "psys", "package-0" },
	  { COUNTS(130), COUNTS(100) },
	  { true } },
	{ "a platform that does not advance",
	  { "psys", "package-0", "package-0-dram" },
	  { COUNTS(0), COUNTS(50), COUNTS(5) },
	  { false, true, true } },
	{ "an idle machine",
	  { "psys", "package-0" },
	  { COUNTS(0), COUNTS(99e-5) },
	  { true } },
	{ "less than its packages",
	  { "psys", "package-0", "package-1" },
	  { COUNTS(97.9), COUNTS(60), COUNTS(40) },
	  { false, true, true } },
	{ "less by no more than is tolerated",
	  { "psys", "package-0", "package-1" },
	  { COUNTS(98.1), COUNTS(60), COUNTS(40) },
	  { true } },
	{ "more than is plausible",
	  { "psys", "package-0" },
	  { COUNTS(20001), COUNTS(100) },
	  { false, true } },
	{ "a gauge of 0 W",
	  { "power-meter-power1", "package-0" },
	  { TELLS(0), COUNTS(100) },
	  { true } },
	{ "a card that sleeps",
	  { "package-0", "gpu-0" },
	  { COUNTS(100), TELLS(0) },
	  { true, true } },
	{ "a part that could not be read",
	  { "psys", "package-0" },
	  { COUNTS(0), FAILS(50) },
	  { true } },
	{ "a copy replaces its original",
	  { "package-0", "package-0-core", "mmio-package-0" },
	  { COUNTS(0), COUNTS(40), COUNTS(50) },
	  { false, false, true } },
	{ "cores replace a package that does not advance",
	  { "package-0", "package-0-core", "package-0-uncore",
	    "package-0-dram" },
	  { COUNTS(0), COUNTS(40), COUNTS(5), COUNTS(6) },
	  { false, true, true, true } },
	{ "a package that does not advance, next to another one",
	  { "package-0", "package-0-core", "package-1", "package-1-core" },
	  { COUNTS(0), COUNTS(40), COUNTS(50), COUNTS(30) },
	  { false, true, true, false } },
	{ "dies replace their package, and not its cores",
	  { "package-0", "package-0-core", "package-0-die-0",
	    "package-0-die-1" },
	  { COUNTS(0), COUNTS(40), COUNTS(30), COUNTS(20) },
	  { false, false, true, true } },
};

static void testVerdict(gconstpointer data)
{
	const struct verdict *verdict = data;
	struct hdPowerChannel channels[4];
	size_t count = 0;

	for (; count < 4 && verdict->labels[count]; count++) {
		channels[count] = (struct hdPowerChannel){
			.label = verdict->labels[count],
		};
		hdPowerClassify(&channels[count]);
	}
	hdPowerJudge(channels, verdict->gains, count, SECOND);
	hdPowerChoose(channels, count);
	for (size_t i = 0; i < count; i++)
		g_assert_cmpint(channels[i].isCounted, ==,
				verdict->isCounted[i]);
}

static void testMirrors(void)
{
	struct hdPowerChannel channels[] = {
		{ .label = "package-0-die-0" },
		{ .label = "package-0-die-1" },
		{ .label = "package-1-die-0" },
	};
	struct hdPowerGain gains[] = { COUNTS(100), COUNTS(100.0001),
				       COUNTS(100) };

	for (size_t i = 0; i < 3; i++)
		hdPowerClassify(&channels[i]);
	g_assert_true(hdPowerIsDoubtful(channels, 3));
	g_assert_true(hdPowerFindMirrors(channels, gains, 3, 2 * SECOND));
	g_assert_cmpuint(hdPowerChoose(channels, 3), ==, 2);
	g_assert_false(channels[1].isCounted);
	/* They differ after all. */
	gains[1].joules = 101;
	g_assert_true(hdPowerFindMirrors(channels, gains, 3, 2 * SECOND));
	g_assert_cmpuint(hdPowerChoose(channels, 3), ==, 3);
}

static void testTexts(void)
{
	g_assert_true(hdPowerIsCounted("powercap intel-rapl:0/energy_uj"));
	g_assert_true(hdPowerIsCounted("NVML total energy of A100"));
	g_assert_false(hdPowerIsCounted("hwmon ina226 power1_input"));
	g_assert_false(hdPowerIsCounted(NULL));
	g_assert_cmpfloat(hdPowerResolution("61 uJ, every 1 ms"), ==, 61e-6);
	g_assert_cmpfloat_with_epsilon(hdPowerResolution("15.3 uJ"), 15.3e-6,
				       1e-12);
	g_assert_cmpfloat(hdPowerResolution("1 mJ, every 100 ms"), ==, 1e-3);
	g_assert_cmpfloat(hdPowerResolution("every 1 ms"), ==, 1e-4);
	g_assert_cmpfloat(hdPowerResolution(NULL), ==, 1e-4);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(scenes); i++) {
		char *path = g_strdup_printf("/choice/%s", scenes[i].name);

		g_test_add_data_func(path, &scenes[i], testScene);
		g_free(path);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(verdicts); i++) {
		char *path = g_strdup_printf("/counter/%s", verdicts[i].name);

		g_test_add_data_func(path, &verdicts[i], testVerdict);
		g_free(path);
	}
	g_test_add_func("/choice/one kind of supply counts", testSupplies);
	g_test_add_func("/choice/reasons", testReasons);
	g_test_add_func("/choice/stated roles", testStated);
	g_test_add_func("/choice/named channels", testNamed);
	g_test_add_func("/counter/mirrored dies", testMirrors);
	g_test_add_func("/texts of sources", testTexts);
	return g_test_run();
}
