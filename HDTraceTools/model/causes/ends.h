/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What dependencies.c, and the sources of edges in it, share.
 */
#ifndef HD_DEPENDENCYENDS_H
#define HD_DEPENDENCYENDS_H

#include <glib.h>

#include "HDTraceTools/base/sorter.h"
#include "HDTraceTools/base/spool.h"
#include "HDTraceTools/model/channels.h"
#include "HDTraceTools/model/causes/dependencies.h"
#include "HDTraceTools/model/causes/residuals.h"

/** Who depends on whom in a collective call. */
enum collectivePattern {
	PATTERN_BARRIER,
	PATTERN_ONE2ALL,
	PATTERN_ALL2ONE,
	PATTERN_ALL2ALL,
	PATTERN_PREFIX,
	PATTERN_FINALIZE, /**< A barrier if the MPI library waits in it. */
};

/** What records of a name are, as bits; above them is the number of a
 *  collective function. */
enum dependencyRole {
	ROLE_MESSAGES = 1,  /**< They may have ends of messages. */
	ROLE_COMPLETES = 2, /**< They complete requests. */
	ROLE_STARTS = 4,    /**< They start those that are there. */
	ROLE_BEGINS = 8,    /**< They make requests, and start them. */
	ROLE_COLLECTIVE = 16,
	ROLE_FUNCTION = 32, /**< The unit of that number. */
};

/** Number of a collective function, those that do not wait included; -1: it is
 *  none. */
int dependencyFunction(const char *name);

/** What is noted of a trace: one end of an edge. */
struct dependencyEnd {
	uint64_t channel; /**< Of the trace's; then of all. */
	uint64_t number;  /**< In it. */
	int64_t start;    /**< Of the call, or of what is completed. */
	int64_t waited;   /**< Since when the call that ends waits. */
	int64_t time;     /**< When it ends. */
	union {
		int64_t size; /**< Of a message, as of struct messageEnd. */
		int64_t rank; /**< Of a collective call: the own one. */
	};
	union {
		int64_t posted; /**< Of a message that was received: when
				 * somebody was ready. */
		int64_t root;   /**< Of a collective call; -1: none. */
	};
	uint32_t trace;
	uint32_t local;    /**< Of a collective call: the rank in its group. */
	uint16_t function; /**< Likewise. */
	uint8_t source;    /**< Number in the table of sources. */
	uint8_t isSent;
	uint8_t isChosen;
	uint8_t blocks; /**< 0: no, 1: perhaps, 2: until it is received. */
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
	GHashTable *calls;   /**< Communicators and epochs to uint64_t. */
	const hdIRecord *record;
	bool isChosen;
	int error;
};

/** The ends of a channel, which belong together by their numbers. */
struct dependencyChannel {
	struct channel channel;
	uint64_t counts[2]; /**< Received, sent; so far. */
	uint64_t whole;     /**< Of a trace's: its number among all. */
	uint64_t before[2]; /**< And how many others had before. */
};

struct dependencies {
	struct dependencyWish wish;
	const hdIProject *project;
	struct residuals *residuals;
	struct messages *messages; /**< For communicators. */
	struct channels *channels; /**< Of struct dependencyChannel. */
	GArray *nodes;             /**< const hdINode *, by number of traces. */
	struct sorter *ends;
	struct sorter *edges;
	bool isJoined;
	struct dependencyCounts counts;
};

/** Ends that belong together. */
struct dependencyJoin {
	struct dependencies *dependencies;
	const struct channel *channel;
	GArray *held;    /**< struct dependencyEnd, that wait for others. */
	guint next;      /**< The first of them that does yet. */
	uint64_t strays; /**< Received in it, but sent before it began. */
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
 */
void dependencyAdd(struct dependencyReader *reader,
		   const struct dependencyEnd *end,
		   const struct messageEnd *key);

/** The same of an end that is no message; of it sender and receiver are not
 *  used. */
void dependencyAddCall(struct dependencyReader *reader,
		       const struct dependencyEnd *end, int64_t epoch,
		       const struct messageGroup *group);

/** Make an edge, if it is wanted; its times are as recorded. 0 or an errno. */
int dependencyMake(struct dependencies *self, struct dependency *edge);

/* The sources, in files of their names. */
extern const struct dependencySource dependencyMessages;
extern const struct dependencySource dependencyCollectives;
extern const struct dependencySource dependencyCompletions;

/** When what a request does was started; false if that is not known. */
bool dependencyStarted(const struct dependencyReader *reader, int64_t request,
		       int64_t *start);

/** Call a function for each request that a record names. */
void dependencyRequests(struct dependencyReader *reader,
			void (*take)(struct dependencyReader *reader,
				     int64_t request, void *data),
			void *data);

#endif
