/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a node is; see where.h. */
#include "config.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "NodeStatus/collect/where.h"
#include "NodeStatus/wire/wire.h"

/* Names that are looked up at once; also those that nobody waits for any more,
 * since their threads go on until the resolver gives up. */
#define SEARCHES_MAX 64
#define PATH_PREFIX "unix:"

static int pathInit(struct nodeWhere *where, const char *path)
{
	if (strlen(path) >= sizeof(where->path.sun_path))
		return -EINVAL;
	where->isPath = true;
	where->path.sun_family = AF_UNIX;
	strcpy(where->path.sun_path, path);
	strcpy(where->host, "localhost");
	return 0;
}

int hdNodeWhereInit(struct nodeWhere *where, struct nodeSearches *searches,
		    const char *address)
{
	where->searches = searches;
	if (strncmp(address, PATH_PREFIX, strlen(PATH_PREFIX)) == 0)
		return pathInit(where, address + strlen(PATH_PREFIX));
	return hdNetSplit(address, HD_NODE_WIRE_PORT, where->host, where->port);
}

static void whereStopWaiting(struct nodeWhere *where)
{
	if (!where->isSearching)
		return;
	where->isSearching = false;
	where->searches->count--;
	hdLoopRemove(where->searches->loop, hdNetSearchFd(where->search));
}

void hdNodeWhereForget(struct nodeWhere *where)
{
	whereStopWaiting(where);
	hdNetSearchFree(where->search);
	where->search = NULL;
	where->at = NULL;
}

static void whereReady(struct hdPoll *poll, uint32_t events)
{
	struct nodeWhere *where = (struct nodeWhere *)(void *)poll;

	(void)events;
	whereStopWaiting(where);
	where->searches->done(where);
}

/* Look for the host; at once if it is a number. */
static int whereSearch(struct nodeWhere *where)
{
	int ret;

	if (where->searches->count >= SEARCHES_MAX)
		return -EINPROGRESS;
	ret = hdNetSearchBegin(where->host, where->port, &where->search);
	if (ret < 0 || hdNetSearchIsDone(where->search))
		return ret;
	where->poll.ready = whereReady;
	ret = hdLoopAdd(where->searches->loop, hdNetSearchFd(where->search),
			EPOLLIN, &where->poll);
	if (ret < 0) {
		hdNetSearchFree(where->search);
		where->search = NULL;
		return ret;
	}
	where->isSearching = true;
	where->searches->count++;
	return -EINPROGRESS;
}

int hdNodeWhereFind(struct nodeWhere *where, const char **why)
{
	int ret = 0;

	if (where->isPath || where->at)
		return 0;
	if (where->isSearching)
		return -EINPROGRESS;
	if (!where->search)
		ret = whereSearch(where);
	if (ret < 0) {
		*why = strerror(-ret);
		return ret;
	}
	where->at = hdNetSearchList(where->search, why);
	if (where->at)
		return 0;
	hdNodeWhereForget(where);
	return -ENOENT;
}

unsigned int hdNodeWhereLeft(const struct nodeWhere *where)
{
	unsigned int left = where->isPath;

	for (const struct addrinfo *at = where->at; at; at = at->ai_next)
		left++;
	return left;
}

bool hdNodeWhereNext(struct nodeWhere *where)
{
	if (where->at)
		where->at = where->at->ai_next;
	if (where->at)
		return true;
	hdNodeWhereForget(where);
	return false;
}

int hdNodeWhereConnect(const struct nodeWhere *where)
{
	const struct sockaddr *address =
		where->isPath ? (const struct sockaddr *)&where->path
			      : where->at->ai_addr;
	socklen_t length =
		where->isPath ? sizeof(where->path) : where->at->ai_addrlen;
	int one = 1, ret;
	int fd = socket(address->sa_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (!where->isPath)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, address, length) == 0 || errno == EINPROGRESS)
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}
