/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What devices a server has: LIST and INFO. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/pm/src/pm.h"

/* What nobody's list of devices exceeds. */
#define LIST_MAX (4 << 20)
/* The longest name that servers take; their own are shorter. */
#define NAME_MAX_SENT 1023

/* ---- LIST -------------------------------------------------------------- */

/* Count names that fill the bytes to the end; -1 if they do not. A number is no
 * name, however it is looked at. */
static int countNames(const unsigned char *bytes, size_t size)
{
	int count = 0;

	while (size > 0) {
		int32_t length;

		if (size < 4 ||
		    pmGetInt(&pmFieldLength, NULL, bytes, &length) < 0 ||
		    (size_t)length > size - 4 ||
		    pmCheckText(&pmFieldName, NULL, bytes + 4, (size_t)length) <
			    0)
			return -1;
		bytes += 4 + (size_t)length;
		size -= 4 + (size_t)length;
		count++;
	}
	return count;
}

/* Copy names that were counted. */
static int copyNames(const unsigned char *bytes, int count, char ***list)
{
	char **names = calloc(count > 0 ? (size_t)count : 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	for (int i = 0; i < count; i++) {
		int32_t length = 0;

		/* In its range, as it was when they were counted. */
		pmGetInt(&pmFieldLength, NULL, bytes, &length);
		names[i] = strndup((const char *)bytes + 4, (size_t)length);
		if (!names[i]) {
			pmListFree(names, i);
			return -ENOMEM;
		}
		bytes += 4 + length;
	}
	*list = names;
	return 0;
}

int pmParseList(const unsigned char *bytes, size_t size, char ***list,
		int *count, bool *isCounted)
{
	int names, ret;
	int32_t number;

	/* An empty reply is that of a server without a number. */
	*isCounted = size >= 4 &&
		     pmGetInt(&pmFieldCount, NULL, bytes, &number) == 0 &&
		     countNames(bytes + 4, size - 4) == number;
	if (*isCounted) {
		bytes += 4;
		size -= 4;
	}
	names = countNames(bytes, size);
	if (names < 0)
		return -EPROTO;
	ret = copyNames(bytes, names, list);
	if (ret == 0)
		*count = names;
	return ret;
}

void pmListFree(char **list, int count)
{
	for (int i = 0; list && i < count; i++)
		free(list[i]);
	free(list);
}

int pmList(const server_t *server, char ***list, int *count, bool *isCounted)
{
	unsigned char *bytes = NULL;
	size_t size = 0;
	bool hasEnded = false;
	int fd, ret = pmConnect(server, &fd);

	if (ret < 0)
		return ret;
	ret = pmSendInt(fd, PM_LIST);
	if (ret == 0)
		ret = pmReceiveAll(fd, LIST_MAX, &bytes, &size, &hasEnded);
	close(fd);
	if (ret == 0)
		ret = pmParseList(bytes, size, list, count, isCounted);
	free(bytes);
	/* Half a list is nonsense only if there is no more to come. */
	if (ret == -EPROTO && !hasEnded)
		ret = -ETIMEDOUT;
	if (ret == -EPROTO)
		pmLog(HD_LOG_ERROR, "%s: invalid list of devices of %zu bytes",
		      server->server_ip, size);
	return ret;
}

int pm_get_devices(server_t server, char ***list, int *count)
{
	int saved = errno;
	bool isCounted;

	pmBegin();
	if (!list || !count)
		return pmResult(-EINVAL, saved);
	return pmResult(pmList(&server, list, count, &isCounted), saved);
}

/* ---- INFO -------------------------------------------------------------- */

static int askInfo(int fd, const char *id, size_t length)
{
	struct pmRequest request;
	int ret = pmRequestBegin(&request, PM_INFO, 4 + length);

	if (ret < 0)
		return ret;
	pmRequestBytes(&request, id, length);
	return pmRequestSend(&request, fd);
}

/* Receive the answer but for the name. */
static int takeInfo(int fd, const char *id, device_t *device)
{
	int32_t frequency, lines;
	int ret = pmReceiveInt(fd, &pmFieldRate, id, &frequency);

	if (ret < 0)
		return ret;
	if (frequency == -1) {
		pmLog(HD_LOG_ERROR, "the server has no device \"%s\"", id);
		return -EREMOTEIO;
	}
	ret = pmReceiveInt(fd, &pmFieldNumber, id, &lines);
	if (ret < 0)
		return ret;
	device->max_frecuency = frequency;
	device->n_lines = lines;
	return 0;
}

/* Receive the name that the server has for the device. */
static int pmDevicesReceiveName(int fd, const char *id, device_t *device)
{
	unsigned char *bytes = NULL;
	size_t used;
	int32_t length;
	int ret = pmReceiveInt(fd, &pmFieldLength, id, &length);

	if (ret == 0)
		ret = pmReceiveMore(fd, &bytes, 0, (size_t)length);
	if (ret < 0)
		return ret;
	used = strnlen((const char *)bytes, (size_t)length);
	ret = pmCheckText(&pmFieldText, id, bytes, used);
	if (ret == 0) {
		device->name = strndup((const char *)bytes, used);
		ret = device->name ? 0 : -ENOMEM;
	}
	free(bytes);
	return ret;
}

/* Ask, and take the name as well if that is wanted. */
static int info(const server_t *server, const char *id, bool withName,
		device_t *device)
{
	size_t length = strlen(id);
	int fd, ret;

	if (length > NAME_MAX_SENT) {
		pmLog(HD_LOG_ERROR, "device name too long: %zu bytes", length);
		return -EINVAL;
	}
	ret = pmConnect(server, &fd);
	if (ret < 0)
		return ret;
	ret = askInfo(fd, id, length);
	if (ret == 0)
		ret = takeInfo(fd, id, device);
	if (ret == 0 && withName)
		ret = pmDevicesReceiveName(fd, id, device);
	close(fd);
	return ret;
}

int pmInfo(const server_t *server, const char *id, device_t *device)
{
	return info(server, id, false, device);
}

int pm_get_device_info(server_t server, const char *id, device_t *device)
{
	int saved = errno, ret;
	device_t found;

	pmBegin();
	if (!id || !device)
		return pmResult(-EINVAL, saved);
	ret = info(&server, id, true, &found);
	if (ret == 0)
		*device = found;
	return pmResult(ret, saved);
}
