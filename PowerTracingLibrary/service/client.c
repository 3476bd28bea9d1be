/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A client of the service; see client.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "PowerTracingLibrary/service/access.h"
#include "PowerTracingLibrary/service/protocols.h"
#include "PowerTracingLibrary/src/message.h"
#include "common/clock.h"

/* Room for what comes, at first. */
#define IN_FIRST 4096
/* What is sent before others have their turn. */
#define TURN ((size_t)1 << 20)

/* ---- Buffers ----------------------------------------------------------- */

/* Make room; the size doubles. */
static bool bufferFit(struct ptBuffer *buffer, size_t size)
{
	size_t fit = buffer->size ? buffer->size : IN_FIRST;
	unsigned char *bytes;

	if (size <= buffer->size)
		return true;
	while (fit < size)
		fit *= 2;
	bytes = realloc(buffer->bytes, fit);
	if (!bytes)
		return false;
	buffer->bytes = bytes;
	buffer->size = fit;
	return true;
}

static void bufferFree(struct ptBuffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct ptBuffer){ 0 };
}

void ptClientTake(struct ptClient *client, size_t size)
{
	struct ptBuffer *in = &client->in;

	in->used -= size;
	memmove(in->bytes, in->bytes + size, in->used);
	client->messageNs = in->used > 0 ? hdMonotonicNow() : 0;
}

/* Drop what was sent from the begin of what is to be. */
static void clientPack(struct ptClient *client)
{
	struct ptBuffer *out = &client->out;

	if (client->sent == 0)
		return;
	out->used -= client->sent;
	memmove(out->bytes, out->bytes + client->sent, out->used);
	client->sent = 0;
}

size_t ptClientLeft(const struct ptClient *client)
{
	size_t waits = client->out.used - client->sent;

	return waits < PT_CLIENT_OUT ? PT_CLIENT_OUT - waits : 0;
}

unsigned char *ptClientRoom(struct ptClient *client, size_t size)
{
	if (client->isDead || client->isBroken)
		return NULL;
	if (client->out.used + size > client->out.size)
		clientPack(client);
	if (client->out.used + size <= PT_CLIENT_ANSWER_MAX &&
	    bufferFit(&client->out, client->out.used + size))
		return client->out.bytes + client->out.used;
	ptMessage(HD_LOG_WARNING, "%s: no memory for an answer", client->peer);
	/* Not closed at once: whoever asks is in the middle of something. */
	client->isBroken = true;
	return NULL;
}

void ptClientPut(struct ptClient *client, size_t size)
{
	client->out.used += size;
}

void ptClientSend(struct ptClient *client, const void *bytes, size_t size)
{
	unsigned char *room = ptClientRoom(client, size);

	if (!room)
		return;
	memcpy(room, bytes, size);
	ptClientPut(client, size);
}

/* ---- The connection ---------------------------------------------------- */

static ssize_t clientRead(struct ptClient *client)
{
	struct ptBuffer *in = &client->in;
	ssize_t got;

	if (client->tls)
		return ptTlsReceive(client->tls, in->bytes + in->used,
				    in->size - in->used);
	got = recv(client->fd, in->bytes + in->used, in->size - in->used, 0);
	return got < 0 ? -errno : got;
}

static ssize_t clientWrite(struct ptClient *client)
{
	const unsigned char *bytes = client->out.bytes + client->sent;
	size_t size = client->out.used - client->sent;
	ssize_t sent;

	if (client->tls)
		return ptTlsSend(client->tls, bytes, size);
	sent = send(client->fd, bytes, size, MSG_NOSIGNAL);
	return sent < 0 ? -errno : sent;
}

static bool isLater(ssize_t error)
{
	return error == -EAGAIN || error == -EWOULDBLOCK || error == -EINTR;
}

/* Say why a connection ends, if its end is not what clients do. */
static void clientFail(struct ptClient *client, int error)
{
	if (error == -EPROTO)
		ptClientRefuse(client, "it does not speak TLS as it should");
	else
		ptMessage(HD_LOG_INFO, "%s: %s", client->peer,
			  strerror(-error));
	/* Nothing more can be said. */
	client->out.used = client->sent = 0;
	ptClientClose(client);
}

