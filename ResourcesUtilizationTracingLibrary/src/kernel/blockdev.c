/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block devices and what they count; see blockdev.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/kernel/blockdev.h"
#include "common/clock.h"

int rutBlockDevsAdd(struct rutBlockDevs *devs, const char *root,
		    const char *name)
{
	struct rutBlockDev *list, *dev;
	int ret;

	for (size_t i = 0; i < devs->count; i++) {
		if (strcmp(devs->list[i].name, name) == 0)
			return 0;
	}
	list = realloc(devs->list, (devs->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	devs->list = list;
	dev = &list[devs->count];
	memset(dev, 0, sizeof(*dev));
	if (snprintf(dev->name, sizeof(dev->name), "%s", name) >=
	    (int)sizeof(dev->name))
		return -ENAMETOOLONG;
	snprintf(dev->path, sizeof(dev->path), "/sys/%s/%s/stat",
		 strchr(name, ':') ? "dev/block" : "class/block", dev->name);
	devs->root = root;
	ret = rutFileOpen(&dev->file, root, "%s", dev->path);
	if (ret == 0)
		devs->count++;
	return ret;
}

static bool blockIsHidden(const char *root, const char *name)
{
	struct rutFile file;
	struct hdScan scan;
	uint64_t isHidden = 0;

	if (rutFileGet(&file, &scan, root, "/sys/block/%s/hidden", name) < 0)
		return false;
	hdScanNumber(&scan, &isHidden);
	rutFileClose(&file);
	return isHidden != 0;
}

static bool blockIsDisk(const char *root, const char *name)
{
	return rutFileExists(root, "/sys/block/%s/device", name) &&
	       !blockIsHidden(root, name);
}

/* What stands upon other devices or a file. A loop device without one and RAM
 * disks are there but nobody's. */
static bool blockIsUsed(const char *root, const char *name)
{
	return blockIsDisk(root, name) ||
	       rutFileExists(root, "/sys/block/%s/dm", name) ||
	       rutFileExists(root, "/sys/block/%s/md", name) ||
	       rutFileExists(root, "/sys/block/%s/loop/backing_file", name);
}

static int blockNotDot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int blockAddSome(struct rutBlockDevs *devs, const char *root,
			bool (*isWanted)(const char *root, const char *name))
{
	char path[RUT_PATH_SIZE];
	struct dirent **names;
	int count, ret = 0;

	if (snprintf(path, sizeof(path), "%s/sys/block", root) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	count = scandir(path, &names, blockNotDot, alphasort);
	if (count < 0)
		return errno == ENOMEM ? -ENOMEM : -ENOENT;
	for (int i = 0; i < count; i++) {
		if (ret != -ENOMEM && isWanted(root, names[i]->d_name))
			ret = rutBlockDevsAdd(devs, root, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	if (ret == -ENOMEM)
		return ret;
	return devs->count > 0 ? 0 : -ENOENT;
}

int rutBlockDevsAddDisks(struct rutBlockDevs *devs, const char *root)
{
	return blockAddSome(devs, root, blockIsDisk);
}

int rutBlockDevsAddAll(struct rutBlockDevs *devs, const char *root)
{
	return blockAddSome(devs, root, blockIsUsed);
}

/* Read the file of a device; one that went away may have come back, as another
 * file. */
static bool blockRead(struct rutBlockDevs *devs, struct rutBlockDev *dev,
		      uint64_t *numbers)
{
	struct hdScan scan;
	int ret;

	if (rutFileRead(&dev->file, &scan) == 0)
		return hdScanNumbers(&scan, numbers, 10);
	rutFileClose(&dev->file);
	for (size_t i = 0; i < RUT_BLOCK_COUNTS; i++)
		hdCounterLose(&dev->counters[i]);
	ret = rutFileGet(&dev->file, &scan, devs->root, "%s", dev->path);
	dev->isAway = ret == -ENOENT;
	return ret == 0 && hdScanNumbers(&scan, numbers, 10);
}

/* (Linux, block/genhd: the time busy is an unsigned int of milliseconds.) */
static const struct hdCounterLaw blockLaws[RUT_BLOCK_COUNTS] = {
	[RUT_BLOCK_READS] = { .rate = 1e9 },
	[RUT_BLOCK_READ_SECTORS] = { .rate = 1e12 / RUT_SECTOR },
	[RUT_BLOCK_WRITES] = { .rate = 1e9 },
	[RUT_BLOCK_WRITE_SECTORS] = { .rate = 1e12 / RUT_SECTOR },
	[RUT_BLOCK_BUSY_MS] = { .span = (uint64_t)UINT32_MAX + 1 },
};

void rutBlockDevsRead(struct rutBlockDevs *devs, enum rutWhy why)
{
	/* reads merged sectors ms writes merged sectors ms inflight busy */
	static const unsigned char columns[RUT_BLOCK_COUNTS] = {
		[RUT_BLOCK_READS] = 0,   [RUT_BLOCK_READ_SECTORS] = 2,
		[RUT_BLOCK_WRITES] = 4,  [RUT_BLOCK_WRITE_SECTORS] = 6,
		[RUT_BLOCK_BUSY_MS] = 9,
	};
	int64_t now = hdMonotonicNow();

	for (size_t i = 0; i < devs->count; i++) {
		struct rutBlockDev *dev = &devs->list[i];
		uint64_t numbers[10];

		dev->isThere = blockRead(devs, dev, numbers);
		for (size_t j = 0; !dev->isThere && j < RUT_BLOCK_COUNTS; j++)
			hdCounterLose(&dev->counters[j]);
		if (!dev->isThere)
			continue;
		dev->inFlight = numbers[8];
		for (size_t j = 0; j < RUT_BLOCK_COUNTS; j++)
			rutCounterRead(&dev->counters[j], &blockLaws[j], why,
				       numbers[columns[j]], now);
	}
}

void rutBlockDevsClose(struct rutBlockDevs *devs)
{
	for (size_t i = 0; i < devs->count; i++)
		rutFileClose(&devs->list[i].file);
	free(devs->list);
	*devs = (struct rutBlockDevs){ 0 };
}
