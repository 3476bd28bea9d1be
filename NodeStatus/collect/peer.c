/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A node that is asked; see peer.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "NodeStatus/collect/peer.h"
#include "common/clock.h"
#include "common/net.h"
#include "net/service/greet.h"

/* Round trips for the clock, when a connection has begun. */
#define PINGS 4
/* How long a connection may hang, from pull to pull. */
#define STUCK_NS (10 * HD_NS_PER_S)
/* What is sent at most beside a configuration. */
#define FRAME_MAX 1024

/* What comes next on a connection. */
enum peerStage { GREETING, PROOF, PONG, READY, ANSWER };

/* A connection; it may outlive its peer until the loop is done with it. */
struct nodeLink {
	struct hdConnection connection; /* First: it is what its calls get. */
	struct nodeShared *shared;
	struct nodePeer *peer; /* NULL: no peer has it any more. */
	struct nodeLink *next; /* Of those that are dead. */
	enum peerStage stage;
	unsigned int pings;
	uint16_t tag;
	int64_t sentWall, sentMono;
	bool hasCapabilities;
	unsigned int asked;   /* Sections. */
	struct nodeTurn turn; /* For a long answer. */
	struct hdGreet greet;
};

/* ---- What becomes of a query --------------------------------------------- */

static void peerDone(struct nodePeer *peer, enum hdNode_State state)
{
	if (!peer->isDone) {
		peer->isDone = true;
		peer->shared->waiting--;
		peer->state = state;
	}
	if (state == HDNODE_OK) {
		*peer->why = '\0';
		peer->hasFailed = false;
	}
}

/* Leave the connection alone, and close it. */
static void peerDrop(struct nodePeer *peer)
{
	struct nodeLink *link = peer->link;

	if (!link)
		return;
	link->peer = NULL;
	peer->link = NULL;
	/* No last word: whatever waits to be sent is of no use now. */
	link->connection.isBroken = true;
	hdConnectionClose(&link->connection);
}

/* It is over, for now; why: NULL if that is there. */
static void peerFail(struct nodePeer *peer, enum hdNode_State state,
		     const char *why)
{
	if (why)
		snprintf(peer->why, sizeof(peer->why), "%s", why);
	peerDrop(peer);
	if (peer->hasFailed)
		hdBackoffFail(&peer->backoff);
	else
		hdBackoffBegin(&peer->backoff, false);
	peer->hasFailed = true;
	if (peer->isDone)
		peer->state = state;
	peerDone(peer, state);
}

/* The other side does what it must not. */
static bool linkBad(struct nodeLink *link, const char *why)
{
	if (link->peer)
		peerFail(link->peer, HDNODE_BAD, why);
	return false;
}

/* ---- Sending ----------------------------------------------------------- */

static void linkSend(struct nodeLink *link, unsigned int type,
		     const void *message, size_t size)
{
	unsigned char *room;
	size_t used;

	link->tag = (uint16_t)(link->tag + 1);
	if (link->tag == 0)
		link->tag = 1;
	link->sentWall = hdWallNow();
	link->sentMono = hdMonotonicNow();
	room = hdConnectionRoom(&link->connection, size);
	if (!room)
		return;
	used = hdFrameEncode(hdNodeWireFieldsOf(type), type, link->tag, message,
			     room, size, NULL);
	hdConnectionPut(&link->connection, used);
	link->peer->sent += used;
}

static void linkHello(struct nodeLink *link)
{
	unsigned char bytes[HD_FRAME_HELLO_SIZE];

	link->greet = (struct hdGreet){
		.magic = HD_NODE_WIRE_MAGIC,
		.version = HD_NODE_WIRE_VERSION,
		.payloadMax = HD_NODE_WIRE_ANSWER_MAX,
		.authentication = &hdNodeWireAuthentication,
	};
	hdGreetHello(&link->greet, bytes);
	hdConnectionSend(&link->connection, bytes, sizeof(bytes));
	link->peer->sent += sizeof(bytes);
}

