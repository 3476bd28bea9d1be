/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The search for the critical path: records of traces, and pieces of the path.
 */
#ifndef HD_PATHSEARCH_H
#define HD_PATHSEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

#include "HDTraceTools/model/causes/criticalpath.h"

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

/** The path while it is found. */
struct walk {
	struct pathSearch *search;
	struct criticalPath *path;
	struct sorter *pieces;
	uint32_t trace; /**< Where it is ... */
	int64_t time;   /**< ... and when. */
};

/** Whether an activity is a relation, beyond all traces. */
bool pathIsRelation(const struct pathSearch *self, uint32_t activity);

uint32_t pathRelationOf(const struct pathSearch *self, uint32_t activity);

int64_t criticalPathStartOf(const struct pathSearch *self, uint32_t activity);

int64_t criticalPathLengthOf(const struct pathPart *part);

/** Keep the longest parts only. */
void pathDropParts(struct criticalPath *path);

int criticalPathAddPiece(struct walk *walk, uint32_t trace, int64_t start,
			 int64_t end, bool isWait);

/** Take a wait; they come the latest first, and of one call the one that it
 *  waited for last. */
int pathAddWait(struct walk *walk, const struct dependency *edge);

/** The relation that ends last, if no trace does; of several the one that
 * caused the others. */
void pathFindLastRelation(struct walk *walk);

#endif
