/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Finds out what a run did and drew.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "HDTraceTools/command/results.h"
#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/projectstart.h"

/* ---- Sums -------------------------------------------------------------- */

static void addTracer(struct findings *findings,
		      const struct findingsGroup *group)
{
	for (size_t i = 0; i < group->group->valueCount; i++) {
		const hdIValue *value = &group->group->values[i];
		int64_t sum;

		if (value->type != HDI_INT64)
			continue;
		sum = (int64_t)group->moments[i].sumInteger;
		if (strcmp(value->name, "RUT_CPU_TIME") == 0)
			findings->tracerNs = MAX(findings->tracerNs, 0) + sum;
		else if (strcmp(value->name, "RUT_LATE") == 0)
			findings->tracerLate += sum;
	}
}

static void addPhase(struct findingsPhase *phase,
		     const struct findingsGroup *group)
{
	struct findingsEnergy *energy;

	if (!group->powerCount)
		return;
	energy = &phase->groups[group->energyIndex];
	findingsEnergyOver(energy, phase->length);
	if (group->countsForTotal)
		findingsEnergyAdd(&phase->energy, energy);
}

static void findingsAddUp(struct findings *findings)
{
	bool hasTime = findings->start <= findings->end;
	int64_t run = hasTime ? findings->end - findings->start : 0;

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		struct findingsGroup *group = &findings->groups[i];

		for (size_t k = 0; k < group->group->valueCount; k++)
			group->values[k] = findingsValueOf(group, k, run);
		group->energy = findingsGroupEnergy(group, group->moments);
		findingsEnergyOver(&group->energy, run);
		if (group->powerCount && group->countsForTotal)
			findingsEnergyAdd(&findings->energy, &group->energy);
		if (group->countsForTotal)
			findings->unattributed += group->drawn;
		findings->unattributed -= group->charged;
		findingsEndGaps(findings, group);
		addTracer(findings, group);
		for (guint k = 0; k < findings->phases->len; k++)
			addPhase(&g_array_index(findings->phases,
						struct findingsPhase, k),
				 group);
	}
}

/* ---- States ------------------------------------------------------------ */

static const struct profileState *findingsStateOf(gconstpointer item)
{
	return *(const struct profileState *const *)item;
}

static gint findingsByTime(gconstpointer a, gconstpointer b)
{
	int64_t x = findingsStateOf(a)->own.time;
	int64_t y = findingsStateOf(b)->own.time;

	return (x < y) - (x > y);
}

static gint byEnergy(gconstpointer a, gconstpointer b)
{
	powerPico x = findingsStateOf(a)->own.amounts[0].pico;
	powerPico y = findingsStateOf(b)->own.amounts[0].pico;

	return (x < y) - (x > y);
}

/** The states in another order; they stay the profile's. */
static GPtrArray *sortStates(const GPtrArray *states, GCompareFunc compare)
{
	GPtrArray *sorted = g_ptr_array_sized_new(states->len);

	for (guint i = 0; i < states->len; i++)
		g_ptr_array_add(sorted, states->pdata[i]);
	g_ptr_array_sort(sorted, compare);
	return sorted;
}

/** Leave out states of names that none is of in the time that was asked for. */
static void findingsDropOthers(GPtrArray *states)
{
	for (guint i = states->len; i-- > 0;) {
		const struct profileState *state = states->pdata[i];

		if (state->count == 0)
			g_ptr_array_remove_index(states, i);
	}
}

GPtrArray *findingsListStates(const struct profile *profile, bool isPart)
{
	GPtrArray *states = sortStates(profile->states, findingsByTime);

	if (isPart)
		findingsDropOthers(states);
	return states;
}

/* ---- Call sites -------------------------------------------------------- */

/** Look up where they are, once for all that print them. */
static void findSites(struct findings *findings)
{
	findings->sites =
		sortStates(findings->profile->sites, profileCompareSites);
	findings->addresses = addressesNew();
	for (guint i = 0; i < findings->sites->len; i++) {
		const struct profileSite *states = findings->sites->pdata[i];

		for (const struct site *site = states->site; site;
		     site = site->caller)
			siteFind(site, findings->addresses);
	}
	resultsTellSites(findings->tool, findings->project,
			 findings->addresses);
}

/* ---- Phases ------------------------------------------------------------ */