/* Send what waits; returns whether all went. */
static bool clientFlush(struct ptClient *client, size_t *turn)
{
	while (!client->isDead && client->sent < client->out.used) {
		ssize_t sent = *turn > 0 ? clientWrite(client) : -EAGAIN;

		if (sent < 0 && isLater(sent)) {
			if (client->progressNs == 0)
				client->progressNs = hdMonotonicNow();
			return false;
		}
		if (sent < 0) {
			clientFail(client, (int)sent);
			return false;
		}
		client->sent += (size_t)sent;
		client->progressNs = 0;
		client->activeNs = hdMonotonicNow();
		*turn = *turn > (size_t)sent ? *turn - (size_t)sent : 0;
	}
	client->out.used = client->sent = 0;
	return !client->isDead;
}

/* Who has nothing to be sent needs no room. */
static void clientRelease(struct ptClient *client)
{
	if (client->out.used == 0 && client->out.size > IN_FIRST &&
	    !(client->protocol && client->protocol->isBusy(client)))
		bufferFree(&client->out);
}

/* Find out what is spoken; false if that is nothing we know, or not yet. */
static bool clientDetect(struct ptClient *client)
{
	const unsigned char *bytes = client->in.bytes;

	if (client->in.used < PT_WIRE_MAGIC_SIZE)
		return false;
	if (memcmp(bytes, PT_WIRE_MAGIC, PT_WIRE_MAGIC_SIZE) == 0)
		client->protocol = &ptNative;
	else if (bytes[0] <= 9 && !bytes[1] && !bytes[2] && !bytes[3])
		client->protocol = &ptPmlib;
	if (client->protocol)
		return true;
	ptClientRefuse(client, "it speaks no protocol that is known here");
	ptClientClose(client);
	return false;
}

/* Whether TLS begins here, and if so, begin it. */
static void clientDetectTls(struct ptClient *client)
{
	unsigned char first[2];
	int ret;

	if (client->tls || client->protocol || client->in.used > 0 ||
	    !client->service->tls ||
	    recv(client->fd, first, sizeof(first), MSG_PEEK) != 2 ||
	    first[0] != 0x16 || first[1] != 3)
		return;
	ret = ptTlsOpen(client->service->tls, client->fd, &client->tls);
	if (ret < 0)
		clientFail(client, ret);
}

/* Take what has come, as far as there is room. */
static void clientReceive(struct ptClient *client)
{
	clientDetectTls(client);
	while (!client->isDead && !client->isEof) {
		ssize_t got;

		if (client->in.used == client->in.size &&
		    (client->in.size >= PT_CLIENT_IN ||
		     !bufferFit(&client->in, client->in.size + 1)))
			return;
		got = clientRead(client);
		if (got < 0 && isLater(got))
			return;
		if (got < 0) {
			clientFail(client, (int)got);
		} else if (got == 0) {
			client->isEof = true;
		} else {
			if (client->in.used == 0)
				client->messageNs = hdMonotonicNow();
			client->in.used += (size_t)got;
			client->activeNs = hdMonotonicNow();
		}
	}
}

static bool clientTakeRequest(struct ptClient *client)
{
	if (client->isDead || client->isBroken || client->isOver)
		return false;
	if (!client->protocol && !clientDetect(client))
		return false;
	return client->protocol->receive(client);
}

/* Do all there is to do now, but not for ever. */
static void clientWork(struct ptClient *client)
{
	size_t turn = TURN;

	while (!client->isDead && !client->isBroken) {
		bool did = false;

		/* Answers go out before the next request is looked at. */
		if (!clientFlush(client, &turn))
			break;
		did = clientTakeRequest(client);
		if (!did && !client->isDead && client->protocol &&
		    client->protocol->fill)
			did = client->protocol->fill(client);
		if (!did)
			break;
	}
	if (client->isBroken)
		ptClientClose(client);
	if (client->isDead)
		return;
	clientRelease(client);
	/* Who says no more may still wait for an answer. */
	if (client->sent == client->out.used &&
	    (client->isOver ||
	     (client->isEof &&
	      !(client->protocol && client->protocol->owes(client)))))
		ptClientClose(client);
}

