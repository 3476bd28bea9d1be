/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Storage that is left: of each local file system that can be written, its size
 * and what is free for users who are not root.
 *
 * A file system is local if it has a block device; what is mounted twice counts
 * once, where it was mounted first. Without any, as in a container, it is what
 * is mounted at /. Those of other hosts are left out: asking may take for ever.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/mount.h"
#include "ResourcesUtilizationTracingLibrary/src/sources/storage.h"

int (*rutStatvfs)(const char *path, struct statvfs *is) = statvfs;

struct storagePlace {
	char *path; /* With the root in front. */
	char *name; /* Without. */
	uint64_t major, minor;
	bool hasDevice; /* Of what was there when it was opened: */
	dev_t device;
	double total, free; /* NaN: not known. */
};

struct storageState {
	const char *root;
	struct storagePlace *list;
	size_t count;
};

static bool storageIsWanted(const rutSources *sources)
{
	return sources->STORAGE;
}

static void storageClose(void *data)
{
	struct storageState *state = data;

	for (size_t i = 0; i < state->count; i++) {
		free(state->list[i].path);
		free(state->list[i].name);
	}
	free(state->list);
	free(state);
}

static bool placeDevice(const struct storagePlace *place, dev_t *device)
{
	struct stat is;

	if (stat(place->path, &is) != 0)
		return false;
	*device = is.st_dev;
	return true;
}

/* What cannot be asked is not known; nor is what is not mounted any more, where
 * the file system below would answer. */
static int placeLook(struct storagePlace *place)
{
	struct statvfs is;
	dev_t device;

	place->total = place->free = NAN;
	if (place->hasDevice &&
	    (!placeDevice(place, &device) || device != place->device))
		return -ENODEV;
	if (rutStatvfs(place->path, &is) != 0)
		return -errno;
	place->total = (double)is.f_blocks * (double)is.f_frsize;
	place->free = (double)is.f_bavail * (double)is.f_frsize;
	return place->total > 0 ? 0 : -ENODATA;
}

static void storageClearPlace(struct storagePlace *place)
{
	free(place->path);
	free(place->name);
}

static int storageAdd(struct storageState *state, const struct rutMount *mount)
{
	struct storagePlace place = { .major = mount->major,
				      .minor = mount->minor };
	struct storagePlace *list;

	if (asprintf(&place.path, "%s%s", state->root, mount->point) < 0)
		return -ENOMEM;
	place.name = strdup(mount->point);
	if (!place.name) {
		free(place.path);
		return -ENOMEM;
	}
	if (placeLook(&place) < 0) {
		storageClearPlace(&place);
		return 0;
	}
	place.hasDevice = placeDevice(&place, &place.device);
	list = realloc(state->list, (state->count + 1) * sizeof(*list));
	if (!list) {
		storageClearPlace(&place);
		return -ENOMEM;
	}
	state->list = list;
	list[state->count++] = place;
	return 0;
}

/* Images are always full. */
static bool storageIsImage(const char *type)
{
	return strcmp(type, "squashfs") == 0 || strcmp(type, "iso9660") == 0 ||
	       strcmp(type, "erofs") == 0 || strcmp(type, "udf") == 0;
}

static int storageTake(void *context, const struct rutMount *mount)
{
	struct storageState *state = context;

	if (mount->major == 0 || storageIsImage(mount->type))
		return 0;
	for (size_t i = 0; i < state->count; i++) {
		if (state->list[i].major == mount->major &&
		    state->list[i].minor == mount->minor)
			return 0;
	}
	return storageAdd(state, mount);
}

/* A name of a value has the mount point, but for what files cannot have. */
static int storageAddColumn(struct rutColumns *columns, const char *format,
			    const char *point)
{
	const struct rutColumn column = {
		.type = DOUBLE,
		.unit = "B",
		.grouping = "STORAGE",
	};
	char name[RUT_PATH_SIZE];
	size_t length = strlen(point);

	for (size_t i = 0; i <= length && i < sizeof(name); i++) {
		bool isPlain = point[i] > ' ' && point[i] < 0x7f &&
			       !strchr("\"'<>&\\", point[i]);

		name[i] = isPlain || !point[i] ? point[i] : '_';
	}
	name[sizeof(name) - 1] = '\0';
	return rutColumnsAdd(columns, &column, format, name);
}

static int storageOpen(const struct rutSetup *setup, struct rutColumns *columns,
		       void **result)
{
	const struct rutMount top = { "/", "", 0, 0 };
	struct storageState *state = calloc(1, sizeof(*state));
	int ret;

	if (!state)
		return -ENOMEM;
	state->root = setup->root;
	ret = rutMountsEach(setup->root, storageTake, state);
	if (ret == 0 && state->count == 0)
		ret = storageAdd(state, &top);
	if (ret == 0 && state->count == 0)
		ret = -ENOENT;
	for (size_t i = 0; ret == 0 && i < state->count; i++) {
		ret = storageAddColumn(columns, "STORAGE_SIZE_%s",
				       state->list[i].name);
		if (ret == 0)
			ret = storageAddColumn(columns, "STORAGE_FREE_%s",
					       state->list[i].name);
	}
	if (ret < 0) {
		storageClose(state);
		return ret;
	}
	*result = state;
	return 0;
}

static void storageRead(void *data, enum rutWhy why, union hdCell *cells)
{
	struct storageState *state = data;

	if (why != RUT_WHY_SAMPLE)
		return;
	for (size_t i = 0; i < state->count; i++) {
		struct storagePlace *place = &state->list[i];

		placeLook(place);
		(cells++)->d = place->total;
		(cells++)->d = place->free;
	}
}

static _Atomic(uint64_t) hanging;

const struct rutSource rutStorageSource = {
	.name = "storage",
	.hanging = &hanging,
	.hardlyChanges = true,
	.isWanted = storageIsWanted,
	.open = storageOpen,
	.read = storageRead,
	.close = storageClose,
};
