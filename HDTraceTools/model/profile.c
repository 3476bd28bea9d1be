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
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/polls.h"
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
	struct sites *sites;
	GHashTable *placed; /**< Of a name and a site, to struct profileSite. */
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
	cost->events = (struct profileEvents){ 0 };
	cost->outside = (struct profileEvents){ 0 };
	memset(cost->amounts, 0, sources * sizeof(*cost->amounts));
}

void profileEventsAdd(struct profileEvents *to,
		      const struct profileEvents *from)
{
	if (!from->counted)
		return;
	to->counted += from->counted;
	for (int i = 0; i < PROFILE_EVENTS; i++) {
		to->with[i] += from->with[i];
		to->total[i] += from->total[i];
	}
	to->both += from->both;
	to->bothCycles += from->bothCycles;
	to->bothInstructions += from->bothInstructions;
}

static void costAdd(struct profileCost *to, const struct profileCost *from,
		    size_t sources)
{
	to->time += from->time;
	profileEventsAdd(&to->events, &from->events);
	profileEventsAdd(&to->outside, &from->outside);
	for (size_t i = 0; i < sources; i++) {
		to->amounts[i].pico += from->amounts[i].pico;
		to->amounts[i].measured += from->amounts[i].measured;
	}
}

/** Take off what lies inside, but for events; nothing becomes negative, even if
 *  states overlap that should not. */
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

static void freeSite(void *data)
{
	struct profileSite *site = data;

	g_free(site->name);
	siteUnref(site->site);
	g_free(site->own.amounts);
	g_free(site);
}

struct profile *profileNew(size_t sources)
{
	struct profile *self = g_new0(struct profile, 1);

	self->sources = sources;
	self->states = g_ptr_array_new_with_free_func(freeState);
	self->names = g_hash_table_new(g_str_hash, g_str_equal);
	self->sites = g_ptr_array_new_with_free_func(freeSite);
	self->siteNames =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
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
	g_hash_table_destroy(self->siteNames);
	g_ptr_array_unref(self->sites);
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

/** The states of a name at a site; they are added if there were none. */
static struct profileSite *siteOf(struct profile *self, const char *name,
				  const struct site *site)
{
	char *key = g_strdup_printf("%s %s", name, site->key);
	gpointer found = g_hash_table_lookup(self->siteNames, key);
	struct profileSite *states;

	if (found) {
		g_free(key);
		return self->sites->pdata[GPOINTER_TO_SIZE(found) - 1];
	}
	states = g_new0(struct profileSite, 1);
	states->name = g_strdup(name);
	states->site = siteRef(site);
	states->own = costNew(self->sources);
	g_ptr_array_add(self->sites, states);
	g_hash_table_insert(self->siteNames, key,
			    GSIZE_TO_POINTER(self->sites->len));
	return states;
}

gint profileCompareSites(gconstpointer a, gconstpointer b)
{
	const struct profileSite *x = *(const struct profileSite *const *)a;
	const struct profileSite *y = *(const struct profileSite *const *)b;
	int order = (x->own.time < y->own.time) - (x->own.time > y->own.time);

	if (order == 0)
		order = strcmp(x->name, y->name);
	return order ? order : siteCompare(x->site, y->site);
}

static void profileAddSite(struct profile *self,
			   const struct profileSite *other)
{
	struct profileSite *to = siteOf(self, other->name, other->site);

	to->count += other->count;
	to->longest = MAX(to->longest, other->longest);
	costAdd(&to->own, &other->own, self->sources);
}

void profileAdd(struct profile *self, const struct profile *other)
{
	for (guint i = 0; i < other->sites->len; i++)
		profileAddSite(self, other->sites->pdata[i]);
	for (guint i = 0; i < other->states->len; i++)
		profileAddState(self, other->states->pdata[i]);
	self->stateCount += other->stateCount;
	self->eventCount += other->eventCount;
	self->epochs += other->epochs;
	self->polled += other->polled;
	self->callNs = MAX(self->callNs, other->callNs);
	self->start = MIN(self->start, other->start);
	self->end = MAX(self->end, other->end);
}

/* ---- Depths ------------------------------------------------------------ */

static struct nesting *profileNestingAt(struct reading *self,
					unsigned int depth)
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
			addPending(self,
				   profileNestingAt(self, (unsigned int)depth),
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
		struct nesting *nesting =
			profileNestingAt(self, self->used - 1);

		raiseNesting(self, nesting, (int)depth, name);
		if (self->used == depth + 2 && nesting->lastEnd > start)
			costSubtract(&self->own, &nesting->inside, sources);
		costClear(&nesting->inside, sources);
		nesting->lastEnd = INT64_MIN;
		self->used--;
	}
}

/* ---- Events of the processor ------------------------------------------- */

struct profileEvents profileOutside(const struct profile *self)
{
	struct profileEvents sum = { 0 };

	for (guint i = 0; i < self->states->len; i++) {
		const struct profileState *state = self->states->pdata[i];

		profileEventsAdd(&sum, &state->own.outside);
	}
	return sum;
}

