/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Groups, their values, and phases, for programs.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/command/results.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/report/json/json.h"

static void reportJsonPutSpans(struct outJson *json, const char *key,
			       const struct findingsSpans *spans)
{
	outJsonObject(json, key, false);
	reportJsonPutCount(json, "count", spans->count);
	outJsonSeconds(json, reportJsonKey(json, "duration_s", "seconds"),
		       spans->total);
	outJsonArray(json, "list", false);
	for (guint i = 0; spans->list && i < spans->list->len; i++) {
		const struct findingsSpan *span =
			&g_array_index(spans->list, struct findingsSpan, i);

		outJsonObject(json, NULL, true);
		reportJsonPutTimes(json, span->start, span->end);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonEnd(json);
}

static void reportJsonPutStated(struct outJson *json,
				const struct findingsGroup *group,
				const hdIValue *value, const char *name)
{
	outJsonText(json, name, valueStates(group->group, value, name));
}

static void reportJsonPutValue(struct outJson *json,
			       const struct findingsGroup *group, size_t i)
{
	const hdIValue *value = &group->group->values[i];
	const struct moments *moments = &group->moments[i];
	const struct findingsValue *found = &group->values[i];
	const struct bound *bound = &found->bound;
	bool isAmount = kindIsAmount(group->kinds[i]);

	outJsonObject(json, NULL, true);
	outJsonText(json, "name", value->name);
	outJsonText(json, "type", columnTypeName(value->type));
	outJsonText(json, "unit", value->unit);
	outJsonBool(json, "simulated", valueIsSimulated(group->group, value));
	resultsPutKind(json, group->group, value);
	reportJsonPutStated(json, group, value, "source");
	reportJsonPutStated(json, group, value, "resolution");
	reportJsonPutStated(json, group, value, "class");
	reportJsonPutCount(json, "count", momentsCount(moments));
	reportJsonPutCount(json, "nan", moments->missing);
	outJsonDouble(json, "mean", isAmount ? NAN : found->result.mean);
	outJsonDouble(json, "mean_error",
		      bound->isKnown && !isAmount ? bound->mean : NAN);
	resultsPutRange(json, moments, value->type, group->kinds[i]);
	outJsonDouble(json, "reading_error",
		      bound->isKnown ? bound->single : NAN);
	outJsonDouble(json, "total", found->total);
	outJsonDouble(json, "total_error", found->totalBound);
	outJsonText(json, "total_unit", found->totalUnit);
	outJsonDouble(json, "rate", found->rate);
	outJsonText(json, "rate_unit", found->rateUnit);
	if (group->kinds[i] == HD_KIND_COUNTER)
		reportJsonPutCount(json, "resets", moments->resets);
	else
		outJsonPlain(json, "resets", "null");
	reportJsonPutKnown(json, found->known);
	outJsonEnd(json);
}

void reportJsonPutGroup(struct outJson *json, const struct findings *findings,
			const struct findingsGroup *group)
{
	size_t number = (size_t)(group - findings->groups);
	const char *cycle = reportJsonKey(json, "cycle_s", "usual_interval");

	outJsonObject(json, NULL, false);
	outJsonText(json, "node", rolesPath(group->group->node));
	outJsonText(json, "group", group->group->name);
	reportJsonPutCount(json, "entries", group->entries);
	reportJsonPutTimes(json, group->start, group->end);
	if (group->usual)
		outJsonSeconds(json, cycle, group->usual);
	else
		outJsonPlain(json, cycle, "null");
	if (group->powerCount) {
		reportJsonPutEnergy(json, "energy", &group->energy);
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
	powersPutLeftOut(json, powerChoiceAt(findings->powers, number));
	outJsonArray(json, "values", false);
	for (size_t i = 0; i < group->group->valueCount; i++)
		reportJsonPutValue(json, group, i);
	outJsonEnd(json);
	reportJsonPutSpans(json, "gaps", &group->gaps);
	reportJsonPutSpans(json, "late", &group->late);
	outJsonEnd(json);
}

void reportJsonPutPhases(struct outJson *json, const struct findings *findings)
{
	outJsonArray(json, "phases", false);
	for (guint i = 0; i < findings->phases->len; i++) {
		const struct findingsPhase *phase = &g_array_index(
			findings->phases, struct findingsPhase, i);

		outJsonObject(json, NULL, false);
		outJsonText(json, "name", phase->name);
		reportJsonPutCount(json, "phases", phase->occurrences);
		reportJsonPutTimes(json, phase->start, phase->end);
		outJsonSeconds(json,
			       reportJsonKey(json, "duration_s", "seconds"),
			       phase->length);
		reportJsonPutEnergy(json, "energy", &phase->energy);
		reportJsonPutPartEfficiencies(json, findings,
					      &phase->efficiency);
		outJsonArray(json, "nodes", false);
		for (size_t k = 0; k < findings->project->groupCount; k++) {
			const struct findingsGroup *group =
				&findings->groups[k];

			struct findingsEnergy energy;

			if (!group->isFirst)
				continue;
			energy = findingsPhaseEnergy(findings, phase,
						     group->group->node);
			outJsonObject(json, NULL, false);
			outJsonText(json, "node",
				    rolesPath(group->group->node));
			reportJsonPutEnergy(json, "energy", &energy);
			outJsonEnd(json);
		}
		outJsonEnd(json);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** The position of a phase among all of them. */
static void reportJsonPutPosition(struct outJson *json, const char *key,
				  const struct findings *findings,
				  const struct findingsPhase *phase)
{
	if (phase)
		outJsonInteger(
			json, key,
			phase - (const struct findingsPhase *)(const void *)
					findings->phases->data);
	else
		outJsonPlain(json, key, "null");
}

void reportJsonPutMost(struct outJson *json, const struct findings *findings)
{
	reportJsonPutPosition(json, "most_power", findings,
			      findings->most.power);
	reportJsonPutPosition(json, "most_energy", findings,
			      findings->most.energy);
}
