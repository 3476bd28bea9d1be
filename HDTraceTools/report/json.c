/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report, for programs.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/command/clocksteps.h"
#include "HDTraceTools/command/powers.h"
#include "HDTraceTools/command/results.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/report/report.h"

/** A key of the document. Pages keep the key that their viewer reads. */
static const char *reportKey(const struct outJson *json, const char *key,
			     const char *inPage)
{
	return json->isInPage ? inPage : key;
}

static void putKnown(struct outJson *json, struct known known)
{
	outJsonSeconds(json, "known_s", known.knownNs);
	outJsonSeconds(json, "duration_s", known.durationNs);
}

static void putEnergy(struct outJson *json, const char *key,
		      const struct findingsEnergy *energy)
{
	if (!energy->isKnown) {
		outJsonPlain(json, key, "null");
		return;
	}
	outJsonObject(json, key, true);
	outJsonDouble(json, reportKey(json, "energy_j", "joules"),
		      energy->joules);
	outJsonDouble(json, reportKey(json, "energy_error_j", "error"),
		      energy->hasBound ? energy->bound : NAN);
	outJsonDouble(json, reportKey(json, "power_w", "watts"),
		      findingsWatts(energy));
	outJsonDouble(json, reportKey(json, "longest_known_s", "seconds"),
		      energy->seconds);
	putKnown(json, energy->known);
	outJsonBool(json, "simulated", energy->isSimulated);
	outJsonEnd(json);
}

static void putTimes(struct outJson *json, int64_t start, int64_t end)
{
	const char *startKey = reportKey(json, "start_s", "start");
	const char *endKey = reportKey(json, "end_s", "end");

	if (start > end) {
		outJsonPlain(json, startKey, "null");
		outJsonPlain(json, endKey, "null");
		return;
	}
	outJsonSeconds(json, startKey, start);
	outJsonSeconds(json, endKey, end);
}

static void reportJsonPutCount(struct outJson *json, const char *key,
			       uint64_t count)
{
	char buffer[OUT_NUMBER_SIZE];

	outJsonPlain(json, key, outInteger(buffer, (outInt128)count));
}

