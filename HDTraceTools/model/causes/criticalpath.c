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

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "HDTraceTools/model/causes/criticalpath.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/base/names.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/polls.h"
#include "HDTraceTools/model/mpi/roles.h"

/** A state, as it is kept. */
struct pathRecord {
	int64_t start;
	int64_t end;
	int64_t own;   /**< So much of the time between them; see polls.h. */
	uint32_t name; /**< Of those of its trace. */
	uint32_t depth;
};

/** A trace that was read. */
struct pathTrace {
	int64_t rank;
	int64_t start; /**< Of its first record; INT64_MAX: there is none. */
	int64_t end;
	GArray *chunks; /**< uint64_t: where its states are, CHUNK of them. */
	uint64_t count;
	uint32_t *names; /**< Numbers of its names among all. */
	struct pathPower power;
	int64_t waitEnd; /**< Of the wait that was found last. */
};

struct pathReader {
	struct dependencyReader *dependencies;
	uint32_t number;
	struct pathTrace trace;
	struct pathSearch *search;
	struct pathRecord *states; /**< Those that are not in a chunk yet. */
	struct names *names;
};

/** States that are kept and read at once. */
#define CHUNK 1024

struct pathSearch {
	const hdIProject *project;
	struct dependencies *dependencies;
	struct pathTrace *traces;
	size_t traceCount;
	struct forest *forest; /**< NULL: no relations. */
	int64_t *waitEnds;     /**< Of relations, as of struct pathTrace. */
	struct names *names;   /**< Of all. */
	struct spool *states;  /**< struct pathRecord, chunk by chunk. */
	pthread_mutex_t mutex; /**< For it, while traces are read. */
};

/** A part of the path, or a wait beside it, of a trace. */
struct piece {
	struct pathPart part;
	bool isWait;
};

/* ---- While traces are read --------------------------------------------- */

struct pathSearch *pathSearchNew(const hdIProject *project,
				 dependencyTake *take, void *data)
{
	const struct dependencyFilter filter = {
		.kinds = DEPENDENCIES_BETWEEN,
		.order = DEPENDENCIES_FROM_LATEST,
		.onlyWaits = true,
		.take = take,
		.takeData = data,
	};
	struct pathSearch *self = g_new0(struct pathSearch, 1);

	self->project = project;
	self->dependencies = dependenciesNew(project, &filter);
	self->traceCount = project->traceCount;
	self->traces = g_new0(struct pathTrace, project->traceCount + 1);
	for (size_t i = 0; i < project->traceCount; i++)
		self->traces[i].start = INT64_MAX;
	self->states = spoolNew();
	self->names = namesNew();
	pthread_mutex_init(&self->mutex, NULL);
	return self;
}

void pathSearchFree(struct pathSearch *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->traceCount; i++) {
		if (self->traces[i].chunks)
			g_array_unref(self->traces[i].chunks);
		g_free(self->traces[i].names);
	}
	g_free(self->traces);
	g_free(self->waitEnds);
	dependenciesFree(self->dependencies);
	namesFree(self->names);
	spoolFree(self->states);
	pthread_mutex_destroy(&self->mutex);
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
	reader->trace.chunks = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	reader->search = self;
	reader->names = namesNew();
	return reader;
}

/** Keep the states that were gathered. */
static int endChunk(struct pathReader *reader)
{
	struct pathSearch *search = reader->search;
	uint64_t count = reader->trace.count -
			 (uint64_t)reader->trace.chunks->len * CHUNK;
	uint64_t offset;
	int ret;

	if (count == 0)
		return 0;
	pthread_mutex_lock(&search->mutex);
	offset = spoolLength(search->states);
	ret = spoolAppend(search->states, reader->states,
			  count * sizeof(*reader->states));
	pthread_mutex_unlock(&search->mutex);
	g_array_append_val(reader->trace.chunks, offset);
	return ret;
}

/** Keep a state. */
static int keepState(struct pathReader *reader, struct pathRecord *state,
		     const char *name, int64_t own)
{
	struct pathTrace *trace = &reader->trace;

	state->name = namesNumber(reader->names, name);
	state->own = own;
	if (!reader->states)
		reader->states = g_new(struct pathRecord, CHUNK);
	reader->states[trace->count++ % CHUNK] = *state;
	return trace->count % CHUNK ? 0 : endChunk(reader);
}

