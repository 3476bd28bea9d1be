/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All instances of the process, to be switched on and off.
 */
#ifndef HDG_INSTANCES_H
#define HDG_INSTANCES_H

#include "GlusterFSTracing/xlator/instance.h"

/** Hold the list, and what can be changed in instances. */
void instancesLock(void);
void instancesUnlock(void);

/** The first instance; with the lock held. */
struct instance *instancesFirst(void);

/** Name of the project that an instance records into; with the lock held. */
const char *instanceProject(const struct instance *instance);

/** Do what an instance's choice says; with the lock held. */
void instanceApply(struct instance *instance);

#endif
