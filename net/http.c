/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics over HTTP by libmicrohttpd; see http.h. */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <microhttpd.h>

#include "common/clock.h"
#include "net/http.h"
#include "net/logger.h"
#include "net/host.h"

/* Connections at once; those that were given up may still be closing. */
#define CLIENTS_MAX 16
#define CLOSING_MAX 64
/* Connections that are accepted in one go. */
#define ACCEPT_MAX 16
#define NS_PER_MS INT64_C(1000000)

const bool hdHasHttp = true;

/* A connection that libmicrohttpd has. */
struct httpClient {
	int fd;
	int64_t sinceNs;
	bool isAsked; /* All of its header has come. */
	bool isOver;  /* It was given up. */
	struct httpClient *next;
};

struct hdHttp {
	struct hdPoll poll; /* First: it is what the loop knows. */
	struct hdPoll listening;
	int fd;
	struct hdHttpSetup setup;
	struct MHD_Daemon *daemon;
	struct httpClient *clients; /* The last one first. */
	size_t count;               /* Of those that were not given up. */
	bool isReady;
};

static void httpReady(struct hdPoll *poll, uint32_t events)
{
	(void)events;
	((struct hdHttp *)(void *)poll)->isReady = true;
}

/* ---- Clients ----------------------------------------------------------- */

/* Find where the list has a connection. */
static struct httpClient **httpFind(struct hdHttp *http,
				    struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct httpClient **link = &http->clients;

	while (*link && (!info || (*link)->fd != info->connect_fd))
		link = &(*link)->next;
	return link;
}

/* Give a connection up: libmicrohttpd closes one whose other side does. */
static void httpGiveUp(struct hdHttp *http, struct httpClient *client)
{
	client->isOver = true;
	http->count--;
	shutdown(client->fd, SHUT_RDWR);
	http->isReady = true;
}

/* Make room for one more: the oldest that has not asked yet gives way, or,
 * where all have and read too slowly, the oldest. */
static void httpShed(struct hdHttp *http)
{
	struct httpClient *oldest = NULL, *unasked = NULL;

	for (struct httpClient *c = http->clients; c; c = c->next) {
		if (c->isOver)
			continue;
		oldest = c;
		if (!c->isAsked)
			unasked = c;
	}
	if (oldest)
		httpGiveUp(http, unasked ? unasked : oldest);
}

/* When a connection is given up. */
static int64_t httpDeadline(const struct hdHttp *http,
			    const struct httpClient *client)
{
	return client->sinceNs + (client->isAsked ? http->setup.deadlineNs
						  : http->setup.headerNs);
}

/* Take over a connection that was accepted. */
static void httpAdd(struct hdHttp *http, int fd, const struct sockaddr *address,
		    socklen_t length)
{
	struct httpClient *client = calloc(1, sizeof(*client));

	if (!client) {
		close(fd);
		return;
	}
	if (http->count >= CLIENTS_MAX)
		httpShed(http);
	client->fd = fd;
	client->sinceNs = hdMonotonicNow();
	client->next = http->clients;
	http->clients = client;
	http->count++;
	http->isReady = true;
	if (MHD_add_connection(http->daemon, fd, address, length) == MHD_YES)
		return;
	/* It has closed the socket, and may have said so before. */
	if (http->clients == client) {
		http->clients = client->next;
		http->count--;
		free(client);
	}
}

static void httpAccept(struct hdPoll *poll, uint32_t events)
{
	struct hdHttp *http =
		(struct hdHttp *)(void *)((char *)poll -
					  offsetof(struct hdHttp, listening));

	(void)events;
	for (int i = 0; i < ACCEPT_MAX; i++) {
		struct sockaddr_storage storage = { 0 };
		socklen_t length = sizeof(storage);
		int fd = accept4(http->fd, (struct sockaddr *)&storage, &length,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			httpAdd(http, fd, (struct sockaddr *)&storage, length);
			continue;
		}
		/* Without descriptors: somebody has one. */
		if (errno == EMFILE || errno == ENFILE)
			httpShed(http);
		return;
	}
}

/* A connection is there, or was closed. */
static void httpChanged(void *data, struct MHD_Connection *connection,
			void **context,
			enum MHD_ConnectionNotificationCode code)
{
	struct hdHttp *http = data;
	struct httpClient **link, *client;

	(void)context;
	if (code != MHD_CONNECTION_NOTIFY_CLOSED)
		return;
	link = httpFind(http, connection);
	client = *link;
	if (!client)
		return;
	*link = client->next;
	http->count -= !client->isOver;
	free(client);
}

/* ---- Answers ----------------------------------------------------------- */

static enum MHD_Result httpSend(struct MHD_Connection *connection,
				unsigned int status, char *text, size_t length,
				enum MHD_ResponseMemoryMode mode,
				const char *type)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(length, text, mode);
	enum MHD_Result ret;

	if (!response) {
		if (mode == MHD_RESPMEM_MUST_FREE)
			free(text);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	/* Who is served makes room for others. */
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW,
					"GET, HEAD");
	ret = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return ret;
}

static enum MHD_Result httpSay(struct MHD_Connection *connection,
			       unsigned int status, const char *text)
{
	return httpSend(connection, status, (char *)(uintptr_t)text,
			strlen(text), MHD_RESPMEM_PERSISTENT,
			"text/plain; charset=utf-8");
}

