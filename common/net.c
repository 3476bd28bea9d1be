/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections to other processes; see net.h. */
#include "config.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/net.h"
#include "common/thread.h"

/* A connection whose other end vanished is noticed after so many seconds, also
 * while nothing is sent. */
#define KEEPALIVE_IDLE 5
#define KEEPALIVE_INTERVAL 2
#define KEEPALIVE_COUNT 3

/* A name that is being looked up, by a thread and for who waits. */
struct hdNetSearch {
	int users;
	bool isDone; /* Atomic. */
	int doneFd;  /* Readable when it is done; -1: it was at once. */
	char host[HD_NET_HOST_MAX];
	char port[HD_NET_PORT_MAX];
	int error; /* Of getaddrinfo(). */
	struct addrinfo *list;
};

int hdNetWait(int fd, short events, int wakeFd, int64_t deadlineNs)
{
	struct pollfd entries[] = {
		{ .fd = wakeFd, .events = POLLIN },
		{ .fd = fd, .events = events },
	};

	for (;;) {
		int64_t left = deadlineNs - hdMonotonicNow();
		struct timespec timeout = { 0 };
		int ret;

		if (left > 0)
			timeout = hdClockToTimespec(left);
		ret = ppoll(entries, 2, &timeout, NULL);
		if (ret < 0 && errno != EINTR)
			return -errno;
		if (ret > 0 && entries[0].revents)
			return -EINTR;
		if (ret > 0)
			return entries[1].revents;
		if (left <= 0)
			return -ETIMEDOUT;
	}
}

/* ---- Addresses --------------------------------------------------------- */

static int splitPort(const char *text, char port[HD_NET_PORT_MAX])
{
	size_t digits = strspn(text, "0123456789");

	if (digits == 0 || digits >= HD_NET_PORT_MAX || text[digits] ||
	    atoi(text) < 1 || atoi(text) > 65535)
		return -EINVAL;
	memcpy(port, text, digits + 1);
	return 0;
}

static void defaultPort(unsigned int standard, char port[HD_NET_PORT_MAX])
{
	char *at = port + HD_NET_PORT_MAX - 1;

	*at = '\0';
	for (; standard > 0; standard /= 10)
		*--at = (char)('0' + standard % 10);
	memmove(port, at, strlen(at) + 1);
}

int hdNetSplit(const char *text, unsigned int standard,
	       char host[HD_NET_HOST_MAX], char port[HD_NET_PORT_MAX])
{
	const char *colon = strrchr(text, ':'), *end = colon;

	if (*text == '[') {
		end = strchr(++text, ']');
		if (!end || (end[1] && end + 1 != colon))
			return -EINVAL;
		colon = end[1] ? colon : NULL;
	} else if (colon && memchr(text, ':', (size_t)(colon - text))) {
		if (!standard)
			return -EINVAL;
		colon = NULL;
		end = text + strlen(text);
	} else if (!colon) {
		end = text + strlen(text);
	}
	if (end == text || end - text >= HD_NET_HOST_MAX ||
	    (!colon && !standard) || (colon && splitPort(colon + 1, port) < 0))
		return -EINVAL;
	if (!colon)
		defaultPort(standard, port);
	memcpy(host, text, (size_t)(end - text));
	host[end - text] = '\0';
	return 0;
}

/* ---- Names ------------------------------------------------------------- */

void hdNetSearchFree(struct hdNetSearch *search)
{
	if (!search ||
	    __atomic_sub_fetch(&search->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	if (search->list)
		freeaddrinfo(search->list);
	if (search->doneFd >= 0)
		close(search->doneFd);
	free(search);
}

static void searchAsk(struct hdNetSearch *search, int flags)
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | flags,
	};

	search->error =
		getaddrinfo(search->host, search->port, &hints, &search->list);
	if (search->error)
		search->list = NULL;
}

static void *searchRun(void *context)
{
	struct hdNetSearch *search = context;

	searchAsk(search, 0);
	__atomic_store_n(&search->isDone, true, __ATOMIC_RELEASE);
	eventfd_write(search->doneFd, 1);
	hdNetSearchFree(search);
	return NULL;
}

static int searchStart(struct hdNetSearch *search)
{
	int ret;

	search->doneFd = eventfd(0, EFD_CLOEXEC);
	if (search->doneFd < 0)
		return -errno;
	search->users++;
	ret = hdThreadStart(NULL, searchRun, search);
	if (ret < 0)
		search->users--;
	return ret;
}

int hdNetSearchBegin(const char *host, const char *port,
		     struct hdNetSearch **result)
{
	struct hdNetSearch *search;
	int ret = 0;

	if (strlen(host) >= HD_NET_HOST_MAX || strlen(port) >= HD_NET_PORT_MAX)
		return -EINVAL;
	search = calloc(1, sizeof(*search));
	if (!search)
		return -ENOMEM;
	search->users = 1;
	search->doneFd = -1;
	strcpy(search->host, host);
	strcpy(search->port, port);
	/* Numbers need no thread. */
	searchAsk(search, AI_NUMERICHOST);
	if (search->error)
		ret = searchStart(search);
	else
		search->isDone = true;
	if (ret < 0)
		hdNetSearchFree(search);
	else
		*result = search;
	return ret;
}

