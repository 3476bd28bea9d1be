/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Edges between the threads of a rank, from states of OpenMP as libhdOmp writes
 * them (hdtrace-openmp(7)).
 *
 * States come when they end, those that lie in one before it. So what a thread
 * did before a state is known, but not when the state around it began; of a
 * task that is the first one in a state it has to be waited for.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/model/causes/ends.h"

/** A task that a thread executed. */
struct task {
	uint64_t number;
	int64_t start;
	int64_t end;
	char *after; /**< Those that had to end before; or NULL. */
	bool isChosen;
};

/** States at a depth since the one above them ended. */
struct nesting {
	bool isUsed;
	int64_t lastEnd;
	struct task *held; /**< That began when a state did that is not known;
			    * or NULL. */
};

unsigned int dependencyOpenmp(const char *name)
{
	static const struct {
		const char *name;
		unsigned int role;
	} roles[] = {
		{ "omp.parallel", ROLE_PARALLEL },
		{ "omp.barrier", ROLE_TEAM | ROLE_IDLE },
		{ "omp.taskwait", ROLE_IDLE },
		{ "omp.taskgroup", ROLE_IDLE },
		{ "omp.create", ROLE_CREATE },
		{ "omp.task", ROLE_TASK },
	};

	if (!g_str_has_prefix(name, "omp."))
		return 0;
	for (size_t i = 0; i < G_N_ELEMENTS(roles); i++) {
		if (strcmp(roles[i].name, name) == 0)
			return ROLE_OPENMP | roles[i].role;
	}
	return ROLE_OPENMP;
}

/* ---- What lies in what ------------------------------------------------- */

static struct nesting *causesOpenmpNestingAt(struct dependencyReader *reader,
					     unsigned int depth)
{
	if (!reader->nestings)
		reader->nestings =
			g_array_new(FALSE, TRUE, sizeof(struct nesting));
	if (reader->nestings->len <= depth)
		g_array_set_size(reader->nestings, depth + 1);
	return &g_array_index(reader->nestings, struct nesting, depth);
}

static void causesOpenmpAddTask(struct dependencyReader *reader,
				const struct task *task, int64_t waited);

static void causesOpenmpReleaseNesting(struct dependencyReader *reader,
				       struct nesting *nesting, int64_t waited)
{
	struct task *task = nesting->held;

	nesting->held = NULL;
	if (!task)
		return;
	causesOpenmpAddTask(reader, task, waited);
	g_free(task->after);
	g_free(task);
}

void dependencyNest(struct dependencyReader *reader)
{
	const hdIRecord *record = reader->record;
	struct nesting *own;

	causesOpenmpNestingAt(reader, record->depth);
	for (guint i = reader->nestings->len; i-- > record->depth + 1;) {
		struct nesting *inside = causesOpenmpNestingAt(reader, i);
		bool waits = i == record->depth + 1 && reader->role & ROLE_IDLE;

		if (inside->held)
			causesOpenmpReleaseNesting(reader, inside,
						   waits ? record->start
							 : inside->held->start);
		inside->isUsed = false;
	}
	own = causesOpenmpNestingAt(reader, record->depth);
	own->isUsed = true;
	own->lastEnd = record->end;
}

void dependencyNestEnd(struct dependencyReader *reader)
{
	if (!reader->nestings)
		return;
	for (guint i = 0; i < reader->nestings->len; i++) {
		struct nesting *nesting = causesOpenmpNestingAt(reader, i);

		if (nesting->held)
			causesOpenmpReleaseNesting(reader, nesting,
						   nesting->held->start);
	}
	g_array_unref(reader->nestings);
	reader->nestings = NULL;
}

/* ---- Teams ------------------------------------------------------------- */

/** Numbers of ends are those of teams, and below them 0 for the region and
 * those of its barriers from 1 on. */
#define TEAM_BARRIERS (UINT64_C(1) << 20)

static void noteRegion(struct dependencyReader *reader, uint64_t team,
		       struct dependencyEnd *end)
{
	const struct messageFields *fields = &reader->read->own;
	const struct nesting *nesting =
		causesOpenmpNestingAt(reader, reader->record->depth);

	end->threads = -1;
	messageField(fields, MESSAGE_THREADS, &end->threads);
	if (!messageField(fields, MESSAGE_THREAD, &end->thread))
		return;
	end->number = team * TEAM_BARRIERS;
	if (nesting->isUsed)
		end->waited = nesting->lastEnd;
	dependencyAddOwn(reader, end);
}

static void noteBarrier(struct dependencyReader *reader, uint64_t team,
			uint64_t barrier, struct dependencyEnd *end)
{
	const struct nesting *inside =
		causesOpenmpNestingAt(reader, reader->record->depth + 1);

	if (barrier >= TEAM_BARRIERS - 1)
		return;
	end->number = team * TEAM_BARRIERS + 1 + barrier;
	/* It waits after its last task. */
	if (inside->isUsed)
		end->start = CLAMP(inside->lastEnd, end->start, end->time);
	end->waited = end->start;
	dependencyAddOwn(reader, end);
}

