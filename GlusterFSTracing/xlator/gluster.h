/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The headers of GlusterFS, which expect a config.h of their own: what they
 * need of it is defined in Makemodule.am. They do not compile without warnings,
 * so they are found as headers of the system.
 */
#ifndef HDG_GLUSTER_H
#define HDG_GLUSTER_H

#include <glusterfs/xlator.h>
#include <glusterfs/defaults.h>
#include <glusterfs/logging.h>
#include <glusterfs/timer.h>
#include <glusterfs/common-utils.h>

#endif
