/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sockets that clients connect to; see listen.h. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "PowerTracingLibrary/service/client.h"
#include "PowerTracingLibrary/service/listen.h"
#include "PowerTracingLibrary/service/site/parse.h"
#include "PowerTracingLibrary/src/message.h"

/* The port of pmlib. */
#define USUAL_PORT "6526"
/* Connections that wait to be accepted, and that are accepted in one go. */
#define BACKLOG 1024
#define ACCEPT_MAX 64

/* Where the socket of a service usually is; false if there is no place. */
static bool listenUsualSocket(char *text, size_t size)
{
	const char *directory = getenv("RUNTIME_DIRECTORY");

	if (!directory && geteuid() == 0) {
		directory = "/run/hdtrace";
		if (mkdir(directory, 0755) < 0 && errno != EEXIST)
			return false;
	}
	if (!directory)
		directory = getenv("XDG_RUNTIME_DIR");
	return directory && *directory == '/' &&
	       snprintf(text, size, "unix:%s/pt.socket", directory) < (int)size;
}

/* ---- Opening ----------------------------------------------------------- */

/* Whether nobody listens at a Unix socket that a service left behind. */
static bool listenIsStale(const struct ptSiteAddress *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is = fd >= 0 &&
		  connect(fd, (const struct sockaddr *)&address->storage,
			  address->length) < 0 &&
		  errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return is;
}

static int listenUnixRights(struct ptListener *listener,
			    const struct ptSite *site, const char *path)
{
	struct group *group = NULL;
	struct stat st;

	if (site->socketGroup) {
		group = getgrnam(site->socketGroup);
		if (!group)
			return -ENOENT;
	}
	if (chmod(path, site->socketMode) < 0 ||
	    (group && chown(path, (uid_t)-1, group->gr_gid) < 0) ||
	    lstat(path, &st) < 0)
		return -errno;
	listener->inode = st.st_ino;
	return 0;
}

static int listenBindUnix(struct ptListener *listener,
			  const struct ptSite *site)
{
	const struct ptSiteAddress *address = &listener->address;
	const char *path = listener->text + strlen("unix:");
	/* Nobody gets in before the mode is right. */
	mode_t old = umask(0177);
	int ret = bind(listener->fd, (const struct sockaddr *)&address->storage,
		       address->length);

	if (ret < 0 && errno == EADDRINUSE && listenIsStale(address) &&
	    unlink(path) == 0)
		ret = bind(listener->fd,
			   (const struct sockaddr *)&address->storage,
			   address->length);
	if (ret < 0)
		ret = -errno;
	umask(old);
	return ret < 0 ? ret : listenUnixRights(listener, site, path);
}

static int listenBind(struct ptListener *listener, const struct ptSite *site)
{
	const struct ptSiteAddress *address = &listener->address;
	int one = 1;

	if (address->storage.ss_family == AF_UNIX)
		return listenBindUnix(listener, site);
	if (setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &one,
		       sizeof(one)) < 0 ||
	    (address->storage.ss_family == AF_INET6 &&
	     setsockopt(listener->fd, IPPROTO_IPV6, IPV6_V6ONLY, &one,
			sizeof(one)) < 0) ||
	    bind(listener->fd, (const struct sockaddr *)&address->storage,
		 address->length) < 0)
		return -errno;
	return 0;
}

/* Say where it listens: a port that was 0 is known now. */
static void listenSay(const struct ptListener *listener)
{
	struct sockaddr_storage storage;
	socklen_t length = sizeof(storage);
	char host[INET6_ADDRSTRLEN] = "?";
	const struct sockaddr_in *in = (const struct sockaddr_in *)&storage;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&storage;

	if (listener->address.storage.ss_family == AF_UNIX ||
	    getsockname(listener->fd, (struct sockaddr *)&storage, &length) <
		    0) {
		ptMessage(HD_LOG_INFO, "serving at %s", listener->text);
	} else if (storage.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
		ptMessage(HD_LOG_INFO, "serving at [%s]:%u", host,
			  ntohs(in6->sin6_port));
	} else {
		inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
		ptMessage(HD_LOG_INFO, "serving at %s:%u", host,
			  ntohs(in->sin_port));
	}
}

static void listenClose(struct ptListener *listener)
{
	const char *path = listener->text + strlen("unix:");
	struct stat st;

	/* Not the socket of a service that has taken our place. */
	if (listener->inode && lstat(path, &st) == 0 &&
	    st.st_ino == listener->inode)
		unlink(path);
	if (listener->fd >= 0)
		close(listener->fd);
	free(listener);
}

/* ---- Clients ----------------------------------------------------------- */

