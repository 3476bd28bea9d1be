/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Nodes that have relations, and the rings between the threads that record and
 * the file of a node.
 *
 * Each thread has a ring for each node that it uses; it is the ring's producer.
 * Who holds the I/O lock of the file takes the records of all rings, in the
 * order of their times, whenever the file is drained (outfile.h).
 *
 * A relation may go from thread to thread. Its next record may then be seen in
 * one ring before the one before it is seen in another. So a record that
 * follows one in another ring says where that ends, and waits for it.
 *
 * The memory of nodes is used again, but never given back before
 * hdR_closeAPI(): a node has another number, its epoch, each time it is opened,
 * and who comes with an old one finds that out without a lock. What is not
 * atomic in a node is for those who use its token only, and for its lock.
 *
 * Locks, in the order in which they are taken: closing of a node; those of
 * outfile.c; list of a node.
 */
#ifndef HD_RELRING_H
#define HD_RELRING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hdRelation.h>
#include "HDTraceWritingCLibrary/src/outfile.h"
#include "common/format/relationid.h"
#include "common/format/text.h"

/** What tells a process from all others; never freed before hdR_closeAPI(). */
struct hdRelIdentity {
	char host[65];
	char local[64]; /**< Process id, '.', when it began to trace. */
	/** HOST:LOCAL, which all tokens begin with, and its hash. */
	char remote[130];
	size_t remoteLength;
	struct hdTraceHash hash;
	struct hdRelIdentity *next;
};

struct hdRelRing;

/** A node. */
struct _hdR_topoToken {
	_Atomic(uint64_t) epoch; /**< 0: not open. */
	size_t slot;             /**< Number of this memory. */
	unsigned int generation; /**< See outfile.h. */
	uint32_t number;         /**< topologyNumber. */
	int64_t start;           /**< timeAdjustment, in ns. */
	size_t sourceAt;         /**< See hdTimeSourceEnd(). */
	const struct hdRelIdentity *identity;
	atomic_bool hasFailed; /**< The file cannot be written. */
	atomic_bool isReported;
	_Atomic(uint64_t) lost;    /**< By threads that are gone. */
	_Atomic(uint64_t) clamped; /**< Times. */

	char apart[64]; /**< What changes stays off what is only read. */
	_Atomic(uint64_t) nextId;
	atomic_bool isAwaited; /**< The background thread was woken. */

	pthread_mutex_t closing;
	struct hdOutfile *file; /**< By closing. */

	pthread_mutex_t list;
	struct hdRelRing *rings; /**< By list. */
	size_t ringCount;
	size_t users; /**< Threads that have a ring, also of before. */
	/* Of who gathers. */
	struct hdRelRing **heap;
	char *stage;
	size_t stageUsed;
	size_t *ends;
	size_t endCount;

	struct _hdR_topoToken *next; /**< Of all nodes there are. */
};

/** The records of a thread for a node. */
struct hdRelRing {
	/* The thread's. */
	uint64_t epoch;
	unsigned int generation;
	size_t mask;
	size_t head;
	size_t tailSeen;
	uint64_t nextId, endId; /**< Ids that are the thread's to give. */
	_Atomic(uint64_t) lost;
	uint64_t serial; /**< Of all rings there ever were, from 1. */
	hdR_topoToken node;
	bool dropOnFull;
	bool forceFlush;
	bool asksAhead; /**< As of files, see outfile.h. */

	/* Shared. The thread reads the tail for each record while its ring is
	 * more than half full, so the tail is written rarely, and nothing that
	 * is written more often stands on its cache line. */
	_Atomic(size_t) published;
	char apart[64];
	_Atomic(size_t) tail;
	char gathering[64];

	/* By the node's list lock. */
	bool isDetached; /**< The node was finalized. */
	bool isOrphan;   /**< The thread has ended. */
	struct hdRelRing *next;
	/* Of who gathers. */
	size_t at;
	size_t given; /**< As `tail`. */
	size_t cut;
	int64_t key;