static void linkPing(struct nodeLink *link)
{
	const struct hdFramePing ping = { .content = link->pings };

	link->stage = PONG;
	linkSend(link, HD_FRAME_PING, &ping, FRAME_MAX);
}

/* Ask what is wished. */
static void linkAsk(struct nodeLink *link)
{
	struct nodePeer *peer = link->peer;
	const struct nodeShared *shared = peer->shared;
	struct hdNodeWireConfigure configure = {
		.text = { (const unsigned char *)shared->configText,
			  shared->configLength },
	};
	struct hdNodeWireGet get = {
		.sections = peer->query.sections,
		.flags = peer->query.flags,
	};

	if (peer->isDone) {
		link->stage = READY;
		return;
	}
	link->stage = ANSWER;
	if (link->hasCapabilities)
		get.sections &= ~(unsigned int)HD_NODE_WIRE_CAPABILITIES;
	link->asked = peer->query.isConfigure ? 0 : get.sections;
	if (peer->query.isConfigure)
		linkSend(link, HD_NODE_WIRE_CONFIGURE, &configure,
			 FRAME_MAX + shared->configLength);
	else
		linkSend(link, HD_NODE_WIRE_GET, &get, FRAME_MAX);
}

/* ---- What the node says ------------------------------------------------- */

/* It may be another one than before. */
static bool peerTakeSelf(struct nodePeer *peer, const json_t *all)
{
	unsigned int boots = peer->self.boots;
	bool isFine = hdNodeSelfTake(&peer->self, all, peer->answeredNs != 0);

	if (peer->self.boots != boots)
		hdNodeOffsetClear(&peer->offset);
	return isFine;
}

/* What is wrong with the JSON of an answer, or NULL: then it is taken. */
static const char *takeJson(struct nodeLink *link,
			    const struct hdNodeWireState *state)
{
	const char *text = (const char *)state->json.at;
	const char *why = hdNodeWireLimits(text, state->json.length,
					   hdNodeWireMost(link->asked));
	json_t *all;

	if (why)
		return why;
	all = json_loadb(text, state->json.length, JSON_REJECT_DUPLICATES,
			 NULL);
	if (!json_is_object(all) || !peerTakeSelf(link->peer, all))
		why = "invalid JSON";
	if (!why)
		why = hdNodeAnswerTake(&link->peer->answer,
				       &link->shared->spool,
				       state->sections & link->asked, all, text,
				       state->json.length);
	json_decref(all);
	return why;
}

static bool peerParseState(struct nodeLink *link,
			   const struct hdNodeWireState *state)
{
	struct nodePeer *peer = link->peer;
	int64_t now = hdMonotonicNow();
	const char *why;

	hdNodeOffsetAdd(&peer->offset, link->sentWall, link->sentMono, now,
			state->wall, state->mono);
	why = takeJson(link, state);
	if (why)
		return linkBad(link, why);
	link->hasCapabilities |= (state->sections & link->asked &
				  HD_NODE_WIRE_CAPABILITIES) != 0;
	peer->answeredNs = now;
	peer->wallNs = state->wall;
	peerDone(peer, HDNODE_OK);
	return true;
}

/* An error: which ends the connection, or is the answer to a query. */
static bool takeFailure(struct nodeLink *link,
			const struct hdFrameHeader *header,
			const struct hdFrameFailure *failure)
{
	struct nodePeer *peer = link->peer;
	char why[HD_FIELD_TEXT_MAX + 1];
	enum hdNode_State state = HDNODE_BAD;

	hdFieldTextCopy(failure->text, why, sizeof(why));
	if (failure->code == HD_FRAME_EAUTHENTICATE ||
	    failure->code == HD_FRAME_EDENIED ||
	    failure->code == HD_FRAME_EFORBIDDEN)
		state = HDNODE_DENIED;
	else if (failure->code == HD_FRAME_ELIMIT ||
		 failure->code == HD_FRAME_EEND ||
		 failure->code == HD_FRAME_ETIME)
		state = HDNODE_UNREACHABLE;
	if (link->stage == ANSWER && header->tag == link->tag) {
		snprintf(peer->why, sizeof(peer->why), "%s", why);
		link->stage = READY;
		peerDone(peer, state);
		return true;
	}
	peerFail(peer, state, why);
	return false;
}

