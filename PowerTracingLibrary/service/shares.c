/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who has a place; see shares.h. */
#include "config.h"

#include <string.h>

#include "PowerTracingLibrary/service/shares.h"

/* What a percentage is of a number: one at least. */
static long serviceSharesShareOf(long all, long percent)
{
	long share = (all * percent + 99) / 100;

	return share > 0 ? share : 1;
}

static bool isFrom(const struct ptClient *client,
		   const struct sockaddr *address)
{
	return hdAddressIsSameHost((const struct sockaddr *)&client->address,
				   address);
}

/* ---- Pending ----------------------------------------------------------- */

/* Find the oldest that is pending, from an address or from any; and how many
 * these are. */
static struct ptClient *oldestPending(struct ptService *service,
				      const struct sockaddr *address,
				      long *count)
{
	struct ptClient *oldest = NULL;

	*count = 0;
	/* The last one that came is the first. */
	for (struct ptClient *c = service->clients; c; c = c->next) {
		if (c->isAdmitted || (address && !isFrom(c, address)))
			continue;
		oldest = c;
		(*count)++;
	}
	return oldest;
}

static void giveWay(struct ptClient *client)
{
	ptClientRefuse(client,
		       "not authenticated, and other clients are waiting");
	hdConnectionClose(&client->connection);
}

void ptShareRoom(struct ptService *service, const struct sockaddr *address)
{
	const struct ptSiteLimits *limits = &service->site->limits;
	struct ptClient *oldest;
	long count;

	if ((long)service->pendingCount < limits->clients)
		return;
	oldest = oldestPending(service, address, &count);
	if (count < serviceSharesShareOf(limits->clients, limits->addressShare))
		oldest = oldestPending(service, NULL, &count);
	if (oldest)
		giveWay(oldest);
}

/* ---- Slots ------------------------------------------------------------- */

/* Find who records nothing and has not said who he is; of several the one that
 * was silent for longest. */
static struct ptClient *idleNobody(const struct ptService *service,
				   const struct ptClient *but)
{
	struct ptClient *found = NULL;

	for (struct ptClient *c = service->clients; c; c = c->next)
		if (c != but && c->isAdmitted && !*c->user &&
		    !(c->protocol && c->protocol->isBusy(c)) &&
		    (!found ||
		     c->connection.activeNs < found->connection.activeNs))
			found = c;
	return found;
}

/* Take a slot away. It is closed when nobody goes through the list. */
static void oust(struct ptClient *client)
{
	ptClientRefuse(client, "not recording, and a user is waiting");
	client->isAdmitted = false;
	client->isOusted = true;
	client->service->pendingCount++;
	client->service->hasOusted = true;
}

void ptShareShed(struct ptService *service)
{
	long count;
	struct ptClient *client = oldestPending(service, NULL, &count);

	if (!client)
		client = idleNobody(service, NULL);
	if (client)
		giveWay(client);
}

const char *ptShareAdmit(struct ptClient *client)
{
	struct ptService *service = client->service;
	const struct ptSiteLimits *limits = &service->site->limits;
	long all = 0, users = 0, addresses = 0;
	struct ptClient *nobody;

	for (const struct ptClient *c = service->clients; c; c = c->next) {
		if (c == client || !c->isAdmitted)
			continue;
		all++;
		users += strcmp(c->user, client->user) == 0;
		addresses +=
			isFrom(c, (const struct sockaddr *)&client->address);
	}
	if (users >= serviceSharesShareOf(limits->clients, limits->userShare))
		return "too many clients of this user";
	if (!client->isLocal &&
	    addresses >=
		    serviceSharesShareOf(limits->clients, limits->addressShare))
		return "too many clients of this address";
	if (all >= limits->clients) {
		nobody = *client->user ? idleNobody(service, client) : NULL;
		if (!nobody)
			return "too many clients";
		oust(nobody);
	}
	service->pendingCount -= !client->isAdmitted;
	client->isAdmitted = true;
	return NULL;
}

/* ---- Counters and streams ---------------------------------------------- */

const char *ptShareCount(struct ptClient *client)
{
	struct ptService *service = client->service;
	const struct ptSiteLimits *limits = &service->site->limits;
	long users = 0, addresses = 0;

	if (service->counterCount >= limits->counters)
		return "too many counters and streams of all clients";
	for (const struct ptClient *c = service->clients; c; c = c->next) {
		if (strcmp(c->user, client->user) == 0)
			users += c->counters;
		if (isFrom(c, (const struct sockaddr *)&client->address))
			addresses += c->counters;
	}
	if (users >= serviceSharesShareOf(limits->counters, limits->userShare))
		return "too many counters and streams of this user";
	if (!client->isLocal &&
	    addresses >= serviceSharesShareOf(limits->counters,
					      limits->addressShare))
		return "too many counters and streams of this address";
	service->counterCount++;
	client->counters++;
	return NULL;
}

void ptShareUncount(struct ptClient *client)
{
	client->service->counterCount--;
	client->counters--;
}
