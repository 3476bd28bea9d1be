/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Block devices and what they count; which of them a mount point uses.
 */
#ifndef RUT_BLOCKDEV_H
#define RUT_BLOCKDEV_H

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

/** What is counted. */
enum rutBlockCount {
	RUT_BLOCK_READS,
	RUT_BLOCK_READ_SECTORS,
	RUT_BLOCK_WRITES,
	RUT_BLOCK_WRITE_SECTORS,
	RUT_BLOCK_BUSY_MS,
	RUT_BLOCK_COUNTS,
};

/** The unit of "sectors", whatever the device has. */
#define RUT_SECTOR 512

/** Longest path of a device's counters, with its end. */
#define RUT_BLOCK_PATH 96

/** A block device. */
struct rutBlockDev {
	char name[64];
	struct rutFile file;
	char path[RUT_BLOCK_PATH]; /**< Of the file, without the root. */
	bool isThere;              /**< It could be read last. */
	bool isAway;  /**< The machine has it no more, as it was found last, */
	bool wasAway; /**< and so it was when the interval began. */
	uint64_t inFlight;
	struct hdCounter counters[RUT_BLOCK_COUNTS];
};

/** Some block devices. */
struct rutBlockDevs {
	const char *root;
	struct rutBlockDev *list;
	size_t count;
};

/** Open a device by its name or "MAJOR:MINOR". */
int rutBlockDevsAdd(struct rutBlockDevs *devs, const char *root,
		    const char *name);

/** Open the disks: what is hardware, none that stands upon others. */
int rutBlockDevsAddDisks(struct rutBlockDevs *devs, const char *root);

/** Open the disks, and what stands upon them and is in use. */
int rutBlockDevsAddAll(struct rutBlockDevs *devs, const char *root);

/**
 * Open the devices of a mounted file system, found through partitions,
 * device-mapper, loop devices, btrfs and overlay.
 *
 * @param mountPoint Directory where it is mounted.
 *
 * @retval -ENODEV It has none, or nothing is mounted there; the user has been
 *         told.
 */
int rutBlockDevsAddMount(struct rutBlockDevs *devs, const char *root,
			 const char *mountPoint);

/** Read the counters of all. */
void rutBlockDevsRead(struct rutBlockDevs *devs, enum rutWhy why);

/** Close and free the list. */
void rutBlockDevsClose(struct rutBlockDevs *devs);

#endif
