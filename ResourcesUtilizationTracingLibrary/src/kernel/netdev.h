/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The network interfaces and what they count, from /proc/net/dev.
 */
#ifndef RUT_NETDEV_H
#define RUT_NETDEV_H

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/** What is counted, in the order of our values. */
enum rutNetCount {
	RUT_NET_BYTES_IN,
	RUT_NET_BYTES_OUT,
	RUT_NET_PACKETS_IN,
	RUT_NET_PACKETS_OUT,
	RUT_NET_ERRORS_IN,
	RUT_NET_ERRORS_OUT,
	RUT_NET_DROPS_IN,
	RUT_NET_DROPS_OUT,
	RUT_NET_COUNTS,
};

/** A network interface. */
struct rutNetIf {
	char name[16];
	int index; /**< Of the kernel; 0: not known. */
	bool isExternal;
	bool isPresent; /**< It was there when the file was last read. */
	struct hdCounter counters[RUT_NET_COUNTS];
};

/** All interfaces that were ever seen; those at the beginning first. */
struct rutNetDev {
	const char *root;
	/** What reads the counters instead of rutNetDevRead(), or NULL. */
	bool (*read)(struct rutNetDev *netdev, enum rutWhy why);
	struct rutFile file;
	int socket; /**< To ask for the index of interfaces; -1: none. */
	struct hdOwned owned;
	/** How many of enum rutNetCount are followed, the first of them. */
	size_t countsUsed;
	int64_t readNs; /**< When the counters were read. */
	struct rutNetIf *list;
	size_t count;
	size_t size;
};

/** Add an interface; returns NULL if there is no memory. */
struct rutNetIf *rutNetDevAdd(struct rutNetDev *netdev,
			      const struct hdWord *name);

/** Find out which interfaces are external. */
void rutNetDevClassify(struct rutNetDev *netdev);

/** Open a source of network traffic upon interfaces that were found already;
 *  takes them over, whatever it returns. */
int rutNetworkOpenUpon(const struct rutNetDev *netdev,
		       const struct rutSetup *setup, struct rutColumns *columns,
		       void **result);

/** Open the file, find the interfaces, and follow the first counters. */
int rutNetDevOpen(struct rutNetDev *netdev, const char *root,
		  size_t countsUsed);

/**
 * Read all counters. What a new interface has counted so far is not known; nor
 * is it of another interface that has the name of one that went away.
 *
 * @return Whether they could be read.
 */
bool rutNetDevRead(struct rutNetDev *netdev, enum rutWhy why);

/** Close the file and free the list. */
void rutNetDevClose(struct rutNetDev *netdev);

#endif
