/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Repeated sequences of states.
 *
 * A period that may be one is the distance of a state and one of the next of
 * its name. It is one if all states of a stretch equal those one period later.
 * If a state occurs once in a period it ends an iteration wherever it occurs,
 * so that an iteration with other states in it is found, too.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/base/names.h"
#include "HDTraceTools/model/regions/sequence.h"
#include "HDTraceTools/model/mpi/polls.h"

/** So many states of different names are tried, ... */
#define SEQUENCE_TOKENS 64
/** ... and so many of the next ones of each. */
#define SEQUENCE_NEXT 8
/** A stretch has so many periods at least. */
#define SEQUENCE_PERIODS 3

/** A state; of several ones that follow each other, all. */
struct sequenceState {
	uint32_t token; /**< The same for the same name and site. */
	int64_t start;
	int64_t end;
};

struct sequence {
	struct names *names;
	GHashTable *tokens; /**< uint64_t of name and site to token + 1. */
	GArray *states;     /**< struct sequenceState */
	int64_t start;
	int64_t end;
};

/** What repeats itself. */
struct sequenceStretch {
	const GArray *states;
	guint first;
	guint length; /**< States that equal those one period later. */
	guint period;
};

struct sequence *sequenceNew(void)
{
	struct sequence *self = g_new0(struct sequence, 1);

	self->names = namesNew();
	self->tokens = g_hash_table_new_full(g_int64_hash, g_int64_equal,
					     g_free, NULL);
	self->states = g_array_new(FALSE, FALSE, sizeof(struct sequenceState));
	self->start = INT64_MAX;
	self->end = INT64_MIN;
	return self;
}

void sequenceFree(struct sequence *self)
{
	if (!self)
		return;
	namesFree(self->names);
	g_hash_table_destroy(self->tokens);
	g_array_unref(self->states);
	g_free(self);
}

/** Whether it depends on chance how many states of a name there are. */
static bool sequenceIsOfChance(const char *name)
{
	return pollsIsTracer(name) || pollsIsMixed(name) || pollsIsTest(name);
}

static uint32_t sequenceToken(struct sequence *self, const hdIRecord *record,
			      const struct site *site)
{
	uint64_t key = (uint64_t)namesNumber(self->names, record->name) << 32 |
		       (site ? site->number + 1 : 0);
	gpointer token = g_hash_table_lookup(self->tokens, &key);

	if (token)
		return GPOINTER_TO_UINT(token) - 1;
	g_hash_table_insert(
		self->tokens, g_memdup2(&key, sizeof(key)),
		GUINT_TO_POINTER(g_hash_table_size(self->tokens) + 1));
	return g_hash_table_size(self->tokens) - 1;
}

void sequenceNote(struct sequence *self, const hdIRecord *record,
		  const struct site *site)
{
	struct sequenceState state = {
		.start = record->start,
		.end = record->end,
	};

	self->start = MIN(self->start, record->start);
	self->end = MAX(self->end, record->end);
	if (record->kind != HDI_STATE || self->states->len == SEQUENCE_MAX ||
	    sequenceIsOfChance(record->name))
		return;
	state.token = sequenceToken(self, record, site);
	g_array_append_val(self->states, state);
}

int64_t sequenceTime(const struct sequence *self)
{
	return self->start < self->end ? self->end - self->start : 0;
}

/* ---- Periods ------------------------------------------------------------ */

static const struct sequenceState *sequenceAt(const GArray *states, guint i)
{
	return &g_array_index(states, struct sequenceState, i);
}

static int sequenceCompareNumbers(const void *a, const void *b)
{
	guint x = *(const guint *)a;
	guint y = *(const guint *)b;

	return (x > y) - (x < y);
}

/** The number that occurs most often of a sorted list. */
static guint sequenceMode(const GArray *numbers)
{
	guint best = 0, most = 0, count = 0;

	for (guint i = 0; i < numbers->len; i++) {
		guint number = g_array_index(numbers, guint, i);

		count = i && g_array_index(numbers, guint, i - 1) == number
				? count + 1
				: 1;
		if (count > most) {
			most = count;
			best = number;
		}
	}
	return best;
}

/** Add distances that states of a token have most often. */
static void sequenceAddPeriods(const GArray *places, GHashTable *periods)
{
	GArray *distances = g_array_new(FALSE, FALSE, sizeof(guint));

	for (guint next = 1; next <= SEQUENCE_NEXT && next + 1 < places->len;
	     next++) {
		guint period;

		g_array_set_size(distances, 0);
		for (guint i = next; i < places->len; i++) {
			guint distance = g_array_index(places, guint, i) -
					 g_array_index(places, guint, i - next);

			g_array_append_val(distances, distance);
		}
		qsort(distances->data, distances->len, sizeof(guint),
		      sequenceCompareNumbers);
		period = sequenceMode(distances);
		g_hash_table_add(periods, GUINT_TO_POINTER(period));
	}
	g_array_unref(distances);
}

