/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Talking to an LMG450; see lmglink.h. */
#include <config.h>

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "clock.h"
#include "lmglink.h"
#include "message.h"
#include "sampler.h"

#define MS INT64_C(1000000)

/* Nothing for so long is silence; an adapter may collect bytes for 16 ms. */
#define QUIET_NS (60 * MS)
/* It is worth while to sleep until the rest of a message is there. */
#define REST_NS (2 * MS)
#define REST_MAX_NS (50 * MS)
/* The last bytes come with some delay, too. */
#define REST_MARGIN_NS (1 * MS)
/* Bits of a byte: a start bit, eight, and a stop bit. */
#define BYTE_BITS 10

void ptLmgLinkInit(struct ptLmgLink *link, struct ptTransport *transport,
		   int wakeFd, unsigned int baud)
{
	memset(link, 0, sizeof(*link));
	link->transport = transport;
	link->wakeFd = wakeFd;
	link->byteNs = BYTE_BITS * HD_NS_PER_S / baud;
	ptLmgInit(&link->parser);
}

int ptLmgSend(struct ptLmgLink *link, const char *line, int64_t deadlineNs)
{
	size_t length = strlen(line);
	char bytes[PT_LMG_LINE_MAX];

	if (length >= sizeof(bytes))
		return -E2BIG;
	memcpy(bytes, line, length);
	bytes[length] = '\n';
	ptMessage(HD_LOG_DEBUG, "lmg450: > %s", line);
	return ptTransportWrite(link->transport, bytes, length + 1, deadlineNs);
}

/* What the wall clock is ahead of the monotonic one. */
static int64_t wallAhead(void)
{
	int64_t ahead = 0;

	/* Not across a moment in which this thread did not run. */
	for (int i = 0; i < 4; i++) {
		int64_t before = hdMonotonicNow(), wall = hdClockNow(),
			after = hdMonotonicNow();

		ahead = wall - before - (after - before) / 2;
		if (after - before < 20000)
			break;
	}
	return ahead;
}

static void noteChunk(struct ptLmgLink *link, size_t size, int64_t whenNs)
{
	int64_t now = hdMonotonicNow(), when;
	unsigned int at = link->chunkCount++ % PT_LMG_CHUNKS;

	link->wallNs = wallAhead();
	when = whenNs - link->wallNs;
	/* The wall clock may have been set since. */
	if (when > now || when < now - HD_NS_PER_S)
		when = now;
	link->received += size;
	link->chunks[at].end = link->received;
	link->chunks[at].zeroNs = when - (int64_t)link->received * link->byteNs;
}

/*
 * A slow line gives byte by byte. Sleep once until the message can be there,
 * instead of waking up for each; the time of its beginning is known by then.
 */
static void awaitRest(struct ptLmgLink *link)
{
	struct pollfd wake = { .fd = link->wakeFd, .events = POLLIN };
	size_t pending = ptLmgPending(&link->parser);
	struct timespec rest = { 0 };

	if (!link->isRestDue || pending == 0 || pending >= link->usual)
		return;
	link->isRestDue = false;
	rest.tv_nsec = (long)((int64_t)(link->usual - pending) * link->byteNs);
	if (rest.tv_nsec > REST_MAX_NS)
		rest.tv_nsec = REST_MAX_NS;
	rest.tv_nsec += REST_MARGIN_NS;
	if (rest.tv_nsec >= REST_NS)
		(void)ppoll(&wake, 1, &rest, NULL);
}

/* Take what has come, at least a byte. */
static int takeBytes(struct ptLmgLink *link, int64_t deadlineNs)
{
	uint8_t bytes[PT_LMG_MESSAGE_MAX];
	int64_t whenNs = 0;
	ssize_t count;

	awaitRest(link);
	count = ptTransportRead(link->transport, bytes, sizeof(bytes),
				deadlineNs, &whenNs);
	if (count < 0)
		return (int)count;
	link->isRestDue = ptLmgPending(&link->parser) == 0;
	noteChunk(link, (size_t)count, whenNs);
	ptLmgPush(&link->parser, bytes, (size_t)count);
	return 0;
}

int ptLmgReceive(struct ptLmgLink *link, int64_t deadlineNs)
{
	for (;;) {
		int ret = ptLmgNext(&link->parser, &link->message);

		if (ret == 1) {
			link->usual = link->message.length;
			return 0;
		}
		if (ret == 0)
			ret = takeBytes(link, deadlineNs);
		if (ret < 0)
			return ret;
	}
}

int ptLmgAsk(struct ptLmgLink *link, const char *question, int64_t deadlineNs)
{
	int ret;

	link->usual = 0;
	ptLmgExpect(&link->parser, PT_LMG_TEXT, 0);
	ret = ptLmgSend(link, question, deadlineNs);
	if (ret < 0)
		return ret;
	do
		ret = ptLmgReceive(link, deadlineNs);
	while (ret == -EPROTO);
	link->usual = 0;
	if (ret == 0)
		ptMessage(HD_LOG_DEBUG, "lmg450: < %s", link->message.text);
	return ret;
}

int ptLmgQuiet(struct ptLmgLink *link, int64_t deadlineNs)
{
	char bytes[512];
	ssize_t ret;

	ret = ptTransportDrain(link->transport, deadlineNs);
	if (ret < 0)
		return (int)ret;
	do {
		int64_t until = hdMonotonicNow() + QUIET_NS;

		if (until > deadlineNs)
			return -ETIMEDOUT;
		ret = ptTransportRead(link->transport, bytes, sizeof(bytes),
				      until, NULL);
	} while (ret > 0);
	if (ret != -ETIMEDOUT)
		return (int)ret;
	ptTransportFlushInput(link->transport);
	ptLmgExpect(&link->parser, link->parser.kind, link->parser.count);
	return 0;
}

int64_t ptLmgArrival(const struct ptLmgLink *link)
{
	uint64_t position = link->message.position;
	int64_t least = INT64_MAX;

	/* All bytes up to the end of a chunk that holds a part of the message
	 * were sent before the chunk was seen, one after the other. */
	for (unsigned int i = 0; i < PT_LMG_CHUNKS && i < link->chunkCount;
	     i++) {
		unsigned int at = (link->chunkCount - 1 - i) % PT_LMG_CHUNKS;

		if (link->chunks[at].end <= position)
			break;
		if (link->chunks[at].zeroNs < least)
			least = link->chunks[at].zeroNs;
	}
	return least + (int64_t)position * link->byteNs;
}
