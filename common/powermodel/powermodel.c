/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Power models and their files; see powermodel.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/powermodel/powermodel.h"

#define COMPONENT_SECTION "component "

const struct hdPowerComponent *hdPowerModelFind(
	const struct hdPowerModel *model, const char *name)
{
	for (size_t i = 0; i < model->count; i++) {
		if (strcmp(model->components[i].name, name) == 0)
			return &model->components[i];
	}
	return NULL;
}

const struct hdPowerComponent *hdPowerModelCpu(const struct hdPowerModel *model)
{
	const struct hdPowerComponent *cpu = hdPowerModelFind(model, "cpu");

	for (size_t i = 0; !cpu && i < model->count; i++) {
		if (strncmp(model->components[i].name, "cpu-", 4) == 0)
			cpu = &model->components[i];
	}
	return cpu;
}

double hdPowerComponentWatts(const struct hdPowerComponent *component,
			     double percent)
{
	double watts = 0, from = 0;

	for (size_t i = 0; i < component->segments; i++) {
		double to = i + 1 < component->segments ? component->knots[i]
							: INFINITY;

		if (percent <= from)
			break;
		/* Not fmin(): this is in libraries that need no libm. */
		watts += component->slope[i] *
			 ((percent < to ? percent : to) - from);
		from = to;
	}
	return watts;
}

/* ---- Writing ----------------------------------------------------------- */

/* Six digits are more than a meter tells; printf() follows the locale. */
static void powerModelPutNumber(FILE *file, double value)
{
	char text[64];
	char *comma;

	snprintf(text, sizeof(text), "%.6g", value);
	comma = strchr(text, ',');
	if (comma)
		*comma = '.';
	fputs(text, file);
}

static void powerModelPut(FILE *file, const char *key, double value)
{
	fprintf(file, "%s = ", key);
	powerModelPutNumber(file, value);
	fputc('\n', file);
}

static void powerModelPutList(FILE *file, const char *key, const double *values,
			      size_t count)
{
	fprintf(file, "%s =", key);
	for (size_t i = 0; i < count; i++) {
		fputc(' ', file);
		powerModelPutNumber(file, values[i]);
	}
	fputc('\n', file);
}

void hdPowerModelWrite(const struct hdPowerModel *model, FILE *file)
{
	fprintf(file, "[model]\nversion = %d\nunit = W\n",
		HD_POWER_MODEL_VERSION);
	powerModelPut(file, "idle_w", model->idle);
	powerModelPut(file, "idle_low", model->idleLow);
	powerModelPut(file, "idle_high", model->idleHigh);
	powerModelPut(file, "error_w", model->error);
	for (size_t i = 0; i < model->count; i++) {
		const struct hdPowerComponent *part = &model->components[i];

		fprintf(file, "\n[" COMPONENT_SECTION "%s]\n", part->name);
		powerModelPutList(file, "w_per_percent", part->slope,
				  part->segments);
		powerModelPutList(file, "low", part->low, part->segments);
		powerModelPutList(file, "high", part->high, part->segments);
		if (part->segments > 1)
			powerModelPutList(file, "knots", part->knots,
					  part->segments - 1);
		if (part->max > 0)
			powerModelPut(file, "max", part->max);
		if (part->clockMhz > 0) {
			powerModelPut(file, "clock_mhz", part->clockMhz);
			powerModelPut(file, "clock_exponent",
				      part->clockExponent);
		}
	}
}

/* ---- Reading ----------------------------------------------------------- */

struct powerModelReader {
	hdIniReport *report;
	void *context;
	bool hasErrors;
	struct hdPowerModel *model;
};

static void powerModelReport(void *context, long line, const char *text)
{
	struct powerModelReader *self = context;

	self->hasErrors = true;
	if (self->report)
		self->report(self->context, line, text);
}

#define MODEL_SAY(self, line, ...) \
	hdIniSay(powerModelReport, self, line, __VA_ARGS__)

/* Read a key with COUNT numbers; @p count 0: as many as there are. */
static size_t powerModelTake(struct powerModelReader *self,
			     const struct hdIniSection *section,
			     const char *name, bool isNeeded, double *values,
			     size_t count)
{
	const struct hdIniKey *key = hdIniFind(section, name);
	size_t found = 0;

	if (!key) {
		if (isNeeded)
			MODEL_SAY(self, section->line,
				  "[%.40s]: missing key %s=", section->name,
				  name);
		return 0;
	}
	if (hdIniNumbers(key->value, values, HD_POWER_SEGMENTS_MAX, &found) <
		    0 ||
	    found == 0 || (count && found != count)) {
		MODEL_SAY(self, key->line,
			  count > 1 ? "%s: expected %zu numbers"
			  : count   ? "%s: expected a number"
				    : "%s: expected 1 to %zu numbers",
			  name, count ? count : HD_POWER_SEGMENTS_MAX);
		found = 0;
	}
	return found;
}

