/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Bytes from a meter that sends by itself, and when they arrived.
 *
 * Functions return 0 or a negative errno value; times are of CLOCK_MONOTONIC.
 */
#ifndef PT_RECEIVER_H
#define PT_RECEIVER_H

#include <stdbool.h>

#include "PowerTracingLibrary/src/core/transport.h"

/** Chunks of bytes whose time is remembered. */
#define PT_RECEIVER_CHUNKS 64

/** The time that a byte takes on a serial line, in nanoseconds. */
int64_t ptLineByteNs(const struct ptLine *line);

struct ptReceiver {
	struct ptTransport *transport;
	int wakeFd;
	int64_t byteNs;    /**< Time of a byte on the wire. */
	uint64_t received; /**< Bytes, since ptReceiverInit(). */
	bool isRestDue;    /**< A message has begun, and the rest will come. */
	int64_t wallNs;    /**< What the wall clock is ahead. */
	unsigned int chunkCount;
	struct {
		uint64_t end;   /**< Position behind the chunk. */
		int64_t zeroNs; /**< When byte 0 would have come, at the latest,
				     had all come without a pause. */
	} chunks[PT_RECEIVER_CHUNKS];
};

/** Begin, with a meter that needs @p byteNs for a byte. */
void ptReceiverInit(struct ptReceiver *receiver, struct ptTransport *transport,
		    int wakeFd, int64_t byteNs);

/**
 * Take what has come, at least a byte.
 *
 * @param pending Bytes of the message that has begun.
 * @param usual Length of the messages that come, or 0: if there is some but not
 *        all of it this sleeps until it can be there, instead of waking up for
 *        each byte.
 *
 * @return The number of bytes, or an error of ptTransportRead().
 */
ssize_t ptReceiverRead(struct ptReceiver *receiver, void *bytes, size_t size,
		       size_t pending, size_t usual, int64_t deadlineNs);

/**
 * Tell when a byte arrived, at the latest.
 *
 * @param position Of the byte among all since ptReceiverInit(); one of the last
 *        PT_RECEIVER_CHUNKS readings.
 */
int64_t ptReceiverArrival(const struct ptReceiver *receiver, uint64_t position);

/**
 * Tell how many bytes came together with a byte, and behind it.
 *
 * @param position As of ptReceiverArrival().
 */
uint64_t ptReceiverBehind(const struct ptReceiver *receiver, uint64_t position);

#endif
