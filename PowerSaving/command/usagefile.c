/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Usage of programs from a file; see plan.h and doc/power-saving.md. */
#include "config.h"

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
	if (line > 0)
		outSay(stderr, "%s: %s:%ld: %s", self->tool, self->path, line,
		       text);
	else
		outSay(stderr, "%s: %s: %s", self->tool, self->path, text);
}

/* Positive numbers with blanks between them. */
static double *usageNumbers(struct usageReader *self,
			    const struct hdIniSection *section,
			    const char *name, size_t *count)
{
	const struct hdIniKey *key = hdIniFind(section, name);
	double *numbers = g_new0(double, USAGE_CLOCKS_MAX);
	bool isGood;

	*count = 0;
	isGood = key && hdIniNumbers(key->value, numbers, USAGE_CLOCKS_MAX,
				     count) == 0;
	for (size_t i = 0; isGood && i < *count; i++)
		isGood = numbers[i] > 0;
	if (!isGood || *count == 0)
		hdIniSay(usageReport, self, key ? key->line : section->line,
			 "%s: expected positive numbers, one for each clock",
			 name);
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
	if (key && (!isGood || found != count))
		hdIniSay(usageReport, self, key->line,
			 "%s: expected a number or - for each clock", name);
	if (!key || self->hasErrors) {
		g_free(numbers);
		return NULL;
	}
	return numbers;
}

static void usageTakePhase(const struct hdIniSection *section, void *context)
{
	struct usageReader *self = context;
	struct powerPhase *phase = g_new0(struct powerPhase, 1);
	size_t times, powers;

	if (self->phases->len == USAGE_PHASES_MAX) {
		usageReport(self, section->line, "too many phases");
		usageFreePhase(phase);
		return;
	}
	phase->name = g_strstrip(g_strdup(section->name + strlen(USAGE_PHASE)));
	for (guint i = 0; i < self->phases->len; i++) {
		const struct powerPhase *other = self->phases->pdata[i];

		if (strcmp(other->name, phase->name) == 0)
			hdIniSay(usageReport, self, section->line,
				 "duplicate section [phase %s]", phase->name);
	}
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

static void usageTakeHead(const struct hdIniSection *section, void *context)
{
	const struct hdIniKey *version = hdIniFind(section, "version");

	if (!version || strcmp(version->value, "1") != 0)
		usageReport(context, version ? version->line : section->line,
			    "version: expected 1");
}

/* Nothing is known about phases at a clock outside of what was measured. */
static void usageCheckClocks(struct usageReader *self)
{
	const struct powerPhase *last = NULL, *first = NULL;

	for (guint i = 0; i < self->phases->len; i++) {
		const struct powerPhase *phase = self->phases->pdata[i];

		if (!last || phase->mhz[0] > last->mhz[0])
			last = phase;
		if (!first ||
		    phase->mhz[phase->count - 1] < first->mhz[first->count - 1])
			first = phase;
	}
	if (first && last->mhz[0] > first->mhz[first->count - 1])
		hdIniSay(usageReport, self, 0,
			 "phases %s and %s have no common clock; run both at "
			 "the same clocks",
			 first->name, last->name);
}

GPtrArray *powerUsageRead(const char *tool, const char *path)
{
	static const struct hdIniPart parts[] = {
		{ "usage", true, true, usageTakeHead },
		{ USAGE_PHASE, true, false, usageTakePhase },
		{ .name = NULL }
	};
	struct usageReader self = { .tool = tool, .path = path };
	struct hdIni ini;
	int ret = hdIniRead(path, usageReport, &self, &ini);

	if (ret < 0) {
		cliErrorRead(tool, path, ret);
		return NULL;
	}
	self.phases = g_ptr_array_new_with_free_func(usageFreePhase);
	hdIniSections(&ini, parts, "[usage] or [phase NAME]", usageReport,
		      &self);
	hdIniClear(&ini);
	if (!self.hasErrors)
		usageCheckClocks(&self);
	if (self.hasErrors) {
		g_ptr_array_unref(self.phases);
		self.phases = NULL;
	}
	return self.phases;
}
