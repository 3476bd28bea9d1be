/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The critical path of a run: what has to be faster for the run to be.
 *
 * It is found backwards (doc/critical-path.md): from the end of the trace that
 * ends last, back in its trace to the last call that waited for another one,
 * and on from there to the start of what that one did: of sending, of a
 * collective call, of posting a receive. So the time in which a call waited for
 * something that had not begun is not on it, and it has no gaps.
 *
 * Relations are activities as traces are: each by itself, since those of a node
 * overlap. What a relation caused is on the path while it was there, and the
 * relation itself in the rest of its time.
 *
 * The memory does not grow with the traces, but with the number of their names,
 * with that of the parts of the path in one trace, and with that of relations:
 * 8 bytes each, besides those of the forest.
 */
#ifndef HD_CRITICALPATH_H
#define HD_CRITICALPATH_H

#include <glib.h>

#include "HDTraceTools/model/attribution.h"
#include "HDTraceTools/model/causes/dependencies.h"

/** Time on the path of a rank; of all traces that belong to none, one. */
struct pathRank {
	int64_t rank; /**< -1: none. */
	int64_t time;
	int64_t mpi;    /**< Of it, inside of calls of MPI; */
	int64_t tracer; /**< and what the tracer took for itself. */
};

/** Time on the path of the states of a name, without those in them. */
struct pathState {
	const char *name; /**< NULL: outside of states. */
	bool isMpi;       /**< It is a function of MPI. */
	int64_t time;
};

/** What people and programs read instead of no name. */
#define PATH_OUTSIDE "(no state)"

/** Time on the path of the relations of a node. */
struct pathNode {
	const hdINode *node;
	int64_t time;
};

/** A part of a relation. */
#define PATH_RELATION UINT32_MAX

/** A part of the path, in one trace or relation. */
struct pathPart {
	uint32_t trace;       /**< Its place in the project; or PATH_RELATION */
	const hdINode *node;  /**< Of that: the node, */
	const char *relation; /**< and the token. */
	int64_t start;
	int64_t end;
};

/** So many parts are kept; the longest ones. */
#define PATH_PARTS_MAX 2000

/** Energy is told by so many rules that divide it. */
#define PATH_RULES 2

/** The path. */
struct criticalPath {
	bool isKnown;
	int64_t start;
	int64_t end;
	GArray *ranks;    /**< struct pathRank, by rank. */
	GArray *states;   /**< struct pathState, the most time first. */
	GArray *nodes;    /**< struct pathNode, the most time first. */
	GArray *parts;    /**< struct pathPart, by time. */
	uint64_t jumps;   /**< From one trace to another. */
	uint64_t hidden;  /**< Parts that are not among those. */
	int64_t mpi;      /**< Inside of calls of MPI ... */
	int64_t transfer; /**< ... and of it, since the cause had begun. */
	int64_t tracer;   /**< What the tracer took for itself. */
	/** Energy that the traces on it are charged with while they are, and
	 *  time of it that is known. */
	struct attributionAmount energy[PATH_RULES];
	int64_t waiting; /**< Time that all traces waited, beside it. */
	struct attributionAmount beside[PATH_RULES]; /**< Likewise of these. */
	struct dependencyCounts counts;
};

struct pathSearch;

/** A trace while it is read. */
struct pathReader;

/** Start with nothing. @p take and its data may be NULL; see struct
 *  dependencyFilter. */
struct pathSearch *pathSearchNew(const hdIProject *project,
				 dependencyTake *take, void *data);

/** Free it; NULL does nothing. */
void pathSearchFree(struct pathSearch *self);

/** The records that follow are those of a trace; any thread. @p number is its
 *  place in the project. */
struct pathReader *pathSearchEnter(struct pathSearch *self,
				   const hdITraceFile *trace, uint32_t number);

/** Note a record, in the order of the file; 0 or a negative errno. */
int pathNote(struct pathReader *reader, const hdIRecord *record);

/** Who has what part of a node's energy. */
struct pathPower {
	const struct powerSeries *series; /**< NULL: nobody knows. */
	/** By the rules that divide it; NULL: not by that one. */
	struct attribution *attributions[PATH_RULES];
	const hdINode *node; /**< Whose energy the series is. */
};

/**
 * All of a trace was noted; frees the reader. One thread at a time.
 *
 * @param power What tells its energy; all in it must stay until
 *        pathSearchEnd().
 *
 * @return 0 or a negative errno.
 */
int pathSearchLeave(struct pathSearch *self, struct pathReader *reader,
		    const struct pathPower *power);

/**
 * Relations are activities, too.
 *
 * @param forest After forestEnd(); must stay until pathSearchEnd().
 *
 * @return 0 or a negative errno.
 */
int pathSearchRelations(struct pathSearch *self, struct forest *forest);

/** All traces were read: find the path, to be freed with criticalPathFree(). 0
 *  or a negative errno. */
int pathSearchEnd(struct pathSearch *self, struct criticalPath **path);

/** Whether it says anything: without anybody who waits it is the trace that
 * ends last. NULL is taken, too. */
bool criticalPathMatters(const struct criticalPath *self);

/** Free it; NULL does nothing. */
void criticalPathFree(struct criticalPath *self);

#endif