double profileRatio(const struct profileEvents *events)
{
	if (!events->both || events->bothCycles == 0)
		return NAN;
	return (double)events->bothInstructions / (double)events->bothCycles;
}

/** Attributes of states. */
static const struct {
	const char *name;
	enum profileEvent event;
	bool isOutside;
} eventNames[] = {
	{ "cycles", PROFILE_CYCLES, false },
	{ "instructions", PROFILE_INSTRUCTIONS, false },
	{ "cacheMisses", PROFILE_CACHE_MISSES, false },
	{ "outsideCycles", PROFILE_CYCLES, true },
	{ "outsideInstructions", PROFILE_INSTRUCTIONS, true },
	{ "outsideCacheMisses", PROFILE_CACHE_MISSES, true },
};

/** Take a count that a state has, if it is one. */
static void profileAddEvent(struct profileCost *cost,
			    const hdIAttribute *attribute)
{
	int64_t number;

	for (size_t i = 0; i < G_N_ELEMENTS(eventNames); i++) {
		struct profileEvents *events = eventNames[i].isOutside
						       ? &cost->outside
						       : &cost->events;

		if (strcmp(attribute->name, eventNames[i].name) != 0)
			continue;
		if (!messagesReadNumber(attribute->value, &number) ||
		    number < 0)
			return;
		events->counted = 1;
		events->with[eventNames[i].event] = 1;
		events->total[eventNames[i].event] = number;
	}
}

/** Only a part of the time counts. */
static void profileScaleEvents(struct profileEvents *events, int64_t part,
			       int64_t all)
{
	for (int i = 0; i < PROFILE_EVENTS && part < all; i++)
		events->total[i] = events->total[i] * part / all;
}

static void noteBoth(struct profileEvents *events)
{
	if (!events->with[PROFILE_CYCLES] ||
	    !events->with[PROFILE_INSTRUCTIONS])
		return;
	events->both = 1;
	events->bothCycles = events->total[PROFILE_CYCLES];
	events->bothInstructions = events->total[PROFILE_INSTRUCTIONS];
}

/** What the processor did in a state, of which only a part may count, and
 * before it: that counts where the state begins. */
