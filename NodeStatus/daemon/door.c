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

static void doorLink(struct nodeDoor *door)
{
	struct hdNodeServer *server = door->server;

	door->next = server->doors;
	if (door->next)
		door->next->before = door;
	else
		server->lastDoor = door;
	server->doors = door;
	server->doorCount++;
}

/* Nothing waits for it any more; its memory is freed after this step of the
 * loop. */
static void doorUnlink(struct nodeDoor *door)
{
	struct hdNodeServer *server = door->server;

	if (door->before)
		door->before->next = door->next;
	else
		server->doors = door->next;
	if (door->next)
		door->next->before = door->before;
	else
		server->lastDoor = door->before;
	server->doorCount--;
	door->isDead = true;
	door->next = server->deadDoors;
	server->deadDoors = door;
}

static void doorClose(struct nodeDoor *door)
{
	close(door->fd);
	doorUnlink(door);
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
static void doorPass(struct nodeDoor *door, bool isHttp)
{
	struct hdNodeServer *server = door->server;
	const struct sockaddr *address = (struct sockaddr *)&door->address;
	int fd = door->fd;

	hdLoopRemove(&server->loop, fd);
	doorUnlink(door);
	if (!isHttp)
		nodeClientCreate(server, door);
	else if (server->http && isMetricsFor(server, address))
		hdHttpTake(server->http, fd, address, sizeof(door->address));
	else
		close(fd);
	server->refused +=
		isHttp && !(server->http && isMetricsFor(server, address));
}

static void doorReady(struct hdPoll *poll, uint32_t events)
{
	struct nodeDoor *door = (struct nodeDoor *)(void *)poll;
	unsigned char first;
	ssize_t got;

	(void)events;
	if (door->isDead)
		return;
	got = recv(door->fd, &first, 1, MSG_PEEK);
	if (got == 1)
		doorPass(door, first >= 'A' && first <= 'Z');
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		doorClose(door);
}

static void doorFindOwner(struct nodeDoor *door)
{
	door->isLocal =
		hdAddressIsLocal((const struct sockaddr *)&door->address);
	if (!door->isLocal || !hdOwnerOf(door->fd, &door->address, &door->uid))
		door->uid = (uid_t)-1;
}

void nodeDoorOpen(struct hdNodeServer *server, int fd,
		  const struct sockaddr *address)
{
	struct nodeDoor *door = calloc(1, sizeof(*door));

	if (!door) {
		close(fd);
		return;
	}
	if (server->doorCount + server->unknownCount >= DOORS_MAX)
		nodeDoorShed(server);
	door->poll.ready = doorReady;
	door->server = server;
	door->fd = fd;
	door->sinceNs = hdMonotonicNow();
	hdAddressCopy(&door->address, address);
	doorFindOwner(door);
	if (hdLoopAdd(&server->loop, fd, EPOLLIN, &door->poll) < 0) {
		close(fd);
		free(door);
		return;
	}
	server->accepted++;
	doorLink(door);
}

bool nodeDoorShed(struct hdNodeServer *server)
{
	struct nodeClient *client = nodeClientUnknown(server);
	struct nodeDoor *door = nodeShareDoor(server);

	if (!door && !client)
		return false;
	server->refused++;
	if (client && (!door || client->sinceNs < door->sinceNs))
		hdConnectionClose(&client->connection);
	else
		doorClose(door);
	return true;
}

void nodeDoorsSweep(struct hdNodeServer *server, int64_t nowNs)
{
	while (server->lastDoor &&
	       nowNs - server->lastDoor->sinceNs > server->setup.timeoutNs) {
		server->refused++;
		doorClose(server->lastDoor);
	}
}

void nodeDoorsEnd(struct hdNodeServer *server)
{
	while (server->doors)
		doorClose(server->doors);
	nodeDoorsBury(server);
}

void nodeDoorsBury(struct hdNodeServer *server)
{
	while (server->deadDoors) {
		struct nodeDoor *door = server->deadDoors;

		server->deadDoors = door->next;
		free(door);
	}
}
