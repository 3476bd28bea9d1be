/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pmlib: the questions that need no counter; see pmlib.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/service/pmlib/pmlib.h"
#include "PowerTracingLibrary/service/protocols.h"

size_t ptPmlibLineCount(const struct ptServed *served)
{
	size_t count = ptServedSite(served)->lineCount;

	return count < PT_PMLIB_LINES ? count : PT_PMLIB_LINES;
}

bool ptPmlibSees(const struct ptClient *client, const struct ptServed *served)
{
	const struct ptSiteDevice *device = ptServedSite(served);

	for (size_t i = 0; i < ptPmlibLineCount(served); i++)
		if (ptClientSees(client, device->lines[i].node))
			return true;
	return false;
}

int32_t ptPmlibRate(const struct ptClient *client, struct ptServed *served)
{
	double rate = 1e9 / (double)ptClientCycle(client, served);

	return rate < 1 ? 1 : (int32_t)lround(rate);
}

static void infoText(struct ptClient *client, const char *text)
{
	size_t length = strlen(text);

	ptPmlibAnswer(client, (int32_t)length);
	hdConnectionSend(&client->connection, text, length);
}

void ptPmlibList(struct ptClient *client)
{
	const struct ptService *service = client->service;
	int32_t count = 0;

	for (size_t i = 0; i < service->deviceCount; i++)
		count += ptPmlibSees(client, service->devices[i]);
	if (service->site->dialect.isListCounted)
		ptPmlibAnswer(client, count);
	for (size_t i = 0; i < service->deviceCount; i++)
		if (ptPmlibSees(client, service->devices[i]))
			infoText(client,
				 ptServedSite(service->devices[i])->name);
}

/* The number of lines up to the last that a client sees: those behind it are
 * not there, those before it have numbers. */
static size_t infoLineCount(const struct ptClient *client,
			    const struct ptServed *served)
{
	size_t count = ptPmlibLineCount(served);

	while (count > 0 &&
	       !ptClientSees(client,
			     ptServedSite(served)->lines[count - 1].node))
		count--;
	return count;
}

void ptPmlibInfo(struct ptClient *client, struct ptServed *served)
{
	ptPmlibAnswer(client, ptPmlibRate(client, served));
	ptPmlibAnswer(client, (int32_t)infoLineCount(client, served));
	infoText(client, ptServedSite(served)->name);
}

/* ---- STATUS ------------------------------------------------------------ */

/* Find the node of the lines that a client sees; tells whether these belong to
 * several, as those of a PDU. */
static bool statusIsPdu(const struct ptClient *client,
			const struct ptSiteDevice *device, const char **node)
{
	*node = NULL;
	for (size_t i = 0; i < device->lineCount; i++) {
		const char *other = device->lines[i].node;

		if (!ptClientSees(client, other))
			continue;
		if (*node && strcmp(*node, other) != 0)
			return true;
		*node = other;
	}
	return false;
}

static void pmlibInfoStatusLine(struct ptClient *client,
				const struct ptSiteLine *line, size_t number,
				bool isPdu)
{
	float voltage = isnan(line->voltage) ? 0 : (float)line->voltage;
	unsigned char bytes[4];

	ptPmlibAnswer(client, (int32_t)number);
	infoText(client, line->name);
	ptWirePut32(bytes, &voltage, 1);
	hdConnectionSend(&client->connection, bytes, sizeof(bytes));
	infoText(client, line->description);
	if (isPdu)
		infoText(client, line->node);
}

/* Whether somebody has a counter of a device that the client may know of: its
 * own user's, or any one's where there are no users. */
static bool statusHas(const struct ptClient *client,
		      const struct ptClient *other,
		      const struct ptServed *served)
{
	const struct ptPmlib *session =
		other->protocol == &ptPmlib ? ptPmlibOf(other) : NULL;

	return session && session->counter &&
	       ptCounterServed(session->counter) == served &&
	       (client->service->site->userCount == 0 ||
		strcmp(client->user, other->user) == 0);
}

static void pmlibInfoStatusCounters(struct ptClient *client,
				    const struct ptServed *served)
{
	int32_t count = 0, id = 0;

	for (struct ptClient *c = client->service->clients; c; c = c->next)
		count += statusHas(client, c, served);
	ptPmlibAnswer(client, count);
	for (struct ptClient *c = client->service->clients; c; c = c->next) {
		const struct ptPmlib *session;

		if (!statusHas(client, c, served))
			continue;
		session = ptPmlibOf(c);
		ptPmlibAnswer(client, ++id);
		infoText(client, c->connection.peer);
		ptPmlibAnswer(client, (int32_t)session->lineCount);
		for (size_t i = 0; i < session->lineCount; i++)
			ptPmlibAnswer(client, (int32_t)session->lines[i]);
	}
}

