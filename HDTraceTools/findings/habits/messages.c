/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Findings of habits that cost time: polling, many small messages, and ranks
 * far from those that they send to.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/findings/habits/habits.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/model/mpi/polls.h"
#include "HDTraceTools/model/mpi/roles.h"
#include "common/format/level.h"

/** Messages of fewer bytes are small. */
#define HABITS_SMALL 1024
/** Bytes of so many pairs of traces are kept. */
#define HABITS_PAIRS (1 << 18)

/** Bytes between two traces, and time of receiving them. */
struct habitsPair {
	uint32_t sender;
	uint32_t receiver;
	int64_t bytes;
	int64_t time;
};

struct habits *habitsNew(const hdIProject *project)
{
	struct habits *self = g_new0(struct habits, 1);

	self->project = project;
	self->hostLevel = MAX(rolesLevel(project, HD_LEVEL_HOST), 1);
	self->times = g_new0(int64_t, project->traceCount + 1);
	self->tinyTimes = g_new0(int64_t, project->traceCount + 1);
	self->accesses = g_new0(struct habitsCount, project->traceCount + 1);
	self->openings = g_new0(struct habitsCount, project->traceCount + 1);
	self->pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					    g_free);
	return self;
}

void habitsFree(struct habits *self)
{
	if (!self)
		return;
	g_free(self->times);
	g_free(self->tinyTimes);
	g_free(self->accesses);
	g_free(self->openings);
	g_hash_table_destroy(self->pairs);
	g_free(self);
}

/* ---- Taking messages ------------------------------------------------------
 */

/** Time of a call that does nothing but this, after the other end was there. */
static int64_t habitsCallTime(const struct dependencyPart *part, int64_t other)
{
	if (part->waited != part->start)
		return 0;
	return MAX(part->end - MAX(part->start, other), 0);
}

static void habitsAddPair(struct habits *self,
			  const struct dependencyMatch *match, int64_t time)
{
	uint64_t key =
		(uint64_t)match->parts[0].trace << 32 | match->parts[1].trace;
	struct habitsPair *pair = g_hash_table_lookup(self->pairs, &key);

	if (!pair && g_hash_table_size(self->pairs) >= HABITS_PAIRS) {
		self->isFull = true;
		return;
	}
	if (!pair) {
		pair = g_new0(struct habitsPair, 1);
		pair->sender = match->parts[0].trace;
		pair->receiver = match->parts[1].trace;
		g_hash_table_insert(self->pairs, g_memdup2(&key, sizeof(key)),
				    pair);
	}
	pair->bytes += match->size;
	pair->time += time;
}

static void habitsTakeMessage(struct habits *self,
			      const struct dependencyMatch *match,
			      const struct selection *selection)
{
	const struct dependencyPart *sender = match->parts;
	const struct dependencyPart *receiver = match->parts + 1;
	int64_t received;

	if (match->size < 0 || receiver->end <= selection->start ||
	    receiver->end > selection->end)
		return;
	received = habitsCallTime(receiver, sender->start);
	habitsAddPair(self, match, received);
	if (match->size >= HABITS_SMALL)
		return;
	self->small++;
	self->times[receiver->trace] += received;
	/* A call counts once. */
	if (sender->receives)
		return;
	self->times[sender->trace] += habitsCallTime(
		sender, receiver->start < sender->end ? receiver->start
						      : sender->start);
}

void habitsTake(struct habits *self, const struct dependencyMatch *match,
		const struct selection *selection)
{
	if (match->meeting == MEETING_MESSAGE) {
		habitsTakeMessage(self, match, selection);
		return;
	}
	if (match->meeting != MEETING_COLLECTIVE ||
	    match->parts[0].end <= selection->start ||
	    match->parts[0].end > selection->end)
		return;
	if (match->isTiny)
		habitsTakeTiny(self, match);
	else if (match->pattern == PATTERN_FILES ||
		 match->pattern == PATTERN_ALONE)
		habitsTakeOpening(self, match);
}

/* ---- Findings -------------------------------------------------------------
 */

static void habitsFindPolling(struct findings *findings)
{
	struct finding finding = {
		.kind = FINDING_POLLING,
		.title = "Ranks test again and again whether something came",
		.advice = "Wait with MPI_Wait or MPI_Waitany where there is "
			  "nothing else to do, or compute more between tests.",
	};

	for (guint i = 0; i < findings->profile->states->len; i++) {
		const struct profileState *state =
			findings->profile->states->pdata[i];

		if (!mpiIsFunction(state->name) || !pollsIsTest(state->name))
			continue;
		finding.count += state->count;
		finding.time += state->own.time;
		if (!findings->profile->sources)
			continue;
		finding.energy.pico += state->own.amounts[FINDINGS_RULE].pico;
		finding.energy.measured +=
			state->own.amounts[FINDINGS_RULE].measured;
	}
	if (finding.count >= HABITS_MANY)
		findingsAddFinding(findings, finding, findingShares(),
				   findingShares(), findingShares());
}

void habitsAdd(struct findings *findings, struct finding finding,
	       const int64_t *times)
{
	GArray *waiting = findingShares();

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct findingShare share = {
			.rank = findings->traces[i].rank,
			.time = times[i],
		};

		finding.time += share.time;
		if (share.rank >= 0 && share.time)
			g_array_append_val(waiting, share);
	}
	if (finding.count < HABITS_MANY)
		finding.time = 0;
	findingsAddFinding(findings, finding, waiting, findingShares(),
			   findingShares());
}

