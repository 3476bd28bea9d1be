/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: lets those in who know the token.
 *
 * What has come is looked at and left in the socket, so that the server reads
 * the request from its beginning. Events are taken at edges: what was looked at
 * makes none.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <glib.h>

#include "HDTraceTools/view/gate.h"
#include "common/thread.h"

/** So many wait at most, and so long. */
#define WAITING_MAX 256
#define DEADLINE_US (5 * G_USEC_PER_SEC)
/** Methods are shorter. */
#define METHOD_MAX 16
/** Accepted at once, before others have their turn. */
#define ACCEPT_MAX 64

/** A connection that has not shown anything yet. */
struct waiting {
	GList link; /**< In the order in which they came; data is this. */
	struct sockaddr_in address;
	gint64 since;
	int fd;
};

struct gate {
	pthread_t thread;
	const char *token;
	gateTake *take;
	void *data;
	GQueue waiting;
	int listening;
	int events; /**< epoll */
	int stop;   /**< eventfd */
};

/** What is known of a connection. */
enum verdict { GATE_UNKNOWN, GATE_FRIEND, GATE_STRANGER, GATE_GONE };

bool gateHasToken(const char *path, size_t length, const char *token)
{
	unsigned char difference = 0;

	if (length < GATE_TOKEN_LENGTH + 2 || path[0] != '/' ||
	    path[1 + GATE_TOKEN_LENGTH] != '/')
		return false;
	for (size_t i = 0; i < GATE_TOKEN_LENGTH; i++)
		difference |= (unsigned char)(path[1 + i] ^ token[i]);
	return difference == 0;
}

/** Judge the beginning of a request, "GET /TOKEN/...". */
static enum verdict gateJudgeRequest(const struct gate *self, const char *text,
				     size_t length)
{
	const char *blank = memchr(text, ' ', MIN(length, METHOD_MAX));
	const char *path = blank ? blank + 1 : text;
	size_t rest = length - (size_t)(path - text);

	if (blank && gateHasToken(path, rest, self->token))
		return GATE_FRIEND;
	if (memchr(text, '\n', length) || rest >= GATE_TOKEN_LENGTH + 2)
		return GATE_STRANGER;
	return GATE_UNKNOWN;
}

