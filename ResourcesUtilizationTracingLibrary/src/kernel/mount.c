/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * From a mount point to its block devices; see blockdev.h.
 *
 * /proc/self/mountinfo names the device of a file system. Partitions,
 * device-mapper and loop devices count what goes through them themselves. A
 * file system without a device of its own leads on: btrfs to the devices that
 * it is made of, overlay to the file system that takes its writes.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/kernel/blockdev.h"
#include "ResourcesUtilizationTracingLibrary/src/core/mount.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"

/* Overlays upon overlays; a loop of them is none of the kernel's making. */
#define MOUNT_DEPTH 8

/* A line of mountinfo. */
struct mountLine {
	uint64_t major;
	uint64_t minor;
	struct hdWord point;
	struct hdWord type;
	struct hdWord source;
	struct hdWord options;
};

/* "36 35 98:0 /root /point rw,noatime shared:1 - ext3 /dev/root rw,data=x" */
static bool mountParseLine(struct hdScan *scan, struct mountLine *line)
{
	struct hdWord word;
	uint64_t ids[2];

	if (!hdScanNumbers(scan, ids, 2) || !hdScanNumber(scan, &line->major) ||
	    !hdScanLiteral(scan, ":") || !hdScanNumber(scan, &line->minor) ||
	    !hdScanWord(scan, '\n', &word) ||
	    !hdScanWord(scan, '\n', &line->point))
		return false;
	do {
		if (!hdScanWord(scan, '\n', &word))
			return false;
	} while (!hdWordIs(&word, "-"));
	return hdScanWord(scan, '\n', &line->type) &&
	       hdScanWord(scan, '\n', &line->source) &&
	       hdScanWord(scan, '\n', &line->options);
}

/* Copy a word with its octal escapes ("\040" is a blank) resolved. */
static void mountUnescape(const struct hdWord *word, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < word->length && used + 1 < size; i++) {
		const char *at = word->bytes + i;
		bool isOctal = *at == '\\' && i + 3 < word->length;

		for (int j = 1; isOctal && j < 4; j++)
			isOctal = at[j] >= '0' && at[j] <= '7';
		text[used++] = *at;
		if (isOctal) {
			text[used - 1] =
				(char)((at[1] - '0') << 6 | (at[2] - '0') << 3 |
				       (at[3] - '0'));
			i += 3;
		}
	}
	text[used] = '\0';
}

/* Length of a mount point if it leads to the path, else 0. */
static size_t mountMatch(const char *point, const char *path, bool isExact)
{
	size_t length = strlen(point);

	if (strcmp(point, path) == 0)
		return length;
	if (isExact || strncmp(point, path, length) != 0)
		return 0;
	return path[length] == '/' || strcmp(point, "/") == 0 ? length : 0;
}

/* Find what is mounted at a path, or what holds it. The last line wins: it
 * covers the others. */
static bool mountFind(struct hdScan scan, const char *path, bool isExact,
		      struct mountLine *found)
{
	char point[RUT_PATH_SIZE];
	struct mountLine line;
	size_t best = 0;

	do {
		size_t length;

		if (!mountParseLine(&scan, &line))
			continue;
		mountUnescape(&line.point, point, sizeof(point));
		length = mountMatch(point, path, isExact);
		if (length > 0 && length >= best) {
			best = length;
			*found = line;
		}
	} while (hdScanNextLine(&scan));
	return best > 0;
}

/* Add all devices of the btrfs that the device belongs to. */
static int mountAddBtrfs(struct rutBlockDevs *devs, const char *root,
			 const char *name)
{
	char path[RUT_PATH_SIZE];
	struct dirent *entry, *device;
	DIR *all, *one;
	int ret = -ENOENT;

	snprintf(path, sizeof(path), "%s/sys/fs/btrfs", root);
	all = opendir(path);
	while (all && ret == -ENOENT && (entry = readdir(all))) {
		if (!rutFileExists(root, "/sys/fs/btrfs/%s/devices/%s",
				   entry->d_name, name))
			continue;
		if (snprintf(path, sizeof(path), "%s/sys/fs/btrfs/%s/devices",
			     root, entry->d_name) >= (int)sizeof(path))
			continue;
		one = opendir(path);
		while (one && (device = readdir(one)) &&
		       (ret == 0 || ret == -ENOENT)) {
			if (device->d_name[0] != '.')
				ret = rutBlockDevsAdd(devs, root,
						      device->d_name);
		}
		if (one)
			closedir(one);
	}
	if (all)
		closedir(all);
	return ret == -ENOENT ? rutBlockDevsAdd(devs, root, name) : ret;
}

