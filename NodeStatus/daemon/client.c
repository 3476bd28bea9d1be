/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A client that speaks our protocol: its requests; see NodeStatus/wire/wire.h,
 * and net/service/session.h for greeting and authentication. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static struct nodeClient *clientOf(const struct hdSession *session)
{
	/* The connection is its first member. */
	return (struct nodeClient *)(void *)session->connection;
}

/* Whether it may change the node. */
static bool clientMayChange(const struct nodeClient *client)
{
	return hdShareIsKept(&client->place.owner);
}

/* ---- Requests ---------------------------------------------------------- */

static json_t *clientTextOrNull(const char *text)
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

	json_object_set_new(all, "node", clientTextOrNull(server->setup.name));
	json_object_set_new(all, "host", clientTextOrNull(server->host));
	json_object_set_new(all, "boot", clientTextOrNull(server->boot));
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
		hdSessionFail(&client->session, tag, HD_FRAME_EMEMORY,
			      "out of memory");
	else if (hdNodeWireLimits(text, strlen(text),
				  hdNodeWireMost(request->sections)))
		hdSessionFail(&client->session, tag, HD_FRAME_ELIMIT,
			      "reply exceeds the size limit");
	else
		clientPutState(client, tag, request->sections, text);
	free(text);
}

static void clientGet(struct nodeClient *client, uint16_t tag,
		      const struct hdNodeWireGet *request)
{
	bool isReset = request->flags & HD_NODE_WIRE_RESET;

	if (isReset && !clientMayChange(client)) {
		hdSessionFail(&client->session, tag, HD_FRAME_EFORBIDDEN,
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
		hdSessionFail(&client->session, tag, HD_FRAME_EMEMORY,
			      "out of memory");
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

	if (!clientMayChange(client)) {
		hdSessionFail(&client->session, tag, HD_FRAME_EFORBIDDEN,
			      "permission denied; only root and the user of "
			      "hdnode may "
			      "change the configuration");
		return;
	}
	if (request->text.length > HD_NODE_WIRE_CONFIG_MAX) {
		hdSessionFail(&client->session, tag, HD_FRAME_ELIMIT,
			      "configuration exceeds 64 KiB");
		return;
	}
	ret = source->configure(source->context, (const char *)request->text.at,
				request->text.length, &error);
	if (ret < 0)
		hdSessionFail(&client->session, tag, HD_FRAME_EUNKNOWN, "%s",
			      error ? error : strerror(-ret));
	else
		hdSessionSend(&client->session, HD_NODE_WIRE_CONFIGURED, tag,
			      &answer);
	if (ret == 0)
		hdNetLog(HD_LOG_INFO, "%s: configuration changed",
			 client->connection.peer);
	free(error);
}

/* ---- The protocol ------------------------------------------------------ */

static size_t clientEncode(unsigned int type, uint16_t tag, const void *message,
			   unsigned char *bytes, size_t size,
			   struct hdFieldFault *fault)
{
	return hdFrameEncode(hdNodeWireFieldsOf(type), type, tag, message,
			     bytes, size, fault);
}

static bool clientMustAuthenticate(const struct hdSession *session)
{
	return !clientOf(session)->place.owner.isLocal && !session->isProven;
}

static const char *clientAdmit(struct hdSession *session)
{
	return hdPlaceAdmit(&clientOf(session)->place);
}

static void clientProven(struct hdSession *session)
{
	clientOf(session)->place.owner.user = session->user;
}

static const struct hdTokens *clientTokens(const struct hdSession *session)
{
	return clientOf(session)->server->tokens;
}

static bool clientIsWaiting(const struct hdSession *session)
{
	return clientOf(session)->ticket != 0;
}

static void clientRequest(struct hdSession *session,
			  const struct hdFrameHeader *header,
			  const void *request)
{
	struct nodeClient *client = clientOf(session);

	client->server->requests++;
	if (header->type == HD_NODE_WIRE_GET)
		clientGet(client, header->tag, request);
	else
		clientConfigure(client, header->tag, request);
}

static void clientRefused(struct hdSession *session, const char *why)
{
	clientOf(session)->server->refused++;
	hdNetLog(HD_LOG_INFO, "%s: %s", session->connection->peer, why);
}

_Static_assert(sizeof(struct hdNodeWireConfigure) <= HD_SESSION_REQUEST_MAX,
	       "room for requests");

static const struct hdProtocol clientProtocol = {
	.magic = HD_NODE_WIRE_MAGIC,
	.version = HD_NODE_WIRE_VERSION,
	.requestMax = HD_NODE_WIRE_REQUEST_MAX,
	.frameMax = FRAME_MAX,
	.userMax = HD_FIELD_TEXT_MAX,
	.rate = { 200, 400 },
	.authentication = &hdNodeWireAuthentication,
	.wall = hdWallNow,
	.encode = clientEncode,
	.decode = hdNodeWireDecode,
	.mustAuthenticate = clientMustAuthenticate,
	.admit = clientAdmit,
	.proven = clientProven,
	.tokens = clientTokens,
	.isWaiting = clientIsWaiting,
	.request = clientRequest,
	.refused = clientRefused,
};

/* ---- Its connection ---------------------------------------------------- */

static bool clientTake(struct hdConnection *connection)
{
	return hdSessionTake(
		&((struct nodeClient *)(void *)connection)->session);
}

/* ---- Begin and end ----------------------------------------------------- */

/* There is nothing that comes by itself. */
static bool clientFill(struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static bool clientIsBusy(const struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static bool clientOwes(const struct hdConnection *connection)
{
	const struct nodeClient *client = (const void *)connection;

	return hdSessionOwes(&client->session) || client->ticket;
}

static void clientRefuse(struct hdConnection *connection, const char *why)
{
	clientRefused(&((struct nodeClient *)(void *)connection)->session, why);
}

static void clientClosed(struct hdConnection *connection)
{
	struct nodeClient *client = (struct nodeClient *)(void *)connection;
	struct hdNodeServer *server = client->server;

	*client->link = client->next;
	if (client->next)
		client->next->link = client->link;
	client->next = server->dead;
	server->dead = client;
	hdPlaceClose(&client->place);
}

void nodeClientSetup(struct hdNodeServer *server)
{
	static const struct hdConnectionCalls calls = {
		.take = clientTake,
		.fill = clientFill,
		.isBusy = clientIsBusy,
		.owes = clientOwes,
		.refuse = clientRefuse,
		.closed = clientClosed,
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

/* ---- Its place --------------------------------------------------------- */

static struct nodeClient *clientAt(const struct hdPlace *place)
{
	return (struct nodeClient *)(void *)((char *)(uintptr_t)place -
					     offsetof(struct nodeClient,
						      place));
}

static int64_t clientIdleSince(const struct hdPlace *place)
{
	const struct nodeClient *client = clientAt(place);

	return client->connection.isOver || client->ticket
		       ? INT64_MAX
		       : client->connection.activeNs;
}

static void clientGiveWay(struct hdPlace *place, const char *why)
{
	nodeClientEnd(clientAt(place), HD_FRAME_ELIMIT, why);
}

/* ---- Begin and end ----------------------------------------------------- */

void nodeClientCreate(struct nodeAccepted *accepted)
{
	static const struct hdPlaceCalls calls = {
		.idleSince = clientIdleSince,
		.giveWay = clientGiveWay,
	};
	struct hdNodeServer *server = accepted->server;
	struct nodeClient *client = calloc(1, sizeof(*client));

	if (!client ||
	    hdConnectionOpen(&client->connection, &server->connections,
			     accepted->fd) < 0) {
		free(client);
		close(accepted->fd);
		return;
	}
	client->server = server;
	client->session.protocol = &clientProtocol;
	client->session.connection = &client->connection;
	hdPlaceMove(&client->place, &accepted->place, &calls);
	hdAddressText(client->place.owner.address, client->connection.peer,
		      sizeof(client->connection.peer));
	client->link = &server->clients;
	client->next = server->clients;
	if (client->next)
		client->next->link = &client->next;
	server->clients = client;
}

void nodeClientEnd(struct nodeClient *client, enum hdFrameError code,
		   const char *why)
{
	if (client->session.isGreeted && !client->connection.progressNs)
		hdSessionFail(&client->session, 0, code, "%s", why);
	hdConnectionClose(&client->connection);
}

void nodeClientSweep(struct nodeClient *client, int64_t nowNs)
{
	const struct hdNodeServerSetup *setup = &client->server->setup;
	const char *why = hdConnectionLate(&client->connection, nowNs,
					   setup->timeoutNs, setup->idleNs);

	if (!why && !client->place.isAdmitted &&
	    nowNs - client->place.sinceNs > setup->timeoutNs)
		why = "client did not authenticate in time";
	if (why)
		nodeClientEnd(client, HD_FRAME_ETIME, why);
	else if (hdSessionRun(&client->session, nowNs))
		hdConnectionKick(&client->connection);
}

void nodeClientCheck(struct nodeClient *client)
{
	if (hdSessionIsRevoked(&client->session))
		nodeClientEnd(client, HD_FRAME_EDENIED,
			      "the token is no longer valid");
}

void nodeClientFree(struct nodeClient *client)
{
	hdConnectionFree(&client->connection);
	free(client);
}
