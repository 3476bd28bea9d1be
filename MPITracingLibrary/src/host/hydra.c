/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The key-value space of MPICH's launcher; see hydra.h. */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "MPITracingLibrary/src/host/hydra.h"
#include "common/clock.h"
#include "common/environment.h"

/* Longest line of the protocol here. */
#define HYDRA_LINE 1024
/* So long an answer may take. */
#define HYDRA_WAIT_NS (10 * HD_NS_PER_S)

static struct {
	int fd;
	char space[256]; /* "" unless this process has announced itself. */
} hydra;

/* Read a line; false if none comes. */
static bool hydraRead(char *line)
{
	int64_t untilNs = hdMonotonicNow() + HYDRA_WAIT_NS;

	for (size_t length = 0; length < HYDRA_LINE - 1; length++) {
		struct pollfd ready = { .fd = hydra.fd, .events = POLLIN };
		int64_t leftNs = untilNs - hdMonotonicNow();

		if (leftNs <= 0 ||
		    poll(&ready, 1, (int)(leftNs / 1000000) + 1) <= 0 ||
		    recv(hydra.fd, line + length, 1, 0) != 1)
			return false;
		line[length + 1] = '\0';
		if (line[length] == '\n')
			return true;
	}
	return false;
}

/* Say something, and read the answer, which has to begin like this. */
static bool hydraAsk(const char *line, const char *begin, char *answer)
{
	size_t length = strlen(line);

	return send(hydra.fd, line, length, MSG_NOSIGNAL) == (ssize_t)length &&
	       hydraRead(answer) && strncmp(answer, begin, strlen(begin)) == 0;
}

/* Learn the name of the space. */
static bool hydraOpen(void)
{
	char answer[HYDRA_LINE], name[sizeof(hydra.space)];

	if (!hydraAsk("cmd=init pmi_version=1 pmi_subversion=1\n",
		      "cmd=response_to_init ", answer) ||
	    !strstr(answer, "rc=0") ||
	    !hydraAsk("cmd=get_my_kvsname\n", "cmd=my_kvsname ", answer) ||
	    sscanf(answer, "cmd=my_kvsname kvsname=%255s", name) != 1)
		return false;
	memcpy(hydra.space, name, sizeof(name));
	return true;
}

bool hdmpiHydraAnnounce(int rank)
{
	const char *descriptor = hdEnvironmentText("PMI_FD");
	char line[HYDRA_LINE], answer[HYDRA_LINE];

	hydra.fd = descriptor ? atoi(descriptor) : -1;
	if (hydra.fd < 0 || !hydraOpen())
		return false;
	snprintf(line, sizeof(line),
		 "cmd=put kvsname=%s key=hdtrace-rank-%d value=1\n",
		 hydra.space, rank);
	if (hydraAsk(line, "cmd=put_result rc=0", answer))
		return true;
	hdmpiHydraEnd();
	return false;
}

bool hdmpiHydraIsThere(int rank)
{
	char line[HYDRA_LINE], answer[HYDRA_LINE];

	snprintf(line, sizeof(line), "cmd=get kvsname=%s key=hdtrace-rank-%d\n",
		 hydra.space, rank);
	return *hydra.space && hydraAsk(line, "cmd=get_result rc=0", answer);
}

void hdmpiHydraEnd(void)
{
	*hydra.space = '\0';
}