/* The kernel's name of a device file: /dev/mapper/x is a link to ../dm-0. */
static void mountDeviceName(const char *root, const char *file, char *name,
			    size_t size)
{
	char path[RUT_PATH_SIZE], target[RUT_PATH_SIZE];
	const char *base;
	ssize_t length = -1;

	if (snprintf(path, sizeof(path), "%s%s", root, file) <
	    (int)sizeof(path))
		length = readlink(path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	base = length > 0 ? target : file;
	base = strrchr(base, '/') ? strrchr(base, '/') + 1 : base;
	snprintf(name, size, "%.*s", (int)size - 1, base);
}

/* Get an option of an overlay: "rw,lowerdir=/a,upperdir=/b,workdir=/c". */
static bool mountOption(const struct hdWord *options, const char *key,
			char *value, size_t size)
{
	struct hdScan scan = { options->bytes,
			       options->bytes + options->length };
	struct hdWord word;

	while (hdScanWord(&scan, ',', &word)) {
		struct hdScan option = { word.bytes, word.bytes + word.length };

		if (hdScanLiteral(&option, key) &&
		    hdScanLiteral(&option, "=")) {
			word.bytes = option.at;
			word.length = (size_t)(option.end - option.at);
			mountUnescape(&word, value, size);
			return true;
		}
		if (!hdScanLiteral(&scan, ","))
			break;
	}
	return false;
}

static int mountAdd(struct rutBlockDevs *devs, const char *root,
		    struct hdScan scan, const struct mountLine *start)
{
	struct mountLine line = *start;
	char text[RUT_PATH_SIZE], name[NAME_MAX + 1];

	for (int depth = 0; depth < MOUNT_DEPTH; depth++) {
		if (hdWordIs(&line.type, "btrfs")) {
			mountUnescape(&line.source, text, sizeof(text));
			mountDeviceName(root, text, name, sizeof(name));
			return mountAddBtrfs(devs, root, name);
		}
		if (line.major != 0) {
			snprintf(name, sizeof(name), "%llu:%llu",
				 (unsigned long long)line.major,
				 (unsigned long long)line.minor);
			return rutBlockDevsAdd(devs, root, name);
		}
		if (!hdWordIs(&line.type, "overlay") ||
		    !mountOption(&line.options, "upperdir", text,
				 sizeof(text)) ||
		    !mountFind(scan, text, false, &line))
			return -ENOENT;
	}
	return -ENOENT;
}

int rutBlockDevsAddMount(struct rutBlockDevs *devs, const char *root,
			 const char *mountPoint)
{
	char path[RUT_PATH_SIZE];
	struct mountLine line;
	struct rutFile file;
	struct hdScan scan;
	size_t length = strlen(mountPoint);
	int ret;

	/* The thesis wants none at the end; nobody is hurt by one. */
	while (length > 1 && mountPoint[length - 1] == '/')
		length--;
	snprintf(path, sizeof(path), "%.*s", (int)length, mountPoint);
	ret = rutFileGet(&file, &scan, root, "/proc/self/mountinfo");
	if (ret < 0) {
		rutMessage(HD_LOG_ERROR, "/proc/self/mountinfo: %s",
			   strerror(-ret));
		return -ENODEV;
	}
	if (!mountFind(scan, path, true, &line)) {
		rutMessage(HD_LOG_ERROR,
			   "RUT_HDD_MOUNTPOINT: %s: not a mount point",
			   mountPoint);
		ret = -ENODEV;
	} else {
		ret = mountAdd(devs, root, scan, &line);
		if (ret < 0 && ret != -ENOMEM) {
			rutMessage(HD_LOG_ERROR,
				   "RUT_HDD_MOUNTPOINT: %s: file system %.*s "
				   "has no block device",
				   mountPoint, (int)line.type.length,
				   line.type.bytes);
			ret = -ENODEV;
		}
	}
	rutFileClose(&file);
	return ret;
}

int rutMountsEach(const char *root,
		  int (*take)(void *context, const struct rutMount *mount),
		  void *context)
{
	char point[RUT_PATH_SIZE], type[64];
	struct mountLine line;
	struct rutFile file;
	struct hdScan scan;
	int ret = rutFileGet(&file, &scan, root, "/proc/self/mountinfo");

	if (ret < 0)
		return ret;
	do {
		struct rutMount mount = { point, type, 0, 0 };

		if (!mountParseLine(&scan, &line))
			continue;
		mountUnescape(&line.point, point, sizeof(point));
		mountUnescape(&line.type, type, sizeof(type));
		mount.major = line.major;
		mount.minor = line.minor;
		ret = take(context, &mount);
	} while (ret == 0 && hdScanNextLine(&scan));
	rutFileClose(&file);
	return ret;
}