static void startPhases(struct findings *findings)
{
	size_t count = findings->phaseOptions.isByName
			       ? findings->phaseList.names->len
			       : findings->phaseList.count;

	for (size_t i = 0; i < count; i++) {
		size_t name = findings->phaseOptions.isByName
				      ? i
				      : findings->phaseList.list[i].name;
		struct findingsPhase phase = {
			.name = findings->phaseList.names->pdata[name],
			.start = INT64_MAX,
			.end = INT64_MIN,
			.groups = g_new0(struct findingsEnergy,
					 findings->energyCount + 1),
			.efficiency = efficiencyUnknown(),
		};

		g_array_append_val(findings->phases, phase);
	}
}

/** Set the times of the phases, with those of the data for open ends. */
static void endPhases(struct findings *findings)
{
	for (size_t i = 0; i < findings->phaseList.count; i++) {
		const struct phase *phase = &findings->phaseList.list[i];
		int64_t start = MAX(phase->start, findings->start);
		int64_t end = MIN(phase->end, findings->end);
		struct findingsPhase *sum = &g_array_index(
			findings->phases, struct findingsPhase,
			findings->phaseOptions.isByName ? phase->name : i);

		sum->occurrences++;
		if (start > end)
			continue;
		sum->start = MIN(sum->start, start);
		sum->end = MAX(sum->end, end);
		sum->length += end - start;
	}
}

static int findingsFindPhases(struct findings *findings)
{
	int64_t start = 0;
	int ret;

	findings->hasPhases = phaseOptionsAre(&findings->phaseOptions);
	if (findings->phaseOptions.file)
		projectStartFind(findings->project, NULL, &start);
	ret = phaseOptionsFind(&findings->phaseOptions, findings->tool,
			       findings->project, start, &findings->phaseList);
	if (ret == 0 && findingsIsPart(findings))
		phasesClip(&findings->phaseList, findings->selection.start,
			   findings->selection.end);
	if (ret == 0)
		startPhases(findings);
	return ret;
}

/* ---- Kernels ----------------------------------------------------------- */

/** Whether a node is another one, or below it. */
static bool findingsIsBelow(const hdINode *node, const hdINode *above)
{
	while (node && node != above)
		node = node->parent;
	return node != NULL;
}

/** Whether there are kernels on what the topmost group around one measures. */
static bool hasKernels(const struct findings *findings,
		       const struct findingsGroup *group)
{
	const struct findingsGroup *above = group;

	while (above) {
		group = above;
		above = findingsPowerOf(findings, above->group->node->parent);
	}
	for (guint i = 0; i < findings->kernels->len; i++) {
		const struct kernel *kernel =
			&g_array_index(findings->kernels, struct kernel, i);

		if (findingsIsBelow(kernel->group->node, group->group->node))
			return true;
	}
	return false;
}

/** A group, the others of its node, and those below it that no other one is
 *  between: struct kernelMeter. */
static GArray *findMeters(const struct findings *findings,
			  const struct findingsGroup *group)
{
	GArray *meters = g_array_new(FALSE, FALSE, sizeof(struct kernelMeter));
	struct kernelMeter meter = { group->group, group->isPower };

	g_array_append_val(meters, meter);
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		const struct findingsGroup *part = &findings->groups[i];
		const hdINode *node = part->group->node;

		if (!part->powerCount || part == group ||
		    (findingsPowerOf(findings, node) != group &&
		     findingsPowerOf(findings, node->parent) != group))
			continue;
		meter = (struct kernelMeter){ part->group, part->isPower };
		g_array_append_val(meters, meter);
	}
	return meters;
}

static void readKernelsOf(struct findings *findings, const GArray *meters)
{
	powerPico rest;
	int ret = kernelsRead(
		findings->project, findings->kernels,
		meters ? (const struct kernelMeter *)(void *)meters->data
		       : NULL,
		meters ? meters->len : 0, &rest);

	findings->kernelsRest += rest;
	if (ret < 0)
		toolErrorTemporary(findings->tool, ret);
}

static void findingsReadKernels(struct findings *findings)
{
	const hdIProject *project = findings->project;
	GArray *kernels = kernelsFind(project);

	findings->kernels = kernels;
	/* They are counted over all of the run. */
	if (findingsIsPart(findings))
		g_array_set_size(kernels, 0);
	for (guint i = 0; i < kernels->len; i++) {
		struct kernel *kernel =
			&g_array_index(kernels, struct kernel, i);
		const struct findingsGroup *power =
			findingsPowerOf(findings, kernel->group->node);

		kernel->power = power ? power->group : NULL;
	}
	if (kernels->len == 0)
		return;
	readKernelsOf(findings, NULL);
	for (size_t i = 0; i < project->groupCount; i++) {
		const struct findingsGroup *group = &findings->groups[i];
		GArray *meters;

		if (!group->isFirst || !hasKernels(findings, group))
			continue;
		meters = findMeters(findings, group);
		readKernelsOf(findings, meters);
		g_array_unref(meters);
	}
}