static void habitsFindSmall(struct findings *findings)
{
	const struct habits *habits = findings->habits;

	habitsAdd(findings,
		  (struct finding){
			  .kind = FINDING_SMALL_MESSAGES,
			  .title = "Ranks send many small messages",
			  .advice = "Combine messages to the same rank into "
				    "fewer, larger ones.",
			  .count = habits->small,
		  },
		  habits->times);
}

/* ---- Placement ------------------------------------------------------------
 */

/** A trace and its host: of ranks in their order. */
struct habitsPlace {
	int64_t rank;
	uint32_t trace;
	uint32_t host; /**< From 0 on, in the order of the lowest ranks. */
};

static gint habitsComparePlaces(gconstpointer a, gconstpointer b)
{
	const struct habitsPlace *x = a;
	const struct habitsPlace *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/** Where ranks are. @p sizes: how many there are on each host. */
static GArray *habitsPlaces(const struct findings *findings, GArray *sizes)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(struct habitsPlace));
	GHashTable *hosts = g_hash_table_new(NULL, NULL);

	for (size_t i = 0; i < findings->project->traceCount; i++) {
		const struct habitsPlace place = {
			.rank = findings->traces[i].rank,
			.trace = (uint32_t)i,
		};

		if (place.rank >= 0 && callsOf(findings->calls, i)->count)
			g_array_append_val(places, place);
	}
	g_array_sort(places, habitsComparePlaces);
	for (guint i = 0; i < places->len; i++) {
		struct habitsPlace *place =
			&g_array_index(places, struct habitsPlace, i);
		gpointer node = (gpointer)rolesAt(
			findings->project->traces[place->trace]->node,
			findings->habits->hostLevel);
		guint host = GPOINTER_TO_UINT(g_hash_table_lookup(hosts, node));

		if (!host) {
			host = g_hash_table_size(hosts) + 1;
			g_hash_table_insert(hosts, node,
					    GUINT_TO_POINTER(host));
			g_array_set_size(sizes, host);
		}
		place->host = host - 1;
		g_array_index(sizes, guint, host - 1)++;
	}
	g_hash_table_destroy(hosts);
	return places;
}

/** Hosts by trace if consecutive ranks are on one host, or on one after the
 *  other. */
static uint32_t *habitsPlaced(const struct findings *findings,
			      const GArray *places, const GArray *sizes,
			      bool isCyclic)
{
	uint32_t *hosts = g_new0(uint32_t, findings->project->traceCount + 1);
	guint *left = g_memdup2(sizes->data, sizes->len * sizeof(guint));
	uint32_t host = 0;

	for (guint i = 0; i < places->len; i++) {
		while (!left[host])
			host = (host + 1) % sizes->len;
		hosts[g_array_index(places, struct habitsPlace, i).trace] =
			host;
		left[host]--;
		host = (host + (isCyclic ? 1 : 0)) % sizes->len;
	}
	g_free(left);
	return hosts;
}

/** Bytes between hosts, and time of receiving them. */
static int64_t habitsBetween(const struct habits *habits, const uint32_t *hosts,
			     int64_t *time)
{
	GHashTableIter iterator;
	int64_t bytes = 0;
	gpointer value;

	*time = 0;
	g_hash_table_iter_init(&iterator, habits->pairs);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const struct habitsPair *pair = value;

		if (hosts[pair->sender] == hosts[pair->receiver])
			continue;
		bytes += pair->bytes;
		*time += pair->time;
	}
	return bytes;
}

static void habitsJudgePlaces(struct findings *findings, const GArray *places,
			      const GArray *sizes)
{
	uint32_t *is = g_new0(uint32_t, findings->project->traceCount + 1);
	int64_t least[2], time, ignored, bytes;
	bool isCyclic;

	for (guint i = 0; i < places->len; i++) {
		const struct habitsPlace *place =
			&g_array_index(places, struct habitsPlace, i);

		is[place->trace] = place->host;
	}
	bytes = habitsBetween(findings->habits, is, &time);
	for (int i = 0; i < 2; i++) {
		uint32_t *hosts = habitsPlaced(findings, places, sizes, i);

		least[i] = habitsBetween(findings->habits, hosts, &ignored);
		g_free(hosts);
	}
	isCyclic = least[1] < least[0];
	g_free(is);
	/* Less than a fifth is not worth it. */
	if (bytes == 0 || bytes - least[isCyclic] < (bytes + 4) / 5)
		return;
	findingsAddFinding(
		findings,
		(struct finding){
			.kind = FINDING_PLACEMENT,
			.title = "Ranks that exchange most bytes are on "
				 "different nodes",
			.advice = isCyclic ? "Place consecutive ranks on "
					     "different nodes, such as with "
					     "--map-by node."
					   : "Place consecutive ranks on the "
					     "same node, such as with "
					     "--map-by slot.",
			.count = g_hash_table_size(findings->habits->pairs),
			.time = (int64_t)((double)time *
					  (1 - (double)least[isCyclic] /
						       (double)bytes)),
		},
		findingShares(), findingShares(), findingShares());
}

static void habitsFindPlacement(struct findings *findings)
{
	GArray *sizes = g_array_new(FALSE, TRUE, sizeof(guint));
	GArray *places = habitsPlaces(findings, sizes);

	if (sizes->len > 1 && !findings->habits->isFull)
		habitsJudgePlaces(findings, places, sizes);
	g_array_unref(places);
	g_array_unref(sizes);
}

void findingsFindHabits(struct findings *findings)
{
	habitsFindPolling(findings);
	habitsFindSmall(findings);
	findingsFindCollectives(findings);
	findingsFindFiles(findings);
	habitsFindPlacement(findings);
}
