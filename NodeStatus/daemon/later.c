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
	bool seesAll;
	uid_t uid; /* Else only processes of this user. */
	char *probes;
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
		free(answer->probes);
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

/* What a user may see: others' programs and kernels are not for everybody. */
static json_t *laterOwn(const json_t *probes, uid_t uid)
{
	const json_t *all = json_object_get(probes, "processes");
	json_t *own = json_array(), *process;
	size_t i, hidden = 0;

	json_array_foreach(all, i, process)
	{
		const json_t *owner = json_object_get(process, "uid");

		if ((uid_t)json_integer_value(owner) == uid)
			json_array_append(own, process);
		else
			hidden++;
	}
	return json_pack("{so sI}", "processes", own, "hidden",
			 (json_int_t)hidden);
}

/* The text, to be freed: it is long, so it is not made in the loop. */
static char *laterText(const struct laterAsk *ask, json_t *probes)
{
	json_t *seen = ask->seesAll || !probes ? json_incref(probes)
					       : laterOwn(probes, ask->uid);
	char *text =
		seen ? json_dumps(seen, JSON_COMPACT | JSON_REAL_PRECISION(16))
		     : NULL;

	json_decref(seen);
	json_decref(probes);
	return text;
}

static void laterDone(void *context, json_t *probes)
{
	struct laterAsk *ask = context;
	struct nodeLater *later = ask->later;

	ask->probes = laterText(ask, probes);
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

uint64_t nodeLaterAsk(const struct nodeClient *client, bool isReset)
{
	struct hdNodeServer *server = client->server;
	const struct hdNodeSource *source = &server->setup.source;
	struct nodeLater *later = server->later;
	struct laterAsk *ask = calloc(1, sizeof(*ask));
	uint64_t ticket;

	if (!ask)
		return 0;
	ticket = ++later->tickets;
	ask->later = later;
	ask->ticket = ticket;
	ask->seesAll = hdShareIsKept(&client->place.owner);
	ask->uid = client->place.owner.uid;
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