/** Keep a state, or what it is made of. */
static int keepRecord(struct pathReader *reader, const hdIRecord *record)
{
	struct pollsPart parts[POLLS_PARTS + 1];
	size_t count = pollsParts(record, parts);
	struct pathRecord state = {
		.start = record->start,
		.end = record->end,
		.depth = record->depth,
	};
	int ret = 0;

	if (count == 0)
		return keepState(reader, &state, record->name,
				 record->end - record->start);
	for (size_t i = 0; i < count && ret == 0; i++)
		ret = keepState(reader, &state, parts[i].name, parts[i].time);
	return ret;
}

int pathNote(struct pathReader *reader, const hdIRecord *record)
{
	struct pathTrace *trace = &reader->trace;
	int ret;

	trace->start = MIN(trace->start, record->start);
	trace->end = MAX(trace->end, record->end);
	if (record->kind != HDI_STATE)
		return 0;
	ret = keepRecord(reader, record);
	return ret < 0 ? ret
		       : dependencyNote(reader->dependencies, record, true);
}

int pathSearchLeave(struct pathSearch *self, struct pathReader *reader,
		    const struct pathPower *power)
{
	struct pathTrace *trace = &self->traces[reader->number];
	int ret = endChunk(reader);

	*trace = reader->trace;
	trace->power = *power;
	trace->waitEnd = INT64_MIN;
	trace->names = g_new(uint32_t, namesCount(reader->names) + 1);
	for (uint32_t i = 0; i < namesCount(reader->names); i++)
		trace->names[i] =
			namesNumber(self->names, namesAt(reader->names, i));
	if (ret == 0)
		ret = dependenciesLeave(self->dependencies,
					reader->dependencies);
	else
		dependenciesDrop(reader->dependencies);
	namesFree(reader->names);
	g_free(reader->states);
	g_free(reader);
	return ret;
}

int pathSearchRelations(struct pathSearch *self, struct forest *forest)
{
	uint32_t count = forestCount(forest);

	self->forest = forest;
	self->waitEnds = g_new(int64_t, (size_t)count + 1);
	for (uint32_t i = 0; i < count; i++)
		self->waitEnds[i] = INT64_MIN;
	if (self->traceCount >= UINT32_MAX - count)
		return -EFBIG;
	return dependenciesAddRelations(self->dependencies, forest,
					(uint32_t)self->traceCount);
}

/* ---- The path ---------------------------------------------------------- */

/** Whether an activity is a relation, beyond all traces. */
static bool isRelation(const struct pathSearch *self, uint32_t activity)
{
	return activity >= self->traceCount;
}

static uint32_t relationOf(const struct pathSearch *self, uint32_t activity)
{
	return activity - (uint32_t)self->traceCount;
}

static int64_t *waitEndOf(const struct pathSearch *self, uint32_t activity)
{
	return isRelation(self, activity)
		       ? &self->waitEnds[relationOf(self, activity)]
		       : &self->traces[activity].waitEnd;
}

static int64_t criticalPathStartOf(const struct pathSearch *self,
				   uint32_t activity)
{
	return isRelation(self, activity)
		       ? forestStart(self->forest, relationOf(self, activity))
		       : self->traces[activity].start;
}

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

static int64_t criticalPathLengthOf(const struct pathPart *part)
{
	return part->end - part->start;
}

static gint criticalPathLongestFirst(gconstpointer a, gconstpointer b)
{
	int64_t x = criticalPathLengthOf(a);
	int64_t y = criticalPathLengthOf(b);

	return (x < y) - (x > y);
}

/** Keep the longest parts only. */
static void dropParts(struct criticalPath *path)
{
	if (path->parts->len <= PATH_PARTS_MAX)
		return;
	g_array_sort(path->parts, criticalPathLongestFirst);
	path->hidden += path->parts->len - PATH_PARTS_MAX;
	g_array_set_size(path->parts, PATH_PARTS_MAX);
}

static void keepPart(struct criticalPath *path, const struct pathPart *part)
{
	if (path->parts->len == 4 * PATH_PARTS_MAX)
		dropParts(path);
	g_array_append_val(path->parts, *part);
}

