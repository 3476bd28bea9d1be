/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Replays a run by its dependencies.
 */
#include "config.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/whatif/meetings.h"
#include "HDTraceTools/model/whatif/replay.h"
#include "HDTraceTools/model/whatif/replaysections.h"

/** Events that are read at once, and that are done before another trace's. */
#define REPLAY_READ 16
#define REPLAY_TURN 256

/** A trace while it runs. */
struct replayRank {
	struct replayEvent held[REPLAY_READ];
	uint64_t next; /**< The first event that is not read yet. */
	size_t at;
	size_t count;
	struct callsCursor *calls;
	int64_t clock; /**< Its time in the replay ... */
	int64_t time;  /**< ... and as it was recorded. */
	int64_t busy;  /**< Time in calls until then. */
	/* A call that needs something. */
	bool isInCall;
	int64_t ready; /**< When all was given, so far. */
	int64_t cause; /**< The same as it was recorded. */
	int64_t size;
	bool endsSection;
	/* Balance. */
	guint section;
	double factor;       /**< For it, or for the interval. */
	bool isEven;         /**< Its intervals have factors. */
	uint64_t firstEvent; /**< Of it. */
	guint intervals;     /**< Those that have begun. */
	struct callsCursor *ahead;
	/* States of a name. */
	struct callsCursor *states;
	int64_t statesTime; /**< Until now. */
};

/** A run. */
struct replayRun {
	struct replay *self;
	const struct replayModel *model;
	struct replayRank *ranks;
	struct meetings *meetings;
	GQueue queue;  /**< Numbers of traces + 1 that can go on. */
	GArray *woken; /**< uint32_t */
	size_t left;   /**< Traces that did not end. */
	int error;
};

struct replay *replayNew(const struct calls *calls, size_t traces,
			 struct events *events)
{
	struct replay *self = g_new0(struct replay, 1);

	self->calls = calls;
	self->traces = traces;
	self->events = events;
	self->spool = spoolNew();
	self->lists = g_new0(struct replayList, traces + 1);
	self->hosts = g_new0(uint32_t, traces + 1);
	self->smallest = INT64_MAX;
	return self;
}

void replaySetHosts(struct replay *self, const uint32_t *hosts)
{
	memcpy(self->hosts, hosts, self->traces * sizeof(*hosts));
}

void replayFree(struct replay *self)
{
	if (!self)
		return;
	spoolFree(self->spool);
	g_free(self->lists);
	g_free(self->hosts);
	if (self->sections) {
		g_array_unref(self->sections);
		g_array_unref(self->means);
	}
	g_free(self);
}

/** What a call took of its own. */
static int64_t replayCost(int64_t call, int64_t cause, int64_t end)
{
	return MAX(end - MAX(call, cause), 0);
}

int replayRead(struct replay *self)
{
	struct replayEvent event;
	int ret;

	while ((ret = sorterNext(self->events->sorter, &event)) == 1) {
		struct replayList *list = &self->lists[event.trace];

		if (list->count++ == 0)
			list->offset = spoolLength(self->spool);
		if (event.kind == EVENT_TAKE && event.size >= 0)
			self->smallest = MIN(self->smallest,
					     replayCost(event.call, event.cause,
							event.time));
		ret = spoolAppend(self->spool, &event, sizeof(event));
		if (ret < 0)
			break;
	}
	eventsClear(self->events);
	return ret;
}

/* ---- Events of a trace -------------------------------------------------- */

/** The next one; NULL: there is none. */
static const struct replayEvent *replayNext(struct replayRun *run,
					    uint32_t trace)
{
	struct replayRank *rank = &run->ranks[trace];
	const struct replayList *list = &run->self->lists[trace];
	uint64_t left = list->count - rank->next;

	if (rank->at < rank->count)
		return &rank->held[rank->at];
	if (left == 0 || run->error)
		return NULL;
	rank->count = (size_t)MIN(left, REPLAY_READ);
	rank->at = 0;
	run->error = spoolPeek(
		run->self->spool,
		list->offset + rank->next * sizeof(struct replayEvent),
		rank->held, rank->count * sizeof(struct replayEvent));
	rank->next += rank->count;
	return run->error ? NULL : rank->held;
}

