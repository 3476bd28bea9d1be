/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sockets that clients connect to; see listen.h. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/listen.h"
#include "net/logger.h"

/* Connections that wait to be accepted, and that are accepted in one go. */
#define BACKLOG 1024
#define ACCEPT_MAX 64

/* ---- Opening ----------------------------------------------------------- */

static int listenBind(struct hdListener *listener,
		      const struct hdListenSetup *setup, const char **why)
{
	const struct hdAddress *address = &listener->address;
	int one = 1;

	if (address->storage.ss_family == AF_UNIX) {
		listener->file.path = listener->text + strlen("unix:");
		return hdSocketFileMake(&listener->file, listener->fd, address,
					BACKLOG, setup->socketMode,
					setup->socketGroup, why);
	}
	if (setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &one,
		       sizeof(one)) < 0 ||
	    (address->storage.ss_family == AF_INET6 &&
	     setsockopt(listener->fd, IPPROTO_IPV6, IPV6_V6ONLY, &one,
			sizeof(one)) < 0) ||
	    bind(listener->fd, (const struct sockaddr *)&address->storage,
		 address->length) < 0 ||
	    listen(listener->fd, BACKLOG) < 0)
		return -errno;
	return 0;
}

/* Say where it listens: a port that was 0 is known now. */
static void listenSay(const struct hdListener *listener)
{
	struct sockaddr_storage storage;
	socklen_t length = sizeof(storage);
	char text[128];

	if (listener->address.storage.ss_family == AF_UNIX ||
	    getsockname(listener->fd, (struct sockaddr *)&storage, &length) < 0)
		snprintf(text, sizeof(text), "%s", listener->text);
	else
		hdAddressText((const struct sockaddr *)&storage, text,
			      sizeof(text));
	hdNetLog(HD_LOG_INFO, "serving at %s", text);
}

static void listenClose(struct hdListener *listener)
{
	hdSocketFileRemove(&listener->file);
	if (listener->fd >= 0)
		close(listener->fd);
	free(listener);
}

/* ---- Clients ----------------------------------------------------------- */

/* A client that is gone without a word is noticed within two minutes. */
static void listenWatch(int fd)
{
	int one = 1, idle = 60, interval = 15, count = 4;
	unsigned int timeout = 120000;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout,
		   sizeof(timeout));
}

static void listenReady(struct hdPoll *poll, uint32_t events)
{
	struct hdListener *listener = (struct hdListener *)(void *)poll;
	const struct hdListenCalls *calls = listener->calls;

	(void)events;
	for (int i = 0; i < ACCEPT_MAX; i++) {
		struct sockaddr_storage storage = { .ss_family = AF_UNIX };
		socklen_t length = sizeof(storage);
		int fd = accept4(listener->fd, (struct sockaddr *)&storage,
				 &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0) {
			/* Without descriptors: a silent client has one. */
			if (errno == EMFILE || errno == ENFILE)
				calls->shed(listener->context);
			return;
		}
		if (!calls->hasRoom(listener->context,
				    (struct sockaddr *)&storage)) {
			close(fd);
			continue;
		}
		if (storage.ss_family != AF_UNIX)
			listenWatch(fd);
		calls->accepted(listener->context, fd,
				(struct sockaddr *)&storage);
	}
}

static int listenOpen(const struct hdListenSetup *setup,
		      const struct hdAddress *address,
		      struct hdListener **result)
{
	struct hdListener *listener = calloc(1, sizeof(*listener));
	const char *why = NULL;
	int ret = 0;

	if (!listener)
		return -ENOMEM;
	listener->poll.ready = listenReady;
	listener->calls = setup->calls;
	listener->context = setup->context;
	listener->address = *address;
	snprintf(listener->text, sizeof(listener->text), "%s", address->text);
	listener->fd = socket(address->storage.ss_family,
			      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		ret = -errno;
	if (ret == 0)
		ret = listenBind(listener, setup, &why);
	if (ret == 0)
		ret = hdLoopAdd(setup->loop, listener->fd, EPOLLIN,
				&listener->poll);
	if (ret < 0) {
		hdNetLog(HD_LOG_ERROR, "listen=%s: %s", listener->text,
			 why ? why : strerror(-ret));
		listenClose(listener);
		return ret;
	}
	*result = listener;
	return 0;
}

/* ---- All of them ------------------------------------------------------- */

/* Take a listener for an address out of a list, or return NULL. */
static struct hdListener *listenTake(struct hdListener **list, const char *text)
{
	for (; *list; list = &(*list)->next) {
		struct hdListener *found = *list;

		if (strcmp(found->text, text) != 0)
			continue;
		*list = found->next;
		return found;
	}
	return NULL;
}

static void listenCloseAll(struct hdListener *list)
{
	while (list) {
		struct hdListener *next = list->next;

		listenClose(list);
		list = next;
	}
}

/* Add listeners to others. */
static void listenAdd(struct hdListener **all, struct hdListener *list)
{
	while (list) {
		struct hdListener *next = list->next;

		list->next = *all;
		*all = list;
		list = next;
	}
}

int hdListen(struct hdListener **all, const struct hdListenSetup *setup)
{
	const struct hdAddress *addresses = setup->addresses;
	struct hdListener *kept = NULL, *added = NULL;
	int ret = 0;

	for (size_t i = 0; ret == 0 && i < setup->count; i++) {
		struct hdListener *one = listenTake(all, addresses[i].text);

		if (one) {
			one->next = kept;
			kept = one;
			continue;
		}
		ret = listenOpen(setup, &addresses[i], &one);
		if (ret == 0) {
			one->next = added;
			added = one;
		}
	}
	if (ret < 0) {
		listenAdd(all, kept);
		listenCloseAll(added);
		return ret;
	}
	listenCloseAll(*all);
	*all = kept;
	listenAdd(all, added);
	return 0;
}

void hdListenSay(struct hdListener *all)
{
	for (struct hdListener *one = all; one; one = one->next) {
		if (!one->isSaid)
			listenSay(one);
		one->isSaid = true;
	}
}

void hdListenEnd(struct hdListener **all)
{
	listenCloseAll(*all);
	*all = NULL;
}