static int criticalPathAddPiece(struct walk *walk, uint32_t trace,
				int64_t start, int64_t end, bool isWait)
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
	int64_t *waitEnd = waitEndOf(walk->search, edge->to);
	int ret = 0;

	if (*waitEnd != edge->toTime && edge->fromTime > edge->toStart) {
		*waitEnd = edge->toTime;
		walk->path->waiting += edge->fromTime - edge->toStart;
		ret = criticalPathAddPiece(walk, edge->to, edge->toStart,
					   edge->fromTime, true);
	}
	if (ret < 0 || edge->to != walk->trace || edge->toTime > walk->time)
		return ret;
	ret = criticalPathAddPiece(walk, walk->trace, edge->fromTime,
				   walk->time, false);
	walk->path->transfer += edge->toTime - edge->fromTime;
	walk->path->jumps++;
	walk->trace = edge->from;
	walk->time = edge->fromTime;
	return ret;
}

/** The relation that ends last, if no trace does; of several the one that
 * caused the others. */
static void findLastRelation(struct walk *walk)
{
	const struct pathSearch *search = walk->search;
	struct criticalPath *path = walk->path;
	uint32_t count = search->forest ? forestCount(search->forest) : 0;
	uint32_t best = FOREST_NONE;

	for (uint32_t i = 0; i < count; i++) {
		int64_t end = forestLasted(search->forest, i);

		if (end < path->end ||
		    (end == path->end &&
		     (best == FOREST_NONE ||
		      forestDepth(search->forest, i) >=
			      forestDepth(search->forest, best))))
			continue;
		path->end = end;
		path->isKnown = true;
		best = i;
		walk->trace = (uint32_t)search->traceCount + i;
	}
}

static int criticalPathFindPath(struct walk *walk)
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
	findLastRelation(walk);
	if (!path->isKnown)
		return 0;
	walk->time = path->end;
	while ((ret = dependenciesNext(search->dependencies, &edge)) == 1) {
		ret = takeWait(walk, &edge);
		if (ret < 0)
			break;
	}
	path->counts = dependenciesCounts(search->dependencies);
	dependenciesFree(search->dependencies);
	search->dependencies = NULL;
	if (ret < 0)
		return ret;
	start = MIN(criticalPathStartOf(search, walk->trace), walk->time);
	path->start = start;
	return criticalPathAddPiece(walk, walk->trace, start, walk->time,
				    false);
}

/* ---- What it is made of ------------------------------------------------ */

/** Parts of the path in one trace, in their order. */
struct partSums {
	const GArray *parts;
	int64_t *before; /**< Time in those before each. */
	guint at;        /**< That one which was used last. */
};

/** How many parts begin before a time; times are close to each other. */
static guint findPart(struct partSums *self, int64_t time)
{
	const struct pathPart *parts =
		(const struct pathPart *)(const void *)self->parts->data;
	guint low = self->at;
	guint high = self->parts->len;

	if ((low == 0 || parts[low - 1].start < time) &&
	    (low == high || parts[low].start >= time))
		return low;
	low = 0;
	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (parts[middle].start < time)
			low = middle + 1;
		else
			high = middle;
	}
	self->at = low;
	return low;
}

/** Time on the path until a time. */
static int64_t pathUntil(struct partSums *self, int64_t time)
{
	guint number = findPart(self, time);
	const struct pathPart *part;

	if (number == 0)
		return 0;
	part = &g_array_index(self->parts, struct pathPart, number - 1);
	return self->before[number - 1] + MIN(time, part->end) - part->start;
}

/** What lies in states at a depth, since the state above ended. */
struct depth {
	int64_t time;
	int64_t mpi;
	int64_t tracer;
};

/** What is known of a name. */
struct nameKind {
	bool isMpi;
	bool isTracer;
};

/** States of a trace while they are gone through. */
struct tally {
	GArray *depths; /**< struct depth */
	guint used;     /**< Those with something in them. */
	GArray *times;  /**< int64_t: of each name. */
	int64_t none;   /**< Of none. */
	GArray *kinds;  /**< struct nameKind: of each name. */
};

/** There may be new names. */
static void fitTally(struct tally *tally, const struct names *names)
{
	g_array_set_size(tally->times, namesCount(names));
	for (uint32_t i = tally->kinds->len; i < namesCount(names); i++) {
		const char *name = namesAt(names, i);
		struct nameKind kind = {
			.isMpi = mpiIsFunction(name),
			.isTracer = pollsIsTracer(name),
		};

		g_array_append_val(tally->kinds, kind);
	}
}

static struct depth *depthAt(struct tally *tally, uint32_t depth)
{
	if (tally->depths->len <= depth)
		g_array_set_size(tally->depths, depth + 1);
	return &g_array_index(tally->depths, struct depth, depth);
}

