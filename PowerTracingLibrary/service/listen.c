/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the service listens; see listen.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PowerTracingLibrary/service/core/client.h"
#include "PowerTracingLibrary/service/listen.h"

/* The port of pmlib. */
#define USUAL_PORT "6526"

/* Where the socket of a service usually is; false if there is no place. */
static bool listenUsualSocket(char *text, size_t size)
{
	const char *directory = getenv("RUNTIME_DIRECTORY");

	if (!directory && geteuid() == 0) {
		directory = "/run/hdtrace";
		if (mkdir(directory, 0755) < 0 && errno != EEXIST)
			return false;
	}
	if (!directory)
		directory = getenv("XDG_RUNTIME_DIR");
	return directory && *directory == '/' &&
	       snprintf(text, size, "unix:%s/pt.socket", directory) < (int)size;
}

/* Where a configuration without listen= listens. */
static size_t listenUsual(struct hdAddress addresses[2], char *text,
			  size_t size)
{
	size_t count = 0;

	if (hdAddressParse("127.0.0.1:" USUAL_PORT, &addresses[count]) == 0)
		count++;
	if (listenUsualSocket(text, size) &&
	    hdAddressParse(text, &addresses[count]) == 0)
		count++;
	return count;
}

/* The new one replaces another one, if need be. */
static bool listenHasRoom(void *context, const struct sockaddr *address)
{
	(void)context;
	(void)address;
	return true;
}

/* Without descriptors: somebody has one. */
static void listenShed(void *context)
{
	struct ptService *service = context;

	hdPlacesShed(&service->places);
}

static void listenAccepted(void *context, int fd,
			   const struct sockaddr *address)
{
	ptClientCreate(context, fd, address);
}

int ptListen(struct ptService *service, const struct ptSite *site)
{
	static const struct hdListenCalls calls = {
		.hasRoom = listenHasRoom,
		.shed = listenShed,
		.accepted = listenAccepted,
	};
	struct hdAddress usual[2];
	struct hdListenSetup setup = {
		.loop = &service->loop,
		.addresses = site->listen,
		.count = site->listenCount,
		.socketMode = site->socketMode,
		.socketGroup = site->socketGroup,
		.calls = &calls,
		.context = service,
	};
	char text[120];

	if (setup.count == 0) {
		setup.count = listenUsual(usual, text, sizeof(text));
		setup.addresses = usual;
	}
	return hdListen(&service->listeners, &setup);
}
