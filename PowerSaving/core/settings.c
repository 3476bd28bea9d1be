/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings of a node; see settings.h.
 *
 * (Linux, Documentation/admin-guide/pm/cpufreq.rst, intel_pstate.rst,
 * intel_uncore_frequency_scaling.rst, and Documentation/power/powercap.)
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerSaving/core/settings.h"

#define POLICIES "/sys/devices/system/cpu/cpufreq/policy"
#define CPUS "/sys/devices/system/cpu/cpu"
#define UNCORES "/sys/devices/system/cpu/intel_uncore_frequency/"
#define ZONES "/sys/class/powercap/intel-rapl:"

const char *const hdSettingNames[HD_SETTING_KINDS] = {
	[HD_SETTING_MAX_FREQ] = "max_freq", [HD_SETTING_MIN_FREQ] = "min_freq",
	[HD_SETTING_GOVERNOR] = "governor", [HD_SETTING_EPP] = "epp",
	[HD_SETTING_UNCORE] = "uncore",     [HD_SETTING_RAPL] = "rapl",
};

/* What stands before and after the name of a file's directory. */
static const struct settingPlace {
	enum hdSettingKind kind;
	const char *before, *after;
} settingPlaces[] = {
	{ HD_SETTING_MAX_FREQ, POLICIES, "/scaling_max_freq" },
	{ HD_SETTING_MIN_FREQ, POLICIES, "/scaling_min_freq" },
	{ HD_SETTING_GOVERNOR, POLICIES, "/scaling_governor" },
	{ HD_SETTING_EPP, POLICIES, "/energy_performance_preference" },
	{ HD_SETTING_MAX_FREQ, CPUS, "/cpufreq/scaling_max_freq" },
	{ HD_SETTING_MIN_FREQ, CPUS, "/cpufreq/scaling_min_freq" },
	{ HD_SETTING_GOVERNOR, CPUS, "/cpufreq/scaling_governor" },
	{ HD_SETTING_EPP, CPUS, "/cpufreq/energy_performance_preference" },
	{ HD_SETTING_UNCORE, UNCORES, "/max_freq_khz" },
	{ HD_SETTING_RAPL, ZONES, "/constraint_0_power_limit_uw" },
};
#define PLACES (sizeof(settingPlaces) / sizeof(settingPlaces[0]))

/* From the least to the most restrictive. */
static const char *const settingGovernors[] = {
	"performance",  "schedutil", "ondemand",
	"conservative", "powersave", NULL,
};
static const char *const settingPreferences[] = {
	"performance", "balance_performance",
	"default",     "balance_power",
	"power",       NULL,
};

int hdSettingFind(const char *name, size_t length)
{
	for (int i = 0; i < HD_SETTING_KINDS; i++) {
		if (strlen(hdSettingNames[i]) == length &&
		    strncmp(hdSettingNames[i], name, length) == 0)
			return i;
	}
	return -1;
}

/* ---- Values ------------------------------------------------------------ */

bool hdSettingIsValue(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return length > 0 && length < HD_SETTING_VALUE_SIZE && !text[length];
}

static const char *const *settingWords(enum hdSettingKind kind)
{
	return kind == HD_SETTING_GOVERNOR ? settingGovernors
	       : kind == HD_SETTING_EPP    ? settingPreferences
					   : NULL;
}

