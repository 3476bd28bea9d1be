/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Without hwloc; see machine.h. */
#include "config.h"

#include <errno.h>

#include "NodeStatus/local/machine.h"

int nodeHwloc(struct nodeTopology *topology)
{
	(void)topology;
	return -ENOSYS;
}
