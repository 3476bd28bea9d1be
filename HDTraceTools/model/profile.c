/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Time and energy of the states of a trace, by their names.
 *
 * Records come in the order in which they end, so what lies in a state is known
 * before it. For each depth two things are kept until a state around it ends:
 * what the states at that depth cost in all, which is no own time of the state
 * around them; and what the states of each name cost, which do not count again
 * if the state around them has their name.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "HDTraceTools/model/messages.h"
#include "HDTraceTools/model/profile.h"

/** States of one name at a depth and below. */
struct pending {
	bool isActive; /**< If not, the rest is not valid. */
	uint64_t count;
	struct profileCost cost;
};

/** What is known of a depth, since the last state above it ended. */
struct nesting {
	struct pending *pending; /**< For each name. */
	size_t room;
	GArray *active;            /**< size_t: names. */
	struct profileCost inside; /**< Of its states. */
	int64_t lastEnd;
};

/** A trace while it is read. */
struct reading {
	struct profile *profile;
	const struct profileSource *sources;
	int64_t start;
	int64_t end;
	GArray *nestings;  /**< struct nesting */
	unsigned int used; /**< Number of nestings with something in them. */
	struct profileCost cost; /**< Of the state that ends ... */
	struct profileCost own;  /**< ... without those in it. */
};

/* ---- Costs ------------------------------------------------------------- */

static struct profileCost costNew(size_t sources)
{
	return (struct profileCost){
		.amounts = g_new0(struct attributionAmount, sources + 1),
	};
}

static void costClear(struct profileCost *cost, size_t sources)
{
	cost->time = 0;
	memset(cost->amounts, 0, sources * sizeof(*cost->amounts));
}

static void costAdd(struct profileCost *to, const struct profileCost *from,
		    size_t sources)
{
	to->time += from->time;
	for (size_t i = 0; i < sources; i++) {
		to->amounts[i].pico += from->amounts[i].pico;
		to->amounts[i].measured += from->amounts[i].measured;
	}
}

/** Take off what lies inside; nothing becomes negative, even if states overlap
 *  that should not. */
static void costSubtract(struct profileCost *from,
			 const struct profileCost *inside, size_t sources)
{
	from->time = MAX(from->time - inside->time, 0);
	for (size_t i = 0; i < sources; i++) {
		struct attributionAmount *amount = &from->amounts[i];

		amount->measured =
			MAX(amount->measured - inside->amounts[i].measured, 0);
		amount->pico -= inside->amounts[i].pico;
		if (amount->measured == 0 && from->time == 0)
			amount->pico = 0;
	}
}

/* ---- Profiles ---------------------------------------------------------- */

static void freeState(void *data)
{
	struct profileState *state = data;

	g_free(state->name);
	g_free(state->total.amounts);
	g_free(state->own.amounts);
	g_free(state);
}

struct profile *profileNew(size_t sources)
{
	struct profile *self = g_new0(struct profile, 1);

	self->sources = sources;
	self->states = g_ptr_array_new_with_free_func(freeState);
	self->names = g_hash_table_new(g_str_hash, g_str_equal);
	self->start = INT64_MAX;
	self->end = INT64_MIN;
	return self;
}

void profileFree(struct profile *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->names);
	g_ptr_array_unref(self->states);
	g_free(self);
}

/** Position of the states of a name; they are added if there were none. */
static size_t positionOf(struct profile *self, const char *name)
{
	gpointer found = g_hash_table_lookup(self->names, name);
	struct profileState *state;

	if (found)
		return GPOINTER_TO_SIZE(found) - 1;
	state = g_new0(struct profileState, 1);
	state->name = g_strdup(name);
	state->total = costNew(self->sources);
	state->own = costNew(self->sources);
	g_ptr_array_add(self->states, state);
	g_hash_table_insert(self->names, state->name,
			    GSIZE_TO_POINTER(self->states->len));
	return self->states->len - 1;
}

struct profileState *profileFind(const struct profile *self, const char *name)
{
	gpointer found = g_hash_table_lookup(self->names, name);

	return found ? self->states->pdata[GPOINTER_TO_SIZE(found) - 1] : NULL;
}

void profileAddState(struct profile *self, const struct profileState *state)
{
	size_t at = positionOf(self, state->name);
	struct profileState *to = self->states->pdata[at];

	to->count += state->count;
	to->outer += state->outer;
	to->longest = MAX(to->longest, state->longest);
	costAdd(&to->total, &state->total, self->sources);
	costAdd(&to->own, &state->own, self->sources);
}

void profileAdd(struct profile *self, const struct profile *other)
{
	for (guint i = 0; i < other->states->len; i++)
		profileAddState(self, other->states->pdata[i]);
	self->stateCount += other->stateCount;
	self->eventCount += other->eventCount;
	self->epochs += other->epochs;
	self->start = MIN(self->start, other->start);
	self->end = MAX(self->end, other->end);
}

/* ---- Depths ------------------------------------------------------------ */

static struct nesting *nestingAt(struct reading *self, unsigned int depth)
{
	size_t sources = self->profile->sources;

	while (self->nestings->len <= depth) {
		struct nesting nesting = {
			.active = g_array_new(FALSE, FALSE, sizeof(size_t)),
			.inside = costNew(sources),
			.lastEnd = INT64_MIN,
		};

		g_array_append_val(self->nestings, nesting);
	}
	self->used = MAX(self->used, depth + 1);
	return &g_array_index(self->nestings, struct nesting, depth);
}

