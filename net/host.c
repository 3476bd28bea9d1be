/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name by which an HTTP client has found this host; see host.h. */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "net/host.h"

/* Longest name of a host. */
#define HOST_MAX 255

static bool hostIsAddress(const char *name)
{
	struct in_addr four;
	struct in6_addr six;

	return inet_pton(AF_INET, name, &four) == 1 ||
	       inet_pton(AF_INET6, name, &six) == 1;
}

/* Copy a name without its port, and an address without its brackets. */
static bool hostWithoutPort(const char *header, char *name)
{
	const char *begin = header + (*header == '[');
	size_t length = strcspn(begin, *header == '[' ? "]" : ":");

	if (length == 0 || length > HOST_MAX)
		return false;
	memcpy(name, begin, length);
	name[length] = '\0';
	return true;
}

bool hdHostIsOurs(const char *header, const char *own)
{
	size_t first = strcspn(own, ".");
	char name[HOST_MAX + 1];

	if (!header)
		return true;
	if (!hostWithoutPort(header, name))
		return false;
	return hostIsAddress(name) || strcasecmp(name, "localhost") == 0 ||
	       (first > 0 && strcspn(name, ".") == first &&
		strncasecmp(name, own, first) == 0);
}
