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
	outJsonDouble(json, "watts",
		      energy->seconds > 0 ? energy->joules / energy->seconds
					  : NAN);
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

static void putExtreme(struct outJson *json, const char *key,
		       const struct moments *moments, hdIType type,
		       double value, outInt128 integer)
{
	char buffer[OUT_NUMBER_SIZE];

	if (moments->count == 0 || type == HDI_STRING)
		outJsonPlain(json, key, "null");
	else if (type == HDI_FLOAT || type == HDI_DOUBLE)
		outJsonDouble(json, key, value);
	else
		outJsonPlain(json, key, outInteger(buffer, integer));
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
	putExtreme(json, "min", moments, value->type, moments->min,
		   moments->minInteger);
	putExtreme(json, "max", moments, value->type, moments->max,
		   moments->maxInteger);
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

static gint bySelf(gconstpointer a, gconstpointer b)
{
	const struct reportState *x = a;
	const struct reportState *y = b;

	return (x->self < y->self) - (x->self > y->self);
}

static void putStates(struct outJson *json, const struct report *report)
{
	g_array_sort(report->names, bySelf);
	outJsonArray(json, "states", false);
	for (guint i = 0; i < report->names->len; i++) {
		const struct reportState *state =
			&g_array_index(report->names, struct reportState, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", state->name);
		putCount(json, "count", state->count);
		outJsonSeconds(json, "own_seconds", state->self);
		outJsonSeconds(json, "total_seconds", state->total);
		outJsonSeconds(json, "longest_seconds", state->longest);
		outJsonDouble(json, "joules",
			      state->measured ? state->joules : NAN);
		outJsonSeconds(json, "measured_seconds", state->measured);
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
	putCount(json, "message_count", report->messageCount);
	outJsonArray(json, "messages", false);
	for (guint i = 0; i < report->messages->len; i++) {
		const struct reportMessage *message = &g_array_index(
			report->messages, struct reportMessage, i);

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

void reportPrintJson(struct report *report)
{
	const hdIProject *project = report->project;
	struct outJson json = { .depth = 0 };

	outJsonObject(&json, NULL, false);
	outJsonText(&json, "project", project->name);
	outJsonText(&json, "file", project->file);
	outJsonText(&json, "description", project->description);
	putTimes(&json, report->start, report->end);
	if (report->start <= report->end)
		outJsonSeconds(&json, "runtime", report->end - report->start);
	else
		outJsonPlain(&json, "runtime", "null");
	putEnergy(&json, "energy", &report->energy);
	putClocks(&json, project);
	outJsonArray(&json, "groups", false);
	for (size_t i = 0; i < project->groupCount; i++)
		putGroup(&json, &report->groups[i]);
	outJsonEnd(&json);
	putPhases(&json, report);
	putCount(&json, "state_count", report->states);
	putCount(&json, "event_count", report->events);
	putStates(&json, report);
	outJsonObject(&json, "tracing", true);
	outJsonInteger(&json, "bytes", report->size);
	if (report->tracerNs >= 0) {
		outJsonSeconds(&json, "cpu_seconds", report->tracerNs);
		outJsonInteger(&json, "late", report->tracerLate);
	} else {
		outJsonPlain(&json, "cpu_seconds", "null");
		outJsonPlain(&json, "late", "null");
	}
	outJsonEnd(&json);
	putMessages(&json, report);
	outJsonEnd(&json);
}
