/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reads all groups and traces, several at a time.
 *
 * A trace is charged with the power of the nearest node that tells it, so it is
 * read right after that node's group, whose power is forgotten when the last of
 * its traces has been read. What was found is added in the order of the files,
 * so that it does not depend on which thread was faster.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "HDTraceTools/base/tasks.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/findings/findings.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/model/lateness/ownstates.h"
#include "HDTraceTools/model/mpi/polls.h"

/** So many bytes of a trace pass without progress. */
#define PROGRESS_STEP (1 << 20)

/** A file to read. */
struct task {
	const hdITraceFile *trace;   /**< NULL for a group. */
	struct findingsGroup *group; /**< Of a trace: its power, or NULL. */
	size_t number;               /**< Of the task that reads the group. */
	struct profile *profile;
	/** Of a trace: its part, at any time. */
	struct attributionAmount charged[FINDINGS_RULES];
	size_t place; /**< Of a trace, in the project. */
	struct pathReader *path;
	struct findingsDiagnostics diagnostics;
	int error;      /**< Negative errno of the file ... */
	int spoolError; /**< ... and of a temporary one. */
};

struct work {
	struct findings *findings;
	GArray *tasks; /**< struct task */
	struct pathSearch *search;
	struct spool *powers; /**< Of groups whose traces were read. */
	int rankLevel;        /**< Of ranks; 0: there are none. */
	GHashTable *ranks;    /**< Nodes to their places among the ranks + 1. */
};

static pthread_mutex_t progressLock = PTHREAD_MUTEX_INITIALIZER;

void findingsProgress(struct findings *findings, int64_t bytes)
{
	pthread_mutex_lock(&progressLock);
	toolProgressFile(findings->tool, bytes);
	pthread_mutex_unlock(&progressLock);
}

static struct task *taskAt(struct work *work, size_t number)
{
	return &g_array_index(work->tasks, struct task, (guint)number);
}

/* ---- What there is to do ----------------------------------------------- */

static void findingsWorkAddTask(struct work *work, struct task task)
{
	findingsDiagnosticsInit(&task.diagnostics);
	g_array_append_val(work->tasks, task);
}

struct findingsGroup **findingsFindPowers(const struct findings *findings)
{
	const hdIProject *project = findings->project;
	struct findingsGroup **powers =
		g_new0(struct findingsGroup *, project->traceCount + 1);

	for (size_t i = 0; i < project->traceCount; i++)
		powers[i] = findingsPowerOf(findings, project->traces[i]->node);
	return powers;
}

static void addTraces(struct work *work, struct findingsGroup *const *powers,
		      struct findingsGroup *group)
{
	const hdIProject *project = work->findings->project;
	size_t number = work->tasks->len - 1;

	for (size_t i = 0; i < project->traceCount; i++) {
		if (powers[i] == group)
			findingsWorkAddTask(work,
					    (struct task){
						    .trace = project->traces[i],
						    .place = i,
						    .group = group,
						    .number = number,
					    });
	}
}

static void findingsWorkAddTasks(struct work *work)
{
	struct findings *findings = work->findings;
	struct findingsGroup **powers = findingsFindPowers(findings);

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		if (powers[i])
			powers[i]->traces++;
	}
	for (size_t i = 0; i < findings->project->groupCount; i++) {
		struct findingsGroup *group = &findings->groups[i];

		if (!group->group->isReadable)
			continue;
		findingsWorkAddTask(work, (struct task){ .group = group });
		if (group->traces)
			addTraces(work, powers, group);
	}
	addTraces(work, powers, NULL);
	g_free(powers);
}

/* ---- Doing it, in any thread ------------------------------------------- */

/** Takes what is wrong with the file of a task. */
static void keepDiagnostic(const hdIMessage *message, void *data)
{
	findingsDiagnosticsAdd(data, message);
}

/** How far a trace was read. */
struct position {
	struct findings *findings;
	int64_t offset;
	struct pathReader *path;
	uint32_t trace;
	int64_t rank;
	struct callsReader *calls;
	struct callsReader **named; /**< Of what-if questions. */
	struct regionsReader *regions;
	struct ownStatesReader *own;
	struct sequence *sequence; /**< NULL: of another trace. */
	int error;
};

