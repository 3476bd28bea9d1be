/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Messages as pairs of their ends, in the order of sending.
 *
 * The first message that was sent to a rank, with a communicator and a tag, is
 * the first one that it received, and so on. Where recording was interrupted
 * that begins anew with each epoch that was recorded; what is received there
 * before something is sent was sent when nothing was recorded. The memory does
 * not grow with the number of messages, but for those.
 *
 * Messages are put together by their order, for MPI gives them no number. To
 * count those that are not recorded would take the status of every receive,
 * where the program wants none, and time where little is to be spent; so a
 * trace says only where recording goes on, and the order begins anew.
 */
#ifndef HD_PAIRS_H
#define HD_PAIRS_H

#include "HDTraceTools/model/messages.h"

/** One end of a message. */
struct pairEnd {
	uint64_t channel; /**< Sender, receiver, communicator, tag, epoch. */
	uint64_t number;  /**< Of the message in the channel. */
	bool isSent;
	bool isChosen; /**< These as given to pairsAdd(). */
	size_t trace;
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
 * Add an end; those of a trace in their order, all of them, or the first of
 * those that are there is not the first that was sent.
 *
 * @param isChosen Whether the end is looked for: pairs of which one is not are
 *        left out, and count as loose.
 * @param trace Any number for the trace.
 *
 * @return 0, or the negative errno of the temporary file.
 */
int pairsAdd(struct pairs *self, const struct messageEnd *end, bool isChosen,
	     size_t trace);

/**
 * Take the next message. After the first call nothing may be added.
 *
 * @retval 1 @p pair is set.
 * @retval 0 That was all.
 * @return A negative errno.
 */
int pairsNext(struct pairs *self, struct pair *pair);

/** Chosen ends without the other one; after pairsNext(). */
uint64_t pairsLoose(const struct pairs *self);

/** Pairs that may be others', since recording was interrupted before them;
 * after pairsNext(). */
uint64_t pairsUnsure(const struct pairs *self);

#endif
