/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A serial server: the meter's bytes in a TCP connection, nothing added.
 *
 * No call may wait for longer than the caller wants, but getaddrinfo() does, so
 * names are looked up by a thread that is left behind if it takes too long.
 */
#include <config.h>

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "calls.h"
#include "clock.h"
#include "message.h"
#include "sampler.h"

#define SCHEME "tcp://"

/* A connection whose other end vanished is noticed after so many seconds, also
 * while nothing is sent. */
#define KEEPALIVE_IDLE 5
#define KEEPALIVE_INTERVAL 2
#define KEEPALIVE_COUNT 3

/* A name that is being looked up; whoever is the last to need it frees it. */
struct lookup {
	pthread_mutex_t mutex;
	pthread_cond_t done;
	char host[PT_ADDRESS_MAX];
	char service[8];
	bool isDone, isAbandoned;
	int error; /* Of getaddrinfo(). */
	struct addrinfo *list;
};

static int tcpMatches(const char *address)
{
	return strncmp(address, SCHEME, strlen(SCHEME)) == 0;
}

/* Take "tcp://HOST:PORT" or "tcp://[HOST]:PORT" apart. */
static int split(const char *address, char host[PT_ADDRESS_MAX],
		 char service[8])
{
	const char *begin = address + strlen(SCHEME), *colon, *end;
	size_t digits;

	colon = strrchr(begin, ':');
	if (!colon)
		return -EINVAL;
	end = colon;
	if (*begin == '[') {
		begin++;
		end--;
		if (end <= begin || *end != ']')
			return -EINVAL;
	} else if (memchr(begin, ':', (size_t)(end - begin))) {
		return -EINVAL;
	}
	digits = strspn(colon + 1, "0123456789");
	if (end <= begin || end - begin >= PT_ADDRESS_MAX || digits == 0 ||
	    digits > 5 || colon[1 + digits] || atoi(colon + 1) < 1 ||
	    atoi(colon + 1) > 65535)
		return -EINVAL;
	memcpy(host, begin, (size_t)(end - begin));
	host[end - begin] = '\0';
	memcpy(service, colon + 1, digits + 1);
	return 0;
}

static void lookupFree(struct lookup *lookup)
{
	if (lookup->list)
		freeaddrinfo(lookup->list);
	pthread_cond_destroy(&lookup->done);
	pthread_mutex_destroy(&lookup->mutex);
	free(lookup);
}

static int ask(const struct lookup *lookup, int flags, struct addrinfo **list)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | flags,
	};

	return getaddrinfo(lookup->host, lookup->service, &hints, list);
}

static void *lookupRun(void *context)
{
	struct lookup *lookup = context;
	struct addrinfo *list = NULL;
	int error = ask(lookup, 0, &list);
	bool isAbandoned;

	pthread_mutex_lock(&lookup->mutex);
	lookup->error = error;
	lookup->list = error ? NULL : list;
	lookup->isDone = true;
	isAbandoned = lookup->isAbandoned;
	pthread_cond_signal(&lookup->done);
	pthread_mutex_unlock(&lookup->mutex);
	if (isAbandoned)
		lookupFree(lookup);
	return NULL;
}

/* Start the thread, with all signals blocked: they are the program's. */
static int lookupStart(struct lookup *lookup)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	int error;

	error = pthread_attr_init(&attributes);
	if (error)
		return error;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attributes, lookupRun, lookup);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

/* Find the addresses; *lookup is to be freed, or NULL. */
static int resolve(const char *host, const char *service, int64_t deadlineNs,
		   struct lookup **result)
{
	const struct timespec until = {
		.tv_sec = (time_t)(deadlineNs / HD_NS_PER_S),
		.tv_nsec = (long)(deadlineNs % HD_NS_PER_S),
	};
	struct lookup *lookup = calloc(1, sizeof(*lookup));
	pthread_condattr_t attributes;
	int error = 0;
	bool isDone;

	if (!lookup)
		return -ENOMEM;
	pthread_mutex_init(&lookup->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&lookup->done, &attributes);
	pthread_condattr_destroy(&attributes);
	strcpy(lookup->host, host);
	strcpy(lookup->service, service);
	*result = lookup;
	/* Numbers need no thread. */
	lookup->error = ask(lookup, AI_NUMERICHOST, &lookup->list);
	if (lookup->error == 0)
		return 0;
	lookup->list = NULL;
	error = lookupStart(lookup);
	if (error) {
		lookupFree(lookup);
		*result = NULL;
		return -error;
	}
	pthread_mutex_lock(&lookup->mutex);
	while (!lookup->isDone && error == 0)
		error = pthread_cond_timedwait(&lookup->done, &lookup->mutex,
					       &until);
	isDone = lookup->isDone;
	lookup->isAbandoned = !isDone;
	pthread_mutex_unlock(&lookup->mutex);
	if (!isDone)
		*result = NULL;
	return isDone ? 0 : -ETIMEDOUT;
}

static void setKeepalive(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE },
		{ IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL },
		{ IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT,
		  1000 * (KEEPALIVE_IDLE +
			  KEEPALIVE_COUNT * KEEPALIVE_INTERVAL) },
	};

	/* Without them a dead connection is noticed by silence. */
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)setsockopt(fd, options[i].level, options[i].name,
				 &options[i].value, sizeof(options[i].value));
}

/* Connect to one of the addresses; the socket or a negative errno value. */
static int connectTo(const struct addrinfo *address, int64_t deadlineNs)
{
	int fd, ret, error = 0;
	socklen_t length = sizeof(error);

	fd = socket(address->ai_family,
		    address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
		    address->ai_protocol);
	if (fd < 0)
		return -errno;
	if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
		return fd;
	ret = -errno;
	if (errno == EINPROGRESS) {
		ret = ptFdWait(fd, POLLOUT, -1, deadlineNs);
		if (ret >= 0)
			ret = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error,
					 &length) == 0
				      ? -error
				      : -errno;
	}
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

static const struct ptTransportCalls tcpCalls;

static int tcpOpen(const char *address, unsigned int baud, int64_t deadlineNs,
		   struct ptTransport **result)
{
	char host[PT_ADDRESS_MAX], service[8];
	struct lookup *lookup = NULL;
	int fd = -EINVAL, ret;

	(void)baud; /* The server's business. */
	if (split(address, host, service) != 0) {
		ptMessage(HD_LOG_ERROR, "%s: not of the form tcp://HOST:PORT",
			  address);
		return -EINVAL;
	}
	ret = resolve(host, service, deadlineNs, &lookup);
	if (ret < 0) {
		ptMessage(HD_LOG_ERROR, "%s: finding the host: %s", address,
			  strerror(-ret));
		return ret;
	}
	if (lookup->error) {
		ptMessage(HD_LOG_ERROR, "%s: finding the host: %s", address,
			  gai_strerror(lookup->error));
		lookupFree(lookup);
		return -ENOENT;
	}
	for (const struct addrinfo *at = lookup->list; at && fd < 0;
	     at = at->ai_next)
		fd = connectTo(at, deadlineNs);
	lookupFree(lookup);
	if (fd < 0) {
		ptMessage(HD_LOG_ERROR, "%s: %s", address, strerror(-fd));
		return fd;
	}
	setKeepalive(fd);
	ret = ptFdTransport(&tcpCalls, fd, address, result);
	if (ret < 0)
		close(fd);
	return ret;
}

static void tcpFlushInput(struct ptTransport *transport)
{
	char bytes[4096];

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