bool hdNetSearchIsDone(const struct hdNetSearch *search)
{
	return __atomic_load_n(&search->isDone, __ATOMIC_ACQUIRE);
}

int hdNetSearchFd(const struct hdNetSearch *search)
{
	return search->doneFd;
}

const struct addrinfo *hdNetSearchList(const struct hdNetSearch *search,
				       const char **why)
{
	if (!hdNetSearchIsDone(search)) {
		*why = "the address of the host is not known yet";
		return NULL;
	}
	if (!search->list)
		*why = gai_strerror(search->error);
	return search->list;
}

/* ---- Connecting -------------------------------------------------------- */

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

/* Connect a new socket to an address; the socket or a negative errno value. */
static int netConnectTo(int family, const struct sockaddr *address,
			socklen_t length, int wakeFd, int64_t deadlineNs)
{
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int ret, error = 0;
	socklen_t size = sizeof(error);

	if (fd < 0)
		return -errno;
	if (connect(fd, address, length) == 0)
		return fd;
	ret = -errno;
	if (errno == EINPROGRESS) {
		ret = hdNetWait(fd, POLLOUT, wakeFd, deadlineNs);
		if (ret >= 0)
			ret = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error,
					 &size) == 0
				      ? -error
				      : -errno;
	}
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

/* Try one address after the other; each gets its share of the time. */
static int connectAny(const struct addrinfo *list, int wakeFd,
		      int64_t deadlineNs)
{
	int64_t left = 0;
	int fd = -EINVAL;

	for (const struct addrinfo *at = list; at; at = at->ai_next)
		left++;
	for (const struct addrinfo *at = list; at; at = at->ai_next, left--) {
		int64_t now = hdMonotonicNow();

		fd = netConnectTo(at->ai_family, at->ai_addr, at->ai_addrlen,
				  wakeFd, now + (deadlineNs - now) / left);
		if (fd >= 0 || fd == -EINTR)
			break;
	}
	return fd;
}

/* Wait until all addresses are found; *result is to be freed if there is no
 * error. Says why not, and a host that is not there is an error. */
static int netFindAddresses(const char *host, const char *port, int wakeFd,
			    int64_t deadlineNs, struct hdNetSearch **result,
			    const char **why)
{
	int ret = hdNetSearchBegin(host, port, result);

	if (ret == 0 && (*result)->doneFd >= 0) {
		ret = hdNetWait((*result)->doneFd, POLLIN, wakeFd, deadlineNs);
		if (ret < 0)
			hdNetSearchFree(*result);
	}
	if (ret < 0) {
		*why = ret == -ETIMEDOUT ? "finding the host takes too long"
					 : strerror(-ret);
		return ret;
	}
	if (!hdNetSearchList(*result, why)) {
		hdNetSearchFree(*result);
		return -ENOENT;
	}
	return 0;
}

int hdNetLookup(const char *host, int wakeFd, int64_t deadlineNs,
		char address[HD_NET_ADDRESS_MAX], const char **why)
{
	struct hdNetSearch *search = NULL;
	int ret = netFindAddresses(host, "1", wakeFd, deadlineNs, &search, why);

	if (ret < 0)
		return ret;
	ret = getnameinfo(search->list->ai_addr, search->list->ai_addrlen,
			  address, HD_NET_ADDRESS_MAX, NULL, 0, NI_NUMERICHOST);
	hdNetSearchFree(search);
	if (ret == 0)
		return 0;
	*why = gai_strerror(ret);
	return -ENOENT;
}

int hdNetConnect(const char *host, const char *port, int wakeFd,
		 int64_t deadlineNs, int *fd, const char **why)
{
	struct hdNetSearch *search = NULL;
	int ret =
		netFindAddresses(host, port, wakeFd, deadlineNs, &search, why);

	if (ret < 0)
		return ret;
	ret = connectAny(search->list, wakeFd, deadlineNs);
	hdNetSearchFree(search);
	if (ret < 0) {
		*why = strerror(-ret);
		return ret;
	}
	setKeepalive(ret);
	*fd = ret;
	return 0;
}

int hdNetConnectPath(const char *path, int wakeFd, int64_t deadlineNs, int *fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int ret;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	/* It does not wait, but says EAGAIN while the service is behind. */
	while ((ret = netConnectTo(AF_UNIX, (const struct sockaddr *)&address,
				   sizeof(address), wakeFd, deadlineNs)) ==
	       -EAGAIN) {
		ret = hdNetWait(-1, 0, wakeFd,
				hdMonotonicNow() + HD_NS_PER_S / 100);
		if (ret == -ETIMEDOUT && hdMonotonicNow() < deadlineNs)
			continue;
		return ret;
	}
	if (ret < 0)
		return ret;
	*fd = ret;
	return 0;
}
