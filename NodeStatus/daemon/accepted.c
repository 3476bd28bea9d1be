/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections that were accepted and have not said anything yet: the first byte
 * tells whether that is HTTP, or our protocol, or TLS, in which that is. One
 * costs little, so that many do not hurt. */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "NodeStatus/daemon/parts.h"
#include "common/clock.h"
#include "net/logger.h"

static struct nodeAccepted *acceptedOf(const struct hdPlace *place)
{
	return (struct nodeAccepted *)(void *)((char *)(uintptr_t)place -
					       offsetof(struct nodeAccepted,
							place));
}

/* Nothing waits for it any more; its memory is freed after this step of the
 * loop. */
static void acceptedForget(struct nodeAccepted *accepted)
{
	struct hdNodeServer *server = accepted->server;

	hdPlaceClose(&accepted->place);
	accepted->isDead = true;
	accepted->next = server->deadAccepted;
	server->deadAccepted = accepted;
}

static void acceptedClose(struct nodeAccepted *accepted)
{
	close(accepted->fd);
	acceptedForget(accepted);
}

/* ---- Its place --------------------------------------------------------- */

static int64_t acceptedIdleSince(const struct hdPlace *place)
{
	return place->sinceNs;
}

static void acceptedGiveWay(struct hdPlace *place, const char *why)
{
	struct nodeAccepted *accepted = acceptedOf(place);

	(void)why;
	accepted->server->refused++;
	acceptedClose(accepted);
}

static const struct hdPlaceCalls acceptedCalls = {
	.idleSince = acceptedIdleSince,
	.giveWay = acceptedGiveWay,
};

/* ---- What comes -------------------------------------------------------- */

static bool acceptedMayReadMetrics(const struct nodeAccepted *accepted)
{
	const struct hdNodeServer *server = accepted->server;
	const struct hdShareOwner *owner = &accepted->place.owner;

	if (owner->isLocal)
		return true;
	for (size_t i = 0; i < server->setup.metricsCount; i++)
		if (hdNetworkHas(&server->setup.metricsFrom[i], owner->address))
			return true;
	return false;
}

/* Let HTTP have the socket. */
static void acceptedPassHttp(struct nodeAccepted *accepted)
{
	struct hdNodeServer *server = accepted->server;
	const struct sockaddr_storage address = accepted->place.address;
	bool isFine = server->http && acceptedMayReadMetrics(accepted);

	hdLoopRemove(&server->loop, accepted->fd);
	acceptedForget(accepted);
	if (isFine)
		hdHttpTake(server->http, accepted->fd,
			   (const struct sockaddr *)&address, sizeof(address));
	else
		close(accepted->fd);
	server->refused += !isFine;
}

static void acceptedReady(struct hdPoll *poll, uint32_t events)
{
	struct nodeAccepted *accepted = (struct nodeAccepted *)(void *)poll;
	unsigned char first;
	ssize_t got;

	(void)events;
	if (accepted->isDead)
		return;
	got = recv(accepted->fd, &first, 1, MSG_PEEK);
	if (got == 1 && first >= 'A' && first <= 'Z') {
		acceptedPassHttp(accepted);
	} else if (got == 1) {
		hdLoopRemove(&accepted->server->loop, accepted->fd);
		nodeClientCreate(accepted);
		acceptedForget(accepted);
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		acceptedClose(accepted);
	}
}

void nodeAcceptedOpen(struct hdNodeServer *server, int fd,
		      const struct sockaddr *address)
{
	struct nodeAccepted *accepted = calloc(1, sizeof(*accepted));

	if (!accepted ||
	    hdLoopAdd(&server->loop, fd, EPOLLIN, &accepted->poll) < 0) {
		close(fd);
		free(accepted);
		return;
	}
	accepted->poll.ready = acceptedReady;
	accepted->server = server;
	accepted->fd = fd;
	hdPlaceOpen(&server->places, &accepted->place, &acceptedCalls, fd,
		    address);
	server->accepted++;
}

/* ---- All of them ------------------------------------------------------- */

/* Close those that have come before a time. */
static void acceptedCloseBefore(struct hdNodeServer *server, int64_t ns)
{
	struct hdPlace *newer;

	for (struct hdPlace *p = server->places.oldest; p && p->sinceNs < ns;
	     p = newer) {
		newer = p->newer;
		if (p->calls == &acceptedCalls)
			acceptedGiveWay(p, NULL);
	}
}

void nodeAcceptedSweep(struct hdNodeServer *server, int64_t nowNs)
{
	acceptedCloseBefore(server, nowNs - server->setup.timeoutNs);
}

void nodeAcceptedEnd(struct hdNodeServer *server)
{
	acceptedCloseBefore(server, INT64_MAX);
	nodeAcceptedBury(server);
}

void nodeAcceptedBury(struct hdNodeServer *server)
{
	while (server->deadAccepted) {
		struct nodeAccepted *accepted = server->deadAccepted;

		server->deadAccepted = accepted->next;
		free(accepted);
	}
}
