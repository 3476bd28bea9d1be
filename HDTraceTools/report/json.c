/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report, for programs.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/model/clocksteps.h"
#include "HDTraceTools/report/json/json.h"
#include "HDTraceTools/report/report.h"

static void reportJsonPutClocks(struct outJson *json, const hdIProject *project)
{
	outJsonArray(json, "clocks", false);
	for (size_t i = 0; i < project->clockCount; i++) {
		outJsonObject(json, NULL, true);
		outJsonText(json, "node", project->clocks[i].node);
		outJsonText(json, "method", project->clocks[i].method);
		outJsonSeconds(json,
			       reportJsonKey(json, "offset_error_s", "error"),
			       project->clocks[i].error);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/* Clocks that were set meanwhile. */
static void reportJsonPutSteps(struct outJson *json,
			       const struct findings *findings)
{
	GArray *all = clockStepsOfNodes(findings->project, findings->steps);

	if (all->len)
		outJsonArray(json, "clock_steps", false);
	for (guint i = 0; i < all->len; i++) {
		const struct clockSteps *steps =
			&g_array_index(all, struct clockSteps, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "node", steps->node->path);
		outJsonInteger(json, "count", steps->count);
		outJsonSeconds(json, "sum_s", steps->sum);
		outJsonEnd(json);
	}
	if (all->len)
		outJsonEnd(json);
	g_array_unref(all);
}

static void reportJsonPutMessages(struct outJson *json,
				  const struct findings *findings)
{
	reportJsonPutCount(json, "message_count", findings->diagnostics.count);
	outJsonArray(json, "messages", false);
	for (guint i = 0; i < findings->diagnostics.list->len; i++) {
		const struct findingsDiagnostic *message =
			&g_array_index(findings->diagnostics.list,
				       struct findingsDiagnostic, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "severity",
			    toolSeverityName(message->severity));
		outJsonText(json, "rule", message->rule);
		outJsonText(json, "file", message->file);
		outJsonInteger(json,
			       reportJsonKey(json, "offset_bytes", "offset"),
			       message->offset);
		outJsonText(json, "text", message->text);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void reportPutJson(const struct findings *findings, struct outJson *json,
		   const char *key, const GArray *runs)
{
	const hdIProject *project = findings->project;
	bool isByCpu = findings->rule == ATTRIBUTION_CPU;
	const char *duration = reportJsonKey(json, "duration_s", "runtime");

	/* In a page it is a part of something else. */
	if (key)
		outJsonObject(json, key, false);
	else
		outJsonDocument(json, "hdtrace-report");
	outJsonText(json, "project", project->name);
	outJsonText(json, "file", project->file);
	outJsonText(json, "description", project->description);
	reportJsonPutTimes(json, findings->start, findings->end);
	if (findings->start <= findings->end)
		outJsonSeconds(json, duration, findings->end - findings->start);
	else
		outJsonPlain(json, duration, "null");
	reportJsonPutEnergy(json, "energy", &findings->energy);
	outJsonObject(json, "attribution", true);
	outJsonText(json, "rule", isByCpu ? "cpu" : "equal");
	outJsonText(json, "other_rule",
		    !findings->other ? NULL
		    : isByCpu        ? "equal"
				     : "cpu");
	outJsonDouble(json, "unattributed_j",
		      findings->energy.isKnown
			      ? (double)findings->unattributed / 1e12
			      : NAN);
	if (findings->relations.sums)
		outJsonDouble(json, "relations_j",
			      findings->energy.isKnown
				      ? (double)findings->relations.energy /
						1e12
				      : NAN);
	outJsonEnd(json);
	reportJsonPutClocks(json, project);
	reportJsonPutSteps(json, findings);
	outJsonArray(json, "groups", false);
	for (size_t i = 0; i < project->groupCount; i++)
		reportJsonPutGroup(json, findings, &findings->groups[i]);
	outJsonEnd(json);
	reportJsonPutPhases(json, findings);
	reportJsonPutMost(json, findings);
	reportJsonPutCount(json, "state_count", findings->profile->stateCount);
	reportJsonPutCount(json, "event_count", findings->profile->eventCount);
	reportJsonPutStates(json, findings, findings->byTime);
	/* A page has its own. */
	if (!key)
		reportPutRanks(findings, json);
	reportJsonPutSites(json, findings);
	reportJsonPutOutside(json, profileOutside(findings->profile));
	reportJsonPutCounters(json, findings);
	reportJsonPutKernels(json, findings);
	reportJsonPutPath(json, findings);
	reportPutFindings(findings, json);
	if (!key)
		scalingPut(json, runs);
	reportPutRelations(findings, json);
	reportPutLayers(findings, json);
	outJsonObject(json, "tracing", true);
	outJsonInteger(json, reportJsonKey(json, "size_bytes", "bytes"),
		       findings->size);
	if (findings->tracerNs >= 0) {
		outJsonSeconds(json,
			       reportJsonKey(json, "cpu_s", "cpu_seconds"),
			       findings->tracerNs);
		outJsonInteger(json, "late", findings->tracerLate);
	} else {
		outJsonPlain(json, reportJsonKey(json, "cpu_s", "cpu_seconds"),
			     "null");
		outJsonPlain(json, "late", "null");
	}
	if (findings->callsNs >= 0)
		outJsonSeconds(json, "calls_s", findings->callsNs);
	outJsonEnd(json);
	reportJsonPutMessages(json, findings);
	outJsonEnd(json);
}

void reportPrintJson(const struct findings *findings, const GArray *runs)
{
	struct outJson json = { .depth = 0 };

	reportPutJson(findings, &json, NULL, runs);
}
