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

/** A process that belongs to another program, whose number there is not
 *  known. */
#define MESSAGES_ELSEWHERE (-1)
/** A process of which the project says nothing. */
#define MESSAGES_UNKNOWN (-2)

/**
 * A communicator. Two of the same ranks are two.
 *
 * Of an intercommunicator there are two groups: ranks that it names are those
 * of the other group, seen from the rank that names them.
 */
struct messageGroup {
	guint number; /**< From 0, in the order of the project. */
	/** Global ranks (int64_t) by local rank, or one of the two above. */
	GArray *globals;
	GArray *remotes;  /**< Of an intercommunicator's group 1; or NULL. */
	const char *name; /**< Or "". */
};

/** One end of a message. */
struct messageEnd {
	bool isSent;
	/** Global ranks; one of them may be MESSAGES_ELSEWHERE. */
	int64_t sender;
	int64_t receiver;
	/** Rank of the other one in the communicator; of an intercommunicator,
	 *  in the group of the other one. */
	int64_t localPeer;
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

/** The same once more, for traces that are read at the same time by another
 *  thread; it has the communicators in common. */
struct messages *messagesCopy(const struct messages *self);

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

/** The rank, among all, that a node is or belongs to; -1: none. */
int64_t messagesRankOf(const hdIProject *project, const hdINode *node);

/** The rank of the trace that was entered. */
int64_t messagesRank(const struct messages *self);

/** The communicator that a rank calls so; NULL if it is not known. */
const struct messageGroup *messagesGroupOf(const struct messages *self,
					   int64_t cid);

/** The rank in that communicator of the rank that was entered; -1 if it is not
 *  known. */
int64_t messagesLocalRank(const struct messages *self, int64_t cid);

/** Whether the rank that was entered belongs to group 1 of an
 *  intercommunicator. */
bool messagesIsRemote(const struct messages *self, int64_t cid);

/**
 * The process that the rank that was entered means by a rank of a
 * communicator: who gets what it sends there, and who is the root. Of an
 * intercommunicator it is one of the other group.
 *
 * @return A global rank, or MESSAGES_..
 */
int64_t messagesPeer(const struct messages *self, int64_t cid, int64_t rank);

/** For toolReport(), of a trace with so many numbered epochs (uint64_t). */
#define MESSAGES_EPOCHS                                                    \
	"recording was interrupted, or left messages out, before %" PRIu64 \
	" of its epochs"

/** Get the number of the epoch that begins with a record; false if none does.
 * epoch may be NULL. */
bool messagesEpoch(const hdIRecord *record, int64_t *epoch);

/** Whether a state is one of a task graph: of an activity, or waits for one. */
bool messagesIsOfGraph(const hdIRecord *record);

/** Attributes that are numbers, of calls of MPI and states of OpenMP. */
enum messageField {
	MESSAGE_CID,
	MESSAGE_RID,
	MESSAGE_PART,
	MESSAGE_SIZE,
	MESSAGE_RECV_SIZE,
	MESSAGE_TO_RANK,
	MESSAGE_TO_TAG,
	MESSAGE_FROM_RANK,
	MESSAGE_FROM_TAG,
	MESSAGE_ROOT_RANK,
	MESSAGE_ROOT,
	MESSAGE_FLAG,
	MESSAGE_COMPLETED,
	MESSAGE_TEAM,
	MESSAGE_THREAD,
	MESSAGE_THREADS,
	MESSAGE_BARRIER,
	MESSAGE_TASK,
	MESSAGE_ACTIVITY,
	MESSAGE_AWAITS,
	MESSAGE_FOLLOWS,
	MESSAGE_WID,
	MESSAGE_FID,
	MESSAGE_FIELDS
};

/** Those of an element. */
struct messageFields {
	uint32_t has; /**< A bit for each that is there, and a number. */
	int64_t values[MESSAGE_FIELDS];
};

/** Get one of them; false, and @p number as it was, if it is not there. */
static inline bool messageField(const struct messageFields *fields,
				enum messageField field, int64_t *number)
{
	if (!(fields->has >> field & 1))
		return false;
	*number = fields->values[field];
	return true;
}

/** Get an integer that is all of a text; false if it is none. number may be
 * NULL.
 */
bool messagesReadNumber(const char *text, int64_t *number);

/** Get those of an element. */
void messagesReadFields(struct messageFields *fields,
			const hdIAttribute *attributes, size_t count);

/** A record, and the numbers in it. */
struct messageRecord {
	const hdIRecord *record;
	struct messageFields own;
	const struct messageFields *elements; /**< record->elementCount */
};

/** Get the numbers of a record; valid until the next call. */
const struct messageRecord *messagesRead(struct messages *self,
					 const hdIRecord *record);

/** The number of a name of records, from 0 on; the same for the same trace. */
uint32_t messagesName(struct messages *self, const char *name);

/** Get an attribute that is an integer; false if it is not there. number may be
 *  NULL. */
bool messagesNumber(const hdIAttribute *attributes, size_t count,
		    const char *name, int64_t *number);

/** Hand on the ends that a record has; the records of a trace in their order.
 */
void messagesFind(struct messages *self, const hdIRecord *record,
		  messagesTake *take, void *data);

/** The same of a record that was read, by messagesRead(). */
void messagesEnds(struct messages *self, const struct messageRecord *read,
		  messagesTake *take, void *data);

#endif
