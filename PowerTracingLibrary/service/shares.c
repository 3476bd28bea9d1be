/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slots of clients; see shares.h. */
#include "config.h"

#include <stddef.h>

#include "PowerTracingLibrary/service/shares.h"

static struct ptClient *shareClient(const struct hdPlace *place)
{
	return (struct ptClient *)(void *)((char *)(uintptr_t)place -
					   offsetof(struct ptClient, place));
}

/* Who records is never idle. */
static int64_t shareIdleSince(const struct hdPlace *place)
{
	const struct ptClient *client = shareClient(place);

	if (client->connection.isOver ||
	    (client->protocol && client->protocol->isBusy(client)))
		return INT64_MAX;
	return client->connection.activeNs;
}

static void shareGiveWay(struct hdPlace *place, const char *why)
{
	struct ptClient *client = shareClient(place);

	ptClientRefuse(client, "%s", why);
	hdConnectionClose(&client->connection);
}

static const struct hdPlaceCalls shareCalls = {
	.idleSince = shareIdleSince,
	.giveWay = shareGiveWay,
};

static struct hdShareLimits shareLimits(const struct ptService *service,
					long places)
{
	const struct ptSiteLimits *limits = &service->site->limits;

	return (struct hdShareLimits){
		.places = (size_t)places,
		.ownerPercent = (unsigned int)limits->userShare,
		.addressPercent = (unsigned int)limits->addressShare,
	};
}

void ptShareSetup(struct ptService *service)
{
	const struct ptSiteLimits *limits = &service->site->limits;

	service->places.limits = shareLimits(service, limits->clients);
	service->places.pendingMax = (size_t)limits->clients;
	service->places.patienceNs = limits->idleNs;
}

void ptShareOpen(struct ptClient *client, const struct sockaddr *address)
{
	hdPlaceOpen(&client->service->places, &client->place, &shareCalls,
		    client->connection.fd, address);
}

const char *ptShareCount(struct ptClient *client)
{
	static const char *const texts[] = {
		[HD_SHARE_FREE] = NULL,
		[HD_SHARE_OWNER] = "too many counters and streams of this user",
		[HD_SHARE_ADDRESS] =
			"too many counters and streams of this address",
		[HD_SHARE_KEPT] =
			"too many counters and streams; the other ones are "
			"kept for root and users with tokens",
		[HD_SHARE_ALL] = "too many counters and streams of all clients",
	};
	const struct ptService *service = client->service;
	const struct hdShareLimits limits =
		shareLimits(service, service->site->limits.counters);

	return texts[hdPlaceTake(&client->place, &limits)];
}

void ptShareUncount(struct ptClient *client)
{
	hdPlaceGive(&client->place);
}
