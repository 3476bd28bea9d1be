/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers that take a while: probes are read by another thread, and who asked
 * gets them when they are there. Nobody else waits. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "NodeStatus/daemon/parts.h"

/* A request, and then the probes that have come for it. */
struct laterAsk {
	struct laterAsk *next;
	struct nodeLater *later;
	uint64_t ticket;
	json_t *probes;
};

/* It lives as long as the server and all that was asked for. */
struct nodeLater {
	struct hdPoll poll; /* First: it is what the loop knows. */
	struct hdNodeServer *server;
	atomic_uint users;
	int fd; /* Readable when something has come. */
	uint64_t tickets;
	pthread_mutex_t mutex;
	struct laterAsk *answers, **last;
};

static void laterDrop(struct laterAsk *answers)
{
	while (answers) {
		struct laterAsk *answer = answers;

		answers = answer->next;
		json_decref(answer->probes);
		free(answer);
	}
}

static void laterRelease(struct nodeLater *later)
{
	if (atomic_fetch_sub(&later->users, 1) > 1)
		return;
	laterDrop(later->answers);
	pthread_mutex_destroy(&later->mutex);
	close(later->fd);
	free(later);
}

/* ---- In the thread that reads probes ------------------------------------- */

static void laterDone(void *context, json_t *probes)
{
	struct laterAsk *ask = context;
	struct nodeLater *later = ask->later;

	ask->probes = probes;
	pthread_mutex_lock(&later->mutex);
	*later->last = ask;
	later->last = &ask->next;
	pthread_mutex_unlock(&later->mutex);
	eventfd_write(later->fd, 1);
	laterRelease(later);
}

/* ---- In the loop --------------------------------------------------------- */

static struct nodeClient *laterClient(struct hdNodeServer *server,
				      uint64_t ticket)
{
	struct nodeClient *client = server->clients;

	while (client && client->ticket != ticket)
		client = client->next;
	return client;
}

static void laterReady(struct hdPoll *poll, uint32_t events)
{
	struct nodeLater *later = (struct nodeLater *)(void *)poll;
	struct laterAsk *answers;
	struct nodeClient *client;
	eventfd_t count;

	(void)events;
	eventfd_read(later->fd, &count);
	pthread_mutex_lock(&later->mutex);
	answers = later->answers;
	later->answers = NULL;
	later->last = &later->answers;
	pthread_mutex_unlock(&later->mutex);
	for (struct laterAsk *a = answers; a; a = a->next) {
		client = laterClient(later->server, a->ticket);
		/* It may have gone. */
		if (client)
			nodeClientProbes(client, a->probes);
	}
	laterDrop(answers);
}

uint64_t nodeLaterAsk(struct hdNodeServer *server, bool isReset)
{
	const struct hdNodeSource *source = &server->setup.source;
	struct nodeLater *later = server->later;
	struct laterAsk *ask = calloc(1, sizeof(*ask));
	uint64_t ticket;

	if (!ask)
		return 0;
	ticket = ++later->tickets;
	ask->later = later;
	ask->ticket = ticket;
	atomic_fetch_add(&later->users, 1);
	source->askProbes(source->context, isReset, laterDone, ask);
	return ticket;
}

int nodeLaterOpen(struct hdNodeServer *server)
{
	struct nodeLater *later = calloc(1, sizeof(*later));
	int ret;

	if (!later)
		return -ENOMEM;
	later->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = later->fd < 0 ? -errno : 0;
	later->poll.ready = laterReady;
	later->server = server;
	later->last = &later->answers;
	atomic_init(&later->users, 1);
	pthread_mutex_init(&later->mutex, NULL);
	if (ret == 0)
		ret = hdLoopAdd(&server->loop, later->fd, EPOLLIN,
				&later->poll);
	if (ret < 0)
		laterRelease(later);
	else
		server->later = later;
	return ret;
}

void nodeLaterClose(struct hdNodeServer *server)
{
	if (!server->later)
		return;
	hdLoopRemove(&server->loop, server->later->fd);
	laterRelease(server->later);
	server->later = NULL;
}