/* Prove who we are, or go on without. */
static bool takeGreeting(struct nodeLink *link)
{
	struct hdConnection *connection = &link->connection;
	const struct nodeShared *shared = link->shared;
	struct hdFrameAuthenticate request;
	int ret;

	if (connection->in.used < HD_FRAME_GREETING_SIZE)
		return false;
	ret = hdGreetTake(&link->greet, connection->in.bytes, NULL);
	if (ret < 0)
		return linkBad(link, ret == -EPROTO ? "the server is not hdnode"
						    : HD_GREET_TEXT_VERSION);
	hdConnectionTake(connection, HD_FRAME_GREETING_SIZE);
	link->peer->received += HD_FRAME_GREETING_SIZE;
	link->pings = PINGS;
	ret = hdGreetProve(&link->greet, connection->tls, shared->user,
			   shared->token, &request);
	if (ret == -EACCES) {
		peerFail(link->peer, HDNODE_DENIED,
			 HD_GREET_TEXT_TOKEN "; no token given");
		return false;
	}
	if (ret < 0)
		return linkBad(link, "cannot compute the authentication proof");
	if (ret == 0) {
		linkPing(link);
		return true;
	}
	link->stage = PROOF;
	linkSend(link, HD_FRAME_AUTHENTICATE, &request, FRAME_MAX);
	return true;
}

/* Any answer. */
union answer {
	struct hdFrameAuthenticated authenticated;
	struct hdFramePong pong;
	struct hdFrameFailure failure;
	struct hdNodeWireState state;
	struct hdNodeWireConfigured configured;
};

static bool peerParsePong(struct nodeLink *link, const struct hdFramePong *pong)
{
	if (pong->content != link->pings)
		return linkBad(link, "unexpected pong");
	hdNodeOffsetAdd(&link->peer->offset, link->sentWall, link->sentMono,
			hdMonotonicNow(), pong->wall, pong->mono);
	if (--link->pings > 0)
		linkPing(link);
	else
		linkAsk(link);
	return true;
}

static bool takeProof(struct nodeLink *link,
		      const struct hdFrameAuthenticated *answer)
{
	if (hdGreetIsProven(&link->greet, answer)) {
		linkPing(link);
		return true;
	}
	peerFail(link->peer, HDNODE_DENIED,
		 HD_GREET_TEXT_SERVER ": it does not know the token");
	return false;
}

static bool takeAnswer(struct nodeLink *link,
		       const struct hdFrameHeader *header,
		       const union answer *answer)
{
	if (header->type == HD_FRAME_ERROR)
		return takeFailure(link, header, &answer->failure);
	if (header->tag != link->tag)
		return linkBad(link, "reply without a request");
	if (header->type == HD_FRAME_AUTHENTICATED && link->stage == PROOF)
		return takeProof(link, &answer->authenticated);
	if (header->type == HD_FRAME_PONG && link->stage == PONG)
		return peerParsePong(link, &answer->pong);
	if (link->stage != ANSWER)
		return linkBad(link, "unexpected reply");
	link->stage = READY;
	if (header->type == HD_NODE_WIRE_STATE &&
	    !link->peer->query.isConfigure)
		return peerParseState(link, &answer->state);
	if (header->type != HD_NODE_WIRE_CONFIGURED ||
	    !link->peer->query.isConfigure)
		return linkBad(link, "unexpected reply");
	peerDone(link->peer, HDNODE_OK);
	return true;
}

/* ---- Long answers ------------------------------------------------------ */

/* Longest payload that may come now. */
static size_t linkMost(const struct nodeLink *link)
{
	return link->stage == ANSWER ? hdNodeWireMost(link->asked) + FRAME_MAX
				     : FRAME_MAX;
}

