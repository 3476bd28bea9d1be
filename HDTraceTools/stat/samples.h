/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --samples: time and energy of functions between MPI calls, as
 * samples (hdmpirun --sample) tell.
 */
#ifndef HD_STAT_SAMPLES_H
#define HD_STAT_SAMPLES_H

#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/attribution.h"

/**
 * Print them.
 *
 * @param rule How power is divided.
 *
 * @retval 0 Success, as far as messages say.
 * @retval -1 Error; it was said.
 */
int samplesPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection, enum attributionRule rule);

#endif