	_Alignas(16) char bytes[];
};

/** Ids that a thread takes at a time. */
#define REL_IDS 256

/** A key of attributes that was found good, and is a literal (literal.h). */
#define REL_KEY_ROOM 24 /**< For most of them as they stand: ` key="`. */
struct hdRelKey {
	const char *literal;
	uint32_t length;
	uint32_t used; /**< Of `text`; 0: there is no room for it. */
	char text[REL_KEY_ROOM];
};

/** Such keys, by their address. */
#define REL_KEYS 64

/** Attributes of a state, by their number, whose keys are all such, and each is
 *  there once. */
#define REL_LISTS 8
struct hdRelList {
	uint32_t count; /**< 0: none. */
	struct hdRelKey keys[REL_LISTS];
};

/** Names of states that are literals and stand for themselves, by their
 *  address. */
#define REL_NAMES 32
struct hdRelName {
	const char *literal;
	size_t length;
};

/** What a thread has. */
struct hdRelThread {
	struct hdRelName names[REL_NAMES];
	struct hdRelKey keys[REL_KEYS];
	struct hdRelList lists[REL_LISTS];
	struct hdRelRing **rings; /**< By the slot of their node. */
	size_t count;
	struct hdText scratch;
	struct hdText xml;
};

extern __thread struct hdRelThread *hdRelThreadOwn;

/** Slow part of hdRelThreadGet(). */
struct hdRelThread *hdRelThreadMake(void);

/** Get what the calling thread has; NULL: no memory. */
static inline struct hdRelThread *hdRelThreadGet(void)
{
	return __builtin_expect(hdRelThreadOwn != NULL, 1) ? hdRelThreadOwn
							   : hdRelThreadMake();
}

/** Slow part of hdRelRingGet(). */
struct hdRelRing *hdRelRingMake(struct hdRelThread *thread, hdR_topoToken node,
				uint64_t epoch);

/** Get the thread's ring of a node that was opened with an epoch; NULL: no
 *  memory, or closed by now. */
static inline struct hdRelRing *hdRelRingGet(struct hdRelThread *thread,
					     hdR_topoToken node, uint64_t epoch)
{
	struct hdRelRing *ring =
		node->slot < thread->count ? thread->rings[node->slot] : NULL;

	if (__builtin_expect(ring && ring->epoch == epoch, 1))
		return ring;
	return hdRelRingMake(thread, node, epoch);
}

/** A record that is to go into a ring. */
struct hdRelRecord {
	const char *bytes;
	size_t length;
	size_t last; /**< Length of the last element, if there are two; or 0. */
	int64_t time;
	/** The record before it of the same relation: which ring, and where it
	 *  ends; 0: none, or in the same ring. */
	uint64_t afterRing;
	size_t afterEnd;
};

/**
 * Put a record.
 *
 * @param need As of hdOutfileBegin().
 *
 * @retval 0 Success.
 * @retval 1 It is lost, and counted.
 * @retval -HD_ERR_WRITE_FILE The same, and the caller should be told.
 */
int hdRelRingPut(struct hdRelRing *ring, const struct hdRelRecord *record,
		 enum hdOutfileNeed need);

/** Open a node for a path and its file's header; 0 or negative. */
int hdRelNodeOpen(hdTopoNode *node, hdR_topoToken *out);

/** Close a node; 0 or negative. */
int hdRelNodeClose(hdR_topoToken node);

/** Write what there is of a node; 0 or -HD_ERR_WRITE_FILE. */
int hdRelNodeFlush(hdR_topoToken node, uint64_t epoch);

/** What a node has lost. */
uint64_t hdRelNodeLost(hdR_topoToken node);

/** Free all nodes; 0 or -HD_ERR_INVALID_CONTEXT. */
int hdRelNodesFree(void);

#endif
