/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A connection that was accepted; see connection.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/clock.h"
#include "net/connection.h"
#include "net/logger.h"

/* Room for what comes, at first. */
#define IN_FIRST 4096
/* What is sent before others have their turn. */
#define TURN ((size_t)1 << 20)

/* ---- Buffers ----------------------------------------------------------- */

/* Make room; the size doubles, up to the most that there may be. */
static bool bufferFit(struct hdBuffer *buffer, size_t size, size_t most)
{
	size_t fit = buffer->size ? buffer->size : IN_FIRST;
	unsigned char *bytes;

	if (size <= buffer->size)
		return true;
	while (fit < size)
		fit *= 2;
	if (fit > most && size <= most)
		fit = most;
	bytes = realloc(buffer->bytes, fit);
	if (!bytes)
		return false;
	buffer->bytes = bytes;
	buffer->size = fit;
	return true;
}

static void bufferFree(struct hdBuffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct hdBuffer){ 0 };
}

void hdConnectionTake(struct hdConnection *connection, size_t size)
{
	struct hdBuffer *in = &connection->in;

	in->used -= size;
	memmove(in->bytes, in->bytes + size, in->used);
	connection->messageNs = in->used > 0 ? hdMonotonicNow() : 0;
}

/* Drop what was sent from the begin of what is to be. */
static void connectionPack(struct hdConnection *connection)
{
	struct hdBuffer *out = &connection->out;

	if (connection->sent == 0)
		return;
	out->used -= connection->sent;
	memmove(out->bytes, out->bytes + connection->sent, out->used);
	connection->sent = 0;
}

size_t hdConnectionLeft(const struct hdConnection *connection)
{
	size_t waits = connection->out.used - connection->sent;

	return waits < connection->setup->outMax
		       ? connection->setup->outMax - waits
		       : 0;
}

unsigned char *hdConnectionRoom(struct hdConnection *connection, size_t size)
{
	if (connection->isDead || connection->isBroken)
		return NULL;
	if (connection->out.used + size > connection->out.size)
		connectionPack(connection);
	if (connection->out.used + size <= connection->setup->answerMax &&
	    bufferFit(&connection->out, connection->out.used + size,
		      connection->setup->answerMax))
		return connection->out.bytes + connection->out.used;
	hdNetLog(HD_LOG_WARNING, "%s: out of memory for a reply",
		 connection->peer);
	/* Not closed at once: whoever asks is in the middle of something. */
	connection->isBroken = true;
	return NULL;
}

void hdConnectionPut(struct hdConnection *connection, size_t size)
{
	connection->out.used += size;
}

void hdConnectionSend(struct hdConnection *connection, const void *bytes,
		      size_t size)
{
	unsigned char *room = hdConnectionRoom(connection, size);

	if (!room)
		return;
	memcpy(room, bytes, size);
	hdConnectionPut(connection, size);
}

/* ---- The connection ---------------------------------------------------- */

static ssize_t connectionRead(struct hdConnection *connection)
{
	struct hdBuffer *in = &connection->in;
	ssize_t got;

	if (connection->tls)
		return hdTlsReceive(connection->tls, in->bytes + in->used,
				    in->size - in->used);
	got = recv(connection->fd, in->bytes + in->used, in->size - in->used,
		   0);
	return got < 0 ? -errno : got;
}

static ssize_t connectionWrite(struct hdConnection *connection)
{
	const unsigned char *bytes = connection->out.bytes + connection->sent;
	size_t size = connection->out.used - connection->sent;
	ssize_t sent;

	if (connection->tls)
		return hdTlsSend(connection->tls, bytes, size);
	sent = send(connection->fd, bytes, size, MSG_NOSIGNAL);
	return sent < 0 ? -errno : sent;
}

static bool connectionIsLater(ssize_t error)
{
	return error == -EAGAIN || error == -EWOULDBLOCK || error == -EINTR;
}

/* Say why a connection ends, if its end is not what clients do. */
static void connectionFail(struct hdConnection *connection, int error)
{
	connection->error = error;
	if (error == -EPROTO)
		connection->setup->calls->refuse(connection,
						 "TLS handshake failed");
	else
		hdNetLog(HD_LOG_INFO, "%s: %s", connection->peer,
			 strerror(-error));
	/* Nothing more can be said. */
	connection->out.used = connection->sent = 0;
	hdConnectionClose(connection);
}

/* Send what waits; returns whether all went. */
static bool connectionFlush(struct hdConnection *connection, size_t *turn)
{
	while (!connection->isDead && connection->sent < connection->out.used) {
		ssize_t sent =
			*turn > 0 ? connectionWrite(connection) : -EAGAIN;

		if (sent < 0 && connectionIsLater(sent)) {
			if (connection->progressNs == 0)
				connection->progressNs = hdMonotonicNow();
			return false;
		}
		if (sent < 0) {
			connectionFail(connection, (int)sent);
			return false;
		}
		connection->sent += (size_t)sent;
		connection->progressNs = 0;
		connection->activeNs = hdMonotonicNow();
		*turn = *turn > (size_t)sent ? *turn - (size_t)sent : 0;
	}
	connection->out.used = connection->sent = 0;
	return !connection->isDead;
}

/* Who has nothing to be sent needs no room, and who has sent something long
 * needs no more for a while. */
static void connectionRelease(struct hdConnection *connection)
{
	if (connection->out.used == 0 && connection->out.size > IN_FIRST &&
	    !(connection->setup->calls->isBusy(connection)))
		bufferFree(&connection->out);
	if (connection->in.used == 0 && connection->in.size > IN_FIRST)
		bufferFree(&connection->in);
}

