/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the service knows, as text for Prometheus; see metrics.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/client.h"
#include "PowerTracingLibrary/service/metrics.h"
#include "common/clock.h"

struct metrics {
	FILE *file;
	struct ptService *service;
	bool isOpen;
};

/* Begin a family; of a counter the name is without "_total". */
static void family(const struct metrics *m, const char *name, bool isCounter,
		   const char *unit, const char *help)
{
	const char *end = isCounter && !m->isOpen ? "_total" : "";

	fprintf(m->file, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, end, help,
		name, end, isCounter ? "counter" : "gauge");
	if (unit && m->isOpen)
		fprintf(m->file, "# UNIT %s %s\n", name, unit);
}

static void label(const struct metrics *m, char before, const char *name,
		  const char *value)
{
	fprintf(m->file, "%c%s=\"", before, name);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", m->file);
		else if (*value == '"' || *value == '\\')
			fprintf(m->file, "\\%c", *value);
		else
			fputc(*value, m->file);
	}
	fputc('"', m->file);
}

static void number(const struct metrics *m, double value)
{
	if (isnan(value))
		fputs(" NaN\n", m->file);
	else if (isinf(value))
		fputs(value > 0 ? " +Inf\n" : " -Inf\n", m->file);
	else
		fprintf(m->file, " %.15g\n", value);
}

/* ---- Lines ------------------------------------------------------------- */

/* Whether a node may be shown to whoever asks here. */
static bool isShown(const struct metrics *m, const char *node)
{
	const struct ptSite *site = m->service->site;
	bool all;
	const struct ptSiteUser *user =
		ptSiteFindUser(site, site->metricsUser, &all);

	return all || (user && ptSiteUserSees(user, node));
}

static bool isDeviceShown(const struct metrics *m,
			  const struct ptSiteDevice *device)
{
	for (size_t i = 0; i < device->lineCount; i++)
		if (isShown(m, device->lines[i].node))
			return true;
	return false;
}

static void lineLabels(const struct metrics *m,
		       const struct ptSiteDevice *device,
		       const struct ptSiteLine *line)
{
	label(m, '{', "node", line->node);
	label(m, ',', "device", device->name);
	label(m, ',', "line", line->name);
}

/* One of what lines have: power, energy, or where that comes from. */
enum what { POWER, ENERGY, INFO };

static void lineSample(const struct metrics *m, struct ptServed *served,
		       size_t index, enum what what)
{
	const struct ptSiteDevice *device = ptServedSite(served);
	const struct ptSiteLine *line = &device->lines[index];
	struct ptServedColumn known;
	struct ptServedSum sum;

	ptServedSumGet(served, index, &sum);
	if (what == POWER && sum.isPower) {
		fputs("hdtrace_power_watts", m->file);
		lineLabels(m, device, line);
		fputc('}', m->file);
		number(m, sum.watts);
	} else if (what == ENERGY && (sum.isPower || sum.isEnergy)) {
		fputs("hdtrace_energy_joules_total", m->file);
		lineLabels(m, device, line);
		fputc('}', m->file);
		number(m, sum.joules);
	} else if (what == INFO) {
		ptServedColumnGet(served, line->values[0].column, &known);
		fputs("hdtrace_line_info", m->file);
		lineLabels(m, device, line);
		label(m, ',', "value", line->values[0].quantity->name);
		label(m, ',', "simulated", known.isSimulated ? "yes" : "no");
		label(m, ',', "source", known.source);
		label(m, ',', "resolution", known.resolution);
		fputs("} 1\n", m->file);
	}
}

static void lines(const struct metrics *m, enum what what)
{
	for (size_t i = 0; i < m->service->deviceCount; i++) {
		struct ptServed *served = m->service->devices[i];

		for (size_t j = 0; j < ptServedSite(served)->lineCount; j++)
			if (isShown(m, ptServedSite(served)->lines[j].node))
				lineSample(m, served, j, what);
	}
}

/* ---- Devices ----------------------------------------------------------- */

static double deviceUp(const struct ptHealth *health)
{
	return health->isUp;
}

static double deviceReadings(const struct ptHealth *health)
{
	return (double)health->counts.readings;
}

static double deviceLost(const struct ptHealth *health)
{
	return (double)health->counts.lost;
}

static double deviceErrors(const struct ptHealth *health)
{
	return (double)health->counts.errors;
}

static double deviceReconnects(const struct ptHealth *health)
{
	return (double)health->counts.reconnects;
}

