/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who waited for whom: edges from one activity and time to another.
 *
 * Consumers (arrows, exports, the critical path) ask here and never read the
 * sources themselves. A source is a line of the table in dependencies.c: it
 * notes what it needs of each record, and makes edges of that when all traces
 * were read. There are
 *
 *   messages      from the start of sending to the end of receiving. The first
 *                 message that was sent to a rank, with a communicator and a
 *                 tag, is the first one that it received, and so on: MPI gives
 *                 them no number.
 *   rendezvous    from when a receive was posted to the end of a blocking Send
 *                 or Ssend, if that was posted while it waited. Ssend waits for
 *                 it in any case; of Send it is possible only.
 *   collectives   to the end of the call of each rank that depends on others,
 *                 from the start of that one's which came last: all of a call
 *                 that is all to all and of a barrier, the root of one to all,
 *                 to the root of all to one, and of a prefix all ranks below.
 *                 The k-th call on a communicator of one rank is that of the
 *                 others; unless all of its ranks have one, of the same
 *                 function, it is none; nor is one of an intercommunicator.
 *                 Finalize is a barrier of all if nobody left it before all had
 *                 come, which is possible only. So are fences of a window, and
 *                 collective calls of a file: of those that the same
 *                 communicator made at the same place in their order.
 *   completions   in one activity, from the start of what a request does to the
 *                 end of the call that completes it.
 *   teams         of OpenMP (hdtrace-openmp(7)), between threads of a rank:
 * from the start of a parallel region of the thread that begins it to that of
 * the others, which waited since their last state ended; and of a barrier, as
 * of one of MPI, to the end of each thread's from when the last one came, or
 * had executed its last task in it. tasks         from the start of creating a
 * task to when it begins, and from the end of those that it has to come after.
 * Who executes it waited since the start of the barrier, or of taskwait or
 *                 taskgroup, or since the task before ended.
 *   graph         of a simulated task graph (doc/prediction.md): from the end
 * of a task or a transfer to the end of what waited for it, or to what began
 * then without waiting.
 *
 *   relations     (of model/relations) from the one that caused another to the
 *                 start of that, and from the end of that to the one that
 * caused it, if that goes on: it may have waited. From a further cause (a link)
 * as from an end, if it ended before the other one did. From one without a
 * cause to the next of its node, if these do not overlap there; and of a node
 * with a trace, to and from that. All but the first are possible only.
 *
 * Where recording was interrupted order begins anew with each epoch that was
 * recorded; what is received there before something is sent was sent when
 * nothing was recorded. What has no counterpart is counted and never guessed.
 *
 * Clocks of hosts are known to a residual. An edge that goes back in time by no
 * more is clamped, so that it takes no time; one that does by more has
 * certainty DEPENDENCY_IMPOSSIBLE, and is counted. Where clocks were not
 * compared, nobody knows a residual: it is clamped, too.
 *
 * The memory does not grow with the number of edges, but with that of channels
 * and of messages that were sent and not received yet.
 */
#ifndef HD_DEPENDENCIES_H
#define HD_DEPENDENCIES_H

#include <stdbool.h>
#include <stddef.h>
#include <inttypes.h>

#include <glib.h>

#include <hdReading.h>
#include "HDTraceTools/model/relations/forest.h"

/** Kinds of edges; they are bits, for what is wanted. */
enum dependencyKind {
	DEPENDENCY_MESSAGE = 1,
	DEPENDENCY_RENDEZVOUS = 2,
	DEPENDENCY_COLLECTIVE = 4,
	DEPENDENCY_BARRIER = 8,
	DEPENDENCY_COMPLETION = 16,
	DEPENDENCY_FORK = 128,
	DEPENDENCY_TEAM = 256, /**< A barrier of threads. */
	DEPENDENCY_TASK = 512,
	DEPENDENCY_GRAPH = 1024,    /**< Of a task graph that was simulated. */
	DEPENDENCY_RELATION = 2048, /**< One causes another, or goes before. */
	DEPENDENCY_RETURN = 4096,   /**< One goes on after those it caused. */
	DEPENDENCY_LINK = 8192,     /**< A further cause. */
	/* No edges, but ends of messages without the other one. */
	DEPENDENCY_SENT = 32,
	DEPENDENCY_RECEIVED = 64,
};

#define DEPENDENCIES_OF_RELATIONS \
	(DEPENDENCY_RELATION | DEPENDENCY_RETURN | DEPENDENCY_LINK)

