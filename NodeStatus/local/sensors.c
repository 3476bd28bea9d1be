/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What the kernel's files say of the health of a node: temperatures (hwmon,
 * thermal zones), errors of memory (EDAC), links.
 *
 * A sensor counts if it is one of a CPU: coretemp (with "Package id N"),
 * k10temp and zenpower (one device for each package), cpu_thermal and others of
 * ARM. What is no temperature that a CPU can have is no reading.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "NodeStatus/local/core/health.h"
#include "NodeStatus/local/json.h"
#include "NodeStatus/local/machine.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"

#define CELSIUS_MIN (-40)
#define CELSIUS_MAX 150
#define PACKAGES_MAX 256

/* The hottest sensor of each package. */
struct heat {
	int count; /* Packages that were seen by number. */
	struct {
		bool isThere;
		double celsius;
		char sensor[64];
	} packages[PACKAGES_MAX];
};

static bool isCpuSensor(const char *name)
{
	static const char *const names[] = { "coretemp",     "k10temp",
					     "zenpower",     "cpu_thermal",
					     "cpu-thermal",  "soc_thermal",
					     "scpi_sensors", NULL };

	return g_strv_contains(names, name);
}

static void heatTake(struct heat *heat, int package, double celsius,
		     const char *sensor)
{
	if (package < 0 || package >= PACKAGES_MAX ||
	    !(celsius > CELSIUS_MIN && celsius < CELSIUS_MAX))
		return;
	heat->count = MAX(heat->count, package + 1);
	if (heat->packages[package].isThere &&
	    heat->packages[package].celsius >= celsius)
		return;
	heat->packages[package].isThere = true;
	heat->packages[package].celsius = celsius;
	g_strlcpy(heat->packages[package].sensor, sensor,
		  sizeof(heat->packages[package].sensor));
}

/* A number of millidegrees; may be negative. */
static double celsiusOf(const char *root, const char *folder, const char *file)
{
	char line[64], *end;
	long number;

	if (ptSysGetLine(line, sizeof(line), root, "%s/%s", folder, file) < 0)
		return NAN;
	number = strtol(line, &end, 10);
	return end == line || *end ? NAN : (double)number / 1000;
}

/* Which package a device is: as one of its labels says, else the next one. */
static int packageOf(const char *root, const char *folder, char **names,
		     ssize_t count, int next)
{
	for (ssize_t i = 0; i < count; i++) {
		char label[64];

		if (!g_str_has_suffix(names[i], "_label") ||
		    ptSysGetLine(label, sizeof(label), root, "%s/%s", folder,
				 names[i]) < 0)
			continue;
		if (g_str_has_prefix(label, "Package id ") ||
		    g_str_has_prefix(label, "Physical id "))
			return atoi(strstr(label, "id ") + 3);
	}
	return next;
}

/* Take the sensors of a device: tempN_input, unless tempN_fault. */
static void takeDevice(struct heat *heat, const char *root, const char *folder)
{
	char **names;
	ssize_t count = ptSysListNames(&names, root, "%s", folder);
	int package;

	if (count < 0)
		return;
	package = packageOf(root, folder, names, count, heat->count);
	for (ssize_t i = 0; i < count; i++) {
		char label[64], *base;
		uint64_t fault;

		if (!g_str_has_prefix(names[i], "temp") ||
		    !g_str_has_suffix(names[i], "_input"))
			continue;
		base = g_strndup(names[i], strlen(names[i]) - strlen("_input"));
		if (ptSysGetLine(label, sizeof(label), root, "%s/%s_label",
				 folder, base) < 0)
			g_strlcpy(label, base, sizeof(label));
		if (ptSysGetNumber(&fault, root, "%s/%s_fault", folder, base) <
			    0 ||
		    fault == 0)
			heatTake(heat, package,
				 celsiusOf(root, folder, names[i]), label);
		g_free(base);
	}
	ptSysFreeNames(names, (size_t)count);
}

static void takeHwmon(struct heat *heat, const char *root)
{
	char **names;
	ssize_t count = ptSysListNames(&names, root, "/sys/class/hwmon");

	for (ssize_t i = 0; i < count; i++) {
		char *folder = g_strconcat("/sys/class/hwmon/", names[i], NULL);
		char name[64];

		if (ptSysGetLine(name, sizeof(name), root, "%s/name", folder) >=
			    0 &&
		    isCpuSensor(name))
			takeDevice(heat, root, folder);
		g_free(folder);
	}
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
}

/* Where there is no hwmon: thermal zones that are those of packages. */
static void takeZones(struct heat *heat, const char *root)
{
	char **names;
	ssize_t count = ptSysListNames(&names, root, "/sys/class/thermal");
	int package = 0;

	for (ssize_t i = 0; i < count; i++) {
		char *folder =
			g_strconcat("/sys/class/thermal/", names[i], NULL);
		char type[64];

		if (ptSysGetLine(type, sizeof(type), root, "%s/type", folder) >=
			    0 &&
		    (strcmp(type, "x86_pkg_temp") == 0 ||
		     g_str_has_prefix(type, "cpu")))
			heatTake(heat, package++,
				 celsiusOf(root, folder, "temp"), type);
		g_free(folder);
	}
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
}