static gint sequenceCompareCounts(gconstpointer a, gconstpointer b)
{
	const GArray *x = *(const GArray *const *)a;
	const GArray *y = *(const GArray *const *)b;

	return (x->len > y->len) - (x->len < y->len);
}

static void sequenceUnref(void *array)
{
	g_array_unref(array);
}

/** What may be periods: keys of a set, of the rarest states that repeat. */
static GHashTable *sequencePeriods(const GArray *states)
{
	GHashTable *periods = g_hash_table_new(NULL, NULL);
	GPtrArray *places = g_ptr_array_new_with_free_func(sequenceUnref);
	guint tried = 0;

	for (guint i = 0; i < states->len; i++) {
		uint32_t token = sequenceAt(states, i)->token;

		while (places->len <= token)
			g_ptr_array_add(places, g_array_new(FALSE, FALSE,
							    sizeof(guint)));
		g_array_append_val((GArray *)places->pdata[token], i);
	}
	g_ptr_array_sort(places, sequenceCompareCounts);
	for (guint i = 0; i < places->len && tried < SEQUENCE_TOKENS; i++) {
		const GArray *of = places->pdata[i];

		if (of->len < SEQUENCE_PERIODS)
			continue;
		sequenceAddPeriods(of, periods);
		tried++;
	}
	g_ptr_array_unref(places);
	return periods;
}

/** The longest stretch of a period. */
static struct sequenceStretch sequenceLongest(const GArray *states,
					      guint period)
{
	struct sequenceStretch best = { states, 0, 0, period };
	guint first = 0;

	for (guint i = 0; i + period < states->len; i++) {
		if (sequenceAt(states, i)->token !=
		    sequenceAt(states, i + period)->token)
			first = i + 1;
		else if (i + 1 - first > best.length) {
			best.first = first;
			best.length = i + 1 - first;
		}
	}
	return best;
}

static int64_t sequenceCovers(const struct sequenceStretch *stretch)
{
	const GArray *states = stretch->states;
	guint last = stretch->first + stretch->length + stretch->period - 1;

	return sequenceAt(states, last)->end -
	       sequenceAt(states, stretch->first)->start;
}

/** The stretch that takes most time; of nearly the same the shortest period. */
static struct sequenceStretch sequenceBest(const GArray *states)
{
	GHashTable *periods = sequencePeriods(states);
	struct sequenceStretch best = { states, 0, 0, 0 };
	GHashTableIter iterator;
	gpointer key;

	g_hash_table_iter_init(&iterator, periods);
	while (g_hash_table_iter_next(&iterator, &key, NULL)) {
		struct sequenceStretch stretch =
			sequenceLongest(states, GPOINTER_TO_UINT(key));
		double time, most;

		if (stretch.length < (SEQUENCE_PERIODS - 1) * stretch.period)
			continue;
		time = (double)sequenceCovers(&stretch);
		most = best.period ? (double)sequenceCovers(&best) : 0;
		if (!best.period || 0.95 * time > most ||
		    (time > 0.95 * most && stretch.period < best.period))
			best = stretch;
	}
	g_hash_table_destroy(periods);
	return best;
}

/* ---- Iterations --------------------------------------------------------- */

/** Of the states that occur once in a period, the one that is rarest in all; of
 * these the last one. False: there is none. */
static bool sequenceAnchor(const struct sequenceStretch *stretch,
			   uint32_t *anchor)
{
	GHashTable *all = g_hash_table_new(NULL, NULL);
	GHashTable *inside = g_hash_table_new(NULL, NULL);
	guint least = G_MAXUINT;

	for (guint i = 0; i < stretch->states->len; i++) {
		gpointer key =
			GUINT_TO_POINTER(sequenceAt(stretch->states, i)->token);
		gpointer count = g_hash_table_lookup(all, key);

		g_hash_table_insert(
			all, key,
			GUINT_TO_POINTER(GPOINTER_TO_UINT(count) + 1));
		if (i < stretch->first || i >= stretch->first + stretch->period)
			continue;
		count = g_hash_table_lookup(inside, key);
		g_hash_table_insert(
			inside, key,
			GUINT_TO_POINTER(GPOINTER_TO_UINT(count) + 1));
	}
	for (guint i = 0; i < stretch->period; i++) {
		uint32_t token =
			sequenceAt(stretch->states, stretch->first + i)->token;
		gpointer key = GUINT_TO_POINTER(token);
		guint count = GPOINTER_TO_UINT(g_hash_table_lookup(all, key));

		if (g_hash_table_lookup(inside, key) != GUINT_TO_POINTER(1) ||
		    count > least)
			continue;
		least = count;
		*anchor = token;
	}
	g_hash_table_destroy(all);
	g_hash_table_destroy(inside);
	return least != G_MAXUINT;
}

