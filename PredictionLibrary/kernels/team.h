/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Threads of a call: one on each PE of the task.
 */
#ifndef HD_KERNEL_TEAM_H
#define HD_KERNEL_TEAM_H

#include <hdKernel.h>

/** Do one of some parts; they are numbered from 0. */
typedef void hdTeamPart(void *context, uint32_t part, uint32_t parts);

/**
 * Do all parts of a call at the same time, one on each PE of the task, and wait
 * for them.
 *
 * @param call The task.
 * @param most Parts at most, from 1.
 * @param part What each thread does; the first one in the calling thread.
 * @param context Its argument.
 */
void hdTeamRun(const hdKernelCall *call, uint32_t most, hdTeamPart *part,
	       void *context);

#endif