/** Add states of a name to those that wait at a depth. */
static void addPending(struct reading *self, struct nesting *nesting,
		       size_t name, uint64_t count,
		       const struct profileCost *cost)
{
	size_t sources = self->profile->sources;
	struct pending *pending;

	if (name >= nesting->room) {
		size_t room = MAX(2 * nesting->room, name + 16);

		nesting->pending =
			g_renew(struct pending, nesting->pending, room);
		memset(nesting->pending + nesting->room, 0,
		       (room - nesting->room) * sizeof(*pending));
		nesting->room = room;
	}
	pending = &nesting->pending[name];
	if (!pending->cost.amounts)
		pending->cost = costNew(sources);
	if (!pending->isActive) {
		pending->isActive = true;
		pending->count = 0;
		costClear(&pending->cost, sources);
		g_array_append_val(nesting->active, name);
	}
	pending->count += count;
	costAdd(&pending->cost, cost, sources);
}

/** A state of a name ends at a depth, or all do (-1): what waits at a nesting
 *  moves there, but for those of the name. */
static void raiseNesting(struct reading *self, struct nesting *nesting,
			 int depth, size_t without)
{
	for (guint i = 0; i < nesting->active->len; i++) {
		size_t name = g_array_index(nesting->active, size_t, i);
		struct pending *pending = &nesting->pending[name];
		struct profileState *state = self->profile->states->pdata[name];

		pending->isActive = false;
		if (depth < 0) {
			state->outer += pending->count;
			costAdd(&state->total, &pending->cost,
				self->profile->sources);
		} else if (name != without) {
			addPending(self, nestingAt(self, (unsigned int)depth),
				   name, pending->count, &pending->cost);
		}
	}
	g_array_set_size(nesting->active, 0);
}

/**
 * A state that starts at a time and costs self->cost ends at a depth: tells its
 * own cost. What waits deeper moves to this depth. It is taken off, unless it
 * was over before the state began: then the state that it was in is missing.
 */
static void closeLevels(struct reading *self, unsigned int depth, int64_t start,
			size_t name)
{
	size_t sources = self->profile->sources;

	costClear(&self->own, sources);
	costAdd(&self->own, &self->cost, sources);
	while (self->used > depth + 1) {
		struct nesting *nesting = nestingAt(self, self->used - 1);

		raiseNesting(self, nesting, (int)depth, name);
		if (self->used == depth + 2 && nesting->lastEnd > start)
			costSubtract(&self->own, &nesting->inside, sources);
		costClear(&nesting->inside, sources);
		nesting->lastEnd = INT64_MIN;
		self->used--;
	}
}

/* ---- Records ----------------------------------------------------------- */

static void getCost(struct reading *self, int64_t start, int64_t end)
{
	struct profileCost *cost = &self->cost;

	cost->time = MAX(end - start, 0);
	for (size_t i = 0; i < self->profile->sources; i++) {
		const struct profileSource *source = &self->sources[i];

		cost->amounts[i] = (struct attributionAmount){ .pico = 0 };
		if (source->cursor)
			cost->amounts[i] = attributionCursorGet(source->cursor,
								start, end);
	}
}

static void addState(struct reading *self, const hdIRecord *record)
{
	size_t sources = self->profile->sources;
	size_t name = positionOf(self->profile, record->name);
	struct profileState *state = self->profile->states->pdata[name];
	int64_t start = MAX(record->start, self->start);
	int64_t end = MIN(record->end, self->end);
	struct nesting *nesting;

	if (end < start || (end == start && record->start < record->end)) {
		closeLevels(self, record->depth, record->start, SIZE_MAX);
		return;
	}
	getCost(self, start, end);
	closeLevels(self, record->depth, record->start, name);
	nesting = nestingAt(self, record->depth);
	costAdd(&nesting->inside, &self->cost, sources);
	nesting->lastEnd = record->end;
	addPending(self, nesting, name, 1, &self->cost);
	state->count++;
	state->longest = MAX(state->longest, self->cost.time);
	costAdd(&state->own, &self->own, sources);
}

static void addRecord(struct reading *self, const hdIRecord *record)
{
	struct profile *profile = self->profile;

	profile->start = MIN(profile->start, record->start);
	profile->end = MAX(profile->end, record->end);
	if (record->kind == HDI_EVENT) {
		profile->eventCount++;
		return;
	}
	profile->stateCount++;
	profile->epochs += messagesEpoch(record, NULL);
	addState(self, record);
}

/** The trace is over: what waits lies in nothing. */
static void finish(struct reading *self)
{
	for (guint i = 0; i < self->nestings->len; i++) {
		struct nesting *nesting =
			&g_array_index(self->nestings, struct nesting, i);

		raiseNesting(self, nesting, -1, SIZE_MAX);
		for (size_t k = 0; k < nesting->room; k++)
			g_free(nesting->pending[k].cost.amounts);
		g_free(nesting->pending);
		g_array_unref(nesting->active);
		g_free(nesting->inside.amounts);
	}
	g_array_unref(self->nestings);
	g_free(self->cost.amounts);
	g_free(self->own.amounts);
}

int profileRead(const hdIProject *project, const hdITraceFile *trace,
		const struct diagnosticSink *sink,
		const struct profileSource *sources, size_t count,
		int64_t start, int64_t end, profileProgress *progress,
		void *data, struct profile **profile)
{
	hdITraceReader *reader = diagnosticsOpenTrace(project, trace, sink);
	struct reading self = {
		.sources = sources,
		.start = start,
		.end = end,
	};
	const hdIRecord *record;

	if (!reader)
		return -errno;
	self.profile = profileNew(count);
	self.nestings = g_array_new(FALSE, FALSE, sizeof(struct nesting));
	self.cost = costNew(count);
	self.own = costNew(count);
	while (hdI_readTrace(reader, &record) == 1) {
		addRecord(&self, record);
		if (progress)
			progress(data, record);
	}
	hdI_closeTrace(reader);
	finish(&self);
	*profile = self.profile;
	return 0;
}
