/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what clients say to the power service, in both protocols. The
 * first byte says how the rest is cut into pieces; whatever it is, nothing may
 * be left of it, and who comes after is served.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "PowerTracingLibrary/service/core/client.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memoryfile.h"

/* A driver that is never read: readings are put into the store. */
static const struct ptQuantity quantities[] = {
	{ "P", DOUBLE, "W", "Power", "power" },
	{ "E", DOUBLE, "J", "Energy", "energy", .kind = HD_KIND_DELTA },
	{ NULL, DOUBLE, NULL, NULL, NULL },
};

static int fuzzResolve(const struct ptSetup *setup, const char *channel,
		       size_t index, unsigned int *number,
		       char label[PT_CHANNEL_MAX], char *why, size_t whySize)
{
	(void)setup;
	(void)channel;
	(void)why;
	(void)whySize;
	if (index > 2)
		return -ENOENT;
	*number = (unsigned int)index;
	label[0] = (char)('a' + index);
	label[1] = '\0';
	return 0;
}

static int fuzzOpen(struct ptDevice *dev, struct ptColumn *columns,
		    size_t count)
{
	(void)dev;
	(void)columns;
	(void)count;
	return 0;
}

static void fuzzClose(struct ptDevice *dev)
{
	(void)dev;
}

static const struct ptDriver driver = {
	.name = "fuzz",
	.timing = PT_TIMED_BY_METER,
	.quantities = quantities,
	.minCycleMs = 1,
	.maxCycleMs = 1000,
	.resolve = fuzzResolve,
	.open = fuzzOpen,
	.close = fuzzClose,
};

static const char config[] =
	"[Server]\nlisten=unix:/dev/null/no\nclientMemory=1\n"
	"[Device]\nname=D\ndriver=fuzz\ncycle=10\n"
	"[Line]\ndevice=D\nnode=n1\nchannel=*\nvalues=P,E\n";

/* A service without sockets: clients are brought to it. */
static struct ptService *begin(void)
{
	static const struct ptDriver *const drivers[] = { &driver, NULL };
	static struct ptService service;
	struct ptRequest request = { .drivers = drivers, .root = "" };
	struct ptServedContext context = { .root = "", .wakeFd = -1 };

	request.file = memoryFile(config, sizeof(config) - 1);
	hdLogSetLevel(&ptLogger, HD_LOG_NONE);
	must(ptSiteRead(&request, &service.site) == 0);
	must(ptServiceInit(&service) == 0);
	service.memory.limit = service.site->limits.memory;
	context.memory = &service.memory;
	service.devices = calloc(1, sizeof(struct ptServed *));
	must(service.devices != NULL);
	must(ptServedCreate(service.site, &service.site->devices[0], &context,
			    &service.devices[0]) == 0);
	service.deviceCount = 1;
	return &service;
}

static void addReading(struct ptServed *served)
{
	static int64_t count;
	double values[6] = { (double)count, 1, 2, 3, 4, 5 };
	struct ptStored reading = { .length = 10000000 };

	reading.wall = hdClockNow();
	reading.mono = INT64_MAX / 2 + count++;
	ptStoreAdd(ptServedStore(served), &reading, values);
}

/* Read what the service says, so that it can go on. */
static void drain(int fd)
{
	char bytes[65536];

	while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ptService *service;
	const struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t piece = size > 0 && data[0] ? data[0] : SIZE_MAX, at = 1;
	int fds[2];

	if (!service)
		service = begin();
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
			fds) == 0);
	ptClientCreate(service, fds[1], (const struct sockaddr *)&address);
	while (at < size) {
		size_t some = size - at < piece ? size - at : piece;
		ssize_t sent = send(fds[0], data + at, some, MSG_NOSIGNAL);

		if (sent < 0)
			break;
		at += (size_t)sent;
		addReading(service->devices[0]);
		ptServiceStep(service, 0);
		drain(fds[0]);
	}
	shutdown(fds[0], SHUT_WR);
	for (int i = 0; i < 20 && service->clientCount > 0; i++) {
		ptServiceStep(service, 0);
		drain(fds[0]);
	}
	close(fds[0]);
	while (service->clientCount > 0)
		ptServiceStep(service, 10);
	must(ptAccountUsed(&service->memory) == 0);
	must(service->places.extras == 0);
	return 0;
}
