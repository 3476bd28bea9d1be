/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes that a machine sends and receives; see netbytes.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "PowerTracingLibrary/src/core/sysfile.h"
#include "PowerTracingLibrary/src/machine/netbytes.h"
#include "common/machine/netdevice.h"

#define NET_BYTES_TEXT_MAX 65536

int ptNetBytesOpen(struct ptNetBytes *self, const char *root)
{
	int fd = ptSysOpen(root, "/proc/net/dev");

	*self = (struct ptNetBytes){ .root = root, .fd = fd < 0 ? -1 : fd };
	if (fd < 0)
		return fd;
	ptNetBytesTake(self);
	return 0;
}

void ptNetBytesClose(struct ptNetBytes *self)
{
	if (self->fd >= 0)
		close(self->fd);
	free(self->list);
	*self = (struct ptNetBytes){ .fd = -1 };
}

static struct ptNetIf *netBytesFind(struct ptNetBytes *self, const char *name)
{
	struct ptNetIf *list;

	for (size_t i = 0; i < self->count; i++) {
		if (strcmp(self->list[i].name, name) == 0)
			return &self->list[i];
	}
	list = realloc(self->list, (self->count + 1) * sizeof(*list));
	if (!list)
		return NULL;
	self->list = list;
	list[self->count] = (struct ptNetIf){ .isNew = true };
	strcpy(list[self->count].name, name);
	list[self->count].device = (int)hdNetDeviceOf(self->root, name);
	return &list[self->count++];
}

/* "  eth0: bytes packets ... bytes packets ..." */
static void netBytesTakeLine(struct ptNetBytes *self, const char *line)
{
	unsigned long long in, out;
	struct ptNetIf *netif;
	char name[16];

	if (sscanf(line, " %15[^: ]: %llu %*u %*u %*u %*u %*u %*u %*u %llu",
		   name, &in, &out) != 3)
		return;
	netif = netBytesFind(self, name);
	if (!netif)
		return;
	/* A count that falls was reset, or another interface has the name. */
	netif->gained = netif->isNew || in + out < netif->bytes
				? 0
				: in + out - netif->bytes;
	netif->bytes = in + out;
	netif->isSeen = true;
	netif->isNew = false;
}

/* Read all: the kernel gives a page of whole lines at a time. */
static bool netBytesRead(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t got;

	do {
		got = ptSysPread(fd, text + used, size - 1 - used, (off_t)used);
		used += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && used < size - 1) || (got < 0 && errno == EINTR));
	text[used] = '\0';
	return got >= 0;
}

double ptNetBytesTake(struct ptNetBytes *self)
{
	static _Thread_local char text[NET_BYTES_TEXT_MAX];
	int counted = HD_NET_WAY_OUT;
	double sum = 0;
	size_t kept = 0;

	if (self->fd < 0 || !netBytesRead(self->fd, text, sizeof(text)))
		return NAN;
	for (size_t i = 0; i < self->count; i++)
		self->list[i].isSeen = false;
	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		netBytesTakeLine(self, at);
	}
	/* One that comes again may be another one. */
	for (size_t i = 0; i < self->count; i++) {
		if (self->list[i].isSeen)
			self->list[kept++] = self->list[i];
	}
	self->count = kept;
	for (size_t i = 0; i < self->count; i++) {
		if (self->list[i].device == HD_NET_HARDWARE)
			counted = HD_NET_HARDWARE;
	}
	for (size_t i = 0; i < self->count; i++) {
		if (self->list[i].device == counted)
			sum += (double)self->list[i].gained;
	}
	return sum;
}
