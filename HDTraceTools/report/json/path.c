/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The critical path, for programs.
 */
#include "config.h"

#include "HDTraceTools/report/json/json.h"

static void reportJsonPutPathRanks(struct outJson *json,
				   const struct criticalPath *path)
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

static void reportJsonPutPathStates(struct outJson *json,
				    const struct criticalPath *path)
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

static void reportJsonPutPathNodes(struct outJson *json,
				   const struct criticalPath *path)
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

static void reportJsonPutPathParts(struct outJson *json,
				   const struct criticalPath *path)
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
		reportJsonPutTimes(json, part->start, part->end);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	reportJsonPutCount(json, "parts_left_out", path->hidden);
}

static void reportJsonPutDependencies(struct outJson *json,
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

void reportJsonPutPath(struct outJson *json, const struct findings *findings)
{
	const struct criticalPath *path = findings->path;

	if (!path || !path->isKnown) {
		outJsonPlain(json, "critical_path", "null");
		return;
	}
	outJsonObject(json, "critical_path", false);
	outJsonSeconds(json, "length_s", path->end - path->start);
	reportJsonPutTimes(json, path->start, path->end);
	reportJsonPutPathRanks(json, path);
	reportJsonPutPathNodes(json, path);
	reportJsonPutPathStates(json, path);
	outJsonSeconds(json, "computation_s",
		       path->end - path->start - path->mpi - path->tracer);
	outJsonSeconds(json, "mpi_s", path->mpi);
	if (path->tracer)
		outJsonSeconds(json, "tracer_s", path->tracer);
	outJsonSeconds(json, "transfer_s", path->transfer);
	reportJsonPutJoules(json, "energy_j", &path->energy[FINDINGS_RULE]);
	reportJsonPutOther(json, "other_energy_j", findings, path->energy);
	outJsonSeconds(json, "known_s", path->energy[FINDINGS_RULE].measured);
	/* Nobody waited: that is known. */
	if (path->waiting == 0 && path->energy[FINDINGS_RULE].measured)
		outJsonInteger(json, "beside_energy_j", 0);
	else
		reportJsonPutJoules(json, "beside_energy_j",
				    &path->beside[FINDINGS_RULE]);
	reportJsonPutOther(json, "other_beside_energy_j", findings,
			   path->beside);
	outJsonSeconds(json, "beside_known_s",
		       path->beside[FINDINGS_RULE].measured);
	outJsonSeconds(json, "beside_s", path->waiting);
	reportJsonPutPathParts(json, path);
	reportJsonPutDependencies(json, &path->counts);
	outJsonEnd(json);
}