/* ---- Layers ------------------------------------------------------------ */

static void endLayers(struct findings *findings)
{
	if (findings->layers->count == 0) {
		layersFree(findings->layers);
		findings->layers = NULL;
		return;
	}
	layersEnd(findings->layers, findings->relations.forest);
	findings->outliers = outliersFind(findings->layers);
	findings->out = outliersOut(findings->outliers);
}

/* ---- All of it --------------------------------------------------------- */

/** Get ready for the project. */
static void startAll(struct findings *findings)
{
	const hdIProject *project = findings->project;
	int64_t total = 0;

	findings->start = INT64_MAX;
	findings->end = INT64_MIN;
	findings->tracerNs = -1;
	findings->callsNs = -1;
	findings->ranks =
		g_array_new(FALSE, FALSE, sizeof(struct findingsRank));
	findings->traces = g_new0(struct findingTrace, project->traceCount + 1);
	for (size_t i = 0; i < project->traceCount; i++)
		findings->traces[i].start = INT64_MAX;
	findings->steps = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	findingsStartReplay(findings);
	findingsStartParts(findings);
	findings->list = g_array_new(FALSE, FALSE, sizeof(struct finding));
	g_array_set_clear_func(findings->list, findingClear);
	findings->phases =
		g_array_new(FALSE, FALSE, sizeof(struct findingsPhase));
	findings->groups =
		g_new0(struct findingsGroup, project->groupCount + 1);
	for (size_t i = 0; i < project->groupCount; i++) {
		const hdIGroup *group = project->groups[i];

		findings->groups[i] = (struct findingsGroup){
			.group = group,
			.start = INT64_MAX,
			.end = INT64_MIN,
			.shortest = INT64_MAX,
			.kinds = g_new0(enum hdKind, group->valueCount + 1),
			.isGuessed = g_new0(bool, group->valueCount + 1),
			.moments =
				g_new0(struct moments, group->valueCount + 1),
			.values = g_new0(struct findingsValue,
					 group->valueCount + 1),
			.intervals = intervalsNew(group),
		};
		for (size_t k = 0; k < group->valueCount; k++)
			findings->groups[i].kinds[k] =
				valueKind(group, &group->values[k],
					  &findings->groups[i].isGuessed[k]);
		total += group->fileSize;
	}
	for (size_t i = 0; i < project->traceCount; i++)
		total += project->traces[i]->fileSize;
	for (size_t i = 0; i < project->relationCount; i++)
		total += project->relations[i]->fileSize;
	findings->size = total;
	findingsChoosePowers(findings);
	findingsStartSeries(findings);
	findings->layers =
		layersNew(project, NULL, NULL, findings->selection.start,
			  findings->selection.end);
	toolProgressStart(findings->tool, total);
	if (project->relationCount && !findings->isPowerOnly)
		findingsStartRelations(findings);
}

static void findingsFreeAll(struct findings *findings)
{
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		struct findingsGroup *group = &findings->groups[i];

		for (size_t k = 0; k < group->group->valueCount; k++) {
			g_free(group->values[k].totalUnit);
			g_free(group->values[k].rateUnit);
		}
		intervalsFree(group->intervals);
		findingsFreeSeries(group);
		g_free(group->kinds);
		g_free(group->isGuessed);
		g_free(group->values);
		g_free(group->moments);
		if (group->gaps.list)
			g_array_unref(group->gaps.list);
		if (group->late.list)
			g_array_unref(group->late.list);
	}
	g_free(findings->groups);
	powerChoiceFree(findings->powers);
	attributionFree(findings->attribution);
	attributionFree(findings->other);
	criticalPathFree(findings->path);
	if (findings->out) {
		g_ptr_array_unref(findings->out);
		g_array_unref(findings->outliers);
	}
	layersFree(findings->layers);
	findingsFreeRelations(findings);
	if (findings->byTime) {
		g_ptr_array_unref(findings->byTime);
		g_ptr_array_unref(findings->byEnergy);
		g_ptr_array_unref(findings->sites);
	}
	addressesFree(findings->addresses);
	profileFree(findings->profile);
	if (findings->kernels)
		g_array_unref(findings->kernels);
	for (guint i = 0; i < findings->phases->len; i++)
		g_free(g_array_index(findings->phases, struct findingsPhase, i)
			       .groups);
	g_array_unref(findings->phases);
	g_array_unref(findings->ranks);
	g_array_unref(findings->list);
	findingsFreeReplay(findings);
	findingsFreeParts(findings);
	g_free(findings->traces);
	g_hash_table_destroy(findings->steps);
}

