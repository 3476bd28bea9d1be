/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Usage of programs from a file; see plan.h and doc/power-saving.md. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerSaving/command/plan.h"
#include "cli/errors.h"
#include "cli/output.h"
#include "common/ini.h"

#define USAGE_PHASE "phase "
#define USAGE_CLOCKS_MAX 64
#define USAGE_PHASES_MAX 1000

static const char *const usageLoadNames[POWER_LOADS] = {
	[POWER_CPU] = "cpu_percent",
	[POWER_NETWORK] = "network_bytes_per_s",
	[POWER_READ] = "disk_read_bytes_per_s",
	[POWER_WRITE] = "disk_write_bytes_per_s",
};

struct usageReader {
	const char *tool, *path;
	GPtrArray *phases;
	bool hasErrors;
};

static void usageFreePhase(void *data)
{
	struct powerPhase *phase = data;

	g_free(phase->name);
	g_free(phase->mhz);
	g_free(phase->time);
	g_free(phase->power);
	for (int i = 0; i < POWER_LOADS; i++)
		g_free(phase->load[i]);
	g_free(phase);
}

static void usageReport(void *context, long line, const char *text)
{
	struct usageReader *self = context;

	self->hasErrors = true;
	outSay(stderr, "%s: %s:%ld: %s", self->tool, self->path, line, text);
}

/* Positive numbers with blanks between them. */
static double *usageNumbers(struct usageReader *self,
			    const struct hdIniSection *section,
			    const char *name, size_t *count)
{
	const struct hdIniKey *key = hdIniFind(section, name);
	double *numbers = g_new0(double, USAGE_CLOCKS_MAX);
	const char *at = key ? key->value : "";
	bool isGood = key != NULL;

	*count = 0;
	while (isGood && *at) {
		char *end;

		numbers[*count] = g_ascii_strtod(at, &end);
		isGood = end != at && numbers[*count] > 0 &&
			 isfinite(numbers[*count]) &&
			 *count + 1 < USAGE_CLOCKS_MAX;
		(*count)++;
		at = end + strspn(end, " \t");
	}
	if (!isGood || *count == 0) {
		char *text = g_strdup_printf(
			"%s: expected positive numbers, one for each clock",
			name);

		usageReport(self, key ? key->line : section->line, text);
		g_free(text);
	}
	return numbers;
}

/* Utilization for each clock, "-" where it is unknown; NULL: there is none. */
static double *usageLoads(struct usageReader *self,
			  const struct hdIniSection *section, const char *name,
			  size_t count)
{
	const struct hdIniKey *key = hdIniFind(section, name);
	char **words = key ? g_strsplit_set(key->value, " \t", -1) : NULL;
	double *numbers = g_new0(double, USAGE_CLOCKS_MAX);
	size_t found = 0;
	bool isGood = true;

	for (size_t i = 0; words && words[i] && isGood; i++) {
		char *end = words[i];
		double number = g_ascii_strtod(words[i], &end);

		if (!*words[i])
			continue;
		if (strcmp(words[i], "-") == 0)
			number = NAN;
		else
			isGood = !*end && number >= 0 && isfinite(number);
		isGood = isGood && found < count;
		if (isGood)
			numbers[found++] = number;
	}
	g_strfreev(words);
	if (key && (!isGood || found != count)) {
		char *text = g_strdup_printf(
			"%s: expected a number or - for each clock", name);

		usageReport(self, key->line, text);
		g_free(text);
	}
	if (!key || self->hasErrors) {
		g_free(numbers);
		return NULL;
	}
	return numbers;
}

static void usageTakePhase(struct usageReader *self,
			   const struct hdIniSection *section)
{
	struct powerPhase *phase = g_new0(struct powerPhase, 1);
	size_t times, powers;

	phase->name = g_strdup(section->name + strlen(USAGE_PHASE));
	phase->mhz = usageNumbers(self, section, "clock_mhz", &phase->count);
	phase->time = usageNumbers(self, section, "time_s", &times);
	phase->power = usageNumbers(self, section, "power_w", &powers);
	for (size_t i = 1; i < phase->count && !self->hasErrors; i++) {
		if (phase->mhz[i] <= phase->mhz[i - 1])
			usageReport(self, section->line,
				    "clock_mhz: expected increasing numbers");
	}
	if (!self->hasErrors &&
	    (times != phase->count || powers != phase->count))
		usageReport(self, section->line,
			    "clock_mhz, time_s and power_w: expected the same "
			    "count of numbers");
	for (int i = 0; i < POWER_LOADS && !self->hasErrors; i++)
		phase->load[i] = usageLoads(self, section, usageLoadNames[i],
					    phase->count);
	g_ptr_array_add(self->phases, phase);
}

static void usageTakeHead(struct usageReader *self,
			  const struct hdIniSection *section)
{
	const struct hdIniKey *version = hdIniFind(section, "version");

	if (!version || strcmp(version->value, "1") != 0)
		usageReport(self, version ? version->line : section->line,
			    "version: expected 1");
}

GPtrArray *powerUsageRead(const char *tool, const char *path)
{
	struct usageReader self = { .tool = tool, .path = path };
	struct hdIni ini;
	bool hasHead = false;
	int ret = hdIniRead(path, usageReport, &self, &ini);

	if (ret < 0) {
		cliErrorRead(tool, path, ret);
		return NULL;
	}
	self.phases = g_ptr_array_new_with_free_func(usageFreePhase);
	for (size_t i = 0; i < ini.count; i++) {
		const struct hdIniSection *section = &ini.sections[i];

		if (strcmp(section->name, "usage") == 0) {
			hasHead = true;
			usageTakeHead(&self, section);
		} else if (g_str_has_prefix(section->name, USAGE_PHASE) &&
			   self.phases->len < USAGE_PHASES_MAX) {
			usageTakePhase(&self, section);
		} else {
			usageReport(&self, section->line,
				    "unknown section; expected [usage] or "
				    "[phase NAME]");
		}
	}
	if (!hasHead || self.phases->len == 0)
		usageReport(&self, 0,
			    "not a usage file: it needs [usage] and "
			    "[phase NAME]");
	hdIniClear(&ini);
	if (self.hasErrors) {
		g_ptr_array_unref(self.phases);
		self.phases = NULL;
	}
	return self.phases;
}