static double deviceLate(const struct ptHealth *health)
{
	return (double)health->counts.late;
}

static double deviceTime(const struct ptHealth *health)
{
	return health->lastWall ? (double)health->lastWall / 1e9 : NAN;
}

static double deviceAge(const struct ptHealth *health)
{
	return health->lastWall
		       ? (double)(hdMonotonicNow() - health->lastMono) / 1e9
		       : NAN;
}

static const struct {
	const char *name;
	bool isCounter;
	const char *unit;
	double (*get)(const struct ptHealth *health);
	const char *help;
} deviceFamilies[] = {
	{ "hdtrace_device_up", false, NULL, deviceUp,
	  "Whether the device works." },
	{ "hdtrace_device_readings", true, NULL, deviceReadings,
	  "Readings of the device." },
	{ "hdtrace_device_lost_cycles", true, NULL, deviceLost,
	  "Cycles that are missing." },
	{ "hdtrace_device_errors", true, NULL, deviceErrors,
	  "Readings that failed." },
	{ "hdtrace_device_reconnects", true, NULL, deviceReconnects,
	  "Times that the device came back." },
	{ "hdtrace_device_late_readings", true, NULL, deviceLate,
	  "Times of readings that passed unused." },
	{ "hdtrace_device_last_reading_timestamp_seconds", false, "seconds",
	  deviceTime, "End of the last reading." },
	{ "hdtrace_device_last_reading_age_seconds", false, "seconds",
	  deviceAge, "How long ago the last reading ended." },
};

static void devices(const struct metrics *m)
{
	for (size_t i = 0;
	     i < sizeof(deviceFamilies) / sizeof(deviceFamilies[0]); i++) {
		family(m, deviceFamilies[i].name, deviceFamilies[i].isCounter,
		       deviceFamilies[i].unit, deviceFamilies[i].help);
		for (size_t j = 0; j < m->service->deviceCount; j++) {
			struct ptServed *served = m->service->devices[j];
			struct ptHealth health;

			if (!isDeviceShown(m, ptServedSite(served)))
				continue;
			ptServedHealth(served, &health);
			fprintf(m->file, "%s%s", deviceFamilies[i].name,
				deviceFamilies[i].isCounter ? "_total" : "");
			label(m, '{', "device", ptServedSite(served)->name);
			fputc('}', m->file);
			number(m, deviceFamilies[i].get(&health));
		}
	}
}

/* ---- The service ------------------------------------------------------- */

static void serviceSample(const struct metrics *m, const char *name,
			  bool isCounter, const char *unit, const char *help,
			  double value)
{
	family(m, name, isCounter, unit, help);
	fprintf(m->file, "%s%s", name, isCounter ? "_total" : "");
	number(m, value);
}

static void service(const struct metrics *m)
{
	const struct ptService *s = m->service;

	serviceSample(m, "hdtrace_service_clients", false, NULL,
		      "Clients that are connected.", (double)s->clientCount);
	serviceSample(m, "hdtrace_service_counters", false, NULL,
		      "Counters and streams that clients have.",
		      (double)s->counterCount);
	serviceSample(m, "hdtrace_service_memory_bytes", false, "bytes",
		      "Readings that are kept for clients.",
		      (double)ptAccountUsed(&s->memory));
	serviceSample(m, "hdtrace_service_connections", true, NULL,
		      "Clients that have connected.", (double)s->accepted);
	serviceSample(m, "hdtrace_service_refusals", true, NULL,
		      "What was refused to clients.", (double)s->refused);
}

char *ptMetrics(struct ptService *s, bool isOpenMetrics, size_t *length)
{
	char *text = NULL;
	struct metrics m = { open_memstream(&text, length), s, isOpenMetrics };
	bool isBad;

	if (!m.file)
		return NULL;
	family(&m, "hdtrace_power_watts", false, "watts",
	       "Power of the last reading.");
	lines(&m, POWER);
	family(&m, "hdtrace_energy_joules", true, "joules",
	       "Energy since the service began.");
	lines(&m, ENERGY);
	family(&m, "hdtrace_line_info", false, NULL,
	       "What a line measures, and by what.");
	lines(&m, INFO);
	devices(&m);
	service(&m);
	if (isOpenMetrics)
		fputs("# EOF\n", m.file);
	isBad = ferror(m.file);
	if (fclose(m.file) != 0 || isBad) {
		free(text);
		return NULL;
	}
	return text;
}
