/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file pairs.h
 * Messages as pairs of their ends, in the order of sending.
 *
 * The first message that was sent to a rank, with a communicator and a tag, is
 * the first one that it received, and so on. The memory does not grow with the
 * number of messages.
 */
#ifndef HD_PAIRS_H
#define HD_PAIRS_H

#include "messages.h"

/** One end of a message. */
struct pairEnd {
	uint64_t channel; /**< Sender, receiver, communicator and tag. */
	uint64_t number;  /**< Of the message in the channel. */
	bool isSent;
	size_t trace; /**< As given to pairsAdd(). */
	int64_t time;
	int64_t size; /**< In bytes; -1 if not known. */
	int64_t tag;
	guint group; /**< Number of the communicator. */
};

/** Both ends of a message. */
struct pair {
	struct pairEnd sent;
	struct pairEnd received;
};

struct pairs;

struct pairs *pairsNew(void);

/** Free it; NULL does nothing. */
void pairsFree(struct pairs *self);

/**
 * Add an end; those of a trace in their order.
 *
 * @param trace Any number for the trace.
 *
 * @return 0, or the negative errno of the temporary file.
 */
int pairsAdd(struct pairs *self, const struct messageEnd *end, size_t trace);

/**
 * Take the next message. After the first call nothing may be added.
 *
 * @retval 1 @p pair is set.
 * @retval 0 That was all.
 * @return A negative errno.
 */
int pairsNext(struct pairs *self, struct pair *pair);

/** Ends without the other one; after pairsNext(). */
uint64_t pairsLoose(const struct pairs *self);

#endif
