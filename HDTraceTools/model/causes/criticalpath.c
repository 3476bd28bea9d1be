/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The critical path of a run.
 *
 * Waits come from dependencies.c, the latest first, so that the path is found
 * while they are taken. What it and the waits are made of is found trace by
 * trace: states are kept while traces are read, 24 bytes each.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/causes/criticalpath.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"

/** A state, as it is kept. */
struct pathRecord {
	int64_t start;
	int64_t end;
	uint32_t name; /**< Of those of its trace. */
	uint32_t depth;
};

/** A trace that was read. */
struct pathTrace {
	int64_t rank;
	int64_t start; /**< Of its first record; INT64_MAX: there is none. */
	int64_t end;
	uint64_t offset; /**< Of its states. */
	uint64_t count;
	GPtrArray *names;
	const struct powerSeries *power;
	struct attributionShare *share;
	int64_t waitEnd; /**< Of the wait that was found last. */
};

struct pathReader {
	struct dependencyReader *dependencies;
	uint32_t number;
	struct pathTrace trace;
	struct spool *states;
	GHashTable *names; /**< To their numbers + 1. */
};

struct pathSearch {
	struct dependencies *dependencies;
	struct pathTrace *traces;
	size_t traceCount;
	struct spool *states;  /**< struct pathRecord, of all. */
	GHashTable *functions; /**< Of MPI. */
};

/** A part of the path, or a wait beside it, of a trace. */
struct piece {
	struct pathPart part;
	bool isWait;
};

/* ---- While traces are read --------------------------------------------- */

static const char *const mpiFunctions[] = {
#define MPI_FUNCTION(name) name,
#define MPI_POINT2POINT(name, isSending, isReceiving)
#define MPI_COLLECTIVE(name, NAME, ROLE, isAlike)
#include "HDTraceTools/model/functions.h"
};

struct pathSearch *pathSearchNew(const hdIProject *project)
{
	const struct dependencyWish wish = {
		.kinds = DEPENDENCIES_BETWEEN,
		.order = DEPENDENCIES_FROM_LATEST,
		.onlyWaits = true,
	};
	struct pathSearch *self = g_new0(struct pathSearch, 1);

	self->dependencies = dependenciesNew(project, &wish);
	self->traceCount = project->traceCount;
	self->traces = g_new0(struct pathTrace, project->traceCount + 1);
	for (size_t i = 0; i < project->traceCount; i++)
		self->traces[i].start = INT64_MAX;
	self->states = spoolNew();
	self->functions = g_hash_table_new(g_str_hash, g_str_equal);
	for (size_t i = 0; i < G_N_ELEMENTS(mpiFunctions); i++)
		g_hash_table_add(self->functions, (void *)mpiFunctions[i]);
	return self;
}

void pathSearchFree(struct pathSearch *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->traceCount; i++) {
		if (self->traces[i].names)
			g_ptr_array_unref(self->traces[i].names);
		attributionShareFree(self->traces[i].share);
	}
	g_free(self->traces);
	dependenciesFree(self->dependencies);
	g_hash_table_destroy(self->functions);
	spoolFree(self->states);
	g_free(self);
}

struct pathReader *pathSearchEnter(struct pathSearch *self,
				   const hdITraceFile *trace, uint32_t number)
{
	struct pathReader *reader = g_new0(struct pathReader, 1);

	reader->dependencies =
		dependenciesEnter(self->dependencies, trace, number);
	reader->number = number;
	reader->trace.rank = dependencyRank(reader->dependencies);
	reader->trace.start = INT64_MAX;
	reader->trace.end = INT64_MIN;
	reader->trace.names = g_ptr_array_new_with_free_func(g_free);
	reader->states = spoolNew();
	reader->names = g_hash_table_new(g_str_hash, g_str_equal);
	return reader;
}

static uint32_t numberOf(struct pathReader *reader, const char *name)
{
	gpointer found = g_hash_table_lookup(reader->names, name);
	char *copy;

	if (found)
		return GPOINTER_TO_UINT(found) - 1;
	copy = g_strdup(name);
	g_ptr_array_add(reader->trace.names, copy);
	g_hash_table_insert(reader->names, copy,
			    GUINT_TO_POINTER(reader->trace.names->len));
	return reader->trace.names->len - 1;
}

