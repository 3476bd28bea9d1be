/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Disks: bytes of a mount point or of all disks; the counters of each block
 * device.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ResourcesUtilizationTracingLibrary/src/cpu/cpuuse.h"
#include "ResourcesUtilizationTracingLibrary/src/kernel/blockdev.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "common/clock.h"

#define NS_PER_MS 1000000

struct diskState {
	struct rutBlockDevs devs;
	rutSources sources;
	int64_t lastNs;
};

static void diskClose(void *data)
{
	struct diskState *state = data;

	rutBlockDevsClose(&state->devs);
	free(state);
}

static int diskOpenDevices(struct diskState *state,
			   const struct rutSetup *setup)
{
	int ret;

	if (setup->mountPoint)
		ret = rutBlockDevsAddMount(&state->devs, setup->root,
					   setup->mountPoint);
	else
		ret = rutBlockDevsAddDisks(&state->devs, setup->root);
	for (size_t i = 0; ret == 0 && i < state->devs.count; i++)
		rutMessage(HD_LOG_INFO, "disk %s", state->devs.list[i].name);
	return ret;
}

static int diskOpen(const struct rutSetup *setup, struct rutColumns *columns,
		    void **result)
{
	const struct rutColumn column = {
		.type = INT64,
		.unit = "B",
		.grouping = "HDD",
		.kind = HD_KIND_DELTA,
	};
	struct diskState *state = calloc(1, sizeof(*state));
	int ret;

	if (!state)
		return -ENOMEM;
	state->sources = setup->sources;
	ret = diskOpenDevices(state, setup);
	if (ret == 0 && setup->sources.HDD_READ)
		ret = rutColumnsAdd(columns, &column, "HDD_READ");
	if (ret == 0 && setup->sources.HDD_WRITE)
		ret = rutColumnsAdd(columns, &column, "HDD_WRITE");
	if (ret < 0) {
		diskClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static int64_t diskTake(struct rutBlockDev *dev, enum rutBlockCount count,
			int64_t unit)
{
	return rutCounterTake(&dev->counters[count], unit);
}

/* A sum that lacks a disk is not known, unless the machine did not have it all
 * the interval. */
static int64_t diskSum(struct diskState *state, enum rutBlockCount count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < state->devs.count; i++) {
		struct rutBlockDev *dev = &state->devs.list[i];
		int64_t amount = diskTake(dev, count, RUT_SECTOR);

		if (dev->isAway && dev->wasAway)
			continue;
		if (amount == HD_CELL_MISSING || sum == HD_CELL_MISSING)
			sum = HD_CELL_MISSING;
		else
			sum += amount;
	}
	return sum;
}

static void diskRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct diskState *state = data;

	rutBlockDevsRead(&state->devs, why);
	if (why != RUT_WHY_SAMPLE)
		return;
	if (state->sources.HDD_READ)
		(cells++)->i = diskSum(state, RUT_BLOCK_READ_SECTORS);
	if (state->sources.HDD_WRITE)
		cells->i = diskSum(state, RUT_BLOCK_WRITE_SECTORS);
	for (size_t i = 0; i < state->devs.count; i++)
		state->devs.list[i].wasAway = state->devs.list[i].isAway;
}

const struct rutSource rutDiskSource = {
	.name = "disk",
	.isWanted = rutWantsDisk,
	.open = diskOpen,
	.read = diskRead,
	.close = diskClose,
};

/* The counters of each block device. */

static bool devicesIsWanted(const rutSources *sources)
{
	return sources->HDD_DEV_X;
}

static int devicesAddColumns(const struct diskState *state,
			     struct rutColumns *columns)
{
	static const struct {
		const char *name;
		struct rutColumn column;
	} kinds[] = {
		{ "HDD_READ_OPS",
		  { NULL, INT64, "operations", "HDD_OPS",
		    .kind = HD_KIND_DELTA } },
		{ "HDD_WRITE_OPS",
		  { NULL, INT64, "operations", "HDD_OPS",
		    .kind = HD_KIND_DELTA } },
		{ "HDD_READ",
		  { NULL, INT64, "B", "HDD", .kind = HD_KIND_DELTA } },
		{ "HDD_WRITE",
		  { NULL, INT64, "B", "HDD", .kind = HD_KIND_DELTA } },
		{ "HDD_BUSY",
		  { NULL, FLOAT, "%", "HDD_BUSY", .resolution = "1 ms" } },
		{ "HDD_INFLIGHT",
		  { NULL, INT64, "operations", "HDD_INFLIGHT" } },
	};
	int ret = 0;

	for (size_t i = 0; i < state->devs.count; i++) {
		for (size_t j = 0; ret == 0 && j < 6; j++)
			ret = rutColumnsAdd(columns, &kinds[j].column, "%s_%s",
					    kinds[j].name,
					    state->devs.list[i].name);
	}
	return ret;
}

static int devicesOpen(const struct rutSetup *setup, struct rutColumns *columns,
		       void **result)
{
	struct diskState *state = calloc(1, sizeof(*state));
	int ret;

	if (!state)
		return -ENOMEM;
	ret = rutBlockDevsAddAll(&state->devs, setup->root);
	if (ret == 0)
		ret = devicesAddColumns(state, columns);
	if (ret < 0) {
		diskClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void devicesRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct diskState *state = data;
	int64_t now = hdMonotonicNow(), wall = now - state->lastNs;

	rutBlockDevsRead(&state->devs, why);
	if (why == RUT_WHY_BEGIN)
		state->lastNs = now;
	if (why != RUT_WHY_SAMPLE)
		return;
	state->lastNs = now;
	for (size_t i = 0; i < state->devs.count; i++) {
		struct rutBlockDev *dev = &state->devs.list[i];
		int64_t busy = diskTake(dev, RUT_BLOCK_BUSY_MS, NS_PER_MS);

		(cells++)->i = diskTake(dev, RUT_BLOCK_READS, 1);
		(cells++)->i = diskTake(dev, RUT_BLOCK_WRITES, 1);
		(cells++)->i =
			diskTake(dev, RUT_BLOCK_READ_SECTORS, RUT_SECTOR);
		(cells++)->i =
			diskTake(dev, RUT_BLOCK_WRITE_SECTORS, RUT_SECTOR);
		(cells++)->f =
			busy == HD_CELL_MISSING ? NAN : rutPercent(busy, wall);
		(cells++)->i =
			dev->isThere ? (int64_t)dev->inFlight : HD_CELL_MISSING;
	}
}

const struct rutSource rutDevicesSource = {
	.name = "devices",
	.isWanted = devicesIsWanted,
	.open = devicesOpen,
	.read = devicesRead,
	.close = diskClose,
};
