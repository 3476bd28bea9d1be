/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tags: threads */
/* F9: the health of a node, by a smartctl that is made of shell, and on trees
 * that stand for machines. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "NodeStatus/local/child.h"
#include "NodeStatus/local/core/health.h"
#include "NodeStatus/local/smart.h"
#include "tests/lib/fixture.h"
#include "tests/node/jsonpath.h"

#define MS INT64_C(1000000)
/* Long enough for a busy machine. */
#define LONG_NS (60000 * MS)

/* Write a smartctl; returns its path. */
static char *makeSmartctl(const char *root, const char *script)
{
	char *path = g_strconcat(root, "/smartctl", NULL);

	fixtureWrite(root, "/smartctl", "#!/bin/sh\n%s\n", script);
	g_assert_cmpint(chmod(path, 0755), ==, 0);
	return path;
}

#define SAYS(passed, status)                                       \
	"echo '{\"smart_status\":{\"passed\":" passed              \
	"},\"temperature\":{\"current\":41},\"model_name\":\"M\"," \
	"\"power_on_time\":{\"hours\":77}}'; exit " status

/* Every way in which it ends, and each bit of its status. */
static const struct {
	const char *script, *state, *reasons, *bits;
} cases[] = {
	{ SAYS("true", "0"), "ok", "[]", "0" },
	{ SAYS("false", "8"), "failing",
	  "[\"the disk reports a failure\", \"the SMART health "
	  "test failed\"]",
	  "8" },
	{ SAYS("false", "0"), "failing", "[\"the SMART health test failed\"]",
	  "0" },
	{ SAYS("true", "4"), "ok", "[\"the disk does not support a command\"]",
	  "4" },
	{ SAYS("true", "16"), "failing",
	  "[\"an attribute is below its threshold\"]", "16" },
	{ SAYS("true", "32"), "warned",
	  "[\"an attribute was below its threshold\"]", "32" },
	{ SAYS("true", "64"), "warned",
	  "[\"the error log of the disk is not empty\"]", "64" },
	{ SAYS("true", "128"), "warned", "[\"a self-test failed\"]", "128" },
	{ SAYS("true", "224"), "warned",
	  "[\"an attribute was below its threshold\", \"the error log of "
	  "the disk is not empty\", \"a self-test failed\"]",
	  "224" },
	/* Behind a bridge of USB: no SMART; or it does not say. */
	{ "echo '{\"smart_support\":{\"available\":false}}'; exit 4",
	  "unavailable",
	  "[\"the disk does not support a command\", \"SMART is not "
	  "supported\"]",
	  "4" },
	{ "echo '{}'; exit 0", "unavailable",
	  "[\"the health status is not available\"]", "0" },
	{ "echo '{}'; exit 1", "unavailable",
	  "[\"smartctl does not support this disk\"]", "1" },
	{ "echo '{}'; exit 2", "unavailable", "[\"cannot open the disk\"]",
	  "2" },
	{ "echo '{\"smartctl\":{\"messages\":[{\"string\":\"Device is in "
	  "STANDBY mode, exit(2)\"}]}}'; exit 2",
	  "asleep", "[\"the disk sleeps\"]", "2" },
	/* Nonsense. */
	{ "echo SMART overall-health: PASSED", "unknown",
	  "[\"output of smartctl is not JSON\"]", "0" },
	{ "exit 0", "unknown", "[\"output of smartctl is not JSON\"]", "0" },
	{ "echo '[]'", "unknown", "[\"output of smartctl is not JSON\"]", "0" },
	{ "echo '{\"smart_status\":'", "unknown",
	  "[\"output of smartctl is not JSON\"]", "0" },
	{ "kill -9 $$", "unknown", "[\"smartctl was killed by a signal\"]",
	  "null" },
	{ "yes '{}'", "unknown",
	  "[\"output of smartctl exceeds the size limit\"]", "null" },
	/* It asks a terminal, and there is none. */
	{ "read x && exit 1; " SAYS("true", "0"), "ok", "[]", "0" },
};