static bool findingsWorkAddRecord(void *data, const hdIRecord *record,
				  const struct site *site)
{
	struct position *position = data;
	int64_t offset = record->offset;

	if (position->error == 0)
		position->error = pathNote(position->path, record);
	if (position->error == 0)
		position->error = callsNote(position->calls, record);
	if (position->error == 0)
		position->error =
			waitsNote(position->findings->waits, position->trace,
				  position->rank, record);
	habitsNote(position->findings->habits, position->trace, record,
		   &position->findings->selection);
	for (guint i = 0; position->named && position->named[i]; i++) {
		if (position->error == 0)
			position->error = callsNote(position->named[i], record);
	}
	if (position->error == 0)
		position->error = regionsNote(position->regions, record, site);
	if (position->error == 0)
		position->error = ownStatesNote(position->own, record);
	if (position->sequence)
		sequenceNote(position->sequence, record, site);
	if (offset < position->offset + PROGRESS_STEP)
		return true;
	findingsProgress(position->findings, offset - position->offset);
	position->offset = offset;
	return true;
}

/** What a trace is charged with by both rules. */
struct charge {
	struct profileSource sources[FINDINGS_RULES];
	struct attributionShare *shares[FINDINGS_RULES];
};

static void openCharge(struct work *work, const struct task *task,
		       struct charge *charge)
{
	struct findings *findings = work->findings;
	struct attribution *const rules[FINDINGS_RULES] = {
		findings->attribution,
		findings->other,
	};

	for (int i = 0; i < FINDINGS_RULES; i++) {
		if (!rules[i] || !task->group || !task->group->series)
			continue;
		charge->shares[i] = attributionShareNew(
			rules[i], task->group->group->node, task->trace);
		charge->sources[i].cursor = attributionCursorNew(
			findingsOfRanks(task->group), charge->shares[i]);
	}
}

/** What the trace was charged with in all. */
static void closeCharge(struct task *task, struct charge *charge,
			const struct selection *selection)
{
	for (int i = 0; i < FINDINGS_RULES; i++) {
		struct attributionCursor *cursor = charge->sources[i].cursor;

		if (!cursor)
			continue;
		task->charged[i] = attributionCursorGet(
			cursor, selection->start, selection->end);
		if (task->spoolError == 0)
			task->spoolError = attributionCursorError(cursor);
		attributionCursorFree(cursor);
		attributionShareFree(charge->shares[i]);
	}
}

/** Readers of the states that what-if questions name; or NULL. */
static struct callsReader **enterNamed(const struct findings *findings,
				       size_t place)
{
	struct callsReader **readers;
	guint count = 0;

	if (!findings->named)
		return NULL;
	while (findings->named[count])
		count++;
	readers = g_new0(struct callsReader *, count + 1);
	for (guint i = 0; i < count; i++)
		readers[i] = callsEnter(findings->named[i], place);
	return readers;
}

/** All records of a trace were taken. */
static void leaveCalls(struct position *position)
{
	int ret = callsLeave(position->calls);
	int regions = regionsLeave(position->regions);
	int own = ownStatesLeave(position->own);

	ret = ret < 0 ? ret : regions;
	ret = ret < 0 ? ret : own;
	for (guint i = 0; position->named && position->named[i]; i++) {
		int other = callsLeave(position->named[i]);

		ret = ret < 0 ? ret : other;
	}
	g_free(position->named);
	if (position->error == 0)
		position->error = ret;
}

static void findingsWorkReadTrace(struct work *work, struct task *task)
{
	struct findings *findings = work->findings;
	struct position position = { .findings = findings };
	struct charge charge = { .shares = { NULL } };
	const struct diagnosticSink sink = { keepDiagnostic,
					     &task->diagnostics };

	openCharge(work, task, &charge);
	task->path = pathSearchEnter(work->search, task->trace,
				     (uint32_t)task->place);
	position.path = task->path;
	position.trace = (uint32_t)task->place;
	position.rank = messagesRankOf(findings->project, task->trace->node);
	position.calls = callsEnter(findings->calls, task->place);
	position.named = enterNamed(findings, task->place);
	position.regions =
		regionsEnter(findings->regions, (uint32_t)task->place);
	position.own = latenessEnter(findings->lateness, (uint32_t)task->place);
	if (task->place == findings->sequenceTrace)
		position.sequence = findings->sequence;
	task->error = profileRead(
		findings->project, task->trace, &sink, charge.sources,
		findings->profile->sources, findings->selection.start,
		findings->selection.end, true, findingsWorkAddRecord, &position,
		&task->profile);
	if (task->profile)
		profileClip(task->profile, findings->selection.start,
			    findings->selection.end);
	closeCharge(task, &charge, &findings->selection);
	leaveCalls(&position);
	if (task->spoolError == 0)
		task->spoolError = position.error;
	findingsProgress(findings, task->trace->fileSize - position.offset);
}

