/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The server of a node; see server.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "NodeStatus/daemon/parts.h"
#include "common/clock.h"
#include "net/logger.h"

#define NS_PER_MS INT64_C(1000000)
/* How often those are looked at that take too long. */
#define SWEEP_NS (250 * NS_PER_MS)
/* Of the places, for a user and for an address of another host. */
#define SHARE_PERCENT 50
/* Connections that have not said who they are. */
#define PENDING_MAX 512
/* Descriptors that are no clients. */
#define OTHER_FILES 700

static void serverWoken(struct hdLoop *loop)
{
	loop->isOver = true;
}

/* ---- Who connects ------------------------------------------------------ */

static bool serverHasRoom(void *context, const struct sockaddr *address)
{
	(void)context;
	(void)address;
	return true;
}

static void serverShed(void *context)
{
	struct hdNodeServer *server = context;

	hdPlacesShed(&server->places);
}

static void serverAccepted(void *context, int fd,
			   const struct sockaddr *address)
{
	nodeAcceptedOpen(context, fd, address);
}

static int serverListen(struct hdNodeServer *server)
{
	static const struct hdListenCalls calls = {
		.hasRoom = serverHasRoom,
		.shed = serverShed,
		.accepted = serverAccepted,
	};
	const struct hdListenSetup setup = {
		.loop = &server->loop,
		.addresses = server->setup.addresses,
		.count = server->setup.count,
		.socketMode = 0666,
		.calls = &calls,
		.context = server,
	};

	return hdListen(&server->listeners, &setup);
}

/* Each client is an open file. */
static void serverFiles(const struct hdNodeServer *server)
{
	unsigned long wanted = server->setup.clients + OTHER_FILES;
	unsigned long files = hdLoopFiles(wanted);

	if (files < wanted)
		hdNetLog(HD_LOG_WARNING,
			 "limit of %lu open files is too low for %u clients",
			 files, server->setup.clients);
}

/* ---- Begin and end ----------------------------------------------------- */

static int serverSecrets(const struct hdNodeServerSetup *setup,
			 struct hdTokens **tokens, struct hdTls **tls)
{
	return hdAuthenticationRead(setup->tokens, setup->certificate,
				    setup->key, tokens, tls);
}

int hdNodeServerReload(struct hdNodeServer *server)
{
	struct hdTokens *tokens;
	struct hdTls *tls;
	struct nodeClient *next;
	int ret = serverSecrets(&server->setup, &tokens, &tls);

	if (ret < 0)
		return ret;
	hdTokensDestroy(server->tokens);
	hdTlsDestroy(server->tls);
	server->tokens = tokens;
	server->tls = tls;
	for (struct nodeClient *c = server->clients; c; c = next) {
		next = c->next;
		nodeClientCheck(c);
	}
	return 0;
}

/* Who we are: what does not change while we live. */
static void serverSelf(struct hdNodeServer *server)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t got =
		fd < 0 ? 0 : read(fd, server->boot, sizeof(server->boot) - 1);

	if (fd >= 0)
		close(fd);
	server->boot[got > 0 ? got : 0] = '\0';
	server->boot[strcspn(server->boot, "\n")] = '\0';
	gethostname(server->host, sizeof(server->host) - 1);
	server->startedWall = hdWallNow();
}

static int serverOpen(struct hdNodeServer *server)
{
	const struct hdHttpSetup http = {
		.text = nodeServerMetrics,
		.context = server,
		.headerNs = server->setup.timeoutNs,
		.deadlineNs = 3 * server->setup.timeoutNs,
	};
	int ret = hdLoopOpen(&server->loop, serverWoken);

	if (ret < 0)
		return ret;
	nodeClientSetup(server);
	serverSelf(server);
	serverFiles(server);
	ret = serverSecrets(&server->setup, &server->tokens, &server->tls);
	if (ret == 0 && hdHasHttp)
		ret = hdHttpCreate(&server->loop, NULL, &http, &server->http);
	if (ret == 0)
		ret = nodeLaterOpen(server);
	if (ret == 0)
		ret = serverListen(server);
	if (ret == 0)
		hdListenSay(server->listeners);
	return ret;
}

int hdNodeServerCreate(const struct hdNodeServerSetup *setup,
		       struct hdNodeServer **result)
{
	struct hdNodeServer *server = calloc(1, sizeof(*server));
	int ret;

	if (!server)
		return -ENOMEM;
	server->loop = (struct hdLoop){ .fd = -1, .wakeFd = -1 };
	server->setup = *setup;
	if (server->setup.clients == 0)
		server->setup.clients = 64;
	if (server->setup.timeoutNs == 0)
		server->setup.timeoutNs = 10 * HD_NS_PER_S;
	if (server->setup.idleNs == 0)
		server->setup.idleNs = 600 * HD_NS_PER_S;
	server->places = (struct hdPlaces){
		.limits = { server->setup.clients, SHARE_PERCENT,
			    SHARE_PERCENT },
		.pendingMax = PENDING_MAX,
		.patienceNs = server->setup.timeoutNs,
	};
	ret = serverOpen(server);
	if (ret < 0)
		hdNodeServerDestroy(server);
	else
		*result = server;
	return ret;
}

