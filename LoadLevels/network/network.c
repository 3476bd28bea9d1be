/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of the network: datagrams to a peer, by default to a socket of
 * this process; see core/kind.h. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "LoadLevels/core/kind.h"

/* Port of the service discard (RFC 863), which any host may ignore. */
#define NETWORK_PORT 9
/* A datagram that fits into a frame of Ethernet. */
#define NETWORK_BYTES 1400
/* Headers of UDP, IP and Ethernet, which interfaces count. */
#define NETWORK_HEADERS (8 + 20 + 14)
#define NETWORK_BATCH 16

struct networkPeer {
	int fd;
	int sink; /* Takes the datagrams; -1: another host does. */
	int64_t headers;
	char bytes[NETWORK_BYTES];
};

/* A socket of this process that never reads, so the kernel drops the rest. */
static int networkOpenSink(struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address->sin_port = 0;
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)address, sizeof(*address)) < 0 ||
	    getsockname(fd, (struct sockaddr *)address, &size) < 0) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	return fd;
}

static int networkConnect(struct networkPeer *self,
			  const struct hdLoadSetup *setup)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(NETWORK_PORT) };

	self->sink = -1;
	if (setup->peer &&
	    inet_pton(AF_INET, setup->peer, &address.sin_addr) != 1)
		return -EINVAL;
	if (!setup->peer) {
		self->sink = networkOpenSink(&address);
		if (self->sink < 0)
			return self->sink;
	}
	/* The loopback interface has headers of Ethernet, too. */
	self->headers = NETWORK_HEADERS;
	self->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (self->fd >= 0 && connect(self->fd, (struct sockaddr *)&address,
				     sizeof(address)) == 0)
		return 0;
	return -errno;
}

static void networkClose(void *state)
{
	struct networkPeer *self = state;

	if (self->fd >= 0)
		close(self->fd);
	if (self->sink >= 0)
		close(self->sink);
	free(self);
}

static int networkOpen(const struct hdLoadSetup *setup, void **state)
{
	struct networkPeer *self = calloc(1, sizeof(*self));
	int ret;

	if (!self)
		return -ENOMEM;
	self->fd = -1;
	ret = networkConnect(self, setup);
	if (ret < 0)
		networkClose(self);
	else
		*state = self;
	return ret;
}

/* A peer that refuses datagrams still received them. */
static int64_t networkSend(void *state)
{
	struct networkPeer *self = state;
	int64_t sent = 0;

	for (int i = 0; i < NETWORK_BATCH; i++) {
		ssize_t size = send(self->fd, self->bytes, NETWORK_BYTES, 0);

		if (size >= 0)
			sent += size + self->headers;
		else if (errno != ECONNREFUSED && errno != ENOBUFS &&
			 errno != EAGAIN && errno != EINTR)
			return -errno;
	}
	return sent;
}

const struct hdLoadKind hdLoadNetwork = {
	.name = "network",
	.unit = "bytes",
	.scale = HD_LOAD_RATE,
	.tolerance = 3,
	.counter = "NET_OUT",
	.open = networkOpen,
	.operate = networkSend,
	.close = networkClose,
};
