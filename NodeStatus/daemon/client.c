/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who speaks our protocol: greeting, who it is, requests; see
 * NodeStatus/wire/wire.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "NodeStatus/daemon/parts.h"
#include "common/clock.h"
#include "net/logger.h"

/* What waits to be sent before another request is looked at. */
#define OUT_MAX ((size_t)1 << 16)
/* Longest frame that has no JSON. */
#define FRAME_MAX 1024
/* Fields of a STATE before its JSON. */
#define STATE_SIZE 20

/* ---- Answers ----------------------------------------------------------- */

static void clientSend(struct nodeClient *client, unsigned int type,
		       uint16_t tag, const void *message)
{
	unsigned char *room = hdConnectionRoom(&client->connection, FRAME_MAX);
	struct hdFieldFault fault;
	size_t size;

	if (!room)
		return;
	size = hdFrameEncode(hdNodeWireFieldsOf(type), type, tag, message, room,
			     FRAME_MAX, &fault);
	if (size == 0) {
		hdNetLog(HD_LOG_ERROR, "%s: cannot send frame %u: %s",
			 client->connection.peer, type, fault.text);
		client->connection.isBroken = true;
	}
	hdConnectionPut(&client->connection, size);
}

static void clientFail(struct nodeClient *client, uint16_t tag,
		       enum hdFrameError code, const char *text)
{
	struct hdFrameFailure failure = {
		.code = (uint16_t)code,
		.text = hdFieldTextOf(text),
	};

	client->server->refused++;
	hdNetLog(HD_LOG_INFO, "%s: %s", client->connection.peer, text);
	clientSend(client, HD_FRAME_ERROR, tag, &failure);
}

/* The same, and that is the end. */
static void nodeClientRefuse(struct nodeClient *client, uint16_t tag,
			     enum hdFrameError code, const char *text)
{
	clientFail(client, tag, code, text);
	client->connection.isOver = true;
}

/* ---- Who it is --------------------------------------------------------- */

static bool mustAuthenticate(const struct nodeClient *client)
{
	return !client->isLocal && !client->isProven;
}

/* Whether it may change the node. */
static bool mayChange(const struct nodeClient *client)
{
	return client->isProven || client->isOurs;
}

/* Count it as a client; see shares.c. */
static bool clientAdmit(struct nodeClient *client, uint16_t tag)
{
	struct hdNodeServer *server = client->server;
	const char *why;

	if (client->isAdmitted)
		return true;
	why = nodeShareAdmit(client);
	if (why) {
		nodeClientRefuse(client, tag, HD_FRAME_ELIMIT, why);
		return false;
	}
	server->clientCount++;
	server->unknownCount--;
	client->isAdmitted = true;
	return true;
}

