/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A serial server: the meter's bytes in a TCP connection, nothing added. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/transport/calls.h"
#include "common/net.h"

#define SCHEME "tcp://"

static int tcpMatches(const char *address)
{
	return strncmp(address, SCHEME, strlen(SCHEME)) == 0;
}

static const struct ptTransportCalls tcpCalls;

static int tcpOpen(const char *address, const struct ptLine *line,
		   int64_t deadlineNs, struct ptTransport **result)
{
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];
	const char *why;
	int fd, ret;

	(void)line; /* The server's business. */
	if (hdNetSplit(address + strlen(SCHEME), 0, host, port) != 0) {
		ptMessage(HD_LOG_ERROR,
			  "%s: invalid address; expected tcp://HOST:PORT",
			  address);
		return -EINVAL;
	}
	ret = hdNetConnect(host, port, -1, deadlineNs, &fd, &why);
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "%s: %s", address, why);
		return ret;
	}
	ret = ptFdTransport(&tcpCalls, fd, address, result);
	if (ret < 0)
		close(fd);
	return ret;
}

static void tcpFlushInput(struct ptTransport *transport)
{
	char bytes[4096];

	if (!hdOwnedIs(&transport->owned, transport->fd))
		return;
	/* As much as a socket may hold, but not what comes meanwhile. */
	for (int i = 0; i < 64; i++) {
		if (recv(transport->fd, bytes, sizeof(bytes), MSG_DONTWAIT) <=
		    0)
			break;
	}
}

static int tcpBreak(struct ptTransport *transport)
{
	(void)transport;
	return -ENOTSUP;
}

static const struct ptTransportCalls tcpCalls = {
	.read = ptFdRead,
	.write = ptFdWrite,
	.drain = ptFdDrain,
	.flushInput = tcpFlushInput,
	.sendBreak = tcpBreak,
	.close = ptFdClose,
};

const struct ptTransportKind ptTcpKind = {
	.name = "tcp",
	.matches = tcpMatches,
	.open = tcpOpen,
};