static void pmlibInfoStatusDevice(struct ptClient *client,
				  struct ptServed *served)
{
	const struct ptSiteDevice *device = ptServedSite(served);
	const char *node;
	bool isPdu = statusIsPdu(client, device, &node);
	int32_t lines = 0;

	for (size_t i = 0; i < ptPmlibLineCount(served); i++)
		lines += ptClientSees(client, device->lines[i].node);
	infoText(client, device->name);
	ptPmlibAnswer(client, ptPmlibRate(client, served));
	ptPmlibAnswer(client, lines);
	ptPmlibAnswer(client, isPdu);
	if (!isPdu)
		infoText(client, node ? node : "");
	for (size_t i = 0; i < ptPmlibLineCount(served); i++)
		if (ptClientSees(client, device->lines[i].node))
			pmlibInfoStatusLine(client, &device->lines[i], i,
					    isPdu);
	pmlibInfoStatusCounters(client, served);
}

void ptPmlibStatus(struct ptClient *client)
{
	const struct ptService *service = client->service;
	int32_t count = 0;

	for (size_t i = 0; i < service->deviceCount; i++)
		count += ptPmlibSees(client, service->devices[i]);
	ptPmlibAnswer(client, count);
	for (size_t i = 0; i < service->deviceCount; i++)
		if (ptPmlibSees(client, service->devices[i]))
			pmlibInfoStatusDevice(client, service->devices[i]);
}

/* ---- READ -------------------------------------------------------------- */

/* Write the values of all lines; those that must not be seen are NaN. */
static size_t readPut(const struct ptClient *client,
		      const struct ptSiteDevice *device, size_t count,
		      const double *values, unsigned char *bytes)
{
	bool isFloat = client->service->site->dialect.isFloat;
	int32_t number = (int32_t)count;

	ptWirePut32(bytes, &number, 1);
	for (size_t i = 0; i < count; i++) {
		const struct ptSiteLine *line = &device->lines[i];
		double value = ptClientSees(client, line->node)
				       ? values[line->values[0].column]
				       : NAN;
		float single = (float)value;

		if (isFloat)
			ptWirePut32(bytes + 4 + 4 * i, &single, 1);
		else
			ptWirePut64(bytes + 4 + 8 * i, &value, 1);
	}
	return 4 + (isFloat ? 4 : 8) * count;
}

/* Send the last reading, if it is time for one. */
static void readSend(struct ptClient *client)
{
	struct ptPmlib *session = ptPmlibOf(client);
	const struct ptSiteDevice *device;
	struct ptStored reading;
	double values[PT_WIRE_COLUMNS_MAX * 2];
	unsigned char bytes[4 + 8 * PT_PMLIB_LINES];
	uint64_t number;

	device = ptServedSite(session->watched);
	if (device->config.columnCount > sizeof(values) / sizeof(values[0]))
		return;
	number = ptStoreLast(ptServedStore(session->watched), &reading, values);
	if (number == 0 ||
	    (session->seen && number < session->seen + session->every))
		return;
	session->seen = number;
	hdConnectionSend(&client->connection, bytes,
			 readPut(client, device,
				 infoLineCount(client, session->watched),
				 values, bytes));
}

void ptPmlibRead(struct ptClient *client, struct ptServed *served,
		 int32_t frequency)
{
	struct ptPmlib *session = ptPmlibOf(client);
	int32_t rate = ptPmlibRate(client, served);

	if (frequency > rate) {
		ptPmlibAnswer(client, -2);
		ptPmlibAnswer(client, rate);
		client->connection.isOver = true;
		return;
	}
	session->every = ptClientEvery(client, served, frequency);
	session->watched = served;
	ptServedWatch(served, 1);
	ptPmlibAnswer(client, 0);
	readSend(client);
}

void ptPmlibReadMore(struct ptClient *client)
{
	const struct ptPmlib *session = ptPmlibOf(client);

	/* Who does not read gets the latest later. */
	if (session && session->watched &&
	    client->connection.sent == client->connection.out.used)
		readSend(client);
}
