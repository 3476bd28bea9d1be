/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What a machine is: read once, when hdnode begins.
 */
#ifndef HD_NODE_MACHINE_H
#define HD_NODE_MACHINE_H

#include <stdint.h>

#include <jansson.h>

/** Find out; what is not known is null. @param root As of hdNodeSetup. */
json_t *nodeMachineRead(const char *name, const char *root);

/** How many packages, cores, ... there are; -1: not known. */
struct nodeTopology {
	int packages, cores, cpus, numaNodes;
};

/**
 * Ask hwloc, of this machine.
 *
 * @retval -ENOSYS This was built without it. (Or another error.)
 */
int nodeHwloc(struct nodeTopology *topology);

/** Get the speed of a link in bits a second; -1: not known. */
int64_t nodeLinkSpeed(const char *root, const char *name);

#endif