/** Say no: to requests for what is not there, and to what is no request. */
static void gateRefuse(int fd, const char *text, size_t length)
{
	bool isRead = (length > 4 && memcmp(text, "GET ", 4) == 0) ||
		      (length > 5 && memcmp(text, "HEAD ", 5) == 0);
	char *answer = g_strdup_printf(
		"HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n"
		"Cache-Control: no-store\r\n\r\n",
		isRead ? "404 Not Found" : "405 Method Not Allowed");
	char rest[4096];

	/* What is left unread would take the answer back. */
	for (int i = 0; i < 16; i++)
		if (recv(fd, rest, sizeof(rest), MSG_DONTWAIT) <= 0)
			break;
	/* Who does not take it gets none. */
	if (send(fd, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		shutdown(fd, SHUT_WR);
	g_free(answer);
}

static enum verdict gatePeekRequest(const struct gate *self, int fd)
{
	char text[METHOD_MAX + GATE_TOKEN_LENGTH + 2];
	enum verdict verdict;
	ssize_t length;

	do {
		length = recv(fd, text, sizeof(text), MSG_PEEK | MSG_DONTWAIT);
	} while (length < 0 && errno == EINTR);
	if (length < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? GATE_UNKNOWN
							       : GATE_GONE;
	if (length == 0)
		return GATE_GONE;
	verdict = gateJudgeRequest(self, text, (size_t)length);
	if (verdict == GATE_STRANGER)
		gateRefuse(fd, text, (size_t)length);
	return verdict;
}

/** Forget a connection that waits, whose socket is somebody else's now. */
static void gateForget(struct gate *self, struct waiting *one)
{
	epoll_ctl(self->events, EPOLL_CTL_DEL, one->fd, NULL);
	g_queue_unlink(&self->waiting, &one->link);
	g_free(one);
}

static void dismiss(struct gate *self, struct waiting *one)
{
	int fd = one->fd;

	gateForget(self, one);
	close(fd);
}

static void dismissOldest(struct gate *self)
{
	dismiss(self, g_queue_peek_head(&self->waiting));
}

/** Look at one that waits; it may be gone afterwards. */
static void gateHandleEvents(struct gate *self, struct waiting *one,
			     uint32_t events)
{
	enum verdict verdict = gatePeekRequest(self, one->fd);
	struct sockaddr_in address = one->address;
	int fd = one->fd;

	if (verdict == GATE_FRIEND) {
		gateForget(self, one);
		self->take(fd, (struct sockaddr *)&address, sizeof(address),
			   self->data);
	} else if (verdict != GATE_UNKNOWN ||
		   events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) {
		dismiss(self, one);
	}
}

static void gateReceiveFd(struct gate *self, int fd,
			  const struct sockaddr_in *address)
{
	struct waiting *one = g_new0(struct waiting, 1);
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLRDHUP | EPOLLET,
		.data.ptr = one,
	};

	if (self->waiting.length >= WAITING_MAX)
		dismissOldest(self);
	one->link.data = one;
	one->address = *address;
	one->since = g_get_monotonic_time();
	one->fd = fd;
	g_queue_push_tail_link(&self->waiting, &one->link);
	if (epoll_ctl(self->events, EPOLL_CTL_ADD, fd, &event) < 0)
		dismiss(self, one);
	else
		gateHandleEvents(self, one, 0);
}

static void acceptSome(struct gate *self)
{
	for (int i = 0; i < ACCEPT_MAX; i++) {
		struct sockaddr_in address = { .sin_family = AF_INET };
		socklen_t length = sizeof(address);
		int fd = accept4(self->listening, (struct sockaddr *)&address,
				 &length, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			gateReceiveFd(self, fd, &address);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		/* No descriptors, no memory: the oldest has some. */
		if (self->waiting.length > 0)
			dismissOldest(self);
		else
			g_usleep(10000);
	}
}

/** Dismiss who has waited too long; returns ms until the next one has, or -1.
 */
static int keepDeadlines(struct gate *self)
{
	gint64 now = g_get_monotonic_time();
	struct waiting *one;

	while ((one = g_queue_peek_head(&self->waiting)) != NULL) {
		gint64 left = one->since + DEADLINE_US - now;

		if (left > 0)
			return (int)(left / 1000 + 1);
		dismiss(self, one);
	}
	return -1;
}

static void *gateRun(void *data)
{
	struct gate *self = data;
	struct epoll_event events[64];
	bool isOver = false;

	while (!isOver) {
		int timeout = keepDeadlines(self);
		int count = epoll_wait(self->events, events,
				       G_N_ELEMENTS(events), timeout);
		bool hasNew = false;

		/* New ones last: they may dismiss others, of these events. */
		for (int i = 0; i < count; i++) {
			void *what = events[i].data.ptr;

			if (what == &self->listening)
				hasNew = true;
			else if (what == &self->stop)
				isOver = true;
			else
				gateHandleEvents(self, what, events[i].events);
		}
		if (hasNew)
			acceptSome(self);
	}
	return NULL;
}

/** Wait for one of our own descriptors. */
static int gateWatchFd(struct gate *self, int *fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = fd };

	return epoll_ctl(self->events, EPOLL_CTL_ADD, *fd, &event) == 0
		       ? 0
		       : -errno;
}

static void freeGate(struct gate *self)
{
	while (self->waiting.length > 0)
		dismissOldest(self);
	if (self->events >= 0)
		close(self->events);
	if (self->stop >= 0)
		close(self->stop);
	g_free(self);
}

int gateStart(struct gate **gate, int listening, const char *token,
	      gateTake *take, void *data)
{
	struct gate *self = g_new0(struct gate, 1);
	int ret = 0;

	self->token = token;
	self->take = take;
	self->data = data;
	self->listening = listening;
	g_queue_init(&self->waiting);
	self->events = epoll_create1(EPOLL_CLOEXEC);
	self->stop = eventfd(0, EFD_CLOEXEC);
	if (self->events < 0 || self->stop < 0)
		ret = -errno;
	if (ret == 0)
		ret = gateWatchFd(self, &self->listening);
	if (ret == 0)
		ret = gateWatchFd(self, &self->stop);
	if (ret == 0)
		ret = hdThreadStart(&self->thread, gateRun, self);
	if (ret < 0)
		freeGate(self);
	else
		*gate = self;
	return ret;
}

void gateStop(struct gate *self)
{
	if (!self)
		return;
	eventfd_write(self->stop, 1);
	pthread_join(self->thread, NULL);
	freeGate(self);
}
