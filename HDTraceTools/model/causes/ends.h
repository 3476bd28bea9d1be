/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What dependencies.c, and the sources of edges in it, share.
 */
#ifndef HD_DEPENDENCYENDS_H
#define HD_DEPENDENCYENDS_H

#include <glib.h>
#include <pthread.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/causes/channels.h"
#include "HDTraceTools/model/causes/dependencies.h"
#include "HDTraceTools/model/causes/residuals.h"

/** What records of a name are, as bits; above them is the number of a
 *  collective function. */
enum dependencyRole {
	ROLE_MESSAGES = 1,  /**< They may have ends of messages. */
	ROLE_COMPLETES = 2, /**< They complete requests. */
	ROLE_STARTS = 4,    /**< They start those that are there. */
	ROLE_BEGINS = 8,    /**< They make requests, and start them. */
	ROLE_COLLECTIVE = 16,
	ROLE_OPENMP = 32,     /**< They are of OpenMP, and among these: */
	ROLE_PARALLEL = 64,   /**< a parallel region, */
	ROLE_TEAM = 128,      /**< a barrier, */
	ROLE_CREATE = 256,    /**< the creation of a task, */
	ROLE_TASK = 512,      /**< a task, */
	ROLE_IDLE = 1024,     /**< waiting, also for tasks. */
	ROLE_WINDOW = 2048,   /**< They are about a window. */
	ROLE_FUNCTION = 4096, /**< The unit of that number. */
};

/** Number of a collective function, those that do not wait included; -1: it is
 *  none. */
int dependencyFunction(const char *name);

/** What is noted of a trace: one end of an edge. There are many; 64 bytes. */
struct dependencyEnd {
	uint64_t number; /**< In its channel. */
	int64_t start;   /**< Of the call, or of what is completed. */
	int64_t waited;  /**< Since when the call that ends waits. */
	int64_t time;    /**< When it ends. */
	union {
		int64_t size;    /**< Of a message, as of struct messageEnd. */
		int64_t rank;    /**< Of a collective call: the own one. */
		int64_t threads; /**< Of a parallel region; -1: unknown. */
	};
	union {
		int64_t posted; /**< Of a message that was received: when
				 * somebody was ready. */
		int64_t root;   /**< Of a collective call; -1: none. */
		int64_t thread; /**< Of a parallel region. */
	};
	uint32_t channel; /**< Of the trace's; then of all. */
	uint32_t trace;
	uint32_t local;    /**< Of a collective call: the rank in its group. */
	uint16_t function; /**< Likewise; of a task, what it is. */
	uint16_t source : 4; /**< Number in the table of sources. */
	uint16_t isSent : 1;
	uint16_t isChosen : 1;
	uint16_t blocks : 2;    /**< 0: no, 1: perhaps, 2: until received. */
	uint16_t completes : 1; /**< It is the completion of what was sent. */
	/** Of what was sent: waited and time are of the call that ends it. */
	uint16_t isEnded : 1;
	uint16_t isTiny : 1;  /**< Of a collective call: one element. */
	uint16_t isAgain : 1; /**< Of a file that was opened before. */
	/** The call of what was sent receives a message, too. */
	uint16_t receives : 1;
};

/** To be no rank of a group. */
#define LOCAL_NONE UINT32_MAX

/** The ends of a trace, and what is needed while it is read. */
struct dependencyReader {
	struct dependencies *owner;
	struct messages *messages;
	const hdITraceFile *trace;
	uint32_t number;
	int64_t rank; /**< -1: none. */
	int64_t epoch;
	struct channels *channels; /**< struct dependencyChannel */
	struct spool *ends;        /**< struct dependencyEnd */
	GArray *roles;             /**< Bits of enum dependencyRole, by name. */
	unsigned int role;         /**< Of the record. */
	const struct messageRecord *read; /**< Likewise. */
	GHashTable *started; /**< int64_t request to its struct operation. */
	GHashTable *sends;   /**< Likewise to what it sends; NULL: not wanted.
			      */
	GHashTable *calls;   /**< Communicators and epochs to uint64_t. */
	struct handles *handles; /**< Windows and files; or NULL. */
	GArray *nestings;        /**< Of a thread of OpenMP; or NULL. */
	uint8_t taskSource;      /**< The number of that source. */
	const hdIRecord *record;
	bool isChosen;
	bool isMixed; /**< A channel is. */
	int error;
};

/** The ends of a channel, which belong together by their numbers. */
struct dependencyChannel {
	struct channel channel;
	uint64_t counts[2]; /**< Received, sent; so far. */
	int64_t posted;     /**< The latest posting of a receive; so far. */
	bool isMixed;       /**< Receives end in another order than posted. */
	uint64_t whole;     /**< Of a trace's: its number among all. */
	uint64_t before[2]; /**< And how many others had before. */
};