/* ---- Time between them -------------------------------------------------- */

/** A time that counts. */
static int64_t replayClip(const struct replayRun *run, int64_t time)
{
	return CLAMP(time, run->model->from, run->model->to);
}

/** What is saved of a computation by that in states of a name. */
static int64_t replaySpare(const struct replayRun *run, struct replayRank *rank,
			   int64_t until, int64_t computed)
{
	int64_t time = callsUntil(rank->states, until);
	int64_t inside = CLAMP(time - rank->statesTime, 0, computed);

	rank->statesTime = time;
	return (int64_t)((double)inside * (1 - run->model->statesFactor));
}

/** Go on to a time that is not watched. */
static void replayAdvanceTo(struct replayRun *run, uint32_t trace, int64_t time)
{
	struct replayRank *rank = &run->ranks[trace];
	int64_t until = replayClip(run, time);
	int64_t busy, computed, inCalls, recorded;

	if (until <= rank->time)
		return;
	busy = callsUntil(rank->calls, until);
	if (busy == INT64_MIN) {
		run->error = -EIO;
		return;
	}
	inCalls = busy - rank->busy;
	computed = recorded = until - rank->time - inCalls;
	if (rank->states)
		computed -= replaySpare(run, rank, until, computed);
	if (run->model->factors)
		computed = (int64_t)((double)computed *
				     run->model->factors[trace]);
	if (run->model->isBalanced)
		computed = (int64_t)((double)computed * rank->factor);
	run->self->spared += recorded - computed;
	rank->clock += computed + (run->model->isIdeal ? 0 : inCalls);
	rank->busy = busy;
	rank->time = until;
}

/** The next time that is watched, not later than another one; false: none. */
static bool replayWatches(const struct replayRun *run, uint32_t trace,
			  int64_t until, int64_t *time)
{
	const struct replayWatch *watch = run->model->watch;

	if (!watch || run->error)
		return false;
	*time = watch->next(watch->data, trace);
	return *time <= until;
}

static void replayReach(const struct replayRun *run, uint32_t trace)
{
	const struct replayWatch *watch = run->model->watch;

	watch->reach(watch->data, trace, run->ranks[trace].clock);
}

/** Go on to a time: compute, and be in calls that need nothing. */
static void replayAdvance(struct replayRun *run, uint32_t trace, int64_t time)
{
	int64_t watched;

	while (replayWatches(run, trace, replayClip(run, time), &watched)) {
		replayAdvanceTo(run, trace, watched);
		replayReach(run, trace);
	}
	replayAdvanceTo(run, trace, time);
}

/** What a call takes, other than before. */
static int64_t replayChange(const struct replayRun *run,
			    const struct replayRank *rank, int64_t cost)
{
	const struct replayModel *model = run->model;
	int64_t latency = MIN(cost, run->self->smallest);

	if (model->isIdeal)
		return 0;
	if (rank->size < 0)
		return cost;
	return (int64_t)((double)latency * model->latency +
			 (double)(cost - latency) / model->bandwidth);
}

/** A call that needed something ends; its time was not gone through. */
static void replayEndCall(struct replayRun *run, uint32_t trace,
			  const struct replayEvent *event)
{
	struct replayRank *rank = &run->ranks[trace];
	int64_t until = replayClip(run, event->time);
	int64_t watched;

	rank->clock =
		rank->ready +
		replayChange(run, rank,
			     replayCost(event->call, rank->cause, event->time));
	rank->isInCall = false;
	if (until > rank->time) {
		rank->busy = callsUntil(rank->calls, until);
		rank->time = until;
		if (rank->busy == INT64_MIN)
			run->error = -EIO;
	}
	while (replayWatches(run, trace, until, &watched))
		replayReach(run, trace);
}

/* ---- Balance ------------------------------------------------------------ */

/** The number of the next event. */
static uint64_t replayPlace(const struct replayRank *rank)
{
	return rank->next - (rank->count - rank->at);
}

