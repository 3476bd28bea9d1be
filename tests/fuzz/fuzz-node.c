/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what clients say to the daemon of a node, and, with bit 0 of the
 * first byte, what a node says to who asks. Whatever it is, nothing may be left
 * of it, and all that is answered are whole frames.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "NodeStatus/collect/collector.h"
#include "NodeStatus/daemon/parts.h"
#include "net/logger.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/outcome.h"

/* Steps of a loop after which nothing more happens. */
#define STEPS 64

/* ---- What clients say ---------------------------------------------------- */

static json_t *fuzzSection(void *context, unsigned int section)
{
	(void)context;
	return section == HD_NODE_WIRE_ALARMS ? json_array() : json_object();
}

static void fuzzProbes(void *context, bool isReset,
		       void (*done)(void *context, json_t *probes),
		       void *doneContext)
{
	(void)context;
	done(doneContext, isReset ? json_array() : json_object());
}

static int fuzzConfigure(void *context, const char *text, size_t length,
			 char **error)
{
	(void)context;
	if (length > 0 && text[0] == '#')
		return 0;
	*error = strdup("1: this is no configuration");
	return -EINVAL;
}

static struct hdNodeServer *serverBegin(void)
{
	static const struct hdNodeServerSetup setup = {
		.source = { .section = fuzzSection,
			    .askProbes = fuzzProbes,
			    .configure = fuzzConfigure },
	};
	static struct hdNodeServer *server;

	if (!server)
		must(hdNodeServerCreate(&setup, &server) == 0);
	return server;
}

/* All of it are frames, behind a greeting. */
static void checkAnswers(const unsigned char *bytes, size_t size)
{
	struct hdFrameGreeting greeting;

	if (size == 0)
		return;
	must(size >= HD_FRAME_GREETING_SIZE);
	must(hdFrameDecodeGreeting(HD_NODE_WIRE_MAGIC, bytes, &greeting,
				   NULL) == 0);
	for (size_t at = HD_FRAME_GREETING_SIZE; at < size;) {
		union {
			struct hdFramePong pong;
			struct hdFrameFailure failure;
			struct hdFrameAuthenticated authenticated;
			struct hdNodeWireState state;
			struct hdNodeWireConfigured configured;
		} message;
		struct hdFrameHeader header;

		must(size - at >= HD_FRAME_HEADER_SIZE);
		hdFrameDecodeHeader(bytes + at, &header);
		at += HD_FRAME_HEADER_SIZE;
		must(header.type > HD_FRAME_AUTHENTICATED - 1);
		must(header.length <= size - at);
		must(hdNodeWireDecode(header.type, bytes + at, header.length,
				      &message, NULL) == 0);
		at += header.length;
	}
}

static void fuzzServer(const uint8_t *data, size_t size)
{
	static const struct sockaddr here = { .sa_family = AF_UNIX };
	static unsigned char answers[1 << 20];
	struct hdNodeServer *server = serverBegin();
	size_t got = 0;
	ssize_t more;
	int fds[2];

	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
			fds) == 0);
	if (size > 16384)
		size = 16384;
	must(send(fds[1], data, size, MSG_NOSIGNAL) == (ssize_t)size);
	shutdown(fds[1], SHUT_WR);
	nodeAcceptedOpen(server, fds[0], &here);
	for (int i = 0; i < STEPS && server->places.newest; i++) {
		hdLoopStep(&server->loop, 0);
		more = recv(fds[1], answers + got, sizeof(answers) - got, 0);
		got += more > 0 ? (size_t)more : 0;
		/* Who is refused for a wrong token waits for a second. */
		for (struct nodeClient *c = server->clients; c; c = c->next)
			c->session.deniedNs = 1;
		if (server->clients)
			nodeClientSweep(server->clients, 1);
	}
	while ((more = recv(fds[1], answers + got, sizeof(answers) - got, 0)) >
	       0)
		got += (size_t)more;
	/* HTTP, which begins with a capital letter, is of libmicrohttpd. */
	if (size > 0 && !(data[0] >= 'A' && data[0] <= 'Z'))
		checkAnswers(answers, got);
	close(fds[1]);
	while (server->clients)
		nodeClientEnd(server->clients, HD_FRAME_EEND, "over");
	while (server->dead) {
		struct nodeClient *client = server->dead;

		server->dead = client->next;
		nodeClientFree(client);
	}
	while (hdPlacesShed(&server->places))
		continue;
	nodeAcceptedBury(server);
	for (int i = 0; server->http && i < STEPS; i++) {
		hdLoopStep(&server->loop, 0);
		hdHttpRun(server->http);
	}
	must(!server->places.newest && server->places.admitted == 0);
}

/* ---- What a node says ---------------------------------------------------- */

static char directory[] = "/tmp/hdtrace-fuzz.XXXXXX";
static struct sockaddr_un where = { .sun_family = AF_UNIX };

static void removeSocket(void)
{
	unlink(where.sun_path);
	rmdir(directory);
}

static int listenOnce(void)
{
	static int fd = -1;

	if (fd >= 0)
		return fd;
	must(mkdtemp(directory) != NULL);
	snprintf(where.sun_path, sizeof(where.sun_path), "%s/s", directory);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(bind(fd, (const struct sockaddr *)&where, sizeof(where)) == 0);
	must(listen(fd, 4) == 0);
	atexit(removeSocket);
	return fd;
}

static void fuzzCollector(const uint8_t *data, size_t size)
{
	const struct nodeQuery query = { .sections = HD_NODE_WIRE_ALL };
	int listener = listenOnce(), fd;
	hdNode_Collector *collector;
	struct nodeShared *shared;
	char address[128], *text;
	hdNode_Info info;

	if (size > 16384)
		size = 16384;
	snprintf(address, sizeof(address), "unix:%s", where.sun_path);
	must(hdNode_create(NULL, &collector) == 0);
	must(hdNode_add(collector, address) == 0);
	shared = &collector->shared;
	hdNodePeerAsk(collector->peers[0], &query);
	fd = accept(listener, NULL, NULL);
	must(fd >= 0);
	/* It may have been closed by then. */
	send(fd, data, size, MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	for (int i = 0; i < STEPS && shared->waiting > 0; i++) {
		hdLoopStep(&shared->loop, 0);
		hdNodePeersBury(shared);
	}
	hdNodePeerExpire(collector->peers[0]);
	must(shared->waiting == 0);
	must(hdNode_info(collector, 0, &info) == 0 && info.name);
	text = hdNode_json(collector, HD_NODE_WIRE_ALL, 1);
	must(text && strstr(text, "hdnode-collect"));
	free(text);
	close(fd);
	hdNode_destroy(collector);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	hdLogSetLevel(hdNetLogger, HD_LOG_NONE);
	if (data[0] & 1)
		fuzzCollector(data + 1, size - 1);
	else
		fuzzServer(data + 1, size - 1);
	return 0;
}
