/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes from a meter, and their time; see receiver.h. */
#include "config.h"

#include <string.h>

#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/meter/receiver.h"
#include "common/clock.h"

#define MS INT64_C(1000000)

/* It is worth while to sleep until the rest of a message is there. */
#define REST_NS (2 * MS)
#define REST_MAX_NS (50 * MS)
/* The last bytes come with some delay, too. */
#define REST_MARGIN_NS (1 * MS)
/* After so many bytes at once there may be more. */
#define MANY 2048

int64_t ptLineByteNs(const struct ptLine *line)
{
	/* A start bit, eight, perhaps a parity, and a stop bit. */
	int bits = line->parity == PT_PARITY_NONE ? 10 : 11;

	return bits * HD_NS_PER_S / line->baud;
}

void ptReceiverInit(struct ptReceiver *receiver, struct ptTransport *transport,
		    int wakeFd, int64_t byteNs)
{
	memset(receiver, 0, sizeof(*receiver));
	receiver->transport = transport;
	receiver->wakeFd = wakeFd;
	receiver->byteNs = byteNs;
}

static void noteChunk(struct ptReceiver *receiver, size_t size, int64_t whenNs)
{
	int64_t now = ptNow(), when;
	unsigned int at = receiver->chunkCount++ % PT_RECEIVER_CHUNKS;

	receiver->wallNs = ptWallAhead();
	when = whenNs - receiver->wallNs;
	/* The wall clock may have been set since. */
	if (when > now || when < now - HD_NS_PER_S)
		when = now;
	receiver->received += size;
	receiver->chunks[at].end = receiver->received;
	receiver->chunks[at].zeroNs =
		when - (int64_t)receiver->received * receiver->byteNs;
}

/*
 * A slow line gives byte by byte. Sleep once until the message can be there,
 * instead of waking up for each; the time of its beginning is known by then.
 */
static void awaitRest(struct ptReceiver *receiver, size_t pending, size_t usual)
{
	int64_t restNs = (int64_t)(usual - pending) * receiver->byteNs;

	if (!receiver->isRestDue || pending == 0 || pending >= usual)
		return;
	receiver->isRestDue = false;
	if (restNs > REST_MAX_NS)
		restNs = REST_MAX_NS;
	restNs += REST_MARGIN_NS;
	if (restNs >= REST_NS)
		ptSleep(receiver->wakeFd, restNs);
}

ssize_t ptReceiverRead(struct ptReceiver *receiver, void *bytes, size_t size,
		       size_t pending, size_t usual, int64_t deadlineNs)
{
	int64_t whenNs = 0;
	ssize_t count;
	size_t used;

	awaitRest(receiver, pending, usual);
	count = ptTransportRead(receiver->transport, bytes, size, deadlineNs,
				&whenNs);
	if (count < 0)
		return count;
	used = (size_t)count;
	/* A terminal gives so many at once, although it has more. */
	while (count >= MANY && size - used >= MANY) {
		count = ptTransportRead(receiver->transport,
					(char *)bytes + used, size - used,
					ptNow(), &whenNs);
		if (count > 0)
			used += (size_t)count;
	}
	receiver->isRestDue = pending == 0;
	noteChunk(receiver, used, whenNs);
	return (ssize_t)used;
}

/* Look at the chunks from that on that a byte is in. All bytes up to the end of
 * a chunk were sent before it was seen, one after the other; so the least of
 * what they tell is when byte 0 would have come. */
static uint64_t receiverScanChunks(const struct ptReceiver *receiver,
				   uint64_t position, int64_t *leastNs)
{
	uint64_t end = receiver->received;

	*leastNs = INT64_MAX;
	for (unsigned int i = 0;
	     i < PT_RECEIVER_CHUNKS && i < receiver->chunkCount; i++) {
		unsigned int at =
			(receiver->chunkCount - 1 - i) % PT_RECEIVER_CHUNKS;

		if (receiver->chunks[at].end <= position)
			break;
		end = receiver->chunks[at].end;
		if (receiver->chunks[at].zeroNs < *leastNs)
			*leastNs = receiver->chunks[at].zeroNs;
	}
	return end;
}

int64_t ptReceiverArrival(const struct ptReceiver *receiver, uint64_t position)
{
	int64_t leastNs;

	(void)receiverScanChunks(receiver, position, &leastNs);
	return leastNs + (int64_t)position * receiver->byteNs;
}

uint64_t ptReceiverBehind(const struct ptReceiver *receiver, uint64_t position)
{
	int64_t leastNs;
	uint64_t end = receiverScanChunks(receiver, position, &leastNs);

	return end > position ? end - position - 1 : 0;
}