/** When the section that begins ends; INT64_MIN: nobody waits at its end. */
static int64_t replaySectionEnd(struct replayRun *run, uint32_t trace)
{
	const struct replayRank *rank = &run->ranks[trace];
	const struct replayList *list = &run->self->lists[trace];
	uint64_t next = replayPlace(rank);
	struct replayEvent event;

	for (; next < list->count && !run->error; next++) {
		run->error = spoolRead(run->self->spool,
				       list->offset + next * sizeof(event),
				       &event, sizeof(event));
		if (replayEndsSection(&event))
			return event.call;
	}
	return INT64_MIN;
}

/** What a rank computes until a time is to take the mean. */
static void replaySetMean(struct replayRun *run, uint32_t trace, int64_t until,
			  double mean)
{
	struct replayRank *rank = &run->ranks[trace];
	int64_t before = callsUntil(rank->ahead, rank->time);
	int64_t end = MAX(until, rank->time);
	int64_t own =
		end - rank->time - (callsUntil(rank->ahead, end) - before);

	rank->factor = 1;
	if (own > 0)
		rank->factor = mean / (double)own;
	else
		rank->clock += (int64_t)mean;
	if (own <= 0)
		run->self->spared -= (int64_t)mean;
}

/** An interval begins: several, if other ranks compute between events that are
 *  here in one call. */
static void replayStartInterval(struct replayRun *run, uint32_t trace)
{
	struct replayRank *rank = &run->ranks[trace];
	const struct replayEvent *event = replayNext(run, trace);
	const struct replaySection *section;
	uint64_t last = replayPlace(rank) - rank->firstEvent;
	double mean = 0;

	if (!rank->isEven || !event)
		return;
	section = replaySectionAt(run->self, rank->section);
	while (rank->intervals <= last && rank->intervals < section->intervals)
		mean += g_array_index(run->self->means, double,
				      section->first + rank->intervals++);
	replaySetMean(run, trace, replayReached(event), mean);
}

/** A section begins: find what is the mean of what. Where all ranks do the
 * same, these are the intervals: if what is computed at one place was spread
 * over others, ranks would wait for each other. */
static void replayStartSection(struct replayRun *run, uint32_t trace)
{
	struct replayRank *rank = &run->ranks[trace];
	int64_t end = replaySectionEnd(run, trace);
	const struct replaySection *section;

	rank->factor = 1;
	rank->isEven = false;
	if (end == INT64_MIN)
		return;
	section = replaySectionAt(run->self, rank->section);
	if (section->isUneven) {
		replaySetMean(run, trace, end, section->mean);
		return;
	}
	rank->isEven = true;
	rank->firstEvent = replayPlace(rank);
	rank->intervals = 0;
	replayStartInterval(run, trace);
}

/* ---- Running ------------------------------------------------------------ */

/** Whether two events are of the same call. */
static bool replayIsSameCall(const struct replayEvent *a,
			     const struct replayEvent *b)
{
	return b && b->kind == EVENT_TAKE && a->time == b->time &&
	       a->call == b->call;
}

static void replayGive(struct replayRun *run, uint32_t trace,
		       const struct replayEvent *event)
{
	replayAdvance(run, trace, event->time);
	meetingsGive(run->meetings, event, run->ranks[trace].clock, run->woken);
	run->ranks[trace].at++;
	replayStartInterval(run, trace);
}

/** False: it has to wait. */
static bool replayNeed(struct replayRun *run, uint32_t trace,
		       const struct replayEvent *event)
{
	struct replayRank *rank = &run->ranks[trace];
	const struct replayEvent taken = *event;
	int64_t time;

	if (!rank->isInCall) {
		replayAdvance(run, trace, event->call);
		rank->isInCall = true;
		rank->ready = rank->clock;
		rank->cause = event->call;
		rank->size = -1;
		rank->endsSection = false;
	}
	if (!meetingsTake(run->meetings, event, &time))
		return false;
	rank->ready = MAX(rank->ready, time);
	rank->cause = MAX(rank->cause, event->cause);
	rank->size = MAX(rank->size, event->size);
	rank->endsSection |= replayEndsSection(event);
	rank->at++;
	if (replayIsSameCall(&taken, replayNext(run, trace)))
		return true;
	replayEndCall(run, trace, &taken);
	if (rank->endsSection && run->model->isBalanced) {
		rank->section++;
		replayStartSection(run, trace);
	} else {
		replayStartInterval(run, trace);
	}
	return true;
}

