/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finds out what caused what, and what that cost.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/relations/slowest.h"

static void findingsRelationsReportTemp(struct findings *findings, int ret)
{
	if (ret < 0)
		toolErrorTemporary(findings->tool, ret);
}

void findingsStartRelations(struct findings *findings)
{
	const hdIProject *project = findings->project;
	const struct diagnosticSink sink = { findingsTakeDiagnostic, findings };
	const struct scan scan = { .tool = findings->tool,
				   .project = project,
				   .sink = &sink };
	struct forest *forest = forestNew(project);

	scanRelations(&scan, forest);
	findingsRelationsReportTemp(findings, forestEnd(forest));
	findings->relations.forest = forest;
	findings->relations.joules = joulesNew(forest, findings->powers);
}

int findingsDivide(struct findings *findings, struct findingsGroup *group)
{
	struct joules *joules = findings->relations.joules;
	int ret;

	if (!joules || !group->series)
		return 0;
	ret = joulesDivide(joules, findings->attribution, group->group,
			   group->series, true, &group->rest);
	group->relations = joulesOfGroup(joules, group->group);
	return ret;
}

/** Add up all, and keep the slowest. */
static int addAll(struct findings *findings)
{
	struct findingsRelations *self = &findings->relations;
	struct slowest *slowest = slowestNew(FINDINGS_SLOWEST);
	struct forestRelation relation;
	uint32_t number;
	int ret = 0;

	self->slowest = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (uint32_t i = 0; i < forestCount(self->forest) && ret == 0; i++) {
		ret = forestGet(self->forest, i, &relation);
		if (ret == 0)
			ret = relationSumsAdd(self->sums, &relation);
		if (ret == 0)
			ret = slowestAdd(slowest, &relation);
	}
	if (ret == 0)
		ret = relationSumsEnd(self->sums);
	while (ret == 0 && slowestNext(slowest, &number) == 1)
		g_array_append_val(self->slowest, number);
	slowestFree(slowest);
	return ret;
}

static void findingsRelationsAddTimes(struct findings *findings)
{
	struct forest *forest = findings->relations.forest;

	for (size_t i = 0; i < forestFileCount(forest); i++) {
		const struct forestFile *file = forestFileAt(forest, i);

		if (!file->count)
			continue;
		findings->start = MIN(findings->start, file->begin);
		findings->end = MAX(findings->end, file->last);
	}
}

void findingsEndRelations(struct findings *findings)
{
	struct findingsRelations *self = &findings->relations;
	int ret;

	joulesLock(self->joules);
	ret = joulesEnd(self->joules);
	self->sums = relationSumsNew(self->forest, self->joules);
	for (size_t i = 0; i < findings->project->groupCount; i++)
		self->energy += findings->groups[i].relations;
	self->inferred = inferredNew(self->forest);
	if (ret == 0)
		ret = addAll(findings);
	if (ret == 0)
		ret = inferredFind(self->inferred);
	joulesUnlock(self->joules);
	findingsRelationsReportTemp(findings, ret);
	if (ret < 0) {
		/* Sums of a part would look like those of all. */
		relationSumsFree(self->sums);
		self->sums = NULL;
	}
	findingsRelationsAddTimes(findings);
}

void findingsFreeRelations(struct findings *findings)
{
	struct findingsRelations *self = &findings->relations;

	relationSumsFree(self->sums);
	inferredFree(self->inferred);
	if (self->slowest)
		g_array_unref(self->slowest);
	joulesFree(self->joules);
	forestFree(self->forest);
}
