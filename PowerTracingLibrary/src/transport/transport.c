/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of transports, and the calls that all have; see transport.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "PowerTracingLibrary/src/transport/calls.h"

/* Nothing for so long is silence; an adapter may collect bytes for 16 ms. */
#define QUIET_NS INT64_C(60000000)

static const struct ptTransportKind *const kinds[] = {
	&ptSerialKind,
	&ptTcpKind,
	NULL,
};

static const struct ptTransportKind *findKind(const char *address)
{
	for (size_t i = 0; kinds[i]; i++) {
		if (kinds[i]->matches(address))
			return kinds[i];
	}
	return NULL;
}

int ptTransportCheck(const char *address, char *why, size_t whySize)
{
	if (findKind(address) && strlen(address) < PT_ADDRESS_MAX)
		return 0;
	snprintf(why, whySize,
		 "invalid device; expected a path, such as /dev/ttyUSB0, or "
		 "tcp://HOST:PORT");
	return -EINVAL;
}

int ptTransportOpen(const char *address, const struct ptLine *line, int wakeFd,
		    int64_t deadlineNs, struct ptTransport **result)
{
	char why[128];
	int ret = ptTransportCheck(address, why, sizeof(why));

	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "%.100s: %s", address, why);
		return ret;
	}
	ret = findKind(address)->open(address, line, deadlineNs, result);
	if (ret == 0)
		(*result)->wakeFd = wakeFd;
	return ret;
}

void ptTransportSetWake(struct ptTransport *transport, int wakeFd)
{
	transport->wakeFd = wakeFd;
}

ssize_t ptTransportRead(struct ptTransport *transport, void *data, size_t size,
			int64_t deadlineNs, int64_t *whenNs)
{
	return transport->calls->read(transport, data, size, deadlineNs,
				      whenNs);
}

void ptTransportGather(struct ptTransport *transport, size_t bytes,
		       int64_t longestNs)
{
	int least = (int)bytes;

	if (setsockopt(transport->fd, SOL_SOCKET, SO_RCVLOWAT, &least,
		       sizeof(least)) == 0)
		transport->gatherNs = longestNs;
}

int ptTransportWrite(struct ptTransport *transport, const void *data,
		     size_t size, int64_t deadlineNs)
{
	return transport->calls->write(transport, data, size, deadlineNs);
}

int ptTransportDrain(struct ptTransport *transport, int64_t deadlineNs)
{
	return transport->calls->drain(transport, deadlineNs);
}

int ptTransportQuiet(struct ptTransport *transport, int64_t deadlineNs)
{
	char bytes[512];
	ssize_t ret = ptTransportDrain(transport, deadlineNs);

	if (ret < 0)
		return (int)ret;
	do {
		int64_t until = ptNow() + QUIET_NS;

		if (until > deadlineNs)
			return -ETIMEDOUT;
		ret = ptTransportRead(transport, bytes, sizeof(bytes), until,
				      NULL);
	} while (ret > 0);
	if (ret != -ETIMEDOUT)
		return (int)ret;
	ptTransportFlushInput(transport);
	return 0;
}

void ptTransportFlushInput(struct ptTransport *transport)
{
	transport->calls->flushInput(transport);
}

int ptTransportBreak(struct ptTransport *transport)
{
	return transport->calls->sendBreak(transport);
}

void ptTransportClose(struct ptTransport *transport)
{
	if (transport)
		transport->calls->close(transport);
}
