/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections to servers: whole messages, and no waiting for ever. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "PowerTracingLibrary/pm/src/pm.h"
#include "common/clock.h"
#include "common/environment.h"
#include "common/net.h"

/* How long to wait for a server: PM_TIMEOUT, in seconds. */
#define TIMEOUT_USUAL 10
#define TIMEOUT_MAX 86400
/* Memory for what is being received grows from this on. */
#define CHUNK 65536

int64_t pmDeadline(void)
{
	const char *text = hdEnvironment("PM_TIMEOUT");
	char *end;
	double seconds = TIMEOUT_USUAL;

	if (text && *text) {
		long whole = strtol(text, &end, 10);

		/* No strtod(): that depends on the locale. */
		if (*end == '\0' && whole >= 1 && whole <= TIMEOUT_MAX)
			seconds = (double)whole;
	}
	return hdMonotonicNow() + (int64_t)(seconds * (double)HD_NS_PER_S);
}

/* ---- Connecting -------------------------------------------------------- */

/* Print a server as programs name it: HOST:PORT. */
static void serverName(const server_t *server, char *text, size_t size)
{
	const char *host = server->server_ip;

	snprintf(text, size, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host,
		 server->port);
}

/* Find a server in PM_SERVERS: "OLD=NEW,OLD=NEW"; false if it is not there. */
static bool serverMoved(const server_t *server, char *place, size_t size)
{
	char name[PM_HOST_MAX + 16];
	const char *at = hdEnvironment("PM_SERVERS");

	serverName(server, name, sizeof(name));
	while (at && *at) {
		size_t length = strcspn(at, ","), old = strcspn(at, "=,");

		if (old < length && old == strlen(name) &&
		    strncmp(at, name, old) == 0 && length - old - 1 < size) {
			memcpy(place, at + old + 1, length - old - 1);
			place[length - old - 1] = '\0';
			return true;
		}
		at += length + (at[length] == ',');
	}
	return false;
}

static int pmLinkConnectTo(const char *place, int64_t deadlineNs, int *fd)
{
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];
	const char *why;
	int ret;

	if (*place == '/') {
		ret = hdNetConnectPath(place, -1, deadlineNs, fd);
		why = strerror(-ret);
	} else if (hdNetSplit(place, 0, host, port) < 0) {
		ret = -EINVAL;
		why = "invalid address; expected HOST:PORT";
	} else {
		ret = hdNetConnect(host, port, -1, deadlineNs, fd, &why);
	}
	if (ret < 0)
		pmLog(HD_LOG_ERROR, "%s: " HD_NET_TEXT_CONNECT ": %s", place,
		      why);
	return ret;
}

int pmConnect(const server_t *server, int *fd)
{
	char place[PM_HOST_MAX + 16];

	/* It may have been filled in by hand. */
	if (!memchr(server->server_ip, '\0', sizeof(server->server_ip))) {
		pmLog(HD_LOG_ERROR,
		      "the name of the server has no terminating zero");
		return -EINVAL;
	}
	if (!serverMoved(server, place, sizeof(place))) {
		if (*server->server_ip == '/')
			strcpy(place, server->server_ip);
		else
			serverName(server, place, sizeof(place));
	}
	return pmLinkConnectTo(place, pmDeadline(), fd);
}

/* ---- Sending and receiving --------------------------------------------- */

static int linkFailed(int error)
{
	pmLog(HD_LOG_ERROR, "%s",
	      error == -ETIMEDOUT ? HD_NET_TEXT_TIMEOUT : strerror(-error));
	return error;
}

