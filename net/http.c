/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics over HTTP by libmicrohttpd; see http.h. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <microhttpd.h>

#include "net/http.h"
#include "net/logger.h"

/* Connections at once, and seconds that one may say nothing. */
#define CONNECTIONS_MAX 16
#define TIMEOUT_S 10
#define NS_PER_MS INT64_C(1000000)

const bool hdHasHttp = true;

struct hdHttp {
	struct hdPoll poll; /* First: it is what the loop knows. */
	hdHttpText *text;
	void *context;
	struct MHD_Daemon *daemon;
	bool isReady;
};

static void httpReady(struct hdPoll *poll, uint32_t events)
{
	(void)events;
	((struct hdHttp *)(void *)poll)->isReady = true;
}

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
	char *text = http->text(http->context, isOpen, &length);

	if (!text)
		return httpSay(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
			       "out of memory\n");
	return httpSend(connection, MHD_HTTP_OK, text, length,
			MHD_RESPMEM_MUST_FREE,
			isOpen ? "application/openmetrics-text; version=1.0.0; "
				 "charset=utf-8"
			       : "text/plain; version=0.0.4; charset=utf-8");
}

static enum MHD_Result httpAnswer(void *data, struct MHD_Connection *connection,
				  const char *url, const char *method,
				  const char *version, const char *upload,
				  size_t *uploadSize, void **state)
{
	struct hdHttp *http = data;

	(void)version;
	(void)upload;
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
	const struct sockaddr_in *in = (const struct sockaddr_in *)&storage;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&storage;
	bool isSix;
	char host[INET6_ADDRSTRLEN] = "?";

	getsockname(fd, (struct sockaddr *)&storage, &length);
	isSix = storage.ss_family == AF_INET6;
	inet_ntop(storage.ss_family,
		  isSix ? (const void *)&in6->sin6_addr
			: (const void *)&in->sin_addr,
		  host, sizeof(host));
	hdNetLog(HD_LOG_INFO, "metrics at http://%s%s%s:%u/metrics",
		 isSix ? "[" : "", host, isSix ? "]" : "",
		 ntohs(isSix ? in6->sin6_port : in->sin_port));
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
	    listen(fd, CONNECTIONS_MAX) == 0)
		return fd;
	ret = -errno;
	hdNetLog(HD_LOG_ERROR, "metrics=%s: %s", address->text, strerror(-ret));
	if (fd >= 0)
		close(fd);
	return ret;
}

int hdHttpCreate(struct hdLoop *loop, const struct hdAddress *address,
		 hdHttpText *text, void *context, struct hdHttp **result)
{
	struct hdHttp *http = calloc(1, sizeof(*http));
	const union MHD_DaemonInfo *info;
	int fd;

	if (!http)
		return -ENOMEM;
	fd = httpListen(address);
	if (fd < 0) {
		free(http);
		return fd;
	}
	http->poll.ready = httpReady;
	http->text = text;
	http->context = context;
	http->daemon = MHD_start_daemon(
		MHD_USE_EPOLL, 0, NULL, NULL, httpAnswer, http,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned int)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)TIMEOUT_S, MHD_OPTION_END);
	info = http->daemon ? MHD_get_daemon_info(http->daemon,
						  MHD_DAEMON_INFO_EPOLL_FD)
			    : NULL;
	if (!info ||
	    hdLoopAdd(loop, info->epoll_fd, EPOLLIN, &http->poll) < 0) {
		hdNetLog(HD_LOG_ERROR,
			 "metrics=%s: libmicrohttpd cannot "
			 "serve there",
			 address->text);
		if (!http->daemon)
			close(fd);
		hdHttpDestroy(http);
		return -EIO;
	}
	httpSayWhere(fd);
	*result = http;
	return 0;
}

void hdHttpDestroy(struct hdHttp *http)
{
	if (!http)
		return;
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	free(http);
}

int64_t hdHttpDue(struct hdHttp *http, int64_t nowNs, int64_t untilNs)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(http->daemon, &ms) != MHD_YES)
		return untilNs;
	nowNs += (int64_t)ms * NS_PER_MS;
	return nowNs < untilNs ? nowNs : untilNs;
}

void hdHttpRun(struct hdHttp *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (!http->isReady &&
	    (MHD_get_timeout(http->daemon, &ms) != MHD_YES || ms > 0))
		return;
	http->isReady = false;
	MHD_run(http->daemon);
}