static void testSmart(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *root = fixtureCreate();
		char *smartctl = makeSmartctl(root, cases[i].script);
		json_t *json = nodeSmartAsk(smartctl, "sda", -1, LONG_NS, NULL);

		g_test_message("%s", cases[i].script);
		g_assert_cmpstr(json_string_value(jsonAt(json, "state")), ==,
				cases[i].state);
		jsonIs(json, "reasons", cases[i].reasons);
		jsonIs(json, "bits", cases[i].bits);
		if (strcmp(cases[i].state, "ok") == 0) {
			jsonIs(json, "temperature_celsius", "41");
			jsonIs(json, "model", "\"M\"");
			jsonIs(json, "power_on_hours", "77");
			jsonIs(json, "serial", "null");
		}
		json_decref(json);
		g_free(smartctl);
		fixtureRemove(root);
	}
}

/* What it is asked; and that it is not there. */
static void testArguments(void)
{
	char *root = fixtureCreate();
	char *smartctl =
		makeSmartctl(root, "echo \"{\\\"model_name\\\":\\\"$*\\\"}\"");
	json_t *json = nodeSmartAsk(smartctl, "nvme0n1", -1, LONG_NS, NULL);

	jsonIs(json, "model",
	       "\"--json=c --info --health --attributes --nocheck=standby "
	       "/dev/nvme0n1\"");
	json_decref(json);
	json = nodeSmartAsk("/nowhere/smartctl", "sda", -1, LONG_NS, NULL);
	jsonIs(json, "state", "\"unknown\"");
	jsonIs(json, "reasons", "[\"No such file or directory\"]");
	json_decref(json);
	g_free(smartctl);
	fixtureRemove(root);
}

/* What a program has started is a child of somebody else's, who may take some
 * time to wait for it. */
static void awaitEnd(int pid)
{
	while (kill(pid, 0) == 0)
		poll(NULL, 0, 5);
}

/* One that hangs is killed, with what it has started; so is one that has closed
 * its output, and one that ignores all signals it can. */
static void testHang(void)
{
	static const char *const scripts[] = {
		"echo $$ >%s/pid; sleep 600",
		"echo $$ >%s/pid; exec >/dev/null; sleep 600",
		"trap '' TERM INT HUP; echo $$ >%s/pid; sleep 600; sleep 600",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(scripts); i++) {
		char *root = fixtureCreate();
		char **parts = g_strsplit(scripts[i], "%s", 2);
		char *script = g_strjoin(root, parts[0], parts[1], NULL);
		char *smartctl = makeSmartctl(root, script);
		char *path = g_strconcat(root, "/pid", NULL), *text = NULL;
		json_t *json =
			nodeSmartAsk(smartctl, "sda", -1, 300 * MS, NULL);

		jsonIs(json, "state", "\"unknown\"");
		jsonIs(json, "reasons", "[\"smartctl does not respond\"]");
		/* A busy machine may not have come to that line. */
		if (g_file_get_contents(path, &text, NULL, NULL))
			awaitEnd(atoi(text));
		json_decref(json);
		g_free(text);
		g_free(path);
		g_free(smartctl);
		g_free(script);
		g_strfreev(parts);
		fixtureRemove(root);
	}
}

/* ---- The thread -------------------------------------------------------- */

/* Wait until a path of the health has a text, however long it takes. */
static void awaitText(struct nodeHealth *health, const char *path,
		      const char *text)
{
	for (;;) {
		json_t *json = nodeHealthJson(health), *at = json;
		char **keys = g_strsplit(path, ".", -1);
		bool isThere;

		for (size_t i = 0; at && keys[i]; i++)
			at = json_is_array(at)
				     ? json_array_get(at, (size_t)atoi(keys[i]))
				     : json_object_get(at, keys[i]);
		isThere = g_strcmp0(json_string_value(at), text) == 0;
		g_strfreev(keys);
		json_decref(json);
		if (isThere)
			return;
		poll(NULL, 0, 5);
	}
}

/* A disk that hangs delays neither who asks nor the other disks' answers for
 * ever, nor the end. */