static void putSpans(struct outJson *json, const char *key,
		     const struct findingsSpans *spans)
{
	outJsonObject(json, key, false);
	reportJsonPutCount(json, "count", spans->count);
	outJsonSeconds(json, reportKey(json, "duration_s", "seconds"),
		       spans->total);
	outJsonArray(json, "list", false);
	for (guint i = 0; spans->list && i < spans->list->len; i++) {
		const struct findingsSpan *span =
			&g_array_index(spans->list, struct findingsSpan, i);

		outJsonObject(json, NULL, true);
		putTimes(json, span->start, span->end);
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
	putKnown(json, found->known);
	outJsonEnd(json);
}

static void reportJsonPutGroup(struct outJson *json,
			       const struct findings *findings,
			       const struct findingsGroup *group)
{
	size_t number = (size_t)(group - findings->groups);
	const char *cycle = reportKey(json, "cycle_s", "usual_interval");

	outJsonObject(json, NULL, false);
	outJsonText(json, "node", rolesPath(group->group->node));
	outJsonText(json, "group", group->group->name);
	reportJsonPutCount(json, "entries", group->entries);
	putTimes(json, group->start, group->end);
	if (group->usual)
		outJsonSeconds(json, cycle, group->usual);
	else
		outJsonPlain(json, cycle, "null");
	if (group->powerCount) {
		putEnergy(json, "energy", &group->energy);
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
	putSpans(json, "gaps", &group->gaps);
	putSpans(json, "late", &group->late);
	outJsonEnd(json);
}

static void putPhases(struct outJson *json, const struct findings *findings)
{
	outJsonArray(json, "phases", false);
	for (guint i = 0; i < findings->phases->len; i++) {
		const struct findingsPhase *phase = &g_array_index(
			findings->phases, struct findingsPhase, i);

		outJsonObject(json, NULL, false);
		outJsonText(json, "name", phase->name);
		reportJsonPutCount(json, "phases", phase->occurrences);
		putTimes(json, phase->start, phase->end);
		outJsonSeconds(json, reportKey(json, "duration_s", "seconds"),
			       phase->length);
		putEnergy(json, "energy", &phase->energy);
		reportPutPartEfficiencies(json, findings, &phase->efficiency);
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
			putEnergy(json, "energy", &energy);
			outJsonEnd(json);
		}
		outJsonEnd(json);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** The position of a phase among all of them. */
static void putPosition(struct outJson *json, const char *key,
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

static void putMost(struct outJson *json, const struct findings *findings)
{
	putPosition(json, "most_power", findings, findings->most.power);
	putPosition(json, "most_energy", findings, findings->most.energy);
}

static void putJoules(struct outJson *json, const char *key,
		      const struct attributionAmount *amount)
{
	outJsonDouble(json, key,
		      amount->measured ? attributionEnergy(amount) : NAN);
}

/** What the other rule says; null if it says the same, as nothing tells CPU
 *  time. */
static void putOther(struct outJson *json, const char *key,
		     const struct findings *findings,
		     const struct attributionAmount *amounts)
{
	if (findings->other)
		putJoules(json, key, &amounts[FINDINGS_OTHER]);
	else
		outJsonPlain(json, key, "null");
}

void reportPutStates(struct outJson *json, const struct findings *findings,
		     const GPtrArray *states)
{
	outJsonArray(json, "states", false);
	for (guint i = 0; i < states->len; i++) {
		const struct profileState *state = states->pdata[i];

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", state->name);
		reportJsonPutCount(json, "count", state->count);
		outJsonSeconds(json, reportKey(json, "own_s", "own_seconds"),
			       state->own.time);
		outJsonSeconds(json,
			       reportKey(json, "total_s", "total_seconds"),
			       state->total.time);
		outJsonSeconds(json,
			       reportKey(json, "longest_s", "longest_seconds"),
			       state->longest);
		putJoules(json, reportKey(json, "energy_j", "joules"),
			  &state->own.amounts[0]);
		putOther(json,
			 reportKey(json, "other_energy_j", "other_joules"),
			 findings, state->own.amounts);
		putJoules(json,
			  reportKey(json, "total_energy_j", "total_joules"),
			  &state->total.amounts[0]);
		if (json->isInPage)
			outJsonSeconds(json, "measured_seconds",
				       state->own.amounts[0].measured);
		putKnown(json, (struct known){ state->own.amounts[0].measured,
					       state->own.time });
		outJsonSeconds(json, "total_known_s",
			       state->total.amounts[0].measured);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putCounters(struct outJson *json, const struct findings *findings)
{
	outJsonArray(json, "counters", false);
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		struct findingsCounters is;

		if (!findingsCountersOf(findings, group, &is))
			continue;
		outJsonObject(json, NULL, false);
		outJsonText(json, "node", rolesPath(group->group->node));
		outJsonDouble(json, "instructions", is.instructions);
		outJsonDouble(json, "cycles", is.cycles);
		outJsonDouble(json, "instructions_per_cycle",
			      is.instructions / is.cycles);
		outJsonSeconds(json, "known_s", is.known.knownNs);
		outJsonDouble(json, "traffic_bytes", is.traffic);
		outJsonText(json, "traffic_from",
			    isnan(is.traffic) ? NULL
			    : is.isOfMisses   ? "cache misses"
					      : "memory controllers");
		outJsonDouble(json,
			      reportKey(json, "traffic_bytes_per_j",
					"bytes_per_joule"),
			      is.bytesPerJoule);
		outJsonSeconds(json, "traffic_known_s",
			       is.trafficKnown.knownNs);
		outJsonSeconds(json, "duration_s",
			       findings->end - findings->start);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/** What the processor did; null: nobody says. */
static void reportJsonPutEvents(struct outJson *json,
				const struct profileEvents *events)
{
	static const char *const keys[PROFILE_EVENTS] = {
		[PROFILE_CYCLES] = "cycles",
		[PROFILE_INSTRUCTIONS] = "instructions",
		[PROFILE_CACHE_MISSES] = "cache_misses",
	};

	for (int i = 0; i < PROFILE_EVENTS; i++)
		outJsonDouble(json, keys[i],
			      events->with[i] ? (double)events->total[i] : NAN);
	outJsonDouble(json, "instructions_per_cycle", profileRatio(events));
	reportJsonPutCount(json, "counted", events->counted);
}

static void putOutside(struct outJson *json, struct profileEvents outside)
{
	outJsonObject(json, "outside", true);
	reportJsonPutEvents(json, &outside);
	outJsonEnd(json);
}

static void putSites(struct outJson *json, const struct findings *findings)
{
	outJsonArray(json, "call_sites", false);
	for (guint i = 0; i < findings->sites->len; i++) {
		const struct profileSite *states = findings->sites->pdata[i];
		const struct attributionAmount *amounts = states->own.amounts;

		outJsonObject(json, NULL, true);
		outJsonText(json, "state", states->name);
		resultsPutSite(json, states->site, findings->addresses);
		reportJsonPutCount(json, "count", states->count);
		outJsonSeconds(json, reportKey(json, "own_s", "own_seconds"),
			       states->own.time);
		outJsonSeconds(json,
			       reportKey(json, "longest_s", "longest_seconds"),
			       states->longest);
		putJoules(json, reportKey(json, "energy_j", "joules"),
			  &amounts[0]);
		putOther(json,
			 reportKey(json, "other_energy_j", "other_joules"),
			 findings, amounts);
		putKnown(json, (struct known){ amounts[0].measured,
					       states->own.time });
		reportJsonPutEvents(json, &states->own.events);
		putOutside(json, states->own.outside);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void reportJsonPutKernels(struct outJson *json,
				 const struct findings *findings)
{
	outJsonArray(json, "kernels", false);
	for (guint i = 0; i < findings->kernels->len; i++) {
		const struct kernel *kernel =
			&g_array_index(findings->kernels, struct kernel, i);
		struct attributionAmount all = kernelEnergy(kernel);

		outJsonObject(json, NULL, true);
		outJsonText(json, "name", kernel->name);
		outJsonText(json, "node", rolesPath(kernel->group->node));
		reportJsonPutCount(json, "instances", kernel->instances);
		outJsonDouble(json, "body_s", kernel->seconds[KERNEL_BODY]);
		outJsonDouble(json, "instructions_per_cycle", kernel->ratio);
		outJsonDouble(json, "dispatch_s",
			      kernel->hasDispatch
				      ? kernel->seconds[KERNEL_DISPATCH]
				      : NAN);
		putJoules(json, "body_j", &kernel->energy[KERNEL_BODY]);
		putJoules(json, "dispatch_j", &kernel->energy[KERNEL_DISPATCH]);
		outJsonDouble(json, "instance_j",
			      all.measured && kernel->instances
				      ? attributionEnergy(&all) /
						(double)kernel->instances
				      : NAN);
		putKnown(json,
			 (struct known){ kernel->energy[KERNEL_BODY].measured,
					 kernel->busy[KERNEL_BODY] });
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonDouble(json, "kernels_unattributed_j",
		      findings->kernels->len && findings->energy.isKnown
			      ? (double)findings->kernelsRest / 1e12
			      : NAN);
}

static void putPathRanks(struct outJson *json, const struct criticalPath *path)
{
	outJsonArray(json, "by_rank", false);
	for (guint i = 0; i < path->ranks->len; i++) {
		const struct pathRank *rank =
			&g_array_index(path->ranks, struct pathRank, i);

		outJsonObject(json, NULL, true);
		if (rank->rank >= 0)
			outJsonInteger(json, "rank", rank->rank);
		else
			outJsonPlain(json, "rank", "null");
		outJsonSeconds(json, "time_s", rank->time);
		outJsonSeconds(json, "mpi_s", rank->mpi);
		if (rank->tracer)
			outJsonSeconds(json, "tracer_s", rank->tracer);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putPathStates(struct outJson *json, const struct criticalPath *path)
{
	outJsonArray(json, "by_state", false);
	for (guint i = 0; i < path->states->len; i++) {
		const struct pathState *state =
			&g_array_index(path->states, struct pathState, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "name",
			    state->name ? state->name : PATH_OUTSIDE);
		outJsonSeconds(json, "time_s", state->time);
		outJsonBool(json, "mpi", state->isMpi);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putPathNodes(struct outJson *json, const struct criticalPath *path)
{
	if (!path->nodes->len)
		return;
	outJsonArray(json, "by_node", false);
	for (guint i = 0; i < path->nodes->len; i++) {
		const struct pathNode *node =
			&g_array_index(path->nodes, struct pathNode, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "node", node->node->path);
		outJsonSeconds(json, "time_s", node->time);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void putPathParts(struct outJson *json, const struct criticalPath *path)
{
	reportJsonPutCount(json, "jumps", path->jumps);
	outJsonArray(json, "parts", false);
	for (guint i = 0; i < path->parts->len; i++) {
		const struct pathPart *part =
			&g_array_index(path->parts, struct pathPart, i);

		outJsonObject(json, NULL, true);
		if (part->relation) {
			outJsonPlain(json, "trace", "null");
			outJsonText(json, "node", part->node->path);
			outJsonText(json, "relation", part->relation);
		} else {
			outJsonInteger(json, "trace", part->trace);
		}
		putTimes(json, part->start, part->end);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	reportJsonPutCount(json, "parts_left_out", path->hidden);
}

static void putDependencies(struct outJson *json,
			    const struct dependencyCounts *counts)
{
	outJsonObject(json, "dependencies", true);
	reportJsonPutCount(json, "unpaired", counts->loose);
	reportJsonPutCount(json, "unsure", counts->unsure);
	reportJsonPutCount(json, "unpaired_collectives", counts->collectives);
	reportJsonPutCount(json, "clamped", counts->clamped);
	reportJsonPutCount(json, "backwards", counts->backwards);
	outJsonSeconds(json, "backwards_worst_s", counts->worst);
	outJsonEnd(json);
}

static void reportJsonPutPath(struct outJson *json,
			      const struct findings *findings)
{
	const struct criticalPath *path = findings->path;

	if (!path || !path->isKnown) {
		outJsonPlain(json, "critical_path", "null");
		return;
	}
	outJsonObject(json, "critical_path", false);
	outJsonSeconds(json, "length_s", path->end - path->start);
	putTimes(json, path->start, path->end);
	putPathRanks(json, path);
	putPathNodes(json, path);
	putPathStates(json, path);
	outJsonSeconds(json, "computation_s",
		       path->end - path->start - path->mpi - path->tracer);
	outJsonSeconds(json, "mpi_s", path->mpi);
	if (path->tracer)
		outJsonSeconds(json, "tracer_s", path->tracer);
	outJsonSeconds(json, "transfer_s", path->transfer);
	putJoules(json, "energy_j", &path->energy[FINDINGS_RULE]);
	putOther(json, "other_energy_j", findings, path->energy);
	outJsonSeconds(json, "known_s", path->energy[FINDINGS_RULE].measured);
	/* Nobody waited: that is known. */
	if (path->waiting == 0 && path->energy[FINDINGS_RULE].measured)
		outJsonInteger(json, "beside_energy_j", 0);
	else
		putJoules(json, "beside_energy_j",
			  &path->beside[FINDINGS_RULE]);
	putOther(json, "other_beside_energy_j", findings, path->beside);
	outJsonSeconds(json, "beside_known_s",
		       path->beside[FINDINGS_RULE].measured);
	outJsonSeconds(json, "beside_s", path->waiting);
	putPathParts(json, path);
	putDependencies(json, &path->counts);
	outJsonEnd(json);
}

static void reportJsonPutClocks(struct outJson *json, const hdIProject *project)
{
	outJsonArray(json, "clocks", false);
	for (size_t i = 0; i < project->clockCount; i++) {
		outJsonObject(json, NULL, true);
		outJsonText(json, "node", project->clocks[i].node);
		outJsonText(json, "method", project->clocks[i].method);
		outJsonSeconds(json, reportKey(json, "offset_error_s", "error"),
			       project->clocks[i].error);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

/* Clocks that were set meanwhile. */
static void putSteps(struct outJson *json, const hdIProject *project)
{
	GArray *all = clockStepsOfNodes(project);

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

static void putMessages(struct outJson *json, const struct findings *findings)
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
		outJsonInteger(json, reportKey(json, "offset_bytes", "offset"),
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
	const char *duration = reportKey(json, "duration_s", "runtime");

	/* In a page it is a part of something else. */
	if (key)
		outJsonObject(json, key, false);
	else
		outJsonDocument(json, "hdtrace-report");
	outJsonText(json, "project", project->name);
	outJsonText(json, "file", project->file);
	outJsonText(json, "description", project->description);
	putTimes(json, findings->start, findings->end);
	if (findings->start <= findings->end)
		outJsonSeconds(json, duration, findings->end - findings->start);
	else
		outJsonPlain(json, duration, "null");
	putEnergy(json, "energy", &findings->energy);
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
	putSteps(json, project);
	outJsonArray(json, "groups", false);
	for (size_t i = 0; i < project->groupCount; i++)
		reportJsonPutGroup(json, findings, &findings->groups[i]);
	outJsonEnd(json);
	putPhases(json, findings);
	putMost(json, findings);
	reportJsonPutCount(json, "state_count", findings->profile->stateCount);
	reportJsonPutCount(json, "event_count", findings->profile->eventCount);
	reportPutStates(json, findings, findings->byTime);
	/* A page has its own. */
	if (!key)
		reportPutRanks(findings, json);
	putSites(json, findings);
	putOutside(json, profileOutside(findings->profile));
	putCounters(json, findings);
	reportJsonPutKernels(json, findings);
	reportJsonPutPath(json, findings);
	reportPutFindings(findings, json);
	if (!key)
		scalingPut(json, runs);
	reportPutRelations(findings, json);
	reportPutLayers(findings, json);
	outJsonObject(json, "tracing", true);
	outJsonInteger(json, reportKey(json, "size_bytes", "bytes"),
		       findings->size);
	if (findings->tracerNs >= 0) {
		outJsonSeconds(json, reportKey(json, "cpu_s", "cpu_seconds"),
			       findings->tracerNs);
		outJsonInteger(json, "late", findings->tracerLate);
	} else {
		outJsonPlain(json, reportKey(json, "cpu_s", "cpu_seconds"),
			     "null");
		outJsonPlain(json, "late", "null");
	}
	if (findings->callsNs >= 0)
		outJsonSeconds(json, "calls_s", findings->callsNs);
	outJsonEnd(json);
	putMessages(json, findings);
	outJsonEnd(json);
}

void reportPrintJson(const struct findings *findings, const GArray *runs)
{
	struct outJson json = { .depth = 0 };

	reportPutJson(findings, &json, NULL, runs);
}
