/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose process is at the other end of a connection; see owner.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/service/owner.h"

static bool ownerOfUnix(int fd, uid_t *uid)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
		return false;
	*uid = credentials.uid;
	return true;
}

/* ---- By a question about this one socket --------------------------------- */

/* What is asked, and answered. */
struct ownerAsk {
	struct nlmsghdr header;
	struct inet_diag_req_v2 request;
};
struct ownerAnswer {
	struct nlmsghdr header;
	struct inet_diag_msg socket;
};

static void ownerEnd(const struct sockaddr_storage *address, __be16 *port,
		     __be32 *words)
{
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;

	*port = address->ss_family == AF_INET ? in->sin_port : in6->sin6_port;
	if (address->ss_family == AF_INET)
		memcpy(words, &in->sin_addr, sizeof(in->sin_addr));
	else
		memcpy(words, &in6->sin6_addr, sizeof(in6->sin6_addr));
}

/* The socket that goes from the peer to us. */
static void ownerMakeAsk(struct ownerAsk *ask,
			 const struct sockaddr_storage *peer,
			 const struct sockaddr_storage *own)
{
	struct inet_diag_sockid *id = &ask->request.id;

	memset(ask, 0, sizeof(*ask));
	ask->header.nlmsg_len = sizeof(*ask);
	ask->header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	ask->header.nlmsg_flags = NLM_F_REQUEST;
	ask->request.sdiag_family = (__u8)peer->ss_family;
	ask->request.sdiag_protocol = IPPROTO_TCP;
	ask->request.idiag_states = ~0U;
	ownerEnd(peer, &id->idiag_sport, id->idiag_src);
	ownerEnd(own, &id->idiag_dport, id->idiag_dst);
	id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
}

/* 1: it is known, 0: it is nobody's, or -1: the kernel cannot be asked so. */
static int ownerAsked(const struct sockaddr_storage *peer,
		      const struct sockaddr_storage *own, uid_t *uid)
{
	static atomic_bool hasAnswered;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_SOCK_DIAG);
	struct ownerAnswer answer = { 0 };
	struct ownerAsk ask;
	ssize_t got = -1;

	if (fd < 0)
		return -1;
	ownerMakeAsk(&ask, peer, own);
	if (send(fd, &ask, sizeof(ask), 0) == (ssize_t)sizeof(ask))
		got = recv(fd, &answer, sizeof(answer), 0);
	close(fd);
	/* A kernel that cannot be asked says the same as of no socket. */
	if (got >= (ssize_t)sizeof(answer.header) &&
	    answer.header.nlmsg_type == NLMSG_ERROR)
		return hasAnswered ? 0 : -1;
	if (got < (ssize_t)sizeof(answer) ||
	    answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return -1;
	hasAnswered = true;
	*uid = answer.socket.idiag_uid;
	return answer.socket.idiag_state == TCP_ESTABLISHED &&
	       answer.socket.idiag_inode != 0;
}

/* ---- By the list of all ----------------------------------------------------
 */

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
static bool ownerIn(const char *path, const char *from, const char *to,
		    uid_t *owner)
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
	if (found)
		*owner = uid;
	return found;
}

static bool ownerListed(const struct sockaddr_storage *peer,
			const struct sockaddr_storage *own, uid_t *uid)
{
	char from[64], to[64];

	procAddress(peer, from, sizeof(from));
	procAddress(own, to, sizeof(to));
	return ownerIn(peer->ss_family == AF_INET ? "/proc/net/tcp"
						  : "/proc/net/tcp6",
		       from, to, uid);
}

bool hdOwnerOf(int fd, const struct sockaddr_storage *peer, uid_t *uid)
{
	struct sockaddr_storage own = { 0 };
	socklen_t size = sizeof(own);
	int known;

	if (peer->ss_family == AF_UNIX)
		return ownerOfUnix(fd, uid);
	if (getsockname(fd, (struct sockaddr *)&own, &size) < 0 ||
	    own.ss_family != peer->ss_family)
		return false;
	/* The list of many sockets is long, and any user may have many. */
	known = ownerAsked(peer, &own, uid);
	return known < 0 ? ownerListed(peer, &own, uid) : known == 1;
}
