/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * How an instance takes part in control; see control.h. Each returns whether
 * the operation was for us, and has been answered.
 */
#ifndef HDG_CONTROLLED_H
#define HDG_CONTROLLED_H

#include "GlusterFSTracing/xlator/instance.h"

bool controlSetxattr(call_frame_t *frame, xlator_t *this, dict_t *dict);
bool controlGetxattr(call_frame_t *frame, xlator_t *this, const char *name);
bool controlIpc(call_frame_t *frame, xlator_t *this, int32_t op, dict_t *xdata);

#endif