/* Let the loop wait for what is needed. */
static void clientArm(struct ptClient *client)
{
	uint32_t events = 0;
	struct epoll_event event = { .data.ptr = &client->poll };

	if (client->isDead)
		return;
	if (!client->isEof && client->in.used < PT_CLIENT_IN)
		events |= EPOLLIN;
	if (client->sent < client->out.used ||
	    (client->tls && ptTlsWantsToSend(client->tls)))
		events |= EPOLLOUT;
	if (events == client->events)
		return;
	event.events = events;
	if (epoll_ctl(client->service->epollFd, EPOLL_CTL_MOD, client->fd,
		      &event) == 0)
		client->events = events;
}

void ptClientKick(struct ptClient *client)
{
	clientWork(client);
	clientArm(client);
}

static void clientReady(struct ptPoll *poll, uint32_t events)
{
	struct ptClient *client = (struct ptClient *)(void *)poll;

	if (client->isDead)
		return;
	if (events & (EPOLLHUP | EPOLLERR)) {
		ptClientClose(client);
		return;
	}
	clientReceive(client);
	ptClientKick(client);
}

void ptClientSweep(struct ptClient *client, int64_t nowNs)
{
	const struct ptSiteLimits *limits = &client->service->site->limits;
	const struct ptProtocol *protocol = client->protocol;
	const char *why = NULL;

	if (client->progressNs &&
	    nowNs - client->progressNs > limits->timeoutNs)
		why = "it does not read";
	else if (client->messageNs && !client->isOver &&
		 client->sent == client->out.used &&
		 nowNs - client->messageNs > limits->timeoutNs)
		why = "it sent half a message";
	else if (!protocol && nowNs - client->activeNs > limits->timeoutNs)
		why = "it says nothing";
	else if (protocol && !protocol->isBusy(client) &&
		 nowNs - client->activeNs > limits->idleNs)
		why = "it has nothing to say";
	if (!why)
		return;
	ptClientRefuse(client, "%s", why);
	if (protocol && protocol->end && !client->progressNs)
		protocol->end(client);
	ptClientClose(client);
}

/* ---- Begin and end ----------------------------------------------------- */

void ptClientCreate(struct ptService *service, int fd,
		    const struct sockaddr *address)
{
	struct ptClient *client = calloc(1, sizeof(*client));
	struct epoll_event event = { .events = EPOLLIN };

	if (!client || !bufferFit(&client->in, IN_FIRST)) {
		ptMessage(HD_LOG_WARNING, "no memory for a client");
		free(client);
		close(fd);
		return;
	}
	client->poll.ready = clientReady;
	client->service = service;
	client->fd = fd;
	client->account.limit = service->site->limits.clientMemory;
	client->activeNs = hdMonotonicNow();
	client->events = event.events;
	ptAccessFind(client, address);
	event.data.ptr = &client->poll;
	if (epoll_ctl(service->epollFd, EPOLL_CTL_ADD, fd, &event) < 0) {
		ptMessage(HD_LOG_WARNING, "epoll: %s", strerror(errno));
		bufferFree(&client->in);
		free(client);
		close(fd);
		return;
	}
	client->link = &service->clients;
	client->next = service->clients;
	if (client->next)
		client->next->link = &client->next;
	service->clients = client;
	__atomic_add_fetch(&service->clientCount, 1, __ATOMIC_RELAXED);
	service->accepted++;
}

void ptClientClose(struct ptClient *client)
{
	struct ptService *service = client->service;
	size_t turn = TURN;

	if (client->isDead)
		return;
	/* A last word; who does not read it at once does not get it. */
	if (!client->isBroken && client->sent < client->out.used &&
	    !client->progressNs)
		clientFlush(client, &turn);
	if (client->isDead)
		return;
	client->isDead = true;
	if (client->protocol)
		client->protocol->destroy(client);
	ptTlsClose(client->tls);
	close(client->fd);
	*client->link = client->next;
	if (client->next)
		client->next->link = client->link;
	client->next = service->dead;
	service->dead = client;
	__atomic_sub_fetch(&service->clientCount, 1, __ATOMIC_RELAXED);
}

void ptClientFree(struct ptClient *client)
{
	bufferFree(&client->in);
	bufferFree(&client->out);
	free(client);
}

void ptClientDue(struct ptClient *client, int64_t atNs)
{
	client->dueNs = atNs;
	if (client->service->dueNs == 0 || atNs < client->service->dueNs)
		client->service->dueNs = atNs;
}
