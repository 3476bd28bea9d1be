/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether all ranks have libhdMPI in them; see presence.h. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "MPITracingLibrary/src/host/hydra.h"
#include "MPITracingLibrary/src/host/keyvalue.h"
#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/host/presence.h"
#include "common/environment.h"

/* Processes above this one that are looked at for a launcher. */
#define PARENTS_MAX 32

static struct {
	int fd;         /* -1: not announced, */
	bool hasFailed; /* though that was tried. */
	int localSize;
	bool isByKeys; /* Ranks are on several hosts. */
	char run[64];  /* Of the launcher: names this run on this host. */
} presence = { .fd = -1 };

/* ---- What the launcher says --------------------------------------------- */

/* The number in the first variable that is set; -1: none is. */
static int presenceNumber(const char *const *names)
{
	for (; *names; names++) {
		const char *text = hdEnvironmentText(*names);

		if (text)
			return atoi(text);
	}
	return -1;
}

static int presenceRank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK",
					     NULL };

	return presenceNumber(names);
}

static int presenceLocalSize(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_LOCAL_SIZE",
					     "MPI_LOCALNRANKS", NULL };

	return presenceNumber(names);
}

/* The parent of a process, and its name; 0: there is none. */
static long presenceParent(long pid, char name[32])
{
	char path[64], line[256] = "";
	const char *open, *close;
	long parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	open = strchr(line, '(');
	close = strrchr(line, ')');
	if (!open || !close || sscanf(close + 1, " %*c %ld", &parent) != 1)
		return 0;
	snprintf(name, 32, "%.*s", (int)(close - open - 1), open + 1);
	return parent;
}

/* MPICH's launcher has no name for a run; but one process for each host. */
static long presenceProxy(void)
{
	long pid = (long)getppid();
	char name[32] = "";

	for (int i = 0; i < PARENTS_MAX && pid > 1; i++) {
		long parent = presenceParent(pid, name);

		if (strncmp(name, "hydra_pmi_proxy", 15) == 0)
			return pid;
		pid = parent;
	}
	return 0;
}

/* Whether the ranks are on several hosts, by a launcher that has a key-value
 * space. */
static bool presenceIsSpread(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					     NULL };

	return presence.localSize > 0 &&
	       presenceNumber(names) > presence.localSize &&
	       (HDMPI_IS_OPENMPI ? hdEnvironmentText("PMIX_NAMESPACE") != NULL
				 : presenceProxy() != 0);
}

static bool presenceFindRun(void)
{
	const char *name = hdEnvironmentText("PMIX_NAMESPACE");
	long proxy = name ? 0 : presenceProxy();

	if (name)
		snprintf(presence.run, sizeof(presence.run), "%s", name);
	else if (proxy)
		snprintf(presence.run, sizeof(presence.run), "%ld", proxy);
	return *presence.run;
}

/* ---- Announcing, and looking -------------------------------------------- */

static void presenceName(int rank, struct sockaddr_un *name)
{
	memset(name, 0, sizeof(*name));
	name->sun_family = AF_UNIX;
	snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1,
		 "hdtrace-rank-%ld-%s-%d", (long)getuid(), presence.run, rank);
}

void hdmpiPresenceAnnounce(void)
{
	struct sockaddr_un name;
	int rank = presenceRank(), saved = errno;

	presence.localSize = presenceLocalSize();
	if (rank >= 0 && presenceIsSpread()) {
		presence.isByKeys = HDMPI_IS_OPENMPI ? hdmpiKeyValueAnnounce()
						     : hdmpiHydraAnnounce(rank);
		errno = saved;
		return;
	}
	if (rank < 0 || presence.localSize < 2 || !presenceFindRun())
		return;
	presence.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	presenceName(rank, &name);
	if (presence.fd >= 0 &&
	    bind(presence.fd, (struct sockaddr *)&name, sizeof(name)) < 0)
		hdmpiPresenceEnd();
	presence.hasFailed = presence.fd < 0;
	errno = saved;
}

/* By the key-value space; Open MPI's may have to be waited for. */
static bool presenceHasKey(int rank, bool waits)
{
	return HDMPI_IS_OPENMPI ? hdmpiKeyValueIsThere(rank, waits)
				: hdmpiHydraIsThere(rank);
}

static bool presenceIsThere(int fd, int rank)
{
	struct sockaddr_un name;

	if (presence.isByKeys)
		return presenceHasKey(rank, false);
	presenceName(rank, &name);
	return connect(fd, (struct sockaddr *)&name, sizeof(name)) == 0 ||
	       errno != ECONNREFUSED;
}

/* On several hosts: once one is missing that was waited for, all others have
 * come. */
static int presenceMissingSpread(int size, int *missing)
{
	int count = 0;

	for (int rank = 0; rank < size; rank++)
		if (!presenceHasKey(rank, false) &&
		    (count > 0 || !presenceHasKey(rank, true)))
			missing[count++] = rank;
	return count;
}

int hdmpiPresenceMissing(int size, int *missing)
{
	int fd, count = 0, saved = errno;

	if (presence.isByKeys)
		return presenceMissingSpread(size, missing);
	if ((presence.fd < 0 && !presence.hasFailed) ||
	    presence.localSize != size)
		return 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (int rank = 0; fd >= 0 && rank < size; rank++)
		if (!presenceIsThere(fd, rank))
			missing[count++] = rank;
	if (fd >= 0)
		close(fd);
	/* The others miss it, and will not wait for it. */
	if (fd < 0 && presence.hasFailed) {
		missing[0] = presenceRank();
		count = 1;
	}
	errno = saved;
	return count;
}

void hdmpiPresenceLeave(void)
{
	/* What is in the key-value space stays there. */
	if (presence.isByKeys && HDMPI_IS_OPENMPI)
		hdmpiKeyValueEnd();
	else if (presence.isByKeys)
		hdmpiHydraEnd();
	presence.isByKeys = false;
}

void hdmpiPresenceEnd(void)
{
	hdmpiPresenceLeave();
	if (presence.fd >= 0)
		close(presence.fd);
	presence.fd = -1;
}
