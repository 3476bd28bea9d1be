/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Inside of time-independent traces: a rank while it is read.
 */
#ifndef HD_TI_INSIDE_H
#define HD_TI_INSIDE_H

#include "HDTraceTools/model/mpi/messages.h"
#include "HDTraceTools/model/ti/ti.h"
#include "HDTraceTools/model/ti/titext.h"

/** Bytes of a message, and of all that a rank has in one collective action,
 *  that SMPI can count. */
#define TI_SIZE_MAX INT64_C(2147483647)
/** Larger messages are several of that size. */
#define TI_PIECE (INT64_C(1) << 30)
/** Of a message that others send, whose size is not known here. */
#define TI_SIZE_ANY TI_SIZE_MAX

/** Collective operations; those behind TI_NEIGHBOR_ALLGATHER have neighbours.
 */
enum tiOperation {
	TI_BARRIER,
	TI_BCAST,
	TI_REDUCE,
	TI_ALLREDUCE,
	TI_GATHER,
	TI_GATHERV,
	TI_SCATTER,
	TI_SCATTERV,
	TI_ALLGATHER,
	TI_ALLGATHERV,
	TI_ALLTOALL,
	TI_ALLTOALLV,
	TI_ALLTOALLW,
	TI_REDUCE_SCATTER,
	TI_REDUCE_SCATTER_BLOCK,
	TI_SCAN,
	TI_EXSCAN,
	TI_NEIGHBOR_ALLGATHER,
	TI_NEIGHBOR_ALLGATHERV,
	TI_NEIGHBOR_ALLTOALL,
	TI_NEIGHBOR_ALLTOALLV,
	TI_NEIGHBOR_ALLTOALLW,
	TI_OPERATIONS
};

/** Forms of a collective function. */
enum tiForm {
	TI_PLAIN, /**< It waits. */
	TI_BEGUN, /**< It begins what a request completes. */
	TI_LATER, /**< It makes a request that can be started. */
};

/** A collective call of a rank. */
struct tiCall {
	enum tiOperation operation;
	const struct messageGroup *group;
	int64_t rank; /**< In the group. */
	int64_t root; /**< Likewise; -1: none. */
	int64_t size; /**< As recorded, in bytes; of what is given ... */
	int64_t got;  /**< ... and got; one stands for the other that is not
		       *   there. */
	int64_t tag;
};

/** A call whose line depends on what others give and get. */
struct tiJoined {
	uint64_t offset; /**< Where the line belongs. */
	int64_t given;
	int64_t got;
	int64_t root;
	enum tiOperation operation;
};

/** Part of a request: messages of one pair, each to be waited for. */
struct tiPiece {
	int64_t sender;
	int64_t receiver;
	int64_t tag;
	uint64_t offset; /**< Of the lines of a receive that are changed. */
	uint32_t count;
	bool isReceive;
	bool isOpen; /**< Its source, tag or size is not known yet. */
};

/** What a request does, until it is complete. */
struct tiRequest {
	int64_t rid;
	bool isPersistent;
	bool isFile; /**< It reads or writes one. */
	bool isCollective;
	bool isSynchronous;
	bool isCancelled; /**< It may be complete all the same. */
	bool hasSend;
	bool hasReceive;
	bool isAny; /**< It receives from any rank, or with any tag. */
	int64_t to, toTag, toMapped, size;
	int64_t from, fromTag, fromMapped, room;
	struct tiCall call;
	GArray *pieces; /**< struct tiPiece */
};

/** Fates of the functions of one name. */
enum tiOutcome { TI_MAPPED, TI_AS_MESSAGES, TI_REFUSED, TI_OUTCOMES };

/** A name of states. */
struct tiName {
	uint8_t kind; /**< enum tiKind in tirank.c */
	uint8_t operation;
	bool isSynchronous;
	bool isTest;
	const char *function; /**< As recorded. */
	const char *action;   /**< That it becomes. */
	uint64_t counts[TI_OUTCOMES];
};

/** Ends of messages of one pair and tag. */
struct tiChannel {
	int64_t key;
	int64_t peer;
	int64_t tag; /**< As recorded. */
	int64_t last;
	uint64_t count;
	bool isSent;
};

