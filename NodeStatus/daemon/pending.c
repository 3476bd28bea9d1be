/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections that have not said anything yet: the first byte tells whether
 * that is HTTP, or our protocol, or TLS, in which that is. One costs little, so
 * that many do not hurt; of more than DOORS_MAX that have not said who they
 * are, be it here or as a client, the oldest gives way. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "NodeStatus/daemon/parts.h"
#include "common/clock.h"
#include "net/logger.h"
#include "net/service/owner.h"

#define DOORS_MAX 512

/* ---- The list, the last one that came first ----------------------------- */

static void pendingLink(struct nodePending *waiting)
{
	struct hdNodeServer *server = waiting->server;

	waiting->next = server->pending;
	if (waiting->next)
		waiting->next->before = waiting;
	else
		server->lastPending = waiting;
	server->pending = waiting;
	server->pendingCount++;
}

/* Nothing waits for it any more; its memory is freed after this step of the
 * loop. */
static void pendingUnlink(struct nodePending *waiting)
{
	struct hdNodeServer *server = waiting->server;

	if (waiting->before)
		waiting->before->next = waiting->next;
	else
		server->pending = waiting->next;
	if (waiting->next)
		waiting->next->before = waiting->before;
	else
		server->lastPending = waiting->before;
	server->pendingCount--;
	waiting->isDead = true;
	waiting->next = server->closedPending;
	server->closedPending = waiting;
}

static void pendingClose(struct nodePending *waiting)
{
	close(waiting->fd);
	pendingUnlink(waiting);
}

/* ---- What comes -------------------------------------------------------- */

static bool isMetricsFor(const struct hdNodeServer *server,
			 const struct sockaddr *address)
{
	if (hdAddressIsLocal(address))
		return true;
	for (size_t i = 0; i < server->setup.metricsCount; i++)
		if (hdNetworkHas(&server->setup.metricsFrom[i], address))
			return true;
	return false;
}

/* Let who knows what is spoken have the socket. */
static void pendingPass(struct nodePending *waiting, bool isHttp)
{
	struct hdNodeServer *server = waiting->server;
	const struct sockaddr *address = (struct sockaddr *)&waiting->address;
	int fd = waiting->fd;

	hdLoopRemove(&server->loop, fd);
	pendingUnlink(waiting);
	if (!isHttp)
		nodeClientCreate(server, waiting);
	else if (server->http && isMetricsFor(server, address))
		hdHttpTake(server->http, fd, address, sizeof(waiting->address));
	else
		close(fd);
	server->refused +=
		isHttp && !(server->http && isMetricsFor(server, address));
}

static void pendingReady(struct hdPoll *poll, uint32_t events)
{
	struct nodePending *waiting = (struct nodePending *)(void *)poll;
	unsigned char first;
	ssize_t got;

	(void)events;
	if (waiting->isDead)
		return;
	got = recv(waiting->fd, &first, 1, MSG_PEEK);
	if (got == 1)
		pendingPass(waiting, first >= 'A' && first <= 'Z');
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		pendingClose(waiting);
}

static void pendingFindOwner(struct nodePending *waiting)
{
	waiting->isLocal =
		hdAddressIsLocal((const struct sockaddr *)&waiting->address);
	if (!waiting->isLocal ||
	    !hdOwnerOf(waiting->fd, &waiting->address, &waiting->uid))
		waiting->uid = (uid_t)-1;
}

void nodePendingAdd(struct hdNodeServer *server, int fd,
		    const struct sockaddr *address)
{
	struct nodePending *waiting = calloc(1, sizeof(*waiting));

	if (!waiting) {
		close(fd);
		return;
	}
	if (server->pendingCount + server->unknownCount >= DOORS_MAX)
		nodePendingShed(server);
	waiting->poll.ready = pendingReady;
	waiting->server = server;
	waiting->fd = fd;
	waiting->sinceNs = hdMonotonicNow();
	hdAddressCopy(&waiting->address, address);
	pendingFindOwner(waiting);
	if (hdLoopAdd(&server->loop, fd, EPOLLIN, &waiting->poll) < 0) {
		close(fd);
		free(waiting);
		return;
	}
	server->accepted++;
	pendingLink(waiting);
}

bool nodePendingShed(struct hdNodeServer *server)
{
	struct nodeClient *client = nodeClientUnknown(server);
	struct nodePending *waiting = nodeSharePending(server);

	if (!waiting && !client)
		return false;
	server->refused++;
	if (client && (!waiting || client->sinceNs < waiting->sinceNs))
		hdConnectionClose(&client->connection);
	else
		pendingClose(waiting);
	return true;
}

void nodePendingSweep(struct hdNodeServer *server, int64_t nowNs)
{
	while (server->lastPending &&
	       nowNs - server->lastPending->sinceNs > server->setup.timeoutNs) {
		server->refused++;
		pendingClose(server->lastPending);
	}
}

void nodePendingEnd(struct hdNodeServer *server)
{
	while (server->pending)
		pendingClose(server->pending);
	nodePendingFree(server);
}

void nodePendingFree(struct hdNodeServer *server)
{
	while (server->closedPending) {
		struct nodePending *waiting = server->closedPending;

		server->closedPending = waiting->next;
		free(waiting);
	}
}
