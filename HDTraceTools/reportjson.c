/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file reportjson.c
 * hdtrace report, for programs.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "dump.h"
#include "report.h"

static void putEnergy(struct outJson *json, const char *key,
		      const struct reportEnergy *energy)
{
	if (!energy->isKnown) {
		outJsonPlain(json, key, "null");
		return;
	}
	outJsonObject(json, key, true);
	outJsonDouble(json, "joules", energy->joules);
	outJsonDouble(json, "error", energy->hasBound ? energy->bound : NAN);
	outJsonDouble(json, "watts", reportWatts(energy));
	outJsonDouble(json, "seconds", energy->seconds);
	outJsonBool(json, "simulated", energy->isSimulated);
	outJsonEnd(json);
}

static void putTimes(struct outJson *json, int64_t start, int64_t end)
{
	if (start > end) {
		outJsonPlain(json, "start", "null");
		outJsonPlain(json, "end", "null");
		return;
	}
	outJsonSeconds(json, "start", start);
	outJsonSeconds(json, "end", end);
}

static void putCount(struct outJson *json, const char *key, uint64_t count)
{
	char buffer[OUT_NUMBER_SIZE];

	outJsonPlain(json, key, outInteger(buffer, (outInt128)count));
}

static void putSpans(struct outJson *json, const char *key,
		     const struct reportSpans *spans)
{
	outJsonObject(json, key, false);
	putCount(json, "count", spans->count);
	outJsonSeconds(json, "seconds", spans->total);
	outJsonArray(json, "list", false);
	for (guint i = 0; spans->list && i < spans->list->len; i++) {
		const struct reportSpan *span =
			&g_array_index(spans->list, struct reportSpan, i);

		outJsonObject(json, NULL, true);
		putTimes(json, span->start, span->end);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonEnd(json);
}

static void putStated(struct outJson *json, const struct reportGroup *group,
		      const hdIValue *value, const char *name)
{
	const char *text = valueStates(group->group, value, name);

	if (text)
		outJsonText(json, name, text);
	else
		outJsonPlain(json, name, "null");
}

static void putValue(struct outJson *json, const struct reportGroup *group,
		     size_t i)
{
	const hdIValue *value = &group->group->values[i];
	const struct moments *moments = &group->moments[i];
	struct momentsResult result = momentsGet(moments, value->type);
	struct bound bound = reportBound(group, i);
	char *unit;
	double totalBound;
	double total = reportTotal(group, i, &totalBound, &unit);

	outJsonObject(json, NULL, true);
	outJsonText(json, "name", value->name);
	outJsonText(json, "type", dumpTypeName(value->type));
	outJsonText(json, "unit", value->unit);
	outJsonBool(json, "simulated", valueIsSimulated(group->group, value));
	putStated(json, group, value, "source");
	putStated(json, group, value, "resolution");
	putStated(json, group, value, "class");
	putCount(json, "count", moments->count);
	putCount(json, "nan", moments->missing);
	outJsonDouble(json, "mean", result.mean);
	outJsonDouble(json, "mean_error", bound.isKnown ? bound.mean : NAN);
	momentsJsonRange(json, moments, value->type);
	outJsonDouble(json, "reading_error",
		      bound.isKnown ? bound.single : NAN);
	outJsonDouble(json, "total", total);
	outJsonDouble(json, "total_error", totalBound);
	if (unit)
		outJsonText(json, "total_unit", unit);
	else
		outJsonPlain(json, "total_unit", "null");
	outJsonEnd(json);
	g_free(unit);
}

static void putGroup(struct outJson *json, const struct reportGroup *group)
{
	outJsonObject(json, NULL, false);
	outJsonText(json, "node", dumpNodePath(group->group->node));
	outJsonText(json, "group", group->group->name);
	putCount(json, "entries", group->entries);
	putTimes(json, group->start, group->end);
	if (group->usual)
		outJsonSeconds(json, "usual_interval", group->usual);
	else
		outJsonPlain(json, "usual_interval", "null");
	if (group->powerCount) {
		struct reportEnergy energy =
			reportGroupEnergy(group, group->moments);

		putEnergy(json, "energy", &energy);
		outJsonArray(json, "energy_from", true);
		for (size_t i = 0; i < group->group->valueCount; i++) {
			if (group->isPower[i])
				outJsonText(json, NULL,
					    group->group->values[i].name);
		}
		outJsonEnd(json);
		outJsonBool(json, "in_total", group->countsForTotal);
	} else {
		outJsonPlain(json, "energy", "null");
	}
	outJsonArray(json, "values", false);
	for (size_t i = 0; i < group->group->valueCount; i++)
		putValue(json, group, i);
	outJsonEnd(json);
	putSpans(json, "gaps", &group->gaps);
	putSpans(json, "late", &group->late);
	outJsonEnd(json);
}

static void putPhases(struct outJson *json, const struct report *report)
{
	outJsonArray(json, "phases", false);
	for (guint i = 0; i < report->phases->len; i++) {
		const struct reportPhase *phase =
			&g_array_index(report->phases, struct reportPhase, i);

		outJsonObject(json, NULL, false);
		outJsonText(json, "name", phase->name);
		putCount(json, "phases", phase->occurrences);
		putTimes(json, phase->start, phase->end);
		outJsonSeconds(json, "seconds", phase->length);
		putEnergy(json, "energy", &phase->energy);
		outJsonArray(json, "nodes", false);
		for (size_t k = 0; k < report->project->groupCount; k++) {
			const struct reportGroup *group = &report->groups[k];

			if (!group->powerCount)
				continue;
			outJsonObject(json, NULL, false);
			outJsonText(json, "node",
				    dumpNodePath(group->group->node));
			putEnergy(json, "energy",
				  &phase->groups[group->energyIndex]);
			outJsonEnd(json);
		}
		outJsonEnd(json);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** The position of a phase among all of them. */
static void putPosition(struct outJson *json, const char *key,
			const struct report *report,
			const struct reportPhase *phase)
{
	if (phase)
		outJsonInteger(
			json, key,
			phase - (const struct reportPhase *)(const void *)
					report->phases->data);
	else
		outJsonPlain(json, key, "null");
}

static void putMost(struct outJson *json, const struct report *report)
{
	struct reportMost most = reportFindMost(report);

	putPosition(json, "most_power", report, most.power);
	putPosition(json, "most_energy", report, most.energy);
}

static gint byOwnTime(gconstpointer a, gconstpointer b)
{
	int64_t x = (*(const struct profileState *const *)a)->own.time;
	int64_t y = (*(const struct profileState *const *)b)->own.time;

	return (x < y) - (x > y);
}

static void putJoules(struct outJson *json, const char *key,
		      const struct powerAmount *amount)
{
	outJsonDouble(json, key, amount->measured ? amount->energy : NAN);
}

static void putStates(struct outJson *json, const struct report *report)
{
	GPtrArray *states = report->profile->states;

	g_ptr_array_sort(states, byOwnTime);
	outJsonArray(json, "states", false);
	for (guint i = 0; i < states->len; i++) {
		const struct profileState *state = states->pdata[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", state->name);
		putCount(json, "count", state->count);
		outJsonSeconds(json, "own_seconds", state->own.time);
		outJsonSeconds(json, "total_seconds", state->total.time);
		outJsonSeconds(json, "longest_seconds", state->longest);
		putJoules(json, "joules", &state->own.amounts[0]);
		putJoules(json, "total_joules", &state->total.amounts[0]);
		outJsonSeconds(json, "measured_seconds",
			       state->own.amounts[0].measured);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putClocks(struct outJson *json, const hdIProject *project)
{
	outJsonArray(json, "clocks", false);
	for (size_t i = 0; i < project->clockCount; i++) {
		outJsonObject(json, NULL, true);
		outJsonText(json, "node", project->clocks[i].node);
		outJsonText(json, "method", project->clocks[i].method);
		outJsonSeconds(json, "error", project->clocks[i].error);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putMessages(struct outJson *json, const struct report *report)
{
	putCount(json, "message_count", report->messages.count);
	outJsonArray(json, "messages", false);
	for (guint i = 0; i < report->messages.list->len; i++) {
		const struct reportMessage *message = &g_array_index(
			report->messages.list, struct reportMessage, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "severity",
			    toolSeverityName(message->severity));
		outJsonText(json, "rule", message->rule);
		outJsonText(json, "file", message->file);
		outJsonInteger(json, "offset", message->offset);
		outJsonText(json, "text", message->text);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void reportPutJson(struct report *report, struct outJson *json, const char *key)
{
	const hdIProject *project = report->project;

	outJsonObject(json, key, false);
	outJsonText(json, "project", project->name);
	outJsonText(json, "file", project->file);
	outJsonText(json, "description", project->description);
	putTimes(json, report->start, report->end);
	if (report->start <= report->end)
		outJsonSeconds(json, "runtime", report->end - report->start);
	else
		outJsonPlain(json, "runtime", "null");
	putEnergy(json, "energy", &report->energy);
	putClocks(json, project);
	outJsonArray(json, "groups", false);
	for (size_t i = 0; i < project->groupCount; i++)
		putGroup(json, &report->groups[i]);
	outJsonEnd(json);
	putPhases(json, report);
	putMost(json, report);
	putCount(json, "state_count", report->profile->stateCount);
	putCount(json, "event_count", report->profile->eventCount);
	putStates(json, report);
	outJsonObject(json, "tracing", true);
	outJsonInteger(json, "bytes", report->size);
	if (report->tracerNs >= 0) {
		outJsonSeconds(json, "cpu_seconds", report->tracerNs);
		outJsonInteger(json, "late", report->tracerLate);
	} else {
		outJsonPlain(json, "cpu_seconds", "null");
		outJsonPlain(json, "late", "null");
	}
	outJsonEnd(json);
	putMessages(json, report);
	outJsonEnd(json);
}

void reportPrintJson(struct report *report)
{
	struct outJson json = { .depth = 0 };

	reportPutJson(report, &json, NULL);
}