static int settingRank(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

int hdSettingCompare(enum hdSettingKind kind, const char *a, const char *b)
{
	const char *const *words = settingWords(kind);
	long long x, y;

	if (words) {
		/* The first words restrict less. */
		x = settingRank(words, a);
		y = settingRank(words, b);
		return (x < y) - (x > y);
	}
	x = strtoll(a, NULL, 10);
	y = strtoll(b, NULL, 10);
	if (kind == HD_SETTING_MIN_FREQ)
		return (x < y) - (x > y);
	return (x > y) - (x < y);
}

bool hdSettingsAreAny(const struct hdSettingValues *values)
{
	for (int i = 0; i < HD_SETTING_KINDS; i++) {
		if (values->of[i][0])
			return true;
	}
	return false;
}

/* A number with a unit, in that of the files. */
static int settingParseAmount(enum hdSettingKind kind, const char *text,
			      size_t length, char value[HD_SETTING_VALUE_SIZE])
{
	static const struct {
		const char *unit;
		bool isPower;
		double scale;
	} units[] = {
		{ "GHz", false, 1e6 }, { "MHz", false, 1e3 },
		{ "kHz", false, 1 },   { "W", true, 1e6 },
		{ "mW", true, 1e3 },   { "uW", true, 1 },
	};
	locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	char copy[HD_SETTING_VALUE_SIZE], *end = copy;
	double number = 0;

	if (plain == (locale_t)0 || length >= sizeof(copy)) {
		if (plain != (locale_t)0)
			freelocale(plain);
		return -EINVAL;
	}
	memcpy(copy, text, length);
	copy[length] = '\0';
	number = strtod_l(copy, &end, plain);
	freelocale(plain);
	for (size_t i = 0; end != copy && i < sizeof(units) / sizeof(units[0]);
	     i++) {
		double scaled = number * units[i].scale;

		if (strcmp(end, units[i].unit) != 0 ||
		    units[i].isPower != (kind == HD_SETTING_RAPL) ||
		    !(scaled >= 1 && scaled < 1e15))
			continue;
		snprintf(value, HD_SETTING_VALUE_SIZE, "%lld",
			 (long long)(scaled + 0.5));
		return 0;
	}
	return -EINVAL;
}

static int settingParseOne(enum hdSettingKind kind, const char *text,
			   size_t length, struct hdSettingValues *values,
			   const char **why)
{
	const char *const *words = settingWords(kind);
	char *value = values->of[kind];

	if (words) {
		*why = kind == HD_SETTING_GOVERNOR
			       ? "expected performance, schedutil, ondemand, "
				 "conservative or powersave"
			       : "expected performance, balance_performance, "
				 "default, balance_power or power";
		if (length == 0 || length >= HD_SETTING_VALUE_SIZE)
			return -EINVAL;
		memcpy(value, text, length);
		value[length] = '\0';
		return settingRank(words, value) < 0 ? -EINVAL : 0;
	}
	*why = kind == HD_SETTING_RAPL
		       ? "expected a power with a unit, such as 90W"
		       : "expected a clock with a unit, such as 1200MHz";
	return settingParseAmount(kind, text, length, value);
}

int hdSettingsParse(const char *text, struct hdSettingValues *values,
		    const char **why)
{
	memset(values, 0, sizeof(*values));
	do {
		size_t length = strcspn(text, ",");
		const char *sign = memchr(text, '=', length);
		int kind =
			sign ? hdSettingFind(text, (size_t)(sign - text)) : -1;

		*why = "expected max_freq, min_freq, governor, epp, uncore or "
		       "rapl, each with =VALUE";
		if (kind < 0 ||
		    settingParseOne((enum hdSettingKind)kind, sign + 1,
				    length - (size_t)(sign + 1 - text), values,
				    why) < 0)
			return -EINVAL;
		text += length;
	} while (*text++ == ',');
	return 0;
}

void hdSettingsText(const struct hdSettingValues *values, char *text,
		    size_t size)
{
	text[0] = '\0';
	for (int i = 0; i < HD_SETTING_KINDS; i++) {
		size_t used = strlen(text);

		if (values->of[i][0])
			snprintf(text + used, size - used, "%s%s=%s",
				 used ? "," : "", hdSettingNames[i],
				 values->of[i]);
	}
}

int hdSettingsParsePlain(const char *text, struct hdSettingValues *values)
{
	memset(values, 0, sizeof(*values));
	do {
		size_t length = strcspn(text, ",");
		const char *sign = memchr(text, '=', length);
		int kind =
			sign ? hdSettingFind(text, (size_t)(sign - text)) : -1;
		size_t size = sign ? length - (size_t)(sign + 1 - text) : 0;
		const char *const *words;

		if (kind < 0 || size == 0 || size >= HD_SETTING_VALUE_SIZE)
			return -EINVAL;
		memcpy(values->of[kind], sign + 1, size);
		words = settingWords((enum hdSettingKind)kind);
		if (words ? settingRank(words, values->of[kind]) < 0
			  : strspn(values->of[kind], "0123456789") != size)
			return -EINVAL;
		text += length;
	} while (*text++ == ',');
	return 0;
}

/* ---- Files ------------------------------------------------------------- */

static bool settingIsName(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_-", text[i]))
			return false;
	}
	return length > 0;
}

