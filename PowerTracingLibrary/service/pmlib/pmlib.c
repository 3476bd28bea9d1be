/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pmlib: its requests, and counters; see pmlib.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/access.h"
#include "PowerTracingLibrary/service/pmlib/pmlib.h"
#include "PowerTracingLibrary/service/protocols.h"
#include "PowerTracingLibrary/service/shares.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

#define NS_PER_MS INT64_C(1000000)

/* How often is looked whether the last readings have come. */
#define WAIT_NS NS_PER_MS
/* How often a client may ask. */
static const struct hdRateLimit pmlibRate = { 1000, 2000 };
/* Bytes of the mask of lines. */
#define MASK_SIZE (PT_PMLIB_LINES / 8)

struct ptPmlib *ptPmlibOf(const struct ptClient *client)
{
	return client->session;
}

void ptPmlibAnswer(struct ptClient *client, int32_t number)
{
	unsigned char bytes[4];

	ptWirePut32(bytes, &number, 1);
	hdConnectionSend(&client->connection, bytes, sizeof(bytes));
}

/* Answer that something is refused, and end. */
static void pmlibEnd(struct ptClient *client)
{
	ptPmlibAnswer(client, -1);
	client->connection.isOver = true;
}

static int32_t pmlibNumber(const struct ptClient *client, size_t at)
{
	return (int32_t)ptWireGet32(client->connection.in.bytes + at, 0);
}

/* ---- Counters ---------------------------------------------------------- */

/* Choose the lines of a mask. Those that the client must not see are ignored,
 * as those that there are not. */
static void pmlibChoose(struct ptClient *client, struct ptServed *served,
			const unsigned char *mask, size_t size)
{
	struct ptPmlib *session = ptPmlibOf(client);
	const struct ptSiteDevice *device = ptServedSite(served);
	bool isEmpty = true;

	for (size_t i = 0; i < size; i++)
		isEmpty = isEmpty && mask[i] == 0;
	session->lineCount = 0;
	for (size_t i = 0; i < ptPmlibLineCount(served); i++) {
		bool isNamed = i / 8 < size && (mask[i / 8] >> i % 8 & 1);

		if ((isNamed || isEmpty) &&
		    ptClientSees(client, device->lines[i].node))
			session->lines[session->lineCount++] = i;
	}
}

/* Find a device that the client may see; says if there is none. */
static struct ptServed *pmlibFind(struct ptClient *client,
				  const unsigned char *name, size_t length)
{
	char text[PT_SITE_NAME_MAX] = "";
	struct ptServed *served = NULL;

	if (length < sizeof(text) && !memchr(name, '\0', length)) {
		memcpy(text, name, length);
		served = ptServiceFind(client->service, text);
	}
	if (served && ptPmlibSees(client, served))
		return served;
	ptClientRefuse(client, "%s device \"%.*s\"",
		       served ? "hidden" : "unknown",
		       length < 60 ? (int)length : 60, (const char *)name);
	return NULL;
}

static bool pmlibRateIsOne(struct ptClient *client, int32_t frequency)
{
	if (frequency < 0)
		ptClientRefuse(client, "%d Hz", (int)frequency);
	return frequency >= 0;
}

static void pmlibCreate(struct ptClient *client, struct ptServed *served,
			int32_t frequency, bool isAggregate,
			const unsigned char *mask, size_t maskSize)
{
	struct ptPmlib *session = ptPmlibOf(client);
	const char *why;

	if (!served || !pmlibRateIsOne(client, frequency)) {
		pmlibEnd(client);
		return;
	}
	pmlibChoose(client, served, mask, maskSize);
	why = ptShareCount(client);
	if (why) {
		ptClientRefuse(client, "%s", why);
		pmlibEnd(client);
		return;
	}
	session->counter = ptCounterCreate(
		served, &client->account, session->lines, session->lineCount,
		isAggregate, ptClientEvery(client, served, frequency));
	if (!session->counter) {
		ptShareUncount(client);
		ptMessage(HD_LOG_WARNING, "%s: out of memory for a counter",
			  client->connection.peer);
		pmlibEnd(client);
		return;
	}
	ptPmlibAnswer(client, 0);
}