/* Whether TLS begins here, and if so, begin it. */
static void connectionDetectTls(struct hdConnection *connection)
{
	unsigned char first[2];
	int ret;

	if (connection->tls || connection->isKnown || connection->in.used > 0 ||
	    !*connection->setup->tls ||
	    recv(connection->fd, first, sizeof(first), MSG_PEEK) != 2 ||
	    first[0] != 0x16 || first[1] != 3)
		return;
	ret = hdTlsOpen(*connection->setup->tls, connection->fd,
			&connection->tls);
	if (ret < 0)
		connectionFail(connection, ret);
}

/* Take what has come, as far as there is room. */
static void connectionReceive(struct hdConnection *connection)
{
	connectionDetectTls(connection);
	while (!connection->isDead && !connection->isEof) {
		ssize_t got;

		if (connection->in.used == connection->in.size &&
		    (connection->in.size >= connection->setup->inMax ||
		     !bufferFit(&connection->in, connection->in.size + 1,
				connection->setup->inMax)))
			return;
		got = connectionRead(connection);
		if (got < 0 && connectionIsLater(got))
			return;
		if (got < 0) {
			connectionFail(connection, (int)got);
		} else if (got == 0) {
			connection->isEof = true;
		} else {
			if (connection->in.used == 0)
				connection->messageNs = hdMonotonicNow();
			connection->in.used += (size_t)got;
			connection->activeNs = hdMonotonicNow();
		}
	}
}

/* Do all there is to do now, but not for ever. */
static void connectionWork(struct hdConnection *connection)
{
	const struct hdConnectionCalls *calls = connection->setup->calls;
	size_t turn = TURN;

	while (!connection->isDead && !connection->isBroken) {
		bool did = false;

		/* Answers go out before the next request is looked at. */
		if (!connectionFlush(connection, &turn))
			break;
		did = !connection->isOver && calls->take(connection);
		if (!did && !connection->isDead)
			did = calls->fill(connection);
		if (!did)
			break;
	}
	if (connection->isBroken)
		hdConnectionClose(connection);
	if (connection->isDead)
		return;
	connectionRelease(connection);
	/* Who says no more may still wait for an answer. */
	if (connection->sent == connection->out.used &&
	    (connection->isOver ||
	     (connection->isEof &&
	      !(connection->setup->calls->owes(connection)))))
		hdConnectionClose(connection);
}

/* Let the loop wait for what is needed. */
static void connectionArm(struct hdConnection *connection)
{
	uint32_t events = 0;

	if (connection->isDead)
		return;
	if (!connection->isEof &&
	    connection->in.used < connection->setup->inMax)
		events |= EPOLLIN;
	if (connection->sent < connection->out.used ||
	    (connection->tls && hdTlsWantsToSend(connection->tls)))
		events |= EPOLLOUT;
	if (events == connection->events)
		return;
	if (hdLoopChange(connection->setup->loop, connection->fd, events,
			 &connection->poll) == 0)
		connection->events = events;
}

void hdConnectionKick(struct hdConnection *connection)
{
	connectionWork(connection);
	connectionArm(connection);
}

static void connectionReady(struct hdPoll *poll, uint32_t events)
{
	struct hdConnection *connection = (struct hdConnection *)(void *)poll;

	if (connection->isDead)
		return;
	if (events & (EPOLLHUP | EPOLLERR)) {
		hdConnectionClose(connection);
		return;
	}
	connectionReceive(connection);
	hdConnectionKick(connection);
}

const char *hdConnectionLate(const struct hdConnection *connection,
			     int64_t nowNs, int64_t timeoutNs, int64_t idleNs)
{
	if (connection->progressNs &&
	    nowNs - connection->progressNs > timeoutNs)
		return "the client does not read";
	if (connection->messageNs && !connection->isOver &&
	    connection->sent == connection->out.used &&
	    nowNs - connection->messageNs > timeoutNs)
		return "the client sent an incomplete frame";
	if (!connection->isKnown && nowNs - connection->activeNs > timeoutNs)
		return "the client sent no request";
	if (connection->isKnown &&
	    !connection->setup->calls->isBusy(connection) &&
	    nowNs - connection->activeNs > idleNs)
		return "idle connection";
	return NULL;
}

/* ---- Begin and end ----------------------------------------------------- */

int hdConnectionOpen(struct hdConnection *connection,
		     const struct hdConnectionSetup *setup, int fd)
{
	int ret;

	connection->poll.ready = connectionReady;
	connection->setup = setup;
	connection->fd = fd;
	connection->activeNs = hdMonotonicNow();
	connection->events = EPOLLIN;
	if (!bufferFit(&connection->in,
		       setup->inMax < IN_FIRST ? setup->inMax : IN_FIRST,
		       setup->inMax)) {
		hdNetLog(HD_LOG_WARNING, "out of memory; client rejected");
		return -ENOMEM;
	}
	ret = hdLoopAdd(setup->loop, fd, EPOLLIN, &connection->poll);
	if (ret < 0) {
		hdNetLog(HD_LOG_WARNING, "epoll: %s", strerror(-ret));
		bufferFree(&connection->in);
	}
	return ret;
}

void hdConnectionClose(struct hdConnection *connection)
{
	size_t turn = TURN;

	if (connection->isDead)
		return;
	/* A last word; who does not read it at once does not get it. */
	if (!connection->isBroken && connection->sent < connection->out.used &&
	    !connection->progressNs)
		connectionFlush(connection, &turn);
	if (connection->isDead)
		return;
	connection->isDead = true;
	connection->setup->calls->closed(connection);
	hdTlsClose(connection->tls);
	close(connection->fd);
}

void hdConnectionFree(struct hdConnection *connection)
{
	bufferFree(&connection->in);
	bufferFree(&connection->out);
}