static void testThread(void)
{
	char *root = fixtureCreate();
	char *smartctl =
		makeSmartctl(root, "case $* in */sda) exec sleep 600;; "
				   "*) " SAYS("false", "8") ";; esac");
	struct nodeHealthNumbers numbers;
	struct nodeHealth *health;
	json_t *json;

	fixtureWrite(root, "/sys/block/sda/device/x", "\n");
	fixtureWrite(root, "/sys/block/sdb/device/x", "\n");
	fixtureWrite(root, "/sys/block/loop0/x", "\n");
	g_assert_cmpint(
		nodeHealthStart(root, smartctl, LONG_NS, 200 * MS, &health), ==,
		0);
	/* Nobody waits for it. */
	json = nodeHealthJson(health);
	g_assert_true(json_is_array(jsonAt(json, "disks")));
	json_decref(json);
	awaitText(health, "disks.0.state", "unknown");
	awaitText(health, "disks.1.state", "failing");
	do
		nodeHealthGet(health, &numbers);
	while (!(numbers.failingDisks >= 1) && poll(NULL, 0, 5) == 0);
	g_assert_cmpfloat(numbers.failingDisks, ==, 1);
	/* It is mended: the next look, at once, sees it. */
	g_free(smartctl);
	smartctl = makeSmartctl(root, SAYS("true", "0"));
	nodeHealthSetInterval(health, 2 * LONG_NS);
	awaitText(health, "disks.0.state", "ok");
	awaitText(health, "disks.1.state", "ok");
	nodeHealthStop(health);

	/* It ends while one hangs. */
	g_free(smartctl);
	smartctl = makeSmartctl(root, "sleep 600");
	g_assert_cmpint(
		nodeHealthStart(root, smartctl, LONG_NS, LONG_NS, &health), ==,
		0);
	nodeHealthStop(health);
	/* There is no smartctl: unavailable, and not well. */
	g_assert_cmpint(nodeHealthStart(root, "", LONG_NS, LONG_NS, &health),
			==, 0);
	awaitText(health, "disks.1.state", "unavailable");
	nodeHealthGet(health, &numbers);
	g_assert_true(isnan(numbers.failingDisks));
	nodeHealthStop(health);
	g_free(smartctl);
	fixtureRemove(root);
}

/* Wait until so many disks are failing. */
static void awaitFailing(struct nodeHealth *health, double count)
{
	struct nodeHealthNumbers numbers;

	do
		nodeHealthGet(health, &numbers);
	while (!(numbers.failingDisks == count) && poll(NULL, 0, 5) == 0);
}

/* Look with another smartctl, until a disk says so. */
static void lookAgain(struct nodeHealth *health, const char *root,
		      const char *script, const char *state)
{
	static int64_t interval = LONG_NS;

	g_free(makeSmartctl(root, script));
	interval += MS;
	nodeHealthSetInterval(health, interval);
	awaitText(health, "disks.0.state", state);
}

/* A disk that fails is failing until it says that it is not: not well for that
 * it sleeps, hangs, cannot be opened or is gone. */
static void testFailing(void)
{
	char *root = fixtureCreate();
	char *smartctl = makeSmartctl(root, SAYS("false", "8"));
	struct nodeHealthNumbers numbers;
	struct nodeHealth *health;

	fixtureWrite(root, "/sys/block/sda/device/x", "\n");
	fixtureWrite(root, "/sys/block/sdb/device/x", "\n");
	g_assert_cmpint(
		nodeHealthStart(root, smartctl, LONG_NS, LONG_NS, &health), ==,
		0);
	awaitFailing(health, 2);
#define MENDED "case $* in */sdb) " SAYS("true", "0") ";; esac; "
	lookAgain(health, root, MENDED "echo '{}'; exit 2", "unavailable");
	awaitText(health, "disks.0.reasons.1",
		  "it was failing at its last report");
	awaitFailing(health, 1);
	lookAgain(health, root, MENDED "kill -9 $$", "unknown");
	awaitFailing(health, 1);
	fixtureDelete(root, "/sys/block/sda/device/x");
	fixtureDelete(root, "/sys/block/sda/device");
	fixtureDelete(root, "/sys/block/sda");
	lookAgain(health, root, SAYS("true", "0"), "unknown");
	awaitText(health, "disks.0.reasons.0", "the disk has disappeared");
	nodeHealthGet(health, &numbers);
	g_assert_cmpfloat(numbers.failingDisks, ==, 1);
	/* Another one is there. */
	fixtureWrite(root, "/sys/block/sda/device/x", "\n");
	lookAgain(health, root, SAYS("true", "0"), "ok");
	awaitFailing(health, 0);
	/* One that was well and goes leaves nothing. */
	fixtureDelete(root, "/sys/block/sda/device/x");
	fixtureDelete(root, "/sys/block/sda/device");
	fixtureDelete(root, "/sys/block/sda");
	lookAgain(health, root, "exit 0", "unknown");
	awaitText(health, "disks.0.name", "sdb");
	nodeHealthStop(health);
	g_free(smartctl);
	fixtureRemove(root);
}

