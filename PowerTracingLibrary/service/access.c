/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who a client is, and what it may; see access.h. */
#include "config.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/access.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

/* Refusals a second that are said. */
#define REFUSED_MAX 10

/* The peer of a Unix socket, as the kernel says. */
static void accessPeer(struct ptClient *client)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);
	struct passwd entry, *found = NULL;
	char text[4096];

	client->isUnix = true;
	if (getsockopt(client->connection.fd, SOL_SOCKET, SO_PEERCRED,
		       &credentials, &size) < 0) {
		snprintf(client->connection.peer,
			 sizeof(client->connection.peer), "unknown process");
		return;
	}
	if (getpwuid_r(credentials.uid, &entry, text, sizeof(text), &found) ==
		    0 &&
	    found && strlen(entry.pw_name) < sizeof(client->user))
		strcpy(client->user, entry.pw_name);
	else
		snprintf(client->user, sizeof(client->user), "uid%u",
			 (unsigned int)credentials.uid);
	snprintf(client->connection.peer, sizeof(client->connection.peer),
		 "process %ld of %s", (long)credentials.pid, client->user);
}

void ptAccessFind(struct ptClient *client, const struct sockaddr *address)
{
	if (address->sa_family == AF_UNIX)
		accessPeer(client);
	else
		hdAddressText(address, client->connection.peer,
			      sizeof(client->connection.peer));
}

bool ptAccessMustAuthenticate(const struct ptClient *client)
{
	return !client->place.owner.isLocal && !*client->user;
}

const char *ptAccessForbids(const struct ptClient *client)
{
	if (!client->place.owner.isLocal && client->service->tls &&
	    !client->connection.tls)
		return "other hosts must use TLS";
	return NULL;
}

/* Whether its address may speak pmlib, as it is configured now. */
static bool accessMayPmlib(const struct ptClient *client)
{
	const struct ptSite *site = client->service->site;

	if (client->place.owner.isLocal)
		return true;
	for (size_t i = 0; i < site->pmlibCount; i++)
		if (hdNetworkHas(&site->pmlib[i], client->place.owner.address))
			return true;
	return false;
}

const char *ptAccessForbidsPmlib(const struct ptClient *client)
{
	if (!client->service->site->hasPmlib)
		return "pmlib is disabled";
	if (!accessMayPmlib(client))
		return "pmlib has no authentication; not allowed from this "
		       "network";
	return NULL;
}

void ptClientRefuse(struct ptClient *client, const char *format, ...)
{
	struct ptService *service = client->service;
	int64_t now = hdMonotonicNow();
	va_list arguments;
	char text[300];

	__atomic_add_fetch(&service->refused, 1, __ATOMIC_RELAXED);
	if (now - service->refusedNs > HD_NS_PER_S) {
		if (service->refusedSaid > REFUSED_MAX)
			ptMessage(HD_LOG_WARNING,
				  "refused %u more client requests",
				  service->refusedSaid - REFUSED_MAX);
		service->refusedNs = now;
		service->refusedSaid = 0;
	}
	if (service->refusedSaid++ >= REFUSED_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* What came from a client may be anything. */
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	ptMessage(HD_LOG_WARNING, "%s%s%s: %s", client->connection.peer,
		  *client->user && !client->isUnix ? ", " : "",
		  client->isUnix ? "" : client->user, text);
}

/* What holds for a client; NULL with all set means that it sees all. */
static const struct ptSiteUser *accessUser(const struct ptClient *client,
					   bool *all)
{
	return ptSiteFindUser(client->service->site,
			      *client->user ? client->user : NULL, all);
}

bool ptClientSees(const struct ptClient *client, const char *node)
{
	bool all;
	const struct ptSiteUser *user = accessUser(client, &all);

	return all || (user && ptSiteUserSees(user, node));
}

/* Round halves up, to one at least, and to what can be told at most. */
static uint64_t accessRound(double number, int64_t cycleNs)
{
	int64_t most = HD_FIELD_NS_MAX / cycleNs;

	if (most > UINT32_MAX)
		most = UINT32_MAX;
	number = floor(number + 0.5);
	if (!(number >= 1) || most < 1)
		return 1;
	return number < (double)most ? (uint64_t)number : (uint64_t)most;
}

/* Readings of which a client may get one: its rate is not exceeded. */
static uint64_t accessLeast(const struct ptClient *client, int64_t cycleNs)
{
	bool all;
	const struct ptSiteUser *user = accessUser(client, &all);
	double rate = 1e9 / (double)cycleNs;
	double least =
		user && user->rate > 0 ? ceil(rate / user->rate - 1e-6) : 1;

	return accessRound(least, cycleNs);
}

int64_t ptClientCycle(const struct ptClient *client, struct ptServed *served)
{
	int64_t cycleNs = ptServedCycle(served);

	return cycleNs * (int64_t)accessLeast(client, cycleNs);
}

uint64_t ptClientEvery(const struct ptClient *client, struct ptServed *served,
		       double frequency)
{
	int64_t cycleNs = ptServedCycle(served);
	uint64_t least = accessLeast(client, cycleNs), every = 1;

	if (frequency > 0)
		every = accessRound(1e9 / (double)cycleNs / frequency, cycleNs);
	return every > least ? every : least;
}