int hdSettingKindOf(const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < PLACES; i++) {
		const struct settingPlace *place = &settingPlaces[i];
		size_t before = strlen(place->before);
		size_t after = strlen(place->after);

		if (length > before + after &&
		    strncmp(path, place->before, before) == 0 &&
		    strcmp(path + length - after, place->after) == 0 &&
		    settingIsName(path + before, length - before - after))
			return (int)place->kind;
	}
	return -1;
}

static int settingCompareNames(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Whether a file is of a CPU that is offline: the kernel keeps the directory of
 * its policy, and refuses to read and write there (EBUSY). A directory without
 * affected_cpus is not of a policy. */
static bool settingIsOffline(const char *full)
{
	char other[PATH_MAX], line[32] = "";
	ssize_t got;
	int fd;

	if (snprintf(other, sizeof(other), "%.*s/affected_cpus",
		     (int)(strrchr(full, '/') - full),
		     full) >= (int)sizeof(other))
		return false;
	fd = open(other, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	got = read(fd, line, sizeof(line) - 1);
	if (got < 0)
		got = errno == EBUSY ? 0 : 1;
	close(fd);
	return strspn(line, " \n") == (size_t)got;
}

/* Whether a RAPL zone is not a package: psys, the whole machine, has a number
 * as packages have. */
static bool settingIsOtherZone(const char *full)
{
	static const char package[] = "package";
	char other[PATH_MAX], name[32] = "";
	ssize_t got;
	int fd;

	if (snprintf(other, sizeof(other), "%.*s/name",
		     (int)(strrchr(full, '/') - full),
		     full) >= (int)sizeof(other))
		return false;
	fd = open(other, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	got = read(fd, name, sizeof(name) - 1);
	close(fd);
	return got > 0 && strncmp(name, package, strlen(package)) != 0;
}

static bool settingIsUsable(enum hdSettingKind kind, const char *full)
{
	if (access(full, F_OK) < 0)
		return false;
	return kind == HD_SETTING_RAPL ? !settingIsOtherZone(full)
				       : !settingIsOffline(full);
}

/* Files of one place. */
static size_t settingList(const char *root, const struct settingPlace *place,
			  hdSettingTake *take, void *context)
{
	const char *last = strrchr(place->before, '/') + 1;
	char folder[PATH_MAX];
	struct dirent **list;
	size_t found = 0;
	int count;

	snprintf(folder, sizeof(folder), "%s%.*s", root,
		 (int)(last - place->before), place->before);
	count = scandir(folder, &list, NULL, settingCompareNames);
	for (int i = 0; i < count; i++) {
		const char *name = list[i]->d_name;
		char path[HD_SETTING_PATH_SIZE], full[PATH_MAX];
		int length = snprintf(path, sizeof(path), "%.*s%s%s",
				      (int)(last - place->before),
				      place->before, name, place->after);

		snprintf(full, sizeof(full), "%s%s", root, path);
		if (length < (int)sizeof(path) &&
		    hdSettingKindOf(path) == (int)place->kind &&
		    settingIsUsable(place->kind, full)) {
			take(context, path);
			found++;
		}
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return found;
}

size_t hdSettingFiles(const char *root, enum hdSettingKind kind,
		      hdSettingTake *take, void *context)
{
	/* Policies first: the directories of CPUs are links to them. */
	for (size_t i = 0; i < PLACES; i++) {
		size_t count;

		if (settingPlaces[i].kind != kind)
			continue;
		count = settingList(root, &settingPlaces[i], take, context);
		if (count > 0)
			return count;
	}
	return 0;
}

static int settingOpen(const char *root, const char *path, int flags)
{
	char full[PATH_MAX];
	int fd;

	if (snprintf(full, sizeof(full), "%s%s", root, path) >=
	    (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int hdSettingRead(const char *root, const char *path,
		  char value[HD_SETTING_VALUE_SIZE])
{
	int fd = settingOpen(root, path, O_RDONLY);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = read(fd, value, HD_SETTING_VALUE_SIZE - 1);
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		return (int)got;
	value[got] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return hdSettingIsValue(value) ? 0 : -EPROTO;
}

static int settingWriteFile(const char *root, const char *path,
			    const char *value)
{
	char line[HD_SETTING_VALUE_SIZE + 1];
	size_t length = (size_t)snprintf(line, sizeof(line), "%s\n", value);
	int fd = settingOpen(root, path, O_WRONLY | O_TRUNC);
	ssize_t put;
	int ret = 0;

	if (fd < 0)
		return fd;
	do {
		put = write(fd, line, length);
	} while (put < 0 && errno == EINTR);
	if (put != (ssize_t)length)
		ret = put < 0 ? -errno : -EIO;
	if (close(fd) < 0 && ret == 0)
		ret = -errno;
	return ret;
}

int (*hdSettingWriter)(const char *root, const char *path,
		       const char *value) = settingWriteFile;

int hdSettingWrite(const char *root, const char *path, const char *value)
{
	return hdSettingWriter(root, path, value);
}

/* ---- Limits ------------------------------------------------------------ */

/* Read a line of a file next to another one. */
static bool settingReadBeside(const char *root, const char *path,
			      const char *name, char *line, size_t size)
{
	char other[HD_SETTING_PATH_SIZE];
	ssize_t got;
	int fd;

	snprintf(other, sizeof(other), "%.*s/%s",
		 (int)(strrchr(path, '/') - path), path, name);
	fd = settingOpen(root, other, O_RDONLY);
	if (fd < 0)
		return false;
	got = read(fd, line, size - 1);
	close(fd);
	line[got > 0 ? got : 0] = '\0';
	return got > 0;
}

static bool settingHasWord(char *list, const char *word)
{
	for (char *at = strtok(list, " \n"); at; at = strtok(NULL, " \n")) {
		if (strcmp(at, word) == 0)
			return true;
	}
	return false;
}

int hdSettingFit(const char *root, const char *path, const char *value,
		 char fitted[HD_SETTING_VALUE_SIZE])
{
	int kind = hdSettingKindOf(path);
	char line[1024], number[HD_SETTING_VALUE_SIZE];
	long long least = 0, most = LLONG_MAX, wanted;

	snprintf(number, sizeof(number), "%s", value);
	memcpy(fitted, number, sizeof(number));
	if (kind == HD_SETTING_GOVERNOR)
		return settingReadBeside(root, path,
					 "scaling_available_governors", line,
					 sizeof(line)) &&
				       !settingHasWord(line, number)
			       ? -EINVAL
			       : 0;
	if (kind != HD_SETTING_MAX_FREQ && kind != HD_SETTING_MIN_FREQ)
		return 0;
	if (settingReadBeside(root, path, "cpuinfo_min_freq", line,
			      sizeof(line)))
		least = strtoll(line, NULL, 10);
	if (settingReadBeside(root, path, "cpuinfo_max_freq", line,
			      sizeof(line)))
		most = strtoll(line, NULL, 10);
	wanted = strtoll(number, NULL, 10);
	wanted = wanted < least ? least : wanted > most ? most : wanted;
	snprintf(fitted, HD_SETTING_VALUE_SIZE, "%lld", wanted);
	return 0;
}

/* ---- Clocks ------------------------------------------------------------ */

struct settingClocks {
	const char *root;
	double lowest, highest;
};

static void settingTakeClocks(void *context, const char *path)
{
	struct settingClocks *clocks = context;
	static const char *const names[] = { "cpuinfo_min_freq",
					     "cpuinfo_max_freq" };

	for (int i = 0; i < 2; i++) {
		char other[HD_SETTING_PATH_SIZE], value[HD_SETTING_VALUE_SIZE];
		double khz;

		snprintf(other, sizeof(other), "%.*s/%s",
			 (int)(strrchr(path, '/') - path), path, names[i]);
		if (hdSettingRead(clocks->root, other, value) < 0)
			continue;
		khz = strtod(value, NULL);
		if (i == 0 && (clocks->lowest == 0 || khz < clocks->lowest))
			clocks->lowest = khz;
		if (i == 1 && khz > clocks->highest)
			clocks->highest = khz;
	}
}

bool hdSettingClocks(const char *root, double *lowest, double *highest)
{
	struct settingClocks clocks = { .root = root };

	hdSettingFiles(root, HD_SETTING_MAX_FREQ, settingTakeClocks, &clocks);
	*lowest = clocks.lowest;
	*highest = clocks.highest;
	return clocks.highest > 0;
}