static void pmlibStart(struct ptClient *client, bool continues)
{
	struct ptPmlib *session = ptPmlibOf(client);
	int ret = ptCounterStart(session->counter, continues);

	if (ret == -ENOMEM || ret == -EDQUOT)
		ptClientRefuse(client,
			       "out of memory for the readings of a counter");
	ptPmlibAnswer(client, ret == 0 ? 0 : -1);
}

static void pmlibStop(struct ptClient *client)
{
	int ret = ptCounterStop(ptPmlibOf(client)->counter);

	if (ret == -EDQUOT)
		ptClientRefuse(client, "a counter reached its limit of "
				       "readings before it was stopped");
	ptPmlibAnswer(client, ret == 0 ? 0 : -1);
}

static void pmlibGetNow(struct ptClient *client)
{
	struct ptPmlib *session = ptPmlibOf(client);
	int32_t head[3];
	const int32_t *sets;
	unsigned char bytes[12];
	int ret = ptCounterCollect(session->counter, &head[0], &sets, &head[1]);
	unsigned char *room;

	session->isGetting = false;
	client->connection.messageNs =
		client->connection.in.used > 0 ? hdMonotonicNow() : 0;
	if (ret < 0) {
		ptClientRefuse(client,
			       "the readings of a counter cannot be sent: %s",
			       strerror(-ret));
		ptPmlibAnswer(client, -1);
		return;
	}
	head[2] = ptCounterLines(session->counter);
	ptWirePut32(bytes, head, 3);
	hdConnectionSend(&client->connection, bytes, sizeof(bytes));
	room = hdConnectionRoom(&client->connection, 4 * (size_t)head[1]);
	if (!room)
		return;
	ptWirePut32(room, sets, (size_t)head[1]);
	hdConnectionPut(&client->connection, 4 * (size_t)head[1]);
	session->isSending = true;
}

static void pmlibDue(struct ptClient *client, int64_t nowNs)
{
	struct ptPmlib *session = ptPmlibOf(client);
	bool isComplete = !session->counter ||
			  ptCounterIsComplete(session->counter, nowNs);

	if (!isComplete)
		ptClientDue(client, nowNs + WAIT_NS);
	else if (session->isGetting)
		pmlibGetNow(client);
}

static void pmlibGet(struct ptClient *client)
{
	struct ptPmlib *session = ptPmlibOf(client);

	if (ptCounterIsActive(session->counter)) {
		ptPmlibAnswer(client, -1);
		return;
	}
	session->isGetting = true;
	pmlibDue(client, hdMonotonicNow());
}

/* An operation of a connection that has a counter. */
static void pmlibOfCounter(struct ptClient *client, int32_t operation)
{
	switch (operation) {
	case PT_PMLIB_START:
	case PT_PMLIB_CONTINUE:
		pmlibStart(client, operation == PT_PMLIB_CONTINUE);
		break;
	case PT_PMLIB_STOP:
		pmlibStop(client);
		/* So that it ends even if nobody asks for it. */
		pmlibDue(client, hdMonotonicNow());
		break;
	case PT_PMLIB_GET:
		pmlibGet(client);
		break;
	case PT_PMLIB_FINALIZE:
		ptPmlibAnswer(client, 0);
		client->connection.isOver = true;
		break;
	default:
		ptPmlibAnswer(client, -1);
		break;
	}
}

/* ---- Requests ---------------------------------------------------------- */

/* Length of the name that a request has behind its operation; -1 if it has not
 * come, -2 if it cannot be one. */
static long pmlibNameLength(const struct ptClient *client)
{
	int32_t length;

	if (client->connection.in.used < 8)
		return -1;
	length = pmlibNumber(client, 4);
	if (length < 0 || length > PT_PMLIB_NAME_MAX)
		return -2;
	return client->connection.in.used < 8 + (size_t)length ? -1 : length;
}

