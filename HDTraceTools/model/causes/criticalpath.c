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

#include "HDTraceTools/model/causes/pathsearch.h"
#include "HDTraceTools/model/causes/criticalpath.h"
#include "HDTraceTools/base/names.h"
#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/mpi/polls.h"

struct pathReader {
	struct dependencyReader *dependencies;
	uint32_t number;
	struct pathTrace trace;
	struct pathSearch *search;
	struct pathRecord *states; /**< Those that are not in a chunk yet. */
	struct names *names;
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

bool pathIsRelation(const struct pathSearch *self, uint32_t activity)
{
	return activity >= self->traceCount;
}

uint32_t pathRelationOf(const struct pathSearch *self, uint32_t activity)
{
	return activity - (uint32_t)self->traceCount;
}

static int64_t *waitEndOf(const struct pathSearch *self, uint32_t activity)
{
	return pathIsRelation(self, activity)
		       ? &self->waitEnds[pathRelationOf(self, activity)]
		       : &self->traces[activity].waitEnd;
}

int64_t criticalPathStartOf(const struct pathSearch *self, uint32_t activity)
{
	return pathIsRelation(self, activity)
		       ? forestStart(self->forest,
				     pathRelationOf(self, activity))
		       : self->traces[activity].start;
}

int64_t criticalPathLengthOf(const struct pathPart *part)
{
	return part->end - part->start;
}

static gint criticalPathLongestFirst(gconstpointer a, gconstpointer b)
{
	int64_t x = criticalPathLengthOf(a);
	int64_t y = criticalPathLengthOf(b);

	return (x < y) - (x > y);
}

void pathDropParts(struct criticalPath *path)
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
		pathDropParts(path);
	g_array_append_val(path->parts, *part);
}

int criticalPathAddPiece(struct walk *walk, uint32_t trace, int64_t start,
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

int pathAddWait(struct walk *walk, const struct dependency *edge)
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

void pathFindLastRelation(struct walk *walk)
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
