/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a server says of the lines of a device: STATUS. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/pm/src/pm.h"

/* What no server's status exceeds. */
#define STATUS_MAX (16 << 20)

/* A reply that is being read; once it was wrong all is empty. */
struct status {
	const char *culprit;
	const unsigned char *at;
	size_t left;
	bool isBad;
};

static const unsigned char *statusBytes(struct status *status, size_t size)
{
	const unsigned char *at = status->at;

	if (status->isBad || size > status->left) {
		status->isBad = true;
		return NULL;
	}
	status->at += size;
	status->left -= size;
	return at;
}

static int32_t statusInt(struct status *status, const struct hdField *field)
{
	const unsigned char *at = statusBytes(status, 4);
	int32_t number;

	if (at && pmGetInt(field, status->culprit, at, &number) == 0)
		return number;
	status->isBad = true;
	return 0;
}

/* A number of things, each of which has some bytes at least. */
static int32_t statusCount(struct status *status, const struct hdField *field,
			   size_t least)
{
	int32_t count = statusInt(status, field);

	if ((size_t)count > status->left / least) {
		status->isBad = true;
		return 0;
	}
	return count;
}

static const char *statusText(struct status *status, size_t *length)
{
	size_t size = (size_t)statusCount(status, &pmFieldLength, 1);
	const unsigned char *at = statusBytes(status, size);

	*length = at ? strnlen((const char *)at, size) : 0;
	if (at && pmCheckText(&pmFieldText, status->culprit, at, *length) < 0) {
		status->isBad = true;
		return NULL;
	}
	return (const char *)at;
}

static void statusSkipText(struct status *status)
{
	size_t length;

	statusText(status, &length);
}

/* A line; its name is taken if there is a place for it. */
static int pmStatusReadLine(struct status *status, bool isPdu, char **names)
{
	int32_t number = statusInt(status, &pmFieldLine);
	size_t length;
	const char *text = statusText(status, &length);
	const unsigned char *volts = statusBytes(status, 4);

	if (volts && pmCheckArray(&pmFieldVolts, status->culprit, volts, 1) < 0)
		status->isBad = true;
	statusSkipText(status);
	if (isPdu)
		statusSkipText(status);
	if (status->isBad)
		return -EPROTO;
	if (!names || number >= PM_LINES_MAX || names[number])
		return 0;
	names[number] = strndup(text, length);
	return names[number] ? 0 : -ENOMEM;
}

static void pmStatusReadCounters(struct status *status)
{
	int32_t counters = statusCount(status, &pmFieldCount, 12);

	for (int32_t i = 0; i < counters && !status->isBad; i++) {
		statusBytes(status, 4); /* Its number, which nobody needs. */
		statusSkipText(status);
		statusBytes(status,
			    4 * (size_t)statusCount(status, &pmFieldCount, 4));
	}
}

/* A device; tells by @p isIt whether it was the wanted one. */
static int pmStatusReadDevice(struct status *status, const char *device,
			      char **names, bool *isIt)
{
	size_t length;
	const char *text = statusText(status, &length);
	bool isWanted = text && length == strlen(device) &&
			memcmp(text, device, length) == 0;
	int32_t lines;
	bool isPdu;
	int ret = 0;

	statusInt(status, &pmFieldRate);
	/* Before the lines comes what is no part of them. */
	lines = statusInt(status, &pmFieldNumber);
	isPdu = statusInt(status, &pmFieldYes) != 0;
	if (!isPdu)
		statusSkipText(status);
	for (int32_t i = 0; ret == 0 && i < lines && !status->isBad; i++)
		ret = pmStatusReadLine(status, isPdu, isWanted ? names : NULL);
	pmStatusReadCounters(status);
	*isIt = *isIt || isWanted;
	return status->isBad && ret == 0 ? -EPROTO : ret;
}

int pmParseStatus(const unsigned char *bytes, size_t size, const char *device,
		  char *names[PM_LINES_MAX])
{
	struct status status = { device, bytes, size, false };
	int32_t devices = statusCount(&status, &pmFieldCount, 20);
	bool isThere = false;
	int ret = status.isBad ? -EPROTO : 0;

	memset(names, 0, PM_LINES_MAX * sizeof(*names));
	for (int32_t i = 0; ret == 0 && !isThere && i < devices; i++)
		ret = pmStatusReadDevice(&status, device, names, &isThere);
	if (ret == 0 && !isThere)
		ret = -ENODEV;
	for (int i = 0; ret < 0 && i < PM_LINES_MAX; i++) {
		free(names[i]);
		names[i] = NULL;
	}
	return ret;
}

int pmLineNames(const server_t *server, const char *device,
		char *names[PM_LINES_MAX])
{
	unsigned char *bytes = NULL;
	size_t size = 0;
	bool hasEnded;
	int fd, ret = pmConnect(server, &fd);

	if (ret < 0)
		return ret;
	ret = pmSendInt(fd, PM_STATUS);
	if (ret == 0)
		ret = pmReceiveAll(fd, STATUS_MAX, &bytes, &size, &hasEnded);
	close(fd);
	if (ret == 0)
		ret = pmParseStatus(bytes, size, device, names);
	free(bytes);
	return ret;
}