static enum MHD_Result httpMetrics(struct hdHttp *http,
				   struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	bool isOpen = accept && strstr(accept, "application/openmetrics-text");
	size_t length;
	char *text = http->setup.text(http->setup.context, isOpen, &length);

	if (!text)
		return httpSay(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			       "out of memory\n");
	return httpSend(connection, MHD_HTTP_OK, text, length,
			MHD_RESPMEM_MUST_FREE,
			isOpen ? "application/openmetrics-text; version=1.0.0; "
				 "charset=utf-8"
			       : "text/plain; version=0.0.4; charset=utf-8");
}

/* Whether a page of elsewhere lets a browser of this host ask. */
static bool httpIsForeign(struct MHD_Connection *connection)
{
	const char *host = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	char own[256] = "";

	gethostname(own, sizeof(own) - 1);
	return !hdHostIsOurs(host, own);
}

static enum MHD_Result httpAnswer(void *data, struct MHD_Connection *connection,
				  const char *url, const char *method,
				  const char *version, const char *upload,
				  size_t *uploadSize, void **state)
{
	struct hdHttp *http = data;
	struct httpClient *client = *httpFind(http, connection);

	(void)version;
	(void)upload;
	if (client)
		client->isAsked = true;
	/* Whatever somebody sends is not kept. */
	if (*uploadSize > 0) {
		*uploadSize = 0;
		return MHD_YES;
	}
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return httpSay(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
			       "GET /metrics\n");
	if (httpIsForeign(connection))
		return httpSay(connection, MHD_HTTP_FORBIDDEN,
			       "the Host header is not a name of this host\n");
	if (strcmp(url, "/metrics") == 0)
		return httpMetrics(http, connection);
	return httpSay(connection, MHD_HTTP_NOT_FOUND,
		       "the metrics are at /metrics\n");
}

/* Say where, as listen.c does. */
static void httpSayWhere(int fd)
{
	struct sockaddr_storage storage = { 0 };
	socklen_t length = sizeof(storage);
	char text[128];

	getsockname(fd, (struct sockaddr *)&storage, &length);
	hdAddressText((const struct sockaddr *)&storage, text, sizeof(text));
	hdNetLog(HD_LOG_INFO, "metrics at http://%s/metrics", text);
}

/* Open the socket ourselves: libmicrohttpd does not tell why it cannot. */
static int httpListen(const struct hdAddress *address)
{
	int one = 1, ret;
	int fd = socket(address->storage.ss_family,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    bind(fd, (const struct sockaddr *)&address->storage,
		 address->length) == 0 &&
	    listen(fd, SOMAXCONN) == 0)
		return fd;
	ret = -errno;
	hdNetLog(HD_LOG_ERROR, "metrics=%s: %s", address->text, strerror(-ret));
	if (fd >= 0)
		close(fd);
	return ret;
}

int hdHttpCreate(struct hdLoop *loop, const struct hdAddress *address,
		 const struct hdHttpSetup *setup, struct hdHttp **result)
{
	struct hdHttp *http = calloc(1, sizeof(*http));
	const union MHD_DaemonInfo *info;

	if (!http)
		return -ENOMEM;
	http->poll.ready = httpReady;
	http->listening.ready = httpAccept;
	http->setup = *setup;
	http->fd = address ? httpListen(address) : -1;
	if (address && http->fd < 0) {
		int ret = http->fd;

		free(http);
		return ret;
	}
	/* Connections are accepted here: libmicrohttpd serves those that came
	 * first, however long they take. */
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL,
		httpAnswer, http, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)CLOSING_MAX, MHD_OPTION_NOTIFY_CONNECTION,
		httpChanged, http, MHD_OPTION_END);
	info = http->daemon ? MHD_get_daemon_info(http->daemon,
						  MHD_DAEMON_INFO_EPOLL_FD)
			    : NULL;
	if (!info ||
	    hdLoopAdd(loop, info->epoll_fd, EPOLLIN, &http->poll) < 0 ||
	    (address &&
	     hdLoopAdd(loop, http->fd, EPOLLIN, &http->listening) < 0)) {
		hdNetLog(HD_LOG_ERROR, "metrics=%s: libmicrohttpd cannot serve",
			 address ? address->text : "");
		hdHttpDestroy(http);
		return -EIO;
	}
	if (address)
		httpSayWhere(http->fd);
	*result = http;
	return 0;
}

void hdHttpDestroy(struct hdHttp *http)
{
	if (!http)
		return;
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	if (http->fd >= 0)
		close(http->fd);
	free(http);
}

void hdHttpTake(struct hdHttp *http, int fd, const struct sockaddr *address,
		socklen_t length)
{
	httpAdd(http, fd, address, length);
}

int64_t hdHttpDue(struct hdHttp *http, int64_t nowNs, int64_t untilNs)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (http->isReady)
		return nowNs;
	for (const struct httpClient *c = http->clients; c; c = c->next)
		if (!c->isOver && httpDeadline(http, c) < untilNs)
			untilNs = httpDeadline(http, c);
	if (MHD_get_timeout(http->daemon, &ms) != MHD_YES)
		return untilNs;
	nowNs += (int64_t)ms * NS_PER_MS;
	return nowNs < untilNs ? nowNs : untilNs;
}

void hdHttpRun(struct hdHttp *http)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int64_t now = hdMonotonicNow();

	for (struct httpClient *c = http->clients; c; c = c->next)
		if (!c->isOver && httpDeadline(http, c) <= now)
			httpGiveUp(http, c);
	if (!http->isReady &&
	    (MHD_get_timeout(http->daemon, &ms) != MHD_YES || ms > 0))
		return;
	http->isReady = false;
	MHD_run(http->daemon);
}
