/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who has a place at the server, and how often it may ask. */
#include "config.h"

#include <stddef.h>

#include "NodeStatus/daemon/parts.h"
#include "common/clock.h"
#include "net/service/shares.h"

/* Requests of a client: so many in a second on the average, and at once. */
#define SHARE_RATE 200
#define SHARE_BURST 400
#define SHARE_NS (HD_NS_PER_S / SHARE_RATE)

static struct hdShareOwner shareOwner(const struct nodeClient *client)
{
	return (struct hdShareOwner){
		.user = client->isProven ? client->user : "",
		.isLocal = client->isLocal,
		.isOurs = client->isOurs,
		.uid = client->uid,
		.address = (const struct sockaddr *)&client->address,
	};
}

/* ---- Places ------------------------------------------------------------ */

static const char *shareRefusal(const struct nodeClient *client, bool *isUsed)
{
	const struct hdNodeServer *server = client->server;
	const struct hdShareOwner owner = shareOwner(client);
	struct hdShareCounts counts = { 0 };

	for (const struct nodeClient *c = server->clients; c; c = c->next) {
		const struct hdShareOwner other = shareOwner(c);

		if (c != client && c->isAdmitted && !c->connection.isOver)
			hdShareAdd(&counts, &owner, &other);
	}
	*isUsed = hdShareIsUsed(&counts, &owner, server->setup.clients);
	return hdShareRefusal(&counts, &owner, server->setup.clients);
}

/* Whether a client waits for nothing, and may give way to another one: of the
 * same owner or of all if it has been silent for longer than a request takes;
 * and at once where places are kept for the other one, but not for it. */
static bool shareMayGo(const struct nodeClient *c,
		       const struct nodeClient *client, bool isOfOwner)
{
	const struct hdShareOwner mine = shareOwner(client);
	const struct hdShareOwner other = shareOwner(c);
	int64_t silentNs = hdMonotonicNow() - c->connection.activeNs;

	if (c == client || !c->isAdmitted || c->connection.isOver || c->ticket)
		return false;
	if (isOfOwner && !hdShareIsSame(&mine, &other))
		return false;
	return silentNs >= client->server->setup.timeoutNs ||
	       (hdShareIsKept(&mine) && !hdShareIsKept(&other));
}

static struct nodeClient *shareSilent(const struct nodeClient *client,
				      bool isOfOwner)
{
	struct nodeClient *found = NULL;

	for (struct nodeClient *c = client->server->clients; c; c = c->next)
		if (shareMayGo(c, client, isOfOwner) &&
		    (!found ||
		     c->connection.activeNs < found->connection.activeNs))
			found = c;
	return found;
}

const char *nodeShareAdmit(struct nodeClient *client)
{
	struct nodeClient *silent;
	bool isUsed;
	const char *why = shareRefusal(client, &isUsed);

	if (!why)
		return NULL;
	silent = shareSilent(client, true);
	if (!silent && !isUsed)
		silent = shareSilent(client, false);
	if (!silent)
		return why;
	nodeClientEnd(silent, HD_FRAME_ELIMIT,
		      "idle connection closed; other clients are waiting");
	return shareRefusal(client, &isUsed);
}

/* ---- Doors ------------------------------------------------------------- */

static bool shareIsSamePending(const struct nodePending *a,
			       const struct nodePending *b)
{
	if (a->isLocal || b->isLocal)
		return a->isLocal && b->isLocal && a->uid == b->uid;
	return hdAddressIsSameHost((const struct sockaddr *)&a->address,
				   (const struct sockaddr *)&b->address);
}

/* How many are of the same owner. */
static size_t shareOfPending(const struct hdNodeServer *server,
			     const struct nodePending *waiting)
{
	size_t count = 0;

	for (const struct nodePending *d = server->pending; d; d = d->next)
		count += shareIsSamePending(d, waiting);
	return count;
}

struct nodePending *nodeSharePending(struct hdNodeServer *server)
{
	struct nodePending *newest = server->pending;

	/* Who fills the pending has opened one just now. */
	if (newest && shareOfPending(server, newest) > server->pendingCount / 2)
		for (struct nodePending *d = server->lastPending; d;
		     d = d->before)
			if (shareIsSamePending(d, newest))
				return d;
	return server->lastPending;
}

/* ---- Requests ---------------------------------------------------------- */

/* allowedNs is when the next request would come if they came one by one at the
 * rate; it is behind now by the burst at most. */
bool nodeShareMayAsk(struct nodeClient *client, int64_t nowNs)
{
	int64_t earliest = nowNs - SHARE_BURST * SHARE_NS;

	if (client->allowedNs < earliest)
		client->allowedNs = earliest;
	client->isPaused = client->allowedNs > nowNs;
	if (!client->isPaused)
		client->allowedNs += SHARE_NS;
	return !client->isPaused;
}

void nodeShareResume(struct nodeClient *client, int64_t nowNs)
{
	if (!client->isPaused || client->allowedNs > nowNs)
		return;
	client->isPaused = false;
	client->connection.messageNs =
		client->connection.in.used > 0 ? nowNs : 0;
	hdConnectionKick(&client->connection);
}