static void replayWake(struct replayRun *run)
{
	for (guint i = 0; i < run->woken->len; i++) {
		uint32_t trace = g_array_index(run->woken, uint32_t, i);

		g_queue_push_tail(&run->queue, GUINT_TO_POINTER(trace + 1));
	}
	g_array_set_size(run->woken, 0);
}

/** Let a trace go on for a while. */
static void replayTurn(struct replayRun *run, uint32_t trace)
{
	const struct replayEvent *event;

	for (int i = 0; i < REPLAY_TURN; i++) {
		event = replayNext(run, trace);
		if (!event) {
			replayAdvance(run, trace,
				      callsOf(run->self->calls, trace)->end);
			run->left--;
			return;
		}
		if (event->kind == EVENT_GIVE)
			replayGive(run, trace, event);
		else if (!replayNeed(run, trace, event))
			return;
		replayWake(run);
	}
	g_queue_push_tail(&run->queue, GUINT_TO_POINTER(trace + 1));
}

static void replayStart(struct replayRun *run)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < run->self->traces; i++) {
		if (callsOf(run->self->calls, i)->count)
			first = MIN(first, callsOf(run->self->calls, i)->start);
	}
	first = replayClip(run, first);
	for (uint32_t i = 0; i < run->self->traces; i++) {
		struct replayRank *rank = &run->ranks[i];
		int64_t start = callsOf(run->self->calls, i)->start;

		/* Threads that call nothing follow the others. */
		if (start == INT64_MAX || !callsOf(run->self->calls, i)->count)
			continue;
		rank->calls = callsCursorNew(run->self->calls, i);
		rank->time = replayClip(run, start);
		rank->busy = callsUntil(rank->calls, rank->time);
		rank->clock = run->model->isIdeal ? 0 : rank->time - first;
		rank->factor = 1;
		if (run->model->isBalanced && run->self->lists[i].count) {
			rank->ahead = callsCursorNew(run->self->calls, i);
			replayStartSection(run, i);
		}
		if (run->model->states)
			rank->states = callsCursorNew(run->model->states, i);
		run->left++;
		g_queue_push_tail(&run->queue, GUINT_TO_POINTER(i + 1));
	}
}

static void replayEnd(struct replayRun *run, int64_t *time)
{
	*time = 0;
	for (size_t i = 0; i < run->self->traces; i++) {
		*time = MAX(*time, run->ranks[i].clock);
		callsCursorFree(run->ranks[i].calls);
		callsCursorFree(run->ranks[i].ahead);
		callsCursorFree(run->ranks[i].states);
	}
	g_free(run->ranks);
	meetingsFree(run->meetings);
	g_array_unref(run->woken);
	g_queue_clear(&run->queue);
}

int replayRun(struct replay *self, const struct replayModel *model,
	      int64_t *time)
{
	struct replayRun run = {
		.self = self,
		.model = model,
		.ranks = g_new0(struct replayRank, self->traces + 1),
		.meetings = meetingsNew(),
		.woken = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
	};
	gpointer next;

	g_queue_init(&run.queue);
	self->spared = 0;
	if (model->isBalanced)
		replaySections(self, &run.error);
	if (run.error == 0)
		replayStart(&run);
	while (run.error == 0 && (next = g_queue_pop_head(&run.queue)))
		replayTurn(&run, GPOINTER_TO_UINT(next) - 1);
	if (run.error == 0 && run.left)
		run.error = -EDEADLK;
	replayEnd(&run, time);
	return run.error;
}

int64_t replaySpared(const struct replay *self)
{
	return self->spared;
}

int64_t replayUseful(const struct replay *self, size_t trace, int64_t from,
		     int64_t to)
{
	const struct callsTrace *of = callsOf(self->calls, trace);
	struct callsCursor *cursor = callsCursorNew(self->calls, trace);
	int64_t before, until;

	from = MAX(from, of->start);
	to = MIN(to, of->end);
	if (from >= to) {
		callsCursorFree(cursor);
		return 0;
	}
	before = callsUntil(cursor, from);
	until = callsUntil(cursor, to);
	callsCursorFree(cursor);
	return until == INT64_MIN ? INT64_MIN : to - from - (until - before);
}