/* One that was left is waited for once it ends, and only then. */
static void testLeft(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	g_assert_false(nodeChildHasEnded(pid));
	kill(pid, SIGKILL);
	while (!nodeChildHasEnded(pid))
		poll(NULL, 0, 1);
	g_assert_cmpint(kill(pid, 0), ==, -1);
	/* Somebody else has waited for it. */
	g_assert_true(nodeChildHasEnded(pid));
}

/* ---- Files ------------------------------------------------------------- */

static void setSensor(const char *root, int device, const char *file,
		      const char *text)
{
	char *path =
		g_strdup_printf("/sys/class/hwmon/hwmon%d/%s", device, file);

	fixtureWrite(root, path, "%s\n", text);
	g_free(path);
}

static void testTemperatures(void)
{
	char *root = fixtureCreate();
	double hottest;
	json_t *json = nodeTemperatures(root, &hottest);

	g_assert_cmpuint(json_array_size(json), ==, 0);
	g_assert_true(isnan(hottest));
	json_decref(json);
	/* Two packages, the second one first. */
	setSensor(root, 0, "name", "coretemp");
	setSensor(root, 0, "temp1_label", "Package id 1");
	setSensor(root, 0, "temp1_input", "55000");
	setSensor(root, 0, "temp2_label", "Core 0");
	setSensor(root, 0, "temp2_input", "61500");
	setSensor(root, 1, "name", "coretemp");
	setSensor(root, 1, "temp1_label", "Package id 0");
	setSensor(root, 1, "temp1_input", "48000");
	/* What is no reading: a fault, nonsense, too hot for anything. */
	setSensor(root, 1, "temp2_input", "99000");
	setSensor(root, 1, "temp2_fault", "1");
	setSensor(root, 1, "temp3_input", "hot");
	setSensor(root, 1, "temp4_input", "255000");
	/* A disk is no CPU. */
	setSensor(root, 2, "name", "drivetemp");
	setSensor(root, 2, "temp1_input", "70000");
	json = nodeTemperatures(root, &hottest);
	jsonIs(json, "0",
	       "{\"package\": 0, \"hottest_celsius\": 48.0, \"sensor\": "
	       "\"Package id 0\"}");
	jsonIs(json, "1",
	       "{\"package\": 1, \"hottest_celsius\": 61.5, \"sensor\": "
	       "\"Core 0\"}");
	g_assert_cmpfloat(hottest, ==, 61.5);
	json_decref(json);
	fixtureRemove(root);

	/* Zones only, below zero; and AMD's, one device a package. */
	root = fixtureCreate();
	fixtureWrite(root, "/sys/class/thermal/thermal_zone0/type", "acpitz\n");
	fixtureWrite(root, "/sys/class/thermal/thermal_zone0/temp", "90000\n");
	fixtureWrite(root, "/sys/class/thermal/thermal_zone1/type",
		     "x86_pkg_temp\n");
	fixtureWrite(root, "/sys/class/thermal/thermal_zone1/temp", "-3000\n");
	json = nodeTemperatures(root, &hottest);
	jsonIs(json, "0",
	       "{\"package\": 0, \"hottest_celsius\": -3.0, \"sensor\": "
	       "\"x86_pkg_temp\"}");
	json_decref(json);
	setSensor(root, 0, "name", "k10temp");
	setSensor(root, 0, "temp1_label", "Tctl");
	setSensor(root, 0, "temp1_input", "40125");
	setSensor(root, 1, "name", "k10temp");
	setSensor(root, 1, "temp1_input", "41000");
	json = nodeTemperatures(root, &hottest);
	jsonIs(json, "0.hottest_celsius", "40.125");
	jsonIs(json, "1.hottest_celsius", "41.0");
	json_decref(json);
	fixtureRemove(root);
}