json_t *nodeTemperatures(const char *root, double *hottest)
{
	struct heat *heat = g_new0(struct heat, 1);
	json_t *list = json_array();

	*hottest = NAN;
	takeHwmon(heat, root);
	if (heat->count == 0)
		takeZones(heat, root);
	for (int i = 0; i < heat->count; i++) {
		double celsius = heat->packages[i].celsius;

		if (!heat->packages[i].isThere)
			continue;
		if (!(*hottest >= celsius))
			*hottest = celsius;
		json_array_append_new(
			list,
			json_pack("{si so so}", "package", i, "hottest_celsius",
				  nodeJsonReal(celsius), "sensor",
				  nodeJsonText(heat->packages[i].sensor)));
	}
	g_free(heat);
	return list;
}

/* ---- Memory ------------------------------------------------------------ */

json_t *nodeMemoryErrors(const char *root, struct nodeHealthNumbers *numbers)
{
	char **names;
	ssize_t count =
		ptSysListNames(&names, root, "/sys/devices/system/edac/mc");
	uint64_t corrected = 0, uncorrected = 0;
	bool isThere = false;

	for (ssize_t i = 0; i < count; i++) {
		uint64_t ce, ue;

		if (!g_str_has_prefix(names[i], "mc") ||
		    ptSysGetNumber(&ce, root,
				   "/sys/devices/system/edac/mc/%s/ce_count",
				   names[i]) < 0 ||
		    ptSysGetNumber(&ue, root,
				   "/sys/devices/system/edac/mc/%s/ue_count",
				   names[i]) < 0)
			continue;
		isThere = true;
		corrected += ce;
		uncorrected += ue;
	}
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
	numbers->corrected = isThere ? (double)corrected : NAN;
	numbers->uncorrected = isThere ? (double)uncorrected : NAN;
	return isThere ? json_pack("{sI sI}", "corrected",
				   (json_int_t)corrected, "uncorrected",
				   (json_int_t)uncorrected)
		       : json_null();
}

/* ---- Links ------------------------------------------------------------- */

/* Sum of counters of a folder; -1 if there is none of them. */
static int64_t sumFiles(const char *root, const char *folder,
			const char *const *files)
{
	int64_t sum = -1;

	for (; *files; files++) {
		uint64_t number;

		if (ptSysGetNumber(&number, root, "%s/%s", folder, *files) ==
			    0 &&
		    number < INT64_MAX / 16)
			sum = MAX(sum, 0) + (int64_t)number;
	}
	return sum;
}

static json_t *describeLink(const char *root, const char *name)
{
	static const char *const files[] = { "statistics/rx_errors",
					     "statistics/tx_errors",
					     "statistics/tx_carrier_errors",
					     NULL };
	static const char *const changes[] = { "carrier_changes", NULL };
	char *folder = g_strconcat("/sys/class/net/", name, NULL);
	uint64_t carrier;
	json_t *link;

	/* The carrier of an interface that is down cannot be read. */
	if (ptSysGetNumber(&carrier, root, "%s/carrier", folder) < 0)
		carrier = 0;
	link = json_pack("{so sb so so so}", "name", nodeJsonText(name), "up",
			 carrier == 1, "bits_per_s",
			 nodeJsonCount(nodeLinkSpeed(root, name)), "errors",
			 nodeJsonCount(sumFiles(root, folder, files)),
			 "changes",
			 nodeJsonCount(sumFiles(root, folder, changes)));
	g_free(folder);
	return link;
}

static void addInfiniband(json_t *links, const char *root, const char *device)
{
	static const char *const files[] = {
		"counters/symbol_error", "counters/link_error_recovery",
		"counters/port_rcv_errors",
		"counters/local_link_integrity_errors", NULL
	};
	static const char *const changes[] = { "counters/link_downed", NULL };
	char **names;
	ssize_t count = ptSysListNames(
		&names, root, "/sys/class/infiniband/%s/ports", device);

	for (ssize_t i = 0; i < count; i++) {
		char *folder = g_strdup_printf(
			"/sys/class/infiniband/%s/ports/%s", device, names[i]);
		char *name = g_strdup_printf("%s/%s", device, names[i]);
		char line[64];
		bool isUp = ptSysGetLine(line, sizeof(line), root, "%s/state",
					 folder) >= 0 &&
			    strstr(line, "ACTIVE");
		double gigabits = ptSysGetLine(line, sizeof(line), root,
					       "%s/rate", folder) >= 0
					  ? g_ascii_strtod(line, NULL)
					  : 0;

		json_array_append_new(
			links,
			json_pack("{so sb so so so}", "name",
				  nodeJsonText(name), "up", isUp, "bits_per_s",
				  nodeJsonCount(
					  gigabits > 0
						  ? (int64_t)(gigabits * 1e9)
						  : -1),
				  "errors",
				  nodeJsonCount(sumFiles(root, folder, files)),
				  "changes",
				  nodeJsonCount(
					  sumFiles(root, folder, changes))));
		g_free(folder);
		g_free(name);
	}
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
}

json_t *nodeLinks(const char *root)
{
	json_t *links = json_array();
	char **names;
	ssize_t count = ptSysListNames(&names, root, "/sys/class/net");

	for (ssize_t i = 0; i < count; i++)
		if (rutFileExists(root, "/sys/class/net/%s/device", names[i]))
			json_array_append_new(links,
					      describeLink(root, names[i]));
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
	count = ptSysListNames(&names, root, "/sys/class/infiniband");
	for (ssize_t i = 0; i < count; i++)
		addInfiniband(links, root, names[i]);
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
	return links;
}
