/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Exclusive times of states, while traces are read, and their sums.
 */
#include "config.h"

#include <glib.h>
#include <pthread.h>
#include <string.h>

#include "HDTraceTools/base/comparekeys.h"
#include "HDTraceTools/base/names.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/model/lateness/ownpages.h"
#include "HDTraceTools/model/lateness/ownstates.h"

/** A state while they are sorted. */
struct ownState {
	int64_t start;
	int64_t end;
	uint32_t number;
	uint32_t trace;
	uint32_t depth;
};

/** So many states of a trace are handed on at once. */
#define OWNSTATES_HELD 256

struct ownStates {
	struct sorter *sorter;
	struct ownPages *pages;
	pthread_mutex_t mutex; /**< For the names and the sorter. */
	struct names *names;
};

struct ownStatesReader {
	struct ownStates *owner;
	uint32_t trace;
	struct names *names;
	GArray *numbers; /**< uint32_t by the trace's numbers; 0: not yet. */
	struct ownState held[OWNSTATES_HELD];
	uint32_t count; /**< Of these. */
	int error;
};

/** What is around others comes before these. */
static int ownStatesCompare(const void *a, const void *b)
{
	const struct ownState *x = a;
	const struct ownState *y = b;

	COMPARE_KEYS(x->trace, y->trace);
	COMPARE_KEYS(x->start, y->start);
	COMPARE_KEYS(x->depth, y->depth);
	COMPARE_KEYS(y->end, x->end);
	COMPARE_KEYS(x->number, y->number);
	return 0;
}

struct ownStates *ownStatesNew(size_t traces)
{
	struct ownStates *self = g_new0(struct ownStates, 1);

	self->sorter = sorterNew(sizeof(struct ownState), ownStatesCompare);
	self->pages = ownPagesNew(traces);
	self->names = namesNew();
	pthread_mutex_init(&self->mutex, NULL);
	return self;
}