static void testMemory(void)
{
	char *root = fixtureCreate();
	struct nodeHealthNumbers numbers;
	json_t *json = nodeMemoryErrors(root, &numbers);

	g_assert_true(json_is_null(json));
	g_assert_true(isnan(numbers.corrected));
	json_decref(json);
	fixtureWrite(root, "/sys/devices/system/edac/mc/mc0/ce_count", "3\n");
	fixtureWrite(root, "/sys/devices/system/edac/mc/mc0/ue_count", "0\n");
	fixtureWrite(root, "/sys/devices/system/edac/mc/mc1/ce_count", "4\n");
	fixtureWrite(root, "/sys/devices/system/edac/mc/mc1/ue_count", "1\n");
	fixtureWrite(root, "/sys/devices/system/edac/mc/power/x", "\n");
	json = nodeMemoryErrors(root, &numbers);
	jsonIs(json, "corrected", "7");
	jsonIs(json, "uncorrected", "1");
	g_assert_cmpfloat(numbers.uncorrected, ==, 1);
	json_decref(json);
	fixtureRemove(root);
}

static void testLinks(void)
{
	char *root = fixtureCreate();
	json_t *json;

	fixtureWrite(root, "/sys/class/net/eth0/device/x", "\n");
	fixtureWrite(root, "/sys/class/net/eth0/carrier", "1\n");
	fixtureWrite(root, "/sys/class/net/eth0/speed", "1000\n");
	fixtureWrite(root, "/sys/class/net/eth0/carrier_changes", "2\n");
	fixtureWrite(root, "/sys/class/net/eth0/statistics/rx_errors", "5\n");
	fixtureWrite(root, "/sys/class/net/eth0/statistics/tx_errors", "1\n");
	fixtureWrite(root, "/sys/class/net/eth1/device/x", "\n");
	fixtureWrite(root, "/sys/class/net/br0/x", "\n");
	fixtureWrite(root, "/sys/class/infiniband/mlx5_0/ports/1/state",
		     "4: ACTIVE\n");
	fixtureWrite(root, "/sys/class/infiniband/mlx5_0/ports/1/rate",
		     "100 Gb/sec (4X EDR)\n");
	fixtureWrite(
		root,
		"/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error",
		"9\n");
	fixtureWrite(
		root,
		"/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed",
		"1\n");
	json = nodeLinks(root);
	g_assert_cmpuint(json_array_size(json), ==, 3);
	jsonIs(json, "0",
	       "{\"name\": \"eth0\", \"up\": true, \"bits_per_s\": 1000000000, "
	       "\"errors\": 6, \"changes\": 2}");
	jsonIs(json, "1",
	       "{\"name\": \"eth1\", \"up\": false, \"bits_per_s\": null, "
	       "\"errors\": null, \"changes\": null}");
	jsonIs(json, "2",
	       "{\"name\": \"mlx5_0/1\", \"up\": true, \"bits_per_s\": "
	       "100000000000, \"errors\": 9, \"changes\": 1}");
	json_decref(json);
	fixtureRemove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/node-health/verdicts of smartctl", testSmart);
	g_test_add_func("/node-health/arguments of smartctl", testArguments);
	g_test_add_func("/node-health/hanging smartctl is killed", testHang);
	g_test_add_func("/node-health/hanging disk delays no other result",
			testThread);
	g_test_add_func("/node-health/failing disk stays failing until it "
			"reports otherwise",
			testFailing);
	g_test_add_func(
		"/node-health/abandoned smartctl is waited for after its end",
		testLeft);
	g_test_add_func("/node-health/temperatures", testTemperatures);
	g_test_add_func("/node-health/memory errors", testMemory);
	g_test_add_func("/node-health/network links", testLinks);
	return g_test_run();
}