static bool linkIsLate(const struct nodeLink *link)
{
	return link->stage == ANSWER && !link->peer->isDone &&
	       hdMonotonicNow() > link->shared->deadlineNs;
}

static bool linkTake(struct hdConnection *connection)
{
	struct nodeLink *link = (struct nodeLink *)(void *)connection;
	struct hdFieldFault fault = { "" };
	struct hdFrameHeader header;
	union answer answer;
	size_t size;
	int ret = -ENOENT;

	if (!link->peer)
		return false;
	if (link->stage == GREETING)
		return takeGreeting(link);
	if (connection->in.used < HD_FRAME_HEADER_SIZE)
		return false;
	hdFrameDecodeHeader(connection->in.bytes, &header);
	if (header.length > linkMost(link))
		return linkBad(link, "reply exceeds the size limit");
	size = HD_FRAME_HEADER_SIZE + header.length;
	if (size > link->shared->turns.usual.inMax) {
		hdNodeTurnWait(&link->shared->turns, &link->turn);
		link->shared->isTicking = true;
	}
	/* What comes too late waits for the next pull. */
	if (connection->in.used < size || linkIsLate(link))
		return false;
	if (header.type >= HD_FRAME_AUTHENTICATED)
		ret = hdNodeWireDecode(header.type,
				       connection->in.bytes +
					       HD_FRAME_HEADER_SIZE,
				       header.length, &answer, &fault);
	if (ret < 0)
		return linkBad(link, *fault.text ? fault.text
						 : "unknown type of reply");
	link->peer->received += size;
	if (!takeAnswer(link, &header, &answer))
		return false;
	hdConnectionTake(connection, size);
	hdNodeTurnEnd(&link->shared->turns, &link->turn);
	return true;
}

/* ---- Connections ------------------------------------------------------- */

