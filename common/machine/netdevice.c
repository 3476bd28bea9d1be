/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Network interfaces of a machine; see netdevice.h. */
#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/machine/netdevice.h"

static bool netDevicePath(char path[PATH_MAX], const char *root,
			  const char *name, const char *file)
{
	return snprintf(path, PATH_MAX, "%s/sys/class/net/%s%s", root, name,
			file) < PATH_MAX;
}

static bool netDeviceHas(const char *root, const char *name, const char *file)
{
	char path[PATH_MAX];

	return netDevicePath(path, root, name, file) && access(path, F_OK) == 0;
}

/* Whether it stands upon others, which are counted themselves: VLANs, bonds,
 * bridges. */
static bool netDeviceIsStacked(const char *root, const char *name)
{
	char path[PATH_MAX];
	struct dirent *entry;
	bool isStacked = false;
	DIR *directory;

	if (netDeviceHas(root, name, "/bridge") ||
	    netDeviceHas(root, name, "/bonding"))
		return true;
	directory = netDevicePath(path, root, name, "") ? opendir(path) : NULL;
	if (!directory)
		return false;
	while (!isStacked && (entry = readdir(directory)))
		isStacked = strncmp(entry->d_name, "lower_", 6) == 0;
	closedir(directory);
	return isStacked;
}

enum hdNetDevice hdNetDeviceOf(const char *root, const char *name)
{
	if (strcmp(name, "lo") == 0 || netDeviceIsStacked(root, name))
		return HD_NET_INNER;
	if (netDeviceHas(root, name, "/device"))
		return HD_NET_HARDWARE;
	return netDeviceHas(root, name, "/master") ||
			       netDeviceHas(root, name, "/tun_flags")
		       ? HD_NET_INNER
		       : HD_NET_WAY_OUT;
}
