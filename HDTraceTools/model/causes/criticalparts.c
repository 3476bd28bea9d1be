/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The parts of the critical path: states, ranks and nodes.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/causes/pathsearch.h"
#include "HDTraceTools/model/causes/criticalpath.h"
#include "HDTraceTools/model/causes/mpifunctions.h"
#include "HDTraceTools/base/names.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/mpi/polls.h"

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
	pathFindLastRelation(walk);
	if (!path->isKnown)
		return 0;
	walk->time = path->end;
	while ((ret = dependenciesNext(search->dependencies, &edge)) == 1) {
		ret = pathAddWait(walk, &edge);
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
		pathIsRelation(search, number) ? NULL : &search->traces[number];

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
	uint32_t number = pathRelationOf(search, self->trace);
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
	if (pathIsRelation(search, self->trace))
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
	pathDropParts(path);
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

		if (!pathIsRelation(self, part->trace))
			continue;
		ret = forestGet(self->forest, pathRelationOf(self, part->trace),
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