/** A rank. */
struct tiRank {
	struct ti *owner;
	size_t number;
	const hdITraceFile *trace;
	const char *host;
	struct tiText text;
	char prefix[24];
	size_t prefixLength;
	/* While it is read. */
	struct messages *messages;
	GHashTable *requests; /**< rid to struct tiRequest */
	struct tiName *name;  /**< Of the call. */
	const char *marked;   /**< Function of the lines that are written. */
	int64_t lastEnd;      /**< Of the call before. */
	int64_t before;       /**< Time since that is no computation, ... */
	int64_t latest;       /**< ... without that of the latest state, ... */
	int64_t latestStart;  /**< ... which may be in the next call. */
	int64_t last;         /**< Time that was reached. */
	bool hasSlept;        /**< The call that is read did, in a file. */
	double pending;       /**< Computation that is not written yet. */
	double counted, measured; /**< Counts so far, and their time. */
	bool hasBegun;
	bool hasEnded;
	/* Afterwards. */
	GArray *names;        /**< struct tiName */
	GHashTable *channels; /**< key to struct tiChannel */
	GArray *joined;       /**< struct tiJoined */
	GArray *collectives;  /**< uint64_t: calls, by number of the group. */
	int64_t start, end;
	uint64_t calls, messageCount, synchronous, estimated;
	GPtrArray *problems;
};

/* ---- tilines.c --------------------------------------------------------- */

/** Append the computation that is pending; other lines do so before. */
void tiPutPending(struct tiRank *self);

/** Append a line; after the computation that is pending. */
void tiPut(struct tiRank *self, const char *action, size_t count,
	   const int64_t *arguments);
#define TI_PUT(self, action, ...)                                         \
	tiPut(self, action,                                               \
	      sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), \
	      (const int64_t[]){ __VA_ARGS__ })

/** Append a line without arguments, or text as an argument. */
void tiPutText(struct tiRank *self, const char *action, const char *text);

/** Append a time without computation, in ns. */
void tiPutSleep(struct tiRank *self, int64_t time);

/** The lines that follow are of the call that is read, whose function is
 *  another than their action; and its end. */
void tiMark(struct tiRank *self);
void tiMarkAlways(struct tiRank *self);
void tiMarkEnd(struct tiRank *self);

/** Begin a message to a rank, or from it; its part of a request. */
void tiPutIsend(struct tiRank *self, int64_t peer, int64_t tag, int64_t size,
		GArray *pieces);
void tiPutIrecv(struct tiRank *self, int64_t peer, int64_t tag, int64_t size,
		GArray *pieces);
/** The same, but sender, tag and size may change. */
void tiPutOpen(struct tiRank *self, int64_t peer, int64_t tag, int64_t size,
	       GArray *pieces);
/** They are known: change the lines. */
void tiClose(struct tiRank *self, struct tiPiece *piece, int64_t peer,
	     int64_t tag, int64_t size);
/** There was no message. */
void tiDrop(struct tiRank *self, struct tiPiece *piece);
/** Wait for all messages, which are forgotten. */
void tiPutWaits(struct tiRank *self, GArray *pieces);
/** Send or receive, and wait for that. */
void tiPutSend(struct tiRank *self, int64_t peer, int64_t tag, int64_t size);
void tiPutRecv(struct tiRank *self, int64_t peer, int64_t tag, int64_t size);

/* ---- ticollective.c ---------------------------------------------------- */

/** Find a collective function by its name, in any form. */
bool tiFindOperation(const char *name, enum tiOperation *operation,
		     enum tiForm *form);

/** The action of an operation of all ranks; NULL: it has none. */
const char *tiActionOf(enum tiOperation operation);

/** What an operation becomes where it is messages. */
const char *tiAlgorithmOf(enum tiOperation operation, bool isBegun);

/** Whether SMPI's own can do a call of all ranks. */
bool tiIsNative(const struct ti *ti, const struct tiCall *call);

/** Make a call, by SMPI's own. */
void tiPutNative(struct tiRank *self, const struct tiCall *call);

/** Make a call by messages. */
void tiPutMessages(struct tiRank *self, const struct tiCall *call);

/** Begin a call by messages, all at once. */
void tiPutBegun(struct tiRank *self, const struct tiCall *call, GArray *pieces);

/** Whether a call of which ranks know only their part is too large. */
bool tiIsTooLarge(const struct ti *ti, guint number);

/** The line of a call that depends on what all give and get. */
void tiPrintJoined(const struct ti *ti, size_t rank, guint number, FILE *out);

/* ---- ti.c -------------------------------------------------------------- */

struct ti {
	const hdIProject *project;
	struct messages *messages;
	struct tiFile file;
	struct tiRank *ranks;
	size_t count;
	double speed;
	int64_t start; /**< Of the project. */
	GPtrArray *problems;
	struct tiReport report;
};

/** Note why the run cannot be replayed; the time is one of it. */
void tiRefuse(struct tiRank *self, int64_t time, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

/** Read all records of a rank; tirank.c. */
int tiReadRank(struct tiRank *self, const struct diagnosticSink *sink);

#endif