/** Find the time that was asked for: -1, or the status of a mistake. */
static int findingsSelect(struct findings *findings)
{
	struct selection *selection = &findings->selection;
	int status = selectResolve(selection, findings->tool, findings->project,
				   false);

	/* Energy of relations is divided over all of their time. */
	if (status < 0 && findings->project->relationCount)
		status = toolUsage(findings->tool,
				   "--from, --to: not available for projects "
				   "with relations");
	if (status < 0)
		phasesAdd(&findings->selected, selection->start, selection->end,
			  "");
	return status;
}

int findingsStart(struct findings *findings, const hdIProject *project)
{
	int status = -1;

	findings->project = project;
	phasesInit(&findings->phaseList);
	phasesInit(&findings->selected);
	if (findingsIsPart(findings))
		status = findingsSelect(findings);
	startAll(findings);
	if (findings->energyCount &&
	    (project->traceCount || project->relationCount))
		findings->attribution = attributionNew(project, findings->rule);
	if (findings->attribution && project->traceCount)
		findings->other = attributionOther(findings->attribution);
	return status < 0 ? findingsFindPhases(findings) : -1;
}

void findingsRead(struct findings *findings)
{
	findingsReadAll(findings);
	if (findings->relations.forest)
		findingsEndRelations(findings);
	findingsAddAccount(findings);
	findingsFindTracer(findings);
	endPhases(findings);
	findingsAddUp(findings);
	findingsFindResources(findings);
	findingsFindIntervals(findings);
	findingsFindIdlePower(findings);
	findingsFindHabits(findings);
	findingsFindThreads(findings);
	findingsSortList(findings);
	findingsEndReplay(findings);
	findingsEndEfficiencies(findings);
	findingsChargeWhatIf(findings);
	findings->byTime =
		findingsListStates(findings->profile, findingsIsPart(findings));
	findings->byEnergy = sortStates(findings->byTime, byEnergy);
	findSites(findings);
	findingsListRegions(findings);
	findings->most = findingsFindMost(findings);
	findingsReadKernels(findings);
	endLayers(findings);
	toolProgressEnd(findings->tool);
}

void findingsEnd(struct findings *findings)
{
	findingsFreeAll(findings);
	phasesFree(&findings->phaseList);
	phasesFree(&findings->selected);
}

hdIProject *findingsOpen(struct findings *findings, const char *path)
{
	hdIProject *project;

	findings->tool->take = findingsTakeDiagnostic;
	findings->tool->takeData = findings;
	project = toolOpen(findings->tool, path);
	if (project)
		delayApply(findings->tool, project, findings->isAsRecorded);
	/* Why not is among the messages. */
	for (guint i = 0; !project && i < findings->diagnostics.list->len;
	     i++) {
		const struct findingsDiagnostic *message =
			&g_array_index(findings->diagnostics.list,
				       struct findingsDiagnostic, i);

		toolError(findings->tool, "%s: %s [%s]", message->file,
			  message->text, message->rule);
	}
	return project;
}

void findingsInit(struct findings *findings, struct tool *tool)
{
	*findings = (struct findings){
		.tool = tool,
		.idlePower = -1,
		.selection = { .start = INT64_MIN, .end = INT64_MAX },
	};
	findingsDiagnosticsInit(&findings->diagnostics);
}

void findingsClear(struct findings *findings)
{
	findingsDiagnosticsFree(&findings->diagnostics);
	phaseOptionsFree(&findings->phaseOptions);
	windowOptionFree(&findings->window);
	g_free(findings->power);
	g_free(findings->ruleText);
	g_strfreev(findings->questions);
	g_free(findings->waitingText);
	selectionFree(&findings->selection);
}

int findingsCheckOptions(struct findings *findings, bool isPage)
{
	int status = phaseOptionsCheck(&findings->phaseOptions, findings->tool);

	if (status < 0)
		status = windowOptionParse(&findings->window, findings->tool);
	if (status < 0)
		status = attributionOptionParse(
			findings->ruleText, findings->tool, &findings->rule);
	if (status < 0 && findingsIsPart(findings) &&
	    (isPage || findings->questions))
		status = toolUsage(findings->tool,
				   "--from, --to: cannot be combined with "
				   "--html or --what-if");
	/* Pages divide the energy of what they show themselves. */
	if (status < 0 && isPage && findings->rule != ATTRIBUTION_EQUAL)
		status = toolUsage(findings->tool,
				   "--attribution: not available for pages; "
				   "they divide equally");
	return status;
}