static bool linkFill(struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static bool linkIsBusy(const struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static bool linkOwes(const struct hdConnection *connection)
{
	(void)connection;
	return false;
}

static void linkRefuse(struct hdConnection *connection, const char *why)
{
	linkBad((struct nodeLink *)(void *)connection, why);
}

static void peerElsewhere(struct nodePeer *peer);

/* Find out why it was closed. */
static void linkGone(struct nodeLink *link)
{
	struct nodePeer *peer = link->peer;
	int error = -link->connection.error;
	socklen_t size = sizeof(error);

	if (error == EACCES) {
		peerFail(peer, HDNODE_DENIED, HD_GREET_TEXT_SERVER);
		return;
	}
	if (error == 0)
		getsockopt(link->connection.fd, SOL_SOCKET, SO_ERROR, &error,
			   &size);
	snprintf(peer->why, sizeof(peer->why), "%s: %s",
		 link->stage == GREETING ? HD_NET_TEXT_CONNECT
					 : HD_NET_TEXT_LOST,
		 error ? strerror(error) : "closed by the server");
	if (link->stage == GREETING)
		peerElsewhere(peer);
	else
		peerFail(peer, HDNODE_UNREACHABLE, NULL);
}

static void linkClosed(struct hdConnection *connection)
{
	struct nodeLink *link = (struct nodeLink *)(void *)connection;

	if (link->peer) {
		link->peer->link = NULL;
		/* Between two pulls: the next one connects again. */
		if (link->stage != READY || !link->peer->isDone)
			linkGone(link);
		link->peer = NULL;
	}
	hdNodeTurnEnd(&link->shared->turns, &link->turn);
	link->next = link->shared->dead;
	link->shared->dead = link;
}

void hdNodePeersBury(struct nodeShared *shared)
{
	hdNodeTurnBegin(&shared->turns, shared->deadlineNs);
	while (shared->dead) {
		struct nodeLink *link = shared->dead;

		shared->dead = link->next;
		hdConnectionFree(&link->connection);
		free(link);
	}
}

/* Make a connection of a socket; 0 or a negative errno value. */
static int peerOpen(struct nodePeer *peer, int fd)
{
	struct nodeShared *shared = peer->shared;
	struct nodeLink *link = calloc(1, sizeof(*link));
	int ret = link ? 0 : -ENOMEM;

	if (ret == 0 && shared->tls)
		ret = hdTlsConnect(shared->tls, fd, peer->where.host,
				   &link->connection.tls);
	if (ret == 0) {
		/* Nobody begins TLS with us. */
		link->connection.isKnown = true;
		link->shared = shared;
		link->turn.connection = &link->connection;
		link->peer = peer;
		snprintf(link->connection.peer, sizeof(link->connection.peer),
			 "%.*s", (int)sizeof(link->connection.peer) - 1,
			 peer->address);
		ret = hdConnectionOpen(&link->connection, &shared->turns.usual,
				       fd);
		if (ret < 0)
			hdTlsClose(link->connection.tls);
	}
	if (ret < 0) {
		free(link);
		return ret;
	}
	peer->link = link;
	linkHello(link);
	hdConnectionKick(&link->connection);
	return 0;
}

/* Connect to the address that has its turn, which has its share of the time;
 * 0 or a negative errno value. */
static int peerTry(struct nodePeer *peer)
{
	int64_t now = hdMonotonicNow();
	unsigned int left = hdNodeWhereLeft(&peer->where);
	int fd = hdNodeWhereConnect(&peer->where);
	int ret = fd < 0 ? fd : peerOpen(peer, fd);

	if (ret < 0 && fd >= 0)
		close(fd);
	peer->nextNs = INT64_MAX;
	if (ret < 0 || left < 2)
		return ret;
	peer->nextNs = now + (peer->shared->deadlineNs - now) / left;
	peer->shared->isTicking = true;
	return 0;
}

/* Connect, once it is known to where. */
static void peerBegin(struct nodePeer *peer)
{
	const char *why = NULL;
	int ret = hdNodeWhereFind(&peer->where, &why);

	if (ret == -EINPROGRESS) {
		peer->shared->isTicking = true;
		return;
	}
	if (ret < 0) {
		peerFail(peer, HDNODE_UNKNOWN, why);
		return;
	}
	do
		ret = peerTry(peer);
	while (ret < 0 && hdNodeWhereNext(&peer->where));
	if (ret < 0) {
		snprintf(peer->why, sizeof(peer->why),
			 HD_NET_TEXT_CONNECT ": %s", strerror(-ret));
		peerFail(peer, HDNODE_UNREACHABLE, NULL);
	}
}

/* It was not reached there, as its why says; maybe it is elsewhere. */
static void peerElsewhere(struct nodePeer *peer)
{
	peerDrop(peer);
	if (hdNodeWhereNext(&peer->where))
		peerBegin(peer);
	else
		peerFail(peer, HDNODE_UNREACHABLE, NULL);
}

/* Its name was found, or not: whoever waits for it goes on. */
static void peerFound(struct nodeWhere *where)
{
	struct nodePeer *peer =
		(struct nodePeer *)(void *)((char *)where -
					    offsetof(struct nodePeer, where));

	if (!peer->isDone)
		peerBegin(peer);
	else
		peer->hasFailed = false; /* The next one need not wait. */
}

void hdNodePeerTick(struct nodePeer *peer)
{
	int64_t now = hdMonotonicNow();

	if (peer->isDone)
		return;
	if (peer->link && peer->link->stage == GREETING &&
	    now >= peer->nextNs) {
		snprintf(peer->why, sizeof(peer->why), HD_NET_TEXT_TIMEOUT);
		peerElsewhere(peer);
	} else if (peer->link && hdNodeTurnIsOver(&peer->shared->turns,
						  &peer->link->turn, now)) {
		peerFail(peer, HDNODE_LATE,
			 "reply too slow; other nodes are waiting");
	} else if (!peer->link && now >= peer->shared->namesNs) {
		peerFail(peer, HDNODE_LATE, "name resolution timed out");
	} else if (!peer->link) {
		peerBegin(peer);
	}
}

/* ---- Peers ------------------------------------------------------------- */

void hdNodePeersSetup(struct nodeShared *shared)
{
	static const struct hdConnectionCalls calls = {
		.take = linkTake,
		.fill = linkFill,
		.isBusy = linkIsBusy,
		.owes = linkOwes,
		.refuse = linkRefuse,
		.closed = linkClosed,
	};

	shared->searches = (struct nodeSearches){
		.loop = &shared->loop,
		.done = peerFound,
	};
	shared->turns.usual = (struct hdConnectionSetup){
		.calls = &calls,
		.loop = &shared->loop,
		.tls = &shared->none,
		.inMax = HD_NODE_WIRE_STATE_MAX + 2 * FRAME_MAX,
		.outMax = FRAME_MAX,
		.answerMax = HD_NODE_WIRE_CONFIG_MAX + 4 * FRAME_MAX,
	};
	shared->turns.large = shared->turns.usual;
	shared->turns.large.inMax = HD_NODE_WIRE_ANSWER_MAX + 2 * FRAME_MAX;
}

int hdNodePeerCreate(struct nodeShared *shared, const char *address,
		     struct nodePeer **result)
{
	struct nodePeer *peer = calloc(1, sizeof(*peer));
	int ret;

	if (!peer)
		return -ENOMEM;
	peer->shared = shared;
	peer->state = HDNODE_NEW;
	peer->isDone = true;
	peer->answer.sampleAge = peer->answer.healthAge = NAN;
	peer->address = strdup(address);
	ret = peer->address ? hdNodeWhereInit(&peer->where, &shared->searches,
					      address)
			    : -ENOMEM;
	if (ret < 0)
		hdNodePeerDestroy(peer);
	else
		*result = peer;
	return ret;
}

void hdNodePeerDestroy(struct nodePeer *peer)
{
	if (!peer)
		return;
	peerDrop(peer);
	hdNodeWhereForget(&peer->where);
	hdNodeAnswerClear(&peer->answer);
	hdNodeSelfClear(&peer->self);
	free(peer->address);
	free(peer);
}

/* Whether a connection is of no use: an answer to something else is still owed,
 * or it hangs. */
static bool isStuck(const struct nodePeer *peer, const struct nodeQuery *query)
{
	const struct nodeLink *link = peer->link;

	if (!link || link->stage == READY)
		return false;
	if (link->stage == ANSWER &&
	    (query->isConfigure || peer->query.isConfigure || query->flags ||
	     peer->query.flags))
		return true;
	return hdMonotonicNow() - link->connection.activeNs > STUCK_NS;
}

void hdNodePeerAsk(struct nodePeer *peer, const struct nodeQuery *query)
{
	if (isStuck(peer, query)) {
		/* Nobody was there: it may have moved. */
		if (peer->link->stage == GREETING)
			hdNodeWhereForget(&peer->where);
		peerDrop(peer);
	}
	peer->query = *query;
	peer->isDone = false;
	peer->shared->waiting++;
	if (peer->link && peer->link->stage == READY) {
		linkAsk(peer->link);
		hdConnectionKick(&peer->link->connection);
	} else if (!peer->link && peer->hasFailed &&
		   !hdBackoffIsDue(&peer->backoff)) {
		peerDone(peer, peer->state);
	} else if (!peer->link) {
		peerBegin(peer);
	} else {
		/* An answer that came too late is there already. */
		peer->shared->isTicking |= peer->nextNs < INT64_MAX ||
					   peer->shared->turns.queue != NULL;
		hdConnectionKick(&peer->link->connection);
	}
}

void hdNodePeerExpire(struct nodePeer *peer)
{
	if (peer->isDone)
		return;
	snprintf(peer->why, sizeof(peer->why), HD_NET_TEXT_TIMEOUT);
	peerDone(peer, HDNODE_LATE);
}