static void noteTeam(struct dependencyReader *reader, uint8_t source)
{
	const hdIRecord *record = reader->record;
	struct dependencyEnd end = {
		.start = record->start,
		.waited = INT64_MIN,
		.time = record->end,
		.source = source,
	};
	int64_t team, barrier;

	if (!(reader->role & (ROLE_PARALLEL | ROLE_TEAM)) ||
	    !messageField(&reader->read->own, MESSAGE_TEAM, &team) ||
	    team < 0 || team > (int64_t)(INT64_MAX / TEAM_BARRIERS))
		return;
	if (reader->role & ROLE_PARALLEL)
		noteRegion(reader, (uint64_t)team, &end);
	else if (messageField(&reader->read->own, MESSAGE_BARRIER, &barrier) &&
		 barrier >= 0)
		noteBarrier(reader, (uint64_t)team, (uint64_t)barrier, &end);
}

static const struct dependencyEnd *heldAt(const struct dependencyJoin *join,
					  guint i)
{
	return &g_array_index(join->held, struct dependencyEnd, i);
}

static int causesOpenmpMakeEdge(struct dependencyJoin *join,
				enum dependencyKind kind,
				const struct dependencyEnd *from,
				int64_t fromTime,
				const struct dependencyEnd *to, int64_t toTime)
{
	struct dependency edge = {
		.kind = kind,
		.from = from->trace,
		.fromTime = fromTime,
		.to = to->trace,
		.toStart = MIN(to->waited == INT64_MIN ? fromTime : to->waited,
			       toTime),
		.toTime = toTime,
		.size = -1,
	};

	if (!from->isChosen || !to->isChosen)
		return 0;
	return dependencyMake(join->dependencies, &edge);
}

/** Hand on a thread that joins a region. */
static int handOnFork(struct dependencyJoin *join,
		      const struct dependencyEnd *first,
		      const struct dependencyEnd *other)
{
	int64_t rank = join->channel->key.sender;
	struct dependencyEnd ready = *other;
	struct dependencyMatch match = {
		.meeting = MEETING_FORK,
		.root = 0,
		.size = -1,
	};

	if (!join->dependencies->filter.take || other->waited == INT64_MIN ||
	    !first->isChosen || !other->isChosen)
		return 0;
	ready.start = ready.waited;
	ready.time = other->start;
	dependencyAddPart(join, first, rank);
	dependencyAddPart(join, &ready, rank);
	return dependencyHandOn(join, &match);
}

/** Hand on a barrier. */
static int handOnTeam(struct dependencyJoin *join)
{
	struct dependencyMatch match = {
		.meeting = MEETING_TEAM,
		.pattern = PATTERN_BARRIER,
		.root = join->held->len,
		.size = -1,
	};

	for (guint i = 0; i < join->held->len; i++)
		dependencyAddPart(join, heldAt(join, i),
				  join->channel->key.sender);
	return dependencyHandOn(join, &match);
}

/** All begin after the one that encountered the region. */
static int makeForks(struct dependencyJoin *join)
{
	const struct dependencyEnd *first = NULL;
	int64_t threads = -1;
	int ret = 0;

	for (guint i = 0; i < join->held->len; i++) {
		threads = MAX(threads, heldAt(join, i)->threads);
		if (heldAt(join, i)->thread == 0)
			first = heldAt(join, i);
	}
	join->members =
		threads == (int64_t)join->held->len ? (guint)threads : 0;
	for (guint i = 0; first && i < join->held->len && ret == 0; i++) {
		const struct dependencyEnd *end = heldAt(join, i);

		if (end != first)
			ret = handOnFork(join, first, end);
		if (end != first && ret == 0)
			ret = causesOpenmpMakeEdge(join, DEPENDENCY_FORK, first,
						   first->start, end,
						   end->start);
	}
	return ret;
}

/** All leave after the last one that came; and that one after the one before.
 */
static int makeBarrier(struct dependencyJoin *join)
{
	const struct dependencyEnd *last = NULL;
	const struct dependencyEnd *other = NULL;
	int ret = 0;

	if (join->held->len != join->members) {
		join->dependencies->counts.collectives += join->held->len;
		return 0;
	}
	if (join->dependencies->filter.take)
		ret = handOnTeam(join);
	for (guint i = 0; i < join->held->len; i++) {
		const struct dependencyEnd *end = heldAt(join, i);

		if (!last || end->start > last->start) {
			other = last;
			last = end;
		} else if (!other || end->start > other->start) {
			other = end;
		}
	}
	for (guint i = 0; i < join->held->len && ret == 0; i++) {
		const struct dependencyEnd *end = heldAt(join, i);
		const struct dependencyEnd *from = end == last ? other : last;

		if (from)
			ret = causesOpenmpMakeEdge(join, DEPENDENCY_TEAM, from,
						   from->start, end, end->time);
	}
	return ret;
}