static double powerModelTakeOne(struct powerModelReader *self,
				const struct hdIniSection *section,
				const char *name, bool isNeeded)
{
	double values[HD_POWER_SEGMENTS_MAX] = { 0 };

	powerModelTake(self, section, name, isNeeded, values, 1);
	return values[0];
}

static void powerModelTakeKnots(struct powerModelReader *self,
				const struct hdIniSection *section,
				struct hdPowerComponent *part)
{
	double before = 0;

	if (part->segments < 2 ||
	    powerModelTake(self, section, "knots", true, part->knots,
			   part->segments - 1) == 0)
		return;
	for (size_t i = 0; i + 1 < part->segments; i++) {
		if (part->knots[i] <= before || part->knots[i] >= 100)
			MODEL_SAY(self, section->line,
				  "knots: expected increasing numbers "
				  "between 0 and 100");
		before = part->knots[i];
	}
}

static void powerModelTakeComponent(const struct hdIniSection *section,
				    void *context)
{
	struct powerModelReader *self = context;
	struct hdPowerModel *model = self->model;
	const char *name = section->name + strlen(COMPONENT_SECTION);
	struct hdPowerComponent *part = &model->components[model->count];

	if (strlen(name) >= sizeof(part->name) || !*name ||
	    model->count == HD_POWER_COMPONENTS_MAX ||
	    hdPowerModelFind(model, name)) {
		MODEL_SAY(self, section->line, "[%.40s]: %s", section->name,
			  hdPowerModelFind(model, name)
				  ? "the component is there twice"
				  : "too many components, or invalid name");
		return;
	}
	strcpy(part->name, name);
	part->segments = powerModelTake(self, section, "w_per_percent", true,
					part->slope, 0);
	if (part->segments > 0) {
		powerModelTake(self, section, "low", true, part->low,
			       part->segments);
		powerModelTake(self, section, "high", true, part->high,
			       part->segments);
	}
	powerModelTakeKnots(self, section, part);
	part->max = powerModelTakeOne(self, section, "max", false);
	part->clockMhz = powerModelTakeOne(self, section, "clock_mhz", false);
	part->clockExponent =
		powerModelTakeOne(self, section, "clock_exponent", false);
	if (part->max < 0 || part->clockMhz < 0)
		MODEL_SAY(self, section->line,
			  "[%.40s]: max and clock_mhz must be positive",
			  section->name);
	model->count++;
}

static void powerModelTakeHead(const struct hdIniSection *section,
			       void *context)
{
	struct powerModelReader *self = context;
	struct hdPowerModel *model = self->model;
	const struct hdIniKey *unit = hdIniFind(section, "unit");
	double version = powerModelTakeOne(self, section, "version", true);

	if (!self->hasErrors &&
	    (version < 1 || version > HD_POWER_MODEL_VERSION))
		MODEL_SAY(self, section->line,
			  "version %g is not supported; expected %d", version,
			  HD_POWER_MODEL_VERSION);
	if (unit && strcmp(unit->value, "W") != 0)
		MODEL_SAY(self, unit->line, "unit: expected W");
	model->idle = powerModelTakeOne(self, section, "idle_w", true);
	model->idleLow = powerModelTakeOne(self, section, "idle_low", true);
	model->idleHigh = powerModelTakeOne(self, section, "idle_high", true);
	model->error = powerModelTakeOne(self, section, "error_w", true);
	if (model->error < 0)
		MODEL_SAY(self, section->line, "error_w: must not be negative");
}

int hdPowerModelRead(const char *path, hdIniReport *report, void *context,
		     struct hdPowerModel *model)
{
	static const struct hdIniPart parts[] = {
		{ "model", true, true, powerModelTakeHead },
		{ COMPONENT_SECTION, false, false, powerModelTakeComponent },
		{ .name = NULL }
	};
	struct powerModelReader self = { report, context, false, model };
	struct hdIni ini;
	int ret;

	memset(model, 0, sizeof(*model));
	ret = hdIniRead(path, powerModelReport, &self, &ini);
	if (ret < 0)
		return ret;
	hdIniSections(&ini, parts, "[model] or [component NAME]",
		      powerModelReport, &self);
	hdIniClear(&ini);
	return self.hasErrors ? -EINVAL : 0;
}