static void findingsWorkRunTask(struct tasks *tasks, void *data, size_t number)
{
	struct work *work = data;
	struct task *task = taskAt(work, number);

	if (!task->trace) {
		const struct diagnosticSink sink = { keepDiagnostic,
						     &task->diagnostics };

		task->error = findingsReadGroup(work->findings, task->group,
						&sink, &task->spoolError);
		if (task->spoolError == 0)
			task->spoolError =
				findingsDivide(work->findings, task->group);
	} else {
		if (task->group)
			tasksWaitFor(tasks, task->number);
		findingsWorkReadTrace(work, task);
	}
}

/* ---- Taking the results, in order -------------------------------------- */

void findingsTakeDiagnostic(const hdIMessage *message, void *data)
{
	struct findings *findings = data;

	if (findingsDiagnosticsAdd(&findings->diagnostics, message))
		toolCount(findings->tool, message->severity);
}

static void takeDiagnostics(struct findings *findings,
			    struct findingsDiagnostics *messages)
{
	for (guint i = 0; i < messages->list->len; i++) {
		const struct findingsDiagnostic *kept = &g_array_index(
			messages->list, struct findingsDiagnostic, i);
		const hdIMessage message = {
			.severity = kept->severity,
			.rule = kept->rule,
			.file = kept->file,
			.offset = kept->offset,
			.text = kept->text,
		};

		findingsTakeDiagnostic(&message, findings);
	}
	findings->diagnostics.count += messages->count - messages->list->len;
	findingsDiagnosticsFree(messages);
}

/** All energy of a group in a time. */
static powerPico allOf(const struct findingsGroup *group,
		       const struct selection *selection)
{
	struct powerCursor *cursor = powerCursorNew(group->series);
	int64_t measured;
	powerPico before =
		powerCursorUntil(cursor, selection->start, &measured);
	powerPico all = powerCursorUntil(cursor, selection->end, &measured);

	powerCursorFree(cursor);
	return all - before;
}

static void forgetPower(struct findingsGroup *group)
{
	powerSeriesFree(group->series);
	powerSeriesFree(group->rest);
	group->series = NULL;
	group->rest = NULL;
}

static void findingsWorkReportTemp(struct findings *findings, int error)
{
	/* A full disk is full for all. */
	if (!findings->tool->hasTemporaryError)
		toolErrorTemporary(findings->tool, error);
}

static void findingsWorkAddPath(struct work *work, struct task *task)
{
	struct findings *findings = work->findings;
	struct pathPower power = { .series = NULL };
	int ret;

	if (task->group)
		power = (struct pathPower){
			.series = findingsOfRanks(task->group),
			.attributions = { findings->attribution,
					  findings->other },
			.node = task->group->group->node,
		};
	ret = pathSearchLeave(work->search, task->path, &power);
	if (ret < 0)
		findingsWorkReportTemp(findings, ret);
}

static struct findingsRank *findingsWorkRankOf(struct work *work,
					       const hdINode *node)
{
	GArray *ranks = work->findings->ranks;
	guint place = GPOINTER_TO_UINT(g_hash_table_lookup(work->ranks, node));
	const struct findingsRank new = {
		.node = node,
		.start = INT64_MAX,
		.end = INT64_MIN,
	};

	if (place == 0) {
		g_array_append_val(ranks, new);
		place = ranks->len;
		g_hash_table_insert(work->ranks, (gpointer)node,
				    GUINT_TO_POINTER(place));
	}
	return &g_array_index(ranks, struct findingsRank, place - 1);
}

/** Add what a trace was charged with to its rank, and what of that was outside
 * of states, by a rule. */
static void takeCharged(struct findings *findings, struct findingsRank *rank,
			const struct task *task, size_t rule)
{
	const GPtrArray *states = task->profile->states;
	struct attributionAmount rest = task->charged[rule];
	struct attributionAmount *amount = &rank->amounts[rule];

	amount->pico += rest.pico;
	amount->measured = MAX(amount->measured, rest.measured);
	for (guint i = 0; i < states->len; i++) {
		const struct profileState *state = states->pdata[i];

		rest.pico -= state->own.amounts[rule].pico;
		rest.measured -= state->own.amounts[rule].measured;
	}
	findings->outside[rule].pico += rest.pico;
	findings->outside[rule].measured += MAX(rest.measured, 0);
}

