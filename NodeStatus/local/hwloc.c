/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What hwloc knows of a machine. It knows machines that /sys says little of;
 * devices are of no interest here, and not looked for.
 */
#include "config.h"

#include <errno.h>
#include <hwloc.h>

#include "NodeStatus/local/machine.h"

int nodeHwloc(struct nodeTopology *topology)
{
	hwloc_topology_t all;

	if (hwloc_topology_init(&all) != 0)
		return -ENOMEM;
	hwloc_topology_set_io_types_filter(all, HWLOC_TYPE_FILTER_KEEP_NONE);
	/* What the machine has, not what a cpuset leaves to us. */
	hwloc_topology_set_flags(all, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_load(all) != 0) {
		hwloc_topology_destroy(all);
		return -EIO;
	}
	topology->packages = hwloc_get_nbobjs_by_type(all, HWLOC_OBJ_PACKAGE);
	topology->cores = hwloc_get_nbobjs_by_type(all, HWLOC_OBJ_CORE);
	topology->cpus = hwloc_get_nbobjs_by_type(all, HWLOC_OBJ_PU);
	topology->numaNodes = hwloc_get_nbobjs_by_type(all, HWLOC_OBJ_NUMANODE);
	hwloc_topology_destroy(all);
	return 0;
}
