/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of hdtrace usage; see usage.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "HDTraceTools/usage/usage.h"
#include "cli/rows.h"

enum usageColumn {
	USAGE_PHASE,
	USAGE_CLOCK,
	USAGE_RUNS,
	USAGE_TIME,
	USAGE_TIME_SPREAD,
	USAGE_POWER,
	USAGE_POWER_SPREAD,
	USAGE_ENERGY,
	USAGE_CPU_LOAD,
	USAGE_BANDWIDTH_LOAD,
	USAGE_NETWORK_LOAD,
	USAGE_READ_LOAD,
	USAGE_WRITE_LOAD,
	USAGE_SENSITIVITY,
	USAGE_EDITED,
};

static const struct rowColumn usageColumns[] = {
	[USAGE_PHASE] = { "<Phase", "phase", ROW_TEXT, 0 },
	[USAGE_CLOCK] = { ">MHz", "clock_mhz", ROW_NUMBER, ROW_NOT_JSON },
	[USAGE_RUNS] = { ">Runs", "runs", ROW_COUNT, 0 },
	[USAGE_TIME] = { ">Time [s]", "time_s", ROW_NUMBER, 0 },
	[USAGE_TIME_SPREAD] = { ">+-", "time_spread_s", ROW_NUMBER, ROW_DASH },
	[USAGE_POWER] = { ">Power [W]", "power_w", ROW_NUMBER, 0 },
	[USAGE_POWER_SPREAD] = { ">+-", "power_spread_w", ROW_NUMBER,
				 ROW_DASH },
	[USAGE_ENERGY] = { ">Energy [J]", "energy_j", ROW_NUMBER, 0 },
	[USAGE_CPU_LOAD] = { ">CPU [%]", "cpu_percent", ROW_NUMBER, ROW_DASH },
	[USAGE_BANDWIDTH_LOAD] = { NULL, "memory_bandwidth_bytes_per_s",
				   ROW_NUMBER, 0 },
	[USAGE_NETWORK_LOAD] = { NULL, "network_bytes_per_s", ROW_NUMBER, 0 },
	[USAGE_READ_LOAD] = { NULL, "disk_read_bytes_per_s", ROW_NUMBER, 0 },
	[USAGE_WRITE_LOAD] = { NULL, "disk_write_bytes_per_s", ROW_NUMBER, 0 },
	[USAGE_SENSITIVITY] = { ">Clock sensitivity", "clock_share", ROW_NUMBER,
				ROW_DASH },
	[USAGE_EDITED] = { "<Edited", "edited", ROW_FLAG, 0 },
	{ NULL, NULL, ROW_TEXT, 0 },
};

static void usagePutPoint(const struct usagePhase *phase,
			  const struct usagePoint *point, struct rows *rows,
			  struct outJson *json)
{
	rowsText(rows, USAGE_PHASE, phase->name);
	rowsNumber(rows, USAGE_CLOCK, point->mhz);
	rowsCount(rows, USAGE_RUNS, point->runs);
	rowsNumber(rows, USAGE_TIME, point->time);
	rowsNumber(rows, USAGE_TIME_SPREAD, point->timeSpread);
	rowsNumber(rows, USAGE_POWER, point->power);
	rowsNumber(rows, USAGE_POWER_SPREAD, point->powerSpread);
	rowsNumber(rows, USAGE_ENERGY, point->time * point->power);
	for (int i = 0; i < USAGE_LOADS; i++)
		rowsNumber(rows, (size_t)(USAGE_CPU_LOAD + i), point->load[i]);
	rowsNumber(rows, USAGE_SENSITIVITY, phase->sensitivity);
	rowsFlag(rows, USAGE_EDITED, phase->isEdited);
	if (!json) {
		rowsEnd(rows);
		return;
	}
	rowsPut(rows);
	outJsonDouble(json, "clock_hz", 1e6 * point->mhz);
	outJsonEnd(json);
}

static void usagePutAll(const struct usage *self, struct rows *rows,
			struct outJson *json)
{
	rowsHeader(rows);
	for (guint i = 0; i < self->phases->len; i++) {
		const struct usagePhase *phase = self->phases->pdata[i];

		for (guint k = 0; k < phase->points->len; k++)
			usagePutPoint(phase,
				      &g_array_index(phase->points,
						     struct usagePoint, k),
				      rows, json);
	}
}

static double usageCoverage(const struct usage *self)
{
	return self->time > 0 ? 100 * self->covered / self->time : NAN;
}

static void usagePrintText(const struct usage *self, const char *path)
{
	struct rows *rows = rowsNew(usageColumns, OUT_TEXT, NULL);
	char number[OUT_NUMBER_SIZE];

	printf("Phases from %s, %s %% of the time of %zu %s\n\n",
	       usageSourceNames[self->source],
	       outRounded(number, usageCoverage(self)), self->runs,
	       self->runs == 1 ? "run" : "runs");
	usagePutAll(self, rows, NULL);
	rowsPrint(rows, "", self->tool->isColored);
	rowsFree(rows);
	if (!self->tool->isQuiet)
		outSay(stderr, "hdtrace usage: wrote %s", path);
}

static void usagePutIntervals(const struct usage *self, struct outJson *json)
{
	outJsonArray(json, "intervals", false);
	for (guint i = 0; i < self->intervals->len; i++) {
		const struct usageInterval *interval = &g_array_index(
			self->intervals, struct usageInterval, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "project", interval->project);
		outJsonText(json, "node", interval->node);
		outJsonText(json, "phase", interval->phase);
		outJsonSeconds(json, "start_s", interval->start);
		outJsonSeconds(json, "end_s", interval->end);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void usagePrintJson(const struct usage *self, const char *path)
{
	struct outJson json = { .depth = 0 };
	struct rows *rows = rowsNew(usageColumns, OUT_JSON, &json);

	outJsonDocument(&json, "hdtrace-usage");
	outJsonText(&json, "file", path);
	outJsonInteger(&json, "runs", (int64_t)self->runs);
	outJsonText(&json, "phases_from", usageSourceNames[self->source]);
	outJsonDouble(&json, "covered_percent", usageCoverage(self));
	outJsonArray(&json, "phases", false);
	usagePutAll(self, rows, &json);
	outJsonEnd(&json);
	usagePutIntervals(self, &json);
	outJsonEnd(&json);
	rowsFree(rows);
}

void usagePrint(const struct usage *self, const char *path)
{
	struct rows *rows;

	switch (self->tool->format) {
	case OUT_TEXT:
		usagePrintText(self, path);
		break;
	case OUT_CSV:
		rows = rowsNew(usageColumns, OUT_CSV, NULL);
		usagePutAll(self, rows, NULL);
		rowsFree(rows);
		break;
	case OUT_JSON:
		usagePrintJson(self, path);
		break;
	}
}
