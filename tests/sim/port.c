/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The end of the cable.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <gio/gio.h>

#include "tests/sim/port.h"

#define NO_TIME INT64_MAX
/** What the meter keeps for a host that does not read. */
#define QUEUE_BYTES 65536
/** How often to look whether somebody opened a terminal: no event tells. */
#define LOOK_NS 5000000
/** Bytes of a slow line that are handed over together. */
#define CHUNK 16

/** A message on its way. */
struct outgoing {
	GString *bytes;
	gsize sent;
	int64_t notBefore;
};

static bool failed(GError **error, const char *what)
{
	int saved = errno;

	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(saved), "%s: %s",
		    what, g_strerror(saved));
	return false;
}

/* A link is replaced, anything else is not. */
static bool makeLink(const struct simPort *port, const char *target,
		     GError **error)
{
	struct stat info;

	if (!lstat(port->link, &info) && S_ISLNK(info.st_mode))
		unlink(port->link);
	return !symlink(target, port->link) || failed(error, port->link);
}

static void removeLink(const struct simPort *port)
{
	char *target = g_file_read_link(port->link, NULL);

	if (target && !g_strcmp0(target, ptsname(port->fd)))
		unlink(port->link);
	g_free(target);
}

/* Without this it would send back what it gets until the host sets it up. */
static bool setRaw(int fd)
{
	struct termios mode;

	if (tcgetattr(fd, &mode))
		return false;
	cfmakeraw(&mode);
	return !tcsetattr(fd, TCSANOW, &mode);
}

