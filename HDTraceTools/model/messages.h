/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages that the states of MPI functions send and receive.
 */
#ifndef HD_MESSAGES_H
#define HD_MESSAGES_H

#include <stdbool.h>
#include <inttypes.h>
#include <glib.h>

#include <hdReading.h>

/** A communicator as a set of ranks: those of the same ranks are one. */
struct messageGroup {
	guint number;     /**< From 0, in the order of the project. */
	GArray *globals;  /**< int64_t by local rank. */
	const char *name; /**< Of the first communicator with a name, or "". */
};

/** One end of a message. */
struct messageEnd {
	bool isSent;
	int64_t sender; /**< Global ranks. */
	int64_t receiver;
	int64_t localPeer; /**< Rank of the other one in the communicator. */
	int64_t tag;
	/** Number of what was recorded without interruption; 0 where that goes
	 *  back to the beginning. From there on nothing is missing: the first
	 *  message that was sent is the first that was received. It is negative
	 *  where messages are missing, so that there is no such order. */
	int64_t epoch;
	const struct messageGroup *group;
	int64_t size;    /**< In bytes; -1 if not known. */
	int64_t time;    /**< Start of sending, or end of receiving. */
	int64_t request; /**< That it belongs to; -1 if there is none. */
};

/** Takes an end; it is valid during the call only. */
typedef void messagesTake(const struct messageEnd *end, void *data);

struct messages;

/** Get ready for the messages of a project. */
struct messages *messagesNew(const hdIProject *project);

/** Free it; NULL does nothing. */
void messagesFree(struct messages *self);

/** The communicators: array of struct messageGroup *. */
const GPtrArray *messagesGroups(const struct messages *self);

/**
 * The records that follow are those of a trace.
 *
 * @param[out] rank Its rank; may be NULL.
 *
 * @return Whether it belongs to a rank; if not it has no messages.
 */
bool messagesEnter(struct messages *self, const hdITraceFile *trace,
		   int64_t *rank);

/** The rank of the trace that was entered. */
int64_t messagesRank(const struct messages *self);

/** The communicator that a rank calls so; NULL if it is not known. */
const struct messageGroup *messagesGroupOf(const struct messages *self,
					   int64_t cid);

/** For toolReport(), of a trace with so many numbered epochs (uint64_t). */
#define MESSAGES_EPOCHS                                                    \
	"recording was interrupted, or left messages out, before %" PRIu64 \
	" of its parts"

/** Get the number of the epoch that begins with a record; false if none does.
 * epoch may be NULL. */
bool messagesEpoch(const hdIRecord *record, int64_t *epoch);

/** Get an attribute that is an integer; false if it is not there. number may be
 *  NULL. */
bool messagesNumber(const hdIAttribute *attributes, size_t count,
		    const char *name, int64_t *number);

/** Hand on the ends that a record has; the records of a trace in their order.
 */
void messagesFind(struct messages *self, const hdIRecord *record,
		  messagesTake *take, void *data);

#endif
