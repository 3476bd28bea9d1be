/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Addresses to listen at, and networks, as configurations have them.
 */
#ifndef HD_ADDRESS_H
#define HD_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/** An address to listen at. */
struct hdAddress {
	const char *text; /**< As configured. */
	struct sockaddr_storage storage;
	socklen_t length;
	bool isLocal; /**< Loopback, or a Unix socket. */
};

/** Hosts that share the first bits of their address. */
struct hdNetwork {
	int family;
	unsigned char address[16];
	unsigned int bits;
};

/**
 * Read an address: "unix:PATH", "ADDRESS:PORT", "[ADDRESS]:PORT", or "PORT" at
 * this host.
 *
 * @retval -EINVAL It is none.
 */
int hdAddressParse(const char *text, struct hdAddress *address);

/**
 * Read a network: "ADDRESS/BITS", or "ADDRESS".
 *
 * @retval -EINVAL It is none.
 */
int hdNetworkParse(const char *text, struct hdNetwork *network);

/** What is this host; changed by tests only, which need others. */
extern struct hdNetwork hdNetworkLoopbacks[2];

/** Tell whether an address lies in a network. */
bool hdNetworkHas(const struct hdNetwork *network,
		  const struct sockaddr *address);

/** Tell whether two addresses are of one host, as far as that can be told: by
 * IPv6 it has all that share 64 bits, and a Unix socket has one. */
bool hdAddressIsSameHost(const struct sockaddr *a, const struct sockaddr *b);

/** Copy an address, as far as its family has bytes. */
void hdAddressCopy(struct sockaddr_storage *copy,
		   const struct sockaddr *address);

/** Write an address for messages: "192.0.2.1:6526", "[::1]:6526"; of a Unix
 * socket "this host". */
void hdAddressText(const struct sockaddr *address, char *text, size_t size);

/** Tell whether an address is of this host: loopback, or a Unix socket. */
bool hdAddressIsLocal(const struct sockaddr *address);

#endif
