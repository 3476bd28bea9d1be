/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses to listen at, and networks; see address.h. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "net/address.h"

struct hdNetwork hdNetworkLoopbacks[2] = {
	{ AF_INET, { 127 }, 8 },
	{ AF_INET6, { [15] = 1 }, 128 },
};

/* Read digits only. */
static int addressNumber(const char *text, unsigned long max,
			 unsigned long *number)
{
	if (!*text || text[strspn(text, "0123456789")] || strlen(text) > 5)
		return -EINVAL;
	*number = strtoul(text, NULL, 10);
	return *number <= max ? 0 : -EINVAL;
}

static int addressUnix(const char *path, struct hdAddress *address)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&address->storage;

	if (*path != '/' || strlen(path) >= sizeof(un->sun_path))
		return -EINVAL;
	un->sun_family = AF_UNIX;
	strcpy(un->sun_path, path);
	address->length = sizeof(*un);
	address->isLocal = true;
	return 0;
}

static int addressHost(const char *host, uint16_t port,
		       struct hdAddress *address)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&address->storage;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->storage;

	if (inet_pton(AF_INET, host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		address->length = sizeof(*in);
	} else if (inet_pton(AF_INET6, host, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		address->length = sizeof(*in6);
	} else {
		return -EINVAL;
	}
	address->isLocal =
		hdAddressIsLocal((const struct sockaddr *)&address->storage);
	return 0;
}

int hdAddressParse(const char *text, struct hdAddress *address)
{
	const char *colon = strrchr(text, ':'), *begin = text, *end = colon;
	char host[INET6_ADDRSTRLEN];
	unsigned long port;

	*address = (struct hdAddress){ .text = text };
	if (strncmp(text, "unix:", 5) == 0)
		return addressUnix(text + 5, address);
	if (addressNumber(colon ? colon + 1 : text, 65535, &port) < 0)
		return -EINVAL;
	if (!colon)
		return addressHost("127.0.0.1", (uint16_t)port, address);
	if (*text == '[') {
		if (colon - text < 3 || colon[-1] != ']')
			return -EINVAL;
		begin++;
		end--;
	} else if (memchr(text, ':', (size_t)(colon - text))) {
		/* Nobody knows where such an address ends. */
		return -EINVAL;
	}
	if ((size_t)(end - begin) >= sizeof(host))
		return -EINVAL;
	memcpy(host, begin, (size_t)(end - begin));
	host[end - begin] = '\0';
	return addressHost(host, (uint16_t)port, address);
}

int hdNetworkParse(const char *text, struct hdNetwork *network)
{
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	char host[INET6_ADDRSTRLEN];
	unsigned long bits = 0;

	if (length >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, length);
	host[length] = '\0';
	if (inet_pton(AF_INET, host, network->address) == 1) {
		network->family = AF_INET;
		bits = 32;
	} else if (inet_pton(AF_INET6, host, network->address) == 1) {
		network->family = AF_INET6;
		bits = 128;
	} else {
		return -EINVAL;
	}
	if (slash && addressNumber(slash + 1, bits, &bits) < 0)
		return -EINVAL;
	network->bits = (unsigned int)bits;
	return 0;
}

/* The bytes of an address; one of IPv4 that came as IPv6 is of IPv4. */
static const unsigned char *addressBytes(const struct sockaddr *address,
					 int *family)
{
	const struct sockaddr_in6 *in6 =
		(const struct sockaddr_in6 *)(const void *)address;
	const struct sockaddr_in *in =
		(const struct sockaddr_in *)(const void *)address;

	*family = address->sa_family;
	if (*family == AF_INET)
		return (const unsigned char *)&in->sin_addr;
	if (*family != AF_INET6)
		return NULL;
	if (!IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		return (const unsigned char *)&in6->sin6_addr;
	*family = AF_INET;
	return (const unsigned char *)&in6->sin6_addr + 12;
}

bool hdNetworkHas(const struct hdNetwork *network,
		  const struct sockaddr *address)
{
	int family;
	const unsigned char *bytes = addressBytes(address, &family);
	size_t whole = network->bits / 8;
	unsigned int rest = network->bits % 8;

	if (!bytes || family != network->family ||
	    memcmp(bytes, network->address, whole) != 0)
		return false;
	return rest == 0 ||
	       (bytes[whole] ^ network->address[whole]) >> (8 - rest) == 0;
}

bool hdAddressIsLocal(const struct sockaddr *address)
{
	return address->sa_family == AF_UNIX ||
	       hdNetworkHas(&hdNetworkLoopbacks[0], address) ||
	       hdNetworkHas(&hdNetworkLoopbacks[1], address);
}

bool hdAddressIsSameHost(const struct sockaddr *a, const struct sockaddr *b)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;

	if (a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	if (a->sa_family == AF_INET6)
		return memcmp(&a6->sin6_addr, &b6->sin6_addr, 8) == 0;
	return true;
}

void hdAddressCopy(struct sockaddr_storage *copy,
		   const struct sockaddr *address)
{
	memcpy(copy, address,
	       address->sa_family == AF_INET6  ? sizeof(struct sockaddr_in6)
	       : address->sa_family == AF_INET ? sizeof(struct sockaddr_in)
					       : sizeof(sa_family_t));
}

void hdAddressText(const struct sockaddr *address, char *text, size_t size)
{
	const struct sockaddr_in6 *in6 =
		(const struct sockaddr_in6 *)(const void *)address;
	const struct sockaddr_in *in =
		(const struct sockaddr_in *)(const void *)address;
	char host[INET6_ADDRSTRLEN] = "?";

	if (address->sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
		snprintf(text, size, "[%s]:%u", host, ntohs(in6->sin6_port));
	} else if (address->sa_family == AF_INET) {
		inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
		snprintf(text, size, "%s:%u", host, ntohs(in->sin_port));
	} else {
		snprintf(text, size, "this host");
	}
}