static int causesOpenmpAddSortedEnd(struct dependencyJoin *join,
				    const struct dependencyEnd *end)
{
	g_array_append_val(join->held, *end);
	return 0;
}

static int finishTeam(struct dependencyJoin *join)
{
	uint64_t number = heldAt(join, 0)->number;
	uint64_t team = number / TEAM_BARRIERS;

	if (join->team != team)
		join->members = 0;
	join->team = team;
	return number % TEAM_BARRIERS ? makeBarrier(join) : makeForks(join);
}

const struct dependencySource dependencyTeams = {
	.name = "teams",
	.kinds = DEPENDENCY_FORK | DEPENDENCY_TEAM,
	.note = noteTeam,
	.take = causesOpenmpAddSortedEnd,
	.finish = finishTeam,
	.byNumber = true,
};

/* ---- Tasks ------------------------------------------------------------- */

/** What an end with the number of a task is. */
enum taskEnd {
	TASK_CREATED,
	TASK_EXECUTED, /**< Or a piece of it. */
	TASK_FOLLOWED, /**< By another one, which had to wait for it. */
};

static void causesOpenmpAddEnd(struct dependencyReader *reader, uint64_t number,
			       enum taskEnd what, const struct task *task,
			       int64_t waited)
{
	struct dependencyEnd end = {
		.number = number,
		.start = task->start,
		.waited = waited,
		.time = task->end,
		.function = (uint16_t)what,
		.source = reader->taskSource,
	};
	bool isChosen = reader->isChosen;

	reader->isChosen = task->isChosen;
	dependencyAddOwn(reader, &end);
	reader->isChosen = isChosen;
}

static void causesOpenmpAddTask(struct dependencyReader *reader,
				const struct task *task, int64_t waited)
{
	const char *next = task->after;
	char *end;

	causesOpenmpAddEnd(reader, task->number, TASK_EXECUTED, task, waited);
	while (next && *next) {
		uint64_t before = strtoull(next, &end, 10);

		/* "..." where there are too many. */
		if (end == next)
			break;
		causesOpenmpAddEnd(reader, before, TASK_FOLLOWED, task, waited);
		next = end + (*end == ' ');
	}
}

static const char *afterOf(const hdIRecord *record)
{
	for (size_t i = 0; i < record->attributeCount; i++) {
		if (strcmp(record->attributes[i].name, "after") == 0)
			return record->attributes[i].value;
	}
	return NULL;
}

static void noteTask(struct dependencyReader *reader, uint8_t source)
{
	const hdIRecord *record = reader->record;
	struct nesting *nesting;
	struct task task = {
		.start = record->start,
		.end = record->end,
		.isChosen = reader->isChosen,
	};
	int64_t number;

	if (!(reader->role & (ROLE_CREATE | ROLE_TASK)) ||
	    !messageField(&reader->read->own, MESSAGE_TASK, &number) ||
	    number < 0)
		return;
	reader->taskSource = source;
	task.number = (uint64_t)number;
	if (reader->role & ROLE_CREATE) {
		causesOpenmpAddEnd(reader, task.number, TASK_CREATED, &task,
				   task.start);
		return;
	}
	task.after = (char *)afterOf(record);
	nesting = causesOpenmpNestingAt(reader, record->depth);
	if (nesting->isUsed) {
		causesOpenmpAddTask(reader, &task, nesting->lastEnd);
		return;
	}
	task.after = g_strdup(task.after);
	nesting->held = g_memdup2(&task, sizeof(task));
}

static int causesOpenmpFinishTask(struct dependencyJoin *join)
{
	const struct dependencyEnd *created = NULL;
	const struct dependencyEnd *first = NULL;
	const struct dependencyEnd *last = NULL;
	int ret = 0;

	for (guint i = 0; i < join->held->len; i++) {
		const struct dependencyEnd *end = heldAt(join, i);

		if (end->function == TASK_CREATED) {
			created = end;
		} else if (end->function == TASK_EXECUTED) {
			if (!first || end->start < first->start)
				first = end;
			if (!last || end->time > last->time)
				last = end;
		}
	}
	if (created && first)
		ret = causesOpenmpMakeEdge(join, DEPENDENCY_TASK, created,
					   created->start, first, first->start);
	for (guint i = 0; last && i < join->held->len && ret == 0; i++) {
		const struct dependencyEnd *end = heldAt(join, i);

		if (end->function == TASK_FOLLOWED)
			ret = causesOpenmpMakeEdge(join, DEPENDENCY_TASK, last,
						   last->time, end, end->start);
	}
	return ret;
}

const struct dependencySource dependencyTasks = {
	.name = "tasks",
	.kinds = DEPENDENCY_TASK,
	.note = noteTask,
	.take = causesOpenmpAddSortedEnd,
	.finish = causesOpenmpFinishTask,
	.byNumber = true,
};