static void serverBury(struct hdNodeServer *server)
{
	while (server->dead) {
		struct nodeClient *client = server->dead;

		server->dead = client->next;
		nodeClientFree(client);
	}
	nodeAcceptedBury(server);
}

void hdNodeServerDestroy(struct hdNodeServer *server)
{
	if (!server)
		return;
	hdListenEnd(&server->listeners);
	nodeLaterClose(server);
	nodeAcceptedEnd(server);
	while (server->clients)
		nodeClientEnd(server->clients, HD_FRAME_EEND,
			      "server is shutting down");
	serverBury(server);
	hdHttpDestroy(server->http);
	hdTokensDestroy(server->tokens);
	hdTlsDestroy(server->tls);
	hdLoopClose(&server->loop);
	free(server);
}

/* ---- The loop ---------------------------------------------------------- */

static void serverSweep(struct hdNodeServer *server, int64_t now)
{
	struct nodeClient *next;

	if (now < server->sweepNs)
		return;
	server->sweepNs = now + SWEEP_NS;
	nodeAcceptedSweep(server, now);
	for (struct nodeClient *c = server->clients; c; c = next) {
		next = c->next;
		nodeClientSweep(c, now);
	}
}

/* Whether somebody may be late: a client that is silent may be so for long. */
static bool serverIsWatching(const struct hdNodeServer *server, int64_t now,
			     int64_t *until)
{
	int64_t idle = INT64_MAX;

	if (server->places.pending > 0)
		return true;
	for (const struct nodeClient *c = server->clients; c; c = c->next) {
		const struct hdConnection *connection = &c->connection;

		if (hdSessionOwes(&c->session) || connection->progressNs ||
		    connection->messageNs)
			return true;
		if (connection->activeNs + server->setup.idleNs < idle)
			idle = connection->activeNs + server->setup.idleNs;
	}
	*until = idle == INT64_MAX ? idle : idle + SWEEP_NS;
	return *until <= now;
}

/* Milliseconds until something is to be done. */
static int serverTimeout(struct hdNodeServer *server, int64_t now)
{
	int64_t until = INT64_MAX;

	if (serverIsWatching(server, now, &until))
		until = server->sweepNs > now ? server->sweepNs : now;
	if (server->http)
		until = hdHttpDue(server->http, now, until);
	return hdLoopTimeout(now, until);
}

struct hdLoop *hdNodeServerLoop(struct hdNodeServer *server)
{
	return &server->loop;
}

void hdNodeServerRun(struct hdNodeServer *server)
{
	while (!server->loop.isOver) {
		hdLoopStep(&server->loop,
			   serverTimeout(server, hdMonotonicNow()));
		serverSweep(server, hdMonotonicNow());
		if (server->http)
			hdHttpRun(server->http);
		hdPlacesRun(&server->places);
		serverBury(server);
	}
}

void hdNodeServerStop(struct hdNodeServer *server)
{
	server->loop.isOver = true;
}

void hdNodeServerWake(struct hdNodeServer *server)
{
	eventfd_write(server->loop.wakeFd, 1);
}

/* ---- Metrics ----------------------------------------------------------- */

static void serverSample(const struct hdMetricText *text, const char *name,
			 bool isCounter, const char *help, double value)
{
	hdMetricFamily(text, name, isCounter, NULL, help);
	hdMetricName(text, name, isCounter);
	hdMetricNumber(text, value);
}

static void serverMetrics(const struct hdNodeServer *server,
			  const struct hdMetricText *text)
{
	hdMetricFamily(text, "hdtrace_node_info", false, NULL,
		       "Name, boot ID and version of this node.");
	hdMetricName(text, "hdtrace_node_info", false);
	hdMetricLabel(text, '{', "node",
		      server->setup.name ? server->setup.name : server->host);
	hdMetricLabel(text, ',', "boot", server->boot);
	hdMetricLabel(text, ',', "version", PACKAGE_VERSION);
	fputs("} 1\n", text->file);
	serverSample(text, "hdtrace_hdnode_clients", false,
		     "Connected clients of hdnode.",
		     (double)server->places.admitted);
	serverSample(text, "hdtrace_hdnode_connections", true,
		     "Accepted connections to hdnode.",
		     (double)server->accepted);
	serverSample(text, "hdtrace_hdnode_requests", true,
		     "Requests to hdnode.", (double)server->requests);
	serverSample(text, "hdtrace_hdnode_refusals", true,
		     "Connections and requests that hdnode has refused.",
		     (double)server->refused);
}

char *nodeServerMetrics(void *context, bool isOpenMetrics, size_t *length)
{
	const struct hdNodeServer *server = context;
	const struct hdNodeSource *source = &server->setup.source;
	char *bytes = NULL;
	struct hdMetricText text = { open_memstream(&bytes, length),
				     isOpenMetrics };
	bool isBad;

	if (!text.file)
		return NULL;
	if (source->metrics)
		source->metrics(source->context, &text);
	serverMetrics(server, &text);
	hdMetricEnd(&text);
	isBad = ferror(text.file);
	if (fclose(text.file) != 0 || isBad) {
		free(bytes);
		return NULL;
	}
	return bytes;
}
