/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What transports have in common whose way is a file descriptor; see calls.h.
 * All of them are non-blocking. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/transport/calls.h"
#include "common/clock.h"
#include "common/net.h"

/* How long to sleep where the kernel cannot tell when all is sent. */
#define DRAIN_STEP_NS 1000000

int ptFdTransport(const struct ptTransportCalls *calls, int fd,
		  const char *address, struct ptTransport **result)
{
	struct ptTransport *transport = calloc(1, sizeof(*transport));

	if (!transport)
		return -ENOMEM;
	transport->calls = calls;
	transport->fd = fd;
	hdOwnedSet(&transport->owned, fd);
	transport->wakeFd = -1;
	strncpy(transport->address, address, PT_ADDRESS_MAX - 1);
	*result = transport;
	return 0;
}

/* Tell that the other side is gone. */
static int gone(const struct ptTransport *transport, const char *why)
{
	ptMessage(HD_LOG_ERROR, "%s: %s", transport->address, why);
	return -ENODEV;
}

int ptFdCheck(const struct ptTransport *transport)
{
	if (hdOwnedIs(&transport->owned, transport->fd))
		return 0;
	return gone(transport, HD_OWNED_GONE);
}

/* An error of read(), write(), poll(). */
static int fdTransportReportError(const struct ptTransport *transport,
				  int error)
{
	switch (error) {
	case ETIMEDOUT:
		/* A connection whose other end does not answer any more. */
	case ENODEV:
	case ENXIO:
	case EIO:
	case ECONNRESET:
	case EPIPE:
	case EHOSTUNREACH:
	case ENETUNREACH:
		return gone(transport, strerror(error));
	default:
		ptMessage(HD_LOG_ERROR, "%s: %s", transport->address,
			  strerror(error));
		return -error;
	}
}

/* Pass on what hdNetWait() returned, or tell about it. */
static int waited(const struct ptTransport *transport, int ret)
{
	if (ret >= 0 || ret == -ETIMEDOUT || ret == -EINTR)
		return ret;
	return fdTransportReportError(transport, -ret);
}

/* Until when to wait for as much as is to be gathered. */
static int64_t gatheredBy(const struct ptTransport *transport,
			  int64_t deadlineNs)
{
	int64_t untilNs = hdMonotonicNow() + transport->gatherNs;

	return transport->gatherNs > 0 && untilNs < deadlineNs ? untilNs
							       : deadlineNs;
}

ssize_t ptFdRead(struct ptTransport *transport, void *data, size_t size,
		 int64_t deadlineNs, int64_t *whenNs)
{
	for (;;) {
		ssize_t count;
		int64_t untilNs = gatheredBy(transport, deadlineNs);
		int ret = waited(transport,
				 hdNetWait(transport->fd, POLLIN,
					   transport->wakeFd, untilNs));
		bool isLess = ret == -ETIMEDOUT && transport->gatherNs > 0;

		if (ret < 0 && !isLess)
			return ret;
		/* What comes for the program is not taken from it. */
		if (ptFdCheck(transport) < 0)
			return -ENODEV;
		if (whenNs)
			*whenNs = hdClockNow();
		count = read(transport->fd, data, size);
		if (count > 0)
			return count;
		if (count == 0)
			return gone(transport,
				    "connection closed by the other side");
		if (errno == EAGAIN && isLess) {
			if (untilNs == deadlineNs)
				return -ETIMEDOUT;
			continue;
		}
		if (errno == EAGAIN && ret & (POLLHUP | POLLERR | POLLNVAL))
			return gone(transport, "the line is gone");
		if (errno != EAGAIN && errno != EINTR)
			return fdTransportReportError(transport, errno);
	}
}

/* write(), but a connection that is gone raises no SIGPIPE in the program. */
static ssize_t writeSome(int fd, const void *data, size_t size)
{
	ssize_t count = send(fd, data, size, MSG_NOSIGNAL);

	if (count < 0 && errno == ENOTSOCK)
		count = write(fd, data, size);
	return count;
}

int ptFdWrite(struct ptTransport *transport, const void *data, size_t size,
	      int64_t deadlineNs)
{
	const char *at = data;
	int ret;

	while (size > 0) {
		ssize_t count;

		ret = ptFdCheck(transport);
		if (ret < 0)
			return ret;
		count = writeSome(transport->fd, at, size);

		if (count >= 0) {
			at += count;
			size -= (size_t)count;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return fdTransportReportError(transport, errno);
		/* Nothing must keep a command from being sent as a whole. */
		ret = waited(transport,
			     hdNetWait(transport->fd, POLLOUT, -1, deadlineNs));
		if (ret < 0)
			return ret;
		if (ret & (POLLHUP | POLLERR | POLLNVAL) && !(ret & POLLOUT))
			return gone(transport, "the line is gone");
	}
	return 0;
}

/* tcdrain() would wait for ever while the meter does not want to be sent
 * anything (RTS/CTS). The number that serial ports and sockets tell alike is
 * asked for instead. */
int ptFdDrain(struct ptTransport *transport, int64_t deadlineNs)
{
	for (;;) {
		int queued = 0;
		int64_t wake;
		int ret = ptFdCheck(transport);

		if (ret < 0)
			return ret;
		if (ioctl(transport->fd, TIOCOUTQ, &queued) != 0)
			return fdTransportReportError(transport, errno);
		if (queued <= 0)
			return 0;
		wake = hdMonotonicNow() + DRAIN_STEP_NS;
		if (wake > deadlineNs)
			return -ETIMEDOUT;
		ret = hdNetWait(-1, 0, -1, wake);
		if (ret < 0 && ret != -ETIMEDOUT)
			return waited(transport, ret);
	}
}

void ptFdClose(struct ptTransport *transport)
{
	hdOwnedClose(&transport->owned, transport->fd);
	free(transport);
}