struct dependencies {
	struct dependencyFilter filter;
	const hdIProject *project;
	struct residuals *residuals;
	struct messages *messages; /**< For communicators. */
	struct channels *channels; /**< Of struct dependencyChannel. */
	GArray *nodes;             /**< const hdINode *, by number of traces. */
	const struct forest *forest; /**< Or NULL. */
	uint32_t firstRelation;
	struct sorter *ends;
	struct sorter *edges;
	bool isJoined;
	struct dependencyCounts counts;
	GHashTable *roles;     /**< Names to bits of enum dependencyRole; ... */
	pthread_mutex_t mutex; /**< ... while traces are read. */
};

/** Ends that belong together. */
struct dependencyJoin {
	struct dependencies *dependencies;
	const struct channel *channel;
	GArray *held;    /**< struct dependencyEnd, that wait for others. */
	GArray *parts;   /**< struct dependencyPart, of what is handed on. */
	guint next;      /**< The first of them that does yet. */
	uint64_t strays; /**< Received in it, but sent before it began. */
	uint64_t team;   /**< Of threads, ... */
	guint members;   /**< ... and how many are in it; 0: not known. */
};

/** A source of edges. */
struct dependencySource {
	const char *name;
	unsigned int kinds; /**< That it makes. */
	/** Take what it needs of a record. */
	void (*note)(struct dependencyReader *reader, uint8_t number);
	/** Take the next end of a channel, in the order of their numbers; of
	 * the same what was sent comes first. 0 or a negative errno. */
	int (*take)(struct dependencyJoin *join,
		    const struct dependencyEnd *end);
	/** That was all of the channel, or of the number. Likewise. */
	int (*finish)(struct dependencyJoin *join);
	bool byNumber; /**< It is told of each number. */
};

/**
 * Note an end.
 *
 * @param key What its channel is of: sender, receiver, tag, epoch and group,
 * and the time of the end.
 *
 * @return Its number among those of the trace.
 */
uint64_t dependencyAdd(struct dependencyReader *reader,
		       const struct dependencyEnd *end,
		       const struct messageEnd *key);

/** The same of an end that is no message; of it sender and receiver are not
 *  used. */
void dependencyAddCall(struct dependencyReader *reader,
		       const struct dependencyEnd *end, int64_t epoch,
		       const struct messageGroup *group);

/** The same of an end that belongs to the rank of the trace only. */
void dependencyAddOwn(struct dependencyReader *reader,
		      const struct dependencyEnd *end);

/** Make an edge, if it is wanted; its times are as recorded. 0 or an errno. */
int dependencyMake(struct dependencies *self, struct dependency *edge);

/** Whether a function is asked whether something is complete, and it is not.
 */
bool dependencyIsInVain(const struct messageFields *fields);

/** How far the clocks of two traces can be apart; 0: that is not known. */
int64_t dependencyResidual(const struct dependencies *self, uint32_t a,
			   uint32_t b);

/** Add a part to what is handed on. */
void dependencyAddPart(struct dependencyJoin *join,
		       const struct dependencyEnd *end, int64_t rank);

/** Hand on what belongs together, of these parts, and forget them. 0 or a
 *  negative errno. */
int dependencyHandOn(struct dependencyJoin *join,
		     struct dependencyMatch *match);

/* The sources, in files of their names. */
extern const struct dependencySource dependencyMessages;
extern const struct dependencySource dependencyCollectives;
extern const struct dependencySource dependencyCompletions;
extern const struct dependencySource dependencyTeams;    /* openmp.c */
extern const struct dependencySource dependencyTasks;    /* Likewise. */
extern const struct dependencySource dependencyAccesses; /* windows.c */
extern const struct dependencySource dependencyLocks;    /* Likewise. */
extern const struct dependencySource dependencyGraph;    /* taskgraph.c */

/** What records of a name are for OpenMP: bits of enum dependencyRole. */
unsigned int dependencyOpenmp(const char *name);

/** All of a trace of OpenMP: any record, after the sources have noted it. */
void dependencyNest(struct dependencyReader *reader);

/** The last one was noted; frees what was needed. */
void dependencyNestEnd(struct dependencyReader *reader);

/** Whether a function makes, accesses or synchronizes windows. */
bool dependencyIsOfWindow(const char *name);

/** The last record was noted; frees windows and files. */
void dependencyHandlesEnd(struct dependencyReader *reader);

/** When what a request does was started; false if that is not known. */
bool dependencyStarted(const struct dependencyReader *reader, int64_t request,
		       int64_t *start);

/** Call a function for each request that a record names. */
void dependencyRequests(struct dependencyReader *reader,
			void (*take)(struct dependencyReader *reader,
				     int64_t request, void *data),
			void *data);

#endif