/* Take a CREATE; false if not all of it has come. */
static bool pmlibTakeCreate(struct ptClient *client, size_t length)
{
	size_t at = 8 + length;
	int32_t frequency, size;
	bool isAggregate;

	if (client->connection.in.used < at + 12)
		return false;
	frequency = pmlibNumber(client, at);
	isAggregate = pmlibNumber(client, at + 4) != 0;
	size = pmlibNumber(client, at + 8);
	if (size < 0 || size > MASK_SIZE) {
		ptClientRefuse(client, "invalid mask of %d bytes", (int)size);
		pmlibEnd(client);
		return true;
	}
	if (client->connection.in.used < at + 12 + (size_t)size)
		return false;
	pmlibCreate(client,
		    pmlibFind(client, client->connection.in.bytes + 8, length),
		    frequency, isAggregate,
		    client->connection.in.bytes + at + 12, (size_t)size);
	hdConnectionTake(&client->connection, at + 12 + (size_t)size);
	return true;
}

static void pmlibTakeInfo(struct ptClient *client, size_t length)
{
	struct ptServed *served =
		pmlibFind(client, client->connection.in.bytes + 8, length);

	hdConnectionTake(&client->connection, 8 + length);
	if (served)
		ptPmlibInfo(client, served);
	else
		ptPmlibAnswer(client, -1);
	client->connection.isOver = true;
}

static bool pmlibTakeRead(struct ptClient *client, size_t length)
{
	struct ptServed *served;
	int32_t frequency;

	if (client->connection.in.used < 12 + length)
		return false;
	served = pmlibFind(client, client->connection.in.bytes + 8, length);
	frequency = pmlibNumber(client, 8 + length);
	hdConnectionTake(&client->connection, 12 + length);
	if (!served || !pmlibRateIsOne(client, frequency))
		pmlibEnd(client);
	else
		ptPmlibRead(client, served, frequency);
	return true;
}

/* The first request of a connection. */
static bool pmlibTakeFirst(struct ptClient *client, int32_t operation)
{
	long length;

	if (operation == PT_PMLIB_LIST || operation == PT_PMLIB_STATUS) {
		hdConnectionTake(&client->connection, 4);
		if (operation == PT_PMLIB_LIST)
			ptPmlibList(client);
		else
			ptPmlibStatus(client);
		client->connection.isOver = true;
		return true;
	}
	if (operation != PT_PMLIB_CREATE && operation != PT_PMLIB_INFO &&
	    operation != PT_PMLIB_READ) {
		ptClientRefuse(client, "operation %d without a counter",
			       (int)operation);
		pmlibEnd(client);
		return true;
	}
	length = pmlibNameLength(client);
	if (length == -1)
		return false;
	if (length == -2) {
		ptClientRefuse(client, "invalid name of %d bytes",
			       (int)pmlibNumber(client, 4));
		pmlibEnd(client);
		return true;
	}
	if (operation == PT_PMLIB_CREATE)
		return pmlibTakeCreate(client, (size_t)length);
	if (operation == PT_PMLIB_READ)
		return pmlibTakeRead(client, (size_t)length);
	pmlibTakeInfo(client, (size_t)length);
	return true;
}

/* Begin a session; false if there is none. */
static bool pmlibBegin(struct ptClient *client)
{
	const char *why = ptAccessForbidsPmlib(client);

	if (client->session)
		return true;
	if (!why)
		why = hdPlaceAdmit(&client->place);
	if (why) {
		ptClientRefuse(client, "%s", why);
		pmlibEnd(client);
		return false;
	}
	client->session = calloc(1, sizeof(struct ptPmlib));
	if (!client->session)
		pmlibEnd(client);
	return client->session != NULL;
}

/* Whether it asks too often: the rest of what came waits, but no longer than
 * it must. A request that comes in parts is looked at for each part. */