/** Add a state that ended, which lies on the path for so long. */
static void criticalPathAddState(struct tally *tally,
				 const struct pathRecord *record, uint32_t name,
				 int64_t time)
{
	struct nameKind kind =
		g_array_index(tally->kinds, struct nameKind, name);
	struct depth inside = *depthAt(tally, record->depth + 1);
	struct depth *own;

	for (guint i = record->depth + 1; i < tally->used; i++)
		*depthAt(tally, i) = (struct depth){ 0 };
	if (time <= 0)
		return;
	own = depthAt(tally, record->depth);
	tally->used = record->depth + 1;
	g_array_index(tally->times, int64_t, name) +=
		time - MIN(inside.time, time);
	own->time += time;
	inside.tracer = MIN(inside.tracer, time);
	own->tracer += kind.isTracer ? time : inside.tracer;
	if (!kind.isTracer)
		own->mpi += kind.isMpi ? time - inside.tracer
				       : MIN(inside.mpi, time);
}

/** Of so much time on the path between a state's start and end, what is its
 *  own. */
static int64_t ownOf(const struct pathRecord *record, int64_t time)
{
	int64_t length = record->end - record->start;

	if (record->own >= length)
		return time;
	return (int64_t)((__int128)time * record->own / length);
}

/** Start with the parts of an activity; all their time. */
static int64_t startTally(struct partSums *sums, const GArray *parts,
			  struct tally *tally)
{
	int64_t all = 0;

	*sums = (struct partSums){
		.parts = parts,
		.before = g_new(int64_t, parts->len + 1),
	};
	for (guint i = 0; i < parts->len; i++) {
		sums->before[i] = all;
		all += criticalPathLengthOf(
			&g_array_index(parts, struct pathPart, i));
	}
	g_array_set_size(tally->depths, 0);
	tally->used = 0;
	return all;
}

/** All its states were taken. */
static void endTally(struct partSums *sums, struct tally *tally, int64_t all,
		     struct pathRank *rank)
{
	/* States that overlap take nothing away from other traces. */
	tally->none += MAX(all - depthAt(tally, 0)->time, 0);
	rank->time += all;
	rank->mpi += depthAt(tally, 0)->mpi;
	rank->tracer += depthAt(tally, 0)->tracer;
	g_free(sums->before);
}

/** Go through the states of a trace with parts of the path. */
static int tallyTrace(struct pathSearch *self, const struct pathTrace *trace,
		      const GArray *parts, struct tally *tally,
		      struct pathRank *rank)
{
	struct pathRecord *records = g_new(struct pathRecord, CHUNK);
	struct partSums sums;
	int64_t all = startTally(&sums, parts, tally);
	int ret = 0;

	for (guint i = 0; i < trace->chunks->len && ret == 0; i++) {
		size_t count =
			(size_t)MIN(trace->count - (uint64_t)i * CHUNK, CHUNK);

		ret = spoolPeek(self->states,
				g_array_index(trace->chunks, uint64_t, i),
				records, count * sizeof(*records));
		for (size_t k = 0; k < count && ret == 0; k++)
			criticalPathAddState(
				tally, &records[k],
				trace->names[records[k].name],
				ownOf(&records[k],
				      pathUntil(&sums, records[k].end) -
					      pathUntil(&sums,
							records[k].start)));
	}
	g_free(records);
	endTally(&sums, tally, all, rank);
	return ret;
}

static void criticalPathAddNode(GArray *nodes, const hdINode *node,
				int64_t time)
{
	const struct pathNode new = { .node = node, .time = time };

	for (guint i = 0; i < nodes->len; i++) {
		struct pathNode *found =
			&g_array_index(nodes, struct pathNode, i);

		if (found->node == node) {
			found->time += time;
			return;
		}
	}
	g_array_append_val(nodes, new);
}

/** The same of a relation. */
static int tallyRelation(struct pathSearch *self, uint32_t number,
			 const GArray *parts, struct tally *tally,
			 struct criticalPath *path, struct pathRank *rank)
{
	struct forestRelation relation;
	struct partSums sums;
	int64_t all;
	int ret = forestGet(self->forest, number, &relation);