int pathNote(struct pathReader *reader, const hdIRecord *record)
{
	struct pathTrace *trace = &reader->trace;
	struct pathRecord state = {
		.start = record->start,
		.end = record->end,
		.depth = record->depth,
	};
	int ret;

	trace->start = MIN(trace->start, record->start);
	trace->end = MAX(trace->end, record->end);
	if (record->kind != HDI_STATE)
		return 0;
	state.name = numberOf(reader, record->name);
	trace->count++;
	ret = spoolAppend(reader->states, &state, sizeof(state));
	return ret < 0 ? ret
		       : dependencyNote(reader->dependencies, record, true);
}

int pathSearchLeave(struct pathSearch *self, struct pathReader *reader,
		    const struct powerSeries *power,
		    struct attributionShare *share)
{
	struct pathTrace *trace = &self->traces[reader->number];
	int ret;

	*trace = reader->trace;
	trace->power = power;
	trace->share = share;
	trace->offset = spoolLength(self->states);
	trace->waitEnd = INT64_MIN;
	ret = spoolCopy(self->states, reader->states);
	if (ret == 0)
		ret = dependenciesLeave(self->dependencies,
					reader->dependencies);
	else
		dependenciesDrop(self->dependencies, reader->dependencies);
	spoolFree(reader->states);
	g_hash_table_destroy(reader->names);
	g_free(reader);
	return ret;
}

/* ---- The path ---------------------------------------------------------- */

/** The path while it is found. */
struct walk {
	struct pathSearch *search;
	struct criticalPath *path;
	struct sorter *pieces;
	uint32_t trace; /**< Where it is ... */
	int64_t time;   /**< ... and when. */
};

static int comparePieces(const void *a, const void *b)
{
	const struct piece *x = a;
	const struct piece *y = b;

	if (x->part.trace != y->part.trace)
		return x->part.trace < y->part.trace ? -1 : 1;
	if (x->part.start != y->part.start)
		return x->part.start < y->part.start ? -1 : 1;
	return x->isWait - y->isWait;
}

static int64_t lengthOf(const struct pathPart *part)
{
	return part->end - part->start;
}

static gint longestFirst(gconstpointer a, gconstpointer b)
{
	int64_t x = lengthOf(a);
	int64_t y = lengthOf(b);

	return (x < y) - (x > y);
}

/** Keep the longest parts only. */
static void dropParts(struct criticalPath *path)
{
	if (path->parts->len <= PATH_PARTS_MAX)
		return;
	g_array_sort(path->parts, longestFirst);
	path->hidden += path->parts->len - PATH_PARTS_MAX;
	g_array_set_size(path->parts, PATH_PARTS_MAX);
}

static void keepPart(struct criticalPath *path, const struct pathPart *part)
{
	if (path->parts->len == 4 * PATH_PARTS_MAX)
		dropParts(path);
	g_array_append_val(path->parts, *part);
}

static int addPiece(struct walk *walk, uint32_t trace, int64_t start,
		    int64_t end, bool isWait)
{
	struct piece piece = {
		.part = { .trace = trace, .start = start, .end = end },
		.isWait = isWait,
	};

	if (end <= start)
		return 0;
	if (!isWait)
		keepPart(walk->path, &piece.part);
	return sorterAdd(walk->pieces, &piece);
}

/** Take a wait; they come the latest first, and of one call the one that it
 *  waited for last. */
static int takeWait(struct walk *walk, const struct dependency *edge)
{
	struct pathTrace *to = &walk->search->traces[edge->to];
	int ret = 0;

	if (to->waitEnd != edge->toTime) {
		to->waitEnd = edge->toTime;
		walk->path->waiting += edge->fromTime - edge->toStart;
		ret = addPiece(walk, edge->to, edge->toStart, edge->fromTime,
			       true);
	}
	if (ret < 0 || edge->to != walk->trace || edge->toTime > walk->time)
		return ret;
	ret = addPiece(walk, walk->trace, edge->fromTime, walk->time, false);
	walk->path->transfer += edge->toTime - edge->fromTime;
	walk->path->jumps++;
	walk->trace = edge->from;
	walk->time = edge->fromTime;
	return ret;
}

static int findPath(struct walk *walk)
{
	struct pathSearch *search = walk->search;
	struct criticalPath *path = walk->path;
	struct dependency edge;
	int64_t start;
	int ret;

	path->end = INT64_MIN;
	for (uint32_t i = 0; i < search->traceCount; i++) {
		if (search->traces[i].start == INT64_MAX ||
		    search->traces[i].end <= path->end)
			continue;
		path->end = search->traces[i].end;
		path->isKnown = true;
		walk->trace = i;
	}
	if (!path->isKnown)
		return 0;
	walk->time = path->end;
	while ((ret = dependenciesNext(search->dependencies, &edge)) == 1) {
		ret = takeWait(walk, &edge);
		if (ret < 0)
			break;
	}
	path->counts = dependenciesCounts(search->dependencies);
	if (ret < 0)
		return ret;
	start = MIN(search->traces[walk->trace].start, walk->time);
	path->start = start;
	return addPiece(walk, walk->trace, start, walk->time, false);
}