static void countEvents(struct reading *self, const hdIRecord *record)
{
	struct profileCost *cost = &self->cost;

	cost->events = (struct profileEvents){ 0 };
	cost->outside = (struct profileEvents){ 0 };
	for (size_t i = 0; i < record->attributeCount; i++) {
		/* Most have other names. */
		if (strchr("cio", record->attributes[i].name[0]))
			profileAddEvent(cost, &record->attributes[i]);
	}
	profileScaleEvents(&cost->events, cost->time,
			   record->end - record->start);
	if (record->start < self->start)
		cost->outside = (struct profileEvents){ 0 };
	noteBoth(&cost->events);
	noteBoth(&cost->outside);
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

/** States that were counted were called at a site. */
static void placeState(struct reading *self, size_t name, uint64_t count,
		       const struct site *site)
{
	struct profileState *state = self->profile->states->pdata[name];
	uint64_t key = (uint64_t)name << 32 | site->number;
	struct profileSite *states = g_hash_table_lookup(self->placed, &key);

	if (!states) {
		states = siteOf(self->profile, state->name, site);
		g_hash_table_insert(self->placed, g_memdup2(&key, sizeof(key)),
				    states);
	}
	states->count += count;
	states->longest =
		MAX(states->longest, self->cost.time / (int64_t)count);
	costAdd(&states->own, &self->own, self->profile->sources);
}

/** Count states of a name at the place of a record, which cost self->cost
 *  together, and self->own without those that lie in them. */
static void countStates(struct reading *self, const hdIRecord *record,
			size_t name, uint64_t count, const struct site *site)
{
	struct profileState *state = self->profile->states->pdata[name];
	struct nesting *nesting = profileNestingAt(self, record->depth);
	size_t sources = self->profile->sources;

	costAdd(&nesting->inside, &self->cost, sources);
	nesting->lastEnd = record->end;
	addPending(self, nesting, name, count, &self->cost);
	state->count += count;
	state->longest = MAX(state->longest, self->cost.time / (int64_t)count);
	costAdd(&state->own, &self->own, sources);
	if (site)
		placeState(self, name, count, site);
}

/** Let self->cost and self->own be a part of what a state costs in all. */
static void costDivide(struct reading *self, const struct profileCost *whole,
		       int64_t part, int64_t length)
{
	struct profileCost *cost = &self->cost;

	cost->time = (int64_t)((__int128)whole->time * part / length);
	cost->events = (struct profileEvents){ 0 };
	cost->outside = (struct profileEvents){ 0 };
	for (size_t i = 0; i < self->profile->sources; i++) {
		const struct attributionAmount *amount = &whole->amounts[i];

		cost->amounts[i].pico = amount->pico * part / length;
		cost->amounts[i].measured =
			(int64_t)((__int128)amount->measured * part / length);
	}
	costClear(&self->own, self->profile->sources);
	costAdd(&self->own, cost, self->profile->sources);
}

/** A state that stands for many calls, of which only a part is in the time that
 *  counts; see polls.h. */
static void addPolls(struct reading *self, const hdIRecord *record,
		     const struct pollsPart *parts, size_t count,
		     const struct site *site)
{
	size_t sources = self->profile->sources;
	int64_t length = MAX(record->end - record->start, 1);
	struct profileCost whole = costNew(sources);

	costAdd(&whole, &self->cost, sources);
	for (size_t i = 0; i < count; i++) {
		size_t name = positionOf(self->profile, parts[i].name);
		bool isTracer = pollsIsTracer(parts[i].name);

		if (!isTracer)
			self->profile->polled += parts[i].calls;
		costDivide(self, &whole, parts[i].time, length);
		countStates(self, record, name, parts[i].calls,
			    isTracer ? NULL : site);
	}
	g_free(whole.amounts);
}

static void profileCountState(struct reading *self, const hdIRecord *record,
			      const struct site *site)
{
	struct pollsPart parts[POLLS_PARTS + 1];
	int64_t start = MAX(record->start, self->start);
	int64_t end = MIN(record->end, self->end);
	size_t count = pollsParts(record, parts), name = SIZE_MAX;

	/* A state that does not count has a name in the list, too. */
	for (size_t i = 0; i < count; i++)
		positionOf(self->profile, parts[i].name);
	if (count == 0)
		name = positionOf(self->profile, record->name);
	if (end < start || (end == start && record->start < record->end)) {
		closeLevels(self, record->depth, record->start, SIZE_MAX);
		return;
	}
	getCost(self, start, end);
	countEvents(self, record);
	if (count > 0) {
		closeLevels(self, record->depth, record->start, SIZE_MAX);
		addPolls(self, record, parts, count, site);
		return;
	}
	closeLevels(self, record->depth, record->start, name);
	countStates(self, record, name, 1, site);
}

/** The tracer says what each call takes. */
static void takeCallNs(struct profile *profile, const hdIRecord *record)
{
	int64_t ns;

	if (pollsIsTracer(record->name) &&
	    messagesNumber(record->attributes, record->attributeCount, "callNs",
			   &ns))
		profile->callNs = MAX(profile->callNs, ns);
}

static bool addRecord(struct reading *self, const hdIRecord *record,
		      profileProgress *progress, void *data)
{
	struct profile *profile = self->profile;
	const struct site *site = NULL;

	profile->start = MIN(profile->start, record->start);
	profile->end = MAX(profile->end, record->end);
	if (record->kind == HDI_EVENT) {
		profile->eventCount +=
			record->end > self->start && record->end <= self->end;
	} else {
		profile->stateCount +=
			record->end > self->start && record->start < self->end;
		profile->epochs += messagesEpoch(record, NULL);
		takeCallNs(profile, record);
		sitesTake(self->sites, record, &site);
		profileCountState(self, record, site);
	}
	return !progress || progress(data, record, site);
}

/** The trace is over: what waits lies in nothing. */
static void profileFinish(struct reading *self)
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
	g_hash_table_destroy(self->placed);
	sitesFree(self->sites);
	g_free(self->cost.amounts);
	g_free(self->own.amounts);
}

void profileClip(struct profile *self, int64_t start, int64_t end)
{
	self->start = MAX(self->start, start);
	self->end = MIN(self->end, end);
	if (self->start <= self->end)
		return;
	self->start = INT64_MAX;
	self->end = INT64_MIN;
}

/** Leave out what does not count, but for the time of the whole trace. */
static void profileSkip(struct reading *self, hdITraceReader *reader)
{
	struct profile *profile = self->profile;
	int64_t start, end;

	if (hdI_skipTrace(reader, self->start, self->end) != 1 ||
	    hdI_getTraceTimes(reader, &start, &end) != 1)
		return;
	profile->start = MIN(profile->start, start);
	profile->end = MAX(profile->end, end);
}

int profileRead(const hdIProject *project, const hdITraceFile *trace,
		const struct diagnosticSink *sink,
		const struct profileSource *sources, size_t count,
		int64_t start, int64_t end, bool needsAll,
		profileProgress *progress, void *data, struct profile **profile)
{
	hdITraceReader *reader = diagnosticsOpenTrace(project, trace, sink);
	struct reading self = {
		.sources = sources,
		.start = start,
		.end = end,
	};
	const hdIRecord *record;
	bool goesOn = true;

	if (!reader)
		return -errno;
	self.profile = profileNew(count);
	self.nestings = g_array_new(FALSE, FALSE, sizeof(struct nesting));
	self.cost = costNew(count);
	self.own = costNew(count);
	self.sites = sitesNew();
	self.placed = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    NULL);
	clockStepsOfTrace(reader, trace, &self.profile->steps);
	if (!needsAll)
		profileSkip(&self, reader);
	while (goesOn && hdI_readTrace(reader, &record) == 1)
		goesOn = addRecord(&self, record, progress, data);
	hdI_closeTrace(reader);
	profileFinish(&self);
	if (!goesOn) {
		profileFree(self.profile);
		return -ECANCELED;
	}
	*profile = self.profile;
	return 0;
}