	if (ret < 0)
		return ret;
	all = startTally(&sums, parts, tally);
	/* They come as they began: backwards those that lie in others are
	 * first. */
	for (size_t i = relation.stateCount; i-- > 0;) {
		const hdIRelationState *state = &relation.states[i];
		const struct pathRecord record = {
			.start = state->start,
			.end = forestStateEnd(&relation, state),
			.depth = state->depth,
		};
		uint32_t name = namesNumber(self->names, state->name);

		fitTally(tally, self->names);
		criticalPathAddState(tally, &record, name,
				     pathUntil(&sums, record.end) -
					     pathUntil(&sums, record.start));
	}
	criticalPathAddNode(path->nodes, relation.file->file->node, all);
	endTally(&sums, tally, all, rank);
	return 0;
}

static void criticalPathAddAmount(struct attributionAmount *to,
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

/** None was begun. */
#define NO_TRACE UINT32_MAX

/** The pieces of a trace while they are taken. */
struct pieces {
	struct walk *walk;
	struct tally *tally;
	uint32_t trace;
	GArray *parts; /**< struct pathPart */
	/** By each rule; NULL: nobody knows. */
	struct attributionShare *shares[PATH_RULES];
	struct attributionCursor *cursors[PATH_RULES];
};

static void startTrace(struct pieces *self, uint32_t number)
{
	const struct pathSearch *search = self->walk->search;
	/* What a relation cost is not told by its trace. */
	const struct pathTrace *trace =
		isRelation(search, number) ? NULL : &search->traces[number];

	self->trace = number;
	for (int i = 0; i < PATH_RULES; i++) {
		struct attribution *rule =
			trace ? trace->power.attributions[i] : NULL;

		self->shares[i] = NULL;
		self->cursors[i] = NULL;
		if (!trace || !trace->power.series || !rule)
			continue;
		self->shares[i] = attributionShareNew(
			rule, trace->power.node,
			self->walk->search->project->traces[number]);
		self->cursors[i] = attributionCursorNew(trace->power.series,
							self->shares[i]);
	}
	g_array_set_size(self->parts, 0);
}

static void stopTrace(struct pieces *self)
{
	for (int i = 0; i < PATH_RULES; i++) {
		attributionCursorFree(self->cursors[i]);
		attributionShareFree(self->shares[i]);
	}
}

static int endRelation(struct pieces *self)
{
	struct pathSearch *search = self->walk->search;
	uint32_t number = relationOf(search, self->trace);
	const hdINode *node = forestFileOf(search->forest, number)->file->node;

	return tallyRelation(search, number, self->parts, self->tally,
			     self->walk->path,
			     rankAt(self->walk->path->ranks,
				    messagesRankOf(search->project, node)));
}

/** All pieces of a trace were taken. */
static int criticalPathEndTrace(struct pieces *self)
{
	struct pathSearch *search = self->walk->search;
	const struct pathTrace *trace;
	int ret = 0;

	if (self->trace == NO_TRACE)
		return 0;
	for (int i = 0; i < PATH_RULES && ret == 0; i++) {
		if (self->cursors[i])
			ret = attributionCursorError(self->cursors[i]);
	}
	stopTrace(self);
	if (isRelation(search, self->trace))
		return ret < 0 || !self->parts->len ? ret : endRelation(self);
	trace = &search->traces[self->trace];
	if (ret == 0 && self->parts->len)
		ret = tallyTrace(search, trace, self->parts, self->tally,
				 rankAt(self->walk->path->ranks, trace->rank));
	return ret;
}

static void takePiece(struct pieces *self, const struct piece *piece)
{
	struct criticalPath *path = self->walk->path;

	for (int i = 0; i < PATH_RULES; i++) {
		if (self->cursors[i])
			criticalPathAddAmount(
				piece->isWait ? &path->beside[i]
					      : &path->energy[i],
				attributionCursorGet(self->cursors[i],
						     piece->part.start,
						     piece->part.end));
	}
	if (!piece->isWait)
		g_array_append_val(self->parts, piece->part);
}

static int takePieces(struct walk *walk, struct tally *tally)
{
	struct pieces pieces = {
		.walk = walk,
		.tally = tally,
		.trace = NO_TRACE,
		.parts = g_array_new(FALSE, FALSE, sizeof(struct pathPart)),
	};
	struct piece piece;
	int ret = 0;

	while (ret == 0 && (ret = sorterNext(walk->pieces, &piece)) == 1) {
		ret = 0;
		if (piece.part.trace != pieces.trace) {
			ret = criticalPathEndTrace(&pieces);
			startTrace(&pieces, piece.part.trace);
		}
		takePiece(&pieces, &piece);
	}
	if (ret == 0)
		ret = criticalPathEndTrace(&pieces);
	else
		stopTrace(&pieces);
	g_array_unref(pieces.parts);
	return ret;
}

static gint criticalPathCompareStates(gconstpointer a, gconstpointer b)
{
	const struct pathState *x = a;
	const struct pathState *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return g_strcmp0(x->name, y->name);
}

static gint criticalPathCompareRanks(gconstpointer a, gconstpointer b)
{
	const struct pathRank *x = a;
	const struct pathRank *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static gint criticalPathCompareNodes(gconstpointer a, gconstpointer b)
{
	const struct pathNode *x = a;
	const struct pathNode *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return strcmp(x->node->path, y->node->path);
}

static gint compareParts(gconstpointer a, gconstpointer b)
{
	const struct pathPart *x = a;
	const struct pathPart *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/** Put the results in order. */
static void finishPath(struct criticalPath *path, const struct names *names,
		       const struct tally *tally)
{
	for (uint32_t i = 0; i <= tally->times->len; i++) {
		bool isNone = i == tally->times->len;
		struct pathState state = {
			.name = isNone ? NULL : g_strdup(namesAt(names, i)),
			.isMpi = !isNone &&
				 g_array_index(tally->kinds, struct nameKind, i)
					 .isMpi,
			.time = isNone ? tally->none
				       : g_array_index(tally->times, int64_t,
						       i),
		};

		if (state.time > 0)
			g_array_append_val(path->states, state);
		else
			g_free((void *)state.name);
	}
	for (guint i = 0; i < path->ranks->len; i++) {
		const struct pathRank *rank =
			&g_array_index(path->ranks, struct pathRank, i);

		path->mpi += rank->mpi;
		path->tracer += rank->tracer;
	}
	g_array_sort(path->states, criticalPathCompareStates);
	g_array_sort(path->ranks, criticalPathCompareRanks);
	g_array_sort(path->nodes, criticalPathCompareNodes);
	dropParts(path);
	g_array_sort(path->parts, compareParts);
}

/** Tell of parts of relations what they are. */
static int nameParts(struct pathSearch *self, struct criticalPath *path)
{
	int ret = 0;

	for (guint i = 0; i < path->parts->len && ret == 0; i++) {
		struct pathPart *part =
			&g_array_index(path->parts, struct pathPart, i);
		struct forestRelation relation;

		if (!isRelation(self, part->trace))
			continue;
		ret = forestGet(self->forest, relationOf(self, part->trace),
				&relation);
		if (ret < 0) {
			path->hidden += path->parts->len - i;
			g_array_set_size(path->parts, i);
			break;
		}
		part->trace = PATH_RELATION;
		part->node = relation.file->file->node;
		part->relation = g_strdup(relation.token);
	}
	return ret;
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
		.times = g_array_new(FALSE, TRUE, sizeof(int64_t)),
		.kinds = g_array_new(FALSE, TRUE, sizeof(struct nameKind)),
	};
	int ret;

	path->ranks = g_array_new(FALSE, FALSE, sizeof(struct pathRank));
	path->states = g_array_new(FALSE, FALSE, sizeof(struct pathState));
	path->parts = g_array_new(FALSE, FALSE, sizeof(struct pathPart));
	path->nodes = g_array_new(FALSE, FALSE, sizeof(struct pathNode));
	fitTally(&tally, self->names);
	ret = criticalPathFindPath(&walk);
	if (ret == 0 && path->isKnown)
		ret = takePieces(&walk, &tally);
	finishPath(path, self->names, &tally);
	if (ret == 0)
		ret = nameParts(self, path);
	sorterFree(walk.pieces);
	g_array_unref(tally.depths);
	g_array_unref(tally.times);
	g_array_unref(tally.kinds);
	*result = path;
	return ret;
}

bool criticalPathMatters(const struct criticalPath *self)
{
	return self && self->isKnown &&
	       (self->jumps || self->waiting || self->counts.loose ||
		self->counts.collectives);
}

void criticalPathFree(struct criticalPath *self)
{
	if (!self)
		return;
	for (guint i = 0; i < self->states->len; i++)
		g_free((void *)g_array_index(self->states, struct pathState, i)
			       .name);
	for (guint i = 0; i < self->parts->len; i++)
		g_free((void *)g_array_index(self->parts, struct pathPart, i)
			       .relation);
	g_array_unref(self->ranks);
	g_array_unref(self->nodes);
	g_array_unref(self->states);
	g_array_unref(self->parts);
	g_free(self);
}
