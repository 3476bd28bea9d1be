/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network interfaces; see netdev.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/kernel/netdev.h"
#include "ResourcesUtilizationTracingLibrary/src/message.h"

/* Whether an interface stands upon others, which are counted themselves: VLANs,
 * bonds, bridges. */
static bool netIsStacked(const char *root, const char *name)
{
	char path[RUT_PATH_SIZE];
	struct dirent *entry;
	bool isStacked = false;
	DIR *directory;

	if (rutFileExists(root, "/sys/class/net/%s/bridge", name) ||
	    rutFileExists(root, "/sys/class/net/%s/bonding", name))
		return true;
	if (snprintf(path, sizeof(path), "%s/sys/class/net/%s", root, name) >=
	    (int)sizeof(path))
		return false;
	directory = opendir(path);
	if (!directory)
		return false;
	while (!isStacked && (entry = readdir(directory)))
		isStacked = strncmp(entry->d_name, "lower_", 6) == 0;
	closedir(directory);
	return isStacked;
}

static bool netIsHardware(const char *root, const char *name)
{
	return rutFileExists(root, "/sys/class/net/%s/device", name) &&
	       !netIsStacked(root, name);
}

/* Whether an interface may be the way out where there is no hardware. */
static bool netIsWayOut(const char *root, const char *name)
{
	return strcmp(name, "lo") != 0 && !netIsStacked(root, name) &&
	       !rutFileExists(root, "/sys/class/net/%s/master", name) &&
	       !rutFileExists(root, "/sys/class/net/%s/tun_flags", name);
}

/* The external interfaces are those that are hardware; without any, what may
 * be a way out: in a container this is one end of a veth pair. */
void rutNetDevClassify(struct rutNetDev *netdev)
{
	bool hasHardware = false;

	for (size_t i = 0; i < netdev->count; i++) {
		struct rutNetIf *netif = &netdev->list[i];

		netif->isExternal = netIsHardware(netdev->root, netif->name);
		hasHardware = hasHardware || netif->isExternal;
	}
	for (size_t i = 0; !hasHardware && i < netdev->count; i++)
		netdev->list[i].isExternal =
			netIsWayOut(netdev->root, netdev->list[i].name);
}

struct rutNetIf *rutNetDevAdd(struct rutNetDev *netdev,
			      const struct rutWord *name)
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
				const struct rutWord *name, size_t *hint)
{
	for (size_t i = 0; i < netdev->count; i++) {
		size_t at = (*hint + i) % netdev->count;

		if (rutWordIs(name, netdev->list[at].name)) {
			*hint = at + 1;
			return &netdev->list[at];
		}
	}
	return NULL;
}

/* A line: "  eth0: bytes packets errs drop fifo frame compressed multicast
 * bytes packets errs drop fifo colls carrier compressed". */
static bool netParseLine(struct rutScan *scan, struct rutWord *name,
			 uint64_t *counts, size_t countsUsed)
{
	static const unsigned char columns[RUT_NET_COUNTS] = { 0, 8,  1, 9,
							       2, 10, 3, 11 };
	/* Of the last of them; nothing behind it is needed. */
	size_t last = columns[countsUsed - 1];
	uint64_t numbers[12];

	if (!rutScanWord(scan, ':', name) || !rutScanLiteral(scan, ":") ||
	    name->length >= sizeof(((struct rutNetIf *)0)->name) ||
	    !rutScanNumbers(scan, numbers, last + 1))
		return false;
	for (size_t i = 0; i < countsUsed; i++)
		counts[i] = numbers[columns[i]];
	return true;
}

void rutNetDevRead(struct rutNetDev *netdev, enum rutWhy why)
{
	size_t hint = 0, known = netdev->count;
	struct rutScan scan;

	if (netdev->read) {
		netdev->read(netdev, why);
		return;
	}
	if (rutFileRead(&netdev->file, &scan) < 0)
		return;
	for (size_t i = 0; i < known; i++)
		netdev->list[i].isPresent = false;
	do {
		uint64_t counts[RUT_NET_COUNTS];
		struct rutNetIf *netif;
		struct rutWord name;

		if (!netParseLine(&scan, &name, counts, netdev->countsUsed))
			continue;
		netif = netFind(netdev, &name, &hint);
		if (!netif)
			netif = rutNetDevAdd(netdev, &name);
		if (!netif)
			continue;
		netif->isPresent = true;
		for (size_t i = 0; i < netdev->countsUsed; i++) {
			if (why == RUT_WHY_BEGIN)
				rutCounterBegin(&netif->counters[i], counts[i]);
			else
				rutCounterFollow(&netif->counters[i],
						 counts[i]);
		}
	} while (rutScanNextLine(&scan));
	/* One that vanished counts from zero when it comes again. */
	for (size_t i = 0; i < known; i++) {
		struct rutNetIf *netif = &netdev->list[i];

		for (size_t j = 0; !netif->isPresent && j < netdev->countsUsed;
		     j++)
			netif->counters[j].raw = 0;
	}
	if (netdev->count > known)
		rutNetDevClassify(netdev);
}

int rutNetDevOpen(struct rutNetDev *netdev, const char *root, size_t countsUsed)
{
	int ret;

	*netdev = (struct rutNetDev){ .root = root,
				      .file = RUT_FILE_NONE,
				      .countsUsed = countsUsed };
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
	free(netdev->list);
	netdev->list = NULL;
	netdev->count = 0;
}
