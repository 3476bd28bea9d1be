/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the service knows, as text for Prometheus; see metrics.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/core/client.h"
#include "PowerTracingLibrary/service/metrics.h"
#include "common/clock.h"
#include "net/metrictext.h"

struct metrics {
	struct hdMetricText text;
	struct ptService *service;
};

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
	hdMetricLabel(&m->text, '{', "node", line->node);
	hdMetricLabel(&m->text, ',', "device", device->name);
	hdMetricLabel(&m->text, ',', "line", line->name);
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
	bool isStale;

	ptServedSumGet(served, index, &sum);
	ptServedAge(served, &isStale);
	if (what == POWER && sum.isPower && isStale)
		return;
	if (what == POWER && sum.isPower) {
		fputs("hdtrace_power_watts", m->text.file);
		lineLabels(m, device, line);
		fputc('}', m->text.file);
		hdMetricNumber(&m->text, sum.watts);
	} else if (what == ENERGY && (sum.isPower || sum.isEnergy)) {
		fputs("hdtrace_energy_joules_total", m->text.file);
		lineLabels(m, device, line);
		fputc('}', m->text.file);
		hdMetricNumber(&m->text, sum.joules);
	} else if (what == INFO) {
		ptServedColumnGet(served, line->values[0].column, &known);
		fputs("hdtrace_line_info", m->text.file);
		lineLabels(m, device, line);
		hdMetricLabel(&m->text, ',', "value",
			      line->values[0].quantity->name);
		hdMetricLabel(&m->text, ',', "simulated",
			      known.isSimulated ? "yes" : "no");
		hdMetricLabel(&m->text, ',', "source", known.source);
		hdMetricLabel(&m->text, ',', "resolution", known.resolution);
		fputs("} 1\n", m->text.file);
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
	  "Lost cycles." },
	{ "hdtrace_device_errors", true, NULL, deviceErrors,
	  "Failed readings." },
	{ "hdtrace_device_reconnects", true, NULL, deviceReconnects,
	  "Reconnections of the device." },
	{ "hdtrace_device_late_readings", true, NULL, deviceLate,
	  "Skipped times of readings." },
	{ "hdtrace_device_last_reading_timestamp_seconds", false, "seconds",
	  deviceTime, "End of the last reading." },
	{ "hdtrace_device_last_reading_age_seconds", false, "seconds",
	  deviceAge, "Time since the end of the last reading." },
};

static void devices(const struct metrics *m)
{
	for (size_t i = 0;
	     i < sizeof(deviceFamilies) / sizeof(deviceFamilies[0]); i++) {
		hdMetricFamily(&m->text, deviceFamilies[i].name,
			       deviceFamilies[i].isCounter,
			       deviceFamilies[i].unit, deviceFamilies[i].help);
		for (size_t j = 0; j < m->service->deviceCount; j++) {
			struct ptServed *served = m->service->devices[j];
			struct ptHealth health;

			if (!isDeviceShown(m, ptServedSite(served)))
				continue;
			ptServedHealth(served, &health);
			hdMetricName(&m->text, deviceFamilies[i].name,
				     deviceFamilies[i].isCounter);
			hdMetricLabel(&m->text, '{', "device",
				      ptServedSite(served)->name);
			fputc('}', m->text.file);
			hdMetricNumber(&m->text,
				       deviceFamilies[i].get(&health));
		}
	}
}

/* ---- The service ------------------------------------------------------- */

static void serviceSample(const struct metrics *m, const char *name,
			  bool isCounter, const char *unit, const char *help,
			  double value)
{
	hdMetricFamily(&m->text, name, isCounter, unit, help);
	hdMetricName(&m->text, name, isCounter);
	hdMetricNumber(&m->text, value);
}

static void service(const struct metrics *m)
{
	const struct ptService *s = m->service;

	serviceSample(m, "hdtrace_service_clients", false, NULL,
		      "Connected clients.", (double)s->clientCount);
	serviceSample(m, "hdtrace_service_counters", false, NULL,
		      "Counters and streams of clients.",
		      (double)s->places.extras);
	serviceSample(m, "hdtrace_service_memory_bytes", false, "bytes",
		      "Memory of readings for clients.",
		      (double)ptAccountUsed(&s->memory));
	serviceSample(m, "hdtrace_service_connections", true, NULL,
		      "Connections of clients.", (double)s->accepted);
	serviceSample(m, "hdtrace_service_refusals", true, NULL,
		      "Refused requests of clients.", (double)s->refused);
}

char *ptMetrics(struct ptService *s, bool isOpenMetrics, size_t *length)
{
	char *text = NULL;
	struct metrics m = { { open_memstream(&text, length), isOpenMetrics },
			     s };
	bool isBad;

	if (!m.text.file)
		return NULL;
	hdMetricFamily(&m.text, "hdtrace_power_watts", false, "watts",
		       "Power of the last reading, unless that is stale.");
	lines(&m, POWER);
	hdMetricFamily(&m.text, "hdtrace_energy_joules", true, "joules",
		       "Energy since the start of the service.");
	lines(&m, ENERGY);
	hdMetricFamily(&m.text, "hdtrace_line_info", false, NULL,
		       "Value, source and resolution of a line.");
	lines(&m, INFO);
	devices(&m);
	service(&m);
	hdMetricEnd(&m.text);
	isBad = ferror(m.text.file);
	if (fclose(m.text.file) != 0 || isBad) {
		free(text);
		return NULL;
	}
	return text;
}
