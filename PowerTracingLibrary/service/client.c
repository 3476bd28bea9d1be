/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A client of the service; see client.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/service/access.h"
#include "PowerTracingLibrary/service/protocols.h"
#include "PowerTracingLibrary/service/shares.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

/* ---- What its connection asks ------------------------------------------ */

/* Find out what is spoken; false if that is nothing we know, or not yet. */
static bool clientDetect(struct ptClient *client)
{
	const unsigned char *bytes = client->connection.in.bytes;

	if (client->connection.in.used < HD_FRAME_MAGIC_SIZE)
		return false;
	if (memcmp(bytes, PT_WIRE_MAGIC, HD_FRAME_MAGIC_SIZE) == 0)
		client->protocol = &ptNative;
	else if (bytes[0] <= 9 && !bytes[1] && !bytes[2] && !bytes[3])
		client->protocol = &ptPmlib;
	client->connection.isKnown = client->protocol != NULL;
	if (client->protocol)
		return true;
	ptClientRefuse(client, "unknown protocol");
	hdConnectionClose(&client->connection);
	return false;
}

static bool serviceClientOnInput(struct hdConnection *connection)
{
	struct ptClient *client = (struct ptClient *)(void *)connection;

	if (!client->protocol && !clientDetect(client))
		return false;
	return client->protocol->receive(client);
}

static bool serviceClientOnDrained(struct hdConnection *connection)
{
	struct ptClient *client = (struct ptClient *)(void *)connection;

	return client->protocol && client->protocol->fill &&
	       client->protocol->fill(client);
}

static bool serviceClientIsBusy(const struct hdConnection *connection)
{
	const struct ptClient *client = (const void *)connection;

	return client->protocol && client->protocol->isBusy(client);
}

static bool serviceClientOwesReply(const struct hdConnection *connection)
{
	const struct ptClient *client = (const void *)connection;

	return client->protocol && client->protocol->owes(client);
}

static void serviceClientRefuse(struct hdConnection *connection,
				const char *why)
{
	ptClientRefuse((struct ptClient *)(void *)connection, "%s", why);
}

static void serviceClientOnClose(struct hdConnection *connection)
{
	struct ptClient *client = (struct ptClient *)(void *)connection;
	struct ptService *service = client->service;

	if (client->protocol)
		client->protocol->destroy(client);
	*client->link = client->next;
	if (client->next)
		client->next->link = client->link;
	client->next = service->dead;
	service->dead = client;
	__atomic_sub_fetch(&service->clientCount, 1, __ATOMIC_RELAXED);
	hdPlaceClose(&client->place);
}

static const struct hdConnectionCalls clientCalls = {
	.take = serviceClientOnInput,
	.fill = serviceClientOnDrained,
	.isBusy = serviceClientIsBusy,
	.owes = serviceClientOwesReply,
	.refuse = serviceClientRefuse,
	.closed = serviceClientOnClose,
};

void ptClientSetup(struct ptService *service)
{
	service->connections = (struct hdConnectionSetup){
		.calls = &clientCalls,
		.loop = &service->loop,
		.tls = &service->tls,
		.inMax = PT_CLIENT_IN,
		.outMax = PT_CLIENT_OUT,
		.answerMax = PT_CLIENT_ANSWER_MAX,
	};
}

void ptClientSweep(struct ptClient *client, int64_t nowNs)
{
	const struct ptSiteLimits *limits = &client->service->site->limits;
	const struct ptProtocol *protocol = client->protocol;
	const char *why = hdConnectionLate(&client->connection, nowNs,
					   limits->timeoutNs, limits->idleNs);

	/* However often it says something. */
	if (!why && !client->place.isAdmitted &&
	    nowNs - client->place.sinceNs > limits->timeoutNs)
		why = "timed out before authentication";
	if (!why)
		return;
	ptClientRefuse(client, "%s", why);
	if (protocol && protocol->end && !client->connection.progressNs)
		protocol->end(client);
	hdConnectionClose(&client->connection);
}

/* ---- Begin and end ----------------------------------------------------- */

void ptClientCreate(struct ptService *service, int fd,
		    const struct sockaddr *address)
{
	struct ptClient *client = calloc(1, sizeof(*client));

	if (!client)
		ptMessage(HD_LOG_WARNING, "out of memory; client rejected");
	if (!client || hdConnectionOpen(&client->connection,
					&service->connections, fd) < 0) {
		free(client);
		close(fd);
		return;
	}
	client->service = service;
	ptShareOpen(client, address);
	client->account.limit = service->site->limits.clientMemory;
	ptAccessFind(client, address);
	client->link = &service->clients;
	client->next = service->clients;
	if (client->next)
		client->next->link = &client->next;
	service->clients = client;
	__atomic_add_fetch(&service->clientCount, 1, __ATOMIC_RELAXED);
	service->accepted++;
}

void ptClientFree(struct ptClient *client)
{
	hdConnectionFree(&client->connection);
	free(client);
}

void ptClientDue(struct ptClient *client, int64_t atNs)
{
	client->dueNs = atNs;
	if (client->service->dueNs == 0 || atNs < client->service->dueNs)
		client->service->dueNs = atNs;
}
