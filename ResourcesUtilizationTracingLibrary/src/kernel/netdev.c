/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network interfaces; see netdev.h. */
#include "config.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "ResourcesUtilizationTracingLibrary/src/kernel/netdev.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "common/clock.h"
#include "common/machine/netdevice.h"

/* The external interfaces are those that are hardware; without any, what may
 * be a way out. */
void rutNetDevClassify(struct rutNetDev *netdev)
{
	bool hasHardware = false;

	for (size_t i = 0; i < netdev->count; i++) {
		struct rutNetIf *netif = &netdev->list[i];

		netif->isExternal = hdNetDeviceOf(netdev->root, netif->name) ==
				    HD_NET_HARDWARE;
		hasHardware = hasHardware || netif->isExternal;
	}
	for (size_t i = 0; !hasHardware && i < netdev->count; i++)
		netdev->list[i].isExternal =
			hdNetDeviceOf(netdev->root, netdev->list[i].name) ==
			HD_NET_WAY_OUT;
}

struct rutNetIf *rutNetDevAdd(struct rutNetDev *netdev,
			      const struct hdWord *name)
{
	struct rutNetIf *netif;

	if (netdev->count == netdev->size) {
		size_t size = netdev->size ? 2 * netdev->size : 8;
		struct rutNetIf *list =
			realloc(netdev->list, size * sizeof(*list));

		if (!list)
			return NULL;
		netdev->list = list;
		netdev->size = size;
	}
	netif = &netdev->list[netdev->count++];
	memset(netif, 0, sizeof(*netif));
	memcpy(netif->name, name->bytes, name->length);
	return netif;
}

/* Find an interface; it mostly is where it is expected. */
static struct rutNetIf *netFind(struct rutNetDev *netdev,
				const struct hdWord *name, size_t *hint)
{
	for (size_t i = 0; i < netdev->count; i++) {
		size_t at = (*hint + i) % netdev->count;

		if (hdWordIs(name, netdev->list[at].name)) {
			*hint = at + 1;
			return &netdev->list[at];
		}
	}
	return NULL;
}

/* A line: "  eth0: bytes packets errs drop fifo frame compressed multicast
 * bytes packets errs drop fifo colls carrier compressed". */
static bool netParseLine(struct hdScan *scan, struct hdWord *name,
			 uint64_t *counts, size_t countsUsed)
{
	static const unsigned char columns[RUT_NET_COUNTS] = { 0, 8,  1, 9,
							       2, 10, 3, 11 };
	/* Of the last of them; nothing behind it is needed. */
	size_t last = columns[countsUsed - 1];
	uint64_t numbers[12];

	if (!hdScanWord(scan, ':', name) || !hdScanLiteral(scan, ":") ||
	    name->length >= sizeof(((struct rutNetIf *)0)->name) ||
	    !hdScanNumbers(scan, numbers, last + 1))
		return false;
	for (size_t i = 0; i < countsUsed; i++)
		counts[i] = numbers[columns[i]];
	return true;
}

/* The index of an interface by its name, which another one may get; 0 where
 * nobody tells. Of a machine that is shown by files there is a file. */
static int netIndex(const struct rutNetDev *netdev, const char *name)
{
	struct ifreq request = { .ifr_ifindex = 0 };
	struct rutFile file;
	struct hdScan scan;
	uint64_t number = 0;

	if (!*netdev->root) {
		memcpy(request.ifr_name, name, strlen(name) + 1);
		if (netdev->socket < 0 ||
		    ioctl(netdev->socket, SIOCGIFINDEX, &request) != 0)
			return 0;
		return request.ifr_ifindex;
	}
	if (rutFileGet(&file, &scan, netdev->root, "/sys/class/net/%s/ifindex",
		       name) < 0)
		return 0;
	hdScanNumber(&scan, &number);
	rutFileClose(&file);
	return (int)number;
}

static void netLose(struct rutNetDev *netdev, struct rutNetIf *netif)
{
	for (size_t i = 0; i < netdev->countsUsed; i++)
		hdCounterLose(&netif->counters[i]);
}

/* No interface has more than 8 Tbit/s. */
static const struct hdCounterLaw netBytes = { .rate = 1e12 };
static const struct hdCounterLaw netPackets = { .rate = 1e10 };

/* Follow the counters of an interface. */
static void netFollow(struct rutNetDev *netdev, struct rutNetIf *netif,
		      enum rutWhy why, const uint64_t *counts)
{
	int index = netIndex(netdev, netif->name);

	if (index != netif->index)
		netLose(netdev, netif);
	netif->index = index;
	netif->isPresent = true;
	for (size_t i = 0; i < netdev->countsUsed; i++)
		rutCounterRead(&netif->counters[i],
			       i <= RUT_NET_BYTES_OUT ? &netBytes : &netPackets,
			       why, counts[i], netdev->readNs);
}

static void netTakeLines(struct rutNetDev *netdev, enum rutWhy why,
			 struct hdScan *scan)
{
	size_t hint = 0;

	do {
		uint64_t counts[RUT_NET_COUNTS];
		struct rutNetIf *netif;
		struct hdWord name;

		if (!netParseLine(scan, &name, counts, netdev->countsUsed))
			continue;
		netif = netFind(netdev, &name, &hint);
		if (!netif)
			netif = rutNetDevAdd(netdev, &name);
		if (netif)
			netFollow(netdev, netif, why, counts);
	} while (hdScanNextLine(scan));
}

bool rutNetDevRead(struct rutNetDev *netdev, enum rutWhy why)
{
	size_t known = netdev->count;
	struct hdScan scan;
	bool isRead;

	if (netdev->read)
		return netdev->read(netdev, why);
	netdev->readNs = hdMonotonicNow();
	isRead = rutFileRead(&netdev->file, &scan) == 0;
	for (size_t i = 0; i < known; i++)
		netdev->list[i].isPresent = false;
	if (isRead)
		netTakeLines(netdev, why, &scan);
	/* Without a line of it nobody knows what an interface has counted. */
	for (size_t i = 0; i < known; i++)
		if (!netdev->list[i].isPresent)
			netLose(netdev, &netdev->list[i]);
	if (netdev->count > known)
		rutNetDevClassify(netdev);
	return isRead;
}

int rutNetDevOpen(struct rutNetDev *netdev, const char *root, size_t countsUsed)
{
	int ret;

	*netdev = (struct rutNetDev){ .root = root,
				      .file = RUT_FILE_NONE,
				      .socket = -1,
				      .countsUsed = countsUsed };
	if (!*root)
		netdev->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (netdev->socket >= 0)
		hdOwnedSet(&netdev->owned, netdev->socket);
	ret = rutFileOpen(&netdev->file, root, "/proc/net/dev");
	if (ret < 0)
		return ret;
	rutNetDevRead(netdev, RUT_WHY_BEGIN);
	for (size_t i = 0; i < netdev->count; i++)
		rutMessage(HD_LOG_INFO, "network interface %s%s",
			   netdev->list[i].name,
			   netdev->list[i].isExternal ? ", external" : "");
	return 0;
}

void rutNetDevClose(struct rutNetDev *netdev)
{
	rutFileClose(&netdev->file);
	if (netdev->socket >= 0)
		hdOwnedClose(&netdev->owned, netdev->socket);
	free(netdev->list);
	netdev->list = NULL;
	netdev->count = 0;
}