static bool clientTakeHello(struct nodeClient *client)
{
	struct hdConnection *connection = &client->connection;
	struct hdFrameGreeting greeting = {
		.mustAuthenticate = mustAuthenticate(client),
		.flags = connection->tls ? HD_FRAME_ENCRYPTED : 0,
		.payloadMax = HD_NODE_WIRE_REQUEST_MAX,
		.wall = hdWallNow(),
		.mono = hdMonotonicNow(),
	};
	unsigned char bytes[HD_FRAME_GREETING_SIZE];
	struct hdFrameHello hello;

	if (connection->in.used < HD_FRAME_MAGIC_SIZE)
		return false;
	if (memcmp(connection->in.bytes, HD_NODE_WIRE_MAGIC,
		   HD_FRAME_MAGIC_SIZE) != 0) {
		hdNetLog(HD_LOG_INFO, "%s: unknown protocol", connection->peer);
		client->server->refused++;
		hdConnectionClose(connection);
		return false;
	}
	connection->isKnown = true;
	if (connection->in.used < HD_FRAME_HELLO_SIZE ||
	    hdFrameDecodeHello(HD_NODE_WIRE_MAGIC, connection->in.bytes, &hello,
			       NULL) < 0)
		return false;
	hdConnectionTake(connection, HD_FRAME_HELLO_SIZE);
	client->isGreeted = true;
	if (hello.lowest <= HD_NODE_WIRE_VERSION &&
	    hello.highest >= HD_NODE_WIRE_VERSION)
		greeting.version = HD_NODE_WIRE_VERSION;
	if (getrandom(client->nonce, sizeof(client->nonce), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(client->nonce))
		greeting.version = 0;
	memcpy(greeting.nonce, client->nonce, sizeof(greeting.nonce));
	hdFrameEncodeGreeting(HD_NODE_WIRE_MAGIC, &greeting, bytes);
	hdConnectionSend(connection, bytes, sizeof(bytes));
	connection->isOver = greeting.version == 0;
	client->server->refused += greeting.version == 0;
	if (greeting.version > 0 && !greeting.mustAuthenticate)
		clientAdmit(client, 0);
	return true;
}

static void clientAuthenticate(struct nodeClient *client, uint16_t tag,
			       const struct hdFrameAuthenticate *request)
{
	struct hdFrameAuthenticated answer = { .user = request->user };

	if (!hdAuthenticationCheck(&hdNodeWireAuthentication,
				   client->server->tokens,
				   client->connection.tls, client->nonce,
				   request, answer.proof, client->token)) {
		hdNetLog(HD_LOG_WARNING, "%s: wrong user or token",
			 client->connection.peer);
		client->server->refused++;
		/* Whoever tries many is slow. */
		client->isDenied = true;
		client->deniedTag = tag;
		client->deniedNs = hdMonotonicNow() + HD_NS_PER_S;
		return;
	}
	hdFieldTextCopy(request->user, client->user, sizeof(client->user));
	client->isProven = true;
	if (clientAdmit(client, tag))
		clientSend(client, HD_FRAME_AUTHENTICATED, tag, &answer);
}

/* ---- Requests ---------------------------------------------------------- */

static json_t *nodeClientTextOrNull(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

/* What a node says, but for probes: the text, to be freed. */
static char *clientJson(struct nodeClient *client,
			const struct hdNodeWireGet *request)
{
	const struct hdNodeServer *server = client->server;
	const struct hdNodeSource *source = &server->setup.source;
	json_t *all = json_object();
	char *text;

	json_object_set_new(all, "node",
			    nodeClientTextOrNull(server->setup.name));
	json_object_set_new(all, "host", nodeClientTextOrNull(server->host));
	json_object_set_new(all, "boot", nodeClientTextOrNull(server->boot));
	json_object_set_new(all, "started",
			    json_real((double)server->startedWall / 1e9));
	json_object_set_new(all, "version", json_string(PACKAGE_VERSION));
	for (unsigned int i = 0; i < HD_NODE_WIRE_SECTIONS; i++) {
		json_t *section = NULL;

		if (!(request->sections & 1U << i) ||
		    1U << i == HD_NODE_WIRE_PROBES)
			continue;
		section = source->section(source->context, 1U << i);
		json_object_set_new(all, hdNodeWireSectionNames[i],
				    section ? section : json_null());
	}
	text = all ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(16))
		   : NULL;
	json_decref(all);
	return text;
}

/* The same with probes, at the end of the object. */
static char *clientWith(char *text, const char *probes)
{
	size_t length = text ? strlen(text) : 0;
	char *all = NULL;

	if (length > 0 &&
	    asprintf(&all, "%.*s,\"probes\":%s}", (int)(length - 1), text,
		     probes ? probes : "null") < 0)
		all = NULL;
	free(text);
	return all;
}

/* Put the state into the connection. */
static void clientPutState(struct nodeClient *client, uint16_t tag,
			   uint32_t sections, const char *text)
{
	struct hdNodeWireState state = { .sections = sections };
	size_t length = strlen(text);
	size_t size = HD_FRAME_HEADER_SIZE + STATE_SIZE + length;
	unsigned char *room = hdConnectionRoom(&client->connection, size);

	if (!room)
		return;
	state.json =
		(struct hdFieldRest){ (const unsigned char *)text, length };
	state.wall = hdWallNow();
	state.mono = hdMonotonicNow();
	hdConnectionPut(&client->connection,
			hdFrameEncode(hdNodeWireFieldsOf(HD_NODE_WIRE_STATE),
				      HD_NODE_WIRE_STATE, tag, &state, room,
				      size, NULL));
}

static void clientState(struct nodeClient *client, uint16_t tag,
			const struct hdNodeWireGet *request, const char *probes)
{
	char *text = clientJson(client, request);

	if (request->sections & HD_NODE_WIRE_PROBES)
		text = clientWith(text, probes);
	if (!text)
		clientFail(client, tag, HD_FRAME_EMEMORY, "out of memory");
	else if (strlen(text) > HD_NODE_WIRE_ANSWER_MAX)
		clientFail(client, tag, HD_FRAME_ELIMIT,
			   "reply exceeds the size limit");
	else
		clientPutState(client, tag, request->sections, text);
	free(text);
}

static void clientGet(struct nodeClient *client, uint16_t tag,
		      const struct hdNodeWireGet *request)
{
	bool isReset = request->flags & HD_NODE_WIRE_RESET;

	if (isReset && !mayChange(client)) {
		clientFail(client, tag, HD_FRAME_EFORBIDDEN,
			   "permission denied; only root and the user of "
			   "hdnode may "
			   "reset probes");
		return;
	}
	if (!(request->sections & HD_NODE_WIRE_PROBES)) {
		clientState(client, tag, request, NULL);
		return;
	}
	client->ask = *request;
	client->askTag = tag;
	client->ticket = nodeLaterAsk(client, isReset);
	if (!client->ticket)
		clientFail(client, tag, HD_FRAME_EMEMORY, "out of memory");
}

void nodeClientProbes(struct nodeClient *client, const char *probes)
{
	client->ticket = 0;
	clientState(client, client->askTag, &client->ask, probes);
	/* What has come of the next request meanwhile counts from now on. */
	if (client->connection.in.used > 0)
		client->connection.messageNs = hdMonotonicNow();
	hdConnectionKick(&client->connection);
}

static void clientConfigure(struct nodeClient *client, uint16_t tag,
			    const struct hdNodeWireConfigure *request)
{
	const struct hdNodeSource *source = &client->server->setup.source;
	const struct hdNodeWireConfigured answer = { 0 };
	char *error = NULL;
	int ret;

	if (!mayChange(client)) {
		clientFail(client, tag, HD_FRAME_EFORBIDDEN,
			   "permission denied; only root and the user of "
			   "hdnode may "
			   "change the configuration");
		return;
	}
	if (request->text.length > HD_NODE_WIRE_CONFIG_MAX) {
		clientFail(client, tag, HD_FRAME_ELIMIT,
			   "configuration exceeds 64 KiB");
		return;
	}
	ret = source->configure(source->context, (const char *)request->text.at,
				request->text.length, &error);
	if (ret < 0)
		clientFail(client, tag, HD_FRAME_EUNKNOWN,
			   error ? error : strerror(-ret));
	else
		clientSend(client, HD_NODE_WIRE_CONFIGURED, tag, &answer);
	if (ret == 0)
		hdNetLog(HD_LOG_INFO, "%s: configuration changed",
			 client->connection.peer);
	free(error);
}

static void clientPing(struct nodeClient *client, uint16_t tag,
		       const struct hdFramePing *ping)
{
	const struct hdFramePong pong = {
		.content = ping->content,
		.wall = hdWallNow(),
		.mono = hdMonotonicNow(),
	};

	clientSend(client, HD_FRAME_PONG, tag, &pong);
}

/* Any request. */
union request {
	struct hdFrameAuthenticate authenticate;
	struct hdFramePing ping;
	struct hdNodeWireGet get;
	struct hdNodeWireConfigure configure;
};

static void clientDo(struct nodeClient *client,
		     const struct hdFrameHeader *header,
		     const union request *request)
{
	client->server->requests++;
	if (header->type == HD_FRAME_AUTHENTICATE)
		clientAuthenticate(client, header->tag, &request->authenticate);
	else if (header->type == HD_FRAME_PING)
		clientPing(client, header->tag, &request->ping);
	else if (header->type == HD_NODE_WIRE_GET)
		clientGet(client, header->tag, &request->get);
	else
		clientConfigure(client, header->tag, &request->configure);
}

/* Look at a request that is there as a whole. */
static void clientRequest(struct nodeClient *client,
			  const struct hdFrameHeader *header,
			  const unsigned char *payload)
{
	struct hdFieldFault fault = { "missing tag" };
	union request request;
	char text[HD_FIELD_TEXT_MAX + 1];
	int ret = -ENOENT;

	if (header->type < HD_FRAME_AUTHENTICATED)
		ret = hdNodeWireDecode(header->type, payload, header->length,
				       &request, &fault);
	if (ret == -EBADMSG || header->tag == 0) {
		snprintf(text, sizeof(text), "request %u is malformed: %s",
			 header->type, fault.text);
		nodeClientRefuse(client, header->tag, HD_FRAME_EMALFORMED,
				 text);
	} else if (mustAuthenticate(client) &&
		   header->type != HD_FRAME_AUTHENTICATE) {
		nodeClientRefuse(client, header->tag, HD_FRAME_EAUTHENTICATE,
				 "authentication required");
	} else if (ret == -ENOENT) {
		snprintf(text, sizeof(text), "unknown request %u",
			 header->type);
		clientFail(client, header->tag, HD_FRAME_EREQUEST, text);
	} else {
		clientDo(client, header, &request);
	}
}

static bool nodeClientOnInput(struct hdConnection *connection)
{
	struct nodeClient *client = (struct nodeClient *)(void *)connection;
	struct hdFrameHeader header;
	uint32_t most = HD_NODE_WIRE_REQUEST_MAX;

	if (!client->isGreeted)
		return clientTakeHello(client);
	if (client->isDenied || client->ticket) {
		connection->messageNs = 0;
		return false;
	}
	if (connection->in.used < HD_FRAME_HEADER_SIZE)
		return false;
	hdFrameDecodeHeader(connection->in.bytes, &header);
	if (mustAuthenticate(client))
		most = HD_FRAME_SERVER_MIN;
	if (header.length > most) {
		nodeClientRefuse(client, header.tag, HD_FRAME_EMALFORMED,
				 "payload exceeds the size limit");
		return true;
	}
	if (connection->in.used < HD_FRAME_HEADER_SIZE + header.length)
		return false;
	if (!nodeShareMayAsk(client, hdMonotonicNow())) {
		connection->messageNs = 0;
		return false;
	}
	clientRequest(client, &header,
		      connection->in.bytes + HD_FRAME_HEADER_SIZE);
	if (!connection->isDead)
		hdConnectionTake(connection,
				 HD_FRAME_HEADER_SIZE + header.length);
	return true;
}

/* ---- Begin and end ----------------------------------------------------- */

/* There is nothing that comes by itself. */
static bool nodeClientOnDrained(struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static bool nodeClientIsBusy(const struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static bool nodeClientOwesReply(const struct hdConnection *connection)
{
	const struct nodeClient *client = (const void *)connection;

	return client->isDenied || client->isPaused || client->ticket;
}

static void clientRefused(struct hdConnection *connection, const char *why)
{
	struct nodeClient *client = (struct nodeClient *)(void *)connection;

	client->server->refused++;
	hdNetLog(HD_LOG_INFO, "%s: %s", connection->peer, why);
}

static void nodeClientOnClose(struct hdConnection *connection)
{
	struct nodeClient *client = (struct nodeClient *)(void *)connection;
	struct hdNodeServer *server = client->server;

	*client->link = client->next;
	if (client->next)
		client->next->link = client->link;
	client->next = server->dead;
	server->dead = client;
	server->clientCount -= client->isAdmitted;
	server->unknownCount -= !client->isAdmitted;
}

void nodeClientSetup(struct hdNodeServer *server)
{
	static const struct hdConnectionCalls calls = {
		.take = nodeClientOnInput,
		.fill = nodeClientOnDrained,
		.isBusy = nodeClientIsBusy,
		.owes = nodeClientOwesReply,
		.refuse = clientRefused,
		.closed = nodeClientOnClose,
	};

	server->connections = (struct hdConnectionSetup){
		.calls = &calls,
		.loop = &server->loop,
		.tls = &server->tls,
		.inMax = HD_FRAME_HEADER_SIZE + HD_NODE_WIRE_REQUEST_MAX,
		.outMax = OUT_MAX,
		.answerMax = OUT_MAX + HD_NODE_WIRE_ANSWER_MAX + FRAME_MAX,
	};
}

void nodeClientCreate(struct hdNodeServer *server,
		      const struct nodePending *waiting)
{
	const struct sockaddr_storage *address = &waiting->address;
	struct nodeClient *client = calloc(1, sizeof(*client));
	int fd = waiting->fd;

	if (!client || hdConnectionOpen(&client->connection,
					&server->connections, fd) < 0) {
		free(client);
		close(fd);
		return;
	}
	client->server = server;
	client->sinceNs = client->connection.activeNs;
	client->address = *address;
	client->isLocal = waiting->isLocal;
	client->uid = waiting->uid;
	client->isOurs = waiting->isLocal &&
			 (waiting->uid == 0 || waiting->uid == geteuid());
	hdAddressText((const struct sockaddr *)address, client->connection.peer,
		      sizeof(client->connection.peer));
	client->link = &server->clients;
	client->next = server->clients;
	if (client->next)
		client->next->link = &client->next;
	server->clients = client;
	server->unknownCount++;
}

struct nodeClient *nodeClientUnknown(const struct hdNodeServer *server)
{
	struct nodeClient *found = NULL;

	/* The list begins with who came last. */
	if (server->unknownCount > 0)
		for (struct nodeClient *c = server->clients; c; c = c->next)
			if (!c->isAdmitted)
				found = c;
	return found;
}

void nodeClientEnd(struct nodeClient *client, enum hdFrameError code,
		   const char *why)
{
	if (client->isGreeted && !client->connection.progressNs)
		clientFail(client, 0, code, why);
	hdConnectionClose(&client->connection);
}

void nodeClientSweep(struct nodeClient *client, int64_t nowNs)
{
	const struct hdNodeServerSetup *setup = &client->server->setup;
	const char *why = hdConnectionLate(&client->connection, nowNs,
					   setup->timeoutNs, setup->idleNs);

	if (!why && !client->isAdmitted &&
	    nowNs - client->sinceNs > setup->timeoutNs)
		why = "client did not authenticate in time";
	nodeShareResume(client, nowNs);
	if (client->connection.isDead)
		return;
	if (why) {
		nodeClientEnd(client, HD_FRAME_ETIME, why);
	} else if (client->isDenied && nowNs >= client->deniedNs) {
		client->isDenied = false;
		nodeClientRefuse(client, client->deniedTag, HD_FRAME_EDENIED,
				 "wrong user or token");
		hdConnectionKick(&client->connection);
	}
}

void nodeClientCheck(struct nodeClient *client)
{
	const struct hdTokens *tokens = client->server->tokens;

	if (client->isProven &&
	    !(tokens && hdTokensHave(tokens, client->user, client->token)))
		nodeClientEnd(client, HD_FRAME_EDENIED,
			      "the token is no longer valid");
}

void nodeClientFree(struct nodeClient *client)
{
	hdConnectionFree(&client->connection);
	free(client);
}
