/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The driver power_supply: batteries tell power while they discharge. */
#include "config.h"

#include "tests/lib/fixture.h"
#include "tests/pt/softdriver.h"

extern const struct ptDriver ptPowerSupplyDriver;

static void supply(const char *root, const char *name, const char *file,
		   const char *text)
{
	char *path =
		g_strdup_printf("/sys/class/power_supply/%s/%s", name, file);

	fixtureWrite(root, path, "%s\n", text);
	g_free(path);
}

static char *laptop(void)
{
	char *root = fixtureCreate();

	supply(root, "AC", "type", "Mains");
	supply(root, "AC", "online", "0");
	supply(root, "BAT0", "type", "Battery");
	supply(root, "BAT0", "status", "Discharging");
	supply(root, "BAT0", "power_now", "9000000");
	supply(root, "BAT1", "type", "Battery");
	supply(root, "BAT1", "status", "Unknown");
	supply(root, "BAT1", "current_now", "2000000");
	supply(root, "BAT1", "voltage_now", "10000000");
	return root;
}

/* What there is, and why some of it cannot be used. */
static void testList(void)
{
	char *root = laptop(), *list;

	supply(root, "mouse", "type", "Battery");
	supply(root, "mouse", "scope", "Device");
	supply(root, "mouse", "power_now", "1");
	supply(root, "ucsi-source-psy-1", "type", "USB");
	supply(root, "ucsi-source-psy-1", "current_now", "3000000");
	supply(root, "ucsi-source-psy-1", "voltage_now", "20000000");
	list = softList(&ptPowerSupplyDriver, root, NULL);
	g_assert_cmpstr(
		list, ==,
		"+BAT0: power_supply BAT0 power_now\n"
		"+BAT1: power_supply BAT1 current_now times voltage_now\n"
		"-ucsi-source-psy-1: power_supply ucsi-source-psy-1 "
		"current_now times voltage_now: USB reports the negotiated "
		"limit, not the power\n");
	g_free(list);
	supply(root, "BAT0", "status", "Charging");
	list = softList(&ptPowerSupplyDriver, root, NULL);
	g_assert_nonnull(
		strstr(list, "-BAT0: power_supply BAT0 power_now: the machine "
			     "is on external power; BAT0 measures its power "
			     "only while it discharges\n"));
	g_free(list);
	fixtureRemove(root);
}

/* One battery after the other, and then the mains. */
static void testRead(void)
{
	char *root = laptop();
	struct softDevice soft;

	g_assert_cmpint(softOpen(&soft, &ptPowerSupplyDriver, root, 100 * MS,
				 NULL, "BAT0 P, BAT1 P, BAT0 E"),
			==, 0);
	softStart(&soft);
	softExpect(&soft, 100 * MS, "9 0 0.9");
	/* The sign is up to the driver. */
	supply(root, "BAT0", "power_now", "-9000000");
	softExpect(&soft, 100 * MS, "9 0 0.9");
	supply(root, "BAT0", "status", "Not charging");
	supply(root, "BAT1", "status", "Discharging");
	softExpect(&soft, 100 * MS, "0 20 0.45");
	supply(root, "BAT1", "current_now", "-1500000");
	softExpect(&soft, 100 * MS, "0 15 0");
	supply(root, "BAT1", "status", "Charging");
	softExpect(&soft, 100 * MS, "NaN NaN NaN");
	supply(root, "BAT1", "status", "Full");
	softExpect(&soft, 100 * MS, "NaN NaN NaN");
	supply(root, "BAT0", "status", "Discharging");
	g_assert_cmpint(softRead(&soft, 100 * MS), ==, 0);
	g_assert_cmpfloat((double)soft.cells[0].f, ==, 9);
	softClose(&soft);
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	softInit();
	g_test_add_func("/pt/supply/list", testList);
	g_test_add_func("/pt/supply/read", testRead);
	return g_test_run();
}
