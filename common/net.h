/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Connections to other processes: addresses, connecting, and waiting.
 *
 * No call waits for longer than its caller wants, whatever name servers and
 * networks do. Deadlines are those of CLOCK_MONOTONIC in nanoseconds. Sockets
 * do not block and are closed by exec().
 */
#ifndef HD_NET_H
#define HD_NET_H

#include <stdbool.h>
#include <stdint.h>

/** Longest name of a host, with the terminating zero. */
#define HD_NET_HOST_MAX 256
/** Longest number of a port, with the terminating zero. */
#define HD_NET_PORT_MAX 6

/** Problems of connections in messages: "HOST: cannot connect: REASON". */
#define HD_NET_TEXT_CONNECT "cannot connect"
#define HD_NET_TEXT_LOST "connection lost"
#define HD_NET_TEXT_CLOSED HD_NET_TEXT_LOST ": closed by the server"
#define HD_NET_TEXT_TIMEOUT "timed out"

/**
 * Take "HOST:PORT", "[HOST]:PORT" or, where there is a default, "HOST",
 * "[HOST]" or an IPv6 address without brackets apart.
 *
 * @param standard The port where none is given; 0 if one must be.
 *
 * @retval -EINVAL It is none of these.
 */
int hdNetSplit(const char *text, unsigned int standard,
	       char host[HD_NET_HOST_MAX], char port[HD_NET_PORT_MAX]);

struct addrinfo;

/** A host whose addresses are being found, or have been. */
struct hdNetSearch;

/**
 * Begin to find all addresses of a host.
 *
 * Numbers are found at once; for a name there is a thread, which says when it
 * is done, and is left behind if nobody waits for that.
 *
 * @param[out] result To be given to hdNetSearchFree().
 *
 * @retval -EINVAL It is too long.
 * @retval -ENOMEM (Or -EAGAIN, -EMFILE: there can be no thread.)
 */
int hdNetSearchBegin(const char *host, const char *port,
		     struct hdNetSearch **result);

/** Whether they are found, or cannot be. */
bool hdNetSearchIsDone(const struct hdNetSearch *search);

/** Get what becomes readable then, and stays so; -1: it was done at once. */
int hdNetSearchFd(const struct hdNetSearch *search);

/**
 * Get what was found; in the order in which the addresses are to be tried.
 *
 * @param[out] why A text that says why there is none.
 *
 * @return As long as the search; NULL: there is no such host, or the search is
 * not done.
 */
const struct addrinfo *hdNetSearchList(const struct hdNetSearch *search,
				       const char **why);

/** Forget it; takes NULL. */
void hdNetSearchFree(struct hdNetSearch *search);

/** Longest address in numbers, with the terminating zero. */
#define HD_NET_ADDRESS_MAX 64

/**
 * Find the address of a host, in numbers: the first one it has.
 *
 * A name is looked up by a thread, which is left behind if it takes too long.
 *
 * @param[out] address "192.0.2.1", or "2001:db8::1".
 * @param[out] why A text that says why it failed.
 *
 * @retval -ENOENT There is no such host.
 * @retval -ETIMEDOUT The deadline came.
 * @retval -EINTR @p wakeFd is readable.
 */
int hdNetLookup(const char *host, int wakeFd, int64_t deadlineNs,
		char address[HD_NET_ADDRESS_MAX], const char **why);

/**
 * Connect to a host by TCP: to the first of its addresses that answers.
 *
 * A name is looked up by a thread, which is left behind if it takes too long.
 *
 * @param wakeFd As of hdNetWait().
 * @param[out] fd The socket. Small messages are sent at once, and a peer that
 *        vanishes is noticed within some 10 s, also while nothing is sent.
 * @param[out] why A text that says why it failed.
 *
 * @retval -ENOENT There is no such host.
 * @retval -ETIMEDOUT The deadline came.
 * @retval -EINTR wakeFd is readable.
 * @retval -ECONNREFUSED (Or any other error of a socket.)
 */
int hdNetConnect(const char *host, const char *port, int wakeFd,
		 int64_t deadlineNs, int *fd, const char **why);

/**
 * Connect to a Unix socket.
 *
 * @retval -ENAMETOOLONG No such socket can be.
 * @retval -ENOENT There is none. (Or any other error, as above.)
 */
int hdNetConnectPath(const char *path, int wakeFd, int64_t deadlineNs, int *fd);

/**
 * Wait for events of a file descriptor.
 *
 * @param fd Or -1, to wait for nothing.
 * @param events As of poll().
 * @param wakeFd Checked first, or -1.
 * @return What came, as of poll().
 * @retval -ETIMEDOUT Nothing until the deadline.
 * @retval -EINTR wakeFd is readable.
 */
int hdNetWait(int fd, short events, int wakeFd, int64_t deadlineNs);

#endif