/* A connection that nothing came from yet gives way to a new one. */
static bool listenMakeRoom(struct ptService *service)
{
	struct ptClient *oldest = NULL;

	if ((long)service->clientCount < service->site->limits.clients)
		return true;
	for (struct ptClient *c = service->clients; c; c = c->next)
		if (!c->protocol)
			oldest = c;
	if (!oldest)
		return false;
	ptClientRefuse(oldest, "it says nothing, and others wait");
	ptClientClose(oldest);
	return true;
}

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

static void listenReady(struct ptPoll *poll, uint32_t events)
{
	struct ptListener *listener = (struct ptListener *)(void *)poll;
	struct ptService *service = listener->service;

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
				ptServiceShed(service);
			return;
		}
		if (!listenMakeRoom(service)) {
			__atomic_add_fetch(&service->refused, 1,
					   __ATOMIC_RELAXED);
			close(fd);
			continue;
		}
		if (storage.ss_family != AF_UNIX)
			listenWatch(fd);
		ptClientCreate(service, fd, (struct sockaddr *)&storage);
	}
}

static int listenOpen(struct ptService *service, const struct ptSite *site,
		      const struct ptSiteAddress *address,
		      struct ptListener **result)
{
	struct ptListener *listener = calloc(1, sizeof(*listener));
	struct epoll_event event = { .events = EPOLLIN };
	int ret = 0;

	if (!listener)
		return -ENOMEM;
	listener->poll.ready = listenReady;
	listener->service = service;
	listener->address = *address;
	snprintf(listener->text, sizeof(listener->text), "%s", address->text);
	event.data.ptr = &listener->poll;
	listener->fd = socket(address->storage.ss_family,
			      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		ret = -errno;
	if (ret == 0)
		ret = listenBind(listener, site);
	if (ret == 0 && (listen(listener->fd, BACKLOG) < 0 ||
			 epoll_ctl(service->epollFd, EPOLL_CTL_ADD,
				   listener->fd, &event) < 0))
		ret = -errno;
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "listen=%s: %s", listener->text,
			  strerror(-ret));
		listenClose(listener);
		return ret;
	}
	*result = listener;
	return 0;
}

/* ---- All of them ------------------------------------------------------- */

/* Take a listener for an address out of a list, or return NULL. */
static struct ptListener *listenTake(struct ptListener **list, const char *text)
{
	for (; *list; list = &(*list)->next) {
		struct ptListener *found = *list;

		if (strcmp(found->text, text) != 0)
			continue;
		*list = found->next;
		return found;
	}
	return NULL;
}

static void listenCloseAll(struct ptListener *list)
{
	while (list) {
		struct ptListener *next = list->next;

		listenClose(list);
		list = next;
	}
}

/* Add listeners to those of the service. */
static void listenAdd(struct ptService *service, struct ptListener *list)
{
	while (list) {
		struct ptListener *next = list->next;

		list->next = service->listeners;
		service->listeners = list;
		list = next;
	}
}

/* Where a configuration without listen= listens. */
static size_t listenUsual(struct ptSiteAddress addresses[2], char *text,
			  size_t size)
{
	size_t count = 0;

	if (ptSiteParseAddress("127.0.0.1:" USUAL_PORT, &addresses[count]) == 0)
		count++;
	if (listenUsualSocket(text, size) &&
	    ptSiteParseAddress(text, &addresses[count]) == 0)
		count++;
	return count;
}

int ptListen(struct ptService *service, const struct ptSite *site)
{
	struct ptSiteAddress usual[2];
	const struct ptSiteAddress *addresses = site->listen;
	size_t count = site->listenCount;
	struct ptListener *kept = NULL, *added = NULL;
	char text[120];
	int ret = 0;

	if (count == 0) {
		count = listenUsual(usual, text, sizeof(text));
		addresses = usual;
	}
	for (size_t i = 0; ret == 0 && i < count; i++) {
		struct ptListener *one =
			listenTake(&service->listeners, addresses[i].text);

		if (one) {
			one->next = kept;
			kept = one;
			continue;
		}
		ret = listenOpen(service, site, &addresses[i], &one);
		if (ret == 0) {
			one->next = added;
			added = one;
		}
	}
	if (ret < 0) {
		listenAdd(service, kept);
		listenCloseAll(added);
		return ret;
	}
	listenCloseAll(service->listeners);
	service->listeners = kept;
	listenAdd(service, added);
	return 0;
}

void ptListenSay(struct ptService *service)
{
	for (struct ptListener *one = service->listeners; one;
	     one = one->next) {
		if (!one->isSaid)
			listenSay(one);
		one->isSaid = true;
	}
}

void ptListenEnd(struct ptService *service)
{
	listenCloseAll(service->listeners);
	service->listeners = NULL;
}
