/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BMI: messages over sockets, which are posted and complete later. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bmi.h"
#include "layers.h"

struct bmi {
	pthread_t thread;
	pthread_mutex_t lock;
	struct bmiOperation *posted; /* Not seen by the thread yet. */
	int isEnding;
	int wake; /* An eventfd. */
};

/* Do as much of an operation as can be done now: 1, it is complete; 0, it is
 * not; or negative errno. */
static int advance(struct bmiOperation *operation)
{
	while (operation->done < operation->size) {
		char *at = operation->buffer + operation->done;
		size_t rest = operation->size - operation->done;
		ssize_t done = operation->isSend
				       ? send(operation->socket, at, rest,
					      MSG_NOSIGNAL | MSG_DONTWAIT)
				       : recv(operation->socket, at, rest,
					      MSG_DONTWAIT);

		if (done > 0)
			operation->done += (size_t)done;
		else if (done == 0)
			return -ECONNRESET;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return 0;
		else if (errno != EINTR)
			return -errno;
	}
	return 1;
}

/* An operation is over. */
static void leave(struct bmiOperation *operation, int error)
{
	layerEnd(&operation->token, error, operation->done, NULL);
	layerLeave(LAYER_BMI, operation->done);
}

int bmiPost(struct bmi *bmi, struct bmiOperation *operation)
{
	const uint64_t one = 1;
	int ret;

	operation->done = 0;
	layerEnter(LAYER_BMI);
	operation->token =
		layerRelateOnly(LAYER_BMI, operation->hints,
				operation->isSend ? "send" : "receive");
	ret = advance(operation);
	if (ret != 0) {
		leave(operation, ret < 0 ? -ret : 0);
		return ret;
	}
	pthread_mutex_lock(&bmi->lock);
	operation->next = bmi->posted;
	bmi->posted = operation;
	pthread_mutex_unlock(&bmi->lock);
	while (write(bmi->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return 0;
}

/* ---- The thread -------------------------------------------------------- */

/* What the thread waits for. */
struct waiting {
	struct bmiOperation **operations;
	struct pollfd *polls; /* The first is the eventfd. */
	size_t count, room;
};

static void grow(struct waiting *waiting)
{
	size_t room = waiting->room ? 2 * waiting->room : 64;

	waiting->operations = realloc(waiting->operations,
				      room * sizeof(*waiting->operations));
	waiting->polls =
		realloc(waiting->polls, (room + 1) * sizeof(*waiting->polls));
	if (!waiting->operations || !waiting->polls)
		abort();
	waiting->room = room;
}

/* Take what was posted. Whether the thread is to go on. */
static int take(struct bmi *bmi, struct waiting *waiting)
{
	struct bmiOperation *posted;
	int isEnding;

	pthread_mutex_lock(&bmi->lock);
	posted = bmi->posted;
	bmi->posted = NULL;
	isEnding = bmi->isEnding;
	pthread_mutex_unlock(&bmi->lock);
	for (; posted; posted = posted->next) {
		if (waiting->count == waiting->room)
			grow(waiting);
		waiting->operations[waiting->count++] = posted;
		waiting->polls[waiting->count] = (struct pollfd){
			.fd = posted->socket,
			.events = posted->isSend ? POLLOUT : POLLIN,
		};
	}
	return !isEnding || waiting->count > 0;
}

static void complete(struct waiting *waiting, size_t index)
{
	struct bmiOperation *operation = waiting->operations[index];
	int ret;

	if (waiting->polls[index + 1].revents == 0)
		return;
	ret = advance(operation);
	if (ret == 0)
		return;
	waiting->count--;
	waiting->operations[index] = waiting->operations[waiting->count];
	waiting->polls[index + 1] = waiting->polls[waiting->count + 1];
	leave(operation, ret < 0 ? -ret : 0);
	operation->completed(operation, ret < 0 ? -ret : 0);
}

static void *bmiRun(void *data)
{
	struct bmi *bmi = data;
	struct waiting waiting = { 0 };
	uint64_t ignored;

	grow(&waiting);
	waiting.polls[0] = (struct pollfd){ .fd = bmi->wake, .events = POLLIN };
	while (take(bmi, &waiting)) {
		if (poll(waiting.polls, waiting.count + 1, -1) < 0)
			continue;
		if (waiting.polls[0].revents &&
		    read(bmi->wake, &ignored, sizeof(ignored)) < 0)
			continue;
		/* Backwards, as the last one takes the place of what has gone.
		 */
		for (size_t i = waiting.count; i-- > 0;)
			complete(&waiting, i);
	}
	free(waiting.operations);
	free(waiting.polls);
	return NULL;
}

struct bmi *bmiStart(void)
{
	struct bmi *bmi = calloc(1, sizeof(*bmi));

	if (!bmi)
		return NULL;
	pthread_mutex_init(&bmi->lock, NULL);
	bmi->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (bmi->wake >= 0 &&
	    pthread_create(&bmi->thread, NULL, bmiRun, bmi) == 0)
		return bmi;
	if (bmi->wake >= 0)
		close(bmi->wake);
	free(bmi);
	return NULL;
}

void bmiStop(struct bmi *bmi)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&bmi->lock);
	bmi->isEnding = 1;
	pthread_mutex_unlock(&bmi->lock);
	while (write(bmi->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(bmi->thread, NULL);
	close(bmi->wake);
	pthread_mutex_destroy(&bmi->lock);
	free(bmi);
}

/* ---- Sockets ----------------------------------------------------------- */

int bmiPrepare(int socket)
{
	const int one = 1;
	int flags = fcntl(socket, F_GETFL);

	if (flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(socket, F_SETFD, FD_CLOEXEC) < 0 ||
	    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
		return -errno;
	return 0;
}

int bmiListen(int *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	const int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	address.sin_port = htons((uint16_t)*port);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &length) < 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	*port = ntohs(address.sin_port);
	return fd;
}

static int connectTo(const struct addrinfo *list)
{
	int ret = -EHOSTUNREACH;

	for (; list; list = list->ai_next) {
		int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			continue;
		if (connect(fd, list->ai_addr, list->ai_addrlen) == 0)
			return fd;
		ret = -errno;
		close(fd);
	}
	return ret;
}

int bmiConnect(const char *address)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
	const char *colon = strrchr(address, ':');
	char host[256];
	int fd;

	if (!colon || (size_t)(colon - address) >= sizeof(host))
		return -EINVAL;
	memcpy(host, address, (size_t)(colon - address));
	host[colon - address] = '\0';
	if (getaddrinfo(host, colon + 1, &hints, &list) != 0)
		return -EHOSTUNREACH;
	fd = connectTo(list);
	freeaddrinfo(list);
	if (fd >= 0 && bmiPrepare(fd) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}
