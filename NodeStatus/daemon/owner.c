/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose process is at the other end of a connection of this host: the kernel
 * says it of Unix sockets, and lists the owners of TCP sockets. */
#include "config.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "NodeStatus/daemon/parts.h"

static bool isOurs(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static bool ownerOfUnix(int fd)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) ==
		       0 &&
	       isOurs(credentials.uid);
}

/* An address as /proc/net/tcp and tcp6 have it: words as they lie in memory,
 * and the port. */
static void procAddress(const struct sockaddr_storage *address, char *text,
			size_t size)
{
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;
	uint32_t words[4];

	if (address->ss_family == AF_INET) {
		snprintf(text, size, "%08" PRIX32 ":%04X", in->sin_addr.s_addr,
			 ntohs(in->sin_port));
		return;
	}
	memcpy(words, &in6->sin6_addr, sizeof(words));
	snprintf(text, size,
		 "%08" PRIX32 "%08" PRIX32 "%08" PRIX32 "%08" PRIX32 ":%04X",
		 words[0], words[1], words[2], words[3], ntohs(in6->sin6_port));
}

/* Find the socket that goes from the peer to us, and its owner: of one that is
 * open, since one that was closed belongs to nobody, and is listed as root's.
 */
static bool ownerIn(const char *path, const char *from, const char *to)
{
	FILE *file = fopen(path, "re");
	char line[512], local[64], remote[64];
	unsigned int state, uid;
	unsigned long inode;
	bool found = false;

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line,
			       "%*u: %63s %63s %x %*x:%*x %*x:%*x %*x %u %*u "
			       "%lu",
			       local, remote, &state, &uid, &inode) == 5 &&
			state == TCP_ESTABLISHED && inode != 0 &&
			strcmp(local, from) == 0 && strcmp(remote, to) == 0;
	fclose(file);
	return found && isOurs(uid);
}

bool nodeOwnerIsOurs(int fd, const struct sockaddr_storage *peer)
{
	struct sockaddr_storage own = { 0 };
	socklen_t size = sizeof(own);
	char from[64], to[64];

	if (peer->ss_family == AF_UNIX)
		return ownerOfUnix(fd);
	if (getsockname(fd, (struct sockaddr *)&own, &size) < 0 ||
	    own.ss_family != peer->ss_family)
		return false;
	procAddress(peer, from, sizeof(from));
	procAddress(&own, to, sizeof(to));
	return ownerIn(peer->ss_family == AF_INET ? "/proc/net/tcp"
						  : "/proc/net/tcp6",
		       from, to);
}