/* ---- What it is made of ------------------------------------------------ */

/** Time on the path until a time, in one trace; parts are in their order. */
static int64_t pathUntil(const GArray *parts, const int64_t *sums, int64_t time)
{
	guint low = 0;
	guint high = parts->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(parts, struct pathPart, middle).start < time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	return sums[low - 1] +
	       MIN(time, g_array_index(parts, struct pathPart, low - 1).end) -
	       g_array_index(parts, struct pathPart, low - 1).start;
}

/** What lies in states at a depth, since the state above ended. */
struct depth {
	int64_t time;
	int64_t mpi;
};

/** States of a trace while they are gone through. */
struct tally {
	GArray *depths;    /**< struct depth */
	GHashTable *times; /**< Names to struct pathState, of all traces. */
	GHashTable *functions;
};

static struct depth *depthAt(struct tally *tally, uint32_t depth)
{
	if (tally->depths->len <= depth)
		g_array_set_size(tally->depths, depth + 1);
	return &g_array_index(tally->depths, struct depth, depth);
}

static void addTime(struct tally *tally, const char *name, int64_t time)
{
	struct pathState *state;

	if (time <= 0)
		return;
	state = g_hash_table_lookup(tally->times, name ? name : "");
	if (!state) {
		state = g_new0(struct pathState, 1);
		state->name = name;
		state->isMpi =
			name && g_hash_table_contains(tally->functions, name);
		g_hash_table_insert(tally->times, g_strdup(name ? name : ""),
				    state);
	}
	state->time += time;
}

/** Add a state that ended, which lies on the path for so long. */
static void addState(struct tally *tally, const struct pathRecord *record,
		     const char *name, int64_t time)
{
	struct depth inside = *depthAt(tally, record->depth + 1);
	struct depth *own;

	for (guint i = record->depth + 1; i < tally->depths->len; i++)
		g_array_index(tally->depths, struct depth, i) =
			(struct depth){ 0 };
	own = depthAt(tally, record->depth);
	addTime(tally, name, time - MIN(inside.time, time));
	own->time += time;
	if (time > 0)
		own->mpi += g_hash_table_contains(tally->functions, name)
				    ? time
				    : MIN(inside.mpi, time);
}

/** States that are read at once. */
#define AT_ONCE 1024

/** Go through the states of a trace with parts of the path. */
static int tallyTrace(struct pathSearch *self, const struct pathTrace *trace,
		      const GArray *parts, struct tally *tally,
		      struct pathRank *rank)
{
	struct pathRecord *records = g_new(struct pathRecord, AT_ONCE);
	int64_t *sums = g_new(int64_t, parts->len + 1);
	int64_t all = 0;
	int ret = 0;

	for (guint i = 0; i < parts->len; i++) {
		sums[i] = all;
		all += lengthOf(&g_array_index(parts, struct pathPart, i));
	}
	g_array_set_size(tally->depths, 0);
	for (uint64_t i = 0; i < trace->count && ret == 0;) {
		size_t count = (size_t)MIN(trace->count - i, AT_ONCE);

		ret = spoolRead(self->states,
				trace->offset + i * sizeof(*records), records,
				count * sizeof(*records));
		for (size_t k = 0; k < count && ret == 0; k++)
			addState(tally, &records[k],
				 trace->names->pdata[records[k].name],
				 pathUntil(parts, sums, records[k].end) -
					 pathUntil(parts, sums,
						   records[k].start));
		i += count;
	}
	g_free(records);
	addTime(tally, NULL, all - depthAt(tally, 0)->time);
	rank->time += all;
	rank->mpi += depthAt(tally, 0)->mpi;
	g_free(sums);
	return ret;
}

static void addAmount(struct attributionAmount *to,
		      struct attributionAmount amount)
{
	to->pico += amount.pico;
	to->measured += amount.measured;
}

static struct pathRank *rankAt(GArray *ranks, int64_t rank)
{
	struct pathRank new = { .rank = rank };

	for (guint i = 0; i < ranks->len; i++) {
		struct pathRank *found =
			&g_array_index(ranks, struct pathRank, i);

		if (found->rank == rank)
			return found;
	}
	g_array_append_val(ranks, new);
	return &g_array_index(ranks, struct pathRank, ranks->len - 1);
}