/** All kinds whose ends are different activities. */
#define DEPENDENCIES_BETWEEN                                                  \
	(DEPENDENCY_MESSAGE | DEPENDENCY_RENDEZVOUS | DEPENDENCY_COLLECTIVE | \
	 DEPENDENCY_BARRIER | DEPENDENCY_FORK | DEPENDENCY_TEAM |             \
	 DEPENDENCY_TASK | DEPENDENCY_GRAPH | DEPENDENCIES_OF_RELATIONS)

/** How sure it is that an edge is one. */
enum dependencyCertainty {
	DEPENDENCY_CERTAIN,
	DEPENDENCY_UNSURE,     /**< Recording was interrupted before. */
	DEPENDENCY_POSSIBLE,   /**< It depends on the MPI library. */
	DEPENDENCY_IMPOSSIBLE, /**< It goes back by more than clocks explain. */
};

/** An edge. */
struct dependency {
	enum dependencyKind kind;
	enum dependencyCertainty certainty;
	/** The trace: as given to dependenciesEnter(); or a relation, see
	 *  dependenciesAddRelations(). */
	uint32_t from;
	uint32_t to;      /**< Likewise. */
	int64_t fromTime; /**< Clamped: no later than toTime, if possible. */
	int64_t toTime;   /**< The end of the call that depends on it ... */
	int64_t toStart;  /**< ... and its start. */
	int64_t early;    /**< By how much it goes back as recorded, or 0. */
	/** Of those at the same time: what comes first, so that who has waited
	 * for several in each other goes through all of them. */
	int32_t order;
	/* Of messages: */
	int64_t size; /**< In bytes; -1 if not known. */
	int64_t tag;
	uint32_t group; /**< Number of the communicator. */
	/** Of DEPENDENCY_SENT the global rank that would receive it, of
	 *  DEPENDENCY_RECEIVED the one that sent it; or MESSAGES_ELSEWHERE.
	 * Where nothing is known of the order the certainty is not
	 *  DEPENDENCY_CERTAIN. */
	int64_t peer;
};

/** Who depends on whom in a collective call. */
enum collectivePattern {
	PATTERN_BARRIER,
	PATTERN_ONE2ALL,
	PATTERN_ALL2ONE,
	PATTERN_ALL2ALL,
	PATTERN_PREFIX,
	PATTERN_FINALIZE, /**< A barrier if the MPI library waits in it. */
	PATTERN_FENCE,    /**< Of a window; likewise. */
	PATTERN_FILES,    /**< Of a file; likewise. */
	PATTERN_ALONE,    /**< Of a file, in which nobody waited. */
};

/** What is put together, whether somebody waited or not. */
enum dependencyMeeting {
	MEETING_MESSAGE, /**< Of two: the sender and the receiver. */
	MEETING_COLLECTIVE,
	MEETING_TEAM, /**< A barrier of threads. */
	MEETING_FORK, /**< Of two: the first thread of a region, another one. */
	/** Of four calls: Win_start and Win_complete of a rank, Win_post and
	 *  Win_wait of another one. Win_complete starts with the end of the
	 * last access. */
	MEETING_ACCESS,
	MEETING_LOCK, /**< Of two: who held a lock, and a call that needs it. */
};

/** The part of a rank or thread. */
struct dependencyPart {
	uint32_t trace;
	int64_t rank;   /**< Among all; -1: none. */
	int64_t start;  /**< Of sending, of being ready to receive, of the
			 *   collective call. */
	int64_t waited; /**< Since when the call that ends it waits, ... */
	int64_t end; /**< ... and its end; as the start if it is not known. */
	/** Of a fence: when the last access of another rank to the own window
	 *  ended, and its trace; INT64_MIN: there was none. */
	int64_t touched;
	uint32_t toucher;
	bool isAgain; /**< It is about a file that was opened before. */
	/** Of what is sent: the call receives a message, too. */
	bool receives;
};