int pmSend(int fd, const void *bytes, size_t size)
{
	int64_t deadline = pmDeadline();
	const char *at = bytes;

	while (size > 0) {
		ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
		int ret;

		if (sent >= 0) {
			at += sent;
			size -= (size_t)sent;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return linkFailed(-errno);
		ret = hdNetWait(fd, POLLOUT, -1, deadline);
		if (ret < 0)
			return linkFailed(ret);
	}
	return 0;
}

/* Receive some bytes; 0 is the end. */
static ssize_t receiveSome(int fd, void *bytes, size_t size, int64_t deadlineNs)
{
	for (;;) {
		ssize_t got = recv(fd, bytes, size, 0);
		int ret;

		if (got >= 0)
			return got;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		ret = hdNetWait(fd, POLLIN, -1, deadlineNs);
		if (ret < 0)
			return ret;
	}
}

int pmReceive(int fd, void *bytes, size_t size, int64_t deadlineNs)
{
	char *at = bytes;

	while (size > 0) {
		ssize_t got = receiveSome(fd, at, size, deadlineNs);

		if (got <= 0)
			return linkFailed(got == 0 ? -ECONNRESET : (int)got);
		at += got;
		size -= (size_t)got;
	}
	return 0;
}

bool pmIsComing(int fd, int ms)
{
	return hdNetWait(fd, POLLIN, -1,
			 hdMonotonicNow() + ms * (HD_NS_PER_S / 1000)) > 0;
}

int pmReceiveInt(int fd, const struct hdField *field, const char *culprit,
		 int32_t *number)
{
	unsigned char bytes[4];
	int ret = pmReceive(fd, bytes, sizeof(bytes), pmDeadline());

	return ret < 0 ? ret : pmGetInt(field, culprit, bytes, number);
}

/* Double the memory, up to a size. */
static int grow(unsigned char **bytes, size_t *room, size_t max)
{
	size_t more = *room < CHUNK / 2 ? CHUNK : 2 * *room;
	unsigned char *larger;

	if (more > max)
		more = max;
	larger = realloc(*bytes, more);
	if (!larger)
		return -ENOMEM;
	*bytes = larger;
	*room = more;
	return 0;
}

int pmReceiveMore(int fd, unsigned char **bytes, size_t used, size_t size)
{
	size_t room = used;
	int ret = 0;

	while (ret == 0 && (used < size || !*bytes)) {
		ret = grow(bytes, &room, size > 0 ? size : 1);
		if (ret == 0 && used < size)
			ret = pmReceive(fd, *bytes + used, room - used,
					pmDeadline());
		used = room;
	}
	if (ret < 0) {
		free(*bytes);
		*bytes = NULL;
	}
	return ret;
}

int pmReceiveAll(int fd, size_t max, unsigned char **result, size_t *size,
		 bool *hasEnded)
{
	int64_t deadline = pmDeadline();
	unsigned char *bytes = NULL;
	size_t used = 0, room = 0;
	ssize_t got = 1;
	int ret = 0;

	while (ret == 0 && got > 0) {
		if (used == room)
			ret = used < max ? grow(&bytes, &room, max) : -EMSGSIZE;
		if (ret < 0)
			break;
		got = receiveSome(fd, bytes + used, room - used, deadline);
		if (got > 0)
			used += (size_t)got;
		else if (got != -ETIMEDOUT || used == 0)
			ret = got < 0 ? linkFailed((int)got) : 0;
	}
	if (ret < 0) {
		free(bytes);
		return ret;
	}
	*result = bytes;
	*size = used;
	*hasEnded = got == 0;
	return 0;
}

/* ---- Requests ---------------------------------------------------------- */

static void putInt(unsigned char *bytes, int32_t number)
{
	uint32_t bits = (uint32_t)number;

	for (int i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(bits >> 8 * i);
}

int pmSendInt(int fd, int32_t number)
{
	unsigned char bytes[4];

	putInt(bytes, number);
	return pmSend(fd, bytes, sizeof(bytes));
}

int pmRequestBegin(struct pmRequest *request, enum pmOperation operation,
		   size_t size)
{
	request->used = 0;
	request->bytes = malloc(4 + size);
	if (!request->bytes)
		return -ENOMEM;
	pmRequestInt(request, (int32_t)operation);
	return 0;
}

void pmRequestInt(struct pmRequest *request, int32_t number)
{
	putInt(request->bytes + request->used, number);
	request->used += 4;
}

void pmRequestBytes(struct pmRequest *request, const void *bytes, size_t size)
{
	pmRequestInt(request, (int32_t)size);
	if (size > 0)
		memcpy(request->bytes + request->used, bytes, size);
	request->used += size;
}

int pmRequestSend(struct pmRequest *request, int fd)
{
	int ret = pmSend(fd, request->bytes, request->used);

	free(request->bytes);
	request->bytes = NULL;
	return ret;
}
