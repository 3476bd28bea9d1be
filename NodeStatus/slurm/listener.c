/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who listens; see listener.h. The kernel lists sockets with their owners. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "NodeStatus/slurm/listener.h"
#include "NodeStatus/wire/wire.h"
#include "common/net.h"

/** The kernel's number of sockets that listen. */
#define LISTENING 0x0a

static bool listenerIsOurs(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static enum hdslurmListener ofUnix(const char *path)
{
	struct stat status;

	if (lstat(path, &status) < 0)
		return HDSLURM_LISTENER_NONE;
	return listenerIsOurs(status.st_uid) ? HDSLURM_LISTENER_OURS
					     : HDSLURM_LISTENER_STRANGER;
}

static bool isLoopback(const char *host)
{
	return strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
	       strcmp(host, "localhost") == 0;
}

/* All that listen at a port count, whatever their address. */
static void lookIn(const char *path, unsigned int port,
		   enum hdslurmListener *found)
{
	FILE *file = fopen(path, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		unsigned int at, state, uid;

		if (sscanf(line,
			   "%*u: %*[0-9A-F]:%x %*s %x %*x:%*x %*x:%*x %*x %u",
			   &at, &state, &uid) != 3 ||
		    at != port || state != LISTENING)
			continue;
		if (!listenerIsOurs(uid))
			*found = HDSLURM_LISTENER_STRANGER;
		else if (*found == HDSLURM_LISTENER_NONE)
			*found = HDSLURM_LISTENER_OURS;
	}
	if (file)
		fclose(file);
}

enum hdslurmListener hdslurmListenerFind(const char *address)
{
	static const char local[] = "unix:";
	enum hdslurmListener found = HDSLURM_LISTENER_NONE;
	char host[HD_NET_HOST_MAX], port[HD_NET_PORT_MAX];

	if (strncmp(address, local, strlen(local)) == 0)
		return ofUnix(address + strlen(local));
	if (hdNetSplit(address, HD_NODE_WIRE_PORT, host, port) < 0)
		return HDSLURM_LISTENER_NONE;
	if (!isLoopback(host))
		return HDSLURM_LISTENER_OURS;
	lookIn("/proc/net/tcp", (unsigned int)atoi(port), &found);
	lookIn("/proc/net/tcp6", (unsigned int)atoi(port), &found);
	return found;
}