/** What belongs together. */
struct dependencyMatch {
	enum dependencyMeeting meeting;
	enum collectivePattern pattern; /**< Of a collective call. */
	enum dependencyCertainty certainty;
	const struct dependencyPart *parts; /**< By ranks of the group. */
	guint count;
	guint root; /**< Of those; as count: there is none. */
	/** Of a collective call: the same of those that have an order; these
	 *  are handed on in it, without others between them. */
	uint32_t channel;
	bool isSynchronous; /**< The sender waits for the receiver always. */
	bool isTiny;        /**< Of a collective call: one element of each. */
	bool isOpening;     /**< Of a file: the first call. */
	int64_t size;       /**< Of a message, in bytes; -1 if not known. */
	int64_t residual;   /**< Of a message: how far clocks can be apart. */
};

/** Takes what belongs together; valid during the call. 0 or a negative errno.
 */
typedef int dependencyTake(const struct dependencyMatch *match, void *data);

/** In which order edges are taken. */
enum dependencyOrder {
	DEPENDENCIES_BY_CAUSE,   /**< By fromTime as recorded. */
	DEPENDENCIES_FROM_LATEST /**< By toTime, and of the same by fromTime,
				  * the latest first; of both the same by
				  * their order. */
};

/** What is wanted. */
struct dependencyFilter {
	unsigned int kinds; /**< Bits of enum dependencyKind. */
	enum dependencyOrder order;
	/** Only edges between activities of which the cause is later than the
	 *  start of what depends on it, and which are possible. */
	bool onlyWaits;
	/** Takes all that belongs together and is chosen, during the first
	 *  dependenciesNext(); or NULL. */
	dependencyTake *take;
	void *takeData;
};

/** When something starts, as it was recorded. */
static inline int64_t dependencyStart(const struct dependency *edge)
{
	return edge->certainty == DEPENDENCY_IMPOSSIBLE
		       ? edge->fromTime
		       : edge->fromTime + edge->early;
}

struct dependencies;

/** A trace while it is read. */
struct dependencyReader;

/** Get ready for the traces of a project. */
struct dependencies *dependenciesNew(const hdIProject *project,
				     const struct dependencyFilter *filter);

/** Free it; NULL does nothing. */
void dependenciesFree(struct dependencies *self);

/**
 * The records that follow are those of a trace; several may be read at a time,
 * in different threads.
 *
 * @param trace Any number for it.
 */
struct dependencyReader *dependenciesEnter(struct dependencies *self,
					   const hdITraceFile *trace,
					   uint32_t number);

/**
 * Note a record; all of a trace, in the order of the file.
 *
 * @param isChosen Whether it is looked for: edges of messages of which one end
 *        is not are left out, and count as loose.
 *
 * @return 0, or the negative errno of the temporary file.
 */
int dependencyNote(struct dependencyReader *reader, const hdIRecord *record,
		   bool isChosen);

/** The communicators: array of struct messageGroup *, by number. */
const GPtrArray *dependenciesGroups(const struct dependencies *self);

/** The rank of the trace, among all; -1 if it belongs to none. */
int64_t dependencyRank(const struct dependencyReader *reader);

/**
 * All of a trace was noted; frees the reader. Of several traces of a rank
 * (threads) those that come first sent and received first.
 *
 * @return As dependencyNote().
 */
int dependenciesLeave(struct dependencies *self,
		      struct dependencyReader *reader);

/** What was noted is not wanted: frees the reader; NULL does nothing. */
void dependenciesDrop(struct dependencyReader *reader);

/**
 * Add the edges of relations, which are activities as well.
 *
 * @param forest After forestEnd(); must stay until all edges are taken.
 * @param first What the relation with number 0 counts as in edges; beyond all
 *        traces.
 *
 * @return 0 or a negative errno.
 */
int dependenciesAddRelations(struct dependencies *self,
			     const struct forest *forest, uint32_t first);

/**
 * Take the next edge. After the first call nothing may be added.
 *
 * @retval 1 @p edge is set.
 * @retval 0 That was all.
 * @return A negative errno.
 */
int dependenciesNext(struct dependencies *self, struct dependency *edge);

/** What has no counterpart and what may not be one, after dependenciesNext().
 */
struct dependencyCounts {
	uint64_t loose;       /**< Chosen ends of messages without the other. */
	uint64_t unsure;      /**< Messages after an interruption. */
	uint64_t collectives; /**< Collective calls, and barriers of threads,
			       * without their others. */
	uint64_t backwards;   /**< Edges that clocks do not explain, ... */
	int64_t worst;        /**< ... and by how much the worst goes back. */
	uint64_t clamped;     /**< Those that they do. */
};

/** Get them. */
struct dependencyCounts dependenciesCounts(const struct dependencies *self);

#endif