static enum findingsKind findingsWorkKindOf(const char *name)
{
	if (pollsIsTracer(name))
		return FINDINGS_TRACER;
	if (!mpiIsFunction(name))
		return FINDINGS_COMPUTATION;
	return g_str_has_prefix(name, "File_") ? FINDINGS_IO : FINDINGS_MPI;
}

/** Whether a state of OpenMP is none of the program's work. */
static bool ompWaits(const char *name)
{
	static const char *const names[] = {
		"omp.barrier",  "omp.taskwait", "omp.taskgroup", "omp.create",
		"omp.critical", "omp.lock",     "omp.ordered",   "omp.atomic",
	};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static void addWork(struct findingsWork *work, int64_t time,
		    const struct attributionAmount *amount)
{
	work->time += time;
	if (!amount)
		return;
	work->amount.pico += amount->pico;
	work->amount.measured += MAX(amount->measured, 0);
}

/** Add what a trace spent its time on; what is in no state is computation. */
static void takeWorks(struct findingsRank *rank, const struct task *task)
{
	const struct profile *profile = task->profile;
	bool hasEnergy = profile->sources > 0;
	struct attributionAmount rest = task->charged[FINDINGS_RULE];
	int64_t time = MAX(profile->end - profile->start, 0);

	if (profile->start > profile->end)
		return;
	for (guint i = 0; i < profile->states->len; i++) {
		const struct profileState *state = profile->states->pdata[i];
		const struct attributionAmount *amount =
			hasEnergy ? &state->own.amounts[FINDINGS_RULE] : NULL;

		addWork(&rank->works[findingsWorkKindOf(state->name)],
			state->own.time, amount);
		time -= state->own.time;
		if (amount) {
			rest.pico -= amount->pico;
			rest.measured -= amount->measured;
		}
	}
	addWork(&rank->works[FINDINGS_COMPUTATION], MAX(time, 0),
		hasEnergy ? &rest : NULL);
}

/** Note what is needed of a trace to account for its time. */
static void takeTrace(struct findings *findings, const struct task *task)
{
	struct findingTrace *trace = &findings->traces[task->place];
	const struct profile *profile = task->profile;

	trace->start = profile->start;
	trace->end = profile->end;
	trace->rank = messagesRankOf(findings->project, task->trace->node);
	if (profile->steps.count)
		g_hash_table_insert(
			findings->steps, (gpointer)task->trace,
			g_memdup2(&profile->steps, sizeof(profile->steps)));
	for (guint i = 0; i < profile->states->len; i++) {
		const struct profileState *state = profile->states->pdata[i];
		int64_t time = state->own.time;

		switch (findingsWorkKindOf(state->name)) {
		case FINDINGS_TRACER:
			trace->tracer += time;
			break;
		case FINDINGS_IO:
			trace->io += time;
			break;
		case FINDINGS_MPI:
			trace->mpi += time;
			break;
		default:
			if (ompWaits(state->name))
				trace->openmp += time;
		}
	}
	if (callsOf(findings->calls, task->place)->count)
		findingsNoteRegions(findings, profile);
}

/** Add a trace to its rank, and what it did outside of states. */
static void findingsWorkAddRank(struct work *work, const struct task *task)
{
	struct findings *findings = work->findings;
	const struct profile *profile = task->profile;
	const hdINode *node = task->trace->node;
	struct findingsRank *rank = findingsWorkRankOf(
		work, work->rankLevel ? rolesAt(node, work->rankLevel) : node);
	int64_t time = 0;

	rank->states += profile->stateCount;
	rank->start = MIN(rank->start, profile->start);
	rank->end = MAX(rank->end, profile->end);
	if (profile->start < profile->end)
		time = profile->end - profile->start;
	for (guint i = 0; i < profile->states->len; i++) {
		const struct profileState *state = profile->states->pdata[i];

		time -= state->own.time;
	}
	/* States that overlap, as they should not, leave nothing. */
	findings->outsideTime += MAX(time, 0);
	for (size_t i = 0; i < profile->sources; i++)
		takeCharged(findings, rank, task, i);
	takeWorks(rank, task);
}

static void findingsWorkAddResult(void *data, size_t number)
{
	struct work *work = data;
	struct task *task = taskAt(work, number);
	struct findings *findings = work->findings;
	struct findingsGroup *group = task->group;

	takeDiagnostics(findings, &task->diagnostics);
	if (task->error < 0 && task->error != -EBADMSG)
		toolError(findings->tool, "%s: %s",
			  task->trace ? task->trace->file : group->group->file,
			  strerror(-task->error));
	if (task->spoolError < 0)
		findingsWorkReportTemp(findings, task->spoolError);
	if (!task->trace) {
		if (group->series)
			group->drawn = allOf(group, &findings->selection);
		group->charged = group->relations;
		if (!group->traces)
			forgetPower(group);
		findings->start = MIN(findings->start, group->start);
		findings->end = MAX(findings->end, group->end);
		return;
	}
	if (task->profile && task->profile->epochs > 0)
		toolReport(findings->tool, "trc.part", task->trace->file, -1, 0,
			   MESSAGES_EPOCHS, task->profile->epochs);
	if (task->profile) {
		profileAdd(findings->profile, task->profile);
		findingsWorkAddRank(work, task);
		takeTrace(findings, task);
	}
	profileFree(task->profile);
	findingsWorkAddPath(work, task);
	if (!group)
		return;
	group->charged += task->charged[FINDINGS_RULE].pico;
	if (++group->tracesRead == group->traces && group->series) {
		int ret = powerSeriesMove(group->series, work->powers);

		if (ret == 0 && group->rest)
			ret = powerSeriesMove(group->rest, work->powers);
		if (ret < 0)
			findingsWorkReportTemp(findings, ret);
	}
}

/** Find the critical path, and forget the power of all nodes. */
static void findingsWorkFindPath(struct work *work)
{
	struct findings *findings = work->findings;
	struct forest *forest = findings->relations.forest;
	int ret = forest ? pathSearchRelations(work->search, forest) : 0;
	int end = pathSearchEnd(work->search, &findings->path);

	/* It is that of the whole run. */
	if (end == 0 && findingsIsPart(findings))
		findings->path->isKnown = false;
	if (ret == 0)
		ret = findingsFindIterations(findings);
	if (ret == 0)
		ret = findingsChargeIterations(findings);
	if (ret == 0 && end == 0)
		ret = findingsFindWaits(findings, findings->waits);
	if (ret < 0 || end < 0)
		findingsWorkReportTemp(findings, ret < 0 ? ret : end);
	pathSearchFree(work->search);
	for (size_t i = 0; i < findings->project->groupCount; i++)
		forgetPower(&findings->groups[i]);
	spoolFree(work->powers);
}

/** What tracing took of the time of all calls that have states of their own. */
static void takeCalls(struct findings *findings)
{
	const struct profile *profile = findings->profile;
	uint64_t calls = 0;

	for (guint i = 0; i < profile->states->len; i++) {
		const struct profileState *state = profile->states->pdata[i];

		if (mpiIsFunction(state->name))
			calls += state->count;
	}
	findings->callsNs =
		profile->callNs > 0 && calls >= profile->polled
			? (int64_t)(calls - profile->polled) * profile->callNs
			: -1;
}

void findingsReadAll(struct findings *findings)
{
	struct work work = {
		.findings = findings,
		.tasks = g_array_new(FALSE, FALSE, sizeof(struct task)),
		.powers = spoolNew(),
		.rankLevel = rolesRankLevel(findings->project),
		.ranks = g_hash_table_new(NULL, NULL),
	};
	int ret;

	work.search =
		pathSearchNew(findings->project, findingsTakeMatch, findings);
	findings->profile = profileNew(findings->other ? FINDINGS_RULES : 1);
	findingsWorkAddTasks(&work);
	tasksDo(work.tasks->len, findingsWorkRunTask, findingsWorkAddResult,
		&work);
	findingsWorkFindPath(&work);
	takeCalls(findings);
	findings->start = MIN(findings->start, findings->profile->start);
	findings->end = MAX(findings->end, findings->profile->end);
	ret = findings->tool->hasTemporaryError ? 0 : findingsReplay(findings);
	if (ret < 0)
		findingsWorkReportTemp(findings, ret);
	g_hash_table_destroy(work.ranks);
	g_array_unref(work.tasks);
}
