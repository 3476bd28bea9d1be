/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --regions: energy of the states of every trace.
 */
#ifndef HD_REGIONS_H
#define HD_REGIONS_H

#include "HDTraceTools/command/select.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/attribution.h"

/**
 * Print the energy of states.
 *
 * @param pattern For the names of states.
 * @param rule How power is divided.
 *
 * @retval 0 Success, as far as messages say.
 * @retval -1 Error; it was said.
 */
int regionsPrint(struct tool *tool, const hdIProject *project,
		 const struct selection *selection, const char *pattern,
		 enum attributionRule rule);

#endif