static bool pmlibIsPaused(struct ptClient *client)
{
	int64_t now = hdMonotonicNow();

	if (hdRateIsFree(&client->rate, now)) {
		hdRateTake(&client->rate, &pmlibRate, now);
		return false;
	}
	client->connection.messageNs = 0;
	ptClientDue(client, client->rate.nextNs);
	return true;
}

static bool pmlibReceive(struct ptClient *client)
{
	struct ptPmlib *session;
	int32_t operation;

	if (!pmlibBegin(client))
		return false;
	session = ptPmlibOf(client);
	if (session->isGetting || session->isSending) {
		/* Whoever sends more before he has his answer may wait. */
		client->connection.messageNs = 0;
		return false;
	}
	if (client->connection.in.used < 4)
		return false;
	operation = pmlibNumber(client, 0);
	if (!session->watched && pmlibIsPaused(client))
		return false;
	if (session->watched) {
		/* "I have got it", from those who say so; 0 is the end. */
		client->connection.isOver = operation == 0;
		hdConnectionTake(&client->connection, 4);
		return true;
	}
	if (!session->counter)
		return pmlibTakeFirst(client, operation);
	hdConnectionTake(&client->connection, 4);
	pmlibOfCounter(client, operation);
	return true;
}

static bool pmlibFill(struct ptClient *client)
{
	struct ptPmlib *session = ptPmlibOf(client);
	const struct ptSiteDialect *dialect = &client->service->site->dialect;
	const struct ptCounterForm form = {
		.isFloat = dialect->isFloat,
		.isSetMajor = dialect->isSetMajor,
	};
	size_t size = hdConnectionLeft(&client->connection);
	unsigned char *room;

	if (!session || !session->isSending)
		return false;
	room = hdConnectionRoom(&client->connection, size);
	if (!room)
		return false;
	size = ptCounterPut(session->counter, &form, room, size);
	hdConnectionPut(&client->connection, size);
	if (size > 0)
		return true;
	session->isSending = false;
	client->connection.messageNs =
		client->connection.in.used > 0 ? hdMonotonicNow() : 0;
	/* What came meanwhile is to be looked at. */
	return client->connection.in.used >= 4;
}

static bool pmlibCheck(struct ptClient *client, const struct ptServed *ending)
{
	struct ptPmlib *session = ptPmlibOf(client);
	struct ptServed *served;

	if (!session)
		return true;
	served = session->counter ? ptCounterServed(session->counter)
				  : session->watched;
	if (!served)
		return true;
	if (ending)
		return served != ending;
	if (ptAccessForbidsPmlib(client) || !ptPmlibSees(client, served))
		return false;
	for (size_t i = 0; i < session->lineCount; i++)
		if (!ptClientSees(client, ptServedSite(served)
						  ->lines[session->lines[i]]
						  .node))
			return false;
	return true;
}

static bool pmlibOwes(const struct ptClient *client)
{
	const struct ptPmlib *session = ptPmlibOf(client);

	return session && (session->isSending || session->isGetting ||
			   (client->connection.in.used >= 4 &&
			    !hdRateIsFree(&client->rate, hdMonotonicNow())));
}

static bool pmlibIsBusy(const struct ptClient *client)
{
	const struct ptPmlib *session = ptPmlibOf(client);

	return session &&
	       (session->watched || pmlibOwes(client) ||
		(session->counter && ptCounterIsActive(session->counter)));
}

static void pmlibDestroy(struct ptClient *client)
{
	struct ptPmlib *session = ptPmlibOf(client);

	if (!session)
		return;
	if (session->counter) {
		ptCounterDestroy(session->counter);
		ptShareUncount(client);
	}
	if (session->watched)
		ptServedWatch(session->watched, -1);
	free(session);
	client->session = NULL;
}

const struct ptProtocol ptPmlib = {
	.name = "pmlib",
	.receive = pmlibReceive,
	.fill = pmlibFill,
	.due = pmlibDue,
	.news = ptPmlibReadMore,
	.check = pmlibCheck,
	.isBusy = pmlibIsBusy,
	.owes = pmlibOwes,
	.destroy = pmlibDestroy,
};