void ownStatesFree(struct ownStates *self)
{
	if (!self)
		return;
	sorterFree(self->sorter);
	ownPagesFree(self->pages);
	namesFree(self->names);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

const char *ownStatesName(const struct ownStates *self, uint32_t number)
{
	return number < OWNSTATES_NAMED
		       ? NULL
		       : namesAt(self->names, number - OWNSTATES_NAMED);
}

/* ---- While traces are read ---------------------------------------------- */

struct ownStatesReader *ownStatesEnter(struct ownStates *self, uint32_t trace)
{
	struct ownStatesReader *reader = g_new0(struct ownStatesReader, 1);

	reader->owner = self;
	reader->trace = trace;
	reader->names = namesNew();
	reader->numbers = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	return reader;
}

/** The number of a name for all traces. */
static uint32_t ownStatesNumber(struct ownStatesReader *reader,
				const char *name)
{
	uint32_t own = namesNumber(reader->names, name);
	struct ownStates *self = reader->owner;
	uint32_t *number;

	if (reader->numbers->len <= own)
		g_array_set_size(reader->numbers, own + 1);
	number = &g_array_index(reader->numbers, uint32_t, own);
	if (*number)
		return *number;
	pthread_mutex_lock(&self->mutex);
	*number = namesNumber(self->names, name) + OWNSTATES_NAMED;
	pthread_mutex_unlock(&self->mutex);
	return *number;
}

static void ownStatesHandOn(struct ownStatesReader *reader)
{
	struct ownStates *self = reader->owner;

	pthread_mutex_lock(&self->mutex);
	for (uint32_t i = 0; i < reader->count && reader->error == 0; i++)
		reader->error = sorterAdd(self->sorter, &reader->held[i]);
	pthread_mutex_unlock(&self->mutex);
	reader->count = 0;
}

int ownStatesNote(struct ownStatesReader *reader, const hdIRecord *record)
{
	/* The trace may start or end with one that takes no time. */
	if (record->kind != HDI_STATE || record->end < record->start)
		return reader->error;
	reader->held[reader->count++] = (struct ownState){
		.start = record->start,
		.end = record->end,
		.number = ownStatesNumber(reader, record->name),
		.trace = reader->trace,
		.depth = record->depth,
	};
	if (reader->count == OWNSTATES_HELD)
		ownStatesHandOn(reader);
	return reader->error;
}

int ownStatesLeave(struct ownStatesReader *reader)
{
	int ret;

	ownStatesHandOn(reader);
	ret = reader->error;
	namesFree(reader->names);
	g_array_unref(reader->numbers);
	g_free(reader);
	return ret;
}

/* ---- Intervals ---------------------------------------------------------- */

/** What is open, and the waits that come. */
struct ownWalk {
	struct ownPages *pages;
	GArray *open; /**< struct ownState, the innermost last. */
	bool isIn;    /**< In a trace, which is this one: */
	uint32_t trace;
	int64_t time; /**< All until then is known. */
	ownStatesNextWait *next;
	void *data;
	struct ownStatesWait wait;
	bool hasWait;
	int error;
};

static void ownWalkNextWait(struct ownWalk *walk)
{
	int ret = walk->next(walk->data, &walk->wait);

	walk->hasWait = ret == 1;
	if (ret < 0 && walk->error == 0)
		walk->error = ret;
}

static void ownWalkPut(struct ownWalk *walk, int64_t start, uint32_t number)
{
	int ret = ownPagesAdd(walk->pages, start, number);

	if (walk->error == 0)
		walk->error = ret;
}

/** All until a time is in what is innermost, or in waits. */
static void ownWalkUntil(struct ownWalk *walk, int64_t to)
{
	guint depth = walk->open->len;
	uint32_t number =
		depth ? g_array_index(walk->open, struct ownState, depth - 1)
				.number
		      : OWNSTATES_OUTSIDE;

	while (walk->time < to) {
		int64_t until = to;

		while (walk->hasWait && (walk->wait.trace < walk->trace ||
					 (walk->wait.trace == walk->trace &&
					  walk->wait.end <= walk->time)))
			ownWalkNextWait(walk);
		if (!walk->hasWait || walk->wait.trace != walk->trace ||
		    walk->wait.start >= to) {
			ownWalkPut(walk, walk->time, number);
		} else if (walk->wait.start > walk->time) {
			until = walk->wait.start;
			ownWalkPut(walk, walk->time, number);
		} else {
			until = MIN(to, walk->wait.end);
			ownWalkPut(walk, walk->time, OWNSTATES_WAIT);
		}
		walk->time = until;
	}
}

/** States that end not later than a time are over. */
static void ownWalkClose(struct ownWalk *walk, int64_t until)
{
	while (walk->open->len) {
		int64_t end = g_array_index(walk->open, struct ownState,
					    walk->open->len - 1)
				      .end;

		if (end > until)
			break;
		ownWalkUntil(walk, end);
		g_array_set_size(walk->open, walk->open->len - 1);
	}
}

static void ownWalkLeave(struct ownWalk *walk)
{
	int ret;

	if (!walk->isIn)
		return;
	ownWalkClose(walk, INT64_MAX);
	ret = ownPagesLeave(walk->pages, walk->time);
	if (walk->error == 0)
		walk->error = ret;
	walk->isIn = false;
}

static void ownWalkTake(struct ownWalk *walk, const struct ownState *state)
{
	if (!walk->isIn || state->trace != walk->trace) {
		ownWalkLeave(walk);
		walk->isIn = true;
		walk->trace = state->trace;
		walk->time = state->start;
		ownPagesEnter(walk->pages, state->trace, state->start);
	}
	ownWalkClose(walk, state->start);
	ownWalkUntil(walk, state->start);
	g_array_append_val(walk->open, *state);
}

int ownStatesEnd(struct ownStates *self, ownStatesNextWait *next, void *data)
{
	struct ownWalk walk = {
		.pages = self->pages,
		.open = g_array_new(FALSE, FALSE, sizeof(struct ownState)),
		.next = next,
		.data = data,
	};
	struct ownState state;
	int ret;

	ownWalkNextWait(&walk);
	while ((ret = sorterNext(self->sorter, &state)) == 1 && walk.error == 0)
		ownWalkTake(&walk, &state);
	ownWalkLeave(&walk);
	g_array_unref(walk.open);
	sorterFree(self->sorter);
	self->sorter = NULL;
	return ret < 0 ? ret : walk.error;
}

/* ---- Sums --------------------------------------------------------------- */

void ownSumsInit(struct ownSums *sums, const struct ownStates *states)
{
	uint32_t count = namesCount(states->names) + OWNSTATES_NAMED;

	sums->times = g_new0(int64_t, count);
	sums->numbers = g_new0(uint32_t, count);
	sums->isListed = g_new0(bool, count);
	sums->count = 0;
}

void ownSumsClear(struct ownSums *sums)
{
	g_free(sums->times);
	g_free(sums->numbers);
	g_free(sums->isListed);
	*sums = (struct ownSums){ .count = 0 };
}

void ownSumsReset(struct ownSums *sums)
{
	for (uint32_t i = 0; i < sums->count; i++) {
		sums->times[sums->numbers[i]] = 0;
		sums->isListed[sums->numbers[i]] = false;
	}
	sums->count = 0;
}

static void ownSumsAdd(void *data, uint32_t number, int64_t time)
{
	struct ownSums *sums = data;

	if (!sums->isListed[number]) {
		sums->isListed[number] = true;
		sums->numbers[sums->count++] = number;
	}
	sums->times[number] += time;
}

int64_t ownStatesStart(const struct ownStates *self, uint32_t trace)
{
	return ownPagesStart(self->pages, trace);
}

int ownStatesAdd(struct ownStates *self, uint32_t trace, int64_t from,
		 int64_t to, struct ownSums *sums)
{
	return ownPagesSum(self->pages, trace, from, to, ownSumsAdd, sums);
}
