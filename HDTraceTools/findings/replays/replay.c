/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What replays of the run tell: efficiencies, what-if, imbalance.
 */
#include "config.h"

#include <math.h>

#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

void findingWhatIfClear(void *data)
{
	struct findingWhatIf *whatIf = data;

	g_free(whatIf->spec);
}

/** How many ranks there are; of several traces of a rank one counts. */
static uint32_t countRanks(const hdIProject *project)
{
	GHashTable *ranks = g_hash_table_new(NULL, NULL);
	uint32_t count;

	for (size_t i = 0; i < project->traceCount; i++) {
		int64_t rank =
			messagesRankOf(project, project->traces[i]->node);

		if (rank >= 0)
			g_hash_table_add(ranks,
					 GSIZE_TO_POINTER((gsize)rank + 1));
	}
	count = g_hash_table_size(ranks);
	g_hash_table_destroy(ranks);
	return count;
}

#define QUESTION_FUNCTION "function:"

/** The states that questions name. */
static struct calls **namedCalls(const struct findings *findings)
{
	size_t traces = findings->project->traceCount;
	GPtrArray *named = g_ptr_array_new();

	for (size_t i = 0; findings->questions && findings->questions[i]; i++) {
		const char *text = findings->questions[i];
		const char *end;
		char *name;

		if (!g_str_has_prefix(text, QUESTION_FUNCTION))
			continue;
		text += sizeof(QUESTION_FUNCTION) - 1;
		end = g_strrstr(text, "=");
		name = g_strndup(text, end ? (gsize)(end - text) : 0);
		g_ptr_array_add(named, callsNew(traces, name));
		g_free(name);
	}
	g_ptr_array_add(named, NULL);
	return (struct calls **)g_ptr_array_free(named, FALSE);
}

/** Tell the replay on which host each trace is. */
static void setHosts(const struct findings *findings)
{
	const hdIProject *project = findings->project;
	int level = MAX(rolesLevel(project, HD_LEVEL_HOST), 1);
	GHashTable *numbers = g_hash_table_new(NULL, NULL);
	uint32_t *hosts = g_new0(uint32_t, project->traceCount + 1);

	for (size_t i = 0; i < project->traceCount; i++) {
		gpointer node =
			(gpointer)rolesAt(project->traces[i]->node, level);
		guint number =
			GPOINTER_TO_UINT(g_hash_table_lookup(numbers, node));

		if (!number) {
			number = g_hash_table_size(numbers) + 1;
			g_hash_table_insert(numbers, node,
					    GUINT_TO_POINTER(number));
		}
		hosts[i] = number - 1;
	}
	replaySetHosts(findings->replay, hosts);
	g_hash_table_destroy(numbers);
	g_free(hosts);
}

void findingsStartReplay(struct findings *findings)
{
	const hdIProject *project = findings->project;

	findings->calls = callsNew(project->traceCount, NULL);
	findings->named = namedCalls(findings);
	eventsInit(&findings->events, countRanks(project));
	findings->replay = replayNew(findings->calls, project->traceCount,
				     &findings->events);
	setHosts(findings);
	findings->teamTimes = g_new0(int64_t, project->traceCount + 1);
	findings->waits = waitsNew();
	if (findings->keepsAllWaits)
		findings->allWaits = waitSorterNew();
	findings->lateness = latenessNew(project->traceCount);
	findings->habits = habitsNew(project);
	findings->efficiency = efficiencyUnknown();
	findings->whatIf =
		g_array_new(FALSE, FALSE, sizeof(struct findingWhatIf));
	g_array_set_clear_func(findings->whatIf, findingWhatIfClear);
}

void findingsFreeReplay(struct findings *findings)
{
	replayFree(findings->replay);
	eventsClear(&findings->events);
	callsFree(findings->calls);
	for (size_t i = 0; findings->named[i]; i++)
		callsFree(findings->named[i]);
	g_free(findings->named);
	g_free(findings->teamTimes);
	waitsFree(findings->waits);
	sorterFree(findings->allWaits);
	latenessFree(findings->lateness);
	habitsFree(findings->habits);
	g_array_unref(findings->whatIf);
}

int findingsTakeMatch(const struct dependencyMatch *match, void *data)
{
	struct findings *findings = data;
	int ret = waitsTake(match, findings->waits);

	if (ret == 0)
		ret = latenessTake(findings->lateness, match);
	habitsTake(findings->habits, match, &findings->selection);
	if (match->meeting == MEETING_TEAM)
		findingsTakeTeam(findings, match);
	return ret < 0 ? ret : eventsTake(match, &findings->events);
}

int findingsReplayModel(const struct findings *findings,
			const struct replayModel *model, int64_t *time)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	int ret = replayRun(findings->replay, model, time);

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct callsTrace *trace = callsOf(findings->calls, i);

		if (trace->count == 0)
			continue;
		first = MIN(first, trace->start);
		last = MAX(last, trace->end);
	}
	if (first < last)
		*time += findingsRunTime(findings) - (last - first);
	return ret;
}

/** Of the energy of all nodes, the part of useful computation. */
static double energyEfficiency(const struct findings *findings)
{
	double useful = 0;

	for (guint i = 0; i < findings->ranks->len; i++) {
		const struct findingsRank *rank =
			&g_array_index(findings->ranks, struct findingsRank, i);
		const struct findingsWork *work =
			&rank->works[FINDINGS_COMPUTATION];

		if (work->time && !work->amount.measured)
			return NAN;
		useful += attributionEnergy(&work->amount);
	}
	return findings->ranks->len && findings->energy.isKnown &&
			       findings->energy.joules > 0
		       ? useful / findings->energy.joules
		       : NAN;
}

void findingsEndReplay(struct findings *findings)
{
	findings->energyEfficiency = energyEfficiency(findings);
}

/** Of the run, and of its parts. */
static int findEfficiencies(struct findings *findings, int64_t from, int64_t to)
{
	struct replayWatch watch;
	int ret;

	findings->efficiencyFrom = from;
	findings->efficiencyTo = to;
	ret = findingsStartEfficiencies(findings, from, to);

	if (ret < 0)
		return ret;
	watch = efficiencyPartsWatch(findings->parts);
	ret = efficiencyFind(findings->replay, findings->calls,
			     findings->project->traceCount, from, to, &watch,
			     &findings->efficiency);
	if (ret == 0)
		findingsTakeEfficiencies(findings);
	return ret;
}

int findingsReplay(struct findings *findings)
{
	size_t traces = findings->project->traceCount;
	int64_t from, to;
	int ret = replayRead(findings->replay);

	if (ret == 0 && findings->events.meetings > 0 &&
	    efficiencyWindow(findings->calls, traces, &from, &to)) {
		from = MAX(from, findings->selection.start);
		to = MIN(to, findings->selection.end);
		if (from < to)
			ret = findEfficiencies(findings, from, to);
	}
	if (ret == 0 && findings->events.meetings > 0 &&
	    !findingsIsPart(findings))
		ret = findingsFindImbalance(findings);
	return ret == 0 ? findingsAnswerWhatIf(findings) : ret;
}
