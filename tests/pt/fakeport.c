/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A way to a meter that is the test; see fakeport.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "common/clock.h"
#include "tests/pt/fakeport.h"

static struct fakePort *fakePortOf(struct ptTransport *transport)
{
	return (struct fakePort *)transport;
}

static bool fails(struct fakePort *port)
{
	return port->calls++ >= port->failAt;
}

static void noteWait(struct fakePort *port, int64_t deadlineNs)
{
	port->longestNs = MAX(port->longestNs, deadlineNs - softNow());
}

static void freeChunk(struct fakeChunk *chunk)
{
	g_string_free(chunk->bytes, TRUE);
	g_free(chunk);
}

/* Take what has come by now. */
static size_t takeDue(struct fakePort *port, char *data, size_t size)
{
	struct fakeChunk *chunk;
	size_t used = 0;

	while (used < size && (chunk = g_queue_peek_head(&port->chunks)) &&
	       chunk->atNs <= softNow()) {
		size_t part = MIN(size - used, chunk->bytes->len);

		memcpy(data + used, chunk->bytes->str, part);
		used += part;
		g_string_erase(chunk->bytes, 0, (gssize)part);
		if (chunk->bytes->len == 0)
			freeChunk(g_queue_pop_head(&port->chunks));
	}
	return used;
}

static ssize_t fakeRead(struct ptTransport *transport, void *data, size_t size,
			int64_t deadlineNs, int64_t *whenNs)
{
	struct fakePort *port = fakePortOf(transport);
	struct fakeChunk *chunk = g_queue_peek_head(&port->chunks);

	if (fails(port))
		return port->error;
	/* It is readable all the time. */
	if (transport->wakeFd >= 0)
		return -EINTR;
	noteWait(port, deadlineNs);
	if (!chunk || chunk->atNs > deadlineNs ||
	    port->calls > port->silentFrom) {
		softPass(MAX(deadlineNs - softNow(), 0));
		return -ETIMEDOUT;
	}
	softPass(MAX(chunk->atNs - softNow(), 0));
	if (whenNs)
		*whenNs = hdClockNow();
	return (ssize_t)takeDue(port, data, MIN(size, port->step));
}

static int fakeWrite(struct ptTransport *transport, const void *data,
		     size_t size, int64_t deadlineNs)
{
	struct fakePort *port = fakePortOf(transport);
	const unsigned char *bytes = data;

	if (fails(port))
		return port->error;
	noteWait(port, deadlineNs);
	g_assert_cmpuint(size, >, 0);
	for (size_t i = 0; i < size; i++) {
		if (port->isBinary)
			g_string_append_printf(port->log, "%02x", bytes[i]);
		else
			g_string_append_c(port->log, (char)bytes[i]);
	}
	g_string_append_c(port->log, '\n');
	if (port->answer)
		port->answer(port, data, size);
	return 0;
}

static int fakeDrain(struct ptTransport *transport, int64_t deadlineNs)
{
	struct fakePort *port = fakePortOf(transport);

	if (fails(port))
		return port->error;
	noteWait(port, deadlineNs);
	g_string_append(port->log, "(drain)\n");
	return 0;
}

static void fakeFlush(struct ptTransport *transport)
{
	struct fakePort *port = fakePortOf(transport);
	struct fakeChunk *chunk;

	g_string_append(port->log, "(flush)\n");
	while ((chunk = g_queue_peek_head(&port->chunks)) &&
	       chunk->atNs <= softNow())
		freeChunk(g_queue_pop_head(&port->chunks));
}

static int fakeBreak(struct ptTransport *transport)
{
	return fails(fakePortOf(transport)) ? fakePortOf(transport)->error
					    : -ENOTSUP;
}

static void fakeClose(struct ptTransport *transport)
{
	(void)transport;
}

static const struct ptTransportCalls fakeCalls = {
	.read = fakeRead,
	.write = fakeWrite,
	.drain = fakeDrain,
	.flushInput = fakeFlush,
	.sendBreak = fakeBreak,
	.close = fakeClose,
};

void fakePortInit(struct fakePort *port)
{
	*port = (struct fakePort){
		.transport = { .calls = &fakeCalls, .wakeFd = -1, .fd = -1 },
		.log = g_string_new(NULL),
		.step = SIZE_MAX,
		.failAt = INT_MAX,
		.silentFrom = INT_MAX,
	};
	strcpy(port->transport.address, "fake");
}

void fakePortForget(struct fakePort *port)
{
	while (!g_queue_is_empty(&port->chunks))
		freeChunk(g_queue_pop_head(&port->chunks));
	port->lastNs = 0;
}

void fakePortClear(struct fakePort *port)
{
	fakePortForget(port);
	g_string_free(port->log, TRUE);
}

void fakePortGive(struct fakePort *port, int64_t ns, const void *bytes,
		  size_t size)
{
	struct fakeChunk *chunk = g_new(struct fakeChunk, 1);

	if (size == 0) {
		g_free(chunk);
		return;
	}
	port->lastNs = MAX(port->lastNs, softNow()) + ns;
	chunk->atNs = port->lastNs;
	chunk->bytes = g_string_new_len(bytes, (gssize)size);
	g_queue_push_tail(&port->chunks, chunk);
}

void fakePortSay(struct fakePort *port, int64_t ns, const char *text)
{
	fakePortGive(port, ns, text, strlen(text));
}