static bool openTerminal(struct simPort *port, GError **error)
{
	int on = 1;
	int host;

	port->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (port->fd < 0 || grantpt(port->fd) || unlockpt(port->fd) ||
	    ioctl(port->fd, TIOCPKT, &on) ||
	    fcntl(port->fd, F_SETFL, O_NONBLOCK))
		return failed(error, "cannot make a terminal");
	/* Only a terminal that was open once tells that it is not now. */
	host = open(ptsname(port->fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (host < 0 || !setRaw(host))
		return failed(error, ptsname(port->fd));
	close(host);
	port->hungUp = true;
	if (port->link && !makeLink(port, ptsname(port->fd), error))
		return false;
	port->name = g_strdup(port->link ? port->link : ptsname(port->fd));
	return true;
}

static bool openTcp(struct simPort *port, GError **error)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	int on = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	address.sin_port = htons((uint16_t)port->tcp);
	port->listener =
		socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (port->listener < 0 ||
	    setsockopt(port->listener, SOL_SOCKET, SO_REUSEADDR, &on,
		       sizeof(on)) ||
	    bind(port->listener, (struct sockaddr *)&address, length) ||
	    getsockname(port->listener, (struct sockaddr *)&address, &length) ||
	    listen(port->listener, 1))
		return failed(error, "cannot listen");
	port->tcp = ntohs(address.sin_port);
	port->name = g_strdup_printf("127.0.0.1:%d", port->tcp);
	return true;
}

bool simPortOpen(struct simPort *port, GError **error)
{
	port->fd = port->listener = -1;
	port->backAt = 0;
	port->full = port->flushed = false;
	g_clear_pointer(&port->name, g_free);
	if (port->tcp >= 0 ? openTcp(port, error) : openTerminal(port, error))
		return true;
	simPortClose(port);
	return false;
}

void simPortClose(struct simPort *port)
{
	simPortDiscard(port);
	if (port->link && port->fd >= 0 && port->tcp < 0)
		removeLink(port);
	if (port->fd >= 0)
		close(port->fd);
	if (port->listener >= 0)
		close(port->listener);
	port->fd = port->listener = -1;
	g_clear_pointer(&port->name, g_free);
}

bool simPortConnected(const struct simPort *port)
{
	return port->fd >= 0 && !(port->tcp < 0 && port->hungUp);
}

void simPortUnplug(struct simPort *port, int64_t backAt)
{
	simPortClose(port);
	port->backAt = backAt;
}

void simPortDiscard(struct simPort *port)
{
	struct outgoing *message;

	while ((message = g_queue_pop_head(&port->queue))) {
		g_string_free(message->bytes, true);
		g_free(message);
	}
	port->queued = 0;
	port->full = false;
}

bool simPortSend(struct simPort *port, GString *bytes, int64_t notBefore)
{
	struct outgoing *message;

	if (!bytes->len || !simPortConnected(port) ||
	    port->queued + bytes->len > QUEUE_BYTES) {
		g_string_free(bytes, true);
		return false;
	}
	message = g_new0(struct outgoing, 1);
	message->bytes = bytes;
	message->notBefore = notBefore;
	port->queued += bytes->len;
	g_queue_push_tail(&port->queue, message);
	return true;
}

static double byteNs(const struct simPort *port)
{
	return 10e9 / port->baud; /* 8N1 */
}

/* How much of a message the line has carried by now. */
static gsize due(struct simPort *port, const struct outgoing *message,
		 int64_t now)
{
	gsize rest = message->bytes->len - message->sent;
	double bytes;

	if (message->notBefore > now)
		return 0;
	if (port->baud <= 0)
		return rest;
	port->lineFree = MAX(port->lineFree, message->notBefore);
	bytes = (double)(now - port->lineFree) / byteNs(port);
	return bytes < (double)rest ? (gsize)MAX(bytes, 0) : rest;
}

void simPortWrite(struct simPort *port, int64_t now)
{
	struct outgoing *message;

	port->full = false;
	while ((message = g_queue_peek_head(&port->queue))) {
		const char *bytes = message->bytes->str + message->sent;
		gsize count = due(port, message, now);
		ssize_t sent;

		if (!count)
			return;
		if (port->tcp >= 0)
			sent = send(port->fd, bytes, count, MSG_NOSIGNAL);
		else
			sent = write(port->fd, bytes, count);
		if (sent < 0) {
			/* Anything but a full buffer shows when reading. */
			port->full = true;
			port->lineFree = now;
			return;
		}
		simRecordBytes(port->record, '<', bytes, (size_t)sent);
		message->sent += (gsize)sent;
		port->queued -= (gsize)sent;
		if (port->baud > 0)
			port->lineFree +=
				(int64_t)((double)sent * byteNs(port));
		if (message->sent < message->bytes->len)
			continue;
		g_string_free(message->bytes, true);
		g_free(message);
		g_queue_pop_head(&port->queue);
	}
}

/* The host is gone: what it did not read must not wait for the next one. */
static enum simInput hangUp(struct simPort *port)
{
	int host;

	simPortDiscard(port);
	simRecordEvent(port->record, "closed by the host");
	if (port->tcp >= 0) {
		close(port->fd);
		port->fd = -1;
		return SIM_INPUT_CLOSED;
	}
	port->hungUp = true;
	host = open(ptsname(port->fd),
		    O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (host >= 0) {
		port->flushed = !tcflush(host, TCIFLUSH);
		close(host);
	}
	return SIM_INPUT_CLOSED;
}

/* In packet mode a byte precedes what is read: 0 and data, or what happened. */
static enum simInput readTerminal(struct simPort *port, char *buffer,
				  size_t size, size_t *length)
{
	char packet[4096];
	ssize_t count = read(port->fd, packet, MIN(size + 1, sizeof(packet)));

	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return SIM_INPUT_NOTHING;
	if (count <= 0)
		return hangUp(port);
	if (packet[0] & TIOCPKT_FLUSHREAD && port->flushed) {
		port->flushed = false;
	} else if (packet[0] & TIOCPKT_FLUSHREAD) {
		simRecordEvent(port->record, "input flushed by the host");
		if (port->breakWhen == SIM_BREAK_FLUSH)
			return SIM_INPUT_BREAK;
	}
	*length = packet[0] ? 0 : (size_t)count - 1;
	memcpy(buffer, packet + 1, *length);
	return SIM_INPUT_BYTES;
}

enum simInput simPortRead(struct simPort *port, void *buffer, size_t size,
			  size_t *length)
{
	enum simInput input = SIM_INPUT_BYTES;
	ssize_t count;

	*length = 0;
	if (!simPortConnected(port))
		return SIM_INPUT_NOTHING;
	if (port->tcp < 0) {
		input = readTerminal(port, buffer, size, length);
	} else {
		count = recv(port->fd, buffer, size, 0);
		if (count > 0)
			*length = (size_t)count;
		else if (count < 0 && (errno == EAGAIN || errno == EINTR))
			return SIM_INPUT_NOTHING;
		else
			return hangUp(port);
	}
	if (input == SIM_INPUT_BYTES)
		simRecordBytes(port->record, '>', buffer, *length);
	return input;
}

nfds_t simPortPoll(const struct simPort *port, bool reading,
		   struct pollfd *entries)
{
	nfds_t count = 0;

	if (port->listener >= 0 && port->fd < 0)
		entries[count++] = (struct pollfd){ .fd = port->listener,
						    .events = POLLIN };
	if (simPortConnected(port) && (reading || port->full)) {
		entries[count] = (struct pollfd){ .fd = port->fd };
		if (reading)
			entries[count].events |= POLLIN;
		if (port->full)
			entries[count].events |= POLLOUT;
		count++;
	}
	return count;
}

int64_t simPortNext(const struct simPort *port, int64_t now)
{
	const struct outgoing *message =
		g_queue_peek_head((GQueue *)(uintptr_t)&port->queue);
	int64_t next = NO_TIME;

	if (port->backAt)
		return port->backAt;
	if (port->tcp < 0 && port->fd >= 0 && port->hungUp)
		return now + LOOK_NS;
	if (message && !port->full) {
		gsize rest = message->bytes->len - message->sent;

		next = message->notBefore;
		if (port->baud > 0)
			next = MAX(next, port->lineFree) +
			       (int64_t)((double)MIN(rest, CHUNK) *
					 byteNs(port));
	}
	return next;
}

bool simPortService(struct simPort *port, int64_t now, GError **error)
{
	int on = 1;

	if (port->backAt && port->backAt <= now) {
		simRecordEvent(port->record, "plugged in");
		return simPortOpen(port, error);
	}
	if (port->tcp >= 0 && port->listener >= 0 && port->fd < 0) {
		port->fd = accept4(port->listener, NULL, NULL,
				   SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (port->fd < 0)
			return true;
		setsockopt(port->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		simRecordEvent(port->record, "opened by the host");
	} else if (port->tcp < 0 && port->fd >= 0 && port->hungUp) {
		struct pollfd entry = { .fd = port->fd };
		int left = 0;

		/* Who wrote and was gone at once left something. */
		if (poll(&entry, 1, 0) > 0 && entry.revents & POLLHUP &&
		    (ioctl(port->fd, FIONREAD, &left) || !left))
			return true;
		port->hungUp = false;
		simRecordEvent(port->record, "opened by the host");
	}
	return true;
}
