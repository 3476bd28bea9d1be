/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of loads; see limits.h. */
#include "config.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <glib.h>

#include "LoadLevels/control/limits.h"

/* A file as text, to be freed; NULL: it cannot be read. */
static char *limitsRead(const char *root, const char *directory,
			const char *name)
{
	char *path = g_strconcat(root, directory, "/", name, NULL);
	char *text = NULL;

	g_file_get_contents(path, &text, NULL, NULL);
	g_free(path);
	return text;
}

/* ---- Quotas -------------------------------------------------------------- */

/* "20000 100000" or "max 100000", of version 2. */
static double limitsParseMax(const char *text)
{
	char *end;
	double quota = g_ascii_strtod(text, &end);
	double period = end > text ? g_ascii_strtod(end, NULL) : 0;

	return quota > 0 && period > 0 ? quota / period : (double)INFINITY;
}

static double limitsOfGroup(const char *root, const char *group, bool isSecond)
{
	char *quota = limitsRead(root, group,
				 isSecond ? "cpu.max" : "cpu.cfs_quota_us");
	char *period =
		isSecond ? NULL : limitsRead(root, group, "cpu.cfs_period_us");
	double result = INFINITY;

	if (quota && isSecond)
		result = limitsParseMax(quota);
	else if (quota && period && atof(quota) > 0 && atof(period) > 0)
		result = atof(quota) / atof(period);
	g_free(quota);
	g_free(period);
	return result;
}

/* A group and all above it, up to the mount point. */
static double limitsOfPath(const char *root, const char *mount,
			   const char *path, bool isSecond)
{
	char *group = g_strconcat(mount, path, NULL);
	double least = INFINITY;

	while (strlen(group) >= strlen(mount)) {
		char *slash;

		least = fmin(least, limitsOfGroup(root, group, isSecond));
		slash = strrchr(group, '/');
		if (!slash || slash < group + strlen(mount))
			break;
		*slash = '\0';
	}
	g_free(group);
	return least;
}

static bool limitsHasCpu(const char *controllers)
{
	char **list = g_strsplit(controllers, ",", -1);
	bool hasCpu = g_strv_contains((const char *const *)list, "cpu");

	g_strfreev(list);
	return hasCpu;
}

/* A line of /proc/self/cgroup: "NUMBER:CONTROLLERS:PATH". */
static double limitsOfLine(const char *root, const char *line)
{
	char **parts = g_strsplit(line, ":", 3);
	double quota = INFINITY;

	if (g_strv_length(parts) == 3 && limitsHasCpu(parts[1])) {
		char *mount = g_strconcat("/sys/fs/cgroup/", parts[1], NULL);

		quota = fmin(limitsOfPath(root, "/sys/fs/cgroup/cpu", parts[2],
					  false),
			     limitsOfPath(root, mount, parts[2], false));
		g_free(mount);
	} else if (g_strv_length(parts) == 3 && !*parts[1]) {
		quota = fmin(
			limitsOfPath(root, "/sys/fs/cgroup", parts[2], true),
			limitsOfPath(root, "/sys/fs/cgroup/unified", parts[2],
				     true));
	}
	g_strfreev(parts);
	return quota;
}

double hdLoadQuota(const char *root)
{
	char *text = limitsRead(root, "/proc/self", "cgroup");
	char **lines = text ? g_strsplit(text, "\n", -1) : NULL;
	double least = INFINITY;

	for (size_t i = 0; lines && lines[i]; i++)
		least = fmin(least, limitsOfLine(root, lines[i]));
	g_strfreev(lines);
	g_free(text);
	return least;
}

/* ---- Temperature and throttling ------------------------------------------ */

/* The largest, or the sum, of the numbers in files; NaN: there are none. */
static double limitsOfFiles(const char *root, const char *pattern, bool isSum)
{
	char *path = g_strconcat(root, pattern, NULL);
	double result = NAN;
	glob_t files;

	if (glob(path, 0, NULL, &files) == 0) {
		for (size_t i = 0; i < files.gl_pathc; i++) {
			char *text = NULL;

			if (!g_file_get_contents(files.gl_pathv[i], &text, NULL,
						 NULL))
				continue;
			if (isSum)
				result = (isnan(result) ? 0 : result) +
					 atof(text);
			else
				result = fmax(result, atof(text));
			g_free(text);
		}
		globfree(&files);
	}
	g_free(path);
	return result;
}

double hdLoadTemperature(const char *root)
{
	double zone = limitsOfFiles(
		root, "/sys/class/thermal/thermal_zone*/temp", false);
	double chip = limitsOfFiles(root, "/sys/class/hwmon/hwmon*/temp*_input",
				    false);

	return fmax(zone, chip) / 1000;
}

int64_t hdLoadThrottled(const char *root)
{
	double count = limitsOfFiles(root,
				     "/sys/devices/system/cpu/cpu*/"
				     "thermal_throttle/core_throttle_count",
				     true);

	return isnan(count) ? 0 : (int64_t)count;
}

/* ---- Space --------------------------------------------------------------- */

int64_t hdLoadFreeMemory(const char *root)
{
	char *text = limitsRead(root, "/proc", "meminfo");
	char **lines = text ? g_strsplit(text, "\n", -1) : NULL;
	int64_t bytes = INT64_MAX;

	for (size_t i = 0; lines && lines[i]; i++) {
		if (g_str_has_prefix(lines[i], "MemAvailable:"))
			bytes = g_ascii_strtoll(lines[i] + 13, NULL, 10) * 1024;
	}
	g_strfreev(lines);
	g_free(text);
	return bytes;
}

int64_t hdLoadFreeSpace(const char *directory)
{
	struct statvfs info;

	if (statvfs(directory, &info) < 0)
		return INT64_MAX;
	return (int64_t)((uint64_t)info.f_bavail * info.f_frsize);
}