/** When an iteration of a period begins whose last state is at a place. */
static int64_t sequenceBegin(const struct sequenceStretch *stretch, guint place)
{
	guint period = stretch->period;
	int64_t start = INT64_MAX;

	if (place >= period)
		return sequenceAt(stretch->states, place - period)->end;
	for (guint i = 0; i <= place; i++)
		start = MIN(start, sequenceAt(stretch->states, i)->start);
	return start;
}

static void sequenceAdd(GArray *iterations, int64_t start, int64_t end)
{
	const struct iteration iteration = { start, end };

	if (start < end)
		g_array_append_val(iterations, iteration);
}

/** Iterations of a stretch only. */
static void sequenceDivide(const struct sequenceStretch *stretch,
			   GArray *iterations)
{
	guint end = stretch->first + stretch->length + stretch->period;

	for (guint i = stretch->first + stretch->period; i <= end;
	     i += stretch->period)
		sequenceAdd(iterations, sequenceBegin(stretch, i - 1),
			    sequenceAt(stretch->states, i - 1)->end);
}

/** Iterations that end with a state, as long as they have not too many others;
 *  the most of these. */
static void sequenceFollow(const struct sequenceStretch *stretch,
			   uint32_t anchor, GArray *iterations)
{
	GArray *chain = g_array_new(FALSE, FALSE, sizeof(struct iteration));
	guint most = 4 * stretch->period + 8;
	guint last = 0;
	bool isAny = false;

	for (guint i = 0; i < stretch->states->len; i++) {
		const struct sequenceState *state =
			sequenceAt(stretch->states, i);

		if (state->token != anchor)
			continue;
		if (isAny && i - last > most)
			g_array_set_size(chain, 0);
		if (!isAny || i - last > most)
			sequenceAdd(chain, sequenceBegin(stretch, i),
				    state->end);
		else
			sequenceAdd(chain,
				    sequenceAt(stretch->states, last)->end,
				    state->end);
		if (chain->len > iterations->len) {
			g_array_set_size(iterations, 0);
			g_array_append_vals(iterations, chain->data,
					    chain->len);
		}
		isAny = true;
		last = i;
	}
	g_array_unref(chain);
}

/** Several of the same that follow each other become one. */
static GArray *sequenceMerge(const GArray *states)
{
	GArray *merged =
		g_array_new(FALSE, FALSE, sizeof(struct sequenceState));

	for (guint i = 0; i < states->len; i++) {
		struct sequenceState state = *sequenceAt(states, i);
		struct sequenceState *last =
			merged->len
				? &g_array_index(merged, struct sequenceState,
						 merged->len - 1)
				: NULL;

		if (last && last->token == state.token)
			last->end = state.end;
		else
			g_array_append_val(merged, state);
	}
	return merged;
}

/** Whether iterations take enough time. */
static bool sequenceIsEnough(const struct sequence *self,
			     const GArray *iterations)
{
	int64_t sum = 0;

	for (guint i = 0; i < iterations->len; i++) {
		const struct iteration *iteration =
			&g_array_index(iterations, struct iteration, i);

		sum += iteration->end - iteration->start;
	}
	return iterations->len >= SEQUENCE_PERIODS &&
	       2 * sum >= sequenceTime(self);
}

static bool sequenceFindIn(const struct sequence *self, const GArray *states,
			   GArray *iterations)
{
	struct sequenceStretch best = sequenceBest(states);
	uint32_t anchor;

	if (best.period && sequenceAnchor(&best, &anchor))
		sequenceFollow(&best, anchor, iterations);
	else if (best.period)
		sequenceDivide(&best, iterations);
	if (sequenceIsEnough(self, iterations))
		return true;
	g_array_set_size(iterations, 0);
	return false;
}

GArray *sequenceFind(const struct sequence *self)
{
	GArray *iterations =
		g_array_new(FALSE, FALSE, sizeof(struct iteration));
	GArray *merged;

	if (sequenceFindIn(self, self->states, iterations))
		return iterations;
	merged = sequenceMerge(self->states);
	sequenceFindIn(self, merged, iterations);
	g_array_unref(merged);
	return iterations;
}