/** All pieces of a trace are known. */
static int endTrace(struct walk *walk, uint32_t number, const GArray *parts,
		    const GArray *waits, struct tally *tally)
{
	const struct pathTrace *trace = &walk->search->traces[number];
	struct criticalPath *path = walk->path;
	struct attributionCursor *cursor = NULL;
	int ret = 0;

	if (trace->power)
		cursor = attributionCursorNew(trace->power, trace->share);
	for (guint i = 0; cursor && i < parts->len + waits->len; i++) {
		bool isWait = i >= parts->len;
		const struct pathPart *part =
			isWait ? &g_array_index(waits, struct pathPart,
						i - parts->len)
			       : &g_array_index(parts, struct pathPart, i);

		addAmount(isWait ? &path->beside : &path->energy,
			  attributionCursorGet(cursor, part->start, part->end));
	}
	if (cursor)
		ret = attributionCursorError(cursor);
	attributionCursorFree(cursor);
	if (ret == 0 && parts->len)
		ret = tallyTrace(walk->search, trace, parts, tally,
				 rankAt(path->ranks, trace->rank));
	return ret;
}

static int takePieces(struct walk *walk, struct tally *tally)
{
	GArray *lists[2] = {
		g_array_new(FALSE, FALSE, sizeof(struct pathPart)),
		g_array_new(FALSE, FALSE, sizeof(struct pathPart)),
	};
	struct piece piece;
	uint32_t last = 0;
	int ret = 0;

	while (ret == 0 && (ret = sorterNext(walk->pieces, &piece)) == 1) {
		ret = 0;
		if (piece.part.trace != last) {
			ret = endTrace(walk, last, lists[0], lists[1], tally);
			g_array_set_size(lists[0], 0);
			g_array_set_size(lists[1], 0);
		}
		last = piece.part.trace;
		g_array_append_val(lists[piece.isWait], piece.part);
	}
	if (ret == 0)
		ret = endTrace(walk, last, lists[0], lists[1], tally);
	g_array_unref(lists[0]);
	g_array_unref(lists[1]);
	return ret;
}

static gint compareStates(gconstpointer a, gconstpointer b)
{
	const struct pathState *x = a;
	const struct pathState *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return g_strcmp0(x->name, y->name);
}

static gint compareRanks(gconstpointer a, gconstpointer b)
{
	const struct pathRank *x = a;
	const struct pathRank *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static gint compareParts(gconstpointer a, gconstpointer b)
{
	const struct pathPart *x = a;
	const struct pathPart *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/** Put the results in order. */
static void finishPath(struct criticalPath *path, GHashTable *times)
{
	GHashTableIter iterator;
	gpointer item;

	g_hash_table_iter_init(&iterator, times);
	while (g_hash_table_iter_next(&iterator, NULL, &item)) {
		struct pathState state = *(const struct pathState *)item;

		state.name = g_strdup(state.name);
		g_array_append_val(path->states, state);
	}
	for (guint i = 0; i < path->ranks->len; i++)
		path->mpi += g_array_index(path->ranks, struct pathRank, i).mpi;
	g_array_sort(path->states, compareStates);
	g_array_sort(path->ranks, compareRanks);
	dropParts(path);
	g_array_sort(path->parts, compareParts);
}

int pathSearchEnd(struct pathSearch *self, struct criticalPath **result)
{
	struct criticalPath *path = g_new0(struct criticalPath, 1);
	struct walk walk = {
		.search = self,
		.path = path,
		.pieces = sorterNew(sizeof(struct piece), comparePieces),
	};
	struct tally tally = {
		.depths = g_array_new(FALSE, TRUE, sizeof(struct depth)),
		.times = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					       g_free),
		.functions = self->functions,
	};
	int ret;

	path->ranks = g_array_new(FALSE, FALSE, sizeof(struct pathRank));
	path->states = g_array_new(FALSE, FALSE, sizeof(struct pathState));
	path->parts = g_array_new(FALSE, FALSE, sizeof(struct pathPart));
	ret = findPath(&walk);
	if (ret == 0 && path->isKnown)
		ret = takePieces(&walk, &tally);
	finishPath(path, tally.times);
	sorterFree(walk.pieces);
	g_array_unref(tally.depths);
	g_hash_table_destroy(tally.times);
	*result = path;
	return ret;
}

void criticalPathFree(struct criticalPath *self)
{
	if (!self)
		return;
	for (guint i = 0; i < self->states->len; i++)
		g_free((void *)g_array_index(self->states, struct pathState, i)
			       .name);
	g_array_unref(self->ranks);
	g_array_unref(self->states);
	g_array_unref(self->parts);
	g_free(self);
}
